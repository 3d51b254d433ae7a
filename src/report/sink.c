/* Sinks: a stream, a descriptor, a string. */
#include "report/sink.h"

#include <stdint.h>

#include "base/file.h"

static int write_file(void *ctx, const char *data, size_t length)
{
    FILE *file = ctx;
    if (fwrite(data, 1, length, file) != length)
        return -1;
    return fflush(file) ? -1 : 0;
}

static int write_fd(void *ctx, const char *data, size_t length)
{
    const int fd = (int)(intptr_t)ctx;
    return pm_write_full(fd, data, length) < 0 ? -1 : 0;
}

static int write_str(void *ctx, const char *data, size_t length)
{
    pm_str_add_bytes(ctx, data, length);
    return 0;
}

struct pm_sink pm_sink_file(FILE *file)
{
    return (struct pm_sink){.write = write_file, .ctx = file};
}

struct pm_sink pm_sink_fd(int fd)
{
    return (struct pm_sink){.write = write_fd, .ctx = (void *)(intptr_t)fd};
}

struct pm_sink pm_sink_str(struct pm_str *text)
{
    return (struct pm_sink){.write = write_str, .ctx = text};
}

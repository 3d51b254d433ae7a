/* Creates sinks that write to a stream or a string. */
#include "report/sink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "base/file.h"
#include "base/stop.h"

/* Writes in pieces that a pipe accepts whole or not at all, so that the user can stop the command
 * while nobody reads the pipe. */
static int write_file(void *ctx, const char *data, size_t length)
{
    FILE *file = ctx;
    if (fflush(file))
        return -1;
    struct pollfd wanted[] = {{.fd = fileno(file), .events = POLLOUT},
                              {.fd = pm_stop_fd(), .events = POLLIN}};
    while (length) {
        const size_t piece = length < PIPE_BUF ? length : PIPE_BUF;
        if (poll(wanted, 2, -1) < 0 && errno != EINTR)
            return -1;
        if (pm_stop_signal()) {
            errno = EINTR;
            return -1;
        }
        if (pm_write_full(wanted[0].fd, data, piece) < 0)
            return -1;
        data += piece;
        length -= piece;
    }
    return 0;
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

struct pm_sink pm_sink_str(struct pm_str *text)
{
    return (struct pm_sink){.write = write_str, .ctx = text};
}

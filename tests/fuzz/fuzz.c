/* Functions that the fuzz targets share: failing, copies, and the check of error messages. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/file.h"

void fuzz_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

unsigned char *fuzz_copy(const uint8_t *data, size_t size, size_t padding)
{
    unsigned char *copy = pm_alloc(size + padding);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

int fuzz_file(const uint8_t *data, size_t size, char path[static 64])
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || pm_write_full(fd, data, size) != (ssize_t)size)
        fuzz_wrong("no file in memory");
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

void fuzz_check_error(const struct pm_error *err)
{
    if (!err->text[0])
        fuzz_wrong("an error without a text");
    for (const unsigned char *at = (const unsigned char *)err->text; *at; at++)
        if (*at < 0x20 || *at == 0x7f)
            fuzz_wrong("a control byte in an error's text: '%s'", err->text);
}

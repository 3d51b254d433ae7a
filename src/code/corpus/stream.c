/* Reads the stored bytes of an input, searches in them, and detects how they are packed. */
#include "corpus/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"

#define BUFFER_BYTES (256u << 10)

/* The bytes after the buffer that may be read: corrupt data can make ISA-L read them. */
#define PADDING_BYTES 64u

/* Waits until the input has bytes or ends; false if the user stops the command. */
static bool wait_for_bytes(const struct pm_corpus__stream *stream)
{
    struct pollfd wanted[] = {{.fd = stream->fd, .events = POLLIN},
                              {.fd = pm_stop_fd(), .events = POLLIN}};
    while (!pm_stop_signal())
        if (poll(wanted, 2, -1) > 0 && wanted[0].revents)
            return !pm_stop_signal();
    return false;
}

bool pm_corpus__stream_fill(struct pm_corpus__stream *stream)
{
    if (stream->ended)
        return false;
    if (stream->file ? pm_stop_signal() != 0 : !wait_for_bytes(stream)) {
        stream->ended = true;
        return false;
    }
    memmove(stream->bytes, stream->bytes + stream->at, stream->end - stream->at);
    stream->end -= stream->at;
    stream->at = 0;
    ssize_t got;
    do {
        got = read(stream->fd, stream->bytes + stream->end, BUFFER_BYTES - stream->end);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        pm_corpus__log_damage(stream->log, stream->name, stream->offset, false,
                              "cannot read the input: %s", strerror(errno));
    if (got <= 0) {
        stream->ended = true;
        return false;
    }
    stream->end += (size_t)got;
    stream->offset += (uint64_t)got;
    stream->ended = stream->size && stream->offset >= stream->size;
    pm_corpus__log_read(stream->log, (size_t)got);
    return true;
}

uint64_t pm_corpus__stream_offset(const struct pm_corpus__stream *stream)
{
    return stream->offset - (stream->end - stream->at);
}

bool pm_corpus__stream_seek(struct pm_corpus__stream *stream, const void *magic, size_t length)
{
    for (;;) {
        const size_t left = stream->end - stream->at;
        const unsigned char *found = memmem(stream->bytes + stream->at, left, magic, length);
        if (found) {
            stream->at = (size_t)(found - stream->bytes);
            return true;
        }
        stream->at = left >= length ? stream->end - (length - 1) : stream->at;
        if (!pm_corpus__stream_fill(stream)) {
            stream->at = stream->end;
            return false;
        }
    }
}

static enum pm_corpus__packing packing_of(const unsigned char *bytes, size_t length)
{
    static const struct {
        const char *magic;
        size_t length;
        enum pm_corpus__packing packing;
    } known[] = {
        {"\x1f\x8b", 2, PM_CORPUS__GZIP},
        {"\x28\xb5\x2f\xfd", 4, PM_CORPUS__ZSTD},
        {"\xfd"
         "7zXZ\0",
         6, PM_CORPUS__ARCHIVE},
        {"BZh", 3, PM_CORPUS__ARCHIVE},
        {"PK\3\4", 4, PM_CORPUS__ARCHIVE},
        {"PK\5\6", 4, PM_CORPUS__ARCHIVE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (length >= known[i].length && memcmp(bytes, known[i].magic, known[i].length) == 0)
            return known[i].packing;
    }
    return PM_CORPUS__PLAIN;
}

void pm_corpus__stream_open(struct pm_corpus__stream *stream, int fd, const struct stat *status,
                            const char *name, struct pm_corpus__log *log)
{
    if (!stream->bytes)
        stream->bytes = pm_alloc(BUFFER_BYTES + PADDING_BYTES);
    stream->fd = fd;
    stream->file = status && S_ISREG(status->st_mode);
    stream->size = stream->file ? (uint64_t)status->st_size : 0;
    stream->name = name;
    stream->log = log;
    stream->at = stream->end = 0;
    stream->offset = stream->unpacked = stream->member = 0;
    stream->ended = stream->in_member = stream->searching = stream->broken = false;
    if (stream->size > BUFFER_BYTES)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    while (stream->end < 8 && pm_corpus__stream_fill(stream)) /* a pipe may deliver single bytes */
        ;
    stream->packing = packing_of(stream->bytes, stream->end);
}

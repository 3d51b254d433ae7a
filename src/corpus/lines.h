/*
 * Lines of a stream, in a bounded buffer: it grows for a line up to PM_CORPUS_MOST_BYTES; a longer
 * line is skipped and reported as damage. The stream's first bytes can be looked at beforehand.
 */
#ifndef PM_CORPUS_LINES_H
#define PM_CORPUS_LINES_H

#include "corpus/stream.h"

struct pm_corpus__lines {
    struct pm_corpus__stream *stream;
    unsigned char *bytes;
    size_t capacity, at, end; /* unread: at to end; PM_CORPUS__PADDING more can be read */
    bool ended;
    bool filled_in; /* the last byte is not one of the input */
};

/* Begins a stream; the buffer is kept from the one before. The first use needs it zeroed.
 * With `ahead`, the first bytes of the stream, up to some hundred KB, are between at and end
 * afterwards. Without, nothing is buffered, and only pm_corpus__lines_read() may follow. */
void pm_corpus__lines_open(struct pm_corpus__lines *lines, struct pm_corpus__stream *stream,
                           bool ahead);

/* The next line without its line end; false at the end of the stream. It is valid until the next
 * call. `offset` is its place in the stream's unpacked bytes. `whole` is false if the stream ended
 * before the line did. */
bool pm_corpus__lines_next(struct pm_corpus__lines *lines, const unsigned char **line,
                           size_t *length, uint64_t *offset, bool *whole);

/* For other readers of the stream: what is buffered, then more; 0 bytes at the end. */
size_t pm_corpus__lines_take(struct pm_corpus__lines *lines, const unsigned char **bytes);
/* The same, copied: at least one byte and at most `room`, without a way through the buffer. */
size_t pm_corpus__lines_read(struct pm_corpus__lines *lines, unsigned char *into, size_t room);
void pm_corpus__lines_release(struct pm_corpus__lines *lines);

#endif

/*
 * Lines of a stream, in a buffer that is bounded: it grows for a line up to PM_CORPUS_MOST_BYTES,
 * what is longer is passed over and told as damage. A stream's first bytes can be looked at before.
 */
#ifndef PM_CORPUS_LINES_H
#define PM_CORPUS_LINES_H

#include "corpus/stream.h"

struct pm_corpus__lines {
    struct pm_corpus__stream *stream;
    unsigned char *bytes;
    size_t capacity, at, end; /* unread: at to end; PM_CORPUS__PADDING more can be read */
    bool ended;
    bool filled_in; /* the last byte is none of the input's */
};

/* Begins a stream; the buffer is kept from the one before. The first use needs it zeroed.
 * Afterwards the first bytes of the stream stand between at and end, up to some hundred KB. */
void pm_corpus__lines_open(struct pm_corpus__lines *lines, struct pm_corpus__stream *stream);

/* The next line without its line end; false at the end of the stream. It stays until the next call.
 * `offset` is where it stands among the stream's unpacked bytes. `whole` is false where the stream
 * ended before the line did. */
bool pm_corpus__lines_next(struct pm_corpus__lines *lines, const unsigned char **line,
                           size_t *length, uint64_t *offset, bool *whole);

/* For other readers of the stream: what is buffered, then more; 0 bytes at the end. */
size_t pm_corpus__lines_take(struct pm_corpus__lines *lines, const unsigned char **bytes);
void pm_corpus__lines_release(struct pm_corpus__lines *lines);

#endif

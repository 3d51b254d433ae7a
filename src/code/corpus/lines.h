/*
 * Reads the lines of a stream into a bounded buffer. The buffer grows for a line of up to
 * PM_CORPUS_MOST_BYTES. A longer line is skipped and reported as damage. A caller can inspect the
 * first bytes of the stream before it reads lines.
 */
#ifndef PM_CORPUS_LINES_H
#define PM_CORPUS_LINES_H

#include "corpus/stream.h"

struct pm_corpus__lines {
    struct pm_corpus__stream *stream;
    unsigned char *bytes;
    size_t capacity, at, end; /* from `at` to `end`: unread; PM_CORPUS__PADDING bytes follow */
    bool ended;
    bool filled_in; /* the last byte is the stream's inserted line end */
};

/* Begins a stream and keeps the buffer of the previous one. `lines` must be zeroed before the first
 * use. With `ahead`, fills the buffer: the first bytes of the stream are between `at` and `end`
 * afterwards. Without `ahead`, nothing is buffered, and only pm_corpus__lines_read() may follow. */
void pm_corpus__lines_open(struct pm_corpus__lines *lines, struct pm_corpus__stream *stream,
                           bool ahead);

/* Reads the next line, without its line end; false at the end of the stream. The line is valid
 * until the next call. `offset` is its place in the stream's unpacked bytes. `whole` is false if
 * the stream ended without a line end. */
bool pm_corpus__lines_next(struct pm_corpus__lines *lines, const unsigned char **line,
                           size_t *length, uint64_t *offset, bool *whole);

/* Sets *bytes to the next bytes of the stream, and returns their number; 0 at the end. Returns the
 * buffered bytes first. They are valid until the next call. */
size_t pm_corpus__lines_take(struct pm_corpus__lines *lines, const unsigned char **bytes);
/* Copies at least one and at most `room` of the next bytes, and returns their number; 0 at the end.
 * Copies the buffered bytes first; after these, bypasses the buffer. */
size_t pm_corpus__lines_read(struct pm_corpus__lines *lines, unsigned char *into, size_t room);
void pm_corpus__lines_release(struct pm_corpus__lines *lines);

#endif

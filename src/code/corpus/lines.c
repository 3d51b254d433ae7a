/* Cuts a stream into lines. */
#include "corpus/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "corpus/kernels.h"

/* The first size of the buffer. Half of it fits into the second-level cache of most processors. */
#define CHUNK_BYTES ((size_t)512 << 10)

/* Unpacks into the free room of the buffer until the buffer is full, the stream ends, or the stream
 * inserts a line end, which is then the last byte. */
static void fill(struct pm_corpus__lines *lines)
{
    lines->filled_in = false;
    while (!lines->ended && !lines->filled_in && lines->end < lines->capacity) {
        const size_t got = pm_corpus__stream_read(lines->stream, lines->bytes + lines->end,
                                                  lines->capacity - lines->end);
        lines->end += got;
        lines->ended = got == 0;
        lines->filled_in = lines->stream->filled_in;
    }
}

static void reserve(struct pm_corpus__lines *lines, size_t capacity)
{
    if (capacity <= lines->capacity)
        return;
    lines->capacity = capacity;
    lines->bytes = pm_realloc(lines->bytes, capacity + PM_CORPUS__PADDING);
    memset(lines->bytes + lines->end, 0, capacity + PM_CORPUS__PADDING - lines->end);
}

void pm_corpus__lines_open(struct pm_corpus__lines *lines, struct pm_corpus__stream *stream,
                           bool ahead)
{
    lines->stream = stream;
    lines->at = lines->end = 0;
    lines->ended = false;
    if (!ahead)
        return;
    reserve(lines, CHUNK_BYTES);
    fill(lines);
}

/* Moves the unread bytes to the front and reads more. Doubles the buffer first if the unread bytes
 * take more than half of it. */
static void advance(struct pm_corpus__lines *lines)
{
    memmove(lines->bytes, lines->bytes + lines->at, lines->end - lines->at);
    lines->end -= lines->at;
    lines->at = 0;
    if (lines->end > lines->capacity / 2)
        reserve(lines, lines->capacity * 2);
    fill(lines);
}

/* Reports the current line as too long, and skips all of it. */
static void pass_over(struct pm_corpus__lines *lines, uint64_t offset)
{
    const unsigned char *newline = NULL;
    pm_corpus__log_damage(lines->stream->log, lines->stream->name, offset, true,
                          "the line is longer than portmeter's limit of %u bytes",
                          PM_CORPUS_MOST_BYTES);
    while (!newline && lines->end > lines->at) {
        newline = memchr(lines->bytes + lines->at, '\n', lines->end - lines->at);
        lines->at = newline ? (size_t)(newline - lines->bytes) + 1 : lines->end;
        if (!newline)
            advance(lines);
    }
}

bool pm_corpus__lines_next(struct pm_corpus__lines *lines, const unsigned char **line,
                           size_t *length, uint64_t *offset, bool *whole)
{
    size_t looked = 0;
    for (;;) {
        const unsigned char *begin = lines->bytes + lines->at;
        const size_t there = lines->end - lines->at;
        const unsigned char *newline = memchr(begin + looked, '\n', there - looked);
        *offset = lines->stream->unpacked - there + (there && lines->filled_in);
        if ((newline ? (size_t)(newline - begin) : there) > PM_CORPUS_MOST_BYTES) {
            pass_over(lines, *offset);
            looked = 0;
        } else if (newline || (lines->ended && there > 0)) {
            *line = begin;
            *whole = newline != NULL;
            *length = newline ? (size_t)(newline - begin) : there;
            lines->at += *length + *whole;
            return true;
        } else if (lines->ended) {
            return false;
        } else {
            looked = there;
            advance(lines);
        }
    }
}

size_t pm_corpus__lines_take(struct pm_corpus__lines *lines, const unsigned char **bytes)
{
    if (lines->at == lines->end) {
        lines->at = lines->end = 0;
        fill(lines);
    }
    const size_t there = lines->end - lines->at;
    *bytes = lines->bytes + lines->at;
    lines->at = lines->end;
    return there;
}

size_t pm_corpus__lines_read(struct pm_corpus__lines *lines, unsigned char *into, size_t room)
{
    const size_t there = lines->end - lines->at, taken = there < room ? there : room;
    if (there == 0)
        return lines->ended ? 0 : pm_corpus__stream_read(lines->stream, into, room);
    memcpy(into, lines->bytes + lines->at, taken);
    lines->at += taken;
    return taken;
}

void pm_corpus__lines_release(struct pm_corpus__lines *lines)
{
    free(lines->bytes);
}

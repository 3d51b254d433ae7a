/* Unpacks a stream: members of gzip with ISA-L, frames of Zstandard with libzstd. */
#include <errno.h>
#include <isa-l/igzip_lib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "corpus/stream.h"

static const unsigned char gzip_magic[] = {0x1f, 0x8b, 0x08};
static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};

/* Returns the state for the packing of the stream. Frees the state of another packing. */
static void *unpacker(struct pm_corpus__stream *stream)
{
    if (stream->unpacker && stream->unpacker_packing == stream->packing)
        return stream->unpacker;
    if (stream->unpacker_packing == PM_CORPUS__ZSTD)
        ZSTD_freeDCtx(stream->unpacker);
    else
        free(stream->unpacker);
    stream->unpacker_packing = stream->packing;
    stream->unpacker = stream->packing == PM_CORPUS__GZIP ? pm_alloc(sizeof(struct inflate_state))
                                                          : (void *)ZSTD_createDCtx();
    if (!stream->unpacker)
        pm_alloc_failed();
    return stream->unpacker;
}

static void damaged(struct pm_corpus__stream *stream, const char *what)
{
    if (!stream->searching)
        pm_corpus__log_damage(stream->log, stream->name, pm_corpus__stream_offset(stream), false,
                              "%s", what);
    stream->in_member = false;
    stream->searching = stream->broken = true;
}

/* Goes to the next magic number after damage, beyond the beginning of the current member. */
static bool seek_member(struct pm_corpus__stream *stream, const unsigned char *magic, size_t length)
{
    if (pm_corpus__stream_offset(stream) == stream->member && stream->at < stream->end)
        stream->at++;
    return pm_corpus__stream_seek(stream, magic, length);
}

/* Goes to the beginning of a member; false at the end. Zero bytes between members are padding.
 * Anything else is damage, and the search continues at the next magic number. */
static bool find_member(struct pm_corpus__stream *stream, const unsigned char *magic, size_t length)
{
    bool found = false;
    while (!found && !stream->searching) {
        while (stream->at < stream->end && stream->bytes[stream->at] == 0)
            stream->at++;
        const size_t left = stream->end - stream->at;
        found = left >= length && memcmp(stream->bytes + stream->at, magic, length) == 0;
        if (found || (left < length && pm_corpus__stream_fill(stream)))
            continue;
        if (stream->at == stream->end)
            return false;
        stream->member = pm_corpus__stream_offset(stream);
        damaged(stream, "these bytes are not compressed data");
    }
    found = found || seek_member(stream, magic, length);
    stream->member = pm_corpus__stream_offset(stream);
    return found;
}

static const char *gzip_error(int code)
{
    switch (code) {
    case ISAL_INCORRECT_CHECKSUM:
        return "the gzip member has a wrong checksum";
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD:
        return "the gzip header is malformed";
    default:
        return "the gzip data is corrupt";
    }
}

static void inflate_once(struct pm_corpus__stream *stream, struct inflate_state *state)
{
    const uint32_t room = state->avail_out;
    const bool ended = stream->at == stream->end && !pm_corpus__stream_fill(stream);
    state->next_in = stream->bytes + stream->at;
    state->avail_in = (uint32_t)(stream->end - stream->at);
    const int code = isal_inflate(state);
    /* Corrupt data can make ISA-L read beyond its input, into the buffer's padding; avail_in is
     * then below zero and has wrapped around. */
    const bool overrun = state->avail_in > stream->end - stream->at;
    stream->at = stream->end - (overrun ? 0 : state->avail_in);
    if (code != ISAL_DECOMP_OK) {
        damaged(stream, gzip_error(code));
        return;
    }
    stream->searching = stream->searching && state->avail_out == room;
    if (state->block_state == ISAL_BLOCK_FINISH)
        stream->in_member = false;
    else if (ended && state->avail_out == room)
        damaged(stream, "the gzip member is cut short");
}

static size_t gzip_read(struct pm_corpus__stream *stream, unsigned char *into, size_t room)
{
    struct inflate_state *state = unpacker(stream);
    state->next_out = into;
    state->avail_out = (uint32_t)room;
    while (state->avail_out == room && !stream->broken) {
        if (!stream->in_member) {
            if (!find_member(stream, gzip_magic, sizeof gzip_magic))
                return 0;
            isal_inflate_init(state);
            state->crc_flag = ISAL_GZIP;
            state->next_out = into;
            state->avail_out = (uint32_t)room;
            stream->in_member = true;
        }
        while (stream->in_member && state->avail_out > 0)
            inflate_once(stream, state);
    }
    return room - state->avail_out;
}

static void unzstd_once(struct pm_corpus__stream *stream, ZSTD_DCtx *context, ZSTD_outBuffer *out)
{
    const size_t before = out->pos;
    const bool ended = stream->at == stream->end && !pm_corpus__stream_fill(stream);
    ZSTD_inBuffer in = {stream->bytes, stream->end, stream->at};
    const size_t left = ZSTD_decompressStream(context, out, &in);
    stream->at = in.pos;
    if (ZSTD_isError(left)) {
        damaged(stream, ZSTD_getErrorName(left));
        return;
    }
    stream->searching = stream->searching && out->pos == before;
    if (left == 0)
        stream->in_member = false;
    else if (ended && out->pos == before)
        damaged(stream, "the zstd frame is cut short");
}

static size_t zstd_read(struct pm_corpus__stream *stream, unsigned char *into, size_t room)
{
    ZSTD_DCtx *context = unpacker(stream);
    ZSTD_outBuffer out = {into, room, 0};
    while (out.pos == 0 && !stream->broken) {
        if (!stream->in_member) {
            if (!find_member(stream, zstd_magic, sizeof zstd_magic))
                return 0;
            ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
            stream->in_member = true;
        }
        while (stream->in_member && out.pos < room)
            unzstd_once(stream, context, &out);
    }
    return out.pos;
}

static size_t plain_read(struct pm_corpus__stream *stream, unsigned char *into, size_t room)
{
    if (stream->at == stream->end && !pm_corpus__stream_fill(stream))
        return 0;
    size_t length = stream->end - stream->at;
    if (length > room)
        length = room;
    memcpy(into, stream->bytes + stream->at, length);
    stream->at += length;
    return length;
}

size_t pm_corpus__stream_read(struct pm_corpus__stream *stream, unsigned char *into, size_t room)
{
    size_t got;
    stream->filled_in = false;
    do {
        if (stream->broken) {
            stream->broken = false;
            stream->filled_in = true;
            into[0] = '\n';
            return 1; /* `unpacked` does not count it */
        }
        if (stream->packing == PM_CORPUS__GZIP)
            got = gzip_read(stream, into, room);
        else if (stream->packing == PM_CORPUS__ZSTD)
            got = zstd_read(stream, into, room);
        else
            got = plain_read(stream, into, room);
    } while (got == 0 && stream->broken);
    stream->unpacked += got;
    return got;
}

void pm_corpus__stream_release(struct pm_corpus__stream *stream)
{
    if (stream->unpacker_packing == PM_CORPUS__ZSTD)
        ZSTD_freeDCtx(stream->unpacker);
    else
        free(stream->unpacker);
    free(stream->bytes);
}

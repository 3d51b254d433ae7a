/*
 * Feeds a stream of frames as from a driver or a child. The first byte chooses how it is split into
 * pieces. With any pieces, the same frames must result, and after them the same error or none. The
 * frames are encoded and read once more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "fuzz.h"
#include "pool/pool_private.h"

/* The frames that a reader delivered. */
struct seen {
    struct pm_str frames; /* kind, header and body of each frame as text */
    struct pm_str stream; /* the same frames, encoded again */
    struct pm_error err;
    bool refused, partial;
};

static int on_frame(void *ctx, const struct pm_frame *frame, struct pm_error *err)
{
    struct seen *seen = ctx;
    char *header = pm_json_text(frame->header);
    (void)err;
    pm_str_addf(&seen->frames, "%s %s %llu\n", pm_frame_name(frame->kind), header,
                (unsigned long long)frame->body_length);
    pm_str_add_bytes(&seen->frames, frame->body, (size_t)frame->body_length);
    pm_wire_begin(&seen->stream, frame->kind, frame->header, frame->body_length);
    pm_str_add_bytes(&seen->stream, frame->body, (size_t)frame->body_length);
    free(header);
    return PM_OK;
}

/* Returns how many bytes to feed at once: for cut 0 all that are left, for cut 1 those that the
 * unfinished frame lacks, otherwise a number up to `cut` that depends on the bytes. */
static size_t next_piece(const struct pm_wire_reader *reader, unsigned cut, const uint8_t *at,
                         size_t left)
{
    const size_t wanted = cut == 0 ? left : cut == 1 ? pm_wire__missing(reader) : 1U + *at % cut;
    if (wanted == 0)
        fuzz_wrong("an unfinished frame lacks nothing");
    return wanted < left ? wanted : left;
}

static void read_cut(const uint8_t *data, size_t size, unsigned cut, struct seen *out)
{
    struct pm_wire_reader reader = {0};
    *out = (struct seen){.frames = PM_STR_INIT, .stream = PM_STR_INIT};
    for (size_t at = 0, piece; at < size && !out->refused; at += piece) {
        piece = next_piece(&reader, cut, data + at, size - at);
        unsigned char *copy = fuzz_copy(data + at, piece, 0);
        out->refused = pm_wire_feed(&reader, copy, piece, on_frame, out, &out->err) != PM_OK;
        free(copy);
        if (reader.capacity > 2 * size)
            fuzz_wrong("%zu bytes are allocated for %zu", reader.capacity, size);
    }
    out->partial = !out->refused && pm_wire_partial(&reader);
    if (out->refused)
        fuzz_check_error(&out->err);
    if (out->refused && pm_wire_feed(&reader, "P", 1, on_frame, out, NULL) == PM_OK)
        fuzz_wrong("a reader goes on after what was no frame");
    pm_wire_release(&reader);
}

static void release(struct seen *seen)
{
    pm_str_release(&seen->frames);
    pm_str_release(&seen->stream);
}

static void compare_frames(const struct seen *a, const struct seen *b)
{
    if (a->frames.length != b->frames.length ||
        memcmp(a->frames.data, b->frames.data, a->frames.length) != 0)
        fuzz_wrong("other frames");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct seen whole, cut, again;
    read_cut(data + 1, size - 1, 0, &whole);
    read_cut(data + 1, size - 1, 1U + data[0], &cut);
    compare_frames(&whole, &cut);
    if (whole.refused != cut.refused || whole.partial != cut.partial ||
        strcmp(whole.err.text, cut.err.text) != 0)
        fuzz_wrong("another end: '%s' and '%s'", whole.err.text, cut.err.text);
    read_cut((const uint8_t *)whole.stream.data, whole.stream.length, 0, &again);
    compare_frames(&whole, &again);
    release(&whole);
    release(&cut);
    release(&again);
    return 0;
}

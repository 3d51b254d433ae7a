/* Writes frames, and reads them from an untrusted stream of bytes. */
#include "pool/wire.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "pool/pool_private.h"

const char *pm_frame_name(unsigned kind)
{
    switch (kind) {
#define X(id, number, name)                                                                        \
    case number:                                                                                   \
        return name;
        PM_FRAMES(X)
#undef X
    default:
        return NULL;
    }
}

static void put_little_endian(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_little_endian(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static int add_text(const char *text, size_t length, void *out)
{
    pm_str_add_bytes(out, text, length);
    return 0;
}

void pm_wire_begin(struct pm_str *out, unsigned kind, const json_t *header, uint64_t body_length)
{
    unsigned char prefix[PM_WIRE_PREFIX] = {'P', 'M', PM_WIRE_VERSION, (unsigned char)kind};
    const size_t start = out->length;
    pm_str_add_bytes(out, (const char *)prefix, sizeof prefix);
    if (json_dump_callback(header, add_text, out, JSON_COMPACT) != 0)
        PM_BUG("a frame's header cannot be written as JSON");
    unsigned char *const at = (unsigned char *)out->data + start;
    put_little_endian(at + 4, out->length - start - PM_WIRE_PREFIX, 4);
    put_little_endian(at + 8, body_length, 8);
}

/* The prefix of a frame, checked. */
struct prefix {
    unsigned kind;
    uint32_t header_length;
    uint64_t body_length;
    size_t whole;
};

static int parse_prefix(const unsigned char *at, struct prefix *out, struct pm_error *err)
{
    if (at[0] != 'P' || at[1] != 'M')
        return pm_error_set(
            err, PM_EFORMAT,
            "the bytes are not a frame of the protocol (docs/internals/protocol.md)");
    if (at[2] != PM_WIRE_VERSION)
        return pm_error_set(err, PM_EFORMAT, "the frame has version %d instead of %d", at[2],
                            PM_WIRE_VERSION);
    out->kind = at[3];
    if (!pm_frame_name(out->kind))
        return pm_error_set(err, PM_EFORMAT, "the frame has the unknown kind %u", out->kind);
    out->header_length = (uint32_t)get_little_endian(at + 4, 4);
    out->body_length = get_little_endian(at + 8, 8);
    if (out->header_length > PM_WIRE_HEADER_MAX)
        return pm_error_set(err, PM_EFORMAT, "the header of frame '%s' has %u bytes (limit %u)",
                            pm_frame_name(out->kind), out->header_length, PM_WIRE_HEADER_MAX);
    if (out->body_length > PM_WIRE_BODY_MAX)
        return pm_error_set(err, PM_EFORMAT, "the body of frame '%s' has %llu bytes (limit %llu)",
                            pm_frame_name(out->kind), (unsigned long long)out->body_length,
                            (unsigned long long)PM_WIRE_BODY_MAX);
    out->whole = PM_WIRE_PREFIX + out->header_length + (size_t)out->body_length;
    return PM_OK;
}

static int deliver(const struct prefix *prefix, const unsigned char *at, pm_wire_frame_fn *frame,
                   void *ctx, struct pm_error *err)
{
    const unsigned char *const text = at + PM_WIRE_PREFIX;
    struct pm_frame whole = {.kind = prefix->kind,
                             .body = text + prefix->header_length,
                             .body_length = prefix->body_length};
    int rc = pm_json_parse((const char *)text, prefix->header_length, &whole.header, err);
    if (rc)
        return pm_error_prefix(err, PM_EFORMAT, "the header of frame '%s' is not JSON",
                               pm_frame_name(prefix->kind));
    if (!json_is_object(whole.header))
        rc = pm_error_set(err, PM_EFORMAT, "the header of frame '%s' is not an object",
                          pm_frame_name(prefix->kind));
    else if (pm_json_is_deeper(whole.header, PM_WIRE_DEPTH_MAX))
        rc = pm_error_set(err, PM_EFORMAT,
                          "the header of frame '%s' is nested more than %u levels deep",
                          pm_frame_name(prefix->kind), PM_WIRE_DEPTH_MAX);
    else
        rc = frame(ctx, &whole, err);
    json_decref(whole.header);
    return rc;
}

/* Delivers the complete frames at the beginning of `bytes`. *used: the number of their bytes.
 * *needed: the size of the first incomplete frame, or of its prefix if its size is unknown. */
static int take_frames(const unsigned char *bytes, size_t length, size_t *used, size_t *needed,
                       pm_wire_frame_fn *frame, void *ctx, struct pm_error *err)
{
    for (*used = 0;;) {
        struct prefix prefix;
        *needed = PM_WIRE_PREFIX;
        if (length - *used < PM_WIRE_PREFIX)
            return PM_OK;
        PM_TRY(parse_prefix(bytes + *used, &prefix, err));
        *needed = prefix.whole;
        if (length - *used < prefix.whole)
            return PM_OK;
        PM_TRY(deliver(&prefix, bytes + *used, frame, ctx, err));
        *used += prefix.whole;
    }
}

/* Appends bytes of an incomplete frame. The buffer gets space for `needed` bytes, but at most for
 * twice the bytes received, because the length that a peer claims is not trusted. */
static void keep(struct pm_wire_reader *reader, const unsigned char *bytes, size_t length,
                 size_t needed)
{
    const size_t total = reader->length + length;
    if (total > reader->capacity) {
        const size_t doubled = 2 * total;
        reader->capacity = needed > total && needed < doubled ? needed : doubled;
        reader->bytes = pm_realloc(reader->bytes, reader->capacity);
    }
    memcpy(reader->bytes + reader->length, bytes, length);
    reader->length = total;
}

enum { KEPT_CAPACITY = 1 << 20 }; /* limit of bytes that a reader keeps allocated between frames */

static void empty(struct pm_wire_reader *reader)
{
    reader->length = 0;
    if (reader->capacity > KEPT_CAPACITY)
        pm_wire_release(reader);
}

/* Continues the incomplete frame: takes the missing part from `bytes`. */
static int complete(struct pm_wire_reader *reader, const unsigned char **bytes, size_t *length,
                    pm_wire_frame_fn *frame, void *ctx, struct pm_error *err)
{
    while (reader->length > 0 && *length > 0) {
        size_t used, needed;
        PM_TRY(take_frames(reader->bytes, reader->length, &used, &needed, frame, ctx, err));
        const size_t lacking = needed - reader->length;
        const size_t taken = lacking < *length ? lacking : *length;
        keep(reader, *bytes, taken, needed);
        *bytes += taken;
        *length -= taken;
        PM_TRY(take_frames(reader->bytes, reader->length, &used, &needed, frame, ctx, err));
        if (used > 0)
            empty(reader);
    }
    return PM_OK;
}

static int feed(struct pm_wire_reader *reader, const unsigned char *bytes, size_t length,
                pm_wire_frame_fn *frame, void *ctx, struct pm_error *err)
{
    PM_TRY(complete(reader, &bytes, &length, frame, ctx, err));
    if (length == 0)
        return PM_OK;
    size_t used, needed;
    PM_TRY(take_frames(bytes, length, &used, &needed, frame, ctx, err));
    if (used < length)
        keep(reader, bytes + used, length - used, needed);
    return PM_OK;
}

int pm_wire_feed(struct pm_wire_reader *reader, const void *bytes, size_t length,
                 pm_wire_frame_fn *frame, void *ctx, struct pm_error *err)
{
    if (reader->dead)
        return pm_error_set(err, PM_EFORMAT, "bytes follow an invalid frame");
    const int rc = feed(reader, bytes, length, frame, ctx, err);
    reader->dead = rc != PM_OK;
    return rc;
}

size_t pm_wire__missing(const struct pm_wire_reader *reader)
{
    struct prefix prefix;
    if (reader->length < PM_WIRE_PREFIX)
        return PM_WIRE_PREFIX - reader->length;
    if (parse_prefix(reader->bytes, &prefix, NULL) != PM_OK)
        return 1; /* the next byte reveals the violation */
    return prefix.whole - reader->length;
}

bool pm_wire_partial(const struct pm_wire_reader *reader)
{
    return reader->length > 0;
}

void pm_wire_release(struct pm_wire_reader *reader)
{
    free(reader->bytes);
    *reader = (struct pm_wire_reader){0};
}

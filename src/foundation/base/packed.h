/*
 * Bytes that are packed in one zstd frame (RFC 8878), as zstd(1) writes a file: the frame states
 * its unpacked length, and its checksum covers the unpacked bytes.
 *
 *     size_t length;
 *     PM_TRY(pm_packed_length(&packed, MOST, &length, err));
 *     ... room for `length` bytes ...
 *     PM_TRY(pm_packed_unpack(&packed, room, length, err));
 *
 * A packer makes such frames:
 *
 *     struct pm_packer packer = {0};
 *     int rc = pm_packer_pack(&packer, bytes, length, LEVEL, err);
 *     ... packer.bytes and packer.size, until it packs again or is released ...
 *     pm_packer_release(&packer);
 *
 * A damaged frame may promise gigabytes. Its length is therefore believed only up to the limit of
 * the caller, who allocates nothing before. Every error of unpacking is PM_EFORMAT with a text such
 * as "the pack 'a.zst' is damaged: restore it".
 */
#ifndef PM_BASE_PACKED_H
#define PM_BASE_PACKED_H

#include <stddef.h>

#include "base/error.h"

struct pm_packed {
    const void *bytes;
    size_t size;
    const char *what;   /* "the pack"; NULL, as the next two, if the caller passes no error */
    const char *path;   /* where the bytes are from, for messages */
    const char *advice; /* what the user can do if they are damaged */
};

/* Reads the unpacked length that the frame states. It is an error if it states none, or more than
 * `most`. */
PM_MUST_USE int pm_packed_length(const struct pm_packed *packed, size_t most, size_t *length,
                                 struct pm_error *err);

/* Unpacks the frame into `out`, which has room for `length` bytes. It is an error if they are not
 * exactly as many, or damaged. */
PM_MUST_USE int pm_packed_unpack(const struct pm_packed *packed, void *out, size_t length,
                                 struct pm_error *err);

/* What was packed last. One packer for many frames keeps its memory. */
struct pm_packer {
    struct ZSTD_CCtx_s *context;
    void *bytes; /* belong to the packer */
    size_t size, capacity;
};

/* Packs `length` bytes into one frame with a checksum, at a level of zstd(1). PM_EIO if that is
 * impossible. */
PM_MUST_USE int pm_packer_pack(struct pm_packer *packer, const void *bytes, size_t length,
                               int level, struct pm_error *err);
void pm_packer_release(struct pm_packer *packer); /* it can pack again then */

#endif

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
 * A damaged frame may state a length of gigabytes. pm_packed_length() therefore refuses a length
 * above the caller's limit, before the caller allocates memory. Every error of unpacking is
 * PM_EFORMAT with a text such as "the pack 'a.zst' is damaged: restore it".
 */
#ifndef PM_BASE_PACKED_H
#define PM_BASE_PACKED_H

#include <stddef.h>

#include "base/error.h"

struct pm_packed {
    const void *bytes;
    size_t size;
    const char *what;   /* what is packed, such as "the pack"; NULL, like the next two, if `err` is
                           NULL */
    const char *path;   /* where the bytes are from, for messages */
    const char *advice; /* what the user can do if they are damaged */
};

/* Reads the unpacked length that the frame states. Fails if the frame states none, or more than
 * `most`. */
PM_MUST_USE int pm_packed_length(const struct pm_packed *packed, size_t most, size_t *length,
                                 struct pm_error *err);

/* Unpacks the frame into `out`, which has room for `length` bytes. Fails if the frame is damaged or
 * contains another number of bytes. */
PM_MUST_USE int pm_packed_unpack(const struct pm_packed *packed, void *out, size_t length,
                                 struct pm_error *err);

/* Packs frames, and contains the frame that was packed last. Use one packer for many frames,
 * because a packer reuses its memory. */
struct pm_packer {
    struct ZSTD_CCtx_s *context;
    void *bytes; /* belong to the packer */
    size_t size, capacity;
};

/* Packs `length` bytes into one frame with a checksum, at a level of zstd(1). Fails with PM_EIO if
 * zstd fails. */
PM_MUST_USE int pm_packer_pack(struct pm_packer *packer, const void *bytes, size_t length,
                               int level, struct pm_error *err);
void pm_packer_release(struct pm_packer *packer); /* it can be used again afterwards */

#endif

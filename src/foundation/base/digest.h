/*
 * Digests of bytes (XXH3 with 128 bits), to find out whether two values are the same. They protect
 * against accidents, but not against an attacker.
 */
#ifndef PM_BASE_DIGEST_H
#define PM_BASE_DIGEST_H

#include <stddef.h>

#include "base/error.h"

/* 32 hex digits and a NUL. */
struct pm_digest {
    char hex[33];
};

/* Returns the digest of bytes with a named type. The same bytes with another type have another
 * digest. The seed is the 64-bit XXH3 of the name. */
struct pm_digest pm_digest_typed(const char *type, const void *bytes, size_t length);

/* Returns the digest of plain bytes. Their type is "uint8[LENGTH]", as for an array of bytes. */
struct pm_digest pm_digest_bytes(const void *bytes, size_t length);

/* Makes 128 random bits in the form of a digest, as a unique id. PM_EIO if the system has no random
 * bits. */
PM_MUST_USE int pm_digest_random(struct pm_digest *out, struct pm_error *err);

#endif

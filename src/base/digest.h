/*
 * Digests of bytes, which tell whether two things are the same: XXH3 with 128 bits. They protect
 * against accidents, not against an attacker.
 */
#ifndef PM_BASE_DIGEST_H
#define PM_BASE_DIGEST_H

#include <stddef.h>

/* 32 hex digits and a NUL. */
struct pm_digest {
    char hex[33];
};

/* Of bytes of a named type: the same bytes under another name have another digest. The seed is XXH3
 * with 64 bits of the name. */
struct pm_digest pm_digest_typed(const char *type, const void *bytes, size_t length);

/* Of plain bytes: typed "uint8[LENGTH]", as an array of bytes is. */
struct pm_digest pm_digest_bytes(const void *bytes, size_t length);

#endif

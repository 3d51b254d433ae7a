/* Digests of bytes by xxHash. */
#include "base/digest.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct pm_digest pm_digest_typed(const char *type, const void *bytes, size_t length)
{
    const XXH64_hash_t seed = XXH3_64bits(type, strlen(type));
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, length, seed));
    struct pm_digest digest = {""};
    for (size_t i = 0; i < sizeof canonical.digest; i++)
        snprintf(digest.hex + 2 * i, 3, "%02x", canonical.digest[i]);
    return digest;
}

struct pm_digest pm_digest_bytes(const void *bytes, size_t length)
{
    char type[32];
    snprintf(type, sizeof type, "uint8[%zu]", length);
    return pm_digest_typed(type, bytes, length);
}

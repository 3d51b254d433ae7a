/* Computes digests of bytes by xxHash. */
#include "base/digest.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

static void write_hex(struct pm_digest *out, const unsigned char bytes[16])
{
    for (size_t i = 0; i < 16; i++)
        snprintf(out->hex + 2 * i, 3, "%02x", bytes[i]);
}

struct pm_digest pm_digest_typed(const char *type, const void *bytes, size_t length)
{
    const XXH64_hash_t seed = XXH3_64bits(type, strlen(type));
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, length, seed));
    struct pm_digest digest = {""};
    write_hex(&digest, canonical.digest);
    return digest;
}

struct pm_digest pm_digest_bytes(const void *bytes, size_t length)
{
    char type[32];
    snprintf(type, sizeof type, "uint8[%zu]", length);
    return pm_digest_typed(type, bytes, length);
}

int pm_digest_random(struct pm_digest *out, struct pm_error *err)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return pm_error_errno(err, "cannot read random bytes for an id");
    write_hex(out, bytes);
    return PM_OK;
}

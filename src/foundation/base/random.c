/*
 * Generates random bits, in streams and in sequence. Philox 4x32-10 and its constants: Salmon,
 * Moraes, Dror, Shaw (SC 2011), section 3. Bounded integers without bias: Lemire, "Fast random
 * integer generation in an interval" (2019).
 */
#include "base/random.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "base/base_private.h"
#include "base/normal.h"

enum { ROUNDS = 10 };

/* The last word of the block cipher's counter, which keeps streams and sequences apart. */
enum purpose { PURPOSE_STREAM, PURPOSE_SEQUENCE };

void pm_base__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint64_t a = (uint64_t)0xD2511F53 * x0, b = (uint64_t)0xCD9E8D57 * x2;
        x0 = (uint32_t)(b >> 32) ^ x1 ^ k0;
        x1 = (uint32_t)b;
        x2 = (uint32_t)(a >> 32) ^ x3 ^ k1;
        x3 = (uint32_t)a;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    out[0] = x0;
    out[1] = x1;
    out[2] = x2;
    out[3] = x3;
}

struct pm_stream pm_stream_of(const char *key, uint64_t seed)
{
    const uint64_t hash = XXH3_64bits_withSeed(key, strlen(key), seed);
    return (struct pm_stream){{(uint32_t)hash, (uint32_t)(hash >> 32)}};
}

static uint64_t pair(const uint32_t block[4], unsigned part)
{
    return block[2 * part] | (uint64_t)block[2 * part + 1] << 32;
}

/* Draws the bits of an attempt. The counter is {element, element >> 32, attempt, purpose}; a block
 * serves both parts. */
static uint64_t bits_of_attempt(const struct pm_stream *stream, uint64_t element, unsigned part,
                                uint32_t attempt)
{
    const uint32_t counter[4] = {(uint32_t)element, (uint32_t)(element >> 32), attempt,
                                 PURPOSE_STREAM};
    uint32_t block[4];
    pm_base__philox(stream->key, counter, block);
    return pair(block, part);
}

uint64_t pm_stream_bits(const struct pm_stream *stream, uint64_t element, unsigned part)
{
    return bits_of_attempt(stream, element, part, 0);
}

/* Maps 64 random bits to [0, bound); false if they belong to the biased remainder. */
static bool into_range(uint64_t bits, uint64_t bound, uint64_t *out)
{
    const unsigned __int128 product = (unsigned __int128)bits * bound;
    *out = (uint64_t)(product >> 64);
    const uint64_t low = (uint64_t)product;
    return low >= bound || low >= -bound % bound;
}

uint64_t pm_stream_below(const struct pm_stream *stream, uint64_t element, unsigned part,
                         uint64_t bound)
{
    uint64_t value;
    uint32_t attempt = 0;
    while (!into_range(bits_of_attempt(stream, element, part, attempt), bound, &value))
        attempt++;
    return value;
}

double pm_random_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

double pm_random_open_unit(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

double pm_stream_normal(const struct pm_stream *stream, uint64_t element, unsigned part)
{
    return pm_normal_quantile(pm_random_open_unit(pm_stream_bits(stream, element, part)));
}

void pm_random_init(struct pm_random *random, const char *key, uint64_t seed)
{
    const struct pm_stream stream = pm_stream_of(key, seed);
    *random = (struct pm_random){.key = {stream.key[0], stream.key[1]}, .used = 4};
}

uint64_t pm_random_next(struct pm_random *random)
{
    if (random->used >= 4) {
        const uint32_t counter[4] = {(uint32_t)random->counter, (uint32_t)(random->counter >> 32),
                                     0, PURPOSE_SEQUENCE};
        pm_base__philox(random->key, counter, random->block);
        random->counter++;
        random->used = 0;
    }
    const unsigned part = random->used / 2;
    random->used += 2;
    return pair(random->block, part);
}

uint64_t pm_random_below(struct pm_random *random, uint64_t bound)
{
    uint64_t value;
    while (!into_range(pm_random_next(random), bound, &value))
        ;
    return value;
}

double pm_random_real(struct pm_random *random)
{
    return pm_random_unit(pm_random_next(random));
}

double pm_random_normal(struct pm_random *random)
{
    return pm_normal_quantile(pm_random_open_unit(pm_random_next(random)));
}

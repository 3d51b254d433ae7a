/*
 * Random numbers, with the same bits on every machine.
 *
 * Counter-based: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011), keyed by a text and a seed. Integer arithmetic, + - x / and square root only,
 * compiled without contraction and vectorising (generator_flags of this room's meson.build); no
 * libm.
 *
 * A pm_stream gives the numbers of any element in any order; a pm_random gives one number after the
 * other. The two never share a number, even with the same key and seed. Nothing here allocates.
 */
#ifndef PM_BASE_RANDOM_H
#define PM_BASE_RANDOM_H

#include <stdint.h>

/*
 * An endless row of elements, each of two parts (a complex number's real and imaginary one). A draw
 * depends on the key, the seed, the element and the part only.
 */
struct pm_stream {
    uint32_t key[2];
};

struct pm_stream pm_stream_of(const char *key, uint64_t seed);
uint64_t pm_stream_bits(const struct pm_stream *stream, uint64_t element, unsigned part);
/* Unbiased in [0, bound); bound > 0. */
uint64_t pm_stream_below(const struct pm_stream *stream, uint64_t element, unsigned part,
                         uint64_t bound);
/* The standard normal's quantile (base/normal.h) of a uniform number in (0,1). */
double pm_stream_normal(const struct pm_stream *stream, uint64_t element, unsigned part);

/* 64 random bits as a number in [0,1) with 53 bits, and in (0,1) as the middle of one of 2^52
 * cells. */
double pm_random_unit(uint64_t bits);
double pm_random_open_unit(uint64_t bits);

/* Numbers in sequence: draws, shuffles. */
struct pm_random {
    uint32_t key[2];
    uint64_t counter;
    uint32_t block[4];
    unsigned used; /* words of the block already given out */
};

void pm_random_init(struct pm_random *random, const char *key, uint64_t seed);
uint64_t pm_random_next(struct pm_random *random);                  /* 64 uniform bits            */
uint64_t pm_random_below(struct pm_random *random, uint64_t bound); /* unbiased; bound > 0        */
double pm_random_real(struct pm_random *random);                    /* [0,1), 53 bits             */
double pm_random_normal(struct pm_random *random);                  /* quantile of one in (0,1)   */

#endif

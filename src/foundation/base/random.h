/*
 * Random numbers, with the same bits on every machine.
 *
 * Counter-based: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011). The key is derived from a string and a seed. The code uses only integer
 * arithmetic, + - x / and square root, and no libm. It is compiled without contraction and
 * vectorisation (generator_flags in the meson.build of this room).
 *
 * A pm_stream gives the numbers of any element in any order. A pm_random gives a sequence of
 * numbers. The two give independent numbers, even with the same key and seed. No
 * function here allocates memory.
 */
#ifndef PM_BASE_RANDOM_H
#define PM_BASE_RANDOM_H

#include <stdint.h>

/*
 * An endless sequence of elements. Each has two parts (the real and the imaginary part of a complex
 * number). A draw depends only on the key, the seed, the element and the part.
 */
struct pm_stream {
    uint32_t key[2];
};

struct pm_stream pm_stream_of(const char *key, uint64_t seed);
uint64_t pm_stream_bits(const struct pm_stream *stream, uint64_t element, unsigned part);
/* Returns an unbiased integer in [0, bound); bound > 0. */
uint64_t pm_stream_below(const struct pm_stream *stream, uint64_t element, unsigned part,
                         uint64_t bound);
/* Returns the standard normal's quantile (base/normal.h) of a uniform number in (0,1). */
double pm_stream_normal(const struct pm_stream *stream, uint64_t element, unsigned part);

/* Convert 64 random bits to a number: in [0,1) with 53 bits, and in (0,1) as the middle of one of
 * 2^52 intervals. */
double pm_random_unit(uint64_t bits);
double pm_random_open_unit(uint64_t bits);

/* A sequence of random numbers, for draws and shuffles. */
struct pm_random {
    uint32_t key[2];
    uint64_t counter;
    uint32_t block[4];
    unsigned used; /* words of the block that were returned already */
};

void pm_random_init(struct pm_random *random, const char *key, uint64_t seed);
uint64_t pm_random_next(struct pm_random *random);                  /* 64 uniform bits            */
uint64_t pm_random_below(struct pm_random *random, uint64_t bound); /* unbiased; bound > 0        */
double pm_random_real(struct pm_random *random);                    /* [0,1), 53 bits             */
double pm_random_normal(struct pm_random *random);                  /* standard normal            */

#endif

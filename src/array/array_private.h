/*
 * What the files of this room share: the random streams that the distributions draw from, the
 * normal quantile, the bit patterns of the floating dtypes, linear algebra.
 */
#ifndef PM_ARRAY_ARRAY_PRIVATE_H
#define PM_ARRAY_ARRAY_PRIVATE_H

#include "array/array.h"
#include "array/generate.h"

/* Philox 4x32-10, as Random123 defines it. */
void pm_array__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

/*
 * A stream has an endless row of elements of two parts (real, imaginary); each draw depends on the
 * key, the seed, the element and the part only. The counter of the block cipher is
 * {element, element >> 32, attempt, purpose}; a block serves both parts.
 */
struct pm_stream {
    uint32_t key[2];
};

enum pm_purpose { PM_PURPOSE_INPUT, PM_PURPOSE_RANDOM };

struct pm_stream pm_array__stream(const char *key, uint64_t seed);
uint64_t pm_array__bits(const struct pm_stream *stream, uint64_t element, unsigned part);
/* Unbiased in [0, bound), bound > 0. */
uint64_t pm_array__below(const struct pm_stream *stream, uint64_t element, unsigned part,
                         uint64_t bound);
double pm_array__normal(const struct pm_stream *stream, uint64_t element, unsigned part);

double pm_array__unit(uint64_t bits);      /* [0,1), 53 bits                      */
double pm_array__open_unit(uint64_t bits); /* (0,1), the middles of 2^52 cells    */

/* Natural logarithm of a positive, normal number; error below 1 unit in the last place or 2^-53. */
double pm_array__log(double x);
/* The standard normal's quantile of p in (0,1): AS 241, PPND16. */
double pm_array__normal_quantile(double p);
/* Correctly rounded by IEEE 754, so the same everywhere. */
static inline double pm_array__sqrt(double x)
{
    return __builtin_sqrt(x);
}

static inline double pm_array__two_to(unsigned power) /* at most 64 */
{
    return power < 64 ? (double)(1ULL << power) : 0x1p64;
}

/* float32 for complex64, float64 for complex128, the dtype itself otherwise. */
enum pm_dtype pm_array__part(enum pm_dtype dtype);
/* Bits of the significand with the hidden one; of an integer dtype, those without the sign. */
unsigned pm_array__precision(enum pm_dtype dtype);

/* The bit pattern of a floating dtype nearest to a value, and back. */
uint64_t pm_array__pattern(enum pm_dtype dtype, double value);
double pm_array__value(enum pm_dtype dtype, uint64_t pattern);

/* Patterns of a floating dtype that the distributions need. */
struct pm_float_limits {
    uint64_t sign, infinity, quiet_nan, largest, smallest_normal;
};
struct pm_float_limits pm_array__limits(enum pm_dtype dtype);

/* The least value of a floating dtype that is >= bound, the greatest that is < bound. */
double pm_array__at_least(enum pm_dtype dtype, double bound);
double pm_array__below_bound(enum pm_dtype dtype, double bound);

/* Says why the specification cannot be generated, or gives PM_OK. */
PM_MUST_USE int pm_array__check(const struct pm_input_spec *spec, struct pm_error *err);

/* One array to be filled as its specification says. */
struct pm_fill {
    struct pm_array *array;
    const struct pm_input_spec *spec;
    struct pm_stream stream;
};

/* Fill the matrices in the last two dimensions. */
void pm_array__fill_spd(const struct pm_fill *fill);
void pm_array__fill_orthogonal(const struct pm_fill *fill);
void pm_array__fill_triangular(const struct pm_fill *fill);

#endif

/*
 * Declarations that the files of this room share: checks and names of distributions, the bit
 * patterns of the floating-point dtypes, linear algebra.
 */
#ifndef PM_ARRAY_ARRAY_PRIVATE_H
#define PM_ARRAY_ARRAY_PRIVATE_H

#include "array/array.h"
#include "array/input.h"
#include "base/random.h"

/* Returns the square root, correctly rounded by IEEE 754 and therefore the same everywhere. */
static inline double pm_array__sqrt(double x)
{
    return __builtin_sqrt(x);
}

static inline double pm_array__two_to(unsigned power) /* at most 64 */
{
    return power < 64 ? (double)(1ULL << power) : 0x1p64;
}

/* Returns float32 for complex64, float64 for complex128, and the dtype itself otherwise. */
enum pm_dtype pm_array__part(enum pm_dtype dtype);
/* Returns the number of bits of the significand, including the hidden bit. For an integer dtype,
 * returns the number of bits without the sign bit; for bool, 1. */
unsigned pm_array__precision(enum pm_dtype dtype);

/* pm_array__pattern() rounds a value to the nearest value of a floating-point dtype and returns its
 * bit pattern. Ties go to even, overflow becomes infinity, and NaN stays NaN. pm_array__value()
 * returns the exact value of a bit pattern. Both accept a complex dtype and use the dtype of its
 * parts. */
uint64_t pm_array__pattern(enum pm_dtype dtype, double value);
double pm_array__value(enum pm_dtype dtype, uint64_t pattern);

/* Lists the patterns of a floating-point dtype that the distributions need. */
struct pm_float_limits {
    uint64_t sign, infinity, quiet_nan, largest, smallest_normal;
};
struct pm_float_limits pm_array__limits(enum pm_dtype dtype);

/* Return the least value of a floating-point dtype that is >= bound, and the greatest value that is
 * < bound. */
double pm_array__at_least(enum pm_dtype dtype, double bound);
double pm_array__below_bound(enum pm_dtype dtype, double bound);

const char *pm_array__distribution_name(enum pm_distribution distribution);

/* Reads a shape such as "[4,200]" at *at, skips spaces between its parts, and moves *at to the end
 * of the shape. Fails (PM_EFORMAT) if there is no shape at *at. */
PM_MUST_USE int pm_array__take_shape(const char **at, struct pm_shape *out, struct pm_error *err);

/* Fails (PM_EFORMAT), with the reason as the message, if no array can be generated from the
 * specification. */
PM_MUST_USE int pm_array__check(const struct pm_input_spec *spec, struct pm_error *err);

/* An array to fill, its specification, and its random numbers. */
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

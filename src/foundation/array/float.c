/* Handles the bit patterns of floating-point dtypes: narrowing, widening, limits, neighbours. */
#include <string.h>

#include "array/array_private.h"
#include "base/bits.h"

/* An IEEE 754 binary interchange format, or bfloat16. */
struct format {
    unsigned exponent, fraction; /* widths of the fields in bits */
};

enum { DOUBLE_FRACTION = 52, DOUBLE_BIAS = 1023, DOUBLE_EXPONENT = 2047 };

static const struct format format_float16 = {5, 10}, format_bfloat16 = {8, 7},
                           format_float32 = {8, 23}, format_float64 = {11, 52};

static const struct format *format_of(enum pm_dtype dtype)
{
    switch (pm_array__part(dtype)) {
    case PM_FLOAT16:
        return &format_float16;
    case PM_BFLOAT16:
        return &format_bfloat16;
    case PM_FLOAT32:
        return &format_float32;
    case PM_FLOAT64:
        return &format_float64;
    default:
        PM_BUG("the dtype is not floating-point or complex");
    }
}

enum pm_dtype pm_array__part(enum pm_dtype dtype)
{
    return dtype == PM_COMPLEX64 ? PM_FLOAT32 : dtype == PM_COMPLEX128 ? PM_FLOAT64 : dtype;
}

unsigned pm_array__precision(enum pm_dtype dtype)
{
    const unsigned bits = 8 * (unsigned)pm_dtype_size(dtype);
    switch (pm_dtype_kind(dtype)) {
    case PM_KIND_BOOL:
        return 1;
    case PM_KIND_SIGNED:
        return bits - 1;
    case PM_KIND_UNSIGNED:
        return bits;
    case PM_KIND_FLOAT:
    case PM_KIND_COMPLEX:
        break;
    }
    return format_of(dtype)->fraction + 1;
}

/* Returns x / 2^shift rounded to the nearest, ties to even; shift >= 1. */
static uint64_t shift_right_rounded(uint64_t x, unsigned shift)
{
    if (shift > 63)
        return 0;
    const uint64_t quotient = x >> shift, rest = x & ((1ULL << shift) - 1);
    const uint64_t half = 1ULL << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* Rounds to a 16-bit format. A carry out of the fraction increments the exponent, which is correct:
 * the largest value becomes infinity, and the largest subnormal becomes the smallest normal
 * value. */
static uint64_t narrow(const struct format *f, double value)
{
    const uint64_t bits = pm_bits_of_double(value);
    const uint64_t sign = bits >> 63 << (f->exponent + f->fraction);
    const uint64_t fraction = bits & ((1ULL << DOUBLE_FRACTION) - 1);
    const int exponent = (int)(bits >> DOUBLE_FRACTION & DOUBLE_EXPONENT);
    const unsigned drop = DOUBLE_FRACTION - f->fraction;
    const uint64_t infinity = ((1ULL << f->exponent) - 1) << f->fraction;
    if (exponent == DOUBLE_EXPONENT) {
        const uint64_t payload = fraction >> drop;
        const uint64_t quiet = 1ULL << (f->fraction - 1);
        return sign | infinity | (fraction && !payload ? quiet : payload);
    }
    const int bias = (1 << (f->exponent - 1)) - 1;
    const int biased = exponent - DOUBLE_BIAS + bias;
    const uint64_t significand = fraction | (uint64_t)(exponent != 0) << DOUBLE_FRACTION;
    uint64_t magnitude;
    if (biased <= 0)
        magnitude = shift_right_rounded(significand, drop + 1 + (unsigned)-biased);
    else
        magnitude =
            ((uint64_t)(biased - 1) << f->fraction) + shift_right_rounded(significand, drop);
    return sign | (magnitude < infinity ? magnitude : infinity);
}

static double widen(const struct format *f, uint64_t pattern)
{
    const uint64_t sign = pattern >> (f->exponent + f->fraction) << 63;
    const uint64_t fraction = pattern & ((1ULL << f->fraction) - 1);
    const unsigned exponent = (unsigned)(pattern >> f->fraction) & ((1U << f->exponent) - 1);
    const unsigned drop = DOUBLE_FRACTION - f->fraction;
    const int bias = (1 << (f->exponent - 1)) - 1;
    if (exponent == (1U << f->exponent) - 1)
        return pm_double_of_bits(sign | (uint64_t)DOUBLE_EXPONENT << DOUBLE_FRACTION |
                                 fraction << drop);
    if (exponent) {
        const uint64_t wide = (uint64_t)((int)exponent - bias + DOUBLE_BIAS);
        return pm_double_of_bits(sign | wide << DOUBLE_FRACTION | fraction << drop);
    }
    /* zero or subnormal: fraction * 2^(1 - bias - fraction bits), exact */
    const int scale = 1 - bias - (int)f->fraction + DOUBLE_BIAS;
    const double magnitude =
        (double)fraction * pm_double_of_bits((uint64_t)scale << DOUBLE_FRACTION);
    return sign ? -magnitude : magnitude;
}

uint64_t pm_array__pattern(enum pm_dtype dtype, double value)
{
    const struct format *f = format_of(dtype);
    if (f == &format_float64)
        return pm_bits_of_double(value);
    if (f == &format_float32) { /* rounds as narrow() does, in one instruction */
        const float single = (float)value;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    return narrow(f, value);
}

double pm_array__value(enum pm_dtype dtype, uint64_t pattern)
{
    const struct format *f = format_of(dtype);
    return f == &format_float64 ? pm_double_of_bits(pattern) : widen(f, pattern);
}

struct pm_float_limits pm_array__limits(enum pm_dtype dtype)
{
    const struct format *f = format_of(dtype);
    const uint64_t infinity = ((1ULL << f->exponent) - 1) << f->fraction;
    return (struct pm_float_limits){
        .sign = 1ULL << (f->exponent + f->fraction),
        .infinity = infinity,
        .quiet_nan = infinity | 1ULL << (f->fraction - 1),
        .largest = infinity - 1,
        .smallest_normal = 1ULL << f->fraction,
    };
}

/* Maps a pattern to an integer. The integers have the same order as the values, and both zeros
 * become 0. */
static int64_t ordered(enum pm_dtype dtype, uint64_t pattern)
{
    const uint64_t sign = pm_array__limits(dtype).sign;
    return pattern & sign ? -(int64_t)(pattern & ~sign) : (int64_t)pattern;
}

static double from_ordered(enum pm_dtype dtype, int64_t order)
{
    const uint64_t sign = pm_array__limits(dtype).sign;
    return pm_array__value(dtype, order < 0 ? sign | (uint64_t)-order : (uint64_t)order);
}

double pm_array__at_least(enum pm_dtype dtype, double bound)
{
    const uint64_t pattern = pm_array__pattern(dtype, bound);
    const double nearest = pm_array__value(dtype, pattern);
    return nearest >= bound ? nearest : from_ordered(dtype, ordered(dtype, pattern) + 1);
}

double pm_array__below_bound(enum pm_dtype dtype, double bound)
{
    const uint64_t pattern = pm_array__pattern(dtype, bound);
    const double nearest = pm_array__value(dtype, pattern);
    return nearest < bound ? nearest : from_ordered(dtype, ordered(dtype, pattern) - 1);
}

/*
 * Computes the normal quantile, and the logarithm that it needs, only by + - x / and square root,
 * so the bits do not depend on a libm. Coefficients: M. J. Wichura, "Algorithm AS 241: The
 * percentage points of the normal distribution", Applied Statistics 37 (1988), routine PPND16
 * (relative accuracy 1e-16).
 */
#include "base/normal.h"

#include "base/base_private.h"
#include "base/bits.h"

enum { DEGREE = 7 };

struct rational {
    double numerator[DEGREE + 1], denominator[DEGREE + 1]; /* constant term first */
};

static const struct rational central = {
    {3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3},
};
static const struct rational middle = {
    {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
     7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9},
};
static const struct rational tail = {
    {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15},
};

static double polynomial(const double coefficient[DEGREE + 1], double x)
{
    double sum = coefficient[DEGREE];
    for (int i = DEGREE - 1; i >= 0; i--)
        sum = sum * x + coefficient[i];
    return sum;
}

static double ratio(const struct rational *r, double x)
{
    return polynomial(r->numerator, x) / polynomial(r->denominator, x);
}

/* Returns the square root, correctly rounded by IEEE 754 and therefore the same everywhere. */
static double square_root(double x)
{
    return __builtin_sqrt(x);
}

/* Computes the logarithm of x = m 2^e with m in [sqrt(1/2), sqrt(2)): log m = 2 artanh(s), s = (m -
 * 1) / (m + 1), a series in s^2 <= 0.0295 that ends where its terms fall below 2^-53. */
double pm_base__log(double x)
{
    enum { TERMS = 12 };
    static const double ln2_high = 0x1.62e42fee00000p-1; /* 33 bits: its product with an exponent is
                                                            exact */
    static const double ln2_low = 0x1.a39ef35793c76p-33;
    uint64_t bits = pm_bits_of_double(x);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000;
    double m = pm_double_of_bits(bits);
    if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt(2) */
        m *= 0.5;
        exponent++;
    }
    const double s = (m - 1) / (m + 1), s2 = s * s;
    double series = 0;
    for (int k = TERMS; k >= 1; k--)
        series = (series + 1.0 / (2 * k + 1)) * s2;
    return exponent * ln2_high + (2 * s + (2 * s * series + exponent * ln2_low));
}

double pm_normal_quantile(double p)
{
    const double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425)
        return q * ratio(&central, 0.180625 - q * q);
    const double r = square_root(-pm_base__log(q < 0 ? p : 1 - p));
    const double x = r <= 5 ? ratio(&middle, r - 1.6) : ratio(&tail, r - 5);
    return q < 0 ? -x : x;
}

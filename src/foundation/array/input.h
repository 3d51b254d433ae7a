/*
 * Specifications of inputs, as case files write them: "float32[4,200] normal(0,2) on host" is a
 * dtype, a shape, a distribution with its arguments, and the place of the input.
 */
#ifndef PM_ARRAY_INPUT_H
#define PM_ARRAY_INPUT_H

#include "array/array.h"

/* X(id, name, least and most arguments) */
#define PM_DISTRIBUTIONS(X)                                                                        \
    X(NORMAL, "normal", 0, 2)           /* (mean, sd), default (0, 1)                          */  \
    X(UNIFORM, "uniform", 2, 2)         /* [lo, hi)                                            */  \
    X(INTEGERS, "integers", 2, 2)       /* lo to hi - 1; exact in the dtype or an error        */  \
    X(BERNOULLI, "bernoulli", 1, 1)     /* 1 with probability p                                */  \
    X(PERMUTATION, "permutation", 0, 0) /* 0..n-1 shuffled along the last axis                 */  \
    X(RANGE, "range", 0, 0)             /* 0, 1, 2, ... in C order                             */  \
    X(ZEROS, "zeros", 0, 0)                                                                        \
    X(ONES, "ones", 0, 0)                                                                          \
    X(FULL, "full", 1, 1)                                                                          \
    X(SPD, "spd", 0, 0)               /* symmetric (Hermitian) positive definite */                \
    X(ORTHOGONAL, "orthogonal", 0, 0) /* Q of a Householder QR of normals (unitary if complex) */  \
    X(TRIANGULAR, "triangular", 0, 0) /* lower, diagonal in [1,2)                              */  \
    X(SPECIAL, "special", 0, 0)       /* NaN, infinities, signed zeros, subnormals, largest and */ \
                                      /* smallest, among ordinary values; integers: extremes   */

/*
 * uniform: computed in float64 and rounded to the dtype. A value that is rounded to hi or above
 *   becomes the largest value of the dtype below hi. A value that is rounded below lo becomes the
 *   smallest value of the dtype that is at least lo.
 * permutation, range, integers: rejected unless the dtype represents each integer exactly.
 * spd: G G* / n + I for normal G: eigenvalues from 1 to about 5 (complex: 9).
 * orthogonal: orthonormal columns, or orthonormal rows if there are fewer rows than columns.
 * triangular: the real and imaginary parts below the diagonal are in [-1/(2n), 1/(2n)), so the
 *   matrices are well-conditioned at every size.
 * special: elements at even indices cycle through the special values of the dtype (12 for
 *   floating-point dtypes, 7 for signed and 5 for unsigned integers, 2 for bool). Elements at odd
 *   indices are ordinary: standard normals, or whole numbers of at most two digits.
 * full: for floating-point and complex dtypes, the argument can also be nan, inf or -inf.
 */
enum pm_distribution {
#define X(id, name, least, most) PM_##id,
    PM_DISTRIBUTIONS(X)
#undef X
        PM_DISTRIBUTION_COUNT
};

struct pm_input_spec {
    enum pm_dtype dtype;
    struct pm_shape shape;
    enum pm_distribution distribution;
    double argument[2]; /* defaults filled in */
    bool on_host;       /* the specification ends with " on host" */
};

/* Parses "float32[4,200] normal(0,2) on host". The caller must substitute `$dtype` first. Rejects
 * (PM_EFORMAT) an impossible specification and names the reason: a distribution that does not fit
 * the dtype or shape (normal for an integer, spd for a vector), values that the dtype cannot
 * represent, a permutation too long to be exact in the dtype (bfloat16: 256). */
PM_MUST_USE int pm_input_parse(const char *text, struct pm_input_spec *out, struct pm_error *err);

#endif

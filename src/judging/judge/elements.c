/* Reads the elements of an array as numbers, and computes how far apart two elements are. */
#include <math.h>

#include "judge/judge_private.h"

pm_judge__whole pm_judge__whole_of(const struct pm_array *array, size_t i)
{
    const int64_t value = pm_array_int(array, i);
    return array->dtype == PM_UINT64 ? (pm_judge__whole)(uint64_t)value : (pm_judge__whole)value;
}

struct pm_judge__number pm_judge__number_of(const struct pm_array *array, size_t i)
{
    return (struct pm_judge__number){pm_array_real(array, i), pm_array_imag(array, i)};
}

static bool is_nan(struct pm_judge__number n)
{
    return isnan(n.real) || isnan(n.imag);
}

static bool is_infinite(struct pm_judge__number n)
{
    return isinf(n.real) || isinf(n.imag);
}

/* Returns the absolute value of a number. It does not call hypot() for real numbers, because
 * hypot() returns the same and takes ten times as long. */
static double size_of(double real, double imag)
{
    return imag == 0 ? fabs(real) : hypot(real, imag);
}

struct pm_judge__distance pm_judge__distance(struct pm_judge__number got,
                                             struct pm_judge__number want)
{
    if (is_nan(got) || is_nan(want))
        return (struct pm_judge__distance){is_nan(got) && is_nan(want) ? 0 : INFINITY, 0};
    if (got.real == want.real && got.imag == want.imag)
        return (struct pm_judge__distance){0, 0};
    if (is_infinite(got) || is_infinite(want))
        return (struct pm_judge__distance){INFINITY, 0};
    return (struct pm_judge__distance){size_of(got.real - want.real, got.imag - want.imag),
                                       size_of(want.real, want.imag)};
}

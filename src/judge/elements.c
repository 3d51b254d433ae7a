/* The elements of an array as numbers, and how far two of them are apart. */
#include <math.h>

#include "judge/judge_private.h"

pm_judge__whole pm_judge__whole_of(const struct pm_array *array, size_t i)
{
    const int64_t value = pm_array_int(array, i);
    return array->dtype == PM_UINT64 ? (pm_judge__whole)(uint64_t)value : (pm_judge__whole)value;
}

struct element {
    double real, imag;
    bool is_nan, is_infinite;
};

static struct element element_of(const struct pm_array *array, size_t i)
{
    const struct element e = {pm_array_real(array, i), pm_array_imag(array, i), false, false};
    return (struct element){e.real, e.imag, isnan(e.real) || isnan(e.imag),
                            isinf(e.real) || isinf(e.imag)};
}

struct pm_judge__distance pm_judge__distance(const struct pm_array *got_array, size_t i,
                                             const struct pm_array *want_array, size_t j)
{
    const struct element got = element_of(got_array, i), want = element_of(want_array, j);
    if (got.is_nan || want.is_nan)
        return (struct pm_judge__distance){got.is_nan && want.is_nan ? 0 : INFINITY, 0};
    if (got.real == want.real && got.imag == want.imag)
        return (struct pm_judge__distance){0, want.is_infinite ? 0 : hypot(want.real, want.imag)};
    if (got.is_infinite || want.is_infinite)
        return (struct pm_judge__distance){INFINITY, 0};
    return (struct pm_judge__distance){hypot(got.real - want.real, got.imag - want.imag),
                                       hypot(want.real, want.imag)};
}

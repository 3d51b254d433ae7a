/* Default tolerances by dtype. */
#include "judge/judge_private.h"

#include <math.h>

/* torch.testing.assert_close, "rtol and atol for dtype" in its documentation. */
static const struct {
    enum pm_dtype dtype;
    double rtol, atol;
} table[] = {
    {PM_FLOAT16, 1e-3, 1e-5}, {PM_BFLOAT16, 1.6e-2, 1e-5},  {PM_FLOAT32, 1.3e-6, 1e-5},
    {PM_FLOAT64, 1e-7, 1e-7}, {PM_COMPLEX64, 1.3e-6, 1e-5}, {PM_COMPLEX128, 1e-7, 1e-7},
};

void pm_tolerance(enum pm_dtype dtype, double *rtol, double *atol)
{
    *rtol = *atol = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].dtype == dtype) {
            *rtol = table[i].rtol;
            *atol = table[i].atol;
        }
    }
}

bool pm_judge__floats(enum pm_dtype dtype)
{
    const enum pm_kind kind = pm_dtype_kind(dtype);
    return kind == PM_KIND_FLOAT || kind == PM_KIND_COMPLEX;
}

struct pm_judge__tolerance pm_judge__allowed(const struct pm_compare_rule *rule, enum pm_dtype got,
                                             enum pm_dtype want)
{
    struct pm_judge__tolerance allowed = {0, 0};
    const bool floats = pm_judge__floats(want) || (rule->any_dtype && pm_judge__floats(got));
    if (rule->how == PM_COMPARE_EXACT || !floats)
        return allowed;
    if (rule->has_tolerance)
        return (struct pm_judge__tolerance){rule->rtol, rule->atol};
    pm_tolerance(want, &allowed.rtol, &allowed.atol);
    if (rule->any_dtype) {
        struct pm_judge__tolerance other;
        pm_tolerance(got, &other.rtol, &other.atol);
        allowed.rtol = fmax(allowed.rtol, other.rtol);
        allowed.atol = fmax(allowed.atol, other.atol);
    }
    return allowed;
}

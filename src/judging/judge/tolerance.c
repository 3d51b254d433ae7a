/* Gives the default tolerances by dtype. */
#include "judge/judge_private.h"

/* The table of rtol and atol by dtype in the documentation of torch.testing.assert_close. */
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
    const enum pm_dtype dtype = rule->any_dtype ? got : want;
    if (rule->how == PM_COMPARE_EXACT || !pm_judge__floats(dtype))
        return allowed;
    const struct pm_given_tolerance *given =
        rule->of_dtype[dtype].given ? &rule->of_dtype[dtype] : &rule->by_default;
    if (given->given)
        return (struct pm_judge__tolerance){given->rtol, given->atol};
    pm_tolerance(dtype, &allowed.rtol, &allowed.atol);
    return allowed;
}

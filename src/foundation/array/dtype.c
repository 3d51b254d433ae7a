/* Looks up dtypes in their list. */
#include "array/dtype.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    enum pm_kind kind;
} dtypes[PM_DTYPE_COUNT] = {
#define X(id, name, bytes, kind) [PM_##id] = {name, bytes, kind},
    PM_DTYPES(X)
#undef X
};

const char *pm_dtype_name(enum pm_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t pm_dtype_size(enum pm_dtype dtype)
{
    return dtypes[dtype].size;
}

enum pm_kind pm_dtype_kind(enum pm_dtype dtype)
{
    return dtypes[dtype].kind;
}

double pm_dtype_epsilon(enum pm_dtype dtype)
{
    static const double epsilons[PM_DTYPE_COUNT] = {
        [PM_FLOAT16] = 0x1p-10,     [PM_BFLOAT16] = 0x1p-7,       [PM_FLOAT32] = FLT_EPSILON,
        [PM_FLOAT64] = DBL_EPSILON, [PM_COMPLEX64] = FLT_EPSILON, [PM_COMPLEX128] = DBL_EPSILON,
    };
    return epsilons[dtype] > 0 ? epsilons[dtype] : NAN;
}

bool pm_dtype_parse(const char *name, enum pm_dtype *out)
{
    for (unsigned i = 0; i < PM_DTYPE_COUNT; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            *out = (enum pm_dtype)i;
            return true;
        }
    }
    return false;
}

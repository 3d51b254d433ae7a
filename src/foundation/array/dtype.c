/* Looks up dtypes in their list. */
#include "array/dtype.h"

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

/* The functions of Python's own library that give what they are given. */
#include <stdlib.h>

#include "resolve/project_private.h"

static const char *const names[] = {
#define X(id, text) text,
    PM_RESOLVE__BUILTINS(X)
#undef X
};

static int by_name(const void *key, const void *name)
{
    return strcmp(key, *(const char *const *)name);
}

struct pm_resolve__value pm_resolve__builtin(const char *name)
{
    const char *const *found =
        bsearch(name, names, PM_RESOLVE__BUILTIN_COUNT, sizeof *names, by_name);
    return found ? (struct pm_resolve__value){.type = PM_RESOLVE__BUILTIN,
                                              .node = (uint32_t)(found - names)}
                 : (struct pm_resolve__value){0};
}

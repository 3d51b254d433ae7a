/* The functions of Python's own library that give what they are given. */
#include <stdlib.h>

#include "types/types_private.h"

static const char *const names[] = {
#define X(id, text) text,
    PM_TYPES__BUILTINS(X)
#undef X
};

static int by_name(const void *key, const void *name)
{
    return strcmp(key, *(const char *const *)name);
}

struct pm_types__value pm_types__builtin(const char *name)
{
    const char *const *found =
        bsearch(name, names, PM_TYPES__BUILTIN_COUNT, sizeof *names, by_name);
    return found ? (struct pm_types__value){.type = PM_TYPES__BUILTIN,
                                            .node = (uint32_t)(found - names)}
                 : (struct pm_types__value){0};
}

bool pm_types__gives_plain(const char *path)
{
    static const char *const libraries[] = {"pandas", "math", "random", "os", "json",
                                            "re",     "time", "PIL",    "cv2"};
    const size_t length = strcspn(path, ".");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strlen(libraries[i]) == length && strncmp(libraries[i], path, length) == 0)
            return true;
    return false;
}

/* Lists names that the room knows: functions that return their arguments in some form, methods that
 * define the results of operators or of a framework's functions, and packages whose functions
 * return nothing of a framework. */
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

bool pm_types__is_protocol(const char *name)
{
    /* The endings of names such as __torch_function__, which begin with the name of a framework or
     * of a part of it. */
    static const char *const ends[] = {"_function__", "_ufunc__", "_dispatch__", "_array__"};
    const size_t length = strlen(name);
    if (strncmp(name, "__", 2) != 0)
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t part = strlen(ends[i]);
        if (length > part + 2 && strcmp(name + length - part, ends[i]) == 0)
            return true;
    }
    return false;
}

bool pm_types__is_operator(const char *name)
{
    static const char *const operators[] = {"add", "sub", "mul", "truediv", "floordiv", "mod",
                                            "pow", "and", "or",  "xor",     "matmul",   "div"};
    if (strncmp(name, "__", 2) != 0)
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const size_t length = strlen(operators[i]);
        const char *at =
            name + 2 + (name[2] == 'r' && strncmp(name + 3, operators[i], length) == 0);
        if (strncmp(at, operators[i], length) == 0 && strcmp(at + length, "__") == 0)
            return true;
    }
    return false;
}

bool pm_types__gives_plain(const char *path)
{
    static const char *const libraries[] = {
        "argparse", "cv2",    "datetime",   "glob",    "hashlib",  "json",   "logging", "math",
        "os",       "pandas", "PIL",        "pathlib", "platform", "random", "re",      "shutil",
        "string",   "struct", "subprocess", "sys",     "tempfile", "time",   "uuid",    "warnings"};
    const size_t length = strcspn(path, ".");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strlen(libraries[i]) == length && strncmp(libraries[i], path, length) == 0)
            return true;
    return false;
}

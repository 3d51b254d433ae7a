/* Loads libarchive when the first archive is opened, unless it is linked into the program. */
#include "corpus/libarchive.h"

#ifdef PM_STATIC

struct pm_corpus__libarchive pm_corpus__la = {
#define X(name) name,
    PM_CORPUS__LIBARCHIVE(X)
#undef X
};

bool pm_corpus__libarchive_load(void)
{
    return true;
}

#else

#include <dlfcn.h>
#include <stddef.h>
#include <threads.h>

struct pm_corpus__libarchive pm_corpus__la;
static void *library; /* never unloaded */
static bool is_whole;

/* The cast from a data pointer to a function pointer is valid in POSIX. */
static void load(void)
{
    library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
    is_whole = library != NULL;
#define X(name)                                                                                    \
    if (is_whole)                                                                                  \
        is_whole = (*(void **)&pm_corpus__la.name = dlsym(library, #name)) != NULL;
    PM_CORPUS__LIBARCHIVE(X)
#undef X
}

bool pm_corpus__libarchive_load(void)
{
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, load);
    return is_whole;
}

#endif

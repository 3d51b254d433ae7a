/*
 * Words for devices and libraries that case files may contain, and the default dtypes of
 * frameworks. The table of frameworks (room `environment`) defines both, and the case language
 * (room `suite`) reads them. Neither of these rooms may use the other.
 */
#ifndef PM_BASE_CASE_WORDS_H
#define PM_BASE_CASE_WORDS_H

#include "base/words.h"

/* The dtypes that a framework uses for Python's numbers. An expansion of a core case to one of them
 * is a core case, too. */
struct pm_default_dtypes {
    const char *framework;
    struct pm_words dtypes;
};

struct pm_case_words {
    struct pm_words requirements; /* words that `requires:` may contain */
    struct pm_words bound; /* names that drivers bind in the texts of a case, in addition to those
                              of the case language */
    const struct pm_default_dtypes
        *defaults; /* by framework; a framework without an entry has no default dtypes */
    size_t default_count;
};

#endif

/*
 * Words for devices and libraries that case files may contain. The table of frameworks (room
 * `environment`) defines them, and the case language (room `suite`) reads them. Neither of these
 * rooms may use the other.
 */
#ifndef PM_BASE_CASE_WORDS_H
#define PM_BASE_CASE_WORDS_H

#include "base/words.h"

struct pm_case_words {
    struct pm_words requirements; /* words that `requires:` may contain */
    struct pm_words bound; /* names that drivers bind in a case's texts besides those of the case
                              language itself */
};

#endif

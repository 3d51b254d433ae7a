/*
 * What case files may say of devices and libraries. The table of frameworks (room `environment`)
 * has the words and the case language (room `suite`) reads them; neither may use the other.
 */
#ifndef PM_BASE_CASE_WORDS_H
#define PM_BASE_CASE_WORDS_H

#include "base/words.h"

struct pm_case_words {
    struct pm_words requirements; /* that `requires:` may have of a target */
    struct pm_words bound; /* names that drivers bind in a case's texts besides those of the case
                              language itself */
};

#endif

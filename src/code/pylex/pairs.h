/*
 * Finds pairs of neighbouring tokens by their kinds, 32 at a time, for readers that need only a few
 * tokens among many.
 */
#ifndef PM_PYLEX_PAIRS_H
#define PM_PYLEX_PAIRS_H

#include "pylex/pylex.h"

/* Each function examines the 32 kinds at `kinds`, and one more kind must be readable after them. It
 * returns one bit per kind, which is 1 if the kind is the first of such a pair. */
struct pm_pylex_pairs {
    uint32_t (*calls)(const uint8_t *kinds);      /* a name, then '('                        */
    uint32_t (*statements)(const uint8_t *kinds); /* a NEWLINE, `;` or `:`, then a name       */
};

/* Returns the fastest functions that this processor can run. */
const struct pm_pylex_pairs *pm_pylex_pairs(void);

/* Returns the functions of an engine; NULL if it has none or the processor lacks its instructions.
 * The results of all engines are identical. */
const struct pm_pylex_pairs *pm_pylex_pairs_of(enum pm_pylex_engine engine);

#endif

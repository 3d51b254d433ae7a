/* Declares what the files of this room share. */
#ifndef PM_USAGE_USAGE_PRIVATE_H
#define PM_USAGE_USAGE_PRIVATE_H

#include "usage/usage.h"

/* Returns how many rows a table may have: as many as the user chose, or 20. */
static inline unsigned pm_usage__most_rows(const struct pm_usage_table *t)
{
    return t->top ? t->top : 20;
}

/* ---- uses.c ---- */

/* Adds a table of the calls of one framework, by how they were found. */
PM_MUST_USE int pm_usage__add_resolution(const struct pm_usage_table *t,
                                         const struct pm_usage_of *f, struct pm_error *err);

#endif

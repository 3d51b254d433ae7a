/* The reasons that users set for failures. Rows, errors and ownership are as in store/store.h. */
#ifndef PM_STORE_ANNOTATIONS_H
#define PM_STORE_ANNOTATIONS_H

#include "store/store.h"

/* The reason that a user set for the failures of a function; one per framework, function and
 * target. It belongs to no run, and is kept when runs are judged again or removed. */
struct pm_annotation_row {
    const char *framework, *function;
    const char *target; /* as it is typed; "": every target of the framework */
    const char *reason; /* text of a reason (judge/reasons.h) */
    const char *note;   /* one line, or "" */
    const char *made;   /* ISO 8601 UTC */
};
PM_MUST_USE int pm_store_set_annotation(
    struct pm_store *store, const struct pm_annotation_row *row,
    struct pm_error *err); /* replaces an older annotation of the same function and target */
/* Removes an annotation; *removed is 0 if there was none. */
PM_MUST_USE int pm_store_remove_annotation(struct pm_store *store, const char *framework,
                                           const char *function, const char *target, int *removed,
                                           struct pm_error *err);
typedef int pm_annotation_fn(void *ctx, const struct pm_annotation_row *row);
PM_MUST_USE int pm_store_annotations(struct pm_store *store, pm_annotation_fn *row, void *ctx,
                                     struct pm_error *err);

#endif

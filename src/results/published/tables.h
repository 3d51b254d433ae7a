/*
 * Adds the lines and tables of published results to a report.
 *
 *     struct pm_published p;
 *     PM_TRY(pm_published_load(&p, store, 0, err));
 *     if (pm_published_any(&p))
 *         pm_published_add(&p, NULL, report);
 *     pm_published_release(&p);
 */
#ifndef PM_PUBLISHED_TABLES_H
#define PM_PUBLISHED_TABLES_H

#include <stdbool.h>

#include "published/publication.h"
#include "published/results.h"
#include "report/table.h"
#include "store/store.h"

struct pm_published {
    struct pm_publication numbers; /* from the newest import of printed numbers */
    struct pm_results *results;    /* of the newest import of each target; or of all, in the order
                                      of the imports */
    size_t count, capacity;
    struct pm_published_source { /* an import */
        int64_t run_id;
        char *source, *started, *target; /* target: NULL for printed numbers */
    } * sources;
    size_t source_count, source_capacity;
};
/* Loads the runs of kind `published`: all (`run_id` 0) or one. If a target has several, loads the
 * results of the newest. After an error, *p is empty. */
PM_MUST_USE int pm_published_load(struct pm_published *p, struct pm_store *store, int64_t run_id,
                                  struct pm_error *err);
/* Like pm_published_load() with run_id 0, but loads the results of all runs of each target. */
PM_MUST_USE int pm_published_load_every(struct pm_published *p, struct pm_store *store,
                                        struct pm_error *err);
void pm_published_release(struct pm_published *p);
/* Returns whether any published run was loaded. */
bool pm_published_any(const struct pm_published *p);

/* Returns whether published results have a table of that name: "sentences". */
bool pm_published_has(const char *table);
/* Appends the names of these tables, separated by ", ". A comma precedes the first name if `out` is
 * not empty. */
void pm_published_list(struct pm_str *out);
/* Adds a line for each import, and the table of that name (NULL: all tables). Omits tables without
 * rows, but not the table "sentences", "contradictions", "recount" or "imported" if it is requested
 * by name. */
void pm_published_add(const struct pm_published *p, const char *table, struct pm_report *report);
/* Adds the paper's printed table of that number, such as "3"; nothing if it was not imported. */
void pm_published_add_printed(const struct pm_published *p, const char *number,
                              struct pm_report *report);

#endif

/*
 * Published results as a report: lines and tables as values.
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
    struct pm_publication numbers; /* numbers of the newest run that has some */
    struct pm_results *results;    /* one a target, of its newest run; in order of run */
    size_t count, capacity;
    struct pm_published_source {
        int64_t run_id;
        char *source, *started, *target; /* target: NULL for printed numbers */
    } * sources;
    size_t source_count, source_capacity;
};
/* Loads the runs of kind published, or only `run_id` (0: all). */
PM_MUST_USE int pm_published_load(struct pm_published *p, struct pm_store *store, int64_t run_id,
                                  struct pm_error *err);
/* Does what pm_published_load() does, but keeps the results of every run of a target, and not only
 * of its newest. */
PM_MUST_USE int pm_published_load_every(struct pm_published *p, struct pm_store *store,
                                        struct pm_error *err);
void pm_published_release(struct pm_published *p);
bool pm_published_any(const struct pm_published *p);

/* Returns whether a table of that name is one of these. */
bool pm_published_has(const char *table);
/* Appends the names of these tables: "published, sentences, ...". */
void pm_published_list(struct pm_str *out);
/* Adds the lines and tables, or only one (NULL: all). A table without rows is added only if it is
 * requested by name. */
void pm_published_add(const struct pm_published *p, const char *table, struct pm_report *report);
/* Adds the printed table of that number in the paper, "3". */
void pm_published_add_printed(const struct pm_published *p, const char *number,
                              struct pm_report *report);

#endif

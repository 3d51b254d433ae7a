/*
 * How often code uses the names of each framework, from a scan, in memory. Private to the room.
 *
 *     struct scan_reading scan = {0};
 *     PM_TRY(pm_tables__scan_reading_load(&scan, store, db, &(struct scan_wanted){0}, err));
 *     pm_tables__frequency_tables_add(&scan.frameworks[0], 20, report);
 *     pm_tables__scan_reading_release(&scan);
 */
#ifndef PM_TABLES_FREQUENCIES_H
#define PM_TABLES_FREQUENCIES_H

#include <jansson.h>

#include "report/figure.h"
#include "report/table.h"
#include "store/store.h"

struct frequency {
    char *name; /* study: bare; resolved: canonical */
    enum pm_name_kind kind; /* BARE by the study's rule */
    int64_t uses; /* study: hits; others: calls */
    int64_t files, repositories;
    int64_t resolved, possible_method, other; /* study: classes of the hits */
    int64_t references;                       /* resolved, inferred */
    int64_t instance_calls, possible;          /* inferred; in no other count */
};

/* The names by one rule, most used first; the sums cover all. */
struct frequency_ranking {
    struct frequency *items;
    size_t count, capacity;
    int64_t uses, resolved, possible_method, other, instance_calls, possible;
};

struct frequencies {
    char *framework, *version; /* version "" if the names are from a flat list */
    int64_t study_files, importing_files, unlisted;
    struct frequency_ranking study, by_import, by_type; /* by_type: empty unless the scan has types */
};

struct scan_reading {
    int64_t id;
    char *started;
    bool types, places; /* it inferred types; it stored where uses are */
    json_t *options, *totals, *damages;
    struct frequencies *frameworks; /* by name */
    size_t count, capacity;
};

/* Which scan: 0, the newest one that has what is wanted. */
struct scan_wanted {
    int64_t id;
    const char *framework; /* it counted this one, and only this is read; NULL: all that it counted */
    bool places;           /* it stored where uses are */
};
/* PM_EUSAGE if the database has no such scan, or the scan `id` not what is wanted. */
PM_MUST_USE int pm_tables__scan_reading_load(struct scan_reading *scan, struct pm_store *store,
                                             const char *db, const struct scan_wanted *wanted,
                                             struct pm_error *err);
void pm_tables__scan_reading_release(struct scan_reading *scan);

PM_MUST_USE int pm_tables__scan_reading_any(struct pm_store *store, bool *any,
                                            struct pm_error *err);

/* The lines above the tables: data read, names of the study's rule, damaged inputs. */
void pm_tables__scan_reading_add_lines(const struct scan_reading *scan, struct pm_report *report);

/* How many of the most used names cover `share` (0 to 1) of all uses. */
size_t pm_tables__frequency_ranking_reach(const struct frequency_ranking *ranking, double share);

/* The tables of the `top` (0: 20) most used names: by the study's rule and imports side by side, by
 * imports and types where the scan has them, and of the concentration of use. */
void pm_tables__frequency_tables_add(const struct frequencies *f, unsigned top,
                                     struct pm_report *report);

/* Uses by rank, by both rules, one panel per framework; the caller frees it. */
struct pm_figure *pm_tables__frequency_figure(const struct scan_reading *scan);

#endif

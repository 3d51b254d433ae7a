/*
 * How often code uses the names of each framework: a stored scan in memory, its tables, its figure.
 *
 *     struct pm_usage scan = {0};
 *     PM_TRY(pm_usage_load(&scan, store, db, &(struct pm_usage_wanted){0}, err));
 *     rc = pm_usage_add_frequency(&(struct pm_usage_table){&scan, store, report, .top = 20}, err);
 *     pm_usage_release(&scan);
 */
#ifndef PM_USAGE_USAGE_H
#define PM_USAGE_USAGE_H

#include <jansson.h>

#include "base/map.h"
#include "report/figure.h"
#include "report/table.h"
#include "sample/stored.h"
#include "store/store.h"

struct pm_usage_name {
    char *name;             /* paper: bare; resolved: canonical */
    enum pm_name_kind kind; /* BARE by the paper's rule */
    int64_t uses;           /* paper: bare names before "("; others: calls */
    int64_t files, repositories;
    int64_t resolved, possible_method, other; /* only PAPER: classes of the uses */
    int64_t references;                       /* only RESOLVED and INFERRED */
    int64_t instance_calls, possible;         /* only INFERRED; in no other count */
};

/* The names by one rule, most used first; the sums cover all. */
struct pm_usage_ranking {
    struct pm_usage_name *items;
    size_t count, capacity;
    int64_t uses, resolved, possible_method, other, instance_calls, possible;
};

struct pm_usage_of {
    char *framework, *version; /* version "" if the names are from a flat list */
    int64_t inventory_id;      /* inventory whose names were counted */
    int64_t paper_files, importing_files, unlisted;
    struct pm_usage_ranking paper, resolved, inferred; /* by rule; inferred: empty without types */
};

enum { PM_USAGE__TOP = 20 }; /* rows if the user does not choose */

struct pm_usage {
    int64_t id;
    char *started;
    bool types, places; /* it inferred types; it stored the places of uses */
    json_t *options, *totals, *damages;
    char *missing; /* for a divided scan: the missing shards, in one line; NULL: none is missing */
    struct pm_usage_of *frameworks; /* by name */
    size_t count, capacity;
};

/* The requested scan. id 0: the newest one that has the requested data. */
struct pm_usage_wanted {
    int64_t id;
    const char *framework; /* the scan counted this framework, and only this one is read; NULL: all
                              that it counted */
    bool places;           /* it stored the places of uses */
};
/* Fails with PM_EUSAGE if the database has no such scan, or if the scan `id` lacks the requested
 * data. */
PM_MUST_USE int pm_usage_load(struct pm_usage *scan, struct pm_store *store, const char *db,
                              const struct pm_usage_wanted *wanted, struct pm_error *err);
void pm_usage_release(struct pm_usage *scan);

/* Finds what a scan lacks that was merged from shards. *missing: a text such as "only 6 of 14
 * projects: without shard 1 of 2"; the caller frees. NULL: nothing. */
PM_MUST_USE int pm_usage_missing(struct pm_store *store, int64_t scan_id, char **missing,
                                 struct pm_error *err);

PM_MUST_USE int pm_usage_any(struct pm_store *store, bool *any, struct pm_error *err);

/* Adds the lines above the tables: data read, names of the paper's rule, damaged inputs. */
void pm_usage_add_lines(const struct pm_usage *scan, struct pm_report *report);

/* Returns how many of the most used names cover `share` (0 to 1) of all uses. */
size_t pm_usage_reach(const struct pm_usage_ranking *ranking, double share);

/* The data of a table, and the report where it goes. */
struct pm_usage_table {
    const struct pm_usage *scan;
    struct pm_store *store;
    struct pm_report *report;
    unsigned top; /* rows; 0: 20 */
    const char
        *function; /* the function whose uses are listed, by any of its names in the inventory */
    bool alone;    /* only the first of the tables of the most used names */
};
/* Adds the tables of the most used names: by the paper's rule and by imports side by side, by
 * imports and types if the scan has them, of how calls were found, and of the concentration of
 * use. */
PM_MUST_USE int pm_usage_add_frequency(const struct pm_usage_table *t, struct pm_error *err);
/* Adds the calls of one framework, by how they were found. */
PM_MUST_USE int pm_usage__add_resolution(const struct pm_usage_table *t,
                                         const struct pm_usage_of *f, struct pm_error *err);
/* Adds the names that begin at a framework and are not in its inventory. */
PM_MUST_USE int pm_usage_add_unlisted(const struct pm_usage_table *t, struct pm_error *err);
/* Add one of these tables alone: by imports and types, PM_EUSAGE if the scan inferred no types; how
 * calls were found, for a scan that stored where uses are; the concentration. */
PM_MUST_USE int pm_usage_add_inferred(const struct pm_usage_table *t, struct pm_error *err);
PM_MUST_USE int pm_usage_add_resolution(const struct pm_usage_table *t, struct pm_error *err);
PM_MUST_USE int pm_usage_add_spread(const struct pm_usage_table *t, struct pm_error *err);
/* Adds the places where one function is used. */
PM_MUST_USE int pm_usage_add_uses(const struct pm_usage_table *t, struct pm_error *err);
/* Adds the frequency tables of one scan's frameworks (NULL: all) with `top` names each; 0 means
 * 20. */
PM_MUST_USE int pm_usage_add_frequencies(struct pm_store *store, int64_t scan_id,
                                         const char *framework, unsigned top,
                                         struct pm_report *report, struct pm_error *err);

/* Draws uses by rank, by both rules, one panel per framework; the caller frees the figure. */
struct pm_figure *pm_usage_figure(const struct pm_usage *scan);

/* ---- samples ----------------------------------------------------------------------------------
 */

struct pm_usage_sample_print {
    bool explain, list;           /* every step of the draw; only names */
    const struct pm_map *others;  /* calls by another rule, by name: uintptr_t; NULL: not known */
    enum pm_rule other;           /* the other rule that is printed */
    enum pm_report_format format; /* format of the tables */
    unsigned width;
};
/* Prints a stored sample to stdout. `tested`: the functions with cases, NULL if unknown. */
PM_MUST_USE int pm_usage_print_sample(const struct pm_stored_sample *sample,
                                      const struct pm_map *tested,
                                      const struct pm_usage_sample_print *how,
                                      struct pm_error *err);

#endif

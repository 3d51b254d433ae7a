/*
 * Reads from a stored scan how often the code uses the names of each framework, and creates the
 * tables and the figure of the scan. Also prints a stored sample.
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
    char *name;             /* paper's rule: bare name; other rules: canonical name */
    enum pm_name_kind kind; /* by the paper's rule: BARE */
    int64_t uses;           /* paper's rule: bare names before "("; other rules: calls */
    int64_t files, repositories;
    int64_t resolved, possible_method, other; /* only by the paper's rule: classes of uses */
    int64_t references;                       /* not by the paper's rule */
    int64_t instance_calls, possible;         /* only by the rule `inferred`; not in `uses` */
};

/* The names that one rule counts, most used first. The sums cover all names. */
struct pm_usage_ranking {
    struct pm_usage_name *items;
    size_t count, capacity;
    int64_t uses, resolved, possible_method, other, instance_calls, possible;
};

struct pm_usage_of {
    char *framework, *version; /* version "" if the names are from a flat list */
    int64_t inventory_id;      /* inventory whose names were counted */
    int64_t paper_files;       /* files that the paper's rule read */
    int64_t importing_files;   /* files that import the framework */
    int64_t unlisted;          /* calls of names that are not in the inventory */
    struct pm_usage_ranking paper, resolved, inferred; /* by rule; inferred: empty without types */
};

struct pm_usage {
    int64_t id;
    char *started;
    bool types, places; /* the scan inferred types; it stored places of uses */
    json_t *options, *totals, *damages;
    char *missing; /* of a merged scan: the missing shards, in one line; NULL: none is missing */
    struct pm_usage_of *frameworks; /* by name */
    size_t count, capacity;
};

/* The requested scan and data. id 0: the newest scan that has the data. */
struct pm_usage_wanted {
    int64_t id;
    const char *framework; /* read only this framework, which the scan must have counted; NULL: read
                              all */
    bool places;           /* the scan must have stored the places of uses */
};
/* Reads a scan into *scan, which must be zero. The caller releases it also after an error. Fails
 * with PM_EUSAGE if the database has no such scan, or the scan lacks the requested data, and with
 * PM_EFORMAT if the database is damaged. `db` is the file's name for messages. */
PM_MUST_USE int pm_usage_load(struct pm_usage *scan, struct pm_store *store, const char *db,
                              const struct pm_usage_wanted *wanted, struct pm_error *err);
void pm_usage_release(struct pm_usage *scan);

/* Finds the shards that a merged scan lacks. Sets *missing to a text such as "only 6 of 14
 * projects: without shard 1 of 2", which the caller frees; NULL if the scan is complete or not
 * divided. */
PM_MUST_USE int pm_usage_missing(struct pm_store *store, int64_t scan_id, char **missing,
                                 struct pm_error *err);

/* Sets *any to whether the database has a scan. */
PM_MUST_USE int pm_usage_any(struct pm_store *store, bool *any, struct pm_error *err);

/* Adds the lines above the tables: the corpus, missing shards, the files with the names of the
 * paper's rule, and damaged inputs. */
void pm_usage_add_lines(const struct pm_usage *scan, struct pm_report *report);

/* Returns how many of the most used names together have at least `share` (0 to 1) of all uses. */
size_t pm_usage_reach(const struct pm_usage_ranking *ranking, double share);

/* The data of a table, and the report to which it is added. */
struct pm_usage_table {
    const struct pm_usage *scan;
    struct pm_store *store;
    struct pm_report *report;
    unsigned top; /* rows; 0: 20 */
    const char
        *function; /* for pm_usage_add_uses(): the function, by any of its names in the inventory */
    bool alone;    /* pm_usage_add_frequency() adds only its first table for each framework */
};
/* Adds, for each framework, up to four tables: the most used names by the paper's rule and by
 * imports, side by side; the most used functions by imports and types, if the scan inferred types;
 * how calls were found, if the scan stored places; and the concentration of use. */
PM_MUST_USE int pm_usage_add_frequency(const struct pm_usage_table *t, struct pm_error *err);
/* Adds, for each framework, a table of called names that begin with its name but are not in its
 * inventory. */
PM_MUST_USE int pm_usage_add_unlisted(const struct pm_usage_table *t, struct pm_error *err);
/* Each function adds one of the tables of pm_usage_add_frequency(): by imports and types (PM_EUSAGE
 * if the scan inferred no types); how calls were found (the scan must have stored places); the
 * concentration of use. */
PM_MUST_USE int pm_usage_add_inferred(const struct pm_usage_table *t, struct pm_error *err);
PM_MUST_USE int pm_usage_add_resolution(const struct pm_usage_table *t, struct pm_error *err);
PM_MUST_USE int pm_usage_add_spread(const struct pm_usage_table *t, struct pm_error *err);
/* Adds a table of the places where t->function is used. */
PM_MUST_USE int pm_usage_add_uses(const struct pm_usage_table *t, struct pm_error *err);
/* Adds the tables of pm_usage_add_frequency() for a scan and one of its frameworks (NULL: all),
 * with `top` names each (0: 20). */
PM_MUST_USE int pm_usage_add_frequencies(struct pm_store *store, int64_t scan_id,
                                         const char *framework, unsigned top,
                                         struct pm_report *report, struct pm_error *err);

/* Draws uses by rank: one panel per framework, with a series for each rule. The caller frees the
 * figure. */
struct pm_figure *pm_usage_figure(const struct pm_usage *scan);

/* ---- samples -------------------------------------------------------------------------------- */

struct pm_usage_sample_print {
    bool explain, list;           /* print every step of the draw; print only names */
    const struct pm_map *others;  /* by name: calls by the other rule (uintptr_t); NULL: not
                                     known */
    enum pm_rule other;           /* the other rule */
    enum pm_report_format format; /* of the tables */
    unsigned width;               /* columns of the screen; 0: no limit */
};
/* Prints a stored sample to stdout. The keys of `tested` are the functions that have cases; NULL:
 * not known. */
PM_MUST_USE int pm_usage_print_sample(const struct pm_stored_sample *sample,
                                      const struct pm_map *tested,
                                      const struct pm_usage_sample_print *how,
                                      struct pm_error *err);

#endif

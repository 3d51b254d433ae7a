/*
 * The commands about names and their use: inventory, census, forecast, scan, audit, record and
 * sample. Each pm_survey_NAME() does the work of the command NAME and prints the result to stdout,
 * or to the file that the options name.
 */
#ifndef PM_SURVEY_SURVEY_H
#define PM_SURVEY_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "audit/audit.h"
#include "base/error.h"
#include "base/request.h"
#include "base/shard.h"
#include "base/vocabulary.h"
#include "census/census.h"

/* ---- inventories and scans ------------------------------------------------------------------ */

struct pm_inventory_options {
    const char *db, *framework;
    const char *environment;      /* NULL: see pm_environments_choose() */
    const char *flat;             /* a flat list of names to record instead of those of the
                                     framework; NULL: none */
    const char *against;          /* a flat list to compare with; NULL: none */
    const char *status;           /* the status whose names are listed; NULL: none */
    enum pm_report_format format; /* only JSON has every entry */
    const char *output;           /* a file; NULL: stdout */
    unsigned width;
    bool colour;
};
/* Finds the public functions of a framework, stores and prints them. PM_ENOTFOUND if no environment
 * has the framework. */
PM_MUST_USE int pm_survey_inventory(const struct pm_inventory_options *options,
                                    const struct pm_messages *messages, struct pm_error *err);

struct pm_census_options {
    const char *db, *framework;
    const char *environment;      /* environment as in pm_inventory_options */
    const char *const *functions; /* globs of names; none: all */
    size_t function_count;
    size_t limit;             /* the maximum number of names to try; 0: no limit */
    struct pm_shard shard;    /* the part of these names that is tried; count 0: all of them */
    const char *command_line; /* for a shard: the command line without --shard and paths */
    bool only_source;         /* use only the cases of `source` */
    enum pm_tier source;      /* not PM_TIER_REVIEWED */
    double seconds;           /* time for one name and source */
    const char *folder; /* folder of the census; NULL (only with `show`): the censuses that come
                           with portmeter */
    bool unconfined;    /* tried calls may use the network and write files */
    bool show;          /* only print the stored result */
    const enum pm_census_status *status; /* the status whose names are listed; NULL: none */
    enum pm_report_format format;        /* only JSON has every name */
    const char *output;                  /* a file; NULL: stdout */
    unsigned width;
    bool colour;
};
/* Tries calls of the chosen names of the stored inventory, which is recorded first if it is
 * missing. Writes the census, with the other names of an older census of the same version, and
 * prints its coverage. A shard is written to a file of its own; nothing is tried if that file has
 * it already. PM_ENOTFOUND if no environment has the framework, or no measurable name matches
 * `functions`. PM_EUSAGE if the file has a shard that was made in another way. */
PM_MUST_USE int pm_survey_census(const struct pm_census_options *options,
                                 const struct pm_messages *messages, struct pm_error *err);
/* Joins the packs of all shards of a census into the pack `into`, with the other names of a census
 * of the same version that `into` contains, and prints what it did to stdout. Fails like
 * pm_census_join(). */
PM_MUST_USE int pm_survey_join_census(const char *const *paths, size_t count, const char *into,
                                      struct pm_error *err);

struct pm_forecast_options {
    const char *const *targets; /* as on the command line; with `show`, none: all */
    size_t target_count;
    const char *const *functions; /* globs of names; none: all */
    size_t function_count;
    const char *suite;  /* case files; NULL: the census that comes with portmeter */
    double seconds;     /* time for one case */
    const char *folder; /* folder of the forecasts; NULL (only with `show`): the forecasts that come
                           with portmeter */
    bool unconfined;    /* cases may use the network and write files */
    bool show;          /* only print the stored result */
    enum pm_report_format format;
    const char *output; /* a file; NULL: stdout */
    unsigned width;
    bool colour;
};
/* Executes the cases on the host, writes a forecast for each target, and prints the forecasts.
 * PM_EUSAGE, with the reason, if no forecast is possible for a target. PM_ENOTFOUND if the
 * environment of a target is missing, or no case matches `functions`. */
PM_MUST_USE int pm_survey_forecast(const struct pm_forecast_options *options,
                                   const struct pm_messages *messages, struct pm_error *err);

struct pm_scan_options {
    const char *db;
    const char *names;        /* database whose inventories are counted; NULL: `db` */
    struct pm_shard shard;    /* the part that is read; count 0: all */
    const char *command_line; /* for a shard: the command line without --shard and --db */
    const char *const *paths; /* paths as in corpus.h */
    size_t path_count;
    const char *const *frameworks; /* "pytorch,jax", or one framework per item */
    size_t framework_count;
    const char *const *flats; /* "pytorch=FILE": names for the paper's rule */
    size_t flat_count;
    unsigned threads; /* 0: one per logical core */
    unsigned top;     /* rows of a frequency table; 0: 20 */
    const char *uses; /* file for all uses, as JSON lines; "-": stdout, instead of tables; NULL:
                           uses are only counted */
    bool store_uses;  /* store all uses in the database */
    bool every_file;  /* apply the paper's rule also to files that do not import the framework */
    enum pm_report_format format;
    unsigned width;
    bool colour;
};

struct pm_scan_summary {
    int64_t scan_id;  /* 0: nothing is stored */
    uint64_t damages; /* parts of the inputs that could not be read */
};
/* Counts how often the files of the inputs use each function, stores the counts and prints them. If
 * the database has no inventory of a framework, first records one; with `names`, fails with
 * PM_ENOTFOUND instead if that database has none. A shard that the database has is not read again;
 * PM_EUSAGE if the database has this shard of another plan. PM_ESTOPPED: the user stopped the scan.
 */
PM_MUST_USE int pm_survey_scan(const struct pm_scan_options *options,
                               const struct pm_messages *messages, struct pm_scan_summary *out,
                               struct pm_error *err);

/* ---- audits --------------------------------------------------------------------------------- */

struct pm_survey_audit_options {
    const char *db;
    const char *census; /* a database whose cases are added to those of db; NULL: none */
    const char *const *paths; /* as in corpus.h */
    size_t path_count;
    const char *target;  /* as it is typed: "pytorch@xla" */
    const char *version; /* of the framework that the code runs with; NULL: that of the inventory */
    const char *baseline, *write_baseline; /* files; NULL: none */
    const char *recording;                 /* folder of a recording of the program; NULL: none */
    bool predicts; /* use the forecast that comes with portmeter, if there is one for the target */
    bool unknown;  /* list each use without results on the target */
    struct pm_audit_how how;
};
struct pm_survey_audited {
    size_t errors; /* findings of level error: uses that fail on the target */
};
/* Audits the code of the inputs for a target, and prints the findings. If the database has no
 * inventory of the framework, records one first. */
PM_MUST_USE int pm_survey_audit(const struct pm_survey_audit_options *options,
                                const struct pm_messages *messages, struct pm_survey_audited *out,
                                struct pm_error *err);

/* The functions that code uses and that have cases, in one suite. */
struct pm_survey_cases {
    char *suite; /* a pack of a census; NULL: the reviewed suite of the framework */
    char **functions;
    size_t count,
        measured; /* measured: further functions whose cases have results in the database */
};
struct pm_survey_measurable {
    struct pm_survey_cases census, reviewed;
    size_t used; /* functions that the code uses */
};
/* Finds what can be measured before an audit with these options: the functions that the code uses,
 * that have cases, and whose cases have no results of this target and version of the framework. The
 * caller releases *out. */
PM_MUST_USE int pm_survey_audit_cases(const struct pm_survey_audit_options *options,
                                      const struct pm_messages *messages,
                                      struct pm_survey_measurable *out, struct pm_error *err);
void pm_survey_measurable_release(struct pm_survey_measurable *measurable);

/* ---- recordings ------------------------------------------------------------------------------ */

struct pm_survey_record_options {
    const char *db;                /* database with the names; missing ones are recorded first */
    const char *const *frameworks; /* none: each framework that an environment has */
    size_t framework_count;
    const char *const *command; /* the program and its arguments, ended by NULL */
    const char *output;         /* folder for the case files */
    bool keep_values;           /* also keep long strings */
    bool sites_only;            /* no calls by operators or inside modules */
    enum pm_report_format format;
    unsigned width;
    bool colour;
};
/* Runs a program, writes a case file for each function that it calls, and prints what was recorded.
 * If the program itself fails, this function does not fail. */
PM_MUST_USE int pm_survey_record(const struct pm_survey_record_options *options,
                                 const struct pm_messages *messages, struct pm_error *err);

/* ---- samples --------------------------------------------------------------- */

struct pm_sample_options {
    const char *db, *framework;
    enum pm_rule by;    /* rule by which functions are ranked */
    const char *strata; /* "disjoint", "paper" */
    uint64_t seed;
    unsigned top, per_decile;
    int64_t scan;        /* 0: the newest that has the framework */
    const char *ranking; /* a JSON file of names and counts instead of a scan; NULL: none */
    bool unused;         /* also rank functions of the inventory that the corpus does not use */
    const char *exclude; /* a file of exclusions; NULL: none */
    bool only_tested;    /* exclude functions without a case in the suite */
    bool all;            /* include every ranked function; `per_decile` is ignored */
    const char *const *suites; /* files and folders; none: the framework's own suite */
    size_t suite_count;
    const char *const *pins, *const *left_out; /* NAME=REASON */
    size_t pin_count, left_out_count;
    int64_t show; /* print this stored sample (or PM_NEWEST) instead of drawing; 0: draw */
    bool explain, list;
    enum pm_report_format format;
    unsigned width;
};
/* Draws a sample, stores it with its options, and prints it to stdout: its strata and members, or
 * every step (`explain`), or only names (`list`). */
PM_MUST_USE int pm_survey_sample(const struct pm_sample_options *options,
                                 const struct pm_messages *messages, struct pm_error *err);

#endif

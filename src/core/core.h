/*
 * What portmeter does, as functions: each subcommand parses its options and calls one of these.
 * Core composes the rooms and holds no rule of its own about frames, outcomes or numbers.
 *
 * Talk (progress, notes) goes to `talk->out`, normally stderr; data to the sink a function is
 * given.
 */
#ifndef PM_CORE_CORE_H
#define PM_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

struct pm_talk {
    FILE *out;
    bool terminal; /* progress is rewritten in place; else plain lines */
};

/* ---- choosing what is measured --------------------------------------------------------------- */

struct pm_sample_options {
    const char *db, *framework;
    const char *by;     /* rule that ranks: "resolved", "study" */
    const char *strata; /* "disjoint", "study" */
    uint64_t seed;
    unsigned top, per_decile;
    int64_t scan;        /* 0: the newest that has the framework */
    const char *ranking; /* a JSON file of names and counts instead of a scan; NULL: none */
    bool unused;         /* rank with 0 uses what the inventory has and the corpus does not use */
    const char *exclude; /* a file of exclusions; NULL: none */
    bool only_tested;    /* exclude what the suite has no case for */
    bool all;            /* every ranked function is a member: per_decile does not count */
    const char *const *suites; /* files and folders; none: the framework's own suite */
    size_t suite_count;
    const char *const *pins, *const *left_out; /* NAME=REASON */
    size_t pin_count, left_out_count;
    int64_t show; /* print a stored sample and draw none: its number, PM_SAMPLE_NEWEST, 0: draw */
    bool explain, list;
    const char *format; /* text, markdown, json */
    unsigned width;
};
/* Draws a sample, stores it with all that it was asked for, and prints it to stdout: its strata and
 * members, or the whole trail (`explain`), or bare names (`list`). */
PM_MUST_USE int pm_draw_sample(const struct pm_sample_options *options, const struct pm_talk *talk,
                               struct pm_error *err);

/* ---- measuring ---------------------------------------------------------------------------- */

#define PM_ISOLATIONS(X) X(CASE, "case") X(FUNCTION, "function") X(WORKER, "worker")
enum pm_isolation {
#define X(id, text) PM_ISOLATION_##id,
    PM_ISOLATIONS(X)
#undef X
        PM_ISOLATION_COUNT
};
const char *pm_isolation_text(enum pm_isolation isolation);
bool pm_isolation_parse(const char *text, enum pm_isolation *out);

enum { PM_SAMPLE_NEWEST = -1 };

struct pm_run_options {
    const char *db;
    const char *const *targets;
    size_t target_count;
    const char *const *suites; /* files and folders; none: the framework's own suite */
    size_t suite_count;
    const char *const *functions; /* globs; none: all */
    size_t function_count;
    const char *only;     /* a file of function names, one a line; NULL: no such restriction */
    int64_t sample;       /* only the functions of that sample of the database; 0: no such
                             restriction, PM_SAMPLE_NEWEST: the newest of the framework */
    bool study_clock;     /* --mode study */
    unsigned repetitions; /* processes a case; 0: 3 where latencies are taken, else 1 */
    double timeout_s;     /* an execution; 0: 900 */
    uint64_t memory;      /* RLIMIT_DATA of a child in bytes; 0: none */
    unsigned threads;     /* 0: the physical cores */
    unsigned jobs;        /* children at once where nothing is timed; 0: the cores */
    bool outcomes_only;
    enum pm_isolation isolation;
    int64_t seed;
    bool rehearse; /* outputs only, for `suite check` */
    bool resume;   /* take up the newest unfinished run of the database: targets, suites
                      and every option come from it */
};

struct pm_run_summary {
    int64_t run_id;
    size_t planned, done;
    size_t wrong; /* executions that were judged neither pass nor not applicable */
    bool stopped; /* by the user: resume it */
    bool valid;
    char reason[1024]; /* where it is not valid */
};

/* Runs, judges, and fills *out. PM_EUSAGE: the options make no sense; others: it could not be done,
 * and what was measured is in the database. */
PM_MUST_USE int pm_run(const struct pm_run_options *options, const struct pm_talk *talk,
                       struct pm_run_summary *out, struct pm_error *err);
/* Ends the run that pm_run() is in; may be called from a signal handler. */
void pm_run_interrupt(void);

/* ---- judging and reporting ----------------------------------------------------------------- */

/* (Re)assigns outcomes, verdicts, figures and estimates of one run (0: every run of the database that
 * has begun). Estimates come from sample `sample_id`; 0: from the sample that the run measured, else
 * from the newest of the framework. */
struct pm_judged {
    size_t executions;
    size_t wrong; /* of them, neither pass nor not applicable */
};
PM_MUST_USE int pm_judge_db(const char *db, int64_t run_id, int64_t sample_id,
                            struct pm_judged *done, struct pm_error *err);

struct pm_report_options {
    const char *db;
    int64_t run_id;        /* 0: the newest */
    int64_t scan_id;       /* likewise */
    const char *framework; /* of a scan; NULL: all that it counted */
    unsigned top;          /* names that a table of a scan shows by each rule; 0: 20 */
    const char *format;    /* text, markdown, json */
    const char *table;     /* a table's number in the study or its name; NULL: the whole report */
    const char *figure;    /* a figure's name, in the place of tables; NULL: none */
    const char *output;    /* a file; NULL: stdout. A figure is svg, png or pdf by its ending, svg
                              on stdout */
    unsigned width;
    bool colour;
};
/* Prints tables of a run, or of a scan where the table is of one or the database holds no run, or
 * draws a figure. `something_wrong`: failures, an invalid run, a damaged corpus. */
PM_MUST_USE int pm_report(const struct pm_report_options *options, bool *something_wrong,
                          struct pm_error *err);
/* Append the words there are, "1, 5, summary, ...", for --help and messages. */
void pm_report_list_tables(struct pm_str *out);
void pm_report_list_figures(struct pm_str *out);
void pm_report_list_formats(struct pm_str *out);

/* ---- looking around ------------------------------------------------------------------------ */

/* Lists targets with versions, and why some cannot be measured. `format`: text, markdown, json. */
PM_MUST_USE int pm_list_devices(const char *format, unsigned width, const struct pm_talk *talk,
                                struct pm_error *err);
PM_MUST_USE int pm_list_environments(const char *format, unsigned width, struct pm_error *err);
PM_MUST_USE int pm_create_environment(const char *recipe, const char *name,
                                      const struct pm_talk *talk, struct pm_error *err);
PM_MUST_USE int pm_add_environment(const char *name, const char *framework, const char *python,
                                   struct pm_error *err);
PM_MUST_USE int pm_remove_environment(const char *name, struct pm_error *err);

/* ---- names and their use ------------------------------------------------------------------- */

struct pm_inventory_options {
    const char *db, *framework;
    const char *environment; /* NULL: the one named after the framework, else the first that has it */
    const char *flat;        /* a flat list of names to record in the place of a walk; NULL: none */
    const char *against;     /* a flat list to compare with; NULL: none */
    const char *fate;        /* the fate whose names are listed; NULL: none */
    const char *format;      /* text, markdown, json: only this one has every entry */
    const char *output;      /* a file; NULL: stdout */
    unsigned width;
    bool colour;
};
/* Walks through the public functions of a framework, records and prints them. PM_ENOTFOUND where no
 * environment has it. */
PM_MUST_USE int pm_record_inventory(const struct pm_inventory_options *options,
                                    const struct pm_talk *talk, struct pm_error *err);

struct pm_scan_options {
    const char *db;
    const char *const *paths; /* as in corpus.h */
    size_t path_count;
    const char *const *frameworks; /* "pytorch,jax" or one each */
    size_t framework_count;
    const char *const *flats; /* "pytorch=FILE": names for the study's rule */
    size_t flat_count;
    unsigned threads; /* 0: the cores */
    unsigned top;     /* rows of a frequency table; 0: 20 */
    bool every_file;  /* lex files that import none of the frameworks too */
    const char *format;
    unsigned width;
    bool colour;
};

struct pm_scan_summary {
    int64_t scan_id;
    uint64_t damages;
    bool stopped; /* by the user: nothing of it is stored */
};
/* Counts how often the files of the inputs use each function, stores and prints the counts. Where
 * the database has no inventory of a framework, one is recorded first. */
PM_MUST_USE int pm_scan(const struct pm_scan_options *options, const struct pm_talk *talk,
                        struct pm_scan_summary *out, struct pm_error *err);
/* Ends the scan that pm_scan() is in; may be called from a signal handler. */
void pm_scan_interrupt(void);

/* ---- suites -------------------------------------------------------------------------------- */

PM_MUST_USE int pm_list_suite(const char *framework, const char *const *paths, size_t path_count,
                              const char *format, unsigned width, struct pm_error *err);

struct pm_suite_check {
    size_t cases, perturbations, told, missed_cases, cannot_fail, errors;
};
/* Runs each case on the control of `target` and perturbs its output: prints the share told, the
 * cases that miss, and the cases whose comparison cannot fail. */
PM_MUST_USE int pm_check_suite(const struct pm_run_options *options, const char *format,
                               unsigned width, const struct pm_talk *talk,
                               struct pm_suite_check *out, struct pm_error *err);

/* ---- everything ---------------------------------------------------------------------------- */

/* Makes the environments that are missing, measures every target of this machine, reports. PM_OK
 * whenever a valid report was made. */
PM_MUST_USE int pm_study(const struct pm_run_options *options, const struct pm_talk *talk,
                         struct pm_run_summary *out, struct pm_error *err);

#endif

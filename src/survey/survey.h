/*
 * Surveying names and their use: inventories of frameworks, scans of corpora, samples to measure.
 * Each function stores what it finds and prints it to stdout.
 */
#ifndef PM_SURVEY_SURVEY_H
#define PM_SURVEY_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/request.h"

/* ---- inventories and scans ------------------------------------------------------------------ */

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
PM_MUST_USE int pm_survey_inventory(const struct pm_inventory_options *options,
                                    const struct pm_messages *messages, struct pm_error *err);

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
};
/* Counts how often the files of the inputs use each function, stores and prints the counts. Where
 * the database has no inventory of a framework, one is recorded first. PM_ESTOPPED: the user stopped
 * it, and without a `scan_id` nothing of it is stored. */
PM_MUST_USE int pm_survey_scan(const struct pm_scan_options *options,
                               const struct pm_messages *messages, struct pm_scan_summary *out,
                               struct pm_error *err);

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
    int64_t show; /* print a stored sample and draw none: its number, PM_NEWEST, 0: draw */
    bool explain, list;
    const char *format; /* text, markdown, json */
    unsigned width;
};
/* Draws a sample, stores it with all that it was asked for, and prints it to stdout: its strata and
 * members, or the whole trail (`explain`), or bare names (`list`). */
PM_MUST_USE int pm_survey_sample(const struct pm_sample_options *options,
                                 const struct pm_messages *messages, struct pm_error *err);

#endif

/*
 * Imports published results into a database, as a run of kind `published`: the paper's printed
 * numbers, or a report of pytest with its times. An import stores everything or nothing.
 */
#ifndef PM_PUBLISHED_IMPORTING_H
#define PM_PUBLISHED_IMPORTING_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pm_imported_paper {
    int64_t run_id;
    size_t numbers;
};
/* Imports the file data/paper.csv of portmeter's home (pm_path_home()). PM_EUSAGE if the database
 * already has the same numbers; PM_EFORMAT if the file is damaged. */
PM_MUST_USE int pm_import_paper(const char *db, struct pm_imported_paper *out,
                                struct pm_error *err);

struct pm_import_pytest {
    const char *db, *report;    /* report: a file; NULL: only timing files */
    const char *const *timings; /* timing files, one per repetition, in any order */
    size_t timing_count;
    const char *framework, *device; /* "pytorch", "cuda": up to 64 lower-case letters, digits, '-',
                                       '_' */
    const char *version;            /* version of the framework; NULL: not known */
};
struct pm_imported_pytest {
    int64_t run_id;
    size_t tests, functions; /* tests: those in the report */
    size_t excluded;         /* tests that are named for another device */
    size_t timed;            /* tests with a timed operation */
    size_t unreported;       /* tests that only timing files have */
};
/* Fails with PM_EUSAGE if a name is invalid, or if the database already has the same report of the
 * same target or, without a report, the same timing files. Fails with PM_EFORMAT if a file is too
 * large or invalid; the message names the file and, if possible, the test. */
PM_MUST_USE int pm_import_pytest(const struct pm_import_pytest *what,
                                 struct pm_imported_pytest *out, struct pm_error *err);

#endif

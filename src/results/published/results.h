/*
 * Reads the imported tests of one target into memory, and recomputes printed numbers from them: the
 * rows of latencies and the counts of failing functions.
 *
 * Tests are compared across devices by key (pm_pytest_key()): the file and the name of the test,
 * without its class, and with a star instead of the device. Several tests can have the same key.
 */
#ifndef PM_PUBLISHED_RESULTS_H
#define PM_PUBLISHED_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"
#include "published/publication.h"
#include "store/runs.h"
#include "store/store.h"

/* A key, and the results of its tests. Excluded tests have no key. */
struct pm_result {
    char *key;       /* "argsort_test.py:test_nan_*" */
    size_t function; /* index */
    bool failed;     /* a test failed or ended in an error */
    bool skipped;    /* a test was skipped, or failed as expected */
    double sum_ns;   /* sum of the times of all operations, in all timing files */
    size_t calls;    /* number of timed operations */
    size_t files;    /* timing files that have a timed operation */
};
/* A file of tests, with counts of tests. Errors count as failed, xpassed as passed, and xfailed as
 * skipped. */
struct pm_result_function {
    char *name; /* "argsort" */
    size_t passed, failed, skipped;
    size_t unreported; /* only in timing files */
    size_t excluded;   /* named for another device: not in the counts above */
    size_t untimed;    /* passed (without xpassed), but without a timed operation */
    size_t calls;      /* timed operations */
};
/* A failed test that is not excluded. */
struct pm_result_failure {
    size_t function; /* index */
    char *reason;    /* "type failure"; "": unclassified */
};
struct pm_results {
    int64_t run_id;
    char *target;    /* "pytorch@cuda" */
    char *framework; /* "PyTorch": the paper's name, otherwise the imported name */
    char *device;    /* "GPU": the paper's name, otherwise the imported name */
    char *digest;    /* digest of the report; without a report, of the timing files */
    struct pm_result *items;
    size_t count, capacity;
    struct pm_map by_key; /* uintptr_t: index in `items` + 1 */
    struct pm_result_function *functions;
    size_t function_count, function_capacity;
    struct pm_map by_function; /* uintptr_t: index in `functions` + 1 */
    struct pm_result_failure *failures;
    size_t failure_count, failure_capacity;
    size_t files;    /* timing files */
    size_t tests;    /* number of tests in the report */
    char **excluded; /* names of the tests that are named for another device */
    size_t excluded_count, excluded_capacity;
};
/* Reads the tests of a stored run. out->target is NULL if the run has no target: then it has
 * printed numbers. `run` is a row from the store. After an error, *out is empty. */
PM_MUST_USE int pm_results_load(struct pm_store *store, const struct pm_run_row *run,
                                struct pm_results *out, struct pm_error *err);
void pm_results_release(struct pm_results *r);

/* ---- rows of latencies ---------------------------------------------------------------------- */

/* The choice of tests that reproduces a printed row, within 0.001 ms on both devices. Only tests
 * that are timed on both devices are used. */
enum pm_row_by {
    PM_ROW_PASSED,    /* tests that neither failed nor were skipped on either device */
    PM_ROW_EVERY_RUN, /* of these, the tests that are timed in every file of both devices */
    PM_ROW_FAILED,    /* all tests, including those that failed */
    PM_ROW_OTHER,     /* no choice reproduces the row */
    PM_ROW_NO_DATA    /* no test of the function is timed on both devices */
};
/* A row of one of tables 5 to 7. Latencies in milliseconds: the mean over a function's tests of the
 * mean over a test's operations in all timing files; NaN if missing. */
struct pm_row {
    const char *subject;         /* "torch.argsort", borrowed from the publication */
    const char *function;        /* its test file, borrowed from the results; "": none was found */
    double gpu, tpu;             /* as the paper prints them */
    double gpu_again, tpu_again; /* recomputed by PM_ROW_PASSED */
    double gpu_by, tpu_by;       /* recomputed by `by`; if that is PM_ROW_OTHER, by PM_ROW_PASSED */
    size_t tests;                /* number of tests from which gpu_by and tpu_by were computed */
    bool leaves_out_gpu, leaves_out_tpu; /* the row is reproduced only without the tests that failed
                                            on that device: the paper counted them as failing */
    enum pm_row_by by;
    char *difference; /* tests that only one of `by` and PM_ROW_PASSED uses; "": none; or why no
                         choice reproduces the row */
};
/* Makes one row for each row of the table of the framework's latencies. `gpu` and `tpu` are results
 * of one framework. The caller frees the rows with pm_rows_free(). */
void pm_results_rows(const struct pm_publication *p, const struct pm_results *gpu,
                     const struct pm_results *tpu, struct pm_row **out, size_t *count);
void pm_rows_free(struct pm_row *rows, size_t count);

/* ---- counts of functions -------------------------------------------------------------------- */

#define PM_RECOUNTS(X, P)                                                                          \
    X(P, WORKS, "works")                                                                           \
    X(P, PARTLY, "partly")                                                                         \
    X(P, FAILS, "fails")                                                                           \
    X(P, UNREPORTED, "only timed") /* its tests are in no report */                                \
    X(P, SKIPPED, "all skipped")
PM_WORDS(recount, PM_RECOUNTS, PM_RECOUNT);
/* Returns the verdict of a file of tests by its counts: FAILS if tests failed and none passed. */
enum pm_recount pm_results_verdict(const struct pm_result_function *f);
/* Returns whether a report was imported, not only timing files. */
bool pm_results_have_report(const struct pm_results *r);

/* The counts of one target by verdict, the printed counts (table 8), and the steps between them. */
struct pm_recounting {
    const char *framework, *device;
    size_t files[PM_RECOUNT_COUNT];    /* by the reports alone */
    size_t adjusted[PM_RECOUNT_COUNT]; /* without `dropped`; `as_passed` and files that are only
                                          timed count as working */
    size_t printed[PM_RECOUNT_COUNT], printed_of; /* table 8; printed_of: its total, 0 if missing */
    char *dropped;   /* files that are timed on no device and do not fail completely; "": none */
    char *as_passed; /* failing files whose printed latencies include failed tests; "": none */
    char *left;      /* the difference between `adjusted` and `printed`, and the names of files that
                        may cause it; these include no file whose printed latencies exclude failed
                        tests. "": no difference, or nothing is printed */
};
/* Recomputes the counts of `r`, step by step. `other`: results of the same framework on the other
 * device, or `r`. `rows`: from pm_results_rows() for this framework. The caller frees the texts
 * with pm_recounting_release(). */
void pm_results_recount(const struct pm_publication *p, const struct pm_results *r,
                        const struct pm_results *other, const struct pm_row *rows, size_t row_count,
                        struct pm_recounting *out);
void pm_recounting_release(struct pm_recounting *r);

/* Finds contradictions in the imported targets: one report for two targets; a report whose number
 * of files is not the total of table 8; tests that pass without a timed operation; files that are
 * timed but not in the report. `p` may have no cells. */
void pm_results_contradictions(const struct pm_publication *p, const struct pm_results *results,
                               size_t count, struct pm_contradictions *out);

#endif

/*
 * Imported tests of one target in memory, and the printed numbers of a publication that follow from
 * them: its rows of latencies and its counts of failing functions, computed again.
 *
 * Tests are compared across devices by key (pm_pytest_key()): the file and the name of the test,
 * without the class, with a star for the device. A key failed where one of its tests did.
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

/* A key. Tests that are excluded have none. */
struct pm_result {
    char *key;       /* "argsort_test.py:test_nan_*" */
    size_t function; /* index */
    bool failed;     /* one of its tests failed, or ended in an error */
    bool skipped;    /* one of its tests was skipped, or was expected to fail */
    double sum_ns;   /* sum of all timed operations, of all timing files */
    size_t calls;    /* number of timed operations */
    size_t files;    /* timing files that have one */
};
/* A file of tests; counts of tests. */
struct pm_result_function {
    char *name; /* "argsort" */
    size_t passed, failed, skipped;
    size_t unreported; /* only in timing files */
    size_t excluded;   /* named for another device: in none of the counts above */
    size_t untimed;    /* how many of `passed` have no timed operation */
    size_t calls;      /* timed operations */
};
/* A test that failed and counts. */
struct pm_result_failure {
    size_t function; /* index */
    char *reason;    /* "type failure"; "": unclassified */
};
struct pm_results {
    int64_t run_id;
    char *target;    /* "pytorch@cuda" */
    char *framework; /* framework as the paper calls it, or as it was imported: "PyTorch" */
    char *device;    /* device as the paper calls it, or as it was imported: "GPU" */
    char *digest;    /* digest of the report */
    struct pm_result *items;
    size_t count, capacity;
    struct pm_map by_key; /* number, from 1 */
    struct pm_result_function *functions;
    size_t function_count, function_capacity;
    struct pm_map by_function; /* number, from 1 */
    struct pm_result_failure *failures;
    size_t failure_count, failure_capacity;
    size_t files;    /* timing files */
    size_t tests;    /* how many tests the report has */
    char **excluded; /* names of those that are named for another device */
    size_t excluded_count, excluded_capacity;
};
/* Reads the tests of a stored run; *out has no target if the run has none. `run` is a row from the
 * store. */
PM_MUST_USE int pm_results_load(struct pm_store *store, const struct pm_run_row *run,
                                struct pm_results *out, struct pm_error *err);
void pm_results_release(struct pm_results *r);

/* ---- rows of latencies ---------------------------------------------------------------------- */

/* Which tests reproduce a printed row, within a thousandth of a millisecond on both devices. */
enum pm_row_by {
    PM_ROW_PASSED,    /* tests that were not skipped and did not fail, on both devices */
    PM_ROW_EVERY_RUN, /* those of them that are timed in every timing file of both */
    PM_ROW_FAILED,    /* all tests, including those that failed */
    PM_ROW_OTHER,     /* none of these */
    PM_ROW_NO_DATA    /* no timed operation of the function on both */
};
/* A row of one of tables 5 to 7. Latencies in milliseconds: the mean over a function's tests of the
 * mean over a test's operations in all timing files; NaN if missing. */
struct pm_row {
    const char *subject;         /* "torch.argsort", the publication's */
    const char *function;        /* its file of tests, "" where none is found: the results' */
    double gpu, tpu;             /* as the paper prints them */
    double gpu_again, tpu_again; /* by PM_ROW_PASSED */
    double gpu_by, tpu_by;       /* by the tests of `by` */
    size_t tests;                /* tests of the function that are timed on both devices */
    bool leaves_out_gpu,
        leaves_out_tpu; /* the printed number does not follow if failed tests on that device are
                           included: the paper counted them as failing */
    enum pm_row_by by;
    char *difference; /* which tests make the difference to PM_ROW_PASSED; "" */
};
/* Makes one row for each row of the framework's table. The caller frees them with
 * pm_rows_free(). */
void pm_results_rows(const struct pm_publication *p, const struct pm_results *gpu,
                     const struct pm_results *tpu, struct pm_row **out, size_t *count);
void pm_rows_free(struct pm_row *rows, size_t count);

/* ---- counts of functions -------------------------------------------------------------------- */

#define PM_RECOUNTS(X, P)                                                                          \
    X(P, WORKS, "works")                                                                           \
    X(P, PARTLY, "partly")                                                                         \
    X(P, FAILS, "fails")                                                                           \
    X(P, UNREPORTED, "only timed") /* no report has its tests */                                   \
    X(P, SKIPPED, "all skipped")
PM_WORDS(recount, PM_RECOUNTS, PM_RECOUNT);
enum pm_recount pm_results_verdict(const struct pm_result_function *f);
/* Returns whether any test has an outcome: if not, only timing files were imported. */
bool pm_results_have_report(const struct pm_results *r);

/* How the counts of one target differ from those that are printed (table 8), step by step. */
struct pm_recounting {
    const char *framework, *device;
    size_t files[PM_RECOUNT_COUNT]; /* by the reports alone */
    size_t
        adjusted[PM_RECOUNT_COUNT]; /* after both steps below; only timed ones count as working */
    size_t printed[PM_RECOUNT_COUNT], printed_of; /* table 8: works, partly, fails, of */
    char *dropped;   /* files that pass without a timed operation on any device, names; "" */
    char *as_passed; /* failing files whose printed latencies count the failed tests, names; "" */
    char *left; /* the remaining difference, and the names that may be the cause: not those whose
                   printed latencies exclude failed tests; "" */
};
/* Counts the results again, step by step. `rows` are those of the same framework, for the second
 * step. The caller frees the texts with pm_recounting_release(). */
void pm_results_recount(const struct pm_publication *p, const struct pm_results *r,
                        const struct pm_results *other, const struct pm_row *rows, size_t row_count,
                        struct pm_recounting *out);
void pm_recounting_release(struct pm_recounting *r);

/* Finds contradictions in the imported targets: one report for two devices, files beyond the
 * functions that table 8 counts, tests that pass and have no timed operation, files that are only
 * timed. `p` may have no cells. */
void pm_results_contradictions(const struct pm_publication *p, const struct pm_results *results,
                               size_t count, struct pm_contradictions *out);

#endif

/*
 * Published results in a run of kind `published`: printed numbers, and the tests and times of
 * imported reports. Rows, errors and ownership are as in store/store.h.
 */
#ifndef PM_STORE_PUBLISHED_H
#define PM_STORE_PUBLISHED_H

#include "store/store.h"

enum { PM_STORE_MOST_LINES = 1000000 };
#define PM_STORE_MOST_PUBLISHED 1e300
/* A number that a publication prints. */
struct pm_published_row {
    int64_t run_id;
    const char *table;   /* "1": its table 1; "text": its sentences */
    int64_t line;        /* row of the table, 1 to PM_STORE_MOST_LINES */
    const char *subject; /* what the row is about: "torch.argsort" */
    const char *item;    /* the heading of the column: "GPU (ms)" */
    const char *text;    /* text as it is printed: "22%", "5/65" */
    double value;        /* the first number in `text`: 22, 5; NaN: none */
};
PM_MUST_USE int pm_store_add_published(struct pm_store *store, const struct pm_published_row *row,
                                       struct pm_error *err);
typedef int pm_published_fn(void *ctx, const struct pm_published_row *row);
/* Reads the published cells of one run, ordered by table, line and item. */
PM_MUST_USE int pm_store_published(struct pm_store *store, int64_t run_id, pm_published_fn *row,
                                   void *ctx, struct pm_error *err);

/* A test of an imported report. */
struct pm_imported_test_row {
    int64_t id, run_id, target_id;
    const char *function; /* "argsort": the file of the test */
    const char *name;     /* "argsort_test.py::Sort::test_nan" */
    enum pm_test_outcome outcome;
    const char *stage, *type, *message; /* where a test failed, the exception and its text; or "" */
    const char *excluded;               /* why it is not counted; "": it is counted */
    const char *reason, *rule;          /* as in pm_judgement_row */
};
/* Adds an imported test. PM_EFORMAT if one with the same run, target and name exists. */
PM_MUST_USE int pm_store_add_imported_test(struct pm_store *store,
                                           const struct pm_imported_test_row *row, int64_t *id,
                                           struct pm_error *err);
/* Stores the reason of a failure, and the rule that gave it. */
PM_MUST_USE int pm_store_set_imported_reason(struct pm_store *store, int64_t id, const char *reason,
                                             const char *rule, struct pm_error *err);
typedef int pm_imported_test_fn(void *ctx, const struct pm_imported_test_row *row);
/* Reads the imported tests of one run, in the order in which they were added. */
PM_MUST_USE int pm_store_imported_tests(struct pm_store *store, int64_t run_id,
                                        pm_imported_test_fn *row, void *ctx, struct pm_error *err);

/* The times of an imported test in one timing file. */
struct pm_imported_timing_row {
    int64_t test_id, repetition;
    const int64_t *times; /* each is the time of one operation, in ns; at least 0 */
    size_t count;         /* at most PM_STORE_MOST_TIMINGS */
    int64_t whole_ns;     /* time of the whole test; -1 if unknown */
};
PM_MUST_USE int pm_store_add_imported_timing(struct pm_store *store,
                                             const struct pm_imported_timing_row *row,
                                             struct pm_error *err);
typedef int pm_imported_timing_fn(void *ctx, const struct pm_imported_timing_row *row);
/* Reads the imported times of one run, ordered by test and repetition. */
PM_MUST_USE int pm_store_imported_timings(struct pm_store *store, int64_t run_id,
                                          pm_imported_timing_fn *row, void *ctx,
                                          struct pm_error *err);

#endif

/*
 * Reports of pytest, as its plug-in pytest-json-report writes them, and the timing files of the
 * paper: parsed, nothing in them is trusted. Bytes need no NUL behind them.
 *
 * A report is an object with "tests": [{"nodeid": "dir/argsort_test.py::Sort::test_nan", "outcome":
 * "passed", "setup": {...}, "call": {"outcome", "crash": {"message"}, "longrepr"}, "teardown"}].
 * A timing file is an object of tests: {"argsort_test.py:test_nan": {"operations": [seconds, ...],
 * "test_time": seconds}}. It does not say of which class a test is.
 *
 * Limits: PM_PYTEST_MOST_BYTES a file, PM_PYTEST_MOST_TESTS tests, 32 levels of JSON, 4,096 bytes a
 * name, PM_STORE_MOST_TIMINGS operations a test, 10^6 seconds each. Errors are PM_EFORMAT with one
 * line that names the test; the caller puts the file's name in front.
 */
#ifndef PM_PUBLISHED_PYTEST_H
#define PM_PUBLISHED_PYTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vocabulary.h"

enum { PM_PYTEST_MOST_BYTES = 256 << 20, PM_PYTEST_MOST_TESTS = 1000000 };

struct pm_pytest_test {
    char *file;     /* "argsort_test.py", without folders */
    char *function; /* "argsort": the file without ".py", "_test" and "test_" */
    char *inside;   /* "Sort::test_nan" */
    char *test;     /* "test_nan" */
    enum pm_test_outcome outcome;
    const char *stage;    /* where a failed test failed: "setup", "call" or "teardown"; else "" */
    char *type, *message; /* the exception of a failed test, "" if missing, and its text */
    bool other_device;    /* it is named for another device: pm_pytest_exclude() */
};
struct pm_pytest_report {
    struct pm_pytest_test *tests;
    size_t count, capacity;
};
PM_MUST_USE int pm_pytest_parse(const char *bytes, size_t length, struct pm_pytest_report *out,
                                struct pm_error *err);
void pm_pytest_release(struct pm_pytest_report *report);
/* Adds a test that is in no report: `key` as in a timing file. */
struct pm_pytest_test *pm_pytest_add(struct pm_pytest_report *report, const char *key);

/* Marks the tests that are named for another device than `device`, if the report names its tests by
 * device at all: if one is named for `device`. Returns their number. */
size_t pm_pytest_exclude(struct pm_pytest_report *report, const char *device);
/* Returns what tests of the same function on different devices have in common:
 * "argsort_test.py:test_nan_*_float32" of "test_nan_cuda_float32". The caller frees. */
char *pm_pytest_key(const char *file, const char *test, const char *device);

struct pm_pytest_timing {
    char *key; /* "argsort_test.py:test_nan" */
    int64_t *times;
    size_t count;
    int64_t whole_ns; /* -1: not known */
};
struct pm_pytest_timings {
    struct pm_pytest_timing *items;
    size_t count, capacity;
};
PM_MUST_USE int pm_pytest_parse_timings(const char *bytes, size_t length,
                                        struct pm_pytest_timings *out, struct pm_error *err);
void pm_pytest_timings_release(struct pm_pytest_timings *timings);

#endif

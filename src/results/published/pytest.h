/*
 * Parses reports of pytest, in the format of its plug-in pytest-json-report, and the timing files
 * of the paper. The parser trusts nothing in them. The bytes need no NUL at their end.
 *
 * A report is an object with "tests": [{"nodeid": "dir/argsort_test.py::Sort::test_nan", "outcome":
 * "passed", "setup": {...}, "call": {"outcome", "crash": {"message"}, "longrepr"}, "teardown"}]. A
 * timing file is an object of tests: {"argsort_test.py:test_nan": {"operations": [seconds, ...],
 * "test_time": seconds}}. It does not name the class of a test.
 *
 * Limits: PM_PYTEST_MOST_BYTES per file, PM_PYTEST_MOST_TESTS tests, 32 levels of JSON, 4,096 bytes
 * per name, PM_STORE_MOST_TIMINGS operations per test, 10^6 seconds per operation. Invalid
 * input is PM_EFORMAT. The message is one line, which names the test if the error is in a test; the
 * caller adds the name of the file. The caller releases *out. After an error, *out is empty.
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
    char *function; /* "argsort": the file without "test_", ".py" and "_test" */
    char *inside;   /* "Sort::test_nan" */
    char *test;     /* "test_nan" */
    enum pm_test_outcome outcome;
    const char *stage;    /* stage in which the test failed: "setup", "call" or "teardown"; else
                             "" */
    char *type, *message; /* of a failed test: the exception and its text; "" if missing */
    bool other_device;    /* set by pm_pytest_exclude() */
};
struct pm_pytest_report {
    struct pm_pytest_test *tests;
    size_t count, capacity;
};
PM_MUST_USE int pm_pytest_parse(const char *bytes, size_t length, struct pm_pytest_report *out,
                                struct pm_error *err);
void pm_pytest_release(struct pm_pytest_report *report);
/* Adds a test without an outcome, for a key of a timing file that the report lacks. Returns the
 * test, which is valid until the next one is added. */
struct pm_pytest_test *pm_pytest_add(struct pm_pytest_report *report, const char *key);

/* Marks the tests whose names contain another device than `device`, and returns their number. Marks
 * none if no test is named for `device`: then the names do not depend on the device. */
size_t pm_pytest_exclude(struct pm_pytest_report *report, const char *device);
/* Returns a key that is the same for a test on all devices: "argsort_test.py:test_nan_*_float32"
 * for "test_nan_cuda_float32". The caller frees it. */
char *pm_pytest_key(const char *file, const char *test, const char *device);

struct pm_pytest_timing {
    char *key;      /* "argsort_test.py:test_nan" */
    int64_t *times; /* ns, one per operation */
    size_t count;
    int64_t whole_ns; /* time of the whole test; -1: not known */
};
struct pm_pytest_timings {
    struct pm_pytest_timing *items;
    size_t count, capacity;
};
PM_MUST_USE int pm_pytest_parse_timings(const char *bytes, size_t length,
                                        struct pm_pytest_timings *out, struct pm_error *err);
void pm_pytest_timings_release(struct pm_pytest_timings *timings);

#endif

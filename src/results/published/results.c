/* Reads imported tests into memory, with a key that is the same on all devices. */
#include "published/results.h"

#include <string.h>

#include "base/alloc.h"
#include "published/pytest.h"
#include "store/published.h"
#include "store/targets.h"

PM_WORDS_DEFINE(recount, PM_RECOUNTS, PM_RECOUNT);

struct loading {
    struct pm_results *r;
    char *device; /* device as it was imported */
    struct test {
        int64_t id;
        size_t item, function; /* item: index + 1; 0: excluded */
        bool passed, timed;
    } * tests; /* in order of id */
    size_t count, capacity;
};

void pm_results_release(struct pm_results *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->items[i].key);
    for (size_t i = 0; i < r->function_count; i++)
        free(r->functions[i].name);
    for (size_t i = 0; i < r->failure_count; i++)
        free(r->failures[i].reason);
    pm_free_strings(r->excluded, r->excluded_count);
    free(r->items);
    free(r->failures);
    free(r->functions);
    pm_map_release(&r->by_key);
    pm_map_release(&r->by_function);
    free(r->target);
    free(r->framework);
    free(r->device);
    free(r->digest);
    *r = (struct pm_results){0};
}

static int keep_target(void *ctx, const struct pm_target_row *row)
{
    struct loading *l = ctx;
    if (l->r->target)
        return PM_OK;
    const char *framework = pm_publication_framework(row->framework);
    const char *device = pm_publication_device(row->device);
    l->r->target = pm_strdup(row->text);
    l->r->framework = pm_strdup(framework ? framework : row->framework);
    l->r->device = pm_strdup(device ? device : row->device);
    l->device = pm_strdup(row->device);
    return PM_OK;
}

static size_t function_of(struct pm_results *r, const char *name)
{
    const size_t known = (uintptr_t)pm_map_get(&r->by_function, name);
    if (known)
        return known - 1;
    PM_GROW(r->functions, r->function_count, r->function_capacity);
    r->functions[r->function_count++] = (struct pm_result_function){.name = pm_strdup(name)};
    pm_map_put(&r->by_function, name, (void *)(uintptr_t)r->function_count);
    return r->function_count - 1;
}

static size_t item_of(struct loading *l, const struct pm_imported_test_row *row, size_t function)
{
    struct pm_results *r = l->r;
    char *file = pm_strndup(row->name, strcspn(row->name, ":"));
    const char *test = row->name;
    for (const char *next; (next = strstr(test, "::"));)
        test = next + 2;
    char *key = pm_pytest_key(file, test, l->device);
    size_t number = (uintptr_t)pm_map_get(&r->by_key, key);
    if (!number) {
        PM_GROW(r->items, r->count, r->capacity);
        r->items[r->count++] = (struct pm_result){.key = pm_strdup(key), .function = function};
        number = r->count;
        pm_map_put(&r->by_key, key, (void *)(uintptr_t)number);
    }
    free(key);
    free(file);
    return number;
}

static void count_test(struct pm_results *r, const struct test *test,
                       const struct pm_imported_test_row *row)
{
    struct pm_result_function *f = &r->functions[test->function];
    struct pm_result *item = &r->items[test->item - 1];
    const bool failed = row->outcome == PM_TEST_FAILED || row->outcome == PM_TEST_ERROR;
    const bool passed = row->outcome == PM_TEST_PASSED || row->outcome == PM_TEST_XPASSED;
    item->failed |= failed;
    item->skipped |= !failed && !passed && row->outcome != PM_TEST_NONE;
    f->failed += failed;
    f->passed += passed;
    f->unreported += row->outcome == PM_TEST_NONE;
    f->skipped += !failed && !passed && row->outcome != PM_TEST_NONE;
    if (!failed)
        return;
    PM_GROW(r->failures, r->failure_count, r->failure_capacity);
    r->failures[r->failure_count++] =
        (struct pm_result_failure){.function = test->function, .reason = pm_strdup(row->reason)};
}

static int keep_test(void *ctx, const struct pm_imported_test_row *row)
{
    struct loading *l = ctx;
    struct pm_results *r = l->r;
    struct test test = {.id = row->id, .function = function_of(r, row->function)};
    r->tests += row->outcome != PM_TEST_NONE;
    if (*row->excluded) {
        PM_GROW(r->excluded, r->excluded_count, r->excluded_capacity);
        r->excluded[r->excluded_count++] = pm_strdup(row->name);
        r->functions[test.function].excluded++;
    } else {
        test.item = item_of(l, row, test.function);
        test.passed = row->outcome == PM_TEST_PASSED;
        count_test(r, &test, row);
    }
    PM_GROW(l->tests, l->count, l->capacity);
    l->tests[l->count++] = test;
    return PM_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct test *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int keep_timing(void *ctx, const struct pm_imported_timing_row *row)
{
    struct loading *l = ctx;
    const struct test wanted = {.id = row->test_id};
    struct test *test = bsearch(&wanted, l->tests, l->count, sizeof *l->tests, by_id);
    if ((size_t)row->repetition >= l->r->files)
        l->r->files = (size_t)row->repetition + 1;
    if (!test || !test->item || !row->count)
        return PM_OK;
    struct pm_result *item = &l->r->items[test->item - 1];
    for (size_t i = 0; i < row->count; i++)
        item->sum_ns += (double)row->times[i];
    item->calls += row->count;
    item->files++;
    l->r->functions[test->function].calls += row->count;
    test->timed = true;
    return PM_OK;
}

int pm_results_load(struct pm_store *store, const struct pm_run_row *run, struct pm_results *out,
                    struct pm_error *err)
{
    struct loading l = {.r = out};
    *out = (struct pm_results){.run_id = run->id, .digest = pm_strdup(run->suite_digest)};
    int rc = pm_store_targets(store, run->id, keep_target, &l, err);
    if (!rc && out->target)
        rc = pm_store_imported_tests(store, run->id, keep_test, &l, err);
    if (!rc && out->target)
        rc = pm_store_imported_timings(store, run->id, keep_timing, &l, err);
    for (size_t i = 0; i < l.count; i++)
        out->functions[l.tests[i].function].untimed += l.tests[i].passed && !l.tests[i].timed;
    free(l.tests);
    free(l.device);
    if (rc)
        pm_results_release(out);
    return rc;
}

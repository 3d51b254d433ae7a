/* Inventories, scans, samples and estimates: what goes into the store comes out, in order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/store_private.h"

struct fixture {
    char *folder, *path;
    struct pm_store *store;
    struct pm_error err;
    struct pm_str seen; /* what the callbacks were given, one line a row */
};

static int set_up(void **state)
{
    struct fixture *f = pm_alloc(sizeof *f);
    pm_str_init(&f->seen);
    if (pm_folder_scratch(&f->folder, &f->err))
        return -1;
    f->path = pm_path_join(f->folder, "test.db");
    *state = f;
    return pm_store_open(&f->store, f->path, PM_STORE_WRITE, &f->err);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pm_store_free(f->store);
    const int rc = pm_folder_remove(f->folder, &f->err);
    pm_str_release(&f->seen);
    free(f->folder);
    free(f->path);
    free(f);
    return rc;
}

#define assert_ok(f, expr)                                                                         \
    do {                                                                                           \
        if ((expr) != PM_OK)                                                                       \
            fail_msg("%s: %s", #expr, (f)->err.text);                                              \
    } while (0)

/* What a query gave, which is forgotten then. */
static void assert_seen(struct fixture *f, const char *expected)
{
    assert_string_equal(f->seen.data, expected);
    pm_str_clear(&f->seen);
}

/* ---- inventories --------------------------------------------------------------------------- */

static int note_inventory(void *ctx, const struct pm_inventory_row *row)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->seen, "%lld %s %s %s %d %s %.20s %zu\n", (long long)row->id, row->framework,
                row->version, row->environment, row->flat, row->recorded, row->document,
                strlen(row->document));
    return 0;
}

static int64_t add_inventory(struct fixture *f, const char *framework, const char *version,
                             const char *recorded, const char *document)
{
    const struct pm_inventory_row row = {.framework = framework,
                                         .version = version,
                                         .environment = "venv",
                                         .flat = !*version,
                                         .recorded = recorded,
                                         .document = document};
    int64_t id = 0;
    assert_ok(f, pm_store_add_inventory(f->store, &row, &id, &f->err));
    return id;
}

static void test_inventories(void **state)
{
    struct fixture *f = *state;
    struct pm_str large = PM_STR_INIT;
    pm_str_add(&large, "[");
    for (int i = 0; i < 100000; i++)
        pm_str_addf(&large, "\"name_%d\", ", i);
    pm_str_add(&large, "\"last\"]");
    add_inventory(f, "pytorch", "2.13.0", "day 1", "{}");
    add_inventory(f, "pytorch", "2.14.0", "day 2", "{}");
    add_inventory(f, "jax", "", "day 3", large.data);
    assert_ok(f, pm_store_inventories(f->store, NULL, note_inventory, f, &f->err));
    char *expected = pm_format("3 jax  venv 1 day 3 %.20s %zu\n"
                               "2 pytorch 2.14.0 venv 0 day 2 {} 2\n"
                               "1 pytorch 2.13.0 venv 0 day 1 {} 2\n",
                               large.data, large.length);
    assert_seen(f, expected);
    free(expected);
    pm_str_release(&large);
}

static void test_same_inventory_is_stored_once(void **state)
{
    struct fixture *f = *state;
    const int64_t first = add_inventory(f, "pytorch", "2.13.0", "day 1", "{}");
    add_inventory(f, "pytorch", "2.13.0", "day 2", "{\"a\": 1}");
    assert_int_equal(add_inventory(f, "pytorch", "2.13.0", "day 3", "{}"), first);
    assert_ok(f, pm_store_inventories(f->store, "pytorch", note_inventory, f, &f->err));
    assert_seen(f, "1 pytorch 2.13.0 venv 0 day 3 {} 2\n"
                   "2 pytorch 2.13.0 venv 0 day 2 {\"a\": 1} 8\n");
    assert_ok(f, pm_store_inventories(f->store, "jax", note_inventory, f, &f->err));
    assert_seen(f, "");
}

static void test_damaged_inventory(void **state)
{
    struct fixture *f = *state;
    add_inventory(f, "pytorch", "2.13.0", "day 1", "{\"a\": [1, 2, 3]}");
    static const char *const damages[] = {
        "UPDATE inventory SET length = 9223372036854775807",
        "UPDATE inventory SET length = -1",
        "UPDATE inventory SET length = 16, document = substr(document, 1, 12)",
        "UPDATE inventory SET document = x''",
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        assert_int_equal(sqlite3_exec(f->store->db, damages[i], 0, 0, 0), SQLITE_OK);
        assert_int_equal(pm_store_inventories(f->store, NULL, note_inventory, f, &f->err),
                         PM_EFORMAT);
        assert_non_null(strstr(f->err.text, "damaged database"));
        assert_seen(f, "");
    }
}

/* ---- scans --------------------------------------------------------------------------------- */

static int note_scan(void *ctx, const struct pm_scan_row *row)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->seen, "%lld %s %s %s %s %s\n", (long long)row->id, row->started, row->finished,
                row->options, row->totals, row->damages);
    return 0;
}

static int note_scanned(void *ctx, const struct pm_scanned_row *row)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld %s %lld %lld %lld\n", (long long)row->scan_id,
                (long long)row->inventory_id, row->framework, (long long)row->study_files,
                (long long)row->importing_files, (long long)row->unlisted);
    return 0;
}

static int note_frequency(void *ctx, const struct pm_frequency_row *row)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->seen, "%lld %s %s %s '%s' %lld %lld %lld  %lld %lld %lld  %lld %lld\n",
                (long long)row->scan_id, row->framework, row->rule, row->name, row->kind,
                (long long)row->uses, (long long)row->files, (long long)row->repositories,
                (long long)row->resolved, (long long)row->possible_method, (long long)row->other,
                (long long)row->references, (long long)row->rebound);
    return 0;
}

static int64_t add_scan(struct fixture *f, const char *options)
{
    const struct pm_scan_row scan = {.started = "day 1",
                                     .finished = "day 2",
                                     .options = options,
                                     .totals = "{\"files\":3}",
                                     .damages = "[]"};
    int64_t id = 0;
    assert_ok(f, pm_store_add_scan(f->store, &scan, &id, &f->err));
    return id;
}

static void test_scans(void **state)
{
    struct fixture *f = *state;
    const int64_t inventory = add_inventory(f, "pytorch", "2.13.0", "day 1", "{}");
    const int64_t first = add_scan(f, "{\"paths\":[\"a\"]}");
    add_scan(f, "{\"paths\":[\"b\"]}");
    assert_ok(f, pm_store_scans(f->store, note_scan, f, &f->err));
    assert_seen(f, "2 day 1 day 2 {\"paths\":[\"b\"]} {\"files\":3} []\n"
                   "1 day 1 day 2 {\"paths\":[\"a\"]} {\"files\":3} []\n");
    struct pm_scanned_row row = {.scan_id = first,
                                 .inventory_id = inventory,
                                 .framework = "pytorch",
                                 .study_files = 3,
                                 .importing_files = 2,
                                 .unlisted = INT64_MAX};
    assert_ok(f, pm_store_add_scanned(f->store, &row, &f->err));
    assert_int_equal(pm_store_add_scanned(f->store, &row, &f->err), PM_EFORMAT);
    row.framework = "jax";
    assert_ok(f, pm_store_add_scanned(f->store, &row, &f->err));
    row.inventory_id = 77;
    row.framework = "tensorflow";
    assert_int_equal(pm_store_add_scanned(f->store, &row, &f->err), PM_EFORMAT);
    assert_ok(f, pm_store_scanned(f->store, first, note_scanned, f, &f->err));
    assert_seen(f, "1 1 jax 3 2 9223372036854775807\n1 1 pytorch 3 2 9223372036854775807\n");
    assert_ok(f, pm_store_scanned(f->store, 2, note_scanned, f, &f->err));
    assert_seen(f, "");
}

static void test_frequencies(void **state)
{
    struct fixture *f = *state;
    const int64_t scan = add_scan(f, "{}");
    struct pm_frequency_row row = {.scan_id = scan,
                                   .framework = "pytorch",
                                   .rule = "resolved",
                                   .name = "torch.rare",
                                   .kind = "function",
                                   .uses = 9,
                                   .files = 2,
                                   .repositories = 1,
                                   .references = 5,
                                   .rebound = 4};
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));
    row.name = "torch.often";
    row.uses = 10;
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));
    row.name = "torch.also";
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));
    row = (struct pm_frequency_row){.scan_id = scan,
                                    .framework = "pytorch",
                                    .rule = "study",
                                    .name = "rare",
                                    .uses = 6,
                                    .files = 5,
                                    .repositories = 4,
                                    .resolved = 3,
                                    .possible_method = 2,
                                    .other = 1};
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));
    assert_int_equal(pm_store_add_frequency(f->store, &row, &f->err), PM_EFORMAT);
    row.framework = "jax";
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));
    row.rule = "guess";
    assert_int_equal(pm_store_add_frequency(f->store, &row, &f->err), PM_EFORMAT);

    assert_ok(f, pm_store_frequencies(f->store, scan, NULL, NULL, note_frequency, f, &f->err));
    assert_seen(f, "1 jax study rare '' 6 5 4  3 2 1  0 0\n"
                   "1 pytorch resolved torch.also 'function' 10 2 1  0 0 0  5 4\n"
                   "1 pytorch resolved torch.often 'function' 10 2 1  0 0 0  5 4\n"
                   "1 pytorch resolved torch.rare 'function' 9 2 1  0 0 0  5 4\n"
                   "1 pytorch study rare '' 6 5 4  3 2 1  0 0\n");
    assert_ok(f,
              pm_store_frequencies(f->store, scan, "pytorch", "study", note_frequency, f, &f->err));
    assert_seen(f, "1 pytorch study rare '' 6 5 4  3 2 1  0 0\n");
    assert_ok(f, pm_store_frequencies(f->store, 2, NULL, NULL, note_frequency, f, &f->err));
    assert_seen(f, "");
}

/* ---- samples, estimates -------------------------------------------------------------------- */

static int note_sample(void *ctx, const struct pm_sample_row *row)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld %s %s %s %s %s\n", (long long)row->id, (long long)row->scan_id,
                row->framework, row->rule, row->drawn, row->options, row->document);
    return 0;
}

static int note_estimate(void *ctx, const struct pm_estimate_row *row)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld %lld %s %g %g %g %lld %lld %g\n", (long long)row->run_id,
                (long long)row->target_id, (long long)row->sample_id, row->by, row->value, row->low,
                row->high, (long long)row->members, (long long)row->marked, row->unknown);
    return 0;
}

static int note_run(void *ctx, const struct pm_run_row *row)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld\n", (long long)row->id, (long long)row->sample_id);
    return 0;
}

static int64_t add_sample(struct fixture *f, int64_t scan_id, const char *framework)
{
    const struct pm_sample_row row = {.scan_id = scan_id,
                                      .framework = framework,
                                      .rule = "resolved",
                                      .drawn = "day 1",
                                      .options = "{\"seed\":1}",
                                      .document = "{\"members\":[]}"};
    int64_t id = 0;
    assert_ok(f, pm_store_add_sample(f->store, &row, &id, &f->err));
    return id;
}

static void test_samples(void **state)
{
    struct fixture *f = *state;
    add_sample(f, 0, "pytorch");
    add_sample(f, add_scan(f, "{}"), "jax");
    assert_ok(f, pm_store_samples(f->store, NULL, note_sample, f, &f->err));
    assert_seen(f, "2 1 jax resolved day 1 {\"seed\":1} {\"members\":[]}\n"
                   "1 0 pytorch resolved day 1 {\"seed\":1} {\"members\":[]}\n");
    assert_ok(f, pm_store_samples(f->store, "pytorch", note_sample, f, &f->err));
    assert_seen(f, "1 0 pytorch resolved day 1 {\"seed\":1} {\"members\":[]}\n");
    const struct pm_sample_row stray = {.scan_id = 77, .framework = "jax", .rule = "study"};
    int64_t id = 0;
    assert_int_equal(pm_store_add_sample(f->store, &stray, &id, &f->err), PM_EFORMAT);
}

static int64_t add_run(struct fixture *f, const char *uuid, int64_t sample_id)
{
    const struct pm_run_row run = {.uuid = uuid, .state = "running", .sample_id = sample_id};
    int64_t id = 0;
    assert_ok(f, pm_store_add_run(f->store, &run, &id, &f->err));
    return id;
}

static void test_run_of_a_sample(void **state)
{
    struct fixture *f = *state;
    const int64_t sample = add_sample(f, 0, "pytorch");
    add_run(f, "u1", 0);
    const int64_t id = add_run(f, "u2", sample);
    const struct pm_run_row done = {.id = id, .state = "done"};
    assert_ok(f, pm_store_update_run(f->store, &done, &f->err));
    assert_ok(f, pm_store_runs(f->store, note_run, f, &f->err));
    assert_seen(f, "1 0\n2 1\n");
}

static void test_estimates(void **state)
{
    struct fixture *f = *state;
    const int64_t sample = add_sample(f, 0, "null");
    struct pm_estimate_row row = {.sample_id = sample,
                                  .value = 0.5,
                                  .low = 0.25,
                                  .high = 0.75,
                                  .members = 70,
                                  .marked = 3,
                                  .unknown = 0.125};
    for (int number = 0; number < 2; number++) {
        row.run_id = add_run(f, number ? "u2" : "u1", sample);
        const struct pm_target_row target = {
            .run_id = row.run_id, .text = "null@null", .role = "subject"};
        assert_ok(f, pm_store_add_target(f->store, &target, &row.target_id, &f->err));
        row.by = "use";
        assert_ok(f, pm_store_add_estimate(f->store, &row, &f->err));
        row.by = "function";
        row.value = NAN;
        assert_ok(f, pm_store_add_estimate(f->store, &row, &f->err));
        row.value = 0.5;
    }
    row.by = "guess";
    assert_int_equal(pm_store_add_estimate(f->store, &row, &f->err), PM_EFORMAT);
    assert_ok(f, pm_store_estimates(f->store, 1, note_estimate, f, &f->err));
    assert_seen(f, "1 1 1 function nan 0.25 0.75 70 3 0.125\n"
                   "1 1 1 use 0.5 0.25 0.75 70 3 0.125\n");
    assert_ok(f, pm_store_clear_judgements(f->store, 1, &f->err));
    assert_ok(f, pm_store_estimates(f->store, 1, note_estimate, f, &f->err));
    assert_seen(f, "");
    assert_ok(f, pm_store_estimates(f->store, 2, note_estimate, f, &f->err));
    assert_seen(f, "2 2 1 function nan 0.25 0.75 70 3 0.125\n"
                   "2 2 1 use 0.5 0.25 0.75 70 3 0.125\n");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_inventories),       T(test_same_inventory_is_stored_once),
        T(test_damaged_inventory), T(test_scans),
        T(test_frequencies),       T(test_samples),
        T(test_run_of_a_sample),   T(test_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of inventories, scans, samples and estimates: stored rows are read unchanged, in order. */
#include "store_scene.h"

#include <math.h>

#include "base/alloc.h"
#include "store/judgements.h"
#include "store/places.h"
#include "store/runs.h"
#include "store/samples.h"
#include "store/scans.h"
#include "store/targets.h"

#define DAY_1 "2026-01-01T00:00:00.000Z"
#define DAY_2 "2026-01-02T00:00:00.000Z"
#define DAY_3 "2026-01-03T00:00:00.000Z"

static int set_up(void **state)
{
    if (scene_set_up(state))
        return -1;
    scene_open(*state, PM_STORE_WRITE);
    return 0;
}

/* Asserts the text of the rows seen since the last call, and clears it. */
static void assert_seen(struct scene *f, const char *expected)
{
    assert_string_equal(f->seen.data, expected);
    pm_str_clear(&f->seen);
}

/* ---- inventories --------------------------------------------------------------------------- */

static int note_inventory(void *ctx, const struct pm_inventory_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%lld %s %s %s %d %s %.20s %zu\n", (long long)row->id, row->framework,
                row->version, row->environment, row->flat, row->recorded, row->document,
                strlen(row->document));
    return 0;
}

static int64_t add_inventory(struct scene *f, const char *framework, const char *version,
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
    struct scene *f = *state;
    struct pm_str large = PM_STR_INIT;
    pm_str_add(&large, "[");
    for (int i = 0; i < 100000; i++)
        pm_str_addf(&large, "\"name_%d\", ", i);
    pm_str_add(&large, "\"last\"]");
    add_inventory(f, "pytorch", "2.13.0", DAY_1, "{}");
    add_inventory(f, "pytorch", "2.14.0", DAY_2, "{}");
    add_inventory(f, "jax", "", DAY_3, large.data);
    assert_ok(f, pm_store_inventories(f->store, NULL, note_inventory, f, &f->err));
    char *expected = pm_format("3 jax  venv 1 " DAY_3 " %.20s %zu\n"
                               "2 pytorch 2.14.0 venv 0 " DAY_2 " {} 2\n"
                               "1 pytorch 2.13.0 venv 0 " DAY_1 " {} 2\n",
                               large.data, large.length);
    assert_seen(f, expected);
    free(expected);
    pm_str_release(&large);
}

static void test_same_inventory_is_stored_once(void **state)
{
    struct scene *f = *state;
    const int64_t first = add_inventory(f, "pytorch", "2.13.0", DAY_1, "{}");
    add_inventory(f, "pytorch", "2.13.0", DAY_2, "{\"a\": 1}");
    assert_int_equal(add_inventory(f, "pytorch", "2.13.0", DAY_3, "{}"), first);
    assert_ok(f, pm_store_inventories(f->store, "pytorch", note_inventory, f, &f->err));
    assert_seen(f, "1 pytorch 2.13.0 venv 0 " DAY_3 " {} 2\n"
                   "2 pytorch 2.13.0 venv 0 " DAY_2 " {\"a\": 1} 8\n");
    assert_ok(f, pm_store_inventories(f->store, "jax", note_inventory, f, &f->err));
    assert_seen(f, "");
}

static void test_damaged_inventory(void **state)
{
    struct scene *f = *state;
    add_inventory(f, "pytorch", "2.13.0", DAY_1, "{\"a\": [1, 2, 3]}");
    static const char *const damages[] = {
        "UPDATE inventory SET length = 15",
        "UPDATE inventory SET length = 16, document = substr(document, 1, 12)",
        "UPDATE inventory SET document = x'00'",
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        scene_sql(f->path, damages[i]);
        assert_int_equal(pm_store_inventories(f->store, NULL, note_inventory, f, &f->err),
                         PM_EFORMAT);
        scene_assert_says(f, "row 'inventory 1' cannot be unpacked");
        assert_seen(f, "");
    }
}

/* ---- scans --------------------------------------------------------------------------------- */

static int note_scan(void *ctx, const struct pm_scan_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%lld %s %s %s %s %s %d%d\n", (long long)row->id, row->started,
                row->finished, row->options, row->totals, row->damages, row->types, row->places);
    return 0;
}

static int note_scanned(void *ctx, const struct pm_scanned_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld %s %lld %lld %lld\n", (long long)row->scan_id,
                (long long)row->inventory_id, row->framework, (long long)row->paper_files,
                (long long)row->importing_files, (long long)row->unlisted);
    return 0;
}

static int note_frequency(void *ctx, const struct pm_frequency_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen,
                "%lld %s %s %s '%s' %lld %lld %lld  %lld %lld %lld  %lld %lld  %lld %lld\n",
                (long long)row->scan_id, row->framework, pm_rule_text(row->rule), row->name,
                pm_name_kind_text(row->kind), (long long)row->uses, (long long)row->files,
                (long long)row->repositories, (long long)row->resolved,
                (long long)row->possible_method, (long long)row->other, (long long)row->references,
                (long long)row->rebound, (long long)row->instance_calls, (long long)row->possible);
    return 0;
}

static int64_t add_scan(struct scene *f, const char *options)
{
    const struct pm_scan_row scan = {.started = DAY_1,
                                     .finished = DAY_2,
                                     .options = options,
                                     .totals = "{\"files\":3}",
                                     .damages = "[]",
                                     .types = true};
    int64_t id = 0;
    assert_ok(f, pm_store_add_scan(f->store, &scan, &id, &f->err));
    return id;
}

static void test_scans(void **state)
{
    struct scene *f = *state;
    const int64_t inventory = add_inventory(f, "pytorch", "2.13.0", DAY_1, "{}");
    const int64_t first = add_scan(f, "{\"paths\":[\"a\"]}");
    add_scan(f, "{\"paths\":[\"b\"]}");
    assert_ok(f, pm_store_scans(f->store, note_scan, f, &f->err));
    assert_seen(f, "2 " DAY_1 " " DAY_2 " {\"paths\":[\"b\"]} {\"files\":3} [] 10\n"
                   "1 " DAY_1 " " DAY_2 " {\"paths\":[\"a\"]} {\"files\":3} [] 10\n");
    struct pm_scanned_row row = {.scan_id = first,
                                 .inventory_id = inventory,
                                 .framework = "pytorch",
                                 .paper_files = 3,
                                 .importing_files = 2,
                                 .unlisted = 1000000000000};
    assert_ok(f, pm_store_add_scanned(f->store, &row, &f->err));
    assert_int_equal(pm_store_add_scanned(f->store, &row, &f->err), PM_EFORMAT);
    row.framework = "jax";
    assert_ok(f, pm_store_add_scanned(f->store, &row, &f->err));
    row.inventory_id = 77;
    row.framework = "tensorflow";
    assert_int_equal(pm_store_add_scanned(f->store, &row, &f->err), PM_EFORMAT);
    assert_ok(f, pm_store_scanned(f->store, first, note_scanned, f, &f->err));
    assert_seen(f, "1 1 jax 3 2 1000000000000\n1 1 pytorch 3 2 1000000000000\n");
    assert_ok(f, pm_store_scanned(f->store, 2, note_scanned, f, &f->err));
    assert_seen(f, "");
}

static void test_frequencies(void **state)
{
    struct scene *f = *state;
    const int64_t scan = add_scan(f, "{}");
    struct pm_frequency_row row = {.scan_id = scan,
                                   .framework = "pytorch",
                                   .rule = PM_RULE_RESOLVED,
                                   .name = "torch.rare",
                                   .kind = PM_NAME_FUNCTION,
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
                                    .rule = PM_RULE_PAPER,
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
    row = (struct pm_frequency_row){.scan_id = scan,
                                    .framework = "jax",
                                    .rule = PM_RULE_INFERRED,
                                    .name = "jax.Array",
                                    .kind = PM_NAME_CLASS,
                                    .instance_calls = 8,
                                    .possible = 7};
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));

    assert_ok(
        f, pm_store_frequencies(f->store, scan, NULL, PM_RULE_COUNT, note_frequency, f, &f->err));
    assert_seen(f, "1 jax inferred jax.Array 'class' 0 0 0  0 0 0  0 0  8 7\n"
                   "1 jax paper rare '' 6 5 4  3 2 1  0 0  0 0\n"
                   "1 pytorch paper rare '' 6 5 4  3 2 1  0 0  0 0\n"
                   "1 pytorch resolved torch.also 'function' 10 2 1  0 0 0  5 4  0 0\n"
                   "1 pytorch resolved torch.often 'function' 10 2 1  0 0 0  5 4  0 0\n"
                   "1 pytorch resolved torch.rare 'function' 9 2 1  0 0 0  5 4  0 0\n");
    assert_ok(f, pm_store_frequencies(f->store, scan, "pytorch", PM_RULE_PAPER, note_frequency, f,
                                      &f->err));
    assert_seen(f, "1 pytorch paper rare '' 6 5 4  3 2 1  0 0  0 0\n");
    assert_ok(f,
              pm_store_frequencies(f->store, 2, NULL, PM_RULE_COUNT, note_frequency, f, &f->err));
    assert_seen(f, "");
}

/* Many rows are added without checks, and are checked at the end. */
static void test_many_frequencies_are_checked_at_the_end(void **state)
{
    struct scene *f = *state;
    const int64_t scan = add_scan(f, "{}");
    struct pm_frequency_row row = {
        .scan_id = scan, .framework = "pytorch", .rule = PM_RULE_PAPER, .name = "rare", .uses = 6};
    assert_ok(f, pm_store_frequencies_begin(f->store, &f->err));
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));
    assert_ok(f, pm_store_frequencies_end(f->store, scan, PM_OK, &f->err));
    row.name = "often";
    row.uses = -1;
    assert_int_equal(pm_store_add_frequency(f->store, &row, &f->err), PM_EFORMAT);
    assert_ok(f, pm_store_frequencies_begin(f->store, &f->err));
    assert_ok(f, pm_store_add_frequency(f->store, &row, &f->err));
    pm_error_set(&f->err, PM_EIO, "the first failure");
    assert_int_equal(pm_store_frequencies_end(f->store, scan, PM_EIO, &f->err), PM_EIO);
    scene_assert_says(f, "the first failure");
    assert_int_equal(pm_store_frequencies_end(f->store, scan, PM_OK, &f->err), PM_EFORMAT);
    scene_assert_says(f, "1 count of scan 1 does not fit the schema");
    row.name = "seldom"; /* added with checks again */
    assert_int_equal(pm_store_add_frequency(f->store, &row, &f->err), PM_EFORMAT);
}

static int note_unlisted(void *ctx, const struct pm_unlisted_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%lld %s %s %lld %lld\n", (long long)row->scan_id, row->framework,
                row->name, (long long)row->calls, (long long)row->files);
    return 0;
}

static void test_unlisted_names(void **state)
{
    struct scene *f = *state;
    const struct pm_unlisted_row rows[] = {
        {add_scan(f, "{}"), "jax", "jax.b", 2, 1},
        {1, "jax", "jax.c", 9, 3},
        {1, "jax", "jax.a", 2, 2},
        {1, "pytorch", "torch.a", 5, 2},
        {add_scan(f, "{}"), "jax", "jax.d", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_ok(f, pm_store_add_unlisted(f->store, &rows[i], &f->err));
    assert_int_equal(pm_store_add_unlisted(f->store, &rows[0], &f->err), PM_EFORMAT);
    assert_ok(f, pm_store_unlisted(f->store, 1, "jax", note_unlisted, f, &f->err));
    assert_seen(f, "1 jax jax.c 9 3\n1 jax jax.a 2 2\n1 jax jax.b 2 1\n");
    assert_ok(f, pm_store_unlisted(f->store, 2, "jax", note_unlisted, f, &f->err));
    assert_seen(f, "2 jax jax.d 1 1\n");
}

/* ---- places -------------------------------------------------------------------------------- */

static int note_place(void *ctx, const struct pm_place_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%s:%lld:%lld:%lld:%lld in '%s': %s, %s%s\n", row->input,
                (long long)row->record, (long long)row->cell, (long long)row->line,
                (long long)row->column, row->inside, pm_resolve_form_text(row->form),
                pm_resolve_how_text(row->how), row->chain);
    return 0;
}

static int64_t add_use(struct scene *f, int64_t scan, const char *name, enum pm_resolve_form form,
                       enum pm_resolve_how how)
{
    const struct pm_place_use_row row = {scan, "jax", name, form, how};
    int64_t id = 0;
    assert_ok(f, pm_store_add_place_use(f->store, &row, &id, &f->err));
    return id;
}

static int64_t add_file(struct scene *f, int64_t scan, const char *input, int64_t record)
{
    int64_t id = 0;
    assert_ok(f, pm_store_add_place_file(f->store, scan, input, record, 1, &id, &f->err));
    assert_ok(f, pm_store_add_place_scope(f->store, id, 1, "Net.forward", &f->err));
    return id;
}

static void add_place(struct scene *f, int64_t file, int64_t use, int64_t line, int64_t scope)
{
    struct pm_place_ids place = {
        .file_id = file, .use_id = use, .line = line, .column = 5, .scope = scope};
    if (line == 10)
        assert_ok(f, pm_store_add_place_chain(f->store, 1, " from f()", &place.chain_id, &f->err));
    assert_ok(f, pm_store_add_place(f->store, &place, &f->err));
}

static void test_places(void **state)
{
    struct scene *f = *state;
    assert_ok(f, pm_store_begin_large(f->store, &f->err));
    const int64_t first = add_scan(f, "{}"), second = add_scan(f, "{}");
    const int64_t call = add_use(f, first, "jax.jit", PM_RESOLVE_FORM_CALL, PM_RESOLVE_HOW_IMPORT);
    const int64_t reference =
        add_use(f, first, "jax.jit", PM_RESOLVE_FORM_REFERENCE, PM_RESOLVE_HOW_INFERRED);
    const int64_t other = add_use(f, first, "jax.add", PM_RESOLVE_FORM_CALL, PM_RESOLVE_HOW_IMPORT);
    const int64_t later =
        add_use(f, second, "jax.jit", PM_RESOLVE_FORM_INSTANCE, PM_RESOLVE_HOW_NAME);
    const int64_t file = add_file(f, first, "a.py", 0), line = add_file(f, first, "b.gz", 3);
    add_place(f, file, call, 9, 0);
    add_place(f, file, call, 9, 0); /* the same use again */
    add_place(f, file, reference, 10, 1);
    add_place(f, file, other, 11, 1);
    add_place(f, line, call, 2, 0);
    add_place(f, add_file(f, second, "a.py", 0), later, 4, 1);
    assert_ok(f, pm_store_commit(f->store, &f->err));
    assert_ok(f, pm_store_places(f->store, first, "jax", "jax.jit", note_place, f, &f->err));
    assert_seen(f, "a.py:0:0:9:5 in '': call, import\n"
                   "a.py:0:0:10:5 in 'Net.forward': reference, inferred from f()\n"
                   "b.gz:3:0:2:5 in '': call, import\n");
    assert_ok(f, pm_store_places(f->store, second, "jax", "jax.jit", note_place, f, &f->err));
    assert_seen(f, "a.py:0:0:4:5 in 'Net.forward': instance call, by name\n");
    assert_ok(f, pm_store_places(f->store, first, "pytorch", "jax.jit", note_place, f, &f->err));
    assert_ok(f, pm_store_places(f->store, 3, "jax", "jax.jit", note_place, f, &f->err));
    assert_seen(f, "");
    const struct pm_place_ids stray = {.file_id = 77, .use_id = call, .line = 1, .column = 1};
    assert_int_equal(pm_store_add_place(f->store, &stray, &f->err), PM_EFORMAT);
}

/* In a damaged file, a place may name a missing scope. */
static void test_place_without_its_scope(void **state)
{
    struct scene *f = *state;
    const int64_t scan = add_scan(f, "{}");
    const int64_t use = add_use(f, scan, "jax.jit", PM_RESOLVE_FORM_CALL, PM_RESOLVE_HOW_IMPORT);
    add_place(f, add_file(f, scan, "a.py", 0), use, 9, 2);
    assert_int_equal(pm_store_places(f->store, scan, "jax", "jax.jit", note_place, f, &f->err),
                     PM_EFORMAT);
    scene_assert_says(f, "column 'name' of row 'use in file 1' is NULL");
}

/* ---- samples, estimates -------------------------------------------------------------------- */

static int note_sample(void *ctx, const struct pm_sample_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld %s %s %s %s %s\n", (long long)row->id, (long long)row->scan_id,
                row->framework, pm_rule_text(row->rule), row->drawn, row->options, row->document);
    return 0;
}

static int note_estimate(void *ctx, const struct pm_estimate_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld %lld %s %g %g %g %lld %lld %g\n", (long long)row->run_id,
                (long long)row->target_id, (long long)row->sample_id, pm_basis_text(row->basis),
                row->value, row->low, row->high, (long long)row->members, (long long)row->marked,
                row->unknown);
    return 0;
}

static int note_run(void *ctx, const struct pm_run_row *row)
{
    struct scene *f = ctx;
    pm_str_addf(&f->seen, "%lld %lld\n", (long long)row->id, (long long)row->sample_id);
    return 0;
}

static int64_t add_sample(struct scene *f, int64_t scan_id, const char *framework)
{
    const struct pm_sample_row row = {.scan_id = scan_id,
                                      .framework = framework,
                                      .rule = PM_RULE_RESOLVED,
                                      .drawn = DAY_1,
                                      .options = "{\"seed\":1}",
                                      .document = "{\"members\":[]}"};
    int64_t id = 0;
    assert_ok(f, pm_store_add_sample(f->store, &row, &id, &f->err));
    return id;
}

static void test_samples(void **state)
{
    struct scene *f = *state;
    add_sample(f, 0, "pytorch");
    add_sample(f, add_scan(f, "{}"), "jax");
    assert_ok(f, pm_store_samples(f->store, NULL, note_sample, f, &f->err));
    assert_seen(f, "2 1 jax resolved " DAY_1 " {\"seed\":1} {\"members\":[]}\n"
                   "1 0 pytorch resolved " DAY_1 " {\"seed\":1} {\"members\":[]}\n");
    assert_ok(f, pm_store_samples(f->store, "pytorch", note_sample, f, &f->err));
    assert_seen(f, "1 0 pytorch resolved " DAY_1 " {\"seed\":1} {\"members\":[]}\n");
    const struct pm_sample_row stray = {.scan_id = 77,
                                        .framework = "jax",
                                        .rule = PM_RULE_PAPER,
                                        .drawn = DAY_1,
                                        .options = "{}",
                                        .document = "{}"};
    int64_t id = 0;
    assert_int_equal(pm_store_add_sample(f->store, &stray, &id, &f->err), PM_EFORMAT);
}

static int64_t add_run(struct scene *f, const char *uuid, int64_t sample_id)
{
    const struct pm_run_row run = {.uuid = uuid,
                                   .started = DAY_1,
                                   .state = PM_RUN_RUNNING,
                                   .options = "{}",
                                   .suite_digest = SCENE_DIGEST,
                                   .sample_id = sample_id};
    int64_t id = 0;
    assert_ok(f, pm_store_add_run(f->store, &run, &id, &f->err));
    return id;
}

static void test_run_of_a_sample(void **state)
{
    struct scene *f = *state;
    const int64_t sample = add_sample(f, 0, "pytorch");
    add_run(f, SCENE_UUID, 0);
    const int64_t id = add_run(f, SCENE_DIGEST, sample);
    const struct pm_run_row done = {.id = id, .state = PM_RUN_DONE};
    assert_ok(f, pm_store_update_run(f->store, &done, &f->err));
    assert_ok(f, pm_store_runs(f->store, note_run, f, &f->err));
    assert_seen(f, "1 0\n2 1\n");
}

static void test_estimates(void **state)
{
    struct scene *f = *state;
    const int64_t sample = add_sample(f, 0, "null");
    struct pm_estimate_row row = {.sample_id = sample,
                                  .value = 0.5,
                                  .low = 0.25,
                                  .high = 0.75,
                                  .members = 70,
                                  .marked = 3,
                                  .unknown = 0.125};
    for (int number = 0; number < 2; number++) {
        row.run_id = add_run(f, number ? SCENE_DIGEST : SCENE_UUID, sample);
        const struct pm_target_row target = {.run_id = row.run_id,
                                             .text = "null@null",
                                             .role = PM_ROLE_SUBJECT,
                                             .evidence = PM_EVIDENCE_EXECUTED};
        assert_ok(f, pm_store_add_target(f->store, &target, &row.target_id, &f->err));
        row.basis = PM_BASIS_USE;
        assert_ok(f, pm_store_add_estimate(f->store, &row, &f->err));
        row.basis = PM_BASIS_FUNCTION;
        row.value = NAN;
        assert_ok(f, pm_store_add_estimate(f->store, &row, &f->err));
        row.value = 0.5;
    }
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
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        T(test_inventories),
        T(test_same_inventory_is_stored_once),
        T(test_damaged_inventory),
        T(test_scans),
        T(test_frequencies),
        T(test_many_frequencies_are_checked_at_the_end),
        T(test_unlisted_names),
        T(test_places),
        T(test_place_without_its_scope),
        T(test_samples),
        T(test_run_of_a_sample),
        T(test_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

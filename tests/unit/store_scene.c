/* Makes databases for the tests of the store. */
#include "store_scene.h"

#include <math.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/annotations.h"
#include "store/executions.h"
#include "store/judged.h"
#include "store/outputs.h"
#include "store/places.h"
#include "store/published.h"
#include "store/runs.h"
#include "store/samples.h"
#include "store/scans.h"
#include "store/shards.h"
#include "store/targets.h"
#include "store/timings.h"

int scene_set_up(void **state)
{
    struct scene *s = pm_alloc(sizeof *s);
    pm_str_init(&s->seen);
    if (pm_folder_scratch(&s->folder, &s->err))
        return -1;
    chmod(s->folder, 0777);
    s->path = pm_path_join(s->folder, "test.db");
    *state = s;
    return 0;
}

int scene_tear_down(void **state)
{
    struct scene *s = *state;
    pm_store_free(s->store);
    chmod(s->folder, 0755);
    const int rc = pm_folder_remove(s->folder, &s->err);
    pm_str_release(&s->seen);
    free(s->folder);
    free(s->path);
    free(s);
    return rc;
}

void scene_assert_says(const struct scene *s, const char *part)
{
    if (!strstr(s->err.text, part) || strchr(s->err.text, '\n'))
        fail_msg("'%s' does not say '%s'", s->err.text, part);
}

void scene_close(struct scene *s)
{
    pm_store_free(s->store);
    s->store = NULL;
}

void scene_open(struct scene *s, enum pm_store_mode mode)
{
    scene_close(s);
    assert_ok(s, pm_store_open(&s->store, s->path, mode, &s->err));
}

void scene_assert_refused(struct scene *s, enum pm_store_mode mode, int code, const char *part)
{
    struct pm_store *store = NULL;
    const int rc = pm_store_open(&store, s->path, mode, &s->err);
    if (rc == PM_OK)
        fail_msg("'%s' was opened, and should not: %s", s->path, part);
    assert_null(store);
    scene_assert_says(s, part);
    scene_assert_says(s, s->path);
    assert_int_equal(rc, code);
}

/* ---- SQL without the store ----------------------------------------------------------------- */

void scene_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL); /* the file may be lost */
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static int add_cells(void *ctx, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; i++)
        pm_str_addf(ctx, "%s|", values[i] ? values[i] : "NULL");
    pm_str_add(ctx, "\n");
    return 0;
}

char *scene_query(const char *path, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    struct pm_str out = PM_STR_INIT;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, add_cells, &out, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
    return pm_str_detach(&out);
}

void scene_assert_query(const char *path, const char *sql, const char *expected)
{
    char *got = scene_query(path, sql);
    assert_string_equal(got, expected);
    free(got);
}

/* ---- rows ---------------------------------------------------------------------------------- */

void scene_add_run(struct scene *s)
{
    const struct pm_run_row run = {.uuid = SCENE_UUID,
                                   .started = SCENE_TIME,
                                   .state = PM_RUN_RUNNING,
                                   .options = "{}",
                                   .paths = "{\"scratch\":\"/tmp/x\"}",
                                   .suite_digest = SCENE_DIGEST,
                                   .seed = INT64_MIN};
    assert_ok(s, pm_store_add_run(s->store, &run, &s->run, &s->err));
    const struct pm_target_row target = {.run_id = s->run,
                                         .text = "null@null",
                                         .environment = "null",
                                         .framework = "null",
                                         .device = "null",
                                         .role = PM_ROLE_SUBJECT,
                                         .evidence = PM_EVIDENCE_EXECUTED,
                                         .interpreter = "/usr/bin/python3",
                                         .latencies = true};
    assert_ok(s, pm_store_add_target(s->store, &target, &s->target, &s->err));
    const struct pm_case_row c = {.framework = "null",
                                  .function = "null.f",
                                  .name = "a[int64]",
                                  .dtype = "int64",
                                  .definition = "{\"call\":\"f()\"}"};
    assert_ok(s, pm_store_add_case(s->store, &c, &s->test_case, &s->err));
}

int64_t scene_plan(struct scene *s, int64_t repetition)
{
    int64_t id = 0;
    assert_ok(s, pm_store_plan_execution(s->store, s->run, s->target, s->test_case, repetition,
                                         PM_RETRY_NONE, &id, &s->err));
    return id;
}

static void add_execution(struct scene *s)
{
    const struct pm_child_row child = {.run_id = s->run,
                                       .target_id = s->target,
                                       .pid = 7,
                                       .ending = PM_ENDING_EXIT,
                                       .startup_ns = -1};
    struct pm_execution_row done = {.id = scene_plan(s, 0),
                                    .answered = true,
                                    .stage = PM_STAGE_RUN,
                                    .result = "{\"a\":1}",
                                    .position = 1};
    assert_ok(s, pm_store_add_child(s->store, &child, &done.child_id, &s->err));
    assert_ok(s, pm_store_finish_execution(s->store, &done, &s->err));
    const struct pm_leaf_row leaf = {.execution_id = done.id,
                                     .part = PM_PART_OUTPUT,
                                     .path = "out",
                                     .kind = PM_LEAF_ARRAY,
                                     .dtype = "uint8",
                                     .shape = "[3]",
                                     .device = "null",
                                     .digest = SCENE_DIGEST};
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, "abc", 3, &s->err));
    const struct pm_closeness_row closeness = {.digest = SCENE_DIGEST,
                                               .reference = SCENE_DIGEST,
                                               .how = PM_COMPARE_CLOSE,
                                               .points = "[[0,0]]"};
    assert_ok(s, pm_store_add_closeness(s->store, &closeness, &s->err));
    const int64_t times[] = {3, 4}, compilations[] = {1, 0};
    const struct pm_timing_row timing = {.execution_id = done.id,
                                         .clock = PM_CLOCK_WARM,
                                         .times = times,
                                         .compilations = compilations,
                                         .count = 2,
                                         .factor = 1,
                                         .imported = ""};
    assert_ok(s, pm_store_add_timing(s->store, &timing, &s->err));
    const struct pm_first_call_row first = {.execution_id = done.id,
                                            .tracing_ns = 3,
                                            .lowering_ns = -1,
                                            .compiling_ns = 5,
                                            .device_memory = 4096};
    assert_ok(s, pm_store_add_first_call(s->store, &first, &s->err));
}

static void add_judgements(struct scene *s)
{
    const struct pm_planted_fault_row planted_fault = {.run_id = s->run,
                                                       .target_id = s->target,
                                                       .name = "hang",
                                                       .expected = PM_OUTCOME_TIMEOUT,
                                                       .observed = PM_OBSERVED_TIMEOUT,
                                                       .as_expected = true};
    const struct pm_judgement_row judgement = {
        .execution_id = 1, .outcome = PM_OUTCOME_FAIL, .stage = PM_STAGE_RUN, .smallest_rtol = 0.5};
    const struct pm_verdict_row verdict = {.run_id = s->run,
                                           .target_id = s->target,
                                           .function = "null.f",
                                           .verdict = PM_VERDICT_PARTLY,
                                           .verdict_paper = PM_VERDICT_WORKS,
                                           .counted = 3,
                                           .passed = 1,
                                           .core = 2};
    const struct pm_statistic_row statistic = {.run_id = s->run,
                                               .target_id = s->target,
                                               .scope = PM_SCOPE_FUNCTION,
                                               .function = "null.f",
                                               .clock = PM_CLOCK_WARM,
                                               .size = PM_SIZE_SMALL,
                                               .what = PM_STATISTIC_RATIO,
                                               .value = 3.25,
                                               .low = NAN,
                                               .high = NAN};
    const struct pm_annotation_row annotation = {.framework = "null",
                                                 .function = "null.f",
                                                 .target = "null@null",
                                                 .reason = "memory issue",
                                                 .note = "seen",
                                                 .made = "2026-01-02T03:04:05.678Z"};
    assert_ok(s, pm_store_set_annotation(s->store, &annotation, &s->err));
    assert_ok(s, pm_store_add_planted_fault(s->store, &planted_fault, &s->err));
    assert_ok(s, pm_store_add_judgement(s->store, &judgement, &s->err));
    const struct pm_judged_case_row judged = {.run_id = s->run,
                                              .target_id = s->target,
                                              .case_id = 1,
                                              .judged = 1,
                                              .repetitions = 1,
                                              .failed = 1,
                                              .alike = true,
                                              .outcome = PM_OUTCOME_FAIL,
                                              .stage = PM_STAGE_RUN,
                                              .error = NAN};
    assert_ok(s, pm_store_add_judged_case(s->store, &judged, &s->err));
    assert_ok(s, pm_store_add_judged_run(s->store, s->run, &s->err));
    assert_ok(s, pm_store_add_verdict(s->store, &verdict, &s->err));
    assert_ok(s, pm_store_add_statistic(s->store, &statistic, &s->err));
}

/* Makes the scan the first of three parts. */
static void add_scan_shard(struct scene *s)
{
    uint64_t digests[] = {7, 9};
    const struct pm_scan_shard_row shard = {.scan_id = 1,
                                            .number = 1,
                                            .count = 3,
                                            .plan = SCENE_DIGEST,
                                            .inputs = SCENE_DIGEST,
                                            .uuid = SCENE_UUID,
                                            .projects = 2,
                                            .total = 5,
                                            .command = "portmeter scan code"};
    const struct pm_name_repositories_row users = {.name = "plus", .digests = digests, .count = 2};
    struct pm_str packed = PM_STR_INIT;
    pm_store_pack_repositories(&packed, &users);
    assert_ok(s, pm_store_add_scan_shard(s->store, &shard, &s->err));
    assert_ok(
        s, pm_store_add_scan_repositories(s->store, 1, 1, "jax", PM_RULE_PAPER, &packed, &s->err));
    pm_str_release(&packed);
}

/* Adds a use, and a name that the inventory lacks. */
static void add_places(struct scene *s)
{
    const struct pm_unlisted_row unlisted = {1, "jax", "jax.lost", 2, 1};
    const struct pm_place_use_row use = {1, "jax", "jax.jit", PM_RESOLVE_FORM_CALL,
                                         PM_RESOLVE_HOW_IMPORT};
    struct pm_place_ids place = {.line = 3, .column = 5, .scope = 1};
    assert_ok(s, pm_store_add_unlisted(s->store, &unlisted, &s->err));
    assert_ok(s, pm_store_add_place_use(s->store, &use, &place.use_id, &s->err));
    assert_ok(s, pm_store_add_place_file(s->store, 1, "a.py", 0, 1, &place.file_id, &s->err));
    assert_ok(s, pm_store_add_place_scope(s->store, place.file_id, 1, "f", &s->err));
    assert_ok(s, pm_store_add_place_chain(s->store, 1, "f()", &place.chain_id, &s->err));
    assert_ok(s, pm_store_add_place(s->store, &place, &s->err));
}

static void add_survey(struct scene *s)
{
    int64_t id = 0;
    const struct pm_inventory_row inventory = {
        .framework = "jax", .flat = true, .recorded = SCENE_TIME, .document = "[\"plus\"]"};
    const struct pm_scan_row scan = {.started = SCENE_TIME,
                                     .finished = SCENE_LATER,
                                     .options = "{}",
                                     .totals = "{}",
                                     .damages = "[]"};
    const struct pm_scanned_row scanned = {.scan_id = 1, .inventory_id = 1, .framework = "jax"};
    const struct pm_frequency_row frequency = {.scan_id = 1,
                                               .framework = "jax",
                                               .rule = PM_RULE_PAPER,
                                               .name = "plus",
                                               .uses = 2,
                                               .resolved = 2};
    const struct pm_sample_row sample = {.scan_id = 1,
                                         .framework = "jax",
                                         .rule = PM_RULE_PAPER,
                                         .drawn = SCENE_TIME,
                                         .options = "{}",
                                         .document = "{}"};
    const struct pm_estimate_row estimate = {.run_id = s->run,
                                             .target_id = s->target,
                                             .sample_id = 1,
                                             .basis = PM_BASIS_USE,
                                             .value = 0.5,
                                             .low = 0,
                                             .high = 1,
                                             .members = 7,
                                             .marked = 3};
    assert_ok(s, pm_store_add_inventory(s->store, &inventory, &id, &s->err));
    assert_ok(s, pm_store_add_scan(s->store, &scan, &id, &s->err));
    assert_ok(s, pm_store_add_scanned(s->store, &scanned, &s->err));
    assert_ok(s, pm_store_add_frequency(s->store, &frequency, &s->err));
    add_scan_shard(s);
    add_places(s);
    assert_ok(s, pm_store_add_sample(s->store, &sample, &id, &s->err));
    assert_ok(s, pm_store_add_estimate(s->store, &estimate, &s->err));
}

static void add_published(struct scene *s)
{
    int64_t id = 0;
    const struct pm_published_row cell = {.run_id = s->run,
                                          .table = "1",
                                          .line = 1,
                                          .subject = "JAX",
                                          .item = "GPU",
                                          .text = "2%",
                                          .value = 2};
    const struct pm_imported_test_row test = {.run_id = s->run,
                                              .target_id = s->target,
                                              .function = "sum",
                                              .name = "sum_test.py::test_sum",
                                              .outcome = PM_TEST_FAILED};
    const int64_t times[] = {0, 1500};
    struct pm_imported_timing_row timing = {.times = times, .count = 2, .whole_ns = -1};
    assert_ok(s, pm_store_add_published(s->store, &cell, &s->err));
    assert_ok(s, pm_store_add_imported_test(s->store, &test, &id, &s->err));
    timing.test_id = id;
    assert_ok(s, pm_store_add_imported_timing(s->store, &timing, &s->err));
}

void scene_fill(struct scene *s)
{
    scene_open(s, PM_STORE_WRITE);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    scene_add_run(s);
    int64_t number = 0;
    const struct pm_attempt_row attempt = {
        .run_id = s->run, .started = SCENE_TIME, .machine = "{}", .load_before = 0.25};
    assert_ok(s, pm_store_add_attempt(s->store, &attempt, &number, &s->err));
    const struct pm_shard_row shard = {.run_id = s->run,
                                       .number = 1,
                                       .count = 2,
                                       .plan = SCENE_DIGEST,
                                       .uuid =
                                           SCENE_DIGEST, /* of another run: this one is merged */
                                       .functions = 1,
                                       .total = 3};
    assert_ok(s, pm_store_set_shard(s->store, &shard, &s->err));
    add_execution(s);
    add_judgements(s);
    add_survey(s);
    add_published(s);
    assert_ok(s, pm_store_commit(s->store, &s->err));
    scene_close(s);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Defines for each type of row a callback that only counts the rows. */
#define SEERS(X)                                                                                   \
    X(run)                                                                                         \
    X(attempt)                                                                                     \
    X(shard)                                                                                       \
    X(target)                                                                                      \
    X(execution)                                                                                   \
    X(leaf)                                                                                        \
    X(closeness)                                                                                   \
    X(timing)                                                                                      \
    X(first_call)                                                                                  \
    X(planted_fault)                                                                               \
    X(case_name)                                                                                   \
    X(judgement)                                                                                   \
    X(judged_case)                                                                                 \
    X(annotation)                                                                                  \
    X(verdict)                                                                                     \
    X(statistic)                                                                                   \
    X(inventory)                                                                                   \
    X(scan)                                                                                        \
    X(scanned)                                                                                     \
    X(scan_shard)                                                                                  \
    X(name_repositories)                                                                           \
    X(frequency)                                                                                   \
    X(unlisted)                                                                                    \
    X(place)                                                                                       \
    X(sample)                                                                                      \
    X(estimate)                                                                                    \
    X(published)                                                                                   \
    X(imported_test)                                                                               \
    X(imported_timing)
#define X(name)                                                                                    \
    static int see_##name(void *ctx, const struct pm_##name##_row *row)                            \
    {                                                                                              \
        (void)row;                                                                                 \
        ++*(int *)ctx;                                                                             \
        return 0;                                                                                  \
    }
SEERS(X)
#undef X

int scene_read_all(struct pm_store *store, struct pm_error *err)
{
    int n = 0;
    PM_TRY(pm_store_runs(store, see_run, &n, err));
    PM_TRY(pm_store_attempts(store, 1, see_attempt, &n, err));
    PM_TRY(pm_store_shards(store, 1, see_shard, &n, err));
    PM_TRY(pm_store_targets(store, 1, see_target, &n, err));
    PM_TRY(pm_store_executions(store, 1, 0, see_execution, &n, err));
    PM_TRY(pm_store_leaves(store, 1, see_leaf, &n, err));
    const struct pm_closeness_row key = {
        .digest = SCENE_DIGEST, .reference = SCENE_DIGEST, .how = PM_COMPARE_CLOSE};
    PM_TRY(pm_store_closeness(store, &key, see_closeness, &n, err));
    PM_TRY(pm_store_timings(store, 1, PM_CLOCK_COUNT, see_timing, &n, err));
    PM_TRY(pm_store_first_calls(store, 1, see_first_call, &n, err));
    PM_TRY(pm_store_planted_faults(store, 1, see_planted_fault, &n, err));
    PM_TRY(pm_store_case_names(store, see_case_name, &n, err));
    PM_TRY(pm_store_judgements(store, 1, see_judgement, &n, err));
    bool summed;
    int64_t cases;
    PM_TRY(pm_store_judged_run(store, 1, 1, &summed, &cases, err));
    PM_TRY(pm_store_judged_cases(store, 1, see_judged_case, &n, err));
    PM_TRY(pm_store_verdicts(store, 1, see_verdict, &n, err));
    PM_TRY(pm_store_annotations(store, see_annotation, &n, err));
    PM_TRY(pm_store_statistics(store, 1, PM_SCOPE_COUNT, see_statistic, &n, err));
    PM_TRY(pm_store_estimates(store, 1, see_estimate, &n, err));
    PM_TRY(pm_store_published(store, 1, see_published, &n, err));
    PM_TRY(pm_store_imported_tests(store, 1, see_imported_test, &n, err));
    PM_TRY(pm_store_imported_timings(store, 1, see_imported_timing, &n, err));
    PM_TRY(pm_store_inventories(store, NULL, see_inventory, &n, err));
    PM_TRY(pm_store_scans(store, see_scan, &n, err));
    PM_TRY(pm_store_scanned(store, 1, see_scanned, &n, err));
    PM_TRY(pm_store_scan_shards(store, 1, see_scan_shard, &n, err));
    PM_TRY(pm_store_scan_repositories(store, 1, see_name_repositories, &n, err));
    PM_TRY(pm_store_frequencies(store, 1, NULL, PM_RULE_COUNT, see_frequency, &n, err));
    PM_TRY(pm_store_unlisted(store, 1, "jax", see_unlisted, &n, err));
    PM_TRY(pm_store_places(store, 1, "jax", "jax.jit", see_place, &n, err));
    PM_TRY(pm_store_samples(store, NULL, see_sample, &n, err));
    void *bytes = NULL;
    size_t length;
    const int rc = pm_store_blob(store, SCENE_DIGEST, &bytes, &length, err);
    free(bytes);
    return rc == PM_ENOTFOUND ? PM_OK : rc;
}

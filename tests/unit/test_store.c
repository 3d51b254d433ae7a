/* The store: what goes in comes out, and nothing that was committed is lost, whatever happens. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/random.h"
#include "store/store_private.h"

struct fixture {
    char *folder, *path;
    struct pm_store *store;
    struct pm_error err;
    int64_t run, target, test_case;
};

static int set_up(void **state)
{
    struct fixture *f = pm_alloc(sizeof *f);
    if (pm_folder_scratch(&f->folder, &f->err))
        return -1;
    f->path = pm_path_join(f->folder, "test.db");
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pm_store_free(f->store);
    chmod(f->folder, 0755);
    const int rc = pm_folder_remove(f->folder, &f->err);
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
#define assert_says(f, part)                                                                       \
    do {                                                                                           \
        if (!strstr((f)->err.text, part) || strchr((f)->err.text, '\n'))                           \
            fail_msg("'%s' does not say '%s'", (f)->err.text, part);                               \
    } while (0)

static void open_store(struct fixture *f, enum pm_store_mode mode)
{
    assert_null(f->store);
    assert_ok(f, pm_store_open(&f->store, f->path, mode, &f->err));
}

static void close_store(struct fixture *f)
{
    pm_store_free(f->store);
    f->store = NULL;
}

static void add_run(struct fixture *f)
{
    const struct pm_run_row run = {.uuid = "u1",
                                   .started = "2026-01-01T00:00:00.000Z",
                                   .state = "running",
                                   .options = "{}",
                                   .machine = "{}",
                                   .suite_digest = "d",
                                   .seed = INT64_MIN};
    assert_ok(f, pm_store_add_run(f->store, &run, &f->run, &f->err));
    const struct pm_target_row target = {.run_id = f->run,
                                         .text = "null@null",
                                         .environment = "null",
                                         .framework = "null",
                                         .device = "null",
                                         .role = "subject",
                                         .evidence = "executed",
                                         .latencies = true};
    assert_ok(f, pm_store_add_target(f->store, &target, &f->target, &f->err));
    const struct pm_case_row c = {.framework = "null",
                                  .function = "null.f",
                                  .name = "a[int64]",
                                  .dtype = "int64",
                                  .definition = "{\"call\":\"f()\"}"};
    assert_ok(f, pm_store_add_case(f->store, &c, &f->test_case, &f->err));
}

static int64_t plan(struct fixture *f, int64_t repetition)
{
    int64_t id = 0;
    assert_ok(f, pm_store_plan_execution(f->store, f->run, f->target, f->test_case, repetition, &id,
                                         &f->err));
    return id;
}

static int count_executions(void *ctx, const struct pm_execution_row *execution)
{
    (void)execution;
    ++*(int *)ctx;
    return 0;
}

static int executions(struct fixture *f)
{
    int count = 0;
    assert_ok(f, pm_store_executions(f->store, f->run, 0, count_executions, &count, &f->err));
    return count;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int check_run(void *ctx, const struct pm_run_row *run)
{
    const struct fixture *f = ctx;
    assert_int_equal(run->id, f->run);
    assert_string_equal(run->uuid, "u1");
    assert_string_equal(run->state, "done");
    assert_string_equal(run->finished, "later");
    assert_string_equal(run->options, "{}");
    assert_string_equal(run->validity, "valid");
    assert_string_equal(run->validity_reason, "");
    assert_int_equal(run->seed, INT64_MIN);
    return 17;
}

static int check_target(void *ctx, const struct pm_target_row *target)
{
    const struct fixture *f = ctx;
    assert_int_equal(target->run_id, f->run);
    assert_string_equal(target->text, "null@null");
    assert_string_equal(target->control, "");
    assert_string_equal(target->version, "1.0");
    assert_string_equal(target->device_name, "nothing");
    assert_true(target->latencies);
    assert_false(target->on_host);
    return 0;
}

static void test_runs_and_targets(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    add_run(f);
    const struct pm_run_row run = {
        .id = f->run, .state = "done", .finished = "later", .machine = "{}", .validity = "valid"};
    assert_ok(f, pm_store_update_run(f->store, &run, &f->err));
    const struct pm_target_row ready = {.id = f->target, .version = "1.0"};
    assert_ok(f, pm_store_update_target(f->store, &ready, &f->err));
    const struct pm_target_row started = {.id = f->target, .device_name = "nothing"};
    assert_ok(f, pm_store_update_target(f->store, &started, &f->err));
    close_store(f);

    open_store(f, PM_STORE_READ);
    assert_int_equal(pm_store_runs(f->store, check_run, f, &f->err), 17);
    assert_ok(f, pm_store_targets(f->store, f->run, check_target, f, &f->err));
    const struct pm_run_row none = {.id = 99, .state = "done"};
    assert_true(pm_store_update_run(f->store, &none, &f->err) < 0);
}

static void test_case_is_stored_once(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    add_run(f);
    struct pm_case_row c = {.framework = "null",
                            .function = "null.f",
                            .name = "a[int64]",
                            .dtype = "int64",
                            .definition = "{\"call\":\"f()\"}"};
    int64_t id = 0;
    assert_ok(f, pm_store_add_case(f->store, &c, &id, &f->err));
    assert_int_equal(id, f->test_case);
    c.large = true;
    assert_ok(f, pm_store_add_case(f->store, &c, &id, &f->err));
    assert_int_not_equal(id, f->test_case);
}

static int check_finished(void *ctx, const struct pm_execution_row *execution)
{
    (void)ctx;
    assert_string_equal(execution->state, execution->repetition == 0 ? "done" : "todo");
    assert_string_equal(execution->stage, execution->repetition == 0 ? "run" : "");
    assert_string_equal(execution->result, execution->repetition == 0 ? "{\"a\":1}" : "");
    assert_int_equal(execution->child_id != 0, execution->repetition == 0);
    assert_string_equal(execution->function, "null.f");
    assert_string_equal(execution->dtype, "int64");
    return 0;
}

static void test_execution_is_finished_once(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    add_run(f);
    const int64_t first = plan(f, 0);
    plan(f, 1);
    int64_t id = 0;
    assert_int_equal(
        pm_store_plan_execution(f->store, f->run, f->target, f->test_case, 1, &id, &f->err),
        PM_EBUSY);
    assert_says(f, "planned twice");
    const struct pm_child_row child = {
        .run_id = f->run, .target_id = f->target, .pid = 7, .ending = "exit", .startup_ns = -1};
    int64_t child_id = 0;
    assert_ok(f, pm_store_add_child(f->store, &child, &child_id, &f->err));
    struct pm_execution_row done = {
        .id = first, .child_id = child_id, .answered = true, .stage = "run", .result = "{\"a\":1}"};
    assert_ok(f, pm_store_finish_execution(f->store, &done, &f->err));
    done.result = "{\"a\":2}";
    assert_int_equal(pm_store_finish_execution(f->store, &done, &f->err), PM_EBUSY);
    assert_says(f, "has its result already");
    assert_ok(f, pm_store_executions(f->store, f->run, f->target, check_finished, f, &f->err));
    done.id = 99;
    assert_int_equal(pm_store_finish_execution(f->store, &done, &f->err), PM_ENOTFOUND);
    assert_int_equal(executions(f), 2);
}

static int check_leaf(void *ctx, const struct pm_leaf_row *leaf)
{
    int *count = ctx;
    static const char *const paths[] = {"out[0]", "out[1]", "x"};
    assert_string_equal(leaf->path, paths[*count]);
    assert_string_equal(leaf->group, *count < 2 ? "output" : "gradient");
    assert_string_equal(leaf->kind, *count == 1 ? "value" : "array");
    ++*count;
    return 0;
}

static int count_rows(struct fixture *f, const char *sql)
{
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_prepare_v2(f->store->db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    const int count = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    return count;
}

static void test_leaves_and_bytes(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    add_run(f);
    struct pm_leaf_row leaf = {.execution_id = plan(f, 0),
                               .group = "gradient",
                               .path = "x",
                               .kind = "array",
                               .dtype = "uint8",
                               .shape = "[1000]",
                               .digest = "abc"};
    unsigned char bytes[1000];
    struct pm_random random;
    pm_random_init(&random, "test_store", 1);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)pm_random_next(&random);
    assert_ok(f, pm_store_add_leaf(f->store, &leaf, bytes, sizeof bytes, &f->err));
    leaf.group = "output";
    leaf.path = "out[0]";
    assert_ok(f, pm_store_add_leaf(f->store, &leaf, bytes, sizeof bytes, &f->err));
    leaf = (struct pm_leaf_row){.execution_id = leaf.execution_id,
                                .group = "output",
                                .position = 1,
                                .path = "out[1]",
                                .kind = "value",
                                .value = "[1,2]"};
    assert_ok(f, pm_store_add_leaf(f->store, &leaf, NULL, 0, &f->err));
    leaf.execution_id = plan(f, 1);
    leaf.digest = "empty";
    assert_ok(f, pm_store_add_leaf(f->store, &leaf, bytes, 0, &f->err));

    int count = 0;
    assert_ok(f, pm_store_leaves(f->store, leaf.execution_id - 1, check_leaf, &count, &f->err));
    assert_int_equal(count, 3);
    assert_int_equal(count_rows(f, "SELECT count(*) FROM blob"), 2);
    void *got = NULL;
    size_t length = 0;
    assert_ok(f, pm_store_blob(f->store, "abc", &got, &length, &f->err));
    assert_int_equal(length, sizeof bytes);
    assert_memory_equal(got, bytes, sizeof bytes);
    free(got);
    assert_ok(f, pm_store_blob(f->store, "empty", &got, &length, &f->err));
    assert_int_equal(length, 0);
    free(got);
    assert_int_equal(pm_store_blob(f->store, "xyz", &got, &length, &f->err), PM_ENOTFOUND);
    assert_null(got);

    assert_int_equal(sqlite3_exec(f->store->db, "UPDATE blob SET length = 999", 0, 0, 0), 0);
    assert_int_equal(pm_store_blob(f->store, "abc", &got, &length, &f->err), PM_EFORMAT);
    assert_int_equal(
        sqlite3_exec(f->store->db,
                     "UPDATE blob SET length = 1000, bytes ="
                     " CAST(substr(bytes, 1, 499) || x'07' || substr(bytes, 501) AS BLOB)",
                     0, 0, 0),
        0);
    assert_int_equal(pm_store_blob(f->store, "abc", &got, &length, &f->err), PM_EFORMAT);
    assert_says(f, "damaged");
}

static int check_timing(void *ctx, const struct pm_timing_row *timing)
{
    int *count = ctx;
    if (strcmp(timing->clock, "cold") == 0) {
        assert_int_equal(timing->count, 1);
        assert_int_equal(timing->samples[0], INT64_MIN);
        assert_null(timing->compilations);
    } else {
        assert_int_equal(timing->count, 3);
        assert_int_equal(timing->samples[1], INT64_MAX);
        assert_int_equal(timing->compilations[2], 9);
    }
    ++*count;
    return 0;
}

static void test_timings(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    add_run(f);
    const int64_t id = plan(f, 0), samples[] = {0, INT64_MAX, -5}, counts[] = {1, 0, 9};
    const int64_t cold = INT64_MIN;
    assert_ok(f, pm_store_add_timing(f->store, id, "warm", samples, counts, 3, &f->err));
    assert_ok(f, pm_store_add_timing(f->store, id, "cold", &cold, NULL, 1, &f->err));
    assert_ok(f, pm_store_add_timing(f->store, plan(f, 1), "none", NULL, NULL, 0, &f->err));
    int count = 0;
    assert_ok(f, pm_store_timings(f->store, f->run, "warm", check_timing, &count, &f->err));
    assert_int_equal(count, 1);
    assert_ok(f, pm_store_timings(f->store, f->run, "cold", check_timing, &count, &f->err));
    assert_int_equal(count, 2);
    assert_int_equal(sqlite3_exec(f->store->db, "UPDATE timing SET samples = '[1,x]'", 0, 0, 0), 0);
    assert_int_equal(pm_store_timings(f->store, f->run, NULL, check_timing, &count, &f->err),
                     PM_EFORMAT);
}

static int check_judgement(void *ctx, const struct pm_judgement_row *row)
{
    assert_string_equal(row->outcome, "fail");
    assert_string_equal(row->function, "null.f");
    assert_true(row->smallest_rtol != row->smallest_rtol);
    ++*(int *)ctx;
    return 0;
}

static int check_verdict(void *ctx, const struct pm_verdict_row *row)
{
    assert_string_equal(row->verdict, "partial failure");
    assert_string_equal(row->verdict_study, "success");
    assert_int_equal(row->flaky, 1);
    ++*(int *)ctx;
    return 0;
}

static int check_figure(void *ctx, const struct pm_figure_row *row)
{
    assert_true(row->value == 3.25 && row->low != row->low);
    assert_string_equal(row->what, "ratio");
    assert_true(row->unstable);
    ++*(int *)ctx;
    return 0;
}

static int check_canary(void *ctx, const struct pm_canary_row *row)
{
    assert_string_equal(row->observed, "crash");
    assert_true(row->told);
    ++*(int *)ctx;
    return 0;
}

static int judgements(struct fixture *f)
{
    int count = 0;
    assert_ok(f, pm_store_judgements(f->store, f->run, check_judgement, &count, &f->err));
    assert_ok(f, pm_store_verdicts(f->store, f->run, check_verdict, &count, &f->err));
    assert_ok(f, pm_store_figures(f->store, f->run, "function", check_figure, &count, &f->err));
    return count;
}

static void test_judgements(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    add_run(f);
    const struct pm_judgement_row judgement = {
        .execution_id = plan(f, 0), .outcome = "fail", .stage = "run", .smallest_rtol = 0.0 / 0.0};
    const struct pm_verdict_row verdict = {.run_id = f->run,
                                           .target_id = f->target,
                                           .function = "null.f",
                                           .verdict = "partial failure",
                                           .verdict_study = "success",
                                           .flaky = 1};
    const struct pm_figure_row figure = {.run_id = f->run,
                                         .target_id = f->target,
                                         .scope = "function",
                                         .what = "ratio",
                                         .value = 3.25,
                                         .low = 0.0 / 0.0,
                                         .high = 0.0 / 0.0,
                                         .unstable = true};
    struct pm_canary_row canary = {
        .run_id = f->run, .target_id = f->target, .name = "crash", .observed = "pass"};
    assert_ok(f, pm_store_add_canary(f->store, &canary, &f->err));
    canary.observed = "crash";
    canary.told = true;
    assert_ok(f, pm_store_add_canary(f->store, &canary, &f->err));
    int canaries = 0;
    assert_ok(f, pm_store_canaries(f->store, f->run, check_canary, &canaries, &f->err));
    assert_int_equal(canaries, 1);
    for (int round = 0; round < 2; round++) {
        assert_ok(f, pm_store_clear_judgements(f->store, f->run, &f->err));
        assert_int_equal(judgements(f), 0);
        assert_ok(f, pm_store_add_judgement(f->store, &judgement, &f->err));
        assert_ok(f, pm_store_add_verdict(f->store, &verdict, &f->err));
        assert_ok(f, pm_store_add_figure(f->store, &figure, &f->err));
        assert_int_equal(judgements(f), 3);
    }
}

static int count_nested(void *ctx, const struct pm_execution_row *execution)
{
    struct fixture *f = ctx;
    if (execution->repetition == 0)
        assert_int_equal(executions(f), 2);
    f->test_case++;
    return 0;
}

static void test_query_inside_the_same_query(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    add_run(f);
    plan(f, 0);
    plan(f, 1);
    f->test_case = 0;
    assert_ok(f, pm_store_executions(f->store, f->run, 0, count_nested, f, &f->err));
    assert_int_equal(f->test_case, 2);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_runs_and_targets),
        T(test_case_is_stored_once),
        T(test_execution_is_finished_once),
        T(test_leaves_and_bytes),
        T(test_timings),
        T(test_judgements),
        T(test_query_inside_the_same_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

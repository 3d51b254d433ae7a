/* Tests of the store: stored rows are read unchanged, and runs are kept and removed. */
#include "store_scene.h"

#include <math.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/executions.h"
#include "store/judgements.h"
#include "store/outputs.h"
#include "store/runs.h"
#include "store/targets.h"
#include "store/timings.h"

static int64_t size_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

static int count_executions(void *ctx, const struct pm_execution_row *execution)
{
    (void)execution;
    ++*(int *)ctx;
    return 0;
}

static int executions(struct scene *s)
{
    int count = 0;
    assert_ok(s, pm_store_executions(s->store, s->run, 0, count_executions, &count, &s->err));
    return count;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int check_run(void *ctx, const struct pm_run_row *run)
{
    const struct scene *s = ctx;
    assert_int_equal(run->id, s->run);
    assert_string_equal(run->uuid, SCENE_UUID);
    assert_int_equal(run->state, PM_RUN_DONE);
    assert_string_equal(run->finished, SCENE_LATER);
    assert_string_equal(run->options, "{}");
    assert_int_equal(run->validity, PM_VALIDITY_VALID);
    assert_string_equal(run->validity_reason, "");
    assert_int_equal(run->latency_validity, PM_VALIDITY_INVALID);
    assert_string_equal(run->latency_validity_reason, "load");
    assert_false(run->kept);
    assert_int_equal(run->seed, INT64_MIN);
    return 17;
}

static int check_target(void *ctx, const struct pm_target_row *target)
{
    const struct scene *s = ctx;
    assert_int_equal(target->run_id, s->run);
    assert_string_equal(target->text, "null@null");
    assert_string_equal(target->reference, "");
    assert_string_equal(target->version, "1.0");
    assert_string_equal(target->python, "3.11");
    assert_string_equal(target->interpreter, "/usr/bin/python3");
    assert_string_equal(target->device_name, "nothing");
    assert_true(target->latencies);
    assert_false(target->on_host);
    return 0;
}

static void test_runs_and_targets(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    const struct pm_run_row run = {.id = s->run,
                                   .state = PM_RUN_DONE,
                                   .finished = SCENE_LATER,
                                   .validity = PM_VALIDITY_VALID,
                                   .latency_validity = PM_VALIDITY_INVALID,
                                   .latency_validity_reason = "load"};
    assert_ok(s, pm_store_update_run(s->store, &run, &s->err));
    const struct pm_target_row ready = {.id = s->target, .version = "1.0", .python = "3.11"};
    assert_ok(s, pm_store_update_target(s->store, &ready, &s->err));
    const struct pm_target_row started = {.id = s->target, .device_name = "nothing"};
    assert_ok(s, pm_store_update_target(s->store, &started, &s->err));
    scene_close(s);

    scene_open(s, PM_STORE_READ);
    assert_int_equal(pm_store_runs(s->store, check_run, s, &s->err), 17);
    assert_ok(s, pm_store_targets(s->store, s->run, check_target, s, &s->err));
    const struct pm_run_row none = {.id = 99, .state = PM_RUN_DONE};
    assert_true(pm_store_update_run(s->store, &none, &s->err) < 0);
}

static void test_case_is_stored_once(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    struct pm_case_row c = {.framework = "null",
                            .function = "null.f",
                            .name = "a[int64]",
                            .dtype = "int64",
                            .definition = "{\"call\":\"f()\"}"};
    int64_t id = 0;
    assert_ok(s, pm_store_add_case(s->store, &c, &id, &s->err));
    assert_int_equal(id, s->test_case);
    c.size = PM_SIZE_LARGE;
    assert_ok(s, pm_store_add_case(s->store, &c, &id, &s->err));
    assert_int_not_equal(id, s->test_case);
    c.size = PM_SIZE_SMALL;
    c.kind = PM_CASE_KIND_EDGE;
    assert_ok(s, pm_store_add_case(s->store, &c, &id, &s->err));
    assert_int_not_equal(id, s->test_case);
}

static int check_finished(void *ctx, const struct pm_execution_row *execution)
{
    (void)ctx;
    assert_int_equal(execution->state,
                     execution->repetition == 0 ? PM_EXECUTION_DONE : PM_EXECUTION_PLANNED);
    assert_int_equal(execution->stage, execution->repetition == 0 ? PM_STAGE_RUN : PM_STAGE_NONE);
    assert_string_equal(execution->result, execution->repetition == 0 ? "{\"a\":1}" : "");
    assert_int_equal(execution->child_id != 0, execution->repetition == 0);
    assert_string_equal(execution->function, "null.f");
    assert_string_equal(execution->dtype, "int64");
    return 0;
}

static void test_execution_is_finished_once(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    const int64_t first = scene_plan(s, 0);
    scene_plan(s, 1);
    int64_t id = 0;
    assert_int_equal(pm_store_plan_execution(s->store, s->run, s->target, s->test_case, 1,
                                             PM_RETRY_NONE, &id, &s->err),
                     PM_EBUSY);
    scene_assert_says(s, "is planned twice");
    const struct pm_child_row child = {.run_id = s->run,
                                       .target_id = s->target,
                                       .pid = 7,
                                       .ending = PM_ENDING_EXIT,
                                       .startup_ns = -1};
    int64_t child_id = 0;
    assert_ok(s, pm_store_add_child(s->store, &child, &child_id, &s->err));
    struct pm_execution_row done = {.id = first,
                                    .child_id = child_id,
                                    .answered = true,
                                    .stage = PM_STAGE_RUN,
                                    .result = "{\"a\":1}"};
    assert_ok(s, pm_store_finish_execution(s->store, &done, &s->err));
    done.result = "{\"a\":2}";
    assert_int_equal(pm_store_finish_execution(s->store, &done, &s->err), PM_EBUSY);
    scene_assert_says(s, "already has a result");
    assert_ok(s, pm_store_executions(s->store, s->run, s->target, check_finished, s, &s->err));
    done.id = 99;
    assert_int_equal(pm_store_finish_execution(s->store, &done, &s->err), PM_ENOTFOUND);
    assert_int_equal(executions(s), 2);
}

static int check_leaf(void *ctx, const struct pm_leaf_row *leaf)
{
    int *count = ctx;
    static const char *const paths[] = {"out[0]", "out[1]", "x"};
    assert_string_equal(leaf->path, paths[*count]);
    assert_int_equal(leaf->part, *count < 2 ? PM_PART_OUTPUT : PM_PART_GRADIENT);
    assert_int_equal(leaf->kind, *count == 1 ? PM_LEAF_VALUE : PM_LEAF_ARRAY);
    ++*count;
    return 0;
}

static void test_leaves_and_bytes(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    struct pm_leaf_row leaf = {.execution_id = scene_plan(s, 0),
                               .part = PM_PART_GRADIENT,
                               .path = "x",
                               .kind = PM_LEAF_ARRAY,
                               .dtype = "uint8",
                               .shape = "[1000]",
                               .digest = SCENE_DIGEST};
    unsigned char bytes[1000];
    struct pm_random random;
    pm_random_init(&random, "test_store", 1);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)pm_random_next(&random);
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, bytes, sizeof bytes, &s->err));
    leaf.part = PM_PART_OUTPUT;
    leaf.path = "out[0]";
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, bytes, sizeof bytes, &s->err));
    leaf = (struct pm_leaf_row){.execution_id = leaf.execution_id,
                                .part = PM_PART_OUTPUT,
                                .position = 1,
                                .path = "out[1]",
                                .kind = PM_LEAF_VALUE,
                                .value = "[1,2]"};
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, NULL, 0, &s->err));
    leaf.execution_id = scene_plan(s, 1);
    leaf.digest = SCENE_UUID;
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, bytes, 0, &s->err));

    int count = 0;
    assert_ok(s, pm_store_leaves(s->store, leaf.execution_id - 1, check_leaf, &count, &s->err));
    assert_int_equal(count, 3);
    scene_assert_query(s->path, "SELECT count(*) FROM blob", "2|\n");
    void *got = NULL;
    size_t length = 0;
    assert_ok(s, pm_store_blob(s->store, SCENE_DIGEST, &got, &length, &s->err));
    assert_int_equal(length, sizeof bytes);
    assert_memory_equal(got, bytes, sizeof bytes);
    free(got);
    assert_ok(s, pm_store_blob(s->store, SCENE_UUID, &got, &length, &s->err));
    assert_int_equal(length, 0);
    free(got);
    assert_int_equal(pm_store_blob(s->store, "xyz", &got, &length, &s->err), PM_ENOTFOUND);
    assert_null(got);

    scene_sql(s->path, "UPDATE blob SET length = 999");
    assert_int_equal(pm_store_blob(s->store, SCENE_DIGEST, &got, &length, &s->err), PM_EFORMAT);
    scene_assert_says(s, "cannot be unpacked to 999 bytes");
    scene_sql(s->path, "UPDATE blob SET length = 1000, bytes ="
                       " CAST(substr(bytes, 1, 499) || x'07' || substr(bytes, 501) AS BLOB)");
    assert_int_equal(pm_store_blob(s->store, SCENE_DIGEST, &got, &length, &s->err), PM_EFORMAT);
    scene_assert_says(s, "cannot be unpacked to 1000 bytes");
}

static int check_timing(void *ctx, const struct pm_timing_row *timing)
{
    int *count = ctx;
    if (timing->clock == PM_CLOCK_COLD) {
        assert_int_equal(timing->count, 1);
        assert_int_equal(timing->times[0], 0);
        assert_null(timing->compilations);
    } else {
        assert_int_equal(timing->count, 3);
        assert_int_equal(timing->times[1], INT64_MAX);
        assert_int_equal(timing->compilations[2], 9);
        assert_int_equal(timing->warmup, 40);
        assert_int_equal(timing->factor, 7);
        assert_int_equal(timing->imports, 2);
        assert_string_equal(timing->imported, "sympy");
    }
    ++*count;
    return 0;
}

static void test_timings(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    const int64_t id = scene_plan(s, 0), times[] = {0, INT64_MAX, 5}, counts[] = {1, 0, 9};
    const int64_t cold = 0, negative = -1;
    struct pm_timing_row row = {.execution_id = id,
                                .clock = PM_CLOCK_WARM,
                                .times = times,
                                .compilations = counts,
                                .count = 3,
                                .warmup = 40,
                                .factor = 7,
                                .imports = 2,
                                .imported = "sympy"};
    assert_ok(s, pm_store_add_timing(s->store, &row, &s->err));
    row = (struct pm_timing_row){.execution_id = id,
                                 .clock = PM_CLOCK_COLD,
                                 .times = &cold,
                                 .count = 1,
                                 .factor = 1,
                                 .imported = ""};
    assert_ok(s, pm_store_add_timing(s->store, &row, &s->err));
    const struct pm_timing_row none = {
        .execution_id = scene_plan(s, 1), .clock = PM_CLOCK_SERIES, .factor = 1, .imported = ""};
    assert_ok(s, pm_store_add_timing(s->store, &none, &s->err));
    int count = 0;
    assert_ok(s, pm_store_timings(s->store, s->run, PM_CLOCK_WARM, check_timing, &count, &s->err));
    assert_int_equal(count, 1);
    assert_ok(s, pm_store_timings(s->store, s->run, PM_CLOCK_COLD, check_timing, &count, &s->err));
    assert_int_equal(count, 2);
    row.clock = PM_CLOCK_DISPATCH;
    row.times = &negative;
    assert_int_equal(pm_store_add_timing(s->store, &row, &s->err), PM_EFORMAT);
    scene_assert_says(s, "CHECK constraint failed");
}

static int check_first_call(void *ctx, const struct pm_first_call_row *row)
{
    static const int64_t expected[][7] = {{7, -1, INT64_C(1) << 53, -1, 3, 4, INT64_MAX},
                                          {-1, -1, -1, 4096, -1, -1, -1}};
    int *count = ctx;
    const int64_t reported[] = {row->tracing_ns,    row->lowering_ns, row->compiling_ns,
                                row->device_memory, row->cold_ns,     row->compilations,
                                row->recompilations};
    assert_memory_equal(reported, expected[*count], sizeof reported);
    assert_string_equal(row->function, "null.f");
    assert_string_equal(row->name, "a[int64]");
    ++*count;
    return PM_OK;
}

/* For a first call, the store reads the first time of the clock 'cold', and the compilations of all
 * warm calls. */
static void test_first_calls(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    struct pm_first_call_row row = {.execution_id = scene_plan(s, 0),
                                    .tracing_ns = 7,
                                    .lowering_ns = -1,
                                    .compiling_ns = INT64_C(1) << 53,
                                    .device_memory = -1};
    assert_ok(s, pm_store_add_first_call(s->store, &row, &s->err));
    const int64_t times[] = {3, 9}, counts[] = {4, INT64_MAX};
    struct pm_timing_row timing = {.execution_id = row.execution_id,
                                   .clock = PM_CLOCK_COLD,
                                   .times = times,
                                   .compilations = counts,
                                   .count = 2,
                                   .factor = 1,
                                   .imported = ""};
    assert_ok(s, pm_store_add_timing(s->store, &timing, &s->err));
    timing.clock = PM_CLOCK_WARM;
    assert_ok(s, pm_store_add_timing(s->store, &timing, &s->err));
    row = (struct pm_first_call_row){scene_plan(s, 1), -1, -1, -1, .device_memory = 4096};
    assert_ok(s, pm_store_add_first_call(s->store, &row, &s->err));
    timing.execution_id = scene_plan(s, 2); /* it has no first call, only warm times */
    assert_ok(s, pm_store_add_timing(s->store, &timing, &s->err));
    int count = 0;
    assert_ok(s, pm_store_first_calls(s->store, s->run, check_first_call, &count, &s->err));
    assert_int_equal(count, 2);
}

static int check_judgement(void *ctx, const struct pm_judgement_row *row)
{
    assert_int_equal(row->outcome, PM_OUTCOME_FAIL);
    assert_string_equal(row->function, "null.f");
    assert_true(row->smallest_rtol != row->smallest_rtol);
    ++*(int *)ctx;
    return 0;
}

static int check_verdict(void *ctx, const struct pm_verdict_row *row)
{
    assert_int_equal(row->verdict, PM_VERDICT_PARTLY);
    assert_int_equal(row->verdict_paper, PM_VERDICT_WORKS);
    assert_int_equal(row->flaky, 1);
    ++*(int *)ctx;
    return 0;
}

static int check_statistic(void *ctx, const struct pm_statistic_row *row)
{
    assert_true(row->value == 3.25 && row->low != row->low);
    assert_int_equal(row->what, PM_STATISTIC_RATIO);
    assert_true(row->unstable);
    ++*(int *)ctx;
    return 0;
}

static int check_planted_fault(void *ctx, const struct pm_planted_fault_row *row)
{
    assert_int_equal(row->observed, PM_OBSERVED_CRASH);
    assert_true(row->as_expected);
    ++*(int *)ctx;
    return 0;
}

static int judgements(struct scene *s)
{
    int count = 0;
    assert_ok(s, pm_store_judgements(s->store, s->run, check_judgement, &count, &s->err));
    assert_ok(s, pm_store_verdicts(s->store, s->run, check_verdict, &count, &s->err));
    assert_ok(s, pm_store_statistics(s->store, s->run, PM_SCOPE_FUNCTION, check_statistic, &count,
                                     &s->err));
    return count;
}

static void test_judgements(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    const struct pm_judgement_row judgement = {.execution_id = scene_plan(s, 0),
                                               .outcome = PM_OUTCOME_FAIL,
                                               .stage = PM_STAGE_RUN,
                                               .smallest_rtol = NAN};
    const struct pm_verdict_row verdict = {.run_id = s->run,
                                           .target_id = s->target,
                                           .function = "null.f",
                                           .verdict = PM_VERDICT_PARTLY,
                                           .verdict_paper = PM_VERDICT_WORKS,
                                           .counted = 1,
                                           .flaky = 1};
    const struct pm_statistic_row statistic = {.run_id = s->run,
                                               .target_id = s->target,
                                               .scope = PM_SCOPE_FUNCTION,
                                               .clock = PM_CLOCK_WARM,
                                               .size = PM_SIZE_SMALL,
                                               .what = PM_STATISTIC_RATIO,
                                               .value = 3.25,
                                               .low = NAN,
                                               .high = NAN,
                                               .unstable = true};
    struct pm_planted_fault_row planted_fault = {.run_id = s->run,
                                                 .target_id = s->target,
                                                 .name = "crash",
                                                 .expected = PM_OUTCOME_CRASH,
                                                 .observed = PM_OBSERVED_PASS};
    assert_ok(s, pm_store_add_planted_fault(s->store, &planted_fault, &s->err));
    planted_fault.observed = PM_OBSERVED_CRASH;
    planted_fault.as_expected = true;
    assert_ok(s, pm_store_add_planted_fault(s->store, &planted_fault, &s->err));
    int planted_faults = 0;
    assert_ok(s, pm_store_planted_faults(s->store, s->run, check_planted_fault, &planted_faults,
                                         &s->err));
    assert_int_equal(planted_faults, 1);
    for (int round = 0; round < 2; round++) {
        assert_ok(s, pm_store_clear_judgements(s->store, s->run, &s->err));
        assert_int_equal(judgements(s), 0);
        assert_ok(s, pm_store_add_judgement(s->store, &judgement, &s->err));
        assert_ok(s, pm_store_add_verdict(s->store, &verdict, &s->err));
        assert_ok(s, pm_store_add_statistic(s->store, &statistic, &s->err));
        assert_int_equal(judgements(s), 3);
    }
}

static int count_nested(void *ctx, const struct pm_execution_row *execution)
{
    struct scene *s = ctx;
    if (execution->repetition == 0)
        assert_int_equal(executions(s), 2);
    s->test_case++;
    return 0;
}

static void test_query_inside_the_same_query(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    scene_plan(s, 0);
    scene_plan(s, 1);
    s->test_case = 0;
    assert_ok(s, pm_store_executions(s->store, s->run, 0, count_nested, s, &s->err));
    assert_int_equal(s->test_case, 2);
}

/* ---- parts of a run, runs to keep and to remove -----------------------------------------------
 */

static int check_attempt(void *ctx, const struct pm_attempt_row *row)
{
    const int64_t number = ++*(int64_t *)ctx;
    assert_int_equal(row->number, number);
    assert_string_equal(row->started, SCENE_TIME);
    assert_string_equal(row->finished, number == 1 ? "" : SCENE_LATER);
    assert_string_equal(row->machine, "{\"kernel\":\"6\"}");
    assert_true(row->load_before == 0.5);
    assert_true(number == 1 ? isnan(row->load_after) : row->load_after == 1.5);
    return 0;
}

static void test_attempts(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    struct pm_attempt_row row = {.run_id = s->run,
                                 .started = SCENE_TIME,
                                 .finished = SCENE_LATER,
                                 .machine = "{\"kernel\":\"6\"}",
                                 .load_before = 0.5,
                                 .load_after = 1.5};
    int64_t number = 0, seen = 0;
    uint64_t spent = 1;
    assert_ok(s, pm_store_run_spent(s->store, s->run, &spent, &s->err));
    assert_int_equal(spent, 0);
    assert_ok(s, pm_store_add_attempt(s->store, &row, &number, &s->err));
    assert_int_equal(number, 1);
    assert_ok(s, pm_store_add_attempt(s->store, &row, &row.number, &s->err));
    assert_int_equal(row.number, 2);
    assert_ok(s, pm_store_finish_attempt(s->store, &row, &s->err));
    assert_ok(s, pm_store_attempts(s->store, s->run, check_attempt, &seen, &s->err));
    assert_int_equal(seen, 2);
    assert_ok(s, pm_store_run_spent(s->store, s->run, &spent, &s->err));
    assert_int_equal((spent + 500000) / 1000000, 54322); /* of the finished attempt, ms */
    scene_sql(s->path, "PRAGMA ignore_check_constraints = ON; UPDATE attempt SET started = '0.5'");
    assert_int_equal(pm_store_run_spent(s->store, s->run, &spent, &s->err), PM_EFORMAT);
    scene_assert_says(s, "column 'days' of row 'times of a run' has");
    row.number = 3;
    assert_int_equal(pm_store_finish_attempt(s->store, &row, &s->err), PM_ENOTFOUND);
}

static void test_kept_run_is_not_removed(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    assert_ok(s, pm_store_keep_run(s->store, s->run, true, &s->err));
    assert_int_equal(pm_store_remove_run(s->store, s->run, &s->err), PM_EUSAGE);
    scene_assert_says(s, "is protected: run");
    scene_assert_query(s->path, "SELECT count(*), kept FROM run", "1|1|\n");
    assert_ok(s, pm_store_keep_run(s->store, s->run, false, &s->err));
    assert_ok(s, pm_store_remove_run(s->store, s->run, &s->err));
    scene_assert_query(s->path, "SELECT count(*) FROM run", "0|\n");
    assert_int_equal(pm_store_remove_run(s->store, s->run, &s->err), PM_ENOTFOUND);
    assert_int_equal(pm_store_keep_run(s->store, s->run, true, &s->err), PM_ENOTFOUND);
}

/* Adds a second run of the same case and a case of its own; it shares some bytes with the first run
 * and has many of its own. */
static void add_large_run(struct scene *s)
{
    enum { BYTES = 1 << 20 };
    const struct pm_run_row run = {.uuid = SCENE_DIGEST,
                                   .started = SCENE_TIME,
                                   .state = PM_RUN_DONE,
                                   .options = "{}",
                                   .suite_digest = SCENE_DIGEST};
    const struct pm_target_row target = {.run_id = 2,
                                         .text = "null@null",
                                         .role = PM_ROLE_SUBJECT,
                                         .evidence = PM_EVIDENCE_EXECUTED};
    const struct pm_case_row own = {.function = "null.g", .name = "b", .definition = "{}"};
    int64_t id = 0, target_id = 0, case_id = 0, executions[2];
    assert_ok(s, pm_store_add_run(s->store, &run, &id, &s->err));
    assert_ok(s, pm_store_add_target(s->store, &target, &target_id, &s->err));
    assert_ok(s, pm_store_add_case(s->store, &own, &case_id, &s->err));
    assert_ok(s, pm_store_plan_execution(s->store, id, target_id, 1, 0, PM_RETRY_NONE,
                                         &executions[0], &s->err));
    assert_ok(s, pm_store_plan_execution(s->store, id, target_id, case_id, 0, PM_RETRY_NONE,
                                         &executions[1], &s->err));
    struct pm_leaf_row leaf = {.execution_id = executions[0],
                               .part = PM_PART_OUTPUT,
                               .kind = PM_LEAF_ARRAY,
                               .digest = SCENE_DIGEST};
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, "abc", 3, &s->err));
    unsigned char *bytes = pm_alloc(BYTES);
    struct pm_random random;
    pm_random_init(&random, "test_store", 2);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)pm_random_next(&random);
    leaf.execution_id = executions[1];
    leaf.digest = SCENE_UUID;
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, bytes, BYTES, &s->err));
    free(bytes);
}

static void test_removed_run_leaves_the_others(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    char *before = scene_query(s->path, "SELECT * FROM leaf, blob, execution, test_case, verdict");
    const int64_t small = size_of(s->path);
    scene_open(s, PM_STORE_WRITE);
    add_large_run(s);
    assert_true(size_of(s->path) > small + 1000000);
    assert_ok(s, pm_store_remove_run(s->store, 2, &s->err));
    assert_true(size_of(s->path) <= small + 4096);
    scene_assert_query(s->path, "SELECT * FROM leaf, blob, execution, test_case, verdict", before);
    assert_ok(s, scene_read_all(s->store, &s->err));
    assert_ok(s, pm_store_remove_run(s->store, 1, &s->err));
    static const char *const emptied[] = {
        "run",         "attempt",    "target",    "child",         "test_case",       "execution",
        "leaf",        "blob",       "timing",    "planted_fault", "judgement",       "verdict",
        "statistic",   "estimate",   "published", "imported_test", "imported_timing", "first_call",
        "judged_case", "judged_run", "shard"};
    for (size_t i = 0; i < sizeof emptied / sizeof *emptied; i++) {
        char *sql = pm_format("SELECT count(*) FROM %s", emptied[i]);
        scene_assert_query(s->path, sql, "0|\n");
        free(sql);
    }
    scene_assert_query(s->path, "SELECT count(*) FROM sample", "1|\n");
    scene_assert_query(s->path, "PRAGMA foreign_key_check", "");
    scene_assert_query(s->path, "PRAGMA integrity_check", "ok|\n");
    free(before);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        T(test_runs_and_targets),
        T(test_case_is_stored_once),
        T(test_execution_is_finished_once),
        T(test_leaves_and_bytes),
        T(test_timings),
        T(test_first_calls),
        T(test_judgements),
        T(test_query_inside_the_same_query),
        T(test_attempts),
        T(test_kept_run_is_not_removed),
        T(test_removed_run_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

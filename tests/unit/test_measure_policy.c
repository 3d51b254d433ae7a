/* Tests which child comes next, which jobs it gets, and how its answers and its end are stored. */
#include "sessions.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "store/executions.h"
#include "store/runs.h"
#include "store/targets.h"

static const char RAISED[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"ValueError\"}}";

/* Begins a run of outcomes on null@host only: two repetitions of one function with three cases,
 * which share a process. */
static void begin_shared(struct played *g)
{
    struct planned *p = g->planned;
    planned_write_suite(p, "null.f",
                        "  - {name: a, call: ok}\n  - {name: b, call: ok}\n"
                        "  - {name: c, call: ok}\n");
    p->options.isolation = PM_ISOLATION_FUNCTION;
    p->options.outcomes_only = true;
    played_begin(g, "null@host");
}

static void begin_one(struct played *g)
{
    struct planned *p = g->planned;
    planned_write_suite(p, "null.f", "  - {name: a, call: ok}\n");
    p->options.outcomes_only = true;
    played_begin(g, "null@host");
}

static size_t left_in_queue(const struct played *g, enum plan_phase phase)
{
    const struct plan_queue *queue = &g->session.plan.queues[phase];
    return queue->count - queue->next;
}

/* ---- a child at work --------------------------------------------------------------------------
 */

/* Plays a child whose three cases all pass; returns their repetition. */
static unsigned play_well(struct played *g)
{
    struct session_child *child = played_next(g, 0, NULL);
    unsigned repetition = 0;
    for (size_t i = 0; i < 3; i++) {
        const int64_t id = played_job(g, child);
        repetition = child->current->repetition;
        const char *name = pm_json_string(g->job, "case", "");
        assert_int_equal(id, played_execution(g, "null@host", name, repetition));
        assert_int_equal(g->last, i == 2);
        assert_true(pm_json_bool(g->job, "purity", false)); /* in every repetition */
        assert_int_equal(pm_json_bool(g->job, "needs", false), repetition == 0);
        played_answer(g, child, "{}");
        char *row = played_row(g, id);
        assert_has(row, "on null@host: done, answered");
        free(row);
    }
    assert_int_equal(played_job(g, child), 0);
    played_end(g, child, PM_ENDING_EXIT);
    return repetition;
}

static void test_a_child_takes_its_group_job_by_job(void **state)
{
    struct played *g = *state;
    begin_shared(g);
    assert_int_equal(play_well(g) + play_well(g), 1); /* repetitions 0 and 1 */
    assert_null(played_next(g, 0, NULL));
    assert_int_equal(g->session.done, 6);
    assert_int_equal(g->session.running, 0);
}

static void test_what_goes_wrong_first_is_the_answer(void **state)
{
    struct played *g = *state;
    begin_shared(g);
    struct session_child *child = played_next(g, 0, NULL);
    const int64_t id = played_job(g, child);
    played_answer(g, child, RAISED);
    char *row = played_row(g, id);
    assert_has(row, ": done, answered"); /* not shared: no case ran before it in its process */
    assert_lacks(row, "own");
    free(row);
    assert_int_equal(played_job(g, child), 0); /* and no case runs after it */
    const size_t left = left_in_queue(g, PHASE_OUTCOMES);
    played_end(g, child, PM_ENDING_EXIT);
    assert_int_equal(left_in_queue(g, PHASE_OUTCOMES), left + 1); /* two cases in a new group */
}

/* The lost execution, which repeat_lost() plans once more. A test sets options->retries to
 * repeat_lost(). */
static struct {
    int64_t target, test, repetition, repeated;
    bool wanted;
} lost;

static int repeat_lost(struct pm_store *store, int64_t run_id, const struct pm_retry_round *round,
                       struct pm_error *err)
{
    assert_int_equal(round->is_next, !lost.wanted);
    if (!lost.wanted)
        return PM_OK;
    lost.wanted = false;
    return pm_store_plan_execution(store, run_id, lost.target, lost.test, lost.repetition,
                                   PM_RETRY_ALONE, &lost.repeated, err);
}

/* A failed execution is committed; its retry is a row of its own and runs in a process of its own.
 */
static void test_what_is_planned_to_be_repeated_runs_alone(void **state)
{
    struct played *g = *state;
    g->planned->options.retries = repeat_lost;
    begin_shared(g);
    struct session_child *child = played_next(g, 0, NULL);
    played_job(g, child);
    played_answer(g, child, "{}");
    const int64_t id = played_job(g, child);
    lost.target = g->session.plan.targets[child->current->target].id;
    lost.test = child->current->case_id;
    lost.repetition = child->current->repetition;
    lost.wanted = true;
    played_end(g, child, PM_ENDING_SIGNAL);
    char *row = played_row(g, id);
    assert_has(row, ": done, signal, shared");
    free(row);
    for (unsigned k = 0; k < 2; k++) { /* the third case, and the other repetition */
        child = played_next(g, 0, NULL);
        while (played_job(g, child))
            played_answer(g, child, "{}");
        played_end(g, child, PM_ENDING_EXIT);
    }
    assert_int_equal(g->session.done, 6);
    child = played_next(g, 0, NULL);
    assert_non_null(child);
    assert_int_equal(g->session.phase, PHASE_RETRIES);
    assert_int_equal(played_job(g, child), lost.repeated);
    assert_true(g->last);
    played_answer(g, child, "{}");
    row = played_row(g, lost.repeated);
    assert_has(row, " alone on null@host: done, answered");
    assert_lacks(row, "shared");
    free(row);
    played_end(g, child, PM_ENDING_EXIT);
    assert_null(played_next(g, 0, NULL));
    assert_int_equal(g->session.done, 6);
}

/* A retry is timed like the first execution: a fault may need as many calls as the clocks make. */
static void test_a_retry_makes_the_calls_of_the_first_time(void **state)
{
    struct played *g = *state;
    json_t *setting = NULL;
    g->planned->options.retries = repeat_lost;
    planned_write_suite(g->planned, "null.f", "  - {name: a, call: ok}\n");
    played_begin(g, "null@host");
    for (lost.wanted = true; g->session.phase != PHASE_RETRIES;) {
        json_decref(setting);
        struct session_child *child = played_next(g, 0, &setting);
        assert_non_null(child);
        while (played_job(g, child)) {
            lost.target = g->session.plan.targets[child->current->target].id;
            lost.test = child->current->case_id;
            lost.repetition = child->current->repetition;
            played_answer(g, child, "{}");
        }
        played_end(g, child, PM_ENDING_EXIT);
    }
    assert_true(pm_json_bool(setting, "clocks", false));
    json_decref(setting);
}

/* ---- a child's end ----------------------------------------------------------------------------
 */

static void test_a_lost_job_has_the_ending_of_its_child(void **state)
{
    struct played *g = *state;
    begin_one(g);
    struct session_child *child = played_next(g, 0, NULL);
    const int64_t id = played_job(g, child);
    played_end(g, child, PM_ENDING_SIGNAL);
    char *row = played_row(g, id);
    assert_has(row, ": done, signal");
    assert_lacks(row, "answered");
    free(row);
}

static void test_a_deadline_is_never_tried_twice(void **state)
{
    struct played *g = *state;
    begin_shared(g);
    struct session_child *child = played_next(g, 0, NULL);
    played_job(g, child);
    played_answer(g, child, "{}");
    const int64_t id = played_job(g, child);
    const size_t left = left_in_queue(g, PHASE_OUTCOMES);
    played_end(g, child, PM_ENDING_DEADLINE);
    char *row = played_row(g, id);
    assert_has(row, ": done, deadline");
    free(row);
    /* The third case is in a new group. */
    assert_int_equal(left_in_queue(g, PHASE_OUTCOMES), left + 1);
}

static void test_what_the_user_stops_stays_to_do(void **state)
{
    struct played *g = *state;
    begin_shared(g);
    struct session_child *child = played_next(g, 0, NULL);
    const int64_t id = played_job(g, child);
    const size_t left = left_in_queue(g, PHASE_OUTCOMES);
    played_end(g, child, PM_ENDING_STOPPED);
    char *row = played_row(g, id);
    assert_has(row, ": todo");
    free(row);
    assert_int_equal(left_in_queue(g, PHASE_OUTCOMES), left);
    assert_int_equal(g->session.done, 0);
}

static void test_a_child_that_cannot_start_gives_up_at_the_second_try(void **state)
{
    struct played *g = *state;
    begin_one(g);
    struct session_child *child = played_next(g, 0, NULL);
    const struct plan_group *group = child->group;
    const int64_t id = g->session.plan.executions[group->executions[0]].id;
    played_end(g, child, PM_ENDING_EXIT);
    char *row = played_row(g, id);
    assert_has(row, ": todo");
    free(row);
    for (unsigned i = 0; i < 3; i++) /* two executions have two tries each; one try is over */
        played_end(g, played_next(g, 0, NULL), PM_ENDING_EXIT);
    row = played_row(g, id);
    assert_has(row, ": done, start"); /* no case ran, so no case ended the child */
    free(row);
    assert_null(played_next(g, 0, NULL));
    assert_int_equal(g->session.done, 2);
}

static void test_a_run_in_which_nothing_starts_ends_with_a_line(void **state)
{
    struct played *g = *state;
    const struct pm_ending ending = {.kind = PM_ENDING_EXIT,
                                     .code = 70,
                                     .text = "",
                                     .output = "Traceback\nOSError: no socket\n"};
    unsigned children = 0;
    int rc = PM_OK;
    begin_shared(g);
    g->session.plan.jobs = 1;
    for (; !rc && children < 10; children++) {
        struct session_child *child = played_next(g, 0, NULL);
        assert_non_null(child);
        rc = g->policy.ended(&g->session, child, &ending, &g->err);
    }
    assert_int_equal(rc, PM_EIO);
    assert_has(g->err.text, "5 processes in a row could not start, the last on 'null@host'");
    assert_has(g->err.text, "exited with status 70 before its first job: OSError: no socket");
    assert_int_equal(children, 5);
}

/* ---- nonsense ---------------------------------------------------------------------------------
 */

static void test_nonsense_is_told_to_the_pool(void **state)
{
    struct played *g = *state;
    begin_one(g);
    struct session_child *child = played_next(g, 0, NULL);
    const int64_t id = played_job(g, child);
    assert_refused(g, played_answer_as(g, child, id + 1, "{}"), PM_EFORMAT,
                   "a job that it did not receive");
    assert_refused(g, played_answer_as(g, child, id, "{\"outputs\": [{}]}"), PM_EFORMAT,
                   "without a path");
    char *row = played_row(g, id);
    assert_has(row, ": todo");
    free(row);
    played_answer(g, child, "{}");
    assert_refused(g, played_answer_as(g, child, id, "{}"), PM_EFORMAT,
                   "a job that it did not receive"); /* twice */
    played_end(g, child, PM_ENDING_PROTOCOL);
}

static void test_arrays_are_given_for_a_job_only(void **state)
{
    struct played *g = *state;
    begin_one(g);
    struct session_child *child = played_next(g, 0, NULL);
    json_t *wish =
        json_pack("{s:[{s:s, s:s, s:[i]}]}", "arrays", "name", "w", "dtype", "float32", "shape", 4);
    const struct pm_frame ask = {.kind = PM_FRAME_ASK, .header = wish};
    struct pm_str body = PM_STR_INIT;
    json_t *given = json_object();
    assert_refused(g, g->policy.asked(&g->session, child, &ask, given, &body, &g->err), PM_EFORMAT,
                   "without a job");
    played_job(g, child);
    assert_ok(g, g->policy.asked(&g->session, child, &ask, given, &body, &g->err));
    assert_int_equal(body.length, 16);
    assert_int_equal(json_array_size(json_object_get(given, "arrays")), 1);
    pm_str_release(&body);
    json_decref(given);
    json_decref(wish);
    played_end(g, child, PM_ENDING_STOPPED);
}

/* ---- what is next -----------------------------------------------------------------------------
 */

static void test_what_is_timed_runs_alone_and_last(void **state)
{
    struct played *g = *state;
    planned_add_environment(g->planned, "pytorch", "pytorch", "\"torch\": \"2.5.0\"");
    planned_write_suite(g->planned, "torch.f", "  - {name: a, call: \"1\"}\n");
    played_begin(g, "pytorch@cuda pytorch@meta");
    json_t *setting;
    struct session_child *untimed = played_next(g, 1, &setting);
    assert_non_null(untimed);
    assert_int_equal(g->session.phase, PHASE_OUTCOMES);
    assert_string_equal(pm_json_string(setting, "device", ""), "meta");
    assert_false(pm_json_bool(setting, "clocks", true));
    json_decref(setting);
    assert_null(played_next(g, 0, NULL)); /* the phase is not over */
    played_job(g, untimed);
    played_answer(g, untimed, "{}");
    played_end(g, untimed, PM_ENDING_EXIT);
    assert_null(played_next(g, 1, NULL)); /* only the first slot times executions */
    struct session_child *timed = played_next(g, 0, &setting);
    assert_int_equal(g->session.phase, PHASE_LATENCIES);
    assert_true(pm_json_bool(setting, "clocks", false));
    json_decref(setting);
    assert_null(played_next(g, 0, NULL));
    played_end(g, timed, PM_ENDING_STOPPED);
}

/* The process is started with the settings that its cases ask for. */
static void test_a_child_is_set_up_for_its_cases(void **state)
{
    struct played *g = *state;
    planned_write_suite(g->planned, "null.f",
                        "  - {name: a, call: ok, "
                        "process: {devices: 2, x64: false, environment: {A: b}}}\n");
    played_begin(g, "null@host");
    json_t *setting;
    struct session_child *child = played_next(g, 0, &setting);
    assert_int_equal(pm_json_int(setting, "devices", 0), 2);
    assert_false(pm_json_bool(setting, "x64", true));
    assert_string_equal(pm_json_string(json_object_get(setting, "environment"), "A", ""), "b");
    json_decref(setting);
    played_job(g, child);
    assert_int_equal(pm_json_int(json_object_get(g->job, "process"), "devices", 0), 2);
    played_end(g, child, PM_ENDING_STOPPED);
}

static void test_a_child_is_set_up_for_its_target(void **state)
{
    struct played *g = *state;
    struct pm_run_options *o = &g->planned->options;
    planned_write_suite(g->planned, "null.f", "  - {name: a, call: ok}\n");
    o->outcomes_only = true;
    o->seed = 17;
    o->mode = PM_MODE_PAPER;
    played_begin(g, "null@null");
    for (size_t i = 0; i < 3; i++) {
        json_t *setting;
        struct session_child *child = played_next(g, 0, &setting);
        const struct plan_target *t = &g->session.plan.targets[child->group->target];
        assert_string_equal(pm_json_string(setting, "device", ""), t->target.device);
        assert_int_equal(pm_json_bool(setting, "reference", false), t->role == PM_ROLE_REFERENCE);
        assert_int_equal(pm_json_int(setting, "seed", 0), 17);
        assert_true(pm_json_bool(setting, "paper", false));
        assert_false(pm_json_bool(setting, "oracle", true));
        json_decref(setting);
        played_end(g, child, PM_ENDING_STOPPED);
    }
    assert_null(played_next(g, 0, NULL));
    assert_int_equal(g->session.phase, PHASE_COUNT);
}

static void test_only_a_rehearsal_and_a_lowered_target_keep_compiled_code(void **state)
{
    static const struct {
        bool rehearse;
        enum pm_evidence evidence;
        const char *folder;
    } table[] = {{false, PM_EVIDENCE_EXECUTED, "none"},
                 {false, PM_EVIDENCE_SHAPE_ONLY, "none"},
                 {false, PM_EVIDENCE_LOWERED, "scratch/compiled"},
                 {true, PM_EVIDENCE_EXECUTED, "scratch/compiled"}};
    struct played *g = *state;
    planned_write_suite(g->planned, "null.f", "  - {name: a, call: ok}\n  - {name: b, call: ok}\n");
    g->planned->options.isolation = PM_ISOLATION_CASE;
    played_begin(g, "null@null");
    g->session.scratch = pm_strdup("scratch");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_t *setting;
        g->planned->options.rehearse = table[i].rehearse;
        for (size_t k = 0; k < g->session.plan.target_count; k++)
            g->session.plan.targets[k].target.evidence = table[i].evidence;
        struct session_child *child = played_next(g, 0, &setting);
        assert_string_equal(pm_json_string(setting, "compiled", "none"), table[i].folder);
        json_decref(setting);
        played_end(g, child, PM_ENDING_STOPPED);
    }
    free(g->session.scratch);
    g->session.scratch = NULL;
}

/* The untimed check of a reference comes first, and may use code that other processes compiled. */
static void test_an_untimed_check_keeps_compiled_code(void **state)
{
    struct played *g = *state;
    planned_write_suite(g->planned, "null.f", "  - {name: a, call: ok}\n");
    g->planned->options.untimed_check = true;
    g->planned->options.repetitions = 1;
    played_begin(g, "null@null");
    g->session.scratch = pm_strdup("scratch");
    for (size_t i = 0; i < 3; i++) { /* the check, then the reference and the target, timed */
        json_t *setting;
        struct session_child *child = played_next(g, 0, &setting);
        assert_non_null(child);
        assert_string_equal(pm_json_string(setting, "compiled", "none"),
                            i ? "none" : "scratch/compiled");
        assert_int_equal(pm_json_bool(setting, "clocks", false), i > 0);
        json_decref(setting);
        while (played_job(g, child))
            played_answer(g, child, "{}");
        played_end(g, child, PM_ENDING_EXIT);
    }
    assert_null(played_next(g, 0, NULL));
    free(g->session.scratch);
    g->session.scratch = NULL;
}

/* ---- drivers and devices ----------------------------------------------------------------------
 */

static int ready(struct played *g, int target, const char *header)
{
    json_t *json = json_loads(header, 0, NULL);
    const struct pm_driver_info info = {.driver = &g->session.plan.targets[target].loose_driver,
                                        .ready = json};
    const int rc = g->policy.driver_ready(&g->session, &info, &g->err);
    json_decref(json);
    return rc;
}

static int started(struct played *g, struct session_child *child, const char *header)
{
    json_t *json = json_loads(header, 0, NULL);
    const int rc = g->policy.started(&g->session, child, json, &g->err);
    json_decref(json);
    return rc;
}

static int find_device(void *ctx, const struct pm_target_row *row)
{
    pm_str_addf(ctx, "%s|%s|%s|%s\n", row->text, row->device_name, row->driver_version,
                row->versions);
    return PM_OK;
}

static void test_the_first_child_describes_its_target(void **state)
{
    struct played *g = *state;
    struct pm_str text = PM_STR_INIT;
    begin_shared(g);
    struct session_child *child = played_next(g, 0, NULL);
    assert_ok(g, ready(g, child->group->target, "{\"versions\": {\"null\": \"1\"}}"));
    assert_ok(g, started(g, child,
                         "{\"device\": \"Null 3000\", \"driver_version\": \"7\", \"numeric\": {},"
                         "\"startup_ns\": 5, \"threads\": 1}"));
    struct session_child *second = played_next(g, 1, NULL);
    assert_ok(g, started(g, second, "{\"device\": \"another\", \"numeric\": {}}"));
    assert_ok(g,
              pm_store_targets(g->session.store, g->session.run_id, find_device, &text, &g->err));
    assert_string_equal(text.data, "null@host|Null 3000|7|{\"null\":\"1\"}\n");
    pm_str_release(&text);
    played_end(g, child, PM_ENDING_STOPPED);
    played_end(g, second, PM_ENDING_STOPPED);
}

static void test_a_target_that_cannot_be_measured_ends_the_run(void **state)
{
    struct played *g = *state;
    begin_one(g);
    struct session_child *child = played_next(g, 0, NULL);
    assert_refused(g, ready(g, 0, "{\"error\": \"no module named null\"}"), PM_EIO,
                   "'null@host' cannot be measured: no module named null");
    assert_refused(g, started(g, child, "{\"error\": {\"message\": \"no device\"}}"), PM_EIO,
                   "no device");
    played_end(g, child, PM_ENDING_STOPPED);
}

static void test_an_oracle_that_cannot_be_had_ends_its_own_executions_only(void **state)
{
    struct played *g = *state;
    planned_add_environment(g->planned, "numpy", "numpy", "\"numpy\": \"1.26\", \"scipy\": \"1\"");
    planned_write_suite(g->planned, "null.f",
                        "  - {name: a, call: ok, expect: \"1\"}\n"
                        "  - {name: b, call: ok, expect: \"1\"}\n");
    g->planned->options.outcomes_only = true;
    g->planned->options.isolation = PM_ISOLATION_FUNCTION;
    played_begin(g, "null@host");
    assert_int_equal(g->session.plan.target_count, 2);
    assert_ok(g, ready(g, 1, "{\"error\": \"no module named numpy\"}"));
    for (unsigned i = 0; i < 3; i++) { /* two children of the host, one of the oracle */
        struct session_child *child = played_next(g, 0, NULL);
        const bool oracle = child->group->target == 1;
        while (!oracle && played_job(g, child))
            played_answer(g, child, "{}");
        played_end(g, child, oracle ? PM_ENDING_DRIVER : PM_ENDING_EXIT);
    }
    assert_null(played_next(g, 0, NULL));
    assert_int_equal(g->session.done, g->session.plan.execution_count);
    char *row = played_row(g, played_execution(g, "numpy@cpu", "b", 0));
    assert_has(row, ": done, driver");
    free(row);
}

static void test_what_is_finished_is_committed_within_moments(void **state)
{
    struct played *g = *state;
    begin_one(g);
    struct session_child *child = played_next(g, 0, NULL);
    played_job(g, child);
    played_answer(g, child, "{}");
    assert_true(g->session.in_transaction);
    g->session.last_commit = 0; /* long ago */
    assert_ok(g, g->policy.tick(&g->session, &g->err));
    assert_false(g->session.in_transaction);
    played_end(g, child, PM_ENDING_EXIT);
}

/* Returns the number of done executions in the copy as "2 of 5"; "none" if there is no copy. The
 * caller frees the text. */
static char *done_in_copy(struct played *g, const char *path)
{
    struct pm_store *copy;
    struct pm_run_progress progress;
    if (!pm_path_exists(path))
        return pm_strdup("none");
    assert_ok(g, pm_store_open(&copy, path, PM_STORE_READ, &g->err));
    assert_ok(g, pm_store_run_progress(copy, g->session.run_id, &progress, &g->err));
    pm_store_free(copy);
    return pm_format("%lld of %lld", (long long)progress.done, (long long)progress.executions);
}

/* Plays a child, and commits when the last copy is `seconds` old; asserts that done_in_copy() then
 * returns `copied`. */
static void commit_after(struct played *g, unsigned seconds, const char *copied)
{
    const char *path = g->planned->options.copy;
    struct session_child *child = played_next(g, 0, NULL);
    played_job(g, child);
    played_answer(g, child, "{}");
    played_end(g, child, PM_ENDING_EXIT);
    g->session.last_copy = pm_clock_now() - seconds * UINT64_C(1000000000);
    assert_ok(g, pm_measure__session_commit(&g->session, &g->err));
    assert_text(done_in_copy(g, path), copied);
}

static void test_the_database_is_copied_every_three_minutes(void **state)
{
    struct played *g = *state;
    char *path = pm_format("%s/copy.db", g->planned->stored->folder);
    g->planned->options.copy = path;
    g->planned->options.repetitions = 5;
    begin_one(g);
    commit_after(g, 170, "none");
    commit_after(g, 181, "2 of 5");
    assert_true(pm_clock_now() - g->session.last_copy < 100 * UINT64_C(1000000000));
    commit_after(g, 170, "2 of 5");
    g->planned->options.copy = "/nowhere/copy.db"; /* a copy that fails does not end the run */
    g->session.last_copy = 0;
    commit_after(g, 181, "none");
    g->planned->options.copy = path;
    commit_after(g, 181, "5 of 5");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYED_TEST(test_a_child_takes_its_group_job_by_job),
        PLAYED_TEST(test_what_goes_wrong_first_is_the_answer),
        PLAYED_TEST(test_what_is_planned_to_be_repeated_runs_alone),
        PLAYED_TEST(test_a_retry_makes_the_calls_of_the_first_time),
        PLAYED_TEST(test_a_lost_job_has_the_ending_of_its_child),
        PLAYED_TEST(test_a_deadline_is_never_tried_twice),
        PLAYED_TEST(test_what_the_user_stops_stays_to_do),
        PLAYED_TEST(test_a_child_that_cannot_start_gives_up_at_the_second_try),
        PLAYED_TEST(test_a_run_in_which_nothing_starts_ends_with_a_line),
        PLAYED_TEST(test_nonsense_is_told_to_the_pool),
        PLAYED_TEST(test_arrays_are_given_for_a_job_only),
        PLAYED_TEST(test_what_is_timed_runs_alone_and_last),
        PLAYED_TEST(test_a_child_is_set_up_for_its_cases),
        PLAYED_TEST(test_a_child_is_set_up_for_its_target),
        PLAYED_TEST(test_only_a_rehearsal_and_a_lowered_target_keep_compiled_code),
        PLAYED_TEST(test_an_untimed_check_keeps_compiled_code),
        PLAYED_TEST(test_the_first_child_describes_its_target),
        PLAYED_TEST(test_a_target_that_cannot_be_measured_ends_the_run),
        PLAYED_TEST(test_an_oracle_that_cannot_be_had_ends_its_own_executions_only),
        PLAYED_TEST(test_what_is_finished_is_committed_within_moments),
        PLAYED_TEST(test_the_database_is_copied_every_three_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the planted faults, which a run must detect to be valid. */
#include "sessions.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"

/* Begins a run with the planted faults of the null framework, in the phase of planted faults. */
static void begin(struct played *g, const char *targets)
{
    planned_write_suite(g->planned, "null.f", "  - {name: a, call: ok}\n");
    played_begin(g, targets);
    g->session.phase = PHASE_PLANTED_FAULTS;
    assert_ok(g, pm_measure__planted_faults_plan(&g->session, &g->err));
}

/* Answers with an output of these float32 numbers. If `dtype` is not "float32", the output refers
 * to no bytes. */
static void answer_with(struct played *g, struct session_child *child, const char *dtype,
                        const float *numbers, size_t count, bool on_device)
{
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)count}};
    const struct pm_digest digest =
        pm_digest_of(PM_FLOAT32, &shape, numbers, count * sizeof *numbers);
    json_t *header = json_pack("{s:[{s:s, s:s, s:[i], s:s, s:b, s:s, s:i, s:i}]}", "outputs",
                               "path", "out", "dtype", dtype, "shape", (int)count, "device",
                               on_device ? "null" : "host", "on_device", on_device, "digest",
                               digest.hex, "offset", 0, "bytes", (int)(count * sizeof *numbers));
    if (strcmp(dtype, "float32"))
        json_object_del(json_array_get(json_object_get(header, "outputs"), 0), "offset");
    const struct pm_frame frame = {.kind = PM_FRAME_RESULT,
                                   .header = header,
                                   .body = (const unsigned char *)numbers,
                                   .body_length = count * sizeof *numbers};
    assert_ok(g, g->policy.answered(&g->session, child, &frame, &g->err));
    json_decref(header);
}

/* Nanoseconds of a calibrated call of the planted faults 'work 1' and 'work 2'. */
struct pace {
    int64_t once, twice;
};

/* Answers for the planted fault "import": its clock counted this number of imports. */
static void answer_import(struct played *g, struct session_child *child, int imports)
{
    char *header =
        pm_format("{\"timings\": {\"cold\": [7]}, \"clocks\": {\"cold\": {\"warmup\": 0, "
                  "\"factor\": 1, \"imports\": %d, \"imported\": \"m\"}}}",
                  imports);
    played_answer(g, child, header);
    free(header);
}

static void answer_work(struct played *g, struct session_child *child, int64_t warm, bool on_host)
{
    char *header = pm_format("{\"fallback\": [%s], \"timings\": {\"warm\": [%lld, %lld]}}",
                             on_host ? "\"null::op\"" : "", (long long)warm + 900, (long long)warm);
    played_answer(g, child, header);
    free(header);
}

/* Plays a planted fault as the null device does. The fault named `spoilt` behaves well, so that it
 * is not detected. If it is 'work 1' or 'work 2', its work runs on the host; if it is 'import', the
 * clock counts no import. */
static void play_one(struct played *g, struct session_child *child, const char *spoilt,
                     const struct pace *pace)
{
    static const float right[] = {1, 2}, wrong[] = {1, 0};
    const struct plan_planted_fault *planted_fault = child->group->planted_fault;
    const char *name = pm_measure__planted_fault_case(planted_fault)->name;
    const bool fault = pm_measure__planted_fault_misbehaves(planted_fault) && strcmp(name, spoilt);
    assert_int_equal(played_job(g, child), -1);
    if (!strcmp(name, "work 1") || !strcmp(name, "work 2"))
        answer_work(g, child, !strcmp(name, "work 2") ? pace->twice : pace->once,
                    !strcmp(name, spoilt));
    else if (!strcmp(name, "import"))
        answer_import(g, child, strcmp(name, spoilt) ? 1 : 0);
    else if (!strcmp(name, "fallback"))
        played_answer(g, child, fault ? "{\"fallback\": [\"null::op\"]}" : "{}");
    else if (fault && !strcmp(name, "destroyed input"))
        played_answer(g, child, "{\"destroyed\": \"x\"}");
    else if (fault && !strcmp(name, "crash"))
        played_end(g, child, PM_ENDING_SIGNAL);
    else if (fault && !strcmp(name, "hang"))
        played_end(g, child, PM_ENDING_DEADLINE);
    else if (fault && !strcmp(name, "memory"))
        played_answer(g, child, "{\"raised\": {\"type\": \"MemoryError\", \"memory\": \"host\"}}");
    else if (fault && !strcmp(name, "device memory"))
        played_answer(g, child, "{\"raised\": {\"type\": \"Full\", \"memory\": \"device\"}}");
    else if (fault && !strcmp(name, "wrong dtype"))
        answer_with(g, child, "float16x", right, 2, true);
    else if (fault && !strcmp(name, "NaN"))
        answer_with(g, child, "float32", wrong, 2, true);
    else if (fault && !strcmp(name, "wrong device"))
        answer_with(g, child, "float32", right, 2, false);
    else
        answer_with(g, child, "float32", right, 2, true);
    if (!fault || (strcmp(name, "crash") && strcmp(name, "hang")))
        played_end(g, child, PM_ENDING_EXIT);
}

/* Plays all planted faults; returns the number of children. */
static size_t play_planted_faults(struct played *g, const char *spoilt, const struct pace *pace)
{
    size_t children = 0;
    for (; children < 100; children++) {
        struct session_child *child = played_next(g, 0, NULL);
        if (!child || !child->group->planted_fault) {
            if (child)
                played_end(g, child, PM_ENDING_STOPPED);
            break;
        }
        play_one(g, child, spoilt, pace);
    }
    assert_true(children < 100);
    return children;
}

static const struct pace even = {1000000, 2000000};

struct listing {
    struct played *g;
    struct pm_str text;
};

static int list_planted_fault(void *ctx, const struct pm_planted_fault_row *row)
{
    struct listing *l = ctx;
    const struct plan *plan = &l->g->session.plan;
    for (size_t i = 0; i < plan->target_count; i++)
        if (plan->targets[i].id == row->target_id)
            pm_str_addf(&l->text, "%s %s: %s%s\n", plan->targets[i].target.text, row->name,
                        pm_observation_text(row->observed),
                        row->as_expected ? "" : ", not detected");
    return PM_OK;
}

/* Stores the planted faults; returns their rows as text, which the caller frees. */
static char *store(struct played *g, struct pm_run_summary *out)
{
    struct listing l = {.g = g, .text = PM_STR_INIT};
    struct session *s = &g->session;
    assert_ok(g, pm_measure__planted_faults_store(s, out, &g->err));
    assert_ok(g, pm_store_planted_faults(s->store, s->run_id, list_planted_fault, &l, &g->err));
    return pm_str_detach(&l.text);
}

/* ---- what is planned --------------------------------------------------------------------------
 */

static void test_a_fault_that_is_compared_has_a_reference_on_the_reference(void **state)
{
    struct played *g = *state;
    begin(g, "null@null");
    size_t references = 0, faults = 0;
    const int host = 1;
    for (size_t i = 0; i < g->session.plan.queues[PHASE_PLANTED_FAULTS].count; i++) {
        const struct plan_group *group = g->session.plan.queues[PHASE_PLANTED_FAULTS].groups[i];
        if (pm_measure__planted_fault_misbehaves(group->planted_fault))
            faults++;
        else {
            references++;
            assert_int_equal(group->target, host);
        }
    }
    /* Each target has crash, hang, memory, device memory, wrong dtype and NaN; the device also has
     * wrong device, fallback and destroyed input. Faults that fail or fall back have a reference.
     */
    assert_int_equal(faults, 2 * 6 + 3);
    assert_int_equal(references, 2 * 2 + 2);
    assert_int_equal(g->session.plan.queues[PHASE_CALIBRATION].count, 2 * 3);
}

static void test_each_planted_fault_has_limits_of_its_own(void **state)
{
    struct played *g = *state;
    begin(g, "null@host");
    for (size_t i = 0; i < g->session.plan.queues[PHASE_PLANTED_FAULTS].count; i++) {
        const struct plan_planted_fault *planted_fault =
            g->session.plan.queues[PHASE_PLANTED_FAULTS].groups[i]->planted_fault;
        const char *name = pm_measure__planted_fault_case(planted_fault)->name;
        assert_int_equal(pm_measure__planted_fault_timeout_ms(planted_fault) < 10000,
                         !strcmp(name, "hang"));
        assert_int_equal(pm_measure__planted_fault_memory(planted_fault) != 0,
                         strstr(name, "memory") != NULL);
    }
}

/* Makes a home with drivers/ and these planted faults of null; returns its path. */
static char *make_home(struct played *g, const char *text)
{
    char *home = pm_path_join(g->planned->stored->folder, "home");
    static const char *const folders[] = {"drivers", "suites/planted-faults"};
    for (size_t i = 0; i < 2; i++) {
        char *folder = pm_path_join(home, folders[i]);
        assert_ok(g, pm_folder_make(folder, &g->err));
        free(folder);
    }
    char *path = pm_path_join(home, "suites/planted-faults/null.yaml");
    assert_ok(g, pm_file_write(path, text, strlen(text), &g->err));
    free(path);
    return home;
}

/* Plans the planted faults again, from a file with these cases. */
static int plan_file(struct played *g, const char *cases)
{
    char *text =
        pm_format("function: portmeter.planted_fault\nplanted_faults: true\ncases:\n%s", cases);
    char *home = make_home(g, text), *real = pm_strdup(getenv("PORTMETER_HOME"));
    setenv("PORTMETER_HOME", home, 1);
    pm_measure__planted_faults_release(g->session.planted_faults);
    const int rc = pm_measure__planted_faults_plan(&g->session, &g->err);
    if (real)
        setenv("PORTMETER_HOME", real, 1);
    else
        unsetenv("PORTMETER_HOME");
    free(real);
    free(home);
    free(text);
    return rc;
}

static void check_file_refused(struct played *g, const char *cases, const char *part)
{
    assert_int_equal(plan_file(g, cases), PM_EFORMAT);
    assert_has(g->err.text, part);
}

/* A limit of the host's memory could end a child before the child exhausts its device's memory. */
static void test_only_exhausting_the_host_is_limited(void **state)
{
    struct played *g = *state;
    begin(g, "null@null");
    struct plan_queue *queue = &g->session.plan.queues[PHASE_PLANTED_FAULTS];
    const size_t before = queue->count;
    g->session.plan.targets[0].target.on_host = false;
    assert_ok(g, plan_file(g, "  - {name: host, call: memory, expected: memory}\n"
                              "  - {name: device, call: devicememory, expected: memory,\n"
                              "     needs: [device memory]}\n"));
    assert_int_equal(queue->count - before, 3); /* "host" on both targets, "device" on one */
    for (size_t i = before; i < queue->count; i++) {
        const struct plan_planted_fault *planted_fault = queue->groups[i]->planted_fault;
        const bool of_host = !strcmp(pm_measure__planted_fault_case(planted_fault)->name, "host");
        assert_int_equal(pm_measure__planted_fault_memory(planted_fault) != 0, of_host);
    }
}

static void test_a_planted_fault_file_is_checked(void **state)
{
    struct played *g = *state;
    planned_write_suite(g->planned, "null.f", "  - {name: a, call: ok}\n");
    played_begin(g, "null@host");
    check_file_refused(g, "  - {name: a, call: ok, expected: splendid}\n",
                       "unknown value 'splendid' of 'expected'");
    check_file_refused(g, "  - {name: a, call: ok, expected: pass, needs: [luck]}\n",
                       "unknown value 'luck' of 'needs'");
}

/* ---- what is detected -------------------------------------------------------------------------
 */

static void test_a_run_that_detects_every_fault_is_valid(void **state)
{
    struct played *g = *state;
    struct pm_run_summary run;
    begin(g, "null@null");
    play_planted_faults(g, "", &even);
    assert_text(store(g, &run),
                "null@null NaN: fail\nnull@null crash: crash\n"
                "null@null destroyed input: harness\nnull@null device memory: memory\n"
                "null@null fallback: fallback\n"
                "null@null hang: timeout\nnull@null import: pass\n"
                "null@null memory: memory\nnull@null work 1: pass\nnull@null work 2: pass\n"
                "null@null wrong device: fallback\nnull@null wrong dtype: fail\n"
                "null@host NaN: fail\nnull@host crash: crash\n"
                "null@host destroyed input: does not apply\nnull@host device memory: memory\n"
                "null@host fallback: does not apply\n"
                "null@host hang: timeout\nnull@host import: pass\n"
                "null@host memory: memory\nnull@host work 1: pass\nnull@host work 2: pass\n"
                "null@host wrong device: does not apply\nnull@host wrong dtype: fail\n");
    assert_true(run.valid && run.latencies_valid);
    assert_string_equal(run.reason, "");
}

static void test_a_fault_that_is_not_detected_makes_the_run_invalid(void **state)
{
    struct played *g = *state;
    struct pm_run_summary run;
    begin(g, "null@null");
    play_planted_faults(g, "NaN", &even);
    char *rows = store(g, &run);
    assert_has(rows, "null@null NaN: pass, not detected\n");
    assert_has(rows, "null@null crash: crash\n");
    free(rows);
    assert_false(run.valid || run.latencies_valid);
    assert_has(run.reason, "'NaN' on null@null gave 'pass' instead of 'fail': the planted fault");
}

/* On an incomplete device, faults other than "fallback" may run on the host. */
static void test_a_fault_that_passes_may_run_on_the_host(void **state)
{
    struct played *g = *state;
    struct pm_run_summary run;
    begin(g, "null@null");
    play_planted_faults(g, "work 1", &even);
    char *rows = store(g, &run);
    assert_has(rows, "null@null work 1: fallback\n");
    free(rows);
    assert_true(run.valid && run.latencies_valid);
}

static void test_without_latencies_no_work_is_calibrated(void **state)
{
    struct played *g = *state;
    struct pm_run_summary run;
    g->planned->options.outcomes_only = true;
    begin(g, "null@host");
    play_planted_faults(g, "", &even);
    char *rows = store(g, &run);
    assert_has(rows, "work 1: does not apply\n");
    assert_has(rows, "work 2: does not apply\n");
    free(rows);
    assert_true(run.valid && run.latencies_valid);
}

/* Plays all planted faults. "wrong dtype" reaches its deadline the first `late` times that it
 * misbehaves. */
static void play_late(struct played *g, unsigned late)
{
    struct session_child *child;
    while ((child = played_next(g, 0, NULL)) && child->group->planted_fault) {
        const struct plan_planted_fault *planted_fault = child->group->planted_fault;
        const bool slow =
            late && pm_measure__planted_fault_misbehaves(planted_fault) &&
            !strcmp(pm_measure__planted_fault_case(planted_fault)->name, "wrong dtype");
        if (!slow) {
            play_one(g, child, "", &even);
            continue;
        }
        late--;
        assert_int_equal(played_job(g, child), -1);
        played_end(g, child, PM_ENDING_DEADLINE);
    }
    if (child)
        played_end(g, child, PM_ENDING_STOPPED);
}

/* A busy machine can make a fault slow, so its timeout counts only if it also times out alone. */
static void test_a_fault_that_times_out_runs_once_more_alone(void **state)
{
    struct played *g = *state;
    struct pm_run_summary run;
    begin(g, "null@host");
    play_late(g, 1);
    char *rows = store(g, &run);
    assert_has(rows, "null@host wrong dtype: fail\n");
    assert_true(run.valid);
    free(rows);
    played_tear_down(state);
    played_set_up(state);
    g = *state;
    begin(g, "null@host");
    play_late(g, 2);
    rows = store(g, &run);
    assert_has(rows, "null@host wrong dtype: timeout, not detected\n");
    assert_false(run.valid);
    free(rows);
}

/* ---- calibrated work --------------------------------------------------------------------------
 */

static void test_work_that_does_not_take_twice_as_long_is_tried_ten_times(void **state)
{
    static const struct pace paces[] = {{1000000, 1490000}, {1000000, 3010000}};
    for (size_t i = 0; i < sizeof paces / sizeof *paces; i++) {
        struct played *g = *state;
        struct pm_run_summary run;
        if (i) {
            played_tear_down(state);
            played_set_up(state);
            g = *state;
        }
        begin(g, "null@host");
        const size_t once = 6 + 2 + 3; /* faults, their references, clocks */
        assert_int_equal(play_planted_faults(g, "", &paces[i]), once + 9 * 2);
        char *rows = store(g, &run);
        assert_has(rows, "null@host work 2: not calibrated, not detected\n");
        free(rows);
        assert_true(run.valid); /* a busy machine does not spoil outcomes */
        assert_false(run.latencies_valid);
        assert_has(run.latency_reason, "n units of work take 1.000 ms");
        assert_has(run.latency_reason, "; load average ");
    }
}

static void test_the_least_time_of_all_tries_counts(void **state)
{
    struct played *g = *state;
    struct pace pace = {9000000, 2000000}; /* the first try of 'work 1' was disturbed */
    struct pm_run_summary run;
    begin(g, "null@host");
    size_t children = 0;
    for (; children < 50; children++) {
        struct session_child *child = played_next(g, 0, NULL);
        assert_non_null(child);
        if (!child->group->planted_fault) {
            played_end(g, child, PM_ENDING_STOPPED);
            break;
        }
        if (children == 6 + 2 + 3)
            pace = (struct pace){1000000, 8000000}; /* now the first try of 'work 2' is disturbed */
        play_one(g, child, "", &pace);
    }
    assert_int_equal(children, 6 + 2 + 3 + 2);
    free(store(g, &run));
    assert_true(run.valid && run.latencies_valid);
}

/* An undetected fault of the clocks, such as uncounted imports, does not spoil outcomes. */
static void test_a_planted_fault_of_the_clocks_spoils_latencies_alone(void **state)
{
    struct played *g = *state;
    struct pm_run_summary run;
    begin(g, "null@host");
    assert_int_equal(play_planted_faults(g, "import", &even), 6 + 2 + 3 + 2);
    char *rows = store(g, &run);
    assert_has(rows, "null@host import: not calibrated, not detected\n");
    free(rows);
    assert_true(run.valid);
    assert_false(run.latencies_valid);
    assert_has(run.latency_reason, "'import' on null@host");
    assert_has(run.latency_reason, "the clock did not count the import");
}

/* Work that a load spike spoils at first is tried again after the cases, and then counts. */
static void test_work_is_calibrated_again_later(void **state)
{
    struct played *g = *state;
    struct pace pace = {1000000, 1000000};
    struct pm_run_summary run;
    size_t children = 0, planted_faults_after = 0;
    bool case_seen = false;
    struct session_child *child;
    begin(g, "null@host");
    for (; children < 200 && (child = played_next(g, 0, NULL)); children++) {
        if (child->group->planted_fault) {
            planted_faults_after += case_seen;
            play_one(g, child, "", &pace);
            continue;
        }
        case_seen = true;
        pace = even; /* the spike is over */
        while (played_job(g, child))
            played_answer(g, child, "{}");
        played_end(g, child, PM_ENDING_EXIT);
    }
    assert_int_equal(planted_faults_after, 2);
    free(store(g, &run));
    assert_true(run.valid && run.latencies_valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYED_TEST(test_a_fault_that_is_compared_has_a_reference_on_the_reference),
        PLAYED_TEST(test_each_planted_fault_has_limits_of_its_own),
        PLAYED_TEST(test_only_exhausting_the_host_is_limited),
        PLAYED_TEST(test_a_planted_fault_file_is_checked),
        PLAYED_TEST(test_a_run_that_detects_every_fault_is_valid),
        PLAYED_TEST(test_a_fault_that_is_not_detected_makes_the_run_invalid),
        PLAYED_TEST(test_a_fault_that_passes_may_run_on_the_host),
        PLAYED_TEST(test_without_latencies_no_work_is_calibrated),
        PLAYED_TEST(test_work_that_does_not_take_twice_as_long_is_tried_ten_times),
        PLAYED_TEST(test_a_fault_that_times_out_runs_once_more_alone),
        PLAYED_TEST(test_the_least_time_of_all_tries_counts),
        PLAYED_TEST(test_a_planted_fault_of_the_clocks_spoils_latencies_alone),
        PLAYED_TEST(test_work_is_calibrated_again_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

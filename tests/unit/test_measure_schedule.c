/* Tests of storing a plan's executions, of resuming them, and of the groups in which children get
 * them. */
#include "plans.h"

#include "base/alloc.h"
#include "store/executions.h"

static const char three_cases[] =
    "  - {name: a, call: ok}\n  - {name: b, call: ok}\n  - {name: c, call: ok}\n";

/* Plans null.f (three cases) and null.g (one) on null@null. */
static void plan_two_functions(struct planned *p)
{
    planned_write_suite(p, "null.f", three_cases);
    planned_write_suite(p, "null.g", "  - {name: a, call: ok}\n");
    planned_make(p, "null@null");
}

static void begin_run(struct planned *p)
{
    stored_add_run(p->stored, NULL);
    assert_ok(p, pm_measure__plan_executions(&p->plan, p->stored->store, p->stored->run, &p->err));
}

/* Returns the number of executions of a case on a target. */
static size_t count_of(const struct planned *p, const char *target, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < p->plan.execution_count; i++) {
        const struct plan_execution *e = &p->plan.executions[i];
        count += e->target == planned_target(p, target) && !strcmp(e->test->name, name);
    }
    return count;
}

/* ---- executions -------------------------------------------------------------------------- */

static int count_todo(void *ctx, const struct pm_execution_row *row)
{
    assert_int_equal(row->state, PM_EXECUTION_PLANNED);
    ++*(size_t *)ctx;
    return PM_OK;
}

static void test_every_execution_is_in_the_store_before_it_is_done(void **state)
{
    struct planned *p = *state;
    size_t count = 0;
    p->options.repetitions = 2;
    plan_two_functions(p);
    begin_run(p);
    assert_int_equal(p->plan.execution_count, 2 * 4 * 2); /* targets, cases, repetitions */
    assert_ok(
        p, pm_store_executions(p->stored->store, p->stored->run, 0, count_todo, &count, &p->err));
    assert_int_equal(count, p->plan.execution_count);
    for (size_t i = 0; i < p->plan.execution_count; i++)
        assert_false(p->plan.executions[i].done);
}

static void test_each_target_runs_the_cases_that_are_for_it(void **state)
{
    struct planned *p = *state;
    planned_add_environment(p, "numpy", "numpy", "\"numpy\": \"1.26\", \"scipy\": \"1.11\"");
    planned_add_environment(p, "pytorch", "pytorch", "\"torch\": \"2.5.1+cpu\"");
    planned_write_suite(p, "torch.f",
                        "  - {name: plain, call: \"1\"}\n"
                        "  - {name: alone, call: \"1\", reference: none, check: \"out == 1\"}\n"
                        "  - {name: expects, call: \"1\", expect: \"1\"}\n"
                        "  - {name: older, call: \"1\", expect: \"1\", until: \"2.4\"}\n"
                        "  - {name: newer, call: \"1\", since: \"2.5\"}\n");
    p->options.repetitions = 3;
    planned_make(p, "pytorch@cuda");
    begin_run(p);
    assert_int_equal(count_of(p, "pytorch@cuda", "plain"), 3);
    assert_int_equal(count_of(p, "pytorch@cpu", "plain"), 3);
    assert_int_equal(count_of(p, "numpy@cpu", "plain"), 0);
    assert_int_equal(count_of(p, "pytorch@cuda", "alone"), 3);
    assert_int_equal(count_of(p, "pytorch@cpu", "alone"), 0);
    assert_int_equal(count_of(p, "numpy@cpu", "expects"), 1);
    assert_int_equal(count_of(p, "pytorch@cuda", "older"), 0);
    assert_int_equal(count_of(p, "pytorch@cpu", "older"), 0);
    assert_int_equal(count_of(p, "numpy@cpu", "older"), 0);
    assert_int_equal(count_of(p, "pytorch@cuda", "newer"), 3);
}

/* ---- groups: the shards of a run --------------------------------------------------------- */

/* Asserts that each execution that is not done is in one group of its target and phase, and that
 * all executions of a group have the same repetition. Returns the number of groups. */
static size_t check_groups(const struct planned *p)
{
    unsigned *seen = pm_alloc((p->plan.execution_count + 1) * sizeof *seen);
    size_t groups = 0;
    for (unsigned phase = 0; phase < PHASE_COUNT; phase++)
        for (size_t i = 0; i < p->plan.queues[phase].count; i++, groups++) {
            const struct plan_group *group = p->plan.queues[phase].groups[i];
            assert_true(group->count > 0);
            assert_int_equal(group->phase, phase);
            assert_int_equal(group->next, 0);
            for (size_t k = 0; k < group->count; k++) {
                const struct plan_execution *e = &p->plan.executions[group->executions[k]];
                assert_int_equal(e->target, group->target);
                assert_int_equal(e->repetition,
                                 p->plan.executions[group->executions[0]].repetition);
                assert_int_equal(pm_measure__group_times(&p->plan, group),
                                 p->plan.targets[e->target].latencies);
                seen[group->executions[k]]++;
            }
        }
    for (size_t i = 0; i < p->plan.execution_count; i++)
        assert_int_equal(seen[i], !p->plan.executions[i].done);
    free(seen);
    return groups;
}

static void test_groups_are_as_isolation_says(void **state)
{
    struct planned *p = *state;
    static const struct {
        enum pm_isolation isolation;
        size_t groups; /* of 2 targets x 2 repetitions, each with 4 cases of 2 functions */
    } rows[] = {{PM_ISOLATION_CASE, 16}, {PM_ISOLATION_FUNCTION, 8}, {PM_ISOLATION_WORKER, 4}};
    p->options.repetitions = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        p->options.isolation = rows[i].isolation;
        plan_two_functions(p);
        begin_run(p);
        pm_measure__plan_groups(&p->plan);
        assert_int_equal(check_groups(p), rows[i].groups);
        planned_forget(p);
    }
}

/* Each case of a function is the first of its child in one repetition, the same on every target. */
static void test_every_case_comes_first_in_some_repetition(void **state)
{
    struct planned *p = *state;
    enum { CASES = 3 };
    unsigned firsts[2][CASES] = {{0}};
    const struct pm_case *first_of[CASES] = {NULL};
    p->options.isolation = PM_ISOLATION_FUNCTION;
    p->options.repetitions = CASES;
    plan_two_functions(p);
    begin_run(p);
    pm_measure__plan_groups(&p->plan);
    const struct plan_queue *queue = &p->plan.queues[PHASE_LATENCIES];
    for (size_t i = 0; i < queue->count; i++) {
        const struct plan_group *group = queue->groups[i];
        const struct plan_execution *first = &p->plan.executions[group->executions[0]];
        if (group->count < CASES)
            continue;
        firsts[group->target][*first->test->name - 'a']++;
        if (!first_of[first->repetition])
            first_of[first->repetition] = first->test;
        assert_ptr_equal(first_of[first->repetition], first->test);
        for (size_t k = 1; k < group->count; k++)
            assert_ptr_equal(p->plan.executions[group->executions[k]].test->function,
                             first->test->function);
    }
    for (size_t t = 0; t < 2; t++)
        for (size_t k = 0; k < CASES; k++)
            assert_int_equal(firsts[t][k], 1);
}

/* Returns the names of the cases in the group of this target and repetition, except `omitted`. The
 * caller frees the text. */
static char *cases_of(const struct planned *p, int target, unsigned repetition, char omitted)
{
    struct pm_str text = PM_STR_INIT;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (size_t i = 0; i < p->plan.queues[phase].count; i++) {
            const struct plan_group *group = p->plan.queues[phase].groups[i];
            for (size_t k = 0; k < group->count; k++) {
                const struct plan_execution *e = &p->plan.executions[group->executions[k]];
                if (e->target == target && e->repetition == repetition && *e->test->name != omitted)
                    pm_str_addf(&text, "%s", e->test->name);
            }
        }
    return pm_str_detach(&text);
}

/* If a reference lacks a case (here one with `reference: none`), it runs the other cases in the
 * order of its target, so that the same cases precede a case on both. */
static void test_a_reference_that_lacks_a_case_has_the_order_of_its_target(void **state)
{
    static const enum pm_isolation ways[] = {PM_ISOLATION_FUNCTION, PM_ISOLATION_WORKER};
    enum { REPETITIONS = 4 };
    struct planned *p = *state;
    planned_write_suite(p, "null.f",
                        "  - {name: a, call: ok}\n"
                        "  - {name: b, call: ok}\n"
                        "  - {name: c, call: ok, reference: none, check: \"out\"}\n"
                        "  - {name: d, call: ok}\n"
                        "  - {name: e, call: ok, since: \"99\"}\n");
    p->options.repetitions = REPETITIONS;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        p->options.isolation = ways[w];
        char firsts[REPETITIONS + 1] = "";
        planned_make(p, "null@null");
        begin_run(p);
        pm_measure__plan_groups(&p->plan);
        for (unsigned r = 0; r < REPETITIONS; r++) {
            char *all = cases_of(p, planned_target(p, "null@null"), r, ' ');
            char *subject = cases_of(p, planned_target(p, "null@null"), r, 'c');
            char *reference = cases_of(p, planned_target(p, "null@host"), r, 'c');
            assert_int_equal(strlen(subject), 3);
            assert_string_equal(reference, subject);
            assert_null(strchr(firsts, all[0])); /* each is first only once; no version has `e` */
            firsts[r] = all[0];
            free(all);
            free(subject);
            free(reference);
        }
        planned_forget(p);
    }
}

static void test_what_is_not_timed_is_a_phase_of_its_own(void **state)
{
    struct planned *p = *state;
    planned_add_environment(p, "pytorch", "pytorch", "\"torch\": \"2.5.0\"");
    planned_write_suite(p, "torch.f", "  - {name: a, call: \"1\"}\n");
    planned_make(p, "pytorch@cuda pytorch@meta");
    begin_run(p);
    pm_measure__plan_groups(&p->plan);
    check_groups(p);
    assert_int_equal(p->plan.queues[PHASE_OUTCOMES].count, 1);      /* meta, once */
    assert_int_equal(p->plan.queues[PHASE_LATENCIES].count, 2 * 3); /* cuda and cpu */
}

/* Returns the first execution of each group in order, as text; the caller frees it. */
static char *order_of(const struct planned *p)
{
    struct pm_str text = PM_STR_INIT;
    const struct plan_queue *queue = &p->plan.queues[PHASE_LATENCIES];
    for (size_t i = 0; i < queue->count; i++)
        pm_str_addf(&text, "%zu ", queue->groups[i]->executions[0]);
    return pm_str_detach(&text);
}

static char *shuffled_order(struct planned *p, int64_t seed)
{
    p->options.seed = seed;
    p->options.isolation = PM_ISOLATION_CASE;
    p->options.repetitions = 4;
    plan_two_functions(p);
    begin_run(p);
    pm_measure__plan_groups(&p->plan);
    char *order = order_of(p);
    planned_forget(p);
    return order;
}

static void test_the_seed_shuffles_the_order(void **state)
{
    struct planned *p = *state;
    char *first = shuffled_order(p, 1), *again = shuffled_order(p, 1),
         *other = shuffled_order(p, 2);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    free(first);
    free(again);
    free(other);
}

static void test_one_environment_comes_after_the_other(void **state)
{
    struct planned *p = *state;
    planned_add_environment(p, "other", "null", "");
    p->options.isolation = PM_ISOLATION_CASE;
    planned_write_suite(p, "null.f", "  - {name: a, call: ok}\n  - {name: b, call: ok}\n");
    planned_make(p, "null@null other:null@null");
    begin_run(p);
    pm_measure__plan_groups(&p->plan);
    const struct plan_queue *queue = &p->plan.queues[PHASE_LATENCIES];
    unsigned changes = 0;
    for (size_t i = 1; i < queue->count; i++)
        changes += p->plan.targets[queue->groups[i]->target].environment !=
                   p->plan.targets[queue->groups[i - 1]->target].environment;
    assert_true(queue->count > 8);
    assert_int_equal(changes, 1);
}

/* ---- resuming ---------------------------------------------------------------------------- */

static void finish(struct planned *p, size_t execution)
{
    const struct pm_execution_row row = {.id = p->plan.executions[execution].id,
                                         .run_id = p->stored->run,
                                         .answered = true,
                                         .result = "{}"};
    assert_ok(p, pm_store_finish_execution(p->stored->store, &row, &p->err));
}

static int resume(struct planned *p)
{
    return pm_measure__plan_resume(&p->plan, p->stored->store, p->stored->run, &p->err);
}

static void test_a_run_is_resumed_where_it_stopped(void **state)
{
    struct planned *p = *state;
    p->options.repetitions = 2;
    plan_two_functions(p);
    begin_run(p);
    const size_t planned = p->plan.execution_count;
    const int64_t done[] = {p->plan.executions[0].id, p->plan.executions[5].id};
    finish(p, 0);
    finish(p, 5);
    planned_forget(p);
    planned_make(p, "null@null");
    assert_ok(p, resume(p));
    assert_int_equal(p->plan.execution_count, planned);
    for (size_t i = 0; i < planned; i++) {
        const struct plan_execution *e = &p->plan.executions[i];
        assert_int_equal(e->done, e->id == done[0] || e->id == done[1]);
        assert_true(p->plan.targets[e->target].id > 0);
    }
    pm_measure__plan_groups(&p->plan);
    check_groups(p); /* only the executions that are still to do */
}

static void test_repetitions_are_added(void **state)
{
    struct planned *p = *state;
    p->options.repetitions = 2;
    plan_two_functions(p);
    begin_run(p);
    const size_t planned = p->plan.execution_count;
    for (size_t i = 0; i < planned; i++)
        finish(p, i);
    planned_forget(p);
    p->options.repetitions = 5;
    planned_make(p, "null@null");
    assert_ok(p, resume(p));
    assert_int_equal(p->plan.execution_count, planned / 2 * 5);
    assert_int_equal(count_of(p, "null@null", "b"), 5);
    assert_int_equal(count_of(p, "null@host", "b"), 5);
    for (size_t i = 0; i < p->plan.execution_count; i++)
        assert_int_equal(p->plan.executions[i].done, p->plan.executions[i].repetition < 2);
    pm_measure__plan_groups(&p->plan);
    check_groups(p);
    /* The added executions are in the store now, and none is added twice. */
    planned_forget(p);
    planned_make(p, "null@null");
    assert_ok(p, resume(p));
    assert_int_equal(p->plan.execution_count, planned / 2 * 5);
}

static void test_repetitions_are_not_taken_away(void **state)
{
    struct planned *p = *state;
    p->options.repetitions = 3;
    plan_two_functions(p);
    begin_run(p);
    planned_forget(p);
    p->options.repetitions = 2;
    planned_make(p, "null@null");
    assert_refused(p, resume(p), PM_EUSAGE, "more processes per case");
}

static void test_a_run_that_is_done_leaves_no_group(void **state)
{
    struct planned *p = *state;
    plan_two_functions(p);
    begin_run(p);
    for (size_t i = 0; i < p->plan.execution_count; i++)
        finish(p, i);
    planned_forget(p);
    planned_make(p, "null@null");
    assert_ok(p, resume(p));
    pm_measure__plan_groups(&p->plan);
    assert_int_equal(check_groups(p), 0);
}

static void test_another_suite_is_not_resumed(void **state)
{
    struct planned *p = *state;
    plan_two_functions(p);
    begin_run(p);
    planned_forget(p);
    planned_write_suite(p, "null.f", "  - {name: a, call: ok}\n  - {name: b, call: ok}\n");
    planned_make(p, "null@null");
    assert_refused(p, resume(p), PM_EUSAGE, "case 'c' of 'null.f'");
}

static void test_other_targets_are_not_resumed(void **state)
{
    struct planned *p = *state;
    planned_write_suite(p, "null.f", three_cases);
    planned_make(p, "null@host");
    begin_run(p);
    planned_forget(p);
    planned_make(p, "null@null");
    assert_refused(p, resume(p), PM_EUSAGE, "targets was 1");
    begin_run(p);
    planned_forget(p);
    planned_make(p, "null@host");
    assert_refused(p, resume(p), PM_EUSAGE, "'null@null'");
}

static void plan_pytorch(struct planned *p, const char *modules)
{
    planned_add_environment(p, "pytorch", "pytorch", modules);
    planned_write_suite(p, "torch.f", "  - {name: a, call: \"1\"}\n");
    planned_make(p, "pytorch@cpu");
}

static void test_another_version_of_the_framework_is_not_resumed(void **state)
{
    struct planned *p = *state;
    plan_pytorch(p, "\"torch\": \"2.5.0\"");
    begin_run(p);
    planned_forget(p);
    plan_pytorch(p, "\"torch\": \"2.5.1\"");
    assert_refused(p, resume(p), PM_EUSAGE, "2.5.0");
}

static void test_another_interpreter_is_not_resumed(void **state)
{
    struct planned *p = *state;
    plan_pytorch(p, "\"torch\": \"2.5.0\"");
    begin_run(p);
    struct pm_environment *environment =
        (struct pm_environment *)(uintptr_t)p->plan.targets[0].environment;
    free(environment->python);
    environment->python = pm_strdup("/elsewhere/python");
    assert_refused(p, resume(p), PM_EUSAGE, "/elsewhere/python");
}

/* ---- the reference once more --------------------------------------------------------------- */

/* Returns the number of executions of the second measurement of the reference, and stores in *done
 * how many of them are done. */
static size_t count_noise(const struct planned *p, size_t *done)
{
    size_t count = 0;
    *done = 0;
    for (size_t i = 0; i < p->plan.execution_count; i++) {
        const struct plan_execution *e = &p->plan.executions[i];
        if (p->plan.targets[e->target].role != PM_ROLE_NOISE)
            continue;
        assert_string_equal(p->plan.targets[e->target].target.text, "null@host");
        count++;
        *done += e->done;
    }
    return count;
}

static void test_noise_is_the_reference_in_processes_of_its_own(void **state)
{
    struct planned *p = *state;
    size_t done;
    p->options.noise = PM_NOISE_ALL;
    p->options.repetitions = 2;
    plan_two_functions(p);
    assert_int_equal(p->plan.target_count, 3);
    assert_int_equal(planned_target(p, "null@host"), 1); /* the reference */
    assert_int_equal(p->plan.targets[2].reference, 1);
    assert_string_equal(p->plan.targets[2].bound.key, p->plan.targets[1].bound.key);
    begin_run(p);
    assert_int_equal(count_noise(p, &done), 4 * 2); /* cases, repetitions */
    pm_measure__plan_groups(&p->plan);
    check_groups(p);
    for (size_t i = 0; i < p->plan.execution_count; i++)
        finish(p, i);
    /* Repetitions that are added to the reference are also added to its second measurement. */
    planned_forget(p);
    p->options.repetitions = 3;
    planned_make(p, "null@null");
    assert_ok(p, resume(p));
    assert_int_equal(count_noise(p, &done), 4 * 3);
    assert_int_equal(done, 4 * 2);
}

static void test_noise_may_be_of_some_functions(void **state)
{
    struct planned *p = *state;
    size_t done;
    p->options.noise = 1;
    p->options.repetitions = 2;
    plan_two_functions(p);
    begin_run(p);
    assert_int_equal(count_noise(p, &done), 1 * 2); /* of null.g, which has one case */
    planned_forget(p);
    p->options.outcomes_only = true;
    planned_make(p, "null@null");
    assert_int_equal(p->plan.target_count, 2); /* nothing is timed */
}

/* ---- more processes for what is timed quickly -------------------------------------------- */

/* Marks every execution as done, each in a process of its own. On null@null, processes of the
 * function `slow` took `seconds_of_slow`; all others took 1 s. */
static void finish_all(struct planned *p, const char *slow, int64_t seconds_of_slow)
{
    for (size_t i = 0; i < p->plan.execution_count; i++) {
        struct plan_execution *e = &p->plan.executions[i];
        const bool is_slow =
            e->target == planned_target(p, "null@null") && !strcmp(e->test->function->name, slow);
        struct pm_child_row child = {.run_id = p->stored->run,
                                     .target_id = p->plan.targets[e->target].id,
                                     .text = "",
                                     .output = "",
                                     .started = "",
                                     .wall_ns = (is_slow ? seconds_of_slow : 1) * 1000000000};
        assert_ok(p, pm_store_add_child(p->stored->store, &child, &child.id, &p->err));
        assert_ok(p, pm_store_finish_child(p->stored->store, &child, &p->err));
        const struct pm_execution_row row = {
            .id = e->id, .child_id = child.id, .answered = true, .result = "{}"};
        assert_ok(p, pm_store_finish_execution(p->stored->store, &row, &p->err));
        e->done = true;
    }
}

static size_t add_more(struct planned *p, int64_t left_s) /* negative: any time */
{
    size_t added;
    assert_ok(p, pm_measure__plan_more(&p->plan, p->stored->store, p->stored->run,
                                       left_s * 1000000000, &added, &p->err));
    return added;
}

/* Plans null.f (three cases) and null.g (one) in three processes, with `more` as the goal. */
static struct planned *plan_more(void **state, unsigned more, int64_t seconds_of_g)
{
    struct planned *p = *state;
    p->options.more_repetitions = more;
    p->options.isolation = PM_ISOLATION_FUNCTION;
    plan_two_functions(p);
    begin_run(p);
    assert_int_equal(count_of(p, "null@null", "b"), 3);
    finish_all(p, "null.g", seconds_of_g);
    return p;
}

/* A function that is slow on one target gets no additional processes on any target. */
static void test_what_is_timed_quickly_has_more_processes(void **state)
{
    struct planned *p = plan_more(state, 5, PM_QUICK_S + 1);
    assert_int_equal(add_more(p, -1), 3 * 2 * 2); /* cases of null.f, targets, repetitions */
    assert_int_equal(count_of(p, "null@null", "b"), 5);
    assert_int_equal(count_of(p, "null@host", "b"), 5);
    assert_int_equal(p->plan.queues[PHASE_LATENCIES].count, 2 * 2); /* targets, repetitions */
    check_groups(p);
    assert_int_equal(add_more(p, -1), 0);
    planned_forget(p);
    planned_make(p, "null@null");
    assert_ok(p, resume(p));
    assert_int_equal(p->plan.execution_count, 2 * 4 * 3 + 12);
}

/* A reference has as many timed processes as its subject, and the untimed one before them. */
static void test_an_untimed_check_is_no_additional_process(void **state)
{
    struct planned *p = *state;
    p->options.untimed_check = true;
    plan_more(state, 5, PM_QUICK_S + 1);
    assert_int_equal(count_of(p, "null@host", "b"), 4);
    assert_int_equal(add_more(p, -1), 3 * 2 * 2);
    assert_int_equal(count_of(p, "null@null", "b"), 5);
    assert_int_equal(count_of(p, "null@host", "b"), 6);
}

static void test_an_untimed_check_runs_with_the_outcomes(void **state)
{
    struct planned *p = *state;
    p->options.untimed_check = true;
    p->options.isolation = PM_ISOLATION_FUNCTION;
    plan_two_functions(p);
    begin_run(p);
    pm_measure__plan_groups(&p->plan);
    assert_int_equal(p->plan.queues[PHASE_OUTCOMES].count, 2); /* the reference of each function */
    assert_int_equal(p->plan.queues[PHASE_LATENCIES].count, 2 * (3 + 3));
}

static void test_at_the_limit_a_function_is_quick(void **state)
{
    assert_int_equal(add_more(plan_more(state, 5, PM_QUICK_S), -1), 4 * 2 * 2);
}

/* Two more processes on two targets take 4 s for the case of null.g, and 12 s for the three cases
 * of null.f. */
static void test_what_is_quickest_has_more_processes_first(void **state)
{
    struct planned *p = plan_more(state, 5, 1);
    assert_int_equal(add_more(p, 3), 0);
    assert_int_equal(add_more(p, 4), 1 * 2 * 2); /* null.g: cases, targets, repetitions */
    assert_int_equal(count_of(p, "null@null", "b"), 3);
    assert_int_equal(add_more(p, 11), 0); /* null.g has its five processes */
    assert_int_equal(add_more(p, 12), 3 * 2 * 2);
}

static void test_without_the_option_nothing_is_added(void **state)
{
    assert_int_equal(add_more(plan_more(state, 0, 1), -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLANNED_TEST(test_every_execution_is_in_the_store_before_it_is_done),
        PLANNED_TEST(test_each_target_runs_the_cases_that_are_for_it),
        PLANNED_TEST(test_groups_are_as_isolation_says),
        PLANNED_TEST(test_every_case_comes_first_in_some_repetition),
        PLANNED_TEST(test_a_reference_that_lacks_a_case_has_the_order_of_its_target),
        PLANNED_TEST(test_what_is_not_timed_is_a_phase_of_its_own),
        PLANNED_TEST(test_the_seed_shuffles_the_order),
        PLANNED_TEST(test_one_environment_comes_after_the_other),
        PLANNED_TEST(test_a_run_is_resumed_where_it_stopped),
        PLANNED_TEST(test_repetitions_are_added),
        PLANNED_TEST(test_repetitions_are_not_taken_away),
        PLANNED_TEST(test_a_run_that_is_done_leaves_no_group),
        PLANNED_TEST(test_another_suite_is_not_resumed),
        PLANNED_TEST(test_other_targets_are_not_resumed),
        PLANNED_TEST(test_another_version_of_the_framework_is_not_resumed),
        PLANNED_TEST(test_another_interpreter_is_not_resumed),
        PLANNED_TEST(test_noise_is_the_reference_in_processes_of_its_own),
        PLANNED_TEST(test_noise_may_be_of_some_functions),
        PLANNED_TEST(test_what_is_timed_quickly_has_more_processes),
        PLANNED_TEST(test_an_untimed_check_is_no_additional_process),
        PLANNED_TEST(test_an_untimed_check_runs_with_the_outcomes),
        PLANNED_TEST(test_at_the_limit_a_function_is_quick),
        PLANNED_TEST(test_what_is_quickest_has_more_processes_first),
        PLANNED_TEST(test_without_the_option_nothing_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

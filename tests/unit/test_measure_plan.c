/* Tests of the plan of a run: which targets, how many repetitions, which cases. */
#include "plans.h"

#include "base/alloc.h"
#include "base/file.h"
#include "measure/session.h"

static void add_pytorch(struct planned *p)
{
    planned_add_environment(p, "pytorch", "pytorch", "\"torch\": \"2.5.0\"");
    planned_write_suite(p, "torch.f", "  - {name: a, call: \"1\"}\n");
}

static void add_null(struct planned *p)
{
    planned_write_suite(p, "null.f", "  - {name: a, call: ok}\n  - {name: b, call: ok}\n");
    planned_write_suite(p, "null.g", "  - {name: a, call: ok}\n");
}

static void add_kinds(struct planned *p)
{
    planned_write_suite(p, "null.f",
                        "  - {name: a, call: ok, kind: edge}\n  - {name: b, call: ok}\n"
                        "  - {name: c, call: ok, kind: dtype}\n  - {name: d, call: ok}\n"
                        "  - {name: e, call: ok}\n  - {name: g, call: ok, kind: edge}\n");
}

/* ---- targets ----------------------------------------------------------------------------------
 */

static void test_a_subject_brings_its_reference(void **state)
{
    struct planned *p = *state;
    add_null(p);
    planned_make(p, "null@null");
    const struct plan_target *t = p->plan.targets;
    assert_int_equal(p->plan.target_count, 2);
    assert_string_equal(t[0].target.text, "null@null");
    assert_string_equal(t[1].target.text, "null@host");
    assert_int_equal(t[0].role, PM_ROLE_SUBJECT);
    assert_int_equal(t[1].role, PM_ROLE_REFERENCE);
    assert_int_equal(t[0].reference, 1);
    assert_int_equal(t[1].reference, 1);
}

static void test_each_target_is_there_once(void **state)
{
    struct planned *p = *state;
    add_pytorch(p);
    planned_make(p, "pytorch@cuda pytorch:pytorch@cuda pytorch@cpu pytorch@meta");
    assert_int_equal(p->plan.target_count, 3);
    const int cpu = planned_target(p, "pytorch@cpu");
    assert_int_equal(p->plan.targets[planned_target(p, "pytorch@cuda")].reference, cpu);
    assert_int_equal(p->plan.targets[planned_target(p, "pytorch@meta")].reference, cpu);
    assert_int_equal(p->plan.targets[cpu].role, PM_ROLE_REFERENCE); /* also if it is asked for */
}

static void test_a_target_that_cannot_be_had_is_refused(void **state)
{
    struct planned *p = *state;
    add_null(p);
    planned_ask(p, "");
    assert_refused(p, planned_try(p), PM_EUSAGE, "--target");
    planned_forget(p);
    planned_ask(p, "pytorch@cpu");
    assert_refused(p, planned_try(p), PM_ENOTFOUND, "portmeter env create pytorch");
    planned_forget(p);
    planned_ask(p, "null@nowhere");
    assert_refused(p, planned_try(p), PM_EUSAGE, "nowhere");
}

/* ---- repetitions ------------------------------------------------------------------------------
 */

static unsigned repetitions_of(const struct planned *p, const char *target)
{
    return p->plan.targets[planned_target(p, target)].repetitions;
}

static bool times(const struct planned *p, const char *target)
{
    return p->plan.targets[planned_target(p, target)].latencies;
}

static void test_what_is_timed_runs_in_three_processes(void **state)
{
    struct planned *p = *state;
    add_pytorch(p);
    planned_make(p, "pytorch@cuda pytorch@meta");
    assert_int_equal(repetitions_of(p, "pytorch@cuda"), 3);
    assert_int_equal(repetitions_of(p, "pytorch@meta"), 1); /* has no values: not timed */
    assert_int_equal(repetitions_of(p, "pytorch@cpu"), 3);
    assert_true(times(p, "pytorch@cuda") && times(p, "pytorch@cpu") && !times(p, "pytorch@meta"));
}

static void test_a_reference_runs_twice_at_least(void **state)
{
    struct planned *p = *state;
    add_pytorch(p);
    p->options.outcomes_only = true;
    planned_make(p, "pytorch@cuda");
    assert_int_equal(repetitions_of(p, "pytorch@cuda"), 1);
    assert_int_equal(repetitions_of(p, "pytorch@cpu"), 2);
    assert_false(times(p, "pytorch@cuda") || times(p, "pytorch@cpu"));
    planned_forget(p);
    p->options = (struct pm_run_options){
        .db = p->options.db, .targets = p->targets, .suites = p->paths, .suite_count = 1};
    planned_make(p, "pytorch@meta");
    assert_int_equal(repetitions_of(p, "pytorch@cpu"), 2);
    assert_false(times(p, "pytorch@cpu")); /* no target is compared with its latencies */
}

/* The repetition that only checks the results of a reference is not timed, and does not count. */
static void test_a_reference_has_an_untimed_check(void **state)
{
    struct planned *p = *state;
    add_pytorch(p);
    p->options.untimed_check = true;
    for (unsigned asked = 1; asked < 9; asked += 7) {
        p->options.repetitions = asked;
        planned_make(p, "pytorch@cuda pytorch@meta");
        const struct plan_target *cuda = &p->plan.targets[planned_target(p, "pytorch@cuda")],
                                 *cpu = &p->plan.targets[planned_target(p, "pytorch@cpu")];
        unsigned timed = 0;
        assert_int_equal(cuda->repetitions, asked);
        assert_int_equal(cpu->repetitions, asked + 1);
        for (unsigned r = 0; r < cpu->repetitions; r++)
            timed += pm_measure__is_timed(cpu, r);
        assert_int_equal(timed, asked);
        assert_true(pm_measure__is_timed(cuda, CHECK_REPETITION));
        planned_forget(p);
    }
    p->options.repetitions = 1;
    planned_make(p, "pytorch@meta");
    assert_int_equal(repetitions_of(p, "pytorch@cpu"), 2); /* it is not timed */
}

static void test_a_reference_runs_as_often_as_its_subject(void **state)
{
    struct planned *p = *state;
    add_pytorch(p);
    p->options.repetitions = 8;
    planned_make(p, "pytorch@cuda pytorch@meta");
    assert_int_equal(repetitions_of(p, "pytorch@cuda"), 8);
    assert_int_equal(repetitions_of(p, "pytorch@cpu"), 8);
    assert_int_equal(repetitions_of(p, "pytorch@meta"), 8); /* as asked for, though untimed */
    planned_forget(p);
    p->options.outcomes_only = true;
    planned_make(p, "pytorch@cuda");
    assert_int_equal(repetitions_of(p, "pytorch@cuda"), 8); /* as asked for, though untimed */
}

static void test_threads_are_shared_where_nothing_is_timed(void **state)
{
    struct planned *p = *state;
    add_null(p);
    p->options.threads = 8;
    p->options.jobs = 3;
    planned_make(p, "null@null");
    assert_int_equal(pm_measure__plan_loose_threads(&p->plan), 2);
    planned_forget(p);
    p->options.jobs = 16;
    planned_make(p, "null@null");
    assert_int_equal(pm_measure__plan_loose_threads(&p->plan), 1);
    const struct plan_target *t = &p->plan.targets[0];
    assert_true(strcmp(t->bound_driver.key, t->loose_driver.key) != 0);
    assert_true(t->bound_driver.everywhere && !t->loose_driver.everywhere);
}

/* ---- cases ------------------------------------------------------------------------------------
 */

/* Returns the cases of the plan as "function case, ..."; the caller frees the text. */
static char *cases_of(const struct planned *p)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < p->plan.case_count; i++)
        pm_str_addf(&text, "%s%s %s", i ? ", " : "", p->plan.cases[i]->function->name,
                    p->plan.cases[i]->name);
    return pm_str_detach(&text);
}

static void ask_for(struct planned *p, const char *const *globs, size_t count)
{
    p->options.functions = globs;
    p->options.function_count = count;
}

static void test_some_cases_are_spread_evenly(void **state)
{
    struct planned *p = *state;
    planned_write_suite(p, "null.f",
                        "  - {name: a, call: ok}\n  - {name: b, call: ok}\n"
                        "  - {name: c, call: ok}\n  - {name: d, call: ok}\n"
                        "  - {name: e, call: ok}\n");
    planned_write_suite(p, "null.g", "  - {name: a, call: ok}\n");
    p->options.most_cases = 2;
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.f a, null.f c, null.g a");
    planned_forget(p);
    p->options.most_cases = 5;
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.f a, null.f b, null.f c, null.f d, null.f e, null.g a");
}

/* Core cases are chosen first, but the plan has the chosen cases in the order of the file. */
static void test_some_cases_are_core_cases_first(void **state)
{
    struct planned *p = *state;
    static const struct {
        unsigned most;
        const char *taken;
    } rows[] = {
        {1, "null.f b"},
        {2, "null.f b, null.f d"},
        {3, "null.f b, null.f d, null.f e"},
        {4, "null.f b, null.f c, null.f d, null.f e"},
        {5, "null.f a, null.f b, null.f c, null.f d, null.f e"},
        {6, "null.f a, null.f b, null.f c, null.f d, null.f e, null.f g"},
    };
    add_kinds(p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        p->options.most_cases = rows[i].most;
        planned_make(p, "null@null");
        assert_text(cases_of(p), rows[i].taken);
        planned_forget(p);
    }
    planned_make(p, "null@null");
}

static void test_kinds_choose_cases(void **state)
{
    struct planned *p = *state;
    add_kinds(p);
    p->options.kinds[PM_CASE_KIND_EDGE] = true;
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.f a, null.f g");
    planned_forget(p);
    p->options.kinds[PM_CASE_KIND_CORE] = true;
    p->options.most_cases = 4;
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.f a, null.f b, null.f d, null.f e");
    planned_forget(p);
    p->options.kinds[PM_CASE_KIND_CORE] = p->options.kinds[PM_CASE_KIND_EDGE] = false;
    p->options.kinds[PM_CASE_KIND_DTYPE] = true;
    planned_write_suite(p, "null.f", "  - {name: a, call: ok}\n");
    planned_ask(p, "null@null");
    assert_refused(p, planned_try(p), PM_EUSAGE, "--kind");
}

/* Stores the planned run. */
static int store_plan(struct planned *p)
{
    stored_add_run(p->stored, NULL);
    return pm_measure__plan_executions(&p->plan, p->stored->store, p->stored->run, &p->err);
}

static void test_a_kind_that_changes_after_results_needs_a_reason(void **state)
{
    struct planned *p = *state;
    static const char edge[] = "  - {name: a, call: ok}\n  - {name: b, call: ok, kind: edge}\n",
                      changed[] = "  - {name: a, call: ok}\n  - {name: b, call: ok, kind: edge,"
                                  " kind_changed: {from: core, reason: rare}}\n";
    planned_write_suite(p, "null.f", "  - {name: a, call: ok}\n  - {name: b, call: ok}\n");
    planned_make(p, "null@null");
    assert_ok(p, store_plan(p));
    planned_forget(p);
    planned_write_suite(p, "null.f", edge);
    planned_make(p, "null@null");
    assert_ok(p, store_plan(p)); /* there are no results yet */
    stored_close(p->stored);
    stored_run_sql(p->stored, "UPDATE execution SET state = 'done' WHERE case_id ="
                              " (SELECT id FROM test_case WHERE name = 'b' AND kind = 'core')");
    stored_open(p->stored);
    assert_refused(p, store_plan(p), PM_EUSAGE,
                   "null.f.yaml:4: the database has results of case 'b' as 'core', and now it is "
                   "'edge': restore its kind, or say why with kind_changed");
    planned_forget(p);
    planned_write_suite(p, "null.f", changed);
    planned_make(p, "null@null");
    assert_ok(p, store_plan(p));
}

static void test_case_files_are_for_one_framework(void **state)
{
    struct planned *p = *state;
    add_null(p);
    add_pytorch(p);
    planned_ask(p, "null@null pytorch@meta");
    assert_refused(p, planned_try(p), PM_EUSAGE, "--framework for a study");
}

static void test_globs_choose_functions(void **state)
{
    struct planned *p = *state;
    add_null(p);
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.f a, null.f b, null.g a");
    planned_forget(p);
    static const char *const g[] = {"*.g"}, *const both[] = {"null.?", "*.f"};
    ask_for(p, g, 1);
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.g a");
    planned_forget(p);
    ask_for(p, both, 2);
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.f a, null.f b, null.g a");
    planned_forget(p);
    static const char *const none[] = {"null.f", "null.h"};
    ask_for(p, none, 2);
    assert_refused(p, planned_try(p), PM_EUSAGE, "'null.h'");
}

/* Writes a file of names for --only, and stores its path in the options. */
static void write_only(struct planned *p, const char *text)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/only", p->stored->folder);
    assert_ok(p, pm_file_write(path, text, strlen(text), &p->err));
    p->options.only = path;
}

static void test_a_file_names_functions(void **state)
{
    struct planned *p = *state;
    add_null(p);
    write_only(p, "# of the paper\n  null.g  the first word\r\n\nnull.gone # no case\nnull.gone\n");
    planned_make(p, "null@null");
    assert_text(cases_of(p), "null.g a");
    assert_int_equal(p->plan.untested_count, 1);
    assert_string_equal(p->plan.untested[0], "null.gone");
    planned_forget(p);
    static const char *const f[] = {"null.f"};
    ask_for(p, f, 1); /* the file has no function that 'null.f' matches */
    assert_refused(p, planned_try(p), PM_EUSAGE, "no case of the suite matches");
    planned_forget(p);
    write_only(p, "# nothing\n");
    assert_refused(p, planned_try(p), PM_EUSAGE, "names no function");
    planned_forget(p);
    p->options.only = "/nowhere/only";
    assert_refused(p, planned_try(p), PM_EIO, "/nowhere/only");
}

static void test_a_sample_names_functions(void **state)
{
    struct planned *p = *state;
    planned_write_suite(p, "f000", "  - {name: a, call: ok}\n");
    planned_write_suite(p, "f999", "  - {name: a, call: ok}\n");
    p->options.sample = PM_NEWEST;
    planned_ask(p, "null@null");
    assert_refused(p, planned_try(p), PM_EUSAGE, "has no sample");
    planned_forget(p);
    const int64_t sample = stored_add_sample(p->stored, "null", "resolved", 20, PM_STRATA_DISJOINT);
    planned_make(p, "null@null");
    assert_text(cases_of(p), "f000 a");
    assert_int_equal(p->plan.sample_id, sample);
    assert_int_equal(p->plan.untested_count, 19);
    planned_forget(p);
    stored_add_sample(p->stored, "pytorch", "resolved", 20, PM_STRATA_DISJOINT);
    p->options.sample = sample + 1;
    assert_refused(p, planned_try(p), PM_EUSAGE,
                   "belongs to framework 'pytorch' instead of 'null'");
}

static void test_case_files_are_of_one_framework(void **state)
{
    struct planned *p = *state;
    add_pytorch(p);
    planned_ask(p, "pytorch@cpu null@null");
    assert_refused(p, planned_try(p), PM_EUSAGE, "'pytorch' and 'null'");
    planned_forget(p);
    p->paths[0] = "/nowhere";
    planned_ask(p, "pytorch@cpu");
    assert_refused(p, planned_try(p), PM_EIO, "/nowhere");
}

static void test_the_oracle_comes_where_a_case_expects_something(void **state)
{
    struct planned *p = *state;
    add_null(p);
    planned_add_environment(p, "numpy", "numpy", "\"numpy\": \"1.26\", \"scipy\": \"1.11\"");
    planned_make(p, "null@null");
    assert_int_equal(p->plan.target_count, 2);
    planned_forget(p);
    planned_write_suite(p, "null.e", "  - {name: a, call: ok, expect: \"1\"}\n");
    planned_make(p, "null@null");
    assert_int_equal(p->plan.target_count, 3);
    const struct plan_target *oracle = &p->plan.targets[planned_target(p, "numpy@cpu")];
    assert_int_equal(oracle->role, PM_ROLE_ORACLE);
    assert_int_equal(oracle->repetitions, 1);
    assert_false(oracle->latencies);
    assert_non_null(oracle->bound_driver.argv);
}

static void test_without_numpy_there_is_no_oracle(void **state)
{
    struct planned *p = *state;
    add_null(p);
    planned_add_environment(p, "pytorch", "pytorch", "\"torch\": \"2.5.0\"");
    planned_write_suite(p, "null.e", "  - {name: a, call: ok, expect: \"1\"}\n");
    planned_make(p, "null@null");
    for (size_t i = 0; i < p->plan.target_count; i++)
        assert_true(p->plan.targets[i].role != PM_ROLE_ORACLE);
}

static void test_the_digest_of_the_suite_tells_a_change(void **state)
{
    struct planned *p = *state;
    add_null(p);
    planned_make(p, "null@null");
    const struct pm_digest before = p->plan.suite_digest;
    planned_forget(p);
    planned_make(p, "null@null");
    assert_string_equal(p->plan.suite_digest.hex, before.hex);
    planned_forget(p);
    planned_write_suite(p, "null.g", "  - {name: a, call: nan}\n");
    planned_make(p, "null@null");
    assert_string_not_equal(p->plan.suite_digest.hex, before.hex);
}

/* Cases that need a different process are in different groups than their neighbours. Their order is
 * the same on every target, and each is the first of its group once. */
static void test_cases_share_a_process_that_fits_them(void **state)
{
    static const enum pm_isolation ways[] = {PM_ISOLATION_FUNCTION, PM_ISOLATION_WORKER};
    struct planned *p = *state;
    planned_write_suite(p, "null.f",
                        "  - {name: a, call: ok}\n"
                        "  - {name: x, call: ok, process: {devices: 2}}\n"
                        "  - {name: b, call: ok}\n"
                        "  - {name: l, call: ok, process: {alone: true}}\n"
                        "  - {name: y, call: ok, process: {devices: 2}}\n"
                        "  - {name: m, call: ok, process: {alone: true}}\n");
    p->options.repetitions = 2;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        unsigned firsts[128] = {0};
        p->options.isolation = ways[w];
        planned_make(p, "null@null");
        stored_add_run(p->stored, NULL);
        assert_ok(p,
                  pm_measure__plan_executions(&p->plan, p->stored->store, p->stored->run, &p->err));
        pm_measure__plan_groups(&p->plan);
        assert_int_equal(p->plan.queues[PHASE_LATENCIES].count, 2 * 2 * 4);
        for (size_t i = 0; i < p->plan.queues[PHASE_LATENCIES].count; i++) {
            const struct plan_group *group = p->plan.queues[PHASE_LATENCIES].groups[i];
            const struct pm_case *first = p->plan.executions[group->executions[0]].test;
            for (size_t k = 1; k < group->count; k++)
                assert_true(
                    pm_case_shares_process(first, p->plan.executions[group->executions[k]].test));
            assert_int_equal(group->count, strchr("lm", *first->name) ? 1 : 2);
            firsts[(unsigned char)*first->name]++;
        }
        for (const char *at = "abxy"; *at; at++)
            assert_int_equal(firsts[(unsigned char)*at], 2);
        planned_forget(p);
    }
}

static void test_a_rehearsal_repeats_what_is_not_called_twice(void **state)
{
    struct planned *p = *state;
    p->options.outcomes_only = p->options.rehearse = true;
    planned_write_suite(p, "null.f",
                        "  - {name: a, call: ok}\n  - {name: b, call: ok, repeat: fresh}\n");
    planned_make(p, "null@host");
    stored_add_run(p->stored, NULL);
    assert_ok(p, pm_measure__plan_executions(&p->plan, p->stored->store, p->stored->run, &p->err));
    assert_int_equal(p->plan.execution_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(!p->plan.executions[i].repetition ||
                    !strcmp(p->plan.executions[i].test->name, "b"));
}

static void test_functions_without_a_reference_are_kept_apart(void **state)
{
    struct planned *p = *state;
    planned_write_suite(p, "null.none",
                        "  - {name: a, call: ok, reference: none, expect: \"1\"}\n");
    planned_write_suite(p, "null.some",
                        "  - {name: a, call: ok, reference: none, expect: \"1\"}\n"
                        "  - {name: b, call: ok}\n");
    planned_make(p, "null@null");
    json_t *json = pm_measure__options_json(&p->options, &p->plan, "");
    json_t *kept = json_pack("{s:O, s:O}", "measured", json_object_get(json, "measured"),
                             "unreferenced", json_object_get(json, "unreferenced"));
    assert_text(
        json_dumps(kept, JSON_COMPACT),
        "{\"measured\":{\"null\":[\"null.some\"]},\"unreferenced\":{\"null\":[\"null.none\"]}}");
    json_decref(kept);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLANNED_TEST(test_cases_share_a_process_that_fits_them),
        PLANNED_TEST(test_a_subject_brings_its_reference),
        PLANNED_TEST(test_each_target_is_there_once),
        PLANNED_TEST(test_a_target_that_cannot_be_had_is_refused),
        PLANNED_TEST(test_what_is_timed_runs_in_three_processes),
        PLANNED_TEST(test_a_reference_runs_twice_at_least),
        PLANNED_TEST(test_a_reference_has_an_untimed_check),
        PLANNED_TEST(test_a_reference_runs_as_often_as_its_subject),
        PLANNED_TEST(test_a_rehearsal_repeats_what_is_not_called_twice),
        PLANNED_TEST(test_threads_are_shared_where_nothing_is_timed),
        PLANNED_TEST(test_some_cases_are_spread_evenly),
        PLANNED_TEST(test_some_cases_are_core_cases_first),
        PLANNED_TEST(test_kinds_choose_cases),
        PLANNED_TEST(test_a_kind_that_changes_after_results_needs_a_reason),
        PLANNED_TEST(test_case_files_are_for_one_framework),
        PLANNED_TEST(test_globs_choose_functions),
        PLANNED_TEST(test_a_file_names_functions),
        PLANNED_TEST(test_a_sample_names_functions),
        PLANNED_TEST(test_case_files_are_of_one_framework),
        PLANNED_TEST(test_the_oracle_comes_where_a_case_expects_something),
        PLANNED_TEST(test_without_numpy_there_is_no_oracle),
        PLANNED_TEST(test_the_digest_of_the_suite_tells_a_change),
        PLANNED_TEST(test_functions_without_a_reference_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the latencies and ratios of hand-made runs. */
#include "stores.h"

#include <math.h>

#include "assess/assess.h"

static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};

/* Adds and judges a run with these executions; the store is open again afterwards. */
static void judge(struct stored *s, const struct pm_run_row *run,
                  const struct stored_execution *executions, size_t count)
{
    struct pm_judged judged;
    stored_add_run(s, run);
    STORED_TARGETS(s, targets);
    stored_add_executions(s, executions, count);
    stored_close(s);
    assert_ok(s, pm_assess_db(s->db, s->run, 0, &judged, &s->err));
    stored_open(s);
}
#define JUDGE(s, run, items) judge(s, run, items, sizeof(items) / sizeof *(items))

/* Finds a warm statistic: of a case if `name` is not NULL, of a function if only `function` is not
 * NULL, otherwise of the target. A statistic of a function or target is that of small inputs. */
static bool find(struct stored *s, const char *target, const char *function, const char *name,
                 const char *what, struct pm_statistic_row *out)
{
    const struct pm_statistic_row key = {.scope = name       ? PM_SCOPE_CASE
                                                  : function ? PM_SCOPE_FUNCTION
                                                             : PM_SCOPE_TARGET,
                                         .function = function,
                                         .name = name,
                                         .clock = PM_CLOCK_WARM,
                                         .size = name ? PM_SIZE_COUNT : PM_SIZE_SMALL,
                                         .what = WORD(statistic, what)};
    return stored_statistic(s, target, &key, out);
}

static struct pm_statistic_row statistic_of(struct stored *s, const char *target,
                                            const char *function, const char *name,
                                            const char *what)
{
    struct pm_statistic_row row;
    if (!find(s, target, function, name, what, &row))
        fail_msg("no %s of %s %s on %s", what, function ? function : "the target", name ? name : "",
                 target);
    return row;
}

static bool has(struct stored *s, const char *target, const char *function, const char *name,
                const char *what)
{
    struct pm_statistic_row row;
    return find(s, target, function, name, what, &row);
}

static bool has_cold(struct stored *s, const char *target, const char *name)
{
    const struct pm_statistic_row key = {
        .scope = PM_SCOPE_CASE, .name = name, .clock = PM_CLOCK_COLD};
    struct pm_statistic_row row;
    return stored_statistic(s, target, &key, &row);
}

/* ---- one case ---------------------------------------------------------------------------------
 */

static void test_a_latency_is_the_geometric_mean_of_the_processes_medians(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100, 100, 100, 9000]"},
        {"null@host", "f", "a", 1, .output = "[1]", .warm = "[110]"},
        {"null@host", "f", "a", 2, .output = "[1]", .warm = "[121, 121]"},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[330, 330]"},
        {"null@null", "f", "a", 1, .output = "[1]", .warm = "[330]"},
        {"null@null", "f", "a", 2, .output = "[1]", .warm = "[330, 330]"},
    };
    JUDGE(s, NULL, executions);
    const struct pm_statistic_row latency = statistic_of(s, "null@host", "f", "a", "latency");
    assert_float_equal(latency.value, 110, 1e-9);
    assert_int_equal(latency.processes, 3);
    assert_false(latency.unstable);
    const struct pm_statistic_row ratio = statistic_of(s, "null@null", "f", "a", "ratio");
    assert_float_equal(ratio.value, 3, 1e-9);
    assert_int_equal(ratio.processes, 3);
    assert_int_equal(ratio.reference_processes, 3);
    assert_true(isnan(ratio.low) && isnan(ratio.high));   /* three processes are too few */
    assert_false(has(s, "null@host", "f", "a", "ratio")); /* it has no reference */
}

/* A coarse clock can give 0 ns, which has no logarithm and cannot divide: it counts as 1 ns. */
static void test_a_coarse_clock_gives_a_nanosecond(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]", .warm = "[0, 0]"},
        {"null@null", "f", "a", .output = "[1]", .warm = "[5, 5]"},
    };
    JUDGE(s, NULL, executions);
    assert_float_equal(statistic_of(s, "null@host", "f", "a", "latency").value, 1, 0);
    assert_float_equal(statistic_of(s, "null@host", "f", NULL, "latency").value, 1, 1e-9);
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "ratio").value, 5, 1e-9);
}

static void test_one_process_has_no_interval(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]", .warm = "[100, 102]"},
        {"null@null", "f", "a", .output = "[1]", .warm = "[200, 204]"},
    };
    JUDGE(s, NULL, executions);
    const struct pm_statistic_row ratio = statistic_of(s, "null@null", "f", "a", "ratio");
    assert_float_equal(ratio.value, 2, 1e-9);
    assert_true(isnan(ratio.low) && isnan(ratio.high));
    const struct pm_statistic_row function = statistic_of(s, "null@null", "f", NULL, "ratio");
    assert_true(isnan(function.low) && isnan(function.high));
}

static void test_processes_that_differ_threefold_are_in_no_ratio(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "subject", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "reference", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "reference", 1, .output = "[1]", .warm = "[301]"},
        {"null@host", "f", "steady", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "subject", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "subject", 1, .output = "[1]", .warm = "[301]"},
        {"null@null", "f", "reference", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "steady", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "steady", 1, .output = "[1]", .warm = "[300]"},
    };
    JUDGE(s, NULL, executions);
    assert_true(statistic_of(s, "null@null", "f", "subject", "latency").unstable);
    assert_false(statistic_of(s, "null@null", "f", "steady", "latency").unstable);
    assert_false(has(s, "null@null", "f", "subject", "ratio"));
    assert_false(has(s, "null@null", "f", "reference", "ratio"));
    assert_true(has(s, "null@null", "f", "steady", "ratio"));
    /* Only the case 'steady' is stable on both sides, so the function has its latencies. */
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "latency").value,
                       sqrt(100.0 * 300.0), 1e-6);
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "reference latency").value, 100,
                       1e-6);
}

static void test_what_does_not_pass_on_both_sides_has_no_ratio(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "differs", .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "unrepeatable", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "unrepeatable", 1, .output = "[2]", .warm = "[100]"},
        {"null@host", "f", "untimed", .output = "[1]"},
        {"null@host", "f", "flaky", .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "differs", .output = "[2]", .warm = "[100]"},
        {"null@null", "f", "unrepeatable", .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "untimed", .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "flaky", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "flaky", 1, .ending = "signal"},
    };
    JUDGE(s, NULL, executions);
    static const char *const names[] = {"differs", "unrepeatable", "untimed", "flaky"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(has(s, "null@null", "f", names[i], "latency"));
        assert_false(has(s, "null@null", "f", names[i], "ratio"));
    }
    assert_false(has(s, "null@null", "f", NULL, "ratio"));
    assert_false(has(s, "null@null", NULL, NULL, "ratio"));
}

static void test_a_ratio_is_of_the_repetitions_that_have_run(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "a", 1, .todo = true},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[200]"},
        {"null@null", "f", "a", 1, .todo = true},
        {"null@null", "f", "b", 0, .todo = true},
    };
    JUDGE(s, NULL, executions);
    assert_float_equal(statistic_of(s, "null@null", "f", "a", "ratio").value, 2, 1e-9);
    assert_false(has(s, "null@null", "f", "b", "latency"));
}

static void test_a_cold_sample_of_a_process_that_was_warm_is_none(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "first", .output = "[1]", .cold = "[900]", .warm = "[100]"},
        {"null@host", "f", "second", .output = "[1]", .cold = "[500]", .warm = "[100]",
         .position = 1},
    };
    JUDGE(s, NULL, executions);
    assert_true(has_cold(s, "null@host", "first"));
    assert_false(has_cold(s, "null@host", "second"));
    assert_true(has(s, "null@host", "f", "second", "latency"));
}

static void test_what_ran_again_for_a_reason_enters_no_figure(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "a", .output = "[1]", .warm = "[900]", .retry = PM_RETRY_ALONE},
    };
    JUDGE(s, NULL, executions);
    const struct pm_statistic_row latency = statistic_of(s, "null@host", "f", "a", "latency");
    assert_float_equal(latency.value, 100, 1e-9);
    assert_int_equal(latency.processes, 1);
}

/* ---- functions and targets --------------------------------------------------------------------
 */

static void test_a_function_is_the_geometric_mean_of_its_cases(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "b", .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "big", .output = "[1]", .warm = "[1000]"},
        {"null@host", "g", "a", .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", .output = "[1]", .warm = "[200]"},
        {"null@null", "f", "b", .output = "[1]", .warm = "[800]"},
        {"null@null", "f", "big", .output = "[1]", .warm = "[1500]"},
        {"null@null", "g", "a", .output = "[1]", .warm = "[100]"},
    };
    stored_add_case(s, "null", "f", "big", "{\"size\": \"large\"}");
    JUDGE(s, NULL, executions);
    assert_float_equal(statistic_of(s, "null@null", "f", "big", "ratio").value, 1.5, 1e-9);
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "ratio").value, 4, 1e-9);
    assert_float_equal(statistic_of(s, "null@null", "g", NULL, "ratio").value, 1, 1e-9);
    assert_float_equal(statistic_of(s, "null@null", NULL, NULL, "ratio").value, 2, 1e-9);
    const struct pm_statistic_row large = {.scope = PM_SCOPE_FUNCTION,
                                           .function = "f",
                                           .size = PM_SIZE_LARGE,
                                           .what = PM_STATISTIC_RATIO};
    struct pm_statistic_row row;
    assert_true(stored_statistic(s, "null@null", &large, &row));
    assert_float_equal(row.value, 1.5, 1e-9);
}

static void test_host_only_functions_have_latencies_and_are_in_no_ratio(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", .output = "[1]", .warm = "[200]"},
    };
    stored_add_case(s, "null", "f", "a", "{\"host_only\": true}");
    JUDGE(s, NULL, executions);
    assert_true(has(s, "null@null", "f", "a", "ratio"));
    assert_true(has(s, "null@null", "f", NULL, "latency"));
    assert_false(has(s, "null@null", "f", NULL, "ratio"));
    assert_false(has(s, "null@null", NULL, NULL, "ratio"));
}

static void test_the_papers_clock_takes_means_and_gives_no_interval(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row paper = {STORED_DONE, .options = "{\"mode\": \"paper\"}"};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100, 200]"},
        {"null@host", "f", "a", 1, .output = "[1]", .warm = "[300]"},
        {"null@host", "f", "b", 0, .output = "[1]", .warm = "[600]"},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[800]"},
    };
    JUDGE(s, &paper, executions);
    const struct pm_statistic_row latency = statistic_of(s, "null@host", "f", "a", "latency");
    assert_float_equal(latency.value, 200, 0);
    assert_true(isnan(latency.low) && isnan(latency.high));
    const struct pm_statistic_row ratio = statistic_of(s, "null@null", "f", "a", "ratio");
    assert_float_equal(ratio.value, 4, 1e-9);
    assert_true(isnan(ratio.low) && isnan(ratio.high));
    assert_float_equal(statistic_of(s, "null@host", "f", NULL, "latency").value, 400, 1e-9);
}

/* Writes the executions of a case of 'f' in one repetition, with the times of the reference and of
 * the target. Returns the number of executions. */
static size_t make_pair(struct stored_execution *out, const char *name, unsigned repetition,
                        const char *reference, const char *target)
{
    out[0] = (struct stored_execution){"null@host", "f", name, repetition, .output = "[1]"};
    out[1] = (struct stored_execution){"null@null", "f", name, repetition, .output = "[1]"};
    out[0].warm = reference;
    out[1].warm = target;
    return 2;
}

/* If two cases are fast and slow in the same processes, the function has the interval of one case,
 * not that of two independent cases. */
static void test_the_cases_of_a_process_are_drawn_together(void **state)
{
    struct stored *s = *state;
    static const char *const slow[] = {"[100]", "[110]", "[120]", "[130]", "[140]"};
    struct stored_execution executions[20];
    size_t count = 0;
    for (unsigned r = 0; r < 5; r++) {
        count += make_pair(executions + count, "a", r, slow[r], slow[4 - r]);
        count += make_pair(executions + count, "b", r, slow[r], slow[4 - r]);
    }
    judge(s, NULL, executions, count);
    const struct pm_statistic_row one = statistic_of(s, "null@null", "f", "a", "ratio");
    const struct pm_statistic_row both = statistic_of(s, "null@null", "f", NULL, "ratio");
    assert_true(one.low < 0.9 && one.high > 1.1);
    assert_float_equal(both.low, one.low, 1e-9);
    assert_float_equal(both.high, one.high, 1e-9);
    assert_int_equal(both.processes, 5);
    const struct pm_statistic_row latency = statistic_of(s, "null@null", "f", NULL, "latency");
    assert_true(latency.low < latency.value && latency.value < latency.high);
}

static void test_a_function_needs_five_processes_with_all_its_cases(void **state)
{
    struct stored *s = *state;
    static const char *const slow[] = {"[100]", "[110]", "[120]", "[130]", "[140]", "[150]"};
    struct stored_execution executions[24];
    size_t count = 0;
    for (unsigned r = 0; r < 6; r++)
        count += make_pair(executions + count, "a", r, slow[r], slow[r]);
    for (unsigned r = 0; r < 4; r++)
        count += make_pair(executions + count, "b", r, slow[r], slow[r]);
    judge(s, NULL, executions, count);
    assert_true(isfinite(statistic_of(s, "null@null", "f", "a", "ratio").low));
    const struct pm_statistic_row row = statistic_of(s, "null@null", "f", NULL, "ratio");
    assert_true(isnan(row.low) && isnan(row.high));
    assert_float_equal(row.value, 1, 1e-9);
    assert_int_equal(row.processes, 4);
    assert_int_equal(row.reference_processes, 4);
}

static void test_a_rows_latencies_and_ratio_are_of_the_same_cases(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "both", .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "fails there", .output = "[1]", .warm = "[900]"},
        {"null@host", "f", "only here", .output = "[1]", .warm = "[700]"},
        {"null@null", "f", "both", .output = "[1]", .warm = "[200]"},
        {"null@null", "f", "fails there", .output = "[2]", .warm = "[900]"},
    };
    JUDGE(s, NULL, executions);
    const double reference = statistic_of(s, "null@null", "f", NULL, "reference latency").value;
    const double target = statistic_of(s, "null@null", "f", NULL, "latency").value;
    assert_float_equal(reference, 100, 1e-9);
    assert_float_equal(target, 200, 1e-9);
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "ratio").value, target / reference,
                       1e-9);
    assert_float_equal(statistic_of(s, "null@host", "f", NULL, "latency").value,
                       cbrt(100.0 * 900 * 700), 1e-6);
}

static void test_a_function_of_unstable_cases_keeps_its_row(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "a", 1, .output = "[1]", .warm = "[400]"},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", 1, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", 2, .output = "[1]", .warm = "[100]"},
    };
    JUDGE(s, NULL, executions);
    const struct pm_statistic_row ratio = statistic_of(s, "null@null", "f", NULL, "ratio");
    assert_true(ratio.unstable && isnan(ratio.value));
    assert_int_equal(ratio.processes, 3);
    assert_int_equal(ratio.reference_processes, 2);
    assert_false(has(s, "null@null", "f", NULL, "latency"));
    const struct pm_statistic_row latency = statistic_of(s, "null@host", "f", NULL, "latency");
    assert_true(latency.unstable && isnan(latency.value));
    assert_false(has(s, "null@null", NULL, NULL, "ratio"));
}

/* ---- calls that compile ---- */

static void test_no_latency_contains_a_call_that_compiled(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[90000, 300, 70000, 300, 80000]",
         .compiled = "[1, 0, 2, 0, 1]"},
    };
    JUDGE(s, NULL, executions);
    assert_float_equal(statistic_of(s, "null@null", "f", "a", "latency").value, 300, 1e-9);
    assert_float_equal(statistic_of(s, "null@null", NULL, NULL, "ratio").value, 3, 1e-9);
}

static void test_a_case_that_compiles_in_every_call_is_in_no_ratio(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "here", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "there", 0, .output = "[1]", .warm = "[100]", .compiled = "[1]"},
        {"null@host", "g", "a", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "here", 0, .output = "[1]", .warm = "[200]", .compiled = "[0]"},
        {"null@null", "f", "here", 1, .output = "[1]", .warm = "[90000, 90000]",
         .compiled = "[1, 1]"}, /* in one of its processes is enough */
        {"null@null", "f", "there", 0, .output = "[1]", .warm = "[200]"},
        {"null@null", "g", "a", 0, .output = "[1]", .warm = "[200]", .compiled = "[0]"},
    };
    JUDGE(s, NULL, executions);
    const struct pm_statistic_row latency = statistic_of(s, "null@null", "f", "here", "latency");
    assert_true(latency.unstable && isnan(latency.value));
    assert_int_equal(latency.processes, 0);
    assert_false(has(s, "null@null", "f", "here", "ratio"));
    assert_float_equal(statistic_of(s, "null@null", "f", "there", "latency").value, 200, 1e-9);
    assert_false(has(s, "null@null", "f", "there", "ratio"));
    const struct pm_statistic_row ratio = statistic_of(s, "null@null", "f", NULL, "ratio");
    assert_true(ratio.unstable && isnan(ratio.value));
    assert_int_equal(ratio.processes, 0);
    assert_float_equal(statistic_of(s, "null@null", NULL, NULL, "ratio").value, 2, 1e-9);
    assert_float_equal(statistic_of(s, "null@host", "f", NULL, "latency").value, 100, 1e-9);
}

/* ---- the noise floor ---- */

static int keep_noise(void *ctx, const struct pm_statistic_row *row)
{
    if (row->what == PM_STATISTIC_NOISE)
        *(struct pm_statistic_row *)ctx = *row;
    return PM_OK;
}

/* A second measurement of the reference gives the floor, and nothing else of the run changes. */
static void test_a_second_measurement_of_the_reference_gives_the_noise_floor(void **state)
{
    struct stored *s = *state;
    static const struct stored_target noise[] = {{"null@host", "null@host", .role = "noise"}};
    static const struct stored_execution once[] = {
        {"null@host", "f", "a", .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "b", .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", .output = "[1]", .warm = "[200]"},
        {"null@null", "f", "b", .output = "[1]", .warm = "[200]"},
    };
    static const struct stored_execution again[] = {
        {"null@host", "f", "a", .output = "[7]", .warm = "[80]"},
        {"null@host", "f", "b", .output = "[1]", .warm = "[100]"},
    };
    struct pm_judged judged;
    stored_add_run(s, NULL);
    STORED_TARGETS(s, targets);
    STORED_EXECUTIONS(s, once);
    const int64_t reference = stored_target(s, "null@host");
    STORED_TARGETS(s, noise); /* from now on, the name is that of the second measurement */
    STORED_EXECUTIONS(s, again);
    stored_close(s);
    assert_ok(s, pm_assess_db(s->db, s->run, 0, &judged, &s->err));
    assert_int_equal(judged.executions, 4);
    stored_open(s);
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "ratio").value, 2, 1e-9);
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "reference latency").value, 100,
                       1e-9);
    assert_false(has(s, "null@host", "f", "a", "latency"));
    struct pm_statistic_row floor = {0};
    assert_ok(s,
              pm_store_statistics(s->store, s->run, PM_SCOPE_TARGET, keep_noise, &floor, &s->err));
    assert_int_equal(floor.target_id, reference);
    assert_float_equal(floor.value, 1.245, 1e-9); /* the 98th percentile of 1 and 1.25 */
    assert_int_equal(floor.processes, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_latency_is_the_geometric_mean_of_the_processes_medians),
        STORED_TEST(test_a_coarse_clock_gives_a_nanosecond),
        STORED_TEST(test_one_process_has_no_interval),
        STORED_TEST(test_processes_that_differ_threefold_are_in_no_ratio),
        STORED_TEST(test_what_does_not_pass_on_both_sides_has_no_ratio),
        STORED_TEST(test_a_ratio_is_of_the_repetitions_that_have_run),
        STORED_TEST(test_what_ran_again_for_a_reason_enters_no_figure),
        STORED_TEST(test_a_cold_sample_of_a_process_that_was_warm_is_none),
        STORED_TEST(test_a_function_is_the_geometric_mean_of_its_cases),
        STORED_TEST(test_host_only_functions_have_latencies_and_are_in_no_ratio),
        STORED_TEST(test_the_papers_clock_takes_means_and_gives_no_interval),
        STORED_TEST(test_the_cases_of_a_process_are_drawn_together),
        STORED_TEST(test_a_function_needs_five_processes_with_all_its_cases),
        STORED_TEST(test_a_rows_latencies_and_ratio_are_of_the_same_cases),
        STORED_TEST(test_a_function_of_unstable_cases_keeps_its_row),
        STORED_TEST(test_no_latency_contains_a_call_that_compiled),
        STORED_TEST(test_a_case_that_compiles_in_every_call_is_in_no_ratio),
        STORED_TEST(test_a_second_measurement_of_the_reference_gives_the_noise_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

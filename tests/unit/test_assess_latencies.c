/* Latencies and ratios of a run that was made by hand. */
#include "stores.h"

#include <math.h>

#include "assess/assess.h"

static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};

/* A run with these executions is judged; the store is open again afterwards. */
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

/* The warm statistic: of a case where `name` says one, of a function where only `function` does,
 * else of the target. Of small inputs unless a case is named. */
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

static void test_a_latency_is_the_median_of_the_processes_medians(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100, 100, 100, 9000]"},
        {"null@host", "f", "a", 1, .output = "[1]", .warm = "[110]"},
        {"null@host", "f", "a", 2, .output = "[1]", .warm = "[150, 150]"},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[330, 330]"},
        {"null@null", "f", "a", 1, .output = "[1]", .warm = "[330]"},
        {"null@null", "f", "a", 2, .output = "[1]", .warm = "[330, 330]"},
    };
    JUDGE(s, NULL, executions);
    const struct pm_statistic_row latency = statistic_of(s, "null@host", "f", "a", "latency");
    assert_float_equal(latency.value, 110, 0);
    assert_int_equal(latency.processes, 3);
    assert_true(latency.low <= 110 && latency.high >= 110);
    assert_false(latency.unstable);
    const struct pm_statistic_row ratio = statistic_of(s, "null@null", "f", "a", "ratio");
    assert_float_equal(ratio.value, 3, 1e-9);
    assert_int_equal(ratio.processes, 3);
    assert_int_equal(ratio.control_processes, 3);
    assert_true(ratio.low <= 3 && ratio.high >= 3);
    assert_false(has(s, "null@host", "f", "a", "ratio")); /* to whom? */
}

/* 0 ns, of a clock that is too coarse, has no logarithm and divides nothing. */
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
        {"null@host", "f", "control", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "control", 1, .output = "[1]", .warm = "[301]"},
        {"null@host", "f", "steady", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "subject", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "subject", 1, .output = "[1]", .warm = "[301]"},
        {"null@null", "f", "control", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "steady", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "steady", 1, .output = "[1]", .warm = "[300]"},
    };
    JUDGE(s, NULL, executions);
    assert_true(statistic_of(s, "null@null", "f", "subject", "latency").unstable);
    assert_false(statistic_of(s, "null@null", "f", "steady", "latency").unstable);
    assert_false(has(s, "null@null", "f", "subject", "ratio"));
    assert_false(has(s, "null@null", "f", "control", "ratio"));
    assert_true(has(s, "null@null", "f", "steady", "ratio"));
    /* The function's own latency leaves the unstable case out: 100 and 200. */
    assert_float_equal(statistic_of(s, "null@null", "f", NULL, "latency").value,
                       sqrt(100.0 * 200.0), 1e-6);
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
         .result = "{\"shared\": true}"},
    };
    JUDGE(s, NULL, executions);
    assert_true(has_cold(s, "null@host", "first"));
    assert_false(has_cold(s, "null@host", "second"));
    assert_true(has(s, "null@host", "f", "second", "latency"));
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

static void test_the_studys_clock_takes_means_and_gives_no_interval(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row study = {STORED_DONE, .options = "{\"mode\": \"study\"}"};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100, 200]"},
        {"null@host", "f", "a", 1, .output = "[1]", .warm = "[300]"},
        {"null@host", "f", "b", 0, .output = "[1]", .warm = "[600]"},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[800]"},
    };
    JUDGE(s, &study, executions);
    const struct pm_statistic_row latency = statistic_of(s, "null@host", "f", "a", "latency");
    assert_float_equal(latency.value, 200, 0);
    assert_true(isnan(latency.low) && isnan(latency.high));
    const struct pm_statistic_row ratio = statistic_of(s, "null@null", "f", "a", "ratio");
    assert_float_equal(ratio.value, 4, 1e-9);
    assert_true(isnan(ratio.low) && isnan(ratio.high));
    assert_float_equal(statistic_of(s, "null@host", "f", NULL, "latency").value, 400, 1e-9);
}

static void test_the_fewest_processes_of_a_functions_cases_count(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "a", 1, .output = "[1]", .warm = "[100]"},
        {"null@host", "f", "b", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "a", 1, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "b", 0, .output = "[1]", .warm = "[100]"},
        {"null@null", "f", "b", 1, .output = "[1]", .warm = "[100]"},
    };
    JUDGE(s, NULL, executions);
    const struct pm_statistic_row row = statistic_of(s, "null@null", "f", NULL, "ratio");
    assert_int_equal(row.processes, 2);
    assert_int_equal(row.control_processes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_latency_is_the_median_of_the_processes_medians),
        STORED_TEST(test_a_coarse_clock_gives_a_nanosecond),
        STORED_TEST(test_one_process_has_no_interval),
        STORED_TEST(test_processes_that_differ_threefold_are_in_no_ratio),
        STORED_TEST(test_what_does_not_pass_on_both_sides_has_no_ratio),
        STORED_TEST(test_a_ratio_is_of_the_repetitions_that_have_run),
        STORED_TEST(test_a_cold_sample_of_a_process_that_was_warm_is_none),
        STORED_TEST(test_a_function_is_the_geometric_mean_of_its_cases),
        STORED_TEST(test_host_only_functions_have_latencies_and_are_in_no_ratio),
        STORED_TEST(test_the_studys_clock_takes_means_and_gives_no_interval),
        STORED_TEST(test_the_fewest_processes_of_a_functions_cases_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

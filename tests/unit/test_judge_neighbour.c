/* Tests whether the executions of a case differ because of their neighbours, or by chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/judge.h"

#define RUNS(...)                                                                                  \
    (const struct pm_case_run[]){__VA_ARGS__},                                                     \
        sizeof((const struct pm_case_run[]){__VA_ARGS__}) / sizeof(struct pm_case_run)
#define RUN(outcome, position, retry, baseline)                                                    \
    {                                                                                              \
        PM_OUTCOME_##outcome, PM_STAGE_COMPARE, position, PM_RETRY_##retry, baseline               \
    }
#define FIRST(outcome, position)    RUN(outcome, position, NONE, false)
#define ALONE(outcome)              RUN(outcome, 0, ALONE, false)
#define EXACT(outcome)              RUN(outcome, 0, EXACT_MODE, false)
#define BASELINE(outcome, position) RUN(outcome, position, NONE, true)

static void test_nothing_differs(void **state)
{
    (void)state;
    assert_int_equal(pm_judge_neighbour(NULL, 0), PM_NEIGHBOUR_NONE);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(PASS, 0), FIRST(PASS, 3))), PM_NEIGHBOUR_NONE);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 2), ALONE(FAIL))), PM_NEIGHBOUR_NONE);
}

/* The executions had different positions: the case suffers from a neighbour, or needs one. */
static void test_a_neighbour(void **state)
{
    (void)state;
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 2), ALONE(PASS))), PM_NEIGHBOUR_SUFFERS);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 2), ALONE(PASS), FIRST(PASS, 0))),
                     PM_NEIGHBOUR_SUFFERS);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 0), FIRST(PASS, 1))), PM_NEIGHBOUR_NEEDS);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 1), ALONE(PASS), FIRST(PASS, 2))),
                     PM_NEIGHBOUR_SUFFERS);
}

/* The outcomes differ although position and isolation were the same. */
static void test_chance(void **state)
{
    (void)state;
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 0), FIRST(PASS, 0))), PM_NEIGHBOUR_FLAKY);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 1), ALONE(PASS), FIRST(PASS, 1))),
                     PM_NEIGHBOUR_FLAKY);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 1), ALONE(PASS), FIRST(CRASH, 0))),
                     PM_NEIGHBOUR_FLAKY);
    assert_int_equal(
        pm_judge_neighbour(RUNS(FIRST(FAIL, 1), ALONE(PASS), FIRST(FAIL, 2), ALONE(FAIL))),
        PM_NEIGHBOUR_FLAKY);
}

/* A baseline is compared only with its own retry (see is_baseline of struct pm_case_run). */
static void test_the_baseline_of_a_reference_differs_from_what_fails_beside_it(void **state)
{
    (void)state;
    assert_int_equal(
        pm_judge_neighbour(RUNS(BASELINE(FAIL, 1), ALONE(PASS), FIRST(FAIL, 1), ALONE(PASS))),
        PM_NEIGHBOUR_FLAKY);
    assert_int_equal(
        pm_judge_neighbour(RUNS(BASELINE(FAIL, 1), ALONE(PASS), FIRST(PASS, 1), ALONE(PASS))),
        PM_NEIGHBOUR_SUFFERS);
    assert_int_equal(pm_judge_neighbour(RUNS(BASELINE(CRASH, 0), FIRST(CRASH, 0))),
                     PM_NEIGHBOUR_NONE);
}

static void test_what_says_nothing_about_chance(void **state)
{
    (void)state;
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(FAIL, 0), EXACT(PASS))), PM_NEIGHBOUR_NONE);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(HARNESS, 0), FIRST(PASS, 0))),
                     PM_NEIGHBOUR_NONE);
    assert_int_equal(pm_judge_neighbour(RUNS(FIRST(NOT_APPLICABLE, 1), FIRST(FAIL, 1))),
                     PM_NEIGHBOUR_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_differs),
        cmocka_unit_test(test_a_neighbour),
        cmocka_unit_test(test_chance),
        cmocka_unit_test(test_the_baseline_of_a_reference_differs_from_what_fails_beside_it),
        cmocka_unit_test(test_what_says_nothing_about_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

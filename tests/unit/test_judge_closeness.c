/* Tests of comparing arrays whose bytes are deleted: the result is the same as with them, or
 * undecided. */
#include "outputs.h"

#include <float.h>

#include "base/random.h"
#include "judge/judge_private.h"

enum { ELEMENTS = 6, ROUNDS = 4000 };

static struct pm_compare_rule rule_of(enum pm_compare how, double rtol, double atol)
{
    return (struct pm_compare_rule){.how = how, .by_default = {true, rtol, atol}};
}

/* Compares with the bytes, then by the closeness that was measured with the rule `measured`. */
static void compare_both(struct pm_leaf *got, struct pm_leaf *want,
                         const struct pm_compare_rule *measured, const struct pm_compare_rule *rule,
                         struct pm_difference *by_bytes, struct pm_difference *without)
{
    struct pm_closeness closeness, read;
    const struct pm_leaves a = {got, 1}, b = {want, 1};
    pm_closeness_measure(got, want, measured, &closeness);
    char *text = pm_closeness_text(&closeness);
    assert_true(pm_closeness_parse(text, closeness.how, &read));
    assert_int_equal(read.count, closeness.count);
    pm_compare_leaves(&a, &b, rule, by_bytes);
    got->has_bytes = false;
    got->closeness = &read;
    got->digest = "1";
    want->digest = "2";
    pm_compare_leaves(&a, &b, rule, without);
    got->has_bytes = true;
    got->closeness = NULL;
    got->digest = want->digest = NULL;
    free(text);
}

static void assert_same(const struct pm_difference *a, const struct pm_difference *b)
{
    assert_false(b->undecided);
    assert_int_equal(a->kind, b->kind);
    assert_true(a->smallest_rtol == b->smallest_rtol ||
                (isnan(a->smallest_rtol) && isnan(b->smallest_rtol)));
}

static double step_of(struct pm_random *random)
{
    static const double steps[] = {0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    return steps[(size_t)(pm_random_real(random) * 9)];
}

static void fill(struct pm_random *random, double got[ELEMENTS], double want[ELEMENTS])
{
    const double size = pow(10, pm_random_real(random) * 9 - 6),
                 apart = pow(10, -pm_random_real(random) * 10);
    for (size_t i = 0; i < ELEMENTS; i++) {
        want[i] = pm_random_real(random) < 0.1 ? 0 : size * (pm_random_real(random) - 0.5);
        got[i] = pm_random_real(random) < 0.3
                     ? want[i]
                     : want[i] * (1 + apart * (pm_random_real(random) - 0.5)) +
                           apart * apart * (pm_random_real(random) - 0.5);
    }
    if (pm_random_real(random) < 0.03)
        want[0] = NAN;
    if (pm_random_real(random) < 0.03)
        got[0] = pm_random_real(random) < 0.5 ? NAN : INFINITY;
}

/* At the steps of atol there is always a result; between them the result may be undecided, but not
 * wrong. */
static void test_same_result_as_with_bytes(void **state)
{
    (void)state;
    static const enum pm_compare hows[] = {PM_COMPARE_CLOSE, PM_COMPARE_SET, PM_COMPARE_SIGN,
                                           PM_COMPARE_EXACT};
    static const enum pm_dtype dtypes[] = {PM_FLOAT64, PM_FLOAT32, PM_FLOAT16};
    struct pm_random random;
    pm_random_init(&random, "closeness", 7);
    size_t decided = 0, undecided = 0, passed = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        double a[ELEMENTS], b[ELEMENTS];
        fill(&random, a, b);
        const enum pm_dtype dtype = dtypes[round % 3];
        const enum pm_compare how = hows[round / 3 % 4];
        struct pm_leaf got = vector(dtype, ELEMENTS, a), want = vector(dtype, ELEMENTS, b);
        got.array.shape = want.array.shape = (struct pm_shape){.dims = 2, .size = {3, 2}};
        const double own = pm_random_real(&random) * 1e-3,
                     rtol = pow(10, -pm_random_real(&random) * 10);
        const struct pm_compare_rule measured = rule_of(how, 1e-6, own);
        const double atols[] = {step_of(&random), own,
                                step_of(&random) * (1 + pm_random_real(&random)), 1};
        for (size_t i = 0; i < 4; i++) {
            const struct pm_compare_rule rule = rule_of(how, rtol, atols[i]);
            struct pm_difference by_bytes, without;
            compare_both(&got, &want, &measured, &rule, &by_bytes, &without);
            if (i < 2 || !without.undecided)
                assert_same(&by_bytes, &without);
            decided += i >= 2 && !without.undecided;
            undecided += without.undecided;
            passed += without.kind == PM_DIFFERENCE_NONE;
        }
        pm_array_release(&got.array);
        pm_array_release(&want.array);
    }
    assert_true(decided > ROUNDS && undecided > 10 && undecided < ROUNDS / 2 && passed > ROUNDS);
}

static void test_smallest_rtol_is_the_smallest(void **state)
{
    (void)state;
    static const double cases[][3] = {{0.3, 4.7, 0},         {1e-9, 1e-3, 0},    {1.5, 7, 0.1},
                                      {0.1 + 1e-17, 2, 0.1}, {1e-300, 1e300, 0}, {3e-5, 1, 1e-8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double apart = cases[i][0], size = cases[i][1], atol = cases[i][2];
        const double rtol = pm_judge__least_rtol(apart, size, atol);
        assert_true(apart <= atol + rtol * size);
        assert_true(rtol == 0 || apart > atol + nextafter(rtol, 0) * size);
    }
    assert_true(pm_judge__least_rtol(0.5, 0, 0.5) == 0);
    assert_true(isnan(pm_judge__least_rtol(0.5, 0, 0.25)));
    assert_true(isnan(pm_judge__least_rtol(INFINITY, 1, 1)));
}

/* Equal elements of different dtypes, and integers, are always decided. */
static void test_exact_arrays(void **state)
{
    (void)state;
    struct pm_leaf got = VECTOR(PM_INT32, 1, 2), want = VECTOR(PM_INT64, 1, 2);
    struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE, .any_dtype = true};
    struct pm_difference by_bytes, without;
    compare_both(&got, &want, &rule, &rule, &by_bytes, &without);
    assert_kind(without, PM_DIFFERENCE_NONE);
    assert_false(without.undecided);
    pm_array_set_int(&got.array, 0, 5);
    compare_both(&got, &want, &rule, &rule, &by_bytes, &without);
    assert_kind(without, PM_DIFFERENCE_VALUE);
    assert_string_equal(without.text,
                        "out: the values, which are no longer stored, differ (rtol 0, atol 0)");
    pm_array_release(&got.array);
    pm_array_release(&want.array);
}

/* Sets pair different elements than lists do, so the measured closeness does not decide. */
static void test_another_comparison_is_undecided(void **state)
{
    (void)state;
    struct pm_leaf got = VECTOR(PM_FLOAT32, 1, 2), want = VECTOR(PM_FLOAT32, 2, 1);
    const struct pm_compare_rule set = rule_of(PM_COMPARE_SET, 0, 0),
                                 close = rule_of(PM_COMPARE_CLOSE, 0, 0);
    struct pm_difference by_bytes, without;
    compare_both(&got, &want, &set, &set, &by_bytes, &without);
    assert_same(&by_bytes, &without);
    compare_both(&got, &want, &set, &close, &by_bytes, &without);
    assert_true(without.undecided && without.kind == PM_DIFFERENCE_NONE);
    pm_array_release(&got.array);
    pm_array_release(&want.array);
}

static void test_equal_digests_are_equal(void **state)
{
    (void)state;
    struct pm_leaf got = VECTOR(PM_FLOAT32, 1), want = VECTOR(PM_FLOAT32, 1);
    got.has_bytes = want.has_bytes = false;
    got.digest = want.digest = "1";
    assert_kind(compare(got, want, PM_COMPARE_EXACT), PM_DIFFERENCE_NONE);
}

/* A difference that does not depend on the deleted values decides. */
static void test_a_difference_decides(void **state)
{
    (void)state;
    struct pm_leaf got[] = {VECTOR(PM_FLOAT32, 1), value("1")},
                   want[] = {VECTOR(PM_FLOAT32, 2), value("2")};
    const struct pm_leaves a = {got, 2}, b = {want, 2};
    const struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE};
    struct pm_difference difference;
    got[0].has_bytes = false;
    got[0].digest = "1";
    want[0].digest = "2";
    pm_compare_leaves(&a, &b, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_VALUE);
    assert_string_equal(difference.text, "out: 1 instead of 2");
    assert_false(difference.undecided);
    pm_array_release(&got[0].array);
    pm_array_release(&want[0].array);
}

static void test_text_that_is_no_closeness(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "[0]",
        "[[0]]",
        "[[0,1,2]]",
        "[[1e-8,0]]",
        "[[0,-1]]",
        "[[0,\"1\"]]",
        "[[null,1]]",
        "[[0,1],[0,0]]",
        "[[0,1],[1e-8,2]]",
        "[[0,1],[1e-8,null]]",
        "[[0,9],[1,8],[2,7],[3,6],[4,5],[5,4],[6,3],[7,2],[8,1],[9,0.5],[10,0]]",
    };
    struct pm_closeness closeness;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (pm_closeness_parse(bad[i], PM_COMPARE_CLOSE, &closeness))
            fail_msg("%s", bad[i]);
    assert_true(pm_closeness_parse("[[0,null],[1e-8,2],[0.5,0]]", PM_COMPARE_CLOSE, &closeness));
    assert_int_equal(closeness.count, 3);
    assert_true(isnan(closeness.points[0].rtol) && closeness.points[2].atol == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_result_as_with_bytes),
        cmocka_unit_test(test_smallest_rtol_is_the_smallest),
        cmocka_unit_test(test_exact_arrays),
        cmocka_unit_test(test_another_comparison_is_undecided),
        cmocka_unit_test(test_equal_digests_are_equal),
        cmocka_unit_test(test_a_difference_decides),
        cmocka_unit_test(test_text_that_is_no_closeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

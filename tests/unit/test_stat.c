/* Tests of statistics with published values, and of intervals by their simulated coverage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "stat/stat.h"

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.10g for %.10g", got, want);
}

/* Wanted values: numpy.quantile([3, 1, 4, 1, 5, 9, 2, 6], q). */
static void test_quantiles(void **state)
{
    (void)state;
    const double x[] = {3, 1, 4, 1, 5, 9, 2, 6};
    static const double table[][2] = {{0, 1},       {0.025, 1},     {0.1, 1},
                                      {0.25, 1.75}, {0.5, 3.5},     {0.75, 5.25},
                                      {0.9, 6.9},   {0.975, 8.475}, {1, 9}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_near(pm_stat_quantile(x, 8, table[i][0]), table[i][1], 1e-14);
    assert_true(x[0] == 3 && x[7] == 6);
    assert_true(pm_stat_median(x, 7) == 3);
    assert_true(pm_stat_median(x, 1) == 3);
}

/* Wanted values: scipy.special.betainc and betaincinv. */
static void test_beta(void **state)
{
    (void)state;
    static const double forward[][4] = {
        {2, 3, 0.4, 0.5248},
        {0.5, 0.5, 0.1, 0.20483276469913345},
        {50.5, 3.25, 0.9, 0.11656816080775967},
        {3.25, 50.5, 0.1, 0.8834318391922403},
        {1, 1000, 0.001, 0.6323045752290359},
    };
    for (size_t i = 0; i < sizeof forward / sizeof *forward; i++)
        assert_near(pm_stat_beta(forward[i][0], forward[i][1], forward[i][2]), forward[i][3],
                    1e-12);
    static const double inverse[][4] = {
        {3, 48, 0.025, 0.01254858783533406},
        {4, 47, 0.975, 0.16548194660377288},
        {0.4, 10.6, 0.025, 7.112509314085922e-06},
        {1, 50, 0.975, 0.07112173646419764},
    };
    for (size_t i = 0; i < sizeof inverse / sizeof *inverse; i++)
        assert_near(pm_stat_beta_inverse(inverse[i][0], inverse[i][1], inverse[i][2]),
                    inverse[i][3], 1e-10);
    assert_true(pm_stat_beta(2, 2, 0) == 0 && pm_stat_beta(2, 2, 1) == 1);
}

/* R. A. Fisher, F. Yates, "Statistical Tables for Biological, Agricultural and Medical Research",
 * table III; closed forms for 1 and 2 degrees of freedom. */
static void test_student(void **state)
{
    (void)state;
    static const double table[][3] = {
        {0.05, 1, 12.706},  {0.05, 2, 4.303},  {0.05, 4, 2.776},  {0.05, 7, 2.365},
        {0.05, 8, 2.306},   {0.05, 14, 2.145}, {0.05, 22, 2.074}, {0.05, 30, 2.042},
        {0.05, 120, 1.980}, {0.01, 1, 63.657}, {0.01, 10, 3.169}, {0.1, 5, 2.015},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_near(pm_stat_student(table[i][0], table[i][1]), table[i][2], 5.1e-4);
    assert_near(pm_stat_student(0.05, 1), tan(M_PI * 0.475), 1e-9);
    assert_near(pm_stat_student(0.05, 2), 0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-10);
    assert_near(pm_stat_student(0.05, 1e6), 1.959966, 1e-5);
}

static void test_mean(void **state)
{
    (void)state;
    const double x[] = {1, 4, 16};
    assert_near(pm_stat_mean(x, 3), 7, 1e-15);
    assert_true(isnan(pm_stat_mean(x, 0)));
}

/* ---- intervals ---- */

/* Hours of sleep won by two drugs (Student, "The probable error of a mean", Biometrika 6, 1908),
 * with the intervals that the manual of R's t.test() prints for them. */
static const double first_drug[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double second_drug[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void test_intervals_are_students_and_welchs(void **state)
{
    (void)state;
    double gain[10];
    size_t complete;
    for (size_t i = 0; i < 10; i++)
        gain[i] = second_drug[i] - first_drug[i];
    const struct pm_logs first = {first_drug, 10, 1}, second = {second_drug, 10, 1};
    const struct pm_logs paired = {gain, 10, 1};
    const struct pm_interval student = pm_stat_latency(&paired, &complete);
    assert_near(log(student.mid), 1.58, 1e-12);
    assert_near(log(student.low), 0.7001142, 5e-8);
    assert_near(log(student.high), 2.4598858, 5e-8);
    assert_int_equal(complete, 10);
    const struct pm_comparison welch = pm_stat_compare(&first, &second);
    assert_near(log(welch.ratio.mid), -1.58, 1e-12);
    assert_near(log(welch.ratio.low), -3.3654832, 5e-8);
    assert_near(log(welch.ratio.high), 0.2054832, 5e-8);
    assert_true(welch.processes == 10 && welch.reference_processes == 10);
    assert_near(welch.p, 0.07939414, 5e-9); /* R: t.test(extra ~ group) */
}

static void test_fewer_than_five_processes_have_no_interval(void **state)
{
    (void)state;
    size_t complete;
    const struct pm_logs five = {first_drug, 5, 1}, four = {first_drug, 4, 1};
    assert_true(isfinite(pm_stat_latency(&five, &complete).low));
    const struct pm_interval latency = pm_stat_latency(&four, &complete);
    assert_true(isnan(latency.low) && isnan(latency.high) && complete == 4);
    assert_near(log(latency.mid), -2.3 / 4, 1e-12);
    assert_true(isfinite(pm_stat_compare(&five, &five).ratio.high));
    assert_true(isnan(pm_stat_compare(&four, &five).ratio.low));
    assert_true(isnan(pm_stat_compare(&five, &four).ratio.high));
    const double same[] = {2, 2, 2, 2, 2};
    const struct pm_logs still = {same, 5, 1};
    const struct pm_interval exact = pm_stat_compare(&still, &still).ratio;
    assert_true(exact.low == 1 && exact.mid == 1 && exact.high == 1);
}

/* The mean of a case is computed from the processes that have the case, the width only from the
 * processes with all cases. */
static void test_a_process_that_lacks_a_case_says_nothing_of_the_width(void **state)
{
    (void)state;
    const double with_gaps[] = {1, 2, NAN, 2, 1.5, 3, 2, 2, 1, 2.5, 1.25, NAN, 1, 2};
    const double whole[] = {1, 2, 1.5, 3, 2, 2, 1, 2.5, 1, 2};
    const struct pm_logs gaps = {with_gaps, 7, 2}, without = {whole, 5, 2};
    size_t complete;
    const struct pm_interval got = pm_stat_latency(&gaps, &complete);
    assert_int_equal(complete, 5);
    assert_near(log(got.mid),
                ((1 + 1.5 + 2 + 1 + 1.25 + 1) / 6 + (2 + 2 + 3 + 2 + 2.5 + 2) / 6) / 2, 1e-12);
    const struct pm_interval want = pm_stat_latency(&without, &complete);
    assert_near(got.high / got.low, want.high / want.low, 1e-12);
    assert_int_equal(pm_stat_compare(&gaps, &without).processes, 5);
}

/* ---- coverage ---- */

enum { ROUNDS = 4000, MOST_PROCESSES = 12, MOST_CASES = 50 };

/* Simulates processes. Each has its own level for all its cases (scatter 10 %), around which each
 * case scatters (5 %). */
static struct pm_logs simulate(struct pm_random *random, size_t processes, size_t cases,
                               double missing, double *values)
{
    for (size_t p = 0; p < processes; p++) {
        const double own = 0.10 * pm_random_normal(random);
        for (size_t c = 0; c < cases; c++) {
            const double log_median = (double)c + own + 0.05 * pm_random_normal(random);
            values[p * cases + c] = pm_random_real(random) < missing ? NAN : log_median;
        }
    }
    return (struct pm_logs){values, processes, cases};
}

/* Numbers of intervals that contain the true value: 1 for a ratio of equal sides, and the simulated
 * value for a latency. */
struct coverage {
    unsigned ratio, latency;
};

static struct coverage cover(size_t processes, size_t cases, double missing)
{
    static double left[MOST_PROCESSES * MOST_CASES], right[MOST_PROCESSES * MOST_CASES];
    struct coverage covered = {0};
    struct pm_random random;
    pm_random_init(&random, "coverage", 100 * processes + cases);
    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t complete;
        const struct pm_logs a = simulate(&random, processes, cases, missing, left);
        const struct pm_logs b = simulate(&random, processes, cases, 0, right);
        const struct pm_interval ratio = pm_stat_compare(&a, &b).ratio;
        const struct pm_interval latency = pm_stat_latency(&b, &complete);
        const double true_latency = exp(((double)cases - 1) / 2);
        covered.ratio += ratio.low <= 1 && 1 <= ratio.high;
        covered.latency += latency.low <= true_latency && true_latency <= latency.high;
    }
    return covered;
}

static void test_coverage(void **state)
{
    (void)state;
    static const size_t processes[] = {5, 8, 12}, cases[] = {1, 10, 50};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct coverage covered = cover(processes[i], cases[k], 0);
            print_message("%2zu processes, %2zu cases: ratio %.1f %%, latency %.1f %%\n",
                          processes[i], cases[k], 100.0 * covered.ratio / ROUNDS,
                          100.0 * covered.latency / ROUNDS);
            assert_in_range(covered.ratio, ROUNDS * 93 / 100, ROUNDS * 98 / 100);
            assert_in_range(covered.latency, ROUNDS * 93 / 100, ROUNDS * 98 / 100);
        }
}

/* If processes lack a case, an interval is wider, and never too narrow. */
static void test_coverage_with_missing_cases(void **state)
{
    (void)state;
    assert_in_range(cover(12, 10, 0.03).ratio, ROUNDS * 93 / 100, ROUNDS);
}

/* ---- differences and chance ---- */

static void test_a_case_is_unstable_beyond_a_factor_of_three(void **state)
{
    (void)state;
    const double logs[] = {log(100), log(100), log(300), log(301), NAN, log(200)};
    const struct pm_logs two = {logs, 3, 2}, one = {logs, 1, 1};
    assert_false(pm_stat_unstable(&two, 0));
    assert_true(pm_stat_unstable(&two, 1));
    assert_false(pm_stat_unstable(&one, 0));
}

static void test_the_noise_floor_is_the_98th_percentile_of_both_directions(void **state)
{
    (void)state;
    double ratios[101];
    for (size_t i = 0; i < 101; i++)
        ratios[i] = i % 2 ? 1 + (double)i / 100 : 1 / (1 + (double)i / 100);
    assert_near(pm_stat_noise_floor(ratios, 101), 1.98, 1e-12);
    assert_true(isnan(pm_stat_noise_floor(ratios, 0)));
}

static enum pm_speed says(double low, double mid, double high, size_t processes, double floor)
{
    const struct pm_comparison comparison = {{low, mid, high}, processes, 8, 0};
    return pm_stat_says(&comparison, floor);
}

static void test_what_a_ratio_says(void **state)
{
    (void)state;
    assert_int_equal(says(1.1, 1.2, 1.3, 7, NAN), PM_SPEED_UNKNOWN);
    assert_int_equal(says(NAN, 1.2, NAN, 8, 1.1), PM_SPEED_UNKNOWN);
    assert_int_equal(says(0.9, 1.2, 1.5, 8, 1.1), PM_SPEED_SAME);
    assert_int_equal(says(1.1, 1.2, 1.3, 8, NAN), PM_SPEED_SLOWER);
    assert_int_equal(says(0.7, 0.8, 0.9, 8, NAN), PM_SPEED_FASTER);
    assert_int_equal(says(1.1, 1.2, 1.3, 8, 1.1), PM_SPEED_SLOWER_BEYOND);
    assert_int_equal(says(0.7, 0.8, 0.9, 8, 1.1), PM_SPEED_FASTER_BEYOND);
    assert_int_equal(says(1.1, 1.2, 1.3, 8, 1.25), PM_SPEED_NOISE);
    assert_int_equal(says(0.7, 0.8, 0.9, 8, 1.3), PM_SPEED_NOISE);
    const struct pm_comparison few_references = {{2, 3, 4}, 8, 7, 0};
    assert_int_equal(pm_stat_says(&few_references, NAN), PM_SPEED_UNKNOWN);
}

/* Wanted values: 2 * scipy.stats.t.sf(t, df), SciPy 1.17.1. */
static void test_the_tails_of_students_distribution(void **state)
{
    static const double table[][3] = {{2.5, 7, 0.04099221858575289},
                                      {4.73, 7, 0.002132551764260433},
                                      {-1, 3.3, 0.3848846904570244},
                                      {0, 5, 1},
                                      {40, 14, 7.768790800228562e-16}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_near(pm_stat_student_p(table[i][0], table[i][1]) / table[i][2], 1, 1e-9);
}

/* Wanted values: scipy.stats.false_discovery_control(p), SciPy 1.17.1. */
static void test_the_false_discovery_rate(void **state)
{
    double p[] = {0.275, 0.001, NAN, 0.06, 0.008, 0.041, 0.039, 0.042, 0.94};
    static const double expected[] = {
        0.3142857142857143, 0.008, NAN, 0.08, 0.032, 0.0672, 0.0672, 0.0672, 0.94};
    enum { TESTS = sizeof p / sizeof *p };
    (void)state;
    pm_stat_adjust(p, TESTS);
    for (size_t i = 0; i < TESTS; i++)
        assert_true(isnan(expected[i]) ? isnan(p[i]) : fabs(p[i] - expected[i]) < 1e-15);
}

/* A single interval without 1 shows a difference; one of 20 may be chance. Ratios of too few
 * processes do not count as comparisons. */
static void test_one_of_many_comparisons_may_be_chance(void **state)
{
    enum { MANY = 20 };
    struct pm_comparison items[2 * MANY], *family[2 * MANY];
    (void)state;
    for (size_t i = 0; i < 2 * (size_t)MANY; i++) {
        items[i] = (struct pm_comparison){{0.9, 1.0, 1.1}, 8, i < MANY ? 8 : 7, 0.5};
        family[i] = &items[i];
    }
    items[0] = (struct pm_comparison){{1.01, 1.2, 1.42}, 8, 8, 0.01};
    items[1] = (struct pm_comparison){{1.1, 1.2, 1.31}, 8, 8, 0.002};
    struct pm_comparison *alone = &(struct pm_comparison){{1.01, 1.2, 1.42}, 8, 8, 0.01};
    pm_stat_correct(&alone, 1);
    pm_stat_correct(family, 2 * (size_t)MANY);
    assert_int_equal(pm_stat_says(alone, NAN), PM_SPEED_SLOWER);
    assert_int_equal(pm_stat_says(&items[0], NAN), PM_SPEED_CHANCE);
    assert_int_equal(pm_stat_says(&items[1], NAN), PM_SPEED_SLOWER);
    assert_near(items[0].p, 0.1, 1e-12);
    assert_near(items[1].p, 0.04, 1e-12);
    assert_true(isnan(items[MANY].p));
}

/* Computed by hand with the smallest possible number of degrees of freedom: half the width of the
 * interval is t(0.05, 7) = 2.3646 standard errors. */
static void test_a_stored_interval_bounds_p(void **state)
{
    const struct pm_comparison known = {
        {exp(0.2 - 0.1 * 2.364624251592785), exp(0.2), exp(0.2 + 0.1 * 2.364624251592785)},
        12,
        8,
        0};
    const struct pm_comparison few = {{NAN, 1.2, NAN}, 4, 4, 0}, certain = {{2, 2, 2}, 8, 8, 0},
                               equal = {{1, 1, 1}, 8, 8, 0};
    (void)state;
    assert_near(pm_stat_p_of_interval(&known), 0.0856193285, 1e-9); /* 2 * stats.t.sf(2, 7) */
    assert_true(isnan(pm_stat_p_of_interval(&few)));
    assert_true(pm_stat_p_of_interval(&certain) == 0 && pm_stat_p_of_interval(&equal) == 1);
    double above[8], below[12];
    for (size_t i = 0; i < 12; i++)
        below[i] = 0.01 * (double)(i % 5);
    for (size_t i = 0; i < 8; i++)
        above[i] = 0.1 + 0.07 * (double)(i % 3);
    const struct pm_logs target = {above, 8, 1}, reference = {below, 12, 1};
    const struct pm_comparison exact = pm_stat_compare(&target, &reference);
    assert_true(exact.p > 0 && pm_stat_p_of_interval(&exact) > exact.p &&
                pm_stat_p_of_interval(&exact) < 2 * exact.p);
}

/* Wanted values: scipy.stats.gaussian_kde(x, "silverman"), SciPy 1.17.1. */
static void test_density(void **state)
{
    static const double x[] = {-1.5, -1.2, -0.3, 0.0, 0.1, 0.4, 2.5};
    static const double at[] = {-3, -1, 0, 0.25, 2.5, 6};
    static const double expected[] = {0.028073273098051448, 0.24323871791480964,
                                      0.2802250141396941,   0.2625701416057,
                                      0.07052464582857751,  5.587359345940252e-05};
    enum { POINTS = sizeof at / sizeof *at, VALUES = sizeof x / sizeof *x };
    double got[POINTS];
    (void)state;
    const double bandwidth = pm_stat_bandwidth(x, VALUES);
    assert_float_equal(bandwidth, 0.935820597896269, 1e-14);
    pm_stat_density(x, VALUES, bandwidth, at, got, POINTS);
    for (size_t i = 0; i < POINTS; i++)
        assert_float_equal(got[i], expected[i], 1e-14);
    assert_true(isnan(pm_stat_bandwidth(x, 1)));
}

/* qsort() needs a total order, which a comparison with NaN alone does not give. */
static void test_the_order_by_size_is_total(void **state)
{
    static const double x[] = {3, NAN, 12, NAN, 40, INFINITY, -1, 0, 3};
    enum { COUNT = sizeof x / sizeof *x };
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            const int ij = pm_stat_largest_first(x[i], x[j]);
            assert_int_equal(ij, -pm_stat_largest_first(x[j], x[i]));
            for (size_t k = 0; k < COUNT; k++)
                if (ij <= 0 && pm_stat_largest_first(x[j], x[k]) <= 0)
                    assert_true(pm_stat_largest_first(x[i], x[k]) <= 0);
        }
    assert_true(pm_stat_largest_first(40, 12) < 0);
    assert_true(pm_stat_largest_first(-1, NAN) < 0);
    assert_int_equal(pm_stat_largest_first(NAN, NAN), 0);
    assert_int_equal(pm_stat_largest_first(3, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_tails_of_students_distribution),
        cmocka_unit_test(test_the_false_discovery_rate),
        cmocka_unit_test(test_one_of_many_comparisons_may_be_chance),
        cmocka_unit_test(test_a_stored_interval_bounds_p),
        cmocka_unit_test(test_density),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_the_order_by_size_is_total),
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_intervals_are_students_and_welchs),
        cmocka_unit_test(test_fewer_than_five_processes_have_no_interval),
        cmocka_unit_test(test_a_process_that_lacks_a_case_says_nothing_of_the_width),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_coverage_with_missing_cases),
        cmocka_unit_test(test_a_case_is_unstable_beyond_a_factor_of_three),
        cmocka_unit_test(test_the_noise_floor_is_the_98th_percentile_of_both_directions),
        cmocka_unit_test(test_what_a_ratio_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Statistics against published values, exact distributions and simulated coverage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stat/stat_private.h"

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.10g for %.10g", got, want);
}

/* R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in
 * Medicine 17, 1998, table I, method 3 (score, no continuity correction). */
static void test_wilson(void **state)
{
    (void)state;
    static const struct {
        uint64_t k, n;
        double low, high;
    } table[] = {{81, 263, 0.2553, 0.3662},
                 {15, 148, 0.0624, 0.1605},
                 {0, 20, 0.0000, 0.1611},
                 {1, 29, 0.0061, 0.1718}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct pm_interval got = pm_stat_wilson(table[i].k, table[i].n, 0.05);
        assert_near(got.low, table[i].low, 5e-5);
        assert_near(got.high, table[i].high, 5e-5);
        assert_near(got.mid, (double)table[i].k / (double)table[i].n, 1e-15);
        const struct pm_interval rest = pm_stat_wilson(table[i].n - table[i].k, table[i].n, 0.05);
        assert_near(rest.low, 1 - got.high, 1e-12);
        assert_near(rest.high, 1 - got.low, 1e-12);
    }
    const struct pm_interval none = pm_stat_wilson(0, 0, 0.05);
    assert_true(none.low == 0 && none.high == 1 && isnan(none.mid));
    assert_true(pm_stat_wilson(7, 7, 0.05).high == 1);
    assert_true(pm_stat_wilson(5, 10, 0.01).low < pm_stat_wilson(5, 10, 0.05).low);
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

static void test_means(void **state)
{
    (void)state;
    const double x[] = {1, 4, 16}, with_zero[] = {1, 0};
    assert_near(pm_stat_mean(x, 3), 7, 1e-15);
    assert_near(pm_stat_geometric_mean(x, 3), 4, 1e-14);
    assert_true(isnan(pm_stat_geometric_mean(with_zero, 2)));
    assert_true(isnan(pm_stat_geometric_mean(x, 0)) && isnan(pm_stat_mean(x, 0)));
}

static void test_processes(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 10, 20, 8, 8, 8, 8};
    const size_t counts[] = {3, 2, 0, 4};
    const struct pm_samples samples = {values, counts, 4};
    assert_true(pm_stat_process_median(&samples) == 8);
    assert_true(pm_stat_process_spread(&samples) == 7.5);
    const struct pm_samples one = {values, counts, 1}, none = {values, counts + 2, 1};
    assert_true(pm_stat_process_spread(&one) == 1);
    assert_true(isnan(pm_stat_process_median(&none)) && isnan(pm_stat_process_spread(&none)));
}

/* ---- the median of a resample -----------------------------------------------------------------
 */

/* How often each possible median (in halves of a rank) comes, over all n^n resamples. */
static void enumerate(size_t n, double *share)
{
    size_t total = 1, draws[5];
    for (size_t i = 0; i < n; i++)
        total *= n;
    for (size_t code = 0; code < total; code++) {
        double ranks[5];
        for (size_t i = 0, rest = code; i < n; i++, rest /= n)
            draws[i] = rest % n;
        for (size_t i = 0; i < n; i++)
            ranks[i] = (double)draws[i];
        share[(size_t)(2 * pm_stat_median(ranks, n))] += 1 / (double)total;
    }
}

static void test_resampled_median_is_exact(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    const double ranks[] = {0, 1, 2, 3, 4};
    for (size_t n = 1; n <= 5; n++) {
        double want[10] = {0}, got[10] = {0};
        enumerate(n, want);
        struct pm_random random;
        pm_random_init(&random, "test", n);
        for (int i = 0; i < DRAWS; i++)
            got[(size_t)(2 * pm_stat__resampled_median(ranks, n, &random))] += 1.0 / DRAWS;
        for (size_t i = 0; i < 2 * n; i++)
            assert_near(got[i], want[i], 5 * sqrt(want[i] * (1 - want[i]) / DRAWS) + 1e-9);
    }
}

/* ---- intervals --------------------------------------------------------------------------------
 */

enum { PROCESSES = 12, SAMPLES = 20 };

/* Latencies of one side: a process has a level of its own, and samples scatter around it. */
static void simulate(struct pm_random *random, double level, double *values)
{
    for (size_t p = 0; p < PROCESSES; p++) {
        const double own = level * exp(0.05 * pm_random_normal(random));
        for (size_t i = 0; i < SAMPLES; i++)
            values[p * SAMPLES + i] = own * exp(0.02 * pm_random_normal(random));
    }
}

static void test_coverage(void **state)
{
    (void)state;
    enum { ROUNDS = 400 };
    size_t counts[PROCESSES];
    for (size_t p = 0; p < PROCESSES; p++)
        counts[p] = SAMPLES;
    struct pm_random random;
    pm_random_init(&random, "coverage", 1);
    unsigned ratio_covers = 0, median_covers = 0, false_alarms = 0, found = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        double left[PROCESSES * SAMPLES], right[PROCESSES * SAMPLES], slow[PROCESSES * SAMPLES];
        simulate(&random, 100, left);
        simulate(&random, 100, right);
        simulate(&random, 120, slow);
        const struct pm_samples a = {left, counts, PROCESSES}, b = {right, counts, PROCESSES};
        const struct pm_samples c = {slow, counts, PROCESSES};
        const struct pm_interval same = pm_stat_ratio(&a, &b, 400, round);
        const struct pm_interval slower = pm_stat_ratio(&c, &b, 400, round);
        const struct pm_interval median = pm_stat_median_interval(&a, 400, round);
        ratio_covers += same.low <= 1 && 1 <= same.high;
        median_covers += median.low <= 100 && 100 <= median.high;
        false_alarms += pm_stat_differs(&same, PROCESSES, PROCESSES);
        found += pm_stat_differs(&slower, PROCESSES, PROCESSES);
    }
    assert_in_range(ratio_covers, ROUNDS * 93 / 100, ROUNDS * 99 / 100);
    assert_in_range(median_covers, ROUNDS * 91 / 100, ROUNDS * 99 / 100);
    assert_int_equal(false_alarms, ROUNDS - ratio_covers);
    assert_in_range(found, ROUNDS * 99 / 100, ROUNDS);
}

static void test_intervals(void **state)
{
    (void)state;
    const double values[] = {10, 11, 12, 20, 21, 22};
    const size_t counts[] = {3, 3};
    const struct pm_samples two = {values, counts, 2}, one = {values, counts, 1};
    const struct pm_interval first = pm_stat_ratio(&two, &two, 1000, 7);
    const struct pm_interval again = pm_stat_ratio(&two, &two, 1000, 7);
    const struct pm_interval other = pm_stat_ratio(&two, &two, 1000, 8);
    assert_memory_equal(&first, &again, sizeof first);
    assert_true(first.mid == 1 && first.low < 1 && first.high > 1);
    assert_memory_not_equal(&first, &other, sizeof first);
    const struct pm_interval alone = pm_stat_ratio(&two, &one, 1000, 7);
    assert_true(isnan(alone.low) && isnan(alone.high));
    assert_near(alone.mid, 16.0 / 11, 1e-14);
    assert_true(isnan(pm_stat_median_interval(&one, 1000, 7).low));
    assert_true(pm_stat_median_interval(&one, 1000, 7).mid == 11);

    const double ratios[] = {1, 2, 4, 8}, same[] = {3, 3, 3};
    const struct pm_interval spread = pm_stat_geometric_interval(ratios, 4, 2000, 7);
    assert_near(spread.mid, sqrt(8), 1e-14);
    assert_true(spread.low >= 1 && spread.low < 2 && spread.high > 4 && spread.high <= 8);
    const struct pm_interval tight = pm_stat_geometric_interval(same, 3, 100, 7);
    assert_near(tight.low, 3, 1e-14);
    assert_near(tight.high, 3, 1e-14);
    assert_true(isnan(pm_stat_geometric_interval(ratios, 1, 100, 7).low));
    assert_true(isnan(pm_stat_geometric_interval(ratios, 0, 100, 7).mid));
}

static void test_differs(void **state)
{
    (void)state;
    const struct pm_interval above = {1.01, 1.1, 1.2}, below = {0.8, 0.9, 0.99};
    const struct pm_interval over = {0.9, 1.1, 1.3}, none = {NAN, 1.5, NAN};
    assert_true(pm_stat_differs(&above, 8, 8) && pm_stat_differs(&below, 8, 8));
    assert_false(pm_stat_differs(&above, 7, 8) || pm_stat_differs(&above, 8, 7));
    assert_false(pm_stat_differs(&over, 8, 8) || pm_stat_differs(&none, 8, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wilson),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_resampled_median_is_exact),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

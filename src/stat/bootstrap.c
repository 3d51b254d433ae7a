/* Bootstrap intervals of medians and of ratios of medians, over processes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/stat_private.h"

enum { ENOUGH_FOR_AN_INTERVAL = 2 };

/* ---- the median of a resample ---------------------------------------------------------------- */

/* G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000;
 * shape >= 1. */
static double random_gamma(struct pm_random *random, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = pm_random_normal(random), t = 1 + c * x;
        if (t <= 0)
            continue;
        const double v = t * t * t, u = 1 - pm_random_real(random);
        if (log(u) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

static double random_beta(struct pm_random *random, double a, double b)
{
    const double x = random_gamma(random, a), y = random_gamma(random, b);
    return x / (x + y);
}

static double at_share(const double *sorted, size_t n, double share)
{
    const size_t rank = (size_t)(share * (double)n);
    return sorted[rank < n ? rank : n - 1];
}

double pm_stat__resampled_median(const double *sorted, size_t n, struct pm_random *random)
{
    if (n == 1)
        return sorted[0];
    const size_t k = (n + 1) / 2;
    const double lower = random_beta(random, (double)k, (double)(n - k + 1));
    if (n % 2)
        return at_share(sorted, n, lower);
    const double v = 1 - pm_random_real(random);
    const double upper = 1 - (1 - lower) * pow(v, 1 / (double)(n - k));
    return (at_share(sorted, n, lower) + at_share(sorted, n, upper)) / 2;
}

/* ---- processes, then samples ----------------------------------------------------------------- */

/* One side, its processes' samples sorted, without processes that have none. */
struct side {
    double *values;
    size_t *starts, *counts;
    size_t processes;
    double *medians; /* room for a round's */
};

static void side_init(struct side *side, const struct pm_samples *samples)
{
    size_t total = 0;
    for (size_t p = 0; p < samples->processes; p++)
        total += samples->counts[p];
    *side = (struct side){.values = pm_realloc_array(NULL, total + 1, sizeof *side->values)};
    if (total)
        memcpy(side->values, samples->values, total * sizeof *side->values);
    side->starts = pm_realloc_array(NULL, samples->processes + 1, sizeof *side->starts);
    side->counts = pm_realloc_array(NULL, samples->processes + 1, sizeof *side->counts);
    side->medians = pm_realloc_array(NULL, samples->processes + 1, sizeof *side->medians);
    size_t start = 0;
    for (size_t p = 0; p < samples->processes; start += samples->counts[p++]) {
        if (samples->counts[p] == 0)
            continue;
        pm_stat__sort(side->values + start, samples->counts[p]);
        side->starts[side->processes] = start;
        side->counts[side->processes++] = samples->counts[p];
    }
}

static void side_release(struct side *side)
{
    free(side->values);
    free(side->starts);
    free(side->counts);
    free(side->medians);
}

static double resample(const struct side *side, struct pm_random *random)
{
    for (size_t i = 0; i < side->processes; i++) {
        const size_t p = pm_random_below(random, side->processes);
        side->medians[i] =
            pm_stat__resampled_median(side->values + side->starts[p], side->counts[p], random);
    }
    pm_stat__sort(side->medians, side->processes);
    return pm_stat__sorted_quantile(side->medians, side->processes, 0.5);
}

/* The middle 95 % of `rounds` (changed: sorted). */
static struct pm_interval percentiles(double *rounds, size_t count, double mid)
{
    if (count == 0)
        return (struct pm_interval){NAN, mid, NAN};
    pm_stat__sort(rounds, count);
    return (struct pm_interval){pm_stat__sorted_quantile(rounds, count, 0.025), mid,
                                pm_stat__sorted_quantile(rounds, count, 0.975)};
}

struct pm_interval pm_stat_ratio(const struct pm_samples *a, const struct pm_samples *b,
                                 unsigned resamples, uint64_t seed)
{
    const double mid = pm_stat_process_median(a) / pm_stat_process_median(b);
    struct side above, below;
    side_init(&above, a);
    side_init(&below, b);
    const bool enough =
        above.processes >= ENOUGH_FOR_AN_INTERVAL && below.processes >= ENOUGH_FOR_AN_INTERVAL;
    const size_t count = enough ? resamples : 0;
    double *rounds = pm_realloc_array(NULL, count + 1, sizeof *rounds);
    struct pm_random random;
    pm_random_init(&random, "stat/ratio", seed);
    for (size_t i = 0; i < count; i++) {
        const double over = resample(&above, &random);
        rounds[i] = over / resample(&below, &random);
    }
    const struct pm_interval interval = percentiles(rounds, count, mid);
    free(rounds);
    side_release(&above);
    side_release(&below);
    return interval;
}

struct pm_interval pm_stat_median_interval(const struct pm_samples *a, unsigned resamples,
                                           uint64_t seed)
{
    struct side side;
    side_init(&side, a);
    const size_t count = side.processes >= ENOUGH_FOR_AN_INTERVAL ? resamples : 0;
    double *rounds = pm_realloc_array(NULL, count + 1, sizeof *rounds);
    struct pm_random random;
    pm_random_init(&random, "stat/median", seed);
    for (size_t i = 0; i < count; i++)
        rounds[i] = resample(&side, &random);
    const struct pm_interval interval = percentiles(rounds, count, pm_stat_process_median(a));
    free(rounds);
    side_release(&side);
    return interval;
}

struct pm_interval pm_stat_geometric_interval(const double *ratios, size_t n, unsigned resamples,
                                              uint64_t seed)
{
    const double mid = pm_stat_geometric_mean(ratios, n);
    if (n < ENOUGH_FOR_AN_INTERVAL || isnan(mid))
        return (struct pm_interval){NAN, mid, NAN};
    double *logs = pm_realloc_array(NULL, n, sizeof *logs);
    double *rounds = pm_realloc_array(NULL, (size_t)resamples + 1, sizeof *rounds);
    for (size_t i = 0; i < n; i++)
        logs[i] = log(ratios[i]);
    struct pm_random random;
    pm_random_init(&random, "stat/geometric", seed);
    for (size_t round = 0; round < resamples; round++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += logs[pm_random_below(&random, n)];
        rounds[round] = exp(sum / (double)n);
    }
    const struct pm_interval interval = percentiles(rounds, resamples, mid);
    free(logs);
    free(rounds);
    return interval;
}

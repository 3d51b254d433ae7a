/* Computes latencies and their ratios with intervals over processes, and the verdict on a ratio. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stat/stat.h"

PM_WORDS_DEFINE(speed, PM_SPEEDS, PM_SPEED);

static const double ALPHA = 0.05, UNSTABLE_FACTOR = 3, NOISE_QUANTILE = 0.98;
static const double ROUNDING = 1e-12; /* relative error of a factor that is computed from a
                                         difference of logs */

/* The moments of the logs of one side: the mean over cases, the variance of this mean over the
 * processes that have all cases, and the number of these processes. */
struct moments {
    double mean, variance_of_mean;
    size_t complete;
};

static double at(const struct pm_logs *logs, size_t process, size_t c)
{
    return logs->values[process * logs->cases + c];
}

static double mean_of_case(const struct pm_logs *logs, size_t c)
{
    double sum = 0;
    size_t count = 0;
    for (size_t p = 0; p < logs->processes; p++) {
        if (isnan(at(logs, p, c)))
            continue;
        sum += at(logs, p, c);
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* Returns the mean of the logs of a process; NaN if the process lacks a case. */
static double mean_of_process(const struct pm_logs *logs, size_t process)
{
    return pm_stat_mean(&logs->values[process * logs->cases], logs->cases);
}

static struct moments moments_of(const struct pm_logs *logs)
{
    double *means = pm_alloc((logs->processes + 1) * sizeof *means), sum = 0, squares = 0;
    struct moments m = {0};
    for (size_t c = 0; c < logs->cases; c++)
        sum += mean_of_case(logs, c);
    m.mean = sum / (double)logs->cases;
    for (size_t p = 0; p < logs->processes; p++) {
        const double mean = mean_of_process(logs, p);
        if (!isnan(mean))
            means[m.complete++] = mean;
    }
    const double centre = pm_stat_mean(means, m.complete), n = (double)m.complete;
    for (size_t i = 0; i < m.complete; i++)
        squares += (means[i] - centre) * (means[i] - centre);
    m.variance_of_mean = m.complete > 1 ? squares / (n - 1) / n : NAN;
    free(means);
    return m;
}

/* Returns exp(mean +- t * error). If `enough` is false, the bounds are NaN. */
static struct pm_interval interval(double mean, double variance_of_mean, double df, bool enough)
{
    struct pm_interval out = {.low = NAN, .mid = exp(mean), .high = NAN};
    if (!enough)
        return out;
    /* df is 0 / 0 if nothing varies; then the interval is the value alone. */
    const double half =
        variance_of_mean > 0 ? pm_stat_student(ALPHA, df) * sqrt(variance_of_mean) : 0;
    out.low = exp(mean - half);
    out.high = exp(mean + half);
    return out;
}

bool pm_stat_unstable(const struct pm_logs *logs, size_t c)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t p = 0; p < logs->processes; p++) {
        least = fmin(least, at(logs, p, c));
        most = fmax(most, at(logs, p, c));
    }
    return exp(most - least) > UNSTABLE_FACTOR * (1 + ROUNDING);
}

struct pm_interval pm_stat_latency(const struct pm_logs *logs, size_t *complete)
{
    const struct moments m = moments_of(logs);
    *complete = m.complete;
    return interval(m.mean, m.variance_of_mean, (double)m.complete - 1,
                    m.complete >= PM_STAT_LEAST_FOR_INTERVAL);
}

/* Returns the p of a difference if nothing varies: 1 if there is no difference, otherwise 0,
 * because the difference is certain. */
static double certain(double difference)
{
    return difference == 0;
}

struct pm_comparison pm_stat_compare(const struct pm_logs *target, const struct pm_logs *reference)
{
    const struct moments a = moments_of(target), b = moments_of(reference);
    const double va = a.variance_of_mean, vb = b.variance_of_mean;
    const double df = (va + vb) * (va + vb) /
                      (va * va / ((double)a.complete - 1) + vb * vb / ((double)b.complete - 1));
    const double difference = a.mean - b.mean;
    const bool enough =
        a.complete >= PM_STAT_LEAST_FOR_INTERVAL && b.complete >= PM_STAT_LEAST_FOR_INTERVAL;
    return (struct pm_comparison){
        .ratio = interval(difference, va + vb, df, enough),
        .processes = a.complete,
        .reference_processes = b.complete,
        .p = !enough       ? NAN
             : va + vb > 0 ? pm_stat_student_p(difference / sqrt(va + vb), df)
                           : certain(difference),
    };
}

double pm_stat_p_of_interval(const struct pm_comparison *comparison)
{
    const struct pm_interval *ratio = &comparison->ratio;
    const size_t fewest = comparison->processes < comparison->reference_processes
                              ? comparison->processes
                              : comparison->reference_processes;
    const double difference = log(ratio->mid);
    const double half = fmax(log(ratio->high / ratio->mid), log(ratio->mid / ratio->low));
    if (isnan(half) || fewest < 2)
        return NAN;
    const double df = (double)fewest - 1;
    return half > 0 ? pm_stat_student_p(difference / half * pm_stat_student(ALPHA, df), df)
                    : certain(difference);
}

/* ---- many comparisons ---- */

static int by_p(const void *left, const void *right)
{
    const double a = **(double *const *)left, b = **(double *const *)right;
    return (a > b) - (a < b);
}

void pm_stat_adjust(double *p, size_t n)
{
    double **sorted = pm_alloc((n + 1) * sizeof *sorted), least = 1;
    size_t tests = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            sorted[tests++] = &p[i];
    qsort(sorted, tests, sizeof *sorted, by_p);
    for (size_t rank = tests; rank > 0; rank--) {
        least = fmin(least, *sorted[rank - 1] * (double)tests / (double)rank);
        *sorted[rank - 1] = least;
    }
    free(sorted);
}

static bool has_verdict(const struct pm_comparison *c)
{
    return !isnan(c->ratio.low) && c->processes >= PM_STAT_LEAST_FOR_VERDICT &&
           c->reference_processes >= PM_STAT_LEAST_FOR_VERDICT;
}

void pm_stat_correct(struct pm_comparison *const *family, size_t n)
{
    double *p = pm_alloc((n + 1) * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = has_verdict(family[i]) ? family[i]->p : NAN;
    pm_stat_adjust(p, n);
    for (size_t i = 0; i < n; i++)
        family[i]->p = p[i];
    free(p);
}

double pm_stat_noise_floor(const double *ratios, size_t n)
{
    double *factors = pm_alloc((n + 1) * sizeof *factors);
    for (size_t i = 0; i < n; i++)
        factors[i] = fmax(ratios[i], 1 / ratios[i]);
    const double floor = n ? pm_stat_quantile(factors, n, NOISE_QUANTILE) : NAN;
    free(factors);
    return floor;
}

enum pm_speed pm_stat_says(const struct pm_comparison *comparison, double floor)
{
    const struct pm_interval *ratio = &comparison->ratio;
    const bool slower = ratio->low > 1, faster = ratio->high < 1;
    if (!has_verdict(comparison))
        return PM_SPEED_UNKNOWN;
    if (!slower && !faster)
        return PM_SPEED_SAME;
    if (comparison->p > ALPHA)
        return PM_SPEED_CHANCE;
    if (isnan(floor))
        return slower ? PM_SPEED_SLOWER : PM_SPEED_FASTER;
    if (ratio->mid <= floor && ratio->mid >= 1 / floor)
        return PM_SPEED_NOISE;
    return slower ? PM_SPEED_SLOWER_BEYOND : PM_SPEED_FASTER_BEYOND;
}

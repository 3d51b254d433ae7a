/*
 * Computes statistics of latencies and shares. The results depend only on the arguments: no I/O, no
 * state, no random numbers.
 *
 * The process is the unit of replication: timings within a process resemble each other, and so do
 * the cases of a function that one process ran (Kalibera and Jones, "Rigorous benchmarking in
 * reasonable time", ISMM 2013). Therefore each process counts once: one number summarises all
 * timings of all its cases. Student's and Welch's intervals are computed from these numbers.
 *
 *     struct pm_logs reference = {...}, target = {...};   // a row per process, a column per case
 *     struct pm_comparison c = pm_stat_compare(&target, &reference);
 *     pm_stat_correct(family, n);                         // all comparisons of the target
 *     puts(pm_speed_text(pm_stat_says(&c, floor)));
 */
#ifndef PM_STAT_STAT_H
#define PM_STAT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/words.h"

struct pm_interval {
    double low, mid, high;
};

/* Returns the quantile q in [0,1] by linear interpolation (Hyndman and Fan's type 7, numpy's
 * default); n > 0. `x` is not changed. */
double pm_stat_quantile(const double *x, size_t n, double q);
double pm_stat_median(const double *x, size_t n);
/* Compares two values for qsort(): larger values come first, NaN (no value) last. Returns a
 * negative number if `a` comes first, a positive one if `b` does, otherwise 0. The order is total,
 * even with NaN. */
int pm_stat_largest_first(double a, double b);
double pm_stat_mean(const double *x, size_t n); /* NaN for n = 0 */

/* Returns the share k / n, k <= n, n > 0, with its 95 % interval by E. B. Wilson's score (Journal
 * of the American Statistical Association 22, 1927). */
struct pm_interval pm_stat_wilson(size_t k, size_t n);

/* Return the regularised incomplete beta function I_x(a, b) for a, b > 0, and the x at which its
 * value is p. */
double pm_stat_beta(double a, double b, double x);
double pm_stat_beta_inverse(double a, double b, double p);
/* Returns the t for which P(|T| > t) = alpha, where T has Student's distribution with `df` degrees
 * of freedom (> 0, not necessarily whole). */
double pm_stat_student(double alpha, double df);
/* Returns P(|T| > |t|) for Student's distribution: the inverse function of pm_stat_student(). */
double pm_stat_student_p(double t, double df);

/*
 * pm_stat_density() sets out[i] to the Gaussian kernel density (M. Rosenblatt, Annals of
 * Mathematical Statistics 27, 1956) at at[i], for each of `points` places. It needs a bandwidth
 * above 0. pm_stat_bandwidth() returns the bandwidth of Silverman's rule of thumb for a normal
 * density: (4 / (3 n))^(1/5) times the standard deviation with the divisor n - 1 (B. W. Silverman,
 * "Density Estimation for Statistics and Data Analysis", 1986, equation 3.28). It returns NaN for n
 * < 2, and 0 if all values are equal. Together, both compute SciPy's gaussian_kde(x, "silverman").
 */
double pm_stat_bandwidth(const double *x, size_t n);
void pm_stat_density(const double *x, size_t n, double bandwidth, const double *at, double *out,
                     size_t points);

/* ---- latencies and their ratios ------------------------------------------------------------- */

/* The least number of processes (of each side) for an interval, and for a verdict. */
enum { PM_STAT_LEAST_FOR_INTERVAL = 5, PM_STAT_LEAST_FOR_VERDICT = 8 };

/* A ratio over this is intolerable, unless the user sets another factor: the paper names
 * intolerable latency beside failures (section 1), and counts the functions that are over 10 times
 * slower (section 4). */
#define PM_STAT_INTOLERABLE 10.0

/* The logs of one side: log(median latency) of each case in each process, values[process * cases +
 * case]; NaN if a process has no timing of a case. Each case has a timing in at least one
 * process. */
struct pm_logs {
    const double *values;
    size_t processes, cases;
};

/* Returns whether the medians of a case differ between processes by more than a factor of three. */
bool pm_stat_unstable(const struct pm_logs *logs, size_t c);

/*
 * Returns the latency: the geometric mean over cases of the geometric mean over processes, in the
 * unit whose logs were given. Its 95 % interval is Student's, over the mean logs of the processes
 * that have all cases; a process that lacks a case does not affect the width. Sets *complete to the
 * number of processes that have all cases. If this is less than PM_STAT_LEAST_FOR_INTERVAL, low and
 * high are NaN.
 *
 * For the geometric mean of plain values, use one case, with one value per process.
 */
struct pm_interval pm_stat_latency(const struct pm_logs *logs, size_t *complete);

struct pm_comparison {
    struct pm_interval ratio;
    size_t processes, reference_processes; /* numbers of processes that have all cases */
    double p; /* p of the hypothesis that the ratio is 1, by the test that gives the interval; NaN:
                 no interval */
};

/* Returns the ratio of the latency of `target` to the latency of `reference`, which have the same
 * cases. The 95 % interval is Welch's, for the difference of two means with different variances,
 * over the mean logs of processes as in pm_stat_latency() (B. L. Welch, "The generalization of
 * 'Student's' problem when several different population variances are involved", Biometrika 34,
 * 1947). In this way, the cases of a process are sampled together, whatever they have in common. If
 * a side has fewer than PM_STAT_LEAST_FOR_INTERVAL complete processes, low and high are NaN. */
struct pm_comparison pm_stat_compare(const struct pm_logs *target, const struct pm_logs *reference);

/* Returns the largest p that is compatible with an interval that excludes 1, for example a stored
 * one. An interval does not show its degrees of freedom. Welch's interval has at least n - 1
 * degrees, where n is the smaller number of processes. Fewer degrees mean a larger p. Returns NaN
 * if there is no interval. */
double pm_stat_p_of_interval(const struct pm_comparison *comparison);

/*
 * Many comparisons at once. Among 100 equal functions, about 5 have an interval that excludes 1.
 * Therefore the comparisons of one target are a family, whose verdicts "slower" and "faster" are
 * limited to a false discovery rate of 5 %: the mean share of false verdicts among these verdicts
 * (Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate: a practical and powerful
 * approach to multiple testing", Journal of the Royal Statistical Society B 57, 1995; it also holds
 * for tests whose errors are positively dependent: Y. Benjamini, D. Yekutieli, Annals of Statistics
 * 29, 2001).
 *
 * pm_stat_adjust() replaces each p by the lowest rate at which its test is still significant: the
 * least n p_j / rank_j over all p_j >= p. This is R's p.adjust(p, "BH") and SciPy's
 * false_discovery_control(p). NaN stays NaN, and does not count as a test. pm_stat_correct()
 * adjusts the p of comparisons. A comparison with too few processes for a verdict does not count,
 * and its p becomes NaN.
 */
void pm_stat_adjust(double *p, size_t n);
void pm_stat_correct(struct pm_comparison *const *family, size_t n);

/* Returns the noise floor: the 98th percentile of ratios of equal things, where r < 1 counts as 1 /
 * r. NaN for n = 0. */
double pm_stat_noise_floor(const double *ratios, size_t n);

/* The verdict of a comparison on the target's speed. */
#define PM_SPEEDS(X, P)                                                                            \
    X(P, UNKNOWN, "")           /* no interval, or too few processes */                            \
    X(P, SAME, "no difference") /* the interval contains 1 */                                      \
    X(P, CHANCE,                                                                                   \
      "could be chance") /* the interval does not contain 1, but the corrected p is over 0.05 */   \
    X(P, NOISE, "within noise") /* p is at most 0.05, but the ratio is within the noise floor */   \
    X(P, SLOWER_BEYOND, "slower beyond noise")                                                     \
    X(P, FASTER_BEYOND, "faster beyond noise")                                                     \
    X(P, SLOWER, "slower") /* no noise floor is known */                                           \
    X(P, FASTER, "faster")
PM_WORDS(speed, PM_SPEEDS, PM_SPEED);

/* Returns the verdict of a comparison on the target's speed. It is UNKNOWN with fewer than
 * PM_STAT_LEAST_FOR_VERDICT processes on a side. If it is one comparison of many, pm_stat_correct()
 * must have corrected its p. `floor` is NaN if it is unknown. */
enum pm_speed pm_stat_says(const struct pm_comparison *comparison, double floor);

#endif

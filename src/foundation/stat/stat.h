/*
 * Pure statistics: arrays in, struct out, no I/O, no state, nothing drawn at random.
 *
 * The process is the unit of replication: timings within a process resemble each other, and so do
 * the cases of a function that one process ran (Kalibera and Jones, "Rigorous benchmarking in
 * reasonable time", ISMM 2013). So a process counts once, with one number for all of its timings of
 * all of its cases, and intervals are Student's and Welch's over these numbers.
 *
 *     struct pm_logs reference = {...}, target = {...};   // one row a process, one column a case
 *     struct pm_comparison c = pm_stat_compare(&target, &reference);
 *     pm_stat_correct(family, n);                         // pointers to all comparisons of the
 * target puts(pm_speed_text(pm_stat_says(&c, floor)));
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
/* Orders for qsort(): larger values first, NaN (no value) last. Returns a negative number if `a` is
 * first, a positive one if `b` is, 0 if neither; a total order, also with NaN. */
int pm_stat_largest_first(double a, double b);
double pm_stat_mean(const double *x, size_t n); /* NaN for n = 0 */

/* Returns the share k / n, k <= n, n > 0, with its 95 % interval by E. B. Wilson's score (Journal
 * of the American Statistical Association 22, 1927). */
struct pm_interval pm_stat_wilson(size_t k, size_t n);

/* Returns the regularised incomplete beta function I_x(a, b), a, b > 0, and the x at which it is
 * p. */
double pm_stat_beta(double a, double b, double x);
double pm_stat_beta_inverse(double a, double b, double p);
/* Returns the t that Student's distribution with `df` degrees of freedom (> 0, not only whole ones)
 * exceeds on either side with probability `alpha`. */
double pm_stat_student(double alpha, double df);
/* Returns the probability that |t| is exceeded on either side: the reverse of pm_stat_student(). */
double pm_stat_student_p(double t, double df);

/*
 * Gaussian kernel density (M. Rosenblatt, Annals of Mathematical Statistics 27, 1956) at each of
 * `points` places, out[i] at at[i], by the bandwidth of Silverman's rule of thumb for a normal
 * density, (4 / (3 n))^(1/5) times the standard deviation with n - 1 below it (B. W. Silverman,
 * "Density Estimation for Statistics and Data Analysis", 1986, equation 3.28): what SciPy calls
 * gaussian_kde(x, "silverman"). Nothing is random. pm_stat_bandwidth() is NaN for n < 2, and 0
 * where all values are equal; the density needs a bandwidth above 0.
 */
double pm_stat_bandwidth(const double *x, size_t n);
void pm_stat_density(const double *x, size_t n, double bandwidth, const double *at, double *out,
                     size_t points);

/* ---- latencies and their ratios ---------------------------------------------------------------
 */

/* The least number of processes (of each side) for an interval, and for a verdict. */
enum { PM_STAT_LEAST_FOR_INTERVAL = 5, PM_STAT_LEAST_FOR_VERDICT = 8 };

/* A ratio over this is intolerable, unless the user sets another factor: the paper names
 * intolerable latency beside failures (section 1), and counts the functions that are over 10 times
 * slower (section 4). */
#define PM_STAT_INTOLERABLE 10.0

/* The logs of one side: log(median latency) of each case in each process, values[process * cases +
 * case]; NaN where a process has no timing of a case. Each case has a timing in some process. */
struct pm_logs {
    const double *values;
    size_t processes, cases;
};

/* Returns whether the medians of a case differ between processes by more than a factor of three. */
bool pm_stat_unstable(const struct pm_logs *logs, size_t c);

/*
 * The latency: geometric mean over cases of the geometric mean over processes, in the unit whose
 * logs were given. Its interval (95 %) is Student's over the means of the logs of each process that
 * has all cases; a process that lacks a case does not count for the width. *complete is the number
 * of processes that have all; with fewer than PM_STAT_LEAST_FOR_INTERVAL low and high are NaN.
 *
 * For the geometric mean of plain values, use one case, with one value per process.
 */
struct pm_interval pm_stat_latency(const struct pm_logs *logs, size_t *complete);

struct pm_comparison {
    struct pm_interval ratio;
    size_t processes, reference_processes; /* how many processes have all cases */
    double p; /* p of a ratio of 1, by the test that gives the interval; NaN: no interval */
};

/* Returns the latency of `target` over that of `reference`, which have the same cases. The interval
 * (95 %) is Welch's, of the difference of two means whose variances differ, over the same means of
 * the logs of each process as pm_stat_latency() (B. L. Welch, "The generalization of 'Student's'
 * problem when several different population variances are involved", Biometrika 34, 1947). The
 * cases of a process are drawn together in this way, whatever they share. With fewer than
 * PM_STAT_LEAST_FOR_INTERVAL complete processes on a side low and high are NaN. */
struct pm_comparison pm_stat_compare(const struct pm_logs *target, const struct pm_logs *reference);

/* Returns the largest p that the interval, a stored one for example, allows: an interval does not
 * say how many degrees of freedom it had, Welch's has at least one less than the smaller number of
 * processes, and where it leaves out 1, fewer degrees mean a larger p. NaN: no interval. */
double pm_stat_p_of_interval(const struct pm_comparison *comparison);

/*
 * Many comparisons at once. Among 100 equal functions about 5 have an interval without 1. So the
 * comparisons of one target are a family, and what is called slower or faster in it is limited to a
 * false discovery rate of 5 %: the share of false calls among all calls, on average (Y. Benjamini,
 * Y. Hochberg, "Controlling the false discovery rate: a practical and powerful approach to multiple
 * testing", Journal of the Royal Statistical Society B 57, 1995; it also holds for tests whose
 * errors are positively dependent: Y. Benjamini, D. Yekutieli, Annals of Statistics 29, 2001).
 *
 * pm_stat_adjust() replaces each p by the lowest rate at which its test is still called: the least
 * n p_j / rank_j over all p_j >= p. What R calls p.adjust(p, "BH"), SciPy
 * false_discovery_control(p). A NaN stays, and is not counted as a test. pm_stat_correct() does so
 * with the p of comparisons; those with too few processes for a verdict are not counted.
 */
void pm_stat_adjust(double *p, size_t n);
void pm_stat_correct(struct pm_comparison *const *family, size_t n);

/* Returns the noise floor: the 98th percentile of ratios of equal things, each taken as at least 1.
 * NaN for n = 0. */
double pm_stat_noise_floor(const double *ratios, size_t n);

/* The verdict of a comparison on the target's speed. */
#define PM_SPEEDS(X, P)                                                                            \
    X(P, UNKNOWN, "")           /* no interval, or too few processes */                            \
    X(P, SAME, "no difference") /* the interval contains 1 */                                      \
    X(P, CHANCE,                                                                                   \
      "could be chance") /* the interval does not contain 1, but the corrected p is over 0.05 */   \
    X(P, NOISE, "within noise") /* p is at most 0.05, but the ratio is inside the noise floor */   \
    X(P, SLOWER_BEYOND, "slower beyond noise")                                                     \
    X(P, FASTER_BEYOND, "faster beyond noise")                                                     \
    X(P, SLOWER, "slower") /* no noise floor is known */                                           \
    X(P, FASTER, "faster")
PM_WORDS(speed, PM_SPEEDS, PM_SPEED);

/* Returns the verdict of a comparison on the target's speed. It is UNKNOWN with fewer than
 * PM_STAT_LEAST_FOR_VERDICT processes on a side. If it is one comparison of many, its p must be
 * that of pm_stat_correct(). `floor` is NaN if it is not known. */
enum pm_speed pm_stat_says(const struct pm_comparison *comparison, double floor);

#endif

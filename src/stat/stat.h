/*
 * Pure statistics: arrays in, struct out, seeds explicit, no I/O, no state.
 *
 * The process is the unit of replication: samples within a process are correlated, so intervals
 * resample processes first and samples within each second (hierarchical, "nested" bootstrap:
 * Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8; for benchmarks
 * Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013).
 */
#ifndef PM_STAT_STAT_H
#define PM_STAT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pm_interval {
    double low, mid, high;
};

/* Wilson score interval of a binomial rate at two-sided level 1 - alpha (E. B. Wilson, JASA 22,
 * 1927): mid is k/n. n = 0 gives [0, 1] with mid NaN. */
struct pm_interval pm_stat_wilson(uint64_t k, uint64_t n, double alpha);

/* Quantile q in [0,1] by linear interpolation (Hyndman and Fan's type 7, numpy's default); n > 0.
 * `x` is not changed. */
double pm_stat_quantile(const double *x, size_t n, double q);
double pm_stat_median(const double *x, size_t n);
double pm_stat_mean(const double *x, size_t n);
/* exp of the mean of logs; all x > 0, else NaN. */
double pm_stat_geometric_mean(const double *x, size_t n);

/* Samples of one clock: `processes` groups, group p has counts[p] samples, one after another. */
struct pm_samples {
    const double *values;
    const size_t *counts;
    size_t processes;
};

/* Median over processes of each process's median. NaN where there is no sample. */
double pm_stat_process_median(const struct pm_samples *samples);

/* Largest over smallest of the processes' medians; 1 for one process. Over 3: unstable. */
double pm_stat_process_spread(const struct pm_samples *samples);

/*
 * Percentile bootstrap interval (95 %) of a / b, both process medians: `resamples` rounds in which
 * processes and then samples are drawn with replacement. mid is the ratio of the data. Low and high
 * are NaN where either side has fewer than 2 processes: nothing can be said of their spread.
 */
struct pm_interval pm_stat_ratio(const struct pm_samples *a, const struct pm_samples *b,
                                 unsigned resamples, uint64_t seed);
/* The same for one side: interval of the process median itself. */
struct pm_interval pm_stat_median_interval(const struct pm_samples *a, unsigned resamples,
                                           uint64_t seed);

/* Geometric mean of per-item ratios with a percentile bootstrap over the items (95 %). NaN bounds
 * for fewer than 2 items. */
struct pm_interval pm_stat_geometric_interval(const double *ratios, size_t n, unsigned resamples,
                                              uint64_t seed);

/* From how many processes a side on a comparison may say "differs". */
enum { PM_STAT_LEAST_PROCESSES = 8 };
/* True where both sides have that many and the interval leaves out 1. */
bool pm_stat_differs(const struct pm_interval *ratio, size_t a_processes, size_t b_processes);

#endif

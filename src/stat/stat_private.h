/* What the files of this room share, and what its tests look at from inside. */
#ifndef PM_STAT_STAT_PRIVATE_H
#define PM_STAT_STAT_PRIVATE_H

#include "base/random.h"
#include "stat/stat.h"

/* Sorted values in, quantile out; as pm_stat_quantile(). */
double pm_stat__sorted_quantile(const double *sorted, size_t n, double q);
void pm_stat__sort(double *x, size_t n);

/* The median of n draws with replacement from n sorted values, without drawing them: draws have
 * the ranks floor(n U), so the middle one or two order statistics of n uniforms are enough. U(k) is
 * Beta(k, n - k + 1), and given it 1 - U(k+1) is (1 - U(k)) V^(1 / (n - k)) (David and Nagaraja,
 * "Order Statistics", 3rd ed., 2003, chapters 2.1 and 2.5). */
double pm_stat__resampled_median(const double *sorted, size_t n, struct pm_random *random);

#endif

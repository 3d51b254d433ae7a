/* Computes quantiles, means, shares with their intervals, and densities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/stat.h"

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_quantile(const double *sorted, size_t n, double q)
{
    const double place = q * (double)(n - 1);
    const size_t below = (size_t)place, above = below + 1 < n ? below + 1 : n - 1;
    const double share = place - (double)below, step = sorted[above] - sorted[below];
    return share < 0.5 ? sorted[below] + step * share : sorted[above] - step * (1 - share);
}

static bool is_sorted(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (!(x[i - 1] <= x[i]))
            return false;
    return true;
}

double pm_stat_quantile(const double *x, size_t n, double q)
{
    if (n == 0 || !(q >= 0 && q <= 1))
        PM_BUG("a quantile needs values, and a share from 0 to 1");
    if (is_sorted(x, n)) /* skips the sort: a draw computes all deciles of a sorted ranking */
        return sorted_quantile(x, n, q);
    double *sorted = pm_realloc_array(NULL, n, sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    const double value = sorted_quantile(sorted, n, q);
    free(sorted);
    return value;
}

double pm_stat_median(const double *x, size_t n)
{
    return pm_stat_quantile(x, n, 0.5);
}

int pm_stat_largest_first(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a < b) - (a > b);
}

double pm_stat_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n ? sum / (double)n : NAN;
}

struct pm_interval pm_stat_wilson(size_t k, size_t n)
{
    static const double z = 1.959963984540054; /* P(|Z| > z) = 0.05 for a standard normal Z */
    const double count = (double)n, share = (double)k / count, below = 1 + z * z / count;
    const double mid = (share + z * z / (2 * count)) / below;
    const double half = z / below * sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    return (struct pm_interval){
        .low = fmax(mid - half, 0), .mid = share, .high = fmin(mid + half, 1)};
}

double pm_stat_bandwidth(const double *x, size_t n)
{
    const double mean = pm_stat_mean(x, n);
    double squares = 0;
    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)(n - 1)) * pow(4 / (3 * (double)n), 1.0 / 5);
}

void pm_stat_density(const double *x, size_t n, double bandwidth, const double *at, double *out,
                     size_t points)
{
    static const double root_of_two_pi = 2.506628274631000502;
    for (size_t p = 0; p < points; p++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            const double z = (at[p] - x[i]) / bandwidth;
            sum += exp(-z * z / 2);
        }
        out[p] = sum / ((double)n * bandwidth * root_of_two_pi);
    }
}

/* The normal distribution, computed with the same bits on every machine. */
#ifndef PM_BASE_NORMAL_H
#define PM_BASE_NORMAL_H

/* Returns the standard normal's quantile of p in (0,1); relative error 1e-16. Source: M. J.
 * Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), routine PPND16, with a logarithm of
 * our own. */
double pm_normal_quantile(double p);

#endif

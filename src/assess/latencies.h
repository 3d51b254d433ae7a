/* Computes latencies and ratios of a judged run once and stores them: reports only read them. */
#ifndef PM_ASSESS_LATENCIES_H
#define PM_ASSESS_LATENCIES_H

#include "assess/evidence.h"

/*
 * For every target with latencies and every clock:
 *   case      latency: median over processes of each process's median (study's clock: the mean over
 *             calls and runs), its interval by the hierarchical bootstrap; ratio to the control
 *             where the case passes on both and neither side is unstable
 *   function  latency: geometric mean over its cases (study's clock: the mean), so that one long
 *             case does not decide it; ratio: geometric mean of its cases' ratios, apart for small
 *             and large, without host-only functions; the interval assumes independent errors of
 *             the cases on the log scale (delta method)
 *   target    ratio: geometric mean over functions, small cases, interval by a bootstrap over
 *             functions
 * Cold samples of a child that ran another job before are not used.
 */
PM_MUST_USE int pm_assess__latencies_store(struct pm_assess_evidence *all, struct pm_error *err);

#endif

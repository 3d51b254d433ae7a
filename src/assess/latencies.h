/* Latencies and ratios of a judged run, worked out once and stored: a report only reads them. */
#ifndef PM_ASSESS_LATENCIES_H
#define PM_ASSESS_LATENCIES_H

#include "assess/evidence.h"

/*
 * For every target with latencies and every clock:
 *   case      latency: median over processes of each process's median (study's clock: the mean over
 *             calls and runs), its interval by the hierarchical bootstrap; ratio to the control where
 *             the case passes on both and neither side is unstable
 *   function  latency: geometric mean over its cases (study's clock: the mean), so that one long
 *             case does not decide it; ratio: geometric mean of its cases' ratios, apart for small
 *             and large, host-only functions left out; the interval takes the cases' errors as
 *             independent on the log scale (delta method)
 *   target    ratio: geometric mean over functions, small cases, interval by a bootstrap over
 *             functions
 * A cold sample of a child that had run another job before enters no figure.
 */
PM_MUST_USE int pm_assess__latencies_store(struct pm_assess_evidence *all, struct pm_error *err);

#endif

/* Computes the latencies and ratios of a judged run once and stores them, so that reports only read
 * them. */
#ifndef PM_ASSESS_LATENCIES_H
#define PM_ASSESS_LATENCIES_H

#include "assess/evidence.h"

/*
 * Stores these figures for every target with latencies and every clock except `series`, with the
 * intervals of stat/stat.h:
 *   case      latency: geometric mean over processes of each process's median; ratio to the
 *             reference if the case can be compared: it passes in every repetition that ran and
 *             is stable, on both. Times of calls during which the framework compiled do not count
 *             (pm_timing_values()). If it compiled in each call of a process, the case has a row
 *             without a value and without processes, marked as unstable
 *   function  latency, reference latency and ratio over the cases that can be compared, separately
 *             for small and large cases: geometric means over cases, so that one long case does
 *             not dominate. Host-only functions have no ratio. If all cases are unstable or
 *             compile in each call: one row without a value, marked as unstable; it has no
 *             processes if all of them compile. Repetition r of all cases counts as one process.
 *             This only widens the intervals if some cases ran in a process of their own
 *   target    ratio: geometric mean of the functions' ratios over small cases, with an interval
 *             over functions;
 *             noise: the noise floor of a reference, from its second measurement (PM_ROLE_NOISE)
 * By the paper's clock a latency is the mean over calls, processes and cases, without an interval.
 * Cold timings of a child that ran another job before are not used.
 */
PM_MUST_USE int pm_assess__latencies_store(struct pm_assess_evidence *all, struct pm_error *err);

#endif

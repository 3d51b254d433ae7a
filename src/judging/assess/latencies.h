/* Computes latencies and ratios of a judged run once and stores them: reports only read them. */
#ifndef PM_ASSESS_LATENCIES_H
#define PM_ASSESS_LATENCIES_H

#include "assess/evidence.h"

/*
 * For every target with latencies and every clock, with the intervals of stat/stat.h:
 *   case      latency: geometric mean over processes of each process's median; ratio to the
 *             reference if the case can be compared: it passes in every repetition that ran and
 *             is stable, on both
 *   function  latency, reference latency and ratio, all of the cases that can be compared, small
 *             and large ones apart: geometric means over cases, so that one long case does not
 *             decide. No ratio for host-only functions. If all its cases are unstable: one row
 *             without a value, marked. Repetition r of all cases counts as one process, also
 *             where a case of it ran alone: that only widens intervals
 *   target    ratio: geometric mean over functions, small cases, interval over functions;
 *             noise: the noise floor of a reference, from its second measurement (PM_ROLE_NOISE)
 * By the paper's clock a latency is the mean over calls, processes and cases, without an interval.
 * Cold timings of a child that ran another job before are not used.
 */
PM_MUST_USE int pm_assess__latencies_store(struct pm_assess_evidence *all, struct pm_error *err);

#endif

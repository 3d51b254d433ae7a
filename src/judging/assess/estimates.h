/* Computes estimates for whole frameworks from the verdicts of a judged run. Private to the
 * room. */
#ifndef PM_ASSESS_ESTIMATES_H
#define PM_ASSESS_ESTIMATES_H

#include "assess/evidence.h"

/*
 * Stores an estimate by function and by use for every target that has a reference. It uses the
 * verdicts of the run, which must be stored already. The sample of a target is the first of these
 * that belongs to its framework: `sample_id` (0: none given), the run's own sample, and the newest
 * sample with weights. The newest sample gives no estimate if all its members are unknown.
 *
 * A member works on a target if its verdict is works or works with limits, and does not work if its
 * verdict is partly or fails (also for host-only functions). Any other verdict leaves the member
 * unknown. A bare name works if all its functions with one of these four verdicts work.
 *
 * Adds to `*estimated` the number of targets that used `sample_id`. PM_EUSAGE if that sample has no
 * weights; a run's own sample without weights gives no estimate.
 */
PM_MUST_USE int pm_assess__estimates_store(struct pm_assess_evidence *all, const char *db,
                                           int64_t sample_id, size_t *estimated,
                                           struct pm_error *err);

#endif

/* Estimates for whole frameworks from the verdicts of a judged run. Private to the room. */
#ifndef PM_ASSESS_ESTIMATES_H
#define PM_ASSESS_ESTIMATES_H

#include "assess/evidence.h"

/*
 * Stores an estimate by function and by use for every target that has a reference. It uses the
 * verdicts of the run, which must be stored already. For targets of its framework, the sample is
 * `sample_id` (0: none given). Otherwise it is the run's own sample, or else the newest sample of
 * the framework that has weights and a member with a verdict in the run.
 *
 * A member works on a target if its verdict is works, and fails if it is partly or fails
 * failure (host-only functions too); any other verdict leaves the member unknown. A bare name works
 * if all its functions with such a verdict work.
 *
 * Adds to `*estimated` the number of targets that used `sample_id`. PM_EUSAGE if that sample has no
 * weights; a run's own sample without weights gives no estimate.
 */
PM_MUST_USE int pm_assess__estimates_store(struct pm_assess_evidence *all, const char *db,
                                           int64_t sample_id, size_t *estimated,
                                           struct pm_error *err);

#endif

/* What the verdicts of a judged run say of whole frameworks. Private to the room. */
#ifndef PM_ASSESS_ESTIMATES_H
#define PM_ASSESS_ESTIMATES_H

#include "assess/evidence.h"

/*
 * Stores an estimate by function and by use for every target that is compared with a control, from
 * the run's verdicts, which must be in the store already. Which sample: `sample_id` for targets of
 * its framework (0: none was asked for), else the run's own, else the newest of the framework that
 * has weights, as far as the run has a verdict on any of its members.
 *
 * A member works on a target where the verdict is success, does not where it is partial or complete
 * failure, host-only functions like all others; every other verdict is no knowledge. A bare name
 * works where every function that it means and that has such a verdict does.
 *
 * `*estimated` grows by one for each target that the sample asked for was used on. PM_EUSAGE where
 * that one has no weights; of a run's own without weights there is no estimate.
 */
PM_MUST_USE int pm_assess__estimates_store(struct pm_assess_evidence *all, const char *db,
                                           int64_t sample_id, size_t *estimated,
                                           struct pm_error *err);

#endif

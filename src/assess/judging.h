/* The outcomes of a run's executions, in memory. Private to the room. */
#ifndef PM_ASSESS_JUDGING_H
#define PM_ASSESS_JUDGING_H

#include "assess/evidence.h"

/* Judges each execution that has run, and whose references have: fills `judgement` and `judged`. */
PM_MUST_USE int pm_assess__judge_executions(struct pm_assess_evidence *all, struct pm_error *err);

/* The execution that an execution is compared with; NULL if there is none. */
const struct pm_assess_execution *pm_assess__reference_of(const struct pm_assess_evidence *all,
                                                          const struct pm_assess_execution *e);

/* Whether it fails by value, and passes in the exact mode of its framework. */
bool pm_assess__heals_in_exact_mode(const struct pm_assess_evidence *all,
                                    const struct pm_assess_execution *e);

#endif

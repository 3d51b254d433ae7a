/*
 * Computes outcomes, verdicts, latencies and estimates of stored runs, from stored evidence only.
 *
 *     struct pm_judged judged;
 *     PM_TRY(pm_assess_db("x.db", 0, 0, &judged, err));     // every run
 *
 * evidence.h reads the evidence of a run, also for `suite check`, which compares outputs
 * differently.
 */
#ifndef PM_ASSESS_ASSESS_H
#define PM_ASSESS_ASSESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Assigns outcomes, verdicts, figures and estimates of one run, again if necessary (0: every run of
 * the database that has begun). Of a run that is measured to its end the values that agree are
 * deleted, unless it was asked to keep them. Estimates use sample `sample_id`; 0: the sample that
 * the run measured, else the newest of the framework. */
enum { PM_JUDGED_NAMED = 3 };
struct pm_judged {
    size_t executions;
    size_t wrong; /* of them, neither pass nor not applicable */
    size_t undecided; /* that cannot be judged again, because values are gone: they keep their
                         judgement, if they had one */
    size_t undecided_cases;                      /* that these are of, on each target */
    char undecided_names[PM_JUDGED_NAMED * 200]; /* the first of the cases, in one line */
};
PM_MUST_USE int pm_assess_db(const char *db, int64_t run_id, int64_t sample_id,
                            struct pm_judged *done, struct pm_error *err);

struct pm_store;
/* Judges what a run has so far, in memory, and plans in its database what must run again alone:
 * what failed in a process that another execution had used, and where values differ, the
 * reference too. */
PM_MUST_USE int pm_assess_repeats(struct pm_store *store, int64_t run_id, struct pm_error *err);

#endif

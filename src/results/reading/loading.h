/*
 * Declares the parts of pm_reading_load(). Other rooms do not include this header.
 *
 * The run that is shown for a target (choice.c) is the newest valid run with outcomes of the target
 * or, if no such run is valid, the newest run with outcomes of the target. If no target has
 * outcomes, the newest run is shown. The oracle is shown with the newest shown run that used it.
 *
 * A subject is compared with the reference of its own run. If that reference is not shown, it is a
 * hidden target: subjects are compared with it, but tables have no rows of it.
 */
#ifndef PM_READING_LOADING_H
#define PM_READING_LOADING_H

#include "reading/reading.h"

/*
 * Chooses the shown targets of a reading, which has all runs and targets but no rows. Sorts the
 * targets: shown targets, hidden references, others. Sets `shown` and `passed_over` of the runs.
 * `run_id`: show only this run; 0: choose as described above.
 */
void pm_reading__choose(struct pm_reading *r, int64_t run_id);
/* Checks, after the choice, that a requested target is shown. Otherwise, PM_EUSAGE with what `db`
 * or its run lacks, and a target with a similar name. */
PM_MUST_USE int pm_reading__check_wanted(const struct pm_reading *r, const char *db, int64_t run_id,
                                         struct pm_error *err);

/* Renames targets that have the same name but come from different runs of one plan, which merge
 * --apart keeps separate. Otherwise, one of them would replace the other in reports. Call it after
 * all runs and targets are loaded, and before pm_reading__choose(). */
PM_MUST_USE int pm_reading__tell_nodes_apart(struct pm_reading *r, struct pm_store *store,
                                             struct pm_error *err);

/* Loads the estimates of runs[run], the samples of the estimates, and the sample of the run. */
PM_MUST_USE int pm_reading__load_estimates(struct pm_reading *r, struct pm_store *store, size_t run,
                                           struct pm_error *err);

/* Fills r->older. Call it after the verdicts of the shown runs are loaded. */
PM_MUST_USE int pm_reading__load_older(struct pm_reading *r, struct pm_store *store,
                                       struct pm_error *err);

/* Loads how often scanned code calls the functions of each framework. Call it after the verdicts
 * are loaded. */
PM_MUST_USE int pm_reading__load_uses(struct pm_reading *r, struct pm_store *store,
                                      struct pm_error *err);

#endif

/*
 * The parts of pm_reading_load(). Private to the room.
 *
 * Which run to show for each target (choice.c): its newest valid run with outcomes of it; if no run
 * is valid, its newest run with outcomes. If no target has outcomes: the newest run. The oracle is
 * shown with the newest shown run that used it.
 *
 * A subject is compared with the reference of its own run. If the reference is shown from another
 * run, the reference of the subject's run is kept hidden: used for comparison, without rows.
 */
#ifndef PM_READING_LOADING_H
#define PM_READING_LOADING_H

#include "reading/reading.h"

/*
 * Needs a reading that contains only all runs and all targets, in order of id. Sorts the targets
 * into those that are shown, hidden references, and others; fills `shown` and `passed_over` of the
 * runs. `run_id`: that run alone is shown; 0: as above.
 */
void pm_reading__choose(struct pm_reading *r, int64_t run_id);

/* Gives targets of unlike nodes (merge --apart) names of their own, or one would supersede the
 * other. The reading has all runs and targets, and none is chosen yet. */
PM_MUST_USE int pm_reading__tell_nodes_apart(struct pm_reading *r, struct pm_store *store,
                                             struct pm_error *err);

/* Loads the estimates of runs[run], their samples and the run's own. */
PM_MUST_USE int pm_reading__load_estimates(struct pm_reading *r, struct pm_store *store, size_t run,
                                           struct pm_error *err);

/* Finds older failures. Call it after the verdicts of the shown runs were loaded. */
PM_MUST_USE int pm_reading__load_older(struct pm_reading *r, struct pm_store *store,
                                       struct pm_error *err);

/* Loads how often code uses the functions of the frameworks. */
PM_MUST_USE int pm_reading__load_uses(struct pm_reading *r, struct pm_store *store,
                                      struct pm_error *err);

#endif

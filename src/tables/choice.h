/*
 * Which run each target is shown from. Private to the room.
 *
 * A target is shown from its newest valid run in which it has outcomes; where none is valid, from
 * the newest in which it has any. Where no target has any, the newest run is shown. The oracle is
 * shown with the newest of the shown runs that asked it.
 *
 * A subject is compared with the control of its own run. Where the control itself is shown from
 * another run, its own run's is kept hidden behind it: for comparison, without rows of its own.
 */
#ifndef PM_TABLES_CHOICE_H
#define PM_TABLES_CHOICE_H

#include "tables/reading.h"

/*
 * Takes all runs and all targets of a reading that is not filled otherwise, in order of id. Sorts
 * the targets into those that are shown, hidden controls, and others; fills `shown` and `passed_over`
 * of the runs. `run_id`: that run alone is shown; 0: as above.
 */
void pm_tables__choose(struct reading *r, int64_t run_id);

#endif

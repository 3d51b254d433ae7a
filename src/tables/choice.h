/*
 * Which run to show for each target. Private to the room.
 *
 * For each target: its newest valid run with outcomes of it; if no run is valid, its newest run with
 * outcomes. If no target has outcomes: the newest run. The oracle is shown with the newest shown run
 * that used it.
 *
 * A subject is compared with the control of its own run. If the control is shown from another run,
 * the control of the subject's run is kept hidden: used for comparison, without rows.
 */
#ifndef PM_TABLES_CHOICE_H
#define PM_TABLES_CHOICE_H

#include "tables/reading.h"

/*
 * Takes a reading with all runs and targets, in order of id, and nothing else. Keeps the shown
 * targets, in that order, then the hidden controls; sets `shown` and `passed_over` of the runs.
 * `run_id`: shows only that run; 0: as above.
 */
void pm_tables__choose(struct reading *r, int64_t run_id);

#endif

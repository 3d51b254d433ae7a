/* Fills a reading (reading.h) from the store. Private to the room. */
#ifndef PM_TABLES_LOADING_H
#define PM_TABLES_LOADING_H

#include "tables/reading.h"

/* Run 0: the newest valid run of each target. PM_EUSAGE if the database has no such run. */
PM_MUST_USE int pm_tables__reading_load(struct reading *r, struct pm_store *store, const char *db,
                                        int64_t run_id, struct pm_error *err);
PM_MUST_USE int pm_tables__reading_any_run(struct pm_store *store, bool *any, struct pm_error *err);

/* The part of it that loads the estimates of runs[run], their samples and the run's own. */
PM_MUST_USE int pm_tables__reading_load_estimates(struct reading *r, struct pm_store *store,
                                                  size_t run, struct pm_error *err);

/* The part of it that loads how often code uses the functions of its frameworks (uses.c). */
PM_MUST_USE int pm_tables__reading_load_uses(struct reading *r, struct pm_store *store,
                                             struct pm_error *err);

#endif

/* The parts of pm_reading_load(). Private to the room. */
#ifndef PM_READING_LOADING_H
#define PM_READING_LOADING_H

#include "reading/reading.h"

/* The part of it that loads the estimates of runs[run], their samples and the run's own. */
PM_MUST_USE int pm_reading__load_estimates(struct pm_reading *r, struct pm_store *store, size_t run,
                                           struct pm_error *err);

/* The part of it that loads how often code uses the functions of its frameworks (uses.c). */
PM_MUST_USE int pm_reading__load_uses(struct pm_reading *r, struct pm_store *store,
                                      struct pm_error *err);

#endif

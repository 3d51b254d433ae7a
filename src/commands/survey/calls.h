/* How often the newest scan found the functions of a framework. Private to the room. */
#ifndef PM_SURVEY_CALLS_H
#define PM_SURVEY_CALLS_H

#include "base/map.h"
#include "store/scans.h"

struct pm_survey__calls {
    int64_t scan;          /* 0: nothing was scanned for the framework */
    struct pm_map by_name; /* by canonical name: calls, as uintptr_t */
};

/* Loads what was counted by types and imports, or by imports alone if the scan inferred no types.
 * The caller releases. */
PM_MUST_USE int pm_survey__calls_load(struct pm_survey__calls *out, struct pm_store *store,
                                      const char *framework, struct pm_error *err);
void pm_survey__calls_release(struct pm_survey__calls *calls);
int64_t pm_survey__calls_of(const struct pm_survey__calls *calls, const char *name);

#endif

/* Reads how often the newest scan of a framework found calls of its functions. */
#ifndef PM_SAMPLE_CALLS_H
#define PM_SAMPLE_CALLS_H

#include "base/map.h"
#include "store/scans.h"

struct pm_sample_calls {
    int64_t scan;          /* 0: no scan has the framework */
    struct pm_map by_name; /* canonical name to number of calls, as uintptr_t */
};

/* Loads the counts by types and imports, or by imports alone if the scan inferred no types. *out
 * must be zeroed. The caller releases it, even after an error. */
PM_MUST_USE int pm_sample_calls_load(struct pm_sample_calls *out, struct pm_store *store,
                                     const char *framework, struct pm_error *err);
void pm_sample_calls_release(struct pm_sample_calls *calls);
/* Returns the number of calls of a function, by its canonical name; 0 if the scan found none. */
int64_t pm_sample_calls_of(const struct pm_sample_calls *calls, const char *name);

#endif

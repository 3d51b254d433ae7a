/* An earlier run of the database, to resume or to mention when a new one starts. Private to the
 * room. */
#ifndef PM_MEASURE_RESUME_H
#define PM_MEASURE_RESUME_H

#include <jansson.h>

#include "measure/flight.h"
#include "measure/measure.h"
#include "store/store.h"

struct earlier_run {
    int64_t id; /* 0: there is none */
    char *uuid, *suite_digest;
    json_t *stored; /* its stored options */
    bool finished, valid, kept, published, merged;
    struct pm_run_options options; /* strings are borrowed from `stored` and `lists` */
    const char **lists;
    struct flight flight; /* the executions that its supervisor was running when it died */
};

/* Finds the run of that number; id 0 if there is none. */
PM_MUST_USE int pm_measure__earlier_find(struct earlier_run *out, struct pm_store *store,
                                         int64_t id, struct pm_error *err);
/* Finds the newest unfinished run of the database; id 0 if there is none. */
PM_MUST_USE int pm_measure__earlier_unfinished(struct earlier_run *out, struct pm_store *store,
                                               struct pm_error *err);

/* Finds the run that `asked` resumes: asked->resume is a number, or PM_NEWEST for the newest
 * unfinished run. out->options are the stored options of the run; only members that are not stored,
 * such as `db`, are those of `asked`. If `asked` has repetitions, they replace those of the run,
 * and can extend a finished run. PM_EUSAGE: there is no such run, or it cannot be continued. */
PM_MUST_USE int pm_measure__earlier_choose(struct earlier_run *out, struct pm_store *store,
                                           const struct pm_run_options *asked,
                                           struct pm_error *err);
void pm_measure__earlier_release(struct earlier_run *run);

/* ---- its processes and files ---------------------------------------------------------------- */

/* Marks the scratch folder as that of the run while *lock is open, so that no other supervisor
 * resumes the run meanwhile. Drivers do not inherit it. */
PM_MUST_USE int pm_measure__scratch_lock(const char *scratch, const char *uuid, int *lock,
                                         struct pm_error *err);
/* Ends processes that the supervisor of an unfinished run left, reads which executions it was
 * running, and removes its scratch folder. PM_EBUSY if the run is still being measured. */
PM_MUST_USE int pm_measure__earlier_clear(struct earlier_run *run, unsigned *ended,
                                          struct pm_error *err);
#endif

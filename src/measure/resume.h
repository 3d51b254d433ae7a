/* An earlier run of the database that is to be resumed, or that a new one must know of. Private to the
 * room. */
#ifndef PM_MEASURE_RESUME_H
#define PM_MEASURE_RESUME_H

#include <jansson.h>

#include "measure/measure.h"
#include "store/store.h"

struct earlier_run {
    int64_t id; /* 0: there is none */
    char *uuid, *suite_digest;
    json_t *stored; /* its options */
    bool finished, valid, kept;
    struct pm_run_options options; /* strings are borrowed from `stored` and `lists` */
    const char **lists;
};

/* The run of that number; id 0 where there is none. */
PM_MUST_USE int pm_measure__earlier_find(struct earlier_run *out, struct pm_store *store,
                                         int64_t id, struct pm_error *err);
/* The newest unfinished run of the database; id 0 where there is none. */
PM_MUST_USE int pm_measure__earlier_unfinished(struct earlier_run *out, struct pm_store *store,
                                               struct pm_error *err);

/*
 * The run that `asked` resumes, with its own options but the database and the messages of `asked`: a
 * number, or PM_NEWEST, which is the newest unfinished one. Where `asked` has more repetitions than
 * it, it is extended, which a finished run can be too. PM_EUSAGE: there is no such run, or nothing
 * is left to do in it.
 */
PM_MUST_USE int pm_measure__earlier_choose(struct earlier_run *out, struct pm_store *store,
                                           const struct pm_run_options *asked,
                                           struct pm_error *err);
void pm_measure__earlier_release(struct earlier_run *run);

/* ---- its processes and files ---------------------------------------------------------------- */

/* Marks the scratch folder as that of the run, for as long as *lock is open: a run that is being
 * measured is not taken from its supervisor. Drivers do not inherit it. */
PM_MUST_USE int pm_measure__scratch_lock(const char *scratch, const char *uuid, int *lock,
                                         struct pm_error *err);
/* Ends what the supervisor of an unfinished run left running and removes its scratch folder. PM_EBUSY
 * where it is still being measured. */
PM_MUST_USE int pm_measure__earlier_clear(const struct earlier_run *run, unsigned *ended,
                                          struct pm_error *err);
/* Whether the run is being measured at this moment. */
bool pm_measure__run_is_live(const struct pm_run_row *run);

#endif

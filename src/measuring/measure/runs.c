/* Removes and protects the runs of a database. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "measure/resume.h"

/* ---- removing, keeping ---------------------------------------------------------------------- */

/* Opens the database for writing; PM_EBUSY while a run is being measured. */
static int open_to_change(const char *db, struct pm_store **store, struct pm_error *err)
{
    PM_TRY(pm_store_expect(db, err));
    return pm_store_open(store, db, PM_STORE_WRITE, err);
}

static int find(struct earlier_run *run, struct pm_store *store, const char *db, int64_t id,
                struct pm_error *err)
{
    PM_TRY(pm_measure__earlier_find(run, store, id, err));
    return run->id
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE,
                              "database '%s' has no run %lld: list the runs with portmeter runs",
                              db, (long long)id);
}

/* Checks all runs before any is removed. */
static int check_removable(struct pm_store *store, const char *db, int64_t id, bool force,
                           struct pm_error *err)
{
    struct earlier_run run = {0};
    int rc = find(&run, store, db, id, err);
    if (!rc && run.kept && !force)
        rc = pm_error_set(
            err, PM_EUSAGE,
            "run %lld is protected: use --force, or run portmeter runs unkeep %lld first",
            (long long)id, (long long)id);
    pm_measure__earlier_release(&run);
    return rc;
}

static int remove_run(struct pm_store *store, const char *db, int64_t id, struct pm_error *err)
{
    struct earlier_run run = {0};
    unsigned ended;
    int rc = find(&run, store, db, id, err);
    if (!rc && !run.finished)
        rc = pm_measure__earlier_clear(&run, &ended, err);
    if (!rc && run.kept)
        rc = pm_store_keep_run(store, id, false, err);
    if (!rc)
        rc = pm_store_remove_run(store, id, err);
    pm_measure__earlier_release(&run);
    return rc;
}

int pm_measure_runs_remove(const char *db, const int64_t *ids, size_t count, bool force,
                           struct pm_error *err)
{
    struct pm_store *store = NULL;
    int rc = open_to_change(db, &store, err);
    for (size_t i = 0; i < count && !rc; i++)
        rc = check_removable(store, db, ids[i], force, err);
    for (size_t i = 0; i < count && !rc; i++)
        rc = remove_run(store, db, ids[i], err);
    pm_store_free(store);
    return rc;
}

static int keep_each(struct pm_store *store, const char *db, const int64_t *ids, size_t count,
                     bool keep, struct pm_error *err)
{
    int rc = PM_OK;
    for (size_t i = 0; i < count && !rc; i++) {
        struct earlier_run run = {0};
        rc = find(&run, store, db, ids[i], err);
        if (!rc)
            rc = pm_store_keep_run(store, ids[i], keep, err);
        pm_measure__earlier_release(&run);
    }
    return rc;
}

int pm_measure_runs_keep(const char *db, const int64_t *ids, size_t count, bool keep,
                         struct pm_error *err)
{
    struct pm_store *store = NULL;
    int rc = open_to_change(db, &store, err);
    if (!rc)
        rc = pm_store_begin(store, err);
    if (!rc)
        rc = pm_store_settle(store, keep_each(store, db, ids, count, keep, err), err);
    pm_store_free(store);
    return rc;
}

/* Removes a run with everything that belongs to it alone. */
#include "base/alloc.h"
#include "store/connection.h"
#include "store/runs.h"
#include "store/store_private.h"

/* The deletions, in an order in which rows are deleted before the rows to which they refer. ?1 is
 * the run. */
static const char *const deletions[] = {
    "DELETE FROM judgement WHERE execution_id IN (SELECT id FROM execution WHERE run_id = ?1)",
    "DELETE FROM first_call WHERE execution_id IN (SELECT id FROM execution WHERE run_id = ?1)",
    "DELETE FROM timing WHERE execution_id IN (SELECT id FROM execution WHERE run_id = ?1)",
    "DELETE FROM leaf WHERE execution_id IN (SELECT id FROM execution WHERE run_id = ?1)",
    "DELETE FROM execution WHERE run_id = ?1",
    "DELETE FROM child WHERE run_id = ?1",
    "DELETE FROM planted_fault WHERE run_id = ?1",
    "DELETE FROM verdict WHERE run_id = ?1",
    "DELETE FROM judged_run WHERE run_id = ?1",
    "DELETE FROM judged_case WHERE run_id = ?1",
    "DELETE FROM statistic WHERE run_id = ?1",
    "DELETE FROM estimate WHERE run_id = ?1",
    "DELETE FROM imported_timing WHERE test_id IN (SELECT id FROM imported_test WHERE run_id = ?1)",
    "DELETE FROM imported_test WHERE run_id = ?1",
    "DELETE FROM published WHERE run_id = ?1",
    "DELETE FROM interpreter WHERE target_id IN (SELECT id FROM target WHERE run_id = ?1)",
    "DELETE FROM target WHERE run_id = ?1",
    "DELETE FROM attempt WHERE run_id = ?1",
    "DELETE FROM shard WHERE run_id = ?1",
    "DELETE FROM run_paths WHERE run_id = ?1",
    "DELETE FROM run WHERE id = ?1",
};

int pm_store_drop_unused(struct pm_store *store, struct pm_error *err)
{
    return pm_store__exec(store,
                          "DELETE FROM blob WHERE " PM_STORE__NOT_KEPT
                          "; DELETE FROM closeness WHERE digest NOT IN (SELECT digest FROM leaf)"
                          " OR reference NOT IN (SELECT digest FROM leaf);"
                          " DELETE FROM test_case WHERE id NOT IN (SELECT case_id FROM execution)",
                          err);
}

static int check_removable(struct pm_store *store, int64_t id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT id, kept FROM run WHERE id = ?", &q, err));
    pm_store__bind_int(&q, id);
    int rc = pm_store__next(&q, err);
    if (rc == 0) {
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "database '%s' has no run %lld: list the runs with portmeter runs",
                          store->path, (long long)id);
    } else if (rc > 0) {
        pm_store__row(&q, "run");
        const bool kept = pm_store__flag(&q);
        rc = pm_store__sound(&q, err);
        if (rc == PM_OK && kept)
            rc = pm_error_set(err, PM_EUSAGE,
                              "run %lld of '%s' is protected: run portmeter runs unkeep %lld first",
                              (long long)id, store->path, (long long)id);
    }
    pm_store__close(&q);
    return rc;
}

static int run_deletion(struct pm_store *store, const char *sql, int64_t id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare_literal(store, sql, &q, err));
    pm_store__bind_int(&q, id);
    return pm_store__run(&q, NULL, NULL, err);
}

static int remove_all(struct pm_store *store, int64_t id, struct pm_error *err)
{
    PM_TRY(check_removable(store, id, err));
    for (size_t i = 0; i < sizeof deletions / sizeof *deletions; i++)
        PM_TRY(run_deletion(store, deletions[i], id, err));
    PM_TRY(pm_store_drop_unused(store, err));
    return pm_store__exec(store, "PRAGMA incremental_vacuum", err);
}

int pm_store_remove_run(struct pm_store *store, int64_t id, struct pm_error *err)
{
    /* With foreign_keys on, SQLite would search for references to each deleted row, also in tables
     * without a fitting index. The order of the deletions leaves no such reference. */
    PM_TRY(pm_store__exec(store, "PRAGMA foreign_keys = OFF", err));
    int rc = pm_store_begin(store, err);
    if (rc == PM_OK)
        rc = pm_store_settle(store, remove_all(store, id, err), err);
    const int back = pm_store__exec(store, "PRAGMA foreign_keys = ON", rc ? NULL : err);
    return rc ? rc : back;
}

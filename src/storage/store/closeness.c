/* Keeps or deletes the bytes of arrays, and stores the closeness of arrays, whose bytes may be
 * deleted. */
#include "store/description.h"
#include "store/outputs.h"

int pm_store_release_values(struct pm_store *store, int64_t run_id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE leaf SET kept = 0 WHERE kept = 1 AND execution_id IN"
                             " (SELECT id FROM execution WHERE run_id = ?)",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_keep_value(struct pm_store *store, int64_t execution_id, enum pm_leaf_part part,
                        int64_t position, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE leaf SET kept = 1 WHERE execution_id = ? AND part = ?"
                             " AND position = ?",
                             &q, err));
    pm_store__bind_int(&q, execution_id);
    pm_store__bind_text(&q, pm_leaf_part_text(part));
    pm_store__bind_int(&q, position);
    return pm_store__run_one(&q, "leaf of execution", execution_id, err);
}

/* Deletes some values that are not kept, and frees their space. The last ones of the file come
 * first, so that few pages must be moved. */
static int drop_some(struct pm_store *store, int *dropped, struct pm_error *err)
{
    PM_TRY(pm_store__exec(store,
                          "DELETE FROM blob WHERE rowid IN (SELECT rowid FROM blob"
                          " WHERE " PM_STORE__NOT_KEPT " ORDER BY rowid DESC LIMIT 500)",
                          err));
    *dropped = sqlite3_changes(store->db);
    return pm_store__exec(store, "PRAGMA incremental_vacuum", err);
}

int pm_store_drop_values(struct pm_store *store, struct pm_error *err)
{
    for (int dropped = 1; dropped;) {
        PM_TRY(pm_store_begin(store, err));
        PM_TRY(pm_store_settle(store, drop_some(store, &dropped, err), err));
    }
    return PM_OK;
}

static const struct pm_store__column closeness_columns[] = {
    {"digest", PM_STORE__DIGEST(closeness, digest)},
    {"reference", PM_STORE__DIGEST(closeness, reference)},
    {"how", PM_STORE__WORD(closeness, how, compare)},
    {"points", PM_STORE__JSON(closeness, points)},
};
static const struct pm_store__rows closeness =
    PM_STORE__REPLACING_ROWS("closeness", "closeness", closeness_columns);

int pm_store_add_closeness(struct pm_store *store, const struct pm_closeness_row *row,
                           struct pm_error *err)
{
    return pm_store__add(store, &closeness, row, NULL, err);
}

int pm_store_closeness(struct pm_store *store, const struct pm_closeness_row *key,
                       pm_closeness_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &closeness, " WHERE digest = ? AND reference = ? AND how = ?",
                            &q, err));
    pm_store__bind_text(&q, key->digest);
    pm_store__bind_text(&q, key->reference);
    pm_store__bind_text(&q, pm_compare_text(key->how));
    pm_store__about(&q, "closeness");
    PM_STORE__GIVE_ROWS(&q, &closeness, struct pm_closeness_row, row, ctx, err);
}

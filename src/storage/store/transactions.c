/* Begins and ends transactions: all changes of one are stored, or none. */
#include "store/store_private.h"

int pm_store_begin(struct pm_store *store, struct pm_error *err)
{
    if (store->in_transaction)
        PM_BUG("transactions do not nest");
    PM_TRY(pm_store__exec(store, store->mode == PM_STORE_WRITE ? "BEGIN IMMEDIATE" : "BEGIN", err));
    store->in_transaction = true;
    return PM_OK;
}

/* Begins a large transaction. SQLite applies cache_spill only between transactions. */
int pm_store_begin_large(struct pm_store *store, struct pm_error *err)
{
    PM_TRY(pm_store__exec(store, "PRAGMA cache_spill = ON", err));
    return pm_store_begin(store, err);
}

/* Ends a transaction, and turns cache_spill off: only a large transaction may write pages to the
 * file before its commit (open.c). */
static void end(struct pm_store *store)
{
    store->in_transaction = false;
    if (store->mode == PM_STORE_WRITE)
        sqlite3_exec(store->db, "PRAGMA cache_spill = OFF", NULL, NULL, NULL);
}

int pm_store_commit(struct pm_store *store, struct pm_error *err)
{
    if (!store->in_transaction)
        PM_BUG("commit without begin");
    const bool gone = sqlite3_get_autocommit(store->db);
    const int rc = gone ? pm_store__lost(store, err) : pm_store__exec(store, "COMMIT", err);
    if (rc != PM_OK && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    end(store);
    return rc;
}

int pm_store_settle(struct pm_store *store, int rc, struct pm_error *err)
{
    if (rc == PM_OK)
        return pm_store_commit(store, err);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    end(store);
    return rc;
}

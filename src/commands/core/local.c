/* Copies the database to a local disk and back, for --local. */
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"
#include "core/core_private.h"
#include "store/store.h"

int pm_core__local_begin(const char *folder, const char *db, char **local, struct pm_error *err)
{
    struct pm_store *store = NULL;
    const char *slash = strrchr(db, '/');
    char *name = pm_format("portmeter-%ld-%s", (long)getpid(), slash ? slash + 1 : db);
    *local = pm_path_join(folder, name);
    free(name);
    PM_TRY(pm_folder_make(folder, err));
    unlink(*local);
    if (!pm_path_exists(db))
        return PM_OK;
    PM_TRY(pm_store_open(&store, db, PM_STORE_READ, err));
    const int rc = pm_store_copy(store, *local, err);
    pm_store_free(store);
    return rc;
}

int pm_core__local_end(const char *local, const char *db, struct pm_error *err)
{
    struct pm_store *store = NULL;
    struct pm_error own = {{0}};
    if (!pm_path_exists(local) || pm_stop_signal())
        return PM_OK; /* a stopped run copied its database before it ended */
    int rc = pm_store_open(&store, local, PM_STORE_READ, &own);
    if (!rc)
        rc = pm_store_copy(store, db, &own);
    pm_store_free(store);
    return rc ? pm_error_set(err, rc, "%s: the results are in '%s'", own.text, local) : PM_OK;
}

void pm_core__local_remove(const char *local)
{
    char *lock = pm_format("%s-lock", local);
    unlink(local);
    unlink(lock);
    free(lock);
}

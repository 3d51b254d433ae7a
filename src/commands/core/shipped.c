/* Finds the results that come with portmeter, in data/results/. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "core/core.h"
#include "inventory/stored.h"

/* Sets *has to whether a database has an inventory of a framework, and not only a flat list of
 * names. */
static int has_names(const char *path, const char *framework, bool *has, struct pm_error *err)
{
    struct pm_store *store = NULL;
    struct pm_stored_inventory item = {0};
    PM_TRY(pm_store_open(&store, path, PM_STORE_READ, err));
    const int rc = pm_stored_inventory_newest(store, framework, &item, err);
    *has = !rc && item.id && !item.inventory.flat;
    pm_stored_inventory_release(&item);
    pm_store_free(store);
    return rc;
}

int pm_shipped_results(const char *name, const char *framework, char **path, struct pm_error *err)
{
    char *home = NULL;
    bool has = true;
    *path = NULL;
    PM_TRY(pm_path_home(&home, err));
    char *found = pm_format("%s/data/results/%s.db.zst", home, name);
    free(home);
    int rc = PM_OK;
    if (!pm_path_exists(found))
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "no results come with this portmeter ('%s' does not exist): measure with "
                          "portmeter study",
                          found);
    else if (framework)
        rc = has_names(found, framework, &has, err);
    if (!rc && !has)
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "the results in '%s' have no inventory of '%s': record it with portmeter "
                          "inventory, in a database of your own",
                          found, framework);
    if (!rc)
        *path = found;
    else
        free(found);
    return rc;
}

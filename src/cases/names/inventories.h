/* Inventories: recording, storing and loading them. */
#ifndef PM_NAMES_INVENTORIES_H
#define PM_NAMES_INVENTORIES_H

#include "base/request.h"
#include "inventory/inventory.h"
#include "store/store.h"
#include "environment/environment.h"

/* A stored inventory; all zero: none. */
struct pm_names_inventory {
    int64_t id;
    char *environment; /* environment that it was recorded from; "" for a flat list */
    struct pm_inventory inventory;
};
void pm_names_inventory_release(struct pm_names_inventory *item);

/* Load inventory `id`, or the newest one recorded from an environment. item->id is 0 if missing. */
PM_MUST_USE int pm_names_inventory_load(struct pm_store *store, const char *framework, int64_t id,
                                 struct pm_names_inventory *item, struct pm_error *err);
PM_MUST_USE int pm_names_inventory_walked(struct pm_store *store, const char *framework,
                                   struct pm_names_inventory *item, struct pm_error *err);

/* Loads the newest one recorded from an environment, else the newest flat list; item->id is 0 if
 * both are missing. */
PM_MUST_USE int pm_names_inventory_newest(struct pm_store *store, const char *framework,
                                   struct pm_names_inventory *item, struct pm_error *err);

/* The name under which a scan with this inventory counts a function: its canonical one, whatever
 * alias, place of definition or inheriting class a case or the user names it by. `function` itself
 * where the inventory (which may be all zero) does not have it. Borrowed from one of the two. */
const char *pm_names_counted(const struct pm_inventory *inventory, const char *function);

/* The environment `name`; for NULL the one named after the framework, else the first that has the
 * framework. *out is borrowed from `list`. PM_ENOTFOUND, with what to do, if there is none;
 * PM_EUSAGE if `name` is unknown or has another framework. */
PM_MUST_USE int pm_names_environment(const struct pm_environments *list, const char *framework,
                                        const char *name, const struct pm_environment **out,
                                        struct pm_error *err);

/* Lists the names of the framework and stores them. */
PM_MUST_USE int pm_names_inventory_walk(struct pm_store *store,
                                        const struct pm_environment *environment,
                                        const struct pm_messages *messages,
                                        struct pm_names_inventory *item, struct pm_error *err);

/* Reads a flat list; its text is appended to `text`. Nothing is stored. */
PM_MUST_USE int pm_names_flat_read(const char *framework, const char *path, struct pm_str *text,
                                      struct pm_inventory *out, struct pm_error *err);
PM_MUST_USE int pm_names_flat_add(struct pm_store *store, const char *framework,
                                     const char *text, int64_t *id, struct pm_error *err);

#endif

/* Inventories: where a command gets them from, and the store that keeps them. */
#ifndef PM_NAMES_INVENTORIES_H
#define PM_NAMES_INVENTORIES_H

#include "base/request.h"
#include "inventory/inventory.h"
#include "store/store.h"
#include "environment/environment.h"

/* One inventory as the store has it; all zero: none. */
struct pm_names_inventory {
    int64_t id;
    char *environment; /* whose interpreter walked through it; "" of a flat list */
    struct pm_inventory inventory;
};
void pm_names_inventory_release(struct pm_names_inventory *item);

/* Each gives item->id 0 where there is none: inventory `id`, the newest that was walked through. */
PM_MUST_USE int pm_names_inventory_load(struct pm_store *store, const char *framework, int64_t id,
                                 struct pm_names_inventory *item, struct pm_error *err);
PM_MUST_USE int pm_names_inventory_walked(struct pm_store *store, const char *framework,
                                   struct pm_names_inventory *item, struct pm_error *err);

/* The newest that was walked through, else the newest flat list; item->id is 0 where there is
 * neither. */
PM_MUST_USE int pm_names_inventory_newest(struct pm_store *store, const char *framework,
                                   struct pm_names_inventory *item, struct pm_error *err);

/* The environment of that name, or where it is NULL the one named after the framework, else the
 * first that has it. *out is borrowed from `list`. PM_ENOTFOUND with what to do where there is
 * none. */
PM_MUST_USE int pm_names_environment(const struct pm_environments *list, const char *framework,
                                        const char *name, const struct pm_environment **out,
                                        struct pm_error *err);

/* Walks through the framework and stores what it finds. */
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

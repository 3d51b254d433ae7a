/* Inventories in a database, and flat lists of names in files. */
#ifndef PM_INVENTORY_STORED_H
#define PM_INVENTORY_STORED_H

#include "inventory/inventory.h"
#include "store/scans.h"

/* A stored inventory; all zero: none. */
struct pm_stored_inventory {
    int64_t id;
    char *environment; /* environment that it was recorded from; "" for a flat list */
    struct pm_inventory inventory;
};
void pm_stored_inventory_release(struct pm_stored_inventory *item);

/* What is known of a stored inventory before its document is unpacked; id 0: there is none. */
struct pm_stored_head {
    int64_t id;
    bool flat;
    char *version;
    char *digest; /* of framework, version and names: the same in every database */
};
/* Finds the newest one recorded from an environment, else the newest flat list. */
PM_MUST_USE int pm_stored_inventory_choose(struct pm_store *store, const char *framework,
                                           struct pm_stored_head *out, struct pm_error *err);
void pm_stored_head_release(struct pm_stored_head *head);

/* Loads inventory `id`, or the newest one recorded from an environment. item->id is 0 if it is
 * missing. */
PM_MUST_USE int pm_stored_inventory_load(struct pm_store *store, const char *framework, int64_t id,
                                         struct pm_stored_inventory *item, struct pm_error *err);
PM_MUST_USE int pm_stored_inventory_recorded(struct pm_store *store, const char *framework,
                                             struct pm_stored_inventory *item,
                                             struct pm_error *err);

/* Loads the newest one recorded from an environment, else the newest flat list; item->id is 0 if
 * both are missing. */
PM_MUST_USE int pm_stored_inventory_newest(struct pm_store *store, const char *framework,
                                           struct pm_stored_inventory *item, struct pm_error *err);

/* Returns the name under which a scan with this inventory counts a function: its canonical one,
 * whatever alias, place of definition or inheriting class a case or the user names it by.
 * `function` itself where the inventory (which may be all zero) does not have it. Borrowed from one
 * of the two. */
const char *pm_inventory_counted(const struct pm_inventory *inventory, const char *function);

/* Adds the time to the row and stores it. */
PM_MUST_USE int pm_stored_inventory_add(struct pm_store *store, struct pm_inventory_row *row,
                                        int64_t *id, struct pm_error *err);

/* Reads a flat list; its text is appended to `text`. Nothing is stored. */
PM_MUST_USE int pm_inventory_read_flat(const char *framework, const char *path, struct pm_str *text,
                                       struct pm_inventory *out, struct pm_error *err);
PM_MUST_USE int pm_stored_inventory_add_flat(struct pm_store *store, const char *framework,
                                             const char *text, int64_t *id, struct pm_error *err);

#endif

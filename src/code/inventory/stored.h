/* Stores inventories in a database and loads them; reads flat lists of names from files. */
#ifndef PM_INVENTORY_STORED_H
#define PM_INVENTORY_STORED_H

#include "inventory/inventory.h"
#include "store/scans.h"

/* A stored inventory; all members are zero if there is none. */
struct pm_stored_inventory {
    int64_t id;
    char *environment; /* the environment from which it was recorded; "" for a flat list */
    struct pm_inventory inventory;
};
void pm_stored_inventory_release(struct pm_stored_inventory *item);

/* The columns that identify a stored inventory; id is 0 if there is none. */
struct pm_stored_head {
    int64_t id;
    bool flat;
    char *version;
    char *digest; /* digest of framework, version and names: the same in every database */
};
/* Finds the newest inventory that was recorded from an environment; if there is none, the newest
 * flat list. Unpacks no document. The caller releases *out. */
PM_MUST_USE int pm_stored_inventory_choose(struct pm_store *store, const char *framework,
                                           struct pm_stored_head *out, struct pm_error *err);
void pm_stored_head_release(struct pm_stored_head *head);

/* _load loads inventory `id`. _recorded loads the newest inventory that was recorded from an
 * environment. item->id is 0 if there is no such inventory. The caller releases *item. PM_EFORMAT
 * if the document is damaged. */
PM_MUST_USE int pm_stored_inventory_load(struct pm_store *store, const char *framework, int64_t id,
                                         struct pm_stored_inventory *item, struct pm_error *err);
PM_MUST_USE int pm_stored_inventory_recorded(struct pm_store *store, const char *framework,
                                             struct pm_stored_inventory *item,
                                             struct pm_error *err);

/* Loads the inventory that pm_stored_inventory_choose() finds; item->id is 0 if there is none. The
 * caller releases *item. */
PM_MUST_USE int pm_stored_inventory_newest(struct pm_store *store, const char *framework,
                                           struct pm_stored_inventory *item, struct pm_error *err);

/* Returns the name under which a scan with this inventory counts a function: its canonical name.
 * `function` may be any path that pm_inventory_find() accepts. Returns `function` itself if the
 * inventory, which may be all zero, does not have it. The result is borrowed from the inventory or
 * is `function`. */
const char *pm_inventory_counted(const struct pm_inventory *inventory, const char *function);

/* Stores a row with the current time instead of its `recorded`, and sets *id. */
PM_MUST_USE int pm_stored_inventory_add(struct pm_store *store, const struct pm_inventory_row *row,
                                        int64_t *id, struct pm_error *err);

/* _read_flat reads a flat list from a file, and appends its text to `text`. It stores nothing.
 * The caller releases *out. Fails as pm_file_read() and pm_inventory_parse_flat() do. _add_flat
 * stores such a text and sets *id. */
PM_MUST_USE int pm_inventory_read_flat(const char *framework, const char *path, struct pm_str *text,
                                       struct pm_inventory *out, struct pm_error *err);
PM_MUST_USE int pm_stored_inventory_add_flat(struct pm_store *store, const char *framework,
                                             const char *text, int64_t *id, struct pm_error *err);

#endif

/* Declarations that the files of this room share. */
#ifndef PM_INVENTORY_INVENTORY_PRIVATE_H
#define PM_INVENTORY_INVENTORY_PRIVATE_H

#include "inventory/inventory.h"

/* The entries with the same last part of their name. */
struct pm_inventory__entries {
    const struct pm_entry **items;
    size_t count, capacity;
};

/* Sorts the entries and fills the maps. PM_EFORMAT if a name means two entries. */
PM_MUST_USE int pm_inventory__index(struct pm_inventory *inventory, struct pm_error *err);

/* Checks that the inventory contains every class that an entry or attribute names. */
PM_MUST_USE int pm_inventory__check_classes(const struct pm_inventory *inventory,
                                            struct pm_error *err);

#endif

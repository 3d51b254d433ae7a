/* What the files of this room share. */
#ifndef PM_INVENTORY_INVENTORY_PRIVATE_H
#define PM_INVENTORY_INVENTORY_PRIVATE_H

#include "inventory/inventory.h"

/* The entries of one bare name. */
struct pm_inventory__entries {
    const struct pm_entry **items;
    size_t count, capacity;
};

/* Sorts the entries and fills the maps. PM_EFORMAT where a name stands for two entries. */
PM_MUST_USE int pm_inventory__index(struct pm_inventory *inventory, struct pm_error *err);

/* Checks that every class that an entry or attribute names is one of the inventory. */
PM_MUST_USE int pm_inventory__check_classes(const struct pm_inventory *inventory,
                                            struct pm_error *err);

#endif

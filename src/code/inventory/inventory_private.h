/* Declarations that the files of this room share. */
#ifndef PM_INVENTORY_INVENTORY_PRIVATE_H
#define PM_INVENTORY_INVENTORY_PRIVATE_H

#include "inventory/inventory.h"

/* The entries whose names or aliases have the same last part. */
struct pm_inventory__entries {
    const struct pm_entry **items;
    size_t count, capacity;
};

/* Sorts the entries and attributes, and fills the maps. Returns PM_EFORMAT if two of them have the
 * same name or alias. */
PM_MUST_USE int pm_inventory__index(struct pm_inventory *inventory, struct pm_error *err);

/* Returns PM_EFORMAT if the inventory lacks a class that an entry or attribute names, or if a class
 * has no kind for its instances. */
PM_MUST_USE int pm_inventory__check_classes(const struct pm_inventory *inventory,
                                            struct pm_error *err);

#endif

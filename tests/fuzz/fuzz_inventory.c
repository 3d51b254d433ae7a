/*
 * Feeds inventories: documents as a driver writes them, and flat lists of names. All names of an
 * accepted inventory are looked up, and it is compared with itself and with a fixed one.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "inventory/inventory.h"

static const char other_names[] = "[\"add\", \"relu\", \"Tensor\"]";

static void look_up(const struct pm_inventory *inventory, const char *path)
{
    size_t count;
    const struct pm_entry *const *entries =
        pm_inventory_bare(inventory, pm_inventory_bare_name(path), &count);
    if ((entries != NULL) != (count != 0))
        fuzz_wrong("%zu entries of '%s'", count, path);
    (void)pm_inventory_find(inventory, path);
}

static void look_all_up(const struct pm_inventory *inventory)
{
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        size_t count;
        if (!pm_inventory_bare(inventory, pm_inventory_bare_name(entry->name), &count))
            fuzz_wrong("'%s' is not found by its bare name", entry->name);
        (void)pm_name_kind_text(entry->kind);
        look_up(inventory, entry->name);
        look_up(inventory, entry->defined);
        for (size_t k = 0; k < entry->alias_count; k++)
            look_up(inventory, entry->aliases[k]);
        for (size_t k = 0; k < entry->base_count; k++)
            look_up(inventory, entry->bases[k]);
    }
}

static void compare(const struct pm_inventory *older, const struct pm_inventory *newer)
{
    struct pm_inventory_changes changes;
    size_t sum = 0;
    pm_inventory_compare(older, newer, &changes);
    for (int status = 0; status < PM_NAME_STATUS_COUNT; status++)
        sum += changes.counts[status];
    if (sum != changes.count)
        fuzz_wrong("%zu changes, %zu by status", changes.count, sum);
    if (older == newer &&
        changes.counts[PM_NAME_STATUS_KEPT] + changes.counts[PM_NAME_STATUS_METHOD] != sum)
        fuzz_wrong("an inventory differs from itself");
    pm_inventory_changes_release(&changes);
}

static void check(struct pm_inventory *inventory)
{
    struct pm_inventory other;
    struct pm_error err;
    if (pm_inventory_parse_flat("torch", other_names, sizeof other_names - 1, &other, &err))
        fuzz_wrong("%s", err.text);
    look_all_up(inventory);
    compare(inventory, inventory);
    compare(inventory, &other);
    compare(&other, inventory);
    pm_inventory_release(&other);
    pm_inventory_release(inventory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_inventory inventory;
    struct pm_error err = {""};
    char *text = (char *)fuzz_copy(data, size, 0);
    if (pm_inventory_parse(text, size, &inventory, &err))
        fuzz_check_error(&err);
    else
        check(&inventory);
    if (pm_inventory_parse_flat("torch", text, size, &inventory, &err))
        fuzz_check_error(&err);
    else
        check(&inventory);
    free(text);
    return 0;
}

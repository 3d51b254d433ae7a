/* Finds what happened to the names of an older list. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "inventory/inventory_private.h"

PM_WORDS_DEFINE(name_status, PM_NAME_STATUSES, PM_NAME_STATUS);

static void add(struct pm_inventory_changes *changes, const char *name, enum pm_name_status status,
                const struct pm_entry *entry)
{
    PM_GROW(changes->items, changes->count, changes->capacity);
    changes->items[changes->count++] =
        (struct pm_inventory_change){.name = name, .status = status, .entry = entry};
    changes->counts[status]++;
}

static void put_names(struct pm_map *map, char *const *names, size_t count,
                      enum pm_name_status *status)
{
    for (size_t i = 0; i < count; i++)
        pm_map_put(map, names[i], status);
}

/* Adds the status of a name of the older list. `others` has the status of names that are not
 * public. */
static void judge(const struct pm_inventory *newer, const struct pm_map *others, const char *name,
                  struct pm_inventory_changes *out)
{
    size_t count;
    const struct pm_entry *const *entries = pm_inventory_bare(newer, name, &count);
    const enum pm_name_status *other = pm_map_get(others, name);
    if (count)
        add(out, name,
            entries[0]->kind == PM_NAME_METHOD ? PM_NAME_STATUS_METHOD : PM_NAME_STATUS_KEPT,
            entries[0]);
    else
        add(out, name, other ? *other : PM_NAME_STATUS_GONE, NULL);
}

static int by_status(const void *a, const void *b)
{
    const struct pm_inventory_change *left = a, *right = b;
    if (left->status != right->status)
        return left->status < right->status ? -1 : 1;
    return strcmp(left->name, right->name);
}

void pm_inventory_compare(const struct pm_inventory *older, const struct pm_inventory *newer,
                          struct pm_inventory_changes *out)
{
    enum pm_name_status foreign = PM_NAME_STATUS_FOREIGN, private = PM_NAME_STATUS_PRIVATE;
    struct pm_map others = {0};
    *out = (struct pm_inventory_changes){0};
    put_names(&others, newer->foreign_names, newer->foreign_count, &foreign);
    put_names(&others, newer->private_names, newer->private_count, &private);
    for (size_t i = 0; i < older->by_bare.capacity; i++)
        if (older->by_bare.entries[i].key)
            judge(newer, &others, older->by_bare.entries[i].key, out);
    for (size_t i = 0; i < newer->by_bare.capacity; i++) {
        const struct pm_map_entry *slot = &newer->by_bare.entries[i];
        if (!slot->key || pm_map_has(&older->by_bare, slot->key))
            continue;
        const struct pm_inventory__entries *list = slot->value;
        if (list->items[0]->kind != PM_NAME_METHOD)
            add(out, slot->key, PM_NAME_STATUS_NEW, list->items[0]);
    }
    pm_map_release(&others);
    qsort(out->items, out->count, sizeof *out->items, by_status);
}

void pm_inventory_changes_release(struct pm_inventory_changes *changes)
{
    free(changes->items);
    *changes = (struct pm_inventory_changes){0};
}

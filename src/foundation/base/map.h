/*
 * A hash map from strings to pointers of the caller (xxHash, open addressing). Keys are copied.
 *
 *     struct pm_map map = {0};
 *     pm_map_put(&map, "torch.cat", item);
 *     item = pm_map_get(&map, "torch.cat");       // NULL if absent
 *     pm_map_release(&map);                        // values are the caller's
 */
#ifndef PM_BASE_MAP_H
#define PM_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct pm_map_entry {
    char *key; /* NULL: the entry is unused */
    void *value;
    size_t hash; /* hash of the key */
};

struct pm_map {
    struct pm_map_entry *entries;
    size_t capacity, count;
};

void *pm_map_get(const struct pm_map *map, const char *key);
bool pm_map_has(const struct pm_map *map, const char *key);
void pm_map_put(struct pm_map *map, const char *key, void *value); /* replaces an older value */
void pm_map_release(struct pm_map *map);

#endif

/* A hash map from strings, by open addressing. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"

enum { FIRST_CAPACITY = 16 }; /* capacities are powers of two */

/* The entry of `key`, or the free one where it belongs. */
static struct pm_map_entry *find(const struct pm_map *map, const char *key)
{
    const size_t mask = map->capacity - 1;
    size_t i = (size_t)XXH3_64bits(key, strlen(key)) & mask;
    while (map->entries[i].key && strcmp(map->entries[i].key, key) != 0)
        i = (i + 1) & mask;
    return &map->entries[i];
}

bool pm_map_has(const struct pm_map *map, const char *key)
{
    return map->capacity && find(map, key)->key;
}

void *pm_map_get(const struct pm_map *map, const char *key)
{
    return map->capacity ? find(map, key)->value : NULL;
}

static void grow(struct pm_map *map)
{
    const struct pm_map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
    map->entries = pm_realloc_array(NULL, map->capacity, sizeof *map->entries);
    memset(map->entries, 0, map->capacity * sizeof *map->entries);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.entries[i].key)
            *find(map, old.entries[i].key) = old.entries[i];
    free(old.entries);
}

void pm_map_put(struct pm_map *map, const char *key, void *value)
{
    if (map->count >= map->capacity / 4 * 3)
        grow(map);
    struct pm_map_entry *entry = find(map, key);
    if (!entry->key) {
        entry->key = pm_strdup(key);
        map->count++;
    }
    entry->value = value;
}

void pm_map_release(struct pm_map *map)
{
    for (size_t i = 0; i < map->capacity; i++)
        free(map->entries[i].key);
    free(map->entries);
    *map = (struct pm_map){0};
}

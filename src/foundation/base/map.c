/* Implements a hash map from strings, by open addressing. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"

enum { FIRST_CAPACITY = 16 }; /* capacities are powers of two */

static size_t hash_of(const char *key)
{
    return (size_t)XXH3_64bits(key, strlen(key));
}

/* Returns the entry of `key`, or the unused entry in which to store it. */
static struct pm_map_entry *find(const struct pm_map *map, const char *key, size_t hash)
{
    const size_t mask = map->capacity - 1;
    struct pm_map_entry *at = &map->entries[hash & mask];
    while (at->key && (at->hash != hash || strcmp(at->key, key) != 0))
        at = &map->entries[(size_t)(at - map->entries + 1) & mask];
    return at;
}

bool pm_map_has(const struct pm_map *map, const char *key)
{
    return map->capacity && find(map, key, hash_of(key))->key;
}

void *pm_map_get(const struct pm_map *map, const char *key)
{
    return map->capacity ? find(map, key, hash_of(key))->value : NULL;
}

static void grow(struct pm_map *map)
{
    const struct pm_map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
    map->entries = pm_realloc_array(NULL, map->capacity, sizeof *map->entries);
    memset(map->entries, 0, map->capacity * sizeof *map->entries);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.entries[i].key)
            *find(map, old.entries[i].key, old.entries[i].hash) = old.entries[i];
    free(old.entries);
}

void pm_map_put(struct pm_map *map, const char *key, void *value)
{
    const size_t hash = hash_of(key);
    if (map->count >= map->capacity / 4 * 3)
        grow(map);
    struct pm_map_entry *entry = find(map, key, hash);
    if (!entry->key) {
        entry->key = pm_strdup(key);
        entry->hash = hash;
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

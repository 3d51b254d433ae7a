/* Indexes the names of an inventory, checks the classes that it names, and looks up names. */
#include "inventory/inventory.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "inventory/inventory_private.h"

const char *pm_inventory_bare_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* ----------------------------------------------------------------------------------- index --- */

static int by_name(const void *a, const void *b)
{
    const struct pm_entry *left = a, *right = b;
    return strcmp(left->name, right->name);
}

/* Sorts items unless they are sorted already, as in most documents. */
static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    size_t at = 1;
    while (at < count && compare((char *)items + (at - 1) * size, (char *)items + at * size) <= 0)
        at++;
    if (at < count)
        qsort(items, count, size, compare);
}

/* Sets the error for a path that names two things, whose canonical names are `a` and `b`. */
static int named_twice(struct pm_error *err, const char *path, const char *a, const char *b)
{
    return strcmp(a, b) == 0
               ? pm_error_set(err, PM_EFORMAT, "name '%s' is listed twice", path)
               : pm_error_set(err, PM_EFORMAT, "name '%s' means both '%s' and '%s'", path, a, b);
}

static int put(struct pm_inventory *inventory, const char *path, struct pm_entry *entry,
               struct pm_error *err)
{
    const struct pm_entry *known = pm_map_get(&inventory->by_name, path);
    if (known && known != entry)
        return named_twice(err, path, known->name, entry->name);
    pm_map_put(&inventory->by_name, path, entry);
    return PM_OK;
}

/* Adds a path that is not public, unless the map already has it. */
static void put_if_new(struct pm_inventory *inventory, const char *path, struct pm_entry *entry)
{
    if (!pm_map_has(&inventory->by_name, path))
        pm_map_put(&inventory->by_name, path, entry);
}

static void put_bare(struct pm_inventory *inventory, const char *path, const struct pm_entry *entry)
{
    const char *bare = pm_inventory_bare_name(path);
    struct pm_inventory__entries *list = pm_map_get(&inventory->by_bare, bare);
    if (!list) {
        list = pm_alloc(sizeof *list);
        pm_map_put(&inventory->by_bare, bare, list);
    }
    if (list->count && list->items[list->count - 1] == entry)
        return;
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = entry;
}

static int put_entry(struct pm_inventory *inventory, struct pm_entry *entry, struct pm_error *err)
{
    PM_TRY(put(inventory, entry->name, entry, err));
    put_bare(inventory, entry->name, entry);
    for (size_t i = 0; i < entry->alias_count; i++) {
        PM_TRY(put(inventory, entry->aliases[i], entry, err));
        put_bare(inventory, entry->aliases[i], entry);
    }
    return PM_OK;
}

static int by_attribute_name(const void *a, const void *b)
{
    const struct pm_attribute *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static int put_attribute(struct pm_inventory *inventory, const char *path,
                         struct pm_attribute *attribute, struct pm_error *err)
{
    const struct pm_entry *entry = pm_map_get(&inventory->by_name, path);
    const struct pm_attribute *known = pm_map_get(&inventory->by_attribute, path);
    if (entry || (known && known != attribute))
        return named_twice(err, path, entry ? entry->name : known->name, attribute->name);
    pm_map_put(&inventory->by_attribute, path, attribute);
    return PM_OK;
}

static int index_attributes(struct pm_inventory *inventory, struct pm_error *err)
{
    sort(inventory->attributes, inventory->attribute_count, sizeof *inventory->attributes,
         by_attribute_name);
    for (size_t i = 0; i < inventory->attribute_count; i++) {
        struct pm_attribute *attribute = &inventory->attributes[i];
        PM_TRY(put_attribute(inventory, attribute->name, attribute, err));
        for (size_t j = 0; j < attribute->alias_count; j++)
            PM_TRY(put_attribute(inventory, attribute->aliases[j], attribute, err));
    }
    return PM_OK;
}

/* Checks that `name` is a class of the inventory. Accepts "" and "self", which name no class. */
static int check_class(const struct pm_inventory *inventory, const char *of, const char *name,
                       struct pm_error *err)
{
    if (!*name || !strcmp(name, "self"))
        return PM_OK;
    const struct pm_entry *class = pm_map_get(&inventory->by_name, name);
    if (!class || class->kind != PM_NAME_CLASS || strcmp(class->name, name) != 0)
        return pm_error_set(err, PM_EFORMAT,
                            "'%s' names '%s', which is not the canonical name of a class", of,
                            name);
    return PM_OK;
}

static int check_entry(const struct pm_inventory *inventory, const struct pm_entry *entry,
                       struct pm_error *err)
{
    if (entry->kind == PM_NAME_CLASS && !entry->returns)
        return pm_error_set(err, PM_EFORMAT, "class '%s' has no 'returns'", entry->name);
    PM_TRY(check_class(inventory, entry->name, entry->returned_class, err));
    for (size_t i = 0; i < entry->base_count; i++)
        PM_TRY(check_class(inventory, entry->name, entry->bases[i], err));
    return PM_OK;
}

int pm_inventory__check_classes(const struct pm_inventory *inventory, struct pm_error *err)
{
    for (size_t i = 0; i < inventory->count; i++)
        PM_TRY(check_entry(inventory, &inventory->entries[i], err));
    for (size_t i = 0; i < inventory->attribute_count; i++)
        PM_TRY(check_class(inventory, inventory->attributes[i].name,
                           inventory->attributes[i].value_class, err));
    return PM_OK;
}

int pm_inventory__index(struct pm_inventory *inventory, struct pm_error *err)
{
    sort(inventory->entries, inventory->count, sizeof *inventory->entries, by_name);
    for (int methods = 0; methods < 2; methods++)
        for (size_t i = 0; i < inventory->count; i++)
            if ((inventory->entries[i].kind == PM_NAME_METHOD) == (methods == 1))
                PM_TRY(put_entry(inventory, &inventory->entries[i], err));
    for (size_t i = 0; i < inventory->count; i++) {
        struct pm_entry *entry = &inventory->entries[i];
        if (*entry->defined)
            put_if_new(inventory, entry->defined, entry);
    }
    for (size_t i = 0; i < inventory->count; i++) {
        struct pm_entry *entry = &inventory->entries[i];
        for (size_t k = 0; k < entry->elsewhere_count; k++)
            put_if_new(inventory, entry->elsewhere[k], entry);
    }
    return index_attributes(inventory, err);
}

static void release_lists(struct pm_map *lists)
{
    for (size_t i = 0; i < lists->capacity; i++)
        if (lists->entries[i].key) {
            struct pm_inventory__entries *list = lists->entries[i].value;
            free(list->items);
            free(list);
        }
    pm_map_release(lists);
}

void pm_inventory_release(struct pm_inventory *inventory)
{
    for (size_t i = 0; i < inventory->count; i++) {
        free(inventory->entries[i].aliases);
        free(inventory->entries[i].elsewhere);
        free(inventory->entries[i].bases);
    }
    for (size_t i = 0; i < inventory->attribute_count; i++)
        free(inventory->attributes[i].aliases);
    release_lists(&inventory->by_bare);
    pm_map_release(&inventory->by_name);
    pm_map_release(&inventory->by_attribute);
    free(inventory->private_names);
    free(inventory->foreign_names);
    free(inventory->unread);
    free(inventory->entries);
    free(inventory->attributes);
    free(inventory->framework);
    free(inventory->text);
    *inventory = (struct pm_inventory){0};
}

/* ---------------------------------------------------------------------------------- look-up --- */

/* Returns the path with the brief name of the framework, as in the maps. The caller frees it. */
static char *normalise(const struct pm_inventory *inventory, const char *path)
{
    const size_t length = strlen(inventory->root);
    if (!strncmp(path, inventory->root, length) && (path[length] == '.' || !path[length]))
        return pm_format("%s%s", inventory->brief, path + length);
    return pm_strdup(path);
}

static bool own_member(const struct pm_inventory *inventory, const char *class, const char *name,
                       struct pm_member *out)
{
    char *path = pm_format("%s.%s", class, name);
    const struct pm_entry *entry = pm_map_get(&inventory->by_name, path);
    *out = (struct pm_member){
        .method = entry && entry->kind == PM_NAME_METHOD ? entry : NULL,
        .attribute = pm_map_get(&inventory->by_attribute, path),
    };
    free(path);
    return out->method || out->attribute;
}

bool pm_inventory_member(const struct pm_inventory *inventory, const struct pm_entry *class,
                         const char *name, struct pm_member *out)
{
    bool found = own_member(inventory, class->name, name, out);
    for (size_t i = 0; i < class->base_count && !found; i++)
        found = own_member(inventory, class->bases[i], name, out);
    return found;
}

/* Finds the member of a path that names a class and then a member. The path may name the
 * class by an alias, and the class may inherit the member. */
static bool find_member(const struct pm_inventory *inventory, const char *path,
                        struct pm_member *out)
{
    const char *name = pm_inventory_bare_name(path);
    if (name == path)
        return false;
    char *prefix = pm_strndup(path, (size_t)(name - path) - 1);
    const struct pm_entry *class = pm_map_get(&inventory->by_name, prefix);
    free(prefix);
    return class && class->kind == PM_NAME_CLASS &&
           pm_inventory_member(inventory, class, name, out);
}

const struct pm_entry *pm_inventory_find(const struct pm_inventory *inventory, const char *path)
{
    if (inventory->flat)
        return pm_map_get(&inventory->by_name, pm_inventory_bare_name(path));
    char *normal = normalise(inventory, path);
    const struct pm_entry *entry = pm_map_get(&inventory->by_name, normal);
    struct pm_member member = {0};
    if (!entry && find_member(inventory, normal, &member))
        entry = member.method;
    free(normal);
    return entry;
}

const struct pm_entry *const *pm_inventory_bare(const struct pm_inventory *inventory,
                                                const char *name, size_t *count)
{
    const struct pm_inventory__entries *list = pm_map_get(&inventory->by_bare, name);
    *count = list ? list->count : 0;
    return list ? list->items : NULL;
}

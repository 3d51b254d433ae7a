/* The names of an inventory, in the form that the corpus room counts. */
#include <string.h>

#include "base/alloc.h"
#include "survey/scan.h"

struct adding {
    struct pm_resolve_names *names;
    unsigned index;
    const struct pm_inventory *inventory;
    const char *module;
};

/* The name that code imports: "tensorflow.add" for "tf.add". The caller frees it. */
static char *imported(const struct adding *a, const char *path)
{
    const size_t length = strlen(a->inventory->brief);
    if (!strncmp(path, a->inventory->brief, length) && path[length] == '.')
        return pm_format("%s%s", a->module, path + length);
    return pm_strdup(path);
}

/* `path` NULL: its own name. */
static void add(const struct adding *a, const struct pm_entry *entry, const char *path)
{
    char *name = imported(a, entry->name), *alias = path ? imported(a, path) : NULL;
    pm_resolve_names_add(a->names, a->index, name, alias, entry->kind);
    free(alias);
    free(name);
}

/* Adds its method under one more path of a class. */
static void add_method(const struct adding *a, const struct pm_entry *method, const char *class)
{
    char *path = pm_format("%s.%s", class, pm_inventory_bare_name(method->name));
    add(a, method, path);
    free(path);
}

/* Adds the methods of the class `from`, which follow it in the sorted list, under every path of
 * `class`, which is `from` or inherits from it. */
static void add_methods(const struct adding *a, const struct pm_entry *from,
                        const struct pm_entry *class)
{
    const struct pm_inventory *inventory = a->inventory;
    const size_t length = strlen(from->name);
    for (const struct pm_entry *at = from + 1; at < inventory->entries + inventory->count; at++) {
        if (strncmp(at->name, from->name, length) != 0 || at->name[length] != '.')
            return;
        if (at->kind != PM_NAME_METHOD || strchr(at->name + length + 1, '.'))
            continue;
        if (class != from)
            add_method(a, at, class->name);
        for (size_t i = 0; i < class->alias_count; i++)
            add_method(a, at, class->aliases[i]);
    }
}

/* The first entry for a name counts: names and aliases, then places of definition, then inherited
 * methods, those of the nearest base first. */
static void add_inventory(const struct adding *a)
{
    const struct pm_inventory *inventory = a->inventory;
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        add(a, entry, NULL);
        for (size_t k = 0; k < entry->alias_count; k++)
            add(a, entry, entry->aliases[k]);
    }
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        if (*entry->defined && pm_inventory_find(inventory, entry->defined) == entry)
            add(a, entry, entry->defined);
    }
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *class = &inventory->entries[i];
        if (class->kind != PM_NAME_CLASS)
            continue;
        add_methods(a, class, class);
        for (size_t k = 0; k < class->base_count; k++) {
            const struct pm_entry *base = pm_inventory_find(inventory, class->bases[k]);
            if (base)
                add_methods(a, base, class);
        }
    }
}

/* The names for the study's rule: the given list, else those of functions and classes. */
static void add_flat(struct pm_resolve_names *names, unsigned index,
                     const struct pm_inventory *inventory)
{
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        if (entry->kind == PM_NAME_METHOD)
            continue;
        pm_resolve_names_flat(names, index, pm_inventory_bare_name(entry->name));
        for (size_t k = 0; k < entry->alias_count; k++)
            pm_resolve_names_flat(names, index, pm_inventory_bare_name(entry->aliases[k]));
    }
}

void pm_survey__scan_add_names(struct pm_resolve_names *names,
                               const struct scan_framework *framework)
{
    const char *module = pm_framework_module(framework->of);
    const unsigned index = pm_resolve_names_framework(names, module);
    const struct pm_inventory *walked = &framework->item.inventory;
    const struct adding adding = {names, index, walked, module};
    if (walked->count && !walked->flat)
        add_inventory(&adding);
    if (framework->of->older)
        pm_resolve_names_older(names, index, framework->of->older);
    add_flat(names, index, framework->flat ? &framework->names : walked);
}

const char *pm_survey__scan_canonical(const struct scan_framework *framework, const char *name)
{
    const struct pm_inventory *walked = &framework->item.inventory;
    const struct pm_entry *entry = walked->count ? pm_inventory_find(walked, name) : NULL;
    return entry ? entry->name : name;
}

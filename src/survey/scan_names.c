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

/* Three texts after each other; the caller frees. Paths are made a hundred thousand times a scan.
 */
static char *join(const char *first, const char *second, const char *third)
{
    const size_t one = strlen(first), two = strlen(second), three = strlen(third);
    char *joined = pm_alloc(one + two + three + 1);
    memcpy(joined, first, one);
    memcpy(joined + one, second, two);
    memcpy(joined + one + two, third, three + 1);
    return joined;
}

/* The name that code imports: "tensorflow.add" for "tf.add". The caller frees it. */
static char *imported(const struct adding *a, const char *path)
{
    const size_t length = strlen(a->inventory->brief);
    if (!strncmp(path, a->inventory->brief, length) && path[length] == '.')
        return join(a->module, path + length, "");
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
    char *path = join(class, ".", pm_inventory_bare_name(method->name));
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

/* What is known of a name or an attribute, under one path of it. */
static void add_fact(const struct adding *a, const char *path, struct pm_resolve_fact fact)
{
    char *name = imported(a, path);
    char *of = *fact.class && strcmp(fact.class, "self") != 0 ? imported(a, fact.class)
                                                              : pm_strdup(fact.class);
    fact.class = *of ? of : NULL;
    if (fact.gives || fact.calls || fact.items || fact.class)
        pm_resolve_names_fact(a->names, a->index, name, fact);
    free(of);
    free(name);
}

/* The first attribute that sorts behind `name`. */
static const struct pm_attribute *attribute_behind(const struct pm_inventory *inventory,
                                                   const char *name)
{
    size_t low = 0, high = inventory->attribute_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(inventory->attributes[middle].name, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return inventory->attributes + low;
}

/* Adds the attributes of the class `from` under a path of `from` or of a class that inherits from
 * it. */
static void add_attributes(const struct adding *a, const char *from, const char *class)
{
    const struct pm_inventory *inventory = a->inventory;
    char *prefix = pm_format("%s.", from);
    const struct pm_attribute *at = attribute_behind(inventory, prefix);
    for (; at < inventory->attributes + inventory->attribute_count &&
           pm_starts_with(at->name, prefix);
         at++) {
        char *path = join(class, ".", at->name + strlen(prefix));
        add_fact(a, path, (struct pm_resolve_fact){.gives = at->value, .class = at->value_class});
        free(path);
    }
    free(prefix);
}

/* Bases first, farthest first, so that what is nearer replaces it. */
static void add_facts(const struct adding *a)
{
    const struct pm_inventory *inventory = a->inventory;
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        add_fact(a, entry->name,
                 (struct pm_resolve_fact){.gives = entry->returns,
                                          .calls = entry->calls,
                                          .items = entry->items,
                                          .class = entry->returned_class});
        if (entry->kind != PM_NAME_CLASS || !inventory->attribute_count)
            continue;
        for (size_t k = entry->base_count + 1; k-- > 0;) {
            const char *from = k ? entry->bases[k - 1] : entry->name;
            add_attributes(a, from, entry->name);
            for (size_t n = 0; n < entry->alias_count; n++)
                add_attributes(a, from, entry->aliases[n]);
        }
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
                               const struct scan_framework *framework, bool types)
{
    const char *module = pm_framework_module(framework->of);
    const unsigned index = pm_resolve_names_framework(names, module);
    const struct pm_inventory *walked = &framework->item.inventory;
    const struct adding adding = {names, index, walked, module};
    if (walked->count && !walked->flat) {
        add_inventory(&adding);
        if (types)
            add_facts(&adding);
    }
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

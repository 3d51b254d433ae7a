/* Converts the names of an inventory into the form in which the room `corpus` counts them, and
 * names of that form back into stored names. */
#include <string.h>

#include "base/alloc.h"
#include "environment/environment.h"
#include "survey/scan.h"

struct adding {
    struct pm_resolve_names *names;
    unsigned index;
    const struct pm_inventory *inventory;
    const char *module;
};

/* Joins three texts; the caller frees the result. Avoids printf(), which is slow: a scan makes a
 * hundred thousand paths. */
static char *join(const char *first, const char *second, const char *third)
{
    const size_t one = strlen(first), two = strlen(second), three = strlen(third);
    char *joined = pm_alloc(one + two + three + 1);
    memcpy(joined, first, one);
    memcpy(joined + one, second, two);
    memcpy(joined + one + two, third, three + 1);
    return joined;
}

/* Returns the name that code imports: "tensorflow.add" for "tf.add". The caller frees it. */
static char *imported(const struct adding *a, const char *path)
{
    const size_t length = strlen(a->inventory->brief);
    if (!strncmp(path, a->inventory->brief, length) && path[length] == '.')
        return join(a->module, path + length, "");
    return pm_strdup(path);
}

/* Adds an entry under the path; if `path` is NULL, under its own name. */
static void add(const struct adding *a, const struct pm_entry *entry, const char *path)
{
    char *name = imported(a, entry->name), *alias = path ? imported(a, path) : NULL;
    pm_resolve_names_add(a->names, a->index, name, alias, entry->kind);
    free(alias);
    free(name);
}

/* Adds `path` as another path of the class; with `base`, as a class that inherits from it. */
static void add_link(const struct adding *a, const char *path, const char *class, bool base)
{
    char *from = imported(a, path), *to = imported(a, class);
    if (base)
        pm_resolve_names_base(a->names, a->index, from, to);
    else
        pm_resolve_names_alias(a->names, a->index, from, to);
    free(to);
    free(from);
}

/* Adds a fact about a name or an attribute, under one of its paths. */
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
    }
    for (size_t i = 0; i < inventory->attribute_count; i++) {
        const struct pm_attribute *at = &inventory->attributes[i];
        const struct pm_resolve_fact fact = {.gives = at->value, .class = at->value_class};
        add_fact(a, at->name, fact);
        for (size_t k = 0; k < at->alias_count; k++)
            add_fact(a, at->aliases[k], fact);
    }
}

/* Returns whether a path that is not public leads to the entry. A public name that is equal to the
 * path would lead to another entry. */
static bool is_path_of(const struct adding *a, const struct pm_entry *entry, const char *path)
{
    return *path && pm_inventory_find(a->inventory, path) == entry;
}

/* Adds the other paths of a class, and its base classes. */
static void add_class(const struct adding *a, const struct pm_entry *class)
{
    for (size_t i = 0; i < class->alias_count; i++)
        add_link(a, class->aliases[i], class->name, false);
    if (is_path_of(a, class, class->defined))
        add_link(a, class->defined, class->name, false);
    for (size_t i = 0; i < class->elsewhere_count; i++)
        if (is_path_of(a, class, class->elsewhere[i]))
            add_link(a, class->elsewhere[i], class->name, false);
    for (size_t i = 0; i < class->base_count; i++)
        add_link(a, class->name, class->bases[i], true);
}

/* Adds an inventory. The first entry for a name is kept, so names and aliases are added first, then
 * paths that are not public. */
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
        if (is_path_of(a, entry, entry->defined))
            add(a, entry, entry->defined);
        for (size_t k = 0; k < entry->elsewhere_count; k++)
            if (is_path_of(a, entry, entry->elsewhere[k]))
                add(a, entry, entry->elsewhere[k]);
    }
    for (size_t i = 0; i < inventory->count; i++)
        if (inventory->entries[i].kind == PM_NAME_CLASS)
            add_class(a, &inventory->entries[i]);
}

/* Adds the names for the paper's rule: the bare names and aliases of all entries except
 * methods. */
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
    for (const struct pm_moved *of = framework->of->moved; of && of->from; of++)
        pm_resolve_names_moved(names, index, of->from, of->to);
    add_flat(names, index, framework->flat ? &framework->names : walked);
}

const char *pm_survey__scan_canonical(const struct scan_framework *framework, const char *name)
{
    const struct pm_inventory *walked = &framework->item.inventory;
    const struct pm_entry *entry = walked->count ? pm_inventory_find(walked, name) : NULL;
    return entry ? entry->name : name;
}

const char *pm_survey__scan_stored(const struct scan_framework *framework, const char *name)
{
    const char *module = pm_framework_module(framework->of), *brief = framework->of->brief;
    const size_t length = strlen(module);
    if (!brief || strncmp(name, module, length) != 0 || name[length] != '.')
        return name;
    pm_str_clear(framework->stored);
    pm_str_add(framework->stored, brief);
    pm_str_add(framework->stored, name + length);
    return framework->stored->data;
}

int pm_survey__load_names(struct scan_framework *f, struct pm_store *store, struct pm_error *err)
{
    return f->head.id && !f->item.id
               ? pm_stored_inventory_load(store, f->name, f->head.id, &f->item, err)
               : PM_OK;
}

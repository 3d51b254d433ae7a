/* Collects the names to find. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "resolve/resolve_private.h"

struct pm_resolve_names *pm_resolve_names_new(void)
{
    return pm_alloc(sizeof(struct pm_resolve_names));
}

void pm_resolve_names_free(struct pm_resolve_names *names)
{
    if (!names)
        return;
    for (unsigned i = 0; i < names->framework_count; i++) {
        struct pm_resolve__list *list = &names->frameworks[i];
        for (size_t k = 0; k < list->dotted_count; k++) {
            free(list->dotted[k].canonical);
            free(list->dotted[k].alias);
        }
        free(list->dotted);
        for (size_t k = 0; k < list->facts_count; k++) {
            free(list->facts[k].path);
            free((char *)(uintptr_t)list->facts[k].fact.class);
        }
        free(list->facts);
        for (size_t k = 0; k < list->links_count; k++) {
            free(list->links[k].path);
            free(list->links[k].class);
        }
        free(list->links);
        for (size_t k = 0; k < list->moves_count; k++) {
            free(list->moves[k].from);
            free(list->moves[k].to);
        }
        free(list->moves);
        pm_free_strings(list->flat, list->flat_count);
        free(list->import_name);
        free(list->older);
    }
    free(names);
}

unsigned pm_resolve_names_count(const struct pm_resolve_names *names)
{
    return names->framework_count;
}

unsigned pm_resolve_names_framework(struct pm_resolve_names *names, const char *import_name)
{
    if (names->framework_count == PM_RESOLVE_MOST_FRAMEWORKS)
        PM_BUG("too many frameworks");
    names->frameworks[names->framework_count].import_name = pm_strdup(import_name);
    return names->framework_count++;
}

void pm_resolve_names_add(struct pm_resolve_names *names, unsigned framework, const char *canonical,
                          const char *alias, enum pm_name_kind kind)
{
    struct pm_resolve__list *list = &names->frameworks[framework];
    PM_GROW(list->dotted, list->dotted_count, list->dotted_capacity);
    list->dotted[list->dotted_count++] =
        (struct pm_resolve__dotted){pm_strdup(canonical), pm_strdup(alias), kind};
}

static void add_link(struct pm_resolve__list *list, const char *path, const char *class, bool base)
{
    PM_GROW(list->links, list->links_count, list->links_capacity);
    list->links[list->links_count++] =
        (struct pm_resolve__link){pm_strdup(path), pm_strdup(class), base};
}

void pm_resolve_names_alias(struct pm_resolve_names *names, unsigned framework, const char *path,
                            const char *class)
{
    add_link(&names->frameworks[framework], path, class, false);
}

void pm_resolve_names_base(struct pm_resolve_names *names, unsigned framework, const char *path,
                           const char *class)
{
    add_link(&names->frameworks[framework], path, class, true);
}

void pm_resolve_names_fact(struct pm_resolve_names *names, unsigned framework, const char *path,
                           struct pm_resolve_fact fact)
{
    struct pm_resolve__list *list = &names->frameworks[framework];
    PM_GROW(list->facts, list->facts_count, list->facts_capacity);
    fact.class = pm_strdup(fact.class);
    list->facts[list->facts_count++] = (struct pm_resolve__stated){pm_strdup(path), fact};
}

void pm_resolve_names_older(struct pm_resolve_names *names, unsigned framework, const char *path)
{
    free(names->frameworks[framework].older);
    names->frameworks[framework].older = pm_strdup(path);
}

void pm_resolve_names_moved(struct pm_resolve_names *names, unsigned framework, const char *from,
                            const char *to)
{
    struct pm_resolve__list *list = &names->frameworks[framework];
    PM_GROW(list->moves, list->moves_count, list->moves_capacity);
    list->moves[list->moves_count++] = (struct pm_resolve__move){pm_strdup(from), pm_strdup(to)};
}

void pm_resolve_names_flat(struct pm_resolve_names *names, unsigned framework, const char *name)
{
    struct pm_resolve__list *list = &names->frameworks[framework];
    PM_GROW(list->flat, list->flat_count, list->flat_capacity);
    list->flat[list->flat_count++] = pm_strdup(name);
}

int pm_resolve_names_load_flat(struct pm_resolve_names *names, unsigned framework, const char *path,
                               struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    json_t *list = NULL;
    const json_t *name;
    size_t i;
    int rc = pm_file_read(path, &text, err);
    if (rc)
        goto done;
    rc = pm_json_parse(text.data, text.length, &list, err);
    if (rc) {
        (void)pm_error_prefix(err, rc, "'%s'", path);
        goto done;
    }
    if (!json_is_array(list) || json_array_size(list) == 0) {
        rc = pm_error_set(err, PM_EFORMAT,
                          "'%s' is not a JSON list of one or more names: write [\"cat\", ...]",
                          path);
        goto done;
    }
    json_array_foreach(list, i, name) {
        if (!json_is_string(name) || json_string_length(name) == 0) {
            rc = pm_error_set(err, PM_EFORMAT,
                              "entry %zu of '%s' is not a name: write \"cat\", for example", i + 1,
                              path);
            goto done;
        }
        pm_resolve_names_flat(names, framework, json_string_value(name));
    }
done:
    json_decref(list);
    pm_str_release(&text);
    return rc;
}

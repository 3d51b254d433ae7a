/* Reads a recording, and finds the cases of its calls by place. */
#include "audit/recording.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "record/document.h"

/* The cases of one function at one place. */
struct pm_audit__recorded_list {
    struct pm_audit_recorded *items;
    size_t count, capacity;
};

static char *key_of(const char *path, int64_t line, int64_t column, const char *function)
{
    return pm_format("%s:%lld:%lld:%s", path, (long long)line, (long long)column, function);
}

static void add(struct pm_audit_recording *recording, const char *key, const char *name,
                const char *text)
{
    struct pm_audit__recorded_list *list = pm_map_get(&recording->by_place, key);
    if (!list) {
        list = pm_alloc(sizeof *list);
        pm_map_put(&recording->by_place, key, list);
    }
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct pm_audit_recorded){pm_strdup(name), pm_strdup(text)};
    recording->cases++;
}

/* Returns the call of case `name` of a case file; "" if there is none. */
static const char *text_of(const json_t *file, const char *name)
{
    const json_t *cases = json_object_get(file, "cases");
    for (size_t i = 0; i < json_array_size(cases); i++)
        if (!strcmp(pm_json_string(json_array_get(cases, i), "name", ""), name))
            return pm_json_string(json_array_get(cases, i), "call", "");
    return "";
}

/* Adds the places of a call: a scan finds a name where its chain begins, and a method at its own
 * name. */
static void add_places(struct pm_audit_recording *recording, const struct pm_recorded_case *c,
                       const char *function, const char *text)
{
    for (size_t i = 0; i < c->place_count; i++) {
        const struct pm_recorded_place *place = &c->places[i];
        const int64_t columns[] = {place->column, place->first};
        for (size_t at = 0; at < (place->first == place->column ? 1 : 2); at++) {
            char *key = key_of(place->path, place->line, columns[at], function);
            add(recording, key, c->name, text);
            free(key);
        }
    }
}

static int add_function(struct pm_audit_recording *recording, const struct pm_recorded_function *of,
                        struct pm_error *err)
{
    json_t *cases = NULL;
    PM_TRY(pm_json_parse(of->text, strlen(of->text), &cases, err));
    for (size_t i = 0; i < of->case_count; i++)
        add_places(recording, &of->cases[i], of->name, text_of(cases, of->cases[i].name));
    json_decref(cases);
    return PM_OK;
}

int pm_audit_recording_read(struct pm_audit_recording *recording, const char *folder,
                            struct pm_error *err)
{
    struct pm_recorded recorded;
    *recording = (struct pm_audit_recording){0};
    PM_TRY(pm_recorded_read(folder, &recorded, err));
    int rc = PM_OK;
    for (size_t i = 0; i < recorded.function_count && !rc; i++)
        rc = add_function(recording, &recorded.functions[i], err);
    if (rc == PM_EFORMAT)
        rc = pm_error_prefix(err, rc, "'%s/recording.json' is not a recording", folder);
    pm_recorded_release(&recorded);
    return rc;
}

void pm_audit_recording_release(struct pm_audit_recording *recording)
{
    for (size_t i = 0; i < recording->by_place.capacity; i++) {
        struct pm_audit__recorded_list *list = recording->by_place.entries[i].value;
        if (!recording->by_place.entries[i].key)
            continue;
        for (size_t k = 0; k < list->count; k++) {
            free((void *)(uintptr_t)list->items[k].name); /* the list owns its texts */
            free((void *)(uintptr_t)list->items[k].text);
        }
        free(list->items);
        free(list);
    }
    pm_map_release(&recording->by_place);
    *recording = (struct pm_audit_recording){0};
}

const struct pm_audit_recorded *pm_audit_recording_at(const struct pm_audit_recording *recording,
                                                      const struct pm_audit_recorded_place *place,
                                                      size_t *count)
{
    *count = 0;
    for (const char *path = place->path; path && recording->cases;) {
        char *key = key_of(path, place->line, place->column, place->function);
        const struct pm_audit__recorded_list *list = pm_map_get(&recording->by_place, key);
        free(key);
        if (list) {
            *count = list->count;
            return list->items;
        }
        path = strchr(path, '/');
        path = path ? path + 1 : NULL;
    }
    return NULL;
}

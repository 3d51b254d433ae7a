/* Reads a recording, by the places of its calls. */
#include "audit/recording.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

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

/* Returns the call of a case of a case file. */
static const char *text_of(const json_t *file, const char *name)
{
    const json_t *cases = json_object_get(file, "cases");
    for (size_t i = 0; i < json_array_size(cases); i++)
        if (!strcmp(pm_json_string(json_array_get(cases, i), "name", ""), name))
            return pm_json_string(json_array_get(cases, i), "call", "");
    return "";
}

/* A name is found where its chain begins, a method where it is itself: both are places. */
static void add_places(struct pm_audit_recording *recording, const json_t *signature,
                       const char *function, const char *text)
{
    const json_t *places = json_object_get(signature, "places");
    const char *name = pm_json_string(signature, "case", "");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *place = json_array_get(places, i);
        const char *path = json_string_value(json_array_get(place, 0));
        const int64_t line = json_integer_value(json_array_get(place, 1));
        for (size_t at = 2; path && at < 4; at++) {
            const int64_t column = json_integer_value(json_array_get(place, at));
            char *key = key_of(path, line, column, function);
            if (at == 2 || column != json_integer_value(json_array_get(place, 2)))
                add(recording, key, name, text);
            free(key);
        }
    }
}

static int add_file(struct pm_audit_recording *recording, const json_t *file, struct pm_error *err)
{
    const char *function = pm_json_string(file, "function", "");
    const char *text = pm_json_string(file, "text", "");
    const json_t *signatures = json_object_get(file, "signatures");
    json_t *cases = NULL;
    PM_TRY(pm_json_parse(text, strlen(text), &cases, err));
    for (size_t i = 0; i < json_array_size(signatures); i++) {
        const json_t *signature = json_array_get(signatures, i);
        add_places(recording, signature, function,
                   text_of(cases, pm_json_string(signature, "case", "")));
    }
    json_decref(cases);
    return PM_OK;
}

int pm_audit_recording_read(struct pm_audit_recording *recording, const char *folder,
                            struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    json_t *document = NULL;
    char *path = pm_path_join(folder, "recording.json");
    *recording = (struct pm_audit_recording){0};
    int rc = pm_file_read(path, &text, err);
    if (!rc)
        rc = pm_json_parse(text.data, text.length, &document, err);
    const json_t *files = json_object_get(document, "files");
    if (!rc && !json_is_array(files))
        rc = pm_error_set(err, PM_EFORMAT, "it has no list of files");
    for (size_t i = 0; i < json_array_size(files) && !rc; i++)
        rc = add_file(recording, json_array_get(files, i), err);
    if (rc == PM_EFORMAT)
        rc = pm_error_prefix(err, rc, "'%s' is not a recording", path);
    json_decref(document);
    pm_str_release(&text);
    free(path);
    return rc;
}

void pm_audit_recording_release(struct pm_audit_recording *recording)
{
    for (size_t i = 0; i < recording->by_place.capacity; i++) {
        struct pm_audit__recorded_list *list = recording->by_place.entries[i].value;
        if (!recording->by_place.entries[i].key)
            continue;
        for (size_t k = 0; k < list->count; k++) {
            free((void *)(uintptr_t)list->items[k].name); /* they are the list's own */
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

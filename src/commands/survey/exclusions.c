/* Reads the list of functions to exclude from a sample, with reasons, in its file formats. */
#include "survey/exclusions.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"

enum { LONGEST_WORD = 1000 };

/* Copies a string as one line of UTF-8, for JSON. */
static const char *keep(struct exclusions *list, const char *text)
{
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, text, LONGEST_WORD);
    PM_GROW(list->strings, list->string_count, list->string_capacity);
    return list->strings[list->string_count++] = pm_str_detach(&line);
}

bool pm_survey__exclusions_add(struct exclusions *list, const char *name,
                               enum pm_criterion criterion, const char *why)
{
    const char *kept = keep(list, name); /* two names may become the same line */
    if (pm_map_has(&list->by_name, kept))
        return false;
    pm_map_put(&list->by_name, kept, list);
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct pm_exclusion){
        .name = kept, .criterion = criterion, .why = why ? keep(list, why) : NULL};
    return true;
}

void pm_survey__exclusions_release(struct exclusions *list)
{
    pm_map_release(&list->by_name);
    pm_free_strings(list->strings, list->string_count);
    free(list->items);
    *list = (struct exclusions){0};
}

/* ---- the file ------------------------------------------------------------------------------- */

struct place {
    const char *path, *unit; /* "line", "item" */
    size_t number;
};

static int add_checked(struct exclusions *list, const struct place *at, const char *name,
                       const char *criterion, const char *why, struct pm_error *err)
{
    enum pm_criterion parsed;
    if (!pm_criterion_parse(criterion, &parsed)) {
        pm_words_unknown(&pm_criterion_words, "criterion", criterion, err);
        return pm_error_prefix(err, PM_EFORMAT, "--exclude '%s', %s %zu", at->path, at->unit,
                               at->number);
    }
    if (!pm_survey__exclusions_add(list, name, parsed, why && *why ? why : NULL))
        return pm_error_set(err, PM_EFORMAT,
                            "--exclude '%s', %s %zu: function '%s' is excluded twice: name it once",
                            at->path, at->unit, at->number, name);
    return PM_OK;
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t end = strlen(text);
    while (end && strchr(" \t\r", text[end - 1]))
        end--;
    text[end] = 0;
    return text;
}

static int read_line(struct exclusions *list, const struct place *at, char *line,
                     struct pm_error *err)
{
    line = trim(line);
    if (!*line || *line == '#')
        return PM_OK;
    char *criterion = strchr(line, '=');
    if (!criterion || criterion == line)
        return pm_error_set(
            err, PM_EFORMAT,
            "--exclude '%s', line %zu: '%.60s' is not an exclusion: write NAME = CRITERION: WHY",
            at->path, at->number, line);
    *criterion++ = 0;
    char *why = strchr(criterion, ':');
    if (why)
        *why++ = 0;
    return add_checked(list, at, trim(line), trim(criterion), why ? trim(why) : NULL, err);
}

static int read_lines(struct exclusions *list, const char *path, char *text, struct pm_error *err)
{
    struct place at = {.path = path, .unit = "line"};
    for (char *line; (line = strsep(&text, "\n"));) {
        at.number++;
        PM_TRY(read_line(list, &at, line, err));
    }
    return PM_OK;
}

static int read_items(struct exclusions *list, const char *path, const json_t *items,
                      struct pm_error *err)
{
    struct place at = {.path = path, .unit = "item"};
    size_t i;
    json_t *item;
    if (!json_is_array(items))
        return pm_error_set(err, PM_EFORMAT,
                            "--exclude '%s': the file is not a JSON list of exclusions: "
                            "docs/sampling.md shows the form",
                            path);
    json_array_foreach(items, i, item) {
        const char *name = pm_json_string(item, "name", ""),
                   *criterion = pm_json_string(item, "criterion", "");
        at.number = i + 1;
        if (!*name || !*criterion)
            return pm_error_set(err, PM_EFORMAT, "--exclude '%s', item %zu has no '%s': add it",
                                path, at.number, *name ? "criterion" : "name");
        PM_TRY(add_checked(list, &at, name, criterion, pm_json_string(item, "why", NULL), err));
    }
    return PM_OK;
}

int pm_survey__exclusions_read(struct exclusions *list, const char *path, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    json_t *items = NULL;
    int rc = pm_file_read(path, &text, err);
    if (rc)
        return pm_error_prefix(err, rc, "--exclude");
    const char first = text.data[strspn(text.data, " \t\r\n")];
    if (first == '[' || first == '{') {
        rc = pm_json_parse(text.data, text.length, &items, err);
        rc = rc ? pm_error_prefix(err, rc, "--exclude '%s'", path)
                : read_items(list, path, items, err);
    } else {
        rc = read_lines(list, path, text.data, err);
    }
    json_decref(items);
    pm_str_release(&text);
    return rc;
}

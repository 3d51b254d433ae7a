/* Plans the rows of a census from an inventory, and fills them from the answers of the driver. */
#include "census/census.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "census/census_private.h"

PM_WORDS_DEFINE(census_status, PM_CENSUS_STATUSES, PM_CENSUS);

void pm_census_release(struct pm_census *census)
{
    for (size_t i = 0; i < census->count; i++) {
        free(census->rows[i].name);
        free(census->rows[i].reason);
        free(census->rows[i].text);
    }
    for (int tier = 0; tier < PM_TIER_COUNT; tier++)
        free(census->absent[tier]);
    free(census->rows);
    free(census->framework);
    free(census->version);
    free(census->command);
    json_decref(census->plan);
    pm_map_release(&census->by_name);
    *census = (struct pm_census){0};
}

char *pm_census_module(const char *name)
{
    const char *first = strchr(name, '.'), *second = first ? strchr(first + 1, '.') : NULL;
    const bool in_class = first && isupper((unsigned char)first[1]);
    const char *end = second && !in_class ? second : first;
    return end ? pm_strndup(name, (size_t)(end - name)) : pm_strdup(name);
}

static void count_name(json_t *counts, const struct pm_census_row *row)
{
    const bool tried = row->status != PM_CENSUS_NOT_MEASURED, has_case = row->text;
    json_object_set_new(counts, "names", json_integer(pm_json_int(counts, "names", 0) + 1));
    json_object_set_new(counts, "measurable",
                        json_integer(pm_json_int(counts, "measurable", 0) + tried));
    json_object_set_new(counts, "with_case",
                        json_integer(pm_json_int(counts, "with_case", 0) + has_case));
}

json_t *pm_census_counts(const struct pm_census *census)
{
    json_t *counts = json_object(), *modules = json_object();
    for (size_t i = 0; i < census->count; i++) {
        char *module = pm_census_module(census->rows[i].name);
        if (!json_object_get(modules, module))
            json_object_set_new(modules, module, json_object());
        count_name(json_object_get(modules, module), &census->rows[i]);
        count_name(counts, &census->rows[i]);
        free(module);
    }
    json_object_set_new(counts, "modules", modules);
    return counts;
}

struct pm_census_row *pm_census_find(const struct pm_census *census, const char *name)
{
    const uintptr_t index = (uintptr_t)pm_map_get(&census->by_name, name);
    return index ? &census->rows[index - 1] : NULL;
}

struct pm_census_row *pm_census__add(struct pm_census *census, const char *name)
{
    PM_GROW(census->rows, census->count, census->capacity);
    struct pm_census_row *row = &census->rows[census->count++];
    *row = (struct pm_census_row){.name = pm_strdup(name), .status = PM_CENSUS_NOT_TRIED};
    row->reason = pm_strdup("");
    pm_map_put(&census->by_name, name, (void *)(uintptr_t)census->count);
    return row;
}

static void set_text(char **text, const char *value)
{
    free(*text);
    *text = value ? pm_strdup(value) : NULL;
}

/* ---- the rules ------------------------------------------------------------------------------ */

static int add_rule(struct pm_census_rules *rules, const char *path, char *line,
                    struct pm_error *err)
{
    char *rest = line;
    const char *framework = strsep(&rest, "\t"), *glob = strsep(&rest, "\t");
    if (!glob || !rest || !*rest)
        return pm_error_set(err, PM_EFORMAT,
                            "'%s' has a line that begins with '%.60s' and lacks the framework, the "
                            "glob or the reason: write all three, separated by tabs",
                            path, line);
    PM_GROW(rules->items, rules->count, rules->capacity);
    rules->items[rules->count++] =
        (struct pm_census_rule){pm_strdup(framework), pm_strdup(glob), pm_strdup(rest)};
    return PM_OK;
}

int pm_census_rules_load(struct pm_census_rules *out, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    char *home = NULL;
    PM_TRY(pm_path_home(&home, err));
    char *path = pm_path_join(home, "rules/not-measurable.tsv");
    int rc = pm_file_read(path, &text, err);
    char *rest = text.data, *line;
    while (!rc && text.length && (line = strsep(&rest, "\n")))
        if (*line && *line != '#')
            rc = add_rule(out, path, line, err);
    pm_str_release(&text);
    free(path);
    free(home);
    return rc;
}

void pm_census_rules_release(struct pm_census_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        free(rules->items[i].framework);
        free(rules->items[i].glob);
        free(rules->items[i].reason);
    }
    free(rules->items);
    *rules = (struct pm_census_rules){0};
}

static const char *why_not(const struct pm_census_rules *rules, const char *framework,
                           const char *name)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!strcmp(rules->items[i].framework, framework) &&
            !fnmatch(rules->items[i].glob, name, 0))
            return rules->items[i].reason;
    return NULL;
}

void pm_census_plan(struct pm_census *census, const struct pm_inventory *inventory,
                    const struct pm_census_rules *rules)
{
    *census =
        (struct pm_census){.framework = pm_strdup(inventory->framework), .version = pm_strdup("")};
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        const char *reason = why_not(rules, inventory->framework, entry->name);
        struct pm_census_row *row = pm_census__add(census, entry->name);
        row->kind = entry->kind;
        if (reason) {
            row->status = PM_CENSUS_NOT_MEASURED;
            set_text(&row->reason, reason);
        }
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

static int wrong_line(const char *line, struct pm_error *err)
{
    return pm_error_set(
        err, PM_EFORMAT,
        "the driver of the census printed '%.80s', which is not an answer: report this "
        "fault of portmeter",
        line);
}

/* Adds a value of a case as YAML; JSON is valid YAML. */
static void add_member(struct pm_str *out, const char *key, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    if (value)
        pm_str_addf(out, "    %s: %s\n", key, text);
    free(text);
}

/* Returns the text of the case file of a name. The caller frees it. */
static char *case_file(const struct pm_census_row *row, const json_t *found)
{
    static const char *const keys[] = {"context", "inputs", "setup",   "modules",   "call",
                                       "output",  "repeat", "compare", "tolerance", "host_outputs"};
    const json_t *one = json_object_get(found, "case");
    struct pm_str out = PM_STR_INIT;
    pm_str_addf(&out, "function: %s\ntier: %s\n", row->name, pm_tier_text(row->tier));
    if (row->status == PM_CENSUS_HOST_ONLY)
        pm_str_add(&out, "host_only: true\n");
    if (row->status != PM_CENSUS_VALUES) {
        char *reason = json_dumps(json_object_get(found, "reason"), JSON_ENCODE_ANY);
        pm_str_addf(&out, "no_values: %s\n", reason ? reason : "\"\"");
        free(reason);
    }
    pm_str_addf(&out, "cases:\n  - name: %s\n", pm_tier_text(row->tier));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add_member(&out, keys[i], json_object_get(one, keys[i]));
    return pm_str_detach(&out);
}

/* Returns whether the case that a source found measures more than the case of the row. If both
 * measure the same, the case of the row stays, because better sources come first in the enum. */
static bool is_better(const struct pm_census_row *row, enum pm_census_status status)
{
    return !row->text || status < row->status;
}

static bool take_found(struct pm_census_row *row, enum pm_tier tier, const json_t *found)
{
    enum pm_census_status status;
    if (!json_is_object(found) ||
        !json_is_string(json_object_get(json_object_get(found, "case"), "call")) ||
        !pm_census_status_parse(pm_json_string(found, "what", ""), &status) ||
        status > PM_CENSUS_HOST_ONLY)
        return false;
    row->from[tier] = true;
    if (!is_better(row, status))
        return true;
    row->tier = tier;
    row->status = status;
    set_text(&row->reason, status == PM_CENSUS_VALUES ? "" : pm_json_string(found, "reason", ""));
    free(row->text);
    row->text = case_file(row, found);
    return true;
}

static int take_name(struct pm_census *census, const json_t *answer, const char *line,
                     struct pm_error *err)
{
    struct pm_census_row *row = pm_census_find(census, pm_json_string(answer, "name", ""));
    const json_t *found = json_object_get(answer, "found");
    const char *reason = pm_json_string(answer, "reason", NULL);
    const char *died = pm_json_string(answer, "died", NULL);
    if (!row)
        return wrong_line(line, err);
    row->status = PM_CENSUS_NO_CASE;
    set_text(&row->text, NULL);
    memset(row->from, 0, sizeof row->from);
    for (int tier = PM_TIER_METADATA; tier < PM_TIER_COUNT; tier++) {
        const json_t *one = json_object_get(found, pm_tier_text((enum pm_tier)tier));
        if (one && !take_found(row, (enum pm_tier)tier, one))
            return wrong_line(line, err);
    }
    if (!row->text)
        set_text(&row->reason, died ? died : reason ? reason : "");
    return PM_OK;
}

static void forget(struct pm_census *census)
{
    for (size_t i = 0; i < census->count; i++) {
        struct pm_census_row *row = &census->rows[i];
        if (row->status == PM_CENSUS_NOT_MEASURED)
            continue;
        row->status = PM_CENSUS_NOT_TRIED;
        memset(row->from, 0, sizeof row->from);
        set_text(&row->reason, "");
        set_text(&row->text, NULL);
    }
}

int pm_census_take(struct pm_census *census, const char *line, struct pm_error *err)
{
    json_t *answer = NULL;
    if (pm_json_parse(line, strlen(line), &answer, NULL) || !json_is_object(answer)) {
        json_decref(answer);
        return wrong_line(line, err);
    }
    const char *version = pm_json_string(answer, "version", NULL);
    int rc = PM_OK;
    if (version) {
        const json_t *absent = json_object_get(answer, "absent");
        if (*census->version && strcmp(census->version, version) != 0)
            forget(census);
        set_text(&census->version, version);
        for (int tier = 0; tier < PM_TIER_COUNT; tier++)
            set_text(&census->absent[tier],
                     pm_json_string(absent, pm_tier_text((enum pm_tier)tier), NULL));
    } else {
        rc = take_name(census, answer, line, err);
    }
    json_decref(answer);
    return rc;
}

static void swap_texts(char **a, char **b)
{
    char *kept = *a;
    *a = *b;
    *b = kept;
}

void pm_census_keep(struct pm_census *census, struct pm_census *older)
{
    for (size_t i = 0; i < census->count; i++) {
        struct pm_census_row *row = &census->rows[i], *before = pm_census_find(older, row->name);
        if (row->status != PM_CENSUS_NOT_TRIED || !before ||
            before->status == PM_CENSUS_NOT_MEASURED)
            continue;
        row->status = before->status;
        row->tier = before->tier;
        memcpy(row->from, before->from, sizeof row->from);
        swap_texts(&row->reason, &before->reason);
        swap_texts(&row->text, &before->text);
    }
}

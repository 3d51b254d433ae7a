/* Reads a case file: its function and all its cases. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "suite/suite_private.h"

#define PLANTED_FAULT_FUNCTION "portmeter.planted_fault"

enum {
    FUNCTION,
    PAPER,
    HOST_ONLY,
    PUBLIC,
    ABSENT,
    PLANTED_FAULTS,
    FEW_CORE,
    TIER,
    NO_VALUES,
    CASES,
    FUNCTION_KEYS
};
static const struct pm_suite__key function_keys[FUNCTION_KEYS] = {
    [FUNCTION] = {"function", PM_FORM_TEXT, "function: package.sort"},
    [PAPER] = {"paper", PM_FORM_MAPPING, "paper: {stratum: decile 40, table: 5}"},
    [HOST_ONLY] = {"host_only", PM_FORM_TRUTH, "host_only: true"},
    [PUBLIC] = {"public", PM_FORM_TRUTH, "public: false"},
    [ABSENT] = {"absent", PM_FORM_MAPPING, "absent: {until: \"2.15\", replaced_by: package.Sort}"},
    [PLANTED_FAULTS] = {"planted_faults", PM_FORM_TRUTH, "planted_faults: true"},
    [FEW_CORE] = {"few_core", PM_FORM_TEXT, "few_core: \"the only call has no arguments\""},
    [TIER] = {"tier", PM_FORM_TEXT, "tier: searched"},
    [NO_VALUES] = {"no_values", PM_FORM_TEXT, "no_values: \"the values are random\""},
    [CASES] = {"cases", PM_FORM_ITEMS, "cases: [{name: rows, call: package.ones(3)}]"},
};
#define ABSENCE "absence" /* name of the case for versions that lack the function */

enum { ABSENT_UNTIL, ABSENT_REPLACED_BY, ABSENT_KEYS };
static const struct pm_suite__key absent_keys[ABSENT_KEYS] = {
    [ABSENT_UNTIL] = {"until", PM_FORM_TEXT, "absent: {until: \"2.15\"}"},
    [ABSENT_REPLACED_BY] = {"replaced_by", PM_FORM_TEXT,
                            "absent: {until: \"2.15\", replaced_by: package.Sort}"},
};

enum { PAPER_NAME, PAPER_STRATUM, PAPER_TABLE, PAPER_KEYS, MOST_TABLE = 1000 };
static const struct pm_suite__key paper_keys[PAPER_KEYS] = {
    [PAPER_NAME] = {"name", PM_FORM_TEXT, "name: package.old_sort"},
    [PAPER_STRATUM] = {"stratum", PM_FORM_TEXT, "stratum: top 20"},
    [PAPER_TABLE] = {"table", PM_FORM_NUMBER, "paper: {table: 5}"},
};

static int read_paper(const struct pm_suite__file *file, const struct pm_suite__entry *entry,
                      json_t **out, struct pm_error *err)
{
    struct pm_suite__entry entries[PAPER_KEYS] = {0};
    if (!entry->key)
        return PM_OK;
    PM_TRY(
        pm_suite__read_keys(file, entry->value, "'paper'", paper_keys, PAPER_KEYS, entries, err));
    const double table = pm_suite__number(entries[PAPER_TABLE].value);
    if (entries[PAPER_TABLE].key && !(table >= 0 && table <= MOST_TABLE && table == floor(table)))
        return pm_suite__wrong(file, entries[PAPER_TABLE].value, err,
                               "'table' must be the number of a table, as in %s",
                               paper_keys[PAPER_TABLE].example);
    json_t *paper = pm_suite__keep_json(file->own, json_object());
    for (size_t i = 0; i < PAPER_KEYS; i++) {
        struct fy_node *value = entries[i].value;
        if (!value)
            continue;
        json_t *member = paper_keys[i].form == PM_FORM_NUMBER
                             ? json_integer((json_int_t)table)
                             : json_string(pm_suite__text(file, value));
        json_object_set_new(paper, paper_keys[i].name, member);
    }
    *out = paper;
    return PM_OK;
}

static int read_absent(const struct pm_suite__file *file, const struct pm_suite__entry *entry,
                       json_t **out, struct pm_error *err)
{
    struct pm_suite__entry entries[ABSENT_KEYS] = {0};
    if (!entry->key)
        return PM_OK;
    PM_TRY(pm_suite__read_keys(file, entry->value, "'absent'", absent_keys, ABSENT_KEYS, entries,
                               err));
    const struct pm_suite__entry *until = &entries[ABSENT_UNTIL];
    if (!until->key || !pm_suite__is_version(pm_suite__text(file, until->value)))
        return pm_suite__wrong(
            file, until->key ? until->value : entry->value, err,
            "'absent' does not name the last version that has the function: name it as in %s",
            absent_keys[ABSENT_UNTIL].example);
    *out = pm_suite__keep_json(file->own, json_object());
    for (size_t i = 0; i < ABSENT_KEYS; i++)
        if (entries[i].key)
            json_object_set_new(*out, absent_keys[i].name,
                                json_string(pm_suite__text(file, entries[i].value)));
    return PM_OK;
}

/* Adds the case for versions that no longer have the function: a driver checks that the function is
 * absent. */
static void add_absence(const struct pm_suite__file *file, struct fy_node *at,
                        struct pm_suite__loaded *out)
{
    PM_GROW(out->cases, out->count, out->capacity);
    out->cases[out->count++] = (struct pm_case){
        .name = ABSENCE,
        .base = ABSENCE,
        .file = file->path,
        .line = pm_suite__line(file, at),
        .call = "None",
        .output = "out",
        .is_absence = true,
        .after = pm_json_string(out->function.absent, "until", NULL),
    };
}

/* Checks the name of the function, and that the file is called FUNCTION.yaml. A file of planted
 * faults may have any name. */
static int check_name(const struct pm_suite__file *file, const struct pm_suite__entry *entry,
                      const char *name, bool planted_faults, struct pm_error *err)
{
    if (planted_faults != (strcmp(name, PLANTED_FAULT_FUNCTION) == 0))
        return pm_suite__wrong(file, entry->value, err,
                               "'planted_faults: true' and 'function: " PLANTED_FAULT_FUNCTION
                               "' belong together: give both or neither");
    char *part = pm_strdup(name), *rest = part, *piece;
    bool dotted = true;
    while ((piece = strsep(&rest, ".")))
        dotted = dotted && pm_suite__is_identifier(piece);
    free(part);
    if (!dotted)
        return pm_suite__wrong(file, entry->value, err,
                               "'%.100s' is not the qualified name of a function: write it as in "
                               "package.sort",
                               name);
    const char *slash = strrchr(file->path, '/');
    const char *base = slash ? slash + 1 : file->path;
    const size_t length = strlen(name);
    if (!planted_faults &&
        (strncmp(base, name, length) != 0 || strcmp(base + length, ".yaml") != 0))
        return pm_suite__wrong(
            file, entry->value, err,
            "the file name does not match function '%.100s': rename the file to %.100s.yaml", name,
            name);
    return PM_OK;
}

/* Checks that no two cases have the same name; `seen` maps the names so far to their nodes. */
static int check_unique(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                        struct pm_map *seen, struct pm_error *err)
{
    struct fy_node *node = draft->entries[PM_KEY_NAME].value;
    struct fy_node *first = pm_map_get(seen, draft->c.base);
    if (first)
        return pm_suite__wrong(file, node, err,
                               "duplicate case name '%s', used in line %d: choose another",
                               draft->c.base, pm_suite__line(file, first));
    pm_map_put(seen, draft->c.base, node);
    return PM_OK;
}

/* Checks that the cases of a removed function apply only to versions that have it. */
static int check_present(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                         const json_t *absent, struct pm_error *err)
{
    const char *last = pm_json_string(absent, "until", NULL);
    const struct pm_case present = {.until = last};
    const char *const own[] = {draft->c.since, draft->c.until};
    static const enum pm_suite__case_key keys[] = {PM_KEY_SINCE, PM_KEY_UNTIL};
    if (!absent)
        return PM_OK;
    if (strcmp(draft->c.base, ABSENCE) == 0)
        return pm_suite__wrong(file, draft->entries[PM_KEY_NAME].value, err,
                               "a case of a function with 'absent' must not be called '" ABSENCE
                               "': choose another name");
    for (size_t i = 0; i < 2; i++)
        if (own[i] && !pm_case_in_version(&present, own[i]))
            return pm_suite__wrong(file, draft->entries[keys[i]].value, err,
                                   "'%s' is later than 'until' of 'absent', the last version that "
                                   "has the function: change one of them",
                                   fy_node_get_scalar0(draft->entries[keys[i]].key));
    if (!draft->c.until)
        draft->c.until = last;
    return PM_OK;
}

static int read_cases(const struct pm_suite__file *file, struct fy_node *cases, bool planted_faults,
                      struct pm_suite__loaded *out, struct pm_error *err)
{
    struct pm_map seen = {0};
    void *previous = NULL;
    int rc = PM_OK;
    for (struct fy_node *item; !rc && (item = fy_node_sequence_iterate(cases, &previous));) {
        struct pm_suite__draft draft = {0};
        rc = pm_suite__read_case(file, item, planted_faults, &draft, err);
        if (!rc)
            rc = pm_suite__check_case(file, out->function.name, out->function.host_only, &draft,
                                      err);
        if (!rc)
            rc = check_present(file, &draft, out->function.absent, err);
        if (!rc)
            rc = check_unique(file, &draft, &seen, err);
        if (!rc)
            rc = pm_suite__expand(file, &draft, out, err);
    }
    pm_map_release(&seen);
    return rc;
}

/* Reads the tier of the cases, and why they check no values (`no_values`). */
static int read_tier(const struct pm_suite__file *file, const struct pm_suite__entry *entries,
                     struct pm_function *function, struct pm_error *err)
{
    const struct pm_suite__entry *tier = &entries[TIER], *no_values = &entries[NO_VALUES];
    int found = PM_TIER_REVIEWED;
    if (tier->key)
        PM_TRY(pm_suite__find_word(file, tier->value, pm_suite__text(file, tier->value), "tier",
                                   &pm_tier_words, &found, err));
    function->tier = (enum pm_tier)found;
    if (!no_values->key)
        return PM_OK;
    if (function->tier == PM_TIER_REVIEWED)
        return pm_suite__wrong(file, no_values->key, err,
                               "'no_values' is for cases that a program made: add 'tier', or "
                               "remove 'no_values'");
    function->no_values = pm_suite__text(file, no_values->value);
    return PM_OK;
}

int pm_suite__read_function(const struct pm_suite__file *file, struct pm_suite__loaded *out,
                            struct pm_error *err)
{
    struct pm_suite__entry entries[FUNCTION_KEYS] = {0};
    PM_TRY(pm_suite__read_keys(file, file->root, "the file", function_keys, FUNCTION_KEYS, entries,
                               err));
    for (size_t i = 0; i < FUNCTION_KEYS; i++)
        if (!entries[i].key && (i == FUNCTION || i == CASES))
            return pm_suite__wrong(file, file->root, err,
                                   "the key '%s' is missing: add it, as in %s",
                                   function_keys[i].name, function_keys[i].example);
    const bool planted_faults =
        entries[PLANTED_FAULTS].key && pm_suite__truth(entries[PLANTED_FAULTS].value);
    struct pm_function *function = &out->function;
    function->name = pm_suite__text(file, entries[FUNCTION].value);
    function->framework = file->framework;
    function->file = file->path;
    function->host_only = entries[HOST_ONLY].key && pm_suite__truth(entries[HOST_ONLY].value);
    function->is_private = entries[PUBLIC].key && !pm_suite__truth(entries[PUBLIC].value);
    PM_TRY(check_name(file, &entries[FUNCTION], function->name, planted_faults, err));
    PM_TRY(read_tier(file, entries, function, err));
    PM_TRY(read_paper(file, &entries[PAPER], &function->paper, err));
    PM_TRY(read_absent(file, &entries[ABSENT], &function->absent, err));
    if (!function->absent && fy_node_sequence_item_count(entries[CASES].value) == 0)
        return pm_suite__wrong(file, entries[CASES].key, err,
                               "'cases' is empty: add a case, as in %s, or say with 'absent' that "
                               "the framework no longer has the function",
                               function_keys[CASES].example);
    PM_TRY(read_cases(file, entries[CASES].value, planted_faults, out, err));
    PM_TRY(pm_suite__count_core(file, &entries[FEW_CORE], out, err));
    if (function->absent)
        add_absence(file, entries[ABSENT].key, out);
    return PM_OK;
}

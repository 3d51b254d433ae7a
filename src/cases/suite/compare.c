/* Reads and checks `compare` and `tolerance`: how all outputs, or single paths, are compared. */
#include <string.h>

#include "base/json.h"
#include "suite/suite_private.h"

#define DEFAULT "default"

/* Reads the text of a key of a mapping whose keys are paths. */
static int read_key(const struct pm_suite__file *file, struct fy_node *key, const char *what,
                    const char **out, struct pm_error *err)
{
    if (!key || !fy_node_is_scalar(key) || !*fy_node_get_scalar0(key))
        return pm_suite__wrong(
            file, key, err, "a key of '%s' is empty or not a string: write a path in quotes", what);
    *out = pm_suite__text(file, key);
    return PM_OK;
}

static int read_paths(const struct pm_suite__file *file, struct fy_node *node, struct pm_case *c,
                      struct pm_error *err)
{
    void *previous = NULL;
    c->compare_of = pm_suite__keep_json(file->own, json_object());
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));) {
        struct fy_node *key = fy_node_pair_key(pair), *value = fy_node_pair_value(pair);
        const char *path = NULL;
        int how;
        PM_TRY(read_key(file, key, "compare", &path, err));
        if (!value || !fy_node_is_scalar(value))
            return pm_suite__wrong(file, key, err,
                                   "'%.64s' of 'compare' must be a string, as in "
                                   "compare: {out: shape, \"x.grad\": close}",
                                   path);
        PM_TRY(pm_suite__find_word(file, value, fy_node_get_scalar0(value), "compare",
                                   &pm_compare_words, &how, err));
        if (strcmp(path, DEFAULT) == 0)
            c->compare = (enum pm_compare)how;
        json_object_set_new(c->compare_of, path, json_string(pm_compare_words.texts[how]));
    }
    return PM_OK;
}

int pm_suite__read_compare(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                           struct pm_error *err)
{
    struct fy_node *value = draft->entries[PM_KEY_COMPARE].value;
    int how = PM_COMPARE_CLOSE;
    draft->c.compare = draft->c.undefined ? PM_COMPARE_SHAPE : PM_COMPARE_CLOSE;
    if (!value)
        return PM_OK;
    if (fy_node_is_mapping(value))
        return read_paths(file, value, &draft->c, err);
    PM_TRY(pm_suite__find_word(file, value, fy_node_get_scalar0(value), "compare",
                               &pm_compare_words, &how, err));
    draft->c.compare = (enum pm_compare)how;
    return PM_OK;
}

/* Limits of tolerances. An rtol must be below 1, because from 1 on, zeros pass for every reference.
 * An atol does not scale with the values: MOST_ATOL is above the rounding errors of the generator's
 * values, which are of order 1, and of their sums. */
static const double BELOW_RTOL = 1, MOST_ATOL = 1000;

static int check_pair(const struct pm_suite__file *file, struct fy_node *rtol, struct fy_node *atol,
                      struct pm_error *err)
{
    if (pm_suite__number(rtol) >= BELOW_RTOL)
        return pm_suite__wrong(file, rtol, err,
                               "with an 'rtol' of 1 or more, the comparison cannot fail, because "
                               "zeros always pass: use less than 1");
    if (pm_suite__number(atol) > MOST_ATOL)
        return pm_suite__wrong(file, atol, err,
                               "'atol' is over %g, so the comparison cannot fail for smaller "
                               "values: use a smaller 'atol', or 'rtol' for large values",
                               MOST_ATOL);
    return PM_OK;
}

static int read_pair(const struct pm_suite__file *file, struct fy_node *node, json_t **out,
                     struct pm_error *err)
{
    enum { RTOL, ATOL, COUNT };
    static const struct pm_suite__key keys[COUNT] = {
        [RTOL] = {"rtol", PM_FORM_NUMBER, "{rtol: 1e-3, atol: 1e-5}"},
        [ATOL] = {"atol", PM_FORM_NUMBER, "{rtol: 1e-3, atol: 1e-5}"},
    };
    struct pm_suite__entry entries[COUNT] = {0};
    PM_TRY(pm_suite__read_keys(file, node, "'tolerance'", keys, COUNT, entries, err));
    for (size_t i = 0; i < COUNT; i++)
        if (!entries[i].key || pm_suite__number(entries[i].value) < 0)
            return pm_suite__wrong(file, node, err,
                                   "'tolerance' has no '%s' of 0 or more: add it, as in %s",
                                   keys[i].name, keys[i].example);
    PM_TRY(check_pair(file, entries[RTOL].value, entries[ATOL].value, err));
    *out = pm_suite__keep_json(file->own, json_pack("{s:f, s:f}", "rtol",
                                                    pm_suite__number(entries[RTOL].value), "atol",
                                                    pm_suite__number(entries[ATOL].value)));
    return PM_OK;
}

/* Returns whether every value is a mapping: then the keys are dtypes and paths. */
static bool is_by_key(struct fy_node *node)
{
    void *previous = NULL;
    bool by_key = true;
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));)
        by_key = by_key && fy_node_pair_value(pair) && fy_node_is_mapping(fy_node_pair_value(pair));
    return by_key;
}

int pm_suite__read_tolerance(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                             struct pm_error *err)
{
    struct fy_node *value = draft->entries[PM_KEY_TOLERANCE].value;
    void *previous = NULL;
    if (!value)
        return PM_OK;
    if (!is_by_key(value))
        return read_pair(file, value, &draft->c.tolerance, err);
    draft->c.tolerance = pm_suite__keep_json(file->own, json_object());
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(value, &previous));) {
        const char *key = NULL;
        json_t *tolerance = NULL;
        PM_TRY(read_key(file, fy_node_pair_key(pair), "tolerance", &key, err));
        PM_TRY(read_pair(file, fy_node_pair_value(pair), &tolerance, err));
        json_object_set(draft->c.tolerance, key, tolerance);
    }
    return PM_OK;
}

/* ---- keys that exclude each other ----------------------------------------------------------- */

static bool begins_with_name(const char *path, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(path, name, length) == 0 && (!path[length] || strchr(".[", path[length]));
}

/* Returns whether a path begins with the name of an output, an input, an argument or a module. */
static bool is_path_of(const struct pm_case *c, const char *path)
{
    bool found = begins_with_name(path, "out") || begins_with_name(path, "series");
    for (size_t i = 0; i < c->input_count; i++)
        found = found || begins_with_name(path, c->inputs[i].name);
    for (size_t i = 0; i < c->argument_count; i++)
        found = found || begins_with_name(path, c->arguments[i]);
    for (size_t i = 0; i < c->module_count; i++)
        found = found || begins_with_name(path, c->modules[i]);
    return found;
}

static int check_paths(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                       enum pm_suite__case_key of, const json_t *rules, bool dtypes,
                       struct pm_error *err)
{
    const char *path, *name = of == PM_KEY_COMPARE ? "compare" : "tolerance";
    json_t *rule;
    enum pm_dtype dtype;
    size_t paths = 0;
    json_object_foreach((json_t *)(uintptr_t)rules, path, rule) {
        if (strcmp(path, DEFAULT) == 0 || (dtypes && pm_dtype_parse(path, &dtype)))
            continue;
        if (!is_path_of(&draft->c, path))
            return pm_suite__wrong(
                file, draft->entries[of].value, err,
                "'%.64s' of '%s' is not the path of an output or a gradient%s: write "
                "it as in out[1] or \"x.grad\"",
                path, name, dtypes ? " or a dtype" : "");
        if (++paths > PM_MOST_COMPARED_PATHS)
            return pm_suite__wrong(
                file, draft->entries[of].value, err,
                "'%s' has more than %d paths: name a container instead of its parts", name,
                (int)PM_MOST_COMPARED_PATHS);
    }
    return PM_OK;
}

static bool is_close(enum pm_compare how)
{
    return how == PM_COMPARE_CLOSE || how == PM_COMPARE_SIGN;
}

/* Returns whether any output or gradient is compared within a tolerance. */
static bool any_close(const struct pm_case *c)
{
    const char *path;
    json_t *word;
    bool close = is_close(c->compare);
    json_object_foreach(c->compare_of, path, word) {
        enum pm_compare how;
        close = close || (pm_compare_parse(json_string_value(word), &how) && is_close(how));
    }
    return close;
}

/* Returns how the output as a whole is compared. */
static enum pm_compare compare_of_output(const struct pm_case *c)
{
    enum pm_compare how = c->compare;
    (void)pm_compare_parse(pm_json_string(c->compare_of, "out", ""), &how);
    return how;
}

int pm_suite__check_compare(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                            struct pm_error *err)
{
    const struct pm_case *c = &draft->c;
    const bool flat = json_is_number(json_object_get(c->tolerance, "rtol"));
    if (c->tolerance && !any_close(c))
        return pm_suite__wrong(file, draft->entries[PM_KEY_TOLERANCE].key, err,
                               "'tolerance' has no effect with 'compare: %s': remove one of them",
                               pm_compare_text(c->compare));
    if (c->expect && compare_of_output(c) == PM_COMPARE_SHAPE)
        return pm_suite__wrong(file, draft->entries[PM_KEY_EXPECT].key, err,
                               "'expect' has no effect with 'compare: shape': use 'check' for a "
                               "property of random values");
    if (c->backward && !c->compare_of &&
        (c->compare == PM_COMPARE_SET || c->compare == PM_COMPARE_SIGN))
        return pm_suite__wrong(file, draft->entries[PM_KEY_BACKWARD].key, err,
                               "'backward' has no effect with 'compare: %s': remove one of them, "
                               "or name the paths that 'compare' applies to",
                               pm_compare_text(c->compare));
    PM_TRY(check_paths(file, draft, PM_KEY_COMPARE, c->compare_of, false, err));
    return flat ? PM_OK : check_paths(file, draft, PM_KEY_TOLERANCE, c->tolerance, true, err);
}

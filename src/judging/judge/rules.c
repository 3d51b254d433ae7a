/* Reads the comparison rule of a case from its stored definition, and finds the rule of one
 * leaf. */

#include <string.h>

#include "base/json.h"
#include "judge/judge_private.h"

#define DEFAULT "default" /* the key beside paths and dtypes */

bool pm_path_is_within(const char *path, const char *whole)
{
    const size_t length = strlen(whole);
    return strncmp(path, whole, length) == 0 &&
           (!path[length] || path[length] == '.' || path[length] == '[');
}

/* Returns the path of the same output for the first shape of a series, because all shapes have the
 * rule of the first one: series[2].out[0] has the rule of out[0]. */
static const char *path_in_first(const char *path)
{
    if (!pm_path_is_within(path, "series"))
        return path;
    const char *end = strchr(path, ']');
    return end && end[1] == '.' ? end + 2 : path;
}

/* Returns the rule of a path, and adds it if it is new; NULL if there is no room. */
static struct pm_path_rule *rule_of_path(struct pm_compare_rule *rule, const char *path)
{
    for (size_t i = 0; i < rule->path_count; i++)
        if (strcmp(rule->paths[i].path, path) == 0)
            return &rule->paths[i];
    if (rule->path_count == sizeof rule->paths / sizeof *rule->paths)
        return NULL;
    rule->paths[rule->path_count] = (struct pm_path_rule){.path = path};
    return &rule->paths[rule->path_count++];
}

static void read_compare(const json_t *compare, struct pm_compare_rule *rule)
{
    const char *path;
    json_t *word;
    if (json_is_string(compare))
        (void)pm_compare_parse(json_string_value(compare), &rule->how);
    json_object_foreach((json_t *)(uintptr_t)compare, path, word) {
        enum pm_compare how;
        if (!json_is_string(word) || !pm_compare_parse(json_string_value(word), &how))
            continue;
        struct pm_path_rule *of_path = NULL;
        if (strcmp(path, DEFAULT) == 0)
            rule->how = how;
        else if ((of_path = rule_of_path(rule, path)))
            *of_path = (struct pm_path_rule){.path = path, .has_how = true, .how = how};
    }
}

static struct pm_given_tolerance tolerance_of(const json_t *value)
{
    return (struct pm_given_tolerance){.given = true,
                                       .rtol = pm_json_real(value, "rtol", 0),
                                       .atol = pm_json_real(value, "atol", 0)};
}

static void read_tolerance(const json_t *tolerance, struct pm_compare_rule *rule)
{
    const char *key;
    json_t *value;
    enum pm_dtype dtype;
    if (json_is_number(json_object_get(tolerance, "rtol"))) {
        rule->by_default = tolerance_of(tolerance);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)tolerance, key, value) {
        struct pm_path_rule *of_path;
        if (strcmp(key, DEFAULT) == 0)
            rule->by_default = tolerance_of(value);
        else if (pm_dtype_parse(key, &dtype))
            rule->of_dtype[dtype] = tolerance_of(value);
        else if ((of_path = rule_of_path(rule, key)))
            of_path->tolerance = tolerance_of(value);
    }
}

struct pm_compare_rule pm_compare_rule_of(const json_t *definition, bool shape_only)
{
    struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE};
    read_compare(json_object_get(definition, "compare"), &rule);
    read_tolerance(json_object_get(definition, "tolerance"), &rule);
    if (shape_only)
        rule = (struct pm_compare_rule){.how = PM_COMPARE_SHAPE};
    return rule;
}

bool pm_compare_rule_needs_values(const struct pm_compare_rule *rule)
{
    bool needs = rule->how != PM_COMPARE_SHAPE;
    for (size_t i = 0; i < rule->path_count; i++)
        needs = needs || (rule->paths[i].has_how && rule->paths[i].how != PM_COMPARE_SHAPE);
    return needs;
}

struct pm_compare_rule pm_judge__rule_at(const struct pm_compare_rule *rule, const char *path)
{
    struct pm_compare_rule at = *rule;
    const char *first = path_in_first(path);
    size_t how_length = 0, tolerance_length = 0;
    at.path_count = 0;
    for (size_t i = 0; i < rule->path_count; i++) {
        const struct pm_path_rule *of_path = &rule->paths[i];
        const size_t length = strlen(of_path->path);
        if (!pm_path_is_within(path, of_path->path) && !pm_path_is_within(first, of_path->path))
            continue;
        if (of_path->has_how && length > how_length) {
            at.how = of_path->how;
            how_length = length;
        }
        if (of_path->tolerance.given && length > tolerance_length) {
            memset(at.of_dtype, 0, sizeof at.of_dtype);
            at.by_default = of_path->tolerance;
            tolerance_length = length;
        }
    }
    return at;
}

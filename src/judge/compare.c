/* Compares the outputs of an execution with the reference, leaf by leaf. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/line.h"
#include "judge/judge_private.h"

static const char *kind_text(enum pm_leaf_kind kind)
{
    static const char *const texts[] = {
        [PM_LEAF_ARRAY] = "an array", [PM_LEAF_VALUE] = "a value", [PM_LEAF_TYPE] = "an object"};
    return texts[kind];
}

static void compare_arrays(const struct pm_leaf *got, const struct pm_leaf *want,
                           const struct pm_compare_rule *rule, struct pm_difference *out)
{
    const struct pm_array *a = &got->array, *b = &want->array;
    char shape_a[PM_SHAPE_TEXT], shape_b[PM_SHAPE_TEXT];
    if (!rule->any_dtype && a->dtype != b->dtype)
        pm_judge__differ(out, PM_DIFFERENCE_DTYPE, want->path, "dtype %s for %s",
                         pm_dtype_name(a->dtype), pm_dtype_name(b->dtype));
    else if (!pm_shape_equal(&a->shape, &b->shape))
        pm_judge__differ(out, PM_DIFFERENCE_SHAPE, want->path, "shape %s for %s",
                         pm_shape_text(&a->shape, shape_a), pm_shape_text(&b->shape, shape_b));
    else if (rule->how == PM_COMPARE_SHAPE || b->count == 0)
        return;
    else if (!got->has_bytes || !want->has_bytes)
        pm_judge__differ(out, PM_DIFFERENCE_VALUE, want->path, "no values to compare");
    else
        pm_judge__compare_values(want->path, a, b, rule, out);
}

/* An oracle may return a Python number where the control returns an array without dimensions, or
 * vice versa. Returns whether *leaf was converted to an array; the caller releases that. */
static bool value_as_array(struct pm_leaf *leaf)
{
    json_t *json = NULL;
    if (pm_json_parse(leaf->value, strlen(leaf->value), &json, NULL))
        return false;
    const bool is_number = json_is_number(json) || json_is_boolean(json);
    const enum pm_dtype dtype = json_is_boolean(json)   ? PM_BOOL
                                : json_is_integer(json) ? PM_INT64
                                                        : PM_FLOAT64;
    const struct pm_shape scalar = {0};
    if (is_number && pm_array_init(&leaf->array, dtype, &scalar, NULL) == PM_OK) {
        if (dtype == PM_FLOAT64)
            pm_array_set(&leaf->array, 0, json_real_value(json), 0);
        else
            pm_array_set_int(&leaf->array, 0, json_is_true(json) ? 1 : json_integer_value(json));
        leaf->kind = PM_LEAF_ARRAY;
        leaf->has_bytes = true;
    }
    json_decref(json);
    return leaf->kind == PM_LEAF_ARRAY;
}

static bool compare_array_with_number(const struct pm_leaf *got, const struct pm_leaf *want,
                                      const struct pm_compare_rule *rule, struct pm_difference *out)
{
    struct pm_leaf number = got->kind == PM_LEAF_VALUE ? *got : *want;
    if (!rule->any_dtype || number.kind != PM_LEAF_VALUE || !value_as_array(&number))
        return false;
    if (got->kind == PM_LEAF_VALUE)
        compare_arrays(&number, want, rule, out);
    else
        compare_arrays(got, &number, rule, out);
    pm_array_release(&number.array);
    return true;
}

static void compare_leaf(const struct pm_leaf *got, const struct pm_leaf *want,
                         const struct pm_compare_rule *rule, struct pm_difference *out)
{
    if (!rule->any_dtype && strcmp(got->path, want->path) != 0) {
        pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, "", "'%s' for '%s'", got->path, want->path);
    } else if (got->kind != want->kind) {
        if ((got->kind == PM_LEAF_ARRAY || want->kind == PM_LEAF_ARRAY) &&
            compare_array_with_number(got, want, rule, out))
            return;
        pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, want->path, "%s for %s",
                         kind_text(got->kind), kind_text(want->kind));
    } else if (want->kind == PM_LEAF_ARRAY) {
        compare_arrays(got, want, rule, out);
    } else if (want->kind == PM_LEAF_TYPE) {
        if (strcmp(got->type, want->type) != 0)
            pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, want->path, "type %s for %s", got->type,
                             want->type);
    } else {
        pm_judge__compare_json(want->path, got->value, want->value, rule, out);
    }
}

static bool any_floats(const struct pm_leaves *leaves)
{
    bool any = false;
    for (size_t i = 0; !any && i < leaves->count; i++) {
        const struct pm_leaf *leaf = &leaves->items[i];
        any = (leaf->kind == PM_LEAF_ARRAY && pm_judge__floats(leaf->array.dtype)) ||
              (leaf->kind == PM_LEAF_VALUE && pm_judge__json_floats(leaf->value));
    }
    return any;
}

void pm_compare_leaves(const struct pm_leaves *got, const struct pm_leaves *want,
                       const struct pm_compare_rule *rule, struct pm_difference *out)
{
    *out = (struct pm_difference){.kind = PM_DIFFERENCE_NONE};
    if (rule->how == PM_COMPARE_SHAPE || !any_floats(want))
        out->smallest_rtol = NAN;
    if (got->count != want->count)
        pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, "", "%zu output%s for %zu", got->count,
                         got->count == 1 ? "" : "s", want->count);
    const size_t count = got->count < want->count ? got->count : want->count;
    for (size_t i = 0; i < count; i++)
        compare_leaf(&got->items[i], &want->items[i], rule, out);
}

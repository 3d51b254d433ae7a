/* Compares the outputs of an execution with the reference, leaf by leaf. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/line.h"
#include "base/plural.h"
#include "judge/judge_private.h"

static const char *kind_text(enum pm_leaf_kind kind)
{
    static const char *const texts[] = {
        [PM_LEAF_ARRAY] = "an array",
        [PM_LEAF_VALUE] = "a value",
        [PM_LEAF_CONTAINER] = "a container",
        [PM_LEAF_TYPE] = "an object",
    };
    return texts[kind];
}

static bool same_digest(const struct pm_leaf *a, const struct pm_leaf *b)
{
    return a->digest && *a->digest && b->digest && strcmp(a->digest, b->digest) == 0;
}

static void compare_arrays(const struct pm_leaf *got, const struct pm_leaf *want,
                           const struct pm_compare_rule *rule, struct pm_difference *out)
{
    const struct pm_array *a = &got->array, *b = &want->array;
    char shape_a[PM_SHAPE_TEXT], shape_b[PM_SHAPE_TEXT];
    if (!rule->any_dtype && a->dtype != b->dtype)
        pm_judge__differ(out, PM_DIFFERENCE_DTYPE, want->path, "dtype %s instead of %s",
                         pm_dtype_name(a->dtype), pm_dtype_name(b->dtype));
    else if (!pm_shape_equal(&a->shape, &b->shape))
        pm_judge__differ(out, PM_DIFFERENCE_SHAPE, want->path, "shape %s instead of %s",
                         pm_shape_text(&a->shape, shape_a), pm_shape_text(&b->shape, shape_b));
    else if (rule->how == PM_COMPARE_SHAPE || b->count == 0 || same_digest(got, want))
        return;
    else if (!got->has_bytes || !want->has_bytes)
        pm_judge__compare_closeness(got, want, rule, out);
    else
        pm_judge__compare_values(want->path, a, b, rule, NULL, out);
}

/* Converts a Python number into an array: an oracle may return a number where the reference returns
 * an array without dimensions, or the reverse. Returns whether *leaf was converted; the caller
 * releases the array. */
static bool value_as_array(struct pm_leaf *leaf)
{
    json_t *json = NULL;
    if (pm_json_parse(leaf->value, strlen(leaf->value), &json, NULL))
        return false;
    if (pm_judge__number_array(json, &leaf->array)) {
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
    if (got->kind != want->kind) {
        if ((got->kind == PM_LEAF_ARRAY || want->kind == PM_LEAF_ARRAY) &&
            compare_array_with_number(got, want, rule, out))
            return;
        pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, want->path, "%s instead of %s",
                         kind_text(got->kind), kind_text(want->kind));
    } else if (want->kind == PM_LEAF_ARRAY) {
        compare_arrays(got, want, rule, out);
    } else if (want->kind == PM_LEAF_VALUE) {
        pm_judge__compare_json(want->path, got->value, want->value, rule, out);
    } else if (strcmp(got->type, want->type) != 0) {
        pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, want->path, "type %s instead of %s",
                         got->type, want->type);
    }
}

static bool any_floats(const struct pm_leaves *leaves, const struct pm_compare_rule *rule)
{
    bool any = false;
    for (size_t i = 0; !any && i < leaves->count; i++) {
        const struct pm_leaf *leaf = &leaves->items[i];
        any = pm_judge__rule_at(rule, leaf->path).how != PM_COMPARE_SHAPE &&
              ((leaf->kind == PM_LEAF_ARRAY && pm_judge__floats(leaf->array.dtype)) ||
               (leaf->kind == PM_LEAF_VALUE && pm_judge__json_floats(leaf->value)));
    }
    return any;
}

size_t pm_compared_leaf(const struct pm_leaves *leaves, size_t i,
                        const struct pm_compare_rule *rule)
{
    while (rule->any_dtype && i < leaves->count && leaves->items[i].kind == PM_LEAF_CONTAINER)
        i++;
    return i;
}

static size_t count_parts(const struct pm_leaves *leaves)
{
    size_t count = 0;
    for (size_t i = 0; i < leaves->count; i++)
        count += leaves->items[i].kind != PM_LEAF_CONTAINER;
    return count;
}

/* Sets `out` to the dtype of a tensor that is stored as a container of its parts, such as a
 * quantized tensor: "quint8" if the container "out" at `i` has a leaf "out.dtype" with this dtype.
 * Sets it to "" if the container has no such leaf. */
static void dtype_of_parts(const struct pm_leaves *leaves, size_t i, char *out, size_t size)
{
    const char *path = leaves->items[i].path;
    const size_t length = strlen(path);
    out[0] = '\0';
    if (leaves->items[i].kind != PM_LEAF_CONTAINER)
        return;
    for (i++; i < leaves->count && !strncmp(leaves->items[i].path, path, length); i++) {
        const struct pm_leaf *leaf = &leaves->items[i];
        if (leaf->kind != PM_LEAF_VALUE || strcmp(leaf->path + length, ".dtype") != 0)
            continue;
        const char *name = strrchr(leaf->value, '.'); /* {"torch.dtype":"torch.quint8"} */
        if (name)
            snprintf(out, size, "%.*s", (int)strcspn(name + 1, "\""), name + 1);
        return;
    }
}

/* Records a difference of dtypes if one side is an array, and the other one a tensor that is not
 * stored as an array because of its dtype. Otherwise the text would be about the number of
 * outputs. */
static void compare_dtypes_of_parts(const struct pm_leaves *got, const struct pm_leaves *want,
                                    struct pm_difference *out)
{
    for (size_t i = 0; i < got->count && i < want->count; i++) {
        const struct pm_leaf *a = &got->items[i], *b = &want->items[i];
        char dtype[32];
        if (strcmp(a->path, b->path) != 0)
            return;
        if ((a->kind == PM_LEAF_ARRAY) == (b->kind == PM_LEAF_ARRAY))
            continue;
        dtype_of_parts(a->kind == PM_LEAF_ARRAY ? want : got, i, dtype, sizeof dtype);
        if (*dtype)
            pm_judge__differ(out, PM_DIFFERENCE_DTYPE, b->path, "dtype %s instead of %s",
                             a->kind == PM_LEAF_ARRAY ? pm_dtype_name(a->array.dtype) : dtype,
                             b->kind == PM_LEAF_ARRAY ? pm_dtype_name(b->array.dtype) : dtype);
        return;
    }
}

void pm_compare_leaves(const struct pm_leaves *got, const struct pm_leaves *want,
                       const struct pm_compare_rule *rule, struct pm_difference *out)
{
    *out = (struct pm_difference){.kind = PM_DIFFERENCE_NONE};
    if (!any_floats(want, rule))
        out->smallest_rtol = NAN;
    if (!rule->any_dtype)
        compare_dtypes_of_parts(got, want, out);
    const size_t parts = count_parts(got), wanted = count_parts(want);
    if (parts != wanted)
        pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, "", "%zu output%s instead of %zu", parts,
                         pm_plural(parts), wanted);
    size_t i = pm_compared_leaf(got, 0, rule), j = pm_compared_leaf(want, 0, rule);
    for (; i < got->count && j < want->count;
         i = pm_compared_leaf(got, i + 1, rule), j = pm_compared_leaf(want, j + 1, rule)) {
        const struct pm_leaf *a = &got->items[i], *b = &want->items[j];
        if (strcmp(a->path, b->path) != 0) {
            pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, "", "'%s' instead of '%s'", a->path,
                             b->path);
            break; /* all following leaves would be paired with the wrong ones */
        }
        const struct pm_compare_rule at = pm_judge__rule_at(rule, b->path);
        compare_leaf(a, b, &at, out);
    }
    if (i < got->count || j < want->count)
        pm_judge__differ(out, PM_DIFFERENCE_STRUCTURE, "",
                         "the containers (tuples, lists, mappings) differ");
    out->undecided = out->undecided && out->kind == PM_DIFFERENCE_NONE;
}

void pm_closeness_measure(const struct pm_leaf *got, const struct pm_leaf *want,
                          const struct pm_compare_rule *rule, struct pm_closeness *out)
{
    const struct pm_compare_rule at = pm_judge__rule_at(rule, want->path);
    struct pm_difference difference = {0};
    pm_judge__closeness_begin(out, pm_closeness_how(rule, want->path),
                              pm_judge__allowed(&at, got->array.dtype, want->array.dtype).atol);
    pm_judge__compare_values(want->path, &got->array, &want->array, &at, out, &difference);
    for (size_t i = 0; i < out->count; i++)
        if (out->points[i].rtol == 0)
            out->count = i + 1; /* all further points would have an rtol of 0, too */
}

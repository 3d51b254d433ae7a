/* Changes outputs on purpose, to test whether a comparison detects the change. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "judge/judge_private.h"

PM_WORDS_DEFINE(mutation, PM_MUTATIONS, PM_MUTATE);

/* ---- arrays -------------------------------------------------------------------------------- */

static bool make_zeros(struct pm_array *array)
{
    bool changes = false;
    for (size_t i = 0; i < array->count && !changes; i++)
        changes = pm_array_real(array, i) != 0 || pm_array_imag(array, i) != 0;
    memset(array->data, 0, array->bytes);
    return changes;
}

static enum pm_dtype other_dtype(enum pm_dtype dtype)
{
    switch (dtype) {
    case PM_BOOL:
        return PM_UINT8;
    case PM_INT64:
        return PM_INT32;
    case PM_FLOAT32:
        return PM_FLOAT64;
    case PM_COMPLEX64:
        return PM_COMPLEX128;
    case PM_COMPLEX128:
        return PM_COMPLEX64;
    default:
        return pm_dtype_kind(dtype) == PM_KIND_FLOAT ? PM_FLOAT32 : PM_INT64;
    }
}

/* Changes the dtype of an array. Keeps the values that the other dtype can represent. */
static bool change_dtype(struct pm_array *array, bool has_bytes)
{
    struct pm_array other;
    if (pm_array_init(&other, other_dtype(array->dtype), &array->shape, NULL))
        return false;
    const bool whole = !pm_judge__floats(array->dtype);
    for (size_t i = 0; has_bytes && i < array->count; i++) {
        if (whole)
            pm_array_set_int(&other, i, pm_array_int(array, i));
        else
            pm_array_set(&other, i, pm_array_real(array, i), pm_array_imag(array, i));
    }
    pm_array_release(array);
    *array = other;
    return true;
}

static bool add_dimension(struct pm_array *array)
{
    struct pm_shape *shape = &array->shape;
    if (shape->dims == PM_MAX_DIMS)
        return false;
    memmove(shape->size + 1, shape->size, shape->dims * sizeof shape->size[0]);
    shape->size[0] = 1;
    shape->dims++;
    return true;
}

static bool is_same_element(const struct pm_array *array, size_t i, double real, double imag)
{
    return pm_array_real(array, i) == real && pm_array_imag(array, i) == imag;
}

/* Moves a floating-point number towards zero, so that the largest finite value does not become
 * infinite. */
static bool move_float(struct pm_array *array, size_t i, const struct pm_compare_rule *rule)
{
    const double real = pm_array_real(array, i), imag = pm_array_imag(array, i);
    if (!isfinite(real) || !isfinite(imag))
        return false;
    const struct pm_judge__tolerance allowed = pm_judge__allowed(rule, array->dtype, array->dtype);
    double step = 10 * (allowed.atol + allowed.rtol * hypot(real, imag));
    if (step == 0)
        step = 1;
    pm_array_set(array, i, real > 0 ? real - step : real + step, imag);
    return !is_same_element(array, i, real, imag);
}

static bool move_whole(struct pm_array *array, size_t i)
{
    const int64_t value = pm_array_int(array, i);
    if (array->dtype == PM_BOOL)
        pm_array_set_int(array, i, !value);
    else
        pm_array_set_int(array, i, (int64_t)((uint64_t)value + 1));
    return true;
}

/* Moves the first element that can be moved; false if there is none. */
static bool move_element(struct pm_array *array, const struct pm_compare_rule *rule)
{
    for (size_t i = 0; i < array->count; i++)
        if (pm_judge__floats(array->dtype) ? move_float(array, i, rule) : move_whole(array, i))
            return true;
    return false;
}

static bool put_nan(struct pm_array *array)
{
    if (!pm_judge__floats(array->dtype))
        return false;
    for (size_t i = 0; i < array->count; i++) {
        const double imag = pm_array_imag(array, i);
        if (!isnan(pm_array_real(array, i)) && !isnan(imag)) {
            pm_array_set(array, i, NAN, imag);
            return true;
        }
    }
    return false;
}

static bool mutate_array(struct pm_leaf *leaf, enum pm_mutation mutation,
                         const struct pm_compare_rule *rule)
{
    switch (mutation) {
    case PM_MUTATE_ZEROS:
        return leaf->has_bytes && make_zeros(&leaf->array);
    case PM_MUTATE_DTYPE:
        return !rule->any_dtype && change_dtype(&leaf->array, leaf->has_bytes);
    case PM_MUTATE_SHAPE:
        return add_dimension(&leaf->array);
    case PM_MUTATE_ELEMENT:
        return leaf->has_bytes && move_element(&leaf->array, rule);
    case PM_MUTATE_NAN:
        return leaf->has_bytes && put_nan(&leaf->array);
    default:
        return false;
    }
}

static void copy_array(struct pm_array *to, const struct pm_array *from, bool has_bytes)
{
    *to = *from;
    to->data = pm_alloc(from->bytes);
    if (has_bytes)
        memcpy(to->data, from->data, from->bytes);
}

/* ---- values and types ----------------------------------------------------------------------- */

/* Returns a different number: ten tolerances away, or 1 away if the comparison is exact. */
static double other_real(double real, const struct pm_compare_rule *rule)
{
    const struct pm_judge__tolerance allowed = pm_judge__allowed(rule, PM_FLOAT64, PM_FLOAT64);
    double step = 10 * (allowed.atol + allowed.rtol * fabs(real));
    if (step == 0)
        step = 1;
    const double moved = real > 0 ? real - step : real + step;
    return moved != real ? moved : real / 2;
}

static json_t *other_value(const json_t *value, const struct pm_compare_rule *rule)
{
    if (json_is_boolean(value))
        return json_boolean(!json_is_true(value));
    if (json_is_integer(value))
        return json_integer((json_int_t)((uint64_t)json_integer_value(value) + 1));
    if (json_is_real(value))
        return json_real(other_real(json_real_value(value), rule));
    if (json_is_string(value))
        return json_sprintf("%s?", json_string_value(value));
    if (json_is_array(value) && json_array_size(value) > 0) {
        json_t *list = json_deep_copy(value);
        json_array_set_new(list, 0, other_value(json_array_get(value, 0), rule));
        return list;
    }
    if (pm_judge__is_inexact(value)) /* an infinity, a NaN or a complex number */
        return json_pack("{s:[f,f]}", "complex", other_real(0, rule), other_real(0, rule));
    if (json_is_object(value) && json_object_size(value) > 0) {
        json_t *object = json_deep_copy(value);
        const char *type = json_object_iter_key(json_object_iter(object));
        json_object_set_new(object, type, other_value(json_object_get(value, type), rule));
        return object;
    }
    return json_pack("[n]");
}

/* Returns a value of another type: for a string, a list that contains it; for any other value, its
 * text without the name of its type. */
static json_t *other_type(const json_t *value)
{
    if (json_is_string(value))
        return json_pack("[s]", json_string_value(value));
    json_t *object = (json_t *)(uintptr_t)value;
    const json_t *bare = json_object_iter_value(json_object_iter(object));
    char *text = pm_json_text(bare ? bare : value);
    json_t *string = json_string(text);
    free(text);
    return string;
}

static bool mutate_value(struct pm_leaf *leaf, enum pm_mutation mutation,
                         const struct pm_compare_rule *rule)
{
    json_t *value = NULL;
    if ((mutation != PM_MUTATE_VALUE && mutation != PM_MUTATE_TYPE) ||
        pm_json_parse(leaf->value, strlen(leaf->value), &value, NULL))
        return false;
    json_t *other = mutation == PM_MUTATE_VALUE ? other_value(value, rule) : other_type(value);
    leaf->value = pm_json_text(other);
    json_decref(other);
    json_decref(value);
    return true;
}

/* ---- the copy -------------------------------------------------------------------------------- */

static void release_owned(struct pm_leaf *leaf)
{
    pm_array_release(&leaf->array);
    free((char *)(uintptr_t)leaf->path);
    free((char *)(uintptr_t)leaf->value);
    free((char *)(uintptr_t)leaf->type);
}

/* Fills *leaf with a mutated copy of *from. The copy owns each member that is not NULL. */
static bool mutate_leaf(const struct pm_leaf *from, enum pm_mutation mutation,
                        const struct pm_compare_rule *rule, struct pm_leaf *leaf)
{
    const struct pm_compare_rule at = pm_judge__rule_at(rule, from->path);
    *leaf = (struct pm_leaf){.kind = from->kind, .has_bytes = from->has_bytes};
    bool changed = false;
    if (from->kind == PM_LEAF_ARRAY) {
        copy_array(&leaf->array, &from->array, from->has_bytes);
        changed = mutate_array(leaf, mutation, &at);
    } else if (from->kind == PM_LEAF_VALUE) {
        leaf->value = from->value;
        changed = mutate_value(leaf, mutation, &at);
        if (!changed)
            leaf->value = NULL;
    } else if (mutation == PM_MUTATE_TYPE) {
        leaf->type = pm_format("%s?", from->type);
        changed = true;
    }
    if (!changed)
        release_owned(leaf);
    return changed;
}

/* ---- structure ------------------------------------------------------------------------------- */

/* Returns the length of a path without its last step; 0 for the path of a whole output. */
static size_t length_of_parent(const char *path)
{
    const char *bracket = strrchr(path, '['), *dot = strrchr(path, '.');
    const char *last = !dot || (bracket && bracket > dot) ? bracket : dot;
    return last ? (size_t)(last - path) : 0;
}

static bool same_parent(const char *a, const char *b)
{
    const size_t length = length_of_parent(a);
    return length && length == length_of_parent(b) && strncmp(a, b, length) == 0;
}

static bool same_content(const struct pm_leaf *a, const struct pm_leaf *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == PM_LEAF_VALUE)
        return strcmp(a->value, b->value) == 0;
    if (a->kind != PM_LEAF_ARRAY)
        return strcmp(a->type, b->type) == 0;
    return a->array.dtype == b->array.dtype && pm_shape_equal(&a->array.shape, &b->array.shape) &&
           a->has_bytes && b->has_bytes &&
           memcmp(a->array.data, b->array.data, a->array.bytes) == 0;
}

/* Returns whether a leaf can be swapped with the next one. Containers are not swapped: their parts
 * would stay where they are. */
static bool can_swap(const struct pm_leaves *leaves, size_t index)
{
    if (index + 1 == leaves->count)
        return false;
    const struct pm_leaf *a = &leaves->items[index], *b = a + 1;
    return a->kind != PM_LEAF_CONTAINER && b->kind != PM_LEAF_CONTAINER &&
           same_parent(a->path, b->path) && !same_content(a, b);
}

static void swap_contents(struct pm_leaf *a, struct pm_leaf *b)
{
    const struct pm_leaf kept = *a;
    *a = *b;
    a->path = kept.path;
    const char *path = b->path;
    *b = kept;
    b->path = path;
}

/* Mutates leaf `index` of the copy, and stores in *owned the data that the copy owns. */
static bool mutate_copy(struct pm_leaves *copy, size_t index, enum pm_mutation mutation,
                        const struct pm_compare_rule *rule, struct pm_leaf *owned)
{
    struct pm_leaf *leaf = &copy->items[index];
    *owned = (struct pm_leaf){0};
    if (mutation == PM_MUTATE_KEY && length_of_parent(leaf->path)) {
        leaf->path = owned->path = pm_format("%s?", leaf->path);
        return true;
    }
    if (mutation == PM_MUTATE_SWAPPED && can_swap(copy, index)) {
        swap_contents(leaf, leaf + 1);
        return true;
    }
    const char *path = leaf->path;
    if (!mutate_leaf(leaf, mutation, rule, owned))
        return false;
    *leaf = *owned;
    leaf->path = path;
    return true;
}

/* Mutates a copy of the leaves. The data that the copy owns is stored after its last leaf, where
 * pm_mutated_release() frees it; all other data is borrowed from the original. */
bool pm_mutate(const struct pm_leaves *leaves, size_t index, enum pm_mutation mutation,
               const struct pm_compare_rule *rule, struct pm_leaves *out)
{
    struct pm_leaf owned;
    out->count = leaves->count;
    out->items = pm_realloc_array(NULL, leaves->count + 1, sizeof *out->items);
    memcpy(out->items, leaves->items, leaves->count * sizeof *out->items);
    const bool changed = mutate_copy(out, index, mutation, rule, &owned);
    if (changed) {
        out->items[leaves->count] = owned;
    } else {
        free(out->items);
        *out = (struct pm_leaves){NULL, 0};
    }
    return changed;
}

void pm_mutated_release(struct pm_leaves *leaves)
{
    if (leaves->items)
        release_owned(&leaves->items[leaves->count]);
    free(leaves->items);
    *leaves = (struct pm_leaves){NULL, 0};
}

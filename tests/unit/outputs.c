/* Makes and compares outputs of one or more leaves, for tests. */
#include "outputs.h"

struct pm_leaf vector(enum pm_dtype dtype, size_t count, const double *values)
{
    struct pm_leaf leaf = {.path = "out", .kind = PM_LEAF_ARRAY, .has_bytes = true};
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)count}};
    assert_int_equal(pm_array_init(&leaf.array, dtype, &shape, NULL), PM_OK);
    for (size_t i = 0; i < count; i++)
        pm_array_set(&leaf.array, i, values[i], 0);
    return leaf;
}

struct pm_leaf value(const char *json)
{
    return (struct pm_leaf){.path = "out", .kind = PM_LEAF_VALUE, .value = json};
}

struct pm_leaf type(const char *name)
{
    return (struct pm_leaf){.path = "out", .kind = PM_LEAF_TYPE, .type = name};
}

struct pm_difference compare_as(struct pm_leaf got, struct pm_leaf want,
                                struct pm_compare_rule rule)
{
    struct pm_difference difference;
    const struct pm_leaves a = {&got, 1}, b = {&want, 1};
    pm_compare_leaves(&a, &b, &rule, &difference);
    pm_array_release(&got.array);
    pm_array_release(&want.array);
    return difference;
}

struct pm_difference compare(struct pm_leaf got, struct pm_leaf want, enum pm_compare how)
{
    return compare_as(got, want, (struct pm_compare_rule){.how = how});
}

struct pm_leaf container(const char *name)
{
    return (struct pm_leaf){.path = "out", .kind = PM_LEAF_CONTAINER, .type = name};
}

struct pm_leaf named(struct pm_leaf leaf, const char *path)
{
    leaf.path = path;
    return leaf;
}

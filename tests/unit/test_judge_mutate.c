/* Tests of mutated outputs: which mutations exist, and which a comparison detects. */
#include "outputs.h"

/* ---- mutating ------------------------------------------------------------------------------ */

enum { MISSED, DETECTED, NOT_COUNTED };

static int mutate(struct pm_leaf leaf, enum pm_mutation mutation,
                  const struct pm_compare_rule *rule)
{
    struct pm_leaf items[] = {value("7"), leaf};
    const struct pm_leaves want = {items, 2};
    struct pm_leaves got;
    struct pm_difference difference = {.kind = PM_DIFFERENCE_NONE};
    const bool exists = pm_mutate(&want, 1, mutation, rule, &got);
    if (exists) {
        pm_compare_leaves(&got, &want, rule, &difference);
        pm_mutated_release(&got);
    }
    pm_array_release(&leaf.array);
    return !exists ? NOT_COUNTED : difference.kind != PM_DIFFERENCE_NONE ? DETECTED : MISSED;
}

static void check_array(enum pm_dtype dtype, enum pm_compare how, int nan)
{
    const struct pm_compare_rule rule = {.how = how};
    const int values = how == PM_COMPARE_SHAPE ? MISSED : DETECTED;
    assert_int_equal(mutate(VECTOR(dtype, 0, 1), PM_MUTATE_ZEROS, &rule), values);
    assert_int_equal(mutate(VECTOR(dtype, 0, 0), PM_MUTATE_ZEROS, &rule), NOT_COUNTED);
    assert_int_equal(mutate(VECTOR(dtype, 0, 1), PM_MUTATE_DTYPE, &rule), DETECTED);
    assert_int_equal(mutate(VECTOR(dtype, 0, 1), PM_MUTATE_SHAPE, &rule), DETECTED);
    assert_int_equal(mutate(VECTOR(dtype, 0, 1), PM_MUTATE_ELEMENT, &rule), values);
    assert_int_equal(mutate(VECTOR(dtype, 0, 1), PM_MUTATE_NAN, &rule),
                     nan == DETECTED ? values : nan);
    assert_int_equal(mutate(VECTOR(dtype, 0, 1), PM_MUTATE_VALUE, &rule), NOT_COUNTED);
    assert_int_equal(mutate(VECTOR(dtype, 0, 1), PM_MUTATE_TYPE, &rule), NOT_COUNTED);
}

static void test_mutate_each_dtype(void **state)
{
    (void)state;
    for (unsigned dtype = 0; dtype < PM_DTYPE_COUNT; dtype++) {
        const enum pm_kind kind = pm_dtype_kind((enum pm_dtype)dtype);
        const int nan = kind == PM_KIND_FLOAT || kind == PM_KIND_COMPLEX ? DETECTED : NOT_COUNTED;
        for (unsigned how = PM_COMPARE_CLOSE; how < PM_COMPARE_COUNT; how++)
            check_array((enum pm_dtype)dtype, (enum pm_compare)how, nan);
    }
}

static void test_mutate_what_cannot_move(void **state)
{
    (void)state;
    const struct pm_compare_rule exact = {.how = PM_COMPARE_EXACT},
                                 close = {.how = PM_COMPARE_CLOSE};
    assert_int_equal(mutate(VECTOR(PM_FLOAT16, 4096), PM_MUTATE_ELEMENT, &exact), NOT_COUNTED);
    assert_int_equal(mutate(VECTOR(PM_FLOAT16, 4096, 1), PM_MUTATE_ELEMENT, &exact), DETECTED);
    assert_int_equal(mutate(VECTOR(PM_FLOAT16, 65504), PM_MUTATE_ELEMENT, &close), DETECTED);
    assert_int_equal(mutate(VECTOR(PM_FLOAT32, NAN, INFINITY), PM_MUTATE_ELEMENT, &close),
                     NOT_COUNTED);
    assert_int_equal(mutate(VECTOR(PM_FLOAT32, NAN), PM_MUTATE_NAN, &close), NOT_COUNTED);
    assert_int_equal(mutate(VECTOR(PM_FLOAT32, NAN), PM_MUTATE_ZEROS, &close), DETECTED);
    assert_int_equal(mutate(VECTOR(PM_INT8, 127), PM_MUTATE_ELEMENT, &close), DETECTED);
    struct pm_leaf meta = VECTOR(PM_FLOAT32, 1);
    meta.has_bytes = false;
    assert_int_equal(mutate(meta, PM_MUTATE_ZEROS, &close), NOT_COUNTED);
    const struct pm_compare_rule any = {.any_dtype = true};
    assert_int_equal(mutate(VECTOR(PM_FLOAT32, 1), PM_MUTATE_DTYPE, &any), NOT_COUNTED);
}

static void test_mutate_by_ten_tolerances(void **state)
{
    (void)state;
    const struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE, .by_default = {true, 0.01, 1}};
    struct pm_leaf leaf = VECTOR(PM_FLOAT64, 100, 5);
    const struct pm_leaves leaves = {&leaf, 1};
    struct pm_leaves moved;
    assert_true(pm_mutate(&leaves, 0, PM_MUTATE_ELEMENT, &rule, &moved));
    assert_true(pm_array_real(&moved.items[0].array, 0) == 80);
    assert_true(pm_array_real(&moved.items[0].array, 1) == 5);
    assert_true(pm_array_real(&leaf.array, 0) == 100);
    pm_mutated_release(&moved);
    pm_array_release(&leaf.array);
}

static void test_mutate_values(void **state)
{
    (void)state;
    const struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE};
    static const char *const values[] = {
        "1",
        "9223372036854775807",
        "0.5",
        "1e300",
        "true",
        "null",
        "\"a\"",
        "[1,2]",
        "[]",
        "{}",
        "[[\"x\"]]",
        "[null]",
        "false",
        "{\"tuple\":[1]}",
        "{\"float\":\"inf\"}",
        "{\"complex\":[1.0,2.0]}",
        "{\"torch.dtype\":\"torch.float32\"}",
        "{\"int\":\"0x1f\"}",
        "{\"tuple\":[]}",
        "{\"str\":{\"begins\":\"a\",\"digest\":\"0\",\"length\":70000}}"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(mutate(value(values[i]), PM_MUTATE_VALUE, &rule), DETECTED);
        assert_int_equal(mutate(value(values[i]), PM_MUTATE_TYPE, &rule), DETECTED);
        assert_int_equal(mutate(value(values[i]), PM_MUTATE_ZEROS, &rule), NOT_COUNTED);
    }
    assert_int_equal(mutate(value("1.0e8"), PM_MUTATE_VALUE, &rule), DETECTED);
    const struct pm_compare_rule exact = {.how = PM_COMPARE_EXACT};
    assert_int_equal(mutate(value("0.5"), PM_MUTATE_VALUE, &exact), DETECTED);
    assert_int_equal(mutate(value("1e300"), PM_MUTATE_VALUE, &exact), DETECTED);
    assert_int_equal(mutate(type("a.B"), PM_MUTATE_TYPE, &rule), DETECTED);
    assert_int_equal(mutate(type("a.B"), PM_MUTATE_VALUE, &rule), NOT_COUNTED);
    assert_string_equal(pm_mutation_text(PM_MUTATE_ELEMENT), "one element moved");
}

static int mutate_structure(struct pm_leaves *leaves, size_t index, enum pm_mutation how)
{
    const struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE};
    struct pm_leaves mutated;
    struct pm_difference difference;
    if (!pm_mutate(leaves, index, how, &rule, &mutated))
        return NOT_COUNTED;
    pm_compare_leaves(&mutated, leaves, &rule, &difference);
    pm_mutated_release(&mutated);
    return difference.kind == PM_DIFFERENCE_NONE ? MISSED : DETECTED;
}

static void test_mutated_structure(void **state)
{
    (void)state;
    struct pm_leaf items[] = {
        container("tuple"),
        named(VECTOR(PM_FLOAT32, 1), "out[0]"),
        named(VECTOR(PM_FLOAT32, 1), "out[1]"),
        named(value("3"), "out[2]"),
        named(value("3"), "out['k'].a"),
        named(value("4"), "out['k'].b"),
    };
    struct pm_leaves leaves = {items, sizeof items / sizeof *items};
    static const int swapped[] = {NOT_COUNTED, NOT_COUNTED, DETECTED,
                                  NOT_COUNTED, DETECTED,    NOT_COUNTED};
    for (size_t i = 0; i < leaves.count; i++) {
        assert_int_equal(mutate_structure(&leaves, i, PM_MUTATE_SWAPPED), swapped[i]);
        assert_int_equal(mutate_structure(&leaves, i, PM_MUTATE_KEY), i ? DETECTED : NOT_COUNTED);
    }
    assert_int_equal(mutate_structure(&leaves, 0, PM_MUTATE_TYPE), DETECTED);
    assert_string_equal(items[1].path, "out[0]");
    pm_array_release(&items[1].array);
    pm_array_release(&items[2].array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutated_structure),
        cmocka_unit_test(test_mutate_each_dtype),
        cmocka_unit_test(test_mutate_what_cannot_move),
        cmocka_unit_test(test_mutate_by_ten_tolerances),
        cmocka_unit_test(test_mutate_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the comparison of arrays and values. */
#include "outputs.h"

/* ---- kinds of difference -------------------------------------------------------------------- */

static void test_structure(void **state)
{
    (void)state;
    struct pm_difference d = compare(value("1"), type("a.B"), PM_COMPARE_CLOSE);
    assert_kind(d, PM_DIFFERENCE_STRUCTURE);
    assert_string_equal(d.text, "out: a value instead of an object");
    d = compare(type("a.C"), type("a.B"), PM_COMPARE_SHAPE);
    assert_kind(d, PM_DIFFERENCE_STRUCTURE);
    assert_string_equal(d.text, "out: type a.C instead of a.B");
    struct pm_leaf other = value("1");
    other.path = "out.a";
    d = compare(other, value("1"), PM_COMPARE_EXACT);
    assert_kind(d, PM_DIFFERENCE_STRUCTURE);
    assert_string_equal(d.text, "'out.a' instead of 'out'");

    struct pm_leaf two[] = {value("1"), value("2")};
    const struct pm_leaves a = {two, 2}, b = {two, 1};
    pm_compare_leaves(&a, &b, &(struct pm_compare_rule){0}, &d);
    assert_string_equal(d.text, "2 outputs instead of 1");
    assert_true(isnan(d.smallest_rtol));
    pm_compare_leaves(&b, &a, &(struct pm_compare_rule){0}, &d);
    assert_string_equal(d.text, "1 output instead of 2");
    pm_compare_leaves(&a, &a, &(struct pm_compare_rule){0}, &d);
    assert_kind(d, PM_DIFFERENCE_NONE);
}

static void test_dtype_and_shape(void **state)
{
    (void)state;
    struct pm_difference d =
        compare(VECTOR(PM_FLOAT64, 1), VECTOR(PM_FLOAT32, 1), PM_COMPARE_SHAPE);
    assert_kind(d, PM_DIFFERENCE_DTYPE);
    assert_string_equal(d.text, "out: dtype float64 instead of float32");
    d = compare(VECTOR(PM_FLOAT32, 1, 2), VECTOR(PM_FLOAT32, 1), PM_COMPARE_SHAPE);
    assert_kind(d, PM_DIFFERENCE_SHAPE);
    assert_string_equal(d.text, "out: shape [2] instead of [1]");
    assert_kind(compare(VECTOR(PM_FLOAT32, 1), VECTOR(PM_FLOAT32, 9), PM_COMPARE_SHAPE),
                PM_DIFFERENCE_NONE);
    struct pm_leaf meta = VECTOR(PM_FLOAT32, 1);
    meta.has_bytes = false;
    assert_kind(compare(meta, VECTOR(PM_FLOAT32, 9), PM_COMPARE_SHAPE), PM_DIFFERENCE_NONE);
    meta = VECTOR(PM_FLOAT32, 1);
    meta.has_bytes = false;
    d = compare(meta, VECTOR(PM_FLOAT32, 1), PM_COMPARE_CLOSE);
    assert_string_equal(d.text, "out: one of the two outputs has no values to compare");
}

static void test_text_names_the_worst_element(void **state)
{
    (void)state;
    struct pm_leaf got = VECTOR(PM_FLOAT32, 1, 2, 3, 4, 5.5, 6);
    struct pm_leaf want = VECTOR(PM_FLOAT32, 1, 2.5, 3, 4, 7, 6);
    got.array.shape = want.array.shape = (struct pm_shape){.dims = 2, .size = {2, 3}};
    struct pm_difference d = compare(got, want, PM_COMPARE_CLOSE);
    assert_kind(d, PM_DIFFERENCE_VALUE);
    assert_string_equal(d.text,
                        "out: 2 of 6 elements differ, largest at [1,1]: 5.5 instead of 7 (rtol "
                        "1.3e-06, atol 1e-05)");
    assert_true(d.largest_absolute == 1.5);
    assert_true(d.smallest_rtol == 1.5 / 7);
    d = compare(VECTOR(PM_FLOAT64, 0.1), VECTOR(PM_FLOAT64, NAN), PM_COMPARE_EXACT);
    assert_string_equal(d.text, "out: 0.1 instead of nan");
    d = compare(VECTOR(PM_BOOL, 1), VECTOR(PM_BOOL, 0), PM_COMPARE_CLOSE);
    assert_string_equal(d.text, "out: True instead of False");
    d = compare(VECTOR(PM_COMPLEX64, 0.1), VECTOR(PM_COMPLEX64, 2), PM_COMPARE_CLOSE);
    assert_string_equal(d.text, "out: 0.1+0j instead of 2+0j (rtol 1.3e-06, atol 1e-05)");
    d = compare(VECTOR(PM_INT64, 3, 1), VECTOR(PM_INT64, 1, 4), PM_COMPARE_SET);
    assert_string_equal(d.text,
                        "out: 1 of 2 elements differ, largest at sorted index 1: 3 instead of 4");
}

/* Elements are read in blocks, so a difference is planted at both ends of blocks. */
static void test_each_place_of_a_large_array(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static const size_t places[] = {0, 255, 256, 511, 512, 999};
    double got[COUNT], want[COUNT];
    char text[80];
    for (size_t i = 0; i < COUNT; i++)
        want[i] = (double)i;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        memcpy(got, want, sizeof got);
        got[places[k]] += 0.5;
        snprintf(text, sizeof text, "out: 1 of 1000 elements differ, largest at [%zu]: %g",
                 places[k], got[places[k]]);
        const struct pm_difference d = compare(vector(PM_FLOAT32, COUNT, got),
                                               vector(PM_FLOAT32, COUNT, want), PM_COMPARE_CLOSE);
        assert_kind(d, PM_DIFFERENCE_VALUE);
        assert_memory_equal(d.text, text, strlen(text));
        memmove(got + 1, got, sizeof got - sizeof *got); /* rotated; COUNT - 1 is a member */
        got[0] = COUNT - 1;
        assert_kind(compare(vector(PM_FLOAT32, COUNT, got), vector(PM_FLOAT32, COUNT, want),
                            PM_COMPARE_SET),
                    places[k] == COUNT - 1 ? PM_DIFFERENCE_NONE : PM_DIFFERENCE_VALUE);
    }
}

/* ---- tolerances ----------------------------------------------------------------------------- */

static void test_tolerance_of_each_dtype(void **state)
{
    (void)state;
    static const struct {
        enum pm_dtype dtype;
        double rtol, atol;
    } table[] = {
        {PM_FLOAT16, 1e-3, 1e-5},
        {PM_BFLOAT16, 1.6e-2, 1e-5},
        {PM_FLOAT32, 1.3e-6, 1e-5},
        {PM_FLOAT64, 1e-7, 1e-7},
        {PM_COMPLEX64, 1.3e-6, 1e-5},
        {PM_COMPLEX128, 1e-7, 1e-7},
        {PM_INT32, 0, 0},
        {PM_BOOL, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double rtol, atol;
        pm_tolerance(table[i].dtype, &rtol, &atol);
        assert_true(rtol == table[i].rtol && atol == table[i].atol);
    }
}

/* Asserts that the largest allowed deviation from 1 passes, and that one step of the dtype more
 * does not. */
static void check_boundary(enum pm_dtype dtype, double eps)
{
    double rtol, atol;
    pm_tolerance(dtype, &rtol, &atol);
    const double allowed = floor((rtol + atol) / eps) * eps;
    const struct pm_difference near =
        compare(VECTOR(dtype, 1 + allowed), VECTOR(dtype, 1), PM_COMPARE_CLOSE);
    assert_kind(near, PM_DIFFERENCE_NONE);
    assert_true(near.smallest_rtol == allowed);
    assert_kind(compare(VECTOR(dtype, 1 + allowed + eps), VECTOR(dtype, 1), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_VALUE);
    const struct pm_difference exact =
        compare(VECTOR(dtype, 1 + eps), VECTOR(dtype, 1), PM_COMPARE_EXACT);
    assert_kind(exact, PM_DIFFERENCE_VALUE);
    assert_true(exact.smallest_rtol == eps);
    assert_kind(compare(VECTOR(dtype, 0), VECTOR(dtype, -0.0), PM_COMPARE_EXACT),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(VECTOR(dtype, NAN), VECTOR(dtype, NAN), PM_COMPARE_EXACT),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(VECTOR(dtype, 1), VECTOR(dtype, NAN), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare(VECTOR(dtype, NAN), VECTOR(dtype, 1), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare(VECTOR(dtype, INFINITY), VECTOR(dtype, INFINITY), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(VECTOR(dtype, 1), VECTOR(dtype, INFINITY), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare(VECTOR(dtype, -INFINITY), VECTOR(dtype, INFINITY), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_VALUE);
}

static void test_boundaries(void **state)
{
    (void)state;
    check_boundary(PM_FLOAT16, 0x1p-10);
    check_boundary(PM_BFLOAT16, 0x1p-7);
    check_boundary(PM_FLOAT32, 0x1p-23);
    check_boundary(PM_FLOAT64, 0x1p-52);
    check_boundary(PM_COMPLEX64, 0x1p-23);
    check_boundary(PM_COMPLEX128, 0x1p-52);
}

static void test_given_tolerance(void **state)
{
    (void)state;
    struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE, .by_default = {true, 0.5, 0}};
    assert_kind(compare_as(VECTOR(PM_FLOAT32, 3), VECTOR(PM_FLOAT32, 2), rule), PM_DIFFERENCE_NONE);
    assert_kind(compare_as(VECTOR(PM_FLOAT32, 2), VECTOR(PM_FLOAT32, 1), rule),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(VECTOR(PM_INT32, 3), VECTOR(PM_INT32, 2), rule), PM_DIFFERENCE_VALUE);
    rule.how = PM_COMPARE_EXACT;
    assert_kind(compare_as(VECTOR(PM_FLOAT32, 3), VECTOR(PM_FLOAT32, 2), rule),
                PM_DIFFERENCE_VALUE);
}

static void test_smallest_rtol(void **state)
{
    (void)state;
    struct pm_difference d =
        compare(VECTOR(PM_FLOAT64, 1), VECTOR(PM_FLOAT64, 1), PM_COMPARE_CLOSE);
    assert_true(d.smallest_rtol == 0);
    d = compare(VECTOR(PM_FLOAT64, 1e-9), VECTOR(PM_FLOAT64, 0), PM_COMPARE_CLOSE);
    assert_kind(d, PM_DIFFERENCE_NONE);
    assert_true(isnan(d.smallest_rtol) && isinf(d.largest_relative));
    d = compare(VECTOR(PM_INT64, 1), VECTOR(PM_INT64, 1), PM_COMPARE_CLOSE);
    assert_true(isnan(d.smallest_rtol));
    d = compare(VECTOR(PM_FLOAT64, 1.1, 3.3), VECTOR(PM_FLOAT64, 1, 3), PM_COMPARE_CLOSE);
    assert_true(fabs(1.1 - 1) <= d.smallest_rtol * 1 && fabs(3.3 - 3) <= d.smallest_rtol * 3);
    assert_true(d.smallest_rtol < 0.1 + 1e-9);
    /* (5 - 4.7) / 4.7, rounded, times 4.7, rounded, is less than 5 - 4.7. */
    d = compare(VECTOR(PM_FLOAT64, 5), VECTOR(PM_FLOAT64, 4.7), PM_COMPARE_CLOSE);
    assert_true(d.smallest_rtol * 4.7 >= 5 - 4.7);
}

static void test_infinities_of_complex(void **state)
{
    (void)state;
    struct pm_leaf got = VECTOR(PM_COMPLEX64, 0), want = VECTOR(PM_COMPLEX64, 0);
    pm_array_set(&got.array, 0, INFINITY, 1);
    pm_array_set(&want.array, 0, INFINITY, 2);
    struct pm_difference d = compare(got, want, PM_COMPARE_CLOSE);
    assert_string_equal(d.text, "out: inf+1j instead of inf+2j (rtol 1.3e-06, atol 1e-05)");
    assert_true(isinf(d.largest_absolute) && isinf(d.largest_relative));
    got = VECTOR(PM_COMPLEX64, 0);
    want = VECTOR(PM_COMPLEX64, 0);
    pm_array_set(&got.array, 0, NAN, 1);
    pm_array_set(&want.array, 0, 2, NAN);
    assert_kind(compare(got, want, PM_COMPARE_CLOSE), PM_DIFFERENCE_NONE);
}

static void test_large_integers(void **state)
{
    (void)state;
    struct pm_leaf got = VECTOR(PM_UINT64, 0), want = VECTOR(PM_UINT64, 0);
    pm_array_set_int(&got.array, 0, -1);
    pm_array_set_int(&want.array, 0, -2);
    const struct pm_difference d = compare(got, want, PM_COMPARE_CLOSE);
    assert_string_equal(d.text, "out: 18446744073709551615 instead of 18446744073709551614");
    got = VECTOR(PM_UINT64, 0);
    want = VECTOR(PM_INT64, -1);
    pm_array_set_int(&got.array, 0, -1);
    assert_kind(compare_as(got, want, (struct pm_compare_rule){.any_dtype = true}),
                PM_DIFFERENCE_VALUE);
}

static void test_sets(void **state)
{
    (void)state;
    assert_kind(compare(VECTOR(PM_INT64, 3, 1, 2), VECTOR(PM_INT64, 1, 2, 3), PM_COMPARE_SET),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(VECTOR(PM_INT64, 3, 1, 2), VECTOR(PM_INT64, 1, 2, 3), PM_COMPARE_EXACT),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare(VECTOR(PM_INT64, 1, 1, 2), VECTOR(PM_INT64, 1, 2, 2), PM_COMPARE_SET),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare(VECTOR(PM_FLOAT32, NAN, 1, -2), VECTOR(PM_FLOAT32, -2, NAN, 1.0000001),
                        PM_COMPARE_SET),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(value("[1,\"a\"]"), value("[\"a\",1]"), PM_COMPARE_SET),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(value("[1,1]"), value("[1,2]"), PM_COMPARE_SET), PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("[1]"), value("[1,2]"), PM_COMPARE_SET), PM_DIFFERENCE_VALUE);
}

/* A list in a list is one member of the set: the order of its elements matters. */
static void test_sets_of_lists(void **state)
{
    (void)state;
    static const struct {
        const char *got, *want;
        bool equal;
    } pairs[] = {
        {"[[3.0],[1.0,2.00000001]]", "[[1.0,2.0],[3.0]]", true},
        {"[[3.0,2.0],[1.0]]", "[[1.0,2.0],[3.0]]", false},
        {"[[2.0,1.0]]", "[[1.0,2.0]]", false},
        {"{\"set\":[[2.0],[1.0]]}", "{\"set\":[[1.0],[2.0]]}", true},
        {"[{\"tuple\":[2.0,1.0]},{\"tuple\":[1.0,2.0]}]",
         "[{\"tuple\":[1.0,2.0]},{\"tuple\":[2.0,1.0]}]", true},
        {"[\"a\",1.00000001,2]", "[1.0,2,\"a\"]", true},
        {"[[1.0],[1.0]]", "[[1.0],[2.0]]", false},
        {"{\"range\":[8,0,2]}", "{\"range\":[0,8,2]}", false},
        {"{\"complex\":[2.0,1.0]}", "{\"complex\":[1.0,2.0]}", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct pm_difference d =
            compare(value(pairs[i].got), value(pairs[i].want), PM_COMPARE_SET);
        if ((d.kind == PM_DIFFERENCE_NONE) != pairs[i].equal)
            fail_msg("%s and %s: %s", pairs[i].got, pairs[i].want, d.text);
    }
    /* 10.0 is near both wanted numbers; it must not take 10.05, the only one that 10.1 is near. */
    const struct pm_compare_rule near = {.how = PM_COMPARE_SET, .by_default = {true, 0, 0.07}};
    assert_kind(compare_as(value("[[10.0],[10.1]]"), value("[[9.95],[10.05]]"), near),
                PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("[[10.0],[10.2]]"), value("[[9.95],[10.05]]"), near),
                PM_DIFFERENCE_VALUE);
}

static struct pm_leaf complexes(enum pm_dtype dtype, size_t count, const double (*parts)[2])
{
    struct pm_leaf leaf = {.path = "out", .kind = PM_LEAF_ARRAY, .has_bytes = true};
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)count}};
    assert_int_equal(pm_array_init(&leaf.array, dtype, &shape, NULL), PM_OK);
    for (size_t i = 0; i < count; i++)
        pm_array_set(&leaf.array, i, parts[i][0], parts[i][1]);
    return leaf;
}
#define COMPLEXES(dtype, ...)                                                                      \
    complexes(dtype, sizeof(double[][2]){__VA_ARGS__} / sizeof(double[2]),                         \
              (const double[][2]){__VA_ARGS__})

/* Eigenvalues of a real matrix are conjugate pairs; a device may round the real parts of a pair
 * differently. */
static void test_sets_of_complex_numbers(void **state)
{
    (void)state;
    assert_kind(compare(COMPLEXES(PM_COMPLEX64, {1, 2}, {1.0000001, -2}),
                        COMPLEXES(PM_COMPLEX64, {1, 2}, {1, -2}), PM_COMPARE_SET),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(COMPLEXES(PM_COMPLEX128, {3, 0}, {1 + 1e-9, -2}, {NAN, 0}, {1, 2}),
                        COMPLEXES(PM_COMPLEX128, {NAN, 0}, {1, -2}, {1, 2}, {3, 1e-9}),
                        PM_COMPARE_SET),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(COMPLEXES(PM_COMPLEX64, {1, 2}, {1.0000001, 2}),
                        COMPLEXES(PM_COMPLEX64, {1, 2}, {1, -2}), PM_COMPARE_SET),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare(COMPLEXES(PM_COMPLEX64, {1, 2}, {1, 2}, {5, 0}),
                        COMPLEXES(PM_COMPLEX64, {1, 2}, {5, 0}, {5, 0}), PM_COMPARE_SET),
                PM_DIFFERENCE_VALUE);
}

static void test_values(void **state)
{
    (void)state;
    assert_kind(compare(value("1"), value("2"), PM_COMPARE_CLOSE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("[1]"), value("[1]"), PM_COMPARE_EXACT), PM_DIFFERENCE_NONE);
    assert_kind(compare(value("[1,2.5]"), value("[7,0.5]"), PM_COMPARE_SHAPE), PM_DIFFERENCE_NONE);
    assert_kind(compare(value("[1,2]"), value("[1]"), PM_COMPARE_SHAPE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("1"), value("1.0"), PM_COMPARE_SHAPE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("\"a\""), value("\"b\""), PM_COMPARE_SHAPE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("{\"a\":1}"), value("{\"a\":2}"), PM_COMPARE_SHAPE),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(value("{\"b\":1}"), value("{\"a\":2}"), PM_COMPARE_SHAPE),
                PM_DIFFERENCE_VALUE);
    assert_string_equal(compare(value("true"), value("false"), PM_COMPARE_CLOSE).text,
                        "out: true instead of false");
}

static void test_numbers_in_values(void **state)
{
    (void)state;
    const struct pm_compare_rule loose = {.how = PM_COMPARE_CLOSE, .by_default = {true, 0.1, 0}};
    struct pm_difference d = compare(value("1.0000001"), value("1.0"), PM_COMPARE_CLOSE);
    assert_kind(d, PM_DIFFERENCE_NONE);
    assert_true(d.smallest_rtol > 0.9e-7 && d.smallest_rtol < 1.1e-7);
    d = compare(value("1.5"), value("1.0"), PM_COMPARE_CLOSE);
    assert_kind(d, PM_DIFFERENCE_VALUE);
    assert_string_equal(d.text, "out: 1.5 instead of 1 (rtol 1e-07, atol 1e-07)");
    assert_true(d.smallest_rtol == 0.5);
    assert_kind(compare(value("1.0000001"), value("1.0"), PM_COMPARE_EXACT), PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("-0.0"), value("0.0"), PM_COMPARE_EXACT), PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("1.05"), value("1.0"), loose), PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("105"), value("100"), loose), PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(value("1.0"), value("1"), loose), PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(value("\"inf\""), value("1.0"), loose), PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(value("[2,[1.05,\"a\"]]"), value("[2,[1.0,\"a\"]]"), loose),
                PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("[2,[1.05,\"a\"]]"), value("[2,[1.0,\"b\"]]"), loose),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(value("{\"k\":1.05}"), value("{\"k\":1.0}"), loose), PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("{\"j\":1.05}"), value("{\"k\":1.0}"), loose),
                PM_DIFFERENCE_VALUE);
    d = compare_as(value("[1.0,3.0]"), value("[1.0,2.0]"), loose);
    assert_string_equal(
        d.text, "out: 1 of 2 elements differ, largest at [1]: 3 instead of 2 (rtol 0.1, atol 0)");
    /* For complex numbers the distance counts, not the distances of the parts. */
    assert_kind(
        compare_as(value("{\"complex\":[100.0,0.5]}"), value("{\"complex\":[100.0,1.0]}"), loose),
        PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("[1.0,{\"complex\":[0.0,2.0]}]"),
                           value("[1.0,{\"complex\":[2.0,0.0]}]"), loose),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("[2.0,1.0000001]"), value("[1.0,2.0]"), PM_COMPARE_SET),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(value("[2.5,1.0]"), value("[1.0,2.0]"), PM_COMPARE_SET),
                PM_DIFFERENCE_VALUE);
}

static void test_oracle(void **state)
{
    (void)state;
    const struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE, .any_dtype = true};
    assert_kind(compare_as(VECTOR(PM_FLOAT16, 0.1), VECTOR(PM_FLOAT64, 0.1), rule),
                PM_DIFFERENCE_NONE);
    assert_kind(compare_as(VECTOR(PM_FLOAT16, 0.2), VECTOR(PM_FLOAT64, 0.1), rule),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(VECTOR(PM_INT32, 3), VECTOR(PM_INT64, 3), rule), PM_DIFFERENCE_NONE);
    assert_kind(compare_as(VECTOR(PM_INT32, 3), VECTOR(PM_FLOAT64, 3), rule), PM_DIFFERENCE_NONE);
    struct pm_leaf scalar = VECTOR(PM_FLOAT32, 2.5);
    scalar.array.shape.dims = 0;
    assert_kind(compare_as(scalar, value("2.5"), rule), PM_DIFFERENCE_NONE);
    scalar = VECTOR(PM_BOOL, 1);
    scalar.array.shape.dims = 0;
    assert_kind(compare_as(value("false"), scalar, rule), PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(VECTOR(PM_FLOAT32, 2.5), value("\"a\""), rule), PM_DIFFERENCE_STRUCTURE);
    assert_kind(compare(VECTOR(PM_FLOAT32, 2.5), value("2.5"), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_STRUCTURE);
}

static struct pm_leaf wide(enum pm_dtype dtype, int64_t number)
{
    struct pm_leaf leaf = VECTOR(dtype, 0);
    pm_array_set_int(&leaf.array, 0, number);
    return leaf;
}

/* As doubles, 2^60 and 2^60 + 1 are the same. */
static void test_integers_beyond_a_double_are_exact(void **state)
{
    (void)state;
    const struct pm_compare_rule oracle = {
        .any_dtype = true, .by_default = {.given = true, .rtol = 1e-3, .atol = 1e-3}};
    const int64_t number = INT64_C(1) << 60;
    assert_kind(compare_as(wide(PM_INT64, number + 1), VECTOR(PM_FLOAT64, 0x1p60), oracle),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(wide(PM_INT64, number), VECTOR(PM_FLOAT64, 0x1p60), oracle),
                PM_DIFFERENCE_NONE);
    assert_kind(compare_as(wide(PM_UINT64, -1), VECTOR(PM_FLOAT64, 0x1p64), oracle),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(wide(PM_UINT64, number + 1), VECTOR(PM_FLOAT32, 0x1p60F), oracle),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(VECTOR(PM_INT32, 3), VECTOR(PM_FLOAT64, 3.0005), oracle),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(VECTOR(PM_FLOAT64, 3.0005), VECTOR(PM_INT64, 3), oracle),
                PM_DIFFERENCE_NONE);
    assert_kind(compare_as(wide(PM_INT64, 3), VECTOR(PM_FLOAT64, NAN), oracle),
                PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(wide(PM_INT64, 3), VECTOR(PM_COMPLEX128, 3), oracle),
                PM_DIFFERENCE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_dtype_and_shape),
        cmocka_unit_test(test_text_names_the_worst_element),
        cmocka_unit_test(test_each_place_of_a_large_array),
        cmocka_unit_test(test_tolerance_of_each_dtype),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_given_tolerance),
        cmocka_unit_test(test_smallest_rtol),
        cmocka_unit_test(test_infinities_of_complex),
        cmocka_unit_test(test_large_integers),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_sets_of_lists),
        cmocka_unit_test(test_sets_of_complex_numbers),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_numbers_in_values),
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_integers_beyond_a_double_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

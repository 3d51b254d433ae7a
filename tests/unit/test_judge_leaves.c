/* Tests of the differences of outputs other than values, and of the rules for single dtypes and
 * paths. */
#include "outputs.h"

#include <stdlib.h>

#include "base/alloc.h"

/* ---- what makes outputs different --------------------------------------------------------------
 */

/* The pairs of docs/internals/protocol.md: the values of a pair differ under every rule. */
static void test_values_of_other_types_differ(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"[1,2]", "{\"tuple\":[1,2]}"},
        {"{\"torch.Size\":[1,2]}", "{\"tuple\":[1,2]}"},
        {"{\"range\":[0,2,1]}", "[0,1,2]"},
        {"{\"set\":[1]}", "{\"frozenset\":[1]}"},
        {"[]", "{\"tuple\":[]}"},
        {"{\"float\":\"inf\"}", "\"inf\""},
        {"{\"float\":\"inf\"}", "{\"float\":\"-inf\"}"},
        {"{\"int\":\"0x10000000000000000\"}", "\"18446744073709551616\""},
        {"{\"torch.dtype\":\"torch.float32\"}", "\"torch.float32\""},
        {"{\"bytes\":\"61\"}", "\"61\""},
        {"{\"bytes\":\"61\"}", "{\"bytearray\":\"61\"}"},
        {"{\"str\":{\"begins\":\"a\",\"digest\":\"1\",\"length\":70000}}",
         "{\"str\":{\"begins\":\"a\",\"digest\":\"2\",\"length\":70000}}"},
        {"null", "\"None\""},
        {"true", "1"},
        {"1", "1.0"},
        {"1.0", "{\"complex\":[1.0,0.0]}"},
        {"{\"complex\":[{\"float\":\"inf\"},0.0]}", "{\"complex\":[0.0,{\"float\":\"inf\"}]}"},
        {"{\"m.Colour\":\"RED\"}", "{\"m.Colour\":\"BLUE\"}"},
        {"{\"type\":\"int\"}", "{\"type\":\"float\"}"},
    };
    static const enum pm_compare ways[] = {PM_COMPARE_CLOSE, PM_COMPARE_EXACT, PM_COMPARE_SET,
                                           PM_COMPARE_SIGN};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            const struct pm_leaf a = value(pairs[i][0]), b = value(pairs[i][1]);
            if (compare(a, b, ways[w]).kind != PM_DIFFERENCE_VALUE ||
                compare(b, a, ways[w]).kind != PM_DIFFERENCE_VALUE)
                fail_msg("%s equals %s", a.value, b.value);
            assert_kind(compare(a, a, ways[w]), PM_DIFFERENCE_NONE);
        }
}

static void test_containers_of_other_classes_differ(void **state)
{
    (void)state;
    const struct pm_leaf item = named(VECTOR(PM_FLOAT32, 1), "out[0]");
    struct pm_leaf list[] = {container("list"), item}, tuple[] = {container("tuple"), item};
    struct pm_leaf bare[] = {item}, empty[] = {container("list")};
    const struct pm_leaves a = {list, 2}, b = {tuple, 2}, c = {bare, 1}, d = {empty, 1};
    struct pm_compare_rule rule = {.how = PM_COMPARE_SHAPE};
    struct pm_difference difference;
    pm_compare_leaves(&a, &b, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_STRUCTURE);
    assert_string_equal(difference.text, "out: type list instead of tuple");
    pm_compare_leaves(&a, &c, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_STRUCTURE);
    pm_compare_leaves(&a, &d, &rule, &difference);
    assert_string_equal(difference.text, "1 output instead of 0");
    pm_compare_leaves(&a, &a, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_NONE);
    rule = (struct pm_compare_rule){.any_dtype = true}; /* the oracle lacks these classes */
    pm_compare_leaves(&a, &b, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_NONE);
    pm_compare_leaves(&c, &b, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("{\"torch.Size\":[1,2]}"), value("{\"tuple\":[1,2]}"), rule),
                PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("[1,2]"), value("{\"tuple\":[1,2]}"), rule), PM_DIFFERENCE_NONE);
    assert_kind(compare_as(value("[1,3]"), value("{\"tuple\":[1,2]}"), rule), PM_DIFFERENCE_VALUE);
    assert_kind(compare_as(value("[1]"), value("{\"set\":[1]}"), rule), PM_DIFFERENCE_VALUE);
    pm_array_release(&bare[0].array); /* the other leaves share this array */
}

/* The oracle's leaves are compared path by path. */
static void test_oracle_by_path(void **state)
{
    (void)state;
    const struct pm_compare_rule rule = {.any_dtype = true};
    struct pm_leaf one = VECTOR(PM_FLOAT32, 1), two = VECTOR(PM_FLOAT32, 2);
    struct pm_leaf got[] = {named(one, "out['a']"), named(two, "out['b']")};
    struct pm_leaf swapped[] = {named(one, "out['b']"), named(two, "out['a']")};
    struct pm_leaf renamed[] = {named(one, "out['a']"), named(two, "out['c']")};
    struct pm_leaf nested[] = {named(one, "out['a']"), named(two, "out['b'][0]")};
    const struct pm_leaves want = {got, 2},
                           others[] = {{swapped, 2}, {renamed, 2}, {nested, 2}, {got, 1}};
    struct pm_difference difference;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        pm_compare_leaves(&want, &others[i], &rule, &difference);
        assert_kind(difference, PM_DIFFERENCE_STRUCTURE);
        pm_compare_leaves(&others[i], &want, &rule, &difference);
        assert_kind(difference, PM_DIFFERENCE_STRUCTURE);
    }
    pm_compare_leaves(&want, &want, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_NONE);
    pm_array_release(&one.array);
    pm_array_release(&two.array);
}

static void test_infinite_numbers(void **state)
{
    (void)state;
    const struct pm_compare_rule oracle = {.any_dtype = true};
    const struct pm_leaf infinite = value("{\"float\":\"inf\"}"),
                         nan = value("{\"float\":\"nan\"}");
    assert_kind(compare(infinite, value("1.5"), PM_COMPARE_CLOSE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(nan, nan, PM_COMPARE_EXACT), PM_DIFFERENCE_NONE);
    assert_kind(compare(infinite, value("1.5"), PM_COMPARE_SHAPE), PM_DIFFERENCE_NONE);
    assert_kind(compare(infinite, value("1"), PM_COMPARE_SHAPE), PM_DIFFERENCE_VALUE);
    for (int i = 0; i < 2; i++) {
        struct pm_leaf scalar = VECTOR(PM_FLOAT32, INFINITY);
        scalar.array.shape.dims = 0;
        assert_kind(compare_as(scalar, i ? nan : infinite, oracle),
                    i ? PM_DIFFERENCE_VALUE : PM_DIFFERENCE_NONE);
    }
    assert_kind(compare_as(value("{\"complex\":[1.0,{\"float\":\"nan\"}]}"),
                           value("{\"complex\":[1.0,{\"float\":\"nan\"}]}"), oracle),
                PM_DIFFERENCE_NONE);
    assert_kind(compare(value("{\"tuple\":[3,1]}"), value("{\"tuple\":[1,3]}"), PM_COMPARE_SET),
                PM_DIFFERENCE_NONE);
}

/* ---- the state of a generator, which has another form on each kind of device
 * ---------------------
 */

static void test_states_of_one_engine_are_compared(void **state)
{
    (void)state;
    const struct pm_leaf cpu = value("{\"generator state\":{\"on cpu\":\"1\"}}"),
                         later = value("{\"generator state\":{\"on cpu\":\"2\"}}"),
                         cuda = value("{\"generator state\":{\"on cuda\":\"3\"}}"),
                         other = value("{\"another state\":{\"on cuda\":\"3\"}}");
    assert_kind(compare(cpu, later, PM_COMPARE_CLOSE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(cpu, cuda, PM_COMPARE_CLOSE), PM_DIFFERENCE_NONE);
    assert_kind(compare(cuda, cpu, PM_COMPARE_SET), PM_DIFFERENCE_NONE);
    assert_kind(compare(cpu, other, PM_COMPARE_CLOSE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(cpu, later, PM_COMPARE_SHAPE), PM_DIFFERENCE_NONE);
    assert_kind(compare(cpu, value("1"), PM_COMPARE_SHAPE), PM_DIFFERENCE_VALUE);
    assert_kind(compare(value("[{\"generator state\":{\"on cpu\":\"1\"}},2]"),
                        value("[{\"generator state\":{\"on cuda\":\"1\"}},3]"), PM_COMPARE_CLOSE),
                PM_DIFFERENCE_VALUE);
}

/* ---- rules for dtypes and paths ----------------------------------------------------------------
 */

static struct pm_compare_rule rule_of(const char *definition, json_t **kept)
{
    struct pm_error err = {""};
    if (pm_json_parse(definition, strlen(definition), kept, &err))
        fail_msg("%s", err.text);
    return pm_compare_rule_of(*kept, false);
}

static void test_tolerance_by_dtype_and_path(void **state)
{
    (void)state;
    json_t *kept;
    const struct pm_compare_rule rule =
        rule_of("{\"tolerance\":{\"float16\":{\"rtol\":0.5,\"atol\":0},"
                "\"default\":{\"rtol\":0.25,\"atol\":0},"
                "\"x.grad\":{\"rtol\":0.75,\"atol\":0}}}",
                &kept);
    static const struct {
        enum pm_dtype dtype;
        const char *path;
        double right, wrong;
    } rows[] = {
        {PM_FLOAT16, "out", 1.5, 1.625},          {PM_FLOAT32, "out", 1.25, 1.375},
        {PM_FLOAT16, "x.grad", 1.75, 1.875},      {PM_FLOAT32, "x.grad", 1.75, 1.875},
        {PM_FLOAT64, "x.grad[0].k", 1.75, 1.875}, {PM_FLOAT64, "x.gradient", 1.25, 1.375},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double numbers[] = {rows[i].right, rows[i].wrong};
        for (int wrong = 0; wrong < 2; wrong++)
            assert_kind(compare_as(named(vector(rows[i].dtype, 1, &numbers[wrong]), rows[i].path),
                                   named(VECTOR(rows[i].dtype, 1), rows[i].path), rule),
                        wrong ? PM_DIFFERENCE_VALUE : PM_DIFFERENCE_NONE);
    }
    struct pm_compare_rule oracle = rule; /* the tolerance is that of the dtype which is checked */
    oracle.any_dtype = true;
    assert_kind(compare_as(VECTOR(PM_FLOAT16, 1.5), VECTOR(PM_FLOAT64, 1), oracle),
                PM_DIFFERENCE_NONE);
    assert_kind(compare_as(VECTOR(PM_FLOAT32, 1.5), VECTOR(PM_FLOAT64, 1), oracle),
                PM_DIFFERENCE_VALUE);
    json_decref(kept);
}

static void test_compare_by_path(void **state)
{
    (void)state;
    json_t *kept;
    struct pm_compare_rule rule = rule_of(
        "{\"compare\":{\"out\":\"shape\",\"out[1]\":\"exact\",\"default\":\"set\"}}", &kept);
    assert_true(pm_compare_rule_needs_values(&rule));
    static const struct {
        const char *path;
        enum pm_difference_kind of_order, of_values;
    } rows[] = {
        {"out", PM_DIFFERENCE_NONE, PM_DIFFERENCE_NONE},
        {"out[0]", PM_DIFFERENCE_NONE, PM_DIFFERENCE_NONE},
        {"out[1].a", PM_DIFFERENCE_VALUE, PM_DIFFERENCE_VALUE},
        {"x.grad", PM_DIFFERENCE_NONE, PM_DIFFERENCE_VALUE},
        {"series[1].out", PM_DIFFERENCE_NONE, PM_DIFFERENCE_NONE},
        {"series[12].out[1].a", PM_DIFFERENCE_VALUE, PM_DIFFERENCE_VALUE},
        {"series[2].x.grad", PM_DIFFERENCE_NONE, PM_DIFFERENCE_VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = rows[i].path;
        assert_kind(compare_as(named(VECTOR(PM_FLOAT32, 2, 1), path),
                               named(VECTOR(PM_FLOAT32, 1, 2), path), rule),
                    rows[i].of_order);
        assert_kind(compare_as(named(VECTOR(PM_FLOAT32, 3, 1), path),
                               named(VECTOR(PM_FLOAT32, 1, 2), path), rule),
                    rows[i].of_values);
    }
    assert_true(
        isnan(compare_as(VECTOR(PM_FLOAT32, 1), VECTOR(PM_FLOAT32, 1), rule).smallest_rtol));
    json_decref(kept);
    rule = rule_of("{\"compare\":\"shape\"}", &kept);
    assert_false(pm_compare_rule_needs_values(&rule));
    json_decref(kept);
    assert_true(pm_path_is_within("out", "out") && pm_path_is_within("out.a", "out"));
    assert_false(pm_path_is_within("output", "out") || pm_path_is_within("out", "out[0]"));
}

/* Tests the largest number of paths that a case file may name, with different paths in `compare`
 * and `tolerance`. */
static void test_no_path_is_forgotten(void **state)
{
    (void)state;
    json_t *definition = json_pack("{s:{}, s:{}}", "compare", "tolerance");
    for (int i = 0; i < PM_MOST_COMPARED_PATHS; i++) {
        char *compared = pm_format("out.a%d", i), *tolerated = pm_format("out.b%d", i);
        json_object_set_new(json_object_get(definition, "compare"), compared, json_string("shape"));
        json_object_set_new(json_object_get(definition, "tolerance"), tolerated,
                            json_pack("{s:f, s:f}", "rtol", 1.0, "atol", 0.0));
        free(compared);
        free(tolerated);
    }
    const struct pm_compare_rule rule = pm_compare_rule_of(definition, false);
    for (int i = 0; i < 2 * PM_MOST_COMPARED_PATHS; i++) {
        char *path = pm_format("out.%c%d", i % 2 ? 'b' : 'a', i / 2);
        assert_kind(compare_as(named(VECTOR(PM_FLOAT32, 1.5), path),
                               named(VECTOR(PM_FLOAT32, 1), path), rule),
                    PM_DIFFERENCE_NONE);
        free(path);
    }
    json_decref(definition);
}

static struct pm_leaf matrix(enum pm_dtype dtype, int64_t rows, const double *numbers)
{
    struct pm_leaf leaf = {.path = "out", .kind = PM_LEAF_ARRAY, .has_bytes = true};
    const struct pm_shape shape = {.dims = 2, .size = {rows, 2}};
    const bool is_complex = dtype == PM_COMPLEX64;
    assert_int_equal(pm_array_init(&leaf.array, dtype, &shape, NULL), PM_OK);
    for (size_t i = 0; i < leaf.array.count; i++)
        pm_array_set(&leaf.array, i, numbers[is_complex ? 2 * i : i],
                     is_complex ? numbers[2 * i + 1] : 0);
    return leaf;
}

static void test_up_to_sign(void **state)
{
    (void)state;
    static const double want[] = {1, 2, 3, 4, NAN, 6};
    static const struct {
        double numbers[6];
        enum pm_difference_kind kind;
    } rows[] = {
        {{-1, 2, -3, 4, NAN, 6}, PM_DIFFERENCE_NONE},    /* one column */
        {{-1, -2, -3, -4, NAN, -6}, PM_DIFFERENCE_NONE}, /* both */
        {{-1, -2, 3, 4, NAN, 6}, PM_DIFFERENCE_VALUE},   /* a row */
        {{-1, 2, -3.1, 4, NAN, 6}, PM_DIFFERENCE_VALUE},
        {{-2, 2, -6, 4, NAN, 6}, PM_DIFFERENCE_VALUE}, /* a sign is not a factor */
        {{0, 0, 0, 0, 0, 0}, PM_DIFFERENCE_VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_kind(compare(matrix(PM_FLOAT32, 3, rows[i].numbers), matrix(PM_FLOAT32, 3, want),
                            PM_COMPARE_SIGN),
                    rows[i].kind);
        assert_kind(compare(matrix(PM_FLOAT32, 3, rows[i].numbers), matrix(PM_FLOAT32, 3, want),
                            PM_COMPARE_CLOSE),
                    PM_DIFFERENCE_VALUE);
    }
    assert_kind(compare(VECTOR(PM_FLOAT32, -1, 2), VECTOR(PM_FLOAT32, 1, 2), PM_COMPARE_SIGN),
                PM_DIFFERENCE_VALUE); /* there is no second-to-last axis */
    static const double whole[] = {1, 2, 3, 4}, minus[] = {-1, -2, -3, -4};
    assert_kind(compare(matrix(PM_INT32, 2, minus), matrix(PM_INT32, 2, whole), PM_COMPARE_SIGN),
                PM_DIFFERENCE_VALUE);
}

/* The columns are (1, i) and (2, 3). The first is multiplied by i, the second by 0.6 + 0.8i. */
static void test_up_to_a_phase(void **state)
{
    (void)state;
    static const double want[] = {1, 0, 2, 0, 0, 1, 3, 0};
    static const double turned[] = {0, 1, 1.2, 1.6, -1, 0, 1.8, 2.4};
    static const double scaled[] = {0, 2, 1.2, 1.6, -2, 0, 1.8, 2.4};
    assert_kind(
        compare(matrix(PM_COMPLEX64, 2, turned), matrix(PM_COMPLEX64, 2, want), PM_COMPARE_SIGN),
        PM_DIFFERENCE_NONE);
    assert_kind(
        compare(matrix(PM_COMPLEX64, 2, scaled), matrix(PM_COMPLEX64, 2, want), PM_COMPARE_SIGN),
        PM_DIFFERENCE_VALUE);
}

/* A decomposition may return its vectors with other signs. The message says so if only
 * the signs differ. */
static void test_signs_of_orthonormal_vectors(void **state)
{
    (void)state;
    static const double want[] = {0.6, -0.8, 0.8, 0.6};
    static const struct {
        double got[4], want[4];
        bool only_signs;
    } rows[] = {
        {{-0.6, -0.8, -0.8, 0.6}, {0.6, -0.8, 0.8, 0.6}, true},  /* a column */
        {{-0.6, 0.8, 0.8, 0.6}, {0.6, -0.8, 0.8, 0.6}, true},    /* a row */
        {{-0.6, 0.8, -0.8, -0.6}, {0.6, -0.8, 0.8, 0.6}, true},  /* all */
        {{-0.6, -0.8, 0.8, 0.6}, {0.6, -0.8, 0.8, 0.6}, false},  /* one element */
        {{-0.6, -0.8, -0.9, 0.6}, {0.6, -0.8, 0.8, 0.6}, false}, /* another number */
        {{-0.6, -0.6, -0.8, 0.8}, {0.6, -0.6, 0.8, 0.8}, false}, /* not orthogonal */
        {{-6, -0.8, -8, 0.6}, {6, -0.8, 8, 0.6}, false},         /* not of length 1 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pm_difference d =
            compare(matrix(PM_FLOAT32, 2, rows[i].got), matrix(PM_FLOAT32, 2, rows[i].want),
                    PM_COMPARE_CLOSE);
        assert_kind(d, PM_DIFFERENCE_VALUE);
        if ((strstr(d.text, PM_ONLY_SIGNS) != NULL) != rows[i].only_signs)
            fail_msg("row %zu: %s", i, d.text);
    }
    assert_null(strstr(
        compare(matrix(PM_FLOAT32, 2, rows[0].got), matrix(PM_FLOAT32, 2, want), PM_COMPARE_EXACT)
            .text,
        PM_ONLY_SIGNS)); /* an exact comparison says nothing about signs */
}

/* A quantized tensor is stored as its parts. If it is compared with an array, the message names the
 * two dtypes, not the numbers of parts. */
static void test_a_quantized_tensor_and_an_array_differ_in_their_dtypes(void **state)
{
    (void)state;
    struct pm_leaf parts[] = {container("torch.Tensor"), named(VECTOR(PM_UINT8, 1), "out.int_repr"),
                              value("{\"torch.dtype\":\"torch.quint8\"}")};
    parts[2].path = "out.dtype";
    struct pm_leaf array[] = {VECTOR(PM_FLOAT32, 1)}, other[] = {container("list"), parts[1]};
    const struct pm_leaves quantized = {parts, 3}, plain = {array, 1}, list = {other, 2};
    struct pm_difference difference;
    const struct pm_compare_rule rule = {.how = PM_COMPARE_SHAPE};
    pm_compare_leaves(&plain, &quantized, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_DTYPE);
    assert_string_equal(difference.text, "out: dtype float32 instead of quint8");
    pm_compare_leaves(&quantized, &plain, &rule, &difference);
    assert_string_equal(difference.text, "out: dtype quint8 instead of float32");
    pm_compare_leaves(&plain, &list, &rule, &difference);
    assert_kind(difference, PM_DIFFERENCE_STRUCTURE);
    pm_array_release(&parts[1].array);
    pm_array_release(&array[0].array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_other_types_differ),
        cmocka_unit_test(test_containers_of_other_classes_differ),
        cmocka_unit_test(test_oracle_by_path),
        cmocka_unit_test(test_infinite_numbers),
        cmocka_unit_test(test_states_of_one_engine_are_compared),
        cmocka_unit_test(test_tolerance_by_dtype_and_path),
        cmocka_unit_test(test_compare_by_path),
        cmocka_unit_test(test_no_path_is_forgotten),
        cmocka_unit_test(test_up_to_sign),
        cmocka_unit_test(test_up_to_a_phase),
        cmocka_unit_test(test_signs_of_orthonormal_vectors),
        cmocka_unit_test(test_a_quantized_tensor_and_an_array_differ_in_their_dtypes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

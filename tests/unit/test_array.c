/* Tests of dtypes, shapes, arrays and the bit patterns of floating dtypes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "array/array.h"
#include "array/array_private.h"
#include "base/random.h"

#define NAN_VALUE ((double)__builtin_nanf(""))
#define INFINITE  ((double)__builtin_inff())

enum { ELEMENTS = 1000 };

static const struct pm_shape shape4 = {1, {4}};

static uint16_t float16_from(double value)
{
    return (uint16_t)pm_array__pattern(PM_FLOAT16, value);
}

static uint16_t bfloat16_from(double value)
{
    return (uint16_t)pm_array__pattern(PM_BFLOAT16, value);
}

static double float16_to(uint16_t bits)
{
    return pm_array__value(PM_FLOAT16, bits);
}

static double bfloat16_to(uint16_t bits)
{
    return pm_array__value(PM_BFLOAT16, bits);
}

static void test_dtype__names_sizes_kinds(void **state)
{
    (void)state;
    enum pm_dtype dtype;
    for (unsigned i = 0; i < PM_DTYPE_COUNT; i++) {
        assert_true(pm_dtype_parse(pm_dtype_name((enum pm_dtype)i), &dtype));
        assert_int_equal(dtype, i);
    }
    assert_false(pm_dtype_parse("float31", &dtype));
    assert_false(pm_dtype_parse("", &dtype));
    assert_int_equal(pm_dtype_size(PM_COMPLEX128), 16);
    assert_int_equal(pm_dtype_size(PM_BFLOAT16), 2);
    assert_int_equal(pm_dtype_kind(PM_UINT16), PM_KIND_UNSIGNED);
}

static void test_shape__counts(void **state)
{
    (void)state;
    char text[PM_SHAPE_TEXT], wanted[PM_SHAPE_TEXT] = "[-9223372036854775808";
    size_t count;
    const struct pm_shape scalar = {0}, empty = {3, {INT64_MAX, 0, INT64_MAX}};
    const struct pm_shape huge = {2, {INT64_MAX, 3}}, negative = {2, {0, -1}};
    assert_true(pm_shape_count(&scalar, &count));
    assert_int_equal(count, 1);
    assert_true(pm_shape_count(&empty, &count));
    assert_int_equal(count, 0);
    assert_false(pm_shape_count(&huge, &count));
    assert_false(pm_shape_count(&negative, &count));
    assert_string_equal(pm_shape_text(&scalar, text), "[]");
    const struct pm_shape plain = {2, {4, 200}}, same = {2, {4, 200, 9}};
    assert_string_equal(pm_shape_text(&plain, text), "[4,200]");
    assert_true(pm_shape_equal(&plain, &same));
    assert_false(pm_shape_equal(&plain, &scalar));
    struct pm_shape longest = {.dims = PM_MAX_DIMS};
    for (unsigned d = 0; d < PM_MAX_DIMS; d++)
        longest.size[d] = INT64_MIN;
    for (unsigned d = 1; d < PM_MAX_DIMS; d++)
        strcat(wanted, ",-9223372036854775808");
    strcat(wanted, "]");
    assert_string_equal(pm_shape_text(&longest, text), wanted);
}

static void test_array__limits(void **state)
{
    (void)state;
    struct pm_array array;
    struct pm_error err;
    const struct pm_shape large = {2, {1 << 20, 1 << 20}}, negative = {1, {-1}}, empty = {1, {0}};
    assert_int_equal(pm_array_init(&array, PM_FLOAT64, &large, &err), PM_EFORMAT);
    assert_null(array.data);
    assert_int_equal(pm_array_init(&array, PM_FLOAT64, &negative, &err), PM_EFORMAT);
    assert_int_equal(pm_array_init(&array, PM_FLOAT64, &empty, &err), PM_OK);
    assert_non_null(array.data);
    pm_array_release(&array);
    pm_array_release(&array);
}

/* The digests were computed with libxxhash called from Python. */
static void test_array__digests(void **state)
{
    (void)state;
    const float values[4] = {0, 1, 2, 3};
    const int64_t seven = 7;
    const struct pm_shape scalar = {0}, square = {2, {2, 2}}, empty = {2, {0, 3}};
    assert_string_equal(pm_digest_of(PM_FLOAT32, &shape4, values, sizeof values).hex,
                        "a396a9d934538d9fe491b41121d8f0ca");
    assert_string_equal(pm_digest_of(PM_FLOAT32, &square, values, sizeof values).hex,
                        "adae4e8348c2935a103b52f1c318005c");
    assert_string_equal(pm_digest_of(PM_FLOAT32, &empty, "", 0).hex,
                        "d82e2b49961db516109c74e1aef096c9");
    assert_string_equal(pm_digest_of(PM_INT64, &scalar, &seven, sizeof seven).hex,
                        "35ad5b50a89800edf1948c12b7677cd9");
    const struct pm_shape text = {1, {sizeof values}};
    assert_string_equal(pm_digest_of(PM_UINT8, &text, values, sizeof values).hex,
                        pm_digest_bytes(values, sizeof values).hex);
}

static void test_array__is_described_by_its_texts(void **state)
{
    (void)state;
    struct pm_array array;
    assert_true(pm_array_of_text("float32", "[4,200]", &array));
    assert_int_equal(array.dtype, PM_FLOAT32);
    assert_int_equal(array.shape.dims, 2);
    assert_int_equal(array.shape.size[1], 200);
    assert_int_equal(array.count, 800);
    assert_int_equal(array.bytes, 3200);
    assert_null(array.data);
    assert_true(pm_array_of_text("bool", "[]", &array));
    assert_int_equal(array.count, 1);
    assert_true(pm_array_of_text("complex128", "[3,0,9223372036854775807]", &array));
    assert_int_equal(array.bytes, 0);
}

/* Texts that only a damaged database or a faulty child can contain. */
#define TEN "1,1,1,1,1,1,1,1,1,1,"

static void test_array__refuses_texts_that_describe_none(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"float31", "[4]"},
        {"", "[4]"},
        {"float32", ""},
        {"float32", "4"},
        {"float32", "[4"},
        {"float32", "[4,]"},
        {"float32", "[,4]"},
        {"float32", "[4 ]"},
        {"float32", " [4]"},
        {"float32", "[4]x"},
        {"float32", "[4]]"},
        {"float32", "[04]"},
        {"float32", "[+4]"},
        {"float32", "[-1]"},
        {"float32", "[4.0]"},
        {"float32", "[1e3]"},
        {"float32", "[0x10]"},
        {"float32", "[9223372036854775808]"},
        {"float32", "[99999999999999999999999999999999999999999999999999999999999999999999]"},
        {"float32", "[4611686018427387904]"}, /* 2^62 elements of 4 bytes */
        {"float32", "[4294967296,4294967296]"},
        {"float32", "[" TEN TEN TEN TEN TEN TEN "1,1,1,1,1]"}, /* 65 dimensions */
        {"float32", "{\"a\":4}"},
        {"float32", "null"},
    };
    struct pm_array array;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(&array, 0xa5, sizeof array);
        if (pm_array_of_text(rows[i][0], rows[i][1], &array))
            fail_msg("'%s' '%s' describes an array", rows[i][0], rows[i][1]);
        assert_int_equal(array.shape.dims + array.count + array.bytes, 0);
        assert_null(array.data);
    }
}

static void check_set(enum pm_dtype dtype, double value, double want)
{
    struct pm_array array;
    assert_int_equal(pm_array_init(&array, dtype, &shape4, NULL), PM_OK);
    pm_array_set(&array, 2, value, 0);
    if (pm_array_real(&array, 2) != want)
        fail_msg("%s: %.17g became %.17g, not %.17g", pm_dtype_name(dtype), value,
                 pm_array_real(&array, 2), want);
    assert_true(pm_array_real(&array, 1) == 0 && pm_array_real(&array, 3) == 0);
    pm_array_release(&array);
}

static void test_array__integers_truncate_and_saturate(void **state)
{
    (void)state;
    check_set(PM_INT8, -3.9, -3);
    check_set(PM_INT8, 127.9, 127);
    check_set(PM_INT8, 128, 127);
    check_set(PM_INT8, -1e9, -128);
    check_set(PM_UINT8, 255.5, 255);
    check_set(PM_UINT8, -0.5, 0);
    check_set(PM_UINT8, 1e300, 255);
    check_set(PM_INT64, 1e300, 0x1p63);
    check_set(PM_INT64, -INFINITE, -0x1p63);
    check_set(PM_UINT64, 0x1p64, 0x1p64);
    check_set(PM_UINT64, 0x1p63, 0x1p63);
    check_set(PM_INT32, NAN_VALUE, 0);
    check_set(PM_BOOL, 7, 1);
    check_set(PM_BOOL, 0.5, 0);
    check_set(PM_BOOL, -1, 0);
}

static void check_set_int(enum pm_dtype dtype, int64_t value, int64_t want)
{
    struct pm_array array;
    assert_int_equal(pm_array_init(&array, dtype, &shape4, NULL), PM_OK);
    pm_array_set_int(&array, 3, value);
    assert_true(pm_array_int(&array, 3) == want);
    pm_array_release(&array);
}

static void test_array__whole_numbers_wrap(void **state)
{
    (void)state;
    check_set_int(PM_INT8, 130, -126);
    check_set_int(PM_UINT8, -1, 255);
    check_set_int(PM_INT16, -32769, 32767);
    check_set_int(PM_INT64, INT64_MIN, INT64_MIN);
    check_set_int(PM_UINT64, -1, -1); /* the same 64 bits */
    check_set_int(PM_UINT32, -1, UINT32_MAX);
    check_set_int(PM_BOOL, 3, 1);
}

static void test_array__complex_parts(void **state)
{
    (void)state;
    struct pm_array array;
    assert_int_equal(pm_array_init(&array, PM_COMPLEX64, &shape4, NULL), PM_OK);
    pm_array_set(&array, 1, 0.1, -2.5);
    assert_true(pm_array_real(&array, 1) == (double)0.1F);
    assert_true(pm_array_imag(&array, 1) == -2.5);
    assert_true(pm_array_imag(&array, 0) == 0);
    const float *parts = (const float *)(const void *)array.data;
    assert_true(parts[2] == 0.1F && parts[3] == -2.5F);
    pm_array_release(&array);
}

static bool same(double a, double b)
{
    return a == b || (a != a && b != b);
}

/* Checks numbers of random bits, which include infinities, NaNs and subnormals. */
static void check_numbers(enum pm_dtype dtype)
{
    struct pm_array array;
    double real[ELEMENTS], imag[ELEMENTS];
    assert_int_equal(pm_array_init(&array, dtype, &(struct pm_shape){1, {ELEMENTS}}, NULL), PM_OK);
    const struct pm_stream stream = pm_stream_of(pm_dtype_name(dtype), 0);
    for (size_t i = 0; i < array.bytes; i++) {
        const uint64_t bits = pm_stream_bits(&stream, i, 0);
        array.data[i] = (unsigned char)(dtype == PM_BOOL ? bits & 1 : bits);
    }
    pm_array_numbers(&array, 5, ELEMENTS - 7, real, imag);
    for (size_t i = 0; i < ELEMENTS - 7; i++) {
        const double re = pm_array_real(&array, 5 + i), im = pm_array_imag(&array, 5 + i);
        if (!same(real[i], re) || !same(imag[i], im))
            fail_msg("%s: element %zu is %.17g, %.17g, not %.17g, %.17g", pm_dtype_name(dtype), i,
                     real[i], imag[i], re, im);
    }
    pm_array_release(&array);
}

static void test_array__many_numbers_are_those_of_each_element(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < PM_DTYPE_COUNT; dtype++)
        check_numbers((enum pm_dtype)dtype);
}

static void test_float__all_16_bit_patterns_come_back(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
        assert_int_equal(float16_from(float16_to((uint16_t)bits)), bits);
        assert_int_equal(bfloat16_from(bfloat16_to((uint16_t)bits)), bits);
    }
}

/* Checks rounding between all neighbours: a value in the middle is rounded to the even neighbour,
 * any other value to the nearer one. */
static void check_ties(uint16_t (*from)(double), double (*to)(uint16_t), unsigned last_finite)
{
    for (unsigned bits = 0; bits < last_finite; bits++) {
        const double a = to((uint16_t)bits), b = to((uint16_t)(bits + 1)), middle = (a + b) / 2;
        assert_int_equal(from(middle), bits % 2 ? bits + 1 : bits);
        assert_int_equal(from(middle * (1 - 0x1p-52)), bits);
        assert_int_equal(from(middle * (1 + 0x1p-52)), bits + 1);
        assert_int_equal(from(-middle), 0x8000 | (bits % 2 ? bits + 1 : bits));
    }
}

static void test_float__ties_to_even(void **state)
{
    (void)state;
    check_ties(float16_from, float16_to, 0x7BFF);
    check_ties(bfloat16_from, bfloat16_to, 0x7F7F);
}

static void test_float__known_values(void **state)
{
    (void)state;
    assert_int_equal(float16_from(1), 0x3C00);
    assert_int_equal(float16_from(-2), 0xC000);
    assert_int_equal(float16_from(65504), 0x7BFF);
    assert_int_equal(float16_from(65519.999), 0x7BFF);
    assert_int_equal(float16_from(65520), 0x7C00);
    assert_int_equal(float16_from(0x1p-24), 0x0001);
    assert_int_equal(float16_from(0x1p-25), 0x0000);
    assert_int_equal(float16_from(0x1.000001p-25), 0x0001);
    assert_int_equal(float16_from(5e-324), 0x0000);
    assert_int_equal(float16_from(-0.0), 0x8000);
    assert_int_equal(float16_from(1e300), 0x7C00);
    assert_int_equal(float16_from(-INFINITE), 0xFC00);
    assert_int_equal(bfloat16_from(1), 0x3F80);
    assert_int_equal(bfloat16_from(3.14159265), 0x4049);
    assert_int_equal(bfloat16_from(3.4e38), 0x7F80);
    assert_int_equal(bfloat16_from(INFINITE), 0x7F80);
    assert_true(float16_to(0x3555) == 0x1.554p-2);
    const double nan16 = float16_to(float16_from(NAN_VALUE));
    assert_true(nan16 != nan16);
    /* Only the lowest bit of this NaN's payload is set, and a narrower dtype has no room for it. */
    const double thin = pm_array__value(PM_FLOAT64, 0x7FF0000000000001);
    const double nan_b = bfloat16_to(bfloat16_from(thin));
    assert_true(nan_b != nan_b);
}

/* The processor's own rounding to float32 is the reference. */
static void test_float__float32_as_the_processor(void **state)
{
    (void)state;
    struct pm_random random;
    pm_random_init(&random, "float32", 0);
    for (unsigned i = 0; i < 200000; i++) {
        const double value = pm_array__value(PM_FLOAT64, pm_random_next(&random));
        const double tiny = pm_random_real(&random) * 0x1p-125; /* near the subnormals */
        if (value == value)
            assert_true(pm_array__value(PM_FLOAT32, pm_array__pattern(PM_FLOAT32, value)) ==
                        (double)(float)value);
        assert_true(pm_array__value(PM_FLOAT32, pm_array__pattern(PM_FLOAT32, tiny)) ==
                    (double)(float)tiny);
    }
}

static void test_float__neighbours(void **state)
{
    (void)state;
    assert_true(pm_array__below_bound(PM_FLOAT32, 1) == 1 - 0x1p-24);
    assert_true(pm_array__below_bound(PM_FLOAT64, 0) == -0x1p-1074);
    assert_true(pm_array__below_bound(PM_BFLOAT16, 1.001) == 1);
    assert_true(pm_array__below_bound(PM_BFLOAT16, 0.999) == 1 - 0x1p-8);
    assert_true(pm_array__at_least(PM_FLOAT16, 1) == 1);
    assert_true(pm_array__at_least(PM_FLOAT16, 1.0001) == 1 + 0x1p-10);
    assert_true(pm_array__at_least(PM_FLOAT16, -0x1p-30) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtype__names_sizes_kinds),
        cmocka_unit_test(test_shape__counts),
        cmocka_unit_test(test_array__limits),
        cmocka_unit_test(test_array__digests),
        cmocka_unit_test(test_array__is_described_by_its_texts),
        cmocka_unit_test(test_array__refuses_texts_that_describe_none),
        cmocka_unit_test(test_array__integers_truncate_and_saturate),
        cmocka_unit_test(test_array__whole_numbers_wrap),
        cmocka_unit_test(test_array__complex_parts),
        cmocka_unit_test(test_array__many_numbers_are_those_of_each_element),
        cmocka_unit_test(test_float__all_16_bit_patterns_come_back),
        cmocka_unit_test(test_float__ties_to_even),
        cmocka_unit_test(test_float__known_values),
        cmocka_unit_test(test_float__float32_as_the_processor),
        cmocka_unit_test(test_float__neighbours),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}

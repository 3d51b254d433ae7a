/* Specifications of inputs: what is read, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "array/input.h"

static void test_parse__accepts(void **state)
{
    (void)state;
    struct pm_input_spec spec;
    struct pm_error err = {""};
    assert_int_equal(pm_input_parse("float32[4,200] normal(0,2) on host", &spec, &err), PM_OK);
    assert_int_equal(spec.dtype, PM_FLOAT32);
    assert_int_equal(spec.shape.dims, 2);
    assert_int_equal(spec.shape.size[1], 200);
    assert_int_equal(spec.distribution, PM_NORMAL);
    assert_true(spec.argument[0] == 0 && spec.argument[1] == 2 && spec.on_host);
    assert_int_equal(pm_input_parse(" int8 [ 3 ] integers( -128 , 128 ) ", &spec, &err), PM_OK);
    assert_true(spec.argument[0] == -128 && !spec.on_host);
    assert_int_equal(pm_input_parse("float64[] normal", &spec, &err), PM_OK);
    assert_true(spec.argument[0] == 0 && spec.argument[1] == 1);
    assert_int_equal(spec.shape.dims, 0);
    assert_int_equal(pm_input_parse("bfloat16[2,256] permutation", &spec, &err), PM_OK);
    assert_int_equal(pm_input_parse("float32[0,0] spd", &spec, &err), PM_OK);
}

static const struct {
    const char *text, *error;
} wrong[] = {
    {"", "unknown dtype ''"},
    {"$dtype[4] normal", "unknown dtype '$dtype'"},
    {"float31[3] normal", "unknown dtype 'float31'"},
    {"float32 normal", "shape in [] expected at 'normal'"},
    {"float32[3", "',' or ']' expected at the end"},
    {"float64[3] full(10000000000000000000000000000000000000000000000000000000000000001)",
     "shorter number expected at '1000000000000000000000000000000000000000'"},
    {"float32[3,] ones", "size expected at '] ones'"},
    {"float32[-3] zeros", "size expected at '-3] zeros'"},
    {"float32[99999999999999999999] zeros", "size expected at '] zeros'"},
    {"float32[3]", "unknown distribution ''"},
    {"float32[3] gamma(1,2)", "unknown distribution 'gamma'"},
    {"float32[3] normal(0,", "number expected at the end"},
    {"float32[3] normal(0,x)", "number expected at 'x)'"},
    {"float32[3] normal(0,2", "',' or ')' expected at the end"},
    {"float32[3] normal(0,2,3)", "'normal' takes at most 2 arguments"},
    {"float32[3] uniform(1)", "'uniform' needs 2 arguments"},
    {"float32[3] full", "'full' needs 1 argument"},
    {"float32[3] normal on tree", "'on host' or nothing expected at 'on tree'"},
    {"float32[3] normal on host now", "'on host' or nothing expected at 'on host now'"},
    {"float32[3] normal(nan)", "'normal' needs finite arguments"},
    {"int32[3] normal", "'normal' does not fit int32: use a floating or complex dtype"},
    {"float32[3] normal(0,-1)", "standard deviation -1 is negative"},
    {"float16[3] normal(0,1e5)", "float16 cannot hold 821000"},
    {"float32[3] uniform(2,2)", "range [2, 2) is empty"},
    {"bfloat16[3] uniform(1.001,1.002)", "bfloat16 has no value in [1.001, 1.002)"},
    {"float64[3] uniform(-1.7e308,1.7e308)", "float64 cannot hold 1.7e+308"},
    {"uint8[3] integers(0,300)", "uint8 cannot hold 299"},
    {"uint8[3] integers(-1,3)", "uint8 cannot hold -1"},
    {"float16[3] integers(0,5000)", "float16 cannot hold 4999"},
    {"int64[3] integers(0.5,3)", "0.5 is not a whole number below 2^53"},
    {"int64[3] integers(0,9007199254740993)", "9007199254740992 is not a whole number below 2^53"},
    {"int64[3] integers(3,3)", "range [3, 3) is empty"},
    {"bool[3] bernoulli(1.5)", "probability 1.5 is not in [0, 1]"},
    {"bfloat16[257] permutation",
     "'permutation' of 257 elements is not exact in bfloat16: use at most 256"},
    {"int8[200] range", "'range' of 200 elements is not exact in int8: use at most 128"},
    {"float32[] permutation", "'permutation' needs at least one dimension"},
    {"uint8[2] full(-1)", "uint8 cannot hold -1"},
    {"int32[2] full(1.5)", "int32 cannot hold 1.5"},
    {"int32[2] full(nan)", "int32 cannot hold nan"},
    {"float16[2] full(1e6)", "float16 cannot hold 1000000"},
    {"float16[2] full(1e-9)", "float16 cannot hold 1e-09"},
    {"float32[3] spd", "'spd' needs at least two dimensions"},
    {"float32[3,4] triangular", "'triangular' needs square matrices, not 3 by 4"},
    {"int32[3,3] orthogonal", "'orthogonal' does not fit int32: use a floating or complex dtype"},
    {"float32[100000,100000] zeros", "shape is impossible or larger than 8 GiB"},
    {"int8[4294967296,4294967296,2] zeros", "shape is impossible or larger than 8 GiB"},
};

static void test_parse__says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pm_input_spec spec;
        struct pm_error err = {""};
        char want[sizeof err.text];
        snprintf(want, sizeof want, "input '%s': %s", wrong[i].text, wrong[i].error);
        assert_int_equal(pm_input_parse(wrong[i].text, &spec, &err), PM_EFORMAT);
        assert_string_equal(err.text, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__accepts),
        cmocka_unit_test(test_parse__says_what_is_wrong),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}

/* Tests of specifications of inputs: which are read, and which are refused with which message. */
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
    {"", "expected a dtype at the end: docs/cases.md lists the forms of an input"},
    {"$dtype[4] normal", "unknown dtype '$dtype': docs/cases.md lists the dtypes"},
    {"float31[3] normal", "unknown dtype 'float31': docs/cases.md lists the dtypes"},
    {"float32 normal",
     "expected a shape in [] at 'normal': docs/cases.md lists the forms of an input"},
    {"float32[3", "expected ',' or ']' at the end: docs/cases.md lists the forms of an input"},
    {"float64[3] full(10000000000000000000000000000000000000000000000000000000000000001)",
     "expected a shorter number at '1000000000000000000000000000000000000000': docs/cases.md lists "
     "the forms of an input"},
    {"float32[3,] ones", "expected a size at '] ones': docs/cases.md lists the forms of an input"},
    {"float32[-3] zeros",
     "expected a size at '-3] zeros': docs/cases.md lists the forms of an input"},
    {"float32[99999999999999999999] zeros",
     "expected a size at '99999999999999999999] zeros': docs/cases.md lists the forms of an input"},
    {"float32[3]", "expected a distribution at the end: docs/cases.md lists the forms of an input"},
    {"float32[3] gamma(1,2)",
     "unknown distribution 'gamma': docs/cases.md lists the distributions"},
    {"float32[3] normal(0,",
     "expected a number at the end: docs/cases.md lists the forms of an input"},
    {"float32[3] normal(0,x)",
     "expected a number at 'x)': docs/cases.md lists the forms of an input"},
    {"float32[3] normal(0,2",
     "expected ',' or ')' at the end: docs/cases.md lists the forms of an input"},
    {"float32[3] normal(0,2,3)", "'normal' takes at most 2 arguments: remove the rest"},
    {"float32[3] uniform(1)", "'uniform' needs 2 arguments, but has 1: add what is missing"},
    {"float32[3] full", "'full' needs 1 argument, but has 0: add what is missing"},
    {"float32[3] normal on tree",
     "expected 'on host' or nothing at 'on tree': docs/cases.md lists the forms of an input"},
    {"float32[3] normal on host now",
     "expected 'on host' or nothing at 'on host now': docs/cases.md lists the forms of an input"},
    {"float32[3] normal(nan)", "'normal' has an argument that is not finite: use a finite number"},
    {"int32[3] normal",
     "'normal' cannot generate values of int32: use a floating-point or complex dtype"},
    {"float32[3] normal(0,-1)", "the standard deviation -1 is negative: use 0 or more"},
    {"float16[3] normal(0,1e5)", "float16 cannot represent 821000: use another value or dtype"},
    {"float32[3] uniform(2,2)",
     "the range [2, 2) is empty: make the second number larger than the first"},
    {"bfloat16[3] uniform(1.001,1.002)",
     "bfloat16 has no value in [1.001, 1.002): use a wider range"},
    {"float64[3] uniform(-1.7e308,1.7e308)", "the width of the range [-1.7e+308, 1.7e+308) exceeds "
                                             "the largest float64: use a narrower range"},
    {"uint8[3] integers(0,300)", "uint8 cannot represent 299: use another value or dtype"},
    {"uint8[3] integers(-1,3)", "uint8 cannot represent -1: use another value or dtype"},
    {"float16[3] integers(0,5000)", "float16 cannot represent 4999: use another value or dtype"},
    {"int64[3] integers(0.5,3)", "0.5 is not allowed: use a whole number between -2^53 and 2^53"},
    {"int64[3] integers(0,9007199254740993)",
     "9007199254740992 is not allowed: use a whole number between -2^53 and 2^53"},
    {"int64[3] integers(3,3)",
     "the range [3, 3) is empty: make the second number larger than the first"},
    {"bool[3] bernoulli(1.5)", "the probability is 1.5: use a number from 0 to 1"},
    {"bfloat16[257] permutation",
     "'permutation' of 257 elements is not exact in bfloat16: use at most 256 elements"},
    {"int8[200] range", "'range' of 200 elements is not exact in int8: use at most 128 elements"},
    {"float32[] permutation", "'permutation' needs a shape of at least one dimension: write, for "
                              "example, int64[5] permutation"},
    {"uint8[2] full(-1)", "uint8 cannot represent -1: use another value or dtype"},
    {"int32[2] full(1.5)", "int32 cannot represent 1.5: use another value or dtype"},
    {"int64[2] full(9007199254740992)",
     "9007199254740992 is not allowed: use a whole number between -2^53 and 2^53"},
    {"int32[2] full(nan)", "int32 cannot represent nan: use another value or dtype"},
    {"float16[2] full(1e6)", "float16 cannot represent 1000000: use another value or dtype"},
    {"float16[2] full(1e-9)", "float16 cannot represent 1e-09: use another value or dtype"},
    {"float32[3] spd",
     "'spd' needs a shape of at least two dimensions: write, for example, float32[3,3]"},
    {"float32[3,4] triangular",
     "'triangular' needs square matrices, not 3 by 4: make the last two sizes equal"},
    {"int32[3,3] orthogonal",
     "'orthogonal' cannot generate values of int32: use a floating-point or complex dtype"},
    {"float32[100000,100000] zeros",
     "the array is larger than portmeter's limit of 8 GiB: use a smaller shape"},
    {"int8[4294967296,4294967296,2] zeros",
     "the array is larger than portmeter's limit of 8 GiB: use a smaller shape"},
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

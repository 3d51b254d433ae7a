/* Tests of finding the word that a user probably meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/nearest.h"

static void test_distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } pairs[] = {
        {"", "", 0},       {"", "abc", 3},    {"kitten", "sitting", 3},
        {"abc", "acb", 1}, {"rnu", "run", 1}, {"same", "same", 0},
        {"a", "b", 1},     {"ca", "abc", 3},  {"inputs", "input", 1},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(pm_nearest_distance(pairs[i].a, pairs[i].b), pairs[i].distance);
        assert_int_equal(pm_nearest_distance(pairs[i].b, pairs[i].a), pairs[i].distance);
    }
    char longer[PM_NEAREST_LONGEST + 2] = {0};
    for (size_t i = 0; i <= PM_NEAREST_LONGEST; i++)
        longer[i] = 'a';
    assert_int_equal(pm_nearest_distance(longer, longer), PM_NEAREST_LONGEST);
    longer[PM_NEAREST_LONGEST] = '\0';
    assert_int_equal(pm_nearest_distance(longer, longer), 0);
}

static void test_the_nearest(void **state)
{
    (void)state;
    static const char *const known[] = {"pytorch", "tensorflow", "jax", "numpy", "null"};
    static const char *const slips[][2] = {
        {"pytroch", "pytorch"},
        {"Pytorch", "pytorch"},
        {"tensroflow", "tensorflow"},
        {"jaxx", "jax"},
        {"numppy", "numpy"},
        {"jx", "jax"},
        {"PYTORCH", "pytorch"},
        {"tens", "tensorflow"},
        {"nul", "null"},
        {"caffe", NULL},
        {"pytorch", NULL},
        {"", NULL},
        {"x", NULL},
        {"nu", NULL},
    };
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        const char *found = pm_nearest(slips[i][0], known, sizeof known / sizeof *known);
        if (slips[i][1])
            assert_string_equal(found, slips[i][1]);
        else
            assert_null(found);
    }
    assert_null(pm_nearest("word", NULL, 0));
    static const char *const numbers[] = {"1", "10", "ratios"};
    assert_null(pm_nearest("11", numbers, 3)); /* a user who types 11 does not mean 10 */
    assert_string_equal(pm_nearest("1O", numbers, 3), "10");
    assert_true(pm_nearest_is_weak("tcsh", "bash")); /* half of the letters are wrong */
    assert_false(pm_nearest_is_weak("bahs", "bash"));
}

static void test_the_nearest_name(void **state)
{
    (void)state;
    static const char *const known[] = {"torch.sort", "torch.optim.LBFGS",
                                        "torch.nn.functional.relu"};
    static const char *const slips[][2] = {
        {"torch.srot", "torch.sort"},
        {"LBFGS", "torch.optim.LBFGS"},
        {"torch.LBFGS", "torch.optim.LBFGS"},
        {"lbfgs", "torch.optim.LBFGS"},
        {"relu", "torch.nn.functional.relu"},
        {"torch.nn.rleu", "torch.nn.functional.relu"},
        {"torch.matmul", NULL},
        {"torch.sort", NULL},
        {"torch.", NULL},
    };
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        const char *found = pm_nearest_name(slips[i][0], known, sizeof known / sizeof *known);
        if (slips[i][1])
            assert_string_equal(found, slips[i][1]);
        else
            assert_null(found);
    }
    struct pm_error err;
    assert_int_equal(
        pm_nearest_error(&err, PM_EUSAGE, "sotr", known, 3, "choose", "no '%s'", "sotr"),
        PM_EUSAGE);
    assert_string_equal(err.text, "no 'sotr': did you mean 'torch.sort'?");
    (void)pm_nearest_error(&err, PM_EIO, "other", known, 3, "choose", "no '%s'", "other");
    assert_string_equal(err.text, "no 'other': choose");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_the_nearest),
        cmocka_unit_test(test_the_nearest_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

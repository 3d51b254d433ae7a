/* Whether a script shows the failure that it is made for. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explain/explain_private.h"

enum { EXITED_1 = 1 << 8, EXITED_0 = 0 }; /* as waitpid() gives them */

static void an_exception_has_its_type_and_message(void **state)
{
    (void)state;
    struct pm_explain__failure f = {
        .outcome = PM_OUTCOME_FAIL, .stage = PM_STAGE_RUN, .detail = ""};
    f.result = json_pack("{s:{s:s, s:s}}", "raised", "type", "lib.errors.BadThing", "message",
                         "\nno kernel 17 for op_3 at 0x7f\nsecond line");
    assert_true(
        pm_explain__same(&f, EXITED_1, "Traceback\nBadThing: no kernel 4 for op_12 at 0x8f"));
    assert_false(pm_explain__same(&f, EXITED_0, "BadThing: no kernel 17 for op_3 at 0x7f"));
    assert_false(pm_explain__same(&f, SIGSEGV, "BadThing: no kernel 17 for op_3 at 0x7f"));
    assert_false(pm_explain__same(&f, EXITED_1, "OtherThing: no kernel 17 for op_3 at 0x7f"));
    assert_false(pm_explain__same(&f, EXITED_1, "BadThing: no memory"));
    json_decref(f.result);
}

static void other_failures_have_words_of_their_own(void **state)
{
    (void)state;
    char differs[] = "out: 3 of 8 elements differ", check[] = "the check is false",
         raised[] = "no IndexError was raised", expected[] = "not as expected: out: 1";
    struct pm_explain__failure f = {.outcome = PM_OUTCOME_FAIL, .stage = PM_STAGE_COMPARE};
    const char *why;
    f.detail = differs;
    assert_string_equal(pm_explain__kind(&f, &why), "differs");
    assert_true(pm_explain__same(&f, EXITED_1, "AssertionError: differs from the reference"));
    assert_false(pm_explain__same(&f, EXITED_1, "AssertionError: the check is false"));
    assert_false(pm_explain__same(&f, EXITED_1, "NameError: name 'differs'"));
    f.detail = expected;
    assert_string_equal(pm_explain__kind(&f, &why), "unexpected");
    f.detail = check;
    assert_true(pm_explain__same(&f, EXITED_1, "AssertionError: the check is false"));
    f.detail = raised;
    assert_true(pm_explain__same(&f, EXITED_1, "AssertionError: no IndexError was raised"));
}

static void a_crash_has_its_end(void **state)
{
    (void)state;
    struct pm_explain__failure f = {.outcome = PM_OUTCOME_CRASH,
                                    .detail = "",
                                    .ending = PM_ENDING_SIGNAL,
                                    .ending_code = SIGSEGV};
    assert_true(pm_explain__same(&f, SIGSEGV, ""));
    assert_false(pm_explain__same(&f, SIGABRT, ""));
    assert_false(pm_explain__same(&f, EXITED_1, ""));
    f.ending = PM_ENDING_EXIT;
    f.ending_code = 1;
    assert_true(pm_explain__same(&f, EXITED_1, ""));
}

static void what_no_script_can_show(void **state)
{
    (void)state;
    static const enum pm_outcome outcomes[] = {PM_OUTCOME_TIMEOUT, PM_OUTCOME_FALLBACK,
                                               PM_OUTCOME_HARNESS, PM_OUTCOME_PASS};
    const char *why;
    for (size_t i = 0; i < 4; i++) {
        struct pm_explain__failure f = {.outcome = outcomes[i], .detail = ""};
        assert_null(pm_explain__kind(&f, &why));
        assert_true(strlen(why) > 0);
        assert_false(pm_explain__same(&f, EXITED_1, "AssertionError"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exception_has_its_type_and_message),
        cmocka_unit_test(other_failures_have_words_of_their_own),
        cmocka_unit_test(a_crash_has_its_end),
        cmocka_unit_test(what_no_script_can_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

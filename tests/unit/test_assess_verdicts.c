/* The verdicts of a run that was made by hand, and the reasons beside them. */
#include "stores.h"

static const struct stored_target two_targets[] = {{"null@host"}, {"null@null", "null@host"}};

static void begin(struct stored *s, const struct stored_target *targets, size_t count)
{
    stored_add_run(s, NULL);
    stored_add_targets(s, targets, count);
}

static void test_a_control_that_fails_makes_the_function_broken(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .ending = "signal", .ending_code = 11},
        {"null@null", "f", "a", .output = "[1]"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 1);
    assert_text(stored_verdicts(s),
                "null@host f: broken, study broken, 0 of 0 counted: ended by SIGSEGV\n"
                "null@null f: broken, study broken, 0 of 0 counted:"
                " on the reference: ended by SIGSEGV\n");
}

static void test_a_blocked_control_blocks_and_a_reason_is_of_a_case_that_counts(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a",
         .result = "{\"stage\": \"setup\", \"raised\": {\"type\": \"OSError\"}}"},
        {"null@host", "g", "a", .output = "[1]"},
        {"null@host", "g", "b", .output = "[1]"},
        {"null@null", "f", "a", .output = "[1]"},
        {"null@null", "g", "a", .result = "{\"harness\": \"our own fault\"}"},
        {"null@null", "g", "b", .ending = "signal", .ending_code = 11},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: blocked, study blocked, 0 of 0 counted: "
                         "on the reference: OSError\n");
    assert_has(verdicts, "null@null g: complete failure, study complete failure, 0 of 1 counted: "
                         "ended by SIGSEGV\n");
    free(verdicts);
}

static void test_a_function_that_is_not_there_is_absent(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@null", "f", "a",
         .result = "{\"absent\": true, \"raised\": {\"type\": \"AttributeError\"}}"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: absent, study absent");
    free(verdicts);
}

static void test_what_was_asked_for_and_not_measured_has_a_verdict(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row asked = {
        STORED_DONE, .options = "{\"untested\": [\"g\", \"f\"], \"measured\": [\"f\", \"old\"]}"};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
    };
    static const struct stored_target control[] = {{"null@host"}};
    stored_add_run(s, &asked);
    STORED_TARGETS(s, control);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_text(
        stored_verdicts(s),
        "null@host f: success, study success, 1 of 1 counted\n"
        "null@host g: untested, study untested, 0 of 0 counted: no case in the suite\n"
        "null@host old: absent, study absent, 0 of 0 counted: no case applies to this version "
        "of the framework\n");
}

static void test_functions_of_another_framework_are_not_a_targets(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"null@host"}, {"other@host"}};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"other@host", "g", "a", .output = "[1]"},
    };
    begin(s, targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_text(stored_verdicts(s), "null@host f: success, study success, 1 of 1 counted\n"
                                    "other@host g: success, study success, 1 of 1 counted\n");
}

static void test_host_only_functions_are_marked(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@null", "f", "a", .output = "[1]"},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "f", "a", "{\"host_only\": true}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: success, study success, 1 of 1 counted, host-only\n");
    free(verdicts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_control_that_fails_makes_the_function_broken),
        STORED_TEST(test_a_blocked_control_blocks_and_a_reason_is_of_a_case_that_counts),
        STORED_TEST(test_a_function_that_is_not_there_is_absent),
        STORED_TEST(test_what_was_asked_for_and_not_measured_has_a_verdict),
        STORED_TEST(test_functions_of_another_framework_are_not_a_targets),
        STORED_TEST(test_host_only_functions_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

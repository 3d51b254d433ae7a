/* Tests of the words of the vocabulary and of the rooms: the words of an enum differ, and texts are
 * parsed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "environment/environment.h"
#include "inventory/inventory.h"
#include "judge/judge.h"
#include "measure/measure.h"
#include "sample/sample.h"
#include "stat/stat.h"
#include "suite/suite.h"

/* Expands X(name) for each enum that PM_WORDS makes. */
#define ALL(X)                                                                                     \
    X(execution_state)                                                                             \
    X(stage)                                                                                       \
    X(ending_kind)                                                                                 \
    X(retry)                                                                                       \
    X(leaf_part)                                                                                   \
    X(leaf_kind)                                                                                   \
    X(compare)                                                                                     \
    X(case_reference)                                                                              \
    X(outcome)                                                                                     \
    X(observation)                                                                                 \
    X(verdict)                                                                                     \
    X(run_state)                                                                                   \
    X(validity)                                                                                    \
    X(role)                                                                                        \
    X(evidence)                                                                                    \
    X(run_mode)                                                                                    \
    X(clock)                                                                                       \
    X(size)                                                                                        \
    X(statistic)                                                                                   \
    X(scope)                                                                                       \
    X(rule)                                                                                        \
    X(name_kind)                                                                                   \
    X(basis)                                                                                       \
    X(report_format)                                                                               \
    X(origin)                                                                                      \
    X(name_status)                                                                                 \
    X(repeat)                                                                                      \
    X(need)                                                                                        \
    X(mutation)                                                                                    \
    X(run_command)                                                                                 \
    X(isolation)                                                                                   \
    X(strata_rule)                                                                                 \
    X(criterion)                                                                                   \
    X(step_kind)                                                                                   \
    X(speed)

/* If two words of an enum were equal, the second could not be parsed. */
static void test_words__no_two_of_an_enum_are_equal(void **state)
{
#define WORDS(name) &pm_##name##_words,
    static const struct pm_words *const all[] = {ALL(WORDS)};
#undef WORDS
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(all[i]->count > 0);
        for (int k = 0; k < all[i]->count; k++)
            for (int other = 0; other < k; other++)
                assert_string_not_equal(all[i]->texts[k], all[i]->texts[other]);
    }
}

static void test_words__are_parsed(void **state)
{
    enum pm_verdict verdict = PM_VERDICT_WORKS;
    (void)state;
    assert_true(pm_verdict_parse("reference fails", &verdict));
    assert_int_equal(verdict, PM_VERDICT_REFERENCE_FAILS);
    assert_string_equal(pm_verdict_text(verdict), "reference fails");
    assert_false(pm_verdict_parse("REFERENCE FAILS", &verdict));
    assert_false(pm_verdict_parse("", &verdict));
    assert_int_equal(verdict, PM_VERDICT_REFERENCE_FAILS); /* an unknown word changes nothing */
}

/* The observations of planted faults begin with the outcomes, with equal values and texts. */
static void test_words__observations_begin_with_the_outcomes(void **state)
{
    (void)state;
    for (int i = 0; i < PM_OUTCOME_COUNT; i++)
        assert_string_equal(pm_observation_text((enum pm_observation)i),
                            pm_outcome_text((enum pm_outcome)i));
    assert_int_equal(PM_OBSERVED_COUNT, PM_OUTCOME_COUNT + 2);
}

static void test_words__are_listed_for_messages(void **state)
{
    struct pm_str list = PM_STR_INIT;
    struct pm_error err = {""};
    (void)state;
    pm_words_list(&pm_retry_words, &list); /* without the first word, "" */
    assert_string_equal(list.data, "alone, exact mode");
    pm_str_release(&list);
    assert_int_equal(pm_words_unknown(&pm_size_words, "size", "huge", &err), PM_EUSAGE);
    assert_string_equal(err.text, "unknown size 'huge': use one of small, large");
}

static void test_verdicts_have_a_verb_for_each_evidence(void **state)
{
    (void)state;
    assert_string_equal(pm_verdict_word(PM_VERDICT_WORKS, PM_EVIDENCE_EXECUTED), "works");
    assert_string_equal(pm_verdict_word(PM_VERDICT_WORKS, PM_EVIDENCE_LOWERED), "can be lowered");
    assert_string_equal(pm_verdict_word(PM_VERDICT_FAILS, PM_EVIDENCE_LOWERED),
                        "cannot be lowered");
    assert_string_equal(pm_verdict_word(PM_VERDICT_LIMITS, PM_EVIDENCE_SHAPE_ONLY),
                        "has shapes with limits");
    for (int v = 0; v < PM_VERDICT_COUNT; v++)
        for (int e = 0; e < PM_EVIDENCE_COUNT; e++) {
            const char *word = pm_verdict_word((enum pm_verdict)v, (enum pm_evidence)e);
            if (e != PM_EVIDENCE_EXECUTED && strstr(word, "work"))
                fail_msg("'%s' on a target that is %s", word,
                         pm_evidence_text((enum pm_evidence)e));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts_have_a_verb_for_each_evidence),
        cmocka_unit_test(test_words__no_two_of_an_enum_are_equal),
        cmocka_unit_test(test_words__are_parsed),
        cmocka_unit_test(test_words__observations_begin_with_the_outcomes),
        cmocka_unit_test(test_words__are_listed_for_messages),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}

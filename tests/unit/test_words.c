/* Every word of the vocabulary and of the rooms: text -> enum -> text, and what is none of them. */
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

/* X(name): each enum that PM_WORDS makes. */
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
    X(fate)                                                                                        \
    X(repeat)                                                                                      \
    X(need)                                                                                        \
    X(perturbation)                                                                                \
    X(run_command)                                                                                 \
    X(isolation)                                                                                   \
    X(strata_rule)                                                                                 \
    X(criterion)                                                                                   \
    X(step_kind)                                                                                   \
    X(speed)

#define CHECK(name)                                                                                \
    static void test_words__of_##name(void **state)                                                \
    {                                                                                              \
        (void)state;                                                                               \
        assert_true(pm_##name##_words.count > 0);                                                  \
        for (int i = 0; i < pm_##name##_words.count; i++) {                                        \
            enum pm_##name found;                                                                  \
            const char *text = pm_##name##_text((enum pm_##name)i);                                \
            assert_string_equal(text, pm_##name##_words.texts[i]);                                 \
            assert_true(pm_##name##_parse(text, &found));                                          \
            assert_int_equal(found, i);                                                            \
        }                                                                                          \
        enum pm_##name kept = (enum pm_##name)0;                                                   \
        assert_false(pm_##name##_parse("no such word", &kept));                                    \
        assert_false(pm_##name##_parse("PASS", &kept));                                            \
        assert_int_equal(kept, 0);                                                                 \
    }
ALL(CHECK)

/* A canary's observation is its outcome, by value and by text. */
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
    pm_words_list(&pm_retry_words, &list); /* the first one's text is "" */
    assert_string_equal(list.data, "alone, exact mode");
    pm_str_release(&list);
    assert_int_equal(pm_words_unknown(&pm_size_words, "size", "huge", &err), PM_EUSAGE);
    assert_string_equal(err.text, "unknown size 'huge': use one of small, large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(test_words__of_##name),
        ALL(TEST)
#undef TEST
            cmocka_unit_test(test_words__observations_begin_with_the_outcomes),
        cmocka_unit_test(test_words__are_listed_for_messages),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}

/* The words that the schema lets into a column are those of the tables that give them their
 * meaning, each of them and no other, in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "store/store_private.h"

static const struct {
    const char *table, *column;
    const struct pm_words *words;
} lists[] = {
    {"run", "state", &pm_run_state_words},
    {"run", "validity", &pm_validity_words},
    {"run", "latency_validity", &pm_validity_words},
    {"target", "role", &pm_role_words},
    {"target", "evidence", &pm_evidence_words},
    {"child", "ending", &pm_ending_kind_words},
    {"execution", "state", &pm_execution_state_words},
    {"execution", "ending", &pm_ending_kind_words},
    {"execution", "shared_note", &pm_shared_note_words},
    {"leaf", "part", &pm_leaf_part_words},
    {"leaf", "kind", &pm_leaf_kind_words},
    {"canary", "expected", &pm_outcome_words},
    {"canary", "observed", &pm_observation_words},
    {"judgement", "outcome", &pm_outcome_words},
    {"verdict", "verdict", &pm_verdict_words},
    {"verdict", "verdict_study", &pm_verdict_words},
    {"statistic", "scope", &pm_scope_words},
    {"statistic", "size", &pm_size_words},
    {"statistic", "what", &pm_statistic_words},
    {"frequency", "rule", &pm_rule_words},
    {"frequency", "kind", &pm_store__name_kinds},
    {"sample", "rule", &pm_rule_words},
    {"estimate", "basis", &pm_basis_words},
};
enum { LISTS = sizeof lists / sizeof *lists };

/* The list behind "CHECK (column IN (" in a table: "'a', 'b'", with single spaces; the caller's. */
static char *listed(const char *table, const char *column)
{
    char *begin = pm_format("CREATE TABLE %s (", table), *check = pm_format("(%s IN (", column);
    const char *at = strstr(pm_store__schema, begin);
    at = at ? strstr(at, check) : NULL;
    if (!at)
        fail_msg("%s.%s has no list of words", table, column);
    at += strlen(check);
    struct pm_str out = PM_STR_INIT;
    for (; *at != ')'; at++) {
        if (*at == '\n')
            at += strspn(at + 1, " ");
        else
            pm_str_add_char(&out, *at);
        if (*at == ',' && at[1] == '\n')
            pm_str_add_char(&out, ' ');
    }
    free(begin);
    free(check);
    return pm_str_detach(&out);
}

static void test_schema_has_the_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < LISTS; i++) {
        struct pm_str expected = PM_STR_INIT;
        for (int k = 0; k < lists[i].words->count; k++)
            pm_str_addf(&expected, "%s'%s'", k ? ", " : "", lists[i].words->texts[k]);
        char *got = listed(lists[i].table, lists[i].column);
        if (strcmp(got, expected.data))
            fail_msg("%s.%s: %s instead of %s", lists[i].table, lists[i].column, got,
                     expected.data);
        free(got);
        pm_str_release(&expected);
    }
}

/* A column with a list of words that is not looked at here would not be looked at by a reader. */
static void test_every_list_is_known(void **state)
{
    (void)state;
    size_t count = 0;
    for (const char *at = pm_store__schema; (at = strstr(at, " IN ('")); at++)
        count++;
    assert_int_equal(count, LISTS);
}

static void test_states_of_a_run(void **state)
{
    (void)state;
    assert_string_equal(pm_run_state_text(PM_RUN_RUNNING), "running");
    assert_string_equal(pm_run_state_text(PM_RUN_DONE), "done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema_has_the_words),
        cmocka_unit_test(test_every_list_is_known),
        cmocka_unit_test(test_states_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

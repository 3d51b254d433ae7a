/* Tests that the schema accepts in a column exactly the words of the code's table of words, in the
 * same order. Also tests that each table and column has a comment. */
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
    {"run", "kind", &pm_run_kind_words},
    {"run", "latency_validity", &pm_validity_words},
    {"target", "role", &pm_role_words},
    {"target", "evidence", &pm_evidence_words},
    {"test_case", "kind", &pm_case_kind_words},
    {"child", "ending", &pm_ending_kind_words},
    {"execution", "state", &pm_execution_state_words},
    {"execution", "ending", &pm_ending_kind_words},
    {"execution", "retry", &pm_retry_words},
    {"leaf", "part", &pm_leaf_part_words},
    {"leaf", "kind", &pm_leaf_kind_words},
    {"closeness", "how", &pm_compare_words},
    {"planted_fault", "expected", &pm_outcome_words},
    {"planted_fault", "observed", &pm_observation_words},
    {"judgement", "outcome", &pm_outcome_words},
    {"judged_case", "outcome", &pm_outcome_words},
    {"verdict", "verdict", &pm_verdict_words},
    {"verdict", "verdict_paper", &pm_verdict_words},
    {"statistic", "scope", &pm_scope_words},
    {"statistic", "size", &pm_size_words},
    {"statistic", "what", &pm_statistic_words},
    {"scan_repository", "rule", &pm_rule_words},
    {"frequency", "rule", &pm_rule_words},
    {"frequency", "kind", &pm_name_kind_words},
    {"place_use", "form", &pm_resolve_form_words},
    {"place_use", "how", &pm_resolve_how_words},
    {"sample", "rule", &pm_rule_words},
    {"estimate", "basis", &pm_basis_words},
    {"imported_test", "outcome", &pm_test_outcome_words},
};
enum { LISTS = sizeof lists / sizeof *lists };

/* Returns the first character after spaces, line ends and comments. */
static const char *past_spaces(const char *at)
{
    while (*at == ' ' || *at == '\n' || !strncmp(at, "--", 2))
        at += *at == '-' ? strcspn(at, "\n") : 1;
    return at;
}

/* If `at` begins with `text`, returns the first character after `text` and after spaces and
 * comments; otherwise NULL. `at` may be NULL. */
static const char *behind(const char *at, const char *text)
{
    return at && !strncmp(at, text, strlen(text)) ? past_spaces(at + strlen(text)) : NULL;
}

/* Appends the quoted word at `at` to `out`. Returns the first character after the word and after
 * spaces and comments. */
static const char *take_word(const char *at, struct pm_str *out)
{
    const size_t length = strcspn(at + 1, "'") + 2;
    pm_str_addf(out, "%s%.*s", out->length ? ", " : "", (int)length, at);
    return past_spaces(at + length);
}

/* Appends the words of a check "(column IN ('a', 'b'))" or "(column = 'a' OR column = 'b')" that
 * begins at `at`; returns false if there is no such check. */
static bool read_check(const char *at, const char *column, struct pm_str *out)
{
    char *in = pm_format("(%s IN (", column), *first = pm_format("(%s =", column);
    char *next = pm_format("%s =", column);
    const char *list = behind(at, in), *word = list ? list : behind(at, first);
    size_t count = 0;
    for (; word && *word == '\''; count++) {
        word = take_word(word, out);
        word = list ? behind(word, ",") : behind(behind(word, "OR"), next);
    }
    free(in);
    free(first);
    free(next);
    return count > 1;
}

/* Returns the words that a column of a table accepts: "'a', 'b'". The caller frees it. */
static char *listed(const char *table, const char *column)
{
    char *begin = pm_format("CREATE TABLE %s (", table);
    const char *at = strstr(pm_store__schema, begin);
    struct pm_str out = PM_STR_INIT;
    while (at && (at = strstr(at + 1, "CHECK (")))
        if (read_check(at + strlen("CHECK "), column, &out))
            break;
    free(begin);
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

/* Every column with a list of words must be checked here, so that its reader checks it too. */
static void test_every_list_is_known(void **state)
{
    (void)state;
    size_t count = 0;
    for (const char *at = pm_store__schema; (at = strstr(at, "CHECK ("));) {
        struct pm_str words = PM_STR_INIT;
        at += strlen("CHECK ");
        char *column = pm_strndup(at + 1, strcspn(at + 1, " "));
        count += read_check(at, column, &words);
        free(column);
        pm_str_release(&words);
    }
    assert_int_equal(count, LISTS);
}

/* Returns whether a line begins a column: "  name TYPE ...". A column's comments end before the
 * next column or the end of the table. */
static bool begins_column(const char *line)
{
    static const char *const types[] = {" INTEGER", " TEXT", " REAL", " BLOB"};
    const size_t name =
        strncmp(line, "  ", 2) ? 0 : strspn(line + 2, "abcdefghijklmnopqrstuvwxyz_");
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (!strncmp(line + 2 + name, types[i], strlen(types[i])))
            return true;
    return false;
}

static void test_every_table_and_column_has_a_comment(void **state)
{
    (void)state;
    size_t tables = 0, columns = 0;
    bool said = true;
    const char *before = "", *column = "";
    for (const char *line = pm_store__schema; *line; line += strcspn(line, "\n") + 1) {
        const bool begins = begins_column(line), ends = *line == ')';
        if ((begins || ends) && !said)
            fail_msg("no comment: %.40s", column);
        if (begins) {
            column = line;
            said = false;
            columns++;
        }
        const char *comment = strstr(line, "-- ");
        said |= ends || (comment && comment < line + strcspn(line, "\n"));
        if (!strncmp(line, "CREATE TABLE ", strlen("CREATE TABLE "))) {
            tables++;
            if (strncmp(before, "-- ", 3))
                fail_msg("no comment above %.40s", line);
        }
        before = line;
    }
    assert_true(tables > 30 && columns > 250);
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
        cmocka_unit_test(test_every_table_and_column_has_a_comment),
        cmocka_unit_test(test_states_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

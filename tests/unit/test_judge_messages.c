/* The rules of reasons on messages of today's frameworks: tests/reasons/messages.tsv,
 * today.tsv, heldout.tsv and source.tsv.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "judge/reasons.h"

enum { FIELDS = 7 };

/* By hand and by the rules, of one half. */
struct confusion {
    size_t of[PM_REASON_COUNT][PM_REASON_COUNT], count, right, unclassified;
};

static void add_message(struct confusion halves[2], const struct pm_reason_rules *rules,
                        char *const fields[FIELDS])
{
    struct confusion *half = &halves[fields[0][0] == 'B'];
    enum pm_reason by_hand;
    const struct pm_failure failure = {.framework = fields[2],
                                       .type = *fields[3] ? fields[3] : NULL,
                                       .message = fields[4],
                                       .outcome = PM_OUTCOME_FAIL,
                                       .stage = PM_STAGE_RUN};
    const struct pm_reason_rule *rule = pm_reason_rules_match(rules, &failure);
    const enum pm_reason found = rule ? rule->reason : PM_REASON_UNCLASSIFIED;
    assert_true(pm_reason_parse(fields[5], &by_hand));
    assert_true(strlen(fields[4]) <= 300 && strstr(fields[6], "https://") == fields[6]);
    half->of[by_hand][found]++;
    half->count++;
    half->right += found == by_hand;
    half->unclassified += found == PM_REASON_UNCLASSIFIED;
    if (found != by_hand)
        print_message("%s, %s: by hand %s, by the rules %s\n", fields[0], fields[1], fields[5],
                      pm_reason_text(found));
}

static void print_confusion(const struct confusion *half, const char *name)
{
    print_message("half %s: %zu messages, %zu right, %zu wrong, %zu unclassified\n", name,
                  half->count, half->right, half->count - half->right - half->unclassified,
                  half->unclassified);
    for (int a = 0; a < PM_REASON_COUNT; a++)
        for (int b = 0; b < PM_REASON_COUNT; b++)
            if (half->of[a][b])
                print_message("  by hand %s, by the rules %s: %zu\n",
                              pm_reason_text((enum pm_reason)a), pm_reason_text((enum pm_reason)b),
                              half->of[a][b]);
}

/* Percentages of halves A and B. */
struct bounds {
    size_t right[2], wrong[2]; /* at least; at most */
};

/* Compares the rules with the labels of a file, whose halves must each keep to the bounds. */
static void compare(const char *path, struct bounds bounds)
{
    struct pm_str text = PM_STR_INIT;
    struct pm_error err;
    struct pm_reason_rules *rules;
    struct confusion halves[2] = {0};
    char *next;
    assert_int_equal(pm_reason_rules_read(NULL, NULL, &rules, &err), PM_OK);
    assert_int_equal(pm_file_read(path, &text, &err), PM_OK);
    for (char *line = strtok_r(text.data, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        char *fields[FIELDS], *at = line;
        if (*line == '#')
            continue;
        for (int i = 0; i < FIELDS; i++) {
            fields[i] = strsep(&at, "\t");
            assert_non_null(fields[i]);
        }
        add_message(halves, rules, fields);
    }
    print_confusion(&halves[0], "A");
    print_confusion(&halves[1], "B");
    for (int half = 0; half < 2; half++) {
        const size_t wrong = halves[half].count - halves[half].right - halves[half].unclassified;
        assert_true(halves[half].right * 100 >= halves[half].count * bounds.right[half]);
        assert_true(wrong * 100 <= halves[half].count * bounds.wrong[half]);
    }
    pm_reason_rules_free(rules);
    pm_str_release(&text);
}

static void rules_on_messages_of_first_reading(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/messages.tsv", (struct bounds){{95, 95}, {3, 3}});
}

static void rules_on_messages_of_today(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/today.tsv", (struct bounds){{95, 95}, {3, 3}});
}

static void rules_on_messages_of_another_reader(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/heldout.tsv", (struct bounds){{95, 95}, {3, 3}});
}

static void rules_on_messages_of_source_code(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/source.tsv", (struct bounds){{95, 80}, {3, 6}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_on_messages_of_first_reading),
                                       cmocka_unit_test(rules_on_messages_of_today),
                                       cmocka_unit_test(rules_on_messages_of_another_reader),
                                       cmocka_unit_test(rules_on_messages_of_source_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

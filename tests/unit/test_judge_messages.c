/* Tests the rules of reasons with messages of today's frameworks: tests/reasons/messages.tsv,
 * today.tsv, heldout.tsv, source.tsv, threads.tsv and heldout2.tsv to heldout4.tsv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "judge/reasons.h"

enum { FIELDS = 7, PARTS = 3 };

/* Counts of the reasons that were assigned by hand and by the rules, in one part of a file: a half
 * or batch A, B or C. If the first column of a file is the number of a search, the whole file is
 * part A. */
struct confusion {
    size_t of[PM_REASON_COUNT][PM_REASON_COUNT], count, right, unclassified;
};

static void add_message(struct confusion parts[PARTS], const struct pm_reason_rules *rules,
                        char *const fields[FIELDS])
{
    const bool half = *fields[0] >= 'A';
    assert_true(half ? *fields[0] < 'A' + PARTS : *fields[0] >= '1' && *fields[0] <= '9');
    struct confusion *part = &parts[half ? *fields[0] - 'A' : 0];
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
    part->of[by_hand][found]++;
    part->count++;
    part->right += found == by_hand;
    part->unclassified += found == PM_REASON_UNCLASSIFIED;
    if (found != by_hand)
        print_message("%s, %s: by hand %s, by the rules %s\n", fields[0], fields[1], fields[5],
                      pm_reason_text(found));
}

static void print_confusion(const struct confusion *part, int name)
{
    print_message("part %c: %zu messages, %zu right, %zu wrong, %zu unclassified\n", name,
                  part->count, part->right, part->count - part->right - part->unclassified,
                  part->unclassified);
    for (int a = 0; a < PM_REASON_COUNT; a++)
        for (int b = 0; b < PM_REASON_COUNT; b++)
            if (part->of[a][b])
                print_message("  by hand %s, by the rules %s: %zu\n",
                              pm_reason_text((enum pm_reason)a), pm_reason_text((enum pm_reason)b),
                              part->of[a][b]);
}

/* Compares the rules with the labels of a file. At least 95 % of each part must be right, and at
 * most 3 % wrong. */
static void compare(const char *path)
{
    struct pm_str text = PM_STR_INIT;
    struct pm_error err;
    struct pm_reason_rules *rules;
    struct confusion parts[PARTS] = {0};
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
        add_message(parts, rules, fields);
    }
    for (int i = 0; i < PARTS; i++) {
        const size_t wrong = parts[i].count - parts[i].right - parts[i].unclassified;
        print_confusion(&parts[i], 'A' + i);
        assert_true(parts[i].right * 100 >= parts[i].count * 95);
        assert_true(wrong * 100 <= parts[i].count * 3);
    }
    pm_reason_rules_free(rules);
    pm_str_release(&text);
}

static void rules_on_messages_of_first_reading(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/messages.tsv");
}

static void rules_on_messages_of_today(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/today.tsv");
}

static void rules_on_messages_of_another_reader(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/heldout.tsv");
}

static void rules_on_messages_of_source_code(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/source.tsv");
}

static void rules_on_messages_of_threads(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/threads.tsv");
}

static void rules_on_messages_once_unknown(void **state)
{
    (void)state;
    compare(PM_SOURCE_ROOT "/tests/reasons/heldout2.tsv");
    compare(PM_SOURCE_ROOT "/tests/reasons/heldout3.tsv");
    compare(PM_SOURCE_ROOT "/tests/reasons/heldout4.tsv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_on_messages_of_first_reading),
                                       cmocka_unit_test(rules_on_messages_of_today),
                                       cmocka_unit_test(rules_on_messages_of_another_reader),
                                       cmocka_unit_test(rules_on_messages_of_source_code),
                                       cmocka_unit_test(rules_on_messages_of_threads),
                                       cmocka_unit_test(rules_on_messages_once_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

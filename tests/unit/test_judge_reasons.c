/* Tests of the rules of reasons: their examples, what a rule matches, and files that are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge/reasons.h"

static struct pm_reason_rules *own_rules(void)
{
    struct pm_error err = {{0}};
    struct pm_reason_rules *rules;
    assert_int_equal(pm_reason_rules_read(NULL, NULL, &rules, &err), PM_OK);
    return rules;
}

static void each_example_hits_its_own_rule_first(void **state)
{
    (void)state;
    struct pm_reason_rules *rules = own_rules();
    assert_true(pm_reason_rules_count(rules) > 30);
    for (size_t i = 0; i < pm_reason_rules_count(rules); i++) {
        const struct pm_reason_rule *rule = pm_reason_rules_at(rules, i);
        const struct pm_reason_rule *first = pm_reason_rules_match(rules, &rule->example);
        assert_string_equal(first ? first->id : "(none)", rule->id);
        assert_ptr_equal(pm_reason_rules_find(rules, rule->id), rule);
    }
    assert_null(pm_reason_rules_find(rules, "no-such-rule"));
    pm_reason_rules_free(rules);
}

static void unclassified_is_no_rule(void **state)
{
    (void)state;
    struct pm_reason_rules *rules = own_rules();
    const struct pm_failure strange = {
        .framework = "pytorch", .type = "OSError", .message = "42", .outcome = PM_OUTCOME_FAIL};
    assert_null(pm_reason_rules_match(rules, &strange));
    pm_reason_rules_free(rules);
}

#define HEAD "version: 1\nrules:\n"
#define TAIL "  reason: crash\n  example: {message: m}\n"

static void first_rule_decides_and_all_keys_must_match(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "- id: a\n  framework: jax\n  type: E\n  message: '^m+$'\n  stage: run\n"
             "  reason: timeout\n  example: {message: m}\n"
             "- id: b\n  type: lib.E\n  reason: memory issue\n  example: {message: m}\n"
             "- id: c\n  outcome: crash\n  ending: signal\n" TAIL;
    struct pm_error err = {{0}};
    struct pm_reason_rules *rules;
    assert_int_equal(pm_reason_rules_read("x.yaml", text, &rules, &err), PM_OK);
    json_t *types = json_pack("[s]", "lib.E");
    struct pm_failure failure = {.framework = "jax",
                                 .type = "any.E",
                                 .message = "mm",
                                 .outcome = PM_OUTCOME_FAIL,
                                 .stage = PM_STAGE_RUN};
    assert_string_equal(pm_reason_rules_match(rules, &failure)->id, "a");
    failure.framework = "pytorch";
    assert_null(pm_reason_rules_match(rules, &failure)); /* rule a is about jax */
    failure.framework = "jax";
    failure.stage = PM_STAGE_SYNC;
    assert_null(pm_reason_rules_match(rules, &failure)); /* any.E is not lib.E */
    failure.types = types;
    assert_string_equal(pm_reason_rules_match(rules, &failure)->id, "b");
    failure = (struct pm_failure){.outcome = PM_OUTCOME_CRASH, .ending = PM_ENDING_EXIT};
    assert_null(pm_reason_rules_match(rules, &failure));
    failure.ending = PM_ENDING_SIGNAL;
    assert_int_equal(pm_reason_rules_match(rules, &failure)->reason, PM_REASON_CRASH);
    json_decref(types);
    pm_reason_rules_free(rules);
}

static void wrong_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"", "x.yaml:1: malformed YAML"},
        {"version: 1\n? ? a\t: b", "x.yaml:2:6: the file contains a tab"},
        {"version: 1\nrules: []\n", "no list of rules"},
        {"version: 2\nrules:\n- id: a\n", "unknown version '2'"},
        {"version: 1\nrules:\n- [", "x.yaml:4: malformed YAML"},
        {HEAD "- text\n", "x.yaml:3: a rule is not a mapping"},
        {HEAD "- type: E\n" TAIL, "x.yaml:3: a rule has no id"},
        {HEAD "- id: a\n" TAIL, "rule 'a' matches every failure"},
        {HEAD "- id: a\n  framework: jax\n" TAIL, "rule 'a' matches every failure"},
        {HEAD "- id: a\n  typ: E\n" TAIL, "x.yaml:3: unknown key 'typ'"},
        {HEAD "- id: a\n  type: [E]\n" TAIL, "'type' is not a string"},
        {HEAD "- id: a\n  stage: never\n" TAIL, "unknown stage 'never': use one of"},
        {HEAD "- id: a\n  type: E\n  example: {message: m}\n", "rule 'a' has no reason"},
        {HEAD "- id: a\n  type: E\n  reason: status\n", "unknown reason 'status'"},
        {HEAD "- id: a\n  type: E\n  reason: crash\n", "rule 'a' has no example"},
        {HEAD "- id: a\n  message: '('\n" TAIL, "is not a valid extended regular expression"},
        {HEAD "- id: a\n  type: E\n" TAIL "- id: a\n  type: F\n" TAIL,
         "x.yaml:7: rule 'a' is defined twice"},
        {HEAD "- id: a\n  type: E\n  reason: not possible by design\n  example: {message: m}\n",
         "rule 'a' gives a reason that only a row of 'excluded' can give"},
        {HEAD "- id: a\n  type: E\n" TAIL "excluded: all\n", "'excluded' is not a list"},
        {HEAD "- id: a\n  type: E\n" TAIL "excluded:\n- text\n", "x.yaml:8: a row of 'excluded'"},
        {HEAD "- id: a\n  type: E\n" TAIL "excluded:\n- id: b\n  framework: jax\n  device: d\n"
              "  needs: string\n  version: 1\n",
         "x.yaml:8: a row of 'excluded' has no source"},
        {HEAD "- id: a\n  type: E\n" TAIL "excluded:\n- id: b\n  framework: jax\n  device: d\n"
              "  needs: string\n  version: 1\n  source: a friend\n",
         "the source of 'b' is not a link"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pm_error err = {{0}};
        struct pm_reason_rules *rules;
        assert_int_equal(pm_reason_rules_read("x.yaml", wrong[i].text, &rules, &err), PM_EFORMAT);
        assert_null(rules);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("'%s' does not say '%s'", err.text, wrong[i].says);
    }
}

static void what_is_excluded_is_on_a_device(void **state)
{
    (void)state;
    static const struct {
        const char *target, *needs, *id;
    } rows[] = {
        {"tensorflow@xla", "string", "xla-strings"},
        {"tensorflow@xla:1+soft", "string", "xla-strings"},
        {"tensorflow@xla+soft", "table", "xla-tables"},
        {"tensorflow@xlarge", "string", NULL},
        {"tensorflow@cpu", "string", NULL},
        {"pytorch@xla", "string", NULL},
        {"tensorflow@xla", "complex64", NULL}, /* not written for each operation */
        {"pytorch@meta", "values", "meta-values"},
        {"pytorch@mps", "float64", "mps-float64"},
        {"pytorch@mps", "float32", NULL},
        {"jax@METAL", "float64", "jax-metal-float64"},
        {"jax@cpu", "float64", NULL},
    };
    struct pm_reason_rules *rules = own_rules();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pm_reason_exclusion_row *row =
            pm_reason_exclusion(rules, rows[i].target, rows[i].needs);
        assert_string_equal(row ? row->id : "", rows[i].id ? rows[i].id : "");
    }
    for (size_t i = 0; i < pm_reason_exclusions_count(rules); i++) {
        const struct pm_reason_exclusion_row *row = pm_reason_exclusions_at(rules, i);
        assert_true(*row->version && strstr(row->source, "https://") == row->source);
        assert_null(pm_reason_rules_find(rules, row->id));
    }
    pm_reason_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_example_hits_its_own_rule_first),
        cmocka_unit_test(unclassified_is_no_rule),
        cmocka_unit_test(first_rule_decides_and_all_keys_must_match),
        cmocka_unit_test(what_is_excluded_is_on_a_device),
        cmocka_unit_test(wrong_files_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

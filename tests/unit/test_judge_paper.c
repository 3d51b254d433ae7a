/* Tests the rules of reasons with the failures of the paper's reports, if shared/study exists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "judge/reasons.h"

/* FAILURES: all 864, less 140 in the report of JAX that is published twice, and 10 tests of the
 * CPU. */
enum { FAILURES = 714, LABELS = 150, MOST_RULES = 200 };

/* The reasons of the failures, as assigned by the rules and by hand. */
struct findings {
    struct pm_reason_rules *rules;
    json_t *reasons; /* "framework device test": reason */
    json_t *labels;  /* the same, assigned by hand */
    size_t of_rule[MOST_RULES], of_reason[PM_REASON_COUNT], unclassified, count;
};

/* Returns the text of a file in the folder shared/; NULL if it is missing. */
static char *shared(const char *name)
{
    struct pm_str text = PM_STR_INIT;
    struct pm_error err;
    char *path = pm_format(PM_SOURCE_ROOT "/../shared/study/%s", name);
    char *found =
        pm_path_exists(path) && !pm_file_read(path, &text, &err) ? pm_str_detach(&text) : NULL;
    free(path);
    pm_str_release(&text);
    return found;
}

/* Returns the failed stage of a test; NULL if no stage failed. */
static const json_t *failed_stage(const json_t *test)
{
    static const char *const stages[] = {"setup", "call", "teardown"};
    const char *outcome = pm_json_string(test, "outcome", "");
    if (strcmp(outcome, "failed") && strcmp(outcome, "error"))
        return NULL;
    for (size_t i = 0; i < 3; i++) {
        const json_t *stage = json_object_get(test, stages[i]);
        const char *how = pm_json_string(stage, "outcome", "passed");
        if (!strcmp(how, "failed") || !strcmp(how, "error"))
            return stage;
    }
    return NULL;
}

/* Splits "module.Type: message". Returns the message, a part of `text`; the caller frees the type.
 */
static const char *cut_type(const char *text, char **type)
{
    const size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789");
    const bool cut = text[length] == ':';
    *type = cut ? pm_strndup(text, length) : NULL;
    return cut ? text + length + 1 + (text[length + 1] == ' ') : text;
}

/* Prints the shares of reasons in percent, to be compared with figure 6 of the paper. */
static void print_shares(const char *framework, const char *device, const size_t *before,
                         const size_t *after)
{
    size_t count = 0;
    for (int reason = 0; reason < PM_REASON_COUNT; reason++)
        count += after[reason] - before[reason];
    print_message("%s %s, %zu failures:", framework, device, count);
    for (int reason = 0; reason < PM_REASON_COUNT; reason++)
        if (after[reason] > before[reason])
            print_message(" %s %.1f %%;", pm_reason_text((enum pm_reason)reason),
                          100.0 * (double)(after[reason] - before[reason]) / (double)count);
    print_message("\n");
}

static void add_rule(struct findings *f, const struct pm_reason_rule *rule)
{
    f->of_reason[rule ? rule->reason : PM_REASON_UNCLASSIFIED]++;
    for (size_t i = 0; rule && i < pm_reason_rules_count(f->rules); i++)
        f->of_rule[i] += pm_reason_rules_at(f->rules, i) == rule;
    f->unclassified += !rule;
    f->count++;
}

static void classify(struct findings *f, const char *framework, const char *device,
                     const char *test, const char *text)
{
    char *type;
    const char *message = cut_type(text, &type);
    const struct pm_reason_rule *rule = pm_reason_rules_match(
        f->rules,
        &(struct pm_failure){
            .framework = framework, .type = type, .message = message, .outcome = PM_OUTCOME_FAIL});
    const char *slash = strrchr(test, '/');
    char *key = pm_format("%s\t%s\t%s", framework, device, slash ? slash + 1 : test);
    const char *reason = pm_reason_text(rule ? rule->reason : PM_REASON_UNCLASSIFIED);
    if (!rule)
        print_message("unclassified: %s\n", key);
    assert_null(json_object_get(f->reasons, key));
    json_object_set_new(f->reasons, key, json_string(reason));
    add_rule(f, rule);
    free(key);
    free(type);
}

/* Returns false if the report is missing. */
static bool read_report(struct findings *f, const char *framework, const char *device)
{
    struct pm_error err;
    json_t *report, *test;
    size_t i, before[PM_REASON_COUNT];
    memcpy(before, f->of_reason, sizeof before);
    char *name = pm_format("%s/%s_report.json", framework, device), *text = shared(name);
    free(name);
    if (!text)
        return false;
    assert_int_equal(pm_json_parse(text, strlen(text), &report, &err), PM_OK);
    json_array_foreach(json_object_get(report, "tests"), i, test) {
        const json_t *stage = failed_stage(test);
        const char *id = pm_json_string(test, "nodeid", "");
        if (stage && !strstr(id, "_cpu"))
            classify(f, framework, device, id,
                     pm_json_string(json_object_get(stage, "crash"), "message", ""));
    }
    print_shares(framework, device, before, f->of_reason);
    json_decref(report);
    free(text);
    return true;
}

/* Reads the labels. Each line that is not a comment has a framework, device, test and reason,
 * separated by tabs. */
static void read_labels(struct findings *f)
{
    struct pm_str text = PM_STR_INIT;
    struct pm_error err;
    char *next;
    assert_int_equal(pm_file_read(PM_SOURCE_ROOT "/tests/reasons/labels.tsv", &text, &err), PM_OK);
    for (char *line = strtok_r(text.data, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        char *tab = strrchr(line, '\t');
        if (*line == '#' || !tab)
            continue;
        *tab = '\0';
        json_object_set_new(f->labels, line, json_string(tab + 1));
    }
    assert_int_equal(json_object_size(f->labels), LABELS);
    pm_str_release(&text);
}

static size_t compare(struct findings *f)
{
    size_t agree = 0;
    const char *key;
    json_t *label;
    json_object_foreach(f->labels, key, label) {
        enum pm_reason by_hand, by_rule;
        const char *reason = pm_json_string(f->reasons, key, NULL);
        assert_non_null(reason);
        assert_true(pm_reason_parse(json_string_value(label), &by_hand));
        assert_true(pm_reason_parse(reason, &by_rule));
        agree += by_hand == by_rule;
        if (by_hand != by_rule)
            print_message("confusion: %s: by hand %s, by the rules %s\n", key,
                          json_string_value(label), reason);
    }
    return agree;
}

static void rules_on_the_paper(void **state)
{
    (void)state;
    struct pm_error err;
    struct findings f = {.reasons = json_object(), .labels = json_object()};
    assert_int_equal(pm_reason_rules_read(NULL, NULL, &f.rules, &err), PM_OK);
    const bool found = read_report(&f, "pytorch", "gpu") && read_report(&f, "pytorch", "tpu") &&
                       read_report(&f, "tensorflow", "gpu") &&
                       read_report(&f, "tensorflow", "tpu") && read_report(&f, "jax", "gpu");
    if (found) {
        assert_int_equal(f.count, FAILURES);
        read_labels(&f);
        const size_t agree = compare(&f);
        for (size_t i = 0; i < pm_reason_rules_count(f.rules); i++)
            if (f.of_rule[i])
                print_message("%4zu  %-24s %s\n", f.of_rule[i], pm_reason_rules_at(f.rules, i)->id,
                              pm_reason_text(pm_reason_rules_at(f.rules, i)->reason));
        print_message("%4zu  unclassified; agreement %zu of %d\n", f.unclassified, agree, LABELS);
        assert_true(f.unclassified * 20 <= FAILURES);
        assert_true(agree * 20 >= LABELS * 19);
    }
    json_decref(f.reasons);
    json_decref(f.labels);
    pm_reason_rules_free(f.rules);
    if (!found) {
        print_message("no ../shared/study beside the project\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_on_the_paper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

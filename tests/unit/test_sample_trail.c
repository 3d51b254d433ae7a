/* Tests of a sample's audit trail as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "sample/sample.h"
#include "samples.h"

static void test_json_there_and_back(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(100);
    for (enum pm_strata_rule rule = PM_STRATA_DISJOINT; rule <= PM_STRATA_PAPER; rule++) {
        struct pm_sample_plan plan = plan_of(rule, UINT64_MAX - 4);
        const struct pm_exclusion exclusions[] = {{"f099", PM_CRITERION_NOT_CALLABLE, "a \"x\""},
                                                  {"f000", PM_CRITERION_NO_TEST, NULL},
                                                  {"f001", PM_CRITERION_NO_TEST, NULL}};
        const struct pm_choice choices[] = {{"f050", true, "why"}, {"f051", false, "why not"}};
        plan.exclusions = exclusions;
        plan.exclusion_count = 3;
        plan.choices = choices;
        plan.choice_count = 2;
        struct pm_sample sample = draw(&ranking, &plan), again;
        struct pm_error err = {""};
        json_t *document = pm_sample_to_json(&sample), *parsed;
        char *text = pm_json_text(document);
        assert_int_equal(pm_json_parse(text, strlen(text), &parsed, NULL), PM_OK);
        if (pm_sample_from_json(parsed, &again, &err))
            fail_msg("%s", err.text);
        json_t *second = pm_sample_to_json(&again);
        char *trails[] = {explain(&sample), explain(&again)};
        assert_true(json_equal(document, second));
        assert_string_equal(trails[0], trails[1]);
        assert_true(again.seed == UINT64_MAX - 4);
        free(trails[0]);
        free(trails[1]);
        free(text);
        json_decref(document);
        json_decref(parsed);
        json_decref(second);
        pm_sample_release(&sample);
        pm_sample_release(&again);
    }
    pm_ranking_release(&ranking);
}

static void test_json_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}",
        "{\"schema\": \"portmeter-sample\", \"version\": 2}",
        "{\"schema\": \"portmeter-sample\", \"version\": 1, \"seed\": \"x\"}",
        "{\"schema\": \"portmeter-sample\", \"version\": 1, \"seed\": \"1\", \"percentiles\": [1]}",
        "{\"schema\": \"portmeter-sample\", \"version\": 1, \"seed\": \"1\", \"rule\": "
        "\"disjoint\","
        "\"percentiles\": [1,1,1,1,1,1,1,1,1,1,1], \"steps\": [{\"step\": \"guessed\"}]}",
        "{\"schema\": \"portmeter-sample\", \"version\": 1, \"seed\": \"1\", \"rule\": "
        "\"disjoint\","
        "\"percentiles\": [1,1,1,1,1,1,1,1,1,1,1], \"members\": [{\"stratum\": 3}]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pm_sample sample;
        json_t *document = NULL;
        assert_int_equal(pm_json_parse(bad[i], strlen(bad[i]), &document, NULL), PM_OK);
        assert_int_not_equal(pm_sample_from_json(document, &sample, NULL), PM_OK);
        json_decref(document);
    }
}

/* Sets `key` to `value` in a copy of a small sample's document: in the last row of `list`, or in
 * the document itself if `list` is NULL. If `value` is NULL, removes the key. Takes ownership of
 * `value`. Returns the status of reading the changed document. */
static int read_changed(const json_t *good, const char *list, const char *key, json_t *value)
{
    struct pm_sample sample;
    struct pm_error err = {""};
    json_t *document = json_deep_copy(good), *object = document;
    if (list) {
        json_t *rows = json_object_get(document, list);
        object = json_array_get(rows, json_array_size(rows) - 1);
    }
    assert_non_null(json_object_get(object, key));
    if (value)
        json_object_set_new(object, key, value);
    else
        json_object_del(object, key);
    const int rc = pm_sample_from_json(document, &sample, &err);
    assert_true(rc == PM_OK || strstr(err.text, key));
    if (!rc)
        pm_sample_release(&sample);
    json_decref(document);
    return rc;
}

/* Values that no sample can have are refused: they would be used as an index, a size or a weight.
 */
static void test_json_out_of_range(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(100);
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 1);
    struct pm_sample sample = draw(&ranking, &plan);
    json_t *good = pm_sample_to_json(&sample);
    static const struct {
        const char *list, *key;
    } counts[] = {{NULL, "top"},        {NULL, "per_decile"}, {NULL, "ranked"},
                  {"strata", "size"},   {"strata", "drawn"},  {"strata", "taken"},
                  {"strata", "wanted"}, {"steps", "rank"},    {"steps", "stratum"},
                  {"steps", "uses"},    {"members", "rank"},  {"members", "stratum"},
                  {"members", "uses"}},
      reals[] = {{"strata", "low"},
                 {"strata", "high"},
                 {"strata", "eligible"},
                 {"strata", "unevenness"},
                 {"strata", "uses"}},
      others[] = {{NULL, "seed"},        {NULL, "rule"},        {NULL, "framework"},
                  {NULL, "percentiles"}, {NULL, "strata"},      {NULL, "steps"},
                  {"strata", "name"},    {"strata", "certain"}, {"strata", "closed"},
                  {"steps", "step"},     {"steps", "replaces"}, {"members", "name"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *list = counts[i].list, *key = counts[i].key;
        assert_int_equal(read_changed(good, list, key, json_integer(-1)), PM_EFORMAT);
        assert_int_equal(read_changed(good, list, key, json_real(1.5)), PM_EFORMAT);
        assert_int_equal(read_changed(good, list, key, NULL), PM_EFORMAT);
        if (strcmp(key, "uses") && strcmp(key, "wanted") && strcmp(key, "ranked"))
            assert_int_equal(read_changed(good, list, key, json_integer(INT64_MAX)), PM_EFORMAT);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        assert_int_equal(read_changed(good, "strata", reals[i].key, json_real(-1)), PM_EFORMAT);
        assert_int_equal(read_changed(good, "strata", reals[i].key, json_real(1e300)), PM_EFORMAT);
        assert_int_equal(read_changed(good, "strata", reals[i].key, NULL), PM_EFORMAT);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(read_changed(good, others[i].list, others[i].key, json_integer(3)),
                         PM_EFORMAT);
    assert_int_equal(read_changed(good, NULL, "seed", json_string("-1")), PM_EFORMAT);
    assert_int_equal(read_changed(good, NULL, "seed", json_string("99999999999999999999")),
                     PM_EFORMAT);
    assert_int_equal(read_changed(good, "strata", "taken", json_integer(0)), PM_EFORMAT);
    assert_int_equal(read_changed(good, "strata", "name", json_string("of 16 bytes and 1")),
                     PM_EFORMAT);
    assert_int_equal(read_changed(good, "strata", "name", json_string("another")), PM_OK);
    json_decref(good);
    pm_sample_release(&sample);
    pm_ranking_release(&ranking);
}

static void test_explain_is_one_line_a_step(void **state)
{
    (void)state;
    struct pm_ranking ranking = {0};
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 1);
    pm_ranking_add(&ranking, "f\x1b[2J\ng", 3);
    assert_int_equal(pm_ranking_close(&ranking, NULL), PM_OK);
    struct pm_sample sample = draw(&ranking, &plan);
    char *text = explain(&sample);
    assert_non_null(strstr(text, "f [2J g"));
    free(text);
    pm_sample_release(&sample);
    pm_ranking_release(&ranking);
}

static void test_explain(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(30);
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 5);
    const struct pm_exclusion exclusions[] = {
        {"f000", PM_CRITERION_OTHER_VERSION, "gone since 2.0"},
        {"f001", PM_CRITERION_NO_TEST, NULL},
    };
    plan.top = 1;
    plan.per_decile = 1;
    plan.exclusions = exclusions;
    plan.exclusion_count = 2;
    struct pm_sample sample = draw(&ranking, &plan);
    char *text = explain(&sample);
    static const char *const lines[] = {
        "sample of made-up, seed 5, disjoint strata: 30 functions ranked, the top 1, and 1 per "
        "decile, "
        "11 to measure\n",
        "percentiles  1  3.9  6.8  9.7  12.6  15.5  18.4  21.3  24.2  27.1  30\n",
        "stratum top 1     functions 1, uses 30, taken: all 1 that can be measured\n",
        "stratum 10        functions 3, uses 1 to 3.9, wanted 1, drawn 3, taken 1, eligible "
        "1\n",
        "stratum 100       functions 2, uses above 27.1 to 30, wanted 1, drawn 1, taken 1, "
        "eligible 2\n",
        "top 1     top            f029                              uses 30, rank 1\n",
        "10        drawn          f001                              uses 2, rank 29\n",
        "10        excluded       f001                              uses 2, rank 29: no test\n",
        "10        replacement    f000                              uses 1, rank 30, replaces "
        "f001\n",
        "10        excluded       f000                              uses 1, rank 30: other version "
        "only, gone since 2.0\n",
        "10        replacement    f002                              uses 3, rank 28, replaces "
        "f000\n",

    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("lacks: %s in:\n%s", lines[i], text);
    free(text);
    pm_sample_release(&sample);
    pm_ranking_release(&ranking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_there_and_back),        cmocka_unit_test(test_json_refused),
        cmocka_unit_test(test_json_out_of_range),          cmocka_unit_test(test_explain),
        cmocka_unit_test(test_explain_is_one_line_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

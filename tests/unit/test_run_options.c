/* Tests of the options of a run: the text of the warm rule, and reading stored options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "measure/session.h"

/* ---- the warm rule --------------------------------------------------------------------------- */

/* Compares the rules as texts, because a struct may have unset bytes between its members. */
static void assert_same_rule(const struct pm_warm_rule *got, const struct pm_warm_rule *want)
{
    struct pm_str a = PM_STR_INIT, b = PM_STR_INIT;
    pm_warm_rule_text(got, &a);
    pm_warm_rule_text(want, &b);
    assert_string_equal(a.data, b.data);
    pm_str_release(&a);
    pm_str_release(&b);
}

static void test_warm_rules(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct pm_warm_rule rule;
        const char *whole; /* NULL: the same text */
    } table[] = {
        {PM_WARM_RULE_TEXT, PM_WARM_RULE_DEFAULT, NULL},
        {"", PM_WARM_RULE_DEFAULT, PM_WARM_RULE_TEXT},
        {"least=30",
         {100, 30, 30, 5000000, 10000000, 100000000, 1000000000},
         "timings=100,enough=30,least=30,warmup=5ms,work=10ms,budget=100ms,long=1s"},
        {"long=2500ms,timings=7",
         {7, 7, 5, 5000000, 10000000, 100000000, 2500000000},
         "timings=7,enough=7,least=5,warmup=5ms,work=10ms,budget=100ms,long=2500ms"},
        {"timings=3", {3, 3, 3, 5000000, 10000000, 100000000, 1000000000}, NULL},
        {"timings=1000000,least=1000000,enough=9,budget=1ns,long=24us,warmup=1us,work=3s",
         {1000000, 9, 1000000, 1000, 3000000000, 1, 24000},
         "timings=1000000,enough=9,least=1000000,warmup=1us,work=3s,budget=1ns,long=24us"},
        {"budget=86400s", {100, 30, 5, 5000000, 10000000, 86400000000000, 1000000000}, NULL},
        {"budget=60000ms",
         {100, 30, 5, 5000000, 10000000, 60000000000, 1000000000},
         "timings=100,enough=30,least=5,warmup=5ms,work=10ms,budget=60s,long=1s"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pm_warm_rule rule;
        struct pm_error err = {{0}};
        struct pm_str text = PM_STR_INIT;
        if (pm_warm_rule_parse(table[i].text, &rule, &err))
            fail_msg("'%s': %s", table[i].text, err.text);
        assert_same_rule(&rule, &table[i].rule);
        pm_warm_rule_text(&rule, &text);
        if (table[i].whole)
            assert_string_equal(text.data, table[i].whole);
        struct pm_warm_rule again;
        assert_int_equal(pm_warm_rule_parse(text.data, &again, NULL), PM_OK);
        assert_same_rule(&rule, &again);
        pm_str_release(&text);
    }
}

static void test_wrong_warm_rules(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "timings",
        "timings=",
        "timings=0",
        "timings=-1",
        "timings=+5",
        "timings=1000001",
        "timings=5.5",
        "least=200",
        "timings=3,least=4",
        "enough=101",
        "warmup=5",
        "work=20",
        "budget=50",
        "budget=0ms",
        "budget=1.5s",
        "budget=-1s",
        "budget=1h",
        "budget=ms",
        "long=86401s",
        "long=1s,",
        ",",
        "most=5",
        "timings=5 ",
        "Samples=5",
        "budget=50ms;long=1s",
        "long=99999999999999999999s",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pm_warm_rule rule = {1, 2, 3, 4, 5, 6, 7};
        const struct pm_warm_rule before = rule;
        struct pm_error err = {{0}};
        if (pm_warm_rule_parse(texts[i], &rule, &err) != PM_EUSAGE)
            fail_msg("'%s' is taken", texts[i]);
        assert_memory_equal(err.text, "--warm", 6);
        assert_same_rule(&rule, &before);
    }
}

/* ---- stored options -------------------------------------------------------------------------- */

static int read_back(const char *text, struct pm_run_options *out, struct pm_error *err)
{
    const char **lists = NULL;
    json_t *json = NULL;
    assert_int_equal(pm_json_parse(text, strlen(text), &json, NULL), PM_OK);
    const int rc = pm_measure__options_from_json(json, out, &lists, err);
    free(lists);
    json_decref(json);
    return rc;
}

static void test_options_are_stored(void **state)
{
    (void)state;
    const char *const targets[] = {"null@null", "null@host"}, *const functions[] = {"null.*"};
    const struct pm_run_options options = {
        .targets = targets,
        .target_count = 2,
        .functions = functions,
        .function_count = 1,
        .repetitions = 7,
        .timeout_s = 2.5,
        .memory = (uint64_t)3 << 30,
        .warm = {7, 3, 2, 1000, 5000, 1000, 2000000000},
        .kinds = {[PM_CASE_KIND_CORE] = true, [PM_CASE_KIND_EDGE] = true},
        .outcomes_only = true,
        .isolation = PM_ISOLATION_WORKER,
        .seed = 11,
    };
    const struct plan plan = {.options = &options, .threads = 3, .jobs = 5, .sample_id = 4};
    struct pm_run_options got = {0};
    const char **lists = NULL;
    json_t *json = pm_measure__options_json(&options, &plan, "/tmp/scratch");
    assert_int_equal(pm_measure__options_from_json(json, &got, &lists, NULL), PM_OK);
    assert_int_equal(got.target_count, 2);
    assert_string_equal(got.targets[0], "null@null");
    assert_string_equal(got.targets[1], "null@host");
    assert_int_equal(got.function_count, 1);
    assert_string_equal(got.functions[0], "null.*");
    assert_int_equal(got.suite_count, 0);
    assert_null(got.only);
    assert_int_equal(got.repetitions, 7);
    assert_true(got.timeout_s == 2.5);
    assert_int_equal(got.memory, (uint64_t)3 << 30);
    assert_same_rule(&got.warm, &options.warm);
    assert_int_equal(got.threads, 3);
    assert_int_equal(got.jobs, 5);
    assert_int_equal(got.sample, 4);
    assert_true(got.outcomes_only);
    assert_memory_equal(got.kinds, options.kinds, sizeof got.kinds);
    assert_null(pm_measure__options_differ(json, &options));
    struct pm_run_options others = options;
    others.kinds[PM_CASE_KIND_EDGE] = false;
    assert_string_equal(pm_measure__options_differ(json, &others), "--kind");
    assert_int_equal(got.mode, PM_MODE_DEFAULT);
    assert_int_equal(got.isolation, PM_ISOLATION_WORKER);
    assert_int_equal(got.seed, 11);
    free(lists);
    json_decref(json);
}

/* Options of an older portmeter have no warm rule, which then is the default. */
static void test_old_options(void **state)
{
    (void)state;
    const struct pm_warm_rule usual = PM_WARM_RULE_DEFAULT;
    struct pm_run_options got = {0};
    assert_int_equal(read_back("{\"targets\": [\"null@null\"], \"only\": null, \"seed\": 1,"
                               " \"mode\": \"paper\"}",
                               &got, NULL),
                     PM_OK);
    assert_same_rule(&got.warm, &usual);
    assert_int_equal(got.isolation, PM_ISOLATION_FUNCTION);
    assert_int_equal(got.mode, PM_MODE_PAPER);
}

static void test_damaged_options(void **state)
{
    (void)state;
    static const struct {
        const char *text, *key;
    } table[] = {
        {"{\"targets\": [5]}", "targets"},
        {"{\"functions\": [\"a\", null]}", "functions"},
        {"{\"only\": 5}", "only"},
        {"{\"kinds\": [\"cores\"]}", "kinds"},
        {"{\"kinds\": [1]}", "kinds"},
        {"{\"repetitions\": -1}", "repetitions"},
        {"{\"repetitions\": 10001}", "repetitions"},
        {"{\"repetitions\": \"3\"}", "repetitions"},
        {"{\"jobs\": 4294967297}", "jobs"},
        {"{\"threads\": -5}", "threads"},
        {"{\"memory\": -5}", "memory"},
        {"{\"timeout_s\": -1}", "timeout_s"},
        {"{\"timeout_s\": 1e300}", "timeout_s"},
        {"{\"timeout_s\": \"3\"}", "timeout_s"},
        {"{\"more_within_s\": -1}", "more_within_s"},
        {"{\"more_within_s\": 1e300}", "more_within_s"},
        {"{\"seed\": -1}", "seed"},
        {"{\"sample\": -1}", "sample"},
        {"{\"isolation\": \"none\"}", "isolation"},
        {"{\"mode\": \"fast\"}", "mode"},
        {"{\"warm\": \"timings=0\"}", "warm"},
        {"{\"warm\": {\"timings\": 5}}", "warm"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pm_run_options got = {0};
        struct pm_error err = {{0}};
        if (read_back(table[i].text, &got, &err) != PM_EFORMAT)
            fail_msg("%s is taken", table[i].text);
        char *quoted = NULL;
        assert_true(asprintf(&quoted, "'%s'", table[i].key) > 0);
        assert_non_null(strstr(err.text, quoted));
        free(quoted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warm_rules),         cmocka_unit_test(test_wrong_warm_rules),
        cmocka_unit_test(test_options_are_stored), cmocka_unit_test(test_old_options),
        cmocka_unit_test(test_damaged_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

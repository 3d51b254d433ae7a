/* Tests of keys of the case language: kinds, processes, versions without a function, inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "suites.h"

static void test_process__is_shared_by_cases_that_want_the_same(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(&suite,
                     "function: f\n"
                     "cases:\n"
                     "  - {name: plain, call: g()}\n"
                     "  - {name: two, call: g(), process: {devices: 2, environment: {A: \"1\"}}}\n"
                     "  - {name: same, call: g(), process: {environment: {A: \"1\"}, devices: 2}}\n"
                     "  - {name: wide, call: g(), process: {x64: true}}\n"
                     "  - {name: alone, call: g(), process: {alone: true}}\n");
    enum { CASES = 5 };
    static const char shares[CASES][CASES + 1] = {"10000", "01100", "01100", "00010", "00001"};
    assert_int_equal(suite.case_count, CASES);
    for (size_t i = 0; i < CASES; i++)
        for (size_t k = 0; k < CASES; k++)
            if (pm_case_shares_process(&suite.cases[i], &suite.cases[k]) != (shares[i][k] == '1'))
                fail_msg("%s and %s", suite.cases[i].name, suite.cases[k].name);
    json_t *object = pm_case_json(&suite.cases[1]);
    char *text = pm_json_text(json_object_get(object, "process"));
    assert_string_equal(text, "{\"devices\":2,\"environment\":{\"A\":\"1\"}}");
    free(text);
    json_decref(object);
    pm_suite_release(&suite);
}

static void test_undefined__compares_no_values(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(&suite, "function: f\n"
                             "cases:\n"
                             "  - {name: a, call: g(), undefined: \"https://example.org/f\"}\n"
                             "  - {name: b, call: g()}\n");
    assert_int_equal(suite.cases[0].compare, PM_COMPARE_SHAPE);
    assert_int_equal(suite.cases[1].compare, PM_COMPARE_CLOSE);
    json_t *object = pm_case_json(&suite.cases[0]);
    assert_string_equal(pm_json_string(object, "undefined", ""), "https://example.org/f");
    json_decref(object);
    pm_suite_release(&suite);
}

static void test_absent__has_a_case_for_later_versions(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(&suite,
                     "function: f\n"
                     "absent: {until: \"2.15\", replaced_by: g.h}\n"
                     "cases: [{name: a, call: g()}, {name: b, call: g(), until: \"2.3\"}]\n");
    assert_int_equal(suite.case_count, 3);
    static const char in_version[][4] = {"110", "100", "001"}; /* a, b, absence */
    static const char *const versions[] = {"2.3.1", "2.15.2", "2.16"};
    for (size_t v = 0; v < 3; v++)
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(pm_case_in_version(&suite.cases[i], versions[v]),
                             in_version[v][i] == '1');
    assert_true(suite.cases[2].is_absence);
    json_t *object = pm_case_json(&suite.cases[2]);
    assert_string_equal(pm_json_string(json_object_get(object, "absent"), "replaced_by", ""),
                        "g.h");
    json_decref(object);
    pm_suite_release(&suite);
    suites_load_text(&suite, "function: f\nabsent: {until: \"2\"}\ncases: []\n");
    assert_int_equal(suite.case_count, 1);
    pm_suite_release(&suite);
}

static void test_input__may_be_a_key(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(&suite, "function: f\n"
                             "public: false\n"
                             "cases:\n"
                             "  - name: a\n"
                             "    inputs: {k: key(4294967295)}\n"
                             "    call: g(k)\n"
                             "    raises: {type: E, message: m, counts: true}\n");
    const struct pm_case *c = &suite.cases[0];
    assert_true(c->inputs[0].is_key && !c->inputs[0].is_literal && c->function->is_private);
    assert_int_equal(c->inputs[0].key, 4294967295u);
    json_t *object = pm_case_json(c);
    assert_true(pm_json_bool(json_object_get(object, "raises"), "counts", false));
    assert_false(pm_json_bool(object, "public", true));
    json_decref(object);
    pm_suite_release(&suite);
}

static void test_calls__keeps_the_reason_of_a_review(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(&suite, "function: f\n"
                             "cases:\n"
                             "  - {name: a, call: g(), calls: {reviewed: \"g is f\"}}\n"
                             "  - {name: b, call: f()}\n");
    assert_string_equal(suite.cases[0].calls_reviewed, "g is f");
    assert_null(suite.cases[1].calls_reviewed);
    json_t *object = pm_case_json(&suite.cases[0]);
    assert_string_equal(pm_json_string(json_object_get(object, "calls"), "reviewed", ""), "g is f");
    json_decref(object);
    pm_suite_release(&suite);
}

/* ---- kinds ---- */

/* Returns all cases with their kinds, "a core, b[int8] dtype, ..."; the caller frees the text. */
static char *kinds_of(const struct pm_suite *suite)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < suite->case_count; i++)
        pm_str_addf(&text, "%s%s %s", i ? ", " : "", suite->cases[i].name,
                    pm_case_kind_text(suite->cases[i].kind));
    return pm_str_detach(&text);
}

static void assert_kinds(const char *framework, const char *cases, const char *want)
{
    struct pm_suite suite;
    struct pm_error err = {""};
    const char *const path = "f.yaml";
    char *text = pm_format("function: f\ncases:\n%s", cases);
    suites_write(path, text);
    free(text);
    if (pm_suite_load(&suite, framework, &suites_words, &path, 1, &err))
        fail_msg("%s", err.text);
    char *kinds = kinds_of(&suite);
    assert_string_equal(kinds, want);
    free(kinds);
    pm_suite_release(&suite);
}

#define EACH "inputs: {x: \"$dtype[2] ones\"}, call: f(x)"

static void test_kind__is_core_unless_the_file_says_something_else(void **state)
{
    (void)state;
    assert_kinds(
        "pytorch",
        "  - {name: a, call: f()}\n"
        "  - {name: b, call: f(), kind: core}\n"
        "  - {name: c, call: f(), kind: dtype}\n"
        "  - {name: d, call: f(), kind: edge}\n"
        "  - {name: e, call: f(), raises: {type: E, message: m}}\n"
        "  - {name: g, call: f(), raises: {type: E, message: m, counts: true}}\n"
        "  - {name: h, kind: edge, call: f(), raises: {type: E, message: m, counts: true}}\n",
        "a core, b core, c dtype, d edge, e edge, g core, h edge");
}

static void test_kind__of_an_expansion_follows_the_framework(void **state)
{
    (void)state;
    static const char cases[] =
        "  - {name: a, dtypes: [float16, float32, int32, int64, bool], " EACH "}\n"
        "  - {name: b, kind: edge, dtypes: [float32, int8], " EACH "}\n"
        "  - {name: c, kind: dtype, dtypes: [float32, int8], " EACH "}\n";
    static const char others[] = "b[float32] edge, b[int8] edge, c[float32] dtype, c[int8] dtype";
    char *torch = pm_format("a[float16] dtype, a[float32] core, a[int32] dtype, a[int64] core, "
                            "a[bool] core, %s",
                            others);
    assert_kinds("pytorch", cases, torch);
    char *tensorflow = pm_format("a[float16] dtype, a[float32] core, a[int32] core, "
                                 "a[int64] dtype, a[bool] core, %s",
                                 others);
    assert_kinds("tensorflow", cases, tensorflow);
    free(tensorflow);
    free(torch);
}

static void test_kind__that_changed_keeps_the_reason(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(&suite, "function: f\n"
                             "cases:\n"
                             "  - {name: a, call: f(), kind_changed: {from: edge, reason: why}}\n"
                             "  - {name: b, call: f()}\n");
    assert_string_equal(suite.cases[0].kind_reason, "why");
    assert_int_equal(suite.cases[0].kind_before, PM_CASE_KIND_EDGE);
    assert_null(suite.cases[1].kind_reason);
    json_t *object = pm_case_json(&suite.cases[0]);
    assert_string_equal(pm_json_string(object, "kind", ""), "core");
    char *text = pm_json_text(json_object_get(object, "kind_changed"));
    assert_string_equal(text, "{\"from\":\"edge\",\"reason\":\"why\"}");
    free(text);
    json_decref(object);
    pm_suite_release(&suite);
}

static void test_function__needs_core_cases_or_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t core;
        bool lacks;
    } files[] = {
        {"cases: [{name: a, call: f()}, {name: b, call: f()}]\n", 2, false},
        {"cases: [{name: a, call: f()}, {name: b, call: f(), kind: edge}]\n", 1, true},
        {"few_core: it has no arguments\ncases: [{name: a, call: f()}]\n", 1, false},
        {"cases: [{name: a, dtypes: [float32, bool, int8], " EACH "}]\n", 2, false},
        {"cases: [{name: a, dtypes: [float32, int8], " EACH "}]\n", 1, true},
        {"absent: {until: \"2\"}\ncases: []\n", 0, false},
        {"absent: {until: \"2\"}\ncases: [{name: a, call: f()}]\n", 1, true},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct pm_suite suite;
        char *text = pm_format("function: f\n%s", files[i].text);
        suites_load_text(&suite, text);
        if (suite.functions[0].core_count != files[i].core ||
            pm_function_lacks_core(&suite.functions[0]) != files[i].lacks)
            fail_msg("%zu core cases in\n%s", suite.functions[0].core_count, text);
        free(text);
        pm_suite_release(&suite);
    }
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, suites_enter, suites_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_process__is_shared_by_cases_that_want_the_same),
        IN_SCRATCH(test_undefined__compares_no_values),
        IN_SCRATCH(test_absent__has_a_case_for_later_versions),
        IN_SCRATCH(test_input__may_be_a_key),
        IN_SCRATCH(test_calls__keeps_the_reason_of_a_review),
        IN_SCRATCH(test_kind__is_core_unless_the_file_says_something_else),
        IN_SCRATCH(test_kind__of_an_expansion_follows_the_framework),
        IN_SCRATCH(test_kind__that_changed_keeps_the_reason),
        IN_SCRATCH(test_function__needs_core_cases_or_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

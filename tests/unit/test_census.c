/* Tests of a census: the names that it plans, the choice between several cases, and that a pack is
 * read as it was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "census/census.h"
#include "suite/suite.h"
#include "suites.h"

static const char document[] =
    "{\"schema\": \"portmeter-inventory\", \"version\": 2, \"framework\": \"pytorch\","
    " \"framework_version\": \"2.13.0\", \"python\": \"3.11.2\", \"root\": \"torch\","
    " \"short\": \"torch\", \"attributes\": [], \"private\": [], \"foreign\": [], \"unread\": [],"
    " \"functions\": ["
    "{\"name\": \"torch.cuda.f\", \"kind\": \"function\", \"aliases\": [], \"defined\": \"\","
    " \"bases\": [], \"deprecated\": false, \"examples\": false},"
    "{\"name\": \"torch.sin\", \"kind\": \"function\", \"aliases\": [], \"defined\": \"\","
    " \"bases\": [], \"deprecated\": false, \"examples\": false},"
    "{\"name\": \"torch.cos\", \"kind\": \"function\", \"aliases\": [], \"defined\": \"\","
    " \"bases\": [], \"deprecated\": false, \"examples\": false}]}";

static void plan(struct pm_census *census)
{
    struct pm_inventory inventory;
    struct pm_census_rules rules = {0};
    struct pm_error err = {""};
    assert_int_equal(pm_inventory_parse(document, strlen(document), &inventory, &err), PM_OK);
    assert_int_equal(pm_census_rules_load(&rules, &err), PM_OK);
    pm_census_plan(census, &inventory, &rules);
    pm_census_rules_release(&rules);
    pm_inventory_release(&inventory);
}

static void take(struct pm_census *census, const char *line)
{
    struct pm_error err = {""};
    if (pm_census_take(census, line, &err))
        fail_msg("%s", err.text);
}

#define VERSION "{\"version\": \"2.13.0\", \"absent\": {\"metadata\": \"no package\"}}"
#define CASE(what, call)                                                                           \
    "{\"what\": \"" what "\", \"reason\": \"because\", \"case\": {\"call\": \"" call "\","         \
    " \"inputs\": {\"x\": \"float32[3] normal\"}}}"
#define FOUND(name, found) "{\"name\": \"" name "\", \"found\": {" found "}}"

static void test_counts__are_of_all_names_and_of_each_module(void **state)
{
    struct pm_census census;
    (void)state;
    plan(&census);
    take(&census, VERSION);
    take(&census, FOUND("torch.sin", "\"searched\": " CASE("values", "torch.sin(x)")));
    json_t *counts = pm_census_counts(&census);
    json_t *expected =
        json_loads("{\"names\": 3, \"measurable\": 2, \"with_case\": 1, \"modules\": {"
                   "\"torch.cuda\": {\"names\": 1, \"measurable\": 0, \"with_case\": 0},"
                   "\"torch\": {\"names\": 2, \"measurable\": 2, \"with_case\": 1}}}",
                   0, NULL);
    assert_true(json_equal(counts, expected));
    json_decref(expected);
    json_decref(counts);
    pm_census_release(&census);
}

static void test_module__leaves_out_classes_and_the_name(void **state)
{
    static const char *const table[][2] = {
        {"torch.sin", "torch"},
        {"torch.nn.functional.relu", "torch.nn"},
        {"torch.Tensor.sin", "torch"},
        {"torch", "torch"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *module = pm_census_module(table[i][0]);
        assert_string_equal(module, table[i][1]);
        free(module);
    }
}

static void test_take__keeps_how_the_output_is_compared(void **state)
{
    struct pm_census census;
    (void)state;
    plan(&census);
    take(&census, VERSION);
    take(&census, FOUND("torch.sin", "\"searched\": {\"what\": \"values\", \"reason\": \"\","
                                     " \"case\": {\"call\": \"torch.sin(1)\","
                                     " \"context\": \"tf.device(None)\","
                                     " \"compare\": {\"out[0]\": \"up to sign\"},"
                                     " \"tolerance\": {\"rtol\": 0.001, \"atol\": 0.0001},"
                                     " \"host_outputs\": [\"out[1]\"]}}"));
    assert_non_null(strstr(pm_census_find(&census, "torch.sin")->text,
                           "    compare: {\"out[0]\": \"up to sign\"}\n"
                           "    tolerance: {\"rtol\": 0.001, \"atol\": 0.0001}\n"
                           "    host_outputs: [\"out[1]\"]\n"));
    assert_non_null(strstr(pm_census_find(&census, "torch.sin")->text,
                           "    context: \"tf.device(None)\"\n    call: "));
    pm_census_release(&census);
}

static void test_plan__leaves_out_what_the_rules_name(void **state)
{
    struct pm_census census;
    (void)state;
    plan(&census);
    assert_int_equal(census.count, 3);
    assert_int_equal(pm_census_find(&census, "torch.cuda.f")->status, PM_CENSUS_NOT_MEASURED);
    assert_string_equal(pm_census_find(&census, "torch.cuda.f")->reason,
                        "is about NVIDIA's devices");
    assert_int_equal(pm_census_find(&census, "torch.sin")->status, PM_CENSUS_NOT_TRIED);
    pm_census_release(&census);
}

static void test_take__chooses_what_measures_more_then_the_better_source(void **state)
{
    struct pm_census census;
    (void)state;
    plan(&census);
    take(&census, VERSION);
    take(&census,
         FOUND("torch.sin",
               "\"searched\": " CASE("values", "torch.sin(x)") ", "
                                                               "\"example\": " CASE(
                                                                   "no-values", "torch.sin(1)")));
    struct pm_census_row *row = pm_census_find(&census, "torch.sin");
    assert_int_equal(row->tier, PM_TIER_SEARCHED);
    assert_int_equal(row->status, PM_CENSUS_VALUES);
    assert_true(row->from[PM_TIER_EXAMPLE] && row->from[PM_TIER_SEARCHED]);
    assert_null(strstr(row->text, "no_values"));
    take(&census, FOUND("torch.sin", "\"searched\": " CASE(
                                         "values", "torch.sin(x)") ", "
                                                                   "\"example\": " CASE(
                                                                       "values", "torch.sin(1)")));
    assert_int_equal(row->tier, PM_TIER_EXAMPLE);
    assert_false(row->from[PM_TIER_METADATA]);
    assert_string_equal(census.absent[PM_TIER_METADATA], "no package");
    take(&census, "{\"name\": \"torch.sin\", \"died\": \"signal 11\"}");
    assert_int_equal(row->status, PM_CENSUS_NO_CASE);
    assert_string_equal(row->reason, "signal 11");
    assert_null(row->text);
    pm_census_release(&census);
}

static void test_take__refuses_what_is_no_answer(void **state)
{
    static const char *const lines[] = {
        "{",
        "[]",
        "{\"name\": \"torch.unknown\", \"reason\": \"\"}",
        FOUND("torch.sin", "\"searched\": {\"what\": \"values\", \"case\": {}}"),
        FOUND("torch.sin", "\"searched\": " CASE("no-case", "f()")),
    };
    struct pm_census census;
    struct pm_error err;
    (void)state;
    plan(&census);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(pm_census_take(&census, lines[i], &err), PM_EFORMAT);
    pm_census_release(&census);
}

static void test_take__of_another_version_forgets_the_answers_before(void **state)
{
    struct pm_census census;
    (void)state;
    plan(&census);
    take(&census, VERSION);
    take(&census, FOUND("torch.sin", "\"searched\": " CASE("values", "torch.sin(x)")));
    take(&census, VERSION);
    assert_int_equal(pm_census_find(&census, "torch.sin")->status, PM_CENSUS_VALUES);
    take(&census, "{\"version\": \"2.14.0\", \"absent\": {}}");
    assert_int_equal(pm_census_find(&census, "torch.sin")->status, PM_CENSUS_NOT_TRIED);
    assert_null(pm_census_find(&census, "torch.sin")->text);
    assert_int_equal(pm_census_find(&census, "torch.cuda.f")->status, PM_CENSUS_NOT_MEASURED);
    pm_census_release(&census);
}

/* A written pack can be read as a suite, and as a census with the same rows. */
static void test_write__is_read_as_suite_and_as_census(void **state)
{
    struct pm_census census, again;
    struct pm_suite suite;
    struct pm_error err = {""};
    (void)state;
    plan(&census);
    take(&census, VERSION);
    take(&census, FOUND("torch.sin", "\"metadata\": " CASE("values", "torch.sin(x)")));
    take(&census, FOUND("torch.cos", "\"example\": " CASE("no-values", "torch.cos(x)")));
    assert_int_equal(pm_census_write(&census, "made/pytorch.yaml.zst", &err), PM_OK);
    if (suites_load(&suite, &err, "made/pytorch.yaml.zst"))
        fail_msg("%s", err.text);
    assert_int_equal(suite.function_count, 2);
    assert_int_equal(suite.functions[0].tier, PM_TIER_EXAMPLE);
    assert_string_equal(suite.functions[0].no_values, "because");
    assert_int_equal(suite.functions[1].tier, PM_TIER_METADATA);
    assert_null(suite.functions[1].no_values);
    assert_string_equal(suite.cases[1].call, "torch.sin(x)");
    assert_false(pm_function_lacks_core(&suite.functions[0]));
    pm_suite_release(&suite);
    assert_int_equal(pm_census_read(&again, "pytorch", "made/pytorch.yaml.zst", &err), PM_OK);
    assert_string_equal(again.version, "2.13.0");
    assert_int_equal(again.count, 3);
    for (size_t i = 0; i < again.count; i++) {
        const struct pm_census_row *a = &again.rows[i], *b = pm_census_find(&census, a->name);
        assert_int_equal(a->status, b->status);
        assert_int_equal(a->tier, b->tier);
        assert_string_equal(a->reason, b->reason);
        assert_memory_equal(a->from, b->from, sizeof a->from);
        assert_int_equal(a->text != NULL, b->text != NULL);
        if (a->text)
            assert_string_equal(a->text, b->text);
    }
    pm_census_release(&again);
    pm_census_release(&census);
}

static void test_keep__takes_only_what_was_not_tried(void **state)
{
    struct pm_census census, older;
    (void)state;
    plan(&older);
    plan(&census);
    take(&older, FOUND("torch.sin", "\"searched\": " CASE("values", "torch.sin(old)")));
    take(&older, FOUND("torch.cos", "\"searched\": " CASE("values", "torch.cos(old)")));
    take(&census, "{\"name\": \"torch.cos\", \"reason\": \"none\"}");
    pm_census_keep(&census, &older);
    assert_non_null(strstr(pm_census_find(&census, "torch.sin")->text, "torch.sin(old)"));
    assert_int_equal(pm_census_find(&census, "torch.cos")->status, PM_CENSUS_NO_CASE);
    pm_census_release(&older);
    pm_census_release(&census);
}

/* Reading a pack with any kind of damage is an error, and does not give a shorter suite. */
static void test_read__sees_a_damaged_pack(void **state)
{
    struct pm_census census;
    struct pm_str packed = PM_STR_INIT;
    struct pm_suite suite;
    struct pm_error err = {""};
    (void)state;
    plan(&census);
    take(&census, VERSION);
    take(&census, FOUND("torch.sin", "\"metadata\": " CASE("values", "torch.sin(x)")));
    assert_int_equal(pm_census_write(&census, "made/pytorch.yaml.zst", &err), PM_OK);
    pm_census_release(&census);
    assert_int_equal(pm_file_read("made/pytorch.yaml.zst", &packed, &err), PM_OK);
    for (size_t cut = 0; cut < packed.length; cut += 7) {
        assert_int_equal(pm_file_write("made/pytorch.yaml.zst", packed.data, cut, &err), PM_OK);
        assert_int_equal(pm_census_read(&census, "pytorch", "made/pytorch.yaml.zst", &err),
                         PM_EFORMAT);
        assert_int_equal(suites_load(&suite, &err, "made/pytorch.yaml.zst"), PM_EFORMAT);
    }
    assert_int_equal(pm_suite_pack("made/pytorch.yaml.zst", "---\nname: x\n", 12, &err), PM_OK);
    assert_int_equal(suites_load(&suite, &err, "made/pytorch.yaml.zst"), PM_EFORMAT);
    pm_str_release(&packed);
}

static void test_load__names_a_function_that_a_pack_has_twice(void **state)
{
    static const char text[] = "---\nfunction: torch.sin\ncases: [{name: a, call: torch.sin(1)}]\n"
                               "---\nfunction: torch.sin\ncases: [{name: b, call: torch.sin(2)}]\n";
    struct pm_suite suite;
    struct pm_error err = {""};
    (void)state;
    assert_int_equal(pm_suite_pack("a.yaml.zst", text, strlen(text), &err), PM_OK);
    assert_int_equal(suites_load(&suite, &err, "a.yaml.zst"), PM_EFORMAT);
    assert_string_equal(
        err.text, "a.yaml.zst/torch.sin.yaml:1:1: function 'torch.sin' is in the suite twice: "
                  "name its pack once, and keep one file of the function in it");
}

static void test_review__puts_written_files_in_place_of_made_cases(void **state)
{
    static const char sin[] = "function: torch.sin\ncases:\n"
                              "  - {name: a, call: torch.sin(1)}\n"
                              "  - {name: b, call: torch.sin(2)}\n";
    struct pm_census census;
    struct pm_error err = {""};
    (void)state;
    plan(&census);
    take(&census, VERSION);
    take(&census, FOUND("torch.sin", "\"searched\": " CASE("values", "torch.sin(x)")));
    take(&census, FOUND("torch.cos", "\"searched\": " CASE("values", "torch.cos(x)")));
    assert_int_equal(pm_census_review(&census, "none", &err), PM_OK);
    assert_int_equal(pm_census_find(&census, "torch.sin")->tier, PM_TIER_SEARCHED);

    assert_int_equal(pm_folder_make("used/pytorch", &err), PM_OK);
    assert_int_equal(pm_file_write("used/pytorch/torch.sin.yaml", sin, strlen(sin), &err), PM_OK);
    assert_int_equal(
        pm_file_write("used/pytorch/torch.gone.yaml", "function: torch.gone\n", 21, &err), PM_OK);
    assert_int_equal(pm_census_review(&census, "used", &err), PM_OK);
    const struct pm_census_row *row = pm_census_find(&census, "torch.sin");
    assert_int_equal(row->tier, PM_TIER_REVIEWED);
    assert_int_equal(row->status, PM_CENSUS_VALUES);
    assert_true(row->from[PM_TIER_REVIEWED] && row->from[PM_TIER_SEARCHED]);
    assert_string_equal(row->text, sin);
    assert_int_equal(pm_census_find(&census, "torch.cos")->tier, PM_TIER_SEARCHED);

    assert_int_equal(pm_file_write("used/pytorch/torch.cos.yaml", "cases: []\n", 10, &err), PM_OK);
    assert_int_equal(pm_census_review(&census, "used", &err), PM_EFORMAT);
    assert_string_equal(err.text,
                        "used/pytorch/torch.cos.yaml:1:1: a reviewed case file must begin "
                        "with 'function: NAME'");
    pm_census_release(&census);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts__are_of_all_names_and_of_each_module),
        cmocka_unit_test(test_module__leaves_out_classes_and_the_name),
        cmocka_unit_test(test_take__keeps_how_the_output_is_compared),
        cmocka_unit_test(test_plan__leaves_out_what_the_rules_name),
        cmocka_unit_test(test_take__chooses_what_measures_more_then_the_better_source),
        cmocka_unit_test(test_take__refuses_what_is_no_answer),
        cmocka_unit_test(test_take__of_another_version_forgets_the_answers_before),
        cmocka_unit_test_setup_teardown(test_write__is_read_as_suite_and_as_census, suites_enter,
                                        suites_leave),
        cmocka_unit_test_setup_teardown(test_review__puts_written_files_in_place_of_made_cases,
                                        suites_enter, suites_leave),
        cmocka_unit_test(test_keep__takes_only_what_was_not_tried),
        cmocka_unit_test_setup_teardown(test_read__sees_a_damaged_pack, suites_enter, suites_leave),
        cmocka_unit_test_setup_teardown(test_load__names_a_function_that_a_pack_has_twice,
                                        suites_enter, suites_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the table of frameworks: the files that its rows name exist, and the rows agree with
 * each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "environment/environment_private.h"

static const struct pm_framework *table;
static size_t rows;

static int set_up(void **state)
{
    (void)state;
    unsetenv("PJRT_DEVICE");
    table = pm_frameworks(&rows);
    return 0;
}

static bool is_there(const char *format, const char *name)
{
    char *home = NULL, *below = pm_format("%s%s", format, name);
    assert_int_equal(pm_path_home(&home, NULL), PM_OK);
    char *path = pm_path_join(home, below);
    const bool there = pm_path_exists(path);
    free(path);
    free(below);
    free(home);
    return there;
}

static bool is_plug_in(const struct pm_environment__device *device)
{
    return strcmp(device->name, PM_ENVIRONMENT__PLUG_IN) == 0;
}

static void test_frameworks__each_has_a_driver(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++) {
        const char *file = table[i].device_count ? "framework.py" : "surface.py";
        char *path = pm_format("%s/%s", table[i].name, file);
        if (!is_there("drivers/pmdriver/", path))
            fail_msg("no drivers/pmdriver/%s", path);
        free(path);
    }
}

static void test_frameworks__each_that_is_measured_has_planted_faults_and_a_suite(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++) {
        char *file = pm_format("%s.yaml", table[i].name);
        if (table[i].device_count && table[i].purpose != PM_FRAMEWORK_ORACLE &&
            (!is_there("suites/planted-faults/", file) || !is_there("suites/", table[i].name)))
            fail_msg("no planted faults or no suite of '%s'", table[i].name);
        free(file);
    }
}

static void test_frameworks__names_are_unique_and_fit_into_targets(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++) {
        assert_true(pm_environment__is_name(table[i].name));
        assert_ptr_equal(pm_framework_find(table[i].name), &table[i]);
        for (size_t k = 0; k < table[i].device_count; k++) {
            const struct pm_environment__device *device = &table[i].devices[k];
            assert_ptr_equal(pm_environment__device_find(&table[i], device->name), device);
            assert_true(is_plug_in(device) || pm_environment__is_name(device->name));
        }
    }
}

static void test_frameworks__references_exist_and_are_their_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < table[i].device_count; k++) {
            const struct pm_environment__device *device = &table[i].devices[k];
            if (!device->reference)
                continue;
            const struct pm_environment__device *reference =
                pm_environment__device_find(&table[i], device->reference);
            assert_non_null(reference);
            assert_null(reference->reference);
            assert_int_equal(reference->evidence, PM_EVIDENCE_EXECUTED);
        }
}

static void test_frameworks__variants_of_devices_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < table[i].device_count; k++) {
            const struct pm_environment__device *device = &table[i].devices[k];
            char *variants = pm_strdup(device->variants), *rest = NULL;
            for (char *variant = strtok_r(variants, " ", &rest); variant;
                 variant = strtok_r(NULL, " ", &rest)) {
                struct pm_target target;
                char *text = pm_format("%s@%s+%s", table[i].name,
                                       is_plug_in(device) ? "plug" : device->name, variant);
                assert_int_equal(pm_target_parse(text, &target, NULL), PM_OK);
                assert_non_null(target.reference);
                pm_target_release(&target);
                free(text);
            }
            free(variants);
        }
}

static void test_frameworks__variables_have_a_name_and_a_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < table[i].device_count; k++) {
            const struct pm_environment__device *device = &table[i].devices[k];
            const char *equals = device->variable ? strchr(device->variable, '=') : NULL;
            assert_true(!device->variable || (equals > device->variable && equals[1]));
            assert_true(equals || !(device->traits & PM_ENVIRONMENT__ON_HOST_BY_VARIABLE));
        }
}

static void test_frameworks__examples_are_targets(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++) {
        struct pm_target target;
        assert_int_equal(!table[i].suite_reference, !table[i].device_count);
        assert_int_equal(!table[i].example, !table[i].device_count);
        if (!table[i].device_count)
            continue;
        assert_int_equal(pm_target_parse(table[i].suite_reference, &target, NULL), PM_OK);
        assert_null(target.reference);
        assert_string_equal(target.framework, table[i].name);
        assert_string_equal(target.text, table[i].suite_reference);
        pm_target_release(&target);
        assert_int_equal(pm_target_parse(table[i].example, &target, NULL), PM_OK);
        assert_string_equal(target.framework, table[i].name);
        pm_target_release(&target);
    }
    assert_non_null(table[0].suite_reference); /* a run without --target names it in its message */
}

static void test_frameworks__one_is_the_oracle(void **state)
{
    struct pm_target target;
    size_t oracles = 0;
    (void)state;
    for (size_t i = 0; i < rows; i++)
        oracles += table[i].purpose == PM_FRAMEWORK_ORACLE;
    assert_int_equal(oracles, 1);
    assert_int_equal(pm_target_parse(pm_framework_oracle()->suite_reference, &target, NULL), PM_OK);
    assert_true(target.oracle);
    pm_target_release(&target);
    char *modules = pm_framework_modules(pm_framework_oracle());
    assert_string_equal(modules, "numpy and scipy");
    free(modules);
}

static void test_frameworks__recipes_make_their_own_environment_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < table[i].recipe_count; k++) {
            const struct pm_recipe *recipe = &table[i].recipes[k];
            const struct pm_framework *framework = NULL;
            assert_ptr_equal(pm_recipe_find(recipe->name, &framework), recipe);
            assert_ptr_equal(pm_recipe_find(recipe->name, NULL), recipe);
            assert_ptr_equal(framework, &table[i]);
            assert_int_equal(strcmp(recipe->name, table[i].name) == 0, k == 0);
            assert_int_equal(recipe->adds != NULL, k > 0);
            assert_true(recipe->packages[0] && *recipe->size && recipe->bytes);
        }
}

/* Returns whether a framework has an accelerator of this name. In a different framework the name
 * may be on the host, as xla is. */
static bool is_accelerator(const char *name)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < table[i].device_count; k++)
            if (strcmp(table[i].devices[k].name, name) == 0 &&
                !(table[i].devices[k].traits & PM_ENVIRONMENT__ON_HOST))
                return true;
    return false;
}

static void test_frameworks__each_accelerator_can_be_required(void **state)
{
    const struct pm_words *words = &pm_framework_case_words()->requirements;
    (void)state;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < table[i].device_count; k++) {
            const struct pm_environment__device *device = &table[i].devices[k];
            const bool known = pm_words_find(words, device->name) >= 0;
            assert_int_equal(known, is_accelerator(device->name) && !is_plug_in(device));
        }
}

static void test_frameworks__each_has_default_dtypes(void **state)
{
    const struct pm_case_words *words = pm_framework_case_words();
    (void)state;
    assert_int_equal(words->default_count, rows);
    for (size_t i = 0; i < rows; i++) {
        const struct pm_words *dtypes = &words->defaults[i].dtypes;
        const bool narrow = !strcmp(table[i].name, "tensorflow") || !strcmp(table[i].name, "jax");
        assert_string_equal(words->defaults[i].framework, table[i].name);
        assert_int_equal(pm_words_find(dtypes, "int32") >= 0, narrow);
        assert_int_equal(pm_words_find(dtypes, "int64") >= 0, !narrow);
        assert_true(pm_words_find(dtypes, "bool") >= 0);
    }
}

static void test_frameworks__code_imports_a_module(void **state)
{
    const struct pm_framework *found;
    struct pm_error err = {""};
    (void)state;
    assert_string_equal(pm_framework_module(pm_framework_find("pytorch")), "torch");
    assert_string_equal(pm_framework_module(pm_framework_find("jax")), "jax");
    assert_string_equal(pm_framework_module(pm_framework_find("null")), "null");
    assert_int_equal(pm_framework_need("null", &found, &err), PM_OK);
    assert_string_equal(found->name, "null");
    assert_int_equal(pm_framework_need("torch", &found, &err), PM_EUSAGE);
    assert_string_equal(err.text, "unknown framework 'torch': did you mean 'pytorch'?");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(test_frameworks__##name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(each_has_a_driver),
        TEST(each_that_is_measured_has_planted_faults_and_a_suite),
        TEST(names_are_unique_and_fit_into_targets),
        TEST(references_exist_and_are_their_own),
        TEST(variants_of_devices_parse),
        TEST(variables_have_a_name_and_a_value),
        TEST(examples_are_targets),
        TEST(one_is_the_oracle),
        TEST(recipes_make_their_own_environment_first),
        TEST(each_accelerator_can_be_required),
        TEST(each_has_default_dtypes),
        TEST(code_imports_a_module),
    };
    return cmocka_run_group_tests_name("frameworks", tests, NULL, NULL);
}

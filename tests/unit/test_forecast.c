/* Tests of forecasts: a forecast is read as it was written, a cut file is refused, and the table of
 * a forecast has the measured accuracy or says that it is unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "forecast/forecast.h"
#include "forecast/tables.h"
#include "report/write.h"

static char *folder;

static int make_folder(void **state)
{
    struct pm_error err;
    (void)state;
    return pm_folder_scratch(&folder, &err);
}

static int remove_folder(void **state)
{
    struct pm_error err;
    (void)state;
    const int rc = pm_folder_remove(folder, &err);
    free(folder);
    return rc;
}

static void write_one(const char *target)
{
    struct pm_error err = {""};
    struct pm_forecast forecast = {.target = pm_strdup(target),
                                   .version = pm_strdup("1.0"),
                                   .made = pm_strdup("2026-11-26T00:00:00Z"),
                                   .suite = pm_strdup("ab12")};
    pm_forecast_add(&forecast, &(struct pm_forecast_row){.function = (char[]){"m.f"},
                                                         .name = (char[]){"one"},
                                                         .what = PM_PREDICTION_FAILS,
                                                         .cause = (char[]){"kernel"},
                                                         .lacks = (char[]){"op::f"}});
    pm_forecast_add(&forecast, &(struct pm_forecast_row){.function = (char[]){"m.g"},
                                                         .name = (char[]){"two"},
                                                         .what = PM_PREDICTION_UNKNOWN,
                                                         .reason = (char[]){"a tab\tand a\nline"}});
    if (pm_forecast_write(&forecast, folder, &err))
        fail_msg("%s", err.text);
    pm_forecast_release(&forecast);
}

static void test_read__gives_what_was_written(void **state)
{
    struct pm_error err = {""};
    struct pm_forecasts found;
    (void)state;
    write_one("null@far");
    assert_int_equal(pm_forecasts_load(&found, folder, "null@far", &err), PM_OK);
    assert_int_equal(found.count, 1);
    const struct pm_forecast *forecast = &found.items[0];
    assert_string_equal(forecast->target, "null@far");
    assert_string_equal(forecast->version, "1.0");
    assert_string_equal(forecast->made, "2026-11-26T00:00:00Z");
    assert_string_equal(forecast->suite, "ab12");
    assert_int_equal(forecast->count, 2);
    assert_string_equal(forecast->rows[0].function, "m.f");
    assert_int_equal(forecast->rows[0].what, PM_PREDICTION_FAILS);
    assert_string_equal(forecast->rows[0].cause, "kernel");
    assert_string_equal(forecast->rows[0].lacks, "op::f");
    assert_string_equal(forecast->rows[0].reason, "");
    assert_string_equal(forecast->rows[1].name, "two");
    assert_string_equal(forecast->rows[1].reason, "a tab and a line");
    pm_forecasts_release(&found);
}

static void test_load__says_that_a_target_has_none(void **state)
{
    struct pm_error err = {""};
    struct pm_forecasts found;
    (void)state;
    write_one("null@far");
    assert_int_equal(pm_forecasts_load(&found, folder, "null@fa", &err), PM_ENOTFOUND);
    assert_non_null(strstr(err.text, "has no forecast for null@fa: make one"));
}

static void test_read__refuses_a_cut_file(void **state)
{
    struct pm_error err = {""};
    struct pm_str text = PM_STR_INIT;
    struct pm_forecast forecast;
    (void)state;
    write_one("null@far");
    char *path = pm_path_join(folder, "null@far" PM_FORECAST_FILE);
    assert_int_equal(pm_file_read(path, &text, &err), PM_OK);
    assert_int_equal(pm_file_write(path, text.data, text.length - 8, &err), PM_OK);
    assert_int_equal(pm_forecast_read(&forecast, path, &err), PM_EFORMAT);
    assert_non_null(strstr(err.text, path));
    pm_str_release(&text);
    free(path);
}

/* Returns the summary of the forecast of a target as Markdown. */
static char *summary_of(const char *target)
{
    struct pm_error err = {""};
    struct pm_forecasts forecasts;
    struct pm_forecast_accuracies accuracies;
    struct pm_str text = PM_STR_INIT;
    write_one(target);
    assert_int_equal(pm_forecasts_load(&forecasts, folder, target, &err), PM_OK);
    assert_int_equal(pm_forecast_accuracies_load(&accuracies, &err), PM_OK);
    struct pm_report *report = pm_report_new("test");
    pm_forecast_add_summary(&forecasts, &accuracies, report);
    char *path = pm_path_join(folder, "summary.md");
    assert_int_equal(pm_report_write(report, PM_FORMAT_MARKDOWN, 200, false, path, &err), PM_OK);
    assert_int_equal(pm_file_read(path, &text, &err), PM_OK);
    pm_report_free(report);
    free(path);
    pm_forecasts_release(&forecasts);
    pm_forecast_accuracies_release(&accuracies);
    return text.data;
}

static void test_summary__has_the_accuracy_that_was_measured(void **state)
{
    (void)state;
    char *text = summary_of("pytorch@meta");
    assert_non_null(strstr(text, "87 [70, 95]")); /* 26 of 30 */
    assert_non_null(strstr(text, "79 [62, 89]")); /* 26 of 33 */
    assert_non_null(strstr(text, "drawn at random"));
    free(text);
}

static void test_summary__has_the_accuracy_by_the_lists_of_developers(void **state)
{
    (void)state;
    char *text = summary_of("pytorch@mps");
    assert_non_null(strstr(text, "83 [70, 91]")); /* 39 of 47 */
    assert_non_null(strstr(text, "87 [74, 94]")); /* 39 of 45 */
    assert_non_null(strstr(text, "lists"));
    free(text);
}

static void test_summary__says_that_nobody_knows_it(void **state)
{
    (void)state;
    char *text = summary_of("pytorch@xpu");
    assert_non_null(strstr(text, "precision unknown here"));
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_read__gives_what_was_written),
        TEST(test_load__says_that_a_target_has_none),
        TEST(test_read__refuses_a_cut_file),
        TEST(test_summary__has_the_accuracy_that_was_measured),
        TEST(test_summary__has_the_accuracy_by_the_lists_of_developers),
        TEST(test_summary__says_that_nobody_knows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Renders reports into memory, for tests. */
#include "reports.h"

#include "base/json.h"
#include "report/sink.h"

const struct pm_render_options no_limit = {0, false};

char *render(const struct pm_report *report, enum pm_report_format format,
             const struct pm_render_options *options)
{
    struct pm_str out = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&out);
    struct pm_error err;
    assert_int_equal(pm_report_render(report, format, options, &sink, &err), PM_OK);
    return pm_str_detach(&out);
}

void assert_renders(const struct pm_report *report, enum pm_report_format format,
                    const struct pm_render_options *options, const char *expected)
{
    char *got = render(report, format, options);
    assert_string_equal(got, expected);
    free(got);
}

struct pm_report *report_of(struct pm_table *table)
{
    struct pm_report *report = pm_report_new("");
    pm_report_take_table(report, table);
    return report;
}

struct pm_table *example_table(void)
{
    struct pm_table *t = pm_table_new("targets", "Targets");
    pm_table_about(t, "device", "any");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "functions", "functions", PM_CELL_COUNT);
    pm_table_column(t, "fails", "fails", PM_CELL_COUNT);
    pm_table_column(t, "share", "share that works", PM_CELL_SHARE);
    pm_table_column(t, "ratio", "ratio to cpu", PM_CELL_RATIO);
    pm_table_column(t, "median", "median", PM_CELL_TIME);
    pm_table_column(t, "float32", "float32", PM_CELL_MARK);

    pm_table_text(t, "pytorch@cpu");
    pm_table_count(t, 1065);
    pm_table_count(t, 0);
    pm_table_text(t, "reference");
    pm_table_empty(t);
    pm_table_number(t, 12345);
    pm_table_text(t, "pass");

    pm_table_text(t, "pytorch@xla");
    pm_table_count(t, 65);
    pm_table_count(t, 6);
    pm_table_interval(t, 0.76, 0.634, 0.861);
    pm_table_interval(t, 3.14, 2.41, 12.6);
    pm_table_interval(t, 1.5e6, 9e5, 2e6);
    pm_table_text(t, "FAIL");
    pm_table_note(t, "3 processes a side");
    return t;
}

void assert_json_equal(const char *got, const char *expected)
{
    json_t *a = NULL, *b = NULL;
    assert_int_equal(pm_json_parse(got, strlen(got), &a, NULL), PM_OK);
    assert_int_equal(pm_json_parse(expected, strlen(expected), &b, NULL), PM_OK);
    char *a_text = pm_json_text(a), *b_text = pm_json_text(b);
    assert_string_equal(a_text, b_text);
    free(a_text);
    free(b_text);
    json_decref(a);
    json_decref(b);
}

/* Tests of tables, reports and renderers. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/format.h"
#include "report/sink.h"
#include "report/table.h"

static const struct pm_render_options no_limit = {0, false};

static char *render(const struct pm_report *report, enum pm_report_format format,
                    const struct pm_render_options *options)
{
    struct pm_str out = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&out);
    struct pm_error err;
    assert_int_equal(pm_report_render(report, format, options, &sink, &err), PM_OK);
    return pm_str_detach(&out);
}

static void assert_renders(const struct pm_report *report, enum pm_report_format format,
                           const struct pm_render_options *options, const char *expected)
{
    char *got = render(report, format, options);
    assert_string_equal(got, expected);
    free(got);
}

static struct pm_report *report_of(struct pm_table *table)
{
    struct pm_report *report = pm_report_new("");
    pm_report_take_table(report, table);
    return report;
}

/* ---- numbers ---- */

typedef void formatter(struct pm_str *out, double value);

static void format_as_count(struct pm_str *out, double value)
{
    pm_report_format_count(out, (int64_t)value);
}

static void format_as_bytes(struct pm_str *out, double value)
{
    pm_report_format_bytes(out, (int64_t)value);
}

static const struct {
    formatter *format;
    double value;
    const char *expected;
} numbers[] = {
    {format_as_count, 0, "0"},
    {format_as_count, 999, "999"},
    {format_as_count, 2292, "2,292"},
    {format_as_count, -1234567, "-1,234,567"},
    {pm_report_format_number, 0.032171, "0.0322"},
    {pm_report_format_number, 9.996, "10.0"},
    {pm_report_format_number, 123456, "123,456"},
    {pm_report_format_number, -0.5, "-0.500"},
    {pm_report_format_number, 0, "0"},
    {pm_report_format_number, NAN, ""},
    {pm_report_format_number, -INFINITY, "-inf"},
    {pm_report_format_time, 0, "0 ns"},
    {pm_report_format_time, 0.25, "0.250 ns"},
    {pm_report_format_time, 212, "212 ns"},
    {pm_report_format_time, 999.4, "999 ns"},
    {pm_report_format_time, 999.7, "1.00 us"},
    {pm_report_format_time, 12345, "12.3 us"},
    {pm_report_format_time, 750e6, "750 ms"},
    {pm_report_format_time, 1.2345e9, "1.23 s"},
    {pm_report_format_time, 4210e9, "4,210 s"},
    {pm_report_format_time, NAN, ""},
    {pm_report_format_time, INFINITY, "inf ns"},
    {format_as_bytes, 0, "0 B"},
    {format_as_bytes, 999, "999 B"},
    {format_as_bytes, 1000, "1.00 kB"},
    {format_as_bytes, 999999, "1.00 MB"},
    {format_as_bytes, 1234567890, "1.23 GB"},
    {format_as_bytes, 4.56e15, "4,560 TB"},
    {pm_report_format_ratio, 3.14, "3.1 x"},
    {pm_report_format_ratio, 0.0321, "0.032 x"},
    {pm_report_format_ratio, 1, "1.0 x"},
    {pm_report_format_ratio, 9.96, "10 x"},
    {pm_report_format_ratio, 392.712, "393 x"},
    {pm_report_format_ratio, 1234, "1,234 x"},
    {pm_report_format_ratio, NAN, ""},
    {pm_report_format_share, 0, "0 %"},
    {pm_report_format_share, 0.76, "76 %"},
    {pm_report_format_share, 1, "100 %"},
    {pm_report_format_share, 0.994, "99 %"},
    {pm_report_format_share, 0.996, "99.6 %"},
    {pm_report_format_share, 0.004, "0.4 %"},
    {pm_report_format_share, 0.00004, "0.004 %"},
    {pm_report_format_share, NAN, ""},
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct pm_str out = PM_STR_INIT;
        numbers[i].format(&out, numbers[i].value);
        if (strcmp(out.data, numbers[i].expected) != 0)
            fail_msg("%.17g: got '%s', expected '%s'", numbers[i].value, out.data,
                     numbers[i].expected);
        pm_str_release(&out);
    }
}

/* ---- whole reports ---- */

static struct pm_table *example_table(void)
{
    struct pm_table *t = pm_table_new("targets", "Targets");
    pm_table_column(t, "target", "target", PM_CELL_TEXT);
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

static struct pm_report *example(void)
{
    struct pm_report *report = pm_report_new("Portability of PyTorch");
    pm_report_line(report, "tools", "all present");
    pm_report_line(report, "why it fails", "not implemented 9");
    pm_report_heading(report, "Shares");
    pm_report_take_table(report, example_table());
    pm_report_line(report, "", "a line without label, 2 * 3 | 4 <b> a_b _c_");
    return report;
}

static void test_text(void **state)
{
    (void)state;
    struct pm_report *report = example();
    assert_renders(
        report, PM_FORMAT_TEXT, &no_limit,
        "Portability of PyTorch\n"
        "\n"
        "tools           all present\n"
        "why it fails    not implemented 9\n"
        "\n"
        "Shares\n"
        "Targets\n"
        "target       functions  fails  share that works     ratio to cpu                 median  "
        "float32\n"
        "pytorch@cpu      1,065      0         reference                   12.3 us                 "
        "pass\n"
        "pytorch@xla         65      6     76 % [63, 86]  3.1 x [2.4, 13]  1.50 ms [0.900, 2.00]   "
        "FAIL\n"
        "3 processes a side\n"
        "\n"
        "a line without label, 2 * 3 | 4 <b> a_b _c_\n");
    pm_report_free(report);
}

static void test_line_that_goes_on(void **state)
{
    (void)state;
    struct pm_report *report = pm_report_new("");
    pm_report_line(report, "next", "portmeter report");
    pm_report_line(report, "", "portmeter devices");
    assert_renders(report, PM_FORMAT_TEXT, &no_limit,
                   "next            portmeter report\n"
                   "                portmeter devices\n");
    pm_report_free(report);
}

static void test_markdown(void **state)
{
    (void)state;
    struct pm_report *report = example();
    assert_renders(report, PM_FORMAT_MARKDOWN, &no_limit,
                   "# Portability of PyTorch\n"
                   "\n"
                   "- tools: all present\n"
                   "- why it fails: not implemented 9\n"
                   "\n"
                   "## Shares\n"
                   "\n"
                   "**Targets**\n"
                   "\n"
                   "| target | functions | fails | share that works | ratio to cpu | median | "
                   "float32 |\n"
                   "| --- | ---: | ---: | ---: | ---: | ---: | :---: |\n"
                   "| pytorch@cpu | 1,065 | 0 | reference |  | 12.3 us | pass |\n"
                   "| pytorch@xla | 65 | 6 | 76 % [63, 86] | 3.1 x [2.4, 13] | 1.50 ms [0.900, "
                   "2.00] | FAIL |\n"
                   "\n"
                   "3 processes a side\n"
                   "\n"
                   "- a line without label, 2 \\* 3 \\| 4 \\<b\\> a_b \\_c\\_\n");
    pm_report_free(report);
}

static void assert_json_equal(const char *got, const char *expected)
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

static void test_json(void **state)
{
    (void)state;
    struct pm_report *report = example();
    char *got = render(report, PM_FORMAT_JSON, &no_limit);
    assert_json_equal(
        got, "{\"schema\":1,\"portmeter\":\"" PM_VERSION "\",\"title\":\"Portability of PyTorch\","
             "\"parts\":[{\"label\":\"tools\",\"text\":\"all present\"},"
             "{\"label\":\"why it fails\",\"text\":\"not implemented 9\"},{\"heading\":\"Shares\"},"
             "{\"table\":{\"id\":\"targets\",\"title\":\"Targets\",\"columns\":["
             "{\"id\":\"target\",\"heading\":\"target\",\"kind\":\"text\"},"
             "{\"id\":\"functions\",\"heading\":\"functions\",\"kind\":\"count\"},"
             "{\"id\":\"fails\",\"heading\":\"fails\",\"kind\":\"count\"},"
             "{\"id\":\"share\",\"heading\":\"share that works\",\"kind\":\"share\"},"
             "{\"id\":\"ratio\",\"heading\":\"ratio to cpu\",\"kind\":\"ratio\"},"
             "{\"id\":\"median\",\"heading\":\"median\",\"kind\":\"time\"},"
             "{\"id\":\"float32\",\"heading\":\"float32\",\"kind\":\"mark\"}],"
             "\"rows\":[[\"pytorch@cpu\",1065,0,\"reference\",null,12345.0,\"pass\"],"
             "[\"pytorch@xla\",65,6,{\"value\":0.76,\"low\":0.634,\"high\":0.861},"
             "{\"value\":3.14,\"low\":2.41,\"high\":12.6},"
             "{\"value\":1500000.0,\"low\":900000.0,\"high\":2000000.0},\"FAIL\"]],"
             "\"notes\":[\"3 processes a side\"]}},"
             "{\"label\":\"\",\"text\":\"a line without label, 2 * 3 | 4 <b> a_b _c_\"}]}");
    free(got);
    pm_report_free(report);
}

static void test_empty(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "Ratios");
    pm_table_column(table, "a", "a", PM_CELL_TEXT);
    pm_table_column(table, "b", "b", PM_CELL_RATIO);
    pm_table_note(table, "nothing was timed");
    assert_int_equal(pm_table_rows(table), 0);
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &no_limit, "Ratios\nnone\nnothing was timed\n");
    assert_renders(report, PM_FORMAT_MARKDOWN, &no_limit,
                   "**Ratios**\n\nnone\n\nnothing was timed\n");
    char *got = render(report, PM_FORMAT_JSON, &no_limit);
    assert_non_null(strstr(got, "\"rows\": []"));
    free(got);
    pm_report_free(report);

    report = pm_report_new("");
    assert_renders(report, PM_FORMAT_TEXT, &no_limit, "");
    assert_renders(report, PM_FORMAT_MARKDOWN, &no_limit, "");
    pm_report_free(report);
}

static void test_unknown_numbers(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "a", "a", PM_CELL_RATIO);
    pm_table_column(table, "b", "b", PM_CELL_RATIO);
    pm_table_number(table, NAN);
    pm_table_interval(table, 2, NAN, NAN);
    pm_table_number(table, INFINITY);
    pm_table_interval(table, NAN, 1, 2);
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &no_limit, "    a      b\n       2.0 x\ninf x\n");
    char *got = render(report, PM_FORMAT_JSON, &no_limit);
    json_t *root = NULL;
    assert_int_equal(pm_json_parse(got, strlen(got), &root, NULL), PM_OK);
    json_t *part = json_array_get(json_object_get(root, "parts"), 0);
    char *rows = pm_json_text(json_object_get(json_object_get(part, "table"), "rows"));
    assert_string_equal(rows, "[[null,{\"high\":null,\"low\":null,\"value\":2.0}],"
                              "[null,{\"high\":2.0,\"low\":1.0,\"value\":null}]]");
    free(rows);
    json_decref(root);
    free(got);
    pm_report_free(report);
}

static void test_wide_characters(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "a", "name", PM_CELL_TEXT);
    pm_table_column(table, "b", "n", PM_CELL_COUNT);
    static const char *const names[] = {"\u6d4b\u91cf", "e\u0301te\u0301", "\u00b5s", "plain",
                                        "\U0001F600"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pm_table_text(table, names[i]);
        pm_table_count(table, (int64_t)i);
    }
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &no_limit,
                   "name   n\n\u6d4b\u91cf   0\ne\u0301te\u0301    1\n\u00b5s     2\nplain  3\n"
                   "\U0001F600     4\n");
    pm_report_free(report);
}

/* What a child printed reaches the terminal as text only. */
static void test_hostile_text(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "a", "on cpu\u202eupc", PM_CELL_TEXT);
    pm_table_text(table, "one\ntwo\033[31m\xff|x");
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &no_limit, "on cpu upc\none two [31m?|x\n");
    assert_renders(report, PM_FORMAT_MARKDOWN, &no_limit,
                   "| on cpu upc |\n| --- |\n| one two \\[31m?\\|x |\n");
    char *got = render(report, PM_FORMAT_JSON, &no_limit);
    assert_non_null(strstr(got, "\"one two [31m?|x\""));
    free(got);
    pm_report_free(report);
}

static struct pm_report *long_report(const char *message)
{
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "function", "function", PM_CELL_TEXT);
    pm_table_column(table, "message", "message", PM_CELL_TEXT);
    pm_table_column(table, "n", "n", PM_CELL_COUNT);
    pm_table_text(table, "torch.multinomial");
    pm_table_text(table, message);
    pm_table_count(table, 1234567);
    return report_of(table);
}

static void test_width(void **state)
{
    (void)state;
    const struct pm_render_options narrow = {48, false}, tiny = {10, false}, wide = {400, false};
    struct pm_report *report = long_report("not implemented for 'XLA', and more than fits");
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "function           message                     n\n"
                   "torch.multinomial  not implemented...  1,234,567\n");
    assert_renders(report, PM_FORMAT_TEXT, &tiny,
                   "function           message               n\n"
                   "torch.multinomial  not imple...  1,234,567\n");
    char *unlimited = render(report, PM_FORMAT_TEXT, &no_limit);
    assert_renders(report, PM_FORMAT_TEXT, &wide, unlimited);
    assert_non_null(strstr(unlimited, "and more than fits  1,234,567\n"));
    free(unlimited);
    pm_report_free(report);

    report = long_report("\u6d4b\u91cf\u6d4b\u91cf\u6d4b\u91cf\u6d4b\u91cf\u6d4b\u91cf");
    assert_renders(report, PM_FORMAT_TEXT, &tiny,
                   "function           message               n\n"
                   "torch.multinomial  \u6d4b\u91cf\u6d4b\u91cf...   1,234,567\n");
    pm_report_free(report);
}

/* Numbers and their headings stay whole, however wide. */
static void test_width_of_numbers(void **state)
{
    (void)state;
    const struct pm_render_options narrow = {30, false};
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "name", "name", PM_CELL_TEXT);
    pm_table_column(table, "time", "median time of one call", PM_CELL_TIME);
    pm_table_text(table, "torch.nn.Conv2d");
    pm_table_number(table, 1234);
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "name          median time of one call\n"
                   "torch.nn....                  1.23 us\n");
    pm_report_free(report);
}

static void test_width_of_two_halves(void **state)
{
    (void)state;
    const struct pm_render_options narrow = {30, false}, wide = {40, false};
    struct pm_table *table = pm_table_new("t", "Ranks");
    pm_table_column(table, "rank", "rank", PM_CELL_COUNT);
    pm_table_column(table, "name", "name", PM_CELL_TEXT);
    pm_table_column(table, "hits", "hits", PM_CELL_COUNT);
    pm_table_second_half(table);
    pm_table_column(table, "function", "function", PM_CELL_TEXT);
    pm_table_column(table, "calls", "calls", PM_CELL_COUNT);
    pm_table_count(table, 1);
    pm_table_text(table, "cat");
    pm_table_count(table, 2000);
    pm_table_text(table, "torch.cat");
    pm_table_count(table, 900);
    pm_table_note(table, "two rules");
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &wide,
                   "Ranks\nrank  name   hits  function   calls\n"
                   "   1  cat   2,000  torch.cat    900\ntwo rules\n");
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "Ranks\nrank  name   hits\n   1  cat   2,000\n\n"
                   "rank  function   calls\n   1  torch.cat    900\ntwo rules\n");
    pm_report_free(report);
}

static void test_colour(void **state)
{
    (void)state;
    const struct pm_render_options colour = {0, true};
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "name", "name", PM_CELL_TEXT);
    pm_table_column(table, "fails", "fails", PM_CELL_COUNT);
    pm_table_column(table, "partly", "partly", PM_CELL_COUNT);
    pm_table_column(table, "f32", "f32", PM_CELL_MARK);
    pm_table_text(table, "fail");
    pm_table_count(table, 0);
    pm_table_count(table, 2);
    pm_table_text(table, "FAIL");
    pm_table_text(table, "b");
    pm_table_count(table, 3);
    pm_table_count(table, 0);
    pm_table_text(table, "pass");
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &colour,
                   "name  fails  partly  f32\n"
                   "fail      0       \033[33m2\033[0m  \033[31mFAIL\033[0m\n"
                   "b         \033[31m3\033[0m       0  pass\n");
    assert_renders(report, PM_FORMAT_TEXT, &no_limit,
                   "name  fails  partly  f32\n"
                   "fail      0       2  FAIL\n"
                   "b         3       0  pass\n");
    pm_report_free(report);
}

/* ---- formats and sinks ---- */

static int refuse(void *ctx, const char *data, size_t length)
{
    (void)ctx, (void)data, (void)length;
    errno = EDQUOT;
    return -1;
}

static void assert_write_fails(struct pm_sink sink, int why)
{
    struct pm_report *report = example();
    struct pm_str expected = PM_STR_INIT;
    struct pm_error err;
    pm_str_addf(&expected, "cannot write the report: %s", strerror(why));
    assert_int_equal(pm_report_render(report, PM_FORMAT_TEXT, &no_limit, &sink, &err), PM_EIO);
    assert_string_equal(err.text, expected.data);
    pm_str_release(&expected);
    pm_report_free(report);
}

static void test_write_error(void **state)
{
    (void)state;
    assert_write_fails((struct pm_sink){.write = refuse}, EDQUOT);

    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_write_fails(pm_sink_file(full), ENOSPC);
    fclose(full);

    const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_write_fails(pm_sink_fd(fd), ENOSPC);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_line_that_goes_on),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_unknown_numbers),
        cmocka_unit_test(test_wide_characters),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_width_of_numbers),
        cmocka_unit_test(test_width_of_two_halves),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_write_error),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

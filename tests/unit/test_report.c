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

#include "reports.h"

#include "base/alloc.h"
#include "base/json.h"
#include "report/sink.h"
#include "report/table.h"
#include "report/table_columns.h"
#include "text/numbers.h"

/* ---- numbers ---- */

typedef void formatter(struct pm_str *out, double value);

static void format_as_count(struct pm_str *out, double value)
{
    pm_text_count(out, (int64_t)value);
}

static void format_as_bytes(struct pm_str *out, double value)
{
    pm_text_bytes(out, (int64_t)value);
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
    {pm_text_number, 0.032171, "0.0322"},
    {pm_text_number, 9.996, "10.0"},
    {pm_text_number, 123456, "123,456"},
    {pm_text_number, -0.5, "-0.500"},
    {pm_text_number, 0, "0"},
    {pm_text_number, NAN, ""},
    {pm_text_number, -INFINITY, "-inf"},
    {pm_text_time, 0, "0 ns"},
    {pm_text_time, 0.25, "0.250 ns"},
    {pm_text_time, 212, "212 ns"},
    {pm_text_time, 999.4, "999 ns"},
    {pm_text_time, 999.7, "1.00 us"},
    {pm_text_time, 12345, "12.3 us"},
    {pm_text_time, 750e6, "750 ms"},
    {pm_text_time, 1.2345e9, "1.23 s"},
    {pm_text_time, 4210e9, "4,210 s"},
    {pm_text_time, NAN, ""},
    {pm_text_time, INFINITY, "inf ns"},
    {format_as_bytes, 0, "0 B"},
    {format_as_bytes, 999, "999 B"},
    {format_as_bytes, 1000, "1.00 kB"},
    {format_as_bytes, 999999, "1.00 MB"},
    {format_as_bytes, 1234567890, "1.23 GB"},
    {format_as_bytes, 4.56e15, "4,560 TB"},
    {pm_text_ratio, 3.14, "3.1x slower"},
    {pm_text_ratio, 0.0321, "31x faster"},
    {pm_text_ratio, 0.5, "2.0x faster"},
    {pm_text_ratio, 0.96, "1.0x"},
    {pm_text_ratio, 0.94, "1.1x faster"},
    {pm_text_ratio, 1, "1.0x"},
    {pm_text_ratio, 9.96, "10x slower"},
    {pm_text_ratio, 392.712, "393x slower"},
    {pm_text_ratio, 1234, "1,234x slower"},
    {pm_text_ratio, NAN, ""},
    {pm_text_share, 0, "0 %"},
    {pm_text_share, 0.76, "76 %"},
    {pm_text_share, 1, "100 %"},
    {pm_text_share, 0.994, "99 %"},
    {pm_text_share, 0.996, "99.6 %"},
    {pm_text_share, 0.004, "0.4 %"},
    {pm_text_share, 0.00004, "0.004 %"},
    {pm_text_share, NAN, ""},
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
    assert_renders(report, PM_FORMAT_TEXT, &no_limit,
                   "Portability of PyTorch\n"
                   "\n"
                   "tools           all present\n"
                   "why it fails    not implemented 9\n"
                   "\n"
                   "Shares\n"
                   "------\n"
                   "Targets\n"
                   "target       functions  fails  share that works (%) [95 % interval]  "
                   "ratio to cpu [95 % interval]  median (ms) [95 % interval]  float32\n"
                   "pytorch@cpu      1,065      0                             reference  "
                   "                                     0.0123                 pass\n"
                   "pytorch@xla         65      6                           76 [63, 86]  "
                   "       3.1x slower [2.4, 13]         1.50   [0.900, 2.00]   FAIL\n"
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
                   "<a id=\"targets-any\"></a>\n"
                   "\n"
                   "### Targets\n"
                   "\n"
                   "| target | functions | fails | share that works (%) \\[95 % interval\\] | "
                   "ratio to cpu \\[95 % interval\\] | median (ms) \\[95 % interval\\] | "
                   "float32 |\n"
                   "| --- | ---: | ---: | ---: | ---: | ---: | :---: |\n"
                   "| pytorch@cpu | 1,065 | 0 | reference |  | 0.0123 | pass |\n"
                   "| pytorch@xla | 65 | 6 | 76 [63, 86] | 3.1x slower [2.4, 13] | 1.50 [0.900, "
                   "2.00] | FAIL |\n"
                   "\n"
                   "3 processes a side\n"
                   "\n"
                   "- a line without label, 2 \\* 3 \\| 4 \\<b\\> a_b \\_c\\_\n");
    pm_report_free(report);
}

static void test_json(void **state)
{
    (void)state;
    struct pm_report *report = example();
    char *got = render(report, PM_FORMAT_JSON, &no_limit);
    assert_json_equal(
        got,
        "{\"schema\":2,\"portmeter\":\"" PM_VERSION "\",\"title\":\"Portability of PyTorch\","
        "\"parts\":[{\"label\":\"tools\",\"text\":\"all present\"},"
        "{\"label\":\"why it fails\",\"text\":\"not implemented 9\"},{\"heading\":\"Shares\"},"
        "{\"table\":{\"id\":\"targets\",\"about\":{\"device\":\"any\"},\"title\":\"Targets\","
        "\"columns\":["
        "{\"id\":\"target\",\"heading\":\"target\",\"kind\":\"name\",\"unit\":null},"
        "{\"id\":\"functions\",\"heading\":\"functions\",\"kind\":\"count\",\"unit\":null},"
        "{\"id\":\"fails\",\"heading\":\"fails\",\"kind\":\"count\",\"unit\":null},"
        "{\"id\":\"share\",\"heading\":\"share that "
        "works\",\"kind\":\"share\",\"unit\":\"fraction\"},"
        "{\"id\":\"ratio\",\"heading\":\"ratio to cpu\",\"kind\":\"ratio\",\"unit\":\"ratio\"},"
        "{\"id\":\"median\",\"heading\":\"median\",\"kind\":\"time\",\"unit\":\"ns\"},"
        "{\"id\":\"float32\",\"heading\":\"float32\",\"kind\":\"mark\",\"unit\":null}],"
        "\"rows\":[{\"target\":\"pytorch@cpu\",\"functions\":1065,\"fails\":0,"
        "\"share\":\"reference\",\"ratio\":null,\"median\":12345.0,\"float32\":\"pass\"},"
        "{\"target\":\"pytorch@xla\",\"functions\":65,\"fails\":6,"
        "\"share\":{\"value\":0.76,\"low\":0.634,\"high\":0.861},"
        "\"ratio\":{\"value\":3.14,\"low\":2.41,\"high\":12.6},"
        "\"median\":{\"value\":1500000.0,\"low\":900000.0,\"high\":2000000.0},"
        "\"float32\":\"FAIL\"}],"
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
                   "<a id=\"t\"></a>\n\n### Ratios\n\nnone\n\nnothing was timed\n");
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
    assert_renders(report, PM_FORMAT_TEXT, &no_limit,
                   "          a            b\n             2.0x slower\ninfx slower\n");
    char *got = render(report, PM_FORMAT_JSON, &no_limit);
    json_t *root = NULL;
    assert_int_equal(pm_json_parse(got, strlen(got), &root, NULL), PM_OK);
    json_t *part = json_array_get(json_object_get(root, "parts"), 0);
    char *rows = pm_json_text(json_object_get(json_object_get(part, "table"), "rows"));
    assert_string_equal(rows, "[{\"a\":null,\"b\":{\"high\":null,\"low\":null,\"value\":2.0}},"
                              "{\"a\":null,\"b\":{\"high\":2.0,\"low\":1.0,\"value\":null}}]");
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

/* The output of a child reaches the terminal only as text, without control sequences. */
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

static struct pm_table *long_table(const char *message)
{
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "target", "target", PM_CELL_NAME);
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    pm_table_column(table, "n", "failing cases", PM_CELL_COUNT);
    pm_table_column(table, "message", "message", PM_CELL_TEXT);
    pm_table_text(table, "a@b");
    pm_table_text(table, "torch.optim.lr_scheduler.ExponentialLR");
    pm_table_count(table, 1234567);
    pm_table_text(table, message);
    return table;
}

/* To make a table narrower, headings are broken first, then the last text. Then this text is
 * printed below its row, and columns are printed below other columns. No text is lost. */
static void test_width(void **state)
{
    (void)state;
    const struct pm_render_options wide = {400, false}, broken = {100, false}, narrow = {70, false},
                                   tiny = {40, false};
    struct pm_report *report =
        report_of(long_table("not implemented for 'XLA', and more than fits into the line"));
    char *unlimited = render(report, PM_FORMAT_TEXT, &no_limit);
    assert_renders(report, PM_FORMAT_TEXT, &wide, unlimited);
    assert_non_null(strstr(unlimited, "1,234,567  not implemented for 'XLA', and more than fits"));
    free(unlimited);
    assert_renders(
        report, PM_FORMAT_TEXT, &broken,
        "                                                  failing\n"
        "target  function                                    cases  message\n"
        "a@b     torch.optim.lr_scheduler.ExponentialLR  1,234,567  not implemented for "
        "'XLA', and more than\n"
        "                                                           fits into the line\n");
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "                                                  failing\n"
                   "target  function                                    cases\n"
                   "    message\n"
                   "a@b     torch.optim.lr_scheduler.ExponentialLR  1,234,567\n"
                   "    not implemented for 'XLA', and more than fits into the line\n");
    assert_renders(report, PM_FORMAT_TEXT, &tiny,
                   "target  function\n"
                   "a@b     ...im.lr_scheduler.ExponentialLR\n"
                   "\n"
                   "          failing\n"
                   "target      cases\n"
                   "    message\n"
                   "a@b     1,234,567\n"
                   "    not implemented for 'XLA', and more\n"
                   "    than fits into the line\n");
    pm_report_free(report);
}

/* Names over 40 characters are broken to leave room for texts; a text of over four lines is printed
 * below its row. */
static void test_width_of_long_texts(void **state)
{
    (void)state;
#define WORDS "one two three four five six seven eight nine ten eleven twelve "
    const struct pm_render_options screen = {100, false};
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    pm_table_column(table, "reason", "reason", PM_CELL_TEXT);
    pm_table_text(table, "f");
    pm_table_text(table, WORDS WORDS WORDS WORDS);
    pm_table_text(table, "torch.distributions.relaxed_categorical.RelaxedOneHotCategorical");
    pm_table_text(table, WORDS);
    struct pm_report *report = report_of(table);
    assert_renders(
        report, PM_FORMAT_TEXT, &screen,
        "function                                               reason\n"
        "f\n"
        "    one two three four five six seven eight nine ten eleven twelve one two three "
        "four five six seven\n"
        "    eight nine ten eleven twelve one two three four five six seven eight nine ten "
        "eleven twelve one\n"
        "    two three four five six seven eight nine ten eleven twelve\n"
        "...tions.relaxed_categorical.RelaxedOneHotCategorical  one two three four five six "
        "seven eight nine\n"
        "                                                       ten eleven twelve\n");
    pm_report_free(report);
#undef WORDS
}

static void test_width_of_wide_characters(void **state)
{
    (void)state;
    const struct pm_render_options tiny = {14, false};
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "message", "m", PM_CELL_TEXT);
    pm_table_text(table, "\u6d4b\u91cf\u6d4b\u91cf\u6d4b\u91cf\u6d4b\u91cf a");
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &tiny,
                   "m\n\u6d4b\u91cf\u6d4b\u91cf\u6d4b\u91cf\u6d4b\n\u91cf a\n");
    pm_report_free(report);
}

/* Numbers and the words of their headings are not broken, however wide they are. */
static void test_width_of_numbers(void **state)
{
    (void)state;
    const struct pm_render_options narrow = {20, false};
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "name", "name", PM_CELL_NAME);
    pm_table_column(table, "time", "median time of one call", PM_CELL_TIME);
    pm_table_text(table, "torch.nn.Conv2d");
    pm_table_number(table, 1234);
    pm_table_text(table, "b");
    pm_table_number(table, 123);
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "                median\n"
                   "                  time\n"
                   "                of one\n"
                   "                  call\n"
                   "name              (us)\n"
                   "...h.nn.Conv2d   1.23\n"
                   "b                0.123\n");
    pm_report_free(report);
}

static void test_width_of_two_halves(void **state)
{
    (void)state;
    const struct pm_render_options narrow = {30, false}, wide = {40, false};
    struct pm_table *table = pm_table_new("t", "Ranks");
    pm_table_column(table, "rank", "rank", PM_CELL_COUNT);
    pm_table_column(table, "name", "name", PM_CELL_TEXT);
    pm_table_column(table, "uses", "uses", PM_CELL_COUNT);
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
                   "Ranks\nrank  name   uses  function   calls\n"
                   "   1  cat   2,000  torch.cat    900\ntwo rules\n");
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "Ranks\nrank  name   uses\n   1  cat   2,000\n\n"
                   "rank  function   calls\n   1  torch.cat    900\ntwo rules\n");
    pm_report_free(report);
}

/* Columns that do not fit beside the others are printed below, with the first column repeated. */
static void test_width_of_a_matrix(void **state)
{
    (void)state;
    const struct pm_render_options narrow = {24, false};
    static const char *const ids[] = {"bool", "i8", "i16", "f32"};
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    for (size_t i = 0; i < 4; i++)
        pm_table_column(table, ids[i], ids[i], PM_CELL_MARK);
    pm_table_text(table, "torch.cat");
    for (size_t i = 0; i < 4; i++)
        pm_table_text(table, "pass");
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "function   bool   i8\ntorch.cat  pass  pass\n\n"
                   "function   i16   f32\ntorch.cat  pass  pass\n");
    pm_report_free(report);
}

/* A row with one member of each type from which a cell is made; one cell is set from the context.
 */
struct described {
    const char *text, *none;
    int64_t count;
    size_t size;
    double number;
    struct pm_interval interval;
    enum pm_outcome outcome;
    bool is_marked;
};

static void sum_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct described *d = from->row;
    pm_table_count(table, d->count + *(const int *)from->context);
}

static const struct pm_column described_columns[] = {
    {"text", "text", PM_CELL_NAME, PM_MEMBER(struct described, text)},
    {"none", "none", PM_CELL_TEXT, PM_MEMBER(struct described, none)},
    {"count", "count", PM_CELL_COUNT, PM_MEMBER(struct described, count)},
    {"size", "size", PM_CELL_COUNT, PM_MEMBER(struct described, size)},
    {"number", "number", PM_CELL_SHARE, PM_MEMBER(struct described, number)},
    {"between", "between", PM_CELL_RATIO, PM_MEMBER(struct described, interval), .intervals = true},
    {"outcome", "outcome", PM_CELL_WORD, PM_WORD(struct described, outcome, outcome)},
    {"marked", "marked", PM_CELL_MARK, PM_YES(struct described, is_marked),
     .only = PM_FOR_PROGRAMS},
    {"marked", "is marked", PM_CELL_MARK, PM_YES_NO(struct described, is_marked),
     .only = PM_FOR_PEOPLE},
    {"sum", "sum", PM_CELL_COUNT, .cell = sum_cell},
};

static struct pm_report *described_report(bool for_people)
{
    static const struct described rows[] = {
        {"a", "", 2, 3, 0.25, {1.5, 2, 2.5}, PM_OUTCOME_PASS, true},
        {"b", NULL, -2, 0, NAN, {NAN, 2, NAN}, PM_OUTCOME_CRASH, false},
    };
    const int more = 40;
    struct pm_table *table = pm_table_new("described", "Described");
    pm_table_columns(table, described_columns, for_people);
    pm_table_column(table, "last", "last", PM_CELL_TEXT);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pm_table_row(table, &rows[i], &more);
        pm_table_text(table, "end");
    }
    pm_table_heading(table, "sum", "sum of both");
    return report_of(table);
}

static void test_columns_as_data(void **state)
{
    (void)state;
    struct pm_report *programs = described_report(false), *people = described_report(true);
    assert_renders(programs, PM_FORMAT_CSV, &no_limit,
                   "text,none,count,size,number,between,between_low,"
                   "between_high,outcome,marked,sum,last\r\n"
                   "a,,2,3,0.25,2,1.5,2.5,pass,yes,42,end\r\n"
                   "b,,-2,0,,2,,,crash,,38,end\r\n");
    char *text = render(people, PM_FORMAT_MARKDOWN, &no_limit);
    assert_non_null(strstr(text, "| outcome | is marked | sum of both | last |"));
    assert_non_null(strstr(text, "| crash | no | 38 | end |"));
    free(text);
    pm_report_free(programs);
    pm_report_free(people);
}

static void test_groups(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "Verdicts");
    pm_table_column(table, "target", "target", PM_CELL_NAME);
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    pm_table_column(table, "verdict", "verdict", PM_CELL_WORD);
    pm_table_group(table);
    static const char *const rows[][3] = {
        {"a@x", "f", "works"}, {"a@x", "g", "fails"}, {"a@y", "f", "fails"}};
    for (size_t i = 0; i < 9; i++)
        pm_table_text(table, rows[i / 3][i % 3]);
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &no_limit,
                   "Verdicts\n  function  verdict\na@x\n  f         works\n  g         fails\n"
                   "a@y\n  f         fails\n");
    assert_renders(report, PM_FORMAT_CSV, &no_limit,
                   "target,function,verdict\r\na@x,f,works\r\na@x,g,fails\r\na@y,f,fails\r\n");
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

static void test_colour_in_lines(void **state)
{
    (void)state;
    const struct pm_render_options colour = {60, true};
    struct pm_report *report = pm_report_new("");
    pm_report_line(report, "null@null",
                   "47 of 59 functions work with limits here, 10 fail, 3 partly");
    pm_report_line(report, "", "null.a fails, null.b works only partly on null@null, null.c fails");
    pm_report_line(report, "", "0 fail, 10 fail; 2 cases fail after others, if they fail alone");
    pm_report_command(report, "next", "3 fail", "9 fail");
    assert_renders(
        report, PM_FORMAT_TEXT, &colour,
        "null@null       47 of 59 functions work with limits here, 10\n"
        "                \033[31mfail\033[0m, 3 \033[33mpartly\033[0m\n"
        "                null.a \033[31mfails\033[0m, null.b works only \033[33mpartly\033[0m on\n"
        "                null@null, null.c \033[31mfails\033[0m\n"
        "                0 fail, 10 \033[31mfail\033[0m; 2 cases fail after others,\n"
        "                if they fail alone\n"
        "next            3 fail   9 fail\n");
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
    pm_str_addf(&expected, "cannot write the report: %s: free some space", strerror(why));
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
        cmocka_unit_test(test_width_of_long_texts),
        cmocka_unit_test(test_width_of_wide_characters),
        cmocka_unit_test(test_width_of_numbers),
        cmocka_unit_test(test_width_of_two_halves),
        cmocka_unit_test(test_width_of_a_matrix),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_columns_as_data),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_colour_in_lines),
        cmocka_unit_test(test_write_error),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

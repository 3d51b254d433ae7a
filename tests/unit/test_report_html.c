/* Tests of HTML: no text of a case becomes markup, the page is one file small enough to send, and
 * it has no names of people. */
#include <stdio.h>

#include "report/figure.h"
#include "report/format.h"
#include "reports.h"

static const char nasty[] =
    "</script><script>alert(\"x\")</script> 'q' & \x1b[31m \xe2\x80\xae <!--";

/* Returns a figure whose bars have two fillings; for one of them, gnuplot draws a pattern with an
 * id. */
static struct pm_figure *figure_with(const char *text)
{
    struct pm_figure *figure = pm_figure_new("f", "");
    pm_figure_panel(figure, text);
    pm_figure_axis(figure, PM_AXIS_X, text, false);
    pm_figure_tick(figure, 1, text);
    for (int i = 0; i < 2; i++) {
        pm_figure_series(figure, text);
        pm_figure_draw(figure, PM_DRAW_BARS);
        pm_figure_bar(figure, i, 0, 1);
    }
    pm_figure_series(figure, text);
    pm_figure_draw(figure, PM_DRAW_POINTS);
    pm_figure_point(figure, 1, 1);
    return figure;
}

/* Returns a report that has this text in every place. */
static struct pm_report *report_with(const char *text)
{
    struct pm_report *report = pm_report_new(text), **pages = pm_alloc(sizeof *pages);
    struct pm_table *picture = pm_table_new("matrix", text), *table = pm_table_new("t", text);
    pm_report_heading(report, text);
    pm_report_line(report, text, text);
    pm_report_command(report, "next", text, text);
    for (int i = 0; i < 2; i++)
        pm_report_take_figure(report, figure_with(text), text, text, text);
    pm_table_picture(picture);
    pm_table_column(picture, "function", text, PM_CELL_NAME);
    pm_table_column(picture, "target", text, PM_CELL_MARK);
    pm_table_text(picture, text);
    pm_table_text(picture, text);
    pm_report_take_table(report, picture);
    pm_table_column(table, "name", text, PM_CELL_NAME);
    pm_table_column(table, "word", text, PM_CELL_WORD);
    pm_table_column(table, "message", text, PM_CELL_TEXT);
    for (int i = 0; i < 3; i++)
        pm_table_text(table, text);
    pm_table_note(table, text);
    pages[0] = pm_report_new(text);
    pm_report_heading(pages[0], text);
    pm_report_line(pages[0], text, text);
    pm_report_take_pages(report, table, pages);
    return report;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static char *page_of(struct pm_report *report)
{
    char *html = render(report, PM_FORMAT_HTML, &no_limit);
    pm_report_free(report);
    return html;
}

/* Removes the drawings, whose markup depends on the width of texts; returns their number. */
static size_t take_drawings(char *html)
{
    static const char begin[] = " width=\"340\"", end[] = "</svg>";
    size_t count = 0;
    for (char *at = html; (at = strstr(at, begin)); count++) {
        char *behind = strstr(at, end);
        assert_non_null(behind);
        assert_true(count_of(at, ">&lt;/script&gt;&lt;script&gt;alert(") >
                    count_of(behind, ">&lt;/script&gt;&lt;script&gt;alert("));
        memmove(at, behind, strlen(behind) + 1);
    }
    return count;
}

static void test_nothing_from_a_test_is_markup(void **state)
{
    (void)state;
    char *html = page_of(report_with(nasty)),
         *plain = page_of(report_with("</script><script>alert("));
    static const char *const markup[] = {"<", ">", "\"", "\x1b", "\xe2\x80\xae"};
    assert_int_equal(count_of(html, "<script"), 1);
    assert_int_equal(take_drawings(html), 2);
    assert_int_equal(take_drawings(plain), 2);
    for (size_t i = 0; i < sizeof markup / sizeof *markup; i++)
        assert_int_equal(count_of(html, markup[i]), count_of(plain, markup[i]));
    assert_non_null(strstr(html, "&lt;/script&gt;&lt;script&gt;alert(&quot;x&quot;)"));
    free(html);
    free(plain);
}

static void test_a_page_needs_no_network(void **state)
{
    (void)state;
    char *html = page_of(report_with("x"));
    static const char *const needs[] = {"http:", "https:", "//cdn", "src=", "@import", "fetch("};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        assert_null(strstr(html, needs[i]));
    assert_int_equal(count_of(html, "url("), count_of(html, "url(#")); /* of the same file */
    assert_non_null(strstr(html, "default-src 'none'"));
    free(html);
}

/* A link in the picture is the id of its row, whatever characters the name has. */
static void test_the_picture_links_to_the_rows(void **state)
{
    (void)state;
    char *html = page_of(report_with("torch.a b\"c"));
    assert_non_null(strstr(html, "href=\"#torch.a_20b_22c\""));
    assert_non_null(strstr(html, "<tbody id=\"torch.a_20b_22c\">"));
    free(html);
}

static void test_states_need_no_colour(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("matrix", "");
    pm_table_picture(table);
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    pm_table_column(table, "a", "a@b", PM_CELL_MARK);
    static const char *const words[] = {"works",  "partly",    "fails",
                                        "absent", "host-only", "reference fails"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        pm_table_text(table, words[i]);
        pm_table_text(table, words[i]);
    }
    char *html = page_of(report_of(table));
    assert_non_null(strstr(html, "<td class=w>works"));
    assert_non_null(strstr(html, "<td class=f>fails"));
    assert_non_null(strstr(html, "<td class=o>reference fails"));
    assert_int_equal(count_of(html, "<li><b class="), sizeof words / sizeof *words);
    free(html);
}

/* ---- figures ---- */

/* Asserts that each id occurs once, and that each reference is to an existing id. */
static void assert_ids(const char *html, const char *before, const char *after, size_t expected)
{
    size_t found = 0;
    for (const char *at = html; (at = strstr(at, before)); found++) {
        at += strlen(before);
        char *name = pm_strndup(at, strcspn(at, "')"));
        char *id = pm_format("%s%s'", after, name);
        assert_int_equal(count_of(html, id), 1);
        free(id);
        free(name);
    }
    assert_true(found >= expected);
}

static void test_figures_are_in_the_page(void **state)
{
    (void)state;
    char *html = page_of(report_with("a > b"));
    assert_int_equal(count_of(html, "<svg role=img aria-label=\"a &gt; b. a &gt; b\""), 2);
    assert_int_equal(count_of(html, "</svg><figcaption>a &gt; b<details>"), 2);
    assert_int_equal(count_of(html, "<title"), 1);
    assert_int_equal(count_of(html, "<text>a &gt; b</text>"), 2 * 6);
    assert_ids(html, " id='", " id='", 30);
    assert_ids(html, " href='#", " id='", 10);
    assert_ids(html, "url(#", " id='", 4);
    free(html);
}

static void test_a_page_without_gnuplot(void **state)
{
    (void)state;
    char *path = pm_strdup(getenv("PATH"));
    struct pm_report *report = report_with("answer");
    setenv("PATH", "/nonexistent", 1);
    char *html = page_of(report);
    setenv("PATH", path, 1);
    assert_int_equal(count_of(html, "gnuplot, which draws figures, is not installed"), 1);
    assert_int_equal(count_of(html, "<figcaption>answer<details>"), 2);
    assert_null(strstr(html, "<svg"));
    assert_non_null(strstr(html, "<table class=pages style=\"--columns: 12fr 12fr 12fr\">"));
    free(html);
    free(path);
}

/* ---- scripts ---- */

static void assert_differ(const char *first, const char *other, const char *expected)
{
    char *got = pm_report_differences(first, other);
    if (expected)
        assert_string_equal(got, expected);
    else
        assert_null(got);
    free(got);
}

static void test_scripts_that_are_alike(void **state)
{
    (void)state;
    static const char first[] = "# of cpu\nimport numpy\nimport torch\n\nx = numpy.ones((3, 4), "
                                "dtype=numpy.float32) * numpy.arange(4)\n"
                                "device = torch.device('cpu')\nprint(torch.sum(x.to(device)))\n";
    assert_differ(first, first, "");
    assert_differ(first,
                  "# of cuda\nimport numpy\nimport torch\n\nx = numpy.ones((3, 4), "
                  "dtype=numpy.float32) * numpy.arange(4)\n"
                  "device = torch.device('cuda')\nprint(torch.sum(x.to(device)))\n",
                  "6: device = torch.device('cuda')\n");
    assert_differ(first,
                  "# of xla\nimport numpy\nimport torch\nimport torch_xla\n\nx = numpy.ones((3, "
                  "4), dtype=numpy.float32) * numpy.arange(4)\n"
                  "device = torch_xla.device()\nprint(torch.sum(x.to(device)))\nend()\n",
                  "4: import torch_xla\n4: \n6: device = torch_xla.device()\n"
                  "7: print(torch.sum(x.to(device)))\n7: end()\n");
    assert_differ(first,
                  "# shorter\nx = numpy.ones((3, 4), dtype=numpy.float32) * "
                  "numpy.arange(4)\nprint(torch.sum(x.to(device)))\n",
                  "2-4: \n6: \n");
    assert_differ(first, "# other\ny = 1\nz = 2\n", NULL);
    assert_differ(first, "", NULL);
}

/* ---- size ---- */

enum { FUNCTIONS = 200, TARGETS = 6, CLOCKS = 8 };

static void add_columns(struct pm_table *table)
{
    for (int i = 0; i < TARGETS; i++) {
        char *id = pm_format("%d", i), *name = pm_format("environment-%d:pytorch@device", i);
        pm_table_column(table, id, name, PM_CELL_MARK);
        free(id);
        free(name);
    }
}

static struct pm_report *big_page(void)
{
    static const char message[] = "NotImplementedError: Could not run 'aten::op' with arguments "
                                  "from the backend; this operator is not implemented there yet";
    struct pm_report *page = pm_report_new(message);
    struct pm_table *clocks = pm_table_new("clocks", "Latencies");
    struct pm_table *messages = pm_table_new("messages", "Messages");
    pm_table_column(clocks, "target", "target", PM_CELL_NAME);
    pm_table_column(clocks, "latency", "latency", PM_CELL_TIME);
    pm_table_column(clocks, "ratio", "ratio", PM_CELL_RATIO);
    pm_table_column(messages, "target", "target", PM_CELL_NAME);
    pm_table_column(messages, "message", "message", PM_CELL_TEXT);
    for (int i = 0; i < TARGETS * CLOCKS; i++) {
        pm_table_text(clocks, "environment:pytorch@device");
        pm_table_interval(clocks, 12345, 12000, 13000);
        pm_table_interval(clocks, 3.1, 2.1, 4.1);
    }
    for (int i = 0; i < TARGETS; i++) {
        pm_table_text(messages, "environment:pytorch@device");
        pm_table_text(messages, message);
    }
    pm_report_take_table(page, clocks);
    pm_report_take_table(page, messages);
    return page;
}

static void test_a_page_of_a_paper_is_under_2_mb(void **state)
{
    (void)state;
    struct pm_report *report = pm_report_new("big"), **pages = pm_alloc(FUNCTIONS * sizeof *pages);
    struct pm_table *picture = pm_table_new("matrix", "m"), *table = pm_table_new("t", "t");
    pm_table_picture(picture);
    pm_table_column(picture, "function", "function", PM_CELL_NAME);
    add_columns(picture);
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    for (int i = 0; i < FUNCTIONS; i++) {
        char *name = pm_format("torch.nn.functional.function_%d", i);
        pm_table_text(picture, name);
        for (int k = 0; k < TARGETS; k++)
            pm_table_text(picture, "works");
        pm_table_text(table, name);
        pages[i] = big_page();
        free(name);
    }
    pm_report_take_table(report, picture);
    pm_report_take_pages(report, table, pages);
    char *html = page_of(report);
    assert_in_range(strlen(html), 500000, 2000000);
    free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_from_a_test_is_markup),
        cmocka_unit_test(test_a_page_needs_no_network),
        cmocka_unit_test(test_the_picture_links_to_the_rows),
        cmocka_unit_test(test_states_need_no_colour),
        cmocka_unit_test(test_figures_are_in_the_page),
        cmocka_unit_test(test_a_page_without_gnuplot),
        cmocka_unit_test(test_scripts_that_are_alike),
        cmocka_unit_test(test_a_page_of_a_paper_is_under_2_mb),
    };
    return cmocka_run_group_tests_name("report_html", tests, NULL, NULL);
}

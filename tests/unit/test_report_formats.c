/* Tests of lines and commands, and of a table in each format. */
#include "reports.h"

#include <math.h>

#include "report/sink.h"

static struct pm_report *report_with_lines(const char *text)
{
    struct pm_report *report = pm_report_new("");
    pm_report_line(report, "what", text);
    pm_report_command(report, "next", "portmeter report --db 'a `b`.db'", "shows it");
    pm_report_command(report, "", "portmeter devices", "");
    return report;
}

/* Texts are broken into lines, but not commands. */
static void test_lines_of_a_narrow_screen(void **state)
{
    (void)state;
    const struct pm_render_options narrow = {40, false}, wide = {80, false};
    struct pm_report *report = report_with_lines("one two three four five six");
    assert_renders(report, PM_FORMAT_TEXT, &narrow,
                   "what            one two three four five\n"
                   "                six\n"
                   "next            portmeter report --db 'a `b`.db'\n"
                   "                  shows it\n"
                   "                portmeter devices\n");
    assert_renders(report, PM_FORMAT_TEXT, &wide,
                   "what            one two three four five six\n"
                   "next            portmeter report --db 'a `b`.db'   shows it\n"
                   "                portmeter devices\n");
    pm_report_free(report);
}

static void test_commands_are_code(void **state)
{
    (void)state;
    struct pm_report *report = report_with_lines("1. a # b");
    assert_renders(report, PM_FORMAT_MARKDOWN, &no_limit,
                   "- what: 1. a # b\n"
                   "- next: `` portmeter report --db 'a `b`.db' ``: shows it\n"
                   "- `portmeter devices`\n");
    assert_renders(report, PM_FORMAT_LATEX, &no_limit,
                   "% For \\usepackage{booktabs,longtable}\n"
                   "\\begin{description}\\sloppy\n"
                   "\\item[{what}] 1. a \\# b\n"
                   "\\item[{next}] \\texttt{portmeter report -{}-{}db \\symbol{39}a "
                   "\\symbol{96}b\\symbol{96}.\\allowbreak{}db\\symbol{39}} shows it\n"
                   "\\item[{}] \\texttt{portmeter devices}\n"
                   "\\end{description}\n");
    pm_report_free(report);
}

/* ---- formats for programs and for papers ---- */

static void test_csv(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "Title");
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    pm_table_column(table, "latency", "latency", PM_CELL_TIME);
    pm_table_intervals(table);
    pm_table_column(table, "ratio", "ratio", PM_CELL_RATIO);
    pm_table_column(table, "cases", "cases", PM_CELL_COUNT);
    pm_table_text(table, "a,b \"c\"");
    pm_table_interval(table, 0.1, 0.05, 0.25);
    pm_table_number(table, 2);
    pm_table_count(table, 12345);
    pm_table_text(table, "d");
    pm_table_number(table, NAN);
    pm_table_empty(table);
    pm_table_count(table, -3);
    struct pm_report *report = report_of(table);
    pm_report_line(report, "next", "not in a file for programs");
    assert_renders(report, PM_FORMAT_CSV, &no_limit,
                   "function,latency_ns,latency_low_ns,latency_high_ns,ratio,cases\r\n"
                   "\"a,b \"\"c\"\"\",0.10000000000000001,0.050000000000000003,0.25,2,12345\r\n"
                   "d,,,,,-3\r\n");
    pm_report_take_table(report, pm_table_new("u", "Another"));
    struct pm_str out = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&out);
    struct pm_error err;
    assert_int_equal(pm_report_render(report, PM_FORMAT_CSV, &no_limit, &sink, &err), PM_EUSAGE);
    assert_string_equal(err.text, "a CSV file contains one table, not 2: use --format json");
    assert_int_equal(out.length, 0);
    pm_str_release(&out);
    pm_report_free(report);
}

static void add_about(struct pm_report *report, const char *id, const char *target, double value)
{
    struct pm_table *table = pm_table_new(id, "Title");
    pm_table_about(table, "target", target);
    pm_table_column(table, "ratio", "ratio", PM_CELL_RATIO);
    if (value < 1) {
        pm_table_intervals(table);
        pm_table_interval(table, value, 0.25, 0.75);
    } else {
        pm_table_number(table, value);
    }
    pm_report_take_table(report, table);
}

/* Tables with the same columns are one file, whose first columns name each table's subject. */
static void test_csv_of_several_tables(void **state)
{
    (void)state;
    struct pm_report *report = pm_report_new("Title");
    add_about(report, "t", "a@b", 2);
    add_about(report, "t", "c@d", 0.5);
    assert_renders(report, PM_FORMAT_CSV, &no_limit,
                   "target,ratio,ratio_low,ratio_high\r\na@b,2,,\r\nc@d,0.5,0.25,0.75\r\n");
    add_about(report, "u", "e@f", 3);
    assert_renders(report, PM_FORMAT_CSV, &no_limit,
                   "table,target,ratio,ratio_low,ratio_high\r\nt,a@b,2,,\r\n"
                   "t,c@d,0.5,0.25,0.75\r\nu,e@f,3,,\r\n");
    pm_report_free(report);
}

static struct pm_report *report_of_text(const char *text)
{
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "m", "m", PM_CELL_TEXT);
    pm_table_text(table, text);
    return report_of(table);
}

/* Texts that each format could take for markup, a formula or a command stay text. */
static void test_text_is_harmless_in_each_format(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum pm_report_format format;
        const char *cell;
    } texts[] = {
        {"=HYPERLINK(\"x\")", PM_FORMAT_CSV, "\r\n\"'=HYPERLINK(\"\"x\"\")\"\r\n"},
        {"+1", PM_FORMAT_CSV, "\r\n'+1\r\n"},
        {"-1", PM_FORMAT_CSV, "\r\n'-1\r\n"},
        {"@SUM(A1)", PM_FORMAT_CSV, "\r\n'@SUM(A1)\r\n"},
        {"\t=1", PM_FORMAT_CSV, "\r\n\"' =1\"\r\n"},
        {"\uFF1D1", PM_FORMAT_CSV, "\r\n'\uFF1D1\r\n"},
        {" \uFF201", PM_FORMAT_CSV, "\r\n\"' \uFF201\"\r\n"},
        {"\uFF11", PM_FORMAT_CSV, "\r\n\uFF11\r\n"},
        {"a\r\n=1", PM_FORMAT_CSV, "\r\na =1\r\n"},
        {"a@b", PM_FORMAT_CSV, "\r\na@b\r\n"},
        {"<script>a|b", PM_FORMAT_MARKDOWN, "| \\<script\\>a\\|b |"},
        {"[a](b) $x$ ~c~", PM_FORMAT_MARKDOWN, "| \\[a\\](b) \\$x\\$ \\~c\\~ |"},
        {"\\input{a} 50%", PM_FORMAT_LATEX, "\n\\textbackslash{}input\\{a\\} 50\\% \\\\\n"},
        {"[x]* a_b & #1 $ ^ ~", PM_FORMAT_LATEX,
         "\n{[}x{]}{*} a\\_\\allowbreak{}b \\& \\#1 \\$ \\textasciicircum{} \\textasciitilde{} "
         "\\\\\n"},
        {"\u00E9\u2019\u4E2D \u00F0\U0001F600.", PM_FORMAT_LATEX,
         "\n\u00E9\u2019{[}U+4E2D{]} {[}U+00F0{]}{[}U+1F600{]}. \\\\\n"},
        {"a\u202Eb\xC2\x9B\u00E9", PM_FORMAT_JSON, "\"a\\u202Eb\\u009B\\u00E9\""},
        {"a\n\n\\b", PM_FORMAT_LATEX, "\na  \\textbackslash{}b \\\\\n"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pm_report *report = report_of_text(texts[i].text);
        char *got = render(report, texts[i].format, &no_limit);
        if (!strstr(got, texts[i].cell))
            fail_msg("'%s': no '%s' in '%s'", texts[i].text, texts[i].cell, got);
        free(got);
        pm_report_free(report);
    }
}

static void test_latex(void **state)
{
    (void)state;
    struct pm_report *report = pm_report_new("");
    pm_report_take_table(report, example_table());
    assert_renders(report, PM_FORMAT_LATEX, &no_limit,
                   "% For \\usepackage{booktabs,longtable}\n"
                   "\\begin{table}\n\\centering\n\\caption{Targets}\\label{tab:targets-any}\n"
                   "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
                   "\\begin{tabular}{p{0.090\\linewidth}p{0.083\\linewidth}p{0.046\\linewidth}"
                   "p{0.225\\linewidth}p{0.183\\linewidth}p{0.178\\linewidth}"
                   "p{0.065\\linewidth}}\n\\toprule\n"
                   "\\raggedright target & \\raggedleft functions & \\raggedleft fails & "
                   "\\raggedleft share that works (\\%) {[}95 \\% interval{]} & "
                   "\\raggedleft ratio to cpu {[}95 \\% interval{]} & "
                   "\\raggedleft median (ms) {[}95 \\% interval{]} & "
                   "\\raggedright float32 \\tabularnewline\n\\midrule\n"
                   "\\raggedright pytorch@\\allowbreak{}cpu & \\raggedleft 1,065 & "
                   "\\raggedleft 0 & \\raggedleft reference & \\raggedleft  & "
                   "\\raggedleft 0.0123 & \\raggedright pass \\tabularnewline\n"
                   "\\raggedright pytorch@\\allowbreak{}xla & \\raggedleft 65 & \\raggedleft 6 & "
                   "\\raggedleft 76 {[}63, 86{]} & \\raggedleft 3.1x slower {[}2.4, 13{]} & "
                   "\\raggedleft 1.50 {[}0.900, 2.00{]} & \\raggedright FAIL \\tabularnewline\n"
                   "\\bottomrule\n\\end{tabular}\n\\endgroup\n"
                   "\\par{\\footnotesize 3 processes a side\\par}\n\\end{table}\n");
    pm_report_free(report);
}

static void test_a_long_table_of_latex_is_broken_over_pages(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "Long");
    pm_table_column(table, "n", "n", PM_CELL_COUNT);
    for (int64_t i = 0; i < 16; i++)
        pm_table_count(table, i);
    struct pm_report *report = report_of(table);
    char *got = render(report, PM_FORMAT_LATEX, &no_limit);
    assert_non_null(strstr(got, "\\begin{longtable}{r}\n\\caption{Long}\\label{tab:t}\\\\\n"));
    assert_non_null(strstr(got, "\\endhead\n0 \\\\\n"));
    assert_non_null(strstr(got, "\n15 \\\\\n\\bottomrule\n\\end{longtable}\n"));
    free(got);
    pm_report_free(report);
}

static void test_a_folded_table_of_markdown(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "On <b> & c");
    pm_table_column(table, "n", "n", PM_CELL_COUNT);
    pm_table_count(table, 1);
    pm_table_note(table, "- not a list");
    struct pm_report *report = pm_report_new("");
    pm_report_fold(report);
    pm_report_take_table(report, table);
    assert_renders(report, PM_FORMAT_MARKDOWN, &no_limit,
                   "<details><summary><a id=\"t\"></a>On &lt;b&gt; &amp; c</summary>\n\n"
                   "| n |\n| ---: |\n| 1 |\n\n\\- not a list\n\n</details>\n");
    pm_report_free(report);
}

/* The bounds of a ratio are printed as factors in the direction of the ratio. */
static void test_ratios_have_a_direction(void **state)
{
    (void)state;
    struct pm_table *table = pm_table_new("t", "");
    pm_table_column(table, "r", "ratio", PM_CELL_RATIO);
    pm_table_interval(table, 0.5, 0.4, 0.8);
    pm_table_interval(table, 48, 40, 55.4);
    pm_table_interval(table, 1.01, 0.9, 1.2);
    struct pm_report *report = report_of(table);
    assert_renders(report, PM_FORMAT_TEXT, &no_limit,
                   "  ratio [95 % interval]\n2.0x faster [1.2, 2.5]\n 48x slower [40, 55]\n"
                   "       1.0x [0.90, 1.2]\n");
    pm_report_free(report);
}

static void test_data_is_in_the_document(void **state)
{
    (void)state;
    struct pm_report *report = pm_report_new("x");
    pm_report_take_data(report, "runs", json_pack("[{s:i}]", "id", 3));
    char *got = render(report, PM_FORMAT_JSON, &no_limit);
    assert_json_equal(got, "{\"schema\":2,\"portmeter\":\"" PM_VERSION
                           "\",\"title\":\"x\",\"runs\":[{\"id\":3}],\"parts\":[]}");
    free(got);
    pm_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_a_narrow_screen),
        cmocka_unit_test(test_commands_are_code),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_of_several_tables),
        cmocka_unit_test(test_text_is_harmless_in_each_format),
        cmocka_unit_test(test_latex),
        cmocka_unit_test(test_a_long_table_of_latex_is_broken_over_pages),
        cmocka_unit_test(test_a_folded_table_of_markdown),
        cmocka_unit_test(test_ratios_have_a_direction),
        cmocka_unit_test(test_data_is_in_the_document),
    };
    return cmocka_run_group_tests_name("report_formats", tests, NULL, NULL);
}

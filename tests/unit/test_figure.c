/* Tests of figures and of gnuplot's output for them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/figure.h"
#include "report/sink.h"

static struct pm_figure *example(const char *title)
{
    struct pm_figure *figure = pm_figure_new("example", title);
    pm_figure_panel(figure, "a panel");
    pm_figure_axis(figure, PM_AXIS_X, "rank", true);
    pm_figure_axis(figure, PM_AXIS_Y, "uses", true);
    pm_figure_series(figure, "uses");
    pm_figure_point(figure, 1, 1000);
    pm_figure_point(figure, 10, 10);
    pm_figure_point(figure, 100, 1);
    return figure;
}

static char *script_of(struct pm_figure *figure)
{
    struct pm_str out = PM_STR_INIT;
    struct pm_error err;
    assert_int_equal(pm_figure_script(figure, "svg", &out, &err), PM_OK);
    pm_figure_free(figure);
    return pm_str_detach(&out);
}

/* noinline: otherwise gcc with sanitizers assumes that `part` is NULL, and warns. */
static __attribute__((noinline)) void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void test_script(void **state)
{
    (void)state;
    char *script = script_of(example("whole"));
    assert_contains(script, "set multiplot layout 1,1 title 'whole'\n");
    assert_contains(script, "$series0 << END_OF_SERIES\n1 1000\n10 10\n100 1\nEND_OF_SERIES\n");
    assert_contains(script, "set title 'a panel'\n");
    assert_contains(script, "set logscale x 10\nset xlabel 'rank'\n");
    assert_contains(script, "set logscale y 10\nset ylabel 'uses'\n");
    assert_contains(script, "set key below ");
    assert_contains(script, "plot $series0 using 1:2 title 'uses' with linespoints");
    free(script);
}

/* Names from people and frameworks must stay text, whatever they look like. */
static void test_quotes(void **state)
{
    (void)state;
    struct pm_figure *figure = pm_figure_new("id", "");
    pm_figure_panel(figure, "it's\n`touch x` \"q\" \\n @m $1 {/Bold b_c}");
    pm_figure_series(figure, "'; system('touch x'); '");
    pm_figure_point(figure, 1, 1);
    char *script = script_of(figure);
    assert_contains(script, "set title 'it''s `touch x` \"q\" \\n @m $1 {/Bold b_c}'\n");
    assert_contains(script, "title '''; system(''touch x''); ''' with");
    assert_contains(script, "set terminal svg noenhanced");
    free(script);
}

static void test_what_has_no_place(void **state)
{
    (void)state;
    struct pm_figure *figure = example("");
    pm_figure_point(figure, 200, 0);
    pm_figure_point(figure, 0, 5);
    pm_figure_point(figure, 300, NAN);
    pm_figure_point(figure, INFINITY, 3);
    pm_figure_series(figure, "nothing above 0");
    pm_figure_point(figure, 1, 0);
    char *script = script_of(figure);
    assert_contains(script, "\n10 10\n100 1\nEND_OF_SERIES\n");
    assert_null(strstr(script, "$series1"));
    assert_null(strstr(script, "nothing above 0"));
    free(script);

    figure = pm_figure_new("id", "");
    pm_figure_panel(figure, "empty");
    pm_figure_axis(figure, PM_AXIS_X, "rank", true);
    script = script_of(figure);
    assert_contains(script, "'nothing to show'");
    free(script);

    figure = pm_figure_new("id", ""); /* 0 has a place on an axis that is not logarithmic */
    pm_figure_panel(figure, "linear");
    pm_figure_series(figure, "s");
    pm_figure_point(figure, 0, 0);
    pm_figure_point(figure, 1, -2);
    script = script_of(figure);
    assert_contains(script, "<< END_OF_SERIES\n0 0\n1 -2\nEND_OF_SERIES\n");
    assert_contains(script, "unset logscale x\n");
    free(script);
}

static void test_points_that_fall_together(void **state)
{
    (void)state;
    struct pm_figure *figure = example("");
    pm_figure_series(figure, "long");
    for (int i = 1; i <= 100000; i++)
        pm_figure_point(figure, i, 100000.0 / i);
    char *script = script_of(figure);
    const char *block = strstr(script, "$series1");
    const char *end = strstr(block, "\nEND_OF_SERIES\n");
    size_t lines = 0;
    for (const char *at = block; at < end; at++)
        lines += *at == '\n';
    assert_in_range(lines, 100, 800);
    assert_contains(block, "\n1 100000\n2 50000\n3 33333.3333\n"); /* far apart: all points stay */
    assert_memory_equal(end - strlen("\n100000 1"), "\n100000 1", strlen("\n100000 1"));
    free(script);
}

static char *draw(const struct pm_figure *figure, const char *format, size_t *length)
{
    struct pm_str out = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&out);
    struct pm_error err = {{0}};
    if (pm_figure_render(figure, format, &sink, &err))
        fail_msg("%s", err.text);
    *length = out.length;
    return pm_str_detach(&out);
}

static void test_drawing(void **state)
{
    (void)state;
    static const struct {
        const char *format, *begins;
    } formats[] = {{"svg", "<?xml"}, {"png", "\x89PNG"}, {"pdf", "%PDF"}};
    struct pm_figure *figure = example("a < b & 'c'");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t length;
        char *drawing = draw(figure, formats[i].format, &length);
        assert_in_range(length, 1000, 1000000);
        assert_memory_equal(drawing, formats[i].begins, strlen(formats[i].begins));
        if (!i)
            assert_contains(drawing, "a &lt; b &amp; 'c'");
        free(drawing);
    }
    struct pm_str out = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&out);
    struct pm_error err;
    assert_int_equal(pm_figure_render(figure, "bmp", &sink, &err), PM_EUSAGE);
    assert_string_equal(err.text, "unknown figure format 'bmp': use svg, png, pdf");
    pm_figure_free(figure);
}

static void test_no_gnuplot(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH"));
    struct pm_figure *figure = example("");
    struct pm_str out = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&out);
    struct pm_error err;
    setenv("PATH", "/nonexistent", 1);
    assert_int_equal(pm_figure_render(figure, "svg", &sink, &err), PM_ENOTFOUND);
    assert_string_equal(err.text,
                        "gnuplot, which draws figures, is not installed: " PM_FIGURE_ADVICE);
    assert_false(pm_figure_can_draw());
    setenv("PATH", path, 1);
    assert_int_equal(out.length, 0);
    pm_figure_free(figure);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_what_has_no_place),
        cmocka_unit_test(test_points_that_fall_together),
        cmocka_unit_test(test_drawing),
        cmocka_unit_test(test_no_gnuplot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

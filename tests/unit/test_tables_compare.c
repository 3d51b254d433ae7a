/* Tests of comparisons in hand-made databases: which runs and targets are the sides, and what is
 * printed; and of the paper's tables and figures. */
#include "tables.h"

#include "base/alloc.h"
#include "base/file.h"
#include "compare/compare.h"
#include "paper/paper.h"
#include "report/sink.h"
#include "tables/tables.h"

enum { PROCESSES = 8 };

static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};

/* Adds a function on both targets: it is right on the reference; on the subject it gives `output`
 * and takes `warm`. */
static void add_function(struct stored *s, const char *function, const char *output,
                         const char *warm, int64_t processes)
{
    for (int64_t i = 0; i < processes; i++) {
        const struct stored_execution both[] = {
            {"null@host", function, "case", i, "[1, 2]", .warm = i % 2 ? "[990]" : "[1010]"},
            {"null@null", function, "case", i, output, .warm = warm},
        };
        STORED_EXECUTIONS(s, both);
    }
}

/* Adds a run. On the subject, 'slower' takes `slow` and 'broken' gives `broken`. */
static void add_run(struct stored *s, const char *slow, const char *broken, int64_t processes)
{
    static const char machine[] = "{\"processor\": \"Made-up 9\"}";
    stored_add_run(s, &(struct pm_run_row){STORED_DONE, .options = "{\"repetitions\": 8}"});
    stored_add_attempt(s, machine, 0, 0);
    STORED_TARGETS(s, targets);
    add_function(s, "null.broken", broken, "[1000]", processes);
    add_function(s, "null.equal", "[1, 2]", "[1000]", processes);
    add_function(s, "null.slower", "[1, 2]", slow, processes);
    stored_judge(s);
    stored_add_noise_floor(s, "null@host", 1.05);
}

static void add_two_runs(struct stored *s)
{
    add_run(s, "[1000]", "[1, 2]", PROCESSES);
    add_run(s, "[3000]", "[1, 9]", PROCESSES);
    stored_close(s);
}

static struct pm_compare_options options_of(const struct stored *s, const char *a, const char *b)
{
    return (struct pm_compare_options){.db = s->db, .a = a, .b = b, .format = PM_FORMAT_TEXT};
}

/* Returns the printed comparison; the caller frees it. */
static char *compared(struct stored *s, const struct pm_compare_options *o,
                      struct pm_compare_result *result)
{
    stored_catch_stdout(s);
    const int rc = pm_compare(o, result, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    return text;
}

/* Adds a run in which a function takes `warm` on the subject, with these compilations, and in the
 * last process with `last` compilations. */
static void add_compiling_run(struct stored *s, const char *warm, const char *compiled,
                              const char *last)
{
    stored_add_run(s, &(struct pm_run_row){STORED_DONE, .options = "{\"repetitions\": 8}"});
    stored_add_attempt(s, "{\"processor\": \"Made-up 9\"}", 0, 0);
    STORED_TARGETS(s, targets);
    for (int64_t i = 0; i <= PROCESSES; i++) {
        const struct stored_execution both[] = {
            {"null@host", "null.f", "case", i, "[1]", .warm = i % 2 ? "[990]" : "[1010]"},
            {"null@null", "null.f", "case", i, "[1]", .warm = warm,
             .compiled = i < PROCESSES ? compiled : last},
        };
        STORED_EXECUTIONS(s, both);
    }
    stored_judge(s);
    stored_add_noise_floor(s, "null@host", 1.05);
}

static void test_a_comparison_uses_no_call_that_compiled(void **state)
{
    struct stored *s = *state;
    struct pm_compare_result result;
    add_compiling_run(s, "[1000]", "[0]", "[0]");
    add_compiling_run(s, "[90000, 90000, 1000]", "[1, 1, 0]", "[1, 1, 0]");
    add_compiling_run(s, "[90000, 90000, 9000]", "[1, 1, 0]", "[1, 1, 1]");
    stored_close(s);
    const struct pm_compare_options o = options_of(s, "run:1", "run:2#null@null");
    char *text = compared(s, &o, &result);
    assert_has(text, "1 same");
    assert_lacks(text, "1 slower");
    free(text);
    free(result.doubt);
    const struct pm_compare_options compiling = options_of(s, "run:1", "run:3#null@null");
    text = compared(s, &compiling, &result);
    assert_lacks(text, "1 slower"); /* one process compiled in each call */
    free(text);
    free(result.doubt);
}

static void test_two_runs_of_one_target(void **state)
{
    struct stored *s = *state;
    struct pm_compare_result result;
    add_two_runs(s);
    const struct pm_compare_options o = options_of(s, "run:1", "run:2#null@null");
    char *text = compared(s, &o, &result);
    assert_has(text, "null@null, run 1 of 2026-07-01");
    assert_has(text, "1 regressed, 1 slower, 1 same");
    assert_has(text, "noise floor 1.05");
    assert_has(text, "3.0x slower");
    assert_has(text, "--all also lists the functions that did not change");
    assert_has(text, "Cases that changed");
    assert_lacks(text, "null.equal");
    assert_lacks(text, "different machines");
    assert_int_equal(result.regressions, 2);
    assert_int_equal(result.undecided, 0);
    free(text);
    free(result.doubt);
}

static void test_all_functions_and_none_that_is_allowed_but_unknown(void **state)
{
    struct stored *s = *state;
    static const char *const unknown[] = {"null.nothing"};
    struct pm_compare_result result;
    add_two_runs(s);
    struct pm_compare_options o = options_of(s, "run:1", "run:2");
    o.all = true;
    o.outcomes_only = true;
    char *text = compared(s, &o, &result);
    assert_has(text, "null.equal");
    assert_has(text, "not compared: --outcomes-only");
    assert_int_equal(result.regressions, 1);
    free(text);
    free(result.doubt);
    o.allowed = unknown;
    o.allowed_count = 1;
    assert_refused(s, pm_compare(&o, &result, &s->err), PM_EUSAGE, "--allow 'null.nothing'");
}

static void test_too_few_processes_decide_nothing(void **state)
{
    struct stored *s = *state;
    struct pm_compare_result result;
    add_run(s, "[3000]", "[1, 2]", 3);
    stored_close(s);
    const struct pm_compare_options o = options_of(s, "null@host", "null@null");
    char *text = compared(s, &o, &result);
    assert_has(text, "too few processes to compare latencies: 3 of 8 (3 functions)");
    assert_has(text, "portmeter run --resume 1 --repetitions 13");
    assert_has(result.doubt,
               "too few processes to compare latencies: 3 of 8: run portmeter run --resume 1");
    assert_int_equal(result.status, PM_EXIT_INCONCLUSIVE);
    assert_int_equal(result.undecided, 3);
    free(text);
    free(result.doubt);
}

/* A run that was killed after all measurements has not shown that it detects faults. */
static void test_a_run_without_a_self_check_decides_nothing(void **state)
{
    struct stored *s = *state;
    struct pm_compare_result result;
    add_two_runs(s);
    stored_run_sql(s, "update run set validity = '' where id = 1");
    const struct pm_compare_options o = options_of(s, "run:1#null@host", "run:1#null@host");
    char *text = compared(s, &o, &result);
    assert_has(text, "run 1 is invalid: its self-check is not complete");
    assert_int_equal(result.status, PM_EXIT_INCONCLUSIVE);
    free(text);
    free(result.doubt);
}

static void test_junit_goes_to_a_file_that_is_no_database(void **state)
{
    struct stored *s = *state;
    struct pm_compare_result result;
    struct pm_str written = PM_STR_INIT;
    char *path = pm_path_join(s->folder, "junit.xml");
    add_two_runs(s);
    struct pm_compare_options o = options_of(s, "run:1", "run:2");
    o.junit = true;
    o.output = path;
    assert_ok(s, pm_compare(&o, &result, &s->err));
    assert_ok(s, pm_file_read(path, &written, &s->err));
    free(result.doubt);
    assert_has(written.data, "<testsuite name=\"run:1, then run:2\" tests=\"3\" failures=\"2\"");
    o.output = s->db;
    assert_refused(s, pm_compare(&o, &result, &s->err), PM_EUSAGE, "database");
    pm_str_release(&written);
    free(path);
}

static void test_a_side_that_is_not_there_is_named(void **state)
{
    static const char *const rows[][3] = {
        {"null@other", "null@null", "has no target 'null@other'"},
        {"run:1#null@null", "run:7", "run 7"},
        {"other.db", "null@null", "other.db"},
        {"run:0", "null@null", "portmeter runs"},
    };
    struct stored *s = *state;
    struct pm_compare_result result;
    add_two_runs(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pm_compare_options o = options_of(s, rows[i][0], rows[i][1]);
        s->err.text[0] = '\0';
        assert_int_not_equal(pm_compare(&o, &result, &s->err), PM_OK);
        assert_has(s->err.text, rows[i][2]);
    }
}

static void test_a_side_without_a_target_needs_one_where_there_are_several(void **state)
{
    static const struct stored_target three[] = {
        {"null@host"}, {"null@null", "null@host"}, {"null@other", "null@host"}};
    struct stored *s = *state;
    struct pm_compare_result result;
    stored_add_run(s, NULL);
    STORED_TARGETS(s, three);
    stored_close(s);
    const struct pm_compare_options o = options_of(s, "run:1", "run:1");
    assert_refused(s, pm_compare(&o, &result, &s->err), PM_EUSAGE,
                   "name one of null@host, null@null, null@other");
}

/* Returns the printed report of latencies against a target; the caller frees it. */
static char *against(struct stored *s, const char *target)
{
    const struct pm_report_options o = {.db = s->db, .format = PM_FORMAT_TEXT, .against = target};
    enum pm_exit status;
    stored_catch_stdout(s);
    const int rc = pm_tables_report(&o, &status, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    return text;
}

static void test_latencies_against_a_target(void **state)
{
    struct stored *s = *state;
    add_two_runs(s);
    char *text = against(s, "null@host");
    assert_has(text, "Latency of null@null compared with null@host (small inputs, warm)");
    assert_has(text, "null.slower");
    assert_has(text, "3.0x slower");
    assert_has(text, "brackets: 95 % confidence intervals");
    free(text);
    text = against(s, "run:1#null@null");
    assert_has(text, "Latency of null@host compared with null@null");
    assert_has(text, "Latency of null@null compared with null@null");
    free(text);
}

static void test_latencies_of_which_none_can_be_compared(void **state)
{
    struct stored *s = *state;
    add_run(s, NULL, "[1, 2]", 0);
    stored_close(s);
    char *text = against(s, "null@host");
    assert_has(text, "no target has latencies to compare: measure two targets of one framework "
                     "without --outcomes-only");
    free(text);
}

/* ---- tables and figures of the paper -------------------------------------------------------- */

/* Adds a run of three functions: on the subject, f039 fails, f020 is faster than on the reference,
 * and f000 takes `slow`. In the sample, f039 is one of the most used functions and f000 one of the
 * least used. */
static void add_jax(struct stored *s, const char *slow, int64_t sample)
{
    static const struct stored_target cpu_and_cuda[] = {{"jax@cpu"}, {"jax@cuda", "jax@cpu"}};
    stored_add_run(s, &(struct pm_run_row){STORED_DONE, .options = "{\"repetitions\": 8}",
                                           .sample_id = sample});
    stored_add_attempt(s, "{\"processor\": \"Made-up 9\"}", 0, 0);
    STORED_TARGETS(s, cpu_and_cuda);
    for (int64_t i = 0; i < PROCESSES; i++) {
        const char *even = i % 2 ? "[990]" : "[1010]";
        const struct stored_execution executions[] = {
            {"jax@cpu", "f039", "case", i, "[1, 2]", .warm = even},
            {"jax@cuda", "f039", "case", i, "[1, 9]", .warm = even},
            {"jax@cpu", "f020", "case", i, "[1, 2]", .warm = even},
            {"jax@cuda", "f020", "case", i, "[1, 2]", .warm = "[400]"},
            {"jax@cpu", "f000", "case", i, "[1, 2]", .warm = even},
            {"jax@cuda", "f000", "case", i, "[1, 2]", .warm = slow},
        };
        STORED_EXECUTIONS(s, executions);
    }
    stored_judge(s);
}

static void add_two_jax_runs(struct stored *s)
{
    enum { FUNCTIONS = 40 };
    const int64_t sample = stored_add_sample(s, "jax", "resolved", FUNCTIONS, PM_STRATA_DISJOINT);
    add_jax(s, "[6000]", sample);
    add_jax(s, "[3000]", sample);
    stored_close(s);
}

static const char *const generations[] = {"run:1#jax@cuda", "run:2#jax@cuda"};

static struct pm_paper_request request_of(const struct stored *s, bool named)
{
    return (struct pm_paper_request){
        .db = s->db, .targets = generations, .target_count = named ? 2 : 0};
}

/* Returns this table of the paper as text; the caller frees it. */
static char *table_of(struct stored *s, const char *number, bool named)
{
    static const struct pm_render_options no_limit = {0, false};
    const struct pm_paper_request request = request_of(s, named);
    struct pm_str out = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&out);
    struct pm_report *report = pm_report_new("");
    assert_ok(s, pm_paper_add_table(&request, number, report, &s->err));
    assert_ok(s, pm_report_render(report, PM_FORMAT_TEXT, &no_limit, &sink, &s->err));
    pm_report_free(report);
    return pm_str_detach(&out);
}

/* Returns this figure of the paper as a script for gnuplot; the caller frees it. */
static char *figure_of(struct stored *s, const char *number, bool named)
{
    const struct pm_paper_request request = request_of(s, named);
    struct pm_str out = PM_STR_INIT;
    struct pm_figure *figure;
    assert_ok(s, pm_paper_make_figure(&request, number, &figure, &s->err));
    assert_ok(s, pm_figure_script(figure, "svg", &out, &s->err));
    pm_figure_free(figure);
    return pm_str_detach(&out);
}

struct form {
    const char *number;
    bool named;
    const char *parts[4];
};

static void check_forms(struct stored *s, char *(*make)(struct stored *, const char *, bool),
                        const struct form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *text = make(s, forms[i].number, forms[i].named);
        for (const char *const *part = forms[i].parts; *part; part++)
            assert_has(text, *part);
        free(text);
    }
}

static void test_tables_of_the_paper(void **state)
{
    static const struct form forms[] = {
        {"1", false, {"cuda fails (%)", " 67 ", " 33\n"}},
        {"2", false, {"largest and smallest ratios on cpu and cuda, JAX", "3.000", "0.400"}},
        {"3", true, {"cuda (run 1)", "cuda (run 2)", "generations of a device"}},
        {"4",
         false,
         {"top 20", "all functions", "use of functions: from the sample that the run measured"}},
        {"7", true, {"latencies of JAX on cuda (run 1) and cuda (run 2)", "1.000", "0.500"}},
        {"8", false, {"0/3", "1/3", "2/3"}},
    };
    struct stored *s = *state;
    add_two_jax_runs(s);
    check_forms(s, table_of, forms, sizeof forms / sizeof *forms);
}

static void test_figures_of_the_paper(void **state)
{
    static const struct form forms[] = {
        {"1", false, {"functions, by latency on cpu", "JAX: cpu and cuda"}},
        {"2", true, {"share of functions per factor of 10"}},
        {"3", false, {"faster on the first target", "faster on the second target"}},
        {"4", false, {"percentile of use, and the 20 most used", "JAX on cuda", "top 20"}},
        {"5", false, {"failing functions of the top 20 (%)", "JAX cuda"}},
        {"6", false, {"failing cases (%)", "wrong result"}},
        {"7", true, {"at least 1.5x faster on the second target"}},
        {"10", false, {"latency of a case (ms)"}},
    };
    struct stored *s = *state;
    add_two_jax_runs(s);
    check_forms(s, figure_of, forms, sizeof forms / sizeof *forms);
}

static void test_a_form_says_what_it_needs(void **state)
{
    static const char *const tables[][2] = {
        {"3", "two generations of a device"},
        {"4", "data on how often functions are used"},
        {"5", "table 5 contains PyTorch functions"},
    };
    static const char *const figures[][2] = {
        {"4", "data on how often functions are used"},
        {"5", "data on how often functions are used"},
        {"7", "two generations of a device"},
        {"9", "measured results of PyTorch, with latencies"},
    };
    struct stored *s = *state;
    add_jax(s, "[3000]", 0);
    stored_close(s);
    const struct pm_paper_request request = request_of(s, false);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct pm_report *report = pm_report_new("");
        assert_refused(s, pm_paper_add_table(&request, tables[i][0], report, &s->err), PM_EUSAGE,
                       tables[i][1]);
        pm_report_free(report);
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        struct pm_figure *figure;
        assert_refused(s, pm_paper_make_figure(&request, figures[i][0], &figure, &s->err),
                       PM_EUSAGE, figures[i][1]);
        pm_figure_free(figure);
    }
}

static void test_a_form_is_of_two_targets(void **state)
{
    static const struct stored_target one[] = {{"jax@cpu"}};
    struct stored *s = *state;
    stored_add_run(s, NULL);
    STORED_TARGETS(s, one);
    stored_close(s);
    const struct pm_paper_request request = request_of(s, false);
    struct pm_report *report = pm_report_new("");
    assert_refused(s, pm_paper_add_table(&request, "1", report, &s->err), PM_EUSAGE,
                   "two targets of one framework that were executed");
    pm_report_free(report);
}

static void test_the_numbers_of_forms(void **state)
{
    struct pm_str list = PM_STR_INIT;
    (void)state;
    pm_paper_list_tables(&list);
    assert_string_equal(list.data, "1, 2, 3, 4, 5, 6, 7, 8");
    pm_str_clear(&list);
    pm_paper_list_figures(&list);
    assert_string_equal(list.data, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10");
    pm_str_release(&list);
    assert_true(pm_paper_has_table("8"));
    assert_false(pm_paper_has_table("9"));
    assert_true(pm_paper_has_figure("9"));
    assert_false(pm_paper_has_figure("11"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_two_runs_of_one_target),
        STORED_TEST(test_a_comparison_uses_no_call_that_compiled),
        STORED_TEST(test_all_functions_and_none_that_is_allowed_but_unknown),
        STORED_TEST(test_too_few_processes_decide_nothing),
        STORED_TEST(test_a_run_without_a_self_check_decides_nothing),
        STORED_TEST(test_junit_goes_to_a_file_that_is_no_database),
        STORED_TEST(test_a_side_that_is_not_there_is_named),
        STORED_TEST(test_a_side_without_a_target_needs_one_where_there_are_several),
        STORED_TEST(test_latencies_against_a_target),
        STORED_TEST(test_latencies_of_which_none_can_be_compared),
        STORED_TEST(test_tables_of_the_paper),
        STORED_TEST(test_figures_of_the_paper),
        STORED_TEST(test_a_form_says_what_it_needs),
        STORED_TEST(test_a_form_is_of_two_targets),
        cmocka_unit_test(test_the_numbers_of_forms),
    };
    return cmocka_run_group_tests_name("tables_compare", tests, NULL, NULL);
}

/* Comparisons of runs and targets of hand-made databases: which sides, and what is printed. */
#include "tables.h"

#include "base/alloc.h"
#include "base/file.h"
#include "tables/tables.h"

enum { PROCESSES = 8 };

static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};

/* A function on both targets: right on the reference, `output` on the subject, which takes `warm`.
 */
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

/* `slow`: what 'slower' takes on the subject; `broken`: what 'broken' gives there. */
static void add_run(struct stored *s, const char *slow, const char *broken, int64_t processes)
{
    static const char machine[] = "{\"processor\": \"Made-up 9\"}";
    stored_add_run(s, &(struct pm_run_row){STORED_DONE, .options = "{\"repetitions\": 8}"});
    stored_add_sitting(s, machine, 0, 0);
    STORED_TARGETS(s, targets);
    add_function(s, "null.broken", broken, "[1000]", processes);
    add_function(s, "null.equal", "[1, 2]", "[1000]", processes);
    add_function(s, "null.slower", "[1, 2]", slow, processes);
    stored_judge(s);
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

/* What it prints; the caller frees. */
static char *compared(struct stored *s, const struct pm_compare_options *o,
                      struct pm_compare_result *result)
{
    stored_catch_stdout(s);
    const int rc = pm_tables_compare(o, result, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    return text;
}

static void test_two_runs_of_one_target(void **state)
{
    struct stored *s = *state;
    struct pm_compare_result result;
    add_two_runs(s);
    const struct pm_compare_options o = options_of(s, "run:1", "run:2#null@null");
    char *text = compared(s, &o, &result);
    assert_has(text, "null@null, run 1 of 2026-07-01");
    assert_has(text, "1 broken, 1 slower, 1 same");
    assert_has(text, "the noise floor is unknown");
    assert_has(text, "3.0x slower");
    assert_has(text, "--all lists the others too");
    assert_has(text, "Cases that changed");
    assert_lacks(text, "null.equal");
    assert_lacks(text, "the machines differ");
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
    assert_refused(s, pm_tables_compare(&o, &result, &s->err), PM_EUSAGE, "--allow 'null.nothing'");
}

static void test_too_few_processes_decide_nothing(void **state)
{
    struct stored *s = *state;
    struct pm_compare_result result;
    add_run(s, "[3000]", "[1, 2]", 3);
    stored_close(s);
    const struct pm_compare_options o = options_of(s, "null@host", "null@null");
    char *text = compared(s, &o, &result);
    assert_has(text, "cannot decide latency: 3 of 8 processes (3 functions)");
    assert_has(text, "portmeter run --resume 1 --repetitions 13");
    assert_has(result.doubt,
               "cannot decide latency: 3 of 8 processes: run portmeter run --resume 1");
    assert_int_equal(result.status, 3);
    assert_int_equal(result.undecided, 3);
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
    assert_ok(s, pm_tables_compare(&o, &result, &s->err));
    assert_ok(s, pm_file_read(path, &written, &s->err));
    free(result.doubt);
    assert_has(written.data, "<testsuite name=\"run:1, then run:2\" tests=\"3\" failures=\"2\"");
    o.output = s->db;
    assert_refused(s, pm_tables_compare(&o, &result, &s->err), PM_EUSAGE, "database");
    pm_str_release(&written);
    free(path);
}

static void test_a_side_that_is_not_there_is_named(void **state)
{
    static const char *const rows[][3] = {
        {"null@other", "null@null", "no target 'null@other'"},
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
        assert_int_not_equal(pm_tables_compare(&o, &result, &s->err), PM_OK);
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
    assert_refused(s, pm_tables_compare(&o, &result, &s->err), PM_EUSAGE,
                   "name one of null@host, null@null, null@other");
}

/* What the report of latencies against a target prints; the caller frees. */
static char *against(struct stored *s, const char *target)
{
    const struct pm_report_options o = {.db = s->db, .format = PM_FORMAT_TEXT, .against = target};
    bool wrong;
    stored_catch_stdout(s);
    const int rc = pm_tables_report(&o, &wrong, &s->err);
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
    assert_has(text, "nothing can be compared");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_two_runs_of_one_target),
        STORED_TEST(test_all_functions_and_none_that_is_allowed_but_unknown),
        STORED_TEST(test_too_few_processes_decide_nothing),
        STORED_TEST(test_junit_goes_to_a_file_that_is_no_database),
        STORED_TEST(test_a_side_that_is_not_there_is_named),
        STORED_TEST(test_a_side_without_a_target_needs_one_where_there_are_several),
        STORED_TEST(test_latencies_against_a_target),
        STORED_TEST(test_latencies_of_which_none_can_be_compared),
    };
    return cmocka_run_group_tests_name("tables_compare", tests, NULL, NULL);
}

/* Tests what explain prints about a function's failure, its script, and whether the script shows
 * the same failure. */
#include "stores.h"

#include <signal.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "explain/explain_private.h"

enum { EXITED_1 = 1 << 8, EXITED_0 = 0 }; /* statuses as waitpid() returns them */

static void an_exception_has_its_type_and_message(void **state)
{
    (void)state;
    struct pm_explain__failure f = {
        .outcome = PM_OUTCOME_FAIL, .stage = PM_STAGE_RUN, .detail = ""};
    f.result = json_pack("{s:{s:s, s:s}}", "raised", "type", "lib.errors.BadThing", "message",
                         "\nno kernel 17 for op_3 at 0x7f\nsecond line");
    assert_true(
        pm_explain__same(&f, EXITED_1, "Traceback\nBadThing: no kernel 4 for op_12 at 0x8f"));
    assert_false(pm_explain__same(&f, EXITED_0, "BadThing: no kernel 17 for op_3 at 0x7f"));
    assert_false(pm_explain__same(&f, SIGSEGV, "BadThing: no kernel 17 for op_3 at 0x7f"));
    assert_false(pm_explain__same(&f, EXITED_1, "OtherThing: no kernel 17 for op_3 at 0x7f"));
    assert_false(pm_explain__same(&f, EXITED_1, "BadThing: no memory"));
    json_decref(f.result);
    f.result = json_pack("{s:{s:s, s:s}}", "raised", "type", "E", "message",
                         "Graph execution error:\n\nDetected at node 'a'\nno lists\n");
    assert_true(pm_explain__same(&f, EXITED_1, "E: Graph execution error:\n\nno lists\n"));
    assert_false(pm_explain__same(&f, EXITED_1, "E: Graph execution error:\n\nno memory\n"));
    json_decref(f.result);
}

static void other_failures_have_words_of_their_own(void **state)
{
    (void)state;
    char differs[] = "out: 3 of 8 elements differ", check[] = "the check is false",
         raised[] = "no IndexError was raised", expected[] = "not as expected: out: 1";
    struct pm_explain__failure f = {.outcome = PM_OUTCOME_FAIL, .stage = PM_STAGE_COMPARE};
    const char *why;
    f.detail = differs;
    assert_string_equal(pm_explain__kind(&f, &why), "differs");
    assert_true(pm_explain__same(&f, EXITED_1, "AssertionError: differs from the reference"));
    assert_false(pm_explain__same(&f, EXITED_1, "AssertionError: the check is false"));
    assert_false(pm_explain__same(&f, EXITED_1, "NameError: name 'differs'"));
    f.detail = expected;
    assert_string_equal(pm_explain__kind(&f, &why), "unexpected");
    f.detail = check;
    assert_true(pm_explain__same(&f, EXITED_1, "AssertionError: the check is false"));
    f.detail = raised;
    assert_true(pm_explain__same(&f, EXITED_1, "AssertionError: no IndexError was raised"));
}

static void a_crash_has_its_end(void **state)
{
    (void)state;
    struct pm_explain__failure f = {.outcome = PM_OUTCOME_CRASH,
                                    .detail = "",
                                    .ending = PM_ENDING_SIGNAL,
                                    .ending_code = SIGSEGV};
    assert_true(pm_explain__same(&f, SIGSEGV, ""));
    assert_false(pm_explain__same(&f, SIGABRT, ""));
    assert_false(pm_explain__same(&f, EXITED_1, ""));
    f.ending = PM_ENDING_EXIT;
    f.ending_code = 1;
    assert_true(pm_explain__same(&f, EXITED_1, ""));
}

static void what_no_script_can_show(void **state)
{
    (void)state;
    static const enum pm_outcome outcomes[] = {PM_OUTCOME_TIMEOUT, PM_OUTCOME_FALLBACK,
                                               PM_OUTCOME_HARNESS, PM_OUTCOME_PASS};
    const char *why;
    for (size_t i = 0; i < 4; i++) {
        struct pm_explain__failure f = {.outcome = outcomes[i], .detail = ""};
        assert_null(pm_explain__kind(&f, &why));
        assert_true(strlen(why) > 0);
        assert_false(pm_explain__same(&f, EXITED_1, "AssertionError"));
    }
}

/* ---- from a stored run, with an interpreter that is a shell script -----------------------------
 */

#define RAISED                                                                                     \
    "{\"raised\": {\"type\": \"lib.BadThing\", \"message\": \"no kernel for op 7\", "              \
    "\"traceback\": \"\"}, \"stage\": \"run\"}"
#define DEFINITION                                                                                 \
    "{\"inputs\": {\"x\": \"float32[2] normal\", \"n\": \"literal 3\"}, \"call\": \"f(x, n)\"}"

/* Adds a run in which null.f raises on the device in one case, and null.fine works. */
static void add_failure(struct stored *s)
{
    static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};
    static const struct stored_execution executions[] = {
        {"null@host", "null.f", "good", .output = "[1]"},
        {"null@host", "null.f", "raises", .output = "[1]"},
        {"null@host", "null.fine", "good", .output = "[1]"},
        {"null@null", "null.f", "good", .output = "[1]"},
        {"null@null", "null.f", "raises", .result = RAISED},
        {"null@null", "null.fine", "good", .output = "[1]"},
    };
    stored_add_run(s, NULL);
    STORED_TARGETS(s, targets);
    stored_add_case(s, "null", "null.f", "raises", DEFINITION);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    const struct pm_statistic_row latency = {.run_id = s->run,
                                             .target_id = stored_target(s, "null@null"),
                                             .scope = PM_SCOPE_FUNCTION,
                                             .function = "null.fine",
                                             .name = "",
                                             .clock = PM_CLOCK_WARM,
                                             .what = PM_STATISTIC_LATENCY,
                                             .value = 2e6,
                                             .processes = 1};
    assert_ok(s, pm_store_add_statistic(s->store, &latency, &s->err));
    stored_close(s);
}

/* Set-up: portmeter finds and remembers only interpreters in the test's folder. */
static int set_up(void **state)
{
    if (stored_set_up(state))
        return -1;
    const struct stored *s = *state;
    char *data = pm_path_join(s->folder, "data");
    setenv("PORTMETER_DATA", data, 1);
    setenv("PATH", s->folder, 1);
    free(data);
    return 0;
}

/* Adds an environment 'null'. Its interpreter runs the shell text `script` instead of reproduce.py,
 * and `run` instead of any other program. */
static void add_interpreter(struct stored *s, const char *script, const char *run)
{
    char *data = pm_path_join(s->folder, "data"), *python = pm_path_join(s->folder, "python");
    char *marker = pm_format("%s/environments/null/environment.json", data);
    char *folder = pm_path_parent(marker);
    char *text =
        pm_format("#!/bin/sh\ncase $1 in */reproduce.py) %s ;; *) %s ;; esac\n", script, run);
    char *json =
        pm_format("{\"framework\": \"null\", \"origin\": \"added\", \"python\": \"%s\"}", python);
    assert_ok(s, pm_folder_make(folder, &s->err));
    assert_ok(s, pm_file_write(marker, json, strlen(json), &s->err));
    assert_ok(s, pm_file_write(python, text, strlen(text), &s->err));
    assert_int_equal(chmod(python, 0755), 0);
    free(json);
    free(text);
    free(folder);
    free(marker);
    free(python);
    free(data);
}

static struct pm_explain_options options_of(const struct stored *s, const char *function)
{
    return (struct pm_explain_options){.db = s->db, .function = function, .target = "null@null"};
}

/* Returns the text that explain writes; the caller frees it. */
static char *explained(struct stored *s, struct pm_explain_options o)
{
    struct pm_str text = PM_STR_INIT;
    char *file = pm_path_join(s->folder, "explanation");
    o.output = file;
    assert_ok(s, pm_explain(&o, &s->err));
    assert_ok(s, pm_file_read(file, &text, &s->err));
    free(file);
    return pm_str_detach(&text);
}

static void a_failure_has_its_verdict_cases_and_script(void **state)
{
    struct stored *s = *state;
    add_failure(s);
    add_interpreter(s, "echo 'import lib'; echo 'lib.f()'",
                    "echo 'BadThing: no kernel for op 12'; exit 1");
    const struct pm_explain_options o = options_of(s, "null.f");
    char *text = explained(s, o);
    assert_has(text, "null.f on null@null\n\nverdict         partly: 1 of 2 counted cases pass, 1 "
                     "of 2 core cases\n");
    assert_has(text, "run             1, started 2026-07-01");
    assert_has(text, "message         lib.BadThing: no kernel for op 7\n");
    assert_has(text, "fail         1  raises");
    assert_has(text, "run: the message above\n");
    assert_has(text, "pass         1  good\n");
    assert_has(text,
               "reproducer      shows the same failure; uses random input values\n    import lib\n"
               "    lib.f()\n");
    assert_has(text, "again           portmeter run --target null@null --function 'null.f'");
    free(text);
}

static void a_script_that_fails_otherwise_is_not_said_to_show_it(void **state)
{
    struct stored *s = *state;
    add_failure(s);
    add_interpreter(s, "echo lib", "echo 'NameError: lib'; exit 1");
    const struct pm_explain_options o = options_of(s, "null.f");
    char *text = explained(s, o);
    assert_has(text, "reproducer      does not show the same failure\n    lib\n");
    free(text);
}

static void a_script_that_cannot_be_written_says_why(void **state)
{
    struct stored *s = *state;
    add_failure(s);
    add_interpreter(s, "echo 'the case has a setup'; exit 1", "exit 0");
    const struct pm_explain_options o = options_of(s, "null.f");
    char *text = explained(s, o);
    assert_has(text, "reproducer      none: the case has a setup\n");
    free(text);
}

/* If only the case's own values show the failure, they are in a file beside the script. */
static void values_that_matter_are_kept_beside_the_script(void **state)
{
    struct stored *s = *state;
    struct pm_str kept = PM_STR_INIT;
    char *script = pm_path_join(s->folder, "mine.py"),
         *values = pm_path_join(s->folder, "mine.npz");
    add_failure(s);
    add_interpreter(
        s,
        "read -r job < $2; case $job in *'\"values\":\"file\"'*) echo numbers > "
        "${2%/*}/mine.npz; echo three ;; *'\"seeded\"'*) echo one ;; *) echo two ;; esac",
        "read -r text < $1; case $text in three) echo 'BadThing: no kernel for op 1'; "
        "exit 1 ;; esac");
    struct pm_explain_options o = options_of(s, "null.f");
    o.script = script;
    char *text = explained(s, o);
    assert_has(text, "shows the same failure; reads the input values of the case from a file");
    assert_has(text, "            python ");
    assert_lacks(text, "three");
    assert_ok(s, pm_file_read(script, &kept, &s->err));
    assert_string_equal(kept.data, "three\n");
    pm_str_clear(&kept);
    assert_ok(s, pm_file_read(values, &kept, &s->err));
    assert_string_equal(kept.data, "numbers\n");
    pm_str_release(&kept);
    free(text);
    free(values);
    free(script);
}

static void a_script_need_not_be_tried_or_made(void **state)
{
    struct stored *s = *state;
    add_failure(s);
    add_interpreter(s, "echo 'lib.f()'", "exit 9");
    struct pm_explain_options o = options_of(s, "null.f");
    o.untried = true;
    char *text = explained(s, o);
    assert_has(text, "reproducer      not tried; uses random input values\n    lib.f()\n");
    free(text);
    o = options_of(s, "null.fine");
    text = explained(s, o);
    assert_has(text, "verdict         works: 1 of 1 counted cases pass");
    assert_has(text, "warm   small           2.00          1\n");
    assert_lacks(text, "reproducer");
    free(text);
}

static void what_is_not_there_is_refused(void **state)
{
    struct stored *s = *state;
    add_failure(s);
    struct pm_explain_options o = options_of(s, "null.z");
    assert_refused(s, pm_explain(&o, &s->err), PM_EUSAGE, "no run has a verdict on 'null.z'");
    o = options_of(s, "null.f");
    o.run_id = 2;
    assert_refused(s, pm_explain(&o, &s->err), PM_EUSAGE, "run 2 has no verdict on 'null.f'");
    o.run_id = 1;
    o.name = "good";
    assert_refused(s, pm_explain(&o, &s->err), PM_EUSAGE, "no case 'good' of the function fails");
    o.db = "/nowhere/x.db";
    assert_refused(s, pm_explain(&o, &s->err), PM_ENOTFOUND, "/nowhere/x.db");
}

/* Every value of a case in the database is checked before use. */
static void a_damaged_case_is_one_line(void **state)
{
    static const char *const rows[][2] = {
        {"UPDATE test_case SET definition = '{\"inputs\": {\"x\": \"literal [1,\"}}' WHERE name = "
         "'raises'",
         "input 'x' of a stored case is not JSON"},
        {"UPDATE test_case SET definition = '{\"inputs\": {\"x\": \"float32[-1] normal\"}}' WHERE "
         "name "
         "= 'raises'",
         ""},
        {"UPDATE test_case SET definition = 'x' WHERE name = 'raises'", "definition"},
    };
    struct stored *s = *state;
    add_failure(s);
    add_interpreter(s, "echo one", "exit 1");
    const struct pm_explain_options o = options_of(s, "null.f");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stored_run_sql(s, rows[i][0]);
        assert_refused(s, pm_explain(&o, &s->err), PM_EFORMAT, rows[i][1]);
    }
}

/* The message looks like markup, and the script contains the end of a block of code. */
static void markdown_has_the_script_as_code(void **state)
{
    struct stored *s = *state;
    add_failure(s);
    add_interpreter(s, "echo '# ```'; echo 'lib.f()'; printf '\\033[1m\\n'", "exit 1");
    struct pm_explain_options o = options_of(s, "null.f");
    o.untried = true;
    o.format = PM_FORMAT_MARKDOWN;
    char *text = explained(s, o);
    assert_has(text, "# null.f on null@null\n\n- verdict: partly");
    assert_has(
        text,
        "- reproducer: not tried; uses random input values\n\n````python\n# ```\nlib.f()\n [1m\n"
        "````\n\n- again: `portmeter run --target null@null --function 'null.f' --db ");
    free(text);
}

static void json_has_every_case_and_the_script(void **state)
{
    struct stored *s = *state;
    add_failure(s);
    add_interpreter(s, "echo 'lib.f()'", "exit 1");
    struct pm_explain_options o = options_of(s, "null.f");
    o.untried = true;
    o.format = PM_FORMAT_JSON;
    char *text = explained(s, o);
    json_t *whole = json_loads(text, 0, NULL);
    const json_t *about = json_object_get(whole, "explanation");
    assert_string_equal(pm_json_string(about, "verdict", ""), "partly");
    assert_int_equal(pm_json_int(about, "passed", -1), 1);
    assert_string_equal(pm_json_string(json_object_get(about, "reproducer"), "script", ""),
                        "lib.f()\n");
    const json_t *parts = json_object_get(whole, "parts"), *rows = NULL;
    for (size_t i = 0; i < json_array_size(parts) && !rows; i++)
        rows = json_object_get(json_object_get(json_array_get(parts, i), "table"), "rows");
    assert_int_equal(json_array_size(rows), 2);
    assert_string_equal(pm_json_string(json_array_get(rows, 0), "case", ""), "raises");
    assert_string_equal(pm_json_string(json_array_get(rows, 0), "message", ""),
                        "lib.BadThing: no kernel for op 7");
    assert_string_equal(pm_json_string(json_array_get(rows, 1), "case", ""), "good");
    json_decref(whole);
    free(text);
}

/* Repetitions of a case that end alike are one row; a different message makes a second row. */
static void repetitions_that_end_alike_are_one(void **state)
{
    static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};
    static const struct stored_execution executions[] = {
        {"null@host", "null.f", "a", .output = "[1]"},
        {"null@host", "null.f", "a", .output = "[1]", .repetition = 1},
        {"null@host", "null.f", "b", .output = "[1]"},
        {"null@host", "null.f", "b", .output = "[1]", .repetition = 1},
        {"null@null", "null.f", "a", .result = RAISED},
        {"null@null", "null.f", "a", .result = RAISED, .repetition = 1},
        {"null@null", "null.f", "b", .result = RAISED},
        {"null@null", "null.f", "b", .output = "[2]", .repetition = 1},
    };
    struct stored *s = *state;
    stored_add_run(s, NULL);
    STORED_TARGETS(s, targets);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    stored_close(s);
    struct pm_explain_options o = options_of(s, "null.f");
    o.untried = true;
    char *text = explained(s, o);
    assert_has(text, "fail         2  a, b   ");
    assert_has(text, "fail         1  b      ");
    free(text);
}

static void the_extension_says_what_is_written(void **state)
{
    static const struct {
        const char *path, *format, *script, *output, *wrong;
    } rows[] = {
        {NULL, NULL, NULL, NULL, NULL},
        {"a.py", NULL, "a.py", NULL, NULL},
        {"a.py", "json", "a.py", NULL, NULL},
        {"a.md", NULL, NULL, "a.md", NULL},
        {"a.JSON", "json", NULL, "a.JSON", NULL},
        {"a.md", "json", NULL, NULL, "--format json contradicts --output 'a.md'"},
        {"a.csv", NULL, NULL, NULL, "unknown extension of --output 'a.csv': use .py"},
        {"a.b/bare", NULL, NULL, NULL, "unknown extension of --output 'a.b/bare': use .py"},
        {NULL, "latex", NULL, NULL,
         "explain cannot print latex: use --format text, markdown or json"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_explain_options o = {0};
        struct pm_error err = {{0}};
        if (rows[i].format)
            assert_true(pm_report_format_parse(rows[i].format, &o.format));
        const int rc = pm_explain_take_output(&o, rows[i].path, rows[i].format != NULL, &err);
        assert_int_equal(rc, rows[i].wrong ? PM_EUSAGE : PM_OK);
        assert_has(err.text, rows[i].wrong ? rows[i].wrong : "");
        assert_true(rows[i].script ? o.script == rows[i].path : !o.script);
        assert_true(rows[i].output ? o.output == rows[i].path : !o.output);
    }
}

#define EXPLAIN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, stored_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exception_has_its_type_and_message),
        cmocka_unit_test(other_failures_have_words_of_their_own),
        cmocka_unit_test(a_crash_has_its_end),
        cmocka_unit_test(what_no_script_can_show),
        EXPLAIN_TEST(a_failure_has_its_verdict_cases_and_script),
        EXPLAIN_TEST(a_script_that_fails_otherwise_is_not_said_to_show_it),
        EXPLAIN_TEST(a_script_that_cannot_be_written_says_why),
        EXPLAIN_TEST(values_that_matter_are_kept_beside_the_script),
        EXPLAIN_TEST(a_script_need_not_be_tried_or_made),
        EXPLAIN_TEST(what_is_not_there_is_refused),
        EXPLAIN_TEST(a_damaged_case_is_one_line),
        EXPLAIN_TEST(markdown_has_the_script_as_code),
        EXPLAIN_TEST(json_has_every_case_and_the_script),
        EXPLAIN_TEST(repetitions_that_end_alike_are_one),
        cmocka_unit_test(the_extension_says_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the tables of verdicts, reasons, failures, cases, dtypes and planted faults, from
 * hand-made judged rows. */
#include "tables.h"

#include <math.h>

static const struct stored_target targets[] = {{"null@host"},
                                               {"null@null", "null@host"},
                                               {"null@meta", "null@host", .evidence = "shape only"},
                                               {"numpy@cpu", .role = "oracle"}};

static void begin(struct stored *s)
{
    stored_add_run(s, NULL);
    STORED_TARGETS(s, targets);
}

static void check_table(struct stored *s, const char *kind, const char *id, const char *columns,
                        const char *want)
{
    json_t *report = tables_of(s, kind);
    assert_text(columns_of(report, id, columns), want);
    json_decref(report);
}

static void check_columns(struct stored *s, const char *kind, const char *columns, const char *want)
{
    check_table(s, kind, kind, columns, want);
}

/* ---- reasons ----------------------------------------------------------------------------------
 */

static void test_what_breaks_is_counted_by_reason(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "a", "works"},
        {"null@null", "b", "partly", .reason = "type failure"},
        {"null@null", "c", "fails", .reason = "type failure"},
        {"null@null", "d", "fails", .reason = "type failure"},
        {"null@null", "e", "fails", .reason = "type failure"},
        {"null@null", "f", "fails", .reason = "type failure"},
        {"null@null", "g", "fails"},
        {"null@null", "h", "fails", .host_only = true, .reason = "crash"},
        {"null@null", "i", "blocked", .reason = "crash"},
        {"null@meta", "a", "fails", .reason = "type failure"},
        {"null@host", "a", "fails", .reason = "crash"}, /* a reference */
    };
    begin(s);
    STORED_VERDICTS(s, verdicts);
    check_columns(s, "reasons", "target,reason,functions,failing,names",
                  "[\"null@null\",\"type failure\",5,4,\"c, d, e, f, b\"]\n"
                  "[\"null@null\",\"unclassified\",1,1,\"g\"]\n"
                  "[\"null@meta\",\"type failure\",1,1,\"a\"]\n");
    json_t *report = tables_for_people(s, "reasons");
    assert_text(columns_of(report, "reasons", "target,names"),
                "[\"null@null\",\"c, d, e and 2 more\"]\n[\"null@null\",\"g\"]\n"
                "[\"null@meta\",\"a\"]\n");
    json_decref(report);
}

/* ---- summary ----------------------------------------------------------------------------------
 */

static void test_a_summary_counts_verdicts(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "a", "works", .counted = 2, .passed = 2},
        {"null@null", "b", "works", .counted = 1, .passed = 1},
        {"null@null", "c", "works with limits", .counted = 4, .passed = 3},
        {"null@null", "d", "partly", .counted = 4, .passed = 1},
        {"null@null", "e", "fails", .counted = 2},
        {"null@null", "f", "absent"},
        {"null@null", "g", "reference fails"},
        {"null@null", "h", "blocked"},
        {"null@null", "i", "untested"},
        {"null@null", "j", "fails", .host_only = true},
        {"null@host", "a", "works"},
        {"null@meta", "a", "works", .counted = 1, .passed = 1},
    };
    begin(s);
    STORED_VERDICTS(s, verdicts);
    /* On null@null, the share is 3 of 5, and the mean share is that of 1, 1, 3/4, 1/4 and 0. */
    check_columns(
        s, "summary",
        "target,functions,works,limits,partly,fails,share,mean_case_share,ratio,host_only,"
        "absent,not_counted",
        "[\"null@host\",1,1,0,0,0,\"reference\",null,null,0,0,0]\n"
        "[\"null@null\",10,2,1,1,1,0.6,0.6,null,1,1,3]\n");
    check_table(s, "summary", "shapes",
                "target,functions,works,limits,partly,fails,share,mean_case_share,ratio,host_only,"
                "absent,not_counted",
                "[\"null@meta\",1,1,0,0,0,1.0,1.0,null,0,0,0]\n");
}

static void test_a_summary_has_the_ratio_of_the_target(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "a", "untested"}};
    begin(s);
    STORED_VERDICTS(s, verdicts);
    const struct pm_statistic_row ratio = {.run_id = s->run,
                                           .target_id = stored_target(s, "null@null"),
                                           .scope = PM_SCOPE_TARGET,
                                           .function = "",
                                           .name = "",
                                           .clock = PM_CLOCK_WARM,
                                           .size = PM_SIZE_SMALL,
                                           .what = PM_STATISTIC_RATIO,
                                           .value = 2,
                                           .low = 1,
                                           .high = 4};
    assert_ok(s, pm_store_add_statistic(s->store, &ratio, &s->err));
    json_t *report = tables_of(s, "summary");
    char *rows = columns_of(report, "summary",
                            "target,functions,works,partly,fails,share,ratio,host_only,absent,"
                            "not_counted");
    assert_has(rows, "[\"null@null\",1,0,0,0,null,{\"value\":2.0,\"low\":1.0,\"high\":4.0},0,0,1]");
    free(rows);
    json_decref(report);
}

static void test_the_papers_way_counts_its_own_verdicts(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "a", "fails", .paper = "works"},
        {"null@null", "b", "blocked", .paper = "fails"},
        {"null@null", "c", "works", .host_only = true},
        {"null@null", "d", "untested"},
        {"null@host", "a", "works"},
        {"null@meta", "a", "works"},
    };
    begin(s);
    STORED_VERDICTS(s, verdicts);
    json_t *report = tables_of(s, "paper");
    char *rows = columns_of(report, "paper", "target,functions,works,partly,fails");
    assert_has(rows, "[\"null@null\",3,0.6667,");
    assert_lacks(rows, "null@host");
    assert_lacks(rows, "null@meta");
    free(rows);
    json_decref(report);
}

static void test_what_is_in_no_share_is_listed_with_its_reason(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "a", "works"},
        {"null@null", "b", "reference fails", .detail = "the reference fails"},
        {"null@null", "c", "partly", .host_only = true, .detail = "differs"},
        {"null@null", "d", "works", .host_only = true},
        {"null@host", "b", "reference fails", .detail = "ended by SIGSEGV"},
        {"null@host", "c", "works", .host_only = true},
    };
    begin(s);
    STORED_VERDICTS(s, verdicts);
    check_columns(s, "not_counted", "target,function,case,result,message",
                  "[\"null@host\",\"b\",\"\",\"reference fails\",\"ended by SIGSEGV\"]\n"
                  "[\"null@null\",\"b\",\"\",\"reference fails\",\"the reference fails\"]\n"
                  "[\"null@null\",\"c\",\"\",\"host-only, partly\",\"differs\"]\n"
                  "[\"null@null\",\"d\",\"\",\"host-only, works\",\"\"]\n");
    check_columns(s, "not_counted", "function,why_not",
                  "[\"b\",\"its core cases fail on the reference\"]\n"
                  "[\"b\",\"its core cases fail on the reference\"]\n"
                  "[\"c\",\"it has no inputs or outputs on the device\"]\n"
                  "[\"d\",\"it has no inputs or outputs on the device\"]\n");
}

/* ---- failures ---------------------------------------------------------------------------------
 */

static void test_cases_that_fail_alike_are_one_row_for_people(void **state)
{
    struct stored *s = *state;
    static const struct judged_case cases[] = {
        {"null@null", "f", "a", "fail", 0, "run", "no kernel"},
        {"null@null", "f", "a", "fail", 1, "run", "no kernel at 0x7f"}, /* the same case again */
        {"null@null", "f", "b", "fail", 0, "run", "no kernel"},
        {"null@null", "f", "c", "crash", 0, "run", "no kernel"},
        {"null@null", "f", "d", "pass"},
        {"null@null", "f", "e", "not applicable", 0, "run", "needs two"},
        {"null@null", "g", "a", "fail", 0, "run", "no kernel"},
    };
    begin(s);
    STORED_JUDGED(s, cases);
    json_t *report = tables_for_people(s, "failures");
    assert_text(columns_of(report, "failures", "target,function,cases,case,place,message"),
                "[\"null@null\",\"f\",2,\"a\",\"run\",\"no kernel\"]\n"
                "[\"null@null\",\"f\",1,\"c\",\"crash in run\",\"no kernel\"]\n"
                "[\"null@null\",\"g\",1,\"a\",\"run\",\"no kernel\"]\n");
    json_decref(report);
    /* Formats for programs have one row for each case, with its full name, whatever the number of
     * its repetitions. */
    check_columns(s, "failures", "target,function,case,outcome,stage,reason,rule,precision,message",
                  "[\"null@null\",\"f\",\"a\",\"fail\",\"run\",\"\",\"\",\"\",\"no kernel\"]\n"
                  "[\"null@null\",\"f\",\"b\",\"fail\",\"run\",\"\",\"\",\"\",\"no kernel\"]\n"
                  "[\"null@null\",\"f\",\"c\",\"crash\",\"run\",\"\",\"\",\"\",\"no kernel\"]\n"
                  "[\"null@null\",\"g\",\"a\",\"fail\",\"run\",\"\",\"\",\"\",\"no kernel\"]\n");
}

/* A case that must raise, or whose setup fails, does not count as a failure of its function. */
static void test_what_does_not_count_is_no_failure(void **state)
{
    struct stored *s = *state;
    static const struct judged_case cases[] = {
        {"null@host", "r", "x", "pass", .uncounted = true},
        {"null@null", "f", "a", "blocked", 0, "setup", "no format"},
        {"null@null", "f", "b", "harness", 0, "run", "too large", .uncounted = true},
        {"null@null", "r", "x", "fail", 0, "run", "nothing was raised", .uncounted = true},
        {"null@host", "w", "x", "fail", .uncounted = true},
        {"null@null", "w", "x", "fail", .uncounted = true},
    };
    begin(s);
    stored_add_case(s, "null", "r", "x", "{\"raises\": {}}");
    STORED_JUDGED(s, cases);
    check_columns(s, "failures", "function", "no table");
    check_columns(
        s, "not_counted", "target,function,case,why_not,message",
        "[\"null@host\",\"w\",\"x\",\"it fails on the reference\",\"\"]\n"
        "[\"null@null\",\"f\",\"a\",\"its setup fails\",\"no format\"]\n"
        "[\"null@null\",\"f\",\"b\",\"an error in the case or in portmeter\",\"too large\"]\n"
        "[\"null@null\",\"r\",\"x\",\"it must raise an exception\",\"nothing was raised\"]\n");
}

/* ---- functions --------------------------------------------------------------------------------
 */

static void add_ratio(struct stored *s, const char *function, double ratio)
{
    const struct pm_statistic_row row = {.run_id = s->run,
                                         .target_id = stored_target(s, "null@null"),
                                         .scope = PM_SCOPE_FUNCTION,
                                         .function = function,
                                         .name = "",
                                         .clock = PM_CLOCK_WARM,
                                         .size = PM_SIZE_SMALL,
                                         .what = PM_STATISTIC_RATIO,
                                         .value = ratio,
                                         .low = NAN,
                                         .high = NAN,
                                         .processes = 3,
                                         .reference_processes = 5};
    assert_ok(s, pm_store_add_statistic(s->store, &row, &s->err));
}

static void add_functions(struct stored *s)
{
    static const struct judged_verdict verdicts[] = {
        {"null@null", "absent", "absent"},
        {"null@null", "fails", "fails", .detail = "no kernel"},
        {"null@null", "fast", "works"},
        {"null@null", "host", "works", .host_only = true},
        {"null@null", "part", "partly", .detail = "2 of 8 differ"},
        {"null@null", "plain", "works"},
        {"null@null", "quiet", "works"},
        {"null@null", "slow", "works"},
        {"null@host", "slow", "works"},
        {"null@host", "host", "works", .host_only = true},
    };
    static const struct judged_case cases[] = {
        {"null@null", "part", "a", "pass"},
        {"null@null", "part", "b", "fail"},
        {"null@null", "part", "c", "pass"},
    };
    begin(s);
    STORED_VERDICTS(s, verdicts);
    STORED_JUDGED(s, cases);
    add_ratio(s, "slow", 48);
    add_ratio(s, "fast", 0.5);
}

static void test_a_reason_says_how_many_cases_fail_for_it(void **state)
{
    static const struct judged_verdict verdicts[] = {
        {"null@null", "part", "partly", .detail = "no kernel", .reason = "not implemented"},
    };
    static const struct judged_case cases[] = {
        {"null@null", "part", "a", "fail", .reason = "wrong value"},
        {"null@null", "part", "b", "fail", .reason = "not implemented"},
        {"null@null", "part", "c", "fail", .reason = "not implemented"},
        {"null@null", "part", "d", "pass"},
        {"null@null", "part", "e", "fail", .reason = "not implemented", .uncounted = true},
    };
    struct stored *s = *state;
    begin(s);
    STORED_VERDICTS(s, verdicts);
    STORED_JUDGED(s, cases);
    json_t *report = tables_for_people(s, "functions");
    assert_text(columns_of(report, "functions", "target,function,verdict,reason"),
                "[\"null@null\",\"part\",\"partly\","
                "\"3 of 4 cases fail, 2 of them: not implemented: no kernel\"]\n");
    json_decref(report);
}

static void test_functions_are_listed_worst_first(void **state)
{
    struct stored *s = *state;
    add_functions(s);
    json_t *report = tables_for_people(s, "functions");
    assert_text(columns_of(report, "functions", "target,function,verdict,ratio,reason"),
                "[\"null@null\",\"fails\",\"fails\",null,\"no kernel\"]\n"
                "[\"null@null\",\"part\",\"partly\",null,\"1 of 3 cases fails: 2 of 8 differ\"]\n"
                "[\"null@null\",\"slow\",\"works\",{\"value\":48.0,\"low\":null,\"high\":null},"
                "\"intolerable latency\"]\n"
                "[\"null@null\",\"fast\",\"works\",{\"value\":0.5,\"low\":null,\"high\":null},"
                "\"\"]\n"
                "[\"null@null\",\"2 functions\",\"works\",null,\"plain, quiet\"]\n"
                "[\"null@null\",\"1 function\",\"host-only\",null,\"host\"]\n"
                "[\"null@null\",\"absent\",\"absent\",null,\"\"]\n");
    json_decref(report);
}

static void test_programs_get_a_row_for_each_function(void **state)
{
    struct stored *s = *state;
    add_functions(s);
    json_t *report = tables_of(s, "functions");
    char *rows = columns_of(report, "functions",
                            "target,function,verdict,verdict_paper,cases,passing_cases,reason,rule,"
                            "message,latency,reference_latency,ratio,processes,latency_large,"
                            "reference_latency_large,ratio_large,processes_large,calls,paper,"
                            "intolerable");
    assert_has(rows, "[\"null@host\",\"slow\",\"works\",\"works\",0,0,");
    assert_has(rows, "[\"null@null\",\"part\",\"partly\",\"partly\",3,2,\"\",\"\","
                     "\"2 of 8 differ\",null,null,null,null,");
    assert_has(rows, "{\"value\":48.0,\"low\":null,\"high\":null},3,");
    assert_has(rows, "[\"null@null\",\"quiet\",");
    assert_has(rows, "[\"null@host\",\"host\",\"host-only\",\"works\",");
    free(rows);
    json_decref(report);
}

static void test_a_long_message_is_its_first_sentence_there(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "f", "fails",
         .detail =
             "No kernel. This sentence and those that follow say at length what to do about it, "
             "which helps nobody who only wants to know what is the matter with the function. "
             "Really."}};
    begin(s);
    STORED_VERDICTS(s, verdicts);
    json_t *report = tables_for_people(s, "functions");
    assert_text(columns_of(report, "functions", "target,function,verdict,reason"),
                "[\"null@null\",\"f\",\"fails\",\"No kernel\"]\n");
    json_decref(report);
}

/* ---- cases, executions ------------------------------------------------------------------------
 */

static void test_a_row_for_each_case_and_each_execution(void **state)
{
    struct stored *s = *state;
    static const struct judged_case cases[] = {
        {"null@null", "f", "a[float32]", "pass"},
        {"null@null", "f", "a[float32]", "fail", 1, "run", "no kernel"},
        {"null@null", "f", "n", "not applicable"},
        {"null@null", "g", "alike", "pass"},
        {"null@null", "g", "alike", "pass", 1},
    };
    begin(s);
    STORED_JUDGED(s, cases);
    check_columns(s, "cases",
                  "target,function,case,dtype,kind,outcome,counted,passed,processes,latency,ratio,"
                  "unstable,by_type,stage,reason,message",
                  "[\"null@null\",\"f\",\"a[float32]\",\"float32\",\"core\",\"fail\",\"yes\",1,2,"
                  "null,null,\"\",\"\","
                  "\"run\",\"\",\"no kernel\"]\n"
                  "[\"null@null\",\"f\",\"n\",\"\",\"core\",\"not "
                  "applicable\",\"yes\",0,1,null,null,\"\",\"\",\"\","
                  "\"\",\"\"]\n"
                  "[\"null@null\",\"g\",\"alike\",\"\",\"core\",\"pass\",\"yes\",2,2,null,null,"
                  "\"\",\"\",\"\",\"\",\"\"]\n");
    json_t *report = tables_of(s, "executions");
    char *rows = columns_of(report, "executions", "case,repetition,outcome");
    assert_has(rows, "[\"alike\",0,\"pass\"]\n[\"alike\",1,\"pass\"]\n");
    free(rows);
    rows = columns_of(report, "executions",
                      "target,run,function,case,dtype,repetition,retry,outcome,stage,counted,"
                      "shared,reason,rule,message,first_call,tracing,lowering,compiling,running,"
                      "compilations,recompilations,device_memory_bytes");
    assert_has(rows, "[\"null@null\",1,\"f\",\"a[float32]\",\"float32\",0,\"\",\"pass\",");
    assert_has(rows, "[\"null@null\",1,\"f\",\"a[float32]\",\"float32\",1,\"\",\"fail\",\"run\","
                     "\"yes\",\"no\",\"\",\"\",\"no kernel\",null,null,null,null,null,null,null,"
                     "null]");
    free(rows);
    json_decref(report);
}

static void test_no_failure_is_said_where_something_was_judged(void **state)
{
    struct stored *s = *state;
    static const struct judged_case cases[] = {{"null@null", "f", "a", "pass"}};
    begin(s);
    json_t *report = tables_of(s, "failures");
    assert_text(notes_of(report, NULL), "");
    json_decref(report);
    STORED_JUDGED(s, cases);
    report = tables_of(s, "failures");
    assert_text(notes_of(report, NULL), "failures: none\n");
    assert_text(columns_of(report, "failures", "function"), "no table");
    json_decref(report);
    report = tables_of_asked(s, "failures");
    assert_text(columns_of(report, "failures", "function"), "");
    json_decref(report);
}

/* ---- what the answers were checked by, and what is not counted -------------------------------
 */

static void add_cases(struct stored *s)
{
    stored_add_case(s, "null", "e", "x", "{\"expect\": \"x\"}");
    stored_add_case(s, "null", "f", "x", "{\"expect\": \"x\"}");
    stored_add_case(s, "null", "g", "x", "{\"check\": \"True\"}");
    stored_add_case(s, "null", "r", "x", "{\"raises\": {}}");
}

static const struct judged_case checked_cases[] = {
    {"null@host", "e", "x", "pass"},
    {"null@host", "f", "x", "pass"},
    {"null@host", "g", "x", "pass"},
    {"null@host", "h", "x", "pass"},
    {"null@host", "r", "x", "fail", .uncounted = true},
    {"null@null", "e", "x", "pass"},
    {"null@null", "f", "x", "pass"},
    {"null@null", "g", "x", "pass"},
    {"null@null", "h", "x", "fail"},
    {"null@null", "i", "x", "pass"},
    {"null@null", "r", "x", "pass", .uncounted = true},
    {"null@meta", "e", "x", "pass"},
    {"null@meta", "g", "x", "pass"},
};

/* The `expect` of `e` was evaluated, that of `f` was not; `g` has a check; `h` has only the
 * reference; `i` has nothing (reference: none); `r` counts in no verdict. A target without values
 * has only the reference. */
static void test_a_report_says_what_answers_were_checked_by(void **state)
{
    struct stored *s = *state;
    static const struct judged_case oracle[] = {{"numpy@cpu", "e", "x", "pass"}};
    begin(s);
    add_cases(s);
    STORED_JUDGED(s, checked_cases);
    STORED_JUDGED(s, oracle);
    /* The counts are of functions checked by `expect` or `check`, only by the reference, and by
     * nothing. */
    check_columns(s, "checked", "target,functions,case,reference,nothing",
                  "[\"null@host\",4,2,null,2]\n[\"null@null\",5,2,2,1]\n[\"null@meta\",2,0,2,0]\n");
}

static void test_a_report_says_that_it_had_no_oracle(void **state)
{
    struct stored *s = *state;
    begin(s);
    add_cases(s);
    STORED_JUDGED(s, checked_cases);
    json_t *report = tables_of(s, "checked");
    assert_text(columns_of(report, "checked", "target,functions,case,reference,nothing"),
                "[\"null@host\",4,1,null,3]\n[\"null@null\",5,1,3,1]\n"
                "[\"null@meta\",2,0,2,0]\n");
    char *notes = notes_of(report, "checked");
    assert_has(notes,
               "null@host: the `expect` of 2 functions was not evaluated, because the framework");
    assert_has(notes, "null@null: the `expect` of 2 functions was not evaluated");
    assert_lacks(notes, "null@meta");
    free(notes);
    json_decref(report);
}

/* The note counts cases that fail on the reference, even in only one of two processes. It does not
 * count cases that the reference cannot run, or `raises:` cases. */
static void test_cases_that_the_reference_fails_are_counted_and_named(void **state)
{
    struct stored *s = *state;
    static const struct judged_case cases[] = {
        {"null@host", "f", "blocked", "blocked"},
        {"null@host", "f", "good", "pass"},
        {"null@host", "f", "wrong", "pass", 0, .uncounted = true},
        {"null@host", "f", "wrong", "crash", 1, .detail = "dies", .uncounted = true},
        {"null@host", "r", "x", "fail", .uncounted = true},
        {"null@null", "f", "blocked", "pass", .uncounted = true},
        {"null@null", "f", "good", "pass"},
        {"null@null", "f", "wrong", "pass", .uncounted = true},
        {"null@null", "r", "x", "pass", .uncounted = true},
        {"null@meta", "f", "wrong", "not applicable", .uncounted = true},
    };
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"}};
    begin(s);
    add_cases(s);
    STORED_JUDGED(s, cases);
    STORED_VERDICTS(s, verdicts);
    check_columns(s, "not_counted", "target,function,case,result,why_not,message",
                  "[\"null@host\",\"f\",\"wrong\",\"crash\",\"it fails on the reference\","
                  "\"dies\"]\n"
                  "[\"null@host\",\"f\",\"blocked\",\"blocked\",\"its setup fails\",\"\"]\n"
                  "[\"null@host\",\"r\",\"x\",\"fail\",\"it must raise an exception\",\"\"]\n");
    json_t *report = tables_of(s, "summary");
    char *notes = notes_of(report, "summary");
    assert_has(notes, "null@null: 1 case is not counted, because it fails on the reference");
    assert_has(notes, "null@null: each case ran in only one process, so a case");
    assert_lacks(notes, "null@host: each");
    assert_lacks(notes, "null@meta");
    free(notes);
    json_decref(report);
}

/* ---- dtypes -----------------------------------------------------------------------------------
 */

static void test_a_matrix_has_the_dtypes_that_were_used(void **state)
{
    struct stored *s = *state;
    static const struct judged_case cases[] = {
        {"null@null", "f", "a[float32]", "pass"},
        {"null@null", "f", "b[float32]", "fail"},
        {"null@null", "f", "a[float16]", "crash"},
        {"null@null", "f", "a[int8]", "pass"},
        {"null@null", "f", "plain", "fail"},
        {"null@null", "g", "a[int8]", "blocked"},
        {"null@null", "h", "plain", "pass"},
        {"null@null", "h", "o[int8]", "harness"},
        {"null@null", "h", "r[int8]", "fail", .uncounted = true},
    };
    begin(s);
    STORED_JUDGED(s, cases);
    /* in the order of dtypes: int8, float16, float32; then cases without a dtype */
    check_table(s, "dtypes", "dtypes null@null", "function,int8,float16,float32,no_dtype",
                "[\"f\",\"pass\",\"FAIL\",\"part\",\"FAIL\"]\n[\"g\",\"-\",\"\",\"\",\"\"]\n"
                "[\"h\",\"-\",\"\",\"\",\"pass\"]\n");
}

static void test_a_references_matrix_is_shown_where_there_is_no_other(void **state)
{
    struct stored *s = *state;
    static const struct judged_case of_reference[] = {{"null@host", "f", "a[float32]", "pass"}};
    static const struct stored_target alone[] = {{"null@host"}, {"numpy@cpu", .role = "oracle"}};
    begin(s);
    STORED_JUDGED(s, of_reference);
    check_table(s, "dtypes", "dtypes null@host", "function", "no table");
    stored_add_run(s, NULL);
    STORED_TARGETS(s, alone);
    STORED_JUDGED(s, of_reference);
    check_table(s, "dtypes", "dtypes null@host", "function,float32", "[\"f\",\"pass\"]\n");
}

/* ---- planted faults, empty tables
 * -------------------------------------------------------------------
 */

static void add_planted_fault(struct stored *s, const char *name, const char *observed,
                              bool detected)
{
    const struct pm_planted_fault_row row = {.run_id = s->run,
                                             .target_id = stored_target(s, "null@null"),
                                             .name = name,
                                             .expected = PM_OUTCOME_FAIL,
                                             .observed = WORD(observation, observed),
                                             .as_expected = detected,
                                             .detail = ""};
    assert_ok(s, pm_store_add_planted_fault(s->store, &row, &s->err));
}

static void test_planted_faults_are_detected_or_not_or_do_not_apply(void **state)
{
    struct stored *s = *state;
    begin(s);
    add_planted_fault(s, "a", "fail", true);
    add_planted_fault(s, "b", "pass", false);
    add_planted_fault(s, "c", "does not apply", true);
    check_columns(s, "planted_faults", "target,planted_fault,expected,observed,detected,detail",
                  "[\"null@null\",\"a\",\"fail\",\"fail\",\"yes\",\"\"]\n"
                  "[\"null@null\",\"b\",\"fail\",\"pass\",\"NO\",\"\"]\n"
                  "[\"null@null\",\"c\",\"fail\",\"does not apply\",\"-\",\"\"]\n");
}

static void test_a_table_without_rows_is_shown_to_who_asks(void **state)
{
    static const char *const names[] = {"failures",       "not_counted", "dtypes", "unstable",
                                        "planted_faults", "cases",       "ratios", "estimates",
                                        "checked",        "functions",   "clocks", "executions"};
    struct stored *s = *state;
    begin(s);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *report = tables_of(s, names[i]);
        assert_text(columns_of(report, names[i], "function"), "no table");
        json_decref(report);
        report = tables_of_asked(s, names[i]);
        assert_text(columns_of(report, names[i], "function"), "");
        json_decref(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_what_breaks_is_counted_by_reason),
        STORED_TEST(test_a_summary_counts_verdicts),
        STORED_TEST(test_a_summary_has_the_ratio_of_the_target),
        STORED_TEST(test_the_papers_way_counts_its_own_verdicts),
        STORED_TEST(test_what_is_in_no_share_is_listed_with_its_reason),
        STORED_TEST(test_cases_that_fail_alike_are_one_row_for_people),
        STORED_TEST(test_what_does_not_count_is_no_failure),
        STORED_TEST(test_a_reason_says_how_many_cases_fail_for_it),
        STORED_TEST(test_functions_are_listed_worst_first),
        STORED_TEST(test_programs_get_a_row_for_each_function),
        STORED_TEST(test_a_long_message_is_its_first_sentence_there),
        STORED_TEST(test_a_row_for_each_case_and_each_execution),
        STORED_TEST(test_no_failure_is_said_where_something_was_judged),
        STORED_TEST(test_a_report_says_what_answers_were_checked_by),
        STORED_TEST(test_a_report_says_that_it_had_no_oracle),
        STORED_TEST(test_cases_that_the_reference_fails_are_counted_and_named),
        STORED_TEST(test_a_matrix_has_the_dtypes_that_were_used),
        STORED_TEST(test_a_references_matrix_is_shown_where_there_is_no_other),
        STORED_TEST(test_planted_faults_are_detected_or_not_or_do_not_apply),
        STORED_TEST(test_a_table_without_rows_is_shown_to_who_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

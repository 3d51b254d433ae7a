/* Tests of reports of a database: which runs and tables they have, the lines around the tables, and
 * where they are written. Also tests how a stored sample is printed. */
#include "tables.h"

#include <math.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/samples.h"
#include "store/scans.h"
#include "tables/tables.h"
#include "usage/usage.h"

static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};

static const char machine[] =
    "{\"processor\": \"Made-up 9\", \"physical_cores\": 4, \"memory_bytes\": 8589934592, "
    "\"system\":"
    " \"Linux\", \"kernel\": \"6.1\"}";

static void add_run(struct stored *s, const struct pm_run_row *as)
{
    stored_add_run(s, as);
    STORED_TARGETS(s, targets);
}

static struct pm_report_options options_of(const struct stored *s)
{
    return (struct pm_report_options){.db = s->db, .format = PM_FORMAT_TEXT, .full = true};
}

/* Returns the printed report, which the caller frees, and opens the store again. */
static char *print(struct stored *s, const struct pm_report_options *o, enum pm_exit *status)
{
    stored_close(s);
    stored_catch_stdout(s);
    const int rc = pm_tables_report(o, status, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    stored_open(s);
    return text;
}

/* Asserts that the default report contains each of these parts; NULL ends the list. */
static void check_print(struct stored *s, enum pm_exit expected, const char *const *parts)
{
    const struct pm_report_options o = options_of(s);
    enum pm_exit status;
    char *text = print(s, &o, &status);
    for (; *parts; parts++)
        assert_has(text, *parts);
    assert_int_equal(status, expected);
    free(text);
}
#define CHECK_PRINT(s, status, ...) check_print(s, status, (const char *const[]){__VA_ARGS__, NULL})

/* ---- around the tables ------------------------------------------------------------------------
 */

static void test_a_report_says_on_what_it_was_measured(void **state)
{
    struct stored *s = *state;
    add_run(s, NULL);
    stored_add_attempt(s, machine, 0.5, 1.5);
    CHECK_PRINT(s, PM_EXIT_FINE, "run 1 of 2026-07-01",
                "Made-up 9, 4 cores, 8 GiB, Linux 6.1, load 0.5 before and 1.5 after",
                "null@host  null 1.0", "null@null  null 1.0", "valid");
}

static void add_warm(struct stored *s, const char *target, enum pm_scope scope,
                     const char *function, enum pm_statistic what, double value)
{
    const struct pm_statistic_row row = {.run_id = s->run,
                                         .target_id = stored_target(s, target),
                                         .scope = scope,
                                         .function = function,
                                         .name = "",
                                         .clock = PM_CLOCK_WARM,
                                         .size = PM_SIZE_SMALL,
                                         .what = what,
                                         .value = value,
                                         .low = NAN,
                                         .high = NAN,
                                         .processes = 40};
    assert_ok(s, pm_store_add_statistic(s->store, &row, &s->err));
}

static void test_a_report_says_how_far_ratios_are_noise(void **state)
{
    struct stored *s = *state;
    add_run(s, NULL);
    stored_add_attempt(s, machine, 0.5, 1.5);
    stored_add_attempt(s, machine, 2.5, 0.7);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "f", PM_STATISTIC_RATIO, 3);
    CHECK_PRINT(s, PM_EXIT_FINE, "noise", "floor of null@host unknown", "portmeter run --noise");
    add_warm(s, "null@host", PM_SCOPE_TARGET, "", PM_STATISTIC_NOISE, 1.08);
    CHECK_PRINT(s, PM_EXIT_FINE, "floor 1.08x: two measurements of null@host differ by less than",
                "98 % of 40 cases, load 0.5 before and 0.7 after");
}

#define NAME(name, aliases)                                                                        \
    "{\"name\": \"" name "\", \"kind\": \"function\", \"aliases\": [" aliases                      \
    "], \"defined\": \"\", \"bases\": [], \"deprecated\": false, \"examples\": false}"

/* Adds a scan with 30 calls of f, 50 of g and 20 of h; g has a second name, `older`. */
static void add_calls(struct stored *s)
{
    const struct pm_scan_row scan = {.started = "2026-01-01T00:00:00.000Z",
                                     .finished = "2026-01-01T00:01:00.000Z",
                                     .options = "{}",
                                     .totals = "{}",
                                     .damages = "[]"};
    static const char names[] =
        "{\"schema\": \"portmeter-inventory\", \"version\": 1, \"framework\": \"null\","
        "\"framework_version\": \"1.0\", \"python\": \"3.11.7\", \"root\": \"null\","
        "\"short\": \"null\", \"functions\": [" NAME("f", "") "," NAME("g", "\"older\"") "," NAME(
            "h", "") "], \"private\": [], \"foreign\": [], \"unread\": []}";
    const struct pm_inventory_row inventory = {.framework = "null",
                                               .version = "1.0",
                                               .environment = "null",
                                               .recorded = "2026-01-01T00:00:00.000Z",
                                               .document = names};
    static const struct {
        const char *name;
        int64_t calls;
    } uses[] = {{"f", 30}, {"g", 50}, {"h", 20}};
    int64_t id, inventory_id;
    assert_ok(s, pm_store_add_inventory(s->store, &inventory, &inventory_id, &s->err));
    assert_ok(s, pm_store_add_scan(s->store, &scan, &id, &s->err));
    const struct pm_scanned_row scanned = {id, inventory_id, "null", 1, 1, 0};
    assert_ok(s, pm_store_add_scanned(s->store, &scanned, &s->err));
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const struct pm_frequency_row row = {.scan_id = id,
                                             .framework = "null",
                                             .rule = PM_RULE_RESOLVED,
                                             .name = uses[i].name,
                                             .kind = PM_NAME_FUNCTION,
                                             .uses = uses[i].calls,
                                             .files = 1};
        assert_ok(s, pm_store_add_frequency(s->store, &row, &s->err));
    }
}

static void test_blocked_functions_are_bounds_of_the_share(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "a", "works", .counted = 1, .passed = 1},
        {"null@null", "b", "works", .counted = 1, .passed = 1},
        {"null@null", "c", "fails", .counted = 1},
        {"null@null", "d", "blocked"}};
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    CHECK_PRINT(s, PM_EXIT_FINE,
                "null@null       2 of 3 functions work (67 %), 0 partly, 1 fail, 1 blocked: 50 % "
                "if it fails, 75 % if it works (inconclusive); on average 67 % of the cases "
                "pass; ");
}

static void test_what_executes_nothing_does_not_work(void **state)
{
    struct stored *s = *state;
    static const struct stored_target unexecuted[] = {
        {"null@host"},
        {"null@meta", "null@host", .evidence = "shape only"},
        {"null@lower", "null@host", .evidence = "lowered"}};
    static const struct judged_verdict verdicts[] = {
        {"null@meta", "a", "works", .counted = 1, .passed = 1},
        {"null@lower", "a", "works", .counted = 1, .passed = 1},
        {"null@lower", "b", "partly", .counted = 2, .passed = 1}};
    stored_add_run(s, NULL);
    STORED_TARGETS(s, unexecuted);
    STORED_VERDICTS(s, verdicts);
    CHECK_PRINT(s, PM_EXIT_FINE,
                "null@meta       1 of 1 function has shapes (100 %), 0 partly, 0 fail; on average "
                "100 % of the cases pass; no function has a ratio to its reference\n"
                "null@lower      1 of 2 functions can be lowered (50 %), 1 partly, 0 fail; on "
                "average 75 % of the cases pass; no function has a ratio to its reference\n"
                "problems        b can be lowered only partly on null@lower\n",
                "\n\nWhich functions can be lowered (nothing is executed)\n",
                "\n\nWhich functions have shapes (nothing is executed)\n");
}

/* The headline has a second share, of the functions that are possible, if there are any. */
static void test_a_second_share_excludes_what_is_impossible(void **state)
{
    struct stored *s = *state;
    static const struct stored_target three[] = {
        {"null@host"}, {"null@some", "null@host"}, {"null@none", "null@host"}};
    static const char reason[] = "not possible by design";
    static const struct judged_verdict verdicts[] = {
        {"null@some", "a", "works", .counted = 1, .passed = 1},
        {"null@some", "b", "fails", .counted = 1, .reason = reason},
        {"null@none", "a", "fails", .counted = 1, .reason = reason}};
    stored_add_run(s, NULL);
    STORED_TARGETS(s, three);
    STORED_VERDICTS(s, verdicts);
    CHECK_PRINT(s, PM_EXIT_FINE,
                "null@some       1 of 2 functions work (50 %; 100 % of the 1 that its types "
                "allow), 0 partly, 1 fail",
                "null@none       0 of 1 function works (0 %; its types allow none), 0 partly, ");
}

/* A useful estimate is printed with its assumption; others are not printed. */
static void test_an_estimate_says_what_it_assumes(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"}};
    const int64_t sample = stored_add_sample(s, "null", "resolved", 20, PM_STRATA_DISJOINT);
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    struct pm_estimate_row row = {.run_id = s->run,
                                  .target_id = stored_target(s, "null@null"),
                                  .sample_id = sample,
                                  .basis = PM_BASIS_USE,
                                  .value = 0.9,
                                  .low = 0.6,
                                  .high = 1,
                                  .members = 20,
                                  .marked = 17};
    assert_ok(s, pm_store_add_estimate(s->store, &row, &s->err));
    CHECK_PRINT(s, PM_EXIT_FINE,
                "real calls      90 % of all calls work on null@null (estimate, 95 % interval 60 "
                "to 100, if the 3 functions of the sample that were not measured are like the "
                "others)\n");
    assert_ok(s, pm_store_clear_judgements(s->store, s->run, &s->err));
    row.low = 0.3;
    assert_ok(s, pm_store_add_estimate(s->store, &row, &s->err));
    STORED_VERDICTS(s, verdicts);
    const struct pm_report_options o = options_of(s);
    enum pm_exit status;
    char *text = print(s, &o, &status);
    assert_lacks(text, "real calls");
    free(text);
}

static void test_a_report_begins_with_the_answer(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "a", "fails", .counted = 2},
        {"null@null", "f", "partly", .counted = 2, .passed = 1},
        {"null@null", "g", "works with limits", .counted = 4, .passed = 3},
        {"null@null", "untried", "untested"}};
    add_run(s, NULL);
    stored_add_attempt(s, machine, 6.5, 1);
    STORED_VERDICTS(s, verdicts);
    CHECK_PRINT(s, PM_EXIT_FINE,
                "warning         1 function of null@null has no counted verdict\n\n");
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "f", PM_STATISTIC_RATIO, 0.05);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "g", PM_STATISTIC_RATIO, 20);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "a", PM_STATISTIC_RATIO, 2);
    CHECK_PRINT(s, PM_EXIT_FINE,
                "null@null       1 of 3 functions work (33 %), 1 of them with limits, 1 partly, 1 "
                "fail; on average 42 % of the cases pass; of 3 timed functions, 1 intolerable "
                "(over 10x slower), 1 over 10x faster, "
                "median ratio 2.0x slower\n"
                "problems        a fails, f works only partly, g 20x slower\n"
                "warning         the machine was busy (load 6.5 on 4 cores before measuring)",
                "; 1 function of null@null has no counted verdict\nnext ", "--repetitions 8",
                "\n\nFunctions, worst first\n");
    add_calls(s);
    CHECK_PRINT(
        s, false,
        "real calls      62 % of the calls to measured functions work on null@null (80 calls, 80 "
        "% of all calls in scan 1)\n"
        "problems        g 20x slower (50 calls), f works only partly (30 calls), a fails\n");
}

/* On a screen the report has at most ten reasons; in a file and with --full it has all tables. */
static void test_a_screen_says_what_breaks_and_why(void **state)
{
    struct stored *s = *state;
    struct judged_verdict verdicts[14];
    char reasons[14][8];
    add_run(s, NULL);
    for (size_t i = 0; i < 14; i++) {
        snprintf(reasons[i], sizeof reasons[i], "r%02zu", i);
        verdicts[i] =
            (struct judged_verdict){"null@null", reasons[i], "fails", .reason = reasons[i]};
    }
    stored_add_verdicts(s, verdicts, 14);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "r01", PM_STATISTIC_RATIO, 20);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "r02", PM_STATISTIC_RATIO, 30);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "r03", PM_STATISTIC_RATIO, 5);
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    o.full = false;
    char *text = print(s, &o, &status);
    assert_has(text, "What breaks, and why\n");
    assert_has(text, "r09");
    assert_null(strstr(strstr(text, "What breaks"), "r10"));
    assert_has(text, "and 4 more: --table reasons lists all rows\n");
    assert_has(text, "slow            r02 30x slower on null@null, r01 20x slower on null@null\n");
    assert_has(text, "noise           floor of null@host unknown");
    assert_has(text, "--full   prints every table\n");
    assert_null(strstr(text, "Functions, worst first"));
    free(text);
}

/* Tests the headline of a run that has everything: targets, real calls, problems, warnings, next
 * steps. */
static void test_the_headline_has_at_most_eight_entries(void **state)
{
    struct stored *s = *state;
    static const struct stored_target many[] = {{"null@host"},           {"null@a", "null@host"},
                                                {"null@b", "null@host"}, {"null@c", "null@host"},
                                                {"null@d", "null@host"}, {"null@e", "null@host"},
                                                {"null@f", "null@host"}};
    static const struct judged_verdict verdicts[] = {
        {"null@a", "f", "partly"}, {"null@a", "g", "untested"}, {"null@b", "f", "works"}};
    stored_add_run(s, NULL);
    STORED_TARGETS(s, many);
    STORED_VERDICTS(s, verdicts);
    add_warm(s, "null@a", PM_SCOPE_FUNCTION, "f", PM_STATISTIC_RATIO, 2);
    add_calls(s);
    const struct pm_report_options o = options_of(s);
    enum pm_exit status;
    char *text = print(s, &o, &status), *start = strstr(text, "\n\n"), *end;
    assert_non_null(start);
    end = strstr(start + 2, "\n\n");
    assert_non_null(end);
    end[1] = '\0';
    assert_has(start, "null@a  ");
    assert_has(start, "3 more  ");
    assert_has(start, "real calls  ");
    assert_has(start, "problems  ");
    assert_has(start, "warning  ");
    assert_has(start, "next  ");
    size_t entries = 0;
    for (const char *at = start + 2; (at = strchr(at, '\n')); at++)
        entries++;
    assert_int_equal(entries, 8);
    free(text);
}

/* Cases with mistakes do not count in a verdict, so the first lines give their number. */
static void test_cases_that_are_not_counted_are_in_the_headline(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"}};
    static const struct judged_case one[] = {{"null@null", "f", "a", "pass"},
                                             {"null@null", "f", "b", "harness", 0, "compare",
                                              "'expect' of the case cannot be evaluated",
                                              .uncounted = true}};
    static const struct judged_case more[] = {
        {"null@null", "f", "c", "blocked", 0, "compare", "check: NameError", .uncounted = true}};
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    STORED_JUDGED(s, one);
    CHECK_PRINT(s, PM_EXIT_FINE, "1 of 1 function works",
                "1 case does not pass and is not counted (--table not_counted)\n");
    STORED_JUDGED(s, more);
    CHECK_PRINT(s, PM_EXIT_FINE, "2 cases do not pass and are not counted (--table not_counted)\n");
}

/* The first lines have each crash, even if its case is not counted or the crash was on the
 * reference. They also say if fallbacks are hidden. */
static void test_crashes_and_hidden_fallbacks_are_in_the_headline(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"},
                                                     {"null@null", "g", "reference fails"}};
    static const struct judged_case cases[] = {
        {"null@host", "g", "vector", "crash", .uncounted = true},
        {"null@null", "f", "a", "pass"},
        {"null@null", "g", "matrix", "pass", .uncounted = true},
        {"null@null", "g", "vector", "crash", .uncounted = true},
    };
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    STORED_JUDGED(s, cases);
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    char *text = print(s, &o, &status);
    assert_has(text, "; crashes the process: g (1 case)\n");
    assert_has(text, "null@host crashes the process: g (1 case)");
    assert_lacks(text, "fallbacks to the host");
    free(text);
    stored_close(s);
    stored_run_sql(s, "update target set hides_fallbacks = 1 where role = 'subject'");
    stored_open(s);
    text = print(s, &o, &status);
    assert_has(text,
               "crashes the process: g (1 case); fallbacks to the host cannot be detected on this "
               "target\n");
    free(text);
    o.format = PM_FORMAT_JSON;
    text = print(s, &o, &status);
    assert_has(text, "\"hides_fallbacks\": true");
    assert_has(text, "\"crashes\": [\n     {\n      \"function\": \"g\",\n      \"cases\": 1");
    free(text);
}

/* A crash that a retry in isolation replaced has also ended a process. */
static void test_a_crash_before_a_retry_is_in_the_headline(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@null", "f", "a", .ending = "signal", .ending_code = 11, .position = 1},
        {"null@null", "f", "a", .output = "[1]", .retry = PM_RETRY_ALONE},
    };
    add_run(s, NULL);
    STORED_EXECUTIONS(s, executions);
    (void)stored_judge(s);
    CHECK_PRINT(s, PM_EXIT_FINE, "1 of 1 function works", "; crashes the process: f (1 case)\n");
}

/* If many cases are unstable, the stable rest is a biased selection. */
static void test_many_unstable_cases_are_in_the_headline(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"}};
    static const struct judged_case cases[] = {
        {"null@null", "f", "a", "pass"},
        {"null@null", "f", "a", "pass", 4},
        {"null@null", "f", "b", "pass"},
        {"null@null", "f", "b", "pass", 4},
    };
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    STORED_JUDGED(s, cases);
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    char *text = print(s, &o, &status);
    assert_lacks(text, "unstable: its latencies");
    free(text);
    const struct pm_statistic_row unstable = {.run_id = s->run,
                                              .target_id = stored_target(s, "null@null"),
                                              .scope = PM_SCOPE_CASE,
                                              .function = "f",
                                              .name = "a",
                                              .clock = PM_CLOCK_WARM,
                                              .size = PM_SIZE_SMALL,
                                              .what = PM_STATISTIC_LATENCY,
                                              .value = 1,
                                              .low = NAN,
                                              .high = NAN,
                                              .unstable = true};
    assert_ok(s, pm_store_add_statistic(s->store, &unstable, &s->err));
    text = print(s, &o, &status);
    assert_has(text, "1 of 2 cases of null@null is unstable, so the latencies exclude it "
                     "(--table unstable)");
    assert_lacks(text, "compiles in every call");
    free(text);
    struct pm_statistic_row compiles = unstable;
    compiles.name = "b";
    compiles.value = NAN;
    assert_ok(s, pm_store_add_statistic(s->store, &compiles, &s->err));
    text = print(s, &o, &status);
    assert_has(text,
               "1 of 2 cases of null@null compiles in every call, so the latencies exclude it "
               "(--table unstable)");
    assert_has(text, "1 of 2 cases of null@null is unstable");
    free(text);
}

/* Functions without a ratio come after those with one, whatever their verdicts. */
static void test_problems_without_a_ratio_come_last(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "a", "partly"},
                                                     {"null@null", "b", "partly"},
                                                     {"null@null", "c", "partly"},
                                                     {"null@null", "d", "partly"},
                                                     {"null@null", "e", "partly"}};
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "a", PM_STATISTIC_RATIO, 3);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "c", PM_STATISTIC_RATIO, 12);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "e", PM_STATISTIC_RATIO, 40);
    CHECK_PRINT(s, false,
                "problems        e works only partly, c works only partly, a works only partly, "
                "and 2 more\n");
}

/* Scans count a function under its canonical name; a case may use a different name of it. */
static void test_calls_of_a_function_that_a_case_names_by_an_alias(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"},
                                                     {"null@null", "older", "partly"}};
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    add_calls(s);
    CHECK_PRINT(
        s, false,
        "real calls      38 % of the calls to measured functions work on null@null (80 calls, 80 "
        "% of all calls in scan 1)\n"
        "problems        older works only partly (50 calls)\n");
}

/* Calls of g are counted once, and work if g works under both of its names. */
static void test_calls_of_a_function_that_cases_name_twice(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "f", "works"}, {"null@null", "g", "works"}, {"null@null", "older", "fails"}};
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    add_calls(s);
    CHECK_PRINT(s, false,
                "real calls      38 % of the calls to measured functions work on null@null (80 "
                "calls, 80 % of all calls in scan 1)\n");
}

/* The factor is used in the headline, the tables and JSON. JSON's counts for a factor of ten stay.
 */
static void test_what_is_intolerable_can_be_set(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"},
                                                     {"null@null", "g", "works"}};
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "f", PM_STATISTIC_RATIO, 4);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "g", PM_STATISTIC_RATIO, 20);
    CHECK_PRINT(s, PM_EXIT_FINE, "1 intolerable (over 10x slower), 0 over 10x faster",
                "problems        g 20x slower\n", "intolerable: 1 of 2 functions, more than 10");
    o.intolerable = 2.5;
    char *text = print(s, &o, &status);
    assert_has(text, "2 intolerable (over 2.5x slower), 0 over 2.5x faster");
    assert_has(text, "problems        g 20x slower, f 4.0x slower\n");
    assert_has(text, "intolerable: 2 of 2 functions, more than 2.5");
    assert_has(text, "4.0x slower  intolerable latency\n");
    free(text);
    o.format = PM_FORMAT_JSON;
    text = print(s, &o, &status);
    assert_has(text, "\"over_10x_slower\": 1");
    assert_has(text, "\"intolerable\": 2,");
    free(text);
    o.format = PM_FORMAT_CSV;
    o.table = "functions";
    o.intolerable = 5;
    text = print(s, &o, &status);
    assert_has(text, ",no\r\n");
    assert_has(text, ",yes\r\n");
    free(text);
}

static void test_a_report_says_how_to_get_verdicts_on_ratios(void **state)
{
    struct stored *s = *state;
    static const struct stored_target twice[] = {{"null@host"}, {"null@null", "null@host"}};
    add_run(s, NULL);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "f", PM_STATISTIC_RATIO,
             3); /* reference_processes: 0 */
    CHECK_PRINT(s, PM_EXIT_FINE, "portmeter run --resume 1 --repetitions 8");
    const struct pm_run_row stopped = {.state = PM_RUN_STOPPED, .validity = PM_VALIDITY_VALID};
    stored_add_run(s, &stopped);
    STORED_TARGETS(s, twice);
    add_warm(s, "null@null", PM_SCOPE_FUNCTION, "f", PM_STATISTIC_RATIO, 3);
    const struct pm_report_options of_second = {.db = s->db, .run_id = 2, .format = PM_FORMAT_TEXT};
    enum pm_exit status;
    char *text = print(s, &of_second, &status);
    assert_has(text, "portmeter run --resume 2");
    assert_lacks(text, "--repetitions 8");
    free(text);
}

static void test_a_run_says_how_far_it_is_to_be_believed(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row invalid = {.state = PM_RUN_DONE,
                                       .validity = PM_VALIDITY_INVALID,
                                       .validity_reason = "no fault seen"},
                            stopped = {.state = PM_RUN_STOPPED};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@null", "f", "a", .todo = true},
    };
    add_run(s, &invalid);
    CHECK_PRINT(s, PM_EXIT_INCONCLUSIVE, "INVALID: no fault seen");
    add_run(s, &stopped);
    STORED_EXECUTIONS(s, executions);
    CHECK_PRINT(s, PM_EXIT_INCONCLUSIVE, "1 of 2 executions", "--resume");
}

/* Cases that do not count in a verdict (blocked setup, failure on the reference) fail no gate. */
static void test_only_a_counted_case_that_fails_gives_1(void **state)
{
    static const struct judged_case fine[] =
        {
            {"null@null", "f", "a", "pass"},
            {"null@null", "f", "b", "not applicable"},
            {"null@null", "f", "c", "blocked", 0, "setup", "no memory format"},
            {"null@null", "f", "d", "fail", 0, "run", "on the reference too", .uncounted = true},
            {"null@host", "f", "d", "fail", 0, "run", "the reference", .uncounted = true},
            {"null@null", "f", "e", "harness", 0, "run", "a bug", .uncounted = true},
        },
                                    fails[] = {{"null@null", "f", "g", "fail", 0, "run", "no g"}},
                                    flaky[] = {{"null@null", "f", "g", "pass"},
                                               {"null@null", "f", "g", "crash", 1, "run", "one"}};
    static const char busy[] = "update run set latency_validity = 'invalid', "
                               "latency_validity_reason = 'busy' where id = 3";
    struct stored *s = *state;
    add_run(s, NULL);
    STORED_JUDGED(s, fine);
    CHECK_PRINT(s, PM_EXIT_FINE, "valid", "no memory format");
    STORED_JUDGED(s, fails);
    CHECK_PRINT(s, PM_EXIT_WORSE, "no g");
    add_run(s, NULL);
    STORED_JUDGED(s, flaky);
    CHECK_PRINT(s, PM_EXIT_WORSE, "valid");
    add_run(s, NULL);
    STORED_JUDGED(s, fine);
    stored_close(s);
    stored_run_sql(s, busy);
    stored_open(s);
    CHECK_PRINT(s, PM_EXIT_INCONCLUSIVE, "busy"); /* the latencies decide nothing */
    STORED_JUDGED(s, fails);
    CHECK_PRINT(s, PM_EXIT_WORSE, "busy"); /* outcomes are valid, so that worse is certain */
}

static void test_a_shared_process_is_noted(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .position = 1},
        {"null@host", "f", "a", .retry = PM_RETRY_ALONE},
    };
    add_run(s, NULL);
    STORED_EXECUTIONS(s, executions);
    CHECK_PRINT(s, PM_EXIT_FINE, "shared process");
}

static void test_what_to_do_next_depends_on_what_there_is(void **state)
{
    struct stored *s = *state;
    static const struct stored_target alone[] = {{"pytorch@cpu"}};
    static const struct pm_report_hint hints[] = {{"pytorch", "pytorch-xla", "a second device"}};
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    o.hints = hints;
    o.hint_count = 1;
    add_run(s, NULL);
    char *text = print(s, &o, &status);
    assert_has(text, "--table clocks");
    assert_has(text, s->db); /* a database without the default name is named */
    assert_lacks(text, "--resume");
    assert_lacks(text, "pytorch-xla");
    free(text);
    stored_add_run(s, NULL);
    STORED_TARGETS(s, alone);
    text = print(s, &o, &status);
    assert_has(text, "env create pytorch-xla   adds a second device");
    assert_has(text, "pytorch@cpu     no function has a counted verdict");
    free(text);
}

/* ---- which run, which table -------------------------------------------------------------------
 */

static void test_the_newest_run_or_the_one_asked_for(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict first[] = {{"null@null", "of.the.first", "reference fails"}},
                                       second[] = {
                                           {"null@null", "of.the.second", "reference fails"}};
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    add_run(s, NULL);
    STORED_VERDICTS(s, first);
    add_run(s, NULL);
    STORED_VERDICTS(s, second);
    CHECK_PRINT(s, PM_EXIT_FINE, "run 2 of", "of.the.second");
    o.run_id = 1;
    char *text = print(s, &o, &status);
    assert_has(text, "of.the.first");
    assert_lacks(text, "of.the.second");
    free(text);
    stored_close(s);
    o.run_id = 3;
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_EUSAGE, "run 3");
}

static void test_one_table_by_its_name_or_number(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"}};
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    o.table = "not_counted";
    char *text = print(s, &o, &status);
    assert_has(text, "none");
    assert_lacks(text, "null@host");
    free(text);
    o.table = "paper";
    o.format = PM_FORMAT_JSON;
    text = print(s, &o, &status);
    assert_has(text, "\"paper\"");
    free(text);
    o.table = "1"; /* a table of the paper, but no target was executed that it could compare */
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_EUSAGE, "it needs two targets");
}

/* The marks are from data/paper.csv, whether or not the paper was imported. */
static void test_functions_of_the_papers_sample_are_marked(void **state)
{
    struct stored *s = *state;
    static const struct judged_verdict verdicts[] = {
        {"null@null", "f", "works"},
        {"null@null", "tf.zeros", "works"}, /* the paper tests it but does not count it */
        {"null@null", "torch.cat", "works"},
        {"null@null", "torch.lt", "partly"},
        {"null@null", "torch.sum", "absent"},
        {"null@null", "torch.zeros", "works", .host_only = true},
    };
    static const char note[] = "* in the paper's sample: 4 of the 6 functions of null";
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    add_run(s, NULL);
    STORED_VERDICTS(s, verdicts);
    CHECK_PRINT(s, PM_EXIT_FINE, "f, tf.zeros, torch.cat*\n", " torch.lt* ", " torch.sum* ", note);
    o.table = "not_counted";
    char *text = print(s, &o, &status);
    assert_has(text, " torch.sum* ");
    assert_has(text, " torch.zeros* ");
    assert_has(text, note);
    free(text);
    o.format = PM_FORMAT_CSV;
    text = print(s, &o, &status);
    assert_has(text, "null@null,torch.sum,,absent,it does not exist in this version,,top 20\r\n");
    free(text);
    o.table = "functions";
    text = print(s, &o, &status);
    assert_has(text, "torch.lt,partly,");
    assert_has(text, ",decile 60,\r\n");
    free(text);
}

static void test_a_word_that_is_unknown_is_refused_with_those_known(void **state)
{
    struct stored *s = *state;
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    o.table = "nonsense";
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_EUSAGE, "summary");
    o.table = NULL;
    o.figure = "nonsense";
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_EUSAGE, "frequency");
    o.table = "summary";
    o.figure = "frequency";
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_EUSAGE, "figure");
    o.table = NULL;
    o.output = "no/such.folder/f";
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_EUSAGE, "svg");
}

static void test_a_database_without_a_run_is_refused(void **state)
{
    struct stored *s = *state;
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    stored_add_sample(s, "null", "resolved", 20, PM_STRATA_DISJOINT);
    stored_close(s);
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_EUSAGE, "no run");
    o.db = "/nowhere/x.db";
    assert_refused(s, pm_tables_report(&o, &status, &s->err), PM_ENOTFOUND, "/nowhere/x.db");
}

static void test_a_report_goes_whole_to_a_file(void **state)
{
    struct stored *s = *state;
    struct pm_report_options o = options_of(s);
    struct pm_str text = PM_STR_INIT;
    enum pm_exit status;
    char *path = pm_path_join(s->folder, "report.md");
    add_run(s, NULL);
    o.output = path;
    o.format = PM_FORMAT_MARKDOWN;
    assert_text(print(s, &o, &status), "");
    assert_ok(s, pm_file_read(path, &text, &s->err));
    assert_has(text.data, "# ");
    assert_has(text.data, "null@null");
    pm_str_release(&text);
    free(path);
}

static void test_a_page_has_every_function_with_its_cases(void **state)
{
    static const struct stored_execution executions[] = {
        {"null@host", "null.f", "small", .output = "[1, 2]", .warm = "[900, 950]"},
        {"null@null", "null.f", "small", .output = "[1, 3]", .warm = "[900, 950]"},
        {"null@host", "null.g", "<b>", .output = "[1, 2]", .warm = "[900, 950]"},
        {"null@null", "null.g", "<b>", .output = "[1, 2]", .warm = "[90000, 95000]"},
    };
    struct stored *s = *state;
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    add_run(s, NULL);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    o.format = PM_FORMAT_HTML;
    char *text = print(s, &o, &status);
    assert_int_equal(status, PM_EXIT_WORSE);
    assert_has(text, "<!DOCTYPE html>");
    assert_has(text, "Functions by target");
    assert_has(text, "null.f");
    assert_has(text, "1 of 2 elements differ");
    assert_has(text, "eproducer");
    assert_has(text, "&lt;b&gt;");
    assert_lacks(text, "<b>");
    free(text);
}

/* Functions that are only lowered have no device: the page is named after the reference's device.
 */
static void test_a_page_is_named_after_a_device_that_executes(void **state)
{
    static const struct {
        const char *evidence, *title;
    } rows[] = {{"executed", "on Made-up 1, "}, {"lowered", "on Made-up 2, "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct stored_target named[] = {
            {"null@null", "null@host", .evidence = rows[i].evidence}, {"null@host"}};
        enum pm_exit status;
        if (i) {
            stored_tear_down(state);
            stored_set_up(state);
        }
        struct stored *s = *state;
        struct pm_report_options o = options_of(s);
        o.format = PM_FORMAT_HTML;
        stored_add_run(s, &(struct pm_run_row){STORED_DONE});
        STORED_TARGETS(s, named);
        stored_close(s);
        stored_run_sql(s, "update target set device_name = 'Made-up 1' where text = 'null@null'");
        stored_run_sql(s, "update target set device_name = 'Made-up 2' where text = 'null@host'");
        char *text = print(s, &o, &status);
        assert_has(text, rows[i].title);
        free(text);
    }
}

/* A target that two machines measured is shown from one of them, and the other is named. */
static void test_another_device_of_a_target_is_named(void **state)
{
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"}};
    static const struct judged_case cases[] = {{"null@null", "f", "a[float32]", "pass"}};
    struct stored *s = *state;
    enum pm_exit status;
    struct pm_report_options o = options_of(s);
    for (int run = 1; run <= 2; run++) {
        add_run(s, NULL);
        STORED_VERDICTS(s, verdicts);
        STORED_JUDGED(s, cases);
    }
    stored_close(s);
    for (int second = 0; second < 2; second++) {
        char *text = print(s, &o, &status);
        if (second)
            assert_has(text,
                       "run 1 measured null@null on Made-up 1: portmeter compare run:1 run:2");
        else
            assert_lacks(text, "other device");
        free(text);
        stored_close(s);
        stored_run_sql(s, "update target set device_name = 'Made-up ' || run_id");
    }
}

/* Each of these values, which no function of the store writes, is in a database of its own. */
static void test_damage_is_refused_in_one_line(void **state)
{
    static const struct judged_verdict verdicts[] = {{"null@null", "f", "works"}};
    static const struct judged_case cases[] = {{"null@null", "f", "a[float32]", "pass"}};
    static const char *const damages[] = {
        "UPDATE run SET options = '{'",
        "UPDATE attempt SET machine = 'x'",
        "UPDATE target SET evidence = 'seen'",
        "UPDATE verdict SET verdict = 'splendid'",
        "UPDATE verdict SET counted = -1",
        "UPDATE judgement SET outcome = 'splendid'",
        "UPDATE judgement SET smallest_rtol = -1",
    };
    struct pm_str taken = PM_STR_INIT;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct stored *s = *state;
        enum pm_exit status;
        if (i) {
            stored_tear_down(state);
            stored_set_up(state);
            s = *state;
        }
        add_run(s, NULL);
        stored_add_attempt(s, machine, 0.5, 1.5);
        STORED_VERDICTS(s, verdicts);
        STORED_JUDGED(s, cases);
        stored_close(s);
        stored_run_sql(s, damages[i]);
        const struct pm_report_options o = options_of(s);
        s->err.text[0] = '\0';
        stored_catch_stdout(s);
        const int rc = pm_tables_report(&o, &status, &s->err);
        free(stored_caught(s));
        if (rc != PM_EFORMAT || !strstr(s->err.text, "damaged") || strchr(s->err.text, '\n'))
            pm_str_addf(&taken, "%s: '%s'\n", damages[i], s->err.text);
    }
    assert_text(pm_str_detach(&taken), "");
}

/* ---- a stored sample --------------------------------------------------------------------------
 */

static char *print_sample(struct stored *s, int64_t id, const struct pm_map *tested,
                          const struct pm_usage_sample_print *how)
{
    struct pm_stored_sample sample;
    assert_ok(s, pm_stored_sample_load(&sample, s->store, s->db, NULL, id, &s->err));
    stored_catch_stdout(s);
    const int rc = pm_usage_print_sample(&sample, tested, how, &s->err);
    char *text = stored_caught(s);
    pm_stored_sample_release(&sample);
    assert_ok(s, rc);
    return text;
}

static void test_a_sample_is_printed_as_tables_names_or_its_trail(void **state)
{
    struct stored *s = *state;
    const int64_t id = stored_add_sample(s, "null", "resolved", 40, PM_STRATA_DISJOINT);
    struct pm_map tested = {0};
    pm_map_put(&tested, "f039", s);
    const struct pm_usage_sample_print tables = {.format = PM_FORMAT_MARKDOWN},
                                       list = {.list = true}, trail = {.explain = true};
    char *text = print_sample(s, id, &tested, &tables);
    assert_has(text, "| f039 | 40 | 1 | top 20 | yes |");
    assert_has(text, "| f038 | 39 | 2 | top 20 |  |");
    free(text);
    text = print_sample(s, id, NULL, &tables);
    assert_has(text, "| f038 | 39 | 2 | top 20 |\n"); /* it is unknown which functions are tested */
    free(text);
    text = print_sample(s, id, NULL, &list);
    assert_true(pm_starts_with(text, "f039\nf038\n"));
    free(text);
    text = print_sample(s, id, NULL, &trail);
    assert_has(text, "stratum top 20");
    free(text);
    pm_map_release(&tested);
}

/* Objects that portmeter cannot take apart are compared only by their types. */
static void test_a_case_says_what_is_compared_by_its_type_only(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "values", .output = "[1]"},
        {"null@host", "f", "object", .output = "[1]"},
        {"null@host", "f", "objects", .output = "[1]"},
    };
    struct pm_report_options o = options_of(s);
    enum pm_exit status;
    add_run(s, NULL);
    STORED_EXECUTIONS(s, executions);
    stored_add_word(s, stored_execution(s, "null@host", "f", "object", 0), 1, "type", "m.Thing");
    const int64_t objects = stored_execution(s, "null@host", "f", "objects", 0);
    stored_add_word(s, objects, 1, "value", "1");
    stored_add_word(s, objects, 2, "type", "m.Other");
    stored_judge(s);
    o.table = "cases";
    char *text = print(s, &o, &status);
    assert_has(text, "compared by type only");
    assert_has(text, "out: m.Thing\n");
    assert_has(text, "out: m.Other\n");
    free(text);
}

/* A census declares no dtypes, and a declared dtype may be one of an input. */
static void test_units_of_the_last_place_are_those_of_the_output(void **state)
{
    struct stored *s = *state;
    static const char *const on[] = {"null@host", "null@null"};
    static const char *const names[] = {"declared", "integers", "mixed", "single"};
    add_run(s, NULL);
    stored_add_case(s, "null", "declared", "c", "{\"dtypes\": [\"float16\"]}");
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < 4; i++) {
            const struct stored_execution e = {on[t], names[i], "c",
                                               .output = t ? "[4, 1.0000002384185791]" : "[4, 1]"};
            stored_add_executions(s, &e, 1);
            if (i == 2)
                stored_add_output(s, stored_execution(s, on[t], "mixed", "c", 0), "gradient", 0,
                                  "x", "[1]");
        }
    stored_judge(s);
    stored_close(s);
    stored_run_sql(s, "UPDATE leaf SET dtype = 'float64' WHERE part = 'gradient'");
    stored_run_sql(s, "UPDATE leaf SET dtype = 'int32' WHERE execution_id IN (SELECT e.id FROM"
                      " execution AS e JOIN test_case AS c ON c.id = e.case_id"
                      " WHERE c.function = 'integers')");
    stored_open(s);
    json_t *report = tables_of(s, "closeness");
    assert_text(columns_of(report, "closeness", "function,median,median_ulp,largest_ulp"),
                "[\"declared\",2.384e-7,2.0,2.0]\n[\"integers\",2.384e-7,null,null]\n"
                "[\"mixed\",2.384e-7,null,null]\n[\"single\",2.384e-7,2.0,2.0]\n");
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_report_says_on_what_it_was_measured),
        STORED_TEST(test_a_report_says_how_far_ratios_are_noise),
        STORED_TEST(test_a_report_begins_with_the_answer),
        STORED_TEST(test_blocked_functions_are_bounds_of_the_share),
        STORED_TEST(test_what_executes_nothing_does_not_work),
        STORED_TEST(test_a_second_share_excludes_what_is_impossible),
        STORED_TEST(test_an_estimate_says_what_it_assumes),
        STORED_TEST(test_a_screen_says_what_breaks_and_why),
        STORED_TEST(test_the_headline_has_at_most_eight_entries),
        STORED_TEST(test_cases_that_are_not_counted_are_in_the_headline),
        STORED_TEST(test_crashes_and_hidden_fallbacks_are_in_the_headline),
        STORED_TEST(test_a_crash_before_a_retry_is_in_the_headline),
        STORED_TEST(test_many_unstable_cases_are_in_the_headline),
        STORED_TEST(test_problems_without_a_ratio_come_last),
        STORED_TEST(test_calls_of_a_function_that_a_case_names_by_an_alias),
        STORED_TEST(test_calls_of_a_function_that_cases_name_twice),
        STORED_TEST(test_what_is_intolerable_can_be_set),
        STORED_TEST(test_a_report_says_how_to_get_verdicts_on_ratios),
        STORED_TEST(test_a_run_says_how_far_it_is_to_be_believed),
        STORED_TEST(test_only_a_counted_case_that_fails_gives_1),
        STORED_TEST(test_a_shared_process_is_noted),
        STORED_TEST(test_a_case_says_what_is_compared_by_its_type_only),
        STORED_TEST(test_units_of_the_last_place_are_those_of_the_output),
        STORED_TEST(test_what_to_do_next_depends_on_what_there_is),
        STORED_TEST(test_the_newest_run_or_the_one_asked_for),
        STORED_TEST(test_one_table_by_its_name_or_number),
        STORED_TEST(test_functions_of_the_papers_sample_are_marked),
        STORED_TEST(test_a_word_that_is_unknown_is_refused_with_those_known),
        STORED_TEST(test_a_database_without_a_run_is_refused),
        STORED_TEST(test_a_report_goes_whole_to_a_file),
        STORED_TEST(test_a_page_has_every_function_with_its_cases),
        STORED_TEST(test_a_page_is_named_after_a_device_that_executes),
        STORED_TEST(test_another_device_of_a_target_is_named),
        STORED_TEST(test_damage_is_refused_in_one_line),
        STORED_TEST(test_a_sample_is_printed_as_tables_names_or_its_trail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

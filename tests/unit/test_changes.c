/* Tests of the changes between two hand-made sides, and of how a side is written. */
#include "reports.h"

#include <math.h>

#include "compare/side.h"

struct two {
    struct pm_changes_side a, b;
    struct pm_changes c;
};

static int set_up(void **state)
{
    struct two *t = pm_alloc(sizeof *t);
    t->a = t->b = (struct pm_changes_side){.evidence = PM_EVIDENCE_EXECUTED, .floor = NAN};
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct two *t = *state;
    pm_changes_release(&t->c);
    pm_changes_side_release(&t->a);
    pm_changes_side_release(&t->b);
    free(t);
    return 0;
}
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static void add_function(struct pm_changes_side *side, const char *name, enum pm_verdict verdict)
{
    PM_GROW(side->functions, side->function_count, side->function_capacity);
    side->functions[side->function_count++] = (struct pm_changes_function){
        .name = name, .detail = "why <&\"\x01", .reason = "", .verdict = verdict};
}

static struct pm_changes_case *add_case(struct pm_changes_side *side, const char *function,
                                        const char *name, bool passes)
{
    PM_GROW(side->cases, side->case_count, side->case_capacity);
    struct pm_changes_case *c = &side->cases[side->case_count++];
    *c = (struct pm_changes_case){
        .function = function,
        .name = name,
        .definition = "{}",
        .detail = "",
        .reason = "",
        .outcome = passes ? PM_OUTCOME_PASS : PM_OUTCOME_FAIL,
        .counts = true,
        .passes = passes,
    };
    return c;
}

/* Adds times of `processes` processes, whose medians alternate between `ns` * 0.99 and `ns` * 1.01.
 */
static void add_times(struct pm_changes_case *c, int64_t processes, double ns)
{
    for (int64_t i = 0; i < processes; i++) {
        PM_GROW(c->processes, c->count, c->capacity);
        c->processes[c->count++] = (struct pm_changes_process){i, log(ns * (i % 2 ? 1.01 : 0.99))};
    }
}

static void add_timed(struct two *t, const char *function, int64_t before_processes, double before,
                      int64_t after_processes, double after)
{
    add_function(&t->a, function, PM_VERDICT_WORKS);
    add_function(&t->b, function, PM_VERDICT_WORKS);
    add_times(add_case(&t->a, function, "c", true), before_processes, before);
    add_times(add_case(&t->b, function, "c", true), after_processes, after);
}

/* Returns every function with its change, worst first, as a static text: "f regressed; g same". */
static const char *compared(struct two *t, const struct pm_changes_request *request)
{
    static char text[1024];
    struct pm_str out = PM_STR_INIT;
    pm_changes_release(&t->c);
    pm_changes_sort(&t->a);
    pm_changes_sort(&t->b);
    t->c = pm_changes_find(&t->a, &t->b, request);
    for (size_t i = 0; i < t->c.count; i++)
        pm_str_addf(&out, "%s%s %s", i ? "; " : "", t->c.changes[i].function,
                    pm_change_text(t->c.changes[i].change));
    snprintf(text, sizeof text, "%s", out.data);
    pm_str_release(&out);
    return text;
}

static const struct pm_changes_request everything;

/* ---- outcomes ---- */

static void test_each_change_of_outcomes_is_named_once(void **state)
{
    struct two *t = *state;
    static const struct {
        const char *function;
        enum pm_verdict before, after;
    } rows[] = {
        {"worse", PM_VERDICT_WORKS, PM_VERDICT_PARTLY},
        {"worst", PM_VERDICT_WORKS, PM_VERDICT_FAILS},
        {"limited", PM_VERDICT_WORKS, PM_VERDICT_LIMITS},
        {"better", PM_VERDICT_FAILS, PM_VERDICT_PARTLY},
        {"freed", PM_VERDICT_PARTLY, PM_VERDICT_LIMITS},
        {"absent", PM_VERDICT_FAILS, PM_VERDICT_ABSENT},
        {"blocked", PM_VERDICT_WORKS, PM_VERDICT_BLOCKED},
        {"appeared", PM_VERDICT_ABSENT, PM_VERDICT_WORKS},
        {"nowhere", PM_VERDICT_UNTESTED, PM_VERDICT_ABSENT},
        {"equal", PM_VERDICT_FAILS, PM_VERDICT_FAILS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add_function(&t->a, rows[i].function, rows[i].before);
        add_function(&t->b, rows[i].function, rows[i].after);
    }
    add_function(&t->a, "left", PM_VERDICT_WORKS);
    add_function(&t->b, "right", PM_VERDICT_WORKS);
    assert_string_equal(compared(t, &everything),
                        "worst regressed; worse regressed; limited regressed; absent gone; "
                        "blocked unmeasured; left unmeasured; better fixed; freed fixed; "
                        "appeared new; right new; equal same; nowhere measured on neither");
    assert_int_equal(pm_changes_regressions(&t->c), 6);
    const char *const allowed[] = {"left", "worst", "absent"};
    compared(t, &(struct pm_changes_request){.allowed = allowed, .allowed_count = 3});
    assert_int_equal(pm_changes_regressions(&t->c), 4); /* a regression counts even if allowed */
}

/* Adds a function whose cases a, b, ... pass ('p'), fail ('f') or are missing ('-') on each side.
 */
static void add_cases(struct two *t, const char *function, enum pm_verdict verdict_before,
                      const char *before, enum pm_verdict verdict_after, const char *after)
{
    static const char *const names[] = {"a", "b", "c"};
    add_function(&t->a, function, verdict_before);
    add_function(&t->b, function, verdict_after);
    for (size_t i = 0; before[i]; i++) {
        if (before[i] != '-')
            add_case(&t->a, function, names[i], before[i] == 'p');
        if (after[i] != '-')
            add_case(&t->b, function, names[i], after[i] == 'p');
    }
}

static void test_cases_tell_where_verdicts_are_equal(void **state)
{
    struct two *t = *state;
    add_cases(t, "both", PM_VERDICT_PARTLY, "pf", PM_VERDICT_PARTLY, "fp");
    add_cases(t, "gains", PM_VERDICT_PARTLY, "ff", PM_VERDICT_PARTLY, "pf");
    add_cases(t, "still", PM_VERDICT_PARTLY, "pf", PM_VERDICT_PARTLY, "pf");
    t->a.evidence = PM_EVIDENCE_LOWERED;
    add_case(&t->a, "still", "only on A", false);
    add_case(&t->a, "gains", "not counted", true)->counts = false;
    add_case(&t->b, "gains", "not counted", false)->counts = false;
    assert_string_equal(compared(t, &everything), "both regressed; gains fixed; still same");
    assert_int_equal(t->c.case_count, 3);
    assert_int_equal(t->c.only_before, 1);
    assert_int_equal(t->c.only_after, 0);
}

/* A verdict from different cases is not used: only the cases in common decide. */
static void test_cases_in_common_decide_where_the_others_differ(void **state)
{
    struct two *t = *state;
    add_cases(t, "fewer", PM_VERDICT_PARTLY, "pf", PM_VERDICT_WORKS, "p-");
    add_cases(t, "more", PM_VERDICT_WORKS, "p-", PM_VERDICT_PARTLY, "pf");
    add_cases(t, "breaks", PM_VERDICT_PARTLY, "pf-", PM_VERDICT_PARTLY, "f-p");
    add_cases(t, "strange", PM_VERDICT_WORKS, "p-", PM_VERDICT_FAILS, "-f");
    assert_string_equal(compared(t, &(struct pm_changes_request){.outcomes_only = true}),
                        "strange regressed; breaks regressed; more in doubt; fewer same");
    assert_int_equal(t->c.only_before, 3);
    assert_int_equal(t->c.only_after, 3);
}

/* ---- latencies ---- */

/* 1.3 % over 8 processes that scatter by 1 % is a difference (p = 0.03); if ten runs are compared,
 * it may be chance. */
static void test_one_of_many_comparisons_needs_a_smaller_p(void **state)
{
    struct two *t = *state;
    add_timed(t, "odd", 8, 1000, 8, 1013);
    add_timed(t, "slow", 8, 1000, 8, 1500);
    add_timed(t, "odder", 8, 1000, 8, 1016);
    assert_string_equal(compared(t, &everything), "slow slower; odder slower; odd slower");
    assert_string_equal(compared(t, &(struct pm_changes_request){.comparisons = 10}),
                        "slow slower; odder same; odd same");
}

static void test_latencies_decide_where_outcomes_are_equal(void **state)
{
    struct two *t = *state;
    add_timed(t, "slow", 8, 1000, 8, 1500);
    add_timed(t, "slower", 8, 1000, 8, 3000);
    add_timed(t, "fast", 8, 1000, 8, 500);
    add_timed(t, "equal", 8, 1000, 8, 1001); /* the interval contains 1 */
    add_timed(t, "few", 3, 1000, 8, 3000);
    add_timed(t, "seven", 8, 1000, 7, 3000);
    assert_string_equal(compared(t, &everything), "slower slower; slow slower; few undecided; "
                                                  "seven undecided; fast faster; equal same");
    assert_int_equal(t->c.fewest_before, 3);
    assert_int_equal(t->c.fewest_after, 7);
    assert_int_equal(pm_changes_regressions(&t->c), 2);
    compared(t, &(struct pm_changes_request){.outcomes_only = true});
    assert_int_equal(t->c.counts[PM_CHANGE_SAME], 6);
    t->b.evidence = PM_EVIDENCE_SHAPE_ONLY;
    compared(t, &everything);
    assert_int_equal(t->c.counts[PM_CHANGE_SAME], 6);
}

static void test_a_difference_inside_the_noise_floor_is_none(void **state)
{
    struct two *t = *state;
    add_timed(t, "f", 8, 1000, 8, 1100);
    add_timed(t, "g", 8, 1000, 8, 1500);
    t->a.floor = 1.05;
    assert_string_equal(compared(t, &everything), "g slower; f slower");
    t->b.floor = 1.2; /* the larger floor counts */
    assert_string_equal(compared(t, &everything), "g slower; f same");
}

/* Two runs may drift apart, and the interval of neither run includes this drift. Targets of one run
 * do not drift apart. */
static void test_two_runs_without_a_noise_floor_are_not_slower(void **state)
{
    struct two *t = *state;
    add_timed(t, "f", 8, 1000, 8, 1500);
    add_timed(t, "g", 8, 1000, 8, 700);
    add_timed(t, "h", 8, 1000, 8, 1000);
    assert_string_equal(compared(t, &everything), "f slower; g faster; h same");
    t->b.run = 2;
    assert_string_equal(compared(t, &everything), "f unknown latency; g unknown latency; h same");
    assert_int_equal(t->c.no_floor, 2);
    size_t count;
    struct pm_changes_ratio *ratios = pm_changes_ratios(&t->a, &t->b, PM_SIZE_SMALL, &count);
    assert_int_equal(count, 3);
    assert_int_equal(ratios[0].speed, PM_SPEED_UNKNOWN);
    assert_int_equal(ratios[1].speed, PM_SPEED_SAME);
    free(ratios);
    t->a.floor = 1.1;
    assert_string_equal(compared(t, &everything), "f slower; g faster; h same");
}

/* 1.3 % over 8 processes that scatter by 1 % is a difference by itself (p = 0.03), but not as one
 * of ten functions. */
static void test_one_of_many_small_differences_is_none(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    struct two *t = *state;
    size_t count;
    add_timed(t, "odd", 8, 1000, 8, 1013);
    assert_string_equal(compared(t, &everything), "odd slower");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_timed(t, names[i], 8, 1000, 8, 1000);
    compared(t, &everything);
    assert_int_equal(t->c.counts[PM_CHANGE_SAME], 10);
    struct pm_changes_ratio *ratios = pm_changes_ratios(&t->a, &t->b, PM_SIZE_SMALL, &count);
    assert_string_equal(ratios[0].function, "odd");
    assert_int_equal(ratios[0].speed, PM_SPEED_CHANCE);
    free(ratios);
    add_timed(t, "much", 8, 1000, 8, 1050);
    assert_true(pm_starts_with(compared(t, &everything), "much slower; odd same"));
}

/* The speed of a case that fails, does different work, is unstable or host-only is not compared. */
static void test_only_equal_work_is_compared(void **state)
{
    struct two *t = *state;
    static const char *const functions[] = {"definition", "host", "unstable", "untimed"};
    for (size_t i = 0; i < 4; i++)
        add_timed(t, functions[i], i == 3 ? 0 : 8, 1000, i == 3 ? 0 : 8, 3000);
    t->b.cases[0].definition = "{\"call\": 1}";
    t->b.cases[1].host_only = true;
    t->b.cases[2].processes[0].log_median += 2;
    assert_string_equal(compared(t, &everything),
                        "definition in doubt; host unknown latency; unstable unknown latency; "
                        "untimed same");
    assert_true(t->c.changes[2].unstable);
    assert_true(t->c.changes[1].other_work);
    assert_int_equal(t->c.unknown, 3);
    t->b.cases[0].definition = "{\"tolerance\": {\"rtol\": 1, \"atol\": 1}}";
    assert_true(
        pm_starts_with(compared(t, &everything), "definition slower; ")); /* the same work */
}

/* If a case only became stricter, a pass on B still counts. If only the checks after the call
 * differ, the latency is still that of the same work. */
static void test_a_definition_may_become_stricter(void **state)
{
    static const struct {
        const char *before, *after, *outcome, *latency;
    } rows[] = {
        {"{}", "", "f same", "f slower"},
        {"{\"compare\": \"close\"}", "{\"compare\": \"exact\"}", "f same", "f slower"},
        {"{\"compare\": \"close\"}", "{\"compare\": \"set\"}", "f in doubt", "f slower"},
        {"{\"compare\": \"set\"}", "{\"compare\": \"up to sign\"}", "f in doubt", "f slower"},
        {"{\"compare\": {\"out\": \"close\"}}", "{\"compare\": {\"out\": \"exact\"}}", "f same",
         "f slower"},
        {"{\"compare\": {\"out\": \"close\"}}", "{\"compare\": {\"out[0]\": \"exact\"}}",
         "f in doubt", "f slower"},
        {"{\"compare\": \"exact\"}", "{\"compare\": {\"out\": \"exact\"}}", "f in doubt",
         "f slower"},
        {"{}", "{\"tolerance\": {\"rtol\": 0, \"atol\": 0}}", "f in doubt", "f slower"},
        {"{\"tolerance\": {\"rtol\": 0.1, \"atol\": 1}}",
         "{\"tolerance\": {\"rtol\": 0.1, \"atol\": 0.5}}", "f same", "f slower"},
        {"{\"tolerance\": {\"rtol\": 0.1, \"atol\": 1}}",
         "{\"tolerance\": {\"rtol\": 0.01, \"atol\": 2}}", "f in doubt", "f slower"},
        {"{\"tolerance\": {\"out\": {\"rtol\": 0.1, \"atol\": 1}}}",
         "{\"tolerance\": {\"out\": {\"rtol\": 0, \"atol\": 0}}}", "f same", "f slower"},
        {"{\"check\": \"a\"}", "{}", "f in doubt", "f slower"},
        {"{}", "{\"check\": \"a\"}", "f same", "f slower"},
        {"{\"expect\": \"a\"}", "{\"expect\": \"b\"}", "f in doubt", "f slower"},
        {"{}", "{\"reference\": \"none\"}", "f in doubt", "f slower"},
        {"{\"host_outputs\": [\"out\"]}", "{}", "f same", "f slower"},
        {"{\"kind\": \"edge\"}", "{\"kind\": \"core\", \"kind_changed\": {}}", "f same",
         "f slower"},
        {"{}", "{\"requires\": [\"cuda\"], \"calls\": {\"reviewed\": \"yes\"}}", "f same",
         "f slower"},
        {"{\"call\": \"f(x)\"}", "{\"call\": \"g(x)\"}", "f in doubt", "f in doubt"},
        {"{}", "{\"setup\": \"y = 1\"}", "f in doubt", "f in doubt"},
        {"{}", "no JSON", "f in doubt", "f in doubt"},
    };
    struct two *t = *state;
    add_timed(t, "f", 8, 1000, 8, 2000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t->a.cases[0].definition = rows[i].before;
        t->b.cases[0].definition = rows[i].after;
        assert_string_equal(compared(t, &(struct pm_changes_request){.outcomes_only = true}),
                            rows[i].outcome);
        assert_string_equal(compared(t, &everything), rows[i].latency);
    }
}

static void test_large_inputs_count_apart_and_the_worse_size_decides(void **state)
{
    struct two *t = *state;
    add_timed(t, "f", 8, 1000, 8, 500);
    struct pm_changes_case *large = add_case(&t->a, "f", "large", true);
    large->size = PM_SIZE_LARGE;
    add_times(large, 8, 1000);
    large = add_case(&t->b, "f", "large", true);
    large->size = PM_SIZE_LARGE;
    add_times(large, 8, 2000);
    assert_string_equal(compared(t, &everything), "f slower");
    assert_int_equal(t->c.changes[0].size, PM_SIZE_LARGE);
    assert_true(fabs(t->c.changes[0].latency.ratio.mid - 2) < 1e-9);
}

static void test_without_any_times_nothing_is_decided(void **state)
{
    struct two *t = *state;
    add_timed(t, "f", 0, 1, 0, 1);
    assert_string_equal(compared(t, &everything), "f same"); /* neither run measures times */
    t->a.has_latencies = true;
    assert_string_equal(compared(t, &everything), "f undecided");
    assert_int_equal(t->c.fewest_before, 0);
    add_times(&t->a.cases[0], 9, 1);
    assert_string_equal(compared(t, &everything), "f undecided");
    assert_int_equal(t->c.fewest_before, 9); /* A needs no more processes */
    assert_int_equal(t->c.fewest_after, 0);
}

static void test_ratios_are_of_all_functions_that_can_be_compared(void **state)
{
    struct two *t = *state;
    size_t count;
    add_timed(t, "few", 3, 1000, 8, 3000);
    add_timed(t, "slow", 8, 1000, 8, 1500);
    add_timed(t, "unstable", 8, 1000, 8, 1500);
    add_timed(t, "untimed", 0, 1000, 8, 1500);
    t->b.cases[2].processes[0].log_median += 2;
    pm_changes_sort(&t->a);
    pm_changes_sort(&t->b);
    struct pm_changes_ratio *ratios = pm_changes_ratios(&t->a, &t->b, PM_SIZE_SMALL, &count);
    assert_int_equal(count, 3);
    assert_string_equal(ratios[0].function, "few");
    assert_int_equal(ratios[0].speed, PM_SPEED_UNKNOWN);
    assert_string_equal(ratios[1].function, "slow");
    assert_int_equal(ratios[1].speed, PM_SPEED_SLOWER);
    assert_true(fabs(ratios[1].after / ratios[1].before - 1.5) < 1e-9);
    assert_true(fabs(ratios[1].after - 1500) < 1);
    assert_true(ratios[2].unstable && isnan(ratios[2].ratio.ratio.mid));
    free(ratios);
}

/* ---- JUnit ---- */

static void test_junit_is_escaped_and_counts_failures(void **state)
{
    struct two *t = *state;
    struct pm_str out = PM_STR_INIT;
    add_function(&t->a, "<f>", PM_VERDICT_WORKS);
    add_function(&t->b, "<f>", PM_VERDICT_FAILS);
    add_timed(t, "g", 3, 1, 8, 1);
    compared(t, &everything);
    pm_changes_junit(&t->c, "a \xEF\xBF\xBE&", "null@<b>", &out);
    assert_string_equal(
        out.data,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"a ?&amp;\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\">\n"
        "    <testcase classname=\"null@&lt;b&gt;\" name=\"&lt;f&gt;\">\n"
        "      <failure type=\"regressed\" message=\"regressed: works, then fails\">"
        "why &lt;&amp;&quot; </failure>\n    </testcase>\n"
        "    <testcase classname=\"null@&lt;b&gt;\" name=\"g\">\n"
        "      <skipped message=\"too few processes to compare latencies: 3 of 8\"/>\n    "
        "</testcase>\n"
        "  </testsuite>\n</testsuites>\n");
    pm_str_release(&out);
}

/* ---- as a report ---- */

/* Makes both sides runs of one database, with texts for everything that is printed about them. */
static void name_sides(struct two *t)
{
    const struct pm_changes_side named = {.db = "x.db",
                                          .target = "null@null",
                                          .framework = "null",
                                          .version = "1.0",
                                          .processor = "Made-up 9",
                                          .started = "2026-07-01",
                                          .selection = " --cases 4",
                                          .run = 1,
                                          .planned = 8,
                                          .done = 8,
                                          .repetitions = 3,
                                          .evidence = PM_EVIDENCE_EXECUTED,
                                          .has_latencies = true,
                                          .floor = NAN};
    t->a = t->b = named;
    t->b.run = 2;
}

/* Asserts that the printed comparison contains each of these parts; NULL ends the list. */
static void check_report(struct two *t, const struct pm_changes_request *request,
                         const char *const *parts)
{
    struct pm_report *report = pm_report_new("");
    compared(t, request);
    pm_changes_report(&t->c, &t->a, &t->b, request, report);
    char *text = render(report, PM_FORMAT_TEXT, &no_limit);
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("no '%s' in:\n%s", *parts, text);
    free(text);
    pm_report_free(report);
}
#define CHECK_REPORT(t, request, ...)                                                              \
    check_report(t, request, (const char *const[]){__VA_ARGS__, NULL})

static void test_a_report_says_what_its_sides_are_worth(void **state)
{
    struct two *t = *state;
    name_sides(t);
    t->a.version = "";
    t->a.invalid = "no fault seen";
    t->b.latencies_invalid = "the machine was busy";
    t->b.done = 7;
    t->b.processor = "Made-up 10";
    add_function(&t->a, "f", PM_VERDICT_WORKS);
    add_function(&t->b, "f", PM_VERDICT_WORKS);
    add_case(&t->a, "f", "only on A", true);
    CHECK_REPORT(t, &everything, "null@null, run 1 of 2026-07-01 in 'x.db'\n",
                 "null@null, run 2 of 2026-07-01 in 'x.db', null 1.0\n",
                 "run 1 is invalid: no fault seen",
                 "latencies of run 2 are invalid and not used: the machine was busy",
                 "run 2 is not complete: 7 of 8 executions",
                 "A and B ran on different machines: Made-up 9, and Made-up 10",
                 "the counted cases differ: 1 only on A, 0 only on B");
    CHECK_REPORT(t, &everything, "--exit-code gives 4: run 1 is invalid: no fault seen\n");
    t->a.invalid = NULL;
    CHECK_REPORT(t, &everything, "inconclusive: 1 in doubt\n",
                 "--exit-code gives 4: run 2 is not complete: 7 of 8 executions\n");
    t->b.evidence = PM_EVIDENCE_SHAPE_ONLY;
    CHECK_REPORT(t, &everything, "not compared: results of null@null are shape only");
    t->a.evidence = PM_EVIDENCE_LOWERED;
    CHECK_REPORT(t, &everything, "not compared: results of null@null are lowered");
}

static void test_a_report_says_how_each_side_gets_its_processes(void **state)
{
    struct two *t = *state;
    name_sides(t);
    add_timed(t, "f", 3, 1000, 7, 1500);
    CHECK_REPORT(
        t, &everything, "too few processes to compare latencies: 3 of 8 (1 function)\n",
        "portmeter run --resume 1 --repetitions 8 --db x.db   adds the 5 missing processes to A",
        "portmeter run --resume 2 --repetitions 4 --db x.db   adds the 1 missing process to B");
    t->b.latencies_invalid = "the machine was busy"; /* B must be measured again */
    CHECK_REPORT(
        t, &everything,
        "portmeter run --target null@null --cases 4 --repetitions 8 --db x.db   adds the ");
}

/* A case that passes on A and is not possible on B is neither regressed nor the same. */
static void test_what_is_not_possible_on_b_is_in_doubt(void **state)
{
    struct two *t = *state;
    for (const char *const *name = (const char *const[]){"f", "g", NULL}; *name; name++) {
        add_function(&t->a, *name, PM_VERDICT_WORKS);
        add_function(&t->b, *name, PM_VERDICT_FAILS);
        add_case(&t->a, *name, "c", true);
        add_case(&t->b, *name, "c", false)->not_possible = **name == 'f';
    }
    assert_string_equal(compared(t, &everything), "g regressed; f in doubt");
}

/* Sides without a common function, or two equal sides, show nothing: the comparison is in doubt. */
static void test_a_comparison_of_nothing_is_in_doubt(void **state)
{
    struct two *t = *state;
    name_sides(t);
    t->b.run = 1;
    add_function(&t->a, "nowhere", PM_VERDICT_BLOCKED);
    add_function(&t->b, "nowhere", PM_VERDICT_UNTESTED);
    add_function(&t->b, "new", PM_VERDICT_WORKS);
    CHECK_REPORT(
        t, &everything, "inconclusive: 1 new, 1 measured on neither\n",
        "--exit-code gives 4: no function has a verdict on both sides, so nothing is compared",
        "A and B are the same target of the same run, so they cannot differ");
}

/* One command measures both targets of a run; a reference is measured with the target that is
 * compared with it. */
static void test_two_targets_of_a_run_are_measured_together(void **state)
{
    struct two *t = *state;
    name_sides(t);
    t->b.run = 1;
    t->b.target = "null@other";
    t->a.has_latencies = t->b.has_latencies = false;
    add_function(&t->a, "f", PM_VERDICT_WORKS);
    add_function(&t->b, "f", PM_VERDICT_WORKS);
    add_case(&t->a, "f", "c", true);
    add_case(&t->b, "f", "c", true);
    CHECK_REPORT(t, &everything, "not compared: neither run measured latencies");
    t->a.has_latencies = true;
    CHECK_REPORT(t, &everything, "--outcomes-only compares without latencies",
                 "portmeter run --target null@null --target null@other --cases 4 --repetitions 8");
    t->a.is_reference = true;
    CHECK_REPORT(t, &everything, "portmeter run --target null@other --cases 4 --repetitions 8",
                 "adds the 8 missing processes to each side");
}

/* Cases with the same change and message are one row with a count; others have rows of their own.
 */
static void test_cases_that_change_alike_are_one_row(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const struct pm_changes_request people = {.for_people = true};
    struct two *t = *state;
    name_sides(t);
    add_function(&t->a, "f", PM_VERDICT_WORKS);
    add_function(&t->b, "f", PM_VERDICT_PARTLY);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        add_case(&t->a, "f", names[i], true);
        struct pm_changes_case *c = add_case(&t->b, "f", names[i], false);
        c->detail = i == 1 ? "another" : "no kernel";
        c->reason = "not implemented";
    }
    add_case(&t->a, "f", "0", false)->detail = "was wrong";
    add_case(&t->b, "f", "0", true);
    CHECK_REPORT(t, &people, "B is worse than A: 1 regressed\n",
                 "\n      4  pass  fail  a, c, d, ...  not implemented: no kernel\n"
                 "      1  pass  fail  b             not implemented: another\n"
                 "      1  fail  pass  0             was wrong\n");
    CHECK_REPORT(t, &everything, "f         pass  fail  c     not implemented  no kernel  fails\n");
}

/* Functions without a message that have the same change share one row. A message is shown in short
 * form. */
static void test_functions_that_say_the_same_are_one_row(void **state)
{
    static const struct pm_changes_request people = {.for_people = true, .all = true};
    static const char *const allowed[] = {"gone"};
    struct pm_changes_request lenient = people;
    struct two *t = *state;
    char detail[300];
    lenient.allowed = allowed;
    lenient.allowed_count = 1;
    name_sides(t);
    add_function(&t->a, "broken", PM_VERDICT_WORKS);
    add_function(&t->b, "broken", PM_VERDICT_FAILS);
    memset(detail, 'x', sizeof detail);
    snprintf(detail + 200, sizeof detail - 200, ". And more");
    t->b.functions[0].detail = detail;
    t->b.functions[0].reason = "crash";
    add_function(&t->a, "gone", PM_VERDICT_WORKS);
    for (size_t i = 0; i < 2; i++) {
        add_function(&t->a, i ? "t" : "s", PM_VERDICT_WORKS);
        add_function(&t->b, i ? "t" : "s", PM_VERDICT_WORKS);
        t->a.functions[2 + i].detail = t->b.functions[1 + i].detail = "";
    }
    CHECK_REPORT(t, &people, "B is worse than A: 1 regressed, 1 unmeasured, 2 same\n",
                 "--exit-code gives 1: 2 functions are regressed", "fails  crash: xxx", "xxx\n",
                 "2 functions  same        works  works  s, t\n");
    CHECK_REPORT(t, &lenient, "1 unmeasured, 2 same (1 allowed)\n",
                 "--exit-code gives 1: 1 function is regressed");
}

static void test_a_row_has_a_ratio_or_says_why_not(void **state)
{
    struct two *t = *state;
    static const char *const allowed[] = {"gone"};
    const struct pm_changes_request request = {.allowed = allowed, .allowed_count = 1};
    name_sides(t);
    t->a.floor = 1.08;
    add_function(&t->a, "gone", PM_VERDICT_WORKS);
    add_function(&t->b, "gone", PM_VERDICT_ABSENT);
    add_function(&t->a, "broken", PM_VERDICT_WORKS);
    add_function(&t->b, "broken", PM_VERDICT_PARTLY);
    add_case(&t->a, "broken", "a", true);
    add_case(&t->b, "broken", "a", false)->detail = "it raises";
    add_timed(t, "slow", 8, 1000, 9, 3000);
    CHECK_REPORT(t, &request, "noise floor 1.08x: a smaller ratio is not a difference",
                 "1 regressed, 1 gone, 1 slower", "3.0x slower", "allowed\n", "Cases that changed",
                 "it raises");
}

static void test_ratios_are_a_table_where_there_are_any(void **state)
{
    struct two *t = *state;
    name_sides(t);
    add_timed(t, "slow", 8, 1000, 8, 1500);
    add_timed(t, "uneven", 8, 1000, 8, 1500);
    t->b.cases[1].processes[0].log_median += 2;
    pm_changes_sort(&t->a);
    pm_changes_sort(&t->b);
    struct pm_report *report = pm_report_new("");
    pm_changes_describe(&t->a, "against", report);
    assert_false(pm_changes_add_ratios(&t->a, &t->b, PM_SIZE_LARGE, report));
    assert_true(pm_changes_add_ratios(&t->a, &t->b, PM_SIZE_SMALL, report));
    char *text = render(report, PM_FORMAT_TEXT, &no_limit);
    if (!strstr(text, "1.5x slower") || !strstr(text, "unstable\n") ||
        !strstr(text, "verdicts need 8") || !strstr(text, "run 1 of 2026-07-01"))
        fail_msg("%s", text);
    free(text);
    pm_report_free(report);
}

/* ---- how a side is written ---- */

static void assert_side(const char *text, const char *db, int64_t run, const char *target)
{
    struct pm_side_name name;
    assert_int_equal(pm_side_parse(text, &name, NULL), PM_OK);
    assert_string_equal(name.db ? name.db : "", db);
    assert_int_equal(name.run, run);
    assert_string_equal(name.target ? name.target : "", target);
    pm_side_name_release(&name);
}

static void test_a_side_is_a_file_a_run_a_target_in_this_order(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "a.db#", "run:0", "run:x", "x@y#run:1", "a.db#b.db"};
    struct pm_side_name name;
    struct pm_error err;
    assert_side("pytorch-1.12.0:pytorch@meta", "", 0, "pytorch-1.12.0:pytorch@meta");
    assert_side("run:12", "", 12, "");
    assert_side("old", "old", 0, "");
    assert_side("./a@b.db#run:3#jax@cpu+jit", "./a@b.db", 3, "jax@cpu+jit");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(pm_side_parse(wrong[i], &name, &err), PM_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_change_of_outcomes_is_named_once),
        TEST(test_cases_tell_where_verdicts_are_equal),
        TEST(test_cases_in_common_decide_where_the_others_differ),
        TEST(test_one_of_many_comparisons_needs_a_smaller_p),
        TEST(test_latencies_decide_where_outcomes_are_equal),
        TEST(test_two_runs_without_a_noise_floor_are_not_slower),
        TEST(test_a_difference_inside_the_noise_floor_is_none),
        TEST(test_one_of_many_small_differences_is_none),
        TEST(test_only_equal_work_is_compared),
        TEST(test_a_definition_may_become_stricter),
        TEST(test_large_inputs_count_apart_and_the_worse_size_decides),
        TEST(test_without_any_times_nothing_is_decided),
        TEST(test_ratios_are_of_all_functions_that_can_be_compared),
        TEST(test_junit_is_escaped_and_counts_failures),
        TEST(test_a_report_says_what_its_sides_are_worth),
        TEST(test_a_report_says_how_each_side_gets_its_processes),
        TEST(test_what_is_not_possible_on_b_is_in_doubt),
        TEST(test_a_comparison_of_nothing_is_in_doubt),
        TEST(test_two_targets_of_a_run_are_measured_together),
        TEST(test_cases_that_change_alike_are_one_row),
        TEST(test_functions_that_say_the_same_are_one_row),
        TEST(test_a_row_has_a_ratio_or_says_why_not),
        TEST(test_ratios_are_a_table_where_there_are_any),
        cmocka_unit_test(test_a_side_is_a_file_a_run_a_target_in_this_order),
    };
    return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}

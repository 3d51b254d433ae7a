/* Tests of the tables of latencies, ratios, clocks, unstable cases and estimates, from hand-made
 * judged rows. */
#include "store/samples.h"
#include "tables.h"

#include <math.h>

static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};
static const struct stored_target reference[] = {{"null@host"}};

static void begin(struct stored *s)
{
    stored_add_run(s, NULL);
    STORED_TARGETS(s, targets);
}

/* A warm statistic of a case, or of a function if `name` is NULL; of small inputs unless `size` is
 * set. */
struct statistic {
    const char *target, *function, *name, *what;
    double value, low, high;
    int64_t processes, reference_processes;
    const char *size, *clock;
    bool unstable;
};

static void add_statistics(struct stored *s, const struct statistic *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct statistic *f = &items[i];
        const struct pm_statistic_row row = {
            .run_id = s->run,
            .target_id = stored_target(s, f->target),
            .scope = f->name ? PM_SCOPE_CASE : PM_SCOPE_FUNCTION,
            .function = f->function,
            .name = f->name ? f->name : "",
            .clock = WORD(clock, f->clock ? f->clock : "warm"),
            .size = WORD(size, f->size ? f->size : "small"),
            .what = WORD(statistic, f->what),
            .value = f->value,
            .low = f->low ? f->low : NAN,
            .high = f->high ? f->high : NAN,
            .processes = f->processes,
            .reference_processes = f->reference_processes,
            .unstable = f->unstable,
        };
        assert_ok(s, pm_store_add_statistic(s->store, &row, &s->err));
    }
}
#define STATISTICS(s, items) add_statistics(s, items, sizeof(items) / sizeof *(items))

/* ---- ratios -----------------------------------------------------------------------------------
 */

static void test_ratios_are_listed_worst_first_with_both_latencies(void **state)
{
    static const struct statistic statistics[] = {
        {"null@host", "f", NULL, "latency", 900}, /* of all its cases, also those without a ratio */
        {"null@null", "f", NULL, "reference latency", 100},
        {"null@null", "f", NULL, "latency", 300},
        {"null@null", "g", NULL, "reference latency", 100},
        {"null@null", "g", NULL, "latency", 2000},
        {"null@null", "c", NULL, "ratio", NAN, .unstable = true},
        {"null@null", "e", NULL, "ratio", NAN, .processes = 9, .reference_processes = 8,
         .unstable = true},
        {"null@null", "f", NULL, "ratio", 3, 2, 4, 9, 8},
        {"null@null", "g", NULL, "ratio", 20, 10, 30, 3, 8},
        {"null@null", "h", NULL, "ratio", 3, 0.5, 4, 8, 8},
    };
    struct stored *s = *state;
    begin(s);
    STATISTICS(s, statistics);
    json_t *report = tables_of(s, "ratios");
    /* Fewer than 8 processes on a side show nothing; an interval around 1 shows no difference. A
     * function of unstable cases comes last, without figures, as does one that compiles. */
    assert_text(
        columns_of(report, "ratios null@null small",
                   "function,reference,target,ratio,processes,says,intolerable"),
        "[\"g\",100.0,2000.0,{\"value\":20.0,\"low\":10.0,\"high\":30.0},3,\"\",\"yes\"]\n"
        "[\"f\",100.0,300.0,{\"value\":3.0,\"low\":2.0,\"high\":4.0},8,\"slower\",\"\"]\n"
        "[\"h\",null,null,{\"value\":3.0,\"low\":0.5,\"high\":4.0},8,\"no difference\",\"\"]\n"
        "[\"c\",null,null,null,0,\"compiles\",\"\"]\n"
        "[\"e\",null,null,null,8,\"unstable\",\"\"]\n");
    assert_text(columns_of(report, "latencies null@host", "function"),
                "no table"); /* a reference has this table only without ratios */
    char *notes = notes_of(report, "ratios null@null small");
    assert_has(notes, "1 of 4 functions");
    assert_has(notes, "compiles: all cases of 1 function compile in every call");
    free(notes);
    json_decref(report);
}

static void test_a_ratio_within_the_noise_floor_is_noise(void **state)
{
    static const struct statistic statistics[] = {
        {"null@null", "f", NULL, "ratio", 1.2, 1.1, 1.3, 8, 8},
        {"null@null", "g", NULL, "ratio", 1.1, 1.05, 1.15, 8, 8},
        {"null@null", "h", NULL, "ratio", 0.5, 0.4, 0.6, 8, 8},
    };
    struct stored *s = *state;
    begin(s);
    STATISTICS(s, statistics);
    json_t *report = tables_of(s, "ratios");
    char *rows = columns_of(report, "ratios null@null small",
                            "function,reference,target,ratio,processes,says,intolerable");
    assert_has(rows, "8,\"slower\",\"\"]\n");
    free(rows);
    json_decref(report);
    stored_add_noise_floor(s, "null@host", 1.15);
    report = tables_of(s, "ratios");
    rows = columns_of(report, "ratios null@null small",
                      "function,reference,target,ratio,processes,says,intolerable");
    assert_has(rows, "\"high\":1.3},8,\"slower beyond noise\",\"\"]\n");
    assert_has(rows, "\"high\":1.15},8,\"within noise\",\"\"]\n");
    assert_has(rows, "\"high\":0.6},8,\"faster beyond noise\",\"\"]\n");
    free(rows);
    json_decref(report);
}

/* The interval of f does not contain 1, but among so many intervals this may be chance. The
 * interval of g is far from 1. */
static void test_a_ratio_of_many_may_be_chance(void **state)
{
    static const struct statistic statistics[] = {
        {"null@null", "a", NULL, "ratio", 1, 0.9, 1.1, 8, 8},
        {"null@null", "b", NULL, "ratio", 1, 0.9, 1.1, 8, 8},
        {"null@null", "c", NULL, "ratio", 1, 0.9, 1.1, 8, 8},
        {"null@null", "f", NULL, "ratio", 1.1, 1.01, 1.2, 8, 8},
        {"null@null", "g", NULL, "ratio", 2, 1.9, 2.1, 8, 8},
    };
    struct stored *s = *state;
    begin(s);
    STATISTICS(s, statistics);
    json_t *report = tables_of(s, "ratios");
    char *rows = columns_of(report, "ratios null@null small",
                            "function,reference,target,ratio,processes,says,intolerable");
    assert_has(rows, "\"high\":1.2},8,\"could be chance\",\"\"]\n");
    assert_has(rows, "\"high\":2.1},8,\"slower\",\"\"]\n");
    free(rows);
    json_decref(report);
}

static void test_large_inputs_have_a_table_of_their_own(void **state)
{
    static const struct statistic statistics[] = {
        {"null@null", "f", NULL, "ratio", 3, 2, 4, 9, 9},
        {"null@null", "f", NULL, "ratio", 7, 6, 8, 9, 9, .size = "large"},
    };
    struct stored *s = *state;
    begin(s);
    STATISTICS(s, statistics);
    json_t *report = tables_of(s, "ratios");
    char *large = columns_of(report, "ratios null@null large",
                             "function,reference,target,ratio,processes,says,intolerable");
    assert_has(large, "\"value\":7.0");
    assert_lacks(large, "\"value\":3.0");
    free(large);
    json_decref(report);
}

static void test_a_reference_alone_has_latencies_and_no_ratio(void **state)
{
    static const struct statistic statistics[] = {
        {"null@host", "f", NULL, "latency", 100, .processes = 3},
        {"null@host", "g", NULL, "latency", 200, .processes = 2},
        {"null@host", "g", NULL, "latency", 900, .size = "large"},
        {"null@host", "h", NULL, "latency", NAN, .processes = 4, .unstable = true},
    };
    struct stored *s = *state;
    stored_add_run(s, NULL);
    STORED_TARGETS(s, reference);
    STATISTICS(s, statistics);
    json_t *report = tables_of(s, "ratios");
    assert_text(columns_of(report, "latencies null@host", "function,latency,processes,unstable"),
                "[\"g\",200.0,2,\"\"]\n[\"f\",100.0,3,\"\"]\n[\"h\",null,4,\"yes\"]\n");
    json_decref(report);
}

/* ---- cases ------------------------------------------------------------------------------------
 */

static void test_every_clock_of_every_case(void **state)
{
    static const struct statistic statistics[] = {
        {"null@null", "f", "a", "latency", 300, 290, 310, 3},
        {"null@null", "f", "a", "ratio", 3, 2, 4, 3, 3},
        {"null@null", "f", "a", "latency", 9000, .processes = 1, .clock = "cold", .unstable = true},
        {"null@null", "f", NULL, "latency", 300},
    };
    struct stored *s = *state;
    begin(s);
    STATISTICS(s, statistics);
    json_t *report = tables_of(s, "clocks");
    char *rows =
        columns_of(report, "clocks", "target,function,case,clock,latency,processes,ratio,unstable");
    assert_has(rows, "[\"null@null\",\"f\",\"a\",\"warm\",{\"value\":300.0,\"low\":290.0,\"high\":"
                     "310.0},3,{\"value\":3.0,\"low\":2.0,\"high\":4.0},\"\"]\n");
    assert_has(rows, "[\"null@null\",\"f\",\"a\",\"cold\",");
    assert_has(rows, ",1,null,\"yes\"]\n");
    assert_lacks(rows, "\"f\",\"\"");
    free(rows);
    json_decref(report);
}

static void test_flaky_and_unstable_cases_are_listed(void **state)
{
    static const struct statistic statistics[] = {
        {"null@null", "f", "a", "latency", 300, .unstable = true},
        {"null@null", "f", "a", "latency", 300, .clock = "cold", .unstable = true},
        {"null@null", "f", "b", "latency", 300},
        {"null@null", "f", "c", "latency", NAN, .unstable = true},
    };
    static const struct judged_case cases[] = {
        {"null@null", "g", "always", "fail", 0},
        {"null@null", "g", "always", "crash", 1},
        {"null@null", "g", "never", "pass", 0},
        {"null@null", "g", "never", "harness", 1},
        {"null@null", "g", "once", "pass", 0},
        {"null@null", "g", "once", "crash", 1},
        {"null@null", "g", "once", "pass", 2},
        {"null@null", "g", "uncounted", "pass", 0, .uncounted = true},
        {"null@null", "g", "uncounted", "fail", 1, .uncounted = true},
    };
    struct stored *s = *state;
    begin(s);
    STATISTICS(s, statistics);
    STORED_JUDGED(s, cases);
    json_t *report = tables_of(s, "unstable");
    char *rows = columns_of(report, "unstable", "target,function,case,what");
    assert_has(rows, "[\"null@null\",\"g\",\"once\",\"flaky: passes in 2 of 3 processes\"]\n");
    const char *flaky = strstr(rows, "flaky");
    assert_null(strstr(flaky + 1, "flaky"));
    assert_has(rows, "[\"null@null\",\"f\",\"a\",\"unstable");
    assert_has(rows, "[\"null@null\",\"f\",\"c\",\"compiles in every call");
    assert_lacks(rows, "\"b\"");
    const char *first = strstr(rows, "unstable");
    assert_null(strstr(first + 1, "\"unstable")); /* only once, for warm calls */
    free(rows);
    json_decref(report);
}

/* ---- estimates --------------------------------------------------------------------------------
 */

static void add_estimate(struct stored *s, const char *target, int64_t sample, const char *by,
                         double value, int64_t marked, double unknown)
{
    const struct pm_estimate_row row = {.run_id = s->run,
                                        .target_id = stored_target(s, target),
                                        .sample_id = sample,
                                        .basis = WORD(basis, by),
                                        .value = value,
                                        .low = isnan(value) ? 0 : value / 2,
                                        .high = isnan(value) ? 1 : fmin(value / 2 + 0.5, 1),
                                        .members = 20,
                                        .marked = marked,
                                        .unknown = unknown};
    assert_ok(s, pm_store_add_estimate(s->store, &row, &s->err));
}

static void test_an_estimate_says_whom_it_speaks_for(void **state)
{
    struct stored *s = *state;
    const int64_t sample = stored_add_sample(s, "null", "resolved", 20, PM_STRATA_DISJOINT);
    begin(s);
    add_estimate(s, "null@null", sample, "function", 0.5, 15, 0.25);
    add_estimate(s, "null@null", sample, "use", 0.75, 15, 0);
    json_t *report = tables_of(s, "estimates");
    assert_text(columns_of(report, "estimates",
                           "target,by_function,by_use,measured,members,unmeasured,stand_for,"
                           "unknown_functions,unknown_uses,sample"),
                "[\"null@null\",{\"value\":0.5,\"low\":0.25,\"high\":0.75},{\"value\":0.75,\"low\":"
                "0.375,\"high\":0.875},15,20,0.25,20,0.25,0.0,1]\n");
    assert_text(columns_of(report, "estimates_shapes", "function"), "no table");
    char *notes = notes_of(report, "estimates");
    assert_has(notes, "sample 1 (seed 1)");
    assert_has(notes, "20 of the 20 functions");
    assert_has(notes, "'made-up.json'");
    assert_has(notes, "not measured");
    free(notes);
    json_decref(report);
}

/* A share with a wide interval, "99 % [49, 100]", would show almost nothing. */
static void test_a_share_of_a_wide_interval_is_not_printed(void **state)
{
    struct stored *s = *state;
    const int64_t sample = stored_add_sample(s, "null", "resolved", 20, PM_STRATA_DISJOINT);
    begin(s);
    const struct pm_estimate_row row = {.run_id = s->run,
                                        .target_id = stored_target(s, "null@null"),
                                        .sample_id = sample,
                                        .basis = PM_BASIS_FUNCTION,
                                        .value = 1,
                                        .low = 0.49,
                                        .high = 1,
                                        .members = 20,
                                        .marked = 1,
                                        .unknown = 0.99};
    assert_ok(s, pm_store_add_estimate(s->store, &row, &s->err));
    add_estimate(s, "null@null", sample, "use", 0.02, 1, 0.98);
    json_t *report = tables_of(s, "estimates");
    char *rows = columns_of(report, "estimates",
                            "target,by_function,by_use,measured,members,unmeasured,stand_for,"
                            "unknown_functions,unknown_uses,sample");
    assert_has(rows, "[\"null@null\",null,{\"value\":0.02,\"low\":0.01,\"high\":0.51},1,20,");
    free(rows);
    json_decref(report);
}

static void test_a_sample_measured_whole_needs_no_caution(void **state)
{
    struct stored *s = *state;
    const int64_t sample = stored_add_sample(s, "null", "paper", 20, PM_STRATA_DISJOINT);
    begin(s);
    add_estimate(s, "null@null", sample, "function", 0.5, 20, 0);
    add_estimate(s, "null@null", sample, "use", NAN, 20, 0);
    json_t *report = tables_of(s, "estimates");
    char *rows = columns_of(report, "estimates",
                            "target,by_function,by_use,measured,members,unmeasured,stand_for,"
                            "unknown_functions,unknown_uses,sample"),
         *notes = notes_of(report, "estimates");
    assert_has(rows, "\"high\":0.75},null,20,20,"); /* there is no estimate by use */
    assert_lacks(notes, "not measured");
    assert_has(notes, "bare names");
    free(rows);
    free(notes);
    json_decref(report);
}

static void test_estimates_of_shapes_stand_apart(void **state)
{
    static const struct stored_target shapes[] = {
        {"null@host"}, {"null@meta", "null@host", .evidence = "shape only"}};
    struct stored *s = *state;
    const int64_t sample = stored_add_sample(s, "null", "resolved", 20, PM_STRATA_DISJOINT);
    stored_add_run(s, NULL);
    STORED_TARGETS(s, shapes);
    add_estimate(s, "null@meta", sample, "function", 0.5, 20, 0);
    add_estimate(s, "null@meta", sample, "use", 0.5, 20, 0);
    json_t *report = tables_of_asked(s, "estimates");
    assert_text(columns_of(report, "estimates", "function"), "no table");
    char *rows = columns_of(report, "estimates_shapes",
                            "target,by_function,by_use,measured,members,unmeasured,stand_for,"
                            "unknown_functions,unknown_uses,sample");
    assert_has(rows, "\"null@meta\"");
    free(rows);
    json_decref(report);
}

static char *lines_of_sample(struct stored *s, enum pm_strata_rule strata)
{
    const struct pm_run_row of_sample = {
        STORED_DONE, .sample_id = stored_add_sample(s, "null", "resolved", 20, strata)};
    stored_add_run(s, &of_sample);
    STORED_TARGETS(s, targets);
    json_t *report = tables_of(s, "estimates");
    assert_text(columns_of(report, "estimates", "function"), "no table");
    char *lines = notes_of(report, NULL);
    json_decref(report);
    return lines;
}

static void test_a_sample_without_weights_says_why_there_is_no_estimate(void **state)
{
    char *lines = lines_of_sample(*state, PM_STRATA_PAPER);
    assert_has(lines, "estimates: none: the strata of sample 1");
    free(lines);
    assert_text(lines_of_sample(*state, PM_STRATA_DISJOINT), ""); /* no run was judged yet */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_ratios_are_listed_worst_first_with_both_latencies),
        STORED_TEST(test_a_ratio_within_the_noise_floor_is_noise),
        STORED_TEST(test_a_ratio_of_many_may_be_chance),
        STORED_TEST(test_large_inputs_have_a_table_of_their_own),
        STORED_TEST(test_a_reference_alone_has_latencies_and_no_ratio),
        STORED_TEST(test_every_clock_of_every_case),
        STORED_TEST(test_flaky_and_unstable_cases_are_listed),
        STORED_TEST(test_an_estimate_says_whom_it_speaks_for),
        STORED_TEST(test_a_share_of_a_wide_interval_is_not_printed),
        STORED_TEST(test_a_sample_measured_whole_needs_no_caution),
        STORED_TEST(test_estimates_of_shapes_stand_apart),
        STORED_TEST(test_a_sample_without_weights_says_why_there_is_no_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

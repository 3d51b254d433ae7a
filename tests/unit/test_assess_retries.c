/* Tests which executions run again alone, and the effect on outcomes and verdicts. */
#include "store/executions.h"
#include "store/targets.h"
#include "stores.h"

static const struct stored_target two_targets[] = {{"null@host"}, {"null@null", "null@host"}};

static void begin(struct stored *s)
{
    stored_add_run(s, NULL);
    stored_add_targets(s, two_targets, 2);
}

static int list_todo(void *ctx, const struct pm_execution_row *row)
{
    if (row->state == PM_EXECUTION_PLANNED)
        pm_str_addf(ctx, "%s %lld %s;", row->name, (long long)row->repetition,
                    pm_retry_text(row->retry));
    return PM_OK;
}

/* An execution that failed in a shared process, or whose driver failed, is repeated; if values
 * differ, the reference is repeated too. Executions that passed, timed out, or were the first in
 * their process are not repeated, and nothing is planned twice. */
static void test_what_goes_wrong_in_a_shared_process_is_repeated(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "differs", .output = "[1, 2]", .position = 1},
        {"null@host", "f", "dies", .output = "[1, 2]", .position = 1},
        {"null@host", "f", "first", .output = "[1, 2]"},
        {"null@host", "f", "hangs", .output = "[1, 2]"},
        {"null@host", "f", "loses", .output = "[1, 2]"},
        {"null@null", "f", "differs", .output = "[1, 3]", .position = 1},
        {"null@null", "f", "dies", .ending = "signal", .ending_code = 11, .position = 1},
        {"null@null", "f", "first", .output = "[1, 3]"},
        {"null@null", "f", "hangs", .ending = "deadline", .position = 1},
        {"null@null", "f", "loses", .ending = "driver"},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    for (unsigned i = 0; i < 2; i++) {
        struct pm_str todo = PM_STR_INIT;
        assert_ok(s, pm_assess_retries(s->store, s->run, &(struct pm_retry_round){0}, &s->err));
        assert_ok(s, pm_store_executions(s->store, s->run, 0, list_todo, &todo, &s->err));
        assert_string_equal(todo.data,
                            "differs 0 alone;differs 0 alone;dies 0 alone;loses 0 alone;");
        pm_str_release(&todo);
    }
}

static void test_a_failure_leaves_no_transaction(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "differs", .output = "[1, 2]"},
        {"null@null", "f", "differs", .output = "[1, 3]", .position = 1},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    stored_close(s);
    stored_run_sql(s, "update leaf set kind = 'lost'");
    stored_open(s);
    assert_refused(s, pm_assess_retries(s->store, s->run, &(struct pm_retry_round){0}, &s->err),
                   PM_EFORMAT, "kind");
    assert_ok(s, pm_store_begin(s->store, &s->err));
    assert_ok(s, pm_store_commit(s->store, &s->err));
}

static void test_what_ran_alone_counts(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "heals", .output = "[1, 2]"},
        {"null@host", "f", "own", .output = "[1, 2]"},
        {"null@host", "g", "wrong reference", .output = "[7, 7]", .position = 1},
        {"null@host", "g", "wrong reference", .output = "[1, 2]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "heals", .output = "[1, 3]", .position = 1},
        {"null@null", "f", "heals", .output = "[1, 2]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "own", .ending = "signal", .ending_code = 11, .position = 1},
        {"null@null", "f", "own", .output = "[1, 3]", .retry = PM_RETRY_ALONE},
        {"null@null", "g", "wrong reference", .output = "[1, 2]", .position = 1},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    const struct pm_judged judged = stored_judge(s);
    assert_int_equal(judged.executions, 6);
    assert_int_equal(judged.wrong, 1);
    assert_text(stored_judgements(s), "null@host f heals 0: pass\n"
                                      "null@host f own 0: pass\n"
                                      "null@host g wrong reference 0: not counted, fail (compare)\n"
                                      "null@host g wrong reference 0 alone: pass\n"
                                      "null@null f heals 0: not counted, fail (compare)\n"
                                      "null@null f heals 0 alone: pass\n"
                                      "null@null f own 0: not counted, crash\n"
                                      "null@null f own 0 alone: fail (compare)\n"
                                      "null@null g wrong reference 0: pass\n");
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: partly, paper partly, 1 of 2 counted: ");
    assert_has(verdicts, "null@null g: works, paper works, 1 of 1 counted\n");
    free(verdicts);
}

/* For each repetition, its retry in isolation counts. If one retry passes and one fails, the case
 * fails by chance. */
static void test_chance_shows_in_repetitions(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1, 2]"},
        {"null@host", "f", "a", 1, "[1, 2]"},
        {"null@null", "f", "a", .ending = "signal", .ending_code = 11, .position = 1},
        {"null@null", "f", "a", .output = "[1, 2]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "a", 1, "[1, 3]", .position = 1},
        {"null@null", "f", "a", 1, "[1, 3]", .retry = PM_RETRY_ALONE},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 1);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: fails, paper fails, 0 of 1 counted, "
                         "1 flaky: ");
    free(verdicts);
}

/* A reference that fails only because of a neighbour's state is still a reference. */
static void test_a_reference_that_passes_alone_is_a_reference(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, "[1, 2]"},
        {"null@host", "f", "a", 1, "[1, 3]", .position = 1},
        {"null@host", "f", "a", 1, "[1, 2]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "a", 0, "[1, 2]"},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: works, paper works, 1 of 1 counted\n");
    free(verdicts);
}

/* In a damaged database, the execution that was retried may be missing. */
static void test_a_retry_may_lack_the_first(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1, 2]"},
        {"null@host", "f", "a", 1, "[1, 2]"},
        {"null@null", "f", "a", .output = "[1, 2]"},
        {"null@null", "f", "a", 1, "[1, 3]", .retry = PM_RETRY_ALONE},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 1);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: fails, paper fails, 0 of 1 counted, "
                         "1 flaky: ");
    free(verdicts);
}

/* If portmeter itself failed in the shared process, this does not count against the function. */
static void test_a_fault_of_portmeters_counts_as_nothing(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1, 2]"},
        {"null@null", "f", "a", .ending = "driver", .position = 1},
        {"null@null", "f", "a", .output = "[1, 2]", .retry = PM_RETRY_ALONE},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 0);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: works, paper works, 1 of 1 counted\n");
    free(verdicts);
}

static void test_a_case_that_passes_only_after_others_is_named_so(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, "[1, 2]"},
        {"null@host", "f", "a", 1, "[1, 2]"},
        {"null@null", "f", "a", 0, "[1, 3]"},
        {"null@null", "f", "a", 0, "[1, 2]", .retry = PM_RETRY_EXACT_MODE},
        {"null@null", "f", "a", 1, "[1, 2]", .position = 1},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "1 flaky");
    assert_has(verdicts, "passes after others, fails when it runs first: float precision: out: ");
    free(verdicts);
}

/* If a case also fails as the first of its process, it passed alone by chance: no neighbour is
 * named. */
static void test_no_neighbour_is_named_where_a_case_fails_as_the_first(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, "[1, 2]"},
        {"null@host", "f", "a", 1, "[1, 2]"},
        {"null@null", "f", "a", 0, "[1, 3]", .position = 1},
        {"null@null", "f", "a", 0, "[1, 2]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "a", 1, "[1, 3]"},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "1 flaky");
    assert_lacks(verdicts, "after others");
    free(verdicts);
}

/* The first process gives a different result than all later ones, as with a cache on disk. The
 * retries agree and decide the verdict; the difference is still reported. */
static void test_a_retried_reference_does_not_hide_that_it_differed(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, "[0]", .position = 1},
        {"null@host", "f", "a", 0, "[1]", .retry = PM_RETRY_ALONE},
        {"null@host", "f", "a", 1, "[1]", .position = 2},
        {"null@host", "f", "a", 1, "[1]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "a", 0, "[1]", .position = 1},
        {"null@null", "f", "a", 0, "[1]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "a", 1, "[1]", .position = 2},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 0);
    assert_text(stored_judgements(s), "null@host f a 0: not counted, fail (compare)\n"
                                      "null@host f a 0 alone: pass\n"
                                      "null@host f a 1: not counted, fail (compare)\n"
                                      "null@host f a 1 alone: pass\n"
                                      "null@null f a 0: not counted, fail (compare)\n"
                                      "null@null f a 0 alone: pass\n"
                                      "null@null f a 1: pass\n");
    assert_text(stored_verdicts(s), "null@host f: works, paper works, 1 of 1 counted\n"
                                    "null@null f: works, paper works, 1 of 1 counted\n");
}

/* An execution that was not retried is compared with the reference's retry, whose result counts.
 * The difference of the reference's first result is still reported. */
static void test_a_reference_that_only_others_needed_again_shows_its_difference(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, "[7]", .position = 1},
        {"null@host", "f", "a", 0, "[1]", .retry = PM_RETRY_ALONE},
        {"null@null", "f", "a", 0, "[1]"},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 0);
    assert_text(stored_judgements(s), "null@host f a 0: not counted, fail (compare)\n"
                                      "null@host f a 0 alone: pass\n"
                                      "null@null f a 0: pass\n");
}

/* Changes a target of the run as if its driver had named a fast numeric mode. */
static void make_fast(struct stored *s, const char *target)
{
    const struct pm_target_row row = {.id = stored_target(s, target),
                                      .numeric = "{\"tf32\": true, \"fast\": [\"tf32\"]}"};
    assert_ok(s, pm_store_update_target(s->store, &row, &s->err));
}

static void assert_todo_of(struct stored *s, struct pm_retry_round round, const char *want)
{
    struct pm_str todo = PM_STR_INIT;
    assert_ok(s, pm_assess_retries(s->store, s->run, &round, &s->err));
    assert_ok(s, pm_store_executions(s->store, s->run, 0, list_todo, &todo, &s->err));
    assert_string_equal(todo.data ? todo.data : "", want);
    pm_str_release(&todo);
}

static void assert_todo(struct stored *s, const char *want)
{
    assert_todo_of(s, (struct pm_retry_round){0}, want);
}

static const struct stored_execution wrong_in_many_ways[] = {
    {"null@host", "f", "dies", .output = "[1, 2]"},
    {"null@host", "f", "differs", .output = "[1, 2]"},
    {"null@host", "f", "one more", .output = "[1, 2]"},
    {"null@host", "f", "passes", .output = "[1, 2]"},
    {"null@host", "f", "shared", .output = "[1, 2]"},
    {"null@null", "f", "dies", .ending = "signal", .ending_code = 11},
    {"null@null", "f", "differs", .output = "[1, 3]"},
    {"null@null", "f", "one more", .output = "[1, 2, 3]"},
    {"null@null", "f", "passes", .output = "[1, 2]"},
    {"null@null", "f", "shared", .output = "[1, 3]", .position = 1},
};

/* The retry in isolation comes first: if the case passes in it, the neighbour is at fault, not the
 * mode. */
static void test_wrong_values_of_a_fast_mode_run_again_in_exact_mode(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution alone[] = {
        {"null@host", "g", "ran alone", .output = "[1, 2]"},
        {"null@null", "g", "ran alone", .output = "[1, 2]", .position = 1},
        {"null@null", "g", "ran alone", .output = "[1, 3]", .retry = PM_RETRY_ALONE},
    };
    begin(s);
    STORED_EXECUTIONS(s, wrong_in_many_ways);
    STORED_EXECUTIONS(s, alone);
    make_fast(s, "null@null");
    for (unsigned i = 0; i < 2; i++)
        assert_todo(s, "differs 0 exact mode;shared 0 alone;ran alone 0 exact mode;");
}

static void test_nothing_runs_again_in_exact_mode_where_no_mode_is_fast(void **state)
{
    struct stored *s = *state;
    begin(s);
    STORED_EXECUTIONS(s, wrong_in_many_ways);
    assert_todo(s, "shared 0 alone;");
}

/* Judging takes long, so a next round judges only if exact mode may lead to other retries. */
static void test_a_next_round_judges_only_for_exact_mode(void **state)
{
    struct stored *s = *state;
    begin(s);
    STORED_EXECUTIONS(s, wrong_in_many_ways);
    assert_todo_of(s, (struct pm_retry_round){.is_next = true}, "");
    make_fast(s, "null@null");
    assert_todo_of(s, (struct pm_retry_round){.is_next = true},
                   "differs 0 exact mode;shared 0 alone;");
}

static void count_calls(void *ctx, size_t looked, size_t all)
{
    assert_true(looked < all);
    ++*(size_t *)ctx;
}

static void test_the_search_shows_its_progress(void **state)
{
    struct stored *s = *state;
    size_t calls = 0;
    begin(s);
    STORED_EXECUTIONS(s, wrong_in_many_ways);
    assert_todo_of(s, (struct pm_retry_round){.progress = count_calls, .progress_ctx = &calls},
                   "shared 0 alone;");
    assert_true(calls > 0);
}

/* A reference that also computes in a fast mode runs in exact mode too, for the comparison. */
static void test_a_fast_reference_runs_in_exact_mode_too(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1, 2]"},
        {"null@null", "f", "a", .output = "[1, 3]"},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    make_fast(s, "null@null");
    make_fast(s, "null@host");
    assert_todo(s, "a 0 exact mode;a 0 exact mode;");
}

/* The outcome in the default mode stays, and its reason is float precision. */
static void test_what_exact_mode_heals_is_float_precision(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "heals", .output = "[1, 2]"},
        {"null@host", "f", "heals", .output = "[1, 4]", .retry = PM_RETRY_EXACT_MODE},
        {"null@host", "g", "stays", .output = "[1, 2]"},
        {"null@null", "f", "heals", .output = "[1, 3]"},
        {"null@null", "f", "heals", .output = "[1, 4]", .retry = PM_RETRY_EXACT_MODE},
        {"null@null", "g", "stays", .output = "[1, 3]"},
        {"null@null", "g", "stays", .output = "[1, 3]", .retry = PM_RETRY_EXACT_MODE},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    make_fast(s, "null@null");
    assert_int_equal(stored_judge(s).wrong, 2);
    assert_text(stored_judgements(s),
                "null@host f heals 0: pass\n"
                "null@host f heals 0 exact mode: not counted, pass\n"
                "null@host g stays 0: pass\n"
                "null@null f heals 0: fail (compare)\n"
                "null@null f heals 0 exact mode: not counted, pass\n"
                "null@null g stays 0: fail (compare)\n"
                "null@null g stays 0 exact mode: not counted, fail (compare)\n");
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: fails, paper fails, 0 of 1 counted: "
                         "float precision: out: ");
    assert_has(verdicts, "null@null g: fails, paper fails, 0 of 1 counted: out: ");
    free(verdicts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_what_goes_wrong_in_a_shared_process_is_repeated),
        STORED_TEST(test_a_failure_leaves_no_transaction),
        STORED_TEST(test_what_ran_alone_counts),
        STORED_TEST(test_chance_shows_in_repetitions),
        STORED_TEST(test_a_reference_that_passes_alone_is_a_reference),
        STORED_TEST(test_a_retry_may_lack_the_first),
        STORED_TEST(test_a_fault_of_portmeters_counts_as_nothing),
        STORED_TEST(test_no_neighbour_is_named_where_a_case_fails_as_the_first),
        STORED_TEST(test_a_case_that_passes_only_after_others_is_named_so),
        STORED_TEST(test_a_retried_reference_does_not_hide_that_it_differed),
        STORED_TEST(test_a_reference_that_only_others_needed_again_shows_its_difference),
        STORED_TEST(test_wrong_values_of_a_fast_mode_run_again_in_exact_mode),
        STORED_TEST(test_nothing_runs_again_in_exact_mode_where_no_mode_is_fast),
        STORED_TEST(test_a_next_round_judges_only_for_exact_mode),
        STORED_TEST(test_the_search_shows_its_progress),
        STORED_TEST(test_a_fast_reference_runs_in_exact_mode_too),
        STORED_TEST(test_what_exact_mode_heals_is_float_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

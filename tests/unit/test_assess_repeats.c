/* Which executions run again alone, and what that means for outcomes and verdicts. */
#include "stores.h"

#include "assess/assess.h"

static const struct stored_target two_targets[] = {{"null@host"}, {"null@null", "null@host"}};

/* Judges the newest run; the store is open again afterwards. */
static struct pm_judged judge(struct stored *s)
{
    struct pm_judged judged;
    stored_close(s);
    assert_ok(s, pm_assess_db(s->db, s->run, 0, &judged, &s->err));
    stored_open(s);
    return judged;
}

static void begin(struct stored *s)
{
    stored_add_run(s, NULL);
    stored_add_targets(s, two_targets, 2);
}

static int list_todo(void *ctx, const struct pm_execution_row *row)
{
    if (row->state == PM_EXECUTION_TODO)
        pm_str_addf(ctx, "%s %lld %s;", row->name, (long long)row->repetition,
                    pm_reason_text(row->reason));
    return PM_OK;
}

/* What failed in a shared process is repeated, and the reference with it where values differ;
 * what was first, passed or timed out is not, and nothing is planned twice. */
static void test_what_goes_wrong_in_a_shared_process_is_repeated(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "differs", .output = "[1, 2]", .shared = true},
        {"null@host", "f", "dies", .output = "[1, 2]", .shared = true},
        {"null@host", "f", "first", .output = "[1, 2]"},
        {"null@host", "f", "hangs", .output = "[1, 2]"},
        {"null@host", "f", "loses", .output = "[1, 2]"},
        {"null@null", "f", "differs", .output = "[1, 3]", .shared = true},
        {"null@null", "f", "dies", .ending = "signal", .ending_code = 11, .shared = true},
        {"null@null", "f", "first", .output = "[1, 3]"},
        {"null@null", "f", "hangs", .ending = "deadline", .shared = true},
        {"null@null", "f", "loses", .ending = "driver"},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    for (unsigned i = 0; i < 2; i++) {
        struct pm_str todo = PM_STR_INIT;
        assert_ok(s, pm_assess_repeats(s->store, s->run, &s->err));
        assert_ok(s, pm_store_executions(s->store, s->run, 0, list_todo, &todo, &s->err));
        assert_string_equal(todo.data,
                            "differs 0 alone;differs 0 alone;dies 0 alone;loses 0 alone;");
        pm_str_release(&todo);
    }
}

static void test_what_ran_alone_counts(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "heals", .output = "[1, 2]"},
        {"null@host", "f", "own", .output = "[1, 2]"},
        {"null@host", "g", "wrong reference", .output = "[7, 7]", .shared = true},
        {"null@host", "g", "wrong reference", .output = "[1, 2]", .reason = PM_REASON_ALONE},
        {"null@null", "f", "heals", .output = "[1, 3]", .shared = true},
        {"null@null", "f", "heals", .output = "[1, 2]", .reason = PM_REASON_ALONE},
        {"null@null", "f", "own", .ending = "signal", .ending_code = 11, .shared = true},
        {"null@null", "f", "own", .output = "[1, 3]", .reason = PM_REASON_ALONE},
        {"null@null", "g", "wrong reference", .output = "[1, 2]", .shared = true},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    const struct pm_judged judged = judge(s);
    assert_int_equal(judged.executions, 6);
    assert_int_equal(judged.wrong, 1);
    assert_text(stored_judgements(s), "null@host f heals 0: pass\n"
                                      "null@host f own 0: pass\n"
                                      "null@host g wrong reference 0: not counted, pass\n"
                                      "null@host g wrong reference 0 alone: pass\n"
                                      "null@null f heals 0: not counted, fail (compare)\n"
                                      "null@null f heals 0 alone: pass\n"
                                      "null@null f own 0: not counted, crash\n"
                                      "null@null f own 0 alone: fail (compare)\n"
                                      "null@null g wrong reference 0: pass\n");
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: partial failure, study partial failure, 1 of 2 counted: ");
    assert_has(verdicts, "null@null g: success, study success, 1 of 1 counted\n");
    free(verdicts);
}

static void test_a_case_that_needs_its_neighbour_is_named_so(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, "[1, 2]"},
        {"null@host", "f", "a", 1, "[1, 2]"},
        {"null@null", "f", "a", 0, "[1, 3]"},
        {"null@null", "f", "a", 1, "[1, 2]", .shared = true},
    };
    begin(s);
    STORED_EXECUTIONS(s, executions);
    judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "1 flaky");
    assert_has(verdicts, "needs its neighbour: out: ");
    free(verdicts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_what_goes_wrong_in_a_shared_process_is_repeated),
        STORED_TEST(test_what_ran_alone_counts),
        STORED_TEST(test_a_case_that_needs_its_neighbour_is_named_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

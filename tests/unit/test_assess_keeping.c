/* Tests which values of outputs a judged run keeps, and that judging it again without the other
 * values gives the same result as with them. */
#include "stores.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "store/outputs.h"

static const struct stored_target targets[] = {
    {"null@host"}, {"null@null", "null@host"}, {"numpy@cpu", .role = "oracle"}};

static const struct pm_run_row drops = {STORED_DONE, .options = "{\"keep_values\": false}"};
static const struct pm_run_row keeps = {STORED_DONE, .options = "{\"keep_values\": true}"};

static void begin(struct stored *s, const struct pm_run_row *run, size_t target_count)
{
    stored_add_run(s, run);
    stored_add_targets(s, targets, target_count);
}

struct look {
    struct stored *s;
    size_t there, gone;
};

static int look_at_leaf(void *ctx, const struct pm_leaf_row *leaf)
{
    struct look *look = ctx;
    void *bytes;
    size_t length;
    const int rc = pm_store_blob(look->s->store, leaf->digest, &bytes, &length, &look->s->err);
    assert_true(rc == PM_OK || rc == PM_ENOTFOUND);
    look->there += rc == PM_OK;
    look->gone += rc == PM_ENOTFOUND;
    free(bytes);
    return PM_OK;
}

static struct look look_at(struct stored *s, const char *target, const char *name,
                           int64_t repetition)
{
    struct look look = {.s = s};
    const int64_t id = stored_execution(s, target, "f", name, repetition);
    assert_ok(s, pm_store_leaves(s->store, id, look_at_leaf, &look, &s->err));
    return look;
}

/* Returns whether the execution has all values of its outputs; otherwise it must have none. */
static bool has_values(struct stored *s, const char *target, const char *name, int64_t repetition)
{
    const struct look look = look_at(s, target, name, repetition);
    assert_true((look.there == 0) != (look.gone == 0));
    return look.there > 0;
}

/* ---- what stays -------------------------------------------------------------------------------
 */

static const struct stored_execution mixed[] = {
    {"null@host", "f", "equal", 0, .output = "[1, 2]"},
    {"null@host", "f", "equal", 1, .output = "[1, 2]"},
    {"null@null", "f", "equal", 0, .output = "[1, 2]"},
    {"null@host", "f", "near", 0, .output = "[3, 4]"},
    {"null@host", "f", "near", 1, .output = "[3, 4]"},
    {"null@null", "f", "near", 0, .output = "[3, 4.000001]"},
    {"null@host", "f", "far", 0, .output = "[5, 6]"},
    {"null@host", "f", "far", 1, .output = "[5, 6]"},
    {"null@null", "f", "far", 0, .output = "[5, 7]"},
};

static char *decided(struct stored *s)
{
    char *judgements = stored_judgements(s), *verdicts = stored_verdicts(s);
    char *both = pm_format("%s%s", judgements, verdicts);
    free(judgements);
    free(verdicts);
    return both;
}

static void test_values_that_agree_go(void **state)
{
    struct stored *s = *state;
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, mixed);
    assert_int_equal(stored_judge(s).wrong, 1);
    assert_false(has_values(s, "null@host", "equal", 0) || has_values(s, "null@host", "equal", 1) ||
                 has_values(s, "null@null", "equal", 0));
    assert_false(has_values(s, "null@host", "near", 0) || has_values(s, "null@null", "near", 0));
    assert_true(has_values(s, "null@host", "far", 0) && has_values(s, "null@null", "far", 0));
    char *first = decided(s);
    assert_has(first, "null@null f far 0: fail (compare)\n");
    assert_has(first, "2 elements differ, largest at [1]: 7 instead of 6");
    assert_int_equal(stored_judge(s).undecided, 0);
    assert_text(decided(s), first);
    begin(s, &keeps, 2);
    STORED_EXECUTIONS(s, mixed);
    stored_judge(s);
    assert_true(has_values(s, "null@host", "equal", 1) && has_values(s, "null@null", "near", 0));
    assert_text(decided(s), first);
    free(first);
}

static void test_runs_of_older_versions_keep_all(void **state)
{
    struct stored *s = *state;
    begin(s, NULL, 2);
    STORED_EXECUTIONS(s, mixed);
    stored_judge(s);
    assert_true(has_values(s, "null@host", "equal", 0) && has_values(s, "null@null", "near", 0));
}

/* Runs share equal values, which stay as long as one of the runs keeps them. */
static void test_another_run_keeps_its_values(void **state)
{
    struct stored *s = *state;
    for (int i = 0; i < 2; i++) {
        begin(s, i ? &drops : &keeps, 2);
        STORED_EXECUTIONS(s, mixed);
        stored_judge(s);
    }
    assert_true(has_values(s, "null@host", "equal", 0));
    assert_ok(s, pm_store_remove_run(s->store, 1, &s->err));
    assert_false(has_values(s, "null@host", "equal", 0));
    assert_true(has_values(s, "null@null", "far", 0));
    assert_int_equal(stored_judge(s).undecided, 0);
}

static void test_nothing_goes_before_all_have_run(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution later[] = {{"null@null", "f", "equal", 1, .todo = true}};
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, mixed);
    STORED_EXECUTIONS(s, later);
    stored_judge(s);
    assert_true(has_values(s, "null@host", "equal", 1) && has_values(s, "null@null", "near", 0));
}

static void test_nothing_of_a_stopped_run_goes(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row stopped = {.state = PM_RUN_STOPPED, .options = drops.options};
    begin(s, &stopped, 2);
    STORED_EXECUTIONS(s, mixed);
    stored_judge(s);
    assert_true(has_values(s, "null@host", "equal", 1) && has_values(s, "null@null", "near", 0));
}

static void test_only_leaves_that_differ_stay(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@null", "f", "a", .output = "[1.0000001]"},
        {"null@host", "f", "fewer", .output = "[2]"},
        {"null@null", "f", "fewer", .output = "[2]"},
    };
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, executions);
    stored_add_output(s, stored_execution(s, "null@host", "f", "a", 0), "gradient", 0, "x", "[7]");
    stored_add_output(s, stored_execution(s, "null@null", "f", "a", 0), "gradient", 0, "x", "[8]");
    stored_add_output(s, stored_execution(s, "null@null", "f", "fewer", 0), "output", 1, "y",
                      "[9]");
    assert_int_equal(stored_judge(s).wrong, 2);
    const struct look look = look_at(s, "null@null", "a", 0);
    assert_true(look.there == 1 && look.gone == 1);
    assert_true(has_values(s, "null@host", "fewer", 0) && has_values(s, "null@null", "fewer", 0));
    char *first = decided(s);
    assert_int_equal(stored_judge(s).undecided, 0);
    assert_text(decided(s), first);
    free(first);
}

/* Repetitions that are added later are compared with the first repetition. */
static void test_a_reference_that_differs_in_bits_keeps_its_first(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]"},
        {"null@host", "f", "a", 1, .output = "[1.0000001]"},
    };
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_true(has_values(s, "null@host", "a", 0));
    assert_false(has_values(s, "null@host", "a", 1));
}

static void test_a_second_reference_keeps_nothing(void **state)
{
    struct stored *s = *state;
    static const struct stored_target noise[] = {{"null@host"},
                                                 {"null@again", "null@host", .role = "noise"}};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@again", "f", "a", .output = "[2]"},
    };
    stored_add_run(s, &drops);
    STORED_TARGETS(s, noise);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_false(has_values(s, "null@again", "a", 0) || has_values(s, "null@host", "a", 0));
}

/* ---- the oracle -------------------------------------------------------------------------------
 */

static void add_scalar(struct stored *s, const char *target, float number)
{
    const struct pm_leaf_row row = {.execution_id = stored_execution(s, target, "f", "scalar", 0),
                                    .part = PM_PART_OUTPUT,
                                    .path = "out",
                                    .kind = PM_LEAF_ARRAY,
                                    .dtype = "float32",
                                    .shape = "[]",
                                    .digest = "00000000000000000000000000000001"};
    assert_ok(s, pm_store_add_leaf(s->store, &row, &number, sizeof number, &s->err));
}

static void test_values_that_the_oracle_confirms_go(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "right", .output = "[1, 2]"},
        {"numpy@cpu", "f", "right", .output = "[1, 2.000001]"},
        {"null@host", "f", "wrong", .output = "[3, 4]"},
        {"numpy@cpu", "f", "wrong", .output = "[3, 5]"},
        {"null@host", "f", "scalar"},
        {"numpy@cpu", "f", "scalar"},
    };
    begin(s, &drops, 3);
    STORED_EXECUTIONS(s, executions);
    add_scalar(s, "null@host", 1.5F);
    stored_add_word(s, stored_execution(s, "numpy@cpu", "f", "scalar", 0), 0, "value", "1.5");
    assert_int_equal(stored_judge(s).wrong, 1);
    assert_false(has_values(s, "null@host", "right", 0) || has_values(s, "numpy@cpu", "right", 0));
    assert_true(has_values(s, "null@host", "wrong", 0) && has_values(s, "numpy@cpu", "wrong", 0));
    assert_true(has_values(s, "null@host", "scalar", 0)); /* a number has no digest to compare */
    char *first = decided(s);
    assert_int_equal(stored_judge(s).undecided, 0);
    assert_text(decided(s), first);
    free(first);
}

/* ---- judged again -----------------------------------------------------------------------------
 */

static void set_tolerance(struct stored *s, const char *tolerance)
{
    char *sql = pm_format("UPDATE test_case SET definition = '{\"tolerance\": %s}'", tolerance);
    stored_close(s);
    stored_run_sql(s, sql);
    stored_open(s);
    free(sql);
}

static struct pm_judged judge_by(struct stored *s, const char *tolerance)
{
    set_tolerance(s, tolerance);
    return stored_judge(s);
}

/* The output is 1.001 instead of 1. With atol 0, it is close if rtol is at least 1e-3; with atol
 * 1e-4, if rtol is at least 9e-4. */
static void test_another_tolerance_is_judged_without_values(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]"},
        {"null@null", "f", "a", 0, .output = "[1.001]"},
    };
    static const struct {
        const char *tolerance;
        bool passes;
    } decided_by[] = {
        {"{\"rtol\": 0.002, \"atol\": 0}", true},    {"{\"rtol\": 0.0009, \"atol\": 0}", false},
        {"{\"rtol\": 0, \"atol\": 0.01}", true},     {"{\"rtol\": 0.00095, \"atol\": 1e-4}", true},
        {"{\"rtol\": 1e-4, \"atol\": 1e-4}", false}, {"{\"rtol\": 1e-5, \"atol\": 5e-5}", false},
        {"{\"rtol\": 0.01, \"atol\": 5e-5}", true},
    };
    begin(s, &drops, 2);
    stored_add_case(s, "null", "f", "a", "{\"tolerance\": {\"rtol\": 0.01, \"atol\": 0}}");
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 0);
    assert_false(has_values(s, "null@null", "a", 0));
    for (size_t i = 0; i < sizeof decided_by / sizeof *decided_by; i++) {
        const struct pm_judged judged = judge_by(s, decided_by[i].tolerance);
        assert_int_equal(judged.undecided, 0);
        if (judged.wrong == decided_by[i].passes)
            fail_msg("%s", decided_by[i].tolerance);
    }
    assert_int_equal(judge_by(s, "{\"rtol\": 0.0009, \"atol\": 0}").wrong, 1);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts,
               "out: the values, which are no longer stored, differ (rtol 0.0009, atol 0)");
    free(verdicts);
}

/* For an atol between 1e-4 and 1e-3 the smallest sufficient rtol is not known. */
static void test_what_cannot_be_judged_again_keeps_its_judgement(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]"},
        {"null@null", "f", "a", 0, .output = "[1.001]"},
    };
    begin(s, &drops, 2);
    stored_add_case(s, "null", "f", "a", "{\"tolerance\": {\"rtol\": 0.01, \"atol\": 0}}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *first = decided(s);
    for (int i = 0; i < 2; i++) {
        const struct pm_judged judged = judge_by(s, "{\"rtol\": 0.0005, \"atol\": 0.0007}");
        assert_int_equal(judged.undecided, 1);
        assert_string_equal(judged.undecided_names, "f a on null@null");
        assert_text(decided(s), first);
    }
    free(first);
}

static void test_the_cases_own_tolerance_is_always_decided(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]"},
        {"null@null", "f", "a", 0, .output = "[1.001]"},
    };
    begin(s, &drops, 2);
    stored_add_case(s, "null", "f", "a", "{\"tolerance\": {\"rtol\": 0.0005, \"atol\": 0.0007}}");
    STORED_EXECUTIONS(s, executions);
    for (int i = 0; i < 2; i++) {
        const struct pm_judged judged = stored_judge(s);
        assert_true(judged.wrong == 0 && judged.undecided == 0);
    }
    assert_false(has_values(s, "null@null", "a", 0));
}

/* If a reference gives the same bits again, its deleted values are stored again. */
static void test_repetitions_that_are_added_later(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution first[] = {
        {"null@host", "f", "a", 0, .output = "[1, 2]"},
        {"null@host", "f", "a", 1, .output = "[1, 2]"},
        {"null@null", "f", "a", 0, .output = "[1, 2]"},
    };
    static const struct stored_execution second[] = {
        {"null@host", "f", "a", 2, .output = "[1, 2]"},
        {"null@null", "f", "a", 1, .output = "[1, 2.000001]"},
        {"null@null", "f", "a", 2, .output = "[1, 3]"},
    };
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, first);
    stored_judge(s);
    assert_false(has_values(s, "null@host", "a", 0));
    STORED_EXECUTIONS(s, second);
    const struct pm_judged judged = stored_judge(s);
    assert_true(judged.undecided == 0 && judged.wrong == 1);
    assert_true(has_values(s, "null@null", "a", 2));
    assert_false(has_values(s, "null@null", "a", 1));
}

static void test_damaged_closeness_is_refused(void **state)
{
    struct stored *s = *state;
    struct pm_judged judged;
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, mixed);
    stored_judge(s);
    stored_close(s);
    stored_run_sql(s, "UPDATE closeness SET points = '[[1,0]]'");
    assert_refused(s, pm_assess_db(s->db, 1, 0, &judged, &s->err), PM_EFORMAT,
                   "is incomplete or out of order");
}

static void note_progress(void *ctx, size_t looked, size_t all)
{
    size_t *last = ctx;
    assert_in_range(looked, last[0], all);
    last[0] = looked;
    last[1] = all;
    last[2]++;
}

/* Progress counts both rounds, and its last call reports that all work is done. */
static void test_progress_goes_to_the_end(void **state)
{
    struct stored *s = *state;
    struct pm_judged judged;
    size_t last[3] = {0};
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, mixed);
    stored_close(s);
    const struct pm_assess_options options = {
        .db = s->db, .progress = note_progress, .progress_ctx = last};
    assert_ok(s, pm_assess(&options, &judged, &s->err));
    assert_true(last[0] == last[1] && last[1] == 2 * sizeof mixed / sizeof *mixed);
    assert_in_range(last[2], 3, last[1] + 1);
}

/* ---- room -------------------------------------------------------------------------------------
 */

static off_t size_of(const struct stored *s)
{
    struct stat info;
    assert_int_equal(stat(s->db, &info), 0);
    return info.st_size;
}

static void test_room_goes_back_to_the_file_system(void **state)
{
    enum { NUMBERS = 100000 };
    struct stored *s = *state;
    struct pm_str output = PM_STR_INIT;
    for (int i = 0; i < NUMBERS; i++)
        pm_str_addf(&output, "%s%d.%d", i ? ", " : "[", i * 7919 % 10007, i * 31 % 101);
    pm_str_add_char(&output, ']');
    const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = output.data},
        {"null@null", "f", "a", .output = output.data},
    };
    begin(s, &drops, 2);
    STORED_EXECUTIONS(s, executions);
    const off_t before = size_of(s);
    stored_judge(s);
    assert_true(before - size_of(s) > 100000);
    pm_str_release(&output);
}

static void count_work(void *ctx)
{
    ++*(size_t *)ctx;
}

/* Many values are deleted in several transactions, and the store reports its progress. */
static void test_many_values_go_in_parts(void **state)
{
    struct stored *s = *state;
    size_t work = 0;
    stored_close(s);
    stored_run_sql(s, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1234)"
                      " INSERT INTO blob SELECT format('%032x', i), 4000, randomblob(4000) FROM n");
    const off_t before = size_of(s);
    stored_open(s);
    pm_store_on_work(s->store, count_work, &work);
    assert_ok(s, pm_store_drop_values(s->store, &s->err));
    pm_store_on_work(s->store, NULL, NULL);
    assert_true(work > 0);
    assert_true(size_of(s) < before - 1234 * 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_many_values_go_in_parts),
        STORED_TEST(test_values_that_agree_go),
        STORED_TEST(test_runs_of_older_versions_keep_all),
        STORED_TEST(test_another_run_keeps_its_values),
        STORED_TEST(test_nothing_goes_before_all_have_run),
        STORED_TEST(test_nothing_of_a_stopped_run_goes),
        STORED_TEST(test_only_leaves_that_differ_stay),
        STORED_TEST(test_a_reference_that_differs_in_bits_keeps_its_first),
        STORED_TEST(test_a_second_reference_keeps_nothing),
        STORED_TEST(test_values_that_the_oracle_confirms_go),
        STORED_TEST(test_another_tolerance_is_judged_without_values),
        STORED_TEST(test_what_cannot_be_judged_again_keeps_its_judgement),
        STORED_TEST(test_the_cases_own_tolerance_is_always_decided),
        STORED_TEST(test_repetitions_that_are_added_later),
        STORED_TEST(test_damaged_closeness_is_refused),
        STORED_TEST(test_progress_goes_to_the_end),
        STORED_TEST(test_room_goes_back_to_the_file_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests how a run's evidence is read from undamaged and damaged stores, for judging. */
#include "stores.h"

#include "assess/assess.h"
#include "assess/evidence.h"
#include "store/outputs.h"

static const struct stored_target targets[] = {
    {"null@host"}, {"null@null", "null@host"}, {"numpy@cpu", .role = "oracle"}};

static void fill(struct stored *s)
{
    static const struct stored_execution executions[] = {
        {"null@host", "g", "late", 0, .output = "[1]"},
        {"null@host", "f", "a", 0, .output = "[1]", .warm = "[5]"},
        {"null@host", "f", "a", 1, .ending = "signal", .ending_code = 9},
        {"null@null", "f", "a", 0, .output = "[1, 2]"},
        {"null@null", "f", "a", 1, .todo = true},
    };
    const struct pm_run_row run = {STORED_DONE, .seed = 7, .options = "{\"mode\": \"paper\"}"};
    stored_add_run(s, &run);
    STORED_TARGETS(s, targets);
    STORED_EXECUTIONS(s, executions);
}

static void load(struct stored *s, struct pm_assess_evidence *all)
{
    assert_ok(s, pm_assess_evidence_load(all, s->store, s->run, &s->err));
}

static const struct pm_assess_case *case_of(const struct pm_assess_evidence *all,
                                            const char *function)
{
    for (size_t i = 0; i < all->case_count; i++)
        if (!strcmp(all->cases[i].function, function))
            return &all->cases[i];
    fail_msg("no case of '%s'", function);
    return NULL;
}

static void test_a_run_is_read_whole(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    fill(s);
    load(s, &all);
    assert_int_equal(all.seed, 7);
    assert_int_equal(all.target_count, 3);
    assert_int_equal(all.oracle, 2);
    assert_int_equal(all.targets[0].reference, 0);
    assert_int_equal(all.targets[1].reference, 0);
    assert_int_equal(all.case_count, 2);
    assert_string_equal(all.cases[0].function, "f"); /* sorted, though g was planned first */
    assert_int_equal(all.execution_count, 5);
    assert_true(pm_assess_evidence_has_function(&all, "g"));
    assert_false(pm_assess_evidence_has_function(&all, "h"));
    pm_assess_evidence_release(&all);
}

static void test_executions_are_found_by_key_and_by_id(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    fill(s);
    load(s, &all);
    const struct pm_assess_case *f = case_of(&all, "f"), *g = case_of(&all, "g");
    const struct pm_assess_execution *e = pm_assess_evidence_find(&all, 0, f, 1);
    assert_non_null(e);
    assert_int_equal(e->id, stored_execution(s, "null@host", "f", "a", 1));
    assert_true(e->done && !e->answered);
    assert_int_equal(e->ending, PM_ENDING_SIGNAL);
    assert_int_equal(e->ending_code, 9);
    assert_null(e->result);
    assert_ptr_equal(pm_assess_evidence_by_id(&all, e->id), e);
    assert_false(pm_assess_evidence_find(&all, 1, f, 1)->done);
    assert_null(pm_assess_evidence_find(&all, 1, g, 0)); /* never planned */
    assert_null(pm_assess_evidence_find(&all, 0, f, 2)); /* f has repetitions 0 and 1 */
    assert_null(pm_assess_evidence_by_id(&all, 0));
    assert_null(pm_assess_evidence_by_id(&all, INT64_MAX));
    pm_assess_evidence_release(&all);
}

static void test_ids_of_two_runs_may_alternate(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    fill(s);
    fill(s);
    load(s, &all);
    assert_int_equal(all.execution_count, 5);
    assert_null(pm_assess_evidence_by_id(&all, 1)); /* it belongs to the first run */
    assert_non_null(pm_assess_evidence_by_id(&all, stored_execution(s, "null@host", "f", "a", 0)));
    pm_assess_evidence_release(&all);
}

static void test_a_run_without_executions_is_empty(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    stored_add_run(s, NULL);
    load(s, &all);
    assert_int_equal(all.case_count + all.execution_count + all.target_count, 0);
    assert_int_equal(all.oracle, -1);
    assert_null(pm_assess_evidence_by_id(&all, 1));
    pm_assess_evidence_release(&all);
}

/* ---- leaves -----------------------------------------------------------------------------------
 */

static void test_leaves_come_by_group_and_with_their_bytes(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    struct pm_assess_leaves leaves = {0};
    fill(s);
    const int64_t id = stored_execution(s, "null@null", "f", "a", 0);
    stored_add_output(s, id, "gradient", 0, "x", "[4]");
    stored_add_word(s, id, 1, "value", "[1,\"two\"]");
    stored_add_word(s, id, 2, "type", "null.Thing");
    load(s, &all);
    assert_ok(s, pm_assess_evidence_load_leaves(&all, id, PM_PART_GRADIENT, &leaves, &s->err));
    assert_int_equal(leaves.leaves.count, 1);
    assert_string_equal(leaves.leaves.items[0].path, "x");
    assert_false(leaves.leaves.items[0].has_bytes);
    pm_assess_evidence_leaves_release(&leaves);
    assert_ok(s, pm_assess_evidence_load_leaves(&all, id, PM_PART_COUNT, &leaves, &s->err));
    assert_ok(s, pm_assess_evidence_load_bytes(&all, &leaves, &s->err));
    assert_int_equal(leaves.leaves.count, 4);
    for (size_t i = 0; i < leaves.leaves.count; i++) {
        const struct pm_leaf *leaf = &leaves.leaves.items[i];
        assert_int_equal(leaf->has_bytes, leaf->kind == PM_LEAF_ARRAY);
        if (leaf->kind == PM_LEAF_VALUE)
            assert_string_equal(leaf->value, "[1,\"two\"]");
        if (leaf->kind == PM_LEAF_TYPE)
            assert_string_equal(leaf->type, "null.Thing");
    }
    pm_assess_evidence_leaves_release(&leaves);
    pm_assess_evidence_release(&all);
}

static void test_bytes_that_are_not_kept_are_none(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    struct pm_assess_leaves leaves = {0};
    fill(s);
    stored_close(s);
    stored_run_sql(s, "DELETE FROM blob");
    stored_open(s);
    load(s, &all);
    const int64_t id = stored_execution(s, "null@host", "f", "a", 0);
    assert_ok(s, pm_assess_evidence_load_leaves(&all, id, PM_PART_OUTPUT, &leaves, &s->err));
    assert_ok(s, pm_assess_evidence_load_bytes(&all, &leaves, &s->err));
    assert_int_equal(leaves.leaves.count, 1);
    assert_false(leaves.leaves.items[0].has_bytes);
    pm_assess_evidence_leaves_release(&leaves);
    pm_assess_evidence_release(&all);
}

/* If a shape needed more bytes than the array has, the comparison would read beyond the end of the
 * array. */
static void test_bytes_of_another_length_are_damage(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    struct pm_assess_leaves leaves = {0};
    fill(s);
    stored_close(s);
    stored_run_sql(s, "UPDATE leaf SET shape = '[1000000]'");
    stored_open(s);
    load(s, &all);
    const int64_t id = stored_execution(s, "null@host", "f", "a", 0);
    assert_ok(s, pm_assess_evidence_load_leaves(&all, id, PM_PART_OUTPUT, &leaves, &s->err));
    assert_refused(s, pm_assess_evidence_load_bytes(&all, &leaves, &s->err), PM_EFORMAT,
                   "is damaged");
    pm_assess_evidence_leaves_release(&leaves);
    pm_assess_evidence_release(&all);
}

/* Ids and repetitions as far apart as columns allow must not decide the size of an allocation. */
static void test_ids_and_repetitions_may_be_far_apart(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    fill(s);
    stored_close(s);
    stored_run_sql(s, "UPDATE execution SET id = 9223372036854775807, repetition = 1000000"
                      " WHERE state = 'todo'");
    stored_open(s);
    load(s, &all);
    const struct pm_assess_execution *e = pm_assess_evidence_by_id(&all, INT64_MAX);
    assert_non_null(e);
    assert_ptr_equal(pm_assess_evidence_find(&all, e->target, e->test, 1000000), e);
    assert_null(pm_assess_evidence_find(&all, e->target, e->test, 999999));
    pm_assess_evidence_release(&all);
}

/* Each of these values, which no function of the store writes, is in a database of its own. */
static void test_damage_is_refused_in_one_line(void **state)
{
    static const char *const damages[] = {
        "UPDATE run SET options = '{'",
        "UPDATE target SET evidence = 'seen'",
        "UPDATE target SET role = 'judge'",
        "UPDATE target SET run_id = 99 WHERE text = 'null@null'",
        "UPDATE test_case SET definition = 'x'",
        "UPDATE execution SET repetition = -1 WHERE id = 2",
        "UPDATE execution SET repetition = 4294967296 WHERE id = 2",
        "UPDATE execution SET id = -7 WHERE id = 5",
        "UPDATE execution SET target_id = 99 WHERE id = 2",
        "UPDATE execution SET state = 'perhaps' WHERE id = 2",
        "UPDATE execution SET result = '{' WHERE id = 2",
        "UPDATE execution SET ending = 'boredom' WHERE id = 3",
        "UPDATE leaf SET shape = '[-1]'",
        "UPDATE leaf SET shape = 'x'",
        "UPDATE leaf SET kind = 'thing'",
        "UPDATE timing SET times = '[-5]'",
        "UPDATE timing SET times = '[1e300]'",
        "UPDATE timing SET times = '[1,'",
        "UPDATE blob SET bytes = x'00112233'",
    };
    struct pm_str taken = PM_STR_INIT;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct stored *s = *state;
        struct pm_judged judged;
        if (i) {
            stored_tear_down(state);
            stored_set_up(state);
            s = *state;
        }
        fill(s);
        stored_close(s);
        stored_run_sql(s, damages[i]);
        s->err.text[0] = '\0';
        if (pm_assess_db(s->db, 0, 0, &judged, &s->err) != PM_EFORMAT ||
            !strstr(s->err.text, "damaged") || strchr(s->err.text, '\n'))
            pm_str_addf(&taken, "%s: '%s'\n", damages[i], s->err.text);
    }
    assert_text(pm_str_detach(&taken), "");
}

static void test_a_dtype_without_a_word_is_a_type(void **state)
{
    struct stored *s = *state;
    struct pm_assess_evidence all;
    struct pm_assess_leaves leaves = {0};
    fill(s);
    const int64_t id = stored_execution(s, "null@null", "f", "a", 0);
    const struct pm_leaf_row quantized = {.execution_id = id,
                                          .part = PM_PART_GRADIENT,
                                          .path = "x",
                                          .kind = PM_LEAF_ARRAY,
                                          .dtype = "qint8",
                                          .shape = "[2]"};
    assert_ok(s, pm_store_add_leaf(s->store, &quantized, NULL, 0, &s->err));
    load(s, &all);
    assert_ok(s, pm_assess_evidence_load_leaves(&all, id, PM_PART_GRADIENT, &leaves, &s->err));
    assert_int_equal(leaves.leaves.items[0].kind, PM_LEAF_TYPE);
    assert_string_equal(leaves.leaves.items[0].type, "qint8");
    pm_assess_evidence_leaves_release(&leaves);
    pm_assess_evidence_release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_run_is_read_whole),
        STORED_TEST(test_executions_are_found_by_key_and_by_id),
        STORED_TEST(test_ids_of_two_runs_may_alternate),
        STORED_TEST(test_a_run_without_executions_is_empty),
        STORED_TEST(test_leaves_come_by_group_and_with_their_bytes),
        STORED_TEST(test_bytes_that_are_not_kept_are_none),
        STORED_TEST(test_bytes_of_another_length_are_damage),
        STORED_TEST(test_ids_and_repetitions_may_be_far_apart),
        STORED_TEST(test_damage_is_refused_in_one_line),
        STORED_TEST(test_a_dtype_without_a_word_is_a_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

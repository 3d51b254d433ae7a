/* Tests of judging: the outcomes of the evidence of hand-made runs. */
#include "store/outputs.h"
#include "stores.h"

#include <math.h>

static const struct stored_target two_targets[] = {{"null@host"}, {"null@null", "null@host"}};
static const struct stored_target three_targets[] = {
    {"null@host"}, {"null@null", "null@host"}, {"numpy@cpu", .role = "oracle"}};

static void begin(struct stored *s, const struct stored_target *targets, size_t count)
{
    stored_add_run(s, NULL);
    stored_add_targets(s, targets, count);
}

/* ---- against the reference ----------------------------------------------------------------------
 */

static void test_a_subject_is_compared_with_its_reference(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "near", .output = "[1, 2]"},
        {"null@host", "f", "far", .output = "[1, 2]"},
        {"null@host", "g", "near", .output = "[1, 2]"},
        {"null@null", "f", "near", .output = "[1, 2.000001]"},
        {"null@null", "f", "far", .output = "[1, 3]"},
        {"null@null", "g", "near", .output = "[1, 2]"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    const struct pm_judged judged = stored_judge(s);
    assert_int_equal(judged.executions, 6);
    assert_int_equal(judged.wrong, 1);
    assert_text(stored_judgements(s), "null@host f near 0: pass\n"
                                      "null@host f far 0: pass\n"
                                      "null@host g near 0: pass\n"
                                      "null@null f near 0: pass\n"
                                      "null@null f far 0: fail (compare)\n"
                                      "null@null g near 0: pass\n");
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: partly, paper partly, 1 of 2 counted: ");
    assert_has(verdicts, "null@null g: works, paper works, 1 of 1 counted\n");
    assert_has(verdicts, "null@host f: works");
    free(verdicts);
}

/* Inputs after the call are compared like outputs; the oracle computes only outputs. */
static void test_inputs_after_the_call_are_compared(void **state)
{
    struct stored *s = *state;
    static const char x[] = "{\"inputs_changed\": [\"x\"]}",
                      y[] = "{\"inputs_changed\": [\"x\", \"y\"]}";
    static const struct stored_execution executions[] = {
        {"null@host", "f", "same", .output = "[1]", .result = x},
        {"null@host", "f", "other", .output = "[1]", .result = x},
        {"null@host", "f", "more", .output = "[1]", .result = x},
        {"null@host", "f", "less", .output = "[1]", .result = y},
        {"null@null", "f", "same", .output = "[1]", .result = x},
        {"null@null", "f", "other", .output = "[1]", .result = x},
        {"null@null", "f", "more", .output = "[1]", .result = y},
        {"null@null", "f", "less", .output = "[1]", .result = x},
        {"numpy@cpu", "f", "same", .output = "[1]"},
    };
    begin(s, three_targets, 3);
    stored_add_case(s, "null", "f", "same", "{\"expect\": \"x\", \"repeat\": \"once\"}");
    STORED_EXECUTIONS(s, executions);
    for (size_t i = 0; i < 8; i++) {
        const struct stored_execution *e = &executions[i];
        const int64_t id = stored_execution(s, e->target, e->function, e->name, 0);
        stored_add_output(s, id, "input", 0, "x", i == 5 ? "[3]" : "[2]");
        if (e->result == y)
            stored_add_output(s, id, "input", 1, "y", "[4]");
    }
    stored_judge(s);
    assert_text(stored_judgements(s), "null@host f same 0: pass\n"
                                      "null@host f other 0: pass\n"
                                      "null@host f more 0: pass\n"
                                      "null@host f less 0: pass\n"
                                      "null@null f same 0: pass\n"
                                      "null@null f other 0: fail (compare)\n"
                                      "null@null f more 0: fail (compare)\n"
                                      "null@null f less 0: fail (compare)\n"
                                      "numpy@cpu f same 0: pass\n");
}

static void test_each_repetition_has_its_own_reference(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]"},
        {"null@host", "f", "a", 1, .output = "[1]"},
        {"null@null", "f", "a", 0, .output = "[1.5]"},
        {"null@null", "f", "a", 1, .output = "[1]"},
        {"null@null", "f", "a", 2, .output = "[9]"},
        {"null@null", "f", "a", 3, .ending = "signal"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *judgements = stored_judgements(s);
    assert_has(judgements, "null@null f a 0: fail (compare)\n");
    assert_has(judgements, "null@null f a 1: pass\n");
    assert_lacks(judgements, "null@null f a 2");        /* the reference has no third repetition */
    assert_has(judgements, "null@null f a 3: crash\n"); /* needs no reference */
    free(judgements);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: fails, paper fails, 0 of 1 counted, "
                         "1 flaky");
    free(verdicts);
}

static void test_a_reference_that_does_not_repeat_is_no_reference(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", 0, .output = "[1]"},
        {"null@host", "f", "a", 1, .output = "[2]"},
        {"null@null", "f", "a", 0, .output = "[1]"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_text(stored_judgements(s), "null@host f a 0: pass\n"
                                      "null@host f a 1: fail (compare)\n"
                                      "null@null f a 0: pass\n");
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: reference fails, paper reference fails, 0 of 0 counted: "
                         "on the reference: out: 2 instead of 1 (rtol 1.3e-06, atol 1e-05)\n");
    free(verdicts);
}

static void test_a_case_without_reference_is_judged_alone(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@null", "f", "a", .output = "[7]"},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "f", "a", "{\"reference\": \"none\"}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: works, paper works, 1 of 1 counted\n");
    assert_has(verdicts, "null@host f: untested, paper untested, 0 of 0 counted: "
                         "no case runs on the reference\n");
    free(verdicts);
}

static void test_a_target_without_values_is_compared_by_shape(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {
        {"null@host"}, {"null@meta", "null@host", .evidence = "shape only"}};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "same", .output = "[1, 2]"},
        {"null@host", "f", "longer", .output = "[1, 2]"},
        {"null@meta", "f", "same", .output = "[8, 9]"},
        {"null@meta", "f", "longer", .output = "[1, 2, 3]"},
    };
    begin(s, targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *judgements = stored_judgements(s);
    assert_has(judgements, "null@meta f same 0: pass\n");
    assert_has(judgements, "null@meta f longer 0: fail (compare)\n");
    free(judgements);
}

static void test_the_case_says_how_outputs_are_compared(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "exact", .output = "[1]"},
        {"null@host", "f", "wide", .output = "[1]"},
        {"null@host", "f", "set", .output = "[1, 2]"},
        {"null@null", "f", "exact", .output = "[1.000001]"},
        {"null@null", "f", "wide", .output = "[1.4]"},
        {"null@null", "f", "set", .output = "[2, 1]"},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "f", "exact", "{\"compare\": \"exact\"}");
    stored_add_case(s, "null", "f", "wide", "{\"tolerance\": {\"rtol\": 0.5, \"atol\": 0}}");
    stored_add_case(s, "null", "f", "set", "{\"compare\": \"set\"}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *judgements = stored_judgements(s);
    assert_has(judgements, "null@null f exact 0: fail (compare)\n");
    assert_has(judgements, "null@null f wide 0: pass\n");
    assert_has(judgements, "null@null f set 0: pass\n");
    free(judgements);
}

static int keep_rtol(void *ctx, const struct pm_judgement_row *row)
{
    double *rtols = ctx;
    rtols[strcmp(row->name, "a") != 0] = row->smallest_rtol;
    return PM_OK;
}

static void test_the_smallest_tolerance_that_passes_is_kept(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[2]"},
        {"null@host", "f", "b", .output = "[2]"},
        {"null@null", "f", "a", .output = "[2.5]"},
        {"null@null", "f", "b", .ending = "exit", .ending_code = 1},
    };
    double rtols[2] = {0, 0};
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_ok(s, pm_store_judgements(s->store, s->run, keep_rtol, rtols, &s->err));
    assert_float_equal(rtols[0], 0.25, 1e-6);
    assert_true(isnan(rtols[1]));
}

/* ---- leaves -----------------------------------------------------------------------------------
 */

static void test_values_types_and_gradients_are_compared_too(void **state)
{
    struct stored *s = *state;
    static const char *const names[] = {"value", "type", "gradient", "path"};
    static const struct stored_target *const targets = two_targets;
    begin(s, targets, 2);
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < 4; i++) {
            const struct stored_execution e = {targets[t].text, "f", names[i], .output = NULL};
            stored_add_executions(s, &e, 1);
        }
    for (size_t t = 0; t < 2; t++) {
        const char *on = targets[t].text;
        stored_add_word(s, stored_execution(s, on, "f", "value", 0), 0, "value", t ? "8" : "7");
        stored_add_word(s, stored_execution(s, on, "f", "type", 0), 0, "type",
                        t ? "null.Other" : "null.Thing");
        stored_add_output(s, stored_execution(s, on, "f", "gradient", 0), "gradient", 0, "x",
                          t ? "[5]" : "[4]");
        stored_add_output(s, stored_execution(s, on, "f", "path", 0), "output", 0,
                          t ? "out[1]" : "out[0]", "[1]");
    }
    assert_int_equal(stored_judge(s).wrong, 4);
}

static void test_equal_digests_need_no_bytes_and_others_do(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "equal", .output = "[1, 2]"},
        {"null@host", "f", "other", .output = "[3, 4]"},
        {"null@null", "f", "equal", .output = "[1, 2]"},
        {"null@null", "f", "other", .output = "[3, 5]"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_close(s);
    stored_run_sql(s, "DELETE FROM blob");
    stored_open(s);
    const struct pm_judged judged = stored_judge(s);
    assert_int_equal(judged.undecided, 1);
    assert_string_equal(judged.undecided_names, "f other on null@null");
    char *judgements = stored_judgements(s);
    assert_has(judgements, "null@null f equal 0: pass\n");
    assert_lacks(judgements, "null@null f other");
    free(judgements);
}

static void add_shape(struct stored *s, const char *target, const char *shape)
{
    const struct pm_leaf_row row = {.execution_id = stored_execution(s, target, "f", "a", 0),
                                    .part = PM_PART_OUTPUT,
                                    .path = "out",
                                    .kind = PM_LEAF_ARRAY,
                                    .dtype = "float32",
                                    .shape = shape};
    assert_ok(s, pm_store_add_leaf(s->store, &row, NULL, 0, &s->err));
}

static void test_leaves_without_digests_are_not_the_same(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a"},
        {"null@null", "f", "a"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    add_shape(s, "null@host", "[2]");
    add_shape(s, "null@null", "[3]");
    assert_int_equal(stored_judge(s).wrong, 1);
}

static void test_damaged_bytes_end_the_judging_and_leave_the_old_one(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1, 2]"},
        {"null@null", "f", "a", .output = "[1, 3]"},
    };
    struct pm_judged judged;
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    stored_close(s);
    stored_run_sql(s, "UPDATE blob SET bytes = x'00112233'");
    assert_refused(s, pm_assess_db(s->db, 0, 0, &judged, &s->err), PM_EFORMAT,
                   "cannot be unpacked to 8 bytes");
    stored_open(s);
    assert_text(stored_judgements(s), "null@host f a 0: pass\nnull@null f a 0: fail (compare)\n");
}

/* ---- no answer, an exception ------------------------------------------------------------------
 */

static void test_what_raises_is_not_compared(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "asked", .result = "{\"raised\": {\"type\": \"ValueError\"}}"},
        {"null@host", "f", "not asked", .output = "[1]"},
        {"null@host", "f", "wrong type", .result = "{\"raised\": {\"type\": \"ValueError\"}}"},
        {"null@null", "f", "asked",
         .result = "{\"raised\": {\"type\": \"ValueError\", \"message\": \"bad axis\"}}"},
        {"null@null", "f", "not asked",
         .result = "{\"stage\": \"run\", \"raised\": {\"type\": \"TypeError\"}}"},
        {"null@null", "f", "wrong type",
         .result = "{\"stage\": \"run\", \"raised\": {\"type\": \"KeyError\"}}"},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "f", "asked",
                    "{\"raises\": {\"type\": \"ValueError\", \"message\": \"axis\"}}");
    stored_add_case(s, "null", "f", "wrong type", "{\"raises\": {\"type\": \"ValueError\"}}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *judgements = stored_judgements(s);
    assert_has(judgements, "null@host f asked 0: fail\n"); /* its exception has no message */
    assert_has(judgements, "null@host f wrong type 0: pass\n");
    assert_has(judgements, "null@null f asked 0: pass\n");
    assert_has(judgements, "null@null f not asked 0: fail (run)\n");
    assert_has(judgements, "null@null f wrong type 0: fail (run)\n");
    free(judgements);
    char *verdicts = stored_verdicts(s); /* cases that ask for an exception do not count */
    assert_has(verdicts, "null@null f: fails, paper fails, 0 of 1 counted");
    free(verdicts);
}

static void test_what_did_not_apply_is_no_reference(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@host", "g", "a", .result = "{\"harness\": \"an input did not arrive\"}"},
        {"null@null", "f", "a", .result = "{\"not_applicable\": \"needs two devices\"}"},
        {"null@null", "g", "a", .output = "[1]"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 1);
    char *judgements = stored_judgements(s);
    assert_has(judgements, "null@host g a 0: harness\n");
    assert_has(judgements, "null@null f a 0: not applicable\n");
    assert_has(judgements, "null@null g a 0: pass\n");
    free(judgements);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: untested, paper untested, 0 of 0 counted: "
                         "needs two devices\n");
    assert_has(verdicts, "null@null g: untested, paper untested, 0 of 0 counted: "
                         "on the reference: an input did not arrive\n");
    free(verdicts);
}

static void test_what_has_not_run_on_both_sides_has_no_outcome(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"}, {"null@host", "g", "a", .todo = true},
        {"null@host", "h", "a", .output = "[1]"}, {"null@host", "h", "b", .output = "[1]"},
        {"null@null", "f", "a", .todo = true},    {"null@null", "g", "a", .output = "[1]"},
        {"null@null", "h", "a", .output = "[1]"}, {"null@null", "h", "b", .todo = true},
    };
    const struct pm_run_row unfinished = {.state = PM_RUN_STOPPED};
    stored_add_run(s, &unfinished);
    STORED_TARGETS(s, two_targets);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).executions, 4);
    assert_text(stored_judgements(s), "null@host f a 0: pass\n"
                                      "null@host h a 0: pass\n"
                                      "null@host h b 0: pass\n"
                                      "null@null h a 0: pass\n");
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@host g: not measured");
    assert_has(verdicts, "null@null f: not measured");
    assert_has(verdicts, "null@null g: not measured"); /* its reference has not run yet */
    assert_has(verdicts, "null@null h: works, paper works, 1 of 1 counted\n");
    free(verdicts);
}

/* ---- the oracle -------------------------------------------------------------------------------
 */

static void test_the_oracle_decides_about_the_reference(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"}, {"null@host", "g", "a", .output = "[2]"},
        {"null@null", "f", "a", .output = "[1]"}, {"null@null", "g", "a", .output = "[2]"},
        {"numpy@cpu", "f", "a", .output = "[1]"}, {"numpy@cpu", "g", "a", .output = "[3]"},
    };
    begin(s, three_targets, 3);
    STORED_EXECUTIONS(s, executions);
    /* The oracle has no gradients: that is not a difference. */
    stored_add_output(s, stored_execution(s, "null@host", "f", "a", 0), "gradient", 0, "x", "[1]");
    stored_add_output(s, stored_execution(s, "null@null", "f", "a", 0), "gradient", 0, "x", "[1]");
    stored_judge(s);
    char *judgements = stored_judgements(s), *verdicts = stored_verdicts(s);
    assert_has(judgements, "null@host f a 0: pass\n");
    assert_has(judgements, "null@host g a 0: fail (compare)\n");
    assert_has(judgements, "null@null g a 0: pass\n"); /* it gives what its reference gives */
    assert_has(
        verdicts,
        "null@host g: reference fails, paper reference fails, 0 of 0 counted: not as expected: ");
    assert_has(verdicts, "null@null f: works, paper works, 1 of 1 counted");
    assert_has(verdicts, "null@null g: reference fails");
    assert_lacks(verdicts, "numpy@cpu");
    free(judgements);
    free(verdicts);
}

static int list_error(void *ctx, const struct pm_judgement_row *row)
{
    pm_str_addf(ctx, "%lld %s: %s %s %s %.2g\n", (long long)row->target_id, row->function,
                pm_outcome_text(row->outcome), row->reason, row->rule, row->smallest_rtol);
    return PM_OK;
}

/* If `expect` contradicts a reference, the other targets are not compared with the reference. Under
 * `across`, each target is compared with `expect`, and its error is the distance from `expect`. The
 * run keeps this error after its values are deleted. */
static void test_a_wrong_reference_is_no_truth(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[2]"}, {"null@host", "g", "a", .output = "[1]"},
        {"null@null", "f", "a", .output = "[3]"}, {"null@null", "g", "a", .output = "[1.000001]"},
        {"numpy@cpu", "f", "a", .output = "[3]"}, {"numpy@cpu", "g", "a", .output = "[1.0000005]"},
    };
    begin(s, three_targets, 3);
    stored_add_case(s, "null", "f", "a", "{\"expect\": \"3\"}");
    stored_add_case(s, "null", "g", "a", "{\"expect\": \"1\", \"across\": \"one\"}");
    STORED_EXECUTIONS(s, executions);
    for (int again = 0; again < 2; again++) {
        struct pm_str text = PM_STR_INIT;
        stored_judge(s);
        assert_ok(s, pm_store_judgements(s->store, s->run, list_error, &text, &s->err));
        assert_has(text.data, "1 f: fail reference wrong expect");
        assert_has(text.data, "2 f: fail wrong result compared");
        assert_has(text.data, "1 g: pass   4.8e-07");
        assert_has(text.data, "2 g: pass   4.8e-07");
        pm_str_release(&text);
    }
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: reference fails");
    free(verdicts);
}

static void test_the_oracle_evaluates_no_check(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]", .result = "{\"check\": true}"},
        {"numpy@cpu", "f", "a", .output = "[1]", .result = "{\"check\": null}"},
    };
    begin(s, three_targets, 3);
    stored_add_case(s, "null", "f", "a", "{\"check\": \"out == 1\", \"expect\": \"1\"}");
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 0);
    assert_text(stored_judgements(s), "null@host f a 0: pass\n"
                                      "numpy@cpu f a 0: pass\n");
}

static void test_a_case_without_reference_must_be_as_expected(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@null", "f", "a", .output = "[7]"},
        {"null@null", "f", "b", .output = "[7]"},
        {"numpy@cpu", "f", "a", .output = "[7]"},
        {"numpy@cpu", "f", "b", .output = "[8]"},
    };
    begin(s, three_targets, 3);
    stored_add_case(s, "null", "f", "a", "{\"reference\": \"none\"}");
    stored_add_case(s, "null", "f", "b", "{\"reference\": \"none\"}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *judgements = stored_judgements(s);
    assert_has(judgements, "null@null f a 0: pass\n");
    assert_has(judgements, "null@null f b 0: fail (compare)\n");
    free(judgements);
}

static void test_an_expectation_that_cannot_be_evaluated_is_the_cases_fault(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "raises", .output = "[1]"},
        {"null@host", "f", "dies", .output = "[1]"},
        {"null@host", "g", "later", .output = "[1]"},
        {"numpy@cpu", "f", "raises",
         .result = "{\"raised\": {\"type\": \"NameError\", \"message\": \"nmupy\"}}"},
        {"numpy@cpu", "f", "dies", .ending = "exit", .ending_code = 1},
        {"numpy@cpu", "g", "later", .todo = true},
    };
    begin(s, three_targets, 3);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *judgements = stored_judgements(s), *verdicts = stored_verdicts(s);
    assert_has(judgements, "null@host f raises 0: harness (compare)\n");
    assert_has(judgements, "null@host f dies 0: harness (compare)\n");
    assert_lacks(judgements, "later"); /* it has no outcome before the oracle has run */
    assert_has(verdicts, "'expect' of the case cannot be evaluated: NameError: nmupy");
    free(judgements);
    free(verdicts);
}

/* ---- which runs -------------------------------------------------------------------------------
 */

static void test_judging_again_changes_nothing(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]", .warm = "[100, 110]"},
        {"null@null", "f", "a", .output = "[2]", .warm = "[300, 310]"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *judgements = stored_judgements(s), *verdicts = stored_verdicts(s);
    stored_judge(s);
    assert_text(stored_judgements(s), judgements);
    assert_text(stored_verdicts(s), verdicts);
    const struct pm_statistic_row key = {.scope = PM_SCOPE_CASE, .what = PM_STATISTIC_LATENCY};
    struct pm_statistic_row figure;
    assert_true(stored_statistic(s, "null@null", &key, &figure)); /* one row */
    free(judgements);
    free(verdicts);
}

static void test_one_run_or_all_of_them(void **state)
{
    struct stored *s = *state;
    static const struct stored_target reference[] = {{"null@host"}};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
    };
    struct pm_judged judged;
    for (unsigned i = 0; i < 2; i++) {
        begin(s, reference, 1);
        STORED_EXECUTIONS(s, executions);
    }
    stored_close(s);
    assert_ok(s, pm_assess_db(s->db, 1, 0, &judged, &s->err));
    assert_int_equal(judged.executions, 1);
    stored_open(s);
    assert_text(stored_judgements(s), ""); /* run 2 has none */
    stored_close(s);
    assert_ok(s, pm_assess_db(s->db, 0, 0, &judged, &s->err));
    assert_int_equal(judged.executions, 2);
    stored_open(s);
    assert_text(stored_judgements(s), "null@host f a 0: pass\n");
}

static void test_a_run_that_is_not_there_is_refused(void **state)
{
    struct stored *s = *state;
    struct pm_judged judged;
    stored_close(s);
    assert_refused(s, pm_assess_db(s->db, 0, 0, &judged, &s->err), PM_EUSAGE, "no run");
    stored_open(s);
    stored_add_run(s, NULL);
    stored_close(s);
    assert_refused(s, pm_assess_db(s->db, 2, 0, &judged, &s->err), PM_EUSAGE, "run 2");
    assert_refused(s, pm_assess_db("/nowhere/x.db", 0, 0, &judged, &s->err), PM_ENOTFOUND,
                   "/nowhere/x.db");
    assert_ok(s, pm_assess_db(s->db, 0, 0, &judged, &s->err)); /* a run without executions */
    assert_int_equal(judged.executions, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_subject_is_compared_with_its_reference),
        STORED_TEST(test_inputs_after_the_call_are_compared),
        STORED_TEST(test_each_repetition_has_its_own_reference),
        STORED_TEST(test_a_reference_that_does_not_repeat_is_no_reference),
        STORED_TEST(test_a_case_without_reference_is_judged_alone),
        STORED_TEST(test_a_target_without_values_is_compared_by_shape),
        STORED_TEST(test_the_case_says_how_outputs_are_compared),
        STORED_TEST(test_the_smallest_tolerance_that_passes_is_kept),
        STORED_TEST(test_values_types_and_gradients_are_compared_too),
        STORED_TEST(test_equal_digests_need_no_bytes_and_others_do),
        STORED_TEST(test_leaves_without_digests_are_not_the_same),
        STORED_TEST(test_damaged_bytes_end_the_judging_and_leave_the_old_one),
        STORED_TEST(test_what_raises_is_not_compared),
        STORED_TEST(test_what_did_not_apply_is_no_reference),
        STORED_TEST(test_what_has_not_run_on_both_sides_has_no_outcome),
        STORED_TEST(test_the_oracle_decides_about_the_reference),
        STORED_TEST(test_a_wrong_reference_is_no_truth),
        STORED_TEST(test_the_oracle_evaluates_no_check),
        STORED_TEST(test_a_case_without_reference_must_be_as_expected),
        STORED_TEST(test_an_expectation_that_cannot_be_evaluated_is_the_cases_fault),
        STORED_TEST(test_judging_again_changes_nothing),
        STORED_TEST(test_one_run_or_all_of_them),
        STORED_TEST(test_a_run_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

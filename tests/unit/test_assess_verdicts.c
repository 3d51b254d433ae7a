/* Tests of the verdicts of hand-made runs, and of their reasons. */
#include "stores.h"

#include "base/file.h"
#include "store/published.h"

static const struct stored_target two_targets[] = {{"null@host"}, {"null@null", "null@host"}};

static void begin(struct stored *s, const struct stored_target *targets, size_t count)
{
    stored_add_run(s, NULL);
    stored_add_targets(s, targets, count);
}

static void test_a_reference_that_fails_makes_the_function_broken(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .ending = "signal", .ending_code = 11},
        {"null@null", "f", "a", .output = "[1]"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    assert_int_equal(stored_judge(s).wrong, 1);
    assert_text(
        stored_verdicts(s),
        "null@host f: reference fails, paper reference fails, 0 of 0 counted: ended by SIGSEGV\n"
        "null@null f: reference fails, paper reference fails, 0 of 0 counted:"
        " on the reference: ended by SIGSEGV\n");
}

static void test_a_blocked_reference_blocks_and_a_reason_is_of_a_case_that_counts(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a",
         .result = "{\"stage\": \"setup\", \"raised\": {\"type\": \"OSError\"}}"},
        {"null@host", "g", "a", .output = "[1]"},
        {"null@host", "g", "b", .output = "[1]"},
        {"null@null", "f", "a", .output = "[1]"},
        {"null@null", "g", "a", .result = "{\"harness\": \"our own fault\"}"},
        {"null@null", "g", "b", .ending = "signal", .ending_code = 11},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: blocked, paper blocked, 0 of 0 counted: "
                         "on the reference: OSError\n");
    assert_has(verdicts, "null@null g: fails, paper fails, 0 of 1 counted: "
                         "ended by SIGSEGV\n");
    free(verdicts);
}

static void test_a_function_that_is_not_there_is_absent(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@null", "f", "a",
         .result = "{\"absent\": true, \"raised\": {\"type\": \"AttributeError\"}}"},
    };
    begin(s, two_targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: absent, paper absent");
    free(verdicts);
}

static int list_reason(void *ctx, const struct pm_verdict_row *row)
{
    pm_str_addf(ctx, "%lld %s: %s, %s (%s)\n", (long long)row->target_id, row->function,
                pm_verdict_text(row->verdict), row->reason, row->rule);
    return PM_OK;
}

/* The dtypes that a case needs are recorded on its reference; only an exception shows that the
 * device refuses one. A dtype that only a message names does not count. */
static void test_what_types_exclude_is_not_possible_by_design(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"tensorflow@cpu"},
                                                   {"tensorflow@xla", "tensorflow@cpu"}};
    static const char raised[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", "
                                 "\"message\": \"No registered 'X' OpKernel for string\"}}",
                      blocked[] = "{\"stage\": \"setup\", \"raised\": {\"type\": \"E\"}}",
                      text[] = "{\"needs\": [\"float32\", \"string\"]}",
                      number[] = "{\"needs\": [\"float32\"]}";
    static const struct stored_execution executions[] = {
        {"tensorflow@cpu", "f", "a", .output = "[1]", .result = text},
        {"tensorflow@cpu", "g", "a", .output = "[1]", .result = number},
        {"tensorflow@cpu", "h", "a", .output = "[1]", .result = text},
        {"tensorflow@cpu", "i", "a", .output = "[1]", .result = text},
        {"tensorflow@cpu", "i", "b", .output = "[1]", .result = number},
        {"tensorflow@cpu", "j", "a", .output = "[1]", .result = text},
        {"tensorflow@cpu", "j", "b", .output = "[1]", .result = number},
        {"tensorflow@xla", "f", "a", .result = blocked},
        {"tensorflow@xla", "g", "a", .result = raised},
        {"tensorflow@xla", "h", "a", .output = "[2]"},
        {"tensorflow@xla", "i", "a", .result = raised},
        {"tensorflow@xla", "i", "b", .output = "[1]"},
        {"tensorflow@xla", "j", "a", .result = raised},
        {"tensorflow@xla", "j", "b", .output = "[2]"},
    };
    begin(s, targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    struct pm_str reasons = PM_STR_INIT;
    assert_ok(s, pm_store_verdicts(s->store, s->run, list_reason, &reasons, &s->err));
    assert_has(reasons.data, "2 f: fails, not possible by design (xla-strings)\n");
    assert_has(reasons.data, "2 g: fails, not implemented (");
    assert_has(reasons.data, "2 h: fails, wrong result");
    assert_has(reasons.data, "2 i: works with limits, not possible by design");
    assert_has(reasons.data, "2 j: fails, wrong result");
    pm_str_release(&reasons);
}

/* What the setup needs explains only a failure of the setup, and what the call needs only one of
 * the call. If only the call's needs were recorded, they explain both. */
static void test_what_a_step_needs_explains_only_that_step(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"tensorflow@cpu"},
                                                   {"tensorflow@xla", "tensorflow@cpu"}};
    static const char call[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", "
                               "\"message\": \"No registered 'X' OpKernel\"}}";
    static const char setup[] = "{\"stage\": \"setup\", \"raised\": {\"type\": \"E\", "
                                "\"message\": \"No registered 'X' OpKernel\"}}";
    static const char by_call[] = "{\"needs\": {\"setup\": [\"float32\"], \"call\": [\"string\"]}}";
    static const char by_setup[] =
        "{\"needs\": {\"setup\": [\"string\"], \"call\": [\"float32\"]}}";
    static const char once[] = "{\"needs\": {\"call\": [\"string\"]}}";
    static const struct stored_execution executions[] = {
        {"tensorflow@cpu", "f", "a", .output = "[1]", .result = by_call},
        {"tensorflow@cpu", "g", "a", .output = "[1]", .result = by_setup},
        {"tensorflow@cpu", "h", "a", .output = "[1]", .result = by_call},
        {"tensorflow@cpu", "i", "a", .output = "[1]", .result = by_setup},
        {"tensorflow@cpu", "j", "a", .output = "[1]", .result = once},
        {"tensorflow@xla", "f", "a", .result = call},
        {"tensorflow@xla", "g", "a", .result = call},
        {"tensorflow@xla", "h", "a", .result = setup},
        {"tensorflow@xla", "i", "a", .result = setup},
        {"tensorflow@xla", "j", "a", .result = setup},
    };
    begin(s, targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    struct pm_str reasons = PM_STR_INIT;
    assert_ok(s, pm_store_verdicts(s->store, s->run, list_reason, &reasons, &s->err));
    assert_has(reasons.data, "2 f: fails, not possible by design (xla-strings)\n");
    assert_has(reasons.data, "2 g: fails, not implemented (tf-no-kernel)\n");
    assert_has(reasons.data, "2 h: blocked, not implemented (tf-no-kernel)\n");
    assert_has(reasons.data, "2 i: fails, not possible by design (xla-strings)\n");
    assert_has(reasons.data, "2 j: fails, not possible by design (xla-strings)\n");
    pm_str_release(&reasons);
}

/* If an exception names an operation with recorded needs, only these can explain the failure. */
static void test_an_operation_that_an_exception_names_must_need_what_is_excluded(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"tensorflow@cpu"},
                                                   {"tensorflow@xla", "tensorflow@cpu"}};
    static const char needs[] =
        "{\"needs\": {\"call\": [\"int64\", \"string\", \"table\"]}, \"operation_needs\": "
        "{\"RangeDataset\": [\"int64\"], \"Find\": [\"int64\", \"table\"]}}";
    static const char named[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", \"message\": "
                                "\"No registered 'X' OpKernel\", \"operations\": [\"%s\"]}}";
    char dataset[200], find[200], unknown[200];
    snprintf(dataset, sizeof dataset, named, "RangeDataset");
    snprintf(find, sizeof find, named, "Find");
    snprintf(unknown, sizeof unknown, named, "Other");
    const struct stored_execution executions[] = {
        {"tensorflow@cpu", "f", "a", .output = "[1]", .result = needs},
        {"tensorflow@cpu", "g", "a", .output = "[1]", .result = needs},
        {"tensorflow@cpu", "h", "a", .output = "[1]", .result = needs},
        {"tensorflow@xla", "f", "a", .result = dataset},
        {"tensorflow@xla", "g", "a", .result = find},
        {"tensorflow@xla", "h", "a", .result = unknown},
    };
    begin(s, targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    struct pm_str reasons = PM_STR_INIT;
    assert_ok(s, pm_store_verdicts(s->store, s->run, list_reason, &reasons, &s->err));
    assert_has(reasons.data, "2 f: fails, not implemented (tf-no-kernel)\n");
    assert_has(reasons.data, "2 g: fails, not possible by design (xla-tables)\n");
    assert_has(reasons.data, "2 h: fails, not possible by design (xla-strings)\n");
    pm_str_release(&reasons);
}

/* A text that shows values cannot be right on a device without values, although nothing is raised.
 * Another text can. */
static void test_a_text_that_shows_values_is_not_possible_without_values(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {
        {"pytorch@cpu"}, {"pytorch@meta", "pytorch@cpu", .evidence = "shape only"}};
    static const char values[] = "{\"needs\": {\"call\": [\"float32\", \"values\"]}}";
    static const char none[] = "{\"needs\": {\"call\": [\"float32\"]}}";
    static const struct stored_execution executions[] = {
        {"pytorch@cpu", "f", "a", .result = values},
        {"pytorch@cpu", "g", "a", .result = none},
        {"pytorch@cpu", "h", "a", .result = values},
        {"pytorch@meta", "f", "a"},
        {"pytorch@meta", "g", "a"},
        {"pytorch@meta", "h", "a"},
    };
    begin(s, targets, 2);
    STORED_EXECUTIONS(s, executions);
    for (size_t i = 0; i < sizeof executions / sizeof *executions; i++) {
        const struct stored_execution *e = &executions[i];
        const bool on_host = !strcmp(e->target, "pytorch@cpu"),
                   text = strcmp(e->function, "h") != 0;
        stored_add_word(s, stored_execution(s, e->target, e->function, "a", 0), 0,
                        text ? "value" : "type", on_host ? "\"1.5\"" : "\"...\"");
    }
    stored_judge(s);
    struct pm_str reasons = PM_STR_INIT;
    assert_ok(s, pm_store_verdicts(s->store, s->run, list_reason, &reasons, &s->err));
    assert_has(reasons.data, "2 f: fails, not possible by design (meta-values)\n");
    assert_has(reasons.data, "2 g: fails, wrong result (compared)\n");
    assert_has(reasons.data, "2 h: fails, wrong result (compared)\n");
    pm_str_release(&reasons);
}

/* If a call should raise an exception, a different exception that blames the arguments is a wrong
 * result, not a mistake of the case. An exception that says what the device lacks keeps its reason.
 */
static void test_another_exception_than_the_expected_one_is_a_wrong_result(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"tensorflow@cpu"},
                                                   {"tensorflow@xla", "tensorflow@cpu"}};
    static const char expected[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", "
                                   "\"types\": [\"E\"], \"message\": \"less than 0\"}}";
    static const char another[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", "
                                  "\"types\": [\"E\"], \"message\": \"must be positive\"}}";
    static const char lacks[] =
        "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", \"types\": [\"E\"], "
        "\"message\": \"No registered 'X' OpKernel\"}}";
    static const struct stored_execution executions[] = {
        {"tensorflow@cpu", "f", "a", .result = expected},
        {"tensorflow@cpu", "g", "a", .result = expected},
        {"tensorflow@cpu", "h", "a", .output = "[1]"},
        {"tensorflow@xla", "f", "a", .result = another},
        {"tensorflow@xla", "g", "a", .result = lacks},
        {"tensorflow@xla", "h", "a", .result = another},
    };
    begin(s, targets, 2);
    stored_add_case(s, "tensorflow", "f", "a",
                    "{\"raises\": {\"type\": \"E\", \"message\": \"less\", \"counts\": true}}");
    stored_add_case(s, "tensorflow", "g", "a",
                    "{\"raises\": {\"type\": \"E\", \"message\": \"less\", \"counts\": true}}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    struct pm_str reasons = PM_STR_INIT;
    assert_ok(s, pm_store_verdicts(s->store, s->run, list_reason, &reasons, &s->err));
    assert_has(reasons.data, "2 f: fails, wrong result (raises)\n");
    assert_has(reasons.data, "2 g: fails, not implemented (tf-no-kernel)\n");
    assert_has(reasons.data, "2 h: fails, harness error (arguments)\n");
    pm_str_release(&reasons);
}

/* A message does not show whether the operation or its dtype is missing; another case or the
 * framework's registry does. */
static void test_what_passes_with_another_dtype_is_a_type_failure(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"tensorflow@cpu"},
                                                   {"tensorflow@xla", "tensorflow@cpu"}};
    static const char raised[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", \"message\": "
                                 "\"No registered 'X' OpKernel\"}}";
    static const char registered[] =
        "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", \"message\": "
        "\"No registered 'X' OpKernel\", \"other_types\": true}}";
    static const char refused[] = "{\"stage\": \"run\", \"raised\": {\"type\": \"ValueError\", "
                                  "\"types\": [\"ValueError\"], \"message\": \"not square\"}}";
    static const struct stored_execution executions[] = {
        {"tensorflow@cpu", "i", "a", .output = "[1]"},
        {"tensorflow@xla", "i", "a", .result = registered},
        {"tensorflow@cpu", "j", "a", .result = refused},
        {"tensorflow@xla", "j", "a", .result = refused},
        {"tensorflow@cpu", "j", "b", .output = "[1]"},
        {"tensorflow@xla", "j", "b", .result = raised},
        {"tensorflow@cpu", "f", "a", .output = "[1]"},
        {"tensorflow@cpu", "f", "b", .output = "[1]"},
        {"tensorflow@cpu", "g", "a", .output = "[1]"},
        {"tensorflow@cpu", "g", "b", .output = "[1]"},
        {"tensorflow@cpu", "h", "a", .output = "[1]"},
        {"tensorflow@cpu", "h", "b", .output = "[1]"},
        {"tensorflow@xla", "f", "a", .output = "[1]"},
        {"tensorflow@xla", "f", "b", .result = raised},
        {"tensorflow@xla", "g", "a", .output = "[1]"},
        {"tensorflow@xla", "g", "b", .result = raised},
        {"tensorflow@xla", "h", "a", .output = "[1]"},
        {"tensorflow@xla", "h", "b", .result = raised},
    };
    begin(s, targets, 2);
    stored_add_case(s, "tensorflow", "f", "a", "{\"call\": \"f(x)\", \"dtypes\": [\"float32\"]}");
    stored_add_case(s, "tensorflow", "f", "b",
                    "{\"call\": \"f(x)\", \"inputs\": {\"x\": \"complex64[3] normal\"}}");
    stored_add_case(s, "tensorflow", "g", "a", "{\"call\": \"g(x)\", \"dtypes\": [\"float32\"]}");
    stored_add_case(s, "tensorflow", "g", "b",
                    "{\"call\": \"g(x, 1)\", \"dtypes\": [\"complex64\"]}");
    stored_add_case(s, "tensorflow", "h", "a",
                    "{\"setup\": \"y = x\", \"call\": \"h(y)\", \"dtypes\": [\"float32\"]}");
    stored_add_case(s, "tensorflow", "h", "b",
                    "{\"setup\": \"y = sparse(x)\", \"call\": \"h(y)\", \"dtypes\": [\"bool\"]}");
    stored_add_case(s, "tensorflow", "j", "a",
                    "{\"call\": \"j(x)\", \"dtypes\": [\"float32\"], "
                    "\"raises\": {\"type\": \"ValueError\", \"message\": \"square\"}}");
    stored_add_case(s, "tensorflow", "j", "b", "{\"call\": \"j(x)\", \"dtypes\": [\"int32\"]}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    struct pm_str reasons = PM_STR_INIT;
    assert_ok(s, pm_store_verdicts(s->store, s->run, list_reason, &reasons, &s->err));
    assert_has(reasons.data, "2 f: partly, type failure (another-dtype)\n");
    assert_has(reasons.data, "2 g: partly, not implemented (tf-no-kernel)\n");
    assert_has(reasons.data, "2 h: partly, not implemented (tf-no-kernel)\n");
    assert_has(reasons.data, "2 i: fails, type failure (registered-kernels)\n");
    assert_has(reasons.data, "2 j: fails, not implemented (tf-no-kernel)\n");
    pm_str_release(&reasons);
}

/* If raising is the purpose of a case, a device that raises nothing fails; other `raises:` cases do
 * not count. */
static void test_an_exception_counts_where_it_is_the_purpose(void **state)
{
    struct stored *s = *state;
    static const char raised[] =
        "{\"stage\": \"run\", \"raised\": {\"type\": \"E\", \"types\": [\"E\"], "
        "\"message\": \"less\"}}";
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .result = raised},
        {"null@host", "g", "a", .result = raised},
        {"null@null", "f", "a", .output = "[1]"},
        {"null@null", "g", "a", .output = "[1]"},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "f", "a",
                    "{\"raises\": {\"type\": \"E\", \"message\": \"less\", \"counts\": true}}");
    stored_add_case(s, "null", "g", "a", "{\"raises\": {\"type\": \"E\", \"message\": \"less\"}}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@host f: works, paper works, 1 of 1 counted");
    assert_has(verdicts, "null@null f: fails, paper fails, 0 of 1 counted: "
                         "no E was raised\n");
    assert_has(verdicts, "null@null g: untested");
    free(verdicts);
}

static void test_what_was_asked_for_and_not_measured_has_a_verdict(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row asked = {
        STORED_DONE, .options = "{\"untested\": [\"g\", \"f\"], \"measured\": [\"f\", \"old\"], "
                                "\"unreferenced\": [\"wait\"]}"};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
    };
    static const struct stored_target reference[] = {{"null@host"}};
    stored_add_run(s, &asked);
    STORED_TARGETS(s, reference);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_text(
        stored_verdicts(s),
        "null@host f: works, paper works, 1 of 1 counted\n"
        "null@host g: untested, paper untested, 0 of 0 counted: the suite has no case for this "
        "function\n"
        "null@host old: absent, paper absent, 0 of 0 counted: no case applies to this version "
        "of the framework\n"
        "null@host wait: untested, paper untested, 0 of 0 counted: no case runs on the "
        "reference\n");
}

static void test_functions_of_another_framework_are_not_a_targets(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"null@host"}, {"other@host"}};
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"other@host", "g", "a", .output = "[1]"},
    };
    const struct pm_run_row asked = {
        STORED_DONE, .options = "{\"measured\": {\"null\": [\"f\", \"old\"], \"other\": [\"g\"]}, "
                                "\"unreferenced\": {\"null\": [], \"other\": [\"wait\"]}}"};
    stored_add_run(s, &asked);
    stored_add_targets(s, targets, 2);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    assert_text(stored_verdicts(s),
                "null@host f: works, paper works, 1 of 1 counted\n"
                "null@host old: absent, paper absent, 0 of 0 counted: no case applies to this "
                "version of the framework\n"
                "other@host g: works, paper works, 1 of 1 counted\n"
                "other@host wait: untested, paper untested, 0 of 0 counted: no case runs on the "
                "reference\n");
}

static void test_host_only_functions_are_marked(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"},
        {"null@null", "f", "a", .output = "[1]"},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "f", "a", "{\"host_only\": true}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: works, paper works, 1 of 1 counted, host-only\n");
    free(verdicts);
}

/* ---- reasons ----------------------------------------------------------------------------------
 */

static int add_reason(void *ctx, const struct pm_verdict_row *row)
{
    pm_str_addf(ctx, "%s: %s by %s\n", row->function, row->reason, row->rule);
    return PM_OK;
}

/* Returns the reason and rule of each function's verdict; the caller frees the text. */
static char *reasons(struct stored *s)
{
    struct pm_str text = PM_STR_INIT;
    stored_open(s);
    assert_ok(s, pm_store_verdicts(s->store, s->run, add_reason, &text, &s->err));
    stored_close(s);
    return pm_str_detach(&text);
}

static void add_change(void *ctx, const struct pm_assess_change *change)
{
    pm_str_addf(ctx, "%s %s: %s, before %s\n", change->target, change->function,
                change->reason_after, change->reason_before);
}

/* Judges again with these rules; returns the changes, which the caller frees. */
static char *judge_again(struct stored *s, const char *rules)
{
    struct pm_str text = PM_STR_INIT;
    struct pm_judged judged;
    const struct pm_assess_options options = {
        .db = s->db, .rules = rules, .changed = add_change, .ctx = &text};
    assert_ok(s, pm_assess(&options, &judged, &s->err));
    return pm_str_detach(&text);
}

static void begin_with_failures(struct stored *s)
{
    static const struct stored_execution executions[] = {
        {"null@null", "f", "a", .ending = "signal", .ending_code = 11},
        {"null@null", "f", "b",
         .result = "{\"stage\": \"run\", \"raised\": {\"type\": \"NotImplementedError\"}}"},
        {"null@null", "f", "c",
         .result = "{\"stage\": \"run\", \"raised\": {\"type\": \"NotImplementedError\"}}"},
        {"null@null", "g", "a", .ending = "deadline"},
        {"null@null", "h", "a", .output = "[1]"},
        {"null@null", "k", "a",
         .result = "{\"stage\": \"run\", \"raised\": {\"type\": \"OSError\"}}"},
    };
    static const struct stored_target one_target[] = {{"null@null"}};
    begin(s, one_target, 1);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    stored_close(s);
}

static void test_the_reason_of_a_verdict_is_that_of_most_of_its_failures(void **state)
{
    struct stored *s = *state;
    begin_with_failures(s);
    assert_text(reasons(s), "f: not implemented by not-implemented\n"
                            "g: timeout by deadline\n"
                            "h:  by \n"
                            "k: unclassified by \n");
    assert_text(judge_again(s, NULL), "");
}

static int add_detail(void *ctx, const struct pm_verdict_row *row)
{
    pm_str_addf(ctx, "%s: %s\n", row->function, row->detail);
    return PM_OK;
}

static void test_the_text_behind_a_reason_is_of_a_failure_with_that_reason(void **state)
{
    struct stored *s = *state;
    struct pm_str text = PM_STR_INIT;
    begin_with_failures(s); /* f crashes first; most of its failures are not implemented */
    stored_open(s);
    assert_ok(s, pm_store_verdicts(s->store, s->run, add_detail, &text, &s->err));
    stored_close(s);
    assert_text(pm_str_detach(&text), "f: NotImplementedError\n"
                                      "g: took too long\n"
                                      "h: \n"
                                      "k: OSError\n");
}

static void test_what_a_person_says_wins_until_it_is_taken_back(void **state)
{
    struct stored *s = *state;
    begin_with_failures(s);
    assert_ok(s, pm_assess_annotate(s->db, "f", NULL, "memory issue", NULL, &s->err));
    assert_ok(s, pm_assess_annotate(s->db, "h", NULL, "crash", NULL, &s->err));
    assert_ok(s, pm_assess_annotate(s->db, "g", NULL, "crash", NULL, &s->err));
    assert_ok(s, pm_assess_annotate(s->db, "g", "null@null", "type failure", "it is", &s->err));
    assert_text(judge_again(s, NULL), "null@null f: memory issue, before not implemented\n"
                                      "null@null g: type failure, before timeout\n");
    char *now = reasons(s);
    assert_has(now, "f: memory issue by annotation\n");
    assert_has(now, "h:  by \n"); /* it works, so it has no reason */
    free(now);
    assert_ok(s, pm_assess_annotate(s->db, "g", "null@null", NULL, NULL, &s->err));
    assert_text(judge_again(s, NULL), "null@null g: crash, before type failure\n");
    assert_refused(s, pm_assess_annotate(s->db, "g", "null@null", NULL, NULL, &s->err), PM_EUSAGE,
                   "no reason was set for 'g' on null@null");
    assert_refused(s, pm_assess_annotate(s->db, "f", NULL, "status", NULL, &s->err), PM_EUSAGE,
                   "unknown reason 'status'");
    assert_refused(s, pm_assess_annotate(s->db, "z", NULL, "crash", NULL, &s->err), PM_EUSAGE,
                   "no run has a verdict on 'z'");
    assert_refused(s, pm_assess_annotate(s->db, "f", "null@host", "crash", NULL, &s->err),
                   PM_EUSAGE, "no run has a verdict on 'f' on null@host");
}

static void test_other_rules_change_reasons(void **state)
{
    struct stored *s = *state;
    begin_with_failures(s);
    char *path = pm_path_join(s->folder, "rules.yaml");
    static const char text[] = "version: 1\nrules:\n- id: mine\n  type: OSError\n"
                               "  reason: harness error\n  example: {message: m}\n";
    assert_ok(s, pm_file_write(path, text, strlen(text), &s->err));
    assert_text(judge_again(s, path), "null@null f: unclassified, before not implemented\n"
                                      "null@null g: unclassified, before timeout\n"
                                      "null@null k: harness error, before unclassified\n");
    struct pm_judged judged;
    const struct pm_assess_options options = {.db = s->db, .rules = "/nowhere/rules.yaml"};
    assert_refused(s, pm_assess(&options, &judged, &s->err), PM_EIO, "/nowhere/rules.yaml");
    free(path);
}

#define EDGE      "{\"kind\": \"edge\"}"
#define OF(dtype) "{\"kind\": \"dtype\", \"dtypes\": [\"" dtype "\"]}"

static void test_limits_name_dtypes_and_then_other_cases(void **state)
{
    struct stored *s = *state;
    /* No case of int8, float16 or complex numbers passes, and one case of float64 fails. */
    static const struct {
        const char *name, *definition;
        bool fails;
    } cases[] = {
        {"a", NULL, false},
        {"a[int8]", OF("int8"), true},
        {"a[float64]", OF("float64"), false},
        {"b[float64]", OF("float64"), true},
        {"a[complex64]", OF("complex64"), true},
        {"a[complex128]", OF("complex128"), true},
        {"a[float16]", OF("float16"), true},
        {"b[float16]", OF("float16"), true},
        {"a[bfloat16]", OF("bfloat16"), false},
        {"c", EDGE, true},
        {"d", EDGE, false},
        {"e", EDGE, true},
        {"f", EDGE, true},
        {"g", EDGE, true},
        {"h", EDGE, true},
        {"i", EDGE, true},
        {"j", EDGE, true},
    };
    begin(s, two_targets, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct stored_execution executions[] = {
            {"null@host", "f", cases[i].name, .output = "[1]"},
            {"null@null", "f", cases[i].name, .output = cases[i].fails ? "[2]" : "[1]"}};
        stored_add_case(s, "null", "f", cases[i].name, cases[i].definition);
        STORED_EXECUTIONS(s, executions);
    }
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts,
               "null@null f: works with limits, paper partly, 4 of 17 counted, core 1 of 1, "
               "limits: no float16; no complex; no int8; b[float64]; c; e; f; g; h and 2 more: ");
    assert_has(verdicts, "null@host f: works, paper works, 17 of 17 counted, core 1 of 1\n");
    free(verdicts);
}

static void test_without_a_core_case_there_is_no_verdict(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .output = "[1]"}, {"null@null", "f", "a", .output = "[2]"},
        {"null@host", "g", "a", .output = "[1]"}, {"null@null", "g", "a", .ending = "start"},
        {"null@host", "g", "b", .output = "[1]"}, {"null@null", "g", "b", .output = "[1]"},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "f", "a", EDGE);
    stored_add_case(s, "null", "g", "b", EDGE);
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s), *judgements = stored_judgements(s);
    assert_has(verdicts, "null@null f: untested, paper fails, 0 of 0 counted: "
                         "only cases that are not core cases are counted\n");
    assert_has(verdicts, "null@null g: untested, paper works, 0 of 0 counted: ");
    assert_lacks(judgements, "null@null g b, counted");
    free(judgements);
    free(verdicts);
}

#define NO_ARRAYS "{\"arrays\": false}"

static void test_a_case_without_an_array_says_nothing_when_it_passes(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution executions[] = {
        {"null@host", "f", "a", .result = NO_ARRAYS},
        {"null@null", "f", "a", .result = NO_ARRAYS},
        {"null@host", "f", "b", .output = "[1]", .result = "{\"arrays\": true}"},
        {"null@null", "f", "b", .output = "[2]", .result = "{\"arrays\": true}"},
        {"null@host", "g", "a", .result = NO_ARRAYS},
        {"null@null", "g", "a", .result = NO_ARRAYS},
        {"null@host", "h", "a", .result = NO_ARRAYS},
        {"null@null", "h", "a", .result = NO_ARRAYS},
    };
    begin(s, two_targets, 2);
    stored_add_case(s, "null", "h", "a", "{\"host_only\": true}");
    STORED_EXECUTIONS(s, executions);
    stored_judge(s);
    char *verdicts = stored_verdicts(s);
    assert_has(verdicts, "null@null f: fails, paper partly, 0 of 1 counted");
    assert_has(verdicts, "null@null g: untested, paper works, 0 of 0 counted: "
                         "no case gives the device an array or gets one from it\n");
    assert_has(verdicts, "null@null h: works, paper works, 1 of 1 counted, host-only\n");
    free(verdicts);
}

static int add_imported(void *ctx, const struct pm_imported_test_row *row)
{
    pm_str_addf(ctx, "%s: %s by %s\n", row->name, row->reason, row->rule);
    return PM_OK;
}

static void test_imported_failures_have_reasons(void **state)
{
    struct stored *s = *state;
    static const struct stored_target one_target[] = {{"null@null"}};
    struct pm_str text = PM_STR_INIT;
    stored_add_run(s, &(struct pm_run_row){.kind = PM_RUN_KIND_PUBLISHED, .source = "elsewhere"});
    stored_add_targets(s, one_target, 1);
    struct pm_imported_test_row row = {.run_id = s->run,
                                       .target_id = stored_target(s, "null@null"),
                                       .function = "f",
                                       .name = "a",
                                       .outcome = PM_TEST_FAILED,
                                       .stage = "call",
                                       .type = "lib.NotImplementedError",
                                       .message = "lib.NotImplementedError: g",
                                       .excluded = ""};
    assert_ok(s, pm_store_add_imported_test(s->store, &row, NULL, &s->err));
    row.name = "b";
    row.type = "AssertionError";
    row.message = "AssertionError: 0.9 not less than 0.1"; /* the rule begins with the number */
    assert_ok(s, pm_store_add_imported_test(s->store, &row, NULL, &s->err));
    row.name = "c";
    row.outcome = PM_TEST_PASSED;
    assert_ok(s, pm_store_add_imported_test(s->store, &row, NULL, &s->err));
    stored_judge(s);
    assert_ok(s, pm_store_imported_tests(s->store, s->run, add_imported, &text, &s->err));
    assert_text(pm_str_detach(&text), "a: not implemented by not-implemented\n"
                                      "b: float precision by error-over-bound\n"
                                      "c:  by \n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_what_types_exclude_is_not_possible_by_design),
        STORED_TEST(test_what_a_step_needs_explains_only_that_step),
        STORED_TEST(test_an_operation_that_an_exception_names_must_need_what_is_excluded),
        STORED_TEST(test_a_text_that_shows_values_is_not_possible_without_values),
        STORED_TEST(test_another_exception_than_the_expected_one_is_a_wrong_result),
        STORED_TEST(test_what_passes_with_another_dtype_is_a_type_failure),
        STORED_TEST(test_a_reference_that_fails_makes_the_function_broken),
        STORED_TEST(test_a_blocked_reference_blocks_and_a_reason_is_of_a_case_that_counts),
        STORED_TEST(test_a_function_that_is_not_there_is_absent),
        STORED_TEST(test_an_exception_counts_where_it_is_the_purpose),
        STORED_TEST(test_what_was_asked_for_and_not_measured_has_a_verdict),
        STORED_TEST(test_functions_of_another_framework_are_not_a_targets),
        STORED_TEST(test_host_only_functions_are_marked),
        STORED_TEST(test_the_reason_of_a_verdict_is_that_of_most_of_its_failures),
        STORED_TEST(test_the_text_behind_a_reason_is_of_a_failure_with_that_reason),
        STORED_TEST(test_what_a_person_says_wins_until_it_is_taken_back),
        STORED_TEST(test_other_rules_change_reasons),
        STORED_TEST(test_limits_name_dtypes_and_then_other_cases),
        STORED_TEST(test_without_a_core_case_there_is_no_verdict),
        STORED_TEST(test_a_case_without_an_array_says_nothing_when_it_passes),
        STORED_TEST(test_imported_failures_have_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the outcomes of executions and the verdicts of functions: one row for each rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "judge/judge.h"

/* ---- outcomes -------------------------------------------------------------------------------- */

static void judge(struct pm_evidence_of evidence, const char *result, enum pm_outcome outcome,
                  const char *stage_text, const char *detail)
{
    json_t *json = NULL;
    if (result) {
        assert_int_equal(pm_json_parse(result, strlen(result), &json, NULL), PM_OK);
        evidence.answered = true;
        evidence.result = json;
    }
    struct pm_judgement judgement;
    enum pm_stage stage;
    assert_true(pm_stage_parse(stage_text, &stage));
    pm_judge_execution(&evidence, &judgement);
    if (judgement.outcome != outcome || strcmp(judgement.detail, detail) != 0 ||
        judgement.stage != stage)
        fail_msg("%s: %s at '%s', '%s', not %s at '%s', '%s'",
                 result ? result : pm_ending_kind_text(evidence.ending),
                 pm_outcome_text(judgement.outcome), pm_stage_text(judgement.stage),
                 judgement.detail, pm_outcome_text(outcome), stage_text, detail);
    json_decref(json);
}

static void test_endings(void **state)
{
    (void)state;
    static const struct {
        enum pm_ending_kind ending;
        int code;
        const char *text;
        enum pm_outcome outcome;
        const char *detail;
    } table[] = {
        {PM_ENDING_DEADLINE, 9, "after 900 s", PM_OUTCOME_TIMEOUT, "took too long: after 900 s"},
        {PM_ENDING_SIGNAL, 11, "", PM_OUTCOME_CRASH, "ended by SIGSEGV"},
        {PM_ENDING_SIGNAL, 999, NULL, PM_OUTCOME_CRASH, "ended by signal 999"},
        {PM_ENDING_EXIT, 0, "", PM_OUTCOME_CRASH, "exited with status 0 without an answer"},
        {PM_ENDING_PROCESSES, 9, "", PM_OUTCOME_CRASH, "started too many processes"},
        {PM_ENDING_PROTOCOL, 9, "bad magic", PM_OUTCOME_CRASH, "sent an invalid answer: bad magic"},
        {PM_ENDING_SYSTEM_MEMORY, 9, "", PM_OUTCOME_MEMORY,
         "killed by the system, which ran out of memory"},
        {PM_ENDING_DRIVER, 0, "no module\nnamed torch", PM_OUTCOME_HARNESS,
         "no answer (driver): no module named torch"},
        {PM_ENDING_START, 70, "no socket", PM_OUTCOME_HARNESS,
         "its process could not start: no socket"},
        {PM_ENDING_SUPERVISOR, 0, "3 times in a row", PM_OUTCOME_CRASH,
         "ended portmeter itself: 3 times in a row"},
        {PM_ENDING_STOPPED, 0, "", PM_OUTCOME_HARNESS, "no answer (stopped)"},
        {PM_ENDING_NONE, 0, NULL, PM_OUTCOME_HARNESS, "no answer (unknown)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        judge((struct pm_evidence_of){.ending = table[i].ending,
                                      .ending_code = table[i].code,
                                      .ending_text = table[i].text,
                                      .stage = PM_STAGE_RUN,
                                      .raises_type = "RuntimeError"},
              NULL, table[i].outcome, "run", table[i].detail);
}

#define RAISED(stage, memory)                                                                      \
    "{\"stage\":\"" stage "\",\"raised\":{\"type\":\"NotImplementedError\",\"types\":["            \
    "\"NotImplementedError\",\"RuntimeError\",\"Exception\"],\"message\":"                         \
    "\"\\nCould not run 'aten::x'\\nmore\",\"memory\":" memory "}}"
#define MESSAGE "NotImplementedError: Could not run 'aten::x'"

static void test_raised(void **state)
{
    (void)state;
    const struct pm_evidence_of none = {0};
    judge(none, RAISED("run", "null"), PM_OUTCOME_FAIL, "run", MESSAGE);
    judge(none, RAISED("compile", "null"), PM_OUTCOME_FAIL, "compile", MESSAGE);
    judge(none, RAISED("sync", "null"), PM_OUTCOME_FAIL, "sync", MESSAGE);
    judge(none, RAISED("inputs", "null"), PM_OUTCOME_BLOCKED, "inputs", MESSAGE);
    judge(none, RAISED("setup", "null"), PM_OUTCOME_BLOCKED, "setup", MESSAGE);
    judge(none, RAISED("place", "null"), PM_OUTCOME_BLOCKED, "place", MESSAGE);
    judge(none, RAISED("setup", "\"device\""), PM_OUTCOME_MEMORY, "setup", MESSAGE);
    judge(none, RAISED("run", "\"host\""), PM_OUTCOME_MEMORY, "run", MESSAGE);
    judge(none, "{\"stage\":\"run\",\"raised\":{\"type\":\"KeyError\",\"message\":\"\"}}",
          PM_OUTCOME_FAIL, "run", "KeyError");
    judge(none,
          "{\"stage\":\"run\",\"raised\":{\"type\":\"E\",\"message\":"
          "\"Graph execution error:\\n\\nCannot place the graph\\nmore\"}}",
          PM_OUTCOME_FAIL, "run", "E: Graph execution error: Cannot place the graph");
    judge(
        none,
        "{\"stage\":\"run\",\"raised\":{\"type\":\"E\",\"message\":"
        "\"Graph execution error:\\n\\nDetected at node 'a' defined at (most recent call last):\\n"
        "    File \\\"x.py\\\", line 1, in f\\nNode: 'a'\\n2 root error(s) found.\\n"
        "  (0) UNIMPLEMENTED: no lists\\n\\t [[{{node a}}]]\"}}",
        PM_OUTCOME_FAIL, "run", "E: Graph execution error: UNIMPLEMENTED: no lists");
    judge(none, "{\"stage\":\"run\",\"raised\":{\"type\":\"E\",\"message\":\"announced:\\n\"}}",
          PM_OUTCOME_FAIL, "run", "E: announced:");
}

#define RAISED_IN(type, memory, text)                                                              \
    "{\"stage\":\"compare\",\"raised\":{\"type\":\"" type "\",\"types\":[\"" type                  \
    "\"],\"message\":\"m\",\"memory\":" memory ",\"text\":" text "}}"

#define RAISED_BY(stage, own)                                                                      \
    "{\"stage\":\"" stage "\",\"raised\":{\"type\":\"E\",\"message\":\"m\",\"own\":" own "}}"

static void test_raised_by_the_function_in_the_setup(void **state)
{
    (void)state;
    const struct pm_evidence_of none = {0};
    judge(none, RAISED_BY("setup", "true"), PM_OUTCOME_FAIL, "setup", "E: m");
    judge(none, RAISED_BY("setup", "false"), PM_OUTCOME_BLOCKED, "setup", "E: m");
    judge(none, RAISED_BY("inputs", "true"), PM_OUTCOME_BLOCKED, "inputs", "E: m");
}

static void test_a_setup_on_the_host_is_said(void **state)
{
    (void)state;
    const struct pm_evidence_of none = {0};
    judge(none, "{\"stage\":\"run\",\"setup_on_host\":true}", PM_OUTCOME_PASS, "",
          PM_SETUP_ON_HOST);
    judge(none,
          "{\"stage\":\"run\",\"setup_on_host\":true,\"raised\":{\"type\":\"E\","
          "\"message\":\"m\"}}",
          PM_OUTCOME_FAIL, "run", "E: m; " PM_SETUP_ON_HOST);
}

static void test_raised_by_a_text_after_the_call(void **state)
{
    (void)state;
    const struct pm_evidence_of none = {0};
    judge(none, RAISED_IN("E", "null", "null"), PM_OUTCOME_FAIL, "compare", "E: m");
    judge(none, RAISED_IN("E", "null", "\"output\""), PM_OUTCOME_BLOCKED, "compare",
          "output: E: m");
    judge(none, RAISED_IN("E", "null", "\"check\""), PM_OUTCOME_BLOCKED, "compare", "check: E: m");
    judge(none, RAISED_IN("AssertionError", "null", "\"output\""), PM_OUTCOME_BLOCKED, "compare",
          "output: AssertionError: m");
    judge(none, RAISED_IN("AssertionError", "null", "\"check\""), PM_OUTCOME_FAIL, "compare",
          "check: AssertionError: m");
    judge(none, RAISED_IN("E", "\"device\"", "\"output\""), PM_OUTCOME_MEMORY, "compare",
          "output: E: m");
    judge((struct pm_evidence_of){.is_reference = true}, RAISED_IN("E", "null", "\"output\""),
          PM_OUTCOME_BLOCKED, "compare", "output: E: m");
    judge((struct pm_evidence_of){.raises_type = "E"}, RAISED_IN("E", "null", "\"output\""),
          PM_OUTCOME_PASS, "", "");
}

static void test_raises(void **state)
{
    (void)state;
    static const struct {
        const char *type, *message;
        enum pm_outcome outcome;
    } table[] = {
        {"NotImplementedError", NULL, PM_OUTCOME_PASS},
        {"RuntimeError", "aten::(x|y)", PM_OUTCOME_PASS},
        {"RuntimeError", "more$", PM_OUTCOME_PASS},
        {"torch.RuntimeError", NULL, PM_OUTCOME_PASS},
        {"ValueError", NULL, PM_OUTCOME_FAIL},
        {"Error", NULL, PM_OUTCOME_FAIL},
        {"RuntimeError", "aten::z", PM_OUTCOME_FAIL},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const bool pass = table[i].outcome == PM_OUTCOME_PASS;
        judge((struct pm_evidence_of){.raises_type = table[i].type,
                                      .raises_message = table[i].message},
              RAISED("run", "null"), table[i].outcome, pass ? "" : "run", pass ? "" : MESSAGE);
    }
    const struct pm_evidence_of wanted = {.raises_type = "RuntimeError"};
    judge(wanted, RAISED("run", "\"host\""), PM_OUTCOME_PASS, "", "");
    judge(wanted, RAISED("setup", "null"), PM_OUTCOME_BLOCKED, "setup", MESSAGE);
    judge(wanted, "{}", PM_OUTCOME_FAIL, "run", "no RuntimeError was raised");
    judge((struct pm_evidence_of){.raises_type = "RuntimeError", .raises_message = "("},
          RAISED("run", "null"), PM_OUTCOME_HARNESS, "run",
          "the pattern '(' of 'raises' is invalid: correct the case");
    judge((struct pm_evidence_of){.raises_type = "linalg.LinAlgError"},
          "{\"stage\":\"run\",\"raised\":{\"type\":\"torch.linalg.LinAlgError\",\"message\":\"\"}}",
          PM_OUTCOME_FAIL, "run", "torch.linalg.LinAlgError");
}

/* Rules are tested in order, each with the evidence of all later rules as well: the first decides.
 */
static void test_order(void **state)
{
    (void)state;
    const struct pm_difference oracle = {.kind = PM_DIFFERENCE_VALUE, .text = "out: 1 for 2"};
    const struct pm_difference reference = {.kind = PM_DIFFERENCE_DTYPE, .text = "out: dtype"};
    struct pm_evidence_of all = {.stage = PM_STAGE_SYNC,
                                 .has_check = true,
                                 .is_reference = true,
                                 .against_oracle = &oracle,
                                 .against_reference = &reference};
#define PLACE                                                                                      \
    "\"fallback\":[\"aten::a\",\"aten::b\"],\"outputs\":[{\"path\":\"out\",\"on_device\":true},"   \
    "{\"path\":\"out[1]\",\"on_device\":false,\"device\":\"cpu\"}],\"gradients\":[]"
#define CHECK  "\"check\":false," PLACE
#define SECOND "\"second\":{\"inputs_changed\":[\"x\"],\"output_changed\":[\"out\"]}," CHECK
#define RAISES "\"raised\":{\"type\":\"E\",\"message\":\"m\"}," SECOND
#define NOT    "\"not_applicable\":\"needs cuda\"," RAISES
    judge(all, "{\"harness\":\"digest differs\"," NOT "}", PM_OUTCOME_HARNESS, "sync",
          "digest differs");
    judge(all, "{" NOT "}", PM_OUTCOME_NOT_APPLICABLE, "sync", "needs cuda");
    judge(all, "{" RAISES "}", PM_OUTCOME_FAIL, "sync", "E: m");
    judge(all, "{" SECOND "}", PM_OUTCOME_HARNESS, "run",
          "a second call changes x, out: write 'repeat: fresh' in the case");
    judge(all, "{" CHECK "}", PM_OUTCOME_FAIL, "compare", "the check is false");
    judge(all, "{\"check\":null," PLACE "}", PM_OUTCOME_HARNESS, "compare",
          "the driver did not evaluate the check: report this fault of portmeter");
    judge(all, "{\"check\":true," PLACE "}", PM_OUTCOME_FAIL, "compare",
          "not as expected: out: 1 for 2");
    all.is_reference = false;
    all.against_oracle = NULL;
    judge(all, "{" SECOND "}", PM_OUTCOME_FAIL, "compare", "the check is false");
    judge(all, "{\"check\":true," PLACE "}", PM_OUTCOME_FAIL, "compare", "out: dtype");
    all.against_reference = NULL;
    judge(all, "{\"check\":true," PLACE "}", PM_OUTCOME_FALLBACK, "run",
          "aten::a, aten::b on the host, out[1] is on cpu");
    all.host_only = true;
    judge(all, "{\"check\":true," PLACE "}", PM_OUTCOME_FALLBACK, "run",
          "aten::a, aten::b on the host");
    judge(
        all,
        "{\"check\":true,\"outputs\":[{\"path\":\"out\",\"on_device\":false,\"device\":\"cpu\"}]}",
        PM_OUTCOME_PASS, "", "");
    all.host_only = false;
    judge(
        all,
        "{\"check\":true,\"gradients\":[{\"path\":\"x\",\"on_device\":false,\"device\":\"cpu\"}]}",
        PM_OUTCOME_FALLBACK, "run", "x is on cpu");
    all.shape_only = true;
    judge(all, "{\"check\":false,\"second\":null,\"raised\":null,\"harness\":null}",
          PM_OUTCOME_PASS, "", "");
}

static void test_destroyed_inputs_are_the_device_s_where_the_reference_kept_them(void **state)
{
    static const char destroyed[] = "{\"stage\":\"inputs\",\"destroyed\":\"'x' changed\"}";
    (void)state;
    judge((struct pm_evidence_of){.reference_kept_inputs = true}, destroyed, PM_OUTCOME_FAIL,
          "place", "'x' changed");
    judge((struct pm_evidence_of){0}, destroyed, PM_OUTCOME_HARNESS, "inputs", "'x' changed");
}

static void test_changed_inputs_are_the_device_s_where_the_reference_leaves_them(void **state)
{
    static const char changed[] = "{\"inputs_changed\":[\"x\",\"y\",\"z\"]," PLACE "}";
    const struct pm_difference same = {0},
                               differs = {.kind = PM_DIFFERENCE_VALUE, .text = "1 for 2"};
    json_t *some = json_pack("[s,s]", "y", "x");
    struct pm_evidence_of all = {.against_reference = &same};
    (void)state;
    judge(all, changed, PM_OUTCOME_FAIL, "compare",
          "the call changed inputs that it does not change on the reference: 'x', 'y', 'z'");
    judge(all, "{\"inputs_changed\":null}", PM_OUTCOME_PASS, "", "");
    all.changed_on_reference = some;
    judge(all, changed, PM_OUTCOME_FAIL, "compare",
          "the call changed inputs that it does not change on the reference: 'z'");
    judge(all, "{\"inputs_changed\":[\"x\",\"y\"]}", PM_OUTCOME_PASS, "", "");
    judge(all, "{\"inputs_changed\":[\"x\"]}", PM_OUTCOME_FAIL, "compare",
          "the call did not change inputs that it changes on the reference: 'y'");
    judge(all, "{}", PM_OUTCOME_FAIL, "compare",
          "the call did not change inputs that it changes on the reference: 'y', 'x'");
    all.shape_only = true; /* without values no change can be seen */
    judge(all, "{}", PM_OUTCOME_PASS, "", "");
    all.shape_only = false;
    all.against_reference = &differs;
    judge(all, changed, PM_OUTCOME_FAIL, "compare", "1 for 2");
    all = (struct pm_evidence_of){.against_reference = &same, .is_reference = true};
    judge(all, "{\"inputs_changed\":[\"x\"]}", PM_OUTCOME_PASS, "", "");
    all = (struct pm_evidence_of){0};
    judge(all, "{\"inputs_changed\":[\"x\"]}", PM_OUTCOME_PASS, "", "");
    json_decref(some);
}

static void test_long_messages_are_cut(void **state)
{
    (void)state;
    char result[3000];
    snprintf(result, sizeof result, "{\"harness\":\"%0*d\"}", 2000, 7);
    json_t *json = NULL;
    assert_int_equal(pm_json_parse(result, strlen(result), &json, NULL), PM_OK);
    const struct pm_evidence_of evidence = {.answered = true, .result = json};
    struct pm_judgement judgement;
    pm_judge_execution(&evidence, &judgement);
    const size_t length = strlen(judgement.detail);
    assert_in_range(length, 400, sizeof judgement.detail - 1);
    assert_string_equal(judgement.detail + length - 3, "...");
    json_decref(json);
}

static void test_texts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PM_OUTCOME_COUNT; i++) {
        enum pm_outcome outcome;
        assert_true(pm_outcome_parse(pm_outcome_text((enum pm_outcome)i), &outcome));
        assert_int_equal(outcome, i);
    }
    for (unsigned i = 0; i < PM_VERDICT_COUNT; i++) {
        enum pm_verdict verdict;
        assert_true(pm_verdict_parse(pm_verdict_text((enum pm_verdict)i), &verdict));
        assert_int_equal(verdict, i);
    }
    enum pm_outcome outcome;
    enum pm_verdict verdict;
    assert_false(pm_outcome_parse("passed", &outcome));
    assert_false(pm_verdict_parse("failure", &verdict));
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* Reads a case from a word of outcomes, with one letter for each repetition: Pass, Fail, Crash,
 * Timeout, Memory, fallBack, blocKed, Not applicable, Harness; "" if none has run. Prefixes
 * describe the reference ('!' fails, '#' is blocked, '~' shows nothing, '?' has not run) or the
 * case ('r' has `raises:`, 'e' edge, 'i' idle, 'x' not possible by design). */
static void read_case(const char *word, enum pm_outcome *outcomes, struct pm_case_outcomes *c)
{
    static const char letters[] = "PFCTMBKNH";
    *c = (struct pm_case_outcomes){
        .outcomes = outcomes, .core = true, .reference = PM_REFERENCE_PASSES};
    for (; *word; word++) {
        const char *letter = strchr(letters, *word);
        if (*word == '!')
            c->reference = PM_REFERENCE_FAILS;
        else if (*word == '#')
            c->reference = PM_REFERENCE_BLOCKED;
        else if (*word == '~')
            c->reference = PM_REFERENCE_UNKNOWN;
        else if (*word == '?')
            c->reference = PM_REFERENCE_NOT_RUN;
        else if (*word == 'r')
            c->raises = true;
        else if (*word == 'e')
            c->core = false;
        else if (*word == 'i')
            c->idle = true;
        else if (*word == 'x')
            c->impossible = true;
        else
            outcomes[c->count++] = (enum pm_outcome)(letter - letters);
    }
}

static const struct {
    const char *cases[4];
    enum pm_verdict strict, paper;
    unsigned counted, passed, core, core_passed, flaky;
} verdicts[] = {
    {{"PPP", "PPP"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 2, 2, 2, 2, 0},
    {{"PPP", "FFF"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 2, 1, 2, 1, 0},
    {{"FFF", "CTM"}, PM_VERDICT_FAILS, PM_VERDICT_FAILS, 2, 0, 2, 0, 0},
    /* flaky is not passing */
    {{"PPP", "PFP"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 2, 1, 2, 1, 1},
    {{"PFP"}, PM_VERDICT_FAILS, PM_VERDICT_FAILS, 1, 0, 1, 0, 1},
    {{"PKP", "P"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 2, 1, 2, 1, 1},
    /* fallback and blocked, strict and by the paper's rules */
    {{"BBB", "PPP"}, PM_VERDICT_PARTLY, PM_VERDICT_WORKS, 2, 1, 2, 1, 0},
    {{"BBB"}, PM_VERDICT_FAILS, PM_VERDICT_WORKS, 1, 0, 1, 0, 0},
    {{"KKK", "PPP"}, PM_VERDICT_WORKS, PM_VERDICT_PARTLY, 1, 1, 1, 1, 0},
    {{"KKK"}, PM_VERDICT_BLOCKED, PM_VERDICT_FAILS, 0, 0, 0, 0, 0},
    /* what is not counted */
    {{"rP", "FFF"}, PM_VERDICT_FAILS, PM_VERDICT_FAILS, 1, 0, 1, 0, 0},
    {{"rF", "PPP"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 1, 1, 1, 1, 0},
    {{"!F", "PPP"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 1, 1, 1, 1, 0},
    {{"NNN", "HHH", "P"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 1, 1, 1, 1, 0},
    {{"PHP"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 1, 1, 1, 1, 0},
    /* nothing counted */
    {{"!FFF", "!PPP"}, PM_VERDICT_REFERENCE_FAILS, PM_VERDICT_REFERENCE_FAILS, 0, 0, 0, 0, 0},
    {{"!FFF", "NNN"}, PM_VERDICT_REFERENCE_FAILS, PM_VERDICT_REFERENCE_FAILS, 0, 0, 0, 0, 0},
    {{"!FFF", "KKK"}, PM_VERDICT_REFERENCE_FAILS, PM_VERDICT_FAILS, 0, 0, 0, 0, 0},
    {{"!NNN"}, PM_VERDICT_UNTESTED, PM_VERDICT_UNTESTED, 0, 0, 0, 0, 0},
    {{"KKK", "HHH"}, PM_VERDICT_BLOCKED, PM_VERDICT_FAILS, 0, 0, 0, 0, 0},
    {{"~FFF", "~PPP"}, PM_VERDICT_UNTESTED, PM_VERDICT_UNTESTED, 0, 0, 0, 0, 0},
    {{"~FFF", "P"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 1, 1, 1, 1, 0},
    {{"#FFF", "~PPP"}, PM_VERDICT_BLOCKED, PM_VERDICT_BLOCKED, 0, 0, 0, 0, 0},
    {{"#FFF", "!PPP"}, PM_VERDICT_REFERENCE_FAILS, PM_VERDICT_REFERENCE_FAILS, 0, 0, 0, 0, 0},
    {{"NNN", "HHH"}, PM_VERDICT_UNTESTED, PM_VERDICT_UNTESTED, 0, 0, 0, 0, 0},
    {{"rPPP"}, PM_VERDICT_UNTESTED, PM_VERDICT_UNTESTED, 0, 0, 0, 0, 0},
    {{NULL}, PM_VERDICT_UNTESTED, PM_VERDICT_UNTESTED, 0, 0, 0, 0, 0},
    /* core cases and others; the paper's rule treats all alike */
    {{"P", "eF"}, PM_VERDICT_LIMITS, PM_VERDICT_PARTLY, 2, 1, 1, 1, 0},
    {{"P", "eP"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 2, 2, 1, 1, 0},
    {{"P", "ePF"}, PM_VERDICT_LIMITS, PM_VERDICT_PARTLY, 2, 1, 1, 1, 1},
    {{"P", "F", "eP"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 3, 2, 2, 1, 0},
    {{"P", "F", "eF"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 3, 1, 2, 1, 0},
    {{"F", "eP"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 2, 1, 1, 0, 0},
    {{"F", "eF"}, PM_VERDICT_FAILS, PM_VERDICT_FAILS, 2, 0, 1, 0, 0},
    /* no core case is counted */
    {{"eP", "eF"}, PM_VERDICT_UNTESTED, PM_VERDICT_PARTLY, 0, 0, 0, 0, 0},
    {{"eF"}, PM_VERDICT_UNTESTED, PM_VERDICT_FAILS, 0, 0, 0, 0, 0},
    {{"!F", "eP"}, PM_VERDICT_REFERENCE_FAILS, PM_VERDICT_WORKS, 0, 0, 0, 0, 0},
    {{"K", "eP"}, PM_VERDICT_BLOCKED, PM_VERDICT_PARTLY, 0, 0, 0, 0, 0},
    {{"", "eP"}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_WORKS, 0, 0, 0, 0, 0},
    {{"N", "e!F"}, PM_VERDICT_UNTESTED, PM_VERDICT_REFERENCE_FAILS, 0, 0, 0, 0, 0},
    {{"e!F"}, PM_VERDICT_REFERENCE_FAILS, PM_VERDICT_REFERENCE_FAILS, 0, 0, 0, 0, 0},
    /* an idle case counts only if it fails; the paper's rules always count it */
    {{"iP", "F"}, PM_VERDICT_FAILS, PM_VERDICT_PARTLY, 1, 0, 1, 0, 0},
    {{"iP"}, PM_VERDICT_UNTESTED, PM_VERDICT_WORKS, 0, 0, 0, 0, 0},
    {{"iF", "P"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 2, 1, 2, 1, 0},
    /* A core case that is not possible by design counts as core only if most core cases are not
     * possible. If the case is blocked for that reason, it fails. */
    {{"P", "xF"}, PM_VERDICT_LIMITS, PM_VERDICT_PARTLY, 2, 1, 1, 1, 0},
    {{"P", "xK"}, PM_VERDICT_LIMITS, PM_VERDICT_PARTLY, 2, 1, 1, 1, 0},
    {{"P", "F", "xF"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 3, 1, 2, 1, 0},
    {{"F", "xF"}, PM_VERDICT_FAILS, PM_VERDICT_FAILS, 2, 0, 1, 0, 0},
    {{"P", "xF", "xF"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 3, 1, 3, 1, 0},
    {{"xF", "xK"}, PM_VERDICT_FAILS, PM_VERDICT_FAILS, 2, 0, 2, 0, 0},
    {{"xF", "eP"}, PM_VERDICT_PARTLY, PM_VERDICT_PARTLY, 2, 1, 1, 0, 0},
    {{"xP"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 1, 1, 1, 1, 0},
    {{"#xK"}, PM_VERDICT_BLOCKED, PM_VERDICT_BLOCKED, 0, 0, 0, 0, 0},
    /* nothing counted yet */
    {{""}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_NOT_MEASURED, 0, 0, 0, 0, 0},
    {{"!"}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_NOT_MEASURED, 0, 0, 0, 0, 0},
    {{"r"}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_NOT_MEASURED, 0, 0, 0, 0, 0},
    {{"?PPP"}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_NOT_MEASURED, 0, 0, 0, 0, 0},
    {{"?FFF", "?"}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_NOT_MEASURED, 0, 0, 0, 0, 0},
    {{"!FFF", ""}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_NOT_MEASURED, 0, 0, 0, 0, 0},
    {{"KKK", "?P"}, PM_VERDICT_NOT_MEASURED, PM_VERDICT_FAILS, 0, 0, 0, 0, 0},
    {{"NNN", "rP"}, PM_VERDICT_UNTESTED, PM_VERDICT_UNTESTED, 0, 0, 0, 0, 0},
    {{"PPP", "?PPP"}, PM_VERDICT_WORKS, PM_VERDICT_WORKS, 1, 1, 1, 1, 0},
};

static size_t read_cases(const char *const *words, enum pm_outcome outcomes[][8],
                         struct pm_case_outcomes *cases)
{
    size_t count = 0;
    for (; count < 4 && words[count]; count++)
        read_case(words[count], outcomes[count], &cases[count]);
    return count;
}

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        enum pm_outcome outcomes[4][8];
        struct pm_case_outcomes cases[4];
        const size_t count = read_cases(verdicts[i].cases, outcomes, cases);
        struct pm_verdict_counts counts, by_paper;
        struct pm_function_verdict strict, paper, absent;
        pm_judge_counts(cases, count, false, &counts);
        pm_judge_counts(cases, count, true, &by_paper);
        pm_judge_function(&counts, true, &strict);
        pm_judge_function_paper(&by_paper, true, &paper);
        pm_judge_function(&counts, false, &absent);
        if (strict.verdict != verdicts[i].strict || paper.verdict != verdicts[i].paper ||
            strict.counted != verdicts[i].counted || strict.passed != verdicts[i].passed ||
            strict.core != verdicts[i].core || strict.core_passed != verdicts[i].core_passed ||
            strict.flaky != verdicts[i].flaky)
            fail_msg("row %zu: %s, %s; %u of %u passed, core %u of %u, %u flaky", i,
                     pm_verdict_text(strict.verdict), pm_verdict_text(paper.verdict), strict.passed,
                     strict.counted, strict.core_passed, strict.core, strict.flaky);
        assert_int_equal(absent.verdict, PM_VERDICT_ABSENT);
        assert_int_equal(absent.counted, 0);
    }
}

/* The headline's share is that of working functions among the counted ones. An additional case must
 * not lower it, unless it is a core case. */
static void test_a_case_that_is_not_core_never_lowers_the_headline(void **state)
{
    (void)state;
    static const char *const added[] = {"eF", "eC",  "eB", "ePF", "eK",
                                        "eH", "e!F", "e",  "erF", "eP"};
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
        for (size_t k = 0; k < sizeof added / sizeof *added; k++) {
            enum pm_outcome outcomes[5][8];
            struct pm_case_outcomes cases[5];
            const size_t count = read_cases(verdicts[i].cases, outcomes, cases);
            struct pm_verdict_counts counts;
            struct pm_function_verdict before, after;
            read_case(added[k], outcomes[count], &cases[count]);
            pm_judge_counts(cases, count, false, &counts);
            pm_judge_function(&counts, true, &before);
            pm_judge_counts(cases, count + 1, false, &counts);
            pm_judge_function(&counts, true, &after);
            if (pm_verdict_is_working(before.verdict) != pm_verdict_is_working(after.verdict) ||
                pm_verdict_is_counted(before.verdict) != pm_verdict_is_counted(after.verdict))
                fail_msg("row %zu with '%s': %s becomes %s", i, added[k],
                         pm_verdict_text(before.verdict), pm_verdict_text(after.verdict));
        }
}

static void test_functions_that_are_not_possible(void **state)
{
    (void)state;
    static const struct {
        const char *cases[4];
        bool impossible;
    } rows[] = {
        {{"xF", "xK"}, true},  {{"xF", "eP"}, true}, {{"xF", "eF"}, true},
        {{"F", "xF"}, false},  {{"P", "xF"}, false}, {{"P", "xF", "xF"}, true},
        {{"F", "exF"}, false}, {{"xP"}, false},      {{"exF"}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum pm_outcome outcomes[4][8];
        struct pm_case_outcomes cases[4];
        struct pm_verdict_counts counts;
        struct pm_function_verdict verdict;
        pm_judge_counts(cases, read_cases(rows[i].cases, outcomes, cases), false, &counts);
        pm_judge_function(&counts, true, &verdict);
        if (verdict.impossible != rows[i].impossible)
            fail_msg("row %zu: %s", i, verdict.impossible ? "not possible" : "possible");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_raised),
        cmocka_unit_test(test_raised_by_the_function_in_the_setup),
        cmocka_unit_test(test_a_setup_on_the_host_is_said),
        cmocka_unit_test(test_raised_by_a_text_after_the_call),
        cmocka_unit_test(test_raises),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_destroyed_inputs_are_the_device_s_where_the_reference_kept_them),
        cmocka_unit_test(test_changed_inputs_are_the_device_s_where_the_reference_leaves_them),
        cmocka_unit_test(test_long_messages_are_cut),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_functions_that_are_not_possible),
        cmocka_unit_test(test_a_case_that_is_not_core_never_lowers_the_headline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

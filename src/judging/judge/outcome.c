/* Decides the outcome of one execution, by rules in a fixed order. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/line.h"
#include "base/pattern.h"
#include "base/str.h"
#include "judge/judge_private.h"

bool pm_outcome_is_wrong(enum pm_outcome outcome)
{
    return outcome != PM_OUTCOME_PASS && outcome != PM_OUTCOME_NOT_APPLICABLE;
}

/* ---- messages ------------------------------------------------------------------------------- */

static const char *text_or(const char *text, const char *fallback)
{
    return text && *text ? text : fallback;
}

static enum pm_stage stage_of(const struct pm_evidence_of *evidence)
{
    enum pm_stage stage = evidence->stage;
    if (stage == PM_STAGE_NONE)
        (void)pm_stage_parse(pm_json_string(evidence->result, "stage", ""), &stage);
    return stage;
}

static void decide(struct pm_judgement *out, enum pm_outcome outcome, enum pm_stage stage,
                   const char *format, ...) PM_PRINTF(4, 5);
static void decide(struct pm_judgement *out, enum pm_outcome outcome, enum pm_stage stage,
                   const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, text, sizeof out->detail - 4);
    *out = (struct pm_judgement){.outcome = outcome, .stage = stage};
    snprintf(out->detail, sizeof out->detail, "%s", line.data);
    pm_str_release(&line);
}

/* Joins a list of strings: "a, b, c". */
static void add_names(struct pm_str *out, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        pm_str_addf(out, "%s%s", out->length ? ", " : "", name ? name : "?");
    }
}

/* ---- no answer --------------------------------------------------------------------------------
 */

static void describe_ending(const struct pm_evidence_of *evidence, struct pm_str *out)
{
    static const char *const sentences[PM_ENDING_COUNT] = {
        [PM_ENDING_DEADLINE] = "took too long",
        [PM_ENDING_PROCESSES] = "started too many processes",
        [PM_ENDING_PROTOCOL] = "sent an invalid answer",
        [PM_ENDING_SYSTEM_MEMORY] = "killed by the system, which ran out of memory",
        [PM_ENDING_START] = "its process could not start",
        [PM_ENDING_SUPERVISOR] = "ended portmeter itself",
    };
    const char *ending = pm_ending_kind_text(evidence->ending);
    if (evidence->ending == PM_ENDING_SIGNAL) {
        const char *name = sigabbrev_np(evidence->ending_code);
        if (name)
            pm_str_addf(out, "ended by SIG%s", name);
        else
            pm_str_addf(out, "ended by signal %d", evidence->ending_code);
    } else if (evidence->ending == PM_ENDING_EXIT) {
        pm_str_addf(out, "exited with status %d without an answer", evidence->ending_code);
    } else if (sentences[evidence->ending]) {
        pm_str_add(out, sentences[evidence->ending]);
    } else {
        pm_str_addf(out, "no answer (%s)", text_or(ending, "unknown"));
    }
    if (*text_or(evidence->ending_text, ""))
        pm_str_addf(out, ": %s", evidence->ending_text);
}

static void judge_ending(const struct pm_evidence_of *evidence, struct pm_judgement *out)
{
    static const enum pm_outcome outcomes[PM_ENDING_COUNT] = {
        [PM_ENDING_NONE] = PM_OUTCOME_HARNESS,     [PM_ENDING_EXIT] = PM_OUTCOME_CRASH,
        [PM_ENDING_SIGNAL] = PM_OUTCOME_CRASH,     [PM_ENDING_DEADLINE] = PM_OUTCOME_TIMEOUT,
        [PM_ENDING_PROCESSES] = PM_OUTCOME_CRASH,  [PM_ENDING_PROTOCOL] = PM_OUTCOME_CRASH,
        [PM_ENDING_DRIVER] = PM_OUTCOME_HARNESS,   [PM_ENDING_SYSTEM_MEMORY] = PM_OUTCOME_MEMORY,
        [PM_ENDING_SUPERVISOR] = PM_OUTCOME_CRASH, [PM_ENDING_START] = PM_OUTCOME_HARNESS,
        [PM_ENDING_STOPPED] = PM_OUTCOME_HARNESS,
    };
    struct pm_str text = PM_STR_INIT;
    describe_ending(evidence, &text);
    decide(out, outcomes[evidence->ending], stage_of(evidence), "%s", text.data);
    pm_str_release(&text);
}

/* ---- an exception -----------------------------------------------------------------------------
 */

/* Returns whether two names may name the same type. A name without a module matches in any module:
 * "OutOfMemoryError" matches "torch.OutOfMemoryError". */
static bool same_type(const char *name, const char *wanted)
{
    const char *name_end = strrchr(name, '.'), *wanted_end = strrchr(wanted, '.');
    if (name_end && wanted_end)
        return strcmp(name, wanted) == 0;
    return strcmp(name_end ? name_end + 1 : name, wanted_end ? wanted_end + 1 : wanted) == 0;
}

bool pm_judge__is_type(const char *type, const json_t *types, const char *wanted)
{
    if (same_type(type, wanted))
        return true;
    for (size_t i = 0; i < json_array_size(types); i++) {
        const char *name = json_string_value(json_array_get(types, i));
        if (name && same_type(name, wanted))
            return true;
    }
    return false;
}

static bool has_pattern(const char *text, const char *pattern, bool *is_pattern)
{
    regex_t regex;
    *is_pattern = pm_pattern_init(&regex, pattern, NULL) == PM_OK;
    if (!*is_pattern)
        return false;
    const bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static bool is_before_the_call(enum pm_stage stage)
{
    return stage == PM_STAGE_INPUTS || stage == PM_STAGE_SETUP || stage == PM_STAGE_PLACE;
}

/* Adds the first line of a message and, if this line only announces the cause, also the cause. */
static void add_lead(struct pm_str *out, const char *message)
{
    message += strspn(message, " \t\r\n");
    const char *cause = pm_line_cause(message);
    pm_str_addf(out, "%.*s", (int)strcspn(message, "\r\n"), message);
    if (*cause)
        pm_str_addf(out, " %.*s", (int)strcspn(cause, "\r\n"), cause);
}

/* Returns whether a check raised an AssertionError, which means that the check is false. Any other
 * exception that the case raises after the call shows nothing about the function, because the
 * function has returned. */
static bool is_false_check(const json_t *raised)
{
    return strcmp(pm_json_string(raised, "text", ""), "check") == 0 &&
           pm_judge__is_type(pm_json_string(raised, "type", ""), json_object_get(raised, "types"),
                             "AssertionError");
}

/* Returns whether an exception shows nothing about the function. An exception from a call of the
 * function in the setup shows something: it makes no difference on which line the author wrote the
 * call. */
static bool is_of_another(const json_t *raised, enum pm_stage stage)
{
    if (is_before_the_call(stage))
        return stage != PM_STAGE_SETUP || !pm_json_bool(raised, "own", false);
    return *pm_json_string(raised, "text", "") && !is_false_check(raised);
}

static void judge_raised(const struct pm_evidence_of *evidence, const json_t *raised,
                         struct pm_judgement *out)
{
    const char *message = pm_json_string(raised, "message", "");
    const char *text = pm_json_string(raised, "text", "");
    const enum pm_stage stage = stage_of(evidence);
    bool is_pattern = true;
    if (evidence->raises_type && !is_before_the_call(stage) &&
        pm_judge__is_type(pm_json_string(raised, "type", ""), json_object_get(raised, "types"),
                          evidence->raises_type) &&
        (!evidence->raises_message ||
         has_pattern(message, evidence->raises_message, &is_pattern))) {
        decide(out, PM_OUTCOME_PASS, PM_STAGE_NONE, "%s", "");
        return;
    }
    if (!is_pattern) {
        decide(out, PM_OUTCOME_HARNESS, stage,
               "the pattern '%s' of 'raises' is invalid: correct the case",
               evidence->raises_message);
        return;
    }
    enum pm_outcome outcome = PM_OUTCOME_FAIL;
    if (*pm_json_string(raised, "memory", ""))
        outcome = PM_OUTCOME_MEMORY;
    else if (is_of_another(raised, stage))
        outcome = PM_OUTCOME_BLOCKED;
    struct pm_str lead = PM_STR_INIT;
    add_lead(&lead, message);
    decide(out, outcome, stage, "%s%s%s%s%s", text, *text ? ": " : "",
           pm_json_string(raised, "type", "exception"), lead.length ? ": " : "", lead.data);
    out->by_value = outcome == PM_OUTCOME_FAIL && is_false_check(raised);
    pm_str_release(&lead);
}

/* ---- values that the device did not keep ------------------------------------------------------
 */

/* Judges inputs that changed on the way to the device: the device is at fault if its reference
 * reads the same bits back. */
static void judge_destroyed(const struct pm_evidence_of *evidence, const char *line,
                            struct pm_judgement *out)
{
    if (evidence->reference_kept_inputs)
        decide(out, PM_OUTCOME_FAIL, PM_STAGE_PLACE, "%s", line);
    else
        decide(out, PM_OUTCOME_HARNESS, stage_of(evidence), "%s", line);
}

/* ---- an output --------------------------------------------------------------------------------
 */

/* Compares two calls. Does this only on the reference, because a device may add in a different
 * order in each call, which is not a fault of the case. */
static bool judge_second_call(const struct pm_evidence_of *evidence, struct pm_judgement *out)
{
    if (!evidence->is_reference)
        return false;
    const json_t *second = json_object_get(evidence->result, "second");
    const json_t *inputs = json_object_get(second, "inputs_changed");
    const json_t *outputs = json_object_get(second, "output_changed");
    if (json_array_size(inputs) + json_array_size(outputs) == 0)
        return false;
    struct pm_str names = PM_STR_INIT;
    add_names(&names, inputs);
    add_names(&names, outputs);
    decide(out, PM_OUTCOME_HARNESS, PM_STAGE_RUN,
           "a second call changes %s: write 'repeat: fresh' in the case", names.data);
    pm_str_release(&names);
    return true;
}

static bool judge_check(const struct pm_evidence_of *evidence, struct pm_judgement *out)
{
    if (!evidence->has_check || evidence->shape_only)
        return false;
    const json_t *check = json_object_get(evidence->result, "check");
    if (json_is_true(check))
        return false;
    if (json_is_false(check))
        decide(out, PM_OUTCOME_FAIL, PM_STAGE_COMPARE, "the check is false");
    else
        decide(out, PM_OUTCOME_HARNESS, PM_STAGE_COMPARE,
               "the driver did not evaluate the check: report this fault of portmeter");
    out->by_value = json_is_false(check);
    return true;
}

static bool judge_difference(const struct pm_difference *difference, const char *from,
                             struct pm_judgement *out)
{
    if (!difference || difference->kind == PM_DIFFERENCE_NONE)
        return false;
    decide(out, PM_OUTCOME_FAIL, PM_STAGE_COMPARE, "%s%s", from, difference->text);
    out->by_value = difference->kind == PM_DIFFERENCE_VALUE;
    return true;
}

static bool has_name(const json_t *names, const char *name)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *other = json_string_value(json_array_get(names, i));
        if (other && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

/* Judges a failure if `names` has names that `others` lacks. The detail consists of `what` and
 * these names. Returns whether it judged. */
static bool judge_names(const json_t *names, const json_t *others, const char *what,
                        struct pm_judgement *out)
{
    struct pm_str missing = PM_STR_INIT;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name && !has_name(others, name))
            pm_str_addf(&missing, "%s'%s'", missing.length ? ", " : "", name);
    }
    const bool any = missing.length > 0;
    if (any)
        decide(out, PM_OUTCOME_FAIL, PM_STAGE_COMPARE, "%s: %s", what, missing.data);
    pm_str_release(&missing);
    return any;
}

static bool judge_changed_inputs(const struct pm_evidence_of *evidence, struct pm_judgement *out)
{
    if (evidence->is_reference || !evidence->against_reference)
        return false;
    const json_t *changed = json_object_get(evidence->result, "inputs_changed");
    if (judge_names(changed, evidence->changed_on_reference,
                    "the call changed inputs that it does not change on the reference", out))
        return true;
    return !evidence->shape_only &&
           judge_names(evidence->changed_on_reference, changed,
                       "the call did not change inputs that it changes on the reference", out);
}

/* Lists the leaves that are not on the device, each with its device. */
static void add_strays(struct pm_str *out, const json_t *leaves)
{
    for (size_t i = 0; i < json_array_size(leaves); i++) {
        const json_t *leaf = json_array_get(leaves, i);
        if (!pm_json_bool(leaf, "on_device", true))
            pm_str_addf(out, "%s%s is on %s", out->length ? ", " : "",
                        pm_json_string(leaf, "path", "?"), pm_json_string(leaf, "device", "?"));
    }
}

static bool judge_placement(const struct pm_evidence_of *evidence, struct pm_judgement *out)
{
    struct pm_str where = PM_STR_INIT;
    add_names(&where, json_object_get(evidence->result, "fallback"));
    if (where.length)
        pm_str_add(&where, " on the host");
    if (!evidence->host_only) {
        add_strays(&where, json_object_get(evidence->result, "outputs"));
        add_strays(&where, json_object_get(evidence->result, "gradients"));
    }
    const bool fell_back = where.length > 0;
    if (fell_back)
        decide(out, PM_OUTCOME_FALLBACK, PM_STAGE_RUN, "%s", where.data);
    pm_str_release(&where);
    return fell_back;
}

static void judge_output(const struct pm_evidence_of *evidence, struct pm_judgement *out)
{
    if (evidence->raises_type) {
        decide(out, PM_OUTCOME_FAIL, PM_STAGE_RUN, "no %s was raised", evidence->raises_type);
        return;
    }
    if (judge_second_call(evidence, out) || judge_check(evidence, out) ||
        judge_difference(evidence->against_oracle, PM_NOT_AS_EXPECTED, out) ||
        judge_difference(evidence->against_reference, "", out) ||
        judge_changed_inputs(evidence, out) || judge_placement(evidence, out))
        return;
    decide(out, PM_OUTCOME_PASS, PM_STAGE_NONE, "%s", "");
}

/* Adds to the detail that the setup ran on the host, because the device cannot run it. */
static void note_setup(const json_t *result, struct pm_judgement *out)
{
    if (!pm_json_bool(result, "setup_on_host", false))
        return;
    char *detail = pm_strdup(out->detail);
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, detail, sizeof out->detail - sizeof PM_SETUP_ON_HOST - 6);
    snprintf(out->detail, sizeof out->detail, "%s%s%s", line.data, line.length ? "; " : "",
             PM_SETUP_ON_HOST);
    pm_str_release(&line);
    free(detail);
}

void pm_judge_execution(const struct pm_evidence_of *evidence, struct pm_judgement *out)
{
    if (!evidence->answered || !evidence->result) {
        judge_ending(evidence, out);
        return;
    }
    const char *harness = pm_json_string(evidence->result, "harness", NULL);
    const char *destroyed = pm_json_string(evidence->result, "destroyed", NULL);
    const char *reason = pm_json_string(evidence->result, "not_applicable", NULL);
    const json_t *raised = json_object_get(evidence->result, "raised");
    if (harness)
        decide(out, PM_OUTCOME_HARNESS, stage_of(evidence), "%s", harness);
    else if (destroyed)
        judge_destroyed(evidence, destroyed, out);
    else if (reason)
        decide(out, PM_OUTCOME_NOT_APPLICABLE, stage_of(evidence), "%s", reason);
    else if (json_is_object(raised))
        judge_raised(evidence, raised, out);
    else
        judge_output(evidence, out);
    note_setup(evidence->result, out);
}

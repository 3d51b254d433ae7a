/* Finds the reasons of failures: by the rules, by other executions, and by what users set. */
#include <string.h>

#include "assess/judging.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "store/annotations.h"
#include "store/runs.h"
#include "store/targets.h"

/* ---- by the rules ---------------------------------------------------------------------------- */

int pm_assess__rules_load(const char *path, struct pm_reason_rules **out, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    *out = NULL;
    int rc = path ? pm_file_read(path, &text, err) : PM_OK;
    if (!rc && strlen(text.data) != text.length)
        rc = pm_error_set(err, PM_EFORMAT, "%s:1: the file has a NUL byte: save it as plain text",
                          path);
    if (!rc)
        rc = pm_reason_rules_read(path, path ? text.data : NULL, out, err);
    pm_str_release(&text);
    return rc;
}

/* Returns the exception that made an execution fail; NULL if there is none. */
static const json_t *raised_by(const struct pm_assess_execution *e)
{
    const json_t *raised = e->answered ? json_object_get(e->result, "raised") : NULL;
    const enum pm_outcome outcome = e->judgement.outcome;
    const bool decides =
        outcome == PM_OUTCOME_FAIL || outcome == PM_OUTCOME_BLOCKED || outcome == PM_OUTCOME_MEMORY;
    return decides && json_is_object(raised) ? raised : NULL;
}

/* ---- by design ------------------------------------------------------------------------------- */

/* Returns the result of the first repetition on the reference, which records what a case needs. */
static const json_t *recorded_for(const struct pm_assess_evidence *all,
                                  const struct pm_assess_execution *e)
{
    const struct pm_assess_execution *first =
        pm_assess_evidence_counted(all, all->targets[e->target].reference, e->test, 0);
    return first ? first->result : NULL;
}

/* Returns what the step that failed needs; NULL if it is not known. What the setup needs does not
 * explain why the call failed, because the device could run the setup. If a failed setup has no
 * recorded needs, those of the call are returned. Older databases have one list for both. */
static const json_t *needs_of(const struct pm_assess_evidence *all,
                              const struct pm_assess_execution *e)
{
    const json_t *needs = json_object_get(recorded_for(all, e), "needs");
    if (!json_is_object(needs))
        return needs;
    const enum pm_stage stage = e->judgement.stage;
    const bool before =
        stage == PM_STAGE_INPUTS || stage == PM_STAGE_SETUP || stage == PM_STAGE_PLACE;
    const json_t *of_setup = before ? json_object_get(needs, "setup") : NULL;
    return json_array_size(of_setup) ? of_setup : json_object_get(needs, "call");
}

static bool has_word(const json_t *words, const char *word)
{
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *other = json_string_value(json_array_get(words, i));
        if (other && !strcmp(other, word))
            return true;
    }
    return false;
}

/* Returns whether an exception names operations that do not need what a row excludes: the call
 * failed before it used that. Operations that the reference did not record are ignored. */
static bool names_another_operation(const json_t *raised, const json_t *operations,
                                    const struct pm_reason_exclusion_row *row)
{
    const json_t *names = json_object_get(raised, "operations");
    bool any = false;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const json_t *words =
            json_object_get(operations, json_string_value(json_array_get(names, i)));
        if (has_word(words, row->needs))
            return false;
        any |= words != NULL;
    }
    return any;
}

/* Returns whether a text differs on a device without values. A text that shows values cannot be
 * right there. Other results of such a device are compared by their shapes alone. */
static bool shows_values(const struct pm_assess_target *t, const struct pm_assess_execution *e,
                         const struct pm_reason_exclusion_row *row)
{
    return t->evidence == PM_EVIDENCE_SHAPE_ONLY && e->judgement.outcome == PM_OUTCOME_FAIL &&
           e->judgement.by_value && !strcmp(row->needs, "values");
}

/* Returns whether what a row excludes explains how an execution failed. Only an exception, or a
 * text without the values that it should show, can show that the device refused something. */
static bool explains(const struct pm_assess_evidence *all, const struct pm_assess_execution *e,
                     const struct pm_reason_exclusion_row *row)
{
    const json_t *raised = raised_by(e);
    const json_t *operations = json_object_get(recorded_for(all, e), "operation_needs");
    return raised ? !names_another_operation(raised, operations, row)
                  : shows_values(&all->targets[e->target], e, row);
}

/* Returns the row that excludes one of `words` and explains how an execution failed; NULL if there
 * is none. A word is a need that a driver recorded, a dtype, or an input, which has a dtype. */
static const struct pm_reason_exclusion_row *exclusion_among(const struct pm_assess_evidence *all,
                                                             const struct pm_reason_rules *rules,
                                                             const struct pm_assess_execution *e,
                                                             const json_t *words)
{
    for (size_t i = 0; i < json_array_size(words); i++) {
        const json_t *word = json_array_get(words, i);
        const char *needs =
            json_is_object(word) ? pm_json_string(word, "dtype", NULL) : json_string_value(word);
        const struct pm_reason_exclusion_row *row =
            needs ? pm_reason_exclusion(rules, all->targets[e->target].text, needs) : NULL;
        if (row && explains(all, e, row))
            return row;
    }
    return NULL;
}

/* Returns the row that excludes what a failed case needs; NULL if there is none. */
static const struct pm_reason_exclusion_row *exclusion_of(const struct pm_assess_evidence *all,
                                                          const struct pm_reason_rules *rules,
                                                          const struct pm_assess_execution *e)
{
    const struct pm_assess_target *t = &all->targets[e->target];
    const struct pm_assess_execution *reference =
        t->reference == e->target
            ? NULL
            : pm_assess_evidence_counted(all, t->reference, e->test, e->repetition);
    if (e->judgement.outcome == PM_OUTCOME_MEMORY || !reference || !reference->judged ||
        reference->judgement.outcome != PM_OUTCOME_PASS)
        return NULL;
    const json_t *const words[] = {json_object_get(e->test->definition, "dtypes"), needs_of(all, e),
                                   json_object_get(reference->result, "inputs")};
    const struct pm_reason_exclusion_row *row = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !row; i++)
        row = exclusion_among(all, rules, e, words[i]);
    return row;
}

/* Returns whether an execution of a reference had a result that contradicts the `expect` of its
 * case. */
static bool is_reference_wrong(const struct pm_assess_evidence *all,
                               const struct pm_assess_execution *e)
{
    return all->targets[e->target].reference == e->target &&
           !pm_assess__has_no_reference(e->test) && e->judgement.outcome == PM_OUTCOME_FAIL &&
           !strncmp(e->judgement.detail, PM_NOT_AS_EXPECTED, strlen(PM_NOT_AS_EXPECTED));
}

/* Returns a text that begins with the dtype of a case: the first of its list of dtypes, else the
 * dtype of its first input. Sets *length to the length of the dtype, or to 0 if the case has
 * none. */
static const char *dtype_of(const struct pm_assess_case *test, size_t *length)
{
    const json_t *dtypes = json_object_get(test->definition, "dtypes");
    const json_t *inputs = json_object_get(test->definition, "inputs");
    const char *text = json_string_value(json_array_get(dtypes, 0));
    const char *name;
    json_t *spec;
    if (!text)
        json_object_foreach((json_t *)(uintptr_t)inputs, name, spec) {
            text = json_string_value(spec);
            break;
        }
    *length = text ? strcspn(text, "[ ") : 0;
    return text;
}

/* Returns whether two cases have the same text under a key, or neither has one. */
static bool share(const struct pm_assess_case *a, const struct pm_assess_case *b, const char *key)
{
    const char *first = json_string_value(json_object_get(a->definition, key));
    const char *second = json_string_value(json_object_get(b->definition, key));
    return !first || !second ? first == second : !strcmp(first, second);
}

/* Returns whether two cases have the same call and the same setup, but another dtype. */
static bool is_sibling(const struct pm_assess_case *a, const struct pm_assess_case *b)
{
    size_t first, second;
    const char *dtype = dtype_of(a, &first), *other = dtype_of(b, &second);
    return first && second && (first != second || strncmp(dtype, other, first)) &&
           share(a, b, "setup") && share(a, b, "call");
}

static bool passes(const struct pm_assess_evidence *all, int target,
                   const struct pm_assess_case *test)
{
    const struct pm_assess_execution *e = NULL;
    bool any = false;
    while ((e = pm_assess_evidence_next(all, target, test, e))) {
        if (!e->judged || e->judgement.outcome != PM_OUTCOME_PASS)
            return false;
        any = true;
    }
    return any;
}

/* Returns whether the same call passes on the target with another dtype, which shows that the
 * operation exists there, but not for this dtype. A case that expects an exception does not show
 * that an operation exists. The cases of a function follow each other. */
static bool passes_with_another_dtype(const struct pm_assess_evidence *all,
                                      const struct pm_assess_execution *e)
{
    size_t first = (size_t)(e->test - all->cases);
    while (first && !strcmp(all->cases[first - 1].function, e->test->function))
        first--;
    for (size_t k = first; k < all->case_count; k++) {
        const struct pm_assess_case *other = &all->cases[k];
        if (strcmp(other->function, e->test->function))
            return false;
        if (!json_object_get(other->definition, "raises") && is_sibling(e->test, other) &&
            passes(all, e->target, other))
            return true;
    }
    return false;
}

/* Returns the evidence that an operation exists on the target, but not for the dtype of the case;
 * NULL: there is none. */
static const char *evidence_of_type(const struct pm_assess_evidence *all,
                                    const struct pm_assess_execution *e)
{
    if (passes_with_another_dtype(all, e))
        return PM_ASSESS__BY_DTYPE;
    return pm_json_bool(raised_by(e), "other_types", false) ? PM_ASSESS__BY_KERNELS : NULL;
}

/* Returns whether a call that should raise an exception raised another one. Such a case has invalid
 * arguments on purpose. So a message that blames the arguments, or that no rule matches, means that
 * the device refuses them in another way, and not that the case is at fault. */
static bool raises_another(const struct pm_assess_execution *e)
{
    return json_object_get(e->test->definition, "raises") && raised_by(e) &&
           e->judgement.outcome == PM_OUTCOME_FAIL && e->judgement.stage == PM_STAGE_RUN &&
           (e->reason == PM_REASON_HARNESS || e->reason == PM_REASON_UNCLASSIFIED);
}

/* ---- all failures ---------------------------------------------------------------------------- */

static void assign(const struct pm_assess_evidence *all, const struct pm_reason_rules *rules,
                   struct pm_assess_execution *e)
{
    const json_t *raised = raised_by(e);
    char *healed = pm_assess__heals_in_exact_mode(all, e)
                       ? pm_format(PM_FLOAT_PRECISION ": %s", e->judgement.detail)
                       : NULL;
    const struct pm_failure failure = {
        .framework = all->targets[e->target].framework,
        .type = pm_json_string(raised, "type", NULL),
        .types = json_object_get(raised, "types"),
        .message = healed   ? healed
                   : raised ? pm_json_string(raised, "message", "")
                            : e->judgement.detail,
        .outcome = e->judgement.outcome,
        .stage = e->judgement.stage,
        .ending = e->answered ? PM_ENDING_NONE : e->ending,
    };
    const struct pm_reason_rule *rule = pm_reason_rules_match(rules, &failure);
    e->reason = rule ? rule->reason : PM_REASON_UNCLASSIFIED;
    e->rule = rule ? rule->id : NULL;
    free(healed);
}

void pm_assess__reasons_assign(struct pm_assess_evidence *all, const struct pm_reason_rules *rules)
{
    for (size_t i = 0; i < all->execution_count; i++) {
        struct pm_assess_execution *e = &all->executions[i];
        e->reason = PM_REASON_NONE;
        e->rule = NULL;
        if (!e->judged || !pm_outcome_is_wrong(e->judgement.outcome))
            continue;
        const struct pm_reason_exclusion_row *row = exclusion_of(all, rules, e);
        if (row) {
            e->reason = PM_REASON_NOT_POSSIBLE;
            e->rule = row->id;
        } else if (is_reference_wrong(all, e)) {
            e->reason = PM_REASON_REFERENCE_WRONG;
            e->rule = PM_ASSESS__BY_EXPECT;
        } else {
            assign(all, rules, e);
        }
        const char *by = e->reason == PM_REASON_NOT_IMPLEMENTED ? evidence_of_type(all, e) : NULL;
        if (by) {
            e->reason = PM_REASON_TYPE;
            e->rule = by;
        } else if (raises_another(e)) {
            e->reason = PM_REASON_WRONG;
            e->rule = PM_ASSESS__BY_RAISES;
        }
    }
}

void pm_assess__tally_add(struct pm_assess__tally *tally, const struct pm_assess_execution *e)
{
    if (e->reason == PM_REASON_NONE)
        return;
    if (!tally->of[e->reason]++)
        tally->rule[e->reason] = e->rule;
    if (tally->most == PM_REASON_NONE || tally->of[e->reason] > tally->of[tally->most])
        tally->most = e->reason;
}

/* ---- reasons that users set ------------------------------------------------------------------ */

static char *annotation_key(const char *framework, const char *function, const char *target)
{
    return pm_format("%s\t%s\t%s", framework, function, target);
}

static int keep_annotation(void *ctx, const struct pm_annotation_row *row)
{
    char *key = annotation_key(row->framework, row->function, row->target);
    json_object_set_new(ctx, key, json_string(row->reason));
    free(key);
    return PM_OK;
}

int pm_assess__annotations_load(struct pm_store *store, json_t **out, struct pm_error *err)
{
    *out = json_object();
    return pm_store_annotations(store, keep_annotation, *out, err);
}

const char *pm_assess__annotation_of(const json_t *annotations,
                                     const struct pm_assess_target *target, const char *function)
{
    char *here = annotation_key(target->framework, function, target->text);
    char *everywhere = annotation_key(target->framework, function, "");
    const char *reason =
        pm_json_string(annotations, here, pm_json_string(annotations, everywhere, NULL));
    free(here);
    free(everywhere);
    return reason;
}

/* A search for a verdict on a function: on one target, or on any. */
struct place {
    struct pm_store *store;
    struct pm_error *err;
    const char *function, *target; /* target NULL: any */
    int64_t run_id, target_id;     /* the run and the target that are being read */
    char *framework;               /* framework of the last verdict found; NULL: none yet */
};

static int see_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct place *place = ctx;
    return row->target_id == place->target_id && !strcmp(row->function, place->function);
}

static int see_target(void *ctx, const struct pm_target_row *row)
{
    struct place *place = ctx;
    if (place->target && strcmp(place->target, row->text))
        return PM_OK;
    place->target_id = row->id;
    const int rc = pm_store_verdicts(place->store, place->run_id, see_verdict, place, place->err);
    if (rc <= 0)
        return rc;
    free(place->framework);
    place->framework = pm_strdup(row->framework);
    return PM_OK;
}

static int see_run(void *ctx, const struct pm_run_row *row)
{
    struct place *place = ctx;
    place->run_id = row->id;
    return pm_store_targets(place->store, row->id, see_target, place, place->err);
}

static int change_annotation(struct pm_store *store, const struct place *place, const char *reason,
                             const char *note, struct pm_error *err)
{
    char now[25];
    int removed = 0;
    pm_clock_iso(now);
    const struct pm_annotation_row row = {.framework = place->framework,
                                          .function = place->function,
                                          .target = place->target ? place->target : "",
                                          .reason = reason,
                                          .note = note ? note : "",
                                          .made = now};
    if (reason)
        return pm_store_set_annotation(store, &row, err);
    PM_TRY(
        pm_store_remove_annotation(store, row.framework, row.function, row.target, &removed, err));
    if (removed)
        return PM_OK;
    return pm_error_set(err, PM_EUSAGE,
                        "no reason was set for '%s'%s%s: name a function whose reason was set with "
                        "portmeter judge --set",
                        place->function, place->target ? " on " : "", row.target);
}

static int annotate(struct pm_store *store, struct place *place, const char *reason,
                    const char *note)
{
    PM_TRY(pm_store_runs(store, see_run, place, place->err));
    if (!place->framework)
        return pm_error_set(place->err, PM_EUSAGE,
                            "no run has a verdict on '%s'%s%s: list the functions with "
                            "portmeter report",
                            place->function, place->target ? " on " : "",
                            place->target ? place->target : "");
    return change_annotation(store, place, reason, note, place->err);
}

int pm_assess_annotate(const char *db, const char *function, const char *target, const char *reason,
                       const char *note, struct pm_error *err)
{
    struct pm_store *store = NULL;
    enum pm_reason word;
    if (reason && (!pm_reason_parse(reason, &word) || !*reason))
        return pm_words_unknown(&pm_reason_words, "reason", reason, err);
    if (reason && word == PM_REASON_NOT_POSSIBLE)
        return pm_error_set(err, PM_EUSAGE,
                            "reason '%s' cannot be set by hand: only the list 'excluded' of the "
                            "rules gives it (docs/reasons.md)",
                            reason);
    PM_TRY(pm_store_expect(db, err));
    PM_TRY(pm_store_open(&store, db, PM_STORE_WRITE, err));
    struct place place = {.store = store, .err = err, .function = function, .target = target};
    const int rc = annotate(store, &place, reason, note);
    free(place.framework);
    pm_store_free(store);
    return rc;
}

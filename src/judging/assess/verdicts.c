/* Decides the verdicts of a run's functions, each with the reason that reports print beside it. */
#include <string.h>

#include "assess/judging.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/stop.h"

/* ---- a case -----------------------------------------------------------------------------------
 */

static enum pm_reference_state state_of(enum pm_outcome outcome)
{
    switch (outcome) {
    case PM_OUTCOME_PASS:
        return PM_REFERENCE_PASSES;
    case PM_OUTCOME_HARNESS:
    case PM_OUTCOME_NOT_APPLICABLE:
        return PM_REFERENCE_UNKNOWN;
    case PM_OUTCOME_BLOCKED:
        return PM_REFERENCE_BLOCKED;
    default:
        return PM_REFERENCE_FAILS;
    }
}

/* Returns the state of a case on a reference. If its repetitions differ, the state that is last in
 * the enum decides. */
static enum pm_reference_state reference_state(const struct pm_assess_evidence *all,
                                               const struct pm_assess_target *t,
                                               const struct pm_assess_case *test)
{
    enum pm_reference_state state = PM_REFERENCE_NOT_RUN;
    const struct pm_assess_execution *e = NULL;
    if (pm_assess__has_no_reference(test))
        return PM_REFERENCE_PASSES;
    while ((e = pm_assess_evidence_next(all, t->reference, test, e))) {
        const enum pm_reference_state now =
            e->judged ? state_of(e->judgement.outcome) : PM_REFERENCE_NOT_RUN;
        state = now > state ? now : state;
    }
    return state;
}

/* Returns whether the driver saw that an execution gave the device no array and got none from it. A
 * case that is declared host-only, or that expects an exception, is not idle. */
static bool is_idle(const struct pm_assess_execution *e)
{
    return !e->test->host_only && !json_object_get(e->test->definition, "raises") &&
           !pm_json_bool(e->result, "arrays", true);
}

static void gather_case(const struct pm_assess_evidence *all, int target,
                        const struct pm_assess_case *test, enum pm_outcome *outcomes,
                        struct pm_case_outcomes *out)
{
    const json_t *raises = json_object_get(test->definition, "raises");
    *out = (struct pm_case_outcomes){
        .outcomes = outcomes,
        .core = test->kind == PM_CASE_KIND_CORE,
        .raises = json_is_object(raises) && !pm_json_bool(raises, "counts", false),
        .idle = true,
        .impossible = true,
        .reference = reference_state(all, &all->targets[target], test),
    };
    const struct pm_assess_execution *e = NULL;
    while ((e = pm_assess_evidence_next(all, target, test, e)))
        if (e->judged) {
            outcomes[out->count++] = e->judgement.outcome;
            out->idle &= is_idle(e);
            out->impossible &=
                e->judgement.outcome == PM_OUTCOME_PASS || e->reason == PM_REASON_NOT_POSSIBLE;
        }
}

/* Returns how the results of a case depend on what ran before it in its process. */
static enum pm_neighbour neighbour_of(const struct pm_assess_evidence *all, int target,
                                      const struct pm_assess_case *test)
{
    const size_t first = pm_assess_evidence_place(all, target, test);
    const size_t count = pm_assess_evidence_count(all, target, test);
    struct pm_case_run *runs = pm_alloc((count + 1) * sizeof *runs);
    size_t judged = 0;
    for (size_t i = first; i < first + count; i++) {
        const struct pm_assess_execution *e = &all->executions[i];
        if (e->judged)
            runs[judged++] = (struct pm_case_run){
                .outcome = e->judgement.outcome,
                .stage = e->judgement.stage,
                .position = e->position,
                .retry = e->retry,
                .is_baseline = all->targets[target].reference == target && !e->repetition &&
                               e->retry == PM_RETRY_NONE,
            };
    }
    const enum pm_neighbour neighbour = pm_judge_neighbour(runs, judged);
    free(runs);
    return neighbour;
}

/* The cases of a function that ran on a target. */
struct gathered {
    struct pm_case_outcomes *cases;
    const struct pm_assess_case **tests; /* tests[i]: the case of cases[i] */
    size_t count;
    enum pm_outcome *outcomes; /* outcomes of all repetitions */
    bool exists;               /* the function is in this version of the framework */
};

/* ---- explanations ---------------------------------------------------------------------------- */

/* Returns whether a case with this role in a verdict explains the verdict. */
static bool explains(enum pm_verdict verdict, enum pm_case_part part)
{
    switch (verdict) {
    case PM_VERDICT_LIMITS:
    case PM_VERDICT_PARTLY:
    case PM_VERDICT_FAILS:
        return part == PM_CASE_FAILS || part == PM_CASE_FLAKY;
    case PM_VERDICT_REFERENCE_FAILS:
        return part == PM_CASE_REFERENCE_FAILS;
    case PM_VERDICT_BLOCKED:
        return part == PM_CASE_BLOCKED;
    case PM_VERDICT_UNTESTED:
        return part == PM_CASE_SAYS_NOTHING;
    case PM_VERDICT_ABSENT:
        return true;
    default:
        return false;
    }
}

/* Returns the first execution, of a case on a target, that did not pass and has this reason
 * (PM_REASON_NONE: any reason); NULL if there is none. */
static const struct pm_assess_execution *first_wrong(const struct pm_assess_evidence *all,
                                                     int target, const struct pm_assess_case *test,
                                                     enum pm_reason reason)
{
    const struct pm_assess_execution *e = NULL;
    while ((e = pm_assess_evidence_next(all, target, test, e)))
        if (e->judged && e->judgement.outcome != PM_OUTCOME_PASS &&
            (reason == PM_REASON_NONE || e->reason == reason))
            return e;
    return NULL;
}

/* Returns in one line how a case explains a verdict; NULL if it does not explain it. If the case
 * passes on the target, the line is about its reference. The caller frees the text. */
static char *reason_of(const struct pm_assess_evidence *all, int target,
                       const struct pm_assess_case *test, enum pm_reason reason)
{
    const int reference = all->targets[target].reference;
    const struct pm_assess_execution *e = first_wrong(all, target, test, reason);
    if (!e && reference != target && (e = first_wrong(all, reference, test, reason)))
        return pm_format("on the reference: %s", e->judgement.detail);
    if (!e)
        return NULL;
    const enum pm_neighbour neighbour = neighbour_of(all, target, test);
    const bool named = neighbour == PM_NEIGHBOUR_SUFFERS || neighbour == PM_NEIGHBOUR_NEEDS;
    return pm_format("%s%s%s%s", named ? pm_neighbour_text(neighbour) : "", named ? ": " : "",
                     pm_assess__heals_in_exact_mode(all, e) ? PM_FLOAT_PRECISION ": " : "",
                     e->judgement.detail);
}

static char *first_reason(const struct pm_assess_evidence *all, int target, enum pm_verdict verdict,
                          const struct gathered *g, enum pm_reason reason)
{
    for (size_t k = 0; k < g->count; k++) {
        char *text = explains(verdict, pm_judge_case(&g->cases[k], false))
                         ? reason_of(all, target, g->tests[k], reason)
                         : NULL;
        if (text)
            return text;
    }
    return NULL;
}

/* Returns why the verdict of a function is `untested`; "" if the reason is not known. */
static const char *why_untested(const struct gathered *g)
{
    bool idle = false, counts = false;
    for (size_t k = 0; k < g->count; k++) {
        counts |= pm_case_counts(pm_judge_case(&g->cases[k], false));
        idle |= g->cases[k].idle;
    }
    return !g->count ? "no case runs on the reference"
           : counts  ? "only cases that are not core cases are counted"
           : idle    ? "no case gives the device an array or gets one from it"
                     : "";
}

/* Returns the explanation of a function's verdict; "" if there is nothing to explain. The caller
 * frees it. Reports print `most`, the reason of most failures, before this text, so the text is
 * taken from a failure with that reason. */
static char *reason(const struct pm_assess_evidence *all, int target, enum pm_verdict verdict,
                    const struct gathered *g, enum pm_reason most)
{
    if (verdict == PM_VERDICT_NOT_MEASURED)
        return pm_strdup("a case or its reference has not run yet");
    char *text = first_reason(all, target, verdict, g, most);
    if (!text)
        text = first_reason(all, target, verdict, g, PM_REASON_NONE);
    if (!text)
        text = pm_strdup(verdict == PM_VERDICT_UNTESTED ? why_untested(g) : "");
    return text;
}

/* Counts the reasons of a case's failures on a target. */
static void tally_case(const struct pm_assess_evidence *all, int target,
                       const struct pm_assess_case *test, struct pm_assess__tally *tally)
{
    const struct pm_assess_execution *e = NULL;
    while ((e = pm_assess_evidence_next(all, target, test, e)))
        if (e->judged)
            pm_assess__tally_add(tally, e);
}

/* Returns whether the failures of a case count for the reason of the verdict. The reason of a
 * function that fails or works partly is `not possible by design` only if most of its core cases
 * fail for this reason; otherwise only the failures of possible cases count. */
static bool is_tallied(const struct pm_function_verdict *v, const struct pm_case_outcomes *c)
{
    const bool open = v->verdict == PM_VERDICT_PARTLY || v->verdict == PM_VERDICT_FAILS;
    return explains(v->verdict, pm_judge_case(c, false)) &&
           (!open || v->impossible == c->impossible);
}

/* Counts the reasons of the failures on which the verdict depends; if the target has none, those of
 * its reference. */
static void tally_function(const struct pm_assess_evidence *all, int target,
                           const struct pm_function_verdict *v, const struct gathered *g,
                           struct pm_assess__tally *tally)
{
    const enum pm_verdict verdict = v->verdict;
    *tally = (struct pm_assess__tally){0};
    for (size_t k = 0; k < g->count; k++)
        if (is_tallied(v, &g->cases[k]))
            tally_case(all, target, g->tests[k], tally);
    for (size_t k = 0; k < g->count && tally->most == PM_REASON_NONE; k++)
        if (explains(verdict, pm_judge_case(&g->cases[k], false)))
            tally_case(all, all->targets[target].reference, g->tests[k], tally);
}

/* ---- a function ------------------------------------------------------------------------------ */

static size_t count_executions(const struct pm_assess_evidence *all, int target,
                               const struct pm_assess_case *first, size_t count)
{
    size_t executions = 0;
    for (size_t k = 0; k < count; k++)
        executions += pm_assess_evidence_count(all, target, &first[k]);
    return executions;
}

/* Returns whether a reference has no execution of a case because the case says `reference:
 * none`. */
static bool is_left_out(const struct pm_assess_evidence *all, int target,
                        const struct pm_assess_case *test)
{
    return all->targets[target].reference == target && pm_assess__has_no_reference(test);
}

static void gather(const struct pm_assess_evidence *all, int target,
                   const struct pm_assess_case *first, size_t count, struct gathered *out)
{
    size_t used = 0;
    bool without_reference = false;
    *out = (struct gathered){.exists = true};
    out->cases = pm_alloc(count * sizeof *out->cases);
    out->tests = pm_alloc(count * sizeof *out->tests);
    out->outcomes = pm_alloc(count_executions(all, target, first, count) * sizeof *out->outcomes);
    for (size_t k = 0; k < count; k++) {
        const struct pm_assess_execution *e = pm_assess_evidence_find(all, target, &first[k], 0);
        if (!e) {
            without_reference |= is_left_out(all, target, &first[k]);
            continue;
        }
        out->exists &= !pm_json_bool(e->result, "absent", false);
        out->tests[out->count] = &first[k];
        gather_case(all, target, &first[k], out->outcomes + used, &out->cases[out->count]);
        used += out->cases[out->count++].count;
    }
    out->exists &= out->count > 0 || without_reference;
}

static void gathered_release(struct gathered *g)
{
    free(g->cases);
    free(g->tests);
    free(g->outcomes);
}

/* Marks all executions of each case as counted or not. */
static void mark_executions(struct pm_assess_evidence *all, int target, enum pm_verdict verdict,
                            const struct gathered *g)
{
    for (size_t k = 0; k < g->count; k++) {
        const bool counts =
            pm_verdict_is_counted(verdict) && pm_case_counts(pm_judge_case(&g->cases[k], false));
        const size_t first = pm_assess_evidence_place(all, target, g->tests[k]);
        const size_t end = first + pm_assess_evidence_count(all, target, g->tests[k]);
        for (size_t i = first; i < end; i++)
            all->executions[i].case_counts = counts;
    }
}

static void judge(const struct gathered *g, struct pm_function_verdict *strict,
                  struct pm_function_verdict *paper)
{
    struct pm_verdict_counts counts;
    pm_judge_counts(g->cases, g->count, false, &counts);
    pm_judge_function(&counts, g->exists, strict);
    pm_judge_counts(g->cases, g->count, true, &counts);
    pm_judge_function_paper(&counts, g->exists, paper);
}

/* Returns the limits of a function that works with limits; NULL for other verdicts. The caller
 * frees the text. */
static char *limits_of(enum pm_verdict verdict, const struct gathered *g)
{
    if (verdict != PM_VERDICT_LIMITS)
        return NULL;
    struct pm_assess__limit_case *cases = pm_alloc(g->count * sizeof *cases);
    size_t count = 0;
    for (size_t k = 0; k < g->count; k++) {
        const enum pm_case_part part = pm_judge_case(&g->cases[k], false);
        const char *dtype = json_string_value(
            json_array_get(json_object_get(g->tests[k]->definition, "dtypes"), 0));
        if (pm_case_counts(part))
            cases[count++] = (struct pm_assess__limit_case){g->tests[k]->name, dtype ? dtype : "",
                                                            part == PM_CASE_PASSES};
    }
    char *limits = pm_assess__limits(cases, count);
    free(cases);
    return limits;
}

static int judge_function(struct pm_assess_evidence *all, const json_t *annotations, int target,
                          const struct pm_assess_case *first, size_t count, struct pm_error *err)
{
    struct gathered g;
    struct pm_function_verdict strict, paper;
    gather(all, target, first, count, &g);
    judge(&g, &strict, &paper);
    mark_executions(all, target, strict.verdict, &g);
    struct pm_assess__tally tally;
    tally_function(all, target, &strict, &g, &tally);
    char *detail = reason(all, target, strict.verdict, &g, tally.most);
    char *limits = limits_of(strict.verdict, &g);
    const char *said =
        tally.most == PM_REASON_NONE
            ? NULL
            : pm_assess__annotation_of(annotations, &all->targets[target], first->function);
    const struct pm_verdict_row row = {
        .run_id = all->run_id,
        .target_id = all->targets[target].id,
        .function = first->function,
        .verdict = strict.verdict,
        .verdict_paper = paper.verdict,
        .counted = strict.counted,
        .passed = strict.passed,
        .flaky = strict.flaky,
        .core = strict.core,
        .core_passed = strict.core_passed,
        .host_only = first->host_only,
        .detail = detail,
        .reason = said ? said : pm_reason_text(tally.most),
        .rule = said ? PM_ASSESS__BY_HAND : tally.rule[tally.most],
        .limits = limits,
    };
    const int rc = pm_store_add_verdict(all->store, &row, err);
    free(detail);
    free(limits);
    gathered_release(&g);
    return rc;
}

/* Returns the names of `list` in the options of a run. The list is an object with one array per
 * framework, or in older runs one array for all frameworks. */
static const json_t *names_of(const struct pm_assess_evidence *all, int target, const char *list)
{
    const json_t *names = json_object_get(all->options, list);
    return json_is_object(names) ? json_object_get(names, all->targets[target].framework) : names;
}

/* Stores `verdict` for each function of a list in the run's options that has no case in the run. */
static int store_unmeasured(struct pm_assess_evidence *all, int target, const char *list,
                            enum pm_verdict verdict, const char *detail, struct pm_error *err)
{
    size_t i;
    json_t *name;
    json_array_foreach(names_of(all, target, list), i, name) {
        const char *function = json_string_value(name);
        if (!function)
            return pm_store_damaged(
                all->store, err,
                "'%s' in column 'options' of row 'run %lld' is not a list of names", list,
                (long long)all->run_id);
        if (pm_assess_evidence_has_function(all, function))
            continue;
        const struct pm_verdict_row row = {
            .run_id = all->run_id,
            .target_id = all->targets[target].id,
            .function = function,
            .verdict = verdict,
            .verdict_paper = verdict,
            .detail = detail,
        };
        PM_TRY(pm_store_add_verdict(all->store, &row, err));
    }
    return PM_OK;
}

static int judge_functions(struct pm_assess_evidence *all, const json_t *annotations, int target,
                           struct pm_error *err)
{
    for (size_t i = 0, n; i < all->case_count; i += n) {
        for (n = 1; i + n < all->case_count; n++)
            if (strcmp(all->cases[i].function, all->cases[i + n].function))
                break;
        if (strcmp(all->cases[i].framework, all->targets[target].framework))
            continue;
        PM_TRY(pm_stop_check(err));
        PM_TRY(judge_function(all, annotations, target, &all->cases[i], n, err));
    }
    PM_TRY(store_unmeasured(all, target, "untested", PM_VERDICT_UNTESTED,
                            "the suite has no case for this function", err));
    PM_TRY(store_unmeasured(all, target, "unreferenced", PM_VERDICT_UNTESTED,
                            "no case runs on the reference", err));
    return store_unmeasured(all, target, "measured", PM_VERDICT_ABSENT,
                            "no case applies to this version of the framework", err);
}

int pm_assess__verdicts_store(struct pm_assess_evidence *all, const json_t *annotations,
                              struct pm_error *err)
{
    for (size_t t = 0; t < all->target_count; t++)
        if ((int)t != all->oracle && all->targets[t].role != PM_ROLE_NOISE)
            PM_TRY(judge_functions(all, annotations, (int)t, err));
    return PM_OK;
}

/*
 * Judges the executions of a run: reads stored evidence, and writes outcomes, verdicts and figures.
 * Judging can be repeated when more evidence exists or a rule has changed. If the run is measured
 * completely, judging deletes the values that agree (keeping.c).
 *
 * Repetition r of a target is compared with repetition r of its reference. Later repetitions of the
 * reference are compared with its first repetition, so that an unstable result is never a
 * reference. If executions were retried in isolation, retries are compared with retries, and first
 * executions with first executions: a retry decides the verdict, but it does not hide the
 * difference that led to it. A retry in exact mode is compared with the retry of its reference in
 * exact mode, if there is one. The reference is compared with the oracle if the case has `expect`.
 * An execution has no outcome before both sides have run.
 */
#include <math.h>
#include <string.h>

#include "assess/assess.h"
#include "assess/estimates.h"
#include "assess/evidence.h"
#include "assess/judging.h"
#include "assess/latencies.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/stop.h"
#include "sample/stored.h"
#include "store/runs.h"

/* ---- outcomes ----------------------------------------------------------------------------------
 */

/* Returns whether an execution read its inputs back from its device as they were sent. */
static bool kept_inputs(const struct pm_assess_execution *e)
{
    return e && e->answered && json_array_size(json_object_get(e->result, "inputs")) &&
           !json_is_string(json_object_get(e->result, "destroyed"));
}

/* Returns the names of the inputs that the first call of an execution changed; NULL: none. */
static const json_t *changed_inputs(const struct pm_assess_execution *e)
{
    return e && e->answered ? json_object_get(e->result, "inputs_changed") : NULL;
}

/* Judges the case as faulty if its `expect` cannot be evaluated. */
static void blame_the_case(const struct pm_assess_evidence *all, struct pm_assess_execution *e)
{
    const struct pm_assess_execution *oracle = pm_assess__oracle_of(all, e);
    if (!oracle || !oracle->done || pm_assess__has_output(oracle) ||
        e->judgement.outcome != PM_OUTCOME_PASS)
        return;
    const json_t *raised = json_object_get(oracle->result, "raised");
    e->judgement.outcome = PM_OUTCOME_HARNESS;
    e->judgement.stage = PM_STAGE_COMPARE;
    snprintf(e->judgement.detail, sizeof e->judgement.detail,
             "'expect' of the case cannot be evaluated: %s: %.300s",
             pm_json_string(raised, "type", "no answer"),
             pm_json_string(raised, "message",
                            pm_json_string(oracle->result, "harness", oracle->ending_text)));
}

/* Returns whether an execution and the executions that it is compared with have run. */
static bool both_sides_ran(const struct pm_assess_evidence *all,
                           const struct pm_assess_execution *e)
{
    const struct pm_assess_execution *reference = pm_assess__reference_of(all, e),
                                     *oracle = pm_assess__oracle_of(all, e);
    return e->done && (!reference || reference->done) && (!oracle || oracle->done);
}

/* Sets the judgement of an execution from its differences from the reference and from the oracle. A
 * difference is NULL if that comparison was not made. */
static void judge_by(const struct pm_assess_evidence *all, const struct pm_assess_execution *e,
                     const struct pm_difference *difference, const struct pm_difference *oracle,
                     struct pm_judgement *out)
{
    const struct pm_assess_target *t = &all->targets[e->target];
    const json_t *raises = json_object_get(e->test->definition, "raises");
    const struct pm_assess_execution *reference =
        t->reference == e->target ? NULL : pm_assess__reference_of(all, e);
    const struct pm_evidence_of evidence = {
        .answered = e->answered,
        .ending = e->ending,
        .ending_code = (int)e->ending_code,
        .ending_text = e->ending_text,
        .stage = e->stage,
        .result = e->result,
        .raises_type = pm_json_string(raises, "type", NULL),
        .raises_message = pm_json_string(raises, "message", NULL),
        .host_only = e->test->host_only,
        .has_check =
            e->target != all->oracle && pm_json_string(e->test->definition, "check", NULL) != NULL,
        .shape_only = t->evidence == PM_EVIDENCE_SHAPE_ONLY,
        .against_reference = difference,
        .against_oracle = oracle,
        .is_reference = t->reference == e->target,
        .changed_on_reference = changed_inputs(reference),
        .reference_kept_inputs = kept_inputs(reference),
    };
    pm_judge_execution(&evidence, out);
}

/* Returns whether a judgement depends on values that were deleted. Only the comparison needs these
 * values. So a judgement depends on them only if it would otherwise be a pass or a fallback. */
static bool needs_gone_values(const struct pm_judgement *judgement,
                              const struct pm_difference *reference,
                              const struct pm_difference *oracle)
{
    return (reference->undecided || oracle->undecided) &&
           (judgement->outcome == PM_OUTCOME_PASS || judgement->outcome == PM_OUTCOME_FALLBACK);
}

/* Returns whether only a comparison could decide, but the reference has no execution to compare
 * with. */
static bool lacks_reference(const struct pm_assess_evidence *all,
                            const struct pm_assess_execution *e,
                            const struct pm_judgement *judgement)
{
    return all->targets[e->target].reference != e->target &&
           !pm_assess__has_no_reference(e->test) && !pm_assess__reference_of(all, e) &&
           judgement->outcome == PM_OUTCOME_PASS;
}

static int judge_one(struct pm_assess_evidence *all, struct pm_assess_execution *e,
                     struct pm_error *err)
{
    struct pm_difference reference = {0}, oracle = {0};
    struct pm_assess__comparison comparison;
    struct pm_judgement judgement;
    const bool by_reference = pm_assess__against_reference(all, e, &comparison);
    if (by_reference)
        PM_TRY(pm_assess__compare(all, &comparison, &reference, err));
    const bool by_oracle = pm_assess__against_oracle(all, e, &comparison);
    if (by_oracle)
        PM_TRY(pm_assess__compare(all, &comparison, &oracle, err));
    judge_by(all, e, by_reference ? &reference : NULL, by_oracle ? &oracle : NULL, &judgement);
    e->undecided = needs_gone_values(&judgement, &reference, &oracle);
    if (e->undecided)
        return PM_OK;
    e->judged = !lacks_reference(all, e, &judgement);
    if (!e->judged)
        return PM_OK;
    e->judgement = judgement;
    blame_the_case(all, e);
    const struct pm_difference *error = by_oracle && pm_assess__is_across(e->test) ? &oracle
                                        : by_reference                             ? &reference
                                                                                   : NULL;
    e->smallest_rtol = error ? error->smallest_rtol : NAN;
    return PM_OK;
}

static int store_judgement(struct pm_assess_evidence *all, const struct pm_assess_execution *e,
                           struct pm_error *err)
{
    const struct pm_judgement_row row = {
        .execution_id = e->id,
        .outcome = e->judgement.outcome,
        .stage = e->judgement.stage,
        .detail = e->judgement.detail,
        .smallest_rtol = e->smallest_rtol,
        .reason = pm_reason_text(e->reason),
        .rule = e->rule,
        .counts = pm_assess_evidence_counts(all, e),
        .case_counts = e->case_counts,
    };
    return pm_store_add_judgement(all->store, &row, err);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The options and results of one call of pm_assess(). */
struct judging {
    const struct pm_assess_options *options;
    struct pm_reason_rules *rules;
    struct pm_judged done;
    size_t estimated; /* targets that used the sample of the options */
};

int pm_assess__judge_executions(struct pm_assess_evidence *all, struct pm_error *err)
{
    for (size_t i = 0; i < all->execution_count; i++) {
        struct pm_assess_execution *e = &all->executions[i];
        const bool ready = all->targets[e->target].role != PM_ROLE_NOISE && both_sides_ran(all, e);
        e->judged &= ready;
        if (!ready)
            continue;
        PM_TRY(pm_stop_check(err));
        pm_assess_evidence_progress(all, i);
        PM_TRY(judge_one(all, e, err));
    }
    return PM_OK;
}

static bool same_case(const struct pm_assess_execution *a, const struct pm_assess_execution *b)
{
    return a->target == b->target && a->test == b->test;
}

/* Counts an execution that could not be judged again; `last` is the previous such execution, or
 * NULL. */
static void count_undecided(const struct pm_assess_evidence *all,
                            const struct pm_assess_execution *e,
                            const struct pm_assess_execution *last, struct pm_judged *done)
{
    const size_t used = strlen(done->undecided_names);
    done->undecided++;
    if (last && same_case(e, last))
        return;
    if (done->undecided_cases++ < PM_JUDGED_NAMED)
        snprintf(done->undecided_names + used, sizeof done->undecided_names - used,
                 "%s%.60s %.60s on %.40s", used ? ", " : "", e->test->function, e->test->name,
                 all->targets[e->target].text);
}

static int store_judgements(struct pm_assess_evidence *all, struct pm_judged *done,
                            struct pm_error *err)
{
    const struct pm_assess_execution *last = NULL;
    for (size_t i = 0; i < all->execution_count; i++) {
        const struct pm_assess_execution *e = &all->executions[i];
        if (e->undecided) {
            count_undecided(all, e, last, done);
            last = e;
        }
        if (!e->judged)
            continue;
        PM_TRY(store_judgement(all, e, err));
        if (!pm_assess_evidence_counts(all, e))
            continue;
        done->executions++;
        done->wrong += pm_outcome_is_wrong(e->judgement.outcome);
    }
    return PM_OK;
}

static int store_verdicts(struct pm_assess_evidence *all, struct pm_error *err)
{
    json_t *annotations;
    int rc = pm_assess__annotations_load(all->store, &annotations, err);
    if (!rc)
        rc = pm_assess__verdicts_store(all, annotations, err);
    json_decref(annotations);
    return rc;
}

static int store_run(struct pm_assess_evidence *all, struct judging *judging, struct pm_error *err)
{
    const struct pm_assess_options *o = judging->options;
    PM_TRY(pm_store_clear_judgements(all->store, all->run_id, err));
    PM_TRY(pm_assess__judge_executions(all, err));
    pm_assess__reasons_assign(all, judging->rules);
    PM_TRY(store_verdicts(all, err));
    PM_TRY(store_judgements(all, &judging->done, err));
    PM_TRY(pm_assess__cases_store(all, err));
    if (all->latency_validity != PM_VALIDITY_INVALID)
        PM_TRY(pm_assess__latencies_store(all, err));
    PM_TRY(pm_assess__estimates_store(all, o->db, o->sample_id, &judging->estimated, err));
    PM_TRY(pm_assess__choose_values(all, err));
    pm_assess_evidence_progress(all, 2 * all->execution_count);
    return PM_OK;
}

struct run_id {
    int64_t id;
    bool published; /* imported: it has no executions, but its tests have reasons */
};

/* Judges a run and stores the result. Sets *before to the earlier verdicts of a measured run; for
 * an imported run, it stays NULL. */
static int load_and_store(struct pm_assess_evidence *all, struct pm_store *store,
                          const struct run_id *run, struct judging *judging, json_t **before,
                          struct pm_error *err)
{
    PM_TRY(pm_assess_evidence_load(all, store, run->id, err));
    if (run->published)
        return pm_assess__imported_store(all, judging->rules, err);
    PM_TRY(pm_assess__verdicts_before(all, before, err));
    all->asked = judging->options;
    return store_run(all, judging, err);
}

static int judge_run(struct pm_store *store, const struct run_id *run, struct judging *judging,
                     struct pm_error *err)
{
    struct pm_assess_evidence all = {0};
    json_t *before = NULL;
    PM_TRY(pm_store_begin(store, err));
    int rc = load_and_store(&all, store, run, judging, &before, err);
    rc = pm_store_settle(store, rc, err);
    if (!rc)
        rc = pm_assess__drop_values(&all, err);
    if (!rc && before)
        rc = pm_assess__changes_report(&all, before, judging->options, err);
    json_decref(before);
    pm_assess_evidence_release(&all);
    return rc;
}

/* ---- choosing runs ---- */

struct run_ids {
    int64_t wanted;
    struct run_id *items;
    size_t count, capacity;
};

static int keep_id(void *ctx, const struct pm_run_row *row)
{
    struct run_ids *all = ctx;
    if (all->wanted && all->wanted != row->id)
        return PM_OK;
    PM_GROW(all->items, all->count, all->capacity);
    all->items[all->count++] = (struct run_id){row->id, row->kind == PM_RUN_KIND_PUBLISHED};
    return PM_OK;
}

static int sample_unused(struct pm_store *store, const struct run_ids *runs,
                         const struct pm_assess_options *o, struct pm_error *err)
{
    struct pm_stored_sample sampling;
    PM_TRY(pm_stored_sample_load(&sampling, store, o->db, NULL, o->sample_id, err));
    const int rc = pm_error_set(
        err, PM_EUSAGE,
        "sample %lld belongs to framework '%s', but %s of '%s' compares that framework with a "
        "reference: choose another --sample",
        (long long)o->sample_id, sampling.framework,
        runs->wanted ? "no target of the run" : "no run", o->db);
    pm_stored_sample_release(&sampling);
    return rc;
}

static int judge_runs(struct pm_store *store, const struct run_ids *runs, struct judging *judging,
                      struct pm_error *err)
{
    for (size_t i = 0; i < runs->count; i++)
        PM_TRY(judge_run(store, &runs->items[i], judging, err));
    return judging->options->sample_id && !judging->estimated
               ? sample_unused(store, runs, judging->options, err)
               : PM_OK;
}

/* Sets *runs to the runs to judge. PM_EUSAGE if there is none. */
static int choose_runs(struct pm_store *store, const char *db, struct run_ids *runs,
                       struct pm_error *err)
{
    PM_TRY(pm_store_runs(store, keep_id, runs, err));
    if (runs->count)
        return PM_OK;
    return runs->wanted
               ? pm_error_set(err, PM_EUSAGE,
                              "database '%s' has no run %lld: list the runs with portmeter runs",
                              db, (long long)runs->wanted)
               : pm_error_set(err, PM_EUSAGE,
                              "database '%s' has no run to judge: run portmeter run first", db);
}

int pm_assess(const struct pm_assess_options *options, struct pm_judged *done, struct pm_error *err)
{
    struct pm_store *store = NULL;
    struct run_ids runs = {.wanted = options->run_id};
    struct judging judging = {.options = options};
    *done = (struct pm_judged){0};
    PM_TRY(pm_store_expect(options->db, err));
    PM_TRY(pm_assess__rules_load(options->rules, &judging.rules, err));
    int rc = pm_store_open(&store, options->db, PM_STORE_WRITE, err);
    if (!rc)
        rc = choose_runs(store, options->db, &runs, err);
    if (!rc)
        rc = judge_runs(store, &runs, &judging, err);
    *done = judging.done;
    free(runs.items);
    pm_reason_rules_free(judging.rules);
    pm_store_free(store);
    return rc;
}

int pm_assess_db(const char *db, int64_t run_id, int64_t sample_id, struct pm_judged *done,
                 struct pm_error *err)
{
    const struct pm_assess_options options = {.db = db, .run_id = run_id, .sample_id = sample_id};
    return pm_assess(&options, done, err);
}

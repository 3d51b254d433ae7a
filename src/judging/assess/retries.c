/* Finds the executions of a run that must be retried: in isolation, if another execution may have
 * caused their failure; in exact mode, if they have wrong values on a target whose numeric mode is
 * fast and less exact. */
#include "assess/assess.h"
#include "assess/judging.h"
#include "base/alloc.h"
#include "store/executions.h"

static int repeat(const struct pm_assess_evidence *all, const struct pm_assess_execution *e,
                  enum pm_retry retry, struct pm_error *err)
{
    int64_t id;
    if (pm_assess_evidence_find_retry(all, e->target, e->test, e->repetition, retry))
        return PM_OK;
    return pm_store_plan_execution(all->store, all->run_id, all->targets[e->target].id, e->test->id,
                                   e->repetition, retry, &id, err);
}

/* Returns whether an earlier execution in the same process may have caused a failure. An execution
 * that timed out is not retried, because the retry would take as long again. If a driver dies,
 * another case may be the cause, even if the child ran nothing else. */
static bool may_be_inherited(const struct pm_assess_execution *e)
{
    return e->judged && e->retry == PM_RETRY_NONE && pm_outcome_is_wrong(e->judgement.outcome) &&
           e->judgement.outcome != PM_OUTCOME_TIMEOUT &&
           (e->position || e->ending == PM_ENDING_DRIVER);
}

/* Returns whether the reference is retried too: if values differ, either side may be wrong. A
 * reference that is retried for two targets is planned once. */
static bool takes_reference(const struct pm_assess_evidence *all,
                            const struct pm_assess_execution *e)
{
    const struct pm_assess_execution *reference = pm_assess__reference_of(all, e);
    return e->judged && e->retry == PM_RETRY_NONE && reference &&
           e->judgement.outcome == PM_OUTCOME_FAIL && e->judgement.stage == PM_STAGE_COMPARE &&
           reference->position && reference->retry == PM_RETRY_NONE;
}

/* Returns whether exact mode may correct the wrong values of an execution: its target has a numeric
 * mode that is fast and less exact. If the execution or its reference still has to be retried in
 * isolation, this is decided after that retry. */
static bool may_heal_in_exact_mode(const struct pm_assess_evidence *all,
                                   const struct pm_assess_execution *e)
{
    return e->judged && e->judgement.by_value && all->targets[e->target].fast &&
           e == pm_assess_evidence_counted(all, e->target, e->test, e->repetition) &&
           !may_be_inherited(e) && !takes_reference(all, e);
}

/* For each kind of retry, whether an execution needs it. */
typedef bool wanted_executions[PM_RETRY_COUNT];

static void want(const struct pm_assess_evidence *all, size_t i, wanted_executions *wanted)
{
    const struct pm_assess_execution *e = &all->executions[i],
                                     *reference = pm_assess__reference_of(all, e);
    wanted[i][PM_RETRY_ALONE] |= may_be_inherited(e);
    if (takes_reference(all, e))
        wanted[reference - all->executions][PM_RETRY_ALONE] = true;
    if (!may_heal_in_exact_mode(all, e))
        return;
    wanted[i][PM_RETRY_EXACT_MODE] = true;
    if (reference && all->targets[reference->target].fast)
        wanted[reference - all->executions][PM_RETRY_EXACT_MODE] = true;
}

static int plan_retries(const struct pm_assess_evidence *all, struct pm_error *err)
{
    wanted_executions *wanted = pm_alloc((all->execution_count + 1) * sizeof *wanted);
    for (size_t i = 0; i < all->execution_count; i++)
        want(all, i, wanted);
    int rc = PM_OK;
    for (size_t i = 0; i < all->execution_count && !rc; i++)
        for (int retry = PM_RETRY_ALONE; retry < PM_RETRY_COUNT && !rc; retry++)
            if (wanted[i][retry])
                rc = repeat(all, &all->executions[i], (enum pm_retry)retry, err);
    free(wanted);
    return rc;
}

static bool has_fast_target(const struct pm_assess_evidence *all)
{
    for (size_t i = 0; i < all->target_count; i++)
        if (all->targets[i].fast)
            return true;
    return false;
}

int pm_assess_retries(struct pm_store *store, int64_t run_id, const struct pm_retry_round *round,
                      struct pm_error *err)
{
    struct pm_assess_evidence all = {0};
    const struct pm_assess_options asked = {.progress = round->progress,
                                            .progress_ctx = round->progress_ctx};
    /* Outside a transaction, each read would lock and unlock the file. */
    PM_TRY(pm_store_begin(store, err));
    int rc = pm_assess_evidence_load(&all, store, run_id, err);
    all.asked = &asked;
    const bool may_add = !round->is_next || has_fast_target(&all);
    if (!rc && may_add)
        rc = pm_assess__judge_executions(&all, err);
    if (!rc && may_add)
        rc = plan_retries(&all, err);
    pm_assess_evidence_release(&all);
    return pm_store_settle(store, rc, err);
}

/* Which executions of a run must run again alone: what failed in a process that others had
 * used. */
#include "assess/assess.h"
#include "assess/judging.h"
#include "base/alloc.h"

static int repeat_alone(const struct pm_assess_evidence *all, const struct pm_assess_execution *e,
                        struct pm_error *err)
{
    int64_t id;
    if (pm_assess_evidence_find_repeated(all, e->target, e->test, e->repetition, PM_REASON_ALONE))
        return PM_OK;
    return pm_store_plan_execution(all->store, all->run_id, all->targets[e->target].id, e->test->id,
                                   e->repetition, PM_REASON_ALONE, &id, err);
}

/* What timed out would take as long again. A driver that dies may be another case's fault, though
 * its child ran nothing else. */
static bool may_be_inherited(const struct pm_assess_execution *e)
{
    return e->judged && e->reason == PM_REASON_NONE && pm_outcome_is_wrong(e->judgement.outcome) &&
           e->judgement.outcome != PM_OUTCOME_TIMEOUT &&
           (e->shared || e->ending == PM_ENDING_DRIVER);
}

/* Where values differ, either side may be the wrong one. A reference that is repeated for two
 * targets is planned once. */
static bool takes_reference(const struct pm_assess_evidence *all,
                            const struct pm_assess_execution *e)
{
    const struct pm_assess_execution *reference = pm_assess__reference_of(all, e);
    return e->judged && e->reason == PM_REASON_NONE && reference &&
           e->judgement.outcome == PM_OUTCOME_FAIL && e->judgement.stage == PM_STAGE_COMPARE &&
           reference->shared && reference->reason == PM_REASON_NONE;
}

static int plan_repeats(const struct pm_assess_evidence *all, struct pm_error *err)
{
    bool *wanted = pm_alloc((all->execution_count + 1) * sizeof *wanted);
    for (size_t i = 0; i < all->execution_count; i++) {
        const struct pm_assess_execution *e = &all->executions[i];
        wanted[i] |= may_be_inherited(e);
        if (takes_reference(all, e))
            wanted[pm_assess__reference_of(all, e) - all->executions] = true;
    }
    int rc = PM_OK;
    for (size_t i = 0; i < all->execution_count && !rc; i++)
        if (wanted[i])
            rc = repeat_alone(all, &all->executions[i], err);
    free(wanted);
    return rc;
}

int pm_assess_repeats(struct pm_store *store, int64_t run_id, struct pm_error *err)
{
    struct pm_assess_evidence all = {0};
    int rc = pm_assess_evidence_load(&all, store, run_id, err);
    if (!rc)
        rc = pm_assess__judge_executions(&all, err);
    if (!rc)
        rc = pm_store_begin(store, err);
    if (!rc)
        rc = plan_repeats(&all, err);
    if (!rc)
        rc = pm_store_commit(store, err);
    pm_assess_evidence_release(&all);
    return rc;
}

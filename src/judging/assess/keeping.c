/*
 * Selects the values that a judged run keeps: both sides of each comparison whose values differ. Of
 * all other values, the store keeps the digest and the closeness.
 *
 * Values are stored by digest. So if a later repetition of the reference gives the same bits as
 * before, these values are stored again. If it gives other bits, the values of the first repetition
 * are kept, because later repetitions are compared with them.
 */
#include "assess/judging.h"
#include "base/alloc.h"
#include "base/stop.h"
#include "store/outputs.h"

static int keep(struct pm_assess_evidence *all, const struct pm_assess_leaves *leaves, size_t i,
                struct pm_error *err)
{
    const struct pm_assess_place *place = &leaves->places[i];
    return pm_store_keep_value(all->store, leaves->execution_id, place->part, place->position, err);
}

static int keep_arrays(struct pm_assess_evidence *all, const struct pm_assess_leaves *leaves,
                       struct pm_error *err)
{
    for (size_t i = 0; i < leaves->leaves.count; i++)
        if (*leaves->leaves.items[i].digest)
            PM_TRY(keep(all, leaves, i, err));
    return PM_OK;
}

static int keep_both(struct pm_assess_evidence *all, const struct pm_assess__sides *sides,
                     struct pm_assess__pair at, struct pm_error *err)
{
    PM_TRY(keep(all, &sides->got, at.got, err));
    return keep(all, &sides->want, at.want, err);
}

static int note_closeness(struct pm_assess_evidence *all, const struct pm_leaf *got,
                          const struct pm_leaf *want, const struct pm_compare_rule *rule,
                          struct pm_error *err)
{
    struct pm_closeness closeness;
    pm_closeness_measure(got, want, rule, &closeness);
    char *text = pm_closeness_text(&closeness);
    const struct pm_closeness_row row = {
        .digest = got->digest, .reference = want->digest, .how = closeness.how, .points = text};
    const int rc = pm_store_add_closeness(all->store, &row, err);
    free(text);
    return rc;
}

/* Keeps both arrays if they differ; otherwise stores their closeness. If both are of the same
 * target, always keeps the array of `want`, because other executions may be compared with it. The
 * bytes of both must be loaded. */
static int keep_arrays_that_differ(struct pm_assess_evidence *all,
                                   const struct pm_assess__sides *sides, struct pm_assess__pair at,
                                   const struct pm_assess__comparison *comparison,
                                   struct pm_error *err)
{
    struct pm_leaf *got = &sides->got.leaves.items[at.got];
    struct pm_leaf *want = &sides->want.leaves.items[at.want];
    const struct pm_leaves a = {got, 1}, b = {want, 1};
    struct pm_difference difference;
    pm_compare_leaves(&a, &b, &comparison->rule, &difference);
    if (difference.kind != PM_DIFFERENCE_NONE)
        return keep_both(all, sides, at, err);
    PM_TRY(note_closeness(all, got, want, &comparison->rule, err));
    return comparison->got->target == comparison->want->target
               ? keep(all, &sides->want, at.want, err)
               : PM_OK;
}

/* Keeps the arrays of a pair if they differ. An array that is compared with a number is always
 * kept, because it has only one element. */
static int keep_pair(struct pm_assess_evidence *all, const struct pm_assess__sides *sides,
                     struct pm_assess__pair at, const struct pm_assess__comparison *comparison,
                     struct pm_error *err)
{
    const struct pm_leaf *got = &sides->got.leaves.items[at.got];
    const struct pm_leaf *want = &sides->want.leaves.items[at.want];
    if (got->has_bytes && want->has_bytes)
        return keep_arrays_that_differ(all, sides, at, comparison, err);
    if (got->has_bytes && want->kind != PM_LEAF_ARRAY)
        return keep(all, &sides->got, at.got, err);
    if (want->has_bytes && got->kind != PM_LEAF_ARRAY)
        return keep(all, &sides->want, at.want, err);
    return PM_OK;
}

static int keep_compared(struct pm_assess_evidence *all,
                         const struct pm_assess__comparison *comparison, struct pm_error *err)
{
    struct pm_assess__sides sides;
    struct pm_assess__pair at = {0};
    const struct pm_leaves *got = &sides.got.leaves, *want = &sides.want.leaves;
    int rc = pm_assess__sides_load(all, comparison, &sides, err);
    while (!rc && pm_assess__next_pair(&sides, &comparison->rule, &at))
        rc = keep_pair(all, &sides, at, comparison, err);
    const bool other_leaves = !rc && (at.got < got->count || at.want < want->count) &&
                              pm_compare_rule_needs_values(&comparison->rule);
    if (other_leaves)
        rc = keep_arrays(all, &sides.got, err);
    if (other_leaves && !rc)
        rc = keep_arrays(all, &sides.want, err);
    pm_assess__sides_release(&sides);
    return rc;
}

static int keep_what_differs(struct pm_assess_evidence *all, struct pm_error *err)
{
    struct pm_assess__comparison comparison;
    for (size_t i = 0; i < all->execution_count; i++) {
        const struct pm_assess_execution *e = &all->executions[i];
        if (all->targets[e->target].role == PM_ROLE_NOISE)
            continue;
        PM_TRY(pm_stop_check(err));
        pm_assess_evidence_progress(all, all->execution_count + i);
        if (pm_assess__against_reference(all, e, &comparison))
            PM_TRY(keep_compared(all, &comparison, err));
        if (pm_assess__against_oracle(all, e, &comparison))
            PM_TRY(keep_compared(all, &comparison, err));
    }
    return PM_OK;
}

/* Returns whether the run is complete. Until then, an execution may still run that must be compared
 * with the values. */
static bool is_complete(const struct pm_assess_evidence *all)
{
    for (size_t i = 0; i < all->execution_count; i++)
        if (!all->executions[i].done)
            return false;
    return all->measured;
}

int pm_assess__choose_values(struct pm_assess_evidence *all, struct pm_error *err)
{
    all->drops_values = !all->keeps_values && is_complete(all);
    if (!all->drops_values)
        return PM_OK;
    PM_TRY(pm_store_release_values(all->store, all->run_id, err));
    return keep_what_differs(all, err);
}

/* Shows that values are still being deleted, after all executions were looked at. */
static void show_dropping(void *ctx)
{
    const struct pm_assess_evidence *all = ctx;
    pm_assess_evidence_progress(all, 2 * all->execution_count);
}

int pm_assess__drop_values(struct pm_assess_evidence *all, struct pm_error *err)
{
    if (!all->drops_values)
        return PM_OK;
    pm_store_on_work(all->store, show_dropping, all);
    const int rc = pm_store_drop_values(all->store, err);
    pm_store_on_work(all->store, NULL, NULL);
    return rc;
}

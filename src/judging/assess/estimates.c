/* Computes estimates for whole frameworks from the verdicts of a run. */
#include "assess/estimates.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "sample/estimate.h"
#include "sample/stored.h"
#include "store/judgements.h"
#include "store/samples.h"

static const double ALPHA = 0.05;

/* ---- marks ---------------------------------------------------------------------------------- */

struct marking {
    const struct pm_stored_sample *sampling;
    struct pm_map members; /* mark of each member by name: enum pm_mark * */
    enum pm_mark *marks;   /* mark of each member of the sample */
    enum pm_mark seen;     /* mark of the current verdict */
    int64_t target_id;
};

static enum pm_mark mark_of(enum pm_verdict verdict)
{
    if (pm_verdict_is_working(verdict))
        return PM_MARK_YES;
    return pm_verdict_is_counted(verdict) ? PM_MARK_NO : PM_MARK_NONE;
}

static void mark_member(void *ctx, const char *name)
{
    struct marking *m = ctx;
    enum pm_mark *mark = pm_map_get(&m->members, name);
    if (mark && *mark != PM_MARK_NO)
        *mark = m->seen;
}

static int mark_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct marking *m = ctx;
    m->seen = mark_of(row->verdict);
    if (row->target_id == m->target_id && m->seen != PM_MARK_NONE)
        pm_sample_names_of_function(&m->sampling->inventory.inventory, m->sampling->rule,
                                    row->function, mark_member, m);
    return PM_OK;
}

static int make_marks(struct pm_assess_evidence *all, int64_t target_id,
                      const struct pm_stored_sample *sampling, enum pm_mark *marks,
                      struct pm_error *err)
{
    struct marking m = {.sampling = sampling, .marks = marks, .target_id = target_id};
    for (size_t i = 0; i < sampling->sample.member_count; i++) {
        marks[i] = PM_MARK_NONE;
        pm_map_put(&m.members, sampling->sample.members[i].name, &marks[i]);
    }
    const int rc = pm_store_verdicts(all->store, all->run_id, mark_verdict, &m, err);
    pm_map_release(&m.members);
    return rc;
}

/* ---- estimates ------------------------------------------------------------------------------ */

static int store_estimate(struct pm_assess_evidence *all, int64_t target_id,
                          const struct pm_stored_sample *sampling,
                          const struct pm_estimate *estimate, struct pm_error *err)
{
    const struct pm_interval *shares[PM_BASIS_COUNT] = {
        [PM_BASIS_FUNCTION] = &estimate->by_function, [PM_BASIS_USE] = &estimate->by_use};
    const double unknown[PM_BASIS_COUNT] = {
        [PM_BASIS_FUNCTION] = estimate->unknown_functions, [PM_BASIS_USE] = estimate->unknown_uses};
    for (int i = 0; i < PM_BASIS_COUNT; i++) {
        const struct pm_estimate_row row = {
            .run_id = all->run_id,
            .target_id = target_id,
            .sample_id = sampling->id,
            .basis = (enum pm_basis)i,
            .value = shares[i]->mid,
            .low = shares[i]->low,
            .high = shares[i]->high,
            .members = (int64_t)sampling->sample.member_count,
            .marked = (int64_t)estimate->marked,
            .unknown = unknown[i],
        };
        PM_TRY(pm_store_add_estimate(all->store, &row, err));
    }
    return PM_OK;
}

static int estimate_target(struct pm_assess_evidence *all, int64_t target_id,
                           const struct pm_stored_sample *sampling, bool asked_for,
                           struct pm_error *err)
{
    struct pm_estimate estimate = {.marked = 0};
    enum pm_mark *marks = pm_alloc(sampling->sample.member_count * sizeof *marks);
    int rc = make_marks(all, target_id, sampling, marks, err);
    if (!rc)
        rc = pm_estimate_make(&sampling->sample, marks, ALPHA, &estimate, err);
    free(marks);
    PM_TRY(rc);
    return estimate.marked || asked_for ? store_estimate(all, target_id, sampling, &estimate, err)
                                        : PM_OK;
}

/* ---- the choice of a sample ----------------------------------------------------------------- */

struct choosing {
    struct pm_stored_sample asked, own, newest; /* id 0: none */
    size_t *estimated;
};

static bool is_of(const struct pm_stored_sample *sampling, const char *framework)
{
    return sampling->id && !strcmp(sampling->framework, framework);
}

static int estimate_one(struct pm_assess_evidence *all, struct choosing *c,
                        const struct pm_assess_target *target, struct pm_error *err)
{
    if (is_of(&c->asked, target->framework)) {
        ++*c->estimated;
        return estimate_target(all, target->id, &c->asked, true, err);
    }
    if (is_of(&c->own, target->framework))
        return pm_stored_sample_has_weights(&c->own)
                   ? estimate_target(all, target->id, &c->own, true, err)
                   : PM_OK;
    if (!is_of(&c->newest, target->framework)) {
        pm_stored_sample_release(&c->newest);
        PM_TRY(pm_stored_sample_load_weighted(&c->newest, all->store, target->framework, err));
    }
    return c->newest.id ? estimate_target(all, target->id, &c->newest, false, err) : PM_OK;
}

static int load_given(struct pm_assess_evidence *all, struct choosing *c, const char *db,
                      int64_t sample_id, struct pm_error *err)
{
    if (sample_id)
        PM_TRY(pm_stored_sample_load(&c->asked, all->store, db, NULL, sample_id, err));
    if (sample_id && !pm_stored_sample_has_weights(&c->asked))
        return pm_error_set(err, PM_EUSAGE,
                            "sample %lld gives no estimate, because its strata overlap (paper's "
                            "rule): draw a sample with portmeter sample --strata disjoint",
                            (long long)sample_id);
    if (all->sample_id)
        PM_TRY(pm_stored_sample_load(&c->own, all->store, db, NULL, all->sample_id, err));
    return PM_OK;
}

int pm_assess__estimates_store(struct pm_assess_evidence *all, const char *db, int64_t sample_id,
                               size_t *estimated, struct pm_error *err)
{
    struct choosing c = {.estimated = estimated};
    int rc = load_given(all, &c, db, sample_id, err);
    for (size_t i = 0; i < all->target_count && !rc; i++) {
        const struct pm_assess_target *target = &all->targets[i];
        if (target->role != PM_ROLE_NOISE && (int)i != all->oracle && target->reference != (int)i)
            rc = estimate_one(all, &c, target, err);
    }
    pm_stored_sample_release(&c.asked);
    pm_stored_sample_release(&c.own);
    pm_stored_sample_release(&c.newest);
    return rc;
}

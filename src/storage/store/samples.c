/* Stores samples of functions, and estimates for whole frameworks. */
#include "store/samples.h"
#include "store/description.h"

/* Shares are from 0 to 1, except for rounding errors. */
#define SHARE(member) PM_STORE__REAL(estimate, member, -1e-9, 1 + 1e-9)

static const struct pm_store__column sample_columns[] = {
    {"id", PM_STORE__NAMING(sample, id, "sample"), PM_STORE__GIVEN},
    {"scan_id", PM_STORE__ID_OR_NONE(sample, scan_id)},
    {"framework", PM_STORE__LINE(sample, framework)},
    {"rule", PM_STORE__WORD(sample, rule, rule)},
    {"drawn", PM_STORE__TIME(sample, drawn)},
    {"options", PM_STORE__JSON(sample, options)},
    {"document", PM_STORE__JSON(sample, document)},
};
static const struct pm_store__rows samples = PM_STORE__ROWS("sample", "sample", sample_columns);

int pm_store_add_sample(struct pm_store *store, const struct pm_sample_row *row, int64_t *id,
                        struct pm_error *err)
{
    return pm_store__add(store, &samples, row, id, err);
}

int pm_store_samples(struct pm_store *store, const char *framework, pm_sample_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &samples,
                            " WHERE ?1 IS NULL OR framework = ?1 ORDER BY drawn DESC, id DESC", &q,
                            err));
    pm_store__bind_change(&q, framework);
    PM_STORE__GIVE_ROWS(&q, &samples, struct pm_sample_row, row, ctx, err);
}

static const struct pm_store__column estimate_columns[] = {
    {"run_id", PM_STORE__NAMING(estimate, run_id, "estimate of run")},
    {"target_id", PM_STORE__ID(estimate, target_id)},
    {"sample_id", PM_STORE__ID(estimate, sample_id)},
    {"basis", PM_STORE__WORD(estimate, basis, basis)},
    {"value", SHARE(value)},
    {"low", SHARE(low)},
    {"high", SHARE(high)},
    {"members", PM_STORE__COUNT(estimate, members)},
    {"marked", PM_STORE__PART(estimate, marked, members)},
    {"unknown", SHARE(unknown)},
};
static const struct pm_store__rows estimates =
    PM_STORE__ROWS("estimate", "estimate", estimate_columns);

int pm_store_add_estimate(struct pm_store *store, const struct pm_estimate_row *row,
                          struct pm_error *err)
{
    return pm_store__add(store, &estimates, row, NULL, err);
}

int pm_store_estimates(struct pm_store *store, int64_t run_id, pm_estimate_fn *row, void *ctx,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &estimates,
                            " WHERE run_id = ? ORDER BY target_id, sample_id, basis", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &estimates, struct pm_estimate_row, row, ctx, err);
}

/* Samples of functions, and what they say of a whole framework. */
#include "store/samples.h"
#include "store/store_private.h"
#include "store/word.h"

/* Shares are from 0 to 1, but for rounding. */
static const double LEAST_SHARE = -1e-9, MOST_SHARE = 1 + 1e-9;

int pm_store_add_sample(struct pm_store *store, const struct pm_sample_row *row, int64_t *id,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO sample (scan_id, framework, rule, drawn, options,"
                             " document) VALUES (?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_id(&q, row->scan_id);
    pm_store__bind_text(&q, row->framework);
    pm_store__bind_text(&q, pm_rule_text(row->rule));
    pm_store__bind_text(&q, row->drawn);
    pm_store__bind_text(&q, row->options);
    pm_store__bind_text(&q, row->document);
    return pm_store__run(&q, id, NULL, err);
}

static void read_sample(struct pm_store__query *q, struct pm_sample_row *row)
{
    row->id = pm_store__row(q, "sample");
    row->scan_id = pm_store__id_or_none(q);
    row->framework = pm_store__line(q);
    row->rule = PM_STORE__WORD(q, rule);
    row->drawn = pm_store__time(q, PM_STORE__NEEDED);
    row->options = pm_store__json(q, PM_STORE__NEEDED);
    row->document = pm_store__json(q, PM_STORE__NEEDED);
}

int pm_store_samples(struct pm_store *store, const char *framework, pm_sample_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT id, scan_id, framework, rule, drawn, options, document"
                             " FROM sample WHERE ?1 IS NULL OR framework = ?1"
                             " ORDER BY drawn DESC, id DESC",
                             &q, err));
    pm_store__bind_change(&q, framework);
    PM_STORE__GIVE_ROWS(&q, struct pm_sample_row, read_sample, row, ctx, err);
}

int pm_store_add_estimate(struct pm_store *store, const struct pm_estimate_row *row,
                          struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO estimate (run_id, target_id, sample_id, basis, value,"
                             " low, high, members, marked, unknown)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->run_id);
    pm_store__bind_int(&q, row->target_id);
    pm_store__bind_int(&q, row->sample_id);
    pm_store__bind_text(&q, pm_basis_text(row->basis));
    pm_store__bind_real(&q, row->value);
    pm_store__bind_real(&q, row->low);
    pm_store__bind_real(&q, row->high);
    pm_store__bind_int(&q, row->members);
    pm_store__bind_int(&q, row->marked);
    pm_store__bind_real(&q, row->unknown);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_estimate(struct pm_store__query *q, struct pm_estimate_row *estimate)
{
    estimate->run_id = pm_store__row(q, "estimate of run");
    estimate->target_id = pm_store__id(q);
    estimate->sample_id = pm_store__id(q);
    estimate->basis = PM_STORE__WORD(q, basis);
    estimate->value = pm_store__real(q, LEAST_SHARE, MOST_SHARE);
    estimate->low = pm_store__real(q, LEAST_SHARE, MOST_SHARE);
    estimate->high = pm_store__real(q, LEAST_SHARE, MOST_SHARE);
    estimate->members = pm_store__count(q);
    estimate->marked = pm_store__whole(q, 0, estimate->members);
    estimate->unknown = pm_store__real(q, LEAST_SHARE, MOST_SHARE);
}

int pm_store_estimates(struct pm_store *store, int64_t run_id, pm_estimate_fn *row, void *ctx,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT run_id, target_id, sample_id, basis, value, low, high,"
                             " members, marked, unknown FROM estimate WHERE run_id = ?"
                             " ORDER BY target_id, sample_id, basis",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_estimate_row, read_estimate, row, ctx, err);
}

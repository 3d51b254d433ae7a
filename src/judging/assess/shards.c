/* Computes the figures over all functions of a run that was merged from shards. */
#include <math.h>
#include <string.h>

#include "assess/assess.h"
#include "assess/estimates.h"
#include "assess/evidence.h"
#include "base/alloc.h"
#include "stat/stat.h"
#include "store/judgements.h"

/* The logarithms of the functions' ratios on one target by one clock, in order of function. */
struct ratios {
    int64_t target_id;
    enum pm_clock clock;
    double *logs;
    size_t count, capacity;
};

struct summing {
    struct ratios *items;
    size_t count, capacity;
};

static struct ratios *find_ratios(struct summing *s, int64_t target_id, enum pm_clock clock)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].target_id == target_id && s->items[i].clock == clock)
            return &s->items[i];
    PM_GROW(s->items, s->count, s->capacity);
    s->items[s->count] = (struct ratios){.target_id = target_id, .clock = clock};
    return &s->items[s->count++];
}

static int keep_ratio(void *ctx, const struct pm_statistic_row *row)
{
    if (row->what != PM_STATISTIC_RATIO || row->size != PM_SIZE_SMALL || !isfinite(row->value) ||
        row->value <= 0)
        return PM_OK;
    struct ratios *r = find_ratios(ctx, row->target_id, row->clock);
    PM_GROW(r->logs, r->count, r->capacity);
    r->logs[r->count++] = log(row->value);
    return PM_OK;
}

/* Stores the ratio of a target over its functions, as latencies.c does for a run that is judged as
 * a whole. */
static int store_ratios(struct pm_store *store, int64_t run_id, const struct ratios *r,
                        struct pm_error *err)
{
    size_t count = r->count;
    const struct pm_logs functions = {.values = r->logs, .processes = r->count, .cases = 1};
    const struct pm_interval i = pm_stat_latency(&functions, &count);
    const struct pm_statistic_row row = {
        .run_id = run_id,
        .target_id = r->target_id,
        .scope = PM_SCOPE_TARGET,
        .function = "",
        .name = "",
        .clock = r->clock,
        .size = PM_SIZE_SMALL,
        .what = PM_STATISTIC_RATIO,
        .value = i.mid,
        .low = i.low,
        .high = i.high,
        .processes = (int64_t)count,
    };
    return pm_store_add_statistic(store, &row, err);
}

static int sum_ratios(struct pm_store *store, int64_t run_id, struct pm_error *err)
{
    struct summing s = {0};
    int rc = pm_store_statistics(store, run_id, PM_SCOPE_FUNCTION, keep_ratio, &s, err);
    for (size_t i = 0; i < s.count && !rc; i++)
        rc = store_ratios(store, run_id, &s.items[i], err);
    for (size_t i = 0; i < s.count; i++)
        free(s.items[i].logs);
    free(s.items);
    return rc;
}

static int sum_all(struct pm_store *store, const char *db, int64_t run_id, struct pm_error *err)
{
    struct pm_assess_evidence all;
    size_t estimated = 0;
    PM_TRY(pm_store_clear_sums(store, run_id, err));
    PM_TRY(sum_ratios(store, run_id, err));
    int rc = pm_assess_evidence_load_targets(&all, store, run_id, err);
    if (!rc)
        rc = pm_assess__estimates_store(&all, db, 0, &estimated, err);
    pm_assess_evidence_release(&all);
    return rc;
}

int pm_assess_shards(const char *db, int64_t run_id, struct pm_error *err)
{
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, db, PM_STORE_WRITE, err));
    int rc = pm_store_begin(store, err);
    if (!rc)
        rc = pm_store_settle(store, sum_all(store, db, run_id, err), err);
    pm_store_free(store);
    return rc;
}

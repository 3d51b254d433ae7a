/* The shards of runs. */
#include "store/shards.h"

#include "base/shard.h"
#include "store/description.h"

static const struct pm_store__column shard_columns[] = {
    {"run_id", PM_STORE__NAMING(shard, run_id, "shard of run")},
    {"number", PM_STORE__WHOLE(shard, number, 1, PM_MOST_SHARDS)},
    {"count", PM_STORE__WHOLE(shard, count, 1, PM_MOST_SHARDS)},
    {"plan", PM_STORE__DIGEST(shard, plan)},
    {"uuid", PM_STORE__DIGEST(shard, uuid)},
    {"total", PM_STORE__COUNT(shard, total)},
    {"functions", PM_STORE__PART(shard, functions, total)},
    {"command", PM_STORE__LINE(shard, command), PM_STORE__HIDDEN},
    {"reason", PM_STORE__LINE(shard, reason), PM_STORE__HIDDEN},
    {"latency_reason", PM_STORE__LINE(shard, latency_reason), PM_STORE__HIDDEN},
};
static const struct pm_store__rows shards =
    PM_STORE__REPLACING_ROWS("shard", "shard", shard_columns);

int pm_store_set_shard(struct pm_store *store, const struct pm_shard_row *row, struct pm_error *err)
{
    return pm_store__add(store, &shards, row, NULL, err);
}

int pm_store_shards(struct pm_store *store, int64_t run_id, pm_shard_fn *row, void *ctx,
                    struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &shards, " WHERE ?1 IN (0, run_id) ORDER BY run_id, number", &q,
                            err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &shards, struct pm_shard_row, row, ctx, err);
}

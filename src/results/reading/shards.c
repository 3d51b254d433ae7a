/* Describes which share of its plan a run covers. */
#include "base/alloc.h"
#include "base/plural.h"
#include "reading/reading.h"

int64_t pm_reading_shard_functions(const struct pm_reading_run *run)
{
    int64_t functions = 0;
    for (size_t i = 0; i < run->shard_list_count; i++)
        functions += *run->shards[i].reason ? 0 : run->shards[i].functions;
    return functions;
}

static const struct pm_reading_shard *find_shard(const struct pm_reading_run *run, int64_t number)
{
    for (size_t i = 0; i < run->shard_list_count; i++)
        if (run->shards[i].number == number)
            return &run->shards[i];
    return NULL;
}

int64_t pm_reading_missing_shard(const struct pm_reading_run *run, int64_t after)
{
    for (int64_t number = after + 1; number <= run->shard_count; number++) {
        const struct pm_reading_shard *shard = find_shard(run, number);
        if (!shard || *shard->reason)
            return number;
    }
    return 0;
}

char *pm_reading_share(const struct pm_reading_run *run)
{
    enum { NAMED = 5 };
    struct pm_str text = PM_STR_INIT;
    const int64_t functions = pm_reading_shard_functions(run);
    int64_t missing = 0;
    if (!run->shard_list_count || functions == run->shard_total)
        return NULL;
    pm_str_addf(&text, "%lld of %lld function%s", (long long)functions, (long long)run->shard_total,
                pm_plural(run->shard_total));
    for (int64_t n = pm_reading_missing_shard(run, 0); n; n = pm_reading_missing_shard(run, n)) {
        const struct pm_reading_shard *shard = find_shard(run, n);
        if (missing++ >= NAMED)
            continue;
        pm_str_addf(&text, "%s%lld%s%s%s", missing > 1 ? ", " : ": without shard ", (long long)n,
                    shard ? " (" : "", shard ? shard->reason : "", shard ? ")" : "");
    }
    if (missing > NAMED)
        pm_str_addf(&text, " and %lld more", (long long)(missing - NAMED));
    pm_str_addf(&text, " of %lld", (long long)run->shard_count);
    return pm_str_detach(&text);
}

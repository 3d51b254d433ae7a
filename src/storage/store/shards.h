/* The shards of runs. Rows, errors and ownership are as in store/store.h. */
#ifndef PM_STORE_SHARDS_H
#define PM_STORE_SHARDS_H

#include "store/store.h"

/* A part of a plan. A run that measured one part has one row; a run that was merged from shards has
 * one for each that merging has met; an undivided run has none. */
struct pm_shard_row {
    int64_t run_id;
    int64_t number, count;      /* which part, from 1; of how many */
    const char *plan;           /* digest of what all parts have in common */
    const char *uuid;           /* of the run that measured it */
    int64_t functions, total;   /* of the part, of the whole plan */
    const char *command;        /* measures it, with --shard NUMBER/COUNT; stored without names */
    const char *reason;         /* why the run has no results of it, one line; "": it has */
    const char *latency_reason; /* why the run has no latencies of it; "" */
};
/* Replaces an older row of the run and number. */
PM_MUST_USE int pm_store_set_shard(struct pm_store *store, const struct pm_shard_row *row,
                                   struct pm_error *err);
typedef int pm_shard_fn(void *ctx, const struct pm_shard_row *row);
/* Reads the rows of a run by number; run 0: of all runs. */
PM_MUST_USE int pm_store_shards(struct pm_store *store, int64_t run_id, pm_shard_fn *row, void *ctx,
                                struct pm_error *err);

#endif

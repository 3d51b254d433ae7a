/* The shards of runs and of scans. Rows, errors and ownership are as in store/store.h. */
#ifndef PM_STORE_SHARDS_H
#define PM_STORE_SHARDS_H

#include "base/str.h"
#include "store/store.h"

/* A shard of a plan. A run that measured one shard has one row; a run that was merged from shards
 * has one for each shard that was merged; an undivided run has none. */
struct pm_shard_row {
    int64_t run_id;
    int64_t number, count;      /* number of the shard, from 1, and the number of all shards */
    const char *plan;           /* digest of what all shards have in common */
    const char *uuid;           /* uuid of the run that measured it */
    int64_t functions, total;   /* numbers of functions of the shard and of the whole plan */
    const char *command;        /* the command that measures it, with --shard NUMBER/COUNT; stored
                                   without names of users and hosts */
    const char *reason;         /* why the run has no results of the shard, one line; "" if it
                                   has */
    const char *latency_reason; /* why the run has no latencies of the shard; "" if it has */
};
/* Adds a row, or replaces the row with the same run and number. */
PM_MUST_USE int pm_store_set_shard(struct pm_store *store, const struct pm_shard_row *row,
                                   struct pm_error *err);
typedef int pm_shard_fn(void *ctx, const struct pm_shard_row *row);
/* Reads the rows of a run by number; run 0: of all runs. */
PM_MUST_USE int pm_store_shards(struct pm_store *store, int64_t run_id, pm_shard_fn *row, void *ctx,
                                struct pm_error *err);

/* A shard of a divided scan. A scan of one shard has one row; a scan that was merged from shards
 * has one for each of them; an undivided scan has none. */
struct pm_scan_shard_row {
    int64_t scan_id;
    int64_t number, count;   /* number of the shard, from 1, and the number of all shards */
    const char *plan;        /* digest of what all shards have in common */
    const char *inputs;      /* digest of the names and sizes of all inputs under the paths */
    const char *uuid;        /* uuid of the scan that read it */
    int64_t projects, total; /* numbers of projects of the shard and of all shards */
    const char *command;     /* the command that reads it, with --shard NUMBER/COUNT; stored without
                                names of users and hosts */
};
PM_MUST_USE int pm_store_add_scan_shard(struct pm_store *store, const struct pm_scan_shard_row *row,
                                        struct pm_error *err);
typedef int pm_scan_shard_fn(void *ctx, const struct pm_scan_shard_row *row);
/* Reads the rows of a scan by number; scan 0: of all scans. */
PM_MUST_USE int pm_store_scan_shards(struct pm_store *store, int64_t scan_id, pm_scan_shard_fn *row,
                                     void *ctx, struct pm_error *err);

/* Which repositories use a name. */
struct pm_name_repositories_row {
    int64_t scan_id;
    const char *framework; /* "pytorch" */
    enum pm_rule rule;
    const char *name;
    uint64_t *digests; /* for each repository, a digest of the repository and the name */
    size_t count;
};
/* Appends the row's name and digests to the bytes of a framework and a rule. */
void pm_store_pack_repositories(struct pm_str *out, const struct pm_name_repositories_row *row);
/* Stores the bytes that pm_store_pack_repositories() appended for a shard. */
PM_MUST_USE int pm_store_add_scan_repositories(struct pm_store *store, int64_t scan_id,
                                               int64_t number, const char *framework,
                                               enum pm_rule rule, const struct pm_str *packed,
                                               struct pm_error *err);
typedef int pm_name_repositories_fn(void *ctx, const struct pm_name_repositories_row *row);
/* Reads what all shards of a scan stored, ordered by framework and rule. A name appears once for
 * each shard that uses it. */
PM_MUST_USE int pm_store_scan_repositories(struct pm_store *store, int64_t scan_id,
                                           pm_name_repositories_fn *row, void *ctx,
                                           struct pm_error *err);

#endif

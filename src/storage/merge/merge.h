/*
 * Merges several databases into one.
 *
 * Rows get new ids, and references are changed accordingly. Equal rows become one row: a run by its
 * uuid (an import by what was imported), a case and an inventory by their digest, a scan and a
 * sample by their time and content. Of two annotations of the same function, the later one is kept.
 * Runs keep their verdicts, so reports of a run do not change; `source` of a measured run is the
 * name of the file that it came from. Shards of one plan become one run, which is complete when it
 * has all shards with functions. Functions keep the judgement of their shard. A shard that is
 * unfinished, invalid or not judged is listed, but adds nothing. After pm_merge(), the caller
 * computes the figures over all functions (pm_assess_shards()). Paths of the machines that measured
 * (the tables run_paths and interpreter) are not copied, so a merged run cannot be resumed.
 *
 * To add a table to the schema, add a row to the list in tables.c, after the tables that it refers
 * to.
 */
#ifndef PM_MERGE_MERGE_H
#define PM_MERGE_MERGE_H

#include "store/store.h"

/* What happened to a run of a file. */
struct pm_merged_run {
    const char *file;    /* file as the user wrote it */
    int64_t number;      /* number of the run in the file */
    int64_t id;          /* id of the run in the database */
    bool added;          /* false: the database already has it */
    int64_t done;        /* executions that are done, in the file */
    int64_t done_before; /* executions that were done in the database before, if it had the run */
};
/* What happened to a shard of a file. */
struct pm_merged_shard {
    const char *file;
    bool is_scan; /* it is a shard of a scan, and `functions` counts projects */
    int64_t number, count, functions;
    int64_t run;  /* the run or scan of all shards, in the database */
    bool added;   /* false: the database already has it, or `reason` says why it is skipped */
    char *reason; /* why it is skipped, or "" */
    char *latency_reason; /* why only its latencies are skipped, or "" */
};
/* A run or scan of the database that is merged from shards, at least one of them from a file of
 * this merge. */
struct pm_merged_family {
    bool is_scan;
    int64_t run, count, shards; /* `shards`: the number of shards with results */
    int64_t functions,
        total;        /* functions of these shards and of the plan; equal: the run is complete */
    int64_t *missing; /* numbers of shards without results */
    size_t missing_count;
    char *command; /* measures one of the missing shards, with --shard NUMBER/COUNT; "": unknown */
};
struct pm_merged {
    struct pm_merged_run *runs; /* in the order of the files; without shards */
    size_t count, capacity;
    struct pm_merged_shard *shards; /* in the order of the files */
    size_t shard_count, shard_capacity;
    struct pm_merged_family *families;
    size_t family_count, family_capacity;
    size_t added;                       /* runs that were added */
    size_t scans, samples, inventories; /* how many were added */
    size_t annotations;                 /* how many were added, or replaced older ones */
};

/*
 * Merges `files` into the database `into`, in one transaction. Creates `into` if it is missing, and
 * removes it again after a failure. Does not change the files (pm_store_open_unchanged()).
 * PM_EUSAGE if a file is `into` itself, or if a shard belongs to another plan than the others, was
 * measured on an unlike node (another framework version, device or driver), or was measured twice.
 * With `apart`, shards of the first two kinds become separate runs instead. PM_EFORMAT if a row of
 * a file does not fit the schema, or refers to a row that does not exist. Other errors are those of
 * pm_store_open().
 *
 * `out` points to `files`. The caller must call pm_merged_release(), even after a failure.
 */
PM_MUST_USE int pm_merge(const char *const *files, size_t count, const char *into, bool apart,
                         struct pm_merged *out, struct pm_error *err);
void pm_merged_release(struct pm_merged *merged);

#endif

/* Runs of a database: the options of each, its progress, and its attempts. Rows, errors and
 * ownership are as in store/store.h. */
#ifndef PM_STORE_RUNS_H
#define PM_STORE_RUNS_H

#include "store/store.h"

/* `source` of a run that was merged from shards. */
#define PM_RUN_SOURCE_SHARDS "shards"

struct pm_run_row {
    int64_t id;
    const char *uuid;               /* 32 hex digits; processes of a measured run have it in
                                     * PORTMETER_RUN */
    const char *started, *finished; /* ISO 8601 UTC; finished "": its first attempt has not ended */
    enum pm_run_state state;
    const char *options; /* JSON: all options of the run, without names of users */
    bool kept;           /* the user wants to keep it; pm_store_keep_run() */
    const char *suite_digest;
    int64_t seed;
    enum pm_validity validity;         /* whether its outcomes are valid */
    const char *validity_reason;       /* one line, if the validity is INVALID */
    enum pm_validity latency_validity; /* whether its latencies are valid */
    const char *latency_validity_reason;
    int64_t sample_id; /* the sample whose functions it measures; 0: none */
    enum pm_run_kind kind;
    const char *source; /* the publication of published results, or the file of a merged run; NULL
                           when added: "" */
    const char *suite_version; /* "", or NULL when added: the suites state no version */
    const char *paths; /* JSON: members of the options that are paths of this machine, with the
                        * names of its user and host; no report shows them. NULL when added or
                        * updated: unchanged. "": merged from another database, or imported */
};

PM_MUST_USE int pm_store_add_run(struct pm_store *store, const struct pm_run_row *run, int64_t *id,
                                 struct pm_error *err);
/* Updates state, finished, options, paths, both validities and their reasons of run->id; a text
 * that is NULL, or a validity UNKNOWN, leaves the column unchanged. */
PM_MUST_USE int pm_store_update_run(struct pm_store *store, const struct pm_run_row *run,
                                    struct pm_error *err);
typedef int pm_run_fn(void *ctx, const struct pm_run_row *run);
/* Reads all runs in the order in which they started, the newest last. */
PM_MUST_USE int pm_store_runs(struct pm_store *store, pm_run_fn *row, void *ctx,
                              struct pm_error *err);

struct pm_run_progress {
    int64_t executions, planned, done; /* planned, done: without retries */
    int64_t retried; /* executions that failed in a shared process and were retried in isolation */
};
PM_MUST_USE int pm_store_run_progress(struct pm_store *store, int64_t run_id,
                                      struct pm_run_progress *out, struct pm_error *err);
/* Sets whether the user wants to keep the run. PM_ENOTFOUND if there is no such run. */
PM_MUST_USE int pm_store_keep_run(struct pm_store *store, int64_t id, bool keep,
                                  struct pm_error *err);
/* Removes a run with all that belongs to it alone, cases and bytes of arrays too, and frees their
 * space in the file system. Not within a transaction (PM_BUG). PM_ENOTFOUND if there is no such
 * run, PM_EUSAGE if the user wants to keep it. */
PM_MUST_USE int pm_store_remove_run(struct pm_store *store, int64_t id, struct pm_error *err);

/* An attempt of a run: from its start, or from where it was resumed, until it ended or was
 * stopped. */
struct pm_attempt_row {
    int64_t run_id, number; /* from 1 */
    int64_t shard;          /* the shard that it measured; 0: the run is not divided */
    const char *started,
        *finished;       /* ISO 8601 UTC; finished "": it is still running, or was killed */
    const char *machine; /* JSON: processor, cores, memory, kernel */
    double load_before, load_after;    /* load averages; NaN: unknown */
    int64_t peak_memory, peak_scratch; /* bytes; 0: unknown */
};
/* Adds an attempt and returns its number in *number. Ignores `number` of the row, and the members
 * that pm_store_finish_attempt() updates. */
PM_MUST_USE int pm_store_add_attempt(struct pm_store *store, const struct pm_attempt_row *attempt,
                                     int64_t *number, struct pm_error *err);
/* Updates `finished`, `load_after`, `peak_memory` and `peak_scratch`. */
PM_MUST_USE int pm_store_finish_attempt(struct pm_store *store,
                                        const struct pm_attempt_row *attempt, struct pm_error *err);
typedef int pm_attempt_fn(void *ctx, const struct pm_attempt_row *attempt);
/* Reads the attempts of one run, in order. */
PM_MUST_USE int pm_store_attempts(struct pm_store *store, int64_t run_id, pm_attempt_fn *row,
                                  void *ctx, struct pm_error *err);
/* Reads how long the finished attempts of a run took together, in nanoseconds. */
PM_MUST_USE int pm_store_run_spent(struct pm_store *store, int64_t run_id, uint64_t *out,
                                   struct pm_error *err);

/* ---- planted faults -------------------------------------------------------------------------- */

struct pm_planted_fault_row {
    int64_t run_id, target_id;
    const char *name;
    enum pm_outcome expected;
    enum pm_observation observed;
    bool as_expected; /* observed as expected, or DOES_NOT_APPLY for a reason that is known */
    const char *detail;
};
PM_MUST_USE int
pm_store_add_planted_fault(struct pm_store *store, const struct pm_planted_fault_row *planted_fault,
                           struct pm_error *err); /* replaces an older row with the same name */
typedef int pm_planted_fault_fn(void *ctx, const struct pm_planted_fault_row *planted_fault);
PM_MUST_USE int pm_store_planted_faults(struct pm_store *store, int64_t run_id,
                                        pm_planted_fault_fn *row, void *ctx, struct pm_error *err);

#endif

/* The results of judging executions, functions and targets, with latencies. Rows, errors and
 * ownership are as in store/store.h. */
#ifndef PM_STORE_JUDGEMENTS_H
#define PM_STORE_JUDGEMENTS_H

#include "store/store.h"

struct pm_judgement_row {
    int64_t execution_id, target_id, case_id, repetition;
    const char *function, *name, *dtype; /* joined, for reading */
    bool host_only;
    enum pm_size size;
    enum pm_outcome outcome;
    enum pm_stage stage;
    const char *detail;
    double smallest_rtol; /* NaN: none */
    int64_t position;     /* joined: how many other executions its process had run before */
    enum pm_retry retry;  /* joined: why the execution is a retry */
    bool counts;      /* verdicts use it, and not another execution that differs only in `retry` */
    bool case_counts; /* its case is counted in the verdict of its function */
    bool expects, checks, raises, backward; /* joined: its case has that key */
    const char *reason, *rule; /* for a failure: text of its reason (judge/reasons.h), and id of the
                                  rule that gave it; none: NULL when added, "" when read */
};
struct pm_verdict_row {
    int64_t run_id, target_id;
    const char *function;
    enum pm_verdict verdict, verdict_paper;
    int64_t counted, passed, flaky;
    int64_t core, core_passed; /* core cases among `counted` and among `passed` */
    bool host_only;
    const char *detail;        /* one line: the first failure */
    const char *reason, *rule; /* the reason of most of its failures and its rule, as in
                                  pm_judgement_row */
    const char *limits; /* limits of a function that works with limits, in one line; NULL when
                         * added, and "" for others */
};
/* A latency or a ratio with its interval. */
struct pm_statistic_row {
    int64_t run_id, target_id;
    enum pm_scope scope;
    const char *function, *name; /* name: the case, "" for a function; both "" for a target */
    enum pm_clock clock;
    enum pm_size size;
    enum pm_statistic what;  /* latencies in ns, ratios without a unit */
    double value, low, high; /* value NaN: all cases are unstable, or compile in each warm call;
                                bounds NaN: too few processes */
    int64_t processes, reference_processes; /* number of processes with all its cases; for a target,
                                               number of its functions; for its noise, number of its
                                               cases */
    bool unstable; /* the medians of processes differ by more than a factor of three, so no ratio
                      uses it */
};
/* Deletes the results of an earlier judging of the run, with its estimates. Call it before a new
 * judging, in the same transaction. */
PM_MUST_USE int pm_store_clear_judgements(struct pm_store *store, int64_t run_id,
                                          struct pm_error *err);
/* Deletes only the results about whole targets: ratios and estimates, but not noise floors. */
PM_MUST_USE int pm_store_clear_sums(struct pm_store *store, int64_t run_id, struct pm_error *err);
PM_MUST_USE int pm_store_add_judgement(struct pm_store *store, const struct pm_judgement_row *row,
                                       struct pm_error *err);
PM_MUST_USE int pm_store_add_verdict(struct pm_store *store, const struct pm_verdict_row *row,
                                     struct pm_error *err);
PM_MUST_USE int pm_store_add_statistic(struct pm_store *store, const struct pm_statistic_row *row,
                                       struct pm_error *err);
typedef int pm_judgement_fn(void *ctx, const struct pm_judgement_row *row);
typedef int pm_verdict_fn(void *ctx, const struct pm_verdict_row *row);
typedef int pm_statistic_fn(void *ctx, const struct pm_statistic_row *row);
/* Reads the judgements of a run, ordered by target, function, case, repetition, retry. */
PM_MUST_USE int pm_store_judgements(struct pm_store *store, int64_t run_id, pm_judgement_fn *row,
                                    void *ctx, struct pm_error *err);
PM_MUST_USE int pm_store_verdicts(struct pm_store *store, int64_t run_id, pm_verdict_fn *row,
                                  void *ctx, struct pm_error *err);
/* Reads the statistics of one scope; PM_SCOPE_COUNT: of every scope. */
PM_MUST_USE int pm_store_statistics(struct pm_store *store, int64_t run_id, enum pm_scope scope,
                                    pm_statistic_fn *row, void *ctx, struct pm_error *err);

#endif

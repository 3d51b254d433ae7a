/*
 * Computes outcomes, verdicts, latencies and estimates of stored runs, from stored evidence only.
 *
 *     struct pm_judged judged;
 *     PM_TRY(pm_assess_db("x.db", 0, 0, &judged, err));     // every run
 *
 * evidence.h reads the evidence of a run, also for `suite check`, which compares outputs
 * differently.
 */
#ifndef PM_ASSESS_ASSESS_H
#define PM_ASSESS_ASSESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/request.h"
#include "base/vocabulary.h"
#include "store/judged.h"

/* The results of pm_assess(). */
enum { PM_JUDGED_NAMED = 3 };
struct pm_judged {
    size_t executions; /* executions that verdicts use and that have an outcome */
    size_t wrong;      /* of these, the executions that are neither pass nor not applicable */
    /* Executions that cannot be judged again, because their values were deleted. They keep their
     * judgement, if they had one. */
    size_t undecided;
    size_t undecided_cases; /* cases of these executions, counted on each target */
    /* Names of the first of these cases, in one line. */
    char undecided_names[PM_JUDGED_NAMED * 200];
};
/* Computes the outcomes, verdicts, latencies and estimates of run `run_id` (0: of every run of the
 * database), also if the run was judged before. If a run is completely measured, its values that
 * agree are deleted, unless the run keeps them. Estimates use sample `sample_id`; 0: the sample
 * that the run measured, else the newest sample of the framework that has weights. PM_EUSAGE if
 * there is no such run, or if the sample gives no estimate. */
PM_MUST_USE int pm_assess_db(const char *db, int64_t run_id, int64_t sample_id,
                             struct pm_judged *done, struct pm_error *err);

/* A function with a new verdict or reason. The texts are valid until the callback returns. */
struct pm_assess_change {
    int64_t run_id;
    const char *target, *function;
    enum pm_verdict before, after;
    const char *reason_before, *reason_after; /* texts of reasons; "": none */
};
typedef void pm_assess_changed_fn(void *ctx, const struct pm_assess_change *change);

/* Called from time to time while a run is judged. `all` is twice the number of executions, because
 * `looked` counts each execution twice: when it is judged, and when the values to keep are
 * selected. */
typedef void pm_assess_progress_fn(void *ctx, size_t looked, size_t all);

/* Options of pm_assess(). NULL or 0 selects the default, as in pm_assess_db(). */
struct pm_assess_options {
    const char *db;
    int64_t run_id, sample_id;
    const char *rules;             /* path of a file with reason rules; NULL: the built-in rules */
    pm_assess_changed_fn *changed; /* not called for a run that was never judged before */
    void *ctx;
    pm_assess_progress_fn *progress;
    void *progress_ctx;
};
PM_MUST_USE int pm_assess(const struct pm_assess_options *options, struct pm_judged *done,
                          struct pm_error *err);

/* Stores a reason that the user sets for the failures of a function; `reason` NULL removes it.
 * `target` NULL: on every target. PM_EUSAGE if no run has a verdict on the function there, if
 * `reason` is not a reason that users may set, or if there is no reason to remove. Verdicts use the
 * reason after the next judging. */
PM_MUST_USE int pm_assess_annotate(const char *db, const char *function, const char *target,
                                   const char *reason, const char *note, struct pm_error *err);

/* Reads the sums of the judgements of each case on each target, as the last judging stored them.
 * `executions` is the number of executions that the run has now. If no sums are stored, or if the
 * run has more executions since then, this function computes the sums from all judgements, which
 * takes longer, and does not store them. The sums are ordered by target. */
PM_MUST_USE int pm_assess_judged_cases(struct pm_store *store, int64_t run_id, int64_t executions,
                                       pm_judged_case_fn *row, void *ctx, struct pm_error *err);

/* Computes the figures over all functions of a run: the ratio of each target, and estimates. It is
 * for a run that was merged from judged shards, and leaves the verdicts and figures of each
 * function as they are. */
PM_MUST_USE int pm_assess_shards(const char *db, int64_t run_id, struct pm_error *err);

/* Judges the executions that a run has so far, in memory, and plans retries in the database. It
 * plans a retry in isolation of each execution that failed after another one in its process, or
 * whose driver died, but not of a timeout. If values differ, and the execution of the reference ran
 * after another one, it also plans a retry in isolation of the reference. It plans a retry in exact
 * mode of an execution with wrong values on a target whose numeric mode is fast and less exact. In
 * a later round, only retries in exact mode can be added, so nothing is judged if no target has a
 * fast and less exact numeric mode. */
PM_MUST_USE int pm_assess_retries(struct pm_store *store, int64_t run_id,
                                  const struct pm_retry_round *round, struct pm_error *err);

#endif

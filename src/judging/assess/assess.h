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
#include "base/vocabulary.h"
#include "store/judged.h"

/* Computes the outcomes, verdicts, latencies and estimates of one run (0: of every run of the
 * database that has begun), also if the run was judged before. If the run is completely measured,
 * values that agree are deleted, unless the run keeps them. Estimates use sample `sample_id`; 0:
 * the sample that the run measured, else the newest of the framework. */
enum { PM_JUDGED_NAMED = 3 };
struct pm_judged {
    size_t executions;
    size_t wrong;     /* executions that are neither pass nor not applicable */
    size_t undecided; /* executions that cannot be judged again, because their values were deleted:
                         they keep their judgement, if they had one */
    size_t undecided_cases; /* cases that these executions belong to, on each target */
    char
        undecided_names[PM_JUDGED_NAMED * 200]; /* names of the first of these cases, in one line */
};
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

/* Called from time to time while a run is judged. `looked` counts each execution twice: when it is
 * judged, and when the values that stay are selected. */
typedef void pm_assess_progress_fn(void *ctx, size_t looked, size_t all);

/* Options of a judging. NULL or 0 gives the same default as above. */
struct pm_assess_options {
    const char *db;
    int64_t run_id, sample_id;
    const char *rules;             /* file with the rules of reasons; NULL: those of the program */
    pm_assess_changed_fn *changed; /* not called for a run that was never judged before */
    void *ctx;
    pm_assess_progress_fn *progress;
    void *progress_ctx;
};
PM_MUST_USE int pm_assess(const struct pm_assess_options *options, struct pm_judged *done,
                          struct pm_error *err);

/* Stores a reason that the user sets for the failures of a function; `reason` NULL removes it.
 * `target` NULL: on every target. PM_EUSAGE if no run has a verdict on the function there, or if
 * `reason` is none. Verdicts use it after the next judging. */
PM_MUST_USE int pm_assess_annotate(const char *db, const char *function, const char *target,
                                   const char *reason, const char *note, struct pm_error *err);

/* Reads the sums of the judgements of each case on each target, as the last judging stored them.
 * The run has `executions` executions now. If no sums are stored, or if the run was measured
 * further since, this function computes them in the same way, which takes as long as reading each
 * judgement; the file is not changed. The sums of one target follow each other. */
PM_MUST_USE int pm_assess_judged_cases(struct pm_store *store, int64_t run_id, int64_t executions,
                                       pm_judged_case_fn *row, void *ctx, struct pm_error *err);

/* Computes the statements about all functions of a run together: the ratio of each target, and
 * estimates. For a run that was merged from shards, each of which was judged; its functions stay as
 * they are. */
PM_MUST_USE int pm_assess_shards(const char *db, int64_t run_id, struct pm_error *err);

/* Judges the executions of a run so far, in memory, and plans retries in its database: of
 * executions that failed in a process that another execution had used and, if values differ, also
 * of those of the reference. */
PM_MUST_USE int pm_assess_retries(struct pm_store *store, int64_t run_id, struct pm_error *err);

#endif

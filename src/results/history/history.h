/*
 * Reports the history of each target with two or more valid runs that have results: its runs in
 * order, what changed from each run to the next, and a row for each function that ever changed.
 *
 * A history is about one target text on one device of one machine: the same target elsewhere has
 * its own history. Each run is compared (changes.h) with what was known before it, which is the
 * result of the latest run that measured each function and case. So a run of only some functions or
 * cases hides nothing, and only common cases decide. The last run is also compared with the first,
 * which finds slow changes. All comparisons of a history together have a false discovery rate of
 * 5 %.
 */
#ifndef PM_HISTORY_HISTORY_H
#define PM_HISTORY_HISTORY_H

#include "reading/reading.h"
#include "report/table.h"

enum { PM_HISTORY_RUNS = 10 };
struct pm_history_request {
    const char *db;
    int64_t run_id;      /* the last run of its targets; 0: the newest */
    size_t most;         /* newest runs of a target, at least 2; 0: PM_HISTORY_RUNS */
    bool for_people;     /* one column per run; otherwise one row per function and run */
    bool functions_only; /* leave out the table of runs */
    const char *option;  /* " --db FILE" or " --results=NAME" for commands, or "" */
};
/* Adds the histories to the report. PM_EUSAGE if the database has no such run, or if `most` is 1.
 * If no target has two runs, a line of the report says what to do. */
PM_MUST_USE int pm_history_add(const struct pm_history_request *request, struct pm_report *report,
                               struct pm_error *err);

struct pm_history_past;
struct pm_reading_verdict;
/* Reads the stored verdicts and latencies of the targets that `r` shows, from the newest five
 * earlier runs of each history, without comparing them. The caller frees *out, also after an
 * error. */
PM_MUST_USE int pm_history_past_load(const char *db, const struct pm_reading *r,
                                     struct pm_history_past **out, struct pm_error *err);
void pm_history_past_free(struct pm_history_past *past);
/* Appends a text such as "since run 2", or "since run 5; fails in run 4, works in run 2": the run
 * since which the verdict has been the same, and the newest run of each verdict before that. This
 * function and the next append nothing if nothing is known. */
void pm_history_past_verdicts(const struct pm_history_past *past,
                              const struct pm_reading_verdict *now, struct pm_str *out);
/* Appends a text such as "1.50 us in run 5, 1.00 us in run 2", from runs that selected the same
 * cases. */
void pm_history_past_latencies(const struct pm_history_past *past,
                               const struct pm_reading_verdict *now, struct pm_str *out);

#endif

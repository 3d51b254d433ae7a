/*
 * Judged runs, for tables that show cases: the sums of the judgements of each case, and single rows
 * of large tables. Rows, errors and ownership are as in store/store.h.
 */
#ifndef PM_STORE_JUDGED_H
#define PM_STORE_JUDGED_H

#include "store/judgements.h"
#include "store/store.h"

/* The names of a case, as in struct pm_case_row. */
struct pm_case_name_row {
    int64_t id;
    const char *function, *name, *dtype;
    const char *across; /* the operation for which it compares frameworks, or "" */
    enum pm_size size;
    enum pm_case_kind kind;
    enum pm_tier tier;
    bool no_values; /* it checks no value */
};
typedef int pm_case_name_fn(void *ctx, const struct pm_case_name_row *row);
/* Reads the names of all cases of the file, ordered by id. */
PM_MUST_USE int pm_store_case_names(struct pm_store *store, pm_case_name_fn *row, void *ctx,
                                    struct pm_error *err);

/* The judgements of a case on a target, summed up. */
struct pm_judged_case_row {
    int64_t run_id, target_id, case_id;
    int64_t judged;      /* number of judgements */
    int64_t repetitions; /* number of the last repetition that counts, from 1; 0: none counts */
    int64_t passed, failed, blocked; /* numbers of counted judgements; HARNESS and NOT_APPLICABLE
                                        are in none of the three */
    bool counts;                     /* it counts in the verdict of its function */
    bool alike; /* all judgements are equal, each counts, and none is a retry: one represents all */
    bool expects, checks, raises, backward; /* the case has that key */
    enum pm_outcome outcome;            /* outcome of the first failed or blocked judgement; PASS if
                                         * there is none */
    enum pm_stage stage;                /* stage of the same judgement */
    const char *detail, *reason, *rule; /* texts of the same judgement */
    double error; /* the largest smallest_rtol of the judgements that passed; NaN: unknown */
};

/* Reads the statistics of the cases that are unstable. */
PM_MUST_USE int pm_store_unstable_cases(struct pm_store *store, int64_t run_id,
                                        pm_statistic_fn *row, void *ctx, struct pm_error *err);
/* Reads the judgements of one case on one target, in the order of pm_store_judgements(). `like`
 * names the case and the target; its other joined members are copied to each row. */
PM_MUST_USE int pm_store_judgements_of_case(struct pm_store *store, int64_t run_id,
                                            const struct pm_judgement_row *like,
                                            pm_judgement_fn *row, void *ctx, struct pm_error *err);

/* Stores what pm_assess_judged_cases() sums up. That function also reads these rows
 * (assess/assess.h). */
PM_MUST_USE int pm_store_add_judged_case(struct pm_store *store,
                                         const struct pm_judged_case_row *row,
                                         struct pm_error *err);
/* Stores that the rows of all cases of the run are complete. pm_store_add_attempt() and
 * pm_store_clear_judgements() undo this. */
PM_MUST_USE int pm_store_add_judged_run(struct pm_store *store, int64_t run_id,
                                        struct pm_error *err);
/* Sets *summed to whether the rows are complete: they were stored when the run had as many
 * executions as now (`executions`, from pm_store_run_progress()). Sets *cases to the number of
 * judged cases at that time. */
PM_MUST_USE int pm_store_judged_run(struct pm_store *store, int64_t run_id, int64_t executions,
                                    bool *summed, int64_t *cases, struct pm_error *err);
typedef int pm_judged_case_fn(void *ctx, const struct pm_judged_case_row *row);
/* Reads the judged cases of a run, ordered by target and case. PM_EFORMAT if the counts and the
 * outcome of a case contradict each other. */
PM_MUST_USE int pm_store_judged_cases(struct pm_store *store, int64_t run_id,
                                      pm_judged_case_fn *row, void *ctx, struct pm_error *err);

#endif

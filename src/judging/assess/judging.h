/* The outcomes of a run's executions, in memory. Private to the room. */
#ifndef PM_ASSESS_JUDGING_H
#define PM_ASSESS_JUDGING_H

#include "assess/assess.h"
#include "assess/evidence.h"

/* Judges each execution that has run and whose reference has run: fills `judgement` and `judged`.
 * An execution that cannot be judged, because its values were deleted, keeps its judgement and
 * becomes `undecided`. */
PM_MUST_USE int pm_assess__judge_executions(struct pm_assess_evidence *all, struct pm_error *err);

/* ---- comparing.c ---------------------------------------------------------------------------- */

/* Returns whether an execution fails by value, and passes in the exact mode of its framework. */
bool pm_assess__heals_in_exact_mode(const struct pm_assess_evidence *all,
                                    const struct pm_assess_execution *e);
/* Returns whether the case has `reference: none`. */
bool pm_assess__has_no_reference(const struct pm_assess_case *test);
/* Returns whether the case compares frameworks with each other: its error is the difference from
 * `expect`. */
bool pm_assess__is_across(const struct pm_assess_case *test);
/* Returns the execution that an execution is compared with; NULL if there is none. For a first
 * execution that was retried in isolation, this is the first execution of its reference; for the
 * first execution of a reference, its own retry. */
const struct pm_assess_execution *pm_assess__reference_of(const struct pm_assess_evidence *all,
                                                          const struct pm_assess_execution *e);
/* Returns the oracle's execution with which `e` is compared: if `e` ran on a reference or on a
 * target without one, or if its case compares frameworks; NULL if there is none. */
const struct pm_assess_execution *pm_assess__oracle_of(const struct pm_assess_evidence *all,
                                                       const struct pm_assess_execution *e);
/* Returns whether an execution answered with an output. `e` may be NULL. */
bool pm_assess__has_output(const struct pm_assess_execution *e);

/* Two outputs, and by which rule they are compared. */
struct pm_assess__comparison {
    const struct pm_assess_execution *got, *want;
    struct pm_compare_rule rule;
};
/* Compares an execution with its reference, or with the oracle; false if there is none. */
bool pm_assess__against_reference(const struct pm_assess_evidence *all,
                                  const struct pm_assess_execution *e,
                                  struct pm_assess__comparison *out);
bool pm_assess__against_oracle(const struct pm_assess_evidence *all,
                               const struct pm_assess_execution *e,
                               struct pm_assess__comparison *out);

/* The leaves of both sides. Leaves with equal digests have no bytes; the others have their bytes
 * or, if these were deleted, their closeness. Released by pm_assess__sides_release(), also after an
 * error. */
struct pm_assess__sides {
    struct pm_assess_leaves got, want;
};
PM_MUST_USE int pm_assess__sides_load(struct pm_assess_evidence *all,
                                      const struct pm_assess__comparison *comparison,
                                      struct pm_assess__sides *out, struct pm_error *err);
void pm_assess__sides_release(struct pm_assess__sides *sides);

/* A pair of leaves that are compared with each other. Zero it before the first call. The function
 * returns false after the last pair, and if the two outputs have different leaves. */
struct pm_assess__pair {
    size_t got, want; /* their indexes */
    bool begun;
};
bool pm_assess__next_pair(const struct pm_assess__sides *sides, const struct pm_compare_rule *rule,
                          struct pm_assess__pair *at);

PM_MUST_USE int pm_assess__compare(struct pm_assess_evidence *all,
                                   const struct pm_assess__comparison *comparison,
                                   struct pm_difference *out, struct pm_error *err);

/* ---- reasons.c ------------------------------------------------------------------------------ */

/* Gives each judged failure its reason. If a row of the rules excludes what the case needs on the
 * target, and the case passes on the reference, this is the reason; otherwise the first rule that
 * matches gives it. */
void pm_assess__reasons_assign(struct pm_assess_evidence *all, const struct pm_reason_rules *rules);
/* Reads the rules of a file, or for NULL those of the program. The caller owns *out. */
PM_MUST_USE int pm_assess__rules_load(const char *path, struct pm_reason_rules **out,
                                      struct pm_error *err);

/* The reasons of several failures, and the most frequent one. */
struct pm_assess__tally {
    size_t of[PM_REASON_COUNT];
    const char *rule[PM_REASON_COUNT]; /* rule of the first failure with that reason */
    enum pm_reason most;               /* the most frequent reason; of equally frequent ones, the
                                        * first */
};
void pm_assess__tally_add(struct pm_assess__tally *tally, const struct pm_assess_execution *e);

/* Reads the reasons that people gave for a function's failures. The caller owns *out
 * (json_decref()). */
PM_MUST_USE int pm_assess__annotations_load(struct pm_store *store, json_t **out,
                                            struct pm_error *err);
/* Returns the annotation of a function on a target, or on every target; NULL: none. */
const char *pm_assess__annotation_of(const json_t *annotations,
                                     const struct pm_assess_target *target, const char *function);
/* The texts of `rule` if no rule gave the reason: `expect` contradicts a reference; the same call
 * passes with another dtype; the registry of the framework has kernels for other types; a person
 * gave the reason. */
#define PM_ASSESS__BY_EXPECT  "expect"
#define PM_ASSESS__BY_DTYPE   "another-dtype"
#define PM_ASSESS__BY_KERNELS "registered-kernels"
#define PM_ASSESS__BY_HAND    "annotation"

/* ---- imported.c ----------------------------------------------------------------------------- */

/* Gives each imported test of the run that failed its reason, in the store. */
PM_MUST_USE int pm_assess__imported_store(struct pm_assess_evidence *all,
                                          const struct pm_reason_rules *rules,
                                          struct pm_error *err);

/* ---- changes.c ------------------------------------------------------------------------------ */

/* Reads the verdicts of a run before it is judged again. The caller owns *out (json_decref()). */
PM_MUST_USE int pm_assess__verdicts_before(const struct pm_assess_evidence *all, json_t **out,
                                           struct pm_error *err);
/* Calls options->changed for each function whose verdict or reason now differs. */
PM_MUST_USE int pm_assess__changes_report(const struct pm_assess_evidence *all,
                                          const json_t *before,
                                          const struct pm_assess_options *options,
                                          struct pm_error *err);

/* ---- verdicts.c ----------------------------------------------------------------------------- */

/* Adds the verdict of each function on each target that is judged, and marks the executions of
 * cases that count. */
PM_MUST_USE int pm_assess__verdicts_store(struct pm_assess_evidence *all, const json_t *annotations,
                                          struct pm_error *err);

/* ---- limits.c ------------------------------------------------------------------------------- */

/* A counted case. */
struct pm_assess__limit_case {
    const char *name, *dtype; /* dtype "": it has no list of dtypes */
    bool passes;
};
/* Returns the limits of a function in one line: the dtypes of which no case passes ("no float16",
 * "no complex"), then the names of at most six other failing cases. The caller frees. */
char *pm_assess__limits(const struct pm_assess__limit_case *cases, size_t count);

/* ---- sums.c --------------------------------------------------------------------------------- */

/* Stores the sums of the stored judgements of each case of the run. */
PM_MUST_USE int pm_assess__cases_store(const struct pm_assess_evidence *all, struct pm_error *err);

/* ---- keeping.c ------------------------------------------------------------------------------ */

/* Deletes the values of a judged run that are not kept. Before that, it stores which values stay,
 * and how close each of the others is to the value that it was compared with. */
PM_MUST_USE int pm_assess__drop_values(struct pm_assess_evidence *all, struct pm_error *err);

#endif

/* Declares what the files of this room share: comparisons, outcomes, reasons, verdicts, and which
 * values are kept. */
#ifndef PM_ASSESS_JUDGING_H
#define PM_ASSESS_JUDGING_H

#include "assess/assess.h"
#include "assess/evidence.h"

/* Judges each execution that has run, if the executions that it is compared with have run too:
 * fills `judgement` and `judged`. An execution that cannot be judged, because its values were
 * deleted, keeps its judgement and becomes `undecided`. */
PM_MUST_USE int pm_assess__judge_executions(struct pm_assess_evidence *all, struct pm_error *err);

/* ---- comparing.c ---------------------------------------------------------------------------- */

/* Returns whether an execution fails by value, and passes in the exact mode of its framework. */
bool pm_assess__heals_in_exact_mode(const struct pm_assess_evidence *all,
                                    const struct pm_assess_execution *e);
/* Returns whether the case has `reference: none`. */
bool pm_assess__has_no_reference(const struct pm_assess_case *test);
/* Returns whether the case compares frameworks with each other: its error is the difference from
 * the oracle. */
bool pm_assess__is_across(const struct pm_assess_case *test);
/* Returns the execution with which `e` is compared; NULL if there is none. For a first execution
 * that was retried in isolation, this is the first execution of its reference; for the first
 * execution of a reference, its own retry. */
const struct pm_assess_execution *pm_assess__reference_of(const struct pm_assess_evidence *all,
                                                          const struct pm_assess_execution *e);
/* Returns the execution of the oracle with which `e` is compared; NULL if there is none. Only a
 * reference is compared with the oracle, unless the case has `reference: none` or compares
 * frameworks. */
const struct pm_assess_execution *pm_assess__oracle_of(const struct pm_assess_evidence *all,
                                                       const struct pm_assess_execution *e);
/* Returns whether an execution answered with an output. `e` may be NULL. */
bool pm_assess__has_output(const struct pm_assess_execution *e);

/* Two outputs, and the rule by which they are compared. */
struct pm_assess__comparison {
    const struct pm_assess_execution *got, *want;
    struct pm_compare_rule rule;
};
/* Set *out to the comparison of an execution with its reference, or with the oracle. Return false
 * if there are no two outputs to compare. */
bool pm_assess__against_reference(const struct pm_assess_evidence *all,
                                  const struct pm_assess_execution *e,
                                  struct pm_assess__comparison *out);
bool pm_assess__against_oracle(const struct pm_assess_evidence *all,
                               const struct pm_assess_execution *e,
                               struct pm_assess__comparison *out);

/* The leaves of both sides. Leaves that are compared by value have their bytes or, if these were
 * deleted, their closeness; leaves with equal digests have neither. The caller releases *out with
 * pm_assess__sides_release(), also after an error. */
struct pm_assess__sides {
    struct pm_assess_leaves got, want;
};
PM_MUST_USE int pm_assess__sides_load(struct pm_assess_evidence *all,
                                      const struct pm_assess__comparison *comparison,
                                      struct pm_assess__sides *out, struct pm_error *err);
void pm_assess__sides_release(struct pm_assess__sides *sides);

/* A pair of leaves that are compared with each other. Zero it before the first call of
 * pm_assess__next_pair(), which moves it to the next pair. That function returns false after the
 * last pair, and if the two outputs have different leaves. */
struct pm_assess__pair {
    size_t got, want; /* their indices */
    bool begun;
};
bool pm_assess__next_pair(const struct pm_assess__sides *sides, const struct pm_compare_rule *rule,
                          struct pm_assess__pair *at);

/* Compares two outputs and sets *out to their difference. */
PM_MUST_USE int pm_assess__compare(struct pm_assess_evidence *all,
                                   const struct pm_assess__comparison *comparison,
                                   struct pm_difference *out, struct pm_error *err);

/* ---- reasons.c ------------------------------------------------------------------------------ */

/* Sets the reason of each judged failure. It is `not possible by design` if a row of the rules
 * excludes what the case needs on the target, and the case passes on the reference. It is
 * `reference wrong` if a result of a reference contradicts `expect`. Otherwise the first rule that
 * matches gives the reason. Evidence that the operation exists for other dtypes turns `not
 * implemented` into `type failure`. If a call raised another exception than the expected one,
 * `harness error` and `unclassified` become `wrong result`. */
void pm_assess__reasons_assign(struct pm_assess_evidence *all, const struct pm_reason_rules *rules);
/* Reads the rules of a file, or the built-in rules if `path` is NULL. The caller frees *out with
 * pm_reason_rules_free(). */
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

/* Reads the reasons that users set for the failures of functions. The caller owns *out
 * (json_decref()), also after an error. */
PM_MUST_USE int pm_assess__annotations_load(struct pm_store *store, json_t **out,
                                            struct pm_error *err);
/* Returns the reason that a user set for a function on this target, else for every target; NULL if
 * there is none. */
const char *pm_assess__annotation_of(const json_t *annotations,
                                     const struct pm_assess_target *target, const char *function);
/* The values of `rule` if no rule gave the reason. In this order: `expect` contradicts a reference;
 * the same call passes with another dtype; the framework has registered kernels for other types;
 * another exception than the expected one was raised; a user set the reason. */
#define PM_ASSESS__BY_EXPECT  "expect"
#define PM_ASSESS__BY_DTYPE   "another-dtype"
#define PM_ASSESS__BY_KERNELS "registered-kernels"
#define PM_ASSESS__BY_RAISES  "raises"
#define PM_ASSESS__BY_HAND    "annotation"

/* ---- imported.c ----------------------------------------------------------------------------- */

/* Stores the reason of each failed test of an imported run. */
PM_MUST_USE int pm_assess__imported_store(struct pm_assess_evidence *all,
                                          const struct pm_reason_rules *rules,
                                          struct pm_error *err);

/* ---- changes.c ------------------------------------------------------------------------------ */

/* Reads the verdicts of a run before it is judged again. The caller owns *out (json_decref()), also
 * after an error. */
PM_MUST_USE int pm_assess__verdicts_before(const struct pm_assess_evidence *all, json_t **out,
                                           struct pm_error *err);
/* Calls options->changed for each function whose verdict or reason now differs. */
PM_MUST_USE int pm_assess__changes_report(const struct pm_assess_evidence *all,
                                          const json_t *before,
                                          const struct pm_assess_options *options,
                                          struct pm_error *err);

/* ---- verdicts.c ----------------------------------------------------------------------------- */

/* Stores the verdict of each function on each target that is judged, and marks the executions of
 * cases that are counted. */
PM_MUST_USE int pm_assess__verdicts_store(struct pm_assess_evidence *all, const json_t *annotations,
                                          struct pm_error *err);

/* ---- limits.c ------------------------------------------------------------------------------- */

/* A counted case. */
struct pm_assess__limit_case {
    const char *name, *dtype; /* dtype "": the case has no list of dtypes */
    bool passes;
};
/* Returns the limits of a function in one line: first each dtype whose cases all fail ("no
 * float16", "no complex"), then the names of at most six other failing cases. The caller frees the
 * text. */
char *pm_assess__limits(const struct pm_assess__limit_case *cases, size_t count);

/* ---- sums.c --------------------------------------------------------------------------------- */

/* Computes the sums of the stored judgements of each case on each target, and stores them. */
PM_MUST_USE int pm_assess__cases_store(const struct pm_assess_evidence *all, struct pm_error *err);

/* ---- keeping.c ------------------------------------------------------------------------------ */

/* Stores which values of a judged run are kept, and how close each other value is to the value that
 * it was compared with. Does nothing if the run keeps all values, or is not measured completely. */
PM_MUST_USE int pm_assess__choose_values(struct pm_assess_evidence *all, struct pm_error *err);
/* Deletes the values that are not kept, after the transaction that chose them. */
PM_MUST_USE int pm_assess__drop_values(struct pm_assess_evidence *all, struct pm_error *err);

#endif

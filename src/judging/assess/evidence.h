/* Reads the evidence of a run for judging: targets, cases, executions and leaves. */
#ifndef PM_ASSESS_EVIDENCE_H
#define PM_ASSESS_EVIDENCE_H

#include <jansson.h>

#include "base/map.h"
#include "judge/reasons.h"
#include "store/store.h"

struct pm_assess_target {
    int64_t id;
    char *text, *framework;
    enum pm_role role;
    enum pm_evidence evidence;
    char *reference_text;
    int reference; /* index of its reference; its own index if it has none */
    bool latencies;
    bool fast; /* its default numeric mode is fast and less exact */
};

struct pm_assess_case {
    int64_t id;
    char *framework, *function, *name;
    json_t *definition;
    bool host_only;
    enum pm_size size;
    enum pm_case_kind kind;
};

struct pm_assess_execution {
    int64_t id;
    int target;
    const struct pm_assess_case *test;
    unsigned repetition;
    enum pm_retry retry;
    int64_t position; /* how many other executions its process had run before */
    bool done, answered;
    bool case_counts; /* its case is counted in the verdict of its function */
    /* `judgement` and `smallest_rtol` are set. They come from the store until the run is judged
     * again. */
    bool judged;
    bool undecided; /* it cannot be judged again, because its values were deleted */
    enum pm_stage stage;
    enum pm_ending_kind ending;
    char *ending_text;
    int64_t ending_code;
    json_t *result; /* NULL if the child did not answer */
    struct pm_judgement judgement;
    enum pm_reason reason; /* the reason of a judged failure */
    const char *rule;      /* id of the rule that gave the reason; NULL: none */
    double smallest_rtol;
};

struct pm_assess_options; /* assess.h */

struct pm_assess_evidence {
    struct pm_store *store;
    int64_t run_id, seed, sample_id; /* sample 0: the run has none */
    bool measured;     /* it is measured completely: no further execution will be compared with an
                          existing one */
    bool keeps_values; /* all values are kept: --keep-values */
    bool drops_values; /* values were chosen to be deleted (keeping.c) */
    enum pm_validity latency_validity;
    json_t *options;
    struct pm_assess_target *targets;
    size_t target_count, target_capacity;
    int oracle;                   /* index, -1 for none */
    struct pm_assess_case *cases; /* by function, then as in the suite */
    size_t case_count, case_capacity;
    struct pm_assess_execution *executions; /* by target, case, repetition, retry */
    size_t execution_count, execution_capacity;
    const struct pm_assess_execution **by_id;
    const struct pm_assess_options *asked; /* the options whose `progress` is called; NULL: none */
};

/* Loads the targets, cases, executions and stored judgements of a run. The caller releases *all,
 * also after an error. */
PM_MUST_USE int pm_assess_evidence_load(struct pm_assess_evidence *all, struct pm_store *store,
                                        int64_t run_id, struct pm_error *err);
/* Loads the targets of a run, without cases and executions. The caller releases *all, also after an
 * error. */
PM_MUST_USE int pm_assess_evidence_load_targets(struct pm_assess_evidence *all,
                                                struct pm_store *store, int64_t run_id,
                                                struct pm_error *err);
void pm_assess_evidence_release(struct pm_assess_evidence *all);
/* Calls the `progress` of `asked`, if there is one. `looked` counts executions as
 * pm_assess_progress_fn describes (assess.h). */
void pm_assess_evidence_progress(const struct pm_assess_evidence *all, size_t looked);
/* Returns the index of the first execution of a case on a target, or execution_count if there is
 * none. Its other executions follow it. */
size_t pm_assess_evidence_place(const struct pm_assess_evidence *all, int target,
                                const struct pm_assess_case *test);
/* Returns the number of executions of a case on a target. */
size_t pm_assess_evidence_count(const struct pm_assess_evidence *all, int target,
                                const struct pm_assess_case *test);
/* Returns the first execution of a repetition, not a retry; NULL if there is none. */
const struct pm_assess_execution *pm_assess_evidence_find(const struct pm_assess_evidence *all,
                                                          int target,
                                                          const struct pm_assess_case *test,
                                                          unsigned repetition);
/* Returns the retry of a repetition that has the kind `retry`; NULL if there is none. */
const struct pm_assess_execution *
pm_assess_evidence_find_retry(const struct pm_assess_evidence *all, int target,
                              const struct pm_assess_case *test, unsigned repetition,
                              enum pm_retry retry);
/* Returns the execution of a repetition that verdicts use and that others are compared with: the
 * retry in isolation if it has finished, else the first execution; NULL if there is none. */
const struct pm_assess_execution *pm_assess_evidence_counted(const struct pm_assess_evidence *all,
                                                             int target,
                                                             const struct pm_assess_case *test,
                                                             unsigned repetition);
/* Returns whether `e` is the execution that pm_assess_evidence_counted() returns. */
bool pm_assess_evidence_counts(const struct pm_assess_evidence *all,
                               const struct pm_assess_execution *e);
/* Iterates over the executions of a case on a target that verdicts use, by repetition, judged or
 * not. Returns the first one if `last` is NULL, else the one after `last`; NULL after the last one.
 */
const struct pm_assess_execution *pm_assess_evidence_next(const struct pm_assess_evidence *all,
                                                          int target,
                                                          const struct pm_assess_case *test,
                                                          const struct pm_assess_execution *last);
/* Returns the execution with an id; NULL if there is none. */
const struct pm_assess_execution *pm_assess_evidence_by_id(const struct pm_assess_evidence *all,
                                                           int64_t id);
/* Returns whether the run has a case of a function. */
bool pm_assess_evidence_has_function(const struct pm_assess_evidence *all, const char *function);

/* The stored leaves of one execution, which own all data that they point to. */
struct pm_assess_leaves {
    struct pm_leaves leaves;
    struct pm_assess_place {
        enum pm_leaf_part part;
        int64_t position;
    } * places; /* place of each leaf in the store */
    int64_t execution_id;
    size_t capacity;
};
/* Removes leaf `index`, and frees what it owns. */
void pm_assess_evidence_drop_leaf(struct pm_assess_leaves *out, size_t index);
/* Appends the leaves of a part (PM_PART_COUNT: of all parts) to *out, without their bytes. Zero
 * *out before the first call; the caller releases it, also after an error. */
PM_MUST_USE int pm_assess_evidence_load_leaves(struct pm_assess_evidence *all, int64_t execution_id,
                                               enum pm_leaf_part part, struct pm_assess_leaves *out,
                                               struct pm_error *err);
/* Load the bytes of leaf `index`, or of all leaves. If the bytes of a leaf are not stored, it
 * remains without bytes. */
PM_MUST_USE int pm_assess_evidence_load_array(struct pm_assess_evidence *all,
                                              struct pm_assess_leaves *leaves, size_t index,
                                              struct pm_error *err);
PM_MUST_USE int pm_assess_evidence_load_bytes(struct pm_assess_evidence *all,
                                              struct pm_assess_leaves *leaves,
                                              struct pm_error *err);
void pm_assess_evidence_leaves_release(struct pm_assess_leaves *leaves);

#endif

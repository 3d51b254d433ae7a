/*
 * Loads the measured cases of a target, and decides what they show about one use.
 *
 *     struct pm_audit_evidence evidence = {0};
 *     const struct pm_audit_source source = {store, db};
 *     PM_TRY(pm_audit_evidence_load(&evidence, &source, 1, target, &inventory, err));
 *     pm_audit_answer(pm_audit_evidence_of(&evidence, "torch.cat"), &call, &answer);
 *     ...
 *     pm_audit_answer_release(&answer);
 *     pm_audit_evidence_release(&evidence);
 *
 * A use is compared with each case, not with the function as a whole. A case is compatible with a
 * use unless something that is known about the use contradicts the case:
 *   - Only one of the two passes a keyword, or only one passes no arguments at all.
 *   - Both pass an argument with a known value, and the values differ. Two numbers never contradict
 *     each other, because they are sizes and axes, and neither do two equations ("ij,jk->ik"). A
 *     dtype means the same by position and by keyword.
 * If all cases pass a keyword, it excludes no use. But if a use surely does not pass it, the
 * function was not measured without it, and the answer is less certain.
 *
 * A variable that a case passes by position has the name of its parameter: `tf.shape(input)` in a
 * case passes the keyword `input` for a use that passes it by keyword. Any other argument of a case
 * by position may be a keyword of the use, unless it is a variable with another name of more than
 * two characters. Each keyword needs a position of its own, and a case that fails has no positions
 * beyond these.
 *
 * A failing case shows nothing about a use that passes more arguments by position (unless these may
 * be sizes), a list of numbers instead of an array, or a count, such as num_classes, that the case
 * leaves to the function. A passing case shows nothing about a use that passes fewer arguments by
 * position, unless the missing ones are sizes or axes.
 *
 * The keyword `device` is ignored, because portmeter sets it, and so is `name`, which only labels a
 * result. But a case that names the host, "cpu", is compatible only with a use that names the host,
 * too. Such a use is not compatible with a case that passes `device` by position, because `device`
 * is the target.
 *
 * If no case has the combination of keywords of a use, a case with one of them is compatible,
 * provided that each keyword is in some case.
 */
#ifndef PM_AUDIT_EVIDENCE_H
#define PM_AUDIT_EVIDENCE_H

#include "audit/text.h"
#include "base/map.h"
#include "base/vocabulary.h"
#include "base/words.h"
#include "inventory/inventory.h"
#include "store/store.h"

struct pm_audit_case {
    char *name; /* "rows[float32]" */
    char *text; /* its call, as in the case file */
    int64_t run_id;
    char *dtype; /* "": it has none */
    enum pm_case_kind kind;
    enum pm_tier tier; /* where it comes from */
    bool passes;       /* it passes in all its executions; else it fails */
    char *reason, *detail;
    struct pm_audit_call *calls; /* of its function: in `text`, else in its setup */
    size_t call_count, call_capacity;
};

struct pm_audit_function {
    char *name;          /* as in its cases: "tf.compat.v1.global_variables_initializer" */
    char *dtype_keyword; /* keyword of its parameter for a dtype; NULL: no case passes a dtype */
    struct pm_audit_case *cases;
    size_t count, capacity;
};

struct pm_audit_evidence {
    char *target;
    char *version, *device_name, *started; /* of the run; "": nothing was measured on the target */
    int64_t run_id;                        /* 0: nothing was measured on the target */
    bool valid;                            /* the run detected its planted faults */
    size_t older_runs;                     /* number of older runs from which cases were added */
    size_t further_cases; /* number of cases that were added from further databases */
    enum pm_evidence kind;
    struct pm_audit_function **functions;
    size_t count, capacity, case_count;
    struct pm_map by_name; /* by the canonical name that a scan finds: pm_audit_function * */
};

/* A database with results. */
struct pm_audit_source {
    struct pm_store *store;
    const char *db; /* its path */
};
/* Loads the cases of the run of `target` that reports show, from the first database that measured
 * it. If that run is valid, also loads the cases that only older valid runs with the same version
 * of the framework have, and then, in their order, the cases that only the further databases have:
 * of each, the run that reports show, if it is valid and has the same version. There may be no
 * cases. The inventory makes the names canonical. The caller releases *evidence, also after an
 * error. */
PM_MUST_USE int pm_audit_evidence_load(struct pm_audit_evidence *evidence,
                                       const struct pm_audit_source *sources, size_t count,
                                       const char *target, const struct pm_inventory *inventory,
                                       struct pm_error *err);
void pm_audit_evidence_release(struct pm_audit_evidence *evidence);
/* Returns the measured cases of a function, borrowed; NULL if it has none. */
const struct pm_audit_function *pm_audit_evidence_of(const struct pm_audit_evidence *evidence,
                                                     const char *function);

/* Returns the function to which the cases of `name` belong, borrowed; adds it if it is new. The
 * inventory makes the name canonical. */
struct pm_audit_function *pm_audit_evidence_add(struct pm_audit_evidence *evidence,
                                                const struct pm_inventory *inventory,
                                                const char *name);
/* Adds a case with the calls of `function` in `call`, or in `setup` (may be NULL) if `call` has
 * none. Returns the case; the caller sets its other members. */
struct pm_audit_case *pm_audit_function_add(struct pm_audit_function *function, const char *name,
                                            const char *setup, const char *call);
/* Sets `dtype_keyword`, and gives this keyword to each dtype that a case passes by position. Call
 * it once, after the last case is added and before the first answer. */
void pm_audit_function_complete(struct pm_audit_function *function);

/* The answer for a use. */
#define PM_AUDIT_STATUSES(X, P)                                                                    \
    X(P, FAILS, "fails")           /* all compatible cases fail */                                 \
    X(P, DEPENDS, "depends")       /* some compatible cases fail */                                \
    X(P, WORKS, "works")           /* no compatible case fails */                                  \
    X(P, ARGUMENTS, "arguments")   /* its function was measured, but not with these arguments */   \
    X(P, UNKNOWN, "nothing known") /* its function was not measured */                             \
    X(P, PREDICTED_FAILS,                                                                          \
      "predicted to fail") /* not measured; a forecast says so (predictions.h) */                  \
    X(P, PREDICTED_WORKS, "predicted to work") /* the same */
PM_WORDS(audit_status, PM_AUDIT_STATUSES, PM_AUDIT);

struct pm_audit_answer {
    enum pm_audit_status status;
    size_t compatible, failing;        /* cases */
    const struct pm_audit_case *shown; /* a failing case, a core case if possible; or NULL */
    bool recorded;                     /* the cases are those of recorded calls at the place */
    const char *without; /* an argument that all cases pass but the use does not; or NULL */
    char *on; /* DEPENDS: "the dtype (float16)"; ARGUMENTS: what was not measured; else NULL */
};

/* Sets *out to the answer for a use; the caller releases it. `function` NULL: the answer is
 * UNKNOWN. A use without a call, which is a reference to the function, contradicts no case. */
void pm_audit_answer(const struct pm_audit_function *function, const struct pm_audit_call *call,
                     struct pm_audit_answer *out);
/* A case that was recorded at the place of a use. */
struct pm_audit_recorded {
    const char *name, *text; /* "recorded 3", and its call */
};
/* Sets *out to the answer by the recorded cases; the caller releases it. Returns false if none of
 * them was measured. */
bool pm_audit_answer_recorded(const struct pm_audit_function *function,
                              const struct pm_audit_recorded *cases, size_t count,
                              struct pm_audit_answer *out);
/* Returns whether an answer has too little evidence for an error: only one case, whose arguments a
 * search found, or only cases that pass an argument which the use does not pass. */
bool pm_audit_answer_is_weak(const struct pm_audit_answer *answer);
void pm_audit_answer_release(struct pm_audit_answer *answer);

#endif

/*
 * The measured cases of a target, and what they show about one use.
 *
 *     struct pm_audit_evidence evidence = {0};
 *     PM_TRY(pm_audit_evidence_load(&evidence, store, db, target, &inventory, err));
 *     pm_audit_answer(pm_audit_evidence_of(&evidence, "torch.cat"), &call, &answer);
 *     ...
 *     pm_audit_answer_release(&answer);
 *     pm_audit_evidence_release(&evidence);
 *
 * The join is by case and not by function. A case is compatible with a use unless something that is
 * known of the use contradicts it: a keyword that only one of the two passes, or a text, constant
 * or dtype that both pass and that differs. Numbers never contradict each other: they are sizes and
 * axes. A dtype counts the same by position and by keyword. A keyword that all cases pass excludes
 * no use; but if the use surely does not pass it, what the function does without it was not
 * measured, and the answer is less sure. A case that fails says nothing of a use that passes more
 * arguments by position, unless these may be sizes, that passes a list of numbers for an array, or
 * that passes a count (such as num_classes) which the case leaves to the function. A case that
 * passes says nothing of a use that passes fewer by position, unless these are sizes or axes. The
 * keyword `device` does not count, because portmeter sets it. But a case that names the host,
 * "cpu", is compatible only with a use that does, and such a use with no case that passes `device`
 * by position, which is the target. If no case has this combination of keywords, a case with one of
 * them is compatible, provided that each keyword is in some case.
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
    char *text; /* its call, as the case file has it */
    int64_t run_id;
    char *dtype; /* "": it has none */
    enum pm_case_kind kind;
    enum pm_tier tier; /* who made it: a person, or a census */
    bool passes;       /* in all its executions; else it fails */
    char *reason, *detail;
    struct pm_audit_call *calls; /* of its function, in its setup and its call */
    size_t call_count, call_capacity;
};

struct pm_audit_function {
    char *name;          /* as its cases have it: "tf.compat.v1.global_variables_initializer" */
    char *dtype_keyword; /* of its parameter for a dtype; NULL if no case names a dtype */
    struct pm_audit_case *cases;
    size_t count, capacity;
};

struct pm_audit_evidence {
    char *target, *version, *device_name, *started; /* of the run; "": nothing was measured */
    int64_t run_id;                                 /* 0: nothing was measured on the target */
    bool valid;                                     /* the run detected its planted faults */
    size_t older_runs; /* older runs that add cases which the run lacks */
    enum pm_evidence kind;
    struct pm_audit_function **functions;
    size_t count, capacity, case_count;
    struct pm_map by_name; /* canonical, as a scan has it */
};

/* Reads the cases of the run that reports show of the target, and those that only older valid runs
 * with the same version of the framework have; there may be none. The names are made canonical by
 * the inventory. */
PM_MUST_USE int pm_audit_evidence_load(struct pm_audit_evidence *evidence, struct pm_store *store,
                                       const char *db, const char *target,
                                       const struct pm_inventory *inventory, struct pm_error *err);
void pm_audit_evidence_release(struct pm_audit_evidence *evidence);
/* Returns the measured cases of a function; NULL: it has none. */
const struct pm_audit_function *pm_audit_evidence_of(const struct pm_audit_evidence *evidence,
                                                     const char *function);

/* Adds a case, with the calls of `function` in its texts. `setup` may be NULL. */
struct pm_audit_case *pm_audit_function_add(struct pm_audit_function *function, const char *name,
                                            const char *setup, const char *call);
/* Call it once, after the last case and before an answer: gives the dtypes that the cases pass by
 * position the keyword that other cases use for it, or "dtype". */
void pm_audit_function_complete(struct pm_audit_function *function);

/* The answer for a use. */
#define PM_AUDIT_STATUSES(X, P)                                                                    \
    X(P, FAILS, "fails")           /* all compatible cases fail */                                 \
    X(P, DEPENDS, "depends")       /* some of them fail */                                         \
    X(P, WORKS, "works")           /* none fails: it works for the measured arguments */           \
    X(P, ARGUMENTS, "arguments")   /* its function was measured, but not with these arguments */   \
    X(P, UNKNOWN, "nothing known") /* its function was not measured */
PM_WORDS(audit_status, PM_AUDIT_STATUSES, PM_AUDIT);

struct pm_audit_answer {
    enum pm_audit_status status;
    size_t compatible, failing;        /* cases */
    const struct pm_audit_case *shown; /* one that fails, a core case if possible; or NULL */
    bool recorded;                     /* from calls that the program made at this place */
    const char *without; /* an argument that all cases pass but the use does not; or NULL */
    char *on; /* DEPENDS: "dtype (float16)"; ARGUMENTS: what was not measured; else NULL */
};

/* Answers for a use. `function` NULL: UNKNOWN. A use without a call (a reference) contradicts
 * nothing. */
void pm_audit_answer(const struct pm_audit_function *function, const struct pm_audit_call *call,
                     struct pm_audit_answer *out);
/* Answers by the cases that were recorded at the place of a use; returns false if none of them was
 * measured. */
struct pm_audit_recorded {
    const char *name, *text; /* "recorded 3", and its call */
};
bool pm_audit_answer_recorded(const struct pm_audit_function *function,
                              const struct pm_audit_recorded *cases, size_t count,
                              struct pm_audit_answer *out);
/* Returns whether an answer has so little evidence that it is not an error: one case with arguments
 * that a search found, or cases that all pass an argument which the use does not pass. */
bool pm_audit_answer_is_weak(const struct pm_audit_answer *answer);
void pm_audit_answer_release(struct pm_audit_answer *answer);

#endif

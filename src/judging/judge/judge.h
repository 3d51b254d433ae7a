/*
 * Compares outputs, and decides the outcome of an execution and the verdict of a function. All
 * functions are pure: no I/O, no state. docs/judging.md describes the rules.
 */
#ifndef PM_JUDGE_JUDGE_H
#define PM_JUDGE_JUDGE_H

#include <jansson.h>
#include <stdbool.h>

#include "array/array.h"
#include "base/vocabulary.h"

/* Returns whether an outcome needs attention: it is neither pass nor not applicable. */
bool pm_outcome_is_wrong(enum pm_outcome outcome);

/* ---- comparing outputs ------------------------------------------------------------------- */

struct pm_closeness;
struct pm_leaf {
    const char *path; /* "out[1].weight" */
    enum pm_leaf_kind kind;
    struct pm_array array; /* ARRAY; data may be NULL if only dtype and shape are known (meta) */
    bool has_bytes;
    const char *digest; /* ARRAY: digest of dtype, shape and bytes; NULL or "": not known */
    const struct pm_closeness *closeness; /* ARRAY: closeness to the leaf that it is compared with,
                                             if the bytes of one were deleted; NULL: not known */
    const char *value; /* VALUE: canonical JSON text, in the form of docs/internals/protocol.md */
    const char *type;  /* CONTAINER, TYPE: "module.Name" */
};

struct pm_leaves {
    struct pm_leaf *items;
    size_t count;
};

struct pm_given_tolerance {
    bool given; /* otherwise the next tolerance in the order below is used */
    double rtol, atol;
};

/* How a case compares one path: a leaf, or a container with all its parts. */
struct pm_path_rule {
    const char *path;
    bool has_how;
    enum pm_compare how;
    struct pm_given_tolerance tolerance;
};

struct pm_compare_rule {
    enum pm_compare how;
    /* A leaf has the tolerance of the longest path that contains it, else that of its dtype, else
     * the default, else that of the table in judge/tolerance.c. */
    struct pm_given_tolerance by_default, of_dtype[PM_DTYPE_COUNT];
    struct pm_path_rule paths[2 * PM_MOST_COMPARED_PATHS]; /* paths that `compare` and `tolerance`
                                                            * name */
    size_t path_count;
    /* The comparison is with the oracle, which is NumPy in float64: dtypes may differ, and the
     * tolerance is that of the dtype of `got`. The classes of the framework do not count: a number
     * equals an array without dimensions, and a sequence equals a sequence of another class. Paths
     * are compared as in any comparison. */
    bool any_dtype;
};

/* What a difference is about. */
enum pm_difference_kind {
    PM_DIFFERENCE_NONE,
    PM_DIFFERENCE_STRUCTURE, /* different leaves, paths, kinds or classes */
    PM_DIFFERENCE_DTYPE,
    PM_DIFFERENCE_SHAPE,
    PM_DIFFERENCE_VALUE,
};

struct pm_difference {
    enum pm_difference_kind kind; /* NONE: equal under the rule */
    char text[320]; /* "out: 3 of 800 elements differ, largest at [1,7]: 0.5 instead of 0.25" */
    /* The largest differences over all floating leaves, even if these are equal under the rule.
     * Both are infinite if a NaN or an infinity is compared with another value, and the relative
     * one also if the reference is 0. */
    double largest_absolute, largest_relative;
    double smallest_rtol; /* smallest rtol that passes with atol 0; NaN if none does, or if no leaf
                             is floating */
    bool undecided; /* only with kind NONE: a leaf whose bytes were deleted may differ, because its
                       closeness does not decide this */
};

/* Compares `got` with the reference `want`, leaf by leaf in order. Paths, kinds, classes, and the
 * dtypes and shapes of arrays must be the same. The rule decides how elements and values compare:
 *   CLOSE  |got - want| <= atol + rtol |want|, computed in double; integers, bools and values that
 *          are not numbers must be identical
 *   EXACT  all must be identical
 *   SET    CLOSE, but the order of the elements of an array, or of the items of a list, is ignored
 *   SIGN   CLOSE, after each vector along the last axis but one of a floating array was multiplied
 *          by the factor that brings it nearest: 1, -1, or a complex number of absolute value 1
 *   SHAPE  elements do not count; of numbers in values, only the kind counts
 * If the rule gives no tolerance, the tolerance is that of the dtype of `want`; floating-point
 * numbers in values have the tolerance of float64. NaN equals NaN (a complex number is NaN if one
 * of its parts is), an infinity equals one of the same sign, and -0 equals 0. The text is about the
 * first leaf that differs. Arrays with the same digest are equal. Arrays with digests whose bytes
 * were deleted are compared by their closeness, which gives the same result or `undecided`. */
void pm_compare_leaves(const struct pm_leaves *got, const struct pm_leaves *want,
                       const struct pm_compare_rule *rule, struct pm_difference *out);
/* Returns the index of the first leaf from `i` on that is compared; leaves->count if there is none.
 * The compared leaves of two outputs are paired in this order. */
size_t pm_compared_leaf(const struct pm_leaves *leaves, size_t i,
                        const struct pm_compare_rule *rule);

/* ---- comparing without values ------------------------------------------------------------- */

/*
 * How close an array is to its reference: for some values of atol, the smallest rtol that passes.
 * After the bytes of two arrays were deleted, this decides whether they are equal by another
 * tolerance: always if the atol of this tolerance is one of the points, and between two points only
 * if both give the same result.
 */
enum { PM_CLOSENESS_POINTS = 10 };
struct pm_closeness {
    enum pm_compare how; /* CLOSE (also for EXACT), SET or SIGN */
    size_t count;
    struct {
        double atol, rtol;         /* rtol NaN: none passes */
    } points[PM_CLOSENESS_POINTS]; /* atol grows from 0, rtol shrinks; the last rtol may be 0 */
};

/* Returns the `how` of the closeness with which the leaf at `path` is compared; SHAPE if its values
 * are not compared. */
enum pm_compare pm_closeness_how(const struct pm_compare_rule *rule, const char *path);
/* Measures closeness at atol 0, 1e-8, 1e-7, ..., 1e-1 and at the atol of the rule. Both leaves must
 * be arrays of one shape with bytes, compared by value. */
void pm_closeness_measure(const struct pm_leaf *got, const struct pm_leaf *want,
                          const struct pm_compare_rule *rule, struct pm_closeness *out);
/* Writes closeness as JSON, "[[0.0,1.25e-07],[1e-08,0.0]]", with null if no rtol passes; the caller
 * frees the text. */
char *pm_closeness_text(const struct pm_closeness *closeness);
/* Reads a text of pm_closeness_text(); returns false if the text has another form. */
bool pm_closeness_parse(const char *text, enum pm_compare how, struct pm_closeness *out);

/* Sets the default rtol and atol of a dtype, as in torch.testing.assert_close; both are 0 if the
 * dtype is neither floating nor complex. */
void pm_tolerance(enum pm_dtype dtype, double *rtol, double *atol);

/* ---- mutating outputs (suite check) ----------------------------------------------------- */

#define PM_MUTATIONS(X, P)                                                                         \
    X(P, ZEROS, "zeros")                                                                           \
    X(P, DTYPE, "wrong dtype")                                                                     \
    X(P, SHAPE, "wrong shape")                                                                     \
    X(P, ELEMENT, "one element moved")                                                             \
    X(P, NAN, "NaN")                                                                               \
    X(P, VALUE, "another value")                                                                   \
    X(P, TYPE, "another type")                                                                     \
    X(P, KEY, "another key")                                                                       \
    X(P, SWAPPED, "swapped")
PM_WORDS(mutation, PM_MUTATIONS, PM_MUTATE);

/* Returns whether no leaf has a value that a comparison could check: all leaves are names of
 * classes, null, empty lists or empty tuples. */
bool pm_leaves_are_hollow(const struct pm_leaves *leaves);
/* Frees the list of leaves, but not the data that they borrow. */
void pm_leaves_release(struct pm_leaves *leaves);

/* Returns the comparison rule of a case, read from its stored definition. The rule borrows its
 * paths from `definition`. `shape_only`: the target has no values, so only dtypes and shapes
 * count. */
struct pm_compare_rule pm_compare_rule_of(const json_t *definition, bool shape_only);
/* Returns whether any leaf is compared by its values. */
bool pm_compare_rule_needs_values(const struct pm_compare_rule *rule);
/* Returns whether `path` is `whole` or a part of it: "out[1]" and "out.a" are parts of "out". */
bool pm_path_is_within(const char *path, const char *whole);

/* Copies `leaves` and mutates leaf `index` of the copy, which borrows everything else. Returns
 * false, with nothing to release, if the leaf does not have this mutation or if the mutation would
 * change nothing: zeros of zeros, or a step that rounding removes. ELEMENT moves the first element
 * that can be moved by ten tolerances of the rule, 10 * (atol + rtol |v|), or by 1 if the
 * comparison is exact; VALUE moves a floating-point number in the same way. ZEROS, DTYPE, SHAPE,
 * ELEMENT and NAN apply to arrays, VALUE to values, and TYPE to all leaves but arrays. TYPE
 * replaces a value by its text, and a string by a list. KEY renames the last step of the path.
 * SWAPPED exchanges the leaf with the next one of the same container.
 * Release the copy with pm_mutated_release(). */
bool pm_mutate(const struct pm_leaves *leaves, size_t index, enum pm_mutation mutation,
               const struct pm_compare_rule *rule, struct pm_leaves *out);
void pm_mutated_release(struct pm_leaves *leaves);

/* ---- the outcome of an execution ---------------------------------------------------------- */

/* The evidence of one execution. Texts may be NULL. */
struct pm_evidence_of {
    bool answered;              /* a RESULT arrived */
    enum pm_ending_kind ending; /* ending of the child, if it did not answer */
    int ending_code;
    const char *ending_text;
    enum pm_stage stage;                      /* NONE: `result` names the stage */
    const json_t *result;                     /* header of the RESULT frame, if answered */
    const char *raises_type, *raises_message; /* the exception that the case expects */
    bool host_only;
    bool has_check;
    bool shape_only;                               /* the target has no values */
    const struct pm_difference *against_reference; /* NULL: not compared */
    const struct pm_difference *against_oracle;    /* NULL: not compared */
    bool is_reference; /* the target is its own reference: a second call must return the same */
    /* Inputs that the first call on the reference changed; NULL: none. */
    const json_t *changed_on_reference;
    bool reference_kept_inputs; /* the reference ran, and read its inputs back as they were sent */
};

struct pm_judgement {
    enum pm_outcome outcome;
    enum pm_stage stage; /* where it failed; NONE for a pass */
    /* It fails because values differ or its check is false, which a faster and less exact way of
     * computing can cause. */
    bool by_value;
    /* One line: the message, the difference or the operations on the host. For a pass: "" or
     * PM_SETUP_ON_HOST. */
    char detail[512];
};

/*
 * Decides the outcome of an execution by the first of these rules that applies:
 *   1. no answer: by the ending. Deadline: timeout; signal, exit, processes, protocol, supervisor:
 *      crash; system memory: memory; driver, start, stopped: harness
 *   2. a fault of portmeter: harness
 *   3. inputs were destroyed on the way to the device: fail at stage `place` if the reference kept
 *      its inputs, else harness
 *   4. the case does not apply: not applicable
 *   5. an exception was raised:
 *      - from the call on, it matches `raises` (the type by any name along the MRO, the message by
 *        an extended regular expression found in it): pass; if the expression is invalid: harness
 *      - the framework raised it because memory ran out: memory
 *      - in the inputs, setup or placement, or in `output` or `check`: blocked; but fail if a call
 *        of the function itself in the setup raised it, or if `check` raised an AssertionError
 *      - otherwise: fail
 *   6. `raises` is given, but nothing was raised: fail
 *   7. on the reference, a second call changed something: harness
 *   8. `check` is false: fail; it was not evaluated: harness. Not on a shape-only target
 *   9. the output differs from the oracle, or from the reference: fail
 *   10. the first call changed other inputs than on the reference: fail
 *   11. operations ran on the host, or (unless host_only) a leaf is not on the device: fallback
 *   12. otherwise: pass
 */
void pm_judge_execution(const struct pm_evidence_of *evidence, struct pm_judgement *out);

/* The reason of a failure by value that passes in the framework's exact mode. Verdicts and tables
 * print it before the detail of such a failure. */
#define PM_FLOAT_PRECISION "float precision"
/* The end of an execution's detail if the device could not run the setup: the setup ran on the
 * host, and its objects were moved. If such an execution passes, its detail is only this text. */
#define PM_SETUP_ON_HOST "its setup ran on the host"
/* What a difference says after its path if the results would be equal up to the sign of vectors. */
#define PM_ONLY_SIGNS "only the signs of orthonormal vectors differ"
/* The beginning of an execution's detail if `expect` contradicts its output. */
#define PM_NOT_AS_EXPECTED "not as expected: "

/* ---- the neighbours of a case ------------------------------------------------------------- */

/* How the results of a case on one target depend on what ran before it in its process. FLAKY: two
 * executions with the same position and the same isolation differ, because of chance or of
 * something outside the process. SUFFERS: the case fails after others, passes in isolation, and
 * never fails when it runs first. NEEDS: it passes after others and fails when it runs first. With
 * few executions, SUFFERS and NEEDS may be chance too. */
#define PM_NEIGHBOURS(X, P)                                                                        \
    X(P, NONE, "")                                                                                 \
    X(P, SUFFERS, "fails after others, passes alone")                                              \
    X(P, NEEDS, "passes after others, fails when it runs first")                                   \
    X(P, FLAKY, "flaky: differs in the same position")
PM_WORDS(neighbour, PM_NEIGHBOURS, PM_NEIGHBOUR);

/* One execution of the case on a target. */
struct pm_case_run {
    enum pm_outcome outcome;
    enum pm_stage stage;
    int64_t position; /* how many other executions its process had run before */
    enum pm_retry retry;
    /* It is the first execution of a reference, with which later repetitions of the reference are
     * compared. It is itself compared only with its retry, if it has one. */
    bool is_baseline;
};
/* Judges all executions of a case that have an outcome. `runs` must be ordered by repetition and
 * retry. Executions in exact mode are ignored. FLAKY also ignores the outcomes `harness` and `not
 * applicable`. */
enum pm_neighbour pm_judge_neighbour(const struct pm_case_run *runs, size_t count);

/* ---- the verdict of a function ------------------------------------------------------------ */

/* The result of a case on the reference of a target. If its repetitions differ, the last of their
 * states in this list applies. */
enum pm_reference_state {
    PM_REFERENCE_NOT_RUN, /* no repetition has run yet */
    PM_REFERENCE_PASSES,  /* also with reference: none */
    PM_REFERENCE_UNKNOWN, /* says nothing about the function */
    PM_REFERENCE_BLOCKED, /* its setup failed */
    PM_REFERENCE_FAILS
};

/* One case (with its dtype) of a function on one target, over its repetitions. Repetitions with the
 * outcome `harness` or `not applicable` are ignored. */
struct pm_case_outcomes {
    const enum pm_outcome *outcomes; /* outcomes of the repetitions that have one */
    size_t count;                    /* 0: no repetition has an outcome yet */
    bool core;                       /* it is a core case */
    bool raises; /* it expects an exception and has no `counts: true`: it never counts */
    bool idle;   /* it gives the device no array and gets none back, so a pass shows nothing */
    /* Every execution that does not pass needs a type that the device excludes by its
     * documentation. If such a case is blocked, it counts as failed. */
    bool impossible;
    enum pm_reference_state reference;
};

/* The role of a case in the verdict of its function: the first that applies. */
enum pm_case_part {
    PM_CASE_WAITS,           /* it or its reference has not run yet */
    PM_CASE_SAYS_NOTHING,    /* `raises` is set, no repetition has a usable outcome on the target or
                                the reference, or it is idle and passes */
    PM_CASE_REFERENCE_FAILS, /* fails on the reference too */
    PM_CASE_BLOCKED,         /* blocked in every repetition with a usable outcome (and not
                                     `impossible`), or on the reference */
    PM_CASE_PASSES,          /* counted: every repetition with a usable outcome passes */
    PM_CASE_FAILS,           /* counted: none passes */
    PM_CASE_FLAKY            /* counted: some pass, some do not */
};
enum { PM_CASE_PARTS = PM_CASE_FLAKY + 1 };
/* Returns the role of a case. `paper`: by the paper's rule, in which a fallback passes, a blocked
 * execution fails, and an idle case counts. */
enum pm_case_part pm_judge_case(const struct pm_case_outcomes *c, bool paper);
static inline bool pm_case_counts(enum pm_case_part part)
{
    return part >= PM_CASE_PASSES;
}

/* The numbers of cases of a function, by their role in its verdict. */
struct pm_verdict_counts {
    unsigned all[PM_CASE_PARTS];
    unsigned core[PM_CASE_PARTS]; /* counts of core cases */
    unsigned core_impossible;     /* core cases that fail because they are not possible */
};
void pm_judge_counts(const struct pm_case_outcomes *cases, size_t count, bool paper,
                     struct pm_verdict_counts *out);

struct pm_function_verdict {
    enum pm_verdict verdict;
    unsigned counted, passed; /* cases */
    /* Counted core cases. `core` excludes cases that are not possible by design, unless they are
     * the majority. */
    unsigned core, core_passed;
    unsigned flaky;  /* cases whose repetitions disagree; `passed` excludes them */
    bool impossible; /* most counted core cases are not possible on the device by design */
};

/*
 * The verdict is `fails` if no counted case passes, and `works` if all do. It is `works with
 * limits` if all core cases that are possible pass, and at least half of the core cases are
 * possible. Otherwise it is `partly`. If no core case counts, no case counts. Then the verdict is
 * the first of these that applies to a core case: not measured, reference fails, blocked, and
 * otherwise untested. The other cases decide this only if there is no core case at all. `exists`:
 * the function is in this version of the framework; otherwise the verdict is `absent`.
 */
void pm_judge_function(const struct pm_verdict_counts *counts, bool exists,
                       struct pm_function_verdict *out);
/* Decides by the paper's rule, from counts by that rule (a fallback passes, a blocked case fails).
 * All cases are alike: a function works if all pass, fails if none does, and otherwise works
 * partly. */
void pm_judge_function_paper(const struct pm_verdict_counts *counts, bool exists,
                             struct pm_function_verdict *out);

#endif

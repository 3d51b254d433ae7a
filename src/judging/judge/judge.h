/*
 * Compares outputs, and decides the outcome of an execution and the verdict of a function. All
 * functions are pure: no I/O, no state. docs/judging.md has the rules.
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
    const char *digest; /* ARRAY: of dtype, shape and bytes; NULL or "": not known */
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
    /* The tolerance of a leaf: of the longest path that it is within, else of its dtype, else the
     * default, else that of the table (judge/tolerance.c). */
    struct pm_given_tolerance by_default, of_dtype[PM_DTYPE_COUNT];
    struct pm_path_rule paths[2 * PM_MOST_COMPARED_PATHS]; /* paths that `compare` and `tolerance`
                                                            * name */
    size_t path_count;
    /* Compares the output of the oracle (NumPy, float64) with that of the reference, which may be
     * of another dtype and has the framework's classes. Dtypes may differ, and the tolerance is
     * that of `got`, the reference. A number equals an array without dimensions, and a sequence
     * equals one of another class. Paths are compared as always. */
    bool any_dtype;
};

/* What a difference is about. */
enum pm_difference_kind {
    PM_DIFFERENCE_NONE,
    PM_DIFFERENCE_STRUCTURE, /* other leaves, other paths, other kinds */
    PM_DIFFERENCE_DTYPE,
    PM_DIFFERENCE_SHAPE,
    PM_DIFFERENCE_VALUE,
};

struct pm_difference {
    enum pm_difference_kind kind; /* NONE: equal under the rule */
    char text[320]; /* "out[0]: 3 of 800 elements differ, largest at [1,7]: 0.5 for 0.25, ..." */
    /* Over all floating leaves, even if equal; infinite if a NaN or an infinity is compared with
     * another value, and (relative) if the reference is 0. */
    double largest_absolute, largest_relative;
    double smallest_rtol; /* smallest rtol that passes with atol 0; NaN if none does, or if no leaf
                             is floating */
    bool undecided; /* kind NONE: a leaf whose bytes were deleted may differ, because its closeness
                       does not decide it */
};

/* Compares `got` with the reference `want`, leaf by leaf in order; paths, kinds and classes must be
 * the same. NaN equals NaN (a complex value is NaN where a part is); infinities by sign; -0 equals
 * 0. Close: |got - want| <= atol + rtol |want|, tolerances by `want`'s dtype unless given (a number
 * with a fraction in a value is a float64), computed in double; integers, bools and other values
 * exactly. Set: each leaf's elements, and those of a list of values, sorted first. Up to sign:
 * close after each vector along the last but one axis of a floating array was multiplied by what
 * brings it nearest, 1 or -1, or a complex number of size 1. Shape: dtypes, shapes, and values but
 * for their numbers, of which only the kind counts. The text is about the first leaf that differs.
 * Arrays with the same digest are equal; arrays with digests whose bytes are gone are compared by
 * their closeness, with the same result.
 */
void pm_compare_leaves(const struct pm_leaves *got, const struct pm_leaves *want,
                       const struct pm_compare_rule *rule, struct pm_difference *out);
/* Returns the index of the first leaf from `i` on that is compared: one list's are paired with the
 * other's in this order. */
size_t pm_compared_leaf(const struct pm_leaves *leaves, size_t i,
                        const struct pm_compare_rule *rule);

/* ---- comparing without values ------------------------------------------------------------- */

/*
 * How close an array is to its reference: for some values of atol, the smallest rtol that passes.
 * After the bytes of two arrays were deleted, this compares them by another tolerance: always if
 * its atol is one of the points; between two points only if both give the same result.
 */
enum { PM_CLOSENESS_POINTS = 10 };
struct pm_closeness {
    enum pm_compare how; /* CLOSE, which EXACT uses too; SET and SIGN pair other numbers */
    size_t count;
    struct {
        double atol, rtol;         /* rtol NaN: none passes */
    } points[PM_CLOSENESS_POINTS]; /* atol from 0 up, rtol down; from an rtol of 0 on all pass */
};

/* Returns the `how` of the closeness by which the leaf at `path` is compared; SHAPE: its values are
 * not compared. */
enum pm_compare pm_closeness_how(const struct pm_compare_rule *rule, const char *path);
/* Measures at atol 0, 1e-8, 1e-7, ..., 1e-1 and at the atol of the rule. Both are arrays of one
 * shape with bytes, and their values count. */
void pm_closeness_measure(const struct pm_leaf *got, const struct pm_leaf *want,
                          const struct pm_compare_rule *rule, struct pm_closeness *out);
/* Writes closeness as JSON, "[[0.0,1.25e-07],[1e-08,0.0]]", with null if no rtol passes; the caller
 * frees the text. */
char *pm_closeness_text(const struct pm_closeness *closeness);
/* Reads what pm_closeness_text() wrote; returns false if the text has another form. */
bool pm_closeness_parse(const char *text, enum pm_compare how, struct pm_closeness *out);

/* Finds rtol and atol of a dtype, as in torch.testing.assert_close; 0 if it is not floating. */
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

/* Returns whether no leaf has a value that a comparison could check: there are only names of
 * classes, null, empty lists and empty tuples. */
bool pm_leaves_are_hollow(const struct pm_leaves *leaves);
/* Frees the list of leaves, but not the data that they borrow. */
void pm_leaves_release(struct pm_leaves *leaves);

/* Returns the comparison rule of a case, from its stored definition, whose paths it borrows.
 * `shape_only`: the target has no values, so only dtypes and shapes count. */
struct pm_compare_rule pm_compare_rule_of(const json_t *definition, bool shape_only);
/* Returns whether any leaf is compared by its values. */
bool pm_compare_rule_needs_values(const struct pm_compare_rule *rule);
/* Returns whether `path` is `whole`, or a part of it, as "out[1]" and "out.a" are of "out". */
bool pm_path_is_within(const char *path, const char *whole);

/* Copies `leaves` with leaf `index` mutated; what is not mutated is borrowed. False (nothing to
 * release) where the mutation does not exist for that leaf or would change nothing: zeros of
 * zeros, a step that rounds away. ELEMENT moves the first element that can be by ten tolerances of
 * the rule, 10 * (atol + rtol |v|), by 1 where the comparison is exact, and so does VALUE a number
 * with a fraction; NAN and ZEROS are about arrays, VALUE and TYPE about the other leaves (TYPE of a
 * value: the text of its form). KEY renames the last step of the path; SWAPPED exchanges the leaf
 * with the next one of the same container. Release the copy with pm_mutated_release(). */
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
    enum pm_stage stage;                      /* NONE: that of the result */
    const json_t *result;                     /* header of the RESULT frame, if answered */
    const char *raises_type, *raises_message; /* the exception that the case expects */
    bool host_only;
    bool has_check;
    bool shape_only;                               /* the target has no values */
    const struct pm_difference *against_reference; /* NULL: there is no output of a reference */
    const struct pm_difference *against_oracle;    /* NULL: the case has no `expect`, or only its
                                                      reference is compared with it */
    bool is_reference;                             /* a second call must return the same */
    const json_t
        *changed_on_reference;  /* inputs that the reference's first call changed; NULL: none */
    bool reference_kept_inputs; /* the reference ran, and read its inputs back as they were sent */
};

struct pm_judgement {
    enum pm_outcome outcome;
    enum pm_stage stage; /* where it failed; NONE for a pass */
    bool by_value;    /* it fails because values differ, or because its check is false: a faster and
                         less exact way of computing may be the reason */
    char detail[512]; /* one line: the message, the difference, the operations; "" for a pass, but
                         for PM_SETUP_ON_HOST */
};

/*
 * Order of the rules: no answer -> by ending (deadline: timeout; signal, exit, processes, protocol,
 * supervisor: crash; system memory: memory; driver, start, stopped: harness). Answered: harness ->
 * destroyed inputs (fail at place where
 * the reference kept them, else harness) -> not applicable ->
 * raised (from the call on, matches raises, the type by any name along the MRO and the message by
 * an extended regular expression found in it: pass; memory: memory; in inputs, setup or place,
 * or by the case's `output` or `check`, but for an AssertionError of `check`: blocked; else, and in
 * setup by a call of the function itself: fail)
 * -> raises: but nothing was raised: fail -> purity (second call differs, on the reference):
 * harness
 * -> check false: fail (one that should have been evaluated and was not: harness; on a shape-only
 * target: ignored) -> oracle: fail -> against the reference: fail -> the first call changed an
 * input that it leaves on the reference: fail -> fallback, or a leaf off the device (unless
 * host_only): fallback -> pass.
 */
void pm_judge_execution(const struct pm_evidence_of *evidence, struct pm_judgement *out);

/* The name of a failure by value that passes in the framework's exact mode. */
#define PM_FLOAT_PRECISION "float precision"
/* The end of an execution's detail if the device could not run the setup: it ran on the host, and
 * its objects were moved. The detail of a pass consists of these words only. */
#define PM_SETUP_ON_HOST "its setup ran on the host"
/* The beginning of an execution's detail if `expect` contradicts its output. */
#define PM_NOT_AS_EXPECTED "not as expected: "

/* ---- the neighbours of a case ------------------------------------------------------------- */

/* Whether the executions of a case on one target differ, and how far that is explained by what ran
 * before it in its process. FLAKY: two executions with the same position and the same isolation
 * differ, so that it is chance, or something outside the process. SUFFERS: it fails after others
 * and passes in isolation, and never fails where it is the first. NEEDS: it passes after others and
 * fails where it is the first. With few executions, SUFFERS and NEEDS may be chance too. */
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
    bool is_baseline; /* the first execution of a reference: other first executions there were
                         compared with it, and it was itself compared with its retry, if at all */
};
/* Judges all executions of a case that have an outcome, ordered by repetition and retry. Executions
 * in the exact mode say nothing about neighbours, and faults of portmeter nothing about chance. */
enum pm_neighbour pm_judge_neighbour(const struct pm_case_run *runs, size_t count);

/* ---- the verdict of a function ------------------------------------------------------------ */

/* The result of a case on the reference of a target, over its repetitions: a later line outweighs
 * those before it. */
enum pm_reference_state {
    PM_REFERENCE_NOT_RUN, /* no repetition has run yet */
    PM_REFERENCE_PASSES,  /* also with reference: none */
    PM_REFERENCE_UNKNOWN, /* says nothing about the function */
    PM_REFERENCE_BLOCKED, /* its setup failed */
    PM_REFERENCE_FAILS
};

/* One case (with dtype) of a function on one target, over its repetitions. Those that are `harness`
 * or `not applicable` say nothing. */
struct pm_case_outcomes {
    const enum pm_outcome
        *outcomes; /* of each repetition that has one; a repetition has two if it passes in a shared
                      process and fails alone, or the reverse */
    size_t count;  /* 0: no repetition has run yet */
    bool core;     /* its kind */
    bool raises;   /* it expects an exception and has no `counts: true`: it never counts */
    bool idle;     /* it gives the device no array and gets none: that it passes shows nothing */
    bool impossible; /* every execution that does not pass needs a type that the device excludes by
                        its documentation; a case that is blocked for that reason fails */
    enum pm_reference_state reference;
};

/* The role of a case in the verdict of its function: the first that applies. */
enum pm_case_part {
    PM_CASE_WAITS,        /* it or its reference has not run yet */
    PM_CASE_SAYS_NOTHING, /* it has `raises:`, or no repetition has a usable outcome on the target
                             or the reference, or it is idle and passes */
    PM_CASE_REFERENCE_FAILS, /* fails on the reference too */
    PM_CASE_BLOCKED, /* blocked in every repetition with a usable outcome, or on the reference */
    PM_CASE_PASSES,  /* counted: every repetition with a usable outcome passes */
    PM_CASE_FAILS,   /* counted: none passes */
    PM_CASE_FLAKY    /* counted: some pass, some do not */
};
enum { PM_CASE_PARTS = PM_CASE_FLAKY + 1 };
enum pm_case_part pm_judge_case(const struct pm_case_outcomes *c, bool paper);
static inline bool pm_case_counts(enum pm_case_part part)
{
    return part >= PM_CASE_PASSES;
}

/* Numbers of the cases of a function, by their role in its verdict. */
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
    unsigned core,
        core_passed; /* core cases without those that are not possible, unless most are not */
    unsigned flaky;  /* cases whose repetitions disagree: not passed */
    bool impossible; /* most counted core cases are not possible on the device by design */
};

/*
 * Fails: no counted case passes. Works: all counted cases pass. Works with limits: all core cases
 * that are possible pass, and at least half are possible. Otherwise the function works partly. If
 * no core case counts, no case counts. Then the verdict is the first of these that some core case
 * has: not measured, reference fails, blocked, and otherwise untested. The other cases decide this
 * only if there is no core case at all. `exists`: the function is in this version of the framework,
 * else it is absent.
 */
void pm_judge_function(const struct pm_verdict_counts *counts, bool exists,
                       struct pm_function_verdict *out);
/* Decides by the paper's rule, from counts by that rule (a fallback passes, a blocked case fails).
 * All cases are alike: a function works if all pass, fails if none does, and otherwise works
 * partly. */
void pm_judge_function_paper(const struct pm_verdict_counts *counts, bool exists,
                             struct pm_function_verdict *out);

#endif

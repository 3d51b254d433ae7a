/*
 * Finds the changes between two sides of a comparison, and prints them as tables and as JUnit XML.
 * The functions are pure.
 *
 *     struct pm_changes found = pm_changes_find(&a, &b, &request);   // both sorted
 *     pm_changes_report(&found, &a, &b, &request, report);
 *     pm_changes_release(&found);
 *
 * A function has one change, the first that applies. A verdict is counted if cases were counted for
 * it (pm_verdict_is_counted()).
 *   gone         A has a counted verdict, and the version of B lacks the function (absent)
 *   unmeasured   A has a counted verdict, and B has none for another reason, or no row at all
 *   new          B has a counted verdict, and A has none
 *   neither      neither side has a counted verdict
 *   regressed    a case that is counted and passes on A fails on B, or fails on the reference of B;
 *                or the verdict is worse, and is about the same cases
 *   in doubt     a case that is counted and passes on A is not possible by design on B, is not
 *                counted there for another reason, is missing, or is compared more loosely or
 *                defined differently; or the verdict is worse because of cases that only B counts.
 *                A function in doubt that is also slower is slower
 *   fixed        a case that failed on A passes on B; or the verdict is better, and is about the
 *                same cases. If the sides count different cases of the function, with some in
 *                common, a better verdict does not make the function fixed
 *   slower, faster, undecided, unknown latency, same   by its latencies
 *
 * Warm latencies are compared, over the cases that pass on both sides, do the same work there (a
 * definition may differ in what is compared after the call), are stable on both, and are not
 * host-only. Small and large inputs are compared separately. A ratio is B over A, computed by
 * pm_stat_compare() over processes. All ratios, of both sizes, are one family of tests
 * (pm_stat_correct()). A function that is slower in one size is slower, even if it is not in the
 * other. The next in precedence is undecided: too few processes for pm_stat_says().
 *
 * Latencies are unknown if both sides have them but they cannot be compared: all cases are
 * unstable, or a case does different work. They are also unknown if they differ, the sides are
 * different runs, and neither side has a noise floor: the difference may be drift between the runs,
 * which no interval contains. If no case passes on both sides, or if neither side was to measure
 * latencies, there is nothing to compare.
 *
 * The gate: if a case that is counted and passes on A is not counted or does not pass on B, the
 * status is not 0, unless the user allows it, or B lacks the case and the request is `partial`
 * (tests/unit/test_gate.c tests this with synthetic runs).
 */
#ifndef PM_CHANGES_CHANGES_H
#define PM_CHANGES_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/exit.h"
#include "base/str.h"
#include "base/vocabulary.h"
#include "base/words.h"
#include "report/table.h"
#include "stat/stat.h"

/* The changes of a function, worst first, which is the order of tables. */
#define PM_CHANGES(X, P)                                                                           \
    X(P, REGRESSED, "regressed")                                                                   \
    X(P, GONE, "gone")                                                                             \
    X(P, UNMEASURED, "unmeasured")                                                                 \
    X(P, SLOWER, "slower")                                                                         \
    X(P, DOUBTFUL, "in doubt")                                                                     \
    X(P, UNDECIDED, "undecided")                                                                   \
    X(P, UNKNOWN, "unknown latency")                                                               \
    X(P, FIXED, "fixed")                                                                           \
    X(P, FASTER, "faster")                                                                         \
    X(P, NEW, "new")                                                                               \
    X(P, SAME, "same")                                                                             \
    X(P, NEITHER, "measured on neither")
PM_WORDS(change, PM_CHANGES, PM_CHANGE);

/* What happened on B to a case that is counted and passes on A. FAILS and REFERENCE make its
 * function regressed. The others leave it in doubt, because the case no longer shows that the
 * function works. */
#define PM_CHANGES_LOSSES(X, P)                                                                    \
    X(P, NONE, "")                                                                                 \
    X(P, FAILS, "fails")                                                                           \
    X(P, REFERENCE, "fails on the reference")                                                      \
    X(P, BLOCKED, "blocked")                                                                       \
    X(P, HARNESS, "harness")                                                                       \
    X(P, NOT_APPLICABLE, "not applicable")                                                         \
    X(P, NOT_POSSIBLE, "not possible by design") /* the device or its version differs */           \
    X(P, RAISES, "expects an exception")                                                           \
    X(P, NOT_RUN, "has not run")                                                                   \
    X(P, DROPPED, "missing")                                                                       \
    X(P, LOOSENED, "compared more loosely")                                                        \
    X(P, REDEFINED, "defined differently")
PM_WORDS(loss, PM_CHANGES_LOSSES, PM_LOSS);

/* ---- the sides; texts are borrowed ------------------------------------------------------------
 */

struct pm_changes_process {
    int64_t repetition;
    double log_median; /* log of the median of its warm timings in nanoseconds */
};

struct pm_changes_case {
    const char *function, *name;
    const char *definition;      /* JSON; "": unknown */
    const char *detail, *reason; /* of its failure or, if the side does not count it, of its failure
                                    on the reference; "": none */
    enum pm_outcome outcome;
    bool core;            /* it is a core case */
    bool counts;          /* it counts in the verdict of its function, and has an outcome */
    bool passes;          /* it passes in every execution */
    bool not_possible;    /* it fails because the types of the device exclude what it needs */
    enum pm_loss why_not; /* why it is not counted; NONE: it is counted */
    bool host_only;
    enum pm_size size;
    bool compiles; /* the framework compiles in each call, so that `count` is 0 */
    struct pm_changes_process *processes;
    size_t count, capacity;
};

struct pm_changes_function {
    const char *name, *detail, *reason; /* reason "": none was given */
    enum pm_verdict verdict;
};

struct pm_changes_side {
    /* the identity of the side */
    const char *db, *target, *framework, *version, *processor, *started;
    const char *selection; /* options of the run that select cases: " --cases 8", or "" */
    bool is_reference;     /* other targets of its run are compared with it */
    int64_t run, planned, done, repetitions; /* its number, executions, and processes per case */
    bool run_is_named; /* the user named the run, so a newer run does not become this side */
    const char *invalid, *latencies_invalid; /* why the run, or its latencies, are invalid; NULL:
                                                valid, or unknown */
    enum pm_evidence evidence; /* latencies are compared only if both sides are executed */
    bool has_latencies;        /* the run was to measure latencies */
    double floor;              /* noise floor; NaN: not known */
    /* the results of the side */
    struct pm_changes_function *functions;
    size_t function_count, function_capacity;
    struct pm_changes_case *cases;
    size_t case_count, case_capacity;
};
/* Sorts functions and cases by name, as pm_changes_find() needs them. */
void pm_changes_sort(struct pm_changes_side *side);
void pm_changes_side_release(struct pm_changes_side *side);

/* ---- the comparison ---------------------------------------------------------------------------
 */

struct pm_changes_change {
    const char *function;
    const char *detail, *reason; /* of the function's failure on B, else on A; or "" */
    size_t found;                /* index among all functions, sorted by name */
    enum pm_change change;
    enum pm_verdict before, after; /* PM_VERDICT_COUNT: that side has no row for the function */
    size_t cases_regressed, cases_fixed, cases_lost; /* lost: they leave the function in doubt */
    bool not_possible; /* at least one of the lost cases is excluded by the types of B's device */
    char *note;        /* losses of cases other than FAILS, as a text; NULL: none */
    struct pm_comparison latency; /* ratio.mid NaN: none */
    enum pm_size size;            /* size of the inputs */
    /* Why the latencies for at least one size of inputs are unknown. */
    bool few;                     /* too few processes */
    size_t few_before, few_after; /* if `few`: the fewest processes on A and on B */
    bool unstable;                /* all cases that could be compared are unstable */
    bool other_work;              /* at least one case times different work on the two sides */
    bool no_floor; /* the latencies of two runs differ, and no noise floor is known */
    bool by_cases; /* the sides count different cases of the function, so the common cases decided
                      instead of the verdicts */
    bool allowed;  /* gone, unmeasured, in doubt, undecided or unknown, and the user allows it */
};

/* A case that changed: it passed on A and has a loss, or it failed on A and passes on B. */
struct pm_changes_case_change {
    const char *function, *name, *detail, *reason;
    size_t change;                 /* index of the change of its function */
    bool regressed;                /* it passed on A; otherwise it passes on B */
    enum pm_loss loss;             /* what happened on B to a case that passed on A; else NONE */
    enum pm_outcome before, after; /* PM_OUTCOME_COUNT: that side has no such case */
};

struct pm_changes {
    struct pm_changes_change *changes; /* worst first; equal ones by ratio, then by name */
    size_t count, capacity;
    struct pm_changes_case_change *cases; /* sorted by change, regressed ones first, then by name */
    size_t case_count, case_capacity;
    size_t counts[PM_CHANGE_COUNT];
    /* Numbers of functions with unknown latencies for these reasons: too few processes, unstable,
     * different work, no noise floor. Regressions and allowed functions do not count here. A
     * function may count for several reasons. */
    size_t few, unstable, other_work, no_floor;
    size_t unknown;       /* functions with at least one of the last three reasons */
    size_t doubtful;      /* in doubt, and not allowed */
    bool untimed;         /* neither side measured latencies, or was to measure them */
    bool accepts_unknown; /* the request accepts unknown latencies */
    enum pm_evidence evidence_before, evidence_after; /* the kinds of evidence of the sides */
    /* The fewest complete processes of functions with too few; SIZE_MAX: no such function. */
    size_t fewest_before, fewest_after;
    /* Cases that only one side counts, of functions with a counted verdict on both sides. */
    size_t only_before, only_after;
    double floor;       /* the larger of the known floors; NaN: none is known */
    double intolerable; /* a slower function is called intolerable above this ratio */
};

struct pm_changes_request {
    bool outcomes_only; /* do not compare latencies */
    bool all;           /* tables list functions that are the same, too */
    bool for_people;    /* equal rows become one row with a count and names */
    /* Functions that the user allows to be gone, unmeasured, in doubt, undecided or unknown. */
    const char *const *allowed;
    size_t allowed_count;
    bool accepts_unknown; /* latencies that cannot be compared do not leave a function in doubt */
    bool partial; /* B may have measured fewer or other cases; cases that it lacks are ignored */
    /* The ratio above which a slower function is intolerable; 0: PM_STAT_INTOLERABLE. */
    double intolerable;
    /* The number of comparisons of which this is one; 0: it is the only one. Each p is multiplied
     * by this number, so the false discovery rate of slower and faster is 5 % over all of them (C.
     * E. Bonferroni, 1936). */
    size_t comparisons;
};

/* Compares two sides, which must be sorted and must outlive the result. The caller releases the
 * result. */
struct pm_changes pm_changes_find(const struct pm_changes_side *before,
                                  const struct pm_changes_side *after,
                                  const struct pm_changes_request *request);
void pm_changes_release(struct pm_changes *c);

/* Returns whether a function is regressed or slower, or is gone or unmeasured and not allowed. */
bool pm_changes_is_regression(const struct pm_changes_change *change);
/* Returns the number of functions for which pm_changes_is_regression() is true. */
size_t pm_changes_regressions(const struct pm_changes *c);
/* Returns whether a function is slower by more than the factor of the request. */
bool pm_changes_is_intolerable(const struct pm_changes *c, const struct pm_changes_change *change);
/* Why a comparison may overlook a regression, and what helps; both NULL: no doubt. */
struct pm_changes_doubt {
    char *what, *remedy;
};
/* Returns the first of these doubts: no function has a verdict on both sides; a run is invalid or
 * incomplete; functions are in doubt; latencies have too few processes; latencies are unknown. The
 * caller releases the result. */
struct pm_changes_doubt pm_changes_doubt(const struct pm_changes *c,
                                         const struct pm_changes_side *a,
                                         const struct pm_changes_side *b);
void pm_changes_doubt_release(struct pm_changes_doubt *doubt);
/* Returns the status for --exit-code: PM_EXIT_WORSE if there is a regression; otherwise
 * PM_EXIT_INCONCLUSIVE if there is a doubt, else PM_EXIT_FINE. */
enum pm_exit pm_changes_status(const struct pm_changes *c, const struct pm_changes_doubt *doubt);
/* Returns the fewest processes of a function with too few on either side; SIZE_MAX if there is
 * none. */
size_t pm_changes_fewest(const struct pm_changes *c);

/* Returns what happened to cases, or why the function is in doubt; "" if the change says
 * everything. Borrowed. */
const char *pm_changes_note(const struct pm_changes_change *change);

/* Returns a text such as "too few processes to compare latencies: 3 of 8". The caller frees it. */
char *pm_changes_undecided(size_t processes);

/* Returns whether both sides are from the same run of the same database. */
bool pm_changes_same_run(const struct pm_changes_side *a, const struct pm_changes_side *b);

/* A command that adds missing processes to one side or both, so that undecided functions can be
 * compared. */
struct pm_changes_step {
    char *command, *purpose; /* purpose: "adds the 5 missing processes to A" */
    bool is_new_run;         /* the side names its run: compare the new run instead */
};
/* Sets at most two steps, and returns their number. The caller frees their texts. */
size_t pm_changes_steps(const struct pm_changes *c, const struct pm_changes_side *a,
                        const struct pm_changes_side *b, struct pm_changes_step steps[2]);
/* Returns the word for a verdict; "-" if the side has no row (PM_VERDICT_COUNT). */
const char *pm_changes_verdict(enum pm_verdict verdict, enum pm_evidence evidence);
/* Appends a text such as "2 regressed, 1 slower, 9 same"; "nothing" if there are no functions. */
void pm_changes_counts(const struct pm_changes *c, struct pm_str *out);

/* ---- latencies alone ---------------------------------------------------------------------------
 */

/* Latencies of a function on both sides, over the same cases. They do not depend on verdicts. */
struct pm_changes_ratio {
    const char *function;
    double before, after; /* ns, geometric means over cases and processes */
    struct pm_comparison ratio;
    enum pm_speed speed;
    bool unstable; /* all comparable cases are unstable: no numbers */
};
/* Returns the ratios for one size of inputs, largest first, and their number. The caller frees
 * them. */
struct pm_changes_ratio *pm_changes_ratios(const struct pm_changes_side *before,
                                           const struct pm_changes_side *after, enum pm_size size,
                                           size_t *count);

/* ---- printing it ------------------------------------------------------------------------------
 */

/* Adds the lines and tables of the comparison of `a` with `b`: what changed, the result for
 * --exit-code, the sides, missing processes and the commands that add them, the changes, worst
 * first, and the cases that changed, with their messages. The member "comparison" of JSON has the
 * same data for programs. */
void pm_changes_report(const struct pm_changes *c, const struct pm_changes_side *a,
                       const struct pm_changes_side *b, const struct pm_changes_request *request,
                       struct pm_report *report);

/* Adds a line that describes a side, and warnings about its run. */
void pm_changes_describe(const struct pm_changes_side *side, const char *label,
                         struct pm_report *report);

/* Adds pm_changes_ratios() as a table of `b` compared with `a`. If the table would be empty, adds
 * nothing and returns false. */
bool pm_changes_add_ratios(const struct pm_changes_side *a, const struct pm_changes_side *b,
                           enum pm_size size, struct pm_report *report);

/* Adds a note to a table of ratios: how many processes intervals and verdicts need. */
void pm_changes_note_verdicts(struct pm_table *table);

/* Writes JUnit XML with one test case per function; its class is `target`. Regressions are
 * failures, and functions in doubt are errors. Functions that are undecided, allowed or measured on
 * neither side, or whose latency is unknown, are skipped. Texts are escaped, and a character that
 * XML 1.0 does not allow becomes '?' or a space. Jenkins and GitLab read this form: testsuites,
 * testsuite, testcase, failure, skipped. */
void pm_changes_junit(const struct pm_changes *c, const char *title, const char *target,
                      struct pm_str *out);
/* Appends why latencies are unknown: "3 unstable, 1 with cases that do different work". */
void pm_changes_unknown(const struct pm_changes *c, struct pm_str *out);

#endif

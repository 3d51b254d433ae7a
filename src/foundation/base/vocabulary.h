/*
 * The vocabulary: words that rooms exchange in a frame, in the database, in a case file or in an
 * option. One room writes a word, and rooms that may not include that room read it. Therefore each
 * text is defined here, once, below all rooms. The room that is named beside a list defines the
 * meaning of its words. A word that only one room and the rooms above it use is declared in that
 * room, also by base/words.h.
 *
 * The drivers (Python) write the words of stages, clocks and kinds of leaves, which
 * docs/internals/protocol.md lists.
 */
#ifndef PM_BASE_VOCABULARY_H
#define PM_BASE_VOCABULARY_H

#include "base/words.h"

/* ---- executions ----------------------------------------------------------------------------- */

/* The state of a planned execution in the database. PLANNED: not done yet, stored as "todo". */
#define PM_EXECUTION_STATES(X, P) X(P, PLANNED, "todo") X(P, DONE, "done")
PM_WORDS(execution_state, PM_EXECUTION_STATES, PM_EXECUTION);

/* The step that a job has reached (drivers/pmdriver/job/execution.py). NONE: before the first step,
 * or not known. The judge uses COMPARE too. */
#define PM_STAGES(X, P)                                                                            \
    X(P, NONE, "")                                                                                 \
    X(P, INPUTS, "inputs")                                                                         \
    X(P, SETUP, "setup")                                                                           \
    X(P, PLACE, "place")                                                                           \
    X(P, COMPILE, "compile")                                                                       \
    X(P, RUN, "run")                                                                               \
    X(P, SYNC, "sync")                                                                             \
    X(P, COMPARE, "compare")
PM_WORDS(stage, PM_STAGES, PM_STAGE);

/* How a child ended (pool). NONE: the child is alive, or it answered. */
#define PM_ENDINGS(X, P)                                                                           \
    X(P, NONE, "")                                                                                 \
    X(P, EXIT, "exit")         /* by itself; `code` is its status                          */      \
    X(P, SIGNAL, "signal")     /* by a signal that portmeter did not send; `code` is its number */ \
    X(P, DEADLINE, "deadline") /* a job, or the start-up, took too long, and it was killed */      \
    X(P, PROCESSES, "processes") /* it had more descendants than allowed, and was killed     */    \
    X(P, PROTOCOL, "protocol")   /* it sent invalid data or a wrong frame, and was killed    */    \
    X(P, SYSTEM_MEMORY, "system memory") /* the kernel's out-of-memory killer killed it */         \
    X(P, DRIVER, "driver")         /* its driver died or could not start or fork; `text`: why  */  \
    X(P, START, "start")           /* no job was accepted; only for executions; `text`: why */     \
    X(P, SUPERVISOR, "supervisor") /* portmeter itself died each time; only for executions */      \
    X(P, STOPPED, "stopped")       /* the user stopped the command                             */
PM_WORDS(ending_kind, PM_ENDINGS, PM_ENDING);

/* Why an execution is a retry of another execution. Each retry is a row of its own. ALONE: it
 * failed in a process that other cases had used before it. EXACT_MODE: its values were wrong in a
 * numeric mode that is faster and less exact. */
#define PM_RETRIES(X, P)                                                                           \
    X(P, NONE, "")                                                                                 \
    X(P, ALONE, "alone")                                                                           \
    X(P, EXACT_MODE, "exact mode")
PM_WORDS(retry, PM_RETRIES, PM_RETRY);

/* ---- outputs -------------------------------------------------------------------------------- */

/* The part of the result to which a leaf belongs. */
#define PM_LEAF_PARTS(X, P)                                                                        \
    X(P, OUTPUT, "output")                                                                         \
    X(P, GRADIENT, "gradient")                                                                     \
    X(P, INPUT, "input") /* after a call that changed it, under `repeat: fresh` or `once` */
PM_WORDS(leaf_part, PM_LEAF_PARTS, PM_PART);

#define PM_LEAF_KINDS(X, P)                                                                        \
    X(P, ARRAY, "array")                                                                           \
    X(P, VALUE, "value")         /* a number, a text, a list of them: canonical JSON */            \
    X(P, CONTAINER, "container") /* its class; its parts are the leaves that follow */             \
    X(P, TYPE, "type")           /* for anything else, only the name of its type counts */
PM_WORDS(leaf_kind, PM_LEAF_KINDS, PM_LEAF);

/* How outputs are compared (judge): `compare:` of a case file. */
#define PM_COMPARES(X, P)                                                                          \
    X(P, CLOSE, "close")                                                                           \
    X(P, EXACT, "exact")                                                                           \
    X(P, SHAPE, "shape")                                                                           \
    X(P, SET, "set")                                                                               \
    X(P, SIGN, "up to sign")
PM_WORDS(compare, PM_COMPARES, PM_COMPARE);
/* The most paths that the `compare` of a case may name, and the most that its `tolerance` may
 * name. */
enum { PM_MOST_COMPARED_PATHS = 16 };

/* `reference:` of a case file: what its results are compared with. */
#define PM_CASE_REFERENCES(X, P)                                                                   \
    X(P, TARGET, "")   /* the target's reference */                                                \
    X(P, NONE, "none") /* it has no reference, because none can exist */
PM_WORDS(case_reference, PM_CASE_REFERENCES, PM_CASE_REFERENCE);

/* ---- what is decided ------------------------------------------------------------------------ */

/* The outcome of an execution (judge; docs/judging.md), and the outcome that a planted fault
 * expects. */
#define PM_OUTCOMES(X, P)                                                                          \
    X(P, PASS, "pass")                                                                             \
    X(P, FAIL, "fail")                                                                             \
    X(P, CRASH, "crash")                                                                           \
    X(P, TIMEOUT, "timeout")                                                                       \
    X(P, MEMORY, "memory")                                                                         \
    X(P, FALLBACK, "fallback")                                                                     \
    X(P, BLOCKED, "blocked")                                                                       \
    X(P, NOT_APPLICABLE, "not applicable")                                                         \
    X(P, HARNESS, "harness")
PM_WORDS(outcome, PM_OUTCOMES, PM_OUTCOME);

/* What happened with a planted fault (measure): an outcome, with the same value as in enum
 * pm_outcome; DOES_NOT_APPLY if the fault cannot exist on the target; or NOT_CALIBRATED if the
 * clocks of the target were not calibrated. */
#define PM_OBSERVATIONS(X, P)                                                                      \
    PM_OUTCOMES(X, P)                                                                              \
    X(P, DOES_NOT_APPLY, "does not apply")                                                         \
    X(P, NOT_CALIBRATED, "not calibrated")
PM_WORDS(observation, PM_OBSERVATIONS, PM_OBSERVED);

/* The verdict on a function on a target (judge; docs/judging.md). */
#define PM_VERDICTS(X, P)                                                                          \
    X(P, WORKS, "works")                                                                           \
    X(P, LIMITS, "works with limits")                                                              \
    X(P, PARTLY, "partly")                                                                         \
    X(P, FAILS, "fails")                                                                           \
    X(P, ABSENT, "absent")                                                                         \
    X(P, REFERENCE_FAILS, "reference fails")                                                       \
    X(P, BLOCKED, "blocked")                                                                       \
    X(P, UNTESTED, "untested")                                                                     \
    X(P, NOT_MEASURED, "not measured")
PM_WORDS(verdict, PM_VERDICTS, PM_VERDICT);
/* Returns whether all core cases pass: the share in a headline counts such functions. */
static inline bool pm_verdict_is_working(enum pm_verdict verdict)
{
    return verdict == PM_VERDICT_WORKS || verdict == PM_VERDICT_LIMITS;
}
/* Returns whether core cases were counted: the function works, works partly or fails. */
static inline bool pm_verdict_is_counted(enum pm_verdict verdict)
{
    return pm_verdict_is_working(verdict) || verdict == PM_VERDICT_PARTLY ||
           verdict == PM_VERDICT_FAILS;
}

/* ---- runs and targets ----------------------------------------------------------------------- */

#define PM_RUN_STATES(X, P)                                                                        \
    X(P, RUNNING, "running") /* or killed */                                                       \
    X(P, STOPPED, "stopped") /* by the user */                                                     \
    X(P, DONE, "done")
PM_WORDS(run_state, PM_RUN_STATES, PM_RUN);

/* The origin of the results of a run. */
#define PM_RUN_KINDS(X, P)                                                                         \
    X(P, MEASURED, "measured")                                                                     \
    X(P, PUBLISHED, "published") /* published by others, and imported */
PM_WORDS(run_kind, PM_RUN_KINDS, PM_RUN_KIND);

/* Whether the results of a run can be trusted. The planted faults of the run decide this. */
#define PM_VALIDITIES(X, P)                                                                        \
    X(P, UNKNOWN, "") /* not known yet */                                                          \
    X(P, VALID, "valid")                                                                           \
    X(P, INVALID, "invalid")
PM_WORDS(validity, PM_VALIDITIES, PM_VALIDITY);

/* The role of a target in a run. */
#define PM_ROLES(X, P)                                                                             \
    X(P, SUBJECT, "subject")                                                                       \
    X(P, REFERENCE, "reference") /* its results are the reference of subjects */                   \
    X(P, ORACLE, "oracle")       /* evaluates `expect:` */                                         \
    X(P, NOISE, "noise") /* a second measurement of a reference: only latencies, never judged */
PM_WORDS(role, PM_ROLES, PM_ROLE);

/* The key of an array in the object of a target's numeric modes. The array names the modes that are
 * faster and less exact than the framework can compute. Without this array, nothing is retried in
 * exact mode. */
#define PM_NUMERIC_FAST "fast"

/* The outcome of an imported test of a pytest report. NONE: the test was timed, and is not in a
 * report. */
#define PM_TEST_OUTCOMES(X, P)                                                                     \
    X(P, NONE, "")                                                                                 \
    X(P, PASSED, "passed")                                                                         \
    X(P, FAILED, "failed")                                                                         \
    X(P, ERROR, "error")                                                                           \
    X(P, SKIPPED, "skipped")                                                                       \
    X(P, XFAILED, "xfailed") /* it was expected to fail, and did */                                \
    X(P, XPASSED, "xpassed") /* it was expected to fail, and passed */
PM_WORDS(test_outcome, PM_TEST_OUTCOMES, PM_TEST);

/* What the results of a target show: that its functions were executed, or less. */
#define PM_EVIDENCES(X, P)                                                                         \
    X(P, EXECUTED, "executed")                                                                     \
    X(P, LOWERED, "lowered")                                                                       \
    X(P, SHAPE_ONLY, "shape only")
PM_WORDS(evidence, PM_EVIDENCES, PM_EVIDENCE);

/* Returns the word of a verdict on a target, by the kind of evidence of its results: "works", but
 * "can be lowered" or "has shapes" if nothing was executed. The word is static. */
const char *pm_verdict_word(enum pm_verdict verdict, enum pm_evidence evidence);

/* ---- latencies ------------------------------------------------------------------------------ */

/* --mode of a run: the rule by which timings are taken and summarised. */
#define PM_RUN_MODES(X, P) X(P, DEFAULT, "default") X(P, PAPER, "paper")
PM_WORDS(run_mode, PM_RUN_MODES, PM_MODE);

/* What a timing measures (drivers/pmdriver/job/clocks.py). */
#define PM_CLOCKS(X, P)                                                                            \
    X(P, WARM, "warm")                                                                             \
    X(P, COLD, "cold")                                                                             \
    X(P, DISPATCH, "dispatch")                                                                     \
    X(P, TRANSFER_IN, "transfer_in")                                                               \
    X(P, TRANSFER_OUT, "transfer_out")                                                             \
    X(P, BACKWARD, "backward")                                                                     \
    X(P, BACKWARD_COLD, "backward_cold")                                                           \
    X(P, SERIES, "series")
PM_WORDS(clock, PM_CLOCKS, PM_CLOCK);

/* `size:` of a case file: reports keep the two apart. */
#define PM_SIZES(X, P) X(P, SMALL, "small") X(P, LARGE, "large")
PM_WORDS(size, PM_SIZES, PM_SIZE);

/* `kind:` of a case: how common its call is in daily use. Verdicts are about core cases first. */
#define PM_CASE_KINDS(X, P)                                                                        \
    X(P, CORE, "core")   /* what the documentation shows first and daily code does */              \
    X(P, DTYPE, "dtype") /* the same with another dtype */                                         \
    X(P, EDGE, "edge")   /* empty, extreme, out of the domain, an error, a rare option */
PM_WORDS(case_kind, PM_CASE_KINDS, PM_CASE_KIND);

/* `tier:` of a case file: where its cases come from. Reports keep the tiers apart. */
#define PM_TIERS(X, P)                                                                             \
    X(P, REVIEWED, "reviewed") /* written, or read, by a person */                                 \
    X(P, METADATA, "metadata") /* the tests that the framework ships as data */                    \
    X(P, EXAMPLE, "example")   /* an example in the framework's own documentation */               \
    X(P, SEARCHED, "searched") /* arguments that a search found */
PM_WORDS(tier, PM_TIERS, PM_TIER);

/* A stored statistic: what it measures (PM_STATISTICS), and over what (PM_SCOPES). */
#define PM_STATISTICS(X, P)                                                                        \
    X(P, LATENCY, "latency")                                                                       \
    X(P, REFERENCE_LATENCY, "reference latency") /* over the cases of a target's ratio */          \
    X(P, RATIO, "ratio")                                                                           \
    X(P, NOISE, "noise") /* how far the ratio of two measurements of the same thing is from 1 */
PM_WORDS(statistic, PM_STATISTICS, PM_STATISTIC);
#define PM_SCOPES(X, P) X(P, CASE, "case") X(P, FUNCTION, "function") X(P, TARGET, "target")
PM_WORDS(scope, PM_SCOPES, PM_SCOPE);

/* ---- use of names --------------------------------------------------------------------------- */

/* How uses of a name are counted (corpus). */
#define PM_RULES(X, P)                                                                             \
    X(P, PAPER, "paper")       /* bare names before a parenthesis */                               \
    X(P, RESOLVED, "resolved") /* canonical names, through imports */                              \
    X(P, INFERRED, "inferred") /* canonical names, through imports and the types of values */
PM_WORDS(rule, PM_RULES, PM_RULE);

/* How a use was found (resolve). */
#define PM_RESOLVE_HOWS(X, P)                                                                      \
    X(P, IMPORT, "import")     /* by an import of the framework, or of a file that imports it */   \
    X(P, INFERRED, "inferred") /* by the type of a value */                                        \
    X(P, ONE_OF, "one of")     /* one of several that the types of a value allow */                \
    X(P, NAME, "by name")      /* by the name of a method that only arrays or only modules have */
PM_WORDS(resolve_how, PM_RESOLVE_HOWS, PM_RESOLVE_HOW);

#define PM_RESOLVE_FORMS(X, P)                                                                     \
    X(P, CALL, "call")                                                                             \
    X(P, REFERENCE, "reference")                                                                   \
    X(P, INSTANCE, "instance call") /* a call of an instance of the named class */
PM_WORDS(resolve_form, PM_RESOLVE_FORMS, PM_RESOLVE_FORM);

/* What a public name is (inventory). */
#define PM_NAME_KINDS(X, P)                                                                        \
    X(P, BARE, "") /* a name without a path, from a flat list; its kind is unknown */              \
    X(P, FUNCTION, "function")                                                                     \
    X(P, CLASS, "class")                                                                           \
    X(P, METHOD, "method") /* named after the public class nearest to its definition */
PM_WORDS(name_kind, PM_NAME_KINDS, PM_NAME);

/* What an estimate counts. */
#define PM_BASES(X, P)                                                                             \
    X(P, FUNCTION, "function") /* each counts once */                                              \
    X(P, USE, "use")           /* each counts as often as it is used */
PM_WORDS(basis, PM_BASES, PM_BASIS);

/* ---- output --------------------------------------------------------------------------------- */

/* The formats of tables (report): --format. */
#define PM_REPORT_FORMATS(X, P)                                                                    \
    X(P, TEXT, "text")                                                                             \
    X(P, MARKDOWN, "markdown")                                                                     \
    X(P, JSON, "json")                                                                             \
    X(P, CSV, "csv")                                                                               \
    X(P, LATEX, "latex")                                                                           \
    X(P, HTML, "html")
PM_WORDS(report_format, PM_REPORT_FORMATS, PM_FORMAT);

#endif

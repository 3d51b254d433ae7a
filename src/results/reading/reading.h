/*
 * Reads the data of a report into memory: the judged rows of one run, or of the newest valid run of
 * each target (loading.h).
 */
#ifndef PM_READING_READING_H
#define PM_READING_READING_H

#include <jansson.h>
#include <string.h>

#include "base/exit.h"
#include "base/map.h"
#include "judge/judge.h"
#include "stat/stat.h"
#include "store/runs.h"
#include "store/store.h"

/* One attempt of a run: from a start of portmeter run to its end. */
struct pm_reading_attempt {
    char *started, *finished; /* finished "": killed, or still running */
    json_t *machine;
    double load_before, load_after; /* NaN: not known */
    int64_t shard;                  /* shard that it measured; 0: the run is not divided */
};

/* A shard of the plan of a run. */
struct pm_reading_shard {
    int64_t number, functions;
    char *reason;         /* why the run has no results of the shard; "": it has results */
    char *latency_reason; /* why the run has no latencies of the shard; or "" */
    char *command;        /* command that measures the shard, if --shard NUMBER/COUNT is added */
};

enum { PM_READING_IMPORTS_NAMED = 3 }; /* most entries of imports_named */

/* One run of the database. */
struct pm_reading_run {
    int64_t id, sample_id; /* sample_id 0: the run has no sample */
    char *started, *reason, *latency_reason;
    char *source; /* file from which merge copied the run; PM_RUN_SOURCE_SHARDS: merged from shards;
                     else "" */
    char *plan;   /* digest of the plan, if merge made the run from shards; else NULL */
    enum pm_run_state state;
    enum pm_validity validity, latency_validity;
    json_t *options;
    struct pm_reading_attempt *attempts;
    size_t attempt_count, attempt_capacity;
    struct pm_reading_shard *shards; /* none: the run is not divided */
    size_t shard_list_count, shard_capacity;
    int64_t shard_count, shard_total; /* shards and functions of the whole plan */
    bool shown;                       /* its rows are loaded */
    bool is_running;                  /* the run is being measured now */
    bool passed_over; /* not shown, although newer than the shown run of one of its targets */
    int64_t executions, planned, done, retried;
    int64_t precision; /* executions that failed, and passed when retried in exact mode */
    int64_t planted_faults_detected, planted_faults_not_applying; /* over all targets */
    size_t imports;      /* pairs of a case and a clock that timed imports of modules */
    char *imports_named; /* the first of these pairs, as a text; NULL: none */
};

struct pm_reading_target {
    int64_t id;
    size_t run;             /* index */
    char *text, *reference; /* after merge --apart, with the suffix of pm_shard_apart() */
    char *framework, *version, *device_name, *environment;
    char *python, *driver_version;
    char *numeric; /* JSON object of modes and settings that change results or times; or "" */
    enum pm_role role;
    enum pm_evidence evidence;
    bool latencies;       /* it is timed */
    bool hides_fallbacks; /* operations may run on the host, and portmeter cannot count them */
    bool judged;          /* it has outcomes */
};

struct pm_reading_verdict {
    int target; /* index */
    char *function, *detail;
    char *reason, *rule; /* reason of most failures, and the rule that found it; "" */
    char *limits;        /* the limits, if it works with limits; else "" */
    enum pm_verdict verdict, verdict_paper;
    int64_t counted, passed; /* cases */
    int64_t core, core_passed;
    int64_t
        memory; /* largest resident size of its processes (bytes); 0: not known, or not for_page */
    bool host_only;
};

struct pm_reading_judgement {
    int64_t execution;
    int target;
    const char *function, *name, *dtype, *detail, *reason, *rule;
    int64_t repetition;
    enum pm_outcome outcome;
    enum pm_stage stage;
    bool case_counts; /* the verdict of the function counts the case */
    int64_t position; /* number of executions that its process ran before */
    enum pm_retry retry;
    bool precision; /* it failed by value, and passed when retried in exact mode */
};

/* The first call of an execution, as in struct pm_first_call_row. Times are in ns. */
struct pm_reading_first_call {
    int64_t execution, cold_ns, tracing_ns, lowering_ns, compiling_ns; /* -1: not known */
    int64_t running_ns; /* cold_ns without the three parts; -1: not known, or the parts exceed it */
    int64_t compilations, recompilations, device_memory; /* -1: not known */
};

/* A case on a target, summed over the executions that verdicts count. */
struct pm_reading_case {
    int64_t id;
    int target;       /* any target of a shown run, also a hidden target or the oracle */
    size_t reference; /* index + 1 of the same case on the reference of the target; 0: none */
    const char *function, *name, *dtype;
    const char *across;        /* the operation that it compares across frameworks; "" */
    const char *detail;        /* detail of the first execution that does not pass, or "" */
    const char *reason, *rule; /* of the same execution */
    const char *by_type; /* outputs that are compared by type only, "out[1]: m.Name and 2 more"; "":
                            none, or of_cases is not set */
    enum pm_stage stage; /* of the same execution */
    enum pm_outcome outcome; /* of the same execution; PASS if there is none. If no execution on a
                                shown target passes, fails or is blocked, `detail`, `reason`,
                                `rule`, `stage` and `outcome` are those of the first judgement */
    int64_t passed, failed,
        blocked; /* executions, except faults of portmeter and those that do not apply */
    int64_t repetitions;
    bool counts; /* the verdict of the function counts it */
    bool alike;  /* all its judgements are equal, and without of_executions, the reading has only
                    one of them */
    bool expects, checks, raises, backward; /* the case has the key of that name */
    enum pm_size size;
    enum pm_case_kind kind;
    enum pm_tier tier;
    bool no_values; /* the generator of the case found that it checks no value */
    double error;   /* the largest relative tolerance that a passing execution needs; NaN: not
                       known */
    double ulp;     /* the same in units of the last place of 1, in the dtype of its floating-point
                       arrays, which is that of the reference's; NaN: not known, or these have
                       several precisions, or there are none, or of_dtypes is not set */
};

struct pm_reading_key {
    int target;
    enum pm_scope scope;
    const char *function, *name; /* name: of the case; "" for a function; both are "" for a
                                    target */
    enum pm_clock clock;
    enum pm_size size;
    enum pm_statistic what;
};

struct pm_reading_statistic {
    struct pm_reading_key key;
    double value, low, high;
    int64_t processes, reference_processes;
    bool unstable;
    bool compiles; /* the framework compiles in each call of these cases: there is no value */
};

struct pm_reading_planted_fault {
    int target;
    char *name, *detail;
    enum pm_outcome expected;
    enum pm_observation observed;
    bool as_expected; /* true also if the planted fault does not apply */
};

/* The estimates of one target from one sample, by function and by use, as in struct
 * pm_estimate_row. */
struct pm_reading_estimate {
    int target;
    int64_t sample_id, members, marked;
    struct pm_interval by_function, by_use;
    double unknown_functions, unknown_uses;
};

/* A sample that a run measures, or from which estimates are computed. */
struct pm_reading_sample {
    int64_t id, scan_id;
    enum pm_rule rule;
    char *framework, *ranking; /* ranking: file of the ranking; "" for a scan */
    uint64_t seed;
    size_t ranked;
    double eligible; /* number of functions that could be measured */
    bool has_weights, only_tested;
};

/* A function that failed in an older valid run of a shown target, and that no newer run
 * measured. */
struct pm_reading_older {
    int target;  /* index of the shown target */
    int64_t run; /* id of the older run */
    char *function;
    enum pm_verdict verdict;
};

/* How often scanned code calls the functions of a framework, from the newest scan that counted it:
 * by types and imports or, if the scan inferred no types, by imports. */
struct pm_reading_uses {
    char *framework;
    int64_t scan_id, calls;
    struct pm_map by_function; /* by canonical name: calls (uintptr_t) */
    struct pm_map canonical;   /* by another name that a verdict uses: canonical name (char *) */
};

/* The size of an array of struct pm_reading: run_list of `runs`, and so on. */
struct pm_reading_list {
    size_t count, capacity;
};

struct pm_recorded;
struct pm_reading {
    struct pm_reading_run *runs;       /* all measured runs of the database, in order of starting */
    struct pm_reading_target *targets; /* first the shown targets; then `hidden_targets` references:
                                          subjects are compared with them, but tables have no rows
                                          of them; then `other_targets` targets without rows */
    struct pm_reading_verdict *verdicts;
    struct pm_reading_judgement *judgements; /* of the executions that verdicts count */
    struct pm_reading_judgement *superseded; /* judgements that a retry in isolation replaced */
    struct pm_reading_case *cases;           /* of shown runs, by target, function and id */
    struct pm_reading_statistic *statistics, *hidden_statistics; /* hidden: those of hidden
                                                                    targets */
    struct pm_reading_first_call *first_calls; /* first calls on shown targets, by execution; loaded
                                                  if of_executions is set */
    struct pm_reading_planted_fault *planted_faults;
    struct pm_reading_estimate *estimates;
    struct pm_reading_sample *samples;
    struct pm_reading_uses *uses;
    struct pm_reading_older *older; /* newest run first; empty if one run, or `function`, is
                                       requested */
    struct pm_map statistic_by_key; /* also the hidden statistics */
    struct pm_map case_by_key;      /* index + 1 of the first case of a function on a target */
    char **strings;                 /* all texts to which the rows point */
    struct pm_reading_list run_list, target_list, verdict_list, judgement_list, superseded_list,
        statistic_list;
    struct pm_reading_list case_list, hidden_statistic_list, planted_fault_list, string_list,
        estimate_list, sample_list, uses_list, first_call_list, older_list;
    size_t hidden_targets, other_targets;
    const char *framework;     /* set by the caller: show only targets of this framework; NULL: of
                                  all */
    const char *const *wanted; /* set by the caller: show only these targets; none: all */
    size_t wanted_count;
    /* Set by the caller: show only functions that match this glob, and no estimates; NULL: all. */
    const char *function;
    double intolerable; /* set by the caller: the ratio above which a function is intolerable; 0:
                           PM_STAT_INTOLERABLE */
    int64_t many_shapes; /* set by the caller: a place of a recorded program with more shapes is
                            marked; 0: 8 */
    bool shows_empty;   /* set by the caller: also show tables without rows */
    bool for_people;    /* set by the caller: tables merge equal rows into one with a count;
                           otherwise they show each row, with all columns */
    bool for_page;      /* set by the caller: also read the rows that only pages show */
    bool of_executions; /* set by the caller: also read each judgement of cases whose judgements are
                           equal, and first calls */
    bool of_cases;      /* set by the caller: also read statistics of stable cases, and outputs that
                           are compared by type only */
    bool of_dtypes;     /* set by the caller: also read errors in units of the last place */
    bool (*is_running)(const struct pm_run_row *run); /* set by the caller: returns whether an
                                                         unfinished run is being measured now; NULL:
                                                         no run is */
    const struct pm_map *paper; /* set by the caller: stratum (const char *) of each function of the
                                   paper's sample; NULL: tables mark no function */
    const struct pm_recorded *recorded; /* set by the caller: the recorded calls of a program; NULL:
                                           none */
};

/* Returns the ratio above which a function is intolerable. */
static inline double pm_reading_intolerable(const struct pm_reading *r)
{
    return r->intolerable > 0 ? r->intolerable : PM_STAT_INTOLERABLE;
}

/* Reads the rows of a run; run 0 means the newest valid run of each target. The caller first sets
 * the members that are marked "set by the caller", and calls pm_reading_release() even after an
 * error. PM_EUSAGE if the database has no such run, or no results of the requested framework,
 * targets or function; PM_EFORMAT if the database is damaged. `db` is the file's name for
 * messages. */
PM_MUST_USE int pm_reading_load(struct pm_reading *r, struct pm_store *store, const char *db,
                                int64_t run_id, struct pm_error *err);
/* Reads all runs with their attempts, and all targets, but no rows. Sorts the targets as
 * pm_reading_load() does for run 0. The caller releases the reading also after an error. */
PM_MUST_USE int pm_reading_list(struct pm_reading *r, struct pm_store *store, struct pm_error *err);
/* Sets *any to whether the database has a measured run. */
PM_MUST_USE int pm_reading_any_run(struct pm_store *store, bool *any, struct pm_error *err);

/* Returns the index of the target with this name that reports, comparisons and explanations use. It
 * is the target in the newest valid run with outcomes; if no run is valid, in the newest run with
 * outcomes; otherwise in the newest run. Returns -1 if there is no such target. Only targets for
 * which `may` returns true are chosen (NULL: all). */
typedef bool pm_reading_may_fn(int target, const void *ctx);
int pm_reading_choose(const struct pm_reading *r, const char *text, pm_reading_may_fn *may,
                      const void *ctx);

void pm_reading_release(struct pm_reading *r);
/* Copies the text; the reading frees the copy. */
char *pm_reading_keep(struct pm_reading *r, const char *text);
/* Prepares pm_reading_statistic(), pm_reading_first_call() and pm_reading_reference(), after all
 * rows are loaded. */
void pm_reading_index(struct pm_reading *r);
/* Finds the index of a target of runs[run] by its id. PM_EFORMAT if the run has no such target; the
 * message says that a row of `table` refers to it. */
PM_MUST_USE int pm_reading_target(const struct pm_reading *r, const struct pm_store *store,
                                  size_t run, int64_t id, const char *table, int *index,
                                  struct pm_error *err);
/* Returns whether the target is shown. */
static inline bool pm_reading_shows(const struct pm_reading *r, int target)
{
    return (size_t)target < r->target_list.count;
}
/* Returns the index of the reference of a target, in the same run; -1 if there is none. */
int pm_reading_reference_index(const struct pm_reading *r, int target);
static inline bool pm_reading_is_reference(const struct pm_reading_target *t)
{
    return t->role == PM_ROLE_REFERENCE;
}

static inline bool pm_reading_is_noise(const struct pm_reading_target *t)
{
    return t->role == PM_ROLE_NOISE;
}

static inline bool pm_reading_is_oracle(const struct pm_reading_target *t)
{
    return t->role == PM_ROLE_ORACLE;
}

/* Returns whether a function does not work, and most of its failures have the reason that the
 * target cannot do the operation (PM_REASON_NOT_POSSIBLE). */
bool pm_reading_is_impossible(const struct pm_reading_verdict *v);
/* Returns how many runs are shown. */
size_t pm_reading_runs_shown(const struct pm_reading *r);
/* Returns the number of functions in the shards that have results in the run. */
int64_t pm_reading_shard_functions(const struct pm_reading_run *run);
/* Returns the number of the first shard after shard `after` that has no results in the run; 0 if
 * there is none. */
int64_t pm_reading_missing_shard(const struct pm_reading_run *run, int64_t after);
/* Returns a text such as "56 of 64 functions: without shard 4 (INVALID: ...), 5 of 8"; the caller
 * frees it. Returns NULL if the run has results of all shards, or is not divided. */
char *pm_reading_share(const struct pm_reading_run *run);
/* Returns "still running", "incomplete" (merged from some shards only) or "unfinished", for a run
 * that is not done. */
const char *pm_reading_unfinished(const struct pm_reading_run *run);
/* Returns the statistic with this key, such as the ratio of a function's warm calls; NULL if there
 * is none. */
const struct pm_reading_statistic *pm_reading_statistic(const struct pm_reading *r,
                                                        const struct pm_reading_key *key);

/* Returns the first call of the judgement's execution; NULL if nothing is known about it. */
const struct pm_reading_first_call *
pm_reading_first_call(const struct pm_reading *r, const struct pm_reading_judgement *judgement);

/* Returns a text that identifies a case, or a function if `name` is NULL. The caller frees it. */
char *pm_reading_case_key(int target, const char *function, const char *name);
/* Returns the cases of a function on a target, as an array inside r->cases, and their number in
 * *count. Returns NULL if there are none. */
const struct pm_reading_case *pm_reading_cases_of(const struct pm_reading *r, int target,
                                                  const char *function, size_t *count);
/* Returns the case of that name on a target, or NULL; `target` may be -1. */
const struct pm_reading_case *pm_reading_case(const struct pm_reading *r, int target,
                                              const char *function, const char *name);
/* Returns the same case on the reference of its target; NULL if there is none. */
const struct pm_reading_case *pm_reading_reference(const struct pm_reading *r,
                                                   const struct pm_reading_case *c);
enum { PM_READING_NAMED = 8 }; /* most cases that a message names */
/* Cases of a function that fail in the same way, on any target. Their messages differ only in words
 * with digits, such as numbers and generated names. */
struct pm_reading_message {
    const struct pm_reading_case **firsts; /* the first case on each target with such cases */
    size_t target_count, target_capacity;
    const struct pm_reading_case *named[PM_READING_NAMED]; /* the first cases on the first of these
                                                              targets */
    size_t count;                                          /* number of cases on this target */
    bool varies; /* the messages of the cases are not all equal */
};
struct pm_reading_messages {
    struct pm_reading_message *items;
    size_t count, capacity;
};
/* Groups the cases that do not pass, of the functions and targets of these verdicts, by message.
 * The caller releases the result. */
struct pm_reading_messages pm_reading_messages(const struct pm_reading *r,
                                               const struct pm_reading_verdict *const *verdicts,
                                               size_t verdict_count);
void pm_reading_messages_release(struct pm_reading_messages *messages);
/* Returns whether verdicts exclude a case because it fails on the reference. */
bool pm_reading_is_excluded(const struct pm_reading *r, const struct pm_reading_case *c);

/* Returns the noise floor of warm calls on a reference (index); NULL if it was not measured. */
const struct pm_reading_statistic *pm_reading_noise(const struct pm_reading *r, int reference);

/* Returns a statistic of the warm calls of a case, of a function (`name` "") or of a target (both
 * ""); NULL if there is none. */
const struct pm_reading_statistic *pm_reading_warm(const struct pm_reading *r, int target,
                                                   const char *function, const char *name,
                                                   enum pm_size size, enum pm_statistic what);
/* Returns the name under which a scan counts the calls of a function: its canonical name if
 * `function` is an alias, otherwise `function`. */
const char *pm_reading_counted_name(const struct pm_reading *r, const char *framework,
                                    const char *function);
/* Returns how often scanned code calls a function, also if the name is an alias; 0 if nothing was
 * scanned. */
int64_t pm_reading_calls(const struct pm_reading *r, const char *framework, const char *function);
/* Returns how often scanned code calls the functions of a framework; NULL if no scan counted it. */
const struct pm_reading_uses *pm_reading_uses(const struct pm_reading *r, const char *framework);
/* Returns the sample with that id; NULL if the reading does not have it. */
const struct pm_reading_sample *pm_reading_sample_of(const struct pm_reading *r, int64_t id);
/* Returns whether a shown target is compared with this reference. */
bool pm_reading_has_subject(const struct pm_reading *r, int reference);

/* Return the members "runs" and "targets" of a report in JSON, with the shown runs and targets. The
 * caller releases them. */
json_t *pm_reading_runs_json(const struct pm_reading *r);
json_t *pm_reading_targets_json(const struct pm_reading *r);

/* Returns whether the verdict of the function counts the case, and not all executions of it pass.
 * A case does not fail if all its executions are blocked. */
static inline bool pm_reading_fails(const struct pm_reading_case *c)
{
    return c->counts && c->passed + c->failed > 0 && c->failed + c->blocked > 0;
}
/* Returns the exit status of --exit-code for the shown runs. Inconclusive if a run is not valid;
 * otherwise worse if a counted case of a shown target fails; otherwise inconclusive if the
 * latencies of a run are invalid, or r->older is not empty; otherwise fine. */
enum pm_exit pm_reading_exit(const struct pm_reading *r);

#endif

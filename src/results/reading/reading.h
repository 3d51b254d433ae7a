/*
 * The data of a report, in memory: the judged rows of one run, or of the newest valid run of each
 * target (loading.h).
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

/* An attempt of a run, from a start to the next end. */
struct pm_reading_attempt {
    char *started, *finished; /* finished "": it was killed, or is still running */
    json_t *machine;
    double load_before, load_after; /* NaN: not known */
    int64_t shard;                  /* the shard that it measured; 0: the run is not divided */
};

/* A shard of the plan of a run. */
struct pm_reading_shard {
    int64_t number, functions;
    char *reason;         /* why the run has no results of the part; "": it has some */
    char *latency_reason; /* why it has no latencies of the part; "" */
    char *command;        /* measures a shard, with --shard NUMBER/COUNT */
};

enum {
    PM_READING_IMPORTS_NAMED = 3
}; /* how many clocks in which modules were imported are
    * named */

/* One run of the database. */
struct pm_reading_run {
    int64_t id, sample_id; /* sample 0: it has none */
    char *started, *reason, *latency_reason;
    char *source; /* the file from which merge copied the run; else "" */
    char *plan;   /* digest of the plan, if merge made the run from shards; else NULL */
    enum pm_run_state state;
    enum pm_validity validity, latency_validity;
    json_t *options;
    struct pm_reading_attempt *attempts;
    size_t attempt_count, attempt_capacity;
    struct pm_reading_shard *shards; /* by number; none: the run is not divided */
    size_t shard_list_count, shard_capacity;
    int64_t shard_count, shard_total; /* shards and functions of the whole plan */
    bool shown;                       /* its rows are read, and counted below */
    bool is_running;                  /* it is being measured now */
    bool passed_over; /* not shown, although newer than the shown run of one of its targets */
    int64_t executions, planned, done, retried;
    int64_t precision; /* executions that fail, and passed in exact mode */
    int64_t planted_faults_detected, planted_faults_not_applying; /* counts over all its targets */
    size_t imports;      /* clocks of cases in which modules were imported */
    char *imports_named; /* the first of them, as a list; NULL: none */
};

struct pm_reading_target {
    int64_t id;
    size_t run;             /* index */
    char *text, *reference; /* for targets of unlike nodes, with the suffix of pm_shard_apart() */
    char *framework, *version, *device_name, *environment;
    char *python, *driver_version;
    char *numeric; /* JSON object, or "": modes and settings that change results or times */
    enum pm_role role;
    enum pm_evidence evidence;
    bool latencies;
    bool hides_fallbacks; /* operations may run on the host instead, and nothing counts them */
    bool judged;          /* it has outcomes */
};

struct pm_reading_verdict {
    int target; /* index */
    char *function, *detail;
    char *reason, *rule; /* the reason of most of its failures; "": none was given */
    char *limits;        /* limits of a function that works with limits; else "" */
    enum pm_verdict verdict, verdict_paper;
    int64_t counted, passed; /* cases */
    int64_t core, core_passed;
    int64_t
        memory; /* largest resident size of its processes, bytes; 0: not known, or not for_page */
    bool host_only;
};

struct pm_reading_judgement {
    int64_t execution;
    int target;
    const char *function, *name, *dtype, *detail, *reason, *rule;
    int64_t repetition;
    enum pm_outcome outcome;
    enum pm_stage stage;
    bool case_counts; /* its case is counted in the verdict of its function */
    int64_t position; /* how many other executions its process had run before */
    enum pm_retry retry;
    bool precision; /* it fails by value, and passed in exact mode */
};

/* What is known of the first call of an execution, as in struct pm_first_call_row. */
struct pm_reading_first_call {
    int64_t execution, cold_ns, tracing_ns, lowering_ns, compiling_ns; /* -1: not known */
    int64_t running_ns; /* the rest of cold_ns; -1 unless the three other parts are known */
    int64_t compilations, recompilations, device_memory; /* -1: not known */
};

/* A case on a target, over all its executions that verdicts use. */
struct pm_reading_case {
    int64_t id;
    int target;       /* any target of a shown run, also a hidden one or the oracle */
    size_t reference; /* index + 1 of the same case on the reference of the target; 0: none */
    const char *function, *name, *dtype;
    const char *across;        /* the operation whose frameworks it compares; "" */
    const char *detail;        /* detail of the first execution that does not pass, or "" */
    const char *reason, *rule; /* those of the same execution */
    const char *by_type; /* "out[1]: m.Name and 2 more": the outputs that are compared by type only;
                            "": none, or not looked up without of_cases */
    enum pm_stage stage; /* stage of the same execution */
    enum pm_outcome outcome; /* the same; PASS if there is none. On a shown target, a case
                                that neither passes nor fails has all five of its first
                                judgement */
    int64_t passed, failed,
        blocked; /* executions, without those that are faults of portmeter or do not apply */
    int64_t repetitions;
    bool counts; /* it counts in the verdict of its function */
    bool alike;  /* all its judgements are equal: without of_executions, the reading contains only
                    one of them */
    bool expects, checks, raises, backward; /* the case has that key */
    enum pm_size size;
    enum pm_case_kind kind;
    enum pm_tier tier;
    bool no_values; /* the program that made it found that it checks no value */
    double error;   /* the largest relative tolerance that a pass of it needs; NaN: not known */
};

struct pm_reading_key {
    int target;
    enum pm_scope scope;
    const char *function, *name; /* name: the case, "" for a function; both "" for a target */
    enum pm_clock clock;
    enum pm_size size;
    enum pm_statistic what;
};

struct pm_reading_statistic {
    struct pm_reading_key key;
    double value, low, high;
    int64_t processes, reference_processes;
    bool unstable;
};

struct pm_reading_planted_fault {
    int target;
    char *name, *detail;
    enum pm_outcome expected;
    enum pm_observation observed;
    bool as_expected; /* true also if the planted fault does not apply */
};

/* The estimates of one target, by function and by use. */
struct pm_reading_estimate {
    int target;
    int64_t sample_id, members, marked;
    struct pm_interval by_function, by_use;
    double unknown_functions, unknown_uses;
};

/* A sample that the run measures, or from which estimates are computed. */
struct pm_reading_sample {
    int64_t id, scan_id;
    enum pm_rule rule;
    char *framework, *ranking; /* ranking: the file, "" for a scan */
    uint64_t seed;
    size_t ranked;
    double eligible; /* functions that could be measured */
    bool has_weights, only_tested;
};

/* A function that fails in an older valid run of a shown target, and that the shown run and all
 * runs between do not measure. */
struct pm_reading_older {
    int target;  /* index of the shown one */
    int64_t run; /* its id */
    char *function;
    enum pm_verdict verdict;
};

/* How often a corpus calls the functions of a framework: of its newest scan, by the rule that
 * resolves the most. */
struct pm_reading_uses {
    char *framework;
    int64_t scan_id, calls;
    struct pm_map by_function; /* by canonical name; uintptr_t: calls */
    struct pm_map canonical;   /* canonical names of functions with verdicts that have another name:
                                * char * */
};

/* A growing array; the comment of each use names the type of `items`. */
struct pm_reading_list {
    size_t count, capacity;
};

struct pm_recorded;
struct pm_reading {
    struct pm_reading_run *runs; /* all of the database, in order of id */
    struct pm_reading_target
        *targets; /* first the shown targets; then `hidden_targets`: references with which a subject
                     of their run is compared, but which have no rows of their own; then
                     `other_targets`: all others, without rows */
    struct pm_reading_verdict *verdicts;
    struct pm_reading_judgement *judgements; /* those that verdicts use */
    struct pm_reading_judgement *superseded; /* judgements that a retry in isolation replaced */
    struct pm_reading_case *cases;           /* by target, function, then as in the suite */
    struct pm_reading_statistic *statistics, *hidden_statistics; /* hidden: of hidden targets */
    struct pm_reading_first_call *first_calls; /* first calls on shown targets, by execution; read
                                                * if `of_executions` */
    struct pm_reading_planted_fault *planted_faults;
    struct pm_reading_estimate *estimates;
    struct pm_reading_sample *samples;
    struct pm_reading_uses *uses;
    struct pm_reading_older *older; /* newest run first; empty if one run was requested */
    struct pm_map statistic_by_key; /* hidden ones too */
    struct pm_map case_by_key;      /* index + 1 of the first case of a function on a target */
    char **strings;                 /* everything that the rows point to */
    struct pm_reading_list run_list, target_list, verdict_list, judgement_list, superseded_list,
        statistic_list;
    struct pm_reading_list case_list, hidden_statistic_list, planted_fault_list, string_list,
        estimate_list, sample_list, uses_list, first_call_list, older_list;
    size_t hidden_targets, other_targets;
    const char *framework;     /* set by the caller: show only its targets; NULL: all */
    const char *const *wanted; /* set by the caller: show only these targets; none: all */
    size_t wanted_count;
    double intolerable; /* set by the caller: the ratio above which a function is intolerable; 0:
                           PM_STAT_INTOLERABLE */
    bool shows_empty;   /* set by the caller: also show tables without rows */
    bool for_people;    /* set by the caller: equal rows become one row with a count; otherwise each
                           row is shown, with every column */
    bool for_page;      /* set by the caller: also read the rows that only pages show */
    bool of_executions; /* set by the caller: also read each judgement of cases whose judgements are
                           equal, and first calls */
    bool of_cases;      /* set by the caller: also read statistics of stable cases */
    bool (*is_running)(const struct pm_run_row *run); /* set by the caller: whether a run without an
                                                         end is being measured; NULL: none is */
    const struct pm_map *paper; /* set by the caller: const char *, the stratum of each function of
                                   the paper's sample; NULL: none is marked */
    const struct pm_recorded *recorded; /* set by the caller: the calls of a program; NULL: none */
};

static inline double pm_reading_intolerable(const struct pm_reading *r)
{
    return r->intolerable > 0 ? r->intolerable : PM_STAT_INTOLERABLE;
}

/* Reads the rows of a run; run 0 means the newest valid run of each target. PM_EUSAGE if the
 * database has no such run, or no results of the requested targets. */
PM_MUST_USE int pm_reading_load(struct pm_reading *r, struct pm_store *store, const char *db,
                                int64_t run_id, struct pm_error *err);
/* Lists all runs with their attempts, and all targets, sorted as pm_reading_load() does for run 0;
 * no rows. */
PM_MUST_USE int pm_reading_list(struct pm_reading *r, struct pm_store *store, struct pm_error *err);
PM_MUST_USE int pm_reading_any_run(struct pm_store *store, bool *any, struct pm_error *err);

/* Returns the index of the target with this name that reports, comparisons and explanations use:
 * that of its newest valid run with outcomes; if no run of it is valid, that of its newest run with
 * outcomes; else that of its newest run. -1: there is no such target. `may` (NULL: any) limits the
 * choice to the targets for which it returns true. */
typedef bool pm_reading_may_fn(int target, const void *ctx);
int pm_reading_choose(const struct pm_reading *r, const char *text, pm_reading_may_fn *may,
                      const void *ctx);

void pm_reading_release(struct pm_reading *r);
/* Copies the text; the reading frees the copy. */
char *pm_reading_keep(struct pm_reading *r, const char *text);
/* Prepares pm_reading_statistic(), pm_reading_first_call() and pm_reading_reference(), after all
 * rows are loaded. */
void pm_reading_index(struct pm_reading *r);
/* Finds the index of a target of runs[run] by its id. PM_EFORMAT if a row of `table` names an id
 * that the run does not have. */
PM_MUST_USE int pm_reading_target(const struct pm_reading *r, const struct pm_store *store,
                                  size_t run, int64_t id, const char *table, int *index,
                                  struct pm_error *err);
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

/* Returns whether a function does not work because most of its core cases are not possible.
 */
bool pm_reading_is_impossible(const struct pm_reading_verdict *v);
/* Returns how many runs are shown. */
size_t pm_reading_runs_shown(const struct pm_reading *r);
/* Counts the functions that the shards of a run measured. */
int64_t pm_reading_shard_functions(const struct pm_reading_run *run);
/* Returns the number of the first shard after `after` of which the run has no results; 0: there is
 * none. `after` 0 begins with the first shard. */
int64_t pm_reading_missing_shard(const struct pm_reading_run *run, int64_t after);
/* Returns "56 of 64 functions: without shard 4 (INVALID: ...), 5 of 8"; the caller frees. NULL: the
 * run is about all functions of its plan. */
char *pm_reading_share(const struct pm_reading_run *run);
/* Returns "still running", "incomplete" (merged from some shards only) or "unfinished", for a run
 * that is not done. */
const char *pm_reading_unfinished(const struct pm_reading_run *run);
/* Returns the statistic with this key, or NULL. A ratio, for example, of a function's warm
 * calls. */
const struct pm_reading_statistic *pm_reading_statistic(const struct pm_reading *r,
                                                        const struct pm_reading_key *key);

/* Returns the first call of an execution; NULL if nothing is known of it. */
const struct pm_reading_first_call *
pm_reading_first_call(const struct pm_reading *r, const struct pm_reading_judgement *judgement);

/* Returns a text that identifies a case, or a function if `name` is NULL. The caller frees it. */
char *pm_reading_case_key(int target, const char *function, const char *name);
/* Returns the first of the cases of a function on a target, which follow each other; NULL if there
 * are none. */
const struct pm_reading_case *pm_reading_cases_of(const struct pm_reading *r, int target,
                                                  const char *function, size_t *count);
/* Returns the case of that name on a target, or NULL; `target` may be -1. */
const struct pm_reading_case *pm_reading_case(const struct pm_reading *r, int target,
                                              const char *function, const char *name);
/* Returns the same case on the reference of its target; NULL if there is none. */
const struct pm_reading_case *pm_reading_reference(const struct pm_reading *r,
                                                   const struct pm_reading_case *c);
/* Cases of a function that fail in the same way, on any target: their messages differ only in words
 * with digits: numbers, and names that are made up for one process. */
enum { PM_READING_NAMED = 8 };
struct pm_reading_message {
    const struct pm_reading_case **firsts; /* its first case on each target that has it */
    size_t target_count, target_capacity;
    const struct pm_reading_case *named[PM_READING_NAMED]; /* on the first of these targets */
    size_t count;                                          /* how many cases it has there */
    bool varies; /* the messages of the other cases contain other numbers */
};
struct pm_reading_messages {
    struct pm_reading_message *items;
    size_t count, capacity;
};
/* Returns the messages of the function that these verdicts are about; released by the caller. */
struct pm_reading_messages pm_reading_messages(const struct pm_reading *r,
                                               const struct pm_reading_verdict *const *verdicts,
                                               size_t verdict_count);
void pm_reading_messages_release(struct pm_reading_messages *messages);
/* Returns whether a case is in no verdict because its reference fails. */
bool pm_reading_is_excluded(const struct pm_reading *r, const struct pm_reading_case *c);

/* Returns the noise floor of warm calls on a reference; NULL: it was not measured. */
const struct pm_reading_statistic *pm_reading_noise(const struct pm_reading *r, int reference);

/* Returns the statistic of warm calls of a function, or of one of its cases (`name`, else ""), or
 * NULL. */
const struct pm_reading_statistic *pm_reading_warm(const struct pm_reading *r, int target,
                                                   const char *function, const char *name,
                                                   enum pm_size size, enum pm_statistic what);
/* Returns the name under which the calls of a function in scanned code are counted: its canonical
 * name, if a case names it by an alias. */
const char *pm_reading_counted_name(const struct pm_reading *r, const char *framework,
                                    const char *function);
/* Returns the calls of such a function in the scanned code; 0 if nothing was scanned. */
int64_t pm_reading_calls(const struct pm_reading *r, const char *framework, const char *function);
/* Returns how often code uses the functions of a framework; NULL if no code was scanned for it. */
const struct pm_reading_uses *pm_reading_uses(const struct pm_reading *r, const char *framework);
/* Returns the sample of that id; NULL if the reading has none. */
const struct pm_reading_sample *pm_reading_sample_of(const struct pm_reading *r, int64_t id);
/* Returns whether a shown target is compared with this reference. */
bool pm_reading_has_subject(const struct pm_reading *r, int reference);

/* Returns the members "runs" (those that are shown) and "targets" of a report in JSON; the caller
 * owns them. */
json_t *pm_reading_runs_json(const struct pm_reading *r);
json_t *pm_reading_targets_json(const struct pm_reading *r);

/* Returns whether a case is counted in the verdict of its function, and does not pass in all
 * executions. */
static inline bool pm_reading_fails(const struct pm_reading_case *c)
{
    return c->counts && c->passed + c->failed > 0 && c->failed + c->blocked > 0;
}
/* Returns the exit status of --exit-code for the shown runs. Inconclusive if the outcomes of one
 * are not valid; else worse if a counted case of a shown target fails; else inconclusive if
 * latencies of one are invalid, or a function that fails in an older run was not measured again. */
enum pm_exit pm_reading_exit(const struct pm_reading *r);

#endif

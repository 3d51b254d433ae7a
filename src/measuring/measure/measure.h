/*
 * Measuring: from targets and case files to a run in the store.
 *
 *     struct pm_run_options options = {.db = "x.db", .targets = targets, .target_count = 1, ...};
 *     struct pm_run_summary summary;
 *     PM_TRY(pm_measure_run(&options, &messages, &summary, err));
 *
 * A run is planned (targets, references, oracle, cases), its executions are written to the store as
 * 'todo', and the pool's drivers execute them; each answer is committed. `resume` continues a run
 * that was stopped or killed at any moment. The room `assess` judges.
 */
#ifndef PM_MEASURE_MEASURE_H
#define PM_MEASURE_MEASURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/request.h"
#include "base/shard.h"
#include "base/str.h"
#include "base/vocabulary.h"
#include "store/runs.h"

#define PM_ISOLATIONS(X, P) X(P, CASE, "case") X(P, FUNCTION, "function") X(P, WORKER, "worker")
PM_WORDS(isolation, PM_ISOLATIONS, PM_ISOLATION);

/* The command that made a run. It is a stored option, by which `portmeter study` finds its own
 * runs. */
#define PM_RUN_COMMANDS(X, P) X(P, RUN, "run") X(P, STUDY, "study")
PM_WORDS(run_command, PM_RUN_COMMANDS, PM_COMMAND);

/* When a child stops measuring warm timings of a call. Before the timings, it makes uncounted calls
 * for `warmup_ns`. It stops after `timings` timings; after at least `enough` timings that took
 * `work_ns` in total; after at least `least` timings that took `budget_ns`; or after one timing
 * longer than `long_ns`. If calls return only when they are done, one timing of a short call
 * consists of as many calls as are needed for half of `timings` to take `work_ns`. */
struct pm_warm_rule {
    unsigned timings, enough, least;
    uint64_t warmup_ns, work_ns, budget_ns, long_ns;
};
#define PM_WARM_RULE_DEFAULT                                                                       \
    {                                                                                              \
        .timings = 100, .enough = 30, .least = 5, .warmup_ns = 5000000, .work_ns = 10000000,       \
        .budget_ns = 100000000, .long_ns = 1000000000                                              \
    }
#define PM_WARM_RULE_TEXT "timings=100,enough=30,least=5,warmup=5ms,work=10ms,budget=100ms,long=1s"
/* Parses a rule in the form of PM_WARM_RULE_TEXT, the default: parts in any order. A missing part
 * has the default value, but no count exceeds `timings`. PM_EUSAGE, with a message about
 * --warm, if it is invalid. */
PM_MUST_USE int pm_warm_rule_parse(const char *text, struct pm_warm_rule *out,
                                   struct pm_error *err);
/* Appends the rule in the same form, with all parts. */
void pm_warm_rule_text(const struct pm_warm_rule *rule, struct pm_str *out);

/* The mean time of a process, in seconds, up to which a function is quick (more_repetitions). */
enum { PM_QUICK_S = 5 };

/* The upper limits of --repetitions, --threads, --jobs, --timeout and --cases. PM_NOISE_ALL: the
 * value of `noise` that means all functions. */
enum {
    PM_MOST_REPETITIONS = 10000,
    PM_MOST_THREADS = 4096,
    PM_MOST_JOBS = 1024,
    PM_MOST_TIMEOUT_S = 1000000,
    PM_MOST_CASES = 1000000,
    PM_NOISE_ALL = 1000000000
};

struct pm_store;
/* Judges the executions of a run so far, and plans retries in its database as rows 'todo' with
 * their reason. It is called again after these retries have run, until it adds none. */
typedef int pm_retries_fn(struct pm_store *store, int64_t run_id,
                          const struct pm_retry_round *round, struct pm_error *err);

struct pm_run_options {
    const char *db;
    const char *copy;  /* a file to which the whole database is copied every few minutes and at the
                          end of the run; NULL: none */
    const char *local; /* for pm_run(): a folder for a copy of the database, which the run then
                          writes; NULL: none */
    const char *const *targets;
    size_t target_count;
    const char *const *suites; /* files and folders; none: the framework's own suite */
    size_t suite_count;
    bool census; /* the censuses that come with portmeter, instead of suites */
    bool by_use; /* measure latencies of the most used functions first, by the newest scan of each
                    framework */
    const char *const *functions; /* globs; none: all */
    size_t function_count;
    const char *only;               /* a file of function names, one per line; NULL: all */
    int64_t sample;                 /* only the functions of that sample of the database; 0: no such
                                       restriction, PM_NEWEST: the newest of the framework */
    bool kinds[PM_CASE_KIND_COUNT]; /* only cases of these kinds; none: all kinds */
    unsigned most_cases; /* of each function: core cases first, then other dtypes, then edge cases,
                            spread evenly over the cases of a kind; 0: all of them */
    enum pm_run_mode mode;
    unsigned repetitions; /* processes per case; 0: 3 if timed, else 1; references: at least 2 */
    /* Processes per case of quick functions, whose processes take at most PM_QUICK_S on average on
     * each target; 0: as many as for all others. */
    unsigned more_repetitions;
    double more_within_s; /* adds these processes, for the quickest functions first, only as long as
                             the run is expected to end within this time after its start; 0: no
                             limit */
    bool untimed_check; /* the second repetition of each reference, which shows whether its results
                           repeat, is not timed; `repetitions` counts only timed processes */
    double timeout_s;   /* time limit of an execution; 0: 900 */
    uint64_t memory;    /* RLIMIT_DATA of a child in bytes; 0: none */
    struct pm_warm_rule warm;
    unsigned threads; /* 0: the physical cores */
    unsigned jobs;    /* parallel children while nothing is timed; 0: the cores */
    bool outcomes_only;
    bool keep_values; /* keep all values of outputs; if false, judging deletes those that agree */
    unsigned
        noise; /* the number of functions, spread evenly over the suite, that are timed a second
                  time on the reference for the noise floor; 0: none; PM_NOISE_ALL: all */
    enum pm_isolation isolation;
    int64_t seed;
    bool rehearse;          /* outputs only, for `suite check` */
    pm_retries_fn *retries; /* NULL: nothing is retried */
    enum pm_run_command command;
    struct pm_shard shard;    /* only this part of the functions; count 0: all of them */
    const char *balance;      /* a database whose durations make the shards take equally long; NULL:
                                 the name of a function decides its shard */
    const char *command_line; /* for a shard: the command line without --shard, --db and --local;
                                 NULL: unknown */
    int64_t resume; /* 0: a new run. The number of a run to continue, or PM_NEWEST for the newest
                       unfinished one. Every option but `db` is that of the run; a larger
                       `repetitions` adds processes, also to a finished run */
};

struct pm_run_summary {
    int64_t run_id; /* 0: a shard without functions, for which nothing is stored */
    size_t planned, done;
    bool valid;
    char reason[1024];    /* if it is not valid */
    bool latencies_valid; /* a busy machine can make only the latencies invalid */
    char latency_reason[1024];
    uint64_t peak_memory, peak_scratch; /* pm_pool_peak_memory() and ..._scratch(); bytes */
};

/* Measures and fills *out, without judging. PM_EUSAGE: the options are invalid. PM_ESTOPPED: the
 * user stopped the run; if it was stored, it can be resumed, and the error says how. Other errors:
 * the run failed; the database keeps the results so far. */
PM_MUST_USE int pm_measure_run(const struct pm_run_options *options,
                               const struct pm_messages *messages, struct pm_run_summary *out,
                               struct pm_error *err);

/* ---- what a run would measure ---------------------------------------------------------------- */

struct pm_preview_target {
    char *text;
    enum pm_role role;
    bool latencies;
    size_t functions, cases, executions, more; /* more: additional executions by more_repetitions */
    double execution_s; /* mean time that a process takes for one execution */
    int64_t
        from_run; /* the run that the times are from; 0: they are typical times of the framework */
};
struct pm_preview {
    struct pm_preview_target *targets;
    size_t target_count;
    size_t functions, cases; /* of several targets, counted once */
    size_t executions;       /* of all targets, without their `more` */
    double seconds; /* expected, from the start of the run to its end, with the additional processes
                       that fit into more_within_s */
    uint64_t bytes, most_bytes; /* typical growth of the database; most_bytes: before the run is
                                   judged, which deletes values that agree */
};
/* Plans a new run as pm_measure_run() does, but starts no framework and stores nothing. The times
 * of a target are from the newest finished run of the database that measured it in the same way,
 * with or without latencies. If there is none, they are typical times. The errors are those of the
 * plan. The caller releases *out. */
PM_MUST_USE int pm_measure_preview(const struct pm_run_options *options, struct pm_preview *out,
                                   struct pm_error *err);
void pm_preview_release(struct pm_preview *preview);

/* ---- one case, in the foreground ------------------------------------------------------------- */

struct pm_foreground_answer {
    char *target, *function, *name; /* what ran */
    json_t *result; /* checked header of the RESULT frame (docs/internals/protocol.md); NULL: no
                       answer */
    bool wrong;     /* no answer, or a failure that a new process might not repeat */
    enum pm_ending_kind ending; /* ending of its process */
    int code;                   /* exit status or signal number; 0: neither is known */
    enum pm_stage stage;        /* the last stage that began, if there is no answer */
    char *text;                 /* what else is known about the ending; "" if nothing */
};
/* Runs one case in this process's terminal, so that a debugger or a print works: the child uses the
 * streams and the keyboard of this process (pool.h, "foreground"). The job and the setting are
 * those of a run that measures outcomes; there is one process, no reference, no self-check, no
 * retry, and no deadline unless options->timeout_s is given. Nothing is stored.
 *
 * It uses these members of `options`: targets (one; none: the suite's reference target of the
 * framework that the function belongs to), functions (one name), suites, timeout_s, memory,
 * threads, seed. `name` is the case, as in "rows[float32]", or "rows" if it has one dtype.
 * The caller releases *out, also after an error. PM_EUSAGE if the name does not mean exactly one
 * case; PM_EIO if the target cannot be measured; PM_ESTOPPED if the user stops it. */
PM_MUST_USE int pm_measure_foreground(const struct pm_run_options *options, const char *name,
                                      const struct pm_messages *messages,
                                      struct pm_foreground_answer *out, struct pm_error *err);
void pm_foreground_answer_release(struct pm_foreground_answer *answer);

/* ---- the runs of a database ----------------------------------------------------------------- */

/* Checks all of these runs, then removes them. PM_EUSAGE, before any is removed, if one is missing,
 * or is protected and `force` is false; PM_EBUSY while a run of the database is being measured. */
PM_MUST_USE int pm_measure_runs_remove(const char *db, const int64_t *ids, size_t count, bool force,
                                       struct pm_error *err);
/* Protects all of these runs from removal; if `keep` is false, ends the protection. PM_EUSAGE, with
 * no change, if one is missing; PM_EBUSY while a run of the database is being measured. */
PM_MUST_USE int pm_measure_runs_keep(const char *db, const int64_t *ids, size_t count, bool keep,
                                     struct pm_error *err);

struct pm_run_row;
/* Returns whether the run is being measured now, as far as this machine can detect. */
bool pm_measure_run_is_live(const struct pm_run_row *run);

/* Finds the newest run of `portmeter study` in the database, if it is unfinished. */
struct pm_unfinished_study {
    int64_t run_id;       /* 0: there is none, or it is finished */
    size_t planned, done; /* executions */
    bool outcomes_only;   /* true for the first part of a study, and for a study with --quick */
    const char *differs;  /* an option that differs from `asked`; NULL: it is the same run */
};
PM_MUST_USE int pm_measure_find_study(const struct pm_run_options *asked,
                                      struct pm_unfinished_study *out, struct pm_error *err);

/* Finds the newest run of the database that measures asked->shard. */
struct pm_measured_shard {
    int64_t run_id;      /* 0: there is none */
    bool finished;       /* measured to its end */
    bool valid;          /* its outcomes are valid; only for a finished run */
    const char *differs; /* an option that differs from `asked`; NULL: it is the same plan */
};
PM_MUST_USE int pm_measure_find_shard(const struct pm_run_options *asked,
                                      struct pm_measured_shard *out, struct pm_error *err);

#endif

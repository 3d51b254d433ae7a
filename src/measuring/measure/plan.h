/*
 * The plan of a run: targets with their references and oracle, executions, and the groups that
 * children run. Private to the room.
 *
 * Steps: pm_measure__plan_targets() -> pm_measure__plan_cases() -> pm_measure__plan_executions(),
 * or pm_measure__plan_resume() for --resume -> pm_measure__plan_groups(). Indices into
 * plan->targets and plan->executions are stable.
 */
#ifndef PM_MEASURE_PLAN_H
#define PM_MEASURE_PLAN_H

#include "environment/environment.h"
#include "measure/measure.h"
#include "pool/pool.h"
#include "sample/calls.h"
#include "store/store.h"
#include "suite/suite.h"

enum { NO_TARGET = -1, CHECK_REPETITION = 1 };

struct plan_target {
    struct pm_target target;
    const struct pm_environment *environment;
    enum pm_role role;
    int64_t id;    /* in the store */
    int reference; /* index of the target whose results are the reference; itself for a reference */
    bool latencies;       /* this run measures its latencies */
    unsigned repetitions; /* processes per case, including untimed ones */
    bool checks; /* its repetition CHECK_REPETITION is not timed, and only shows whether results
                    repeat */
    size_t planned, done;                  /* executions that are not retries */
    struct pm_driver_command bound, loose; /* threads bound to cores, or not */
    struct pm_driver bound_driver, loose_driver;
    bool described; /* the store knows its versions and its device */
    char *version;  /* version of the framework, from the environment; "" if unknown */
    const struct pm_suite *suite;
};

struct plan_execution {
    int target;
    const struct pm_case *test;
    size_t number; /* index in plan->cases */
    int64_t case_id, id;
    unsigned repetition;
    enum pm_retry retry;        /* NONE, or why it is retried, in a process of its own */
    int64_t kills, kills_alone; /* number of supervisors that died while it ran; kills_alone: how
                                   many of the last ones in a row ran only this execution, without
                                   a commit between them */
    bool done;
};

/* Returns whether an execution of a target is timed, unless it is a retry. */
static inline bool pm_measure__is_timed(const struct plan_target *target, unsigned repetition)
{
    return target->latencies && !(target->checks && repetition == CHECK_REPETITION);
}

/* The phases of a run, in order. In the timed phases and in the phase of suspects, one child runs
 * at a time. Suspects are executions that were running when a supervisor died. A retry is not
 * timed. */
enum plan_phase {
    PHASE_PLANTED_FAULTS,
    PHASE_CALIBRATION,
    PHASE_OUTCOMES,
    PHASE_LATENCIES,
    PHASE_SUSPECTS,
    PHASE_RETRIES,
    PHASE_COUNT
};

struct plan_planted_fault;

/* Executions of one target that share a child. */
struct plan_group {
    int target;
    enum plan_phase phase;
    size_t *executions;
    size_t count, next;
    struct plan_planted_fault *planted_fault; /* what it runs instead of executions; NULL: none */
    unsigned false_starts;                    /* children that ended before their first job */
};

/* The groups of a phase in their order of execution; new ones are appended. */
struct plan_queue {
    struct plan_group **groups;
    size_t count, capacity, next;
};

struct plan {
    const struct pm_run_options *options;
    struct pm_environments environments;
    struct plan_target *targets;
    size_t target_count;
    struct pm_suite *suites; /* one per framework */
    size_t suite_count;
    struct pm_digest suite_digest; /* digest of all suites */
    const struct pm_case **cases;  /* the cases of the run */
    size_t case_count;
    bool *for_noise;        /* for each case: the second measurement of a reference includes it */
    size_t *process_of;     /* for each case, the first case that needs the same kind of process */
    const json_t *stored;   /* options of the run to resume, borrowed; NULL: a new run */
    size_t total_functions; /* functions of all shards */
    size_t functions;       /* functions of the shard; without shards, all of them */
    struct pm_digest
        digest;      /* for a new shard: digest of the plan that all its shards have in common */
    char **untested; /* functions chosen by --only or --sample that have no case */
    size_t untested_count;
    int64_t sample_id; /* 0: none */
    json_t *surface;   /* by framework, the names that a census counts (pm_census_counts()) */
    struct pm_sample_calls *calls; /* by suite, for by_use: calls in scanned code; NULL: not read */
    struct plan_execution *executions;
    size_t execution_count;
    size_t planned; /* number of executions that are not retries */
    struct plan_queue queues[PHASE_COUNT];
    unsigned threads, jobs;
};

/* Parses the targets, finds their environments, and adds references and targets for the noise
 * floor. */
PM_MUST_USE int pm_measure__plan_targets(struct plan *plan, struct pm_error *err);
/* Loads the suites and keeps the cases that --function, --only and --sample choose. */
PM_MUST_USE int pm_measure__plan_cases(struct plan *plan, struct pm_error *err);
/* Writes targets, cases and 'todo' executions of a new run to the store (in the caller's
 * transaction). */
PM_MUST_USE int pm_measure__plan_executions(struct plan *plan, struct pm_store *store,
                                            int64_t run_id, struct pm_error *err);
/* Returns how many processes the case of a quick function has on a target if more_repetitions are
 * added; 0: none can be added. */
unsigned pm_measure__plan_more_of(const struct plan *plan, const struct plan_target *t);
/* Returns how many executions of case k a new run has on a target; 0: the target does not run it.
 */
unsigned pm_measure__plan_repetitions(const struct plan *plan, const struct plan_target *t,
                                      size_t k);
/* Reads the executions of a resumed run, and writes the repetitions that the store lacks (in the
 * caller's transaction). PM_EUSAGE if a target, the version or interpreter of a framework,
 * or a case changed, or if the plan has fewer repetitions than the run. */
PM_MUST_USE int pm_measure__plan_resume(struct plan *plan, struct pm_store *store, int64_t run_id,
                                        struct pm_error *err);
/* Adds the retries of the store: the rows 'todo', when all other executions are done. Each retry
 * has a group of its own. *added: the number of retries. */
PM_MUST_USE int pm_measure__plan_retries(struct plan *plan, struct pm_store *store, int64_t run_id,
                                         size_t *added, struct pm_error *err);
/* Writes the additional repetitions of quick functions (more_repetitions) to the store, in the
 * caller's transaction, and groups them. Call it after all timed executions have run. The quickest
 * functions come first, until the expected time exceeds `left_ns`; negative: no limit. *added: the
 * number of new executions, without those that the store has already. */
PM_MUST_USE int pm_measure__plan_more(struct plan *plan, struct pm_store *store, int64_t run_id,
                                      int64_t left_ns, size_t *added, struct pm_error *err);
/* Groups unfinished executions by isolation and phase. The seed shuffles the groups of each phase
 * and the cases of each process. Each repetition rotates the cases, so that another case is first.
 * The order is the same on every target, without the cases that a target does not run or has run.
 */
void pm_measure__plan_groups(struct plan *plan);
/* Reads how often scanned code calls each function, for `by_use`; call it before grouping. */
PM_MUST_USE int pm_measure__plan_calls(struct plan *plan, struct pm_store *store,
                                       struct pm_error *err);
/* Appends an empty group to the queue of the phase, and returns it; the plan owns it. */
struct plan_group *pm_measure__plan_add_group(struct plan *plan, int target, enum plan_phase phase);
void pm_measure__plan_release(struct plan *plan);

/* ---- kinds.c -------------------------------------------------------------------------------- */

/* Appends to plan->cases the cases of a function that --kind and --cases choose: core cases first,
 * then other dtypes, then edge cases. They keep the order of the file. */
void pm_measure__take_function(struct plan *plan, const struct pm_suite *suite,
                               const struct pm_function *function);
/* Fails with PM_EUSAGE if the store has results of a case of the plan as another kind, and its file
 * does not say why it changed. */
PM_MUST_USE int pm_measure__check_kinds(const struct plan *plan, struct pm_store *store,
                                        struct pm_error *err);

/* ---- shard.c -------------------------------------------------------------------------------- */

/* Keeps in plan->cases only the cases of the run's shard, and computes the digest of the whole
 * plan. Without shards, only counts functions. A resumed run keeps the functions that it began
 * with. */
PM_MUST_USE int pm_measure__take_shard(struct plan *plan, struct pm_error *err);
/* Stores which shard of which plan the run measures. */
PM_MUST_USE int pm_measure__store_shard(const struct plan *plan, struct pm_store *store,
                                        int64_t run_id, const char *uuid, struct pm_error *err);

/* ---- order.c -------------------------------------------------------------------------------- */

/* The place of a case among the `of` cases that may share its process; `of` is 0 if no target runs
 * it. */
struct plan_order {
    size_t rank, of;
};
/* Returns the order of each case of the plan; runs[k]: case k runs on a target. The caller frees
 * it. */
struct plan_order *pm_measure__order_make(const struct plan *plan, const bool *runs);
/* Sorts the executions of a group, which have one repetition. */
void pm_measure__order_apply(const struct plan *plan, const struct plan_order *order,
                             struct plan_group *group);

/* Returns whether the children of a group measure latencies. */
static inline bool pm_measure__group_times(const struct plan *plan, const struct plan_group *group)
{
    return group->phase == PHASE_CALIBRATION || group->phase == PHASE_LATENCIES ||
           (group->phase == PHASE_SUSPECTS && plan->targets[group->target].latencies);
}

/* Returns whether the children of a phase run one at a time. */
static inline bool pm_measure__phase_is_single(enum plan_phase phase)
{
    return phase == PHASE_CALIBRATION || phase == PHASE_LATENCIES || phase == PHASE_SUSPECTS;
}

/* Returns how many threads a child may compute with in an untimed phase. */
unsigned pm_measure__plan_loose_threads(const struct plan *plan);

#endif

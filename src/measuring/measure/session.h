/*
 * The state of a run while it is measured, for the pool's callbacks. Private to the room.
 *
 * A child runs the executions of one group. After an execution that fails or ends the child, a new
 * child runs the rest. When all executions have run, options->retries judges them and plans
 * retries. An execution that failed in a process that others had used is retried alone in a
 * process. Wrong values may be retried in exact mode. Each retry has a row of its own.
 */
#ifndef PM_MEASURE_SESSION_H
#define PM_MEASURE_SESSION_H

#include "measure/answer.h"
#include "measure/plan.h"
#include "measure/resume.h"
#include "text/progress.h"

struct session_child {
    struct plan_group *group;
    unsigned slot;
    int64_t row;                    /* its id in the store; 0: not stored yet */
    size_t jobs;                    /* number of jobs given to it so far */
    struct plan_execution *current; /* the execution that it runs; NULL: none, or a planted fault */
    bool spent;                     /* it must not get another job */
    json_t *started;                /* header of its STARTED frame; NULL before that arrives */
};

struct planted_faults;

struct session {
    const struct pm_run_options *options;
    const struct pm_messages *messages;
    struct plan plan;
    struct pm_store *store;
    struct pm_pool *pool;
    struct planted_faults *planted_faults;
    int64_t run_id, attempt; /* attempt: number of this start or resumption of the run */
    char *uuid, *scratch;
    int lock;                   /* lock of the scratch folder; -1: not held */
    int flight;                 /* the file of running executions; -1: none */
    struct earlier_run earlier; /* the run to resume; id 0: the run is new */
    char **unusable; /* by target: why it cannot be used, or NULL. Set only for the oracle: any
                        other unusable target ends the run. */
    enum plan_phase phase;
    unsigned running;      /* number of children that run now */
    unsigned false_starts; /* children in a row that ended before they could take a job */
    bool in_transaction;
    bool searched; /* this attempt has already looked for retries */
    uint64_t
        began; /* start of this attempt by pm_clock_now(), minus the duration of earlier attempts */
    uint64_t last_commit, last_copy;
    size_t done, failing;
    struct pm_progress progress;
    struct session_child **children; /* running children, by slot */
};

/* Fills the pool's policy with the session's callbacks. */
struct pm_pool_policy pm_measure__session_policy(struct session *session);

void pm_measure__session_child_free(struct session_child *child); /* accepts NULL */

/* Returns the setting of the child of a group (docs/internals/protocol.md). The pool owns it. */
json_t *pm_measure__setting(const struct session *session, const struct plan_group *group);

/* Handles a child that ended before its first job, which no case can have caused: turns its ending
 * into PM_ENDING_START. Returns the text that *ending then borrows; the caller frees it. */
char *pm_measure__false_start(struct pm_ending *ending);
/* Counts a false start. PM_EIO if there were so many in a row that every later child would fail
 * too. */
PM_MUST_USE int pm_measure__false_start_count(struct session *session,
                                              const struct plan_group *group,
                                              const struct pm_ending *ending, struct pm_error *err);

/* Commits the open transaction. */
PM_MUST_USE int pm_measure__session_commit(struct session *session, struct pm_error *err);

/* ---- planted faults: faults that a run must detect to be valid --------------------- */

/* Loads suites/planted-faults/<framework>.yaml of every framework and queues them for every target.
 */
PM_MUST_USE int pm_measure__planted_faults_plan(struct session *session, struct pm_error *err);
void pm_measure__planted_faults_release(struct planted_faults *planted_faults);

/* Return the case of a planted fault, whether this child runs it with its fault, its time limit in
 * ms, and its memory limit in bytes (0: that of the run). */
const struct pm_case *
pm_measure__planted_fault_case(const struct plan_planted_fault *planted_fault);
bool pm_measure__planted_fault_misbehaves(
    const struct plan_planted_fault *planted_fault); /* false: on the reference, without it */
unsigned pm_measure__planted_fault_timeout_ms(const struct plan_planted_fault *planted_fault);
uint64_t pm_measure__planted_fault_memory(const struct plan_planted_fault *planted_fault);

void pm_measure__planted_fault_answered(struct plan_planted_fault *planted_fault,
                                        const struct pm_frame *result);
void pm_measure__planted_fault_ended(struct plan_planted_fault *planted_fault,
                                     const struct pm_ending *ending);

/* Judges the planted faults of a phase, after it. Returns true if calibration must be retried (its
 * groups are queued), because a busy machine can disturb it. */
bool pm_measure__planted_faults_again(struct session *session, enum plan_phase phase);
/* After the phases of outcomes and of latencies: repeats failed calibration, once per phase,
 * because only a load spike may have disturbed it. Returns true if its groups are queued; the phase
 * of calibration must be the next one then. */
bool pm_measure__planted_faults_later(struct session *session, enum plan_phase phase);
/* Stores the planted faults, and sets the validity in *out: the run is invalid if a planted fault
 * was not detected. Failed calibration makes only the latencies invalid. */
PM_MUST_USE int pm_measure__planted_faults_store(struct session *session,
                                                 struct pm_run_summary *out, struct pm_error *err);

/* ---- the machine ------------------------------------------------------------------------ */

/* Describes the machine as JSON: processor, cores, memory, kernel. The caller owns it. */
json_t *pm_measure__machine_describe(void);
/* Returns the load average of the last minute; NaN if it is unknown. */
double pm_measure__machine_load(void);

/* Returns the options of a run as JSON, with the paths of this machine. The caller owns it. */
json_t *pm_measure__options_json(const struct pm_run_options *options, const struct plan *plan,
                                 const char *scratch);
/* Returns the options that all shards of a plan have in common. They contain no paths, which can
 * differ between machines: the digest of a plan uses the digest of the suite and the names of
 * functions instead. The caller owns them. */
json_t *pm_measure__options_of_plan(const struct pm_run_options *options);
/* Return the two parts of these options that are stored (pm_run_row), as JSON text. Shared: all
 * options except the scratch folder, without the names of users. Paths: only the paths, as they
 * are. The caller frees. */
char *pm_measure__options_shared(const json_t *options);
char *pm_measure__options_paths(const json_t *options);
/* Returns the first command-line option that differs between stored options and `asked`; NULL if
 * none does. */
const char *pm_measure__options_differ(const json_t *stored, const struct pm_run_options *asked);
/* Reads options from JSON; strings of *out are borrowed from `json` and *lists, which the caller
 * frees, even after a failure. PM_EFORMAT if a value is invalid. */
PM_MUST_USE int pm_measure__options_from_json(const json_t *json, struct pm_run_options *out,
                                              const char ***lists, struct pm_error *err);

#endif

/*
 * One run under way: what the pool's callbacks need between calls. Private to the room.
 *
 * A child takes the executions of one group. What goes wrong in a child that had run something
 * before it (raised, harness, died) is tried again alone, and that second answer is the committed
 * one; the first stands beside it as a note: 'own' where it went wrong alone too, 'inherited' where
 * it did not. The first job of a child has nobody to inherit from, and a deadline is never tried
 * twice.
 */
#ifndef PM_MEASURE_SESSION_H
#define PM_MEASURE_SESSION_H

#include "measure/answer.h"
#include "measure/plan.h"
#include "measure/resume.h"
#include "report/progress.h"

struct session_child {
    struct plan_group *group;
    unsigned slot;
    int64_t row;                    /* in the store; 0 before its first answer */
    size_t jobs;                    /* handed out so far */
    struct plan_execution *current; /* out, not answered; NULL for a canary too */
    bool spent;                     /* it must not be given another job */
    json_t *started;                /* STARTED frame, NULL before */
};

struct canaries;

struct session {
    const struct pm_run_options *options;
    const struct pm_messages *messages;
    struct plan plan;
    struct pm_store *store;
    struct pm_pool *pool;
    struct canaries *canaries;
    int64_t run_id;
    char *uuid, *scratch;
    int lock; /* of the scratch folder; -1: not held */
    struct earlier_run earlier; /* that is resumed; id 0: the run is new */
    char **unusable; /* a target: why it cannot be used (the oracle only; others end the run) */
    enum plan_phase phase;
    unsigned running; /* children */
    bool in_transaction;
    uint64_t last_commit;
    size_t done, failing;
    struct pm_progress progress;
    struct session_child **children; /* those under way, by slot */
};

/* Fills the pool's policy with the session's callbacks. */
struct pm_pool_policy pm_measure__session_policy(struct session *session);

void pm_measure__session_child_free(struct session_child *child); /* accepts NULL */

/* Commits what is open. */
PM_MUST_USE int pm_measure__session_commit(struct session *session, struct pm_error *err);

/* ---- canaries: what a run must be able to tell apart before it is believed ------------------ */

/* Loads suites/canaries/<framework>.yaml of every framework and queues them for every target. */
PM_MUST_USE int pm_measure__canaries_plan(struct session *session, struct pm_error *err);
void pm_measure__canaries_release(struct canaries *canaries);

/* The job, the limits and the child's part in the comparison of a canary's group. */
const struct pm_case *pm_measure__canary_case(const struct plan_canary *canary);
bool pm_measure__canary_misbehaves(const struct plan_canary *canary); /* false: it is the reference */
unsigned pm_measure__canary_timeout_ms(const struct plan_canary *canary);
uint64_t pm_measure__canary_memory(const struct plan_canary *canary);

void pm_measure__canary_answered(struct plan_canary *canary, const struct pm_frame *result);
void pm_measure__canary_ended(struct plan_canary *canary, const struct pm_ending *ending);

/* When the phase is over: tells what was seen; true where calibration must be tried again (and its
 * groups are queued), because a busy machine can spoil it once. */
bool pm_measure__canaries_again(struct session *session, enum plan_phase phase);
/* Writes them to the store; *valid and `reason` say whether all were told apart. */
PM_MUST_USE int pm_measure__canaries_store(struct session *session, bool *valid,
                                           char reason[static 1024], struct pm_error *err);

/* ---- what it runs on ------------------------------------------------------------------------ */

/* Processor, cores, memory, kernel, load: JSON, the caller's. `before` (may be NULL) is an earlier
 * one, whose load is kept as load_before. */
json_t *pm_measure__machine_describe(const json_t *before);

/* The options of a run as JSON. */
json_t *pm_measure__options_json(const struct pm_run_options *options, const struct plan *plan,
                                 const char *scratch);
/* The first option of the command line in which a run with these stored options is another than one
 * that is asked for now; NULL where it is the same. */
const char *pm_measure__options_differ(const json_t *stored, const struct pm_run_options *asked);
/* And back; strings of *out are borrowed from `json` and from *lists, which the caller frees, after
 * a failure too. PM_EFORMAT where a value is none that a run can have. */
PM_MUST_USE int pm_measure__options_from_json(const json_t *json, struct pm_run_options *out,
                                              const char ***lists, struct pm_error *err);

#endif

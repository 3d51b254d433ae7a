/* Executions of a run, planned and done, and the child processes that ran them. Rows, errors and
 * ownership are as in store/store.h. */
#ifndef PM_STORE_EXECUTIONS_H
#define PM_STORE_EXECUTIONS_H

#include "store/store.h"

struct pm_child_row {
    int64_t id, run_id, target_id;
    int64_t pid;
    enum pm_ending_kind ending; /* this member and those below are as in struct pm_ending */
    const char *text, *output;
    int64_t code, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays;
    int64_t startup_ns;  /* -1 if it did not finish its start-up */
    const char *started; /* JSON: the STARTED frame, or "" */
    int64_t threads;
};
/* Adds a child when its first answer arrives, with the data known so far; pm_store_finish_child()
 * adds how it ended. */
PM_MUST_USE int pm_store_add_child(struct pm_store *store, const struct pm_child_row *child,
                                   int64_t *id, struct pm_error *err);
PM_MUST_USE int pm_store_finish_child(struct pm_store *store, const struct pm_child_row *child,
                                      struct pm_error *err);

struct pm_execution_row {
    int64_t id, run_id, target_id, case_id, repetition;
    enum pm_retry retry; /* NONE, or why it is a retry */
    enum pm_execution_state state;
    int64_t child_id; /* 0 while todo */
    bool answered;
    enum pm_stage stage;
    enum pm_ending_kind ending; /* ending of the child if it did not answer, otherwise NONE */
    int64_t ending_code;
    const char *ending_text;
    const char *result;         /* JSON: the RESULT header without timings and leaves, or "" */
    int64_t position;           /* how many other executions its process had run before */
    int64_t kills, kills_alone; /* as pm_store_note_kill() counts them */
    const char *function, *name, *dtype,
        *definition; /* joined when read, as are the members below */
    bool host_only;
    enum pm_size size;
    enum pm_case_kind kind;
};

/* Adds a 'todo' row. PM_EBUSY if a row with the same key (run, target, case, repetition,
 * retry) exists. */
PM_MUST_USE int pm_store_plan_execution(struct pm_store *store, int64_t run_id, int64_t target_id,
                                        int64_t case_id, int64_t repetition, enum pm_retry retry,
                                        int64_t *id, struct pm_error *err);
/* Records that portmeter was killed during the execution. `alone`: no other execution was running.
 * `committed`: another execution was committed since the previous kill. */
PM_MUST_USE int pm_store_note_kill(struct pm_store *store, int64_t id, bool alone, bool committed,
                                   struct pm_error *err);
/* Makes execution->id 'done' with its fields. PM_EBUSY if it already is 'done': a key has at most
 * one committed result. PM_ENOTFOUND if there is no such execution. */
PM_MUST_USE int pm_store_finish_execution(struct pm_store *store,
                                          const struct pm_execution_row *execution,
                                          struct pm_error *err);
/* The time and the memory that the processes of a function used on a target. The time is the sum
 * over all repetitions. */
struct pm_function_time_row {
    int64_t target_id, wall_ns, max_rss; /* max_rss: bytes of the largest process */
    const char *function;
};
typedef int pm_function_time_fn(void *ctx, const struct pm_function_time_row *row);
/* Reads these rows, without the processes of retries. A process that several functions share counts
 * for each of them. */
PM_MUST_USE int pm_store_function_times(struct pm_store *store, int64_t run_id,
                                        pm_function_time_fn *row, void *ctx, struct pm_error *err);

typedef int pm_execution_fn(void *ctx, const struct pm_execution_row *execution);
/* Reads the executions of one run (target_id 0: of all its targets), ordered by target, function,
 * case id, repetition and retry. */
PM_MUST_USE int pm_store_executions(struct pm_store *store, int64_t run_id, int64_t target_id,
                                    pm_execution_fn *row, void *ctx, struct pm_error *err);
/* Reads one execution, if it exists. */
PM_MUST_USE int pm_store_execution(struct pm_store *store, int64_t id, pm_execution_fn *row,
                                   void *ctx, struct pm_error *err);

#endif

/*
 * The pool supervises drivers and their children: slots, frames, deadlines, killing. It reports
 * endings, which are facts; the policy (measure, judge) decides the outcome of a job.
 *
 *     supervisor (this process, child subreaper, one libuv loop, one thread)
 *      +- driver: a Python process that imports the framework, runs no case, and forks;
 *      |          also a subreaper, so that stray processes can be assigned to their child
 *      |    +- child: connects to the run's Unix socket, receives jobs, exits with os._exit
 *      +- ...
 *
 * A slot runs one child at a time. It keeps one driver for each requested pm_driver. The driver and
 * its children run on the slot's own CPUs, so that slots do not disturb each other.
 *
 * Steps of the caller:
 *     fill a pm_pool_options and a pm_pool_policy;  pm_pool_new();
 *     pm_pool_run()  calls the policy until `next` has no more work and every child has ended, or
 *                    the user stops the command (base/stop.h), or the pool itself fails;
 *     pm_pool_free()  (also kills remaining processes, by pid).
 *
 * For each child, the pool calls these members of the policy, in this order:
 *     next          a slot is free: the policy gives a driver and a setting, or nothing for now
 *     forked        the child exists (never, if its driver failed before)
 *     started       the child has connected and finished its start-up (never, if it died before)
 *     job, answered zero or more times, alternating; `asked` between them
 *     ended         always, exactly once, with the ending. A job without an answer is then lost:
 *                   the policy decides what that means.
 *
 * Deadlines use the monotonic clock: one for each job, one for start-up. When a deadline passes,
 * the child's group gets SIGTERM and, after grace_ms, the group and every descendant get SIGKILL.
 * After every child, the driver reports whether strays remain; the supervisor then kills the
 * driver's descendants until the driver reports none (docs/internals/running.md, "Processes").
 *
 * If the user stops the command, every child gets SIGTERM, PM_STOP_GRACE_MS later SIGKILL, and
 * ends with STOPPED; pm_pool_run() then returns PM_OK, and pm_pool_stopped() is true.
 * A batch system ends all processes of a job by the same signal, in any order. So if such a signal
 * ended a child or a driver, the pool waits up to a second for its own stop before it reports the
 * ending; if the stop comes, the ending is STOPPED too.
 *
 * With `foreground`, drivers and children use this process's terminal, so that a person can debug
 * them: they have its streams and its process group, no PID namespace, and a child may take any
 * time to exit. Ctrl-C reaches the child, and the driver while it imports: this process ignores
 * SIGINT in pm_pool_run(). Ctrl-\ reaches them too; a child that still exists after grace_ms is
 * ended as at a deadline. Printed output is not kept.
 *
 * Not thread-safe; one pool per process (it sets the child subreaper attribute and handles
 * SIGCHLD).
 */
#ifndef PM_POOL_POOL_H
#define PM_POOL_POOL_H

#include "base/vocabulary.h"
#include "pool/wire.h"

struct pm_ending {
    enum pm_ending_kind kind;
    int code;              /* exit status or signal number; 0: neither is known */
    int pid;               /* 0: no child was ever forked     */
    bool started;          /* STARTED arrived                 */
    bool job_lost;         /* it had a job without an answer  */
    enum pm_stage stage;   /* the last stage that began in its last job; NONE: none, or unknown */
    const char *text;      /* one line for people; "" if there is nothing to add         */
    const char *output;    /* printed text (stdout and stderr), cut, NUL-terminated, NULs as '?' */
    uint64_t output_bytes; /* size of everything it printed */
    uint64_t wall_ns, user_ns, system_ns;
    uint64_t max_rss; /* bytes */
    unsigned strays;  /* processes that it left running, killed by the sweep */
};

/* A Python process with a framework. Drivers with equal `key` are the same driver. */
struct pm_driver {
    const char *key;
    const char *const *argv;        /* NULL-terminated; argv[0] is the interpreter         */
    const char *const *environment; /* "NAME=value", overrides this process's; NULL-terminated */
    unsigned import_timeout_ms;     /* 0: none */
    bool everywhere; /* runs on all CPUs instead of its slot's share (pm_cpus_keep): for children
                        that run while no other slot has a child */
    const char
        *family; /* when a driver of a family gets a child, idle drivers of other families are
                    ended, so that one framework is in memory at a time; NULL: it has no family */
};

struct pm_child_plan {
    const struct pm_driver *driver; /* borrowed until `ended`                              */
    json_t *setting;                /* given to the child at the fork; the pool owns it    */
    uint64_t memory;                /* RLIMIT_DATA in bytes, 0: none                       */
    unsigned start_timeout_ms;      /* 0: none */
    void *ctx;                      /* identifies the child to the policy                  */
};

struct pm_job {
    json_t *header;      /* header of the RUN frame; the pool owns it */
    struct pm_str body;  /* the pool owns it; zeroed if there is no body               */
    unsigned timeout_ms; /* 0: none */
    bool last;           /* no other job follows: the child exits after its answer, and `job` is not
                            called again, which saves a round trip; false if unknown             */
};

struct pm_driver_info {
    const struct pm_driver *driver;
    unsigned slot;
    int pid;
    const json_t *ready; /* the READY frame: versions, or "error" if the import failed */
};

struct pm_pool;

/* Callbacks must not call the pool. An error that a callback returns ends the run. */
struct pm_pool_policy {
    void *ctx;
    /* Returns 1 after filling *plan, or 0 if there is no work for this slot now; it is called again
     * when any child has ended. */
    int (*next)(void *ctx, unsigned slot, struct pm_child_plan *plan, struct pm_error *err);
    /* A driver has imported its framework, or could not. If info->ready has "error", the driver's
     * children end with DRIVER. */
    int (*driver_ready)(void *ctx, const struct pm_driver_info *info, struct pm_error *err);
    /* The driver has forked the child, with this pid. May be NULL. */
    void (*forked)(void *ctx, void *child, int pid);
    /* The child has finished its start-up; `header` is that of its STARTED frame. */
    int (*started)(void *ctx, void *child, const json_t *header, struct pm_error *err);
    /* Returns 1 after filling *job, or 0 if the child has no more jobs; it then receives BYE. */
    int (*job)(void *ctx, void *child, struct pm_job *job, struct pm_error *err);
    /* The child requests arrays: fill `header` (an empty object) and `body` of the GIVE frame.
     * PM_EFORMAT: the request is invalid; the child ends with PROTOCOL, the run continues. */
    int (*asked)(void *ctx, void *child, const struct pm_frame *ask, json_t *header,
                 struct pm_str *body, struct pm_error *err);
    /* PM_EFORMAT: the answer is invalid; the child ends with PROTOCOL, the run continues. */
    int (*answered)(void *ctx, void *child, const struct pm_frame *result, struct pm_error *err);
    /* The child has ended; `ending` and its texts are valid during this call. */
    int (*ended)(void *ctx, void *child, const struct pm_ending *ending, struct pm_error *err);
    /* Called about every 100 ms, and after each of the above, to show progress and commit finished
     * work. May be NULL. */
    int (*tick)(void *ctx, struct pm_error *err);
};

struct pm_pool_options {
    unsigned slots;         /* at least 1                                                   */
    const char *run_id;     /* every process has it in its environment as PORTMETER_RUN     */
    const char *scratch;    /* a folder of mode 0700 for the socket and per-child folders   */
    unsigned grace_ms;      /* between SIGTERM and SIGKILL; 0: 2000                         */
    unsigned process_limit; /* descendants of a child; 0: 64                                */
    size_t output_limit;    /* bytes of printed output kept per child; 0: 64 KiB            */
    bool foreground;        /* see above; only with one slot                                */
};

/* Creates a pool, which the caller frees. PM_EIO: the limit of open files is too low for the slots,
 * /proc cannot be read, or the socket cannot be created. PM_EUSAGE: there are no slots. */
PM_MUST_USE int pm_pool_new(struct pm_pool **out, const struct pm_pool_options *options,
                            const struct pm_pool_policy *policy, struct pm_error *err);
/* Runs the policy's work, as described above. Returns the error of a callback, or that
 * of the pool itself; every process has been ended then. */
PM_MUST_USE int pm_pool_run(struct pm_pool *pool, struct pm_error *err);
/* Returns whether the user stopped the last pm_pool_run() before the policy ran out of work. */
bool pm_pool_stopped(const struct pm_pool *pool);
/* Returns an upper bound, in bytes, of the memory that this process, the drivers and the children
 * used together. Pages that a child shares with its driver are counted twice. */
uint64_t pm_pool_peak_memory(const struct pm_pool *pool);
/* Returns an upper bound, in bytes, of the files that children left in their scratch folders. */
uint64_t pm_pool_peak_scratch(const struct pm_pool *pool);
void pm_pool_free(struct pm_pool *pool); /* accepts NULL */

/* Returns whether drivers run in a PID namespace. All processes that a case starts then end with
 * its driver, even if this process is killed. */
bool pm_pool_contains(void);

/* Kills (SIGKILL, by pid) every process with PORTMETER_RUN=run_id in its environment, repeatedly
 * until none remains, and counts them. For --resume, after the previous supervisor was killed.
 * PM_EBUSY if some do not die within 10 s, PM_EIO if /proc cannot be read. */
PM_MUST_USE int pm_pool_end_leftovers(const char *run_id, unsigned *ended, struct pm_error *err);

#endif

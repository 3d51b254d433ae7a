/*
 * The pool supervises drivers and their children: slots, frames, deadlines, the kill ladder. It
 * reports endings, which are facts; what a job came to is the policy's to say (core, judge).
 *
 *     supervisor (this process, child subreaper, one libuv loop, one thread)
 *      +- driver: a Python process that imports the framework, runs no case, and forks;
 *      |          a subreaper too, so that what a child leaves behind is known to be that child's
 *      |    +- child: connects to the run's Unix socket, is handed its jobs, leaves with os._exit
 *      +- ...
 *
 * A slot runs one child at a time. It keeps one driver for each pm_driver it was asked for, which
 * runs, with its children, on the slot's share of the CPUs: slots do not push each other around.
 *
 * Steps of the caller:
 *     fill a pm_pool_options and a pm_pool_policy;  pm_pool_new();
 *     pm_pool_run()  calls the policy until `next` has no more and every child has ended, or until
 *                    the user stops the command (base/stop.h), or on a failure of the pool's own;
 *     pm_pool_free()  (also kills what still lives, by pid).
 *
 * For each child the policy sees, in this order:
 *     next          a slot is free: which driver, with what setting; or nothing more for now
 *     started       the child has connected and done its start-up (never comes if it died before)
 *     job, answered zero or more times in turn; `asked` between them
 *     ended         always, exactly once, with the ending. A job that was handed out and not
 *                   answered is then lost: the policy decides what that means.
 *
 * Deadlines are monotonic and per job (and one for start-up). When one passes: BYE is not waited
 * for; SIGTERM to the child's group, after grace_ms SIGKILL to the group and to every descendant.
 * After every child the driver says whether strays are left; the supervisor then kills the
 * driver's descendants until the driver reports none (running.md, "Processes").
 *
 * Where the user stops the command, every child gets SIGTERM, PM_STOP_GRACE_MS later SIGKILL, and
 * ends with STOPPED; pm_pool_run() then returns PM_OK, and pm_pool_stopped() is true.
 *
 * Not thread-safe; one pool a process (it sets the child subreaper attribute, and handles SIGCHLD).
 */
#ifndef PM_POOL_POOL_H
#define PM_POOL_POOL_H

#include "base/vocabulary.h"
#include "pool/wire.h"

struct pm_ending {
    enum pm_ending_kind kind;
    int code;
    int pid;             /* 0 where there never was a child */
    bool started;        /* it got as far as STARTED        */
    bool job_lost;       /* a job was out and not answered  */
    enum pm_stage stage; /* the last that began in its last job; NONE: before any, or not known */
    const char *text;    /* one line for a person; "" where there is nothing to add     */
    const char *output;  /* what it printed (stdout and stderr), bounded, NUL-terminated, NULs as '?' */
    uint64_t output_bytes; /* all that it printed, kept or not */
    uint64_t wall_ns, user_ns, system_ns;
    uint64_t max_rss;    /* bytes */
    unsigned strays;     /* processes that it left behind, killed by the sweep */
};

/* A Python process with a framework. Two drivers with equal `key` are one. */
struct pm_driver {
    const char *key;
    const char *const *argv;        /* NULL-terminated; argv[0] is the interpreter         */
    const char *const *environment; /* "NAME=value" put over this process's; NULL-terminated */
    unsigned import_timeout_ms;
    bool everywhere; /* not kept to its slot's share of the CPUs (pm_cpus_keep), but on all of them:
                        for children that run while no other slot's do                         */
};

struct pm_child_plan {
    const struct pm_driver *driver; /* borrowed until `ended`                              */
    json_t *setting;                /* handed to the child at the fork; the pool takes it  */
    uint64_t memory;                /* RLIMIT_DATA in bytes, 0: none                       */
    unsigned start_timeout_ms;
    void *ctx;                      /* the policy's own name for the child                 */
};

struct pm_job {
    json_t *header;      /* of the RUN frame; the pool takes it                        */
    struct pm_str body;  /* the pool takes it; zeroed where there is none              */
    unsigned timeout_ms;
    bool last;           /* no other follows: the child leaves with its answer, `job` is not asked
                            again. Saves a round trip; where it is not known, false              */
};

struct pm_driver_info {
    const struct pm_driver *driver;
    unsigned slot;
    int pid;
    const json_t *ready; /* the READY frame: versions; "error" where the import failed */
};

struct pm_pool;

/* Callbacks may call nothing of the pool. One that returns an error ends the run with it. */
struct pm_pool_policy {
    void *ctx;
    /* 1: *plan is filled. 0: nothing for this slot now (asked again when any child has ended). */
    int (*next)(void *ctx, unsigned slot, struct pm_child_plan *plan, struct pm_error *err);
    /* A driver has imported, or failed to. After an "error" its children end with DRIVER. */
    int (*driver_ready)(void *ctx, const struct pm_driver_info *info, struct pm_error *err);
    int (*started)(void *ctx, void *child, const json_t *header, struct pm_error *err);
    /* 1: *job is filled. 0: this child is done; it is sent BYE. */
    int (*job)(void *ctx, void *child, struct pm_job *job, struct pm_error *err);
    /* The child wants arrays: fill `header` (an empty object) and `body` of the GIVE frame.
     * PM_EFORMAT: what it asks is nonsense; the child ends with PROTOCOL, the run goes on. */
    int (*asked)(void *ctx, void *child, const struct pm_frame *ask, json_t *header,
                 struct pm_str *body, struct pm_error *err);
    /* PM_EFORMAT: the answer is nonsense; the child ends with PROTOCOL, the run goes on. */
    int (*answered)(void *ctx, void *child, const struct pm_frame *result, struct pm_error *err);
    int (*ended)(void *ctx, void *child, const struct pm_ending *ending, struct pm_error *err);
    /* About every 100 ms, and after each of the above: progress, commit of what is finished. */
    int (*tick)(void *ctx, struct pm_error *err);
};

struct pm_pool_options {
    unsigned slots;          /* at least 1                                                   */
    const char *run_id;      /* stands in every process's environment as PORTMETER_RUN       */
    const char *scratch;     /* a folder of mode 0700 for the socket and per-child folders   */
    unsigned grace_ms;       /* between SIGTERM and SIGKILL; 0: 2000                         */
    unsigned process_limit;  /* descendants of a child; 0: 64                                */
    size_t output_limit;     /* bytes of printed output kept per child; 0: 64 KiB            */
};

/* PM_EIO where too few files can be opened for so many slots, /proc cannot be read, or there is no
 * place for the socket. */
PM_MUST_USE int pm_pool_new(struct pm_pool **out, const struct pm_pool_options *options,
                            const struct pm_pool_policy *policy, struct pm_error *err);
PM_MUST_USE int pm_pool_run(struct pm_pool *pool, struct pm_error *err);
/* Whether the last pm_pool_run() ended because of the user, before the policy had no more work. */
bool pm_pool_stopped(const struct pm_pool *pool);
void pm_pool_free(struct pm_pool *pool); /* accepts NULL */

/* Kills (SIGKILL, by pid) every process whose environment carries PORTMETER_RUN=run_id, again and
 * again until none is left, and gives how many there were. For --resume, after a predecessor that
 * was killed. PM_EBUSY where some would not die within 10 s, PM_EIO where /proc cannot be read. */
PM_MUST_USE int pm_pool_end_leftovers(const char *run_id, unsigned *ended, struct pm_error *err);

#endif

/*
 * Private to the pool. One source file for each part:
 *
 *     wire.c        frames
 *     connection.c  the socket: connecting, reading, writing
 *     driver.c      a driver's life: start, import, frames, death
 *     child.c       a child's life: fork, start-up, jobs, the ending
 *     kill.c        how a child is ended: deadlines, SIGTERM, SIGKILL, the sweep
 *     linux.c       Linux only: /proc, SO_PEERCRED, out-of-memory counters
 *     slot.c        timers of slots, the failure that ends a run
 *     peaks.c       the peak of memory
 *     pool.c        the loop, the policy, the ticker, shutdown
 *
 * Everything runs on one loop in one thread. A handle is closed before its owner is freed:
 * a connection and a driver own their handles and free themselves in the close callback.
 *
 * Events arrive as callbacks; each ends with events->turn(), in which free slots request work.
 * No callback of the policy is called from inside another.
 */
#ifndef PM_POOL_POOL_PRIVATE_H
#define PM_POOL_POOL_PRIVATE_H

#include <sys/stat.h>
#include <sys/types.h>
#include <uv.h>

#include "pool/pool.h"

enum {
    PM_POOL_TOKEN_BYTES = 33,     /* 128 bits in hex and a NUL                           */
    PM_POOL_READ_BYTES = 1 << 18, /* the buffer for all reading                          */
    PM_POOL_DRAIN_BYTES = 1 << 16,
    PM_POOL_TICK_MS = 100,        /* between two ticks: progress, process counts */
    PM_POOL_SWEEP_MS = 10,        /* between two rounds of killing                       */
    PM_POOL_READ_OUT_MS = 2000,   /* limit for reading the rest of a dead child's data */
    PM_POOL_SETTLE_MS = 20,       /* time in which a connection of a dead child may still arrive */
    PM_POOL_PATIENCE_MS = 30000,  /* limit of waiting for a process to end after SIGKILL */
    PM_POOL_STRANGERS = 256,      /* limit of unidentified connections                   */
    PM_POOL_STRANGER_MS = 10000,  /* limit for a connection to identify itself */
    PM_POOL_DRIVER_OUTPUT = 4096, /* bytes kept of the end of a driver's output          */
    PM_POOL_GOODBYE_MS = 500,     /* time for a driver to exit before it is killed */
    PM_POOL_STOPPED_MS = 100,     /* grace period after the user's stop */
    PM_POOL_STOP_COMES_MS = 1000, /* between the signals by which a batch system ends all
                                     processes of a job, in any order */
    PM_POOL_CLEAR_MS = 10000,     /* limit for ending all processes of a driver or of the pool */
};

struct pm_pool__slot;
struct pm_pool__driver;
struct pm_pool__child;

enum pm_pool__role { PM_ROLE_STRANGER, PM_ROLE_DRIVER, PM_ROLE_CHILD };

struct pm_pool__connection {
    uv_pipe_t pipe;
    struct pm_pool *pool;
    enum pm_pool__role role;
    int pid;        /* pid of the peer, from the kernel */
    uint64_t since; /* when it connected                                    */
    struct pm_wire_reader reader;
    struct pm_pool__driver *driver; /* the driver that connected; NULL: none, or it is gone */
    struct pm_pool__child *child;   /* the child that connected; NULL: none, or it is gone */
    struct pm_pool__connection *previous, *next; /* list of the pool's connections         */
    struct pm_str early;                         /* what a child sent before its pid was known */
    bool closing;
    bool refused; /* it sent an invalid token: kept until the peer is known */
};

enum pm_pool__driver_state {
    PM_DRIVER_NONE,      /* not started, or ended; started again when needed      */
    PM_DRIVER_IMPORTING, /* started, not READY yet                                */
    PM_DRIVER_READY,
    PM_DRIVER_FAILED /* could not start or import: final                      */
};

struct pm_pool__driver;

/* The handles of a started driver. They may exist longer than the driver uses them. */
struct pm_pool__process {
    uv_pipe_t output;
    uv_timer_t clearing; /* timer after its death; repeats until all its processes have ended */
    struct pm_pool *pool;
    struct pm_pool__driver *driver; /* NULL: no driver uses it any more */
    struct pm_pool__process *next;  /* list of the pool's processes    */
    int pid;                        /* 0: not started, or reaped       */
    char *tail;                     /* the end of its output */
    size_t tail_length;
    int status; /* status from waitpid() */
    char *last; /* how it ended, one line */
    unsigned rounds, open;
    bool output_ended;
};

/* One slot's Python process for one key; started again when it died after READY. */
struct pm_pool__driver {
    struct pm_pool *pool;
    struct pm_pool__slot *slot;
    char *key;
    char **argv, **environment;
    unsigned import_timeout_ms;
    char *family; /* NULL: it belongs to none */
    bool everywhere;
    uint64_t resident;   /* resident memory after the import, in bytes */
    uint64_t child_peak; /* peak of its largest child, in bytes */
    enum pm_pool__driver_state state;
    struct pm_pool__process *process; /* NULL if not running */
    struct pm_pool__connection *connection;
    char token[PM_POOL_TOKEN_BYTES];
    int pid;        /* pid of the Python process, once it has connected */
    bool contained; /* it runs in a PID namespace */
    char *failure;  /* the reason, one line, if it is FAILED or the pool ends it; NULL: none */
    struct pm_pool__driver *next;
};

enum pm_pool__child_state {
    PM_CHILD_WAITING,  /* it waits for the driver */
    PM_CHILD_FORKING,  /* FORK sent                            */
    PM_CHILD_STARTING, /* the pid is known; STARTED is awaited */
    PM_CHILD_BUSY,     /* it has a job                         */
    PM_CHILD_LEAVING   /* BYE sent, or its connection is gone  */
};

/* The signal sent so far to end a child. */
enum pm_pool__kill { PM_KILL_NONE, PM_KILL_ASKED /* SIGTERM */, PM_KILL_FORCED /* SIGKILL */ };

struct pm_pool__child {
    struct pm_pool *pool;
    struct pm_pool__slot *slot;
    struct pm_pool__driver *driver;
    struct pm_child_plan plan;
    enum pm_pool__child_state state;
    enum pm_pool__kill kill;
    struct pm_pool__connection *control;
    struct pm_str printed; /* what it printed, up to the limit */
    uint64_t printed_total;
    char token[PM_POOL_TOKEN_BYTES];
    int pid;       /* pid as this process sees it */
    int own_pid;   /* pid as its driver sees it, which may run in a PID namespace */
    bool exited;   /* EXITED arrived, or its driver is gone     */
    bool reaped;   /* the pool reaped it, after its driver's death */
    bool sweeping; /* its strays are being killed               */
    bool settled;  /* no further connection of it is possible   */
    bool connected;
    bool farewell; /* BYE was sent                              */
    bool last_job; /* its current job is the last               */
    bool decided;  /* ending.kind is final                      */
    bool held;     /* its end was delayed, in case a stop follows */
    uint64_t forked_at, killed_at;
    uint64_t out_of_memory; /* the kernel's count of out-of-memory kills at the fork */
    uint64_t threads;       /* threads of the system at the last count */
    uint64_t counted;       /* time of that count               */
    struct pm_str text;
    struct pm_ending ending;
};

struct pm_pool__slot {
    struct pm_pool *pool;
    unsigned index;
    uv_timer_t timer;  /* the child's deadline, or the next step of killing or of the sweep */
    uint64_t timer_ms; /* time to which the timer was set */
    uint64_t due;      /* when the timer passes, in ms of the loop's clock */
    unsigned looks;    /* how often the timer was set again, so that sockets are read first */
    struct pm_pool__child *child; /* NULL: free                         */
    bool waiting;                 /* the policy had no work for it      */
    char *scratch;                /* the folder of its child            */
    bool scratch_empty;           /* it exists and is unchanged         */
    uint64_t scratch_bytes;       /* upper bound of the bytes that children left in the folder */
    struct pm_pool__driver *drivers;
};

/*
 * The functions by which a lower file calls the files above it. pool.c fills this table, so that no
 * two files use each other. From the lowest to the highest: wire and linux, slot, connection,
 * driver, kill, child, pool.
 */
struct pm_pool__events {
    void (*turn)(struct pm_pool *pool); /* pool.c: after every event */
    void (*timer_passed)(uv_timer_t *timer);
    /* called by connection.c */
    bool (*driver_accepts)(const struct pm_pool__driver *driver, int pid);
    int (*driver_frame)(struct pm_pool__driver *driver, const struct pm_frame *frame,
                        struct pm_error *err);
    void (*driver_closed)(struct pm_pool__driver *driver);
    void (*driver_lied)(struct pm_pool__driver *driver, const char *why);
    int (*child_frame)(struct pm_pool__child *child, const struct pm_frame *frame,
                       struct pm_error *err);
    void (*child_closed)(struct pm_pool__child *child, bool in_frame);
    void (*child_lied)(struct pm_pool__child *child, const char *why);
    /* called by driver.c */
    void (*child_continue)(struct pm_pool__child *child);
    int (*child_forked)(struct pm_pool__child *child, const json_t *header, struct pm_error *err);
    int (*child_exited)(struct pm_pool__child *child, const json_t *header, struct pm_error *err);
    int (*child_swept)(struct pm_pool__child *child, const json_t *header, struct pm_error *err);
    void (*child_printed)(struct pm_pool__child *child, const char *bytes, size_t length);
    void (*driver_died)(struct pm_pool__child *child, const char *why);
    /* called by kill.c */
    void (*child_check)(struct pm_pool__child *child);
};

struct pm_pool {
    const struct pm_pool__events *events;
    struct pm_pool_options options;
    char *run_id, *scratch;
    struct pm_pool_policy policy;
    uv_loop_t loop;
    uv_pipe_t *listener; /* NULL: not listening */
    struct stat socket;  /* the socket's file, which a case can remove or replace */
    uv_timer_t ticker;
    uv_signal_t death; /* SIGCHLD: a driver may have died */
    uv_signal_t quit;  /* Ctrl-\, in the foreground */
    uv_poll_t stopper; /* base/stop.h's descriptor */
    bool loop_open;
    char *socket_path;
    struct pm_pool__slot *slots;
    struct pm_pool__connection *connections;
    unsigned strangers;
    struct pm_pool__process *processes;
    uint64_t began;         /* time of the pool's start, as in /proc: clock ticks since boot */
    uint64_t out_of_memory; /* the kernel's count of out-of-memory kills at the last tick */
    uint64_t threads;       /* threads of the system at the last tick */
    bool may_have_orphans;  /* no search for orphans has found none since a driver last died */
    uint64_t peak_memory;   /* peak of all processes together, in bytes */
    char *memory_events;    /* the kernel's file that counts out-of-memory kills */
    bool running, called, wait_over, stopped;
    bool quit_typed; /* the deadline of the slot is counted from Ctrl-\ */
    int rc;          /* error code that ends the run early; PM_OK: none */
    struct pm_error error;
    struct pm_str frame;             /* buffer for outgoing frames */
    char buffer[PM_POOL_READ_BYTES]; /* for reading by the loop */
    char drain[PM_POOL_DRAIN_BYTES]; /* for reading while `buffer` is in use */
};

static inline uint64_t pm_pool__ns(uint64_t ms)
{
    return ms * 1000000u;
}

/* slot.c */
/* Ends the run with this error, because the pool itself failed. */
void pm_pool__fail(struct pm_pool *pool, int rc, const struct pm_error *error);
/* Starts the timer of a slot. The new deadline replaces the earlier one; 0: no deadline. */
void pm_pool__timer_start(struct pm_pool__slot *slot, uint64_t after_ms);
/* Call it when the timer of a slot has passed. Returns true if the deadline does not count yet, and
 * has then set the timer again. Data in the sockets must be read first. The time in which this
 * process could not run (it was stopped, or its disk was slow) is added to the deadline. */
bool pm_pool__timer_too_early(struct pm_pool__slot *slot);

/* wire.c */
/* Returns how many bytes of the current frame are missing, or of its prefix if that is incomplete;
 * at least 1. */
size_t pm_wire__missing(const struct pm_wire_reader *reader);

/* connection.c */
/* Makes the socket and its folder, unless they exist: a case can remove them. */
int pm_pool__listen(struct pm_pool *pool, struct pm_error *err);
void pm_pool__listen_end(struct pm_pool *pool);
/* Sends a frame, and frees the body (NULL: none). A missing peer is not an error: its death is
 * reported elsewhere. */
void pm_pool__send(struct pm_pool__connection *connection, unsigned kind, const json_t *header,
                   struct pm_str *body);
void pm_pool__close(struct pm_pool__connection *connection); /* accepts NULL */
/* Checks the connections that arrived before the child's pid was known. */
void pm_pool__child_identified(struct pm_pool__child *child);
/* Closes connections that did not identify themselves in time. */
void pm_pool__expire_strangers(struct pm_pool *pool);
void pm_pool__new_token(char token[static PM_POOL_TOKEN_BYTES]);

/* peaks.c */
/* Raises pool->peak_memory if the bound is higher now. Call it after a driver has started or a
 * child has ended. */
void pm_pool__note_peak(struct pm_pool *pool);

/* driver.c */
/* Returns the slot's driver for this description, and adds it if it is new; the slot owns it. */
struct pm_pool__driver *pm_pool__driver_for(struct pm_pool__slot *slot,
                                            const struct pm_driver *spec);
/* Ends the drivers of other families that have no child. */
void pm_pool__drivers_of_others_end(const struct pm_pool__driver *driver);
/* Starts a driver if it is not running. Its state shows whether that failed. */
void pm_pool__driver_start(struct pm_pool__driver *driver);
int pm_pool__driver_frame(struct pm_pool__driver *driver, const struct pm_frame *frame,
                          struct pm_error *err);
/* Kills a driver for the reason `why` (one line; NULL: none). Its child is informed when the driver
 * has died. */
void pm_pool__driver_abort(struct pm_pool__driver *driver, const char *why);
void pm_pool__driver_free(struct pm_pool__driver *driver);
/* Reads all output in the driver's pipe. After all processes of a child have ended, this is the
 * rest of its output. */
void pm_pool__driver_read_output(struct pm_pool__driver *driver);
void pm_pool__driver_connection_closed(struct pm_pool__driver *driver);
/* Returns whether the process `pid` may connect as the driver: the started process, or its
 * descendant if the interpreter is a wrapper script. */
bool pm_pool__driver_accepts(const struct pm_pool__driver *driver, int pid);
/* Reaps the drivers that have ended, and starts the timers that clean up after them. */
void pm_pool__drivers_reap(struct pm_pool *pool);

/* child.c */
/* Keeps what a child printed, up to the limit. */
void pm_pool__child_printed(struct pm_pool__child *child, const char *bytes, size_t length);
/* Begins a child in a free slot, and starts its driver if necessary. */
void pm_pool__child_begin(struct pm_pool__slot *slot, struct pm_child_plan *plan);
/* Continues a child that waits for its driver, which is ready or has failed. */
void pm_pool__child_continue(struct pm_pool__child *child);
int pm_pool__child_forked(struct pm_pool__child *child, const json_t *header, struct pm_error *err);
int pm_pool__child_exited(struct pm_pool__child *child, const json_t *header, struct pm_error *err);
int pm_pool__child_swept(struct pm_pool__child *child, const json_t *header, struct pm_error *err);
int pm_pool__child_frame(struct pm_pool__child *child, const struct pm_frame *frame,
                         struct pm_error *err);
void pm_pool__child_connection_closed(struct pm_pool__child *child, bool in_frame);
void pm_pool__child_driver_died(struct pm_pool__child *child, const char *why);
/* Reports the ending of a child and frees it, if everything about the ending is known. */
void pm_pool__child_check(struct pm_pool__child *child);
/* Kills a child that broke the protocol; `why` says how. */
void pm_pool__child_lied(struct pm_pool__child *child, const char *why);
void pm_pool__child_free(struct pm_pool__child *child);

/* kill.c */
/* Sets the ending if it is not decided yet, and kills the child. `gentle`: SIGTERM first, and
 * SIGKILL after grace_ms; otherwise SIGKILL at once. */
void pm_pool__kill(struct pm_pool__child *child, enum pm_ending_kind kind, bool gentle,
                   const char *format, ...) PM_PRINTF(4, 5);
/* Kills the slot's child because the user stopped the command: SIGTERM first, and SIGKILL at the
 * latest after PM_STOP_GRACE_MS. */
void pm_pool__stop_slot(struct pm_pool__slot *slot);
void pm_pool__timer_passed(uv_timer_t *timer);
/* Kills the strays of a child that has exited, and starts the timer of the next round. */
void pm_pool__sweep(struct pm_pool__child *child);
/* Kills the children that have too many descendants; called at every tick. */
void pm_pool__count_processes(struct pm_pool *pool);

/* linux.c */
/* Makes this process the parent of orphaned descendants. */
int pm_pool__become_subreaper(struct pm_error *err);
/* Fails with PM_EIO if processes cannot be looked up. */
int pm_pool__check_proc(struct pm_error *err);
int pm_pool__peer_pid(int fd);       /* -1 if the kernel does not know it */
uint64_t pm_pool__resident(int pid); /* bytes; 0: unknown */
/* Returns whether the process runs in a PID namespace other than that of this process. */
bool pm_pool__is_contained(int pid);
/* Returns the pid of the child that a contained driver knows by the pid `own`. `connected` is the
 * process that has connected as that child, or 0. If the child is not found, returns `connected`,
 * or a pid that no process has if `connected` is 0. */
int pm_pool__child_pid(int driver, int own, int connected);
int pm_pool__parent_of(int pid);                    /* 0: there is no such process */
bool pm_pool__descends_from(int pid, int ancestor); /* true for equal pids too */
uint64_t pm_pool__thread_count(void);               /* threads of the whole system */
/* Returns the path of the kernel's file that counts out-of-memory kills; the caller frees. */
char *pm_pool__memory_events_path(void);
/* Returns the number of out-of-memory kills in that file; 0 if it cannot be read. */
uint64_t pm_pool__out_of_memory_count(const char *path);
/* Returned instead of a count if /proc could not be read. */
enum { PM_POOL_UNKNOWN = -1 };
/* Returns the number of living descendants of `root`, without `root`; or PM_POOL_UNKNOWN. */
int pm_pool__descendants_count(int root);
/* Stops, then kills every living descendant of `root` that it finds. */
void pm_pool__descendants_kill(int root);
/* Kills and reaps processes that began after the pool and descend from this process but not from a
 * driver: those of a driver that died. Returns how many were still alive, or PM_POOL_UNKNOWN. If it
 * reaps the process reaped->pid, it sets the other members of *reaped. `reaped` may be NULL. Does
 * not read /proc if it has returned 0 since a driver last died. */
struct pm_pool__reaped {
    int pid;
    bool found;
    int status;
    uint64_t user_ns, system_ns, max_rss;
};
int pm_pool__orphans_end(struct pm_pool *pool, struct pm_pool__reaped *reaped);
uint64_t pm_pool__ticks_now(void); /* clock ticks since boot, as /proc counts them */

#endif

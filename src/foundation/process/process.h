/*
 * Programs: starts one, reads its output, waits for its end, and ends it.
 *
 *     const char *const argv[] = {"/usr/bin/python3", "--version", NULL};
 *     const struct pm_process_plan plan = {.argv = argv};
 *     const struct pm_process_watch watch = {.timeout_ms = 5000};
 *     struct pm_process_end end;
 *     PM_TRY(pm_process_run(&plan, &watch, &end, err));
 *     if (!end.status)
 *         puts(end.output.data);
 *     pm_process_end_release(&end);
 *
 * pm_process_run() waits for the end of a program. pm_process_start() only starts one, for a caller
 * with its own event loop (pool).
 *
 * Every program leads its own process group unless it is `foreground`. It gets SIGKILL when this
 * process dies, and is killed with its group when the handler of base/stop.h kills this process. It
 * starts with the three standard streams and `keep` but no other descriptor, with no signal
 * blocked, and without this process's signal handlers.
 *
 * Failures: PM_ENOTFOUND if the program does not exist, PM_EIO if it cannot be started for another
 * reason, including a failure in the new process before exec. The message says what failed and why.
 * The way a program ends is never a failure of these functions: see pm_process_end. Not
 * thread-safe: a program dies with the thread that started it.
 */
#ifndef PM_PROCESS_PROCESS_H
#define PM_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* The program to start. Descriptors must be above 2 and remain the caller's; 0: none. */
struct pm_process_plan {
    const char *const *argv;        /* NULL-terminated; argv[0] without a slash is found on PATH */
    const char *awaited;            /* what the user waits for during pm_process_run(), such as "the
                                       devices of jax"; NULL: not announced */
    const char *const *environment; /* "NAME=value" strings that replace or extend this process's
                                       variables; the last of several values counts;
                                       NULL-terminated; NULL: none */
    int input;                      /* its stdin; 0: /dev/null */
    int output;           /* its stdout; 0: pm_process_run() reads it (not in the foreground), else
                             /dev/null */
    int error;            /* its stderr; 0: /dev/null */
    bool merged;          /* stderr is sent to the same place as stdout */
    int keep;             /* descriptor (a lock) that stays open in the program with this number; 0:
                             none */
    bool contained;       /* all processes that it starts die with it, if the kernel allows that:
                             pm_process_can_contain() */
    const char *writable; /* the only folder in which the program can write; the program is then
                             contained and has no network; starting it fails if the kernel does not
                             allow this; NULL: no such limits */
    bool session; /* in a separate session without a terminal; every signal has its default action,
                     even if this process ignores the signal */
    bool foreground; /* in the foreground: it has this process's streams if the descriptors above
                        are 0, and its process group, so that the keys of a terminal reach it; every
                        signal has its default action */
};

/* Starts the program. It is running when this returns; *pid is the number of its process and of its
 * process group. The caller must call pm_process_reap() until that returns true. */
PM_MUST_USE int pm_process_start(const struct pm_process_plan *plan, int *pid,
                                 struct pm_error *err);

/* Replaces this process by the program, which keeps the streams and variables. Returns only if that
 * fails. */
PM_MUST_USE int pm_process_become(const char *const *argv, struct pm_error *err);

/* Returns whether `name` is a program on PATH or, if it contains a slash, the path of a program. */
bool pm_process_exists(const char *name);

/* Returns whether this process may start programs in PID namespaces of their own. Such a program
 * has number 1 in its namespace, and when it dies, the kernel kills all other processes of the
 * namespace. */
bool pm_process_can_contain(void);

/* Returns whether the program has ended, without waiting. If so, kills the rest of its group, reaps
 * it and sets *status as waitpid() does. */
bool pm_process_reap(int pid, int *status);

/* Sends a signal, once, to the program and its group. */
void pm_process_signal(int pid, int number);

/* Called about once a second while pm_process_run() waits, with what is awaited and for how many
 * seconds so far. Called with NULL before anything else may be printed. */
typedef void pm_process_waiting_fn(const char *awaited, unsigned seconds);
/* Sets the function for all later programs whose plan says what is awaited; NULL: none. */
void pm_process_on_waiting(pm_process_waiting_fn *waiting);

/* Limits and callbacks of pm_process_run(). */
struct pm_process_watch {
    unsigned timeout_ms; /* 0: none                                                  */
    size_t limit;        /* most bytes of output if `line` is NULL; 0: 1 MiB */
    unsigned silence_ms; /* `line` is called with NULL after this long without output; 0: never */
    /* Called for each line of output that is not empty, without its line end (LF or CR). A line of
     * more than 16 KiB is passed in parts. NULL: the output is kept instead. */
    void (*line)(void *ctx, const char *line);
    void *ctx;
};

/* How a program ended. */
struct pm_process_end {
    int status;           /* status from waitpid() */
    bool timed_out;       /* it was ended because of timeout_ms                              */
    bool flooded;         /* it was ended because it printed more than `limit`               */
    struct pm_str output; /* what it printed, if the plan has no `output` and there is no `line` */
};

/* Runs the program to its end. A program that must end early gets SIGTERM and, after
 * PM_STOP_GRACE_MS, SIGKILL, with its group. PM_ESTOPPED: the user stopped the command; the program
 * was ended or not started. The caller releases *end after PM_OK; otherwise it is empty. */
PM_MUST_USE int pm_process_run(const struct pm_process_plan *plan,
                               const struct pm_process_watch *watch, struct pm_process_end *end,
                               struct pm_error *err);
void pm_process_end_release(struct pm_process_end *end);

/* Appends "exit status 3", "signal 11 (Segmentation fault)", "no answer within 120 s" or "more than
 * 1048576 bytes of output". */
void pm_process_end_text(const struct pm_process_end *end, const struct pm_process_watch *watch,
                         struct pm_str *out);

#endif

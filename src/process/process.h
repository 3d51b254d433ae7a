/*
 * Programs: starting one, reading what it prints, waiting for its end, and ending it.
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
 * pm_process_run() follows a program to its end. pm_process_start() only starts one, for a caller
 * that has an event loop of its own (pool).
 *
 * Every program leads a process group of its own, dies with this process (SIGKILL), and is killed
 * with its group where the user stops the command at once (base/stop.h). It finds the three
 * standard streams and what `keep` names, no other descriptor; no signal blocked; and no handler of
 * this process's.
 *
 * Failures: a program that does not exist is PM_ENOTFOUND, anything else that keeps it from starting
 * PM_EIO, both with what failed and why; that includes what fails in the new process before it has
 * become the program. How a program ends is no failure of these functions: see pm_process_end. Not
 * thread-safe: a program dies with the thread that started it.
 */
#ifndef PM_PROCESS_PROCESS_H
#define PM_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* What is started. A descriptor that is given is above 2 and stays the caller's; 0: none. */
struct pm_process_plan {
    const char *const *argv;        /* NULL-terminated; argv[0] without a slash is found on PATH    */
    const char *const *environment; /* "NAME=value" over this process's own variables, later ones
                                       over earlier ones; NULL-terminated; NULL: none               */
    int input;                      /* its stdin; 0: /dev/null                                      */
    int output;                     /* its stdout; 0: pm_process_run() reads it, else /dev/null     */
    int error;                      /* its stderr; 0: /dev/null                                     */
    bool merged;                    /* stderr goes where stdout goes                                */
    int keep;                       /* stays open in the program under its number (a lock); 0: none */
    bool session;                   /* in a session of its own, where no terminal reaches it and
                                       every signal has its default, also those ignored here        */
};

/* Starts the program. It runs once this returns; *pid is it and its process group. The caller sees
 * that pm_process_reap() is called until it gives true. */
PM_MUST_USE int pm_process_start(const struct pm_process_plan *plan, int *pid,
                                 struct pm_error *err);

/* Whether the program has ended; does not wait. Then the rest of its group is killed, it is reaped,
 * and *status is as of waitpid(). */
bool pm_process_reap(int pid, int *status);

/* Sends a signal to the program and its group. */
void pm_process_signal(int pid, int number);

/* How pm_process_run() follows a program. */
struct pm_process_watch {
    unsigned timeout_ms; /* 0: none                                                  */
    size_t limit;        /* most bytes of output that are kept; 0: 1 MiB             */
    unsigned silence_ms; /* `line` is called with NULL after each without output; 0: never */
    /* Each line of output as it comes, without its end; NULL: output is kept. */
    void (*line)(void *ctx, const char *line);
    void *ctx;
};

/* How it ended. */
struct pm_process_end {
    int status;           /* as of waitpid()                                                 */
    bool timed_out;       /* it was ended because of timeout_ms                              */
    bool flooded;         /* it was ended because it printed more than `limit`               */
    struct pm_str output; /* what it printed, where the plan has no `output` and there is no `line` */
};

/* Runs the program to its end. What must end gets SIGTERM, and after PM_STOP_GRACE_MS SIGKILL, as a
 * group. PM_ESTOPPED: the user stops the command, and the program has been ended, or was not
 * started. The caller releases *end after PM_OK; after another code it holds nothing. */
PM_MUST_USE int pm_process_run(const struct pm_process_plan *plan,
                               const struct pm_process_watch *watch, struct pm_process_end *end,
                               struct pm_error *err);
void pm_process_end_release(struct pm_process_end *end);

/* Appends "exit status 3", "signal 11 (Segmentation fault)", "no answer within 120 s" or "more than
 * 1048576 bytes of output". */
void pm_process_end_text(const struct pm_process_end *end, const struct pm_process_watch *watch,
                         struct pm_str *out);

#endif

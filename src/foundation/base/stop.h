/*
 * Stops a command when the user sends SIGINT (Ctrl-C), SIGTERM or SIGHUP.
 *
 * A signal only sets a flag. Code that works for long checks it between two pieces of work,
 *     PM_TRY(pm_stop_check(err));
 * and code that waits polls pm_stop_fd() too. The work in progress then ends as after an error:
 * transactions are rolled back or committed, programs are ended, and folders are removed.
 * PM_ESTOPPED is passed on to the command line, which ends with status 128 + the signal's number.
 *
 * A command has PM_STOP_LIMIT_MS for this. After that time, or at a second signal, the handler
 * kills every process group that pm_stop_group_add() registered, and ends this process by the
 * signal. This loses no more than SIGKILL would. Two signals within PM_STOP_SAME_MS count as one,
 * because `timeout`, and a terminal that closes, signal both the process and its group.
 *
 * A signal that was ignored when the program began (`nohup`) stays ignored. The handlers are
 * installed without SA_RESTART: a call that blocks for ever fails with EINTR.
 *
 * Without pm_stop_install(), as in most unit tests, signals have their usual effect. All functions
 * except install, uninstall and reset may be called from any thread.
 */
#ifndef PM_BASE_STOP_H
#define PM_BASE_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum {
    PM_STOP_GRACE_MS = 500,  /* between SIGTERM and SIGKILL to a program that must end early */
    PM_STOP_SAME_MS = 50,    /* signals this close together are one                           */
    PM_STOP_LIMIT_MS = 1800, /* a command that has not ended by then is killed                */
};

/* Installs the handlers. Call it once, before the first thread starts. Fails with PM_EIO if no
 * descriptor is left. */
PM_MUST_USE int pm_stop_install(struct pm_error *err);

/* Removes the handlers: from here on a signal ends the process. Returns pm_stop_signal(). The limit
 * of a stop that has begun stays. */
int pm_stop_uninstall(void);

/* Returns the number of the first signal that arrived; 0 if none did. */
static inline int pm_stop_signal(void)
{
    extern int pm_stop__number;
    return __atomic_load_n(&pm_stop__number, __ATOMIC_ACQUIRE);
}

/* Returns whether a signal is one of those that stop commands. */
bool pm_stop_is(int signal);

/* Returns PM_ESTOPPED, with "stopped by SIGINT", if a signal came, else PM_OK. */
PM_MUST_USE int pm_stop_check(struct pm_error *err);

/* Returns a descriptor that becomes readable when a signal comes; never read it. Returns -1 if
 * nothing is installed. */
int pm_stop_fd(void);

/* Sleeps for `ns` nanoseconds; returns earlier, with PM_ESTOPPED, if a signal comes. */
PM_MUST_USE int pm_stop_sleep(uint64_t ns, struct pm_error *err);

/* Registers a process group that must not outlive this process, and whose leader is a child of this
 * process. Remove the group before its leader is reaped. There may be any number of groups. */
void pm_stop_group_add(int group);
void pm_stop_group_remove(int group);

/* For tests: pm_stop_request() acts as if the signal had come, but sets no time limit;
 * pm_stop_reset() acts as if no signal had come. */
void pm_stop_request(int number);
void pm_stop_reset(void);

#endif

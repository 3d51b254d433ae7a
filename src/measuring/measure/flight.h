/*
 * Records the running executions in a file of the run's scratch folder. The file outlives a
 * supervisor that is killed, and shows the next one which executions were running then. Writing it
 * costs a system call and no commit. Private to the room.
 */
#ifndef PM_MEASURE_FLIGHT_H
#define PM_MEASURE_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* An execution is given up after this many supervisors in a row died while they ran only this
 * execution, without a commit between their deaths. */
enum { PM_MOST_KILLS_ALONE = 3 };

/* Creates the file; the caller closes *fd. `done`: number of committed executions. */
PM_MUST_USE int pm_measure__flight_begin(const char *scratch, int64_t done, int *fd,
                                         struct pm_error *err);
/* Notes the execution that a slot runs; 0: none. A failure is ignored, because a run does not need
 * the file. */
void pm_measure__flight_set(int fd, unsigned slot, int64_t execution);

/* The executions that a supervisor was running when it died. */
struct flight {
    int64_t done; /* number of executions that were committed when the file was created */
    int64_t *executions;
    size_t count;
};
/* Reads the executions that were running; none if there is no such file, or nothing was running. */
void pm_measure__flight_read(const char *scratch, struct flight *out);
void pm_measure__flight_release(struct flight *flight);

#endif

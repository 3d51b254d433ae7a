/* Declarations that the files of this room share: processes in namespaces. */
#ifndef PM_PROCESS_PROCESS_PRIVATE_H
#define PM_PROCESS_PROCESS_PRIVATE_H

#include <sys/types.h>

#include "process/process.h"

/* Forks like fork(), but the new process has number 1 in a PID namespace of its own, and has its
 * own mounts. With `offline`, it also has its own network, without any connection. */
pid_t pm_process__fork_contained(bool offline);
/* Maps the user and the group, and mounts a separate /proc, in the process that
 * pm_process__fork_contained() made. Call it there. `user` and `group` are the effective ids before
 * the fork. Returns false, with errno, if the kernel does not allow it. Allocates no memory,
 * because it runs between fork and exec. */
bool pm_process__contain(unsigned user, unsigned group);
/* Makes every folder except one read-only. Call it after pm_process__contain(). Returns false, with
 * errno, if the kernel does not allow it. */
bool pm_process__confine(const char *writable);

#endif

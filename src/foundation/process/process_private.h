/* Private to the room: namespaces of processes. */
#ifndef PM_PROCESS_PROCESS_PRIVATE_H
#define PM_PROCESS_PROCESS_PRIVATE_H

#include <sys/types.h>

#include "process/process.h"

/* Forks like fork(), but the new process is the first in process numbers of its own, and has its
 * own mounts. */
pid_t pm_process__fork_contained(void);
/* Gives the process that fork_contained() made a /proc of its own; call it there. `user` and
 * `group` are the effective ones from before the fork. Returns false, with errno, if the kernel
 * does not allow it. Calls only what is allowed between fork and exec. */
bool pm_process__contain(unsigned user, unsigned group);

#endif

/* Private to the room: namespaces of processes. */
#ifndef PM_PROCESS_PROCESS_PRIVATE_H
#define PM_PROCESS_PROCESS_PRIVATE_H

#include <sys/types.h>

#include "process/process.h"

/* As fork(), but the new process is the first of process numbers of its own, and has mounts of its
 * own. */
pid_t pm_process__fork_contained(void);
/* In that process: gives it a /proc of its own. `user`, `group`: effective, as before the fork.
 * False, with errno, if the kernel does not allow it. Calls only what is allowed between fork and
 * exec. */
bool pm_process__contain(unsigned user, unsigned group);

#endif

/* Declarations that several files of this room share. Private to the room. */
#ifndef PM_CORE_CORE_PRIVATE_H
#define PM_CORE_CORE_PRIVATE_H

#include <stdbool.h>

#include "base/error.h"

/* Asks the person at the terminal whether to continue. `messages`: a struct pm_messages. */
bool pm_core__person_agrees(void *messages);

/* ---- local.c --------------------------------------------------------------------------------- */

/* Creates the folder, and copies the database into it if the database exists. Sets *local to the
 * path of the copy; the caller frees *local, even after a failure. The name of the copy contains
 * this process's ID, because several jobs may share a disk. */
PM_MUST_USE int pm_core__local_begin(const char *folder, const char *db, char **local,
                                     struct pm_error *err);
/* Copies the database back, unless the user stopped the command: in that case, measuring has copied
 * it. After a failure, the copy is kept, and the message names it. */
PM_MUST_USE int pm_core__local_end(const char *local, const char *db, struct pm_error *err);
/* Removes the copy and its lock file. */
void pm_core__local_remove(const char *local);

#endif

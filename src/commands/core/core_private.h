/* What several files of this room share. Private to the room. */
#ifndef PM_CORE_CORE_PRIVATE_H
#define PM_CORE_CORE_PRIVATE_H

#include <stdbool.h>

#include "base/error.h"

/* Asks the person at the terminal whether to continue. `messages`: a struct pm_messages. */
bool pm_core__person_agrees(void *messages);

/* ---- local.c --------------------------------------------------------------------------------- */

/* Copies the database, if it exists, into the folder, which is created; *local is the copy's path,
 * which the caller frees also after a failure. The copy is named after the database and this
 * process: several jobs may share a disk. */
PM_MUST_USE int pm_core__local_begin(const char *folder, const char *db, char **local,
                                     struct pm_error *err);
/* Copies the database back, unless the user stopped the command: then measuring has done so. */
PM_MUST_USE int pm_core__local_end(const char *local, const char *db, struct pm_error *err);
void pm_core__local_remove(const char *local);

#endif

/* Private to the room: what several of its files need. */
#ifndef PM_CORE_CORE_PRIVATE_H
#define PM_CORE_CORE_PRIVATE_H

#include <stdbool.h>

/* Asks the person at the terminal whether to continue. `messages`: a struct pm_messages. */
bool pm_core__person_agrees(void *messages);

#endif

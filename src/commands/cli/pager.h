/* Sends long results on a terminal through a pager ($PAGER, or less), as git does. */
#ifndef PM_CLI_PAGER_H
#define PM_CLI_PAGER_H

#include "cli/manual.h"

/* --no-pager, whose id is 'P' */
extern const struct cli_option cli_pager_option[];
/* If stdout is a terminal, sends what is printed from now on through $PAGER, or less if it is not
 * set; at exit, the process waits until the pager ends. cli_width() and cli_colour() keep their
 * values. */
void cli_page(void);
/* Makes cli_width() and cli_colour() keep their current values, because stdout will become a
 * pipe. */
void cli_remember_terminal(void);

#endif

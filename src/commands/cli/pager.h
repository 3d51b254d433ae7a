/* Sends long results on a terminal through the pager less, as git does. */
#ifndef PM_CLI_PAGER_H
#define PM_CLI_PAGER_H

/* If stdout is a terminal, sends what is printed from now on through $PAGER, or less; the process
 * then ends after the pager. cli_width() and cli_colour() stay as they were. */
void cli_page(void);
/* Keeps what cli_width() and cli_colour() return now: stdout is about to be a pipe. */
void cli_remember_terminal(void);

#endif

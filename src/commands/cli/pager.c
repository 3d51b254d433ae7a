/* Sends long results on a terminal through a pager ($PAGER, or less), as git does. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/pager.h"
#include "process/process.h"

const struct cli_option cli_pager_option[] = {
    {"no-pager", 0, 'P', CLI_VALUE_NONE, NULL,
     "print on a terminal without the pager ($PAGER, or less)"},
    CLI_OPTIONS_END};

static int pager; /* process ID of the pager; 0: none */

static void wait_for_pager(void)
{
    int status;
    fflush(stdout);
    signal(SIGINT, SIG_IGN); /* Ctrl-C belongs to the pager now */
    close(STDOUT_FILENO);
    while (!pm_process_reap(pager, &status))
        waitid(P_PID, (id_t)pager, &(siginfo_t){0}, WEXITED | WNOWAIT);
}

/* Starts the pager and replaces stdout by the pipe that the pager reads. */
static bool start(const char *command, const int ends[2])
{
    const char *less = getenv("LESS");
    const char *const argv[] = {"sh", "-c", command, NULL};
    const char *const variables[] = {less ? NULL : "LESS=FRX", NULL};
    const struct pm_process_plan plan = {
        .argv = argv, .environment = variables, .input = ends[0], .foreground = true};
    return pm_process_start(&plan, &pager, NULL) == PM_OK && dup2(ends[1], STDOUT_FILENO) >= 0;
}

void cli_page(void)
{
    const char *named = getenv("PAGER"), *command = named ? named : "less";
    int ends[2];
    if (isatty(STDOUT_FILENO) != 1 || !*command || !strcmp(command, "cat") ||
        (!named && !pm_process_exists(command)))
        return;
    cli_remember_terminal();
    if (fflush(stdout) || pipe2(ends, O_CLOEXEC))
        return;
    if (start(command, ends) && atexit(wait_for_pager))
        abort();
    close(ends[0]);
    close(ends[1]);
}

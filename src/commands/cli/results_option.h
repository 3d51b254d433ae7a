/* The option --results, which selects results that come with portmeter instead of a database of the
 * user. */
#ifndef PM_CLI_RESULTS_OPTION_H
#define PM_CLI_RESULTS_OPTION_H

#include "cli/cli.h"

extern const struct cli_option cli_results_option[];
/* The same option of a command that can also print forecasts. */
extern const struct cli_option cli_report_results_option[];
/* Reads the argument of --results, which may be NULL, and sets *name to the name of the results.
 * `forecasts`: the command can print forecasts. Returns false, after a message, if no such results
 * have that name. */
bool cli_take_results(const char *argument, bool forecasts, const char **name);
/* Sets *path, which the caller frees, to the path of the results `name`; does nothing if `name` is
 * NULL. Returns an exit status, which is not 0, after a message, if the results do not exist or if
 * --db is also given. */
int cli_find_results(const struct cli *cli, const char *name, char **path);

#endif

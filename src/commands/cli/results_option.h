/* The option --results, which selects results that come with portmeter instead of a database of the
 * user. */
#ifndef PM_CLI_RESULTS_OPTION_H
#define PM_CLI_RESULTS_OPTION_H

#include "cli/cli.h"

extern const struct cli_option cli_results_option[];
/* Reads the argument of --results, NULL if it has none: *name becomes the name of the results.
 * False, after a message, if none have such a name. */
bool cli_take_results(const char *argument, const char **name);
/* Finds these results; nothing if `name` is NULL. The caller frees the path. Returns the exit
 * status. It is not 0, after a message, if the results do not exist or --db is given, too. */
int cli_find_results(const struct cli *cli, const char *name, char **path);

#endif

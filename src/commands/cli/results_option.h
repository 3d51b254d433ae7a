/* The option --results, which selects results that come with portmeter instead of a database of the
 * user. */
#ifndef PM_CLI_RESULTS_OPTION_H
#define PM_CLI_RESULTS_OPTION_H

#include "cli/cli.h"

/* Which results a command can read: the option, and the names that it takes. */
struct cli_results {
    struct cli_option option[2];
    struct pm_words names;
};
extern const struct cli_results cli_runs;               /* results of runs */
extern const struct cli_results cli_runs_and_forecasts; /* of runs, and forecasts */
/* Reads the argument of --results, which may be NULL, and sets *name to the name of the results.
 * Returns false, after a message, if it is none of `of`. */
bool cli_take_results(const struct cli_results *of, const char *argument, const char **name);
/* Sets *path, which the caller frees, to the path of the results `name`; does nothing if `name` is
 * NULL. Returns an exit status, which is not 0, after a message, if the results do not exist or if
 * --db is also given. */
int cli_find_results(const struct cli *cli, const char *name, char **path);

#endif

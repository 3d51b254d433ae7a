/* Handles --results, which selects results that come with portmeter instead of a database of the
 * user. */
#include "cli/results_option.h"

#include <string.h>

static const char *const names[] = {PM_SHIPPED_SUITES, PM_SHIPPED_CENSUS, PM_SHIPPED_FORECASTS};

const struct cli_results cli_runs = {
    .option = {{"results", 0, 'R', CLI_VALUE_WORD, "NAME",
                "instead of a database, read results that come with portmeter: suites (reviewed "
                "cases) or census (cases that a program made) [default: suites]",
                .words = "suites census", .optional = true},
               CLI_OPTIONS_END},
    .names = {names, 2}};

const struct cli_results cli_runs_and_forecasts = {
    .option = {{"results", 0, 'R', CLI_VALUE_WORD, "NAME",
                "instead of a database, read results that come with portmeter: suites (reviewed "
                "cases), census (cases that a program made) or forecasts (predictions) [default: "
                "suites]",
                .words = "suites census forecasts", .optional = true},
               CLI_OPTIONS_END},
    .names = {names, 3}};

bool cli_take_results(const struct cli_results *of, const char *argument, const char **name)
{
    *name = argument ? argument : PM_SHIPPED_SUITES;
    return pm_words_find(&of->names, *name) >= 0 || cli_unknown(&of->names, "results", *name);
}

int cli_find_results(const struct cli *cli, const char *name, char **path)
{
    struct pm_error err = {{0}};
    if (!name)
        return PM_EXIT_FINE;
    if (cli_refuses(cli, "with --results", "db"))
        return PM_EXIT_USAGE;
    const int rc = pm_shipped_results(name, NULL, path, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

/* Handles --results, which selects results that come with portmeter instead of a database of the
 * user. */
#include "cli/results_option.h"

#include <string.h>

const struct cli_option cli_results_option[] = {
    {"results", 0, 'R', CLI_VALUE_WORD, "NAME",
     "instead of a database, read results that come with portmeter: suites (reviewed cases) or "
     "census (cases that a program made) [default: suites]",
     .words = "suites census", .optional = true},
    CLI_OPTIONS_END};

const struct cli_option cli_report_results_option[] = {
    {"results", 0, 'R', CLI_VALUE_WORD, "NAME",
     "instead of a database, read results that come with portmeter: suites (reviewed cases), "
     "census (cases that a program made) or forecasts (predictions) [default: suites]",
     .words = "suites census forecasts", .optional = true},
    CLI_OPTIONS_END};

bool cli_take_results(const char *argument, bool forecasts, const char **name)
{
    static const char *const names[] = {PM_SHIPPED_SUITES, PM_SHIPPED_CENSUS, PM_SHIPPED_FORECASTS};
    const struct pm_words words = {names, forecasts ? 3 : 2};
    *name = argument ? argument : PM_SHIPPED_SUITES;
    return pm_words_find(&words, *name) >= 0 || cli_unknown(&words, "results", *name);
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

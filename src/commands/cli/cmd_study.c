/* portmeter study: measures the first device of each kind, and prints a report. */
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"

static int study(struct cli_run *run, const struct pm_study_request *request, bool gates)
{
    const struct pm_messages messages = cli_messages();
    struct pm_run_result result;
    struct pm_error err = {{0}};
    cli_run_finish(run);
    cli_outlive_readers();
    const int rc = pm_study(&run->options, request, &messages, &result, &err);
    if (rc)
        return cli_fail(rc, &err);
    return request->previews ? PM_EXIT_FINE : cli_run_status(run->options.db, &result, gates);
}

static const struct cli_option options[] = {
    CLI_GROUP("What to measure"),
    {"framework", 'F', 'F', CLI_VALUE_FRAMEWORK, "FRAMEWORK",
     "measure only this framework [default: all]"},
    {"quick", 0, 'q', CLI_VALUE_NONE, NULL,
     "measure only outcomes, of at most 3 core cases of each function (--cases and --kind choose "
     "other cases)"},
    {"census", 0, 'Y', CLI_VALUE_NONE, NULL,
     "measure the cases of the censuses that come with portmeter, instead of the reviewed suites: "
     "first all outcomes, then the latencies, beginning with the most used functions"},
    {"new", 0, 'n', CLI_VALUE_NONE, NULL, "start a new study, even if the last one is unfinished"},
    {"yes", 'y', 'y', CLI_VALUE_NONE, NULL,
     "create an environment for each framework that is missing here, without asking [default: "
     "measure the frameworks that are here; ask if there is none]"},
    {"dry-run", 0, 'D', CLI_VALUE_NONE, NULL,
     "measure nothing: print what would be measured and downloaded, and how long that would take"},
    CLI_INCLUDE(cli_run_options),
    {"repetitions", 'r', 'r', CLI_VALUE_TEXT, "N",
     "processes per case [default: 1; if latencies are measured, up to 5 for functions that run "
     "quickly]"},
    CLI_INCLUDE(cli_measure_options),
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

struct study_request {
    struct cli_run run;
    struct pm_study_request study;
    const char *db;
    bool quick, gates;
};

static bool take(struct study_request *r, int option, const char *argument)
{
    long long number;
    switch (option) {
    case 'd':
        r->db = argument;
        return true;
    case 'Y':
        return r->run.options.census = true;
    case 'n':
        return r->study.anew = true;
    case 'X':
        return r->gates = true;
    case 'D':
        return r->study.previews = true;
    case 'y':
        return r->study.creates = true;
    case 'F':
        r->study.framework = argument;
        return true;
    case 'q':
        return r->quick = true;
    case 'r':
        if (!cli_number("repetitions", argument, 1, PM_MOST_REPETITIONS, &number))
            return false;
        r->run.options.repetitions = (unsigned)number;
        return true;
    default:
        return cli_run_take(&r->run, option, argument);
    }
}

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct study_request request = {.study.width = cli_width()};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_run_init(&request.run);
    cli_init(&cli, &cmd_study, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0 || cli_has_more(&cli, "study takes options only") ||
        (request.study.previews &&
         cli_refuses(&cli, "with --dry-run, which measures nothing", "new exit-code")) ||
        (request.run.options.census &&
         cli_refuses(&cli, "with --census, which names the cases", "suite")) ||
        (request.quick && cli_refuses(&cli, "with --quick, which measures no latencies", "warm")) ||
        !cli_run_fits_shard(&request.run, &cli, argc, argv))
        goto done;
    if (request.quick)
        pm_study_quick(&request.run.options);
    request.run.options.db = cli_db(request.db);
    request.study.asks = cli_messages().terminal && isatty(STDIN_FILENO);
    status = study(&request.run, &request.study, request.gates);
done:
    cli_run_release(&request.run);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_study = {
    .name = "study",
    .run = run,
    .chapter = "Measure",
    .summary = "measure this machine (the first device of each kind), and print a report",
    .synopsis = "[OPTION...]",
    .options = options,
    .examples = {{"study --quick", "find out in minutes which functions work"},
                 {"study --framework {framework}", "measure one framework completely"}},
};

/* portmeter study: measures everything on this machine and reports. */
#include "cli/cli.h"
#include "cli/commands.h"

/* So that a study of three frameworks takes no two minutes. */
enum { QUICK_CASES = 3 };

static const struct poptOption options[] = {
    CLI_RUN_OPTIONS,
    {"repetitions", 'r', POPT_ARG_STRING, NULL, 'r',
     "processes per case [default: 1; 5 for fast functions if latencies are measured]", "N"},
    {"warm", 0, POPT_ARG_STRING, NULL, 'w',
     "warm samples per case [default: " PM_WARM_RULE_TEXT "]", "RULE"},
    CLI_CASES,
    {"quick", 0, POPT_ARG_NONE, NULL, 'q',
     "measure only outcomes, and at most 3 cases of each function unless --cases is given", NULL},
    {"framework", 0, POPT_ARG_STRING, NULL, 'F', "framework to install and measure [default: all]",
     "FRAMEWORK"},
    {"new", 0, POPT_ARG_NONE, NULL, 'n', "start a new study, even if the last one is unfinished",
     NULL},
    CLI_KEEP_VALUES,
    CLI_EXIT_CODE,
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

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
    return cli_run_status(run->options.db, &result, gates);
}

int cmd_study(int argc, const char **argv)
{
    struct cli cli;
    struct cli_run run;
    const char *argument, *db = NULL;
    int option, status = PM_EXIT_USAGE;
    long long number;
    bool quick = false, gates = false;
    struct pm_study_request request = {.width = cli_width()};
    cli_run_init(&run);
    cli_init(&cli, "portmeter study", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option == 'd') {
            db = argument;
        } else if (option == 'n') {
            request.anew = true;
        } else if (option == 'X') {
            gates = true;
        } else if (option == 'F') {
            request.framework = argument;
        } else if (option == 'q') {
            run.options.outcomes_only = true;
            quick = true;
        } else if (option == 'r') {
            if (!cli_number("repetitions", argument, 1, PM_MOST_REPETITIONS, &number))
                goto done;
            run.options.repetitions = (unsigned)number;
        } else if (!cli_run_take(&run, option, argument)) {
            goto done;
        }
    }
    if (option < 0)
        goto done;
    if (quick && !run.options.most_cases)
        run.options.most_cases = QUICK_CASES;
    if ((argument = cli_operand(&cli))) {
        cli_usage("unexpected operand '%s': study takes options only", argument);
        goto done;
    }
    run.options.db = cli_db(db);
    status = study(&run, &request, gates);
done:
    cli_run_release(&run);
    cli_release(&cli);
    return status;
}

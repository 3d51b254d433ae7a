#include <stdio.h>

#include "cli/cli.h"

static const struct poptOption options[] = {
    {"run", 0, POPT_ARG_STRING, NULL, 'r', "which run of the database (all)", "N"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database (portmeter.db, or PORTMETER_DB)", "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

static int judge(const char *db, long long run)
{
    struct pm_error err = {{0}};
    size_t judged;
    const int rc = pm_judge_db(db, run, &judged, &err);
    if (rc)
        return cli_fail(rc, &err);
    fprintf(stderr, "judged      %zu executions in '%s'\n", judged, db);
    return EXIT_FINE;
}

int cmd_judge(int argc, const char **argv)
{
    struct cli cli;
    const char *argument, *db = NULL;
    long long run = 0;
    int option, status = EXIT_USAGE;
    cli_init(&cli, "portmeter judge", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option == 'd')
            db = argument;
        else if (!cli_number("run", argument, 1, INT64_MAX, &run))
            goto done;
    }
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli)))
        cli_usage("judge takes no operand '%s'", argument);
    else
        status = judge(cli_db(db), run);
done:
    cli_release(&cli);
    return status;
}

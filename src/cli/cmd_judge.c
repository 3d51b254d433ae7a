/* portmeter judge: assigns outcomes and verdicts again, from stored evidence. */
#include <stdio.h>

#include "cli/cli.h"

static const struct poptOption options[] = {
    {"run", 0, POPT_ARG_STRING, NULL, 'r', "run to judge [default: all]", "N"},
    {"sample", 0, POPT_ARG_STRING, NULL, 's',
     "sample for the estimates [default: the run's own, or the newest]", "N"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

static int judge(const char *db, long long run, long long sample)
{
    struct pm_error err = {{0}};
    struct pm_judged judged;
    const int rc = pm_assess_db(db, run, sample, &judged, &err);
    if (rc)
        return cli_fail(rc, &err);
    fprintf(stderr, "judged      %zu execution%s in '%s'\n", judged.executions,
            judged.executions == 1 ? "" : "s", db);
    cli_say_undecided(&judged);
    return EXIT_FINE;
}

int cmd_judge(int argc, const char **argv)
{
    struct cli cli;
    const char *argument, *db = NULL;
    long long run = 0, sample = 0;
    int option, status = EXIT_USAGE;
    cli_init(&cli, "portmeter judge", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option == 'd')
            db = argument;
        else if (option == 's' ? !cli_number("sample", argument, 1, INT64_MAX, &sample)
                               : !cli_number("run", argument, 1, INT64_MAX, &run))
            goto done;
    }
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli)))
        cli_usage("unexpected operand '%s': judge takes options only", argument);
    else
        status = judge(cli_db(db), run, sample);
done:
    cli_release(&cli);
    return status;
}

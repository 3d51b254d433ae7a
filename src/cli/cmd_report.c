#include "cli/cli.h"

static const struct poptOption options[] = {
    {"format", 0, POPT_ARG_STRING, NULL, 'x', "text, markdown or json (text)", "FORMAT"},
    {"table", 0, POPT_ARG_STRING, NULL, 't',
     "one table: 1, 5 (the study's numbers), summary, study, "
     "ratios, failures, uncounted, dtypes, unsteady, canaries, cases",
     "N|NAME"},
    {"run", 0, POPT_ARG_STRING, NULL, 'r', "which run of the database (the newest)", "N"},
    {"output", 0, POPT_ARG_STRING, NULL, 'o', "write to a file instead of stdout", "FILE"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database (portmeter.db, or PORTMETER_DB)", "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

static bool take(struct pm_report_options *o, int option, const char *argument)
{
    long long number;
    switch (option) {
    case 'x':
        o->format = argument;
        return true;
    case 't':
        o->table = argument;
        return true;
    case 'o':
        o->output = argument;
        return true;
    case 'd':
        o->db = argument;
        return true;
    default:
        if (!cli_number("run", argument, 1, INT64_MAX, &number))
            return false;
        o->run_id = number;
        return true;
    }
}

static int report(struct pm_report_options *o)
{
    struct pm_error err = {{0}};
    bool something_wrong;
    o->db = cli_db(o->db);
    o->width = cli_width();
    o->colour = cli_colour() && !o->output;
    const int rc = pm_report(o, &something_wrong, &err);
    if (rc)
        return cli_fail(rc, &err);
    return something_wrong ? EXIT_LOOK : EXIT_FINE;
}

int cmd_report(int argc, const char **argv)
{
    struct cli cli;
    struct pm_report_options o = {.format = "text"};
    const char *argument;
    int option, status = EXIT_USAGE;
    cli_init(&cli, "portmeter report", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&o, option, argument))
            goto done;
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli)))
        cli_usage("report takes no operand '%s'", argument);
    else
        status = report(&o);
done:
    cli_release(&cli);
    return status;
}

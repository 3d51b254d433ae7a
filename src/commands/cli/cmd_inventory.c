/* portmeter inventory: records the public functions of a framework. */
#include "cli/cli.h"
#include "cli/commands.h"

static const struct poptOption options[] = {
    {"environment", 'e', POPT_ARG_STRING, NULL, 'e',
     "environment to inspect [default: the one with the name of the framework, or the first that "
     "has it]",
     "N"},
    {"flat", 0, POPT_ARG_STRING, NULL, 'l',
     "record the names in FILE (a JSON array) instead of inspecting the framework", "FILE"},
    {"against", 0, POPT_ARG_STRING, NULL, 'a',
     "compare the inventory with the names in FILE (a JSON array)", "FILE"},
    {"fate", 0, POPT_ARG_STRING, NULL, 'f',
     "with --against: list the names with this fate: kept, method (only methods have the name), "
     "private, foreign (defined by another package), gone, or new (not in the FILE of --against)",
     "WORD"},
    {"format", 0, POPT_ARG_STRING, NULL, 'x',
     CLI_FORMATS_BUT_CSV "; only json has every entry [default: text]", "FORMAT"},
    {"output", 0, POPT_ARG_STRING, NULL, 'o', "write to FILE instead of stdout", "FILE"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

static bool take(struct pm_inventory_options *o, int option, const char *argument)
{
    switch (option) {
    case 'e':
        o->environment = argument;
        return true;
    case 'l':
        o->flat = argument;
        return true;
    case 'a':
        o->against = argument;
        return true;
    case 'f':
        o->fate = argument;
        return true;
    case 'x':
        return cli_format_but_csv("inventory", CLI_FORMATS_BUT_CSV, argument, &o->format);
    case 'o':
        o->output = argument;
        return true;
    default:
        o->db = argument;
        return true;
    }
}

static int record(struct pm_inventory_options *o)
{
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    o->db = cli_db(o->db);
    o->width = cli_width();
    o->colour = cli_colour() && !o->output;
    const int rc = pm_survey_inventory(o, &messages, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

int cmd_inventory(int argc, const char **argv)
{
    struct cli cli;
    struct pm_inventory_options o = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter inventory", argc, argv, options, "FRAMEWORK [OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&o, option, argument))
            goto done;
    if (option < 0)
        goto done;
    o.framework = cli_operand(&cli);
    if (!o.framework)
        cli_usage("no framework is given: use, for example, portmeter inventory %s",
                  pm_examples().framework);
    else if ((argument = cli_operand(&cli)))
        cli_usage("unexpected operand '%s': inventory takes one framework", argument);
    else
        status = record(&o);
done:
    cli_release(&cli);
    return status;
}

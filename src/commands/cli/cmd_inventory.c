/* portmeter inventory: records the public functions of a framework. */
#include "cli/cli.h"
#include "cli/commands.h"

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
        o->status = argument;
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

static const struct cli_option options[] = {
    CLI_GROUP("Where the names come from"),
    {"environment", 'e', 'e', CLI_VALUE_ENVIRONMENT, "NAME",
     "environment to inspect [default: the one with the name of the framework, or the first that "
     "has the framework]"},
    {"flat", 0, 'l', CLI_VALUE_FILE, "FILE",
     "read the names from FILE (a JSON array) and record them, instead of inspecting the "
     "framework"},
    CLI_GROUP("Comparison"),
    {"against", 0, 'a', CLI_VALUE_FILE, "FILE",
     "compare the inventory with the names in FILE (a JSON array)"},
    {"status", 0, 'f', CLI_VALUE_WORD, "WORD",
     "with --against: list the names with this status: kept, method (only methods have the name), "
     "private, foreign (defined by another package), gone, or new (not in the FILE of --against)",
     .words = "kept method private foreign gone new"},
    CLI_GROUP("Output"),
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     CLI_FORMATS_BUT_CSV "; only json lists every name [default: text]",
     .words = CLI_FORMAT_WORDS_BUT_CSV},
    {"output", 'o', 'o', CLI_VALUE_FILE, "FILE", "write to FILE instead of stdout"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct pm_inventory_options o = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_inventory, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&o, option, argument))
            goto done;
    if (option < 0)
        goto done;
    o.framework = cli_operand(&cli);
    if (!o.framework)
        cli_usage("no framework is given: use, for example, portmeter inventory %s",
                  pm_examples().framework);
    else if (!cli_has_more(&cli, "inventory takes one framework") &&
             !(o.flat && cli_refuses(&cli, "with --flat, which inspects nothing", "environment")))
        status = record(&o);
done:
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_inventory = {
    .name = "inventory",
    .run = run,
    .chapter = "Choose functions",
    .summary = "record the public functions of a framework",
    .synopsis = "FRAMEWORK [OPTION...]",
    .operand = CLI_VALUE_FRAMEWORK,
    .options = options,
    .examples = {{"inventory {framework}", "record the functions of the installed version"},
                 {"inventory {framework} --against old.json --status gone",
                  "list the names of an older list that no longer exist"}},
};

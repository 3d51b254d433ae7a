/* portmeter help: what a command or an action does, on the terminal or as a page for man. */
#include "cli/cli.h"
#include "cli/commands.h"

static const struct cli_option options[] = {
    CLI_GROUP("Output"),
    {"man", 0, 'm', CLI_VALUE_NONE, NULL, "print the page for man instead"},
    CLI_OPTIONS_END};

static int help(const struct cli_command *command, const struct cli_action *action, bool man)
{
    if (man)
        cli_man(stdout, command);
    else if (command)
        cli_help_command(stdout, command, action);
    else
        cli_help(stdout);
    return PM_EXIT_FINE;
}

static int take_operands(struct cli *cli, bool man)
{
    const char *name = cli_operand(cli), *word = name ? cli_operand(cli) : NULL;
    const struct cli_command *command = name ? cli_command_find(name) : NULL;
    const struct cli_action *action = NULL;
    if (name && !command)
        return cli_command_unknown(name);
    if (word && !(action = cli_need_action(command, word)))
        return PM_EXIT_USAGE;
    if (cli_has_more(cli, "help takes a command and its action"))
        return PM_EXIT_USAGE;
    if (man && action)
        return cli_usage("--man prints the page of a whole command: omit '%s'", word);
    return help(command, action, man);
}

static int run(int argc, const char **argv)
{
    struct cli cli;
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    bool man = false;
    cli_init(&cli, &cmd_help, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        man = true;
    if (option == 0)
        status = take_operands(&cli, man);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_help = {
    .name = "help",
    .run = run,
    .chapter = "Get help",
    .summary = "print what a command does, its options and two examples",
    .synopsis = "[COMMAND [ACTION]] [OPTION...]",
    .operand = CLI_VALUE_COMMAND,
    .options = options,
    .examples = {{"help run", "the options of a command"},
                 {"help env create", "those of an action of a command"}},
};

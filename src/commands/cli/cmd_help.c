/* portmeter help: describes a command or an action, on the terminal or as a man page. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/pager.h"

static const char *const names_of_shells[] = {"bash", "zsh", "fish"};
static const struct pm_words shells = {names_of_shells,
                                       sizeof names_of_shells / sizeof *names_of_shells};

static const struct cli_option options[] = {
    CLI_GROUP("Output"),
    {"man", 0, 'm', CLI_VALUE_NONE, NULL, "print the man page instead"},
    {"completion", 0, 'c', CLI_VALUE_WORD, "SHELL",
     "print the completion script for bash, zsh or fish instead", .words = "bash zsh fish"},
    {"complete", 0, 'w', CLI_VALUE_NONE, NULL,
     "print the words that can complete the last word after -- (for completion scripts)"},
    CLI_INCLUDE(cli_pager_option),
    CLI_OPTIONS_END};

struct help_request {
    bool man, completes, unpaged;
    const char *shell; /* --completion */
};

static int help(const struct cli_command *command, const struct cli_action *action,
                const struct help_request *r)
{
    if (!r->unpaged)
        cli_page();
    if (r->man)
        cli_man(stdout, command);
    else if (command)
        cli_help_command(stdout, command, action);
    else
        cli_help(stdout);
    return PM_EXIT_FINE;
}

static int take_operands(struct cli *cli, const struct help_request *r)
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
    if (r->man && action)
        return cli_usage("--man prints the page of a whole command: omit '%s'", word);
    return help(command, action, r);
}

static int complete(struct cli *cli)
{
    struct cli_list words = {0};
    for (const char *word; (word = cli_operand(cli));)
        cli_add(&words, word);
    cli_complete(stdout, words.items, words.count);
    cli_list_release(&words);
    return PM_EXIT_FINE;
}

static bool take(struct help_request *r, int option, const char *argument)
{
    switch (option) {
    case 'm':
        return r->man = true;
    case 'w':
        return r->completes = true;
    case 'P':
        return r->unpaged = true;
    default:
        r->shell = argument;
        return pm_words_find(&shells, argument) >= 0 || cli_unknown(&shells, "shell", argument);
    }
}

static int run(int argc, const char **argv)
{
    struct cli cli;
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    struct help_request request = {0};
    cli_init(&cli, &cmd_help, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0)
        goto done;
    if (request.completes)
        status = complete(&cli);
    else if (!request.shell)
        status = take_operands(&cli, &request);
    else if (!cli_has_more(&cli, "--completion needs no command")) {
        cli_completion_script(stdout, request.shell);
        status = PM_EXIT_FINE;
    }
done:
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
    .examples = {{"help run", "print the options of a command"},
                 {"help env create", "print the options of an action of a command"}},
};

/* Finds the descriptions of commands, their actions and their options. */
#include "cli/manual.h"

#include <string.h>

#include "base/nearest.h"
#include "base/str.h"
#include "cli/cli.h"

enum { MOST_COMMANDS = 64, MOST_ACTIONS = 16 };

const struct cli_command *const *cli_commands;

/* ---- options ---- */

const struct cli_option cli_common_options[] = {
    CLI_GROUP("Every command"),
    {"help", 'h', CLI_HELP, CLI_VALUE_NONE, NULL, "print this help"},
    {"quiet", 'q', CLI_QUIET, CLI_VALUE_NONE, NULL, "print only results and errors"},
    {"verbose", 'v', CLI_VERBOSE, CLI_VALUE_NONE, NULL,
     "also print each event: which programs start and end, which calls are sent"},
    {"color", 0, CLI_COLOR, CLI_VALUE_WORD, "WHEN",
     "colour the results: auto, always or never [default: auto, which means on a terminal, unless "
     "$NO_COLOR is set; $CLICOLOR_FORCE means always]",
     .words = "auto always never"},
    CLI_OPTIONS_END};

const struct cli_option cli_db_option[] = {
    CLI_GROUP("Database"),
    {"db", 0, 'd', CLI_VALUE_FILE, "FILE", "database [default: $PORTMETER_DB, or portmeter.db]"},
    CLI_OPTIONS_END};

struct walk {
    cli_option_fn *take;
    void *ctx;
    const char *group;
};

static void walk_options(const struct cli_option *table, struct walk *walk)
{
    for (const struct cli_option *o = table; o->name || o->group || o->include; o++)
        if (o->include)
            walk_options(o->include, walk);
        else if (o->group)
            walk->group = o->group;
        else
            walk->take(walk->ctx, o, walk->group);
}

void cli_options_each(const struct cli_option *table, cli_option_fn *take, void *ctx)
{
    walk_options(table, &(struct walk){take, ctx, "Options"});
}

void cli_command_options(const struct cli_command *command, cli_option_fn *take, void *ctx)
{
    cli_options_each(command->options, take, ctx);
    cli_options_each(cli_common_options, take, ctx);
}

const struct cli_action *cli_action_find(const struct cli_command *command, const char *name)
{
    for (const struct cli_action *a = command->actions; a && a->name; a++)
        if (!strcmp(a->name, name))
            return a;
    return NULL;
}

bool cli_option_applies(const struct cli_option *option, const struct cli_action *action)
{
    return !option->actions || !action || cli_has_word(option->actions, action->name);
}

/* The options that portmeter takes before the command. */
static const struct cli_option options_before[] = {
    CLI_INCLUDE(cli_common_options),
    CLI_GROUP("Before the command"),
    {"db", 0, 'd', CLI_VALUE_FILE, "FILE", "database [default: $PORTMETER_DB, or portmeter.db]"},
    {"config", 0, 'c', CLI_VALUE_FILE, "FILE",
     "file of options [default: $PORTMETER_CONFIG, or portmeter.yaml]"},
    {"directory", 'C', 'C', CLI_VALUE_FILE, "FOLDER", "run the command in FOLDER"},
    {"version", 'V', 'V', CLI_VALUE_NONE, NULL, "print the version"},
    CLI_OPTIONS_END};

const struct cli_command cli_portmeter = {.name = "", .options = options_before};

bool cli_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

/* ---- commands and actions ---- */

const struct cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (!strcmp(cli_commands[i]->name, name))
            return cli_commands[i];
    return NULL;
}

/* Returns portmeter's command for a name that other programs use; NULL if the name is not known. */
static const char *own_command(const char *name)
{
    static const char *const names[][2] = {
        {"bench", "run"},       {"benchmark", "run"},
        {"check", "doctor"},    {"completion", "help --completion SHELL"},
        {"diff", "compare"},    {"html", "open"},
        {"init", "env create"}, {"install", "env create"},
        {"list", "devices"},    {"measure", "run"},
        {"results", "report"},  {"show", "report"},
        {"test", "run"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i][0], name))
            return names[i][1];
    return NULL;
}

int cli_command_unknown(const char *name)
{
    const char *names[MOST_COMMANDS];
    size_t count = 0;
    for (; count < MOST_COMMANDS && cli_commands[count]; count++)
        names[count] = cli_commands[count]->name;
    const char *own = own_command(name), *nearest = own ? own : pm_nearest(name, names, count);
    if (nearest)
        return cli_usage("unknown command '%s': did you mean '%s'?", name, nearest);
    return cli_usage("unknown command '%s': portmeter help lists the commands", name);
}

static void say_actions(const struct cli_command *command, const char *word)
{
    const char *names[MOST_ACTIONS] = {NULL};
    struct pm_str list = PM_STR_INIT;
    size_t count = 0;
    for (const struct cli_action *a = command->actions; a && count < MOST_ACTIONS && a->name; a++) {
        names[count++] = a->name;
        pm_str_addf(&list, "%s%s", count > 1 ? ", " : "", a->name);
    }
    const char *nearest = word ? pm_nearest(word, names, count) : NULL;
    if (!count)
        cli_usage("unexpected operand '%s': portmeter %s has no actions", word, command->name);
    else if (!word)
        cli_usage("portmeter %s needs an action: use one of %s", command->name, list.data);
    else if (nearest)
        cli_usage("unknown action '%s' of portmeter %s: did you mean '%s'?", word, command->name,
                  nearest);
    else
        cli_usage("unknown action '%s' of portmeter %s: use one of %s", word, command->name,
                  list.data);
    pm_str_release(&list);
}

const struct cli_action *cli_need_action(const struct cli_command *command, const char *word)
{
    const struct cli_action *action = word ? cli_action_find(command, word) : NULL;
    if (!action)
        say_actions(command, word);
    return action;
}

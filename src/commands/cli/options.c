/* Parses the options of a command with popt, by its description (manual.h), and parses values that
 * several commands take. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/config.h"

/* ---- the table of popt ---- */

static void add_option(void *ctx, const struct cli_option *option, const char *group)
{
    struct cli *cli = ctx;
    (void)group;
    PM_GROW(cli->options, cli->option_count, cli->option_capacity);
    cli->options[cli->option_count++] = (struct cli_given){.option = option};
}

/* Returns whether two options may have the same id: `b` has the name of `a` or is a synonym. */
static bool are_same(const struct cli_option *a, const struct cli_option *b)
{
    static const char synonym[] = "same as --";
    return !strcmp(a->name, b->name) || !strncmp(b->text, synonym, sizeof synonym - 1);
}

/* Aborts if another option of the command has the same id, because the command could not
 * distinguish them. This is a programming error. */
static void need_own_id(const struct cli *cli, size_t at)
{
    const struct cli_option *own = cli->options[at].option;
    for (size_t i = 0; i < at; i++) {
        const struct cli_option *o = cli->options[i].option;
        if (o->id == own->id && !are_same(o, own)) {
            fprintf(stderr, "--%s and --%s have the same id\n", o->name, own->name);
            abort();
        }
    }
}

/* Makes the table of popt. The `val` that popt returns is the option's index in `cli->options` plus
 * 1. */
static void make_table(struct cli *cli)
{
    cli->table = pm_alloc((cli->option_count + 1) * sizeof *cli->table);
    memset(cli->table, 0, (cli->option_count + 1) * sizeof *cli->table);
    for (size_t i = 0; i < cli->option_count; i++) {
        const struct cli_option *o = cli->options[i].option;
        need_own_id(cli, i);
        cli->table[i] = (struct poptOption){
            .longName = o->name,
            .shortName = o->letter,
            .argInfo = !o->argument  ? POPT_ARG_NONE
                       : o->optional ? POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL
                                     : POPT_ARG_STRING,
            .val = (int)i + 1,
        };
    }
}

static const char *find_single_dash(const struct cli *cli, int argc, const char **argv);

void cli_init(struct cli *cli, const struct cli_command *command, int argc, const char **argv)
{
    *cli = (struct cli){.command = command};
    cli_command_options(command, add_option, cli);
    cli->single_dash = *command->name ? find_single_dash(cli, argc, argv) : NULL;
    make_table(cli);
    cli->context = poptGetContext(command->name, argc, argv, cli->table,
                                  *command->name ? 0 : POPT_CONTEXT_POSIXMEHARDER);
}

/* ---- unknown options ---- */

struct owner {
    const char *name;
    const struct cli_command *command, *found;
};

static void look_for_owner(void *ctx, const struct cli_option *option, const char *group)
{
    struct owner *owner = ctx;
    (void)group;
    if (!owner->found && !strcmp(option->name, owner->name))
        owner->found = owner->command;
}

/* Returns the first command that has an option with the name; NULL if there is none. */
static const struct cli_command *owner_of(const char *name)
{
    struct owner owner = {.name = name};
    for (size_t i = 0; cli_commands[i]; i++) {
        owner.command = cli_commands[i];
        cli_options_each(owner.command->options, look_for_owner, &owner);
    }
    return owner.found;
}

/* Returns portmeter's name of an option that other programs call `name`; `name` if there is none.
 */
static const char *own_name(const char *name)
{
    static const char *const names[][2] = {{"gpu", "cuda"},
                                           {"device", "target"},
                                           {"database", "db"},
                                           {"no-color", "color"},
                                           {"colour", "color"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i][0], name))
            return names[i][1];
    return name;
}

/* Returns the option that the user probably means by a mistyped name, by `-name`, by `--t` or by
 * its name in other programs; NULL if there is none. */
static const char *option_meant(const struct cli *cli, const char *typed)
{
    const char *name = own_name(typed);
    const char **known = pm_alloc((cli->option_count + 1) * sizeof *known);
    for (size_t i = 0; i < cli->option_count; i++) {
        const struct cli_option *o = cli->options[i].option;
        known[i] = o->name;
        if (!strcmp(o->name, name) || (!name[1] && o->letter == *name)) {
            free(known);
            return o->name;
        }
    }
    const char *found = pm_nearest(name, known, cli->option_count);
    free(known);
    return found;
}

static void say_unknown(const struct cli *cli, const char *word)
{
    const char *start = word + strspn(word, "-"), *command = cli->command->name;
    char *name = pm_strndup(start, strcspn(start, "="));
    const bool is_long = strlen(name) > 1 || (*name && start - word > 1);
    const char *meant = is_long ? option_meant(cli, name) : NULL;
    const struct cli_command *owner = is_long ? owner_of(name) : NULL;
    if (meant)
        cli_usage("unknown option '%.*s%s': did you mean '--%s'?", (int)(start - word), word, name,
                  meant);
    else if (owner)
        cli_usage("unknown option '--%s' of portmeter%s%s: it is an option of portmeter %s", name,
                  *command ? " " : "", command, owner->name);
    else
        cli_usage("unknown option '%.*s%s': portmeter help%s%s lists the options",
                  (int)(start - word), word, name, *command ? " " : "", command);
    free(name);
}

/* Returns the first word that is a long name after a single dash, such as "-target"; NULL if there
 * is none. popt would read its letters as short options. */
static const char *find_single_dash(const struct cli *cli, int argc, const char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        for (size_t k = 0; k < cli->option_count; k++)
            if (argv[i][0] == '-' && !strcmp(argv[i] + 1, cli->options[k].option->name))
                return argv[i];
    return NULL;
}

static const struct cli_option *option_of_word(const struct cli *cli, const char *word)
{
    const char *name = word + strspn(word, "-");
    const size_t length = strcspn(name, "=");
    for (size_t i = 0; i < cli->option_count; i++) {
        const struct cli_option *o = cli->options[i].option;
        if (word[1] != '-' ? o->letter && strchr(name, o->letter) && o->argument
                           : strlen(o->name) == length && !strncmp(o->name, name, length))
            return o;
    }
    return NULL;
}

static void say_bad(const struct cli *cli, int error)
{
    const char *word = poptBadOption(cli->context, POPT_BADOPTION_NOALIAS);
    const struct cli_option *o = option_of_word(cli, word);
    if (error == POPT_ERROR_BADOPT)
        say_unknown(cli, word);
    else if (error == POPT_ERROR_NOARG && o)
        cli_usage("%s needs a value: write --%s %s", word, o->name, o->argument);
    else if (error == POPT_ERROR_UNWANTEDARG && o)
        cli_usage("--%s takes no value: omit '%s'", o->name,
                  strchr(word, '=') ? strchr(word, '=') : "");
    else
        cli_usage("%s: %s: portmeter help %s lists the options", word, poptStrerror(error),
                  cli->command->name);
}

/* ---- parsing ---- */

/* Prints the help of the command and action that the operands name, even if the command line has
 * mistakes, and exits. */
_Noreturn static void help(struct cli *cli)
{
    const struct cli_command *command = cli->command;
    int rc;
    while ((rc = poptGetNextOpt(cli->context)) != -1)
        if (rc > 0)
            free(poptGetOptArg(cli->context));
    const char *first = poptGetArg(cli->context);
    if (!*command->name) { /* --help before the command */
        command = first ? cli_command_find(first) : NULL;
        first = command ? poptGetArg(cli->context) : NULL;
    }
    if (command)
        cli_help_command(stdout, command, first ? cli_action_find(command, first) : NULL);
    else
        cli_help(stdout);
    exit(PM_EXIT_FINE);
}

static void keep(struct cli *cli, char *text)
{
    PM_GROW(cli->owned, cli->owned_count, cli->owned_capacity);
    cli->owned[cli->owned_count++] = text;
}

/* Returns the id of the next option of portmeter.yaml that the command line does not set; 0 at the
 * end of the file. */
static int take_setting(struct cli *cli, const char **argument)
{
    const struct cli_config *config = cli_config();
    while (cli->setting < config->count) {
        const struct cli_setting *setting = &config->settings[cli->setting++];
        if (setting->command != cli->command || cli->ignores_config ||
            cli_given(cli, setting->option->name))
            continue;
        *argument = setting->value;
        cli_usage_from(config->path, setting->line);
        return setting->option->id;
    }
    return 0;
}

static int take_next(struct cli *cli, const char **argument)
{
    cli_usage_from(NULL, 0);
    const int at = cli->setting ? -1 : poptGetNextOpt(cli->context);
    *argument = NULL;
    if (at == -1)
        return take_setting(cli, argument);
    if (at < -1) {
        say_bad(cli, at);
        return -1;
    }
    char *text = poptGetOptArg(cli->context);
    if (text)
        keep(cli, text);
    *argument = text;
    cli->options[at - 1].given = true;
    return cli->options[at - 1].option->id;
}

int cli_next(struct cli *cli, const char **argument)
{
    int id;
    if (cli->single_dash) {
        say_unknown(cli, cli->single_dash);
        return -1;
    }
    while ((id = take_next(cli, argument)) >= CLI_HELP) {
        if (id == CLI_HELP)
            help(cli);
        if (!cli_take_common(id, *argument))
            return -1;
    }
    return id;
}

const char *cli_operand(struct cli *cli)
{
    return poptGetArg(cli->context);
}

void cli_release(struct cli *cli)
{
    poptFreeContext(cli->context);
    pm_free_strings(cli->owned, cli->owned_count);
    free(cli->table);
    free(cli->options);
}

/* ---- the command line as text ---- */

/* Returns how many words one of `options` takes at `word`: 0 if `word` names none of them, 1 for
 * "--name=value", 2 if the value is the next word. */
static int words_of(const char *word, const char *options)
{
    const size_t length = strcspn(word, "=");
    char name[64];
    if (strncmp(word, "--", 2) != 0 || length < 3 || length >= sizeof name)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)length - 2, word + 2);
    return !cli_has_word(options, name) ? 0 : word[length] ? 1 : 2;
}

char *cli_command_line(const struct cli_command *command, int argc, const char **argv,
                       const char *without)
{
    struct pm_str text = PM_STR_INIT;
    pm_str_addf(&text, "portmeter %s", command->name);
    for (int i = 1; i < argc; i++) {
        const int skipped = words_of(argv[i], without);
        if (skipped)
            i += skipped - 1;
        else {
            pm_str_add_char(&text, ' ');
            pm_str_add_shell(&text, argv[i]);
        }
    }
    return pm_str_detach(&text);
}

/* ---- actions, and options without effect ---- */

const struct cli_action *cli_take_action(struct cli *cli, const char *otherwise)
{
    const char *word = cli_operand(cli);
    const struct cli_action *action = cli_need_action(cli->command, word ? word : otherwise);
    if (!action)
        return NULL;
    for (size_t i = 0; i < cli->option_count; i++) {
        const struct cli_option *o = cli->options[i].option;
        if (cli->options[i].given && !cli_option_applies(o, action)) {
            cli_usage("--%s has no effect on portmeter %s %s: omit it", o->name, cli->command->name,
                      action->name);
            return NULL;
        }
    }
    return action;
}

bool cli_given(const struct cli *cli, const char *name)
{
    for (size_t i = 0; i < cli->option_count; i++)
        if (cli->options[i].given && !strcmp(cli->options[i].option->name, name))
            return true;
    return false;
}

bool cli_refuses(const struct cli *cli, const char *why, const char *names)
{
    for (size_t i = 0; i < cli->option_count; i++)
        if (cli->options[i].given && cli_has_word(names, cli->options[i].option->name)) {
            cli_usage("--%s has no effect %s: omit it", cli->options[i].option->name, why);
            return true;
        }
    return false;
}

static bool has_option(const struct cli *cli, const char *name)
{
    for (size_t i = 0; i < cli->option_count; i++)
        if (!strcmp(cli->options[i].option->name, name))
            return true;
    return false;
}

bool cli_has_more(struct cli *cli, const char *takes)
{
    const char *operand = cli_operand(cli);
    const bool only_options = pm_ends_with(takes, "takes options only");
    if (operand && only_options && pm_ends_with(operand, ".db") && has_option(cli, "db"))
        takes = "name the database with --db";
    else if (operand && only_options && strchr(operand, '@') && has_option(cli, "target"))
        takes = "name targets with --target";
    if (operand)
        cli_usage("unexpected operand '%s': %s", operand, takes);
    return operand;
}

/* ---- values of options ---- */

void cli_add(struct cli_list *list, const char *item)
{
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = item;
}

void cli_list_release(struct cli_list *list)
{
    free(list->items);
}

bool cli_format(const char *argument, enum pm_report_format *out)
{
    return pm_report_format_parse(argument, out) ||
           cli_unknown(&pm_report_format_words, "format", argument);
}

bool cli_format_but_csv(const char *command, const char *formats, const char *argument,
                        enum pm_report_format *out)
{
    if (!cli_format(argument, out))
        return false;
    if (*out != PM_FORMAT_CSV)
        return true;
    cli_usage("%s cannot print '%s': use --format %s", command, argument, formats);
    return false;
}

bool cli_take_width(const char *argument, unsigned *out)
{
    long long columns;
    if (!cli_number("width", argument, 0, 100000, &columns))
        return false;
    *out = (unsigned)columns;
    return true;
}

bool cli_take_intolerable(const char *argument, double *out)
{
    if (pm_parse_double(argument, out) && *out > 1 && isfinite(*out))
        return true;
    cli_usage("invalid --intolerable '%s': give a factor above 1, such as 10", argument);
    return false;
}

bool cli_number(const char *option, const char *text, long long least, long long most,
                long long *out)
{
    if (pm_parse_int(text, out) && *out >= least && *out <= most)
        return true;
    if (most == INT64_MAX)
        cli_usage("invalid --%s '%s': give a whole number of at least %lld", option, text, least);
    else
        cli_usage("invalid --%s '%s': give a whole number from %lld to %lld", option, text, least,
                  most);
    return false;
}

bool cli_take_shard(const char *text, struct pm_shard *out)
{
    struct pm_error err = {{0}};
    if (pm_shard_parse(text, out, &err) == PM_OK)
        return true;
    cli_usage("%s", err.text);
    return false;
}

bool cli_stored(const char *option, const char *kind, const char *text, int64_t *out)
{
    long long number;
    const char *const newest = "newest";
    *out = PM_NEWEST;
    if (!text || !strcmp(text, newest))
        return true;
    if (!pm_parse_int(text, &number) || number < 1) {
        if (pm_nearest(text, &newest, 1))
            cli_usage("invalid --%s '%s': did you mean 'newest'?", option, text);
        else
            cli_usage("invalid --%s '%s': give the number of a %s, or newest", option, text, kind);
        return false;
    }
    *out = number;
    return true;
}

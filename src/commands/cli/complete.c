/* Completes an unfinished command line from the descriptions of manual.h, and prints the completion
 * scripts of shells. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "cli/cli.h"

/* ---- the scripts ----------------------------------------------------------------------------- */

static const char bash_script[] =
    "# completion of portmeter for bash: eval \"$(portmeter help --completion bash)\"\n"
    "_portmeter() {\n"
    "    local words line=${COMP_LINE:0:COMP_POINT} cur word\n"
    "    read -r -a words <<< \"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "    cur=${words[${#words[@]} - 1]}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r word; do\n"
    "        # bash breaks words at signs such as @ and =, and replaces only the last part, $2\n"
    "        COMPREPLY+=(\"${word#\"${cur%\"$2\"}\"}\")\n"
    "    done < <(portmeter help --complete -- \"${words[@]:1}\" 2> /dev/null)\n"
    "}\n"
    "complete -o default -o bashdefault -F _portmeter portmeter\n";

static const char zsh_script[] =
    "#compdef portmeter\n"
    "# completion of portmeter for zsh: portmeter help --completion zsh > _portmeter, in $fpath\n"
    "_portmeter() {\n"
    "    local -a found\n"
    "    found=(\"${(@f)$(portmeter help --complete -- \"${(@)words[2,CURRENT]}\" "
    "2> /dev/null)}\")\n"
    "    found=(${found:#})\n"
    "    (( $#found )) && compadd -Q -a found || _files\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _portmeter ]; then _portmeter; else compdef _portmeter portmeter; "
    "fi\n";

static const char fish_script[] =
    "# completion of portmeter for fish: portmeter help --completion fish | source\n"
    "function __portmeter_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l found (portmeter help --complete -- $words[2..-1] 2> /dev/null)\n"
    "    if test (count $found) -gt 0\n"
    "        printf '%s\\n' $found\n"
    "    else\n"
    "        __fish_complete_path (commandline -ct)\n"
    "    end\n"
    "end\n"
    "complete -c portmeter -f -a '(__portmeter_complete)'\n";

void cli_completion_script(FILE *out, const char *shell)
{
    fputs(!strcmp(shell, "bash")  ? bash_script
          : !strcmp(shell, "zsh") ? zsh_script
                                  : fish_script,
          out);
}

/* ---- words ----------------------------------------------------------------------------------- */

struct completion {
    FILE *out;
    const char *word;   /* the incomplete word */
    const char *before; /* printed before each proposal: "--table=" */
    struct pm_map printed;
    const char *db; /* --db of the command line */
    bool unknown;   /* the command does not exist */
    const struct cli_command *command;
    const struct cli_action *action;
};

static void offer(void *ctx, const char *word)
{
    struct completion *c = ctx;
    if (strncmp(word, c->word, strlen(c->word)) || pm_map_has(&c->printed, word))
        return;
    pm_map_put(&c->printed, word, NULL);
    fprintf(c->out, "%s%s\n", c->before, word);
}

/* Offers the words of a list, separated by commas or spaces. */
static void offer_list(struct completion *c, const char *list)
{
    char *copy = pm_strdup(list), *rest;
    for (char *at = strtok_r(copy, ", ", &rest); at; at = strtok_r(NULL, ", ", &rest))
        offer(c, at);
    free(copy);
}

static void offer_names(struct completion *c, void (*add)(struct pm_str *))
{
    struct pm_str list = PM_STR_INIT;
    add(&list);
    offer_list(c, list.data);
    pm_str_release(&list);
}

static void offer_commands(struct completion *c)
{
    for (size_t i = 0; cli_commands[i]; i++)
        offer(c, cli_commands[i]->name);
}

static void offer_value(struct completion *c, enum cli_value value, const char *words)
{
    switch (value) {
    case CLI_VALUE_WORD:
        offer_list(c, words);
        break;
    case CLI_VALUE_TARGET:
    case CLI_VALUE_SIDE:
        pm_offer(PM_OFFER_TARGETS, cli_db(c->db), offer, c);
        break;
    case CLI_VALUE_FRAMEWORK:
        pm_offer(PM_OFFER_FRAMEWORKS, NULL, offer, c);
        break;
    case CLI_VALUE_RECIPE:
        pm_offer(PM_OFFER_RECIPES, NULL, offer, c);
        break;
    case CLI_VALUE_ENVIRONMENT:
        pm_offer(PM_OFFER_ENVIRONMENTS, NULL, offer, c);
        break;
    case CLI_VALUE_FUNCTION:
    case CLI_VALUE_CASE:
        pm_offer(PM_OFFER_FUNCTIONS, NULL, offer, c);
        break;
    case CLI_VALUE_RUN:
        pm_offer(PM_OFFER_RUNS, cli_db(c->db), offer, c);
        break;
    case CLI_VALUE_TABLE:
        offer_names(c, pm_tables_list_tables);
        break;
    case CLI_VALUE_FIGURE:
        offer_names(c, pm_tables_list_figures);
        break;
    case CLI_VALUE_COMMAND:
        offer_commands(c);
        break;
    default:
        break;
    }
}

/* ---- options --------------------------------------------------------------------------------- */

static void offer_option(void *ctx, const struct cli_option *option, const char *group)
{
    struct completion *c = ctx;
    (void)group;
    if (!cli_option_applies(option, c->action))
        return;
    char *text = pm_format("--%s", option->name);
    offer(c, text);
    free(text);
}

struct look_up {
    const char *word;
    size_t length;
    const struct cli_option *found;
};

static void look_at_option(void *ctx, const struct cli_option *option, const char *group)
{
    struct look_up *l = ctx;
    (void)group;
    const bool is_letter = l->length == 2 && option->letter && l->word[1] == option->letter;
    const bool is_name = l->length > 2 && l->word[1] == '-' &&
                         strlen(option->name) == l->length - 2 &&
                         !strncmp(option->name, l->word + 2, l->length - 2);
    if (*l->word == '-' && (is_letter || is_name))
        l->found = option;
}

/* Returns the option that a word names, "--table", "--table=x" or "-t"; NULL if it names none. */
static const struct cli_option *option_of(const struct completion *c, const char *word)
{
    struct look_up l = {.word = word, .length = strcspn(word, "=")};
    cli_command_options(c->command, look_at_option, &l);
    return l.found;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Returns whether the option's value is the next word. */
static bool takes_next(const struct cli_option *option, const char *word)
{
    return option && option->argument && !option->optional && !strchr(word, '=');
}

/* Reads the complete words. Returns the option whose value is incomplete; NULL if there is none. */
static const struct cli_option *read_words(struct completion *c, const char *const *words,
                                           size_t count)
{
    const struct cli_option *waits = NULL;
    for (size_t i = 0; i < count; i++) {
        if (waits) {
            c->db = strcmp(waits->name, "db") ? c->db : words[i];
            waits = NULL;
        } else if (*words[i] == '-') {
            const struct cli_option *option = option_of(c, words[i]);
            waits = takes_next(option, words[i]) ? option : NULL;
        } else if (!*c->command->name) {
            const struct cli_command *command = cli_command_find(words[i]);
            c->command = command ? command : c->command;
            c->unknown |= !command;
        } else if (!c->action) {
            c->action = cli_action_find(c->command, words[i]);
        }
    }
    return waits;
}

static void offer_operands(struct completion *c)
{
    if (!*c->command->name)
        offer_commands(c);
    else if (c->action)
        offer_value(c, c->action->operand, "");
    else if (c->command->actions)
        for (const struct cli_action *a = c->command->actions; a->name; a++)
            offer(c, a->name);
    else
        offer_value(c, c->command->operand, "");
}

/* Offers values for a word such as "--table=fail": "fail" is the incomplete value. */
static void offer_joined(struct completion *c)
{
    const struct cli_option *option = option_of(c, c->word);
    const size_t length = strcspn(c->word, "=") + 1;
    char *before = pm_strndup(c->word, length);
    c->before = before;
    c->word += length;
    if (option && option->argument)
        offer_value(c, option->value, option->words);
    free(before);
}

void cli_complete(FILE *out, const char *const *words, size_t count)
{
    struct completion c = {
        .out = out, .word = count ? words[count - 1] : "", .before = "", .command = &cli_portmeter};
    const struct cli_option *waits = read_words(&c, words, count ? count - 1 : 0);
    if (waits)
        offer_value(&c, waits->value, waits->words);
    else if (*c.word == '-' && strchr(c.word, '='))
        offer_joined(&c);
    else if (*c.word == '-')
        cli_command_options(c.command, offer_option, &c);
    else if (!c.unknown)
        offer_operands(&c);
    pm_map_release(&c.printed);
}

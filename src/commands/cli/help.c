/* Prints the help of portmeter, of a command and of an action, from the descriptions of
 * manual.h. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"

enum { COLUMN = 28, INDENT = 2, WIDTH = 80, WIDEST = 100 };

/* ---- texts ---- */

static const char *first_of(const char *text)
{
    return text ? text : "";
}

void cli_expand(const char *text, struct pm_str *out)
{
    const struct pm_examples examples = pm_examples();
    const struct {
        const char *name, *text;
        void (*add)(struct pm_str *);
    } known[] = {
        {"{target}", examples.target, NULL},         {"{reference}", examples.reference, NULL},
        {"{device}", examples.device, NULL},         {"{module}", examples.module, NULL},
        {"{other}", examples.other, NULL},           {"{framework}", examples.framework, NULL},
        {"{warm}", PM_WARM_RULE_TEXT, NULL},         {"{tables}", NULL, pm_tables_list_tables},
        {"{figures}", NULL, pm_tables_list_figures}, {"{formats}", NULL, pm_tables_list_formats},
    };
    while (*text) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known &&
               strncmp(text, known[i].name, strlen(known[i].name)))
            i++;
        if (i == sizeof known / sizeof *known) {
            pm_str_add_char(out, *text++);
            continue;
        }
        if (known[i].add) {
            struct pm_str list = PM_STR_INIT;
            known[i].add(&list);
            pm_str_add(out, list.data);
            pm_str_release(&list);
        } else {
            pm_str_add(out, first_of(known[i].text));
        }
        text += strlen(known[i].name);
    }
}

static size_t width_of_help(FILE *out)
{
    const unsigned width = out == stdout ? cli_width() : 0;
    return width < 40 ? WIDTH : width > WIDEST ? WIDEST : width;
}

/* Returns how many bytes of a word are printed on one line of `line` columns. A longer word is
 * broken after a comma. */
static size_t word_length(const char *word, size_t line)
{
    size_t length = strcspn(word, " \n"), fits = 0;
    if (length <= line)
        return length;
    for (size_t i = 0; i < line; i++)
        if (word[i] == ',')
            fits = i + 1;
    return fits ? fits : length;
}

/* Prints a text, wrapped to the width of the help. The first line begins at column `at`, the others
 * at column `indent`. */
static void wrap(FILE *out, const char *raw, size_t at, size_t indent)
{
    const size_t width = width_of_help(out);
    struct pm_str text = PM_STR_INIT;
    cli_expand(raw, &text);
    size_t column = at;
    bool begins = true, joins = false;
    for (const char *word = text.data; *word;) {
        const size_t length = word_length(word, width - indent);
        if (!begins && (joins || column + 1 + length > width)) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            begins = true;
        }
        fprintf(out, "%s%.*s", begins ? "" : " ", (int)length, word);
        column += length + !begins;
        begins = false;
        word += length;
        joins = *word && *word != ' ' && *word != '\n';
        word += strspn(word, " \n");
    }
    fputc('\n', out);
    pm_str_release(&text);
}

/* Prints a term and, from `column` on, its meaning. */
static void print_row(FILE *out, const char *term, const char *text, int column)
{
    const int length = (int)strlen(term) + INDENT;
    fprintf(out, "%*s%s", INDENT, "", term);
    if (length + 2 > column)
        fprintf(out, "\n%*s", column, "");
    else
        fprintf(out, "%*s", column - length, "");
    wrap(out, text, (size_t)column, (size_t)column);
}

/* ---- options ---- */

void cli_option_term(const struct cli_option *o, struct pm_str *out)
{
    if (o->letter)
        pm_str_addf(out, "-%c, ", o->letter);
    else
        pm_str_add(out, "    ");
    pm_str_addf(out, "--%s", o->name);
    if (o->argument)
        pm_str_addf(out, o->optional ? "[=%s]" : " %s", o->argument);
}

struct listing {
    FILE *out;
    const struct cli_action *action;
    const char *group; /* the group that was printed last */
};

static void print_option(void *ctx, const struct cli_option *option, const char *group)
{
    struct listing *l = ctx;
    struct pm_str term = PM_STR_INIT, text = PM_STR_INIT;
    if (!cli_option_applies(option, l->action))
        return;
    if (!l->group || strcmp(l->group, group))
        fprintf(l->out, "\n%s:\n", group);
    l->group = group;
    cli_option_term(option, &term);
    if (option->actions && !l->action)
        pm_str_addf(&text, "%s: ", option->actions);
    pm_str_addf(&text, "%s%s", option->text, option->repeats ? "; repeatable" : "");
    print_row(l->out, term.data, text.data, COLUMN);
    pm_str_release(&text);
    pm_str_release(&term);
}

/* ---- commands ---- */

static void print_examples(FILE *out, const struct cli_example *examples)
{
    if (examples[0].line)
        fputs("\nExamples:\n", out);
    for (size_t i = 0; i < CLI_EXAMPLES && examples[i].line; i++) {
        struct pm_str line = PM_STR_INIT;
        cli_expand(examples[i].line, &line);
        fprintf(out, "  portmeter %s\n      ", line.data);
        wrap(out, examples[i].text, 6, 6);
        pm_str_release(&line);
    }
}

static void print_actions(FILE *out, const struct cli_command *command)
{
    if (!command->actions)
        return;
    fputs("\nActions:\n", out);
    for (const struct cli_action *a = command->actions; a->name; a++) {
        struct pm_str term = PM_STR_INIT;
        pm_str_addf(&term, "%s%s%s", a->name, *a->operands ? " " : "", a->operands);
        print_row(out, term.data, a->summary, COLUMN);
        pm_str_release(&term);
    }
}

/* Prints a summary such as "measure targets" as a sentence, with a capital letter and a full
 * stop. */
static void print_sentence(FILE *out, const char *text)
{
    struct pm_str sentence = PM_STR_INIT;
    pm_str_addf(&sentence, "%c%s.", *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text,
                text + 1);
    wrap(out, sentence.data, 0, 0);
    pm_str_release(&sentence);
}

void cli_help_command(FILE *out, const struct cli_command *command, const struct cli_action *action)
{
    struct listing listing = {.out = out, .action = action};
    if (action)
        fprintf(out, "usage: portmeter %s %s%s%s [OPTION...]\n\n", command->name, action->name,
                *action->operands ? " " : "", action->operands);
    else
        fprintf(out, "usage: portmeter %s %s\n\n", command->name, command->synopsis);
    print_sentence(out, action ? action->summary : command->summary);
    if (!action && command->text) {
        fputc('\n', out);
        wrap(out, command->text, 0, 0);
    }
    if (!action)
        print_actions(out, command);
    cli_command_options(command, print_option, &listing);
    print_examples(out, action ? action->examples : command->examples);
}

/* ---- portmeter ---- */

static void print_chapters(FILE *out)
{
    const char *chapter = "";
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_command *command = cli_commands[i];
        if (!command->chapter)
            continue;
        if (strcmp(chapter, command->chapter))
            fprintf(out, "\n%s:\n", command->chapter);
        chapter = command->chapter;
        print_row(out, command->name, command->summary, 13);
    }
}

void cli_help(FILE *out)
{
    struct listing listing = {.out = out};
    fputs("usage: portmeter [-C FOLDER] [--db FILE] COMMAND [OPTION...]\n\n", out);
    wrap(out,
         "portmeter measures how portable machine-learning frameworks are: which functions run on "
         "a device, which fail and why, and how much slower or faster each one is.",
         0, 0);
    print_chapters(out);
    cli_options_each(cli_portmeter.options, print_option, &listing);
    fputs("\nportmeter help COMMAND lists the options of a command and gives two examples.\n"
          "Exit status: 0 the command did its work; 1 worse or failing (only with\n"
          "--exit-code, or by suite check); 2 usage error; 3 could not run; 4 inconclusive,\n"
          "or a run is INVALID; 130, 143, 129 stopped by Ctrl-C, SIGTERM, SIGHUP.\n",
          out);
}

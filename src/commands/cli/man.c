/* Prints man pages, from the descriptions of manual.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"

/* Adds text for roff: keeps hyphens as they are typed, and escapes what roff would read as a
 * request. */
static void add_text(struct pm_str *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        pm_str_add(out, "\\&");
    for (; *text; text++)
        if (*text == '-')
            pm_str_add(out, "\\-");
        else if (*text == '\\')
            pm_str_add(out, "\\e");
        else if (*text == ',' && text[1] != ' ')
            pm_str_add(out, ",\\:"); /* a line may end here */
        else
            pm_str_add_char(out, *text);
}

static void print_text(FILE *out, const char *before, const char *raw, const char *after)
{
    struct pm_str text = PM_STR_INIT, line = PM_STR_INIT;
    cli_expand(raw, &text);
    add_text(&line, text.data);
    fprintf(out, "%s%s%s\n", before, line.data, after);
    pm_str_release(&line);
    pm_str_release(&text);
}

static void print_capitals(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

static void print_title(FILE *out, const char *name, const char *summary)
{
    struct pm_str page = PM_STR_INIT;
    pm_str_addf(&page, "portmeter%s%s", *name ? "-" : "", name);
    fputs(".\\\" made by portmeter help --man from the descriptions of its commands\n.TH ", out);
    print_capitals(out, page.data);
    fputs(" 1 \"\" \"portmeter " PM_VERSION "\" \"portmeter\"\n.ad l\n.nh\n.SH NAME\n", out);
    print_text(out, "", page.data, "");
    print_text(out, "\\- ", summary, "");
    pm_str_release(&page);
}

/* ---- options ---- */

struct page {
    FILE *out;
    const char *group;
};

/* Adds "Only with create and add: " for the actions "create add". */
static void add_actions(struct pm_str *text, const char *actions)
{
    pm_str_add(text, "Only with ");
    for (const char *c = actions; *c; c++)
        if (*c == ' ')
            pm_str_add(text, strchr(c + 1, ' ') ? ", " : " and ");
        else
            pm_str_add_char(text, *c);
    pm_str_add(text, ": ");
}

static void print_option(void *ctx, const struct cli_option *option, const char *group)
{
    struct page *page = ctx;
    struct pm_str term = PM_STR_INIT, text = PM_STR_INIT;
    if (!page->group || strcmp(page->group, group))
        print_text(page->out, ".SS ", group, "");
    page->group = group;
    cli_option_term(option, &term);
    print_text(page->out, ".TP\n.B ", term.data + strspn(term.data, " "), "");
    if (option->actions)
        add_actions(&text, option->actions);
    pm_str_addf(&text, "%s%s.", option->text, option->repeats ? "; repeatable" : "");
    print_text(page->out, "", text.data, "");
    pm_str_release(&text);
    pm_str_release(&term);
}

/* ---- exit statuses ---- */

static const struct {
    const char *status, *text;
} statuses[] = {
    {"0", "the command did its work; with --exit-code, nothing fails or is worse"},
    {"1", "with --exit-code, something fails or is worse; portmeter suite check also exits with 1 "
          "if a case is faulty"},
    {"2", "the command line is wrong"},
    {"3", "the command could not do its work"},
    {"4", "a run is INVALID or, with --exit-code, a comparison is inconclusive"},
    {"130, 143, 129", "Ctrl-C, SIGTERM or SIGHUP stopped the command"},
};

static void print_statuses(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        print_text(out, ".TP\n.B ", statuses[i].status, "");
        print_text(out, "", statuses[i].text, ".");
    }
}

/* ---- a command ---- */

static void print_examples(FILE *out, const struct cli_example *examples)
{
    for (size_t i = 0; i < CLI_EXAMPLES && examples[i].line; i++) {
        print_text(out, ".TP\n.B portmeter ", examples[i].line, "");
        print_text(out, "", examples[i].text, ".");
    }
}

static void print_actions(FILE *out, const struct cli_command *command)
{
    if (!command->actions)
        return;
    fputs(".SH ACTIONS\n", out);
    for (const struct cli_action *a = command->actions; a->name; a++) {
        struct pm_str term = PM_STR_INIT;
        pm_str_addf(&term, "%s%s%s", a->name, *a->operands ? " " : "", a->operands);
        print_text(out, ".TP\n.B ", term.data, "");
        print_text(out, "", a->summary, ".");
        pm_str_release(&term);
    }
}

static void print_command(FILE *out, const struct cli_command *command)
{
    struct page page = {.out = out};
    struct pm_str synopsis = PM_STR_INIT;
    print_title(out, command->name, command->summary);
    pm_str_addf(&synopsis, "%s %s", command->name, command->synopsis);
    print_text(out, ".SH SYNOPSIS\n.B portmeter\n", synopsis.data, "");
    if (command->text)
        print_text(out, ".SH DESCRIPTION\n", command->text, "");
    print_actions(out, command);
    fputs(".SH OPTIONS\n", out);
    cli_command_options(command, print_option, &page);
    fputs(".SH EXAMPLES\n", out);
    print_examples(out, command->examples);
    for (const struct cli_action *a = command->actions; a && a->name; a++)
        print_examples(out, a->examples);
    print_statuses(out);
    fputs(".SH SEE ALSO\n.BR portmeter (1)\n", out);
    pm_str_release(&synopsis);
}

/* ---- portmeter ---- */

static const struct {
    const char *name, *text;
} variables[] = {
    {"PORTMETER_DB", "the database, if --db does not name one [default: portmeter.db]"},
    {"PORTMETER_CONFIG", "the file of options to read instead of portmeter.yaml; if the variable "
                         "is empty, no file is read"},
    {"PORTMETER_DATA", "the folder of environments and caches"},
    {"PORTMETER_HOME", "the folder that contains the drivers and suites of portmeter"},
    {"PORTMETER_TRACE", "a file to which each event is appended as a line of JSON"},
    {"PAGER", "the program that shows help and long results on a terminal [default: less]"},
    {"NO_COLOR", "if it is set, results are not coloured"},
    {"CLICOLOR_FORCE", "if it is set, results are coloured, also in a pipe"},
};

static void print_chapters(FILE *out)
{
    const char *chapter = "";
    for (size_t i = 0; cli_commands[i]; i++) {
        const struct cli_command *command = cli_commands[i];
        if (!command->chapter)
            continue;
        if (strcmp(chapter, command->chapter))
            print_text(out, ".SS ", command->chapter, "");
        chapter = command->chapter;
        fprintf(out, ".TP\n.BR portmeter\\-%s (1)\n", command->name);
        print_text(out, "", command->summary, ".");
    }
}

static void print_portmeter(FILE *out)
{
    struct page page = {.out = out};
    print_title(out, "", "measure how portable machine-learning frameworks are");
    print_text(out, ".SH SYNOPSIS\n.B portmeter\n", "[-C FOLDER] [--db FILE] COMMAND [OPTION...]",
               "");
    print_text(out, ".SH DESCRIPTION\n",
               "portmeter reports which functions of a framework run on a device, which "
               "fail and why, and how much slower or faster each one is. It stores everything that "
               "it measures in one database, from which reports are made",
               ".");
    fputs(".SH COMMANDS\n", out);
    print_chapters(out);
    fputs(".SH OPTIONS\n", out);
    cli_options_each(cli_portmeter.options, print_option, &page);
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        print_text(out, ".TP\n.B ", variables[i].name, "");
        print_text(out, "", variables[i].text, ".");
    }
    print_statuses(out);
}

void cli_man(FILE *out, const struct cli_command *command)
{
    if (command)
        print_command(out, command);
    else
        print_portmeter(out);
}

/*
 * How a command is described: its name, what it does, its actions, its options and two examples.
 * Each cmd_<name>.c has one such description. Parsing (options.c), help (help.c), man pages (man.c)
 * and completion (complete.c) are made from it, so that they cannot disagree.
 *
 * Texts may contain names in braces, which cli_expand() replaces: {framework}, {target},
 * {reference}, {device} and {module} (examples of the first framework), {other} (another one),
 * {tables}, {figures} and {formats} (the lists of `report`), {warm} (the default of --warm).
 */
#ifndef PM_CLI_MANUAL_H
#define PM_CLI_MANUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"

/* What kind of word an option's argument or an operand is. Completion proposes words of most kinds.
 */
enum cli_value {
    CLI_VALUE_NONE, /* nothing: the option is a flag, or the command takes no operand */
    CLI_VALUE_TEXT, /* free text or a number: nothing is proposed */
    CLI_VALUE_FILE, /* a file or a folder */
    CLI_VALUE_WORD, /* one of the words of the description */
    CLI_VALUE_TARGET,
    CLI_VALUE_FRAMEWORK,
    CLI_VALUE_RECIPE,
    CLI_VALUE_ENVIRONMENT,
    CLI_VALUE_FUNCTION, /* a function; completion proposes those of the suites */
    CLI_VALUE_CASE,     /* a function of the suites: `run --function` */
    CLI_VALUE_RUN,
    CLI_VALUE_SCAN,
    CLI_VALUE_SAMPLE,
    CLI_VALUE_TABLE,
    CLI_VALUE_FIGURE,
    CLI_VALUE_SIDE, /* a side of compare: a target, a run or a database */
    CLI_VALUE_COMMAND,
};

/* A row of a table of options. A row with only `group` begins a group; a row with only `include`
 * inserts another table. A row of zeros ends the table. */
struct cli_option {
    const char *name; /* "output" */
    char letter;      /* 'o'; 0: it has none */
    int id;           /* the value that cli_next() returns for it */
    enum cli_value value;
    const char *argument; /* "FILE"; NULL: the option is a flag */
    const char *text;     /* what it does */
    const char *words;    /* words that CLI_VALUE_WORD allows, separated by spaces */
    const char *actions;  /* the actions that take it, separated by spaces; NULL: all */
    bool optional;        /* its argument may be missing */
    bool repeats;         /* it may be given several times */
    const char *group;    /* "Output" */
    const struct cli_option *include;
};
#define CLI_GROUP(title)                                                                           \
    {                                                                                              \
        .group = (title)                                                                           \
    }
#define CLI_INCLUDE(table)                                                                         \
    {                                                                                              \
        .include = (table)                                                                         \
    }
#define CLI_OPTIONS_END                                                                            \
    {                                                                                              \
        .name = NULL                                                                               \
    }

struct cli_example {
    const char *line; /* without "portmeter " */
    const char *text; /* what it is for */
};
enum { CLI_EXAMPLES = 2 };

struct cli_action {
    const char *name;
    const char *operands; /* "FRAMEWORK"; "" for none */
    enum cli_value operand;
    const char *summary;
    struct cli_example examples[CLI_EXAMPLES];
};

struct cli_command {
    const char *name;
    int (*run)(int argc, const char **argv);
    const char *chapter;  /* the heading under which `portmeter --help` lists it */
    const char *summary;  /* one line */
    const char *synopsis; /* the text after its name, such as "FRAMEWORK [OPTION...]" */
    enum cli_value operand;
    const char *text;                 /* further description; NULL: the summary is enough */
    const struct cli_action *actions; /* ended by a row of zeros; NULL: it has none */
    const struct cli_option *options;
    struct cli_example examples[CLI_EXAMPLES];
};

/* All commands, in the order of the help, ended by NULL. main() sets it before it parses. */
extern const struct cli_command *const *cli_commands;
/* The options that portmeter itself takes, before the command. */
extern const struct cli_command cli_portmeter;
const struct cli_command *cli_command_find(const char *name); /* NULL if there is none */
/* Prints a message such as "unknown command 'rnu': did you mean 'run'?", and returns the exit
 * status. */
int cli_command_unknown(const char *name);
/* Returns the action with the name; NULL if the command has none. */
const struct cli_action *cli_action_find(const struct cli_command *command, const char *name);

/* Returns the action with the name `word`; NULL, after a message, if `word` is NULL or the command
 * has no such action. */
const struct cli_action *cli_need_action(const struct cli_command *command, const char *word);

/* Calls `take` for each option of the table and of the tables that it includes, with the group of
 * the option. */
typedef void cli_option_fn(void *ctx, const struct cli_option *option, const char *group);
void cli_options_each(const struct cli_option *table, cli_option_fn *take, void *ctx);
/* Calls `take` for each option of a command, then for each option that all commands have (--help,
 * --quiet, ...). */
void cli_command_options(const struct cli_command *command, cli_option_fn *take, void *ctx);
/* Returns whether a list of words, separated by spaces, contains the word. */
bool cli_has_word(const char *words, const char *word);
/* Returns whether an option applies to an action. If `action` is NULL, returns true. */
bool cli_option_applies(const struct cli_option *option, const struct cli_action *action);

/* Appends an option as help shows it: "-o, --output FILE". */
void cli_option_term(const struct cli_option *option, struct pm_str *out);

/* Appends a text with the names in braces replaced. */
void cli_expand(const char *text, struct pm_str *out);

/* Prints the help of portmeter, of a command, or of an action of it. */
void cli_help(FILE *out);
void cli_help_command(FILE *out, const struct cli_command *command,
                      const struct cli_action *action);
/* Prints a line for each word that can complete the last of `words`: a command, an option or a
 * value. If it prints nothing, a file or free text is expected. */
void cli_complete(FILE *out, const char *const *words, size_t count);
/* Prints the completion script for a shell ("bash", "zsh" or "fish"), which calls
 * `portmeter help --complete`. */
void cli_completion_script(FILE *out, const char *shell);
/* Prints the man page of a command, or that of portmeter if `command` is NULL. */
void cli_man(FILE *out, const struct cli_command *command);

#endif

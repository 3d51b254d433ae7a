/*
 * The command line. Each subcommand has one file: it describes the command (manual.h), parses its
 * options, calls core, prints what core does not print, and returns the exit status.
 *
 * base/exit.h says what the exit statuses mean. Results go to stdout, messages to stderr. A message
 * is one line, "portmeter: what is wrong: what to do".
 *
 * To add a subcommand: write cmd_<name>.c with its description and cmd_<name>(), declare the
 * description in commands.h, add it to `cli_commands` in main.c and to the table of commands in
 * README.md, and add a test under tests/cli. Help, its page for man and completion follow from the
 * description.
 */
#ifndef PM_CLI_CLI_H
#define PM_CLI_CLI_H

#include <popt.h>
#include <stdbool.h>

#include "base/exit.h"
#include "base/words.h"
#include "cli/manual.h"
#include "core/core.h"

/* Prepares the process for any command: opens the standard streams, lets the user stop it
 * (base/stop.h), and flushes stdout at exit. If that fails, it prints one line and exits with
 * PM_EXIT_COULD_NOT, unless cli_fail() has reported a failure before. */
PM_MUST_USE int cli_begin(struct pm_error *err);
/* Returns the exit status of the process for a command that returned `status`. If the user stopped
 * the command: 128 + the signal's number (130, 143, 129), as a shell reports it. The process exits
 * instead of dying by the signal, so that its parent can distinguish a command that was stopped
 * from one that a second signal killed. */
int cli_end(int status);
/* Prints the message and returns the exit status for the code. If the user stopped the command, it
 * prints that instead of the failure that followed from it. */
int cli_fail(int code, const struct pm_error *err);
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints to cli_out(), a note that --quiet omits. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
FILE *cli_out(void);
bool cli_is_quiet(void);
struct pm_messages cli_messages(void);

/* ---- options ---- */

#define CLI_COLOURS(X, P) X(P, AUTO, "auto") X(P, ALWAYS, "always") X(P, NEVER, "never")
PM_WORDS(cli_colour, CLI_COLOURS, CLI_COLOUR);

/* The options of every command; their ids are larger than those of any command. */
enum { CLI_HELP = 1000, CLI_QUIET, CLI_VERBOSE, CLI_COLOR };
extern const struct cli_option cli_common_options[];
/* --db */
extern const struct cli_option cli_db_option[];
/* Reads --quiet, --verbose or --color. False, after a message, if it is invalid. */
bool cli_take_common(int id, const char *argument);

/*
 * The parser of one subcommand over popt. cli_next() returns the id of the next option and sets
 * *argument to its argument (cli_release() frees it), 0 at the end of the options, -1 after an
 * invalid one (after printing a message). --help prints to stdout and ends the program.
 */
struct cli_given {
    const struct cli_option *option;
    bool given;
};
struct cli {
    const struct cli_command *command;
    poptContext context;
    struct poptOption *table;
    struct cli_given *options; /* options of the command, in the order of `table` */
    size_t option_count, option_capacity;
    char **owned; /* arguments from popt, which the parser frees */
    size_t owned_count, owned_capacity;
    const char *single_dash; /* "-target", which is refused; NULL: there is none */
    size_t setting;          /* the next one of portmeter.yaml (config.h) */
    bool ignores_config;     /* set by a command that keeps the options of an earlier one */
};
void cli_init(struct cli *cli, const struct cli_command *command, int argc, const char **argv);
int cli_next(struct cli *cli, const char **argument);
/* Returns the next operand, NULL at the end. */
const char *cli_operand(struct cli *cli);
void cli_release(struct cli *cli);

/* Takes the first operand after the options as an action; returns `otherwise` if there is none
 * (NULL: required). Returns NULL, after a message, if it is missing or unknown, or if an option has
 * no effect on it. */
const struct cli_action *cli_take_action(struct cli *cli, const char *otherwise);
/* Returns whether an option was given. */
bool cli_given(const struct cli *cli, const char *name);
/* Returns whether one of the options (separated by spaces) was given that have no effect here,
 * after the message "--top has no effect WHY: omit it". */
bool cli_refuses(const struct cli *cli, const char *why, const char *names);
/* Returns whether there is one operand too many, after the message "unexpected operand 'x':
 * TAKES". */
bool cli_has_more(struct cli *cli, const char *takes);

/* Returns the words of the command as a shell takes them, from "portmeter" on, without the options
 * named in `without` (separated by spaces) and their values. The caller frees. */
char *cli_command_line(const struct cli_command *command, int argc, const char **argv,
                       const char *without);

/* ---- values of options ---- */

/* Prints that an option's value is none of the words; returns false. */
bool cli_unknown(const struct pm_words *words, const char *what, const char *text);
/* Takes --format. */
#define CLI_FORMATS      "text, markdown, json, csv, latex or html"
#define CLI_FORMAT_WORDS "text markdown json csv latex html"
bool cli_format(const char *argument, enum pm_report_format *out);
/* Takes --format of a command that prints more than one table, or none. The message lists
 * `formats`. */
#define CLI_FORMATS_BUT_CSV      "text, markdown, json, latex or html"
#define CLI_FORMAT_WORDS_BUT_CSV "text markdown json latex html"
bool cli_format_but_csv(const char *command, const char *formats, const char *argument,
                        enum pm_report_format *out);
/* Takes --width. */
bool cli_take_width(const char *argument, unsigned *out);

/* Takes --intolerable: a finite factor above 1. */
bool cli_take_intolerable(const char *argument, double *out);

/* Parses the number of an option. False, after a message that names the option, if it is not a
 * number or out of range. */
bool cli_number(const char *option, const char *text, long long least, long long most,
                long long *out);

/* Reads the number of a stored `kind` ("sample", "run"); NULL or "newest" is PM_NEWEST. */
bool cli_stored(const char *option, const char *kind, const char *text, int64_t *out);

/* A growing list of borrowed strings: options that may be given several times. */
struct cli_list {
    const char **items;
    size_t count, capacity;
};
void cli_add(struct cli_list *list, const char *item);
void cli_list_release(struct cli_list *list);

/* Returns the database: --db, or --db before the command, or PORTMETER_DB, or portmeter.db. */
const char *cli_db(const char *option);
void cli_set_db(const char *path);         /* --db before the command */
void cli_set_default_db(const char *path); /* instead of portmeter.db; may be NULL */

/* ---- the terminal ---- */

/* Returns the columns of stdout's terminal; 0 if stdout is not a terminal. */
unsigned cli_width(void);
/* Returns whether results are coloured: --color, NO_COLOR, CLICOLOR_FORCE, or a terminal. */
bool cli_colour(void);

/* ---- runs ---- */

/* Options of a run that `run`, `suite check` and `study` share, and those that `run` and `study`
 * share: see run_options.c. */
extern const struct cli_option cli_run_options[], cli_measure_options[];
#define CLI_RUN_OPTION_NAMES "function only timeout memory threads jobs isolation seed"

struct cli_run {
    struct pm_run_options options;
    struct cli_list targets, suites, functions;
    char *command_line; /* the words of the command that measures any shard; NULL: nothing is
                           divided */
};
void cli_run_init(struct cli_run *run);
/* Stores one of the shared options. False, after a message, if its argument is invalid. */
bool cli_run_take(struct cli_run *run, int option, const char *argument);
/* Returns whether the options of shards fit together, after all options were read; prints a message
 * if not. */
bool cli_run_fits_shard(struct cli_run *run, const struct cli *cli, int argc, const char **argv);
void cli_run_finish(struct cli_run *run); /* makes the options point to the lists */
void cli_run_release(struct cli_run *run);

/* Lets a long command continue even if the reader of its messages goes away (ignores SIGPIPE). */
void cli_outlive_readers(void);
/* Prints the last line of a complete run and returns its exit status: PM_EXIT_INCONCLUSIVE if the
 * run or its latencies are INVALID. With `gates` (--exit-code), the status is that of
 * pm_gate_run(). */
int cli_run_status(const char *db, const struct pm_run_result *result, bool gates);
/* Prints which executions could not be judged again; nothing if all could. */
void cli_say_undecided(const struct pm_judged *judged);

#endif

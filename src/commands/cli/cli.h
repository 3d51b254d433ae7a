/*
 * The command line. Each subcommand has one file, which describes the command (manual.h), parses
 * its options, calls the room that does the work, prints what that room does not print, and returns
 * the exit status.
 *
 * base/exit.h says what the exit statuses mean. Results go to stdout, messages to stderr. An error
 * message is one line, "portmeter: what is wrong: what to do".
 *
 * To add a subcommand: write cmd_<name>.c with its description cmd_<name>, declare the description
 * in commands.h, add it to `commands` in main.c and to the table of commands in docs/reference.md,
 * and add a test under tests/cli. Help, man pages and completion are made from the
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

/* Prepares the process for any command: opens the standard streams that are closed, handles the
 * signals that stop the process (base/stop.h), and flushes stdout at exit. If this flush fails, the
 * process prints one line and exits with PM_EXIT_COULD_NOT, unless cli_fail() has reported a
 * failure before. */
PM_MUST_USE int cli_begin(struct pm_error *err);
/* Returns the exit status of the process for a command that returned `status`. If the user stopped
 * the command: 128 + the signal's number (130, 143, 129), as a shell reports it. The process exits
 * instead of dying by the signal, so that its parent can distinguish a command that was stopped
 * from one that a second signal killed. */
int cli_end(int status);
/* Prints the message and returns the exit status for the code. If the user stopped the command,
 * prints that it was stopped, and not the failure that followed. */
int cli_fail(int code, const struct pm_error *err);
/* Prints a message about a wrong command line, and returns PM_EXIT_USAGE. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a note to cli_out(). */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns the stream for messages: stderr, or with --quiet a stream that discards them. */
FILE *cli_out(void);
bool cli_is_quiet(void);
struct pm_messages cli_messages(void);

/* ---- options ---- */

#define CLI_COLOURS(X, P) X(P, AUTO, "auto") X(P, ALWAYS, "always") X(P, NEVER, "never")
PM_WORDS(cli_colour, CLI_COLOURS, CLI_COLOUR);

/* The options that all commands have. Their ids are larger than those of the other options. */
enum { CLI_HELP = 1000, CLI_QUIET, CLI_VERBOSE, CLI_COLOR };
extern const struct cli_option cli_common_options[];
/* --db */
extern const struct cli_option cli_db_option[];
/* Reads --quiet, --verbose or --color. Returns false, after a message, if the argument is invalid
 * or if --quiet and --verbose are both given. */
bool cli_take_common(int id, const char *argument);

/*
 * The parser of one subcommand over popt. cli_next() returns the id of the next option of the
 * command line, then of portmeter.yaml; 0 at the end, or -1 after a message about an invalid
 * option. It sets *argument to the option's argument, which is valid until cli_release(). --help
 * prints to stdout and ends the program.
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
    size_t setting;          /* index of the next setting of portmeter.yaml (config.h) */
    bool ignores_config;     /* a command sets it to ignore portmeter.yaml */
};
void cli_init(struct cli *cli, const struct cli_command *command, int argc, const char **argv);
int cli_next(struct cli *cli, const char **argument);
/* Returns the next operand, NULL at the end. */
const char *cli_operand(struct cli *cli);
void cli_release(struct cli *cli);

/* Takes the first operand as the name of an action and returns the action; `otherwise` is the
 * default name (NULL: the operand is required). Returns NULL, after a message, if the action is
 * missing or unknown, or if a given option has no effect on it. */
const struct cli_action *cli_take_action(struct cli *cli, const char *otherwise);
/* Returns whether cli_next() has read the option `name` from the command line. Options of
 * portmeter.yaml do not count. */
bool cli_given(const struct cli *cli, const char *name);
/* For options that have no effect here (`names`, separated by spaces). If one of them was given,
 * prints "--top has no effect WHY: omit it" and returns true. */
bool cli_refuses(const struct cli *cli, const char *why, const char *names);
/* If an operand is left, prints "unexpected operand 'x': TAKES" and returns true. */
bool cli_has_more(struct cli *cli, const char *takes);

/* Returns the command line, quoted for a shell and beginning with "portmeter", without the options
 * named in `without` (separated by spaces) and their values. The caller frees the text. */
char *cli_command_line(const struct cli_command *command, int argc, const char **argv,
                       const char *without);

/* ---- values of options ---- */

/* Prints "unknown WHAT 'TEXT'", with the nearest of the allowed words or with all of them. Returns
 * false. */
bool cli_unknown(const struct pm_words *words, const char *what, const char *text);
/* Parses the argument of --format. Returns false, after a message, if the format is unknown. */
#define CLI_FORMATS      "text, markdown, json, csv, latex or html"
#define CLI_FORMAT_WORDS "text markdown json csv latex html"
bool cli_format(const char *argument, enum pm_report_format *out);
/* The same for a command that cannot print CSV, because it does not print exactly one table. The
 * message about csv names the command and lists `formats`. */
#define CLI_FORMATS_BUT_CSV      "text, markdown, json, latex or html"
#define CLI_FORMAT_WORDS_BUT_CSV "text markdown json latex html"
bool cli_format_but_csv(const char *command, const char *formats, const char *argument,
                        enum pm_report_format *out);
/* Parses the argument of --width. Returns false, after a message, if it is not a number of columns.
 */
bool cli_take_width(const char *argument, unsigned *out);

/* Parses the argument of --intolerable. Returns false, after a message, if it is not a finite
 * number above 1. */
bool cli_take_intolerable(const char *argument, double *out);

/* Parses the number of an option. Returns false, after a message that names the option, if it is
 * not a number or out of range. */
bool cli_number(const char *option, const char *text, long long least, long long most,
                long long *out);

/* Parses the number of a stored `kind` ("sample", "run"); NULL or "newest" gives PM_NEWEST. Returns
 * false, after a message, if the text is neither. */
bool cli_stored(const char *option, const char *kind, const char *text, int64_t *out);

/* A growing list of borrowed strings: options that may be given several times. */
struct cli_list {
    const char **items;
    size_t count, capacity;
};
void cli_add(struct cli_list *list, const char *item);
void cli_list_release(struct cli_list *list);

/* Returns the path of the database, the first that is given: `option` (--db of the command), --db
 * before the command, PORTMETER_DB, cli_set_default_db(), portmeter.db. The path is borrowed. */
const char *cli_db(const char *option);
void cli_set_db(const char *path);         /* --db before the command */
void cli_set_default_db(const char *path); /* `db` of portmeter.yaml; NULL: not set */

/* ---- the terminal ---- */

/* Returns the number of columns of stdout's terminal; 0 if stdout is not a terminal. */
unsigned cli_width(void);
/* Returns whether results are coloured. The first of these that applies decides: --color, NO_COLOR,
 * CLICOLOR_FORCE, whether stdout is a terminal and TERM is not "dumb". */
bool cli_colour(void);

/* ---- runs ---- */

/* Options that `run`, `study`, `suite check` and `suite run` share, and options that only `run` and
 * `study` share: see run_options.c. */
extern const struct cli_option cli_run_options[], cli_measure_options[];
#define CLI_RUN_OPTION_NAMES "function only timeout memory threads jobs isolation seed"

struct cli_run {
    struct pm_run_options options;
    struct cli_list targets, suites, functions;
    char *command_line; /* with --shard: the command line without --shard, --db and --local; NULL:
                           no shard */
};
void cli_run_init(struct cli_run *run);
/* Stores one of the shared options. Returns false, after a message, if its argument is invalid. */
bool cli_run_take(struct cli_run *run, int option, const char *argument);
/* Checks the options of shards after all options were read, and keeps the command line of a shard
 * in `run`. Returns false, after a message, if --balance is given without --shard. */
bool cli_run_fits_shard(struct cli_run *run, const struct cli *cli, int argc, const char **argv);
void cli_run_finish(struct cli_run *run); /* makes the options point to the lists */
void cli_run_release(struct cli_run *run);

/* Lets a long command continue even if the reader of its messages goes away (ignores SIGPIPE). */
void cli_outlive_readers(void);
/* Prints why a complete run or its latencies are INVALID, and which executions could not be judged
 * again. Returns the exit status: PM_EXIT_INCONCLUSIVE if the run or its latencies are INVALID;
 * with `gates` (--exit-code), the status of pm_gate_run(). */
int cli_run_status(const char *db, const struct pm_run_result *result, bool gates);
/* Prints which executions could not be judged again; nothing if all could. */
void cli_say_undecided(const struct pm_judged *judged);

#endif

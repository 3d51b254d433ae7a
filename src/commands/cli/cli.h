/*
 * The command line. Each subcommand has one file: it parses its options, calls core, prints what
 * core does not print, and returns the exit status.
 *
 * base/exit.h says what the exit statuses mean. Results go to stdout, messages to stderr. A message
 * is one line, "portmeter: what is wrong: what to do".
 *
 * To add a subcommand: write cmd_<name>.c with cmd_<name>(), declare it in commands.h, add a row to
 * `commands` in main.c and one to the table of commands in README.md, and a test under tests/cli.
 */
#ifndef PM_CLI_CLI_H
#define PM_CLI_CLI_H

#include <popt.h>
#include <stdbool.h>

#include "base/exit.h"
#include "core/core.h"

/* Prepares the process for any command: opens the standard streams, lets the user stop it
 * (base/stop.h), and flushes stdout at exit. If that fails, it prints one line and exits with
 * PM_EXIT_COULD_NOT, unless cli_fail() has reported a failure before. */
PM_MUST_USE int cli_begin(struct pm_error *err);
/* The exit status of the process for a command that returned `status`. If the user stopped the
 * command: 128 + the signal's number (130, 143, 129), as a shell reports it. The process exits
 * instead of dying by the signal, so that its parent can distinguish a command that was stopped
 * from one that a second signal killed. */
int cli_end(int status);
/* Prints the message and returns the exit status for the code. If the user stopped the command, it
 * prints that instead of the failure that followed from it. */
int cli_fail(int code, const struct pm_error *err);
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for an option's value that is none of the words; gives false. */
bool cli_unknown(const struct pm_words *words, const char *what, const char *text);
/* Takes --format. */
#define CLI_FORMATS "text, markdown, json, csv, latex or html"
bool cli_format(const char *argument, enum pm_report_format *out);
/* The same for a command that prints more than one table, or none. The message lists `formats`. */
#define CLI_FORMATS_BUT_CSV "text, markdown, json, latex or html"
bool cli_format_but_csv(const char *command, const char *formats, const char *argument,
                        enum pm_report_format *out);
/* Takes --width. */
bool cli_take_width(const char *argument, unsigned *out);

/* Takes --intolerable: a finite factor above 1. */
bool cli_take_intolerable(const char *argument, double *out);

/* A growing list of borrowed strings: options that may be given several times. */
struct cli_list {
    const char **items;
    size_t count, capacity;
};
void cli_list_release(struct cli_list *list);

/*
 * The parser of one subcommand over popt. cli_next() returns the `val` of the next option and sets
 * *argument to its argument (cli_release() frees it), 0 at the end of the options, -1 after an
 * invalid one (after printing a message). --help prints to stdout and ends the program.
 */
struct cli {
    const char *name; /* of the command, as in "portmeter scan" */
    poptContext context;
    char **owned; /* arguments that popt handed over */
    size_t owned_count, owned_capacity;
};
void cli_init(struct cli *cli, const char *name, int argc, const char **argv,
              const struct poptOption *options, const char *operands);
int cli_next(struct cli *cli, const char **argument);
/* The next operand, NULL at the end. */
const char *cli_operand(struct cli *cli);
void cli_release(struct cli *cli);

void cli_add(struct cli_list *list, const char *item);

/* --db, or PORTMETER_DB, or portmeter.db. */
const char *cli_db(const char *option);
struct pm_messages cli_messages(void);
/* Columns of stdout's terminal; 0 if stdout is not a terminal. */
unsigned cli_width(void);
bool cli_colour(void);

/* Options of a run that `run`, `suite check` and `study` share: see run_options.c. */
#define CLI_RUN_OPTIONS                                                                              \
    {"suite", 's', POPT_ARG_STRING, NULL, 's', "case files: a file or a folder; repeatable",         \
     "PATH"},                                                                                        \
        {"function", 'f', POPT_ARG_STRING, NULL, 'f', "only matching functions; repeatable",         \
         "GLOB"},                                                                                    \
        {"only", 'o', POPT_ARG_STRING, NULL, 'o', "only the functions listed in FILE, one per line", \
         "FILE"},                                                                                    \
        {"timeout", 't', POPT_ARG_STRING,                                                            \
         NULL,      't', "time limit of an execution in seconds [default: 900]",                     \
         "S"},                                                                                       \
        {"memory", 'M', POPT_ARG_STRING,                                                             \
         NULL,     'M', "memory limit of a process, such as 2G or 800M [default: none]",             \
         "SIZE"},                                                                                    \
        {"threads", 'T', POPT_ARG_STRING, NULL, 'T', "computing threads [default: physical cores]",  \
         "N"},                                                                                       \
        {"jobs", 'j', POPT_ARG_STRING,                                                               \
         NULL,   'j', "parallel processes while nothing is timed [default: cores]",                  \
         "N"},                                                                                       \
        {"isolation",                                                                                \
         'i',                                                                                        \
         POPT_ARG_STRING,                                                                            \
         NULL,                                                                                       \
         'i',                                                                                        \
         "one process for each case, for each function, or for each target (worker) [default: "      \
         "function]",                                                                                \
         "LEVEL"},                                                                                   \
    {                                                                                                \
        "seed", 'S', POPT_ARG_STRING, NULL, 'S', "seed for inputs and run order [default: 1]", "N"   \
    }
/* Those that `run` and `study` share. */
#define CLI_EXIT_CODE                                                                              \
    {                                                                                              \
        "exit-code", 0, POPT_ARG_NONE, NULL, 'X',                                                  \
            "exit with 1 if a counted case fails; without this option, a run that measured exits " \
            "with 0, or with 4 if it or its latencies are INVALID",                                \
            NULL                                                                                   \
    }
#define CLI_CASES                                                                                  \
    {                                                                                              \
        "cases", 0, POPT_ARG_STRING, NULL, 'c',                                                    \
            "at most N cases of each function, spread evenly over its cases [default: all]", "N"   \
    }
#define CLI_KEEP_VALUES                                                                            \
    {                                                                                              \
        "keep-values", 0, POPT_ARG_NONE, NULL, 'K',                                                \
            "keep all values of outputs [default: only those that differ from the reference's]",   \
            NULL                                                                                   \
    }

struct cli_run {
    struct pm_run_options options;
    struct cli_list targets, suites, functions;
};
void cli_run_init(struct cli_run *run);
/* Stores one of the shared options. False, after a message, if its argument is invalid. */
bool cli_run_take(struct cli_run *run, int option, const char *argument);
void cli_run_finish(struct cli_run *run); /* makes the options point to the lists */
void cli_run_release(struct cli_run *run);

/* Parses the number of an option. False, after a message that names the option, if it is not a
 * number or out of range. */
bool cli_number(const char *option, const char *text, long long least, long long most,
                long long *out);

/* The number of a stored `kind` ("sample", "run"); NULL or "newest" is PM_NEWEST. */
bool cli_stored(const char *option, const char *kind, const char *text, int64_t *out);

/* Long commands continue even if the reader of their messages goes away (SIGPIPE is ignored). */
void cli_outlive_readers(void);
/* Prints the last line of a complete run and returns its exit status: PM_EXIT_INCONCLUSIVE if the
 * run or its latencies are INVALID. `gates` (--exit-code): what pm_gate_run() makes of it. */
int cli_run_status(const char *db, const struct pm_run_result *result, bool gates);
/* Says which executions could not be judged again; nothing if all could. */
void cli_say_undecided(const struct pm_judged *judged);

#endif

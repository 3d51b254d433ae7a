/*
 * The command line. One file a subcommand: it parses its options, calls core, prints what core
 * does not, and gives the exit status.
 *
 * Exit status: 0 done and nothing wrong, 1 done and something to look at, 2 usage, 3 could not do
 * it, 128 + a signal's number where the user stopped it. Data goes to stdout, talk to stderr. A message is one line: portmeter: what failed, what to
 * do.
 *
 * To add a subcommand: write cmd_<name>.c with cmd_<name>(), add a row to `commands` in main.c and
 * a section to docs/commands.md, and a test under tests/cli.
 */
#ifndef PM_CLI_CLI_H
#define PM_CLI_CLI_H

#include <popt.h>
#include <stdbool.h>

#include "core/core.h"

enum { EXIT_FINE = 0, EXIT_LOOK = 1, EXIT_USAGE = 2, EXIT_COULD_NOT = 3 };

int cmd_devices(int argc, const char **argv);
int cmd_env(int argc, const char **argv);
int cmd_inventory(int argc, const char **argv);
int cmd_judge(int argc, const char **argv);
int cmd_report(int argc, const char **argv);
int cmd_run(int argc, const char **argv);
int cmd_runs(int argc, const char **argv);
int cmd_sample(int argc, const char **argv);
int cmd_scan(int argc, const char **argv);
int cmd_study(int argc, const char **argv);
int cmd_suite(int argc, const char **argv);

/* Makes the process fit for any command: its standard streams are open, the user can stop it
 * (base/stop.h), and at its end, however it comes, all of stdout was written: else one line and
 * EXIT_COULD_NOT, unless cli_fail() has told already. */
PM_MUST_USE int cli_begin(struct pm_error *err);
/* The exit status of a command that gave `status`: where the user stopped it, 128 and the number of
 * the signal, as a shell has it of a program that the signal ended (130, 143, 129). It is a status
 * and no death by the signal, so that whoever waits can tell what was stopped from what was killed,
 * by a second signal. */
int cli_end(int status);
/* Prints the message and gives the exit status for the code. Where the user has stopped the command,
 * what failed by that is not told. */
int cli_fail(int code, const struct pm_error *err);
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A growing list of borrowed strings: options that may be given several times. */
struct cli_list {
    const char **items;
    size_t count, capacity;
};
void cli_list_release(struct cli_list *list);

/*
 * The parser of one subcommand over popt. cli_next() gives the `val` of the next option with its
 * argument in *argument (the caller frees it with cli_release()), 0 at the end of the options, -1
 * after a wrong one (its message is printed). --help prints to stdout and ends the program.
 */
struct cli {
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
/* Columns of stdout's terminal; 0 where it is none. */
unsigned cli_width(void);
bool cli_colour(void);

/* Options of a run that `run`, `suite check` and `study` share: see run_options.c. */
#define CLI_RUN_OPTIONS                                                                              \
    {"suite", 's', POPT_ARG_STRING,                                                                  \
     NULL,    's', "case files to run, a file or a folder; may be repeated",                         \
     "PATH"},                                                                                        \
        {"function", 'f', POPT_ARG_STRING, NULL, 'f', "only functions that match; may be repeated",  \
         "GLOB"},                                                                                    \
        {"only", 'o', POPT_ARG_STRING, NULL, 'o', "only the functions of a file, one name a line",   \
         "FILE"},                                                                                    \
        {"timeout", 't', POPT_ARG_STRING,                                                            \
         NULL,      't', "longest time of an execution, in seconds (900)",                           \
         "S"},                                                                                       \
        {"memory", 'M', POPT_ARG_STRING, NULL, 'M', "data memory of a process: 2G, 800M (no limit)", \
         "SIZE"},                                                                                    \
        {"threads", 'T', POPT_ARG_STRING, NULL, 'T', "computing threads (the physical cores)", "N"}, \
        {"jobs", 'j', POPT_ARG_STRING,                                                               \
         NULL,   'j', "processes at once where nothing is timed (the cores)",                        \
         "N"},                                                                                       \
        {"isolation", 'i', POPT_ARG_STRING,                                                          \
         NULL,        'i', "a process for each case, function or worker (function)",                 \
         "LEVEL"},                                                                                   \
    {                                                                                                \
        "seed", 'S', POPT_ARG_STRING, NULL, 'S', "of inputs, order and resampling (1)", "N"          \
    }

struct cli_run {
    struct pm_run_options options;
    struct cli_list targets, suites, functions;
};
void cli_run_init(struct cli_run *run);
/* Takes one of the shared options. False with a message where its argument makes no sense. */
bool cli_run_take(struct cli_run *run, int option, const char *argument);
void cli_run_finish(struct cli_run *run); /* options point to the lists now */
void cli_run_release(struct cli_run *run);

/* Numbers of options, with a message naming the option where they are none or out of bounds. */
bool cli_number(const char *option, const char *text, long long least, long long most,
                long long *out);

/* The number of a stored `kind` ("sample", "run"); NULL or "newest" is PM_NEWEST. */
bool cli_stored(const char *option, const char *kind, const char *text, int64_t *out);

/* For commands that take long: they go on where nobody reads their messages any more. */
void cli_outlive_readers(void);
/* The exit status and the last line of a run that came to its end. */
int cli_run_status(const struct pm_run_result *result);

#endif

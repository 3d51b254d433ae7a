/*
 * portmeter.yaml: options for all commands in a folder.
 *
 *     db: results.db
 *     run:
 *       target: [pytorch@cpu, pytorch@meta]
 *       outcomes-only: true
 *
 * A key below `run`, `study`, `report`, `scan` or `audit` is an option of that command, without the
 * dashes. The command line overrides the file, and PORTMETER_DB overrides its `db`.
 * PORTMETER_CONFIG, or --config before the command, names another file. With an empty name, no file
 * is read.
 */
#ifndef PM_CLI_CONFIG_H
#define PM_CLI_CONFIG_H

#include "base/error.h"
#include "cli/manual.h"

struct cli_setting {
    const struct cli_command *command; /* NULL: it applies to every command */
    const struct cli_option *option;
    char *value; /* NULL: a flag */
    int line;
};

struct cli_config {
    char *path;                   /* as it is named in messages; NULL: there is no file */
    struct cli_setting *settings; /* in the order of the file; a list has one setting per item */
    size_t count, capacity;
};

/* Reads the file; further calls do nothing. PM_EUSAGE or PM_EFORMAT: the file has a mistake; the
 * message is "FILE:LINE:COLUMN: ..." for the first mistake. Other errors: the file cannot be read.
 */
PM_MUST_USE int cli_config_load(struct pm_error *err);
/* Returns what was read; empty before cli_config_load() and without a file. */
const struct cli_config *cli_config(void);
/* Returns the value of a key that applies to every command ("db"); NULL if it is not set. If `line`
 * is not NULL, sets *line to the line of the value. */
const char *cli_config_value(const char *key, int *line);
/* Sets the line of a file from which an option is read now; NULL: from the command line. Until the
 * next call, cli_usage() begins its messages with the place. `path` is borrowed. (terminal.c) */
void cli_usage_from(const char *path, int line);
/* The names of the commands whose options the file may set, ended by NULL. */
extern const char *const cli_config_commands[];

#endif

/*
 * portmeter.yaml: options for all commands in a folder.
 *
 *     db: results.db
 *     run:
 *       target: [pytorch@cpu, pytorch@meta]
 *       outcomes-only: true
 *
 * A key of `run`, `study`, `report`, `scan` or `audit` is an option of that command without its
 * dashes. The command line wins over the file, and so does PORTMETER_DB over its `db`.
 * PORTMETER_CONFIG names another file; empty: none.
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
    struct cli_setting *settings; /* in the order of the file; a list is one for each item */
    size_t count, capacity;
};

/* Reads the file once. PM_EUSAGE: "FILE:LINE:COLUMN: ...", for the first mistake in it. */
PM_MUST_USE int cli_config_load(struct pm_error *err);
/* Returns what was read; empty before cli_config_load() and without a file. */
const struct cli_config *cli_config(void);
/* Returns the value of a key of every command ("db"); NULL: not set. *line (may be NULL): its line
 * in the file. */
const char *cli_config_value(const char *key, int *line);
/* The commands that the file may set options of, ended by NULL. */
extern const char *const cli_config_commands[];

#endif

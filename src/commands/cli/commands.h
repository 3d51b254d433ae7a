/* The subcommands, and an option that several of them share. The file cmd_<name>.c contains the
 * description and the parser of the subcommand <name> (cli.h). */
#ifndef PM_CLI_COMMANDS_H
#define PM_CLI_COMMANDS_H

#include "base/shard.h"
#include "cli/manual.h"

extern const struct cli_command cmd_audit, cmd_census, cmd_forecast, cmd_compare, cmd_config,
    cmd_devices, cmd_doctor, cmd_env, cmd_explain, cmd_help, cmd_import, cmd_inventory, cmd_judge,
    cmd_merge, cmd_open, cmd_record, cmd_report, cmd_run, cmd_runs, cmd_sample, cmd_scan,
    cmd_status, cmd_study, cmd_submit, cmd_suite;

/* Parses the argument of --shard of `run`, `study` and `scan`. Returns false, after a message, if
 * it is not K/N, auto or auto/N, or if the batch system does not name the part for auto. */
bool cli_take_shard(const char *text, struct pm_shard *out);

#endif

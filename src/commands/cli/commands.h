/* The subcommands, one a file cmd_<name>.c: each parses its arguments and gives the exit status. */
#ifndef PM_CLI_COMMANDS_H
#define PM_CLI_COMMANDS_H

int cmd_compare(int argc, const char **argv);
int cmd_devices(int argc, const char **argv);
int cmd_env(int argc, const char **argv);
int cmd_explain(int argc, const char **argv);
int cmd_import(int argc, const char **argv);
int cmd_inventory(int argc, const char **argv);
int cmd_judge(int argc, const char **argv);
int cmd_merge(int argc, const char **argv);
int cmd_report(int argc, const char **argv);
int cmd_run(int argc, const char **argv);
int cmd_runs(int argc, const char **argv);
int cmd_sample(int argc, const char **argv);
int cmd_scan(int argc, const char **argv);
int cmd_study(int argc, const char **argv);
int cmd_suite(int argc, const char **argv);

#endif

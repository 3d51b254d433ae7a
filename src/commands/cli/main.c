/* main(): parses the options before the command, and runs the command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/trace.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/config.h"

static const struct cli_command *const commands[] = {
    &cmd_study,   &cmd_run,     &cmd_submit,    &cmd_status, &cmd_report,   &cmd_open,
    &cmd_compare, &cmd_explain, &cmd_audit,     &cmd_doctor, &cmd_devices,  &cmd_env,
    &cmd_suite,   &cmd_config,  &cmd_inventory, &cmd_census, &cmd_forecast, &cmd_scan,
    &cmd_record,  &cmd_sample,  &cmd_runs,      &cmd_merge,  &cmd_import,   &cmd_judge,
    &cmd_help,    NULL,
};

static void look_for_db(void *ctx, const struct cli_option *option, const char *group)
{
    (void)group;
    if (!strcmp(option->name, "db"))
        *(bool *)ctx = true;
}

static void print_version(void)
{
    puts("portmeter " PM_VERSION);
}

static int run_command(int argc, const char **argv, bool has_db)
{
    const struct cli_command *command = cli_command_find(argv[0]);
    struct pm_error err = {{0}};
    bool takes_db = false;
    if (!command && !strcmp(argv[0], "version")) {
        print_version();
        return PM_EXIT_FINE;
    }
    if (!command)
        return cli_command_unknown(argv[0]);
    cli_command_options(command, look_for_db, &takes_db);
    if (has_db && !takes_db)
        return cli_usage("--db has no effect on portmeter %s: omit it", command->name);
    if (command != &cmd_help && cli_config_load(&err))
        return cli_usage("%s", err.text);
    cli_set_default_db(cli_config_value("db", NULL));
    if (cli_is_quiet())
        pm_note_migrations(NULL);
    return cli_end(command->run(argc, argv));
}

static int parse(struct cli *cli)
{
    const char *argument;
    bool has_db = false;
    int id;
    while ((id = cli_next(cli, &argument)) > 0) {
        if (id == 'V') {
            print_version();
            return PM_EXIT_FINE;
        }
        if (id == 'C' && chdir(argument))
            return cli_usage("cannot enter folder '%s': %s%s", argument, strerror(errno),
                             pm_error_advice(errno));
        if (id == 'c')
            setenv("PORTMETER_CONFIG", argument, 1);
        if (id == 'd') {
            has_db = true;
            cli_set_db(argument);
        }
    }
    if (id < 0)
        return PM_EXIT_USAGE;
    int count = 0;
    const char **words = poptGetArgs(cli->context);
    while (words && words[count])
        count++;
    if (count)
        return run_command(count, words, has_db);
    cli_help(stderr);
    return PM_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct pm_error err = {{0}};
    struct cli cli;
    int rc = cli_begin(&err);
    if (!rc)
        rc = pm_trace_begin(argc, (const char *const *)argv, &err);
    if (rc)
        return cli_fail(rc, &err);
    pm_note_migrations(stderr);
    cli_commands = commands;
    cli_init(&cli, &cli_portmeter, argc, (const char **)(void *)argv);
    const int status = parse(&cli);
    cli_release(&cli);
    return status;
}

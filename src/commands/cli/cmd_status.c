/* portmeter status: prints the progress of the shards that `submit` submitted. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "submit/submit.h"

static const struct cli_option options[] = {
    CLI_GROUP("Output"),
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT", CLI_FORMATS " [default: text]",
     .words = CLI_FORMAT_WORDS},
    CLI_GROUP("Database"),
    {"into", 0, 'd', CLI_VALUE_FILE, "FILE",
     "database that was named when the shards were submitted [default: $PORTMETER_DB, or "
     "portmeter.db]"},
    {"db", 0, 'd', CLI_VALUE_FILE, "FILE", "same as --into"},
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct pm_error err = {{0}};
    const char *argument, *into = NULL;
    enum pm_report_format format = PM_FORMAT_TEXT;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_status, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (option == 'd')
            into = argument;
        else if (!cli_format(argument, &format))
            goto done;
    if (option == 0 && !cli_has_more(&cli, "status takes options only")) {
        const int rc = pm_submit_status(cli_db(into), format, cli_width(), &err);
        status = rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
    }
done:
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_status = {
    .name = "status",
    .run = run,
    .chapter = "Measure",
    .summary = "show the progress of the submitted shards",
    .synopsis = "[OPTION...]",
    .options = options,
    .examples = {{"status", "show the state of each shard"},
                 {"status --format json", "print the same for a script"}},
};

/* portmeter devices: lists the targets that this machine can measure, and then the other targets,
 * each with the reason why it cannot be measured. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/pager.h"

static const struct cli_option options[] = {
    CLI_GROUP("Output"),
    {"all", 'a', 'a', CLI_VALUE_NONE, NULL, "also list the targets of portmeter's own tests"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT", CLI_FORMATS " [default: text]",
     .words = CLI_FORMAT_WORDS},
    CLI_INCLUDE(cli_pager_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct pm_error err = {{0}};
    const char *argument;
    enum pm_report_format format = PM_FORMAT_TEXT;
    bool all = false, unpaged = false;
    int option, rc, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_devices, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (option == 'a')
            all = true;
        else if (option == 'P')
            unpaged = true;
        else if (!cli_format(argument, &format))
            goto done;
    if (option < 0 || cli_has_more(&cli, "devices takes options only"))
        goto done;
    const struct pm_messages messages = cli_messages();
    if (!unpaged)
        cli_page();
    rc = pm_list_devices(all, format, cli_width(), &messages, &err);
    status = rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
done:
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_devices = {
    .name = "devices",
    .run = run,
    .chapter = "Prepare",
    .summary = "list the targets of this machine, and why some cannot be measured",
    .synopsis = "[OPTION...]",
    .options = options,
    .examples = {{"devices", "list the targets, with a command for each missing environment"},
                 {"devices --format json", "print the same for a script"}},
};

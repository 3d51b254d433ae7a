/* portmeter devices: lists the targets that this machine can measure, then the others and why. */
#include "cli/cli.h"
#include "cli/commands.h"

static const struct poptOption options[] = {
    {"all", 0, POPT_ARG_NONE, NULL, 'a', "also the targets of portmeter's own tests", NULL},
    {"format", 0, POPT_ARG_STRING, NULL, 'x', CLI_FORMATS " [default: text]", "FORMAT"},
    POPT_AUTOHELP POPT_TABLEEND};

int cmd_devices(int argc, const char **argv)
{
    struct cli cli;
    struct pm_error err = {{0}};
    const struct pm_messages messages = cli_messages();
    const char *argument;
    enum pm_report_format format = PM_FORMAT_TEXT;
    bool all = false;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter devices", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (option == 'a')
            all = true;
        else if (!cli_format(argument, &format))
            goto done;
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli))) {
        cli_usage("unexpected operand '%s': devices takes options only", argument);
        goto done;
    }
    const int rc = pm_list_devices(all, format, cli_width(), &messages, &err);
    status = rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
done:
    cli_release(&cli);
    return status;
}

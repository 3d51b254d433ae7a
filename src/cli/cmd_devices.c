/* portmeter devices: what can be measured on this machine, and why other targets cannot. */
#include "cli/cli.h"

static const struct poptOption options[] = {
    {"format", 0, POPT_ARG_STRING, NULL, 'x', "text, markdown or json (text)", "FORMAT"},
    POPT_AUTOHELP POPT_TABLEEND};

int cmd_devices(int argc, const char **argv)
{
    struct cli cli;
    struct pm_error err = {{0}};
    const struct pm_messages messages = cli_messages();
    const char *argument, *format = "text";
    int option, status = EXIT_USAGE;
    cli_init(&cli, "portmeter devices", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        format = argument;
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli))) {
        cli_usage("devices takes no operand '%s'", argument);
        goto done;
    }
    const int rc = pm_list_devices(format, cli_width(), &messages, &err);
    status = rc ? cli_fail(rc, &err) : EXIT_FINE;
done:
    cli_release(&cli);
    return status;
}

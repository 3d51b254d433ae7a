/* portmeter doctor: prints what this machine can measure, and the obstacles with the commands that
 * remove them. */
#include "cli/cli.h"
#include "cli/commands.h"

static const struct cli_option options[] = {CLI_GROUP("Output"),
                                            {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
                                             CLI_FORMATS_BUT_CSV " [default: text]",
                                             .words = CLI_FORMAT_WORDS_BUT_CSV},
                                            CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct pm_error err = {{0}};
    const char *argument;
    enum pm_report_format format = PM_FORMAT_TEXT;
    int option, rc, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_doctor, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!cli_format_but_csv("doctor", CLI_FORMATS_BUT_CSV, argument, &format))
            goto done;
    if (option < 0 || cli_has_more(&cli, "doctor takes options only"))
        goto done;
    const struct pm_messages messages = cli_messages();
    rc = pm_doctor(format, cli_width(), &messages, &err);
    status = rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
done:
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_doctor = {
    .name = "doctor",
    .run = run,
    .chapter = "Prepare",
    .summary =
        "print what this machine can measure, and the obstacles with the commands that remove "
        "them",
    .synopsis = "[OPTION...]",
    .options = options,
    .examples = {{"doctor", "check the machine before the first study"},
                 {"doctor --format json", "print the same for a script"}},
};

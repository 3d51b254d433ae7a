/* portmeter suite: checks and lists case files. */
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"

struct suite_request {
    struct cli_run run;
    const char *framework;
    enum pm_report_format format;
};

static const double LEAST_SHARE_DETECTED = 0.95;

static int check(struct suite_request *r)
{
    const struct pm_messages messages = cli_messages();
    struct pm_suite_check sums;
    struct pm_error err = {{0}};
    const char *reference;
    int rc = PM_OK;
    if (r->format == PM_FORMAT_CSV)
        return cli_usage("suite check cannot print 'csv': use --format " CLI_FORMATS_BUT_CSV);
    if (!r->run.targets.count && !(rc = pm_suite_reference(r->framework, &reference, &err)))
        cli_add(&r->run.targets, reference);
    if (rc)
        return cli_fail(rc, &err);
    cli_run_finish(&r->run);
    cli_outlive_readers();
    rc = pm_check_suite(&r->run.options, r->format, cli_width(), &messages, &sums, &err);
    if (rc)
        return cli_fail(rc, &err);
    const bool enough = sums.mutations > 0 &&
                        (double)sums.detected >= LEAST_SHARE_DETECTED * (double)sums.mutations;
    return enough && !sums.errors ? PM_EXIT_FINE : PM_EXIT_WORSE;
}

static int list(struct suite_request *r)
{
    struct pm_error err = {{0}};
    const int rc = pm_list_suite(r->framework, r->run.suites.items, r->run.suites.count, r->format,
                                 cli_width(), &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("What to read"),
    {"framework", 'F', 'F', CLI_VALUE_FRAMEWORK, "FRAMEWORK",
     "framework of the case files [default: {framework}]"},
    CLI_GROUP("Output"),
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     "list: " CLI_FORMATS "; check: the same without csv [default: text]",
     .words = CLI_FORMAT_WORDS},
    CLI_GROUP("Check"),
    {"target", 't', 'a', CLI_VALUE_TARGET, "TARGET",
     "reference target to check on [default: {reference}]", .actions = "check", .repeats = true},
    CLI_INCLUDE(cli_run_options),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct suite_request request = {.framework = pm_examples().framework};
    const struct cli_action *action;
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_run_init(&request.run);
    cli_init(&cli, &cmd_suite, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option == 'a')
            cli_add(&request.run.targets, argument);
        else if (option == 'F')
            request.framework = argument;
        else if (option == 'x') {
            if (!cli_format(argument, &request.format))
                goto done;
        } else if (!cli_run_take(&request.run, option, argument))
            goto done;
    }
    if (option < 0 || !(action = cli_take_action(&cli, NULL)))
        goto done;
    while ((argument = cli_operand(&cli)))
        cli_add(&request.run.suites, argument);
    if (strcmp(action->name, "list"))
        status = check(&request);
    else if (!cli_refuses(&cli, "on portmeter suite list", CLI_RUN_OPTION_NAMES))
        status = list(&request);
done:
    cli_run_release(&request.run);
    cli_release(&cli);
    return status;
}

static const struct cli_action actions[] = {
    {"check",
     "[PATH...]",
     CLI_VALUE_FILE,
     "run each case on a reference target, and test that each comparison can fail",
     {{"suite check my-suite", "check the case files of a folder"},
      {"suite check my-suite/sort.yaml --target {reference}", "check one file on a target"}}},
    {"list",
     "[PATH...]",
     CLI_VALUE_FILE,
     "list functions, their cases and their files",
     {{"suite list", "list the suite of the first framework"},
      {"suite list --framework {other}", "list that of another one"}}},
    {NULL}};

const struct cli_command cmd_suite = {
    .name = "suite",
    .run = run,
    .chapter = "Prepare",
    .summary = "check or list case files",
    .synopsis = "ACTION [PATH...] [OPTION...]",
    .actions = actions,
    .options = options,
    .examples = {{"suite list", "list the functions that are measured"},
                 {"suite check my-suite", "check case files that you wrote"}},
};

/* portmeter suite: writes, runs, checks and lists case files. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/trial_options.h"

struct suite_request {
    struct cli_run run;
    const char *framework;
    bool named; /* --framework was given */
    enum pm_report_format format;
    bool unconfined;
};

static const double LEAST_SHARE_DETECTED = 0.95;

/* Without --target, adds the reference target of a framework. The framework is that of --framework
 * or, if the option is not given, that of the first case file. */
static int choose_reference(struct suite_request *r, struct pm_error *err)
{
    const char *reference, *framework = r->framework;
    if (r->run.targets.count)
        return PM_OK;
    if (!r->named && r->run.suites.count)
        framework = pm_framework_of_file(r->run.suites.items[0], framework);
    PM_TRY(pm_suite_reference(framework, &reference, err));
    cli_add(&r->run.targets, reference);
    return PM_OK;
}

static int check(struct suite_request *r)
{
    const struct pm_messages messages = cli_messages();
    struct pm_suite_check sums;
    struct pm_error err = {{0}};
    int rc;
    if (r->format == PM_FORMAT_CSV)
        return cli_usage("suite check cannot print 'csv': use --format " CLI_FORMATS_BUT_CSV);
    if (r->run.targets.count > 1)
        return cli_usage("suite check uses one target: name one reference target");
    if ((rc = choose_reference(r, &err)))
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

static int run_cases(struct suite_request *r)
{
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    int rc;
    if (r->format == PM_FORMAT_CSV)
        return cli_usage("suite run cannot print 'csv': use --format " CLI_FORMATS_BUT_CSV);
    if (!r->run.suites.count)
        return cli_usage("suite run needs a case file: portmeter help suite run shows the usage");
    rc = choose_reference(r, &err);
    if (!rc) {
        cli_run_finish(&r->run);
        cli_outlive_readers();
        rc = pm_run_suite(&r->run.options, r->format, cli_width(), cli_colour(), &messages, &err);
    }
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static int create(struct suite_request *r)
{
    struct pm_error err = {{0}};
    char *path;
    bool runs;
    if (r->run.suites.count != 1)
        return cli_usage("suite new needs one function: portmeter help suite new shows the usage");
    const int rc = pm_new_case_file(r->run.suites.items[0], r->unconfined, &path, &runs, &err);
    if (rc)
        return cli_fail(rc, &err);
    cli_say("wrote       %s: %s\n", path,
            runs ? "has a call that runs, with two shapes"
                 : "has no call that runs: fill in the marked places");
    cli_say("next        portmeter suite run %s\n", path);
    free(path);
    return PM_EXIT_FINE;
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
     "framework of the case files [default: for check and run, that of the first file; otherwise "
     "{framework}]",
     .actions = "check list run"},
    CLI_GROUP("How to try calls"),
    {CLI_UNCONFINED, .actions = "new"},
    CLI_GROUP("Output"),
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     "list: " CLI_FORMATS "; check and run: the same without csv [default: text]",
     .words = CLI_FORMAT_WORDS, .actions = "check list run"},
    CLI_GROUP("Check and run"),
    {"target", 't', 'a', CLI_VALUE_TARGET, "TARGET",
     "target to run on; for check, a reference target [default: the reference target of the "
     "framework, such as {reference}]",
     .actions = "check run", .repeats = true},
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
        else if (option == 'F') {
            request.framework = argument;
            request.named = true;
        } else if (option == 'U') {
            request.unconfined = true;
        } else if (option == 'x') {
            if (!cli_format(argument, &request.format))
                goto done;
        } else if (!cli_run_take(&request.run, option, argument))
            goto done;
    }
    if (option < 0 || !(action = cli_take_action(&cli, NULL)))
        goto done;
    while ((argument = cli_operand(&cli)))
        cli_add(&request.run.suites, argument);
    if (!strcmp(action->name, "check"))
        status = check(&request);
    else if (!strcmp(action->name, "run"))
        status = run_cases(&request);
    else if (!strcmp(action->name, "new"))
        status = cli_refuses(&cli, "on portmeter suite new", "suite " CLI_RUN_OPTION_NAMES)
                     ? PM_EXIT_USAGE
                     : create(&request);
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
    {"run",
     "PATH...",
     CLI_VALUE_FILE,
     "run the cases of files, and print the outcome of each and what differs",
     {{"suite run sort.yaml", "run a case file on the reference target"},
      {"suite run sort.yaml --target {target}", "run it on a device and on its reference"}}},
    {"new",
     "FUNCTION",
     CLI_VALUE_TEXT,
     "write a case file for a function, with a call that runs if one is found",
     {{"suite new {module}.sort", "write {module}.sort.yaml in this folder"},
      {"suite new {module}.nn.Linear", "write a case file with a call to fill in"}}},
    {"list",
     "[PATH...]",
     CLI_VALUE_FILE,
     "list functions, their cases and their files",
     {{"suite list", "list the suite of {framework}"},
      {"suite list --framework {other}", "list the suite of another framework"}}},
    {NULL}};

const struct cli_command cmd_suite = {
    .name = "suite",
    .run = run,
    .chapter = "Prepare",
    .summary = "write, run, check or list case files",
    .synopsis = "ACTION [PATH...] [OPTION...]",
    .actions = actions,
    .options = options,
    .examples = {{"suite list", "list the functions that are measured"},
                 {"suite check my-suite", "check case files that you wrote"}},
};

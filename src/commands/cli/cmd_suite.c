/* portmeter suite: checks and lists case files. */
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"

struct suite_request {
    struct cli_run run;
    const char *action, *framework;
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
    const bool enough = sums.perturbations > 0 &&
                        (double)sums.detected >= LEAST_SHARE_DETECTED * (double)sums.perturbations;
    return enough && !sums.errors ? PM_EXIT_FINE : PM_EXIT_WORSE;
}

static int list(struct suite_request *r)
{
    struct pm_error err = {{0}};
    const int rc = pm_list_suite(r->framework, r->run.suites.items, r->run.suites.count, r->format,
                                 cli_width(), &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static int act(struct suite_request *r)
{
    if (r->action && !strcmp(r->action, "check"))
        return check(r);
    if (r->action && !strcmp(r->action, "list"))
        return list(r);
    return cli_usage("unknown action '%s': use check or list", r->action ? r->action : "");
}

static int parse(int argc, const char **argv, const struct poptOption *options)
{
    struct cli cli;
    struct suite_request request = {.framework = pm_examples().framework};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_run_init(&request.run);
    cli_init(&cli, "portmeter suite", argc, argv, options, "check|list [PATH...]");
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
    if (option < 0)
        goto done;
    request.action = cli_operand(&cli);
    while ((argument = cli_operand(&cli)))
        cli_add(&request.run.suites, argument);
    status = act(&request);
done:
    cli_run_release(&request.run);
    cli_release(&cli);
    return status;
}

int cmd_suite(int argc, const char **argv)
{
    const struct pm_examples examples = pm_examples();
    struct pm_str target = PM_STR_INIT, framework = PM_STR_INIT;
    pm_str_addf(&target, "reference target to check on [default: %s]", examples.reference);
    pm_str_addf(&framework, "framework of the case files [default: %s]", examples.framework);
    const struct poptOption options[] = {
        {"target", 0, POPT_ARG_STRING, NULL, 'a', target.data, "T"},
        {"framework", 0, POPT_ARG_STRING, NULL, 'F', framework.data, "F"},
        CLI_RUN_OPTIONS,
        {"format", 0, POPT_ARG_STRING, NULL, 'x',
         "list: " CLI_FORMATS "; check: the same without csv [default: text]", "FORMAT"},
        POPT_AUTOHELP POPT_TABLEEND};
    const int status = parse(argc, argv, options);
    pm_str_release(&target);
    pm_str_release(&framework);
    return status;
}

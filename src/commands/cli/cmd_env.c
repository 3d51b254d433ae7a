/* portmeter env: makes, adds, lists and removes Python environments. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"

static const struct poptOption options[] = {
    {"name", 0, POPT_ARG_STRING, NULL, 'n',
     "name of the environment [default: FRAMEWORK, or FRAMEWORK-VERSION]", "N"},
    {"version", 0, POPT_ARG_STRING, NULL, 'v',
     "create: version of the framework [default: the one that the suites were made with]", "V"},
    {"python", 0, POPT_ARG_STRING, NULL, 'p',
     "create: Python interpreter to use [default: the first on PATH that the framework supports]",
     "P"},
    {"yes", 'y', POPT_ARG_NONE, NULL, 'y', "create: do not ask before the download", NULL},
    {"format", 0, POPT_ARG_STRING, NULL, 'x', CLI_FORMATS " [default: text]", "FORMAT"},
    POPT_AUTOHELP POPT_TABLEEND};

struct env_request {
    struct pm_environment_request create;
    bool yes;
    enum pm_report_format format;
    const char *operands[3]; /* the action and what it acts on */
    size_t count;
};

static int create(const struct env_request *r, const struct pm_messages *messages,
                  struct pm_error *err)
{
    struct pm_environment_request request = r->create;
    request.recipe = r->operands[1];
    request.ask = !r->yes && messages->terminal && isatty(STDIN_FILENO);
    return pm_create_environment(&request, messages, err);
}

static void take_option(struct env_request *r, int option, const char *argument)
{
    if (option == 'n')
        r->create.name = argument;
    else if (option == 'v')
        r->create.version = argument;
    else if (option == 'p')
        r->create.python = argument;
    else
        r->yes = true;
}

static int act(const struct env_request *r, struct pm_error *err)
{
    const struct pm_messages messages = cli_messages();
    const char *action = r->count ? r->operands[0] : "";
    if (strcmp(action, "create") && (r->create.version || r->create.python || r->yes))
        return pm_error_set(
            err, PM_EUSAGE,
            "--version, --python and --yes apply only to portmeter env create: omit them");
    if (!strcmp(action, "list") && r->count == 1)
        return pm_list_environments(r->format, cli_width(), err);
    if (!strcmp(action, "create") && r->count == 2)
        return create(r, &messages, err);
    if (!strcmp(action, "add") && r->count == 3)
        return pm_add_environment(r->create.name, r->operands[1], r->operands[2], err);
    if (!strcmp(action, "remove") && r->count == 2)
        return pm_remove_environment(r->operands[1], err);
    return pm_error_set(
        err, PM_EUSAGE,
        "the action is missing or incomplete: use create FRAMEWORK, add FRAMEWORK PYTHON, "
        "list or remove NAME");
}

int cmd_env(int argc, const char **argv)
{
    struct cli cli;
    struct env_request request = {0};
    struct pm_error err = {{0}};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter env", argc, argv, options,
             "create FRAMEWORK | add FRAMEWORK PYTHON | list | remove NAME");
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option != 'x')
            take_option(&request, option, argument);
        else if (!cli_format(argument, &request.format))
            goto done;
    }
    if (option < 0)
        goto done;
    while ((argument = cli_operand(&cli))) {
        if (request.count == sizeof request.operands / sizeof *request.operands) {
            cli_usage("unexpected operand '%s': portmeter env --help shows the usage", argument);
            goto done;
        }
        request.operands[request.count++] = argument;
    }
    const int rc = act(&request, &err);
    status = rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
done:
    cli_release(&cli);
    return status;
}

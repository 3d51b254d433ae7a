/* portmeter env: creates, adds, lists and removes Python environments. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"

struct env_request {
    struct pm_environment_request create;
    bool yes;
    enum pm_report_format format;
    struct cli_list imports;
    const char *operands[2]; /* the operands of the action */
    size_t count;
};

static int create(const struct env_request *r, const struct pm_messages *messages,
                  struct pm_error *err)
{
    struct pm_environment_request request = r->create;
    request.recipe = r->operands[0];
    request.ask = !r->yes && messages->terminal && isatty(STDIN_FILENO);
    return pm_create_environment(&request, messages, err);
}

static bool take_build(struct env_request *r, const char *build)
{
    if (r->create.build && strcmp(r->create.build, build)) {
        cli_usage("--%s and --%s name two builds: give one of them", r->create.build, build);
        return false;
    }
    r->create.build = build;
    return true;
}

static bool take_option(struct env_request *r, int option, const char *argument)
{
    switch (option) {
    case 'n':
        r->create.name = argument;
        return true;
    case 'v':
        r->create.version = argument;
        return true;
    case 'p':
        r->create.python = argument;
        return true;
    case 'C':
        return take_build(r, "cpu");
    case 'N':
        return take_build(r, "cuda");
    case 'A':
        return take_build(r, "rocm");
    case 'i':
        cli_add(&r->imports, argument);
        return true;
    case 'x':
        return cli_format(argument, &r->format);
    default:
        return r->yes = true;
    }
}

static int needs(const struct cli_action *action)
{
    return cli_usage("env %s needs %s: portmeter help env %s shows the usage", action->name,
                     action->operands, action->name);
}

static int act(const struct env_request *r, const struct cli_action *action)
{
    const struct pm_messages messages = cli_messages();
    const bool adds = !strcmp(action->name, "add"), lists = !strcmp(action->name, "list");
    struct pm_error err = {{0}};
    int rc;
    if (r->count < (lists ? 0 : adds ? 2 : 1))
        return needs(action);
    if (lists)
        rc = pm_list_environments(r->format, cli_width(), &err);
    else if (adds)
        rc = pm_add_environment(r->create.name, r->operands[0], r->operands[1], r->imports.items,
                                r->imports.count, &err);
    else if (!strcmp(action->name, "create"))
        rc = create(r, &messages, &err);
    else
        rc = pm_remove_environment(r->operands[0], &err);
    if (rc)
        return cli_fail(rc, &err);
    if (adds)
        cli_say("added       environment '%s' with %s of '%s'\n"
                "next        portmeter devices   lists its targets\n",
                r->create.name ? r->create.name : r->operands[0], r->operands[0], r->operands[1]);
    else if (!strcmp(action->name, "remove"))
        cli_say("removed     environment '%s'\n", r->operands[0]);
    return PM_EXIT_FINE;
}

static int take_action(struct env_request *r, struct cli *cli)
{
    const struct cli_action *action = cli_take_action(cli, NULL);
    const char *argument;
    if (!action)
        return PM_EXIT_USAGE;
    const size_t most = !strcmp(action->name, "list") ? 0 : !strcmp(action->name, "add") ? 2 : 1;
    while ((argument = cli_operand(cli))) {
        if (r->count == most)
            return cli_usage("unexpected operand '%s': portmeter help env %s shows the usage",
                             argument, action->name);
        r->operands[r->count++] = argument;
    }
    return act(r, action);
}

static const struct cli_option options[] = {
    CLI_GROUP("Options"),
    {"name", 0, 'n', CLI_VALUE_TEXT, "NAME",
     "name of the environment [default: FRAMEWORK; create adds -VERSION, and -cuda or -rocm, if "
     "these options are given]",
     .actions = "create add"},
    {"version", 0, 'v', CLI_VALUE_TEXT, "VERSION",
     "version of the framework [default: the one that the suites were made with]",
     .actions = "create"},
    {"cpu", 0, 'C', CLI_VALUE_NONE, NULL, "install the build without support for GPUs",
     .actions = "create"},
    {"cuda", 0, 'N', CLI_VALUE_NONE, NULL,
     "install the build for this kind of GPU, into an environment such as {framework}-cuda",
     .actions = "create"},
    {"rocm", 0, 'A', CLI_VALUE_NONE, NULL,
     "install the build for this kind of GPU, into an environment such as {framework}-rocm",
     .actions = "create"},
    {"import", 0, 'i', CLI_VALUE_TEXT, "MODULE",
     "module that registers a back end, imported after the framework whenever the environment is "
     "used",
     .actions = "add", .repeats = true},
    {"python", 0, 'p', CLI_VALUE_FILE, "PYTHON",
     "Python interpreter to use [default: the first on PATH that the framework supports]",
     .actions = "create"},
    {"yes", 'y', 'y', CLI_VALUE_NONE, NULL, "do not ask before the download", .actions = "create"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT", CLI_FORMATS " [default: text]",
     .words = CLI_FORMAT_WORDS, .actions = "list"},
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct env_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_env, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take_option(&request, option, argument))
            goto done;
    if (option == 0)
        status = take_action(&request, &cli);
done:
    cli_list_release(&request.imports);
    cli_release(&cli);
    return status;
}

static const struct cli_action actions[] = {
    {"create",
     "FRAMEWORK",
     CLI_VALUE_RECIPE,
     "download a framework into an environment of its own",
     {{"env create {framework}", "install the version that the suites were made with"},
      {"env create {framework} --version 1.12.0 --yes",
       "install an older version without asking"}}},
    {"add",
     "FRAMEWORK PYTHON",
     CLI_VALUE_FRAMEWORK,
     "register a Python interpreter that has the framework, or the folder of its environment",
     {{"env add {framework} ~/venv", "measure the framework of your own environment"},
      {"env add {framework} ~/venv --name mine --import my_backend",
       "register a back end that must be imported, for targets mine:{framework}@NAME"}}},
    {"list",
     "",
     CLI_VALUE_NONE,
     "list the environments",
     {{"env list", "list them with their versions"},
      {"env list --format json", "print the same for a script"}}},
    {"remove",
     "NAME",
     CLI_VALUE_ENVIRONMENT,
     "forget an environment; delete it from disk if portmeter created it",
     {{"env remove nightly", "forget an environment that was added"},
      {"env remove {framework}", "delete the environment that portmeter created"}}},
    {NULL}};

const struct cli_command cmd_env = {
    .name = "env",
    .run = run,
    .chapter = "Prepare",
    .summary = "create, add, list and remove Python environments",
    .synopsis = "ACTION [OPTION...]",
    .actions = actions,
    .options = options,
    .examples = {{"env create {framework}", "download a framework"},
                 {"env add {framework} ~/venv", "use an environment that you have"}},
};

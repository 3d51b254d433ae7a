/* portmeter explain: prints why a function fails on a target, with a script that reproduces the
 * failure. */
#include "base/file.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/results_option.h"
#include "explain/explain.h"

struct explain_request {
    struct pm_explain_options options;
    const char *output;
    const char
        *results; /* name of the results that come with portmeter; NULL: a database of the user */
    char *path;   /* path of the results that `results` names */
    bool has_format, has_width;
};

/* Takes one option. Returns false, after a message, if its argument is invalid. */
static bool take(struct explain_request *r, int option, const char *argument)
{
    struct pm_explain_options *o = &r->options;
    long long number;
    switch (option) {
    case 't':
        o->target = argument;
        return true;
    case 'c':
        o->name = argument;
        return true;
    case 'o':
        r->output = argument;
        return true;
    case 'x':
        return r->has_format = cli_format(argument, &o->format);
    case 'w':
        return r->has_width = cli_take_width(argument, &o->width);
    case 'd':
        o->db = argument;
        return true;
    case 'R':
        return cli_take_results(&cli_runs, argument, &r->results);
    case 'n':
        o->untried = true;
        return true;
    default:
        if (!cli_number("run", argument, 1, INT64_MAX, &number))
            return false;
        o->run_id = number;
        return true;
    }
}

static int explain(struct explain_request *r)
{
    struct pm_explain_options *o = &r->options;
    struct pm_error err = {{0}};
    o->shipped = r->path;
    o->db = r->path ? r->path : cli_db(o->db);
    if (!r->has_width)
        o->width = cli_width();
    int rc = pm_file_check_output("--output", r->output, o->db, "the database", &err);
    if (!rc)
        rc = pm_explain_take_output(o, r->output, r->has_format, &err);
    o->colour = cli_colour() && !o->output;
    if (!rc)
        rc = pm_explain(o, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("What to explain"),
    {"target", 't', 't', CLI_VALUE_TARGET, "TARGET",
     "target, as portmeter report prints it; required"},
    {"case", 'c', 'c', CLI_VALUE_TEXT, "NAME",
     "case to reproduce [default: one that fails for the reported reason]"},
    {"run", 0, 'r', CLI_VALUE_RUN, "N",
     "run to explain [default: the newest valid run that measured the function on the target]"},
    {"no-try", 0, 'n', CLI_VALUE_NONE, NULL,
     "do not run the reproducer, for example because you do not trust the database that its code "
     "comes from"},
    CLI_GROUP("Output"),
    {"output", 'o', 'o', CLI_VALUE_FILE, "FILE",
     "write to FILE, by its extension: the reproducer (.py), or the explanation, which is then not "
     "printed (.txt, .md, .json)"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     "text, markdown or json [default: by the extension of --output; without --output, text]",
     .words = "text markdown json"},
    {"width", 0, 'w', CLI_VALUE_TEXT, "N",
     "width of the text in columns; 0 means no limit [default: the width of the terminal; without "
     "a terminal, no limit]"},
    CLI_INCLUDE(cli_db_option),
    CLI_INCLUDE(cli_runs.option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct explain_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_explain, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0)
        goto done;
    request.options.function = cli_operand(&cli);
    if (!request.options.function || !request.options.target)
        cli_usage("FUNCTION or --target is missing: give both, as portmeter report prints them");
    else if (!cli_has_more(&cli, "explain takes one function"))
        status = cli_find_results(&cli, request.results, &request.path);
    if (!status)
        status = explain(&request);
done:
    free(request.path);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_explain = {
    .name = "explain",
    .run = run,
    .chapter = "Read the results",
    .summary = "explain why a function fails on a target, and write a script that reproduces the "
               "failure",
    .synopsis = "FUNCTION --target TARGET [OPTION...]",
    .operand = CLI_VALUE_FUNCTION,
    .options = options,
    .examples = {{"explain {module}.sort --target {target}", "print the evidence and the script"},
                 {"explain {module}.sort --target {target} --output bug.py",
                  "write the script to a file, for a bug report"}},
};

/* portmeter audit: finds whether the code of a project will run on a target. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/commands.h"

struct audit_request {
    struct pm_survey_audit_options options;
    struct cli_list paths;
    bool gates;              /* --exit-code */
    bool measures, previews; /* --measure, --dry-run */
    char *shipped, *census;  /* the results that come with portmeter; NULL: they are not read */
};

/* Takes one option. Returns false, after a message, if its argument is invalid. */
static bool take(struct audit_request *r, int option, const char *argument)
{
    struct pm_survey_audit_options *o = &r->options;
    switch (option) {
    case 't':
        o->target = argument;
        return true;
    case 'v':
        o->version = argument;
        return true;
    case 'r':
        o->recording = argument;
        return true;
    case 'b':
        o->baseline = argument;
        return true;
    case 'B':
        o->write_baseline = argument;
        return true;
    case 'u':
        return o->unknown = true;
    case 'x':
        return pm_audit_format_parse(argument, &o->how.format) ||
               cli_unknown(&pm_audit_format_words, "format", argument);
    case 'o':
        o->how.output = argument;
        return true;
    case 'X':
        return r->gates = true;
    case 'm':
        return r->measures = true;
    case 'D':
        return r->previews = true;
    default:
        o->db = argument;
        return true;
    }
}

/* Chooses the database: the results that come with portmeter if the user names no database,
 * portmeter.db does not exist, and nothing is measured first. */
static int choose_database(struct audit_request *r, struct pm_error *err)
{
    struct pm_survey_audit_options *o = &r->options;
    struct pm_target target;
    PM_TRY(pm_target_parse(o->target, &target, err));
    if (!r->measures && !o->db && !strcmp(cli_db(NULL), PM_PATH_DB) &&
        !pm_path_exists(PM_PATH_DB) &&
        !pm_shipped_results(PM_SHIPPED_SUITES, target.framework, &r->shipped, NULL))
        cli_say("results     those that come with portmeter, because there is no " PM_PATH_DB
                ": use --measure to measure on this machine\n");
    pm_target_release(&target);
    if (r->shipped)
        (void)!pm_shipped_results(PM_SHIPPED_CENSUS, NULL, &r->census, NULL);
    o->census = r->census;
    o->db = r->shipped ? r->shipped : cli_db(o->db);
    o->predicts = r->shipped;
    return PM_OK;
}

static int audit(struct audit_request *r)
{
    struct pm_survey_audit_options *o = &r->options;
    const struct pm_messages messages = cli_messages();
    struct pm_survey_audited audited;
    struct pm_error err = {{0}};
    o->paths = r->paths.items;
    o->path_count = r->paths.count;
    int rc = choose_database(r, &err);
    if (rc)
        return cli_fail(rc, &err);
    o->how.width = o->how.output ? 0 : cli_width();
    o->how.colour = !o->how.output && cli_colour();
    struct cli_run how;
    cli_run_init(&how);
    const struct pm_audit_request request = {o, &how.options, r->measures, r->previews,
                                             cli_width()};
    if (r->measures)
        cli_outlive_readers();
    rc = pm_audit_code(&request, &messages, &audited, &err);
    cli_run_release(&how);
    if (rc)
        return cli_fail(rc, &err);
    if (o->write_baseline)
        cli_say("wrote       %s: --baseline %s hides these findings\n", o->write_baseline,
                o->write_baseline);
    return r->gates && audited.errors ? PM_EXIT_WORSE : PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("What to audit"),
    {"target", 't', 't', CLI_VALUE_TARGET, "TARGET", "target on which the code will run; required"},
    {"framework-version", 0, 'v', CLI_VALUE_TEXT, "VERSION",
     "version of the framework that the code runs with [default: that of the inventory]"},
    {"recording", 0, 'r', CLI_VALUE_FILE, "FOLDER",
     "folder that portmeter record wrote for the program: at places where it contains calls that "
     "were measured, only the results of these calls count"},
    CLI_GROUP("What to measure first"),
    {"measure", 'm', 'm', CLI_VALUE_NONE, NULL,
     "first measure, on the target, the functions that the code uses, if they have cases and the "
     "database has no results of them"},
    {"dry-run", 0, 'D', CLI_VALUE_NONE, NULL,
     "with --measure: only print what would be measured, and how long that would take"},
    CLI_GROUP("What to exclude"),
    {"baseline", 0, 'b', CLI_VALUE_FILE, "FILE", "exclude the findings that FILE contains"},
    {"write-baseline", 0, 'B', CLI_VALUE_FILE, "FILE",
     "write the findings to FILE, for the --baseline of later audits"},
    CLI_GROUP("Output"),
    {"unknown", 0, 'u', CLI_VALUE_NONE, NULL, "also list each use without results on the target"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     "text, json, sarif or github (annotations of GitHub Actions) [default: text]",
     .words = "text json sarif github"},
    {"output", 'o', 'o', CLI_VALUE_FILE, "FILE", "write to FILE instead of stdout"},
    {"exit-code", 0, 'X', CLI_VALUE_NONE, NULL,
     "exit with 1 if there is an error: a use that fails on the target"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct audit_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_audit, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0)
        goto done;
    while ((argument = cli_operand(&cli)))
        cli_add(&request.paths, argument);
    if (!request.options.target)
        cli_usage("--target is missing: name the target on which the code will run");
    else if (request.measures || !cli_refuses(&cli, "without --measure", "dry-run"))
        status = audit(&request);
done:
    free(request.shipped);
    free(request.census);
    cli_list_release(&request.paths);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_audit = {
    .name = "audit",
    .run = run,
    .chapter = "Read the results",
    .summary = "report which uses of functions in a project will fail on a target, and why",
    .synopsis = "PATH... --target TARGET [OPTION...]",
    .operand = CLI_VALUE_FILE,
    .options = options,
    .examples = {{"audit . --target {target} --measure",
                  "measure what the code in this folder uses, then audit it"},
                 {"audit . --target {target} --format github --exit-code",
                  "annotate a pull request, and exit with 1 if the code would fail"}},
};

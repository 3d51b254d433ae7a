/* portmeter record: records which public functions a program calls, as cases to measure. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "record/document.h"

struct record_request {
    struct pm_survey_record_options options;
    struct cli_list frameworks, command;
};

/* Takes one option. Returns false, after a message, if its argument is invalid. */
static bool take(struct record_request *r, int option, const char *argument)
{
    struct pm_survey_record_options *o = &r->options;
    switch (option) {
    case 'w':
        cli_add(&r->frameworks, argument);
        return true;
    case 'o':
        o->output = argument;
        return true;
    case 'k':
        return o->keep_values = true;
    case 'S':
        return o->sites_only = true;
    case 'x':
        return cli_format_but_csv("record", CLI_FORMATS_BUT_CSV, argument, &o->format);
    default:
        o->db = argument;
        return true;
    }
}

static int record(struct record_request *r)
{
    struct pm_survey_record_options *o = &r->options;
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    cli_add(&r->command, NULL);
    o->command = r->command.items;
    o->frameworks = r->frameworks.items;
    o->framework_count = r->frameworks.count;
    o->db = cli_db(o->db);
    o->output = o->output ? o->output : PM_RECORDED_FOLDER;
    o->width = cli_width();
    o->colour = cli_colour();
    const int rc = pm_survey_record(o, &messages, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("What to record"),
    {"framework", 'F', 'w', CLI_VALUE_FRAMEWORK, "F",
     "framework to record [default: each framework that an environment has]", .repeats = true},
    {"keep-values", 0, 'k', CLI_VALUE_NONE, NULL, "also keep strings of more than 24 characters"},
    {"sites-only", 0, 'S', CLI_VALUE_NONE, NULL,
     "record only calls that files of the project make, not those by operators or inside modules"},
    CLI_GROUP("Output"),
    {"output", 'o', 'o', CLI_VALUE_FILE, "FOLDER",
     "write the case files to FOLDER [default: " PM_RECORDED_FOLDER "]"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT", CLI_FORMATS_BUT_CSV " [default: text]",
     .words = CLI_FORMAT_WORDS_BUT_CSV},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct record_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_record, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0)
        goto done;
    while ((argument = cli_operand(&cli)))
        cli_add(&request.command, argument);
    if (!request.command.count)
        cli_usage("nothing to record: write the program after --, as in -- python train.py");
    else
        status = record(&request);
done:
    cli_list_release(&request.frameworks);
    cli_list_release(&request.command);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_record = {
    .name = "record",
    .run = run,
    .chapter = "Choose functions",
    .summary = "run a program, and make cases of the calls that it makes",
    .synopsis = "[OPTION...] -- PROGRAM [ARGUMENT...]",
    .operand = CLI_VALUE_FILE,
    .options = options,
    .examples = {{"record -- python train.py", "record a training script"},
                 {"record --framework {framework} -- python -m pytest",
                  "record what the tests of a project call"}},
};

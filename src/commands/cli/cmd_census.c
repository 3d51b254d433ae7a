/* portmeter census: makes cases for the public functions of a framework. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/trial_options.h"
#include "suite/suite.h"

enum { MOST_NAMES = 1000000 };

struct census_request {
    struct pm_census_options o;
    struct cli_list functions;
    enum pm_census_status status;
    char *command_line; /* with --shard: the command line without --shard and paths; NULL: none */
};

static bool take_limit(struct pm_census_options *o, const char *argument)
{
    long long number;
    if (!cli_number("limit", argument, 1, MOST_NAMES, &number))
        return false;
    o->limit = (size_t)number;
    return true;
}

static bool take_source(struct pm_census_options *o, const char *argument)
{
    if (!pm_tier_parse(argument, &o->source) || o->source == PM_TIER_REVIEWED) {
        cli_usage("unknown source '%s': use metadata, example or searched", argument);
        return false;
    }
    return o->only_source = true;
}

static bool take(struct census_request *r, int option, const char *argument)
{
    struct pm_census_options *o = &r->o;
    switch (option) {
    case 'e':
        o->environment = argument;
        return true;
    case 'f':
        cli_add(&r->functions, argument);
        return true;
    case 'L':
        return take_limit(o, argument);
    case 'H':
        return cli_take_shard(argument, &o->shard);
    case 'O':
        return take_source(o, argument);
    case 'T':
        return cli_take_trial_seconds(argument, &o->seconds);
    case 'F':
        o->folder = argument;
        return true;
    case 'U':
        return o->unconfined = true;
    case 'W':
        return o->show = true;
    case 'X':
        o->status = &r->status;
        return pm_census_status_parse(argument, &r->status) ||
               cli_unknown(&pm_census_status_words, "status", argument);
    case 'x':
        return cli_format_but_csv("census", CLI_FORMATS_BUT_CSV, argument, &o->format);
    case 'o':
        o->output = argument;
        return true;
    default:
        o->db = argument;
        return true;
    }
}

static int make(struct census_request *r)
{
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    struct pm_census_options *o = &r->o;
    o->db = cli_db(o->db);
    o->functions = r->functions.items;
    o->function_count = r->functions.count;
    o->folder = o->folder || o->show ? o->folder : "census";
    o->width = cli_width();
    o->colour = cli_colour() && !o->output;
    const int rc = pm_survey_census(o, &messages, &err);
    if (rc)
        return cli_fail(rc, &err);
    if (o->shard.count)
        cli_say("next        portmeter merge %s/%s.shard-*-of-%u" PM_SUITE_PACK
                " --into %s/%s" PM_SUITE_PACK "   makes one census of all shards\n",
                o->folder, o->framework, o->shard.count, o->folder, o->framework);
    else if (!o->show)
        cli_say("next        portmeter run --suite %s/%s" PM_SUITE_PACK
                " --target %s@DEVICE   measures these cases\n",
                o->folder, o->framework, o->framework);
    return PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("What to make"),
    {"environment", 'e', 'e', CLI_VALUE_ENVIRONMENT, "NAME",
     "environment to use [default: the one with the name of the framework, or the first that has "
     "the framework]"},
    {"function", 'f', 'f', CLI_VALUE_TEXT, "GLOB", "only matching names", .repeats = true},
    {"limit", 0, 'L', CLI_VALUE_TEXT, "N", "only the first N names"},
    {"shard", 0, 'H', CLI_VALUE_TEXT, "K/N",
     "only part K of N of these names, or the part that the batch system names (auto, or auto/N); "
     "portmeter merge makes one census of all parts"},
    {"source", 0, 'O', CLI_VALUE_WORD, "SOURCE",
     "only calls from this source: metadata (tests of the framework), example (of the "
     "documentation) or searched (found by a search) [default: all]",
     .words = "metadata example searched"},
    {"seconds", 0, 'T', CLI_VALUE_TEXT, "S",
     "processor time for one name and source, in seconds " CLI_TRIAL_SECONDS_DEFAULT},
    {"folder", 0, 'F', CLI_VALUE_FILE, "FOLDER",
     "folder of the census [default: census; with --show, the censuses that come with portmeter]"},
    {CLI_UNCONFINED},
    CLI_GROUP("What to print"),
    {"show", 0, 'W', CLI_VALUE_NONE, NULL, "print the stored census instead of making one"},
    {"status", 0, 'X', CLI_VALUE_WORD, "WORD",
     "also list the names with this status: values, no-values, host-only, no-case, not-measurable "
     "or not-tried",
     .words = "values no-values host-only no-case not-measurable not-tried"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     CLI_FORMATS_BUT_CSV "; json lists every name, or those with --status [default: text]",
     .words = CLI_FORMAT_WORDS_BUT_CSV},
    {"output", 'o', 'o', CLI_VALUE_FILE, "FILE", "write to FILE instead of stdout"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct census_request r = {.o = {.seconds = CLI_TRIAL_SECONDS}};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_census, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&r, option, argument))
            goto done;
    if (option < 0)
        goto done;
    if (r.o.shard.count)
        r.command_line =
            cli_command_line(&cmd_census, argc, argv, "shard folder db output environment");
    r.o.command_line = r.command_line;
    r.o.framework = cli_operand(&cli);
    if (!r.o.framework)
        cli_usage("no framework is given: use, for example, portmeter census %s",
                  pm_examples().framework);
    else if (!cli_has_more(&cli, "census takes one framework") &&
             !(r.o.show && cli_refuses(&cli, "with --show, which makes nothing",
                                       "environment function limit shard source seconds "
                                       "unconfined")))
        status = make(&r);
done:
    free(r.command_line);
    cli_list_release(&r.functions);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_census = {
    .name = "census",
    .run = run,
    .chapter = "Choose functions",
    .summary = "make cases for the public functions of a framework",
    .synopsis = "FRAMEWORK [OPTION...]",
    .operand = CLI_VALUE_FRAMEWORK,
    .options = options,
    .examples = {{"census {framework} --show",
                  "print what the census that comes with portmeter covers"},
                 {"census {framework} --function '*.sin'",
                  "make cases for the functions with the name sin"}},
};

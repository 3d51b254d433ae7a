/* portmeter forecast: predicts what fails on devices that this machine lacks. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/trial_options.h"

struct forecast_request {
    struct pm_forecast_options o;
    struct cli_list targets, functions;
};

static bool take(struct forecast_request *r, int option, const char *argument)
{
    struct pm_forecast_options *o = &r->o;
    switch (option) {
    case 'f':
        cli_add(&r->functions, argument);
        return true;
    case 's':
        o->suite = argument;
        return true;
    case 'T':
        return cli_take_trial_seconds(argument, &o->seconds);
    case 'F':
        o->folder = argument;
        return true;
    case 'U':
        return o->unconfined = true;
    case 'W':
        return o->show = true;
    case 'x':
        return cli_format_but_csv("forecast", CLI_FORMATS_BUT_CSV, argument, &o->format);
    default:
        o->output = argument;
        return true;
    }
}

static int make(struct forecast_request *r)
{
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    struct pm_forecast_options *o = &r->o;
    o->targets = r->targets.items;
    o->target_count = r->targets.count;
    o->functions = r->functions.items;
    o->function_count = r->functions.count;
    o->folder = o->folder || o->show ? o->folder : "forecast";
    o->width = cli_width();
    o->colour = cli_colour() && !o->output;
    const int rc = pm_survey_forecast(o, &messages, &err);
    if (rc)
        return cli_fail(rc, &err);
    if (!o->show)
        cli_say("next        portmeter forecast --show --folder %s   prints this again\n",
                o->folder);
    return PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("What to predict"),
    {"function", 'f', 'f', CLI_VALUE_TEXT, "GLOB", "only matching functions", .repeats = true},
    {"suite", 0, 's', CLI_VALUE_FILE, "PATH",
     "case files [default: the census that comes with portmeter]"},
    {"seconds", 0, 'T', CLI_VALUE_TEXT, "S",
     "time limit for one case, in seconds " CLI_TRIAL_SECONDS_DEFAULT},
    {"folder", 0, 'F', CLI_VALUE_FILE, "FOLDER",
     "folder of forecasts [default: forecast; with --show, those that come with portmeter]"},
    {CLI_UNCONFINED},
    CLI_GROUP("What to print"),
    {"show", 0, 'W', CLI_VALUE_NONE, NULL, "print stored forecasts instead of making one"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     CLI_FORMATS_BUT_CSV "; all but text list the cases [default: text]",
     .words = CLI_FORMAT_WORDS_BUT_CSV},
    {"output", 'o', 'o', CLI_VALUE_FILE, "FILE", "write to FILE instead of stdout"},
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct forecast_request r = {.o = {.seconds = CLI_TRIAL_SECONDS}};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_forecast, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&r, option, argument))
            goto done;
    if (option < 0)
        goto done;
    while ((argument = cli_operand(&cli)))
        cli_add(&r.targets, argument);
    if (!r.targets.count && !r.o.show)
        cli_usage("no target is given: use, for example, portmeter forecast %s",
                  pm_examples().target);
    else if (!(r.o.show &&
               cli_refuses(&cli, "with --show, which makes nothing", "suite seconds unconfined")))
        status = make(&r);
done:
    cli_list_release(&r.targets);
    cli_list_release(&r.functions);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_forecast = {
    .name = "forecast",
    .run = run,
    .chapter = "Choose functions",
    .summary = "predict what fails on devices that this machine lacks",
    .synopsis = "TARGET... [OPTION...]",
    .operand = CLI_VALUE_TARGET,
    .options = options,
    .examples = {{"forecast {target}", "predict what fails on a device, and print it"},
                 {"forecast --show", "print the stored forecasts"}},
};

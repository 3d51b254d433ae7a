/* portmeter report: prints tables or draws a figure. */
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/pager.h"
#include "cli/results_option.h"
#include "measure/measure.h"

struct report_request {
    struct pm_report_options options;
    bool has_format, has_width, gates, unpaged;
    const char
        *results; /* name of the results that come with portmeter; NULL: a database of the user */
    char *path;   /* path of the results that `results` names */
    const char **targets;
    size_t target_count, target_capacity;
};

/* Returns where an option's text belongs; NULL for an option of another kind. */
static const char **text_of(struct pm_report_options *o, int option)
{
    switch (option) {
    case 't':
        return &o->table;
    case 'a':
        return &o->against;
    case 'g':
        return &o->figure;
    case 'F':
        return &o->framework;
    case 'u':
        return &o->function;
    case 'o':
        return &o->output;
    case 'd':
        return &o->db;
    default:
        return NULL;
    }
}

static bool take_count(const char *option, const char *argument, unsigned *out)
{
    enum { MOST = 1000000 };
    long long number;
    if (!cli_number(option, argument, 1, MOST, &number))
        return false;
    *out = (unsigned)number;
    return true;
}

static bool take(struct report_request *r, int option, const char *argument)
{
    struct pm_report_options *o = &r->options;
    const char **text = text_of(o, option);
    long long number;
    if (text) {
        *text = argument;
        return true;
    }
    switch (option) {
    case 'x':
        r->has_format = true;
        return cli_format(argument, &o->format);
    case 'T':
        PM_GROW(r->targets, r->target_count, r->target_capacity);
        r->targets[r->target_count++] = argument;
        return true;
    case 'e':
        r->gates = true;
        return true;
    case 'R':
        return cli_take_results(&cli_runs_and_forecasts, argument, &r->results);
    case 'l':
        return o->full = true;
    case 'P':
        return r->unpaged = true;
    case 'w':
        return r->has_width = cli_take_width(argument, &o->width);
    case 'i':
        return cli_take_intolerable(argument, &o->intolerable);
    case 'S':
        return take_count("shapes", argument, &o->many_shapes);
    case 'n':
        return take_count("top", argument, &o->top);
    default:
        if (!cli_number(option == 's' ? "scan" : "run", argument, 1, INT64_MAX, &number))
            return false;
        *(option == 's' ? &o->scan_id : &o->run_id) = number;
        return true;
    }
}

static int report(struct report_request *r)
{
    struct pm_report_options *o = &r->options;
    struct pm_error err = {{0}};
    enum pm_exit status;
    if (o->figure && r->has_format)
        return cli_usage(
            "--format applies to tables: a figure's format follows the extension of --output");
    if (!o->figure && !r->has_format && !pm_tables_format_of_file(o->output, &o->format, &err))
        return cli_usage("%s", err.text);
    o->db = r->path ? r->path : cli_db(o->db);
    o->shipped = r->results;
    o->is_running = pm_measure_run_is_live;
    o->targets = r->targets;
    o->target_count = r->target_count;
    if (!r->has_width)
        o->width = cli_width();
    o->colour = cli_colour() && !o->output;
    if ((o->full || o->table || o->against) && !o->output && !r->unpaged)
        cli_page();
    const int rc = pm_write_report(o, &status, &err);
    if (rc)
        return cli_fail(rc, &err);
    return r->gates ? (int)status : PM_EXIT_FINE;
}

/* Prints the forecasts that come with portmeter, as portmeter forecast --show does. */
static int report_forecasts(struct report_request *r, const struct cli *cli)
{
    const struct pm_messages messages = cli_messages();
    struct pm_report_options *o = &r->options;
    struct pm_error err = {{0}};
    if (cli_refuses(cli, "with --results=" PM_SHIPPED_FORECASTS ", which are not runs",
                    "full table figure against framework run intolerable exit-code scan top db"))
        return PM_EXIT_USAGE;
    if (!r->has_format && !pm_tables_format_of_file(o->output, &o->format, &err))
        return cli_usage("%s", err.text);
    if (o->format == PM_FORMAT_CSV)
        return cli_usage("forecasts have several tables, and CSV has one: use --format json");
    const struct pm_forecast_options options = {.targets = r->targets,
                                                .target_count = r->target_count,
                                                .functions = &o->function,
                                                .function_count = o->function ? 1 : 0,
                                                .show = true,
                                                .format = o->format,
                                                .output = o->output,
                                                .width = r->has_width ? o->width : cli_width(),
                                                .colour = cli_colour() && !o->output};
    const int rc = pm_survey_forecast(&options, &messages, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

/* Refuses --full where it has no effect: with --table, --figure or --against, and with a format
 * other than text, because only text has a short form. */
static bool full_is_refused(const struct report_request *r, const struct cli *cli)
{
    const struct pm_report_options *o = &r->options;
    if (o->table || o->figure || o->against)
        return cli_refuses(cli, "with --table, --figure or --against", "full");
    return r->has_format && o->format != PM_FORMAT_TEXT &&
           cli_refuses(cli, "with a --format other than text", "full");
}

static const struct cli_option options[] = {
    CLI_GROUP("What to print"),
    {"full", 0, 'l', CLI_VALUE_NONE, NULL,
     "print every table [default: what works, what breaks and why, on one screen]"},
    {"table", 't', 't', CLI_VALUE_TABLE, "N|NAME", "print one table: {tables}"},
    {"figure", 0, 'g', CLI_VALUE_FIGURE, "NAME", "draw a figure: {figures}"},
    {"against", 0, 'a', CLI_VALUE_SIDE, "TARGET",
     "compare latencies with TARGET instead of the reference; portmeter help compare describes how "
     "to name a target of another run or database"},
    {"target", 0, 'T', CLI_VALUE_TARGET, "TARGET",
     "only this target [default: all]; a table or figure of the paper also accepts targets as in "
     "portmeter compare, and its ratios are relative to the first target of each framework",
     .repeats = true},
    {"framework", 'F', 'F', CLI_VALUE_FRAMEWORK, "FRAMEWORK", "only this framework [default: all]"},
    {"run", 0, 'r', CLI_VALUE_RUN, "N",
     "run to report [default: the newest valid run of each target]"},
    {"intolerable", 0, 'i', CLI_VALUE_TEXT, "FACTOR",
     "label functions over FACTOR times slower than their reference as intolerable "
     "[default: 10]"},
    {"shapes", 0, 'S', CLI_VALUE_TEXT, "N",
     "in a table of a recorded program, list places with more than N different shapes [default: "
     "8]"},
    {"exit-code", 0, 'e', CLI_VALUE_NONE, NULL,
     "exit with 1 if a counted case fails, with 4 if a run or its latencies are INVALID"},
    CLI_GROUP("Scans"),
    {"scan", 0, 's', CLI_VALUE_SCAN, "N",
     "scan to report [default: the newest that has the requested data]"},
    {"function", 0, 'u', CLI_VALUE_FUNCTION, "NAME",
     "only functions that match NAME, which may have wildcards (* and ?) [default: all]; for "
     "--table uses, the function whose uses to list"},
    {"top", 0, 'n', CLI_VALUE_TEXT, "N",
     "number of rows in a table of a scan [default: 20], or of runs in a history, at least 2 "
     "[default: 10]"},
    CLI_GROUP("Output"),
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     "{formats} [default: by the extension of --output; without --output, text]",
     .words = CLI_FORMAT_WORDS},
    {"width", 0, 'w', CLI_VALUE_TEXT, "N",
     "width of the text in columns; 0 means no limit [default: the width of the terminal; without "
     "a terminal, no limit]"},
    {"output", 'o', 'o', CLI_VALUE_FILE, "FILE",
     "write to FILE instead of stdout: .txt, .md, .json, .csv, .tex, .html; for a figure .svg, "
     ".png, .pdf"},
    CLI_INCLUDE(cli_pager_option),
    CLI_INCLUDE(cli_db_option),
    CLI_INCLUDE(cli_runs_and_forecasts.option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct report_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_report, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option == 0 && !cli_has_more(&cli, "report takes options only") &&
        !full_is_refused(&request, &cli)) {
        const bool forecasts = request.results && !strcmp(request.results, PM_SHIPPED_FORECASTS);
        status = forecasts ? report_forecasts(&request, &cli)
                           : cli_find_results(&cli, request.results, &request.path);
        if (!status && !forecasts)
            status = report(&request);
    }
done:
    free(request.path);
    free(request.targets);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_report = {
    .name = "report",
    .run = run,
    .chapter = "Read the results",
    .summary = "print the results of runs, scans and imports, or draw a figure",
    .synopsis = "[OPTION...]",
    .options = options,
    .examples = {{"report --output report.html", "write a page with search and filters"},
                 {"report --table failures", "list what fails, and why"}},
};

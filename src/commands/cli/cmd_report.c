/* portmeter report: prints tables or draws a figure. */
#include "base/alloc.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "measure/measure.h"

struct report_request {
    struct pm_report_options options;
    bool has_format, has_width, gates;
    const char **targets;
    size_t target_count, target_capacity;
};

static bool take(struct report_request *r, int option, const char *argument)
{
    struct pm_report_options *o = &r->options;
    long long number;
    switch (option) {
    case 'x':
        r->has_format = true;
        return cli_format(argument, &o->format);
    case 't':
        o->table = argument;
        return true;
    case 'T':
        PM_GROW(r->targets, r->target_count, r->target_capacity);
        r->targets[r->target_count++] = argument;
        return true;
    case 'a':
        o->against = argument;
        return true;
    case 'g':
        o->figure = argument;
        return true;
    case 'F':
        o->framework = argument;
        return true;
    case 'u':
        o->function = argument;
        return true;
    case 'o':
        o->output = argument;
        return true;
    case 'd':
        o->db = argument;
        return true;
    case 'e':
        r->gates = true;
        return true;
    case 'w':
        return r->has_width = cli_take_width(argument, &o->width);
    case 'i':
        return cli_take_intolerable(argument, &o->intolerable);
    case 'n':
        if (!cli_number("top", argument, 1, 1000000, &number))
            return false;
        o->top = (unsigned)number;
        return true;
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
    o->db = cli_db(o->db);
    o->is_running = pm_measure_run_is_live;
    o->targets = r->targets;
    o->target_count = r->target_count;
    if (!r->has_width)
        o->width = cli_width();
    o->colour = cli_colour() && !o->output;
    const int rc = pm_write_report(o, &status, &err);
    if (rc)
        return cli_fail(rc, &err);
    return r->gates ? (int)status : PM_EXIT_FINE;
}

static int parse(int argc, const char **argv, const struct poptOption *options)
{
    struct cli cli;
    struct report_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter report", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli)))
        cli_usage("unexpected operand '%s': report takes options only", argument);
    else
        status = report(&request);
done:
    free(request.targets);
    cli_release(&cli);
    return status;
}

int cmd_report(int argc, const char **argv)
{
    struct pm_str tables = PM_STR_INIT, figures = PM_STR_INIT, formats = PM_STR_INIT;
    pm_str_add(&tables, "print one table: ");
    pm_tables_list_tables(&tables);
    pm_str_add(&figures, "draw a figure: ");
    pm_tables_list_figures(&figures);
    pm_tables_list_formats(&formats);
    pm_str_add(&formats, " [default: by the extension of --output; without --output, text]");
    const struct poptOption options[] = {
        {"format", 0, POPT_ARG_STRING, NULL, 'x', formats.data, "FORMAT"},
        {"table", 0, POPT_ARG_STRING, NULL, 't', tables.data, "N|NAME"},
        {"against", 0, POPT_ARG_STRING, NULL, 'a',
         "compare latencies with TARGET instead of the reference; portmeter compare --help says "
         "how to name a target of another run or database",
         "TARGET"},
        {"target", 0, POPT_ARG_STRING, NULL, 'T',
         "target for a table or figure of the study, named as in portmeter compare; repeatable; "
         "the first target of a framework is the base of its ratios [default: the executed "
         "targets]",
         "T"},
        {"figure", 0, POPT_ARG_STRING, NULL, 'g', figures.data, "NAME"},
        {"run", 0, POPT_ARG_STRING, NULL, 'r',
         "run to report [default: the newest valid run of each target]", "N"},
        {"scan", 0, POPT_ARG_STRING, NULL, 's',
         "scan to report [default: the newest that has the requested data]", "N"},
        {"framework", 0, POPT_ARG_STRING, NULL, 'F', "report only this framework of a scan", "F"},
        {"function", 0, POPT_ARG_STRING, NULL, 'u', "function whose uses --table sites lists",
         "NAME"},
        {"top", 0, POPT_ARG_STRING, NULL, 'n',
         "number of rows in a table of a scan [default: 20], or of runs in a history, at least 2 "
         "[default: 10]",
         "N"},
        {"exit-code", 0, POPT_ARG_NONE, NULL, 'e',
         "exit with 1 if a counted case fails, with 4 if a run or its latencies are INVALID", NULL},
        {"intolerable", 0, POPT_ARG_STRING, NULL, 'i',
         "call a function intolerable that is more than FACTOR times slower than its reference "
         "[default: 10]",
         "FACTOR"},
        {"width", 0, POPT_ARG_STRING, NULL, 'w',
         "width of the text in columns; 0 means no limit [default: the width of the terminal; "
         "without a terminal, no limit]",
         "N"},
        {"output", 0, POPT_ARG_STRING, NULL, 'o',
         "write to FILE instead of stdout: .txt, .md, .json, .csv, .tex, .html; for a figure .svg, "
         ".png, .pdf",
         "FILE"},
        {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
         "FILE"},
        POPT_AUTOHELP POPT_TABLEEND};
    const int status = parse(argc, argv, options);
    pm_str_release(&tables);
    pm_str_release(&figures);
    pm_str_release(&formats);
    return status;
}

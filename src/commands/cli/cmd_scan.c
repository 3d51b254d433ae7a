/* portmeter scan: counts the use of functions in Python code. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"

static const struct poptOption options[] = {
    {"framework", 0, POPT_ARG_STRING, NULL, 'w',
     "frameworks whose functions portmeter counts, separated by commas; repeatable; required",
     "F[,F...]"},
    {"flat", 0, POPT_ARG_STRING, NULL, 'l', "names for the study's rule: a JSON array; repeatable",
     "F=FILE"},
    {"every-file", 0, POPT_ARG_NONE, NULL, 'E',
     "apply the study's rule also to files that do not import the framework", NULL},
    {"places", 0, POPT_ARG_STRING, NULL, 'p',
     "write every use, with line and function, to FILE as JSON lines; - is stdout", "FILE"},
    {"store-places", 0, POPT_ARG_NONE, NULL, 's',
     "store every use, with line and function, in the database", NULL},
    {"threads", 'T', POPT_ARG_STRING, NULL, 'T',
     "number of inputs to read in parallel [default: one per core]", "N"},
    {"top", 0, POPT_ARG_STRING, NULL, 't',
     "number of rows in each table of frequencies [default: 20]", "N"},
    {"format", 0, POPT_ARG_STRING, NULL, 'x',
     "text, markdown, json, latex, html, or jsonl, which prints every use [default: text]",
     "FORMAT"},
    {"exit-code", 0, POPT_ARG_NONE, NULL, 'X', "exit with 1 if some of the data cannot be read",
     NULL},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

struct scan_request {
    struct pm_scan_options options;
    struct cli_list paths, frameworks, flats;
    bool gates; /* --exit-code */
};

static bool take_number(const char *option, const char *argument, long long most, unsigned *out)
{
    long long number;
    if (!cli_number(option, argument, 1, most, &number))
        return false;
    *out = (unsigned)number;
    return true;
}

static bool take(struct scan_request *r, int option, const char *argument)
{
    enum { MOST_THREADS = 1024 };
    switch (option) {
    case 'w':
        cli_add(&r->frameworks, argument);
        return true;
    case 'l':
        cli_add(&r->flats, argument);
        return true;
    case 'E':
        r->options.every_file = true;
        return true;
    case 'T':
        return take_number("threads", argument, MOST_THREADS, &r->options.threads);
    case 't':
        return take_number("top", argument, INT_MAX, &r->options.top);
    case 'p':
        r->options.places = argument;
        return true;
    case 'X':
        r->gates = true;
        return true;
    case 's':
        r->options.store_places = true;
        return true;
    case 'x':
        if (strcmp(argument, "jsonl") == 0) { /* no form of a table: the uses themselves */
            r->options.places = "-";
            return true;
        }
        return cli_format_but_csv("scan", "text, markdown, json, latex, html or jsonl", argument,
                                  &r->options.format);
    default:
        r->options.db = argument;
        return true;
    }
}

static int scan(struct scan_request *r)
{
    struct pm_scan_options *o = &r->options;
    const struct pm_messages messages = cli_messages();
    struct pm_scan_summary summary;
    struct pm_error err = {{0}};
    o->paths = r->paths.items;
    o->path_count = r->paths.count;
    o->frameworks = r->frameworks.items;
    o->framework_count = r->frameworks.count;
    o->flats = r->flats.items;
    o->flat_count = r->flats.count;
    o->db = cli_db(o->db);
    o->width = cli_width();
    o->colour = cli_colour();
    cli_outlive_readers();
    const int rc = pm_survey_scan(o, &messages, &summary, &err);
    if (rc)
        return cli_fail(rc, &err);
    return r->gates && summary.damages ? PM_EXIT_WORSE : PM_EXIT_FINE;
}

int cmd_scan(int argc, const char **argv)
{
    struct cli cli;
    struct scan_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter scan", argc, argv, options,
             "PATH... --framework F[,F...] [OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0)
        goto done;
    while ((argument = cli_operand(&cli)))
        cli_add(&request.paths, argument);
    status = scan(&request);
done:
    cli_list_release(&request.paths);
    cli_list_release(&request.frameworks);
    cli_list_release(&request.flats);
    cli_release(&cli);
    return status;
}

/* portmeter compare: finds what changed between two sides. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "compare/compare.h"

struct compare_request {
    struct pm_compare_options options;
    struct cli_list allowed;
    bool exit_code, has_format, has_width;
};

/* Parses the argument of --format. Only this command has the format junit. */
static bool take_format_word(struct pm_compare_options *o, const char *argument)
{
    static const char *const texts[] = {"text",  "markdown", "json", "csv",
                                        "latex", "html",     "junit"};
    const struct pm_words words = {texts, sizeof texts / sizeof *texts};
    o->junit = !strcmp(argument, "junit");
    return o->junit || pm_report_format_parse(argument, &o->format) ||
           cli_unknown(&words, "format", argument);
}

static bool take(struct compare_request *r, int option, const char *argument)
{
    struct pm_compare_options *o = &r->options;
    switch (option) {
    case 'x':
        r->has_format = true;
        return take_format_word(o, argument);
    case 'o':
        o->output = argument;
        return true;
    case 'd':
        o->db = argument;
        return true;
    case 'A':
        cli_add(&r->allowed, argument);
        return true;
    case 'U':
        o->accepts_unknown = true;
        return true;
    case 'O':
        o->outcomes_only = true;
        return true;
    case 'a':
        o->all = true;
        return true;
    case 'i':
        return cli_take_intolerable(argument, &o->intolerable);
    case 'w':
        return r->has_width = cli_take_width(argument, &o->width);
    default:
        r->exit_code = true;
        return true;
    }
}

/* Returns the exit status. Prints why a comparison is inconclusive and, if the comparison was
 * written to a file, that B is worse. */
static int status_of(const struct pm_compare_result *result, bool in_file)
{
    const size_t worse = result->regressions;
    if (result->status == PM_EXIT_WORSE && in_file)
        fprintf(
            stderr,
            "portmeter: B is worse than A: %zu function%s regressed, gone, unmeasured or slower\n",
            worse, pm_plural_are(worse));
    if (result->status == PM_EXIT_INCONCLUSIVE)
        fprintf(stderr, "portmeter: %s\n", result->doubt);
    return (int)result->status;
}

/* Chooses the format by the extension of --output. Returns false if the extension is unknown. */
static bool format_of_output(struct pm_compare_options *o)
{
    struct pm_error ignored;
    const size_t length = o->output ? strlen(o->output) : 0;
    o->junit = length > 4 && !strcasecmp(o->output + length - 4, ".xml");
    return o->junit || pm_tables_format_of_file(o->output, &o->format, &ignored);
}

static int compare(struct compare_request *r)
{
    struct pm_compare_options *o = &r->options;
    struct pm_compare_result result;
    struct pm_error err = {{0}};
    if (!r->has_format && !format_of_output(o))
        return cli_usage(
            "unknown extension of --output '%s': use .txt, .md, .json, .csv, .tex, .html "
            "or .xml, or add --format",
            o->output);
    o->db = cli_db(o->db);
    o->allowed = r->allowed.items;
    o->allowed_count = r->allowed.count;
    if (!r->has_width)
        o->width = cli_width();
    o->colour = cli_colour() && !o->output;
    const int rc = pm_compare(o, &result, &err);
    if (rc)
        return cli_fail(rc, &err);
    const int status = r->exit_code ? status_of(&result, o->output) : PM_EXIT_FINE;
    free(result.doubt);
    return status;
}

static int take_sides(struct compare_request *r, struct cli *cli)
{
    const char *more;
    r->options.a = cli_operand(cli);
    r->options.b = cli_operand(cli);
    if (!r->options.b)
        return cli_usage(
            "compare needs two sides: use, for example, portmeter compare old.db new.db");
    if ((more = cli_operand(cli)))
        return cli_usage("unexpected operand '%s': compare takes two sides", more);
    return compare(r);
}

static const struct cli_option options[] = {
    CLI_GROUP("What counts"),
    {"outcomes-only", 0, 'O', CLI_VALUE_NONE, NULL, "do not compare latencies"},
    {"allow", 0, 'A', CLI_VALUE_FUNCTION, "FUNCTION",
     "accept that this function is gone from B, not measured on B or in doubt, or that its latency "
     "is not known",
     .repeats = true},
    {"allow-unknown-latencies", 0, 'U', CLI_VALUE_NONE, NULL,
     "accept latencies that cannot be compared: unstable, from too few processes, or of different "
     "work"},
    {"intolerable", 0, 'i', CLI_VALUE_TEXT, "FACTOR",
     "label functions over FACTOR times slower on B as intolerable [default: 10]"},
    {"exit-code", 0, 'e', CLI_VALUE_NONE, NULL,
     "exit with 1 if B is worse, with 4 if the comparison is inconclusive"},
    CLI_GROUP("Output"),
    {"all", 'a', 'a', CLI_VALUE_NONE, NULL, "also list functions that are the same"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     "text, markdown, json, csv, latex, html or junit [default: by the extension of --output; "
     "without --output, text]",
     .words = CLI_FORMAT_WORDS " junit"},
    {"width", 0, 'w', CLI_VALUE_TEXT, "N",
     "width of the text in columns; 0 means no limit [default: the width of the terminal; without "
     "a terminal, no limit]"},
    {"output", 'o', 'o', CLI_VALUE_FILE, "FILE",
     "write to FILE instead of stdout: .txt, .md, .json, .csv, .tex, .html, .xml (junit)"},
    CLI_GROUP("Database"),
    {"db", 0, 'd', CLI_VALUE_FILE, "FILE",
     "database of a side that names no file [default: $PORTMETER_DB, or portmeter.db]"},
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct compare_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_compare, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option == 0)
        status = take_sides(&request, &cli);
done:
    cli_list_release(&request.allowed);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_compare = {
    .name = "compare",
    .run = run,
    .chapter = "Read the results",
    .summary = "list the differences between two targets, runs, versions or databases",
    .synopsis = "A B [OPTION...]",
    .operand = CLI_VALUE_SIDE,
    .text =
        "A and B each have the form [FILE#][run:N#][TARGET], with at least one of the three "
        "parts. For example, run:4 is a run, old.db is a database, and old.db#run:4#TARGET is a "
        "target of a run in another database. To compare versions of a framework, name their "
        "environments: ENVIRONMENT:FRAMEWORK@DEVICE.",
    .options = options,
    .examples = {{"compare baseline.db today.db --exit-code",
                  "fail in a script if today's run is worse than the baseline"},
                 {"compare run:3 run:5 --output changes.html", "write a page about two runs"}},
};

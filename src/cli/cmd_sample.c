/* portmeter sample: draws the functions to measure. */
#include "cli/cli.h"

enum { MOST_DRAWS = 1000000 };

static const struct poptOption options[] = {
    {"framework", 'F', POPT_ARG_STRING, NULL, 'F', "whose functions", "F"},
    {"seed", 'S', POPT_ARG_STRING, NULL, 'S', "of the draw (1)", "N"},
    {"by", 0, POPT_ARG_STRING, NULL, 'b', "rule that counts use: resolved or study (resolved)",
     "RULE"},
    {"strata", 0, POPT_ARG_STRING, NULL, 'a',
     "disjoint, or the study's, which give no estimates (disjoint)", "RULE"},
    {"top", 0, POPT_ARG_STRING, NULL, 't', "functions used most that are all taken (20)", "N"},
    {"per-decile", 0, POPT_ARG_STRING, NULL, 'p', "functions drawn from a decile (5)", "N"},
    {"all", 0, POPT_ARG_NONE, NULL, 'A',
     "take every function: to hold what a suite measured against the whole", NULL},
    {"scan", 0, POPT_ARG_STRING, NULL, 'c', "which scan of the database ranks (the newest)", "N"},
    {"ranking", 0, POPT_ARG_STRING, NULL, 'r',
     "rank by a JSON object of names and counts instead of a scan", "FILE"},
    {"unused", 0, POPT_ARG_NONE, NULL, 'u', "rank what the corpus does not use, too, with 0 uses",
     NULL},
    {"exclude", 0, POPT_ARG_STRING, NULL, 'e',
     "functions that cannot be measured: lines NAME = CRITERION: WHY, or JSON", "FILE"},
    {"only-tested", 0, POPT_ARG_NONE, NULL, 'T', "exclude functions without a case in the suite",
     NULL},
    {"suite", 's', POPT_ARG_STRING, NULL, 's',
     "the suite's case files, a file or a folder; may be repeated", "PATH"},
    {"pin", 0, POPT_ARG_STRING, NULL, 'P', "measure a function in any case; may be repeated",
     "NAME=REASON"},
    {"leave-out", 0, POPT_ARG_STRING, NULL, 'L', "never draw a function; may be repeated",
     "NAME=REASON"},
    {"show", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, 'w',
     "print a sample that was drawn: its number, or the newest", "N"},
    {"explain", 0, POPT_ARG_NONE, NULL, 'X', "print every step of the draw instead", NULL},
    {"list", 0, POPT_ARG_NONE, NULL, 'l', "print names only, one a line, instead", NULL},
    {"format", 0, POPT_ARG_STRING, NULL, 'x', "text, markdown or json (text)", "FORMAT"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database (portmeter.db, or PORTMETER_DB)", "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

struct sampling_lists {
    struct cli_list suites, pins, left_out;
    bool draws;      /* an option of a draw was given */
    bool per_decile; /* that one was */
};

static bool take_count(const char *option, const char *argument, unsigned *out)
{
    long long number;
    if (!cli_number(option, argument, 0, MOST_DRAWS, &number))
        return false;
    *out = (unsigned)number;
    return true;
}

static bool take_seed(const char *argument, uint64_t *out)
{
    long long number;
    if (!cli_number("seed", argument, 0, INT64_MAX, &number))
        return false;
    *out = (uint64_t)number;
    return true;
}

static bool take_scan(const char *argument, int64_t *out)
{
    long long number;
    if (!cli_number("scan", argument, 1, INT64_MAX, &number))
        return false;
    *out = number;
    return true;
}

/* What the draw itself depends on. */
static bool take_draw(struct pm_sample_options *o, struct sampling_lists *lists, int option,
                      const char *argument)
{
    lists->draws = true;
    switch (option) {
    case 'S':
        return take_seed(argument, &o->seed);
    case 'b':
        o->by = argument;
        return true;
    case 'a':
        o->strata = argument;
        return true;
    case 't':
        return take_count("top", argument, &o->top);
    case 'p':
        lists->per_decile = true;
        return take_count("per-decile", argument, &o->per_decile);
    case 'A':
        return o->all = true;
    case 'c':
        return take_scan(argument, &o->scan);
    case 'r':
        o->ranking = argument;
        return true;
    case 'u':
        return o->unused = true;
    case 'e':
        o->exclude = argument;
        return true;
    case 'T':
        return o->only_tested = true;
    case 'P':
        cli_add(&lists->pins, argument);
        return true;
    default:
        cli_add(&lists->left_out, argument);
        return true;
    }
}

static bool take(struct pm_sample_options *o, struct sampling_lists *lists, int option,
                 const char *argument)
{
    switch (option) {
    case 'F':
        o->framework = argument;
        return true;
    case 's':
        cli_add(&lists->suites, argument);
        return true;
    case 'w':
        return cli_stored("show", "sample", argument, &o->show);
    case 'X':
        return o->explain = true;
    case 'l':
        return o->list = true;
    case 'x':
        o->format = argument;
        return true;
    case 'd':
        o->db = argument;
        return true;
    default:
        return take_draw(o, lists, option, argument);
    }
}

static int draw(struct pm_sample_options *o, const struct sampling_lists *lists)
{
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    if (o->show && lists->draws)
        return cli_usage("--show prints a sample as it was drawn: only --framework, --suite, --db "
                         "and what is printed go with it");
    if (o->all && lists->per_decile)
        return cli_usage("--all takes every function: --per-decile does not go with it");
    if (o->explain && o->list)
        return cli_usage("--explain and --list both say what is printed: give one");
    if ((o->explain || o->list) && o->format)
        return cli_usage("--%s prints plain text: --format does not go with it",
                         o->list ? "list" : "explain");
    if (!o->format)
        o->format = "text";
    o->db = cli_db(o->db);
    o->width = cli_width();
    o->suites = (const char *const *)lists->suites.items;
    o->suite_count = lists->suites.count;
    o->pins = lists->pins.items;
    o->pin_count = lists->pins.count;
    o->left_out = lists->left_out.items;
    o->left_out_count = lists->left_out.count;
    const int rc = pm_survey_sample(o, &messages, &err);
    return rc ? cli_fail(rc, &err) : EXIT_FINE;
}

int cmd_sample(int argc, const char **argv)
{
    struct cli cli;
    struct sampling_lists lists = {0};
    struct pm_sample_options o = {
        .by = "resolved", .strata = "disjoint", .seed = 1, .top = 20, .per_decile = 5};
    const char *argument;
    int option, status = EXIT_USAGE;
    cli_init(&cli, "portmeter sample", argc, argv, options, "--framework F [OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&o, &lists, option, argument))
            goto done;
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli)))
        cli_usage("sample takes no operand '%s'", argument);
    else
        status = draw(&o, &lists);
done:
    cli_list_release(&lists.suites);
    cli_list_release(&lists.pins);
    cli_list_release(&lists.left_out);
    cli_release(&cli);
    return status;
}

/* portmeter sample: draws the functions to measure. */
#include "cli/cli.h"
#include "cli/commands.h"

enum { MOST_DRAWS = 1000000 };

static const struct poptOption options[] = {
    {"framework", 'F', POPT_ARG_STRING, NULL, 'F', "framework of the functions to draw; required",
     "F"},
    {"seed", 'S', POPT_ARG_STRING, NULL, 'S', "seed of the draw [default: 1]", "N"},
    {"rule", 0, POPT_ARG_STRING, NULL, 'b',
     "rule for counting uses: resolved, inferred or study [default: resolved]", "RULE"},
    {"strata", 0, POPT_ARG_STRING, NULL, 'a',
     "disjoint, or study (gives no estimates) [default: disjoint]", "RULE"},
    {"top", 0, POPT_ARG_STRING, NULL, 't',
     "number of most used functions that are always included [default: 20]", "N"},
    {"per-decile", 0, POPT_ARG_STRING, NULL, 'p',
     "number of functions to draw from each decile [default: 5]", "N"},
    {"all", 0, POPT_ARG_NONE, NULL, 'A', "include every function, to measure the whole framework",
     NULL},
    {"scan", 0, POPT_ARG_STRING, NULL, 'c', "scan that ranks the functions [default: the newest]",
     "N"},
    {"ranking", 0, POPT_ARG_STRING, NULL, 'r',
     "rank the functions by a JSON object of names and counts instead of a scan", "FILE"},
    {"unused", 0, POPT_ARG_NONE, NULL, 'u', "also rank functions that the corpus never uses", NULL},
    {"exclude", 0, POPT_ARG_STRING, NULL, 'e',
     "file of functions to exclude: lines NAME = CRITERION: WHY, or JSON", "FILE"},
    {"only-tested", 0, POPT_ARG_NONE, NULL, 'T', "exclude functions that have no case in the suite",
     NULL},
    {"suite", 's', POPT_ARG_STRING, NULL, 's', "case files: a file or a folder; repeatable",
     "PATH"},
    {"pin", 0, POPT_ARG_STRING, NULL, 'P', "always include a function; repeatable", "NAME=REASON"},
    {"leave-out", 0, POPT_ARG_STRING, NULL, 'L', "never include a function; repeatable",
     "NAME=REASON"},
    {"show", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, 'w',
     "print stored sample N [default: the newest]", "N"},
    {"explain", 0, POPT_ARG_NONE, NULL, 'X', "print every step of the draw instead of the sample",
     NULL},
    {"list", 0, POPT_ARG_NONE, NULL, 'l', "print only the names, one per line", NULL},
    {"format", 0, POPT_ARG_STRING, NULL, 'x', CLI_FORMATS_BUT_CSV " [default: text]", "FORMAT"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

struct sampling_lists {
    struct cli_list suites, pins, left_out;
    bool draws;      /* an option that changes the draw was given */
    bool per_decile; /* --per-decile was given */
    bool format;     /* --format was given */
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

/* Options that change the draw. */
static bool take_draw(struct pm_sample_options *o, struct sampling_lists *lists, int option,
                      const char *argument)
{
    lists->draws = true;
    switch (option) {
    case 'S':
        return take_seed(argument, &o->seed);
    case 'b':
        return pm_rule_parse(argument, &o->by) || cli_unknown(&pm_rule_words, "rule", argument);
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
        lists->format = true;
        return cli_format_but_csv("sample", CLI_FORMATS_BUT_CSV, argument, &o->format);
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
        return cli_usage("--show prints a stored sample without changes: combine it only with "
                         "--framework, --suite, --db, --format, --explain and --list");
    if (o->all && lists->per_decile)
        return cli_usage("--all includes every function: omit --per-decile");
    if (o->explain && o->list)
        return cli_usage("--explain and --list exclude each other: give one of them");
    if ((o->explain || o->list) && lists->format)
        return cli_usage("--%s prints plain text: omit --format", o->list ? "list" : "explain");
    o->db = cli_db(o->db);
    o->width = cli_width();
    o->suites = (const char *const *)lists->suites.items;
    o->suite_count = lists->suites.count;
    o->pins = lists->pins.items;
    o->pin_count = lists->pins.count;
    o->left_out = lists->left_out.items;
    o->left_out_count = lists->left_out.count;
    const int rc = pm_survey_sample(o, &messages, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

int cmd_sample(int argc, const char **argv)
{
    struct cli cli;
    struct sampling_lists lists = {0};
    struct pm_sample_options o = {
        .by = PM_RULE_RESOLVED, .strata = "disjoint", .seed = 1, .top = 20, .per_decile = 5};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter sample", argc, argv, options, "--framework F [OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&o, &lists, option, argument))
            goto done;
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli)))
        cli_usage("unexpected operand '%s': sample takes options only", argument);
    else
        status = draw(&o, &lists);
done:
    cli_list_release(&lists.suites);
    cli_list_release(&lists.pins);
    cli_list_release(&lists.left_out);
    cli_release(&cli);
    return status;
}

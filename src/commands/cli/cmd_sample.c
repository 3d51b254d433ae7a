/* portmeter sample: draws the functions to measure. */
#include "cli/cli.h"
#include "cli/commands.h"

enum { MOST_DRAWS = 1000000 };

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

/* Takes an option that changes the draw. */
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

static const struct cli_option options[] = {
    CLI_GROUP("Ranking"),
    {"framework", 'F', 'F', CLI_VALUE_FRAMEWORK, "FRAMEWORK",
     "framework of the functions to draw; required unless --show is given"},
    {"rule", 0, 'b', CLI_VALUE_WORD, "RULE",
     "rule for counting uses: resolved (through imports), inferred (through imports and types) or "
     "paper (bare names) [default: resolved]",
     .words = "resolved inferred paper"},
    {"scan", 0, 'c', CLI_VALUE_SCAN, "N", "scan that ranks the functions [default: the newest]"},
    {"ranking", 0, 'r', CLI_VALUE_FILE, "FILE",
     "rank the functions by FILE instead of a scan: a JSON object of names and numbers of uses"},
    {"unused", 0, 'u', CLI_VALUE_NONE, NULL, "also rank functions that the corpus never uses"},
    CLI_GROUP("Draw"),
    {"seed", 'S', 'S', CLI_VALUE_TEXT, "N", "seed of the draw [default: 1]"},
    {"strata", 0, 'a', CLI_VALUE_WORD, "RULE",
     "rule for strata: disjoint, or paper (gives no estimates) [default: disjoint]",
     .words = "disjoint paper"},
    {"top", 0, 't', CLI_VALUE_TEXT, "N",
     "number of most used functions that are always included [default: 20]"},
    {"per-decile", 0, 'p', CLI_VALUE_TEXT, "N",
     "number of functions to draw from each decile [default: 5]"},
    {"all", 'a', 'A', CLI_VALUE_NONE, NULL,
     "include every function, to measure the whole framework"},
    {"exclude", 0, 'e', CLI_VALUE_FILE, "FILE",
     "file of functions to exclude: lines NAME = CRITERION: WHY, or JSON"},
    {"only-tested", 0, 'T', CLI_VALUE_NONE, NULL,
     "exclude functions that have no case in the suite"},
    {"suite", 's', 's', CLI_VALUE_FILE, "PATH", "case files: a file or a folder", .repeats = true},
    {"pin", 0, 'P', CLI_VALUE_TEXT, "NAME=REASON", "always include a function", .repeats = true},
    {"leave-out", 0, 'L', CLI_VALUE_TEXT, "NAME=REASON", "never include a function",
     .repeats = true},
    CLI_GROUP("Output"),
    {"show", 0, 'w', CLI_VALUE_SAMPLE, "N", "print stored sample N [default: the newest]",
     .optional = true},
    {"explain", 0, 'X', CLI_VALUE_NONE, NULL, "print every step of the draw instead of the sample"},
    {"list", 'l', 'l', CLI_VALUE_NONE, NULL, "print only the names, one per line"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT", CLI_FORMATS_BUT_CSV " [default: text]",
     .words = CLI_FORMAT_WORDS_BUT_CSV},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct sampling_lists lists = {0};
    struct pm_sample_options o = {
        .by = PM_RULE_RESOLVED, .strata = "disjoint", .seed = 1, .top = 20, .per_decile = 5};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_sample, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&o, &lists, option, argument))
            goto done;
    if (option == 0 && !cli_has_more(&cli, "sample takes options only"))
        status = draw(&o, &lists);
done:
    cli_list_release(&lists.suites);
    cli_list_release(&lists.pins);
    cli_list_release(&lists.left_out);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_sample = {
    .name = "sample",
    .run = run,
    .chapter = "Choose functions",
    .summary = "draw a random sample of functions, grouped by their use",
    .synopsis = "--framework FRAMEWORK [OPTION...]",
    .options = options,
    .examples = {{"sample --framework {framework} --seed 7",
                  "draw from the functions that the newest scan ranks"},
                 {"sample --show --list", "print the names of the newest sample"}},
};

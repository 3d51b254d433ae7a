/* portmeter scan: counts the use of functions in Python code. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"

struct scan_request {
    struct pm_scan_options options;
    struct cli_list paths, frameworks, flats;
    char *command_line; /* with --shard: the command line without --shard and --db; NULL: none */
    bool gates;         /* --exit-code */
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
        r->options.uses = argument;
        return true;
    case 'X':
        r->gates = true;
        return true;
    case 'H':
        return cli_take_shard(argument, &r->options.shard);
    case 'n':
        r->options.names = argument;
        return true;
    case 's':
        r->options.store_uses = true;
        return true;
    case 'x':
        if (strcmp(argument, "jsonl") == 0) { /* prints the uses instead of tables */
            r->options.uses = "-";
            return true;
        }
        return cli_format_but_csv("scan", "text, markdown, json, latex, html or jsonl", argument,
                                  &r->options.format);
    default:
        r->options.db = argument;
        return true;
    }
}

static int scan(struct scan_request *r, const struct cli *cli)
{
    struct pm_scan_options *o = &r->options;
    const struct pm_messages messages = cli_messages();
    struct pm_scan_summary summary;
    struct pm_error err = {{0}};
    const bool prints_uses = o->uses && !strcmp(o->uses, "-");
    if (prints_uses && cli_refuses(cli, "when every use is printed instead of tables", "top"))
        return PM_EXIT_USAGE;
    if (o->shard.count && cli_refuses(cli, "with --shard, which prints no table", "top"))
        return PM_EXIT_USAGE;
    o->command_line = r->command_line;
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

static const struct cli_option options[] = {
    CLI_GROUP("What to count"),
    {"framework", 'F', 'w', CLI_VALUE_FRAMEWORK, "F[,F...]",
     "frameworks whose functions portmeter counts, separated by commas; required", .repeats = true},
    {"flat", 0, 'l', CLI_VALUE_TEXT, "F=FILE",
     "FILE with the names of framework F for the paper's rule, a JSON array [default: names of the "
     "inventory]",
     .repeats = true},
    {"every-file", 0, 'E', CLI_VALUE_NONE, NULL,
     "apply the paper's rule also to files that do not import the framework"},
    {"threads", 'T', 'T', CLI_VALUE_TEXT, "N",
     "number of inputs to read in parallel [default: logical cores; always 1 with --uses and "
     "--store-uses]"},
    {"shard", 0, 'H', CLI_VALUE_TEXT, "K/N",
     "only the projects of part K of N, or of the part that the batch system names (auto, or "
     "auto/N); portmeter merge makes one scan of all parts"},
    {"names", 0, 'n', CLI_VALUE_FILE, "FILE",
     "database with the inventories whose names are counted [default: the one of --db, to which a "
     "missing inventory is added]"},
    CLI_GROUP("Output"),
    {"uses", 0, 'p', CLI_VALUE_FILE, "FILE",
     "write every use, with line and function, to FILE as JSON lines; - means stdout, without "
     "tables"},
    {"store-uses", 0, 's', CLI_VALUE_NONE, NULL,
     "store every use, with line and function, in the database"},
    {"top", 0, 't', CLI_VALUE_TEXT, "N",
     "number of rows in each table of frequencies [default: 20]"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT",
     "text, markdown, json, latex, html, or jsonl (every use instead of tables) [default: text]",
     .words = CLI_FORMAT_WORDS_BUT_CSV " jsonl"},
    {"exit-code", 0, 'X', CLI_VALUE_NONE, NULL, "exit with 1 if some of the data cannot be read"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct scan_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_scan, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option < 0)
        goto done;
    if (request.options.shard.count)
        request.command_line = cli_command_line(&cmd_scan, argc, argv, "shard db");
    while ((argument = cli_operand(&cli)))
        cli_add(&request.paths, argument);
    status = scan(&request, &cli);
done:
    free(request.command_line);
    cli_list_release(&request.paths);
    cli_list_release(&request.frameworks);
    cli_list_release(&request.flats);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_scan = {
    .name = "scan",
    .run = run,
    .chapter = "Choose functions",
    .summary = "count how often Python code uses each function",
    .synopsis = "PATH... --framework F[,F...] [OPTION...]",
    .operand = CLI_VALUE_FILE,
    .options = options,
    .examples =
        {{"scan corpus.tar.zst --framework {framework},{other} --store-uses",
          "count the uses in a corpus, and store the place of each use"},
         {"scan corpus --framework {framework} --names names.db --shard 3/8 --db shard-3.db",
          "count the uses in the third of eight parts of a corpus"}},
};

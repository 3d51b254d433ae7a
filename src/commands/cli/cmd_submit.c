/* portmeter submit: submits jobs to Slurm that measure the shards of a run, study or scan, and a
 * job that merges them. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/shard.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "submit/submit.h"

struct submit_request {
    struct pm_submit_options options;
    struct cli_list slurm, words;
    char *owned[8]; /* options of sbatch that are made here */
    size_t owned_count;
};

/* Adds an option of sbatch. The caller must have checked that `owned` has space. */
static void add_slurm(struct submit_request *r, const char *name, const char *value)
{
    char *text = value ? pm_format("--%s=%s", name, value) : pm_format("--%s", name);
    r->owned[r->owned_count++] = text;
    cli_add(&r->slurm, text);
}

/* Checks that an argument has no line break, because the batch script has one option per line.
 * Returns false, after a message, if it has one. */
static bool is_one_line(const char *argument)
{
    if (!strpbrk(argument, "\r\n"))
        return true;
    cli_usage("an option of sbatch has a line break: write it on one line");
    return false;
}

static bool take(struct submit_request *r, int option, const char *argument)
{
    static const struct {
        int id;
        const char *name;
    } named[] = {{'p', "partition"}, {'g', "gres"}, {'t', "time"}, {'x', "exclusive"}};
    long long number;
    if (argument && !is_one_line(argument))
        return false;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (option == named[i].id) {
            if (r->owned_count == sizeof r->owned / sizeof *r->owned)
                return cli_usage("--%s is given too often: give it once", named[i].name) == 0;
            add_slurm(r, named[i].name, argument);
            return true;
        }
    switch (option) {
    case 'n':
        if (!cli_number("shards", argument, 1, PM_MOST_SHARDS, &number))
            return false;
        r->options.shards = (unsigned)number;
        return true;
    case 's':
        cli_add(&r->slurm, argument);
        return true;
    case 'y':
        return r->options.dry_run = true;
    case 'w':
        return r->options.wait = true;
    default:
        r->options.into = argument;
        return true;
    }
}

static int submit(struct submit_request *r)
{
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    r->options.into = cli_db(r->options.into);
    r->options.slurm = r->slurm.items;
    r->options.slurm_count = r->slurm.count;
    r->options.words = r->words.items;
    r->options.word_count = r->words.count;
    cli_outlive_readers();
    const int rc = pm_submit(&r->options, &messages, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("Jobs"),
    {"shards", 0, 'n', CLI_VALUE_TEXT, "N", "number of shards [default: 8]"},
    {"partition", 0, 'p', CLI_VALUE_TEXT, "P", "partition for the jobs that measure shards"},
    {"gres", 0, 'g', CLI_VALUE_TEXT, "G", "generic resources of each job, such as gpu:1"},
    {"time", 0, 't', CLI_VALUE_TEXT, "TIME",
     "time limit of a job; a job stops shortly before this limit, is queued again, and continues "
     "its shards"},
    {"exclusive", 0, 'x', CLI_VALUE_NONE, NULL,
     "reserve a whole node for each job, so that no other job disturbs latencies"},
    {"slurm", 0, 's', CLI_VALUE_TEXT, "OPTION",
     "another option of sbatch, such as --slurm=--account=A", .repeats = true},
    {"dry-run", 0, 'y', CLI_VALUE_NONE, NULL, "print the two batch scripts, and submit nothing"},
    {"wait", 0, 'w', CLI_VALUE_NONE, NULL, "follow the jobs until the shards are merged"},
    CLI_GROUP("Database"),
    {"into", 0, 'd', CLI_VALUE_FILE, "FILE",
     "database that receives the run; the shards are in the folder FILE.shards [default: "
     "$PORTMETER_DB, or portmeter.db]"},
    {"db", 0, 'd', CLI_VALUE_FILE, "FILE", "same as --into"},
    CLI_OPTIONS_END};

/* Returns whether a scan has paths and all of them exist; prints a message if not. */
static bool has_paths(struct cli *scan)
{
    const char *path = cli_operand(scan);
    if (!path)
        return cli_usage("jobs have nothing to scan: name a file or folder after scan") == 0;
    for (; path; path = cli_operand(scan))
        if (!pm_path_exists(path))
            return cli_usage("'%s' does not exist: name a file or folder", path) == 0;
    return true;
}

/* Returns whether the words after "--" are options and operands of their command; prints a message
 * if not. pm_submit() checks which command it is, and what its jobs need. */
static bool fit_their_command(const struct submit_request *r)
{
    static const struct cli_command *const divided[] = {&cmd_run, &cmd_study, &cmd_scan};
    struct cli cli;
    const char *argument;
    int option = 0;
    bool fit = true;
    for (size_t i = 0; r->words.count && i < sizeof divided / sizeof *divided; i++) {
        if (strcmp(r->words.items[0], divided[i]->name) != 0)
            continue;
        cli_init(&cli, divided[i], (int)r->words.count, r->words.items);
        while ((option = cli_next(&cli, &argument)) > 0)
            ;
        fit = option == 0 && (divided[i] == &cmd_scan ? has_paths(&cli)
                                                      : !cli_has_more(&cli, "write only options"));
        cli_release(&cli);
    }
    return fit;
}

/* Returns the index of "--", after which the words of another command follow; argc if there is
 * none. */
static int find_end(int argc, const char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return i;
    return argc;
}

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct submit_request request = {.options.shards = 8};
    const char *argument;
    const int end = find_end(argc, argv);
    const char **own = pm_alloc((size_t)(end + 1) * sizeof *own);
    int option, status = PM_EXIT_USAGE;
    memcpy(own, argv, (size_t)end * sizeof *own);
    own[end] = NULL;
    for (int i = end + 1; i < argc; i++)
        cli_add(&request.words, argv[i]);
    cli_init(&cli, &cmd_submit, end, own);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&request, option, argument))
            goto done;
    if (option == 0 && !cli_has_more(&cli, "write the command to divide after --") &&
        fit_their_command(&request))
        status = submit(&request);
done:
    for (size_t i = 0; i < request.owned_count; i++)
        free(request.owned[i]);
    cli_list_release(&request.slurm);
    cli_list_release(&request.words);
    cli_release(&cli);
    free(own);
    return status;
}

const struct cli_command cmd_submit = {
    .name = "submit",
    .run = run,
    .chapter = "Measure",
    .summary = "divide a run, study or scan into jobs of Slurm",
    .synopsis = "[OPTION...] -- run|study|scan ...",
    .operand = CLI_VALUE_TEXT,
    .options = options,
    .examples = {{"submit --shards 8 --dry-run -- run --target {target}",
                  "print the batch scripts that measure in 8 jobs"},
                 {"submit --gres gpu:1 --exclusive --wait -- run --target {target}",
                  "measure in 8 jobs with one GPU and one node each, and wait for the result"}},
};

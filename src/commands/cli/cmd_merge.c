/* portmeter merge: merges the runs, scans and shards of several databases into one, and the shards
 * of a census into one pack. */
#include <stdio.h>

#include "base/plural.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "suite/suite.h"

static void say_run(const struct pm_merged_run *run, const char *into)
{
    const long long id = (long long)run->id, more = (long long)(run->done - run->done_before);
    printf("run %lld of '%s': ", (long long)run->number, run->file);
    if (run->added)
        printf("added as run %lld, %lld result%s", id, (long long)run->done, pm_plural(run->done));
    else
        printf("already in the database as run %lld", id);
    if (!run->added && more > 0)
        printf("; the file has %lld more result%s: run portmeter runs remove %lld --db %s, then "
               "merge again",
               more, pm_plural(more), id, into);
    putchar('\n');
}

static const char *kind(bool is_scan)
{
    return is_scan ? "scan" : "run";
}

static const char *parts(bool is_scan)
{
    return is_scan ? "project" : "function";
}

static void say_shard(const struct pm_merged_shard *shard)
{
    const char *of = kind(shard->is_scan);
    printf("shard %lld/%lld of '%s': ", (long long)shard->number, (long long)shard->count,
           shard->file);
    if (*shard->reason)
        printf("skipped, because it is %s\n", shard->reason);
    else if (shard->added)
        printf("added to %s %lld, %lld %s%s%s%s\n", of, (long long)shard->run,
               (long long)shard->functions, parts(shard->is_scan), pm_plural(shard->functions),
               *shard->latency_reason ? " without latencies, which are INVALID: " : "",
               shard->latency_reason);
    else
        printf("already in %s %lld\n", of, (long long)shard->run);
}

/* Prints how complete a run or scan of shards is, and the commands that measure missing shards. */
static void say_family(const struct pm_merged_family *family, const char *into)
{
    enum { NAMED = 10 };
    const bool complete = family->functions == family->total;
    const long long count = (long long)family->count;
    printf("%s %lld of '%s': %lld of %lld %s%s%s\n", kind(family->is_scan), (long long)family->run,
           into, (long long)family->functions, (long long)family->total, parts(family->is_scan),
           pm_plural(family->total), complete ? ", complete" : "");
    for (size_t i = 0; i < family->missing_count && !complete && i < NAMED; i++) {
        const long long number = (long long)family->missing[i];
        printf("missing shard %lld/%lld: %s --shard %lld/%lld --db shard-%lld.db\n", number, count,
               *family->command ? family->command : "measure it with", number, count, number);
    }
    const size_t more = family->missing_count > NAMED ? family->missing_count - NAMED : 0;
    if (!complete && more)
        printf("missing %zu more shard%s\n", more, pm_plural(more));
}

static void say(const struct pm_merged *merged, const char *into)
{
    for (size_t i = 0; i < merged->shard_count; i++)
        say_shard(&merged->shards[i]);
    for (size_t i = 0; i < merged->family_count; i++)
        say_family(&merged->families[i], into);
    for (size_t i = 0; i < merged->count; i++)
        say_run(&merged->runs[i], into);
    const struct {
        size_t count;
        const char *one, *several;
    } added[] = {
        {merged->added, "run", "runs"},
        {merged->inventories, "inventory", "inventories"},
        {merged->scans, "scan", "scans"},
        {merged->samples, "sample", "samples"},
        {merged->annotations, "annotation", "annotations"},
    };
    enum { KINDS = sizeof added / sizeof *added };
    struct pm_str text = PM_STR_INIT;
    for (int i = 0; i < KINDS; i++)
        if (added[i].count)
            pm_str_addf(&text, "%s%zu %s", text.length ? ", " : "", added[i].count,
                        added[i].count == 1 ? added[i].one : added[i].several);
    if (text.length || !merged->family_count)
        printf("added to '%s': %s\n", into, text.length ? text.data : "nothing new");
    pm_str_release(&text);
}

static bool is_pack(const char *file)
{
    return file && pm_ends_with(file, PM_SUITE_PACK);
}

/* Joins the shards of a census, which are packs of case files and not databases. */
static int join_census(const struct cli_list *files, const char *into, bool apart)
{
    struct pm_error err = {{0}};
    if (apart)
        return cli_usage("--apart has no effect on the shards of a census: omit it");
    for (size_t i = 0; i < files->count; i++)
        if (!is_pack(files->items[i]))
            return cli_usage("'%s' is not a shard of a census, whose name ends with .yaml.zst: "
                             "merge it separately",
                             files->items[i]);
    if (!is_pack(into))
        return cli_usage("--into must name a pack of cases for the shards of a census: use, for "
                         "example, --into census/%s" PM_SUITE_PACK,
                         pm_examples().framework);
    const int rc = pm_survey_join_census(files->items, files->count, into, &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static int merge(const struct cli_list *files, const char *into, bool apart)
{
    struct pm_error err = {{0}};
    if (!files->count)
        return cli_usage(
            "no database is given: use, for example, portmeter merge a.db b.db --into all.db");
    if (is_pack(files->items[0]) || is_pack(into))
        return join_census(files, into, apart);
    into = cli_db(into);
    struct pm_merged merged;
    const int rc = pm_merge_databases(files->items, files->count, into, apart, &merged, &err);
    if (!rc)
        say(&merged, into);
    pm_merged_release(&merged);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static const struct cli_option options[] = {
    CLI_GROUP("Shards"),
    {"apart", 0, 'A', CLI_VALUE_NONE, NULL,
     "keep shards that do not belong together, because their plans, files, devices or versions "
     "differ, as separate runs or scans [default: refuse them]"},
    CLI_GROUP("Database"),
    {"into", 0, 'd', CLI_VALUE_FILE, "FILE",
     "database that receives the results, or pack that receives the cases of a census; created if "
     "it does not exist [default: $PORTMETER_DB, or portmeter.db]"},
    {"db", 0, 'd', CLI_VALUE_FILE, "FILE", "same as --into"},
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct cli_list files = {0};
    const char *argument, *into = NULL, *file;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_merge, argc, argv);
    bool apart = false;
    while ((option = cli_next(&cli, &argument)) > 0) {
        apart |= option == 'A';
        into = option == 'A' ? into : argument;
    }
    while (option == 0 && (file = cli_operand(&cli)))
        cli_add(&files, file);
    if (option == 0)
        status = merge(&files, into, apart);
    cli_list_release(&files);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_merge = {
    .name = "merge",
    .run = run,
    .chapter = "Keep databases",
    .summary = "copy runs of several databases, and join shards",
    .synopsis = "FILE... --into FILE",
    .operand = CLI_VALUE_FILE,
    .options = options,
    .examples = {{"merge gpu.db cpu.db --into all.db", "collect the runs of two machines"},
                 {"merge shard-*.db --into all.db", "join the shards of a run"}},
};

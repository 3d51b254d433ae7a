/* portmeter merge: brings the runs of several databases into one. */
#include <stdio.h>

#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"

static void say_run(const struct pm_merged_run *run, const char *into)
{
    const long long id = (long long)run->id, more = (long long)(run->done - run->done_before);
    printf("run %lld of '%s': ", (long long)run->number, run->file);
    if (run->added)
        printf("added as run %lld, %lld result%s", id, (long long)run->done, pm_plural(run->done));
    else
        printf("already there as run %lld", id);
    if (!run->added && more > 0)
        printf("; the file has %lld more result%s: to add them, run portmeter runs remove %lld "
               "--db %s, then merge again",
               more, pm_plural(more), id, into);
    putchar('\n');
}

static void say_shard(const struct pm_merged_shard *shard)
{
    printf("shard %lld/%lld of '%s': ", (long long)shard->number, (long long)shard->count,
           shard->file);
    if (*shard->reason)
        printf("skipped, because it is %s\n", shard->reason);
    else if (shard->added)
        printf("added to run %lld, %lld function%s%s%s\n", (long long)shard->run,
               (long long)shard->functions, pm_plural(shard->functions),
               *shard->latency_reason ? " without latencies, which are INVALID: " : "",
               shard->latency_reason);
    else
        printf("already there in run %lld\n", (long long)shard->run);
}

/* A run of shards, and what completes it. */
static void say_family(const struct pm_merged_family *family, const char *into)
{
    enum { NAMED = 10 };
    const bool complete = family->functions == family->total;
    const long long count = (long long)family->count;
    printf("run %lld of '%s': %lld of %lld function%s%s\n", (long long)family->run, into,
           (long long)family->functions, (long long)family->total, pm_plural(family->total),
           complete ? ", which is all of the plan" : "");
    for (size_t i = 0; i < family->missing_count && !complete && i < NAMED; i++) {
        const long long number = (long long)family->missing[i];
        printf("missing shard %lld/%lld: %s --shard %lld/%lld --db shard-%lld.db\n", number, count,
               *family->command ? family->command : "measure it with", number, count, number);
    }
    if (!complete && family->missing_count > NAMED)
        printf("missing %zu more shards\n", family->missing_count - NAMED);
}

static void say(const struct pm_merged *merged, const char *into)
{
    for (size_t i = 0; i < merged->shard_count; i++)
        say_shard(&merged->shards[i]);
    for (size_t i = 0; i < merged->family_count; i++)
        say_family(&merged->families[i], into);
    for (size_t i = 0; i < merged->count; i++)
        say_run(&merged->runs[i], into);
    if (merged->family_count && !merged->count && !merged->inventories && !merged->scans &&
        !merged->samples && !merged->annotations)
        return; /* shards are all that was there */
    printf("added to '%s': %zu run%s", into, merged->added, pm_plural(merged->added));
    const struct {
        size_t count;
        const char *one, *several;
    } others[] = {
        {merged->inventories, "inventory", "inventories"},
        {merged->scans, "scan", "scans"},
        {merged->samples, "sample", "samples"},
        {merged->annotations, "annotation", "annotations"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].count)
            printf(", %zu %s", others[i].count,
                   others[i].count == 1 ? others[i].one : others[i].several);
    putchar('\n');
}

static int merge(const struct cli_list *files, const char *into, bool apart)
{
    struct pm_error err = {{0}};
    if (!files->count)
        return cli_usage(
            "no database is given: use, for example, portmeter merge a.db b.db --into all.db");
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
     "make separate runs of shards that were measured on unlike nodes or belong to another plan "
     "[default: refuse them]"},
    CLI_GROUP("Database"),
    {"into", 0, 'd', CLI_VALUE_FILE, "FILE",
     "database that receives the runs; created if it does not exist [default: $PORTMETER_DB, or "
     "portmeter.db]"},
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
        status = merge(&files, cli_db(into), apart);
    cli_list_release(&files);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_merge = {
    .name = "merge",
    .run = run,
    .chapter = "Keep databases",
    .summary = "copy runs and join shards of several databases",
    .synopsis = "FILE... --into FILE",
    .operand = CLI_VALUE_FILE,
    .options = options,
    .examples = {{"merge gpu.db cpu.db --into all.db", "collect the runs of two machines"},
                 {"merge shard-*.db --into all.db", "make one run of the shards of a plan"}},
};

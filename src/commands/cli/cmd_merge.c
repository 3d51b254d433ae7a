/* portmeter merge: brings the runs of several databases into one. */
#include <stdio.h>

#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "merge/merge.h"

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

static void say(const struct pm_merged *merged, const char *into)
{
    for (size_t i = 0; i < merged->count; i++)
        say_run(&merged->runs[i], into);
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

static int merge(const struct cli_list *files, const char *into)
{
    struct pm_error err = {{0}};
    if (!files->count)
        return cli_usage(
            "no database is given: use, for example, portmeter merge a.db b.db --into all.db");
    struct pm_merged merged;
    const int rc = pm_merge(files->items, files->count, into, &merged, &err);
    if (!rc)
        say(&merged, into);
    pm_merged_release(&merged);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

static const struct cli_option options[] = {
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
    while ((option = cli_next(&cli, &argument)) > 0)
        into = argument;
    while (option == 0 && (file = cli_operand(&cli)))
        cli_add(&files, file);
    if (option == 0)
        status = merge(&files, cli_db(into));
    cli_list_release(&files);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_merge = {
    .name = "merge",
    .run = run,
    .chapter = "Keep databases",
    .summary = "copy the runs of several databases into one",
    .synopsis = "FILE... --into FILE",
    .operand = CLI_VALUE_FILE,
    .options = options,
    .examples = {{"merge gpu.db cpu.db --into all.db", "collect the runs of two machines"},
                 {"merge node*.db --into all.db", "collect the runs of a cluster"}},
};

/* portmeter runs: lists, removes and protects the runs of a database. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"

struct runs_request {
    const char *db;
    enum pm_report_format format;
    bool force;
    int64_t *ids;
    size_t count, capacity;
};

/* Prints one line for each run, "removed     run 3 of 'x.db'". */
static int say(const struct runs_request *r, int rc, const char *done, const struct pm_error *err)
{
    if (rc)
        return cli_fail(rc, err);
    for (size_t i = 0; i < r->count; i++)
        cli_say("%-11s run %lld of '%s'\n", done, (long long)r->ids[i], r->db);
    return PM_EXIT_FINE;
}

/* Adds the number of a run, unless the list has it. */
static void add_id(struct runs_request *r, int64_t id)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->ids[i] == id)
            return;
    PM_GROW(r->ids, r->count, r->capacity);
    r->ids[r->count++] = id;
}

static bool take_ids(struct runs_request *r, struct cli *cli)
{
    const char *argument;
    long long number;
    while ((argument = cli_operand(cli))) {
        if (!pm_parse_int(argument, &number) || number < 1) {
            cli_usage("'%s' is not the number of a run: portmeter runs lists the runs", argument);
            return false;
        }
        add_id(r, number);
    }
    return true;
}

static int act(struct runs_request *r, struct cli *cli)
{
    struct pm_error err = {{0}};
    const struct cli_action *action = cli_take_action(cli, "list");
    if (!action)
        return PM_EXIT_USAGE;
    if (!strcmp(action->name, "list")) {
        if (cli_has_more(cli, "runs list takes options only"))
            return PM_EXIT_USAGE;
        const int rc = pm_list_runs(r->db, r->format, cli_width(), &err);
        return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
    }
    if (!take_ids(r, cli))
        return PM_EXIT_USAGE;
    if (!r->count)
        return cli_usage("runs %s needs the numbers of runs: use, for example, portmeter runs %s 3",
                         action->name, action->name);
    if (!strcmp(action->name, "remove"))
        return say(r, pm_measure_runs_remove(r->db, r->ids, r->count, r->force, &err), "removed",
                   &err);
    const bool keeps = !strcmp(action->name, "keep");
    return say(r, pm_measure_runs_keep(r->db, r->ids, r->count, keeps, &err),
               keeps ? "protected" : "unprotected", &err);
}

static const struct cli_option options[] = {
    CLI_GROUP("Options"),
    {"force", 0, 'f', CLI_VALUE_NONE, NULL,
     "also remove protected runs (portmeter runs keep protects a run)", .actions = "remove"},
    {"format", 0, 'x', CLI_VALUE_WORD, "FORMAT", CLI_FORMATS " [default: text]",
     .words = CLI_FORMAT_WORDS, .actions = "list"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct runs_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_runs, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option == 'f')
            request.force = true;
        else if (option != 'x')
            request.db = argument;
        else if (!cli_format(argument, &request.format))
            goto done;
    }
    request.db = cli_db(request.db);
    if (option == 0)
        status = act(&request, &cli);
done:
    free(request.ids);
    cli_release(&cli);
    return status;
}

static const struct cli_action actions[] = {
    {"list",
     "",
     CLI_VALUE_NONE,
     "list the runs (the default)",
     {{"runs", "list the runs of portmeter.db"},
      {"runs list --db old.db --format json", "print the runs of old.db for a script"}}},
    {"remove",
     "N...",
     CLI_VALUE_RUN,
     "remove runs and free their space",
     {{"runs remove 3", "remove run 3"},
      {"runs remove 3 4 --force", "remove two runs, even if they are protected"}}},
    {"keep",
     "N...",
     CLI_VALUE_RUN,
     "protect runs from removal",
     {{"runs keep 3", "protect run 3"}, {"runs keep 3 5", "protect two runs"}}},
    {"unkeep",
     "N...",
     CLI_VALUE_RUN,
     "remove the protection of runs",
     {{"runs unkeep 3", "allow the removal of run 3"},
      {"runs unkeep 3 5", "allow the removal of two runs"}}},
    {NULL}};

const struct cli_command cmd_runs = {
    .name = "runs",
    .run = run,
    .chapter = "Keep databases",
    .summary = "list, remove and protect the runs of a database",
    .synopsis = "[ACTION] [OPTION...]",
    .actions = actions,
    .options = options,
    .examples = {{"runs", "list the runs of portmeter.db"}, {"runs remove 3", "remove run 3"}},
};

/* portmeter runs: lists, removes and keeps the runs of a database. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"

static const struct poptOption options[] = {
    {"force", 0, POPT_ARG_NONE, NULL, 'f',
     "also remove protected runs (portmeter runs keep protects a run)", NULL},
    {"format", 0, POPT_ARG_STRING, NULL, 'x', CLI_FORMATS " [default: text]", "FORMAT"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

struct runs_request {
    const char *action, *db;
    enum pm_report_format format;
    bool has_format, force;
    int64_t *ids;
    size_t count, capacity;
};

/* Prints one line for each run, "removed     run 3 of 'x.db'". */
static int say(const struct runs_request *r, int rc, const char *done, const struct pm_error *err)
{
    if (rc)
        return cli_fail(rc, err);
    for (size_t i = 0; i < r->count; i++)
        fprintf(stderr, "%-11s run %lld of '%s'\n", done, (long long)r->ids[i], r->db);
    return PM_EXIT_FINE;
}

static int act(const struct runs_request *r)
{
    struct pm_error err = {{0}};
    const bool list = !r->action || !strcmp(r->action, "list");
    if (list && !r->count) {
        const int rc = pm_list_runs(r->db, r->format, cli_width(), &err);
        return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
    }
    if (list || !r->count || r->has_format)
        return cli_usage("an action needs the numbers of runs, and list needs none: use, for "
                         "example, portmeter runs remove 3");
    if (!strcmp(r->action, "remove"))
        return say(r, pm_measure_runs_remove(r->db, r->ids, r->count, r->force, &err), "removed",
                   &err);
    if (!strcmp(r->action, "keep"))
        return say(r, pm_measure_runs_keep(r->db, r->ids, r->count, true, &err), "protected", &err);
    if (!strcmp(r->action, "unkeep"))
        return say(r, pm_measure_runs_keep(r->db, r->ids, r->count, false, &err), "unprotected",
                   &err);
    return cli_usage("unknown action '%s': use list, remove, keep or unkeep", r->action);
}

/* A run that is named twice is removed or kept once. */
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

int cmd_runs(int argc, const char **argv)
{
    struct cli cli;
    struct runs_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter runs", argc, argv, options,
             "[list] | remove N... | keep N... | unkeep N...");
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option == 'f')
            request.force = true;
        else if (option != 'x')
            request.db = argument;
        else if (cli_format(argument, &request.format))
            request.has_format = true;
        else
            goto done;
    }
    request.db = cli_db(request.db);
    request.action = option < 0 ? NULL : cli_operand(&cli);
    if (option == 0 && take_ids(&request, &cli))
        status = act(&request);
done:
    free(request.ids);
    cli_release(&cli);
    return status;
}

/* portmeter import: brings what others have published into a database. */
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "published/published.h"

static const struct poptOption options[] = {
    {"timings", 't', POPT_ARG_STRING, NULL, 't',
     "timing file of one repetition; repeatable, and more files may follow", "FILE"},
    {"framework", 'F', POPT_ARG_STRING, NULL, 'F', "framework of the report; required", "F"},
    {"device", 'D', POPT_ARG_STRING, NULL, 'D',
     "device of the report, as in the names of its tests; required", "D"},
    {"version", 0, POPT_ARG_STRING, NULL, 'v', "version of the framework", "V"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

struct import_request {
    struct pm_import_pytest pytest;
    const char *source; /* "study" or "pytest" */
    struct cli_list timings;
    bool options; /* those of pytest were given */
};

static void take(struct import_request *r, int option, const char *argument)
{
    r->options |= option != 'd';
    if (option == 't')
        cli_add(&r->timings, argument);
    else if (option == 'F')
        r->pytest.framework = argument;
    else if (option == 'D')
        r->pytest.device = argument;
    else if (option == 'v')
        r->pytest.version = argument;
    else
        r->pytest.db = argument;
}

static int import_study(const struct import_request *r)
{
    struct pm_imported_study done;
    struct pm_error err = {{0}};
    if (r->options || r->pytest.report)
        return cli_usage("unexpected operand or option: use portmeter import study [--db FILE]");
    const int rc = pm_import_study(r->pytest.db, &done, &err);
    if (rc)
        return cli_fail(rc, &err);
    printf("run %lld: %zu published numbers of the study\nnext: portmeter report shows these "
           "numbers and what portmeter derives from them\n",
           (long long)done.run_id, done.numbers);
    return PM_EXIT_FINE;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static int import_pytest(const struct import_request *r)
{
    struct pm_imported_pytest done;
    struct pm_error err = {{0}};
    if (!r->pytest.report)
        return cli_usage("no report is given: use portmeter import pytest REPORT.json");
    if (!r->pytest.framework || !r->pytest.device)
        return cli_usage(
            "--framework or --device is missing: give both, because a report contains neither");
    struct pm_judged judged;
    int rc = pm_import_pytest(&r->pytest, &done, &err);
    if (!rc)
        rc = pm_assess_db(r->pytest.db, done.run_id, 0, &judged, &err); /* reasons of failures */
    if (rc)
        return cli_fail(rc, &err);
    printf("run %lld: %zu test%s of %zu function%s on %s@%s, %zu of them timed\n",
           (long long)done.run_id, done.tests, plural(done.tests), done.functions,
           plural(done.functions), r->pytest.framework, r->pytest.device, done.timed);
    if (done.excluded)
        printf("excluded: %zu test%s with a device other than %s in the name\n", done.excluded,
               plural(done.excluded), r->pytest.device);
    if (done.unreported)
        printf("only in timing files: %zu test%s that the report does not contain\n",
               done.unreported, plural(done.unreported));
    puts("next: portmeter report shows these results and the contradictions in them");
    return PM_EXIT_FINE;
}

/* False, after a message, if an operand is one too many. */
static bool take_operands(struct import_request *r, struct cli *cli)
{
    const char *operand;
    r->source = cli_operand(cli);
    r->pytest.report = r->source ? cli_operand(cli) : NULL;
    while ((operand = cli_operand(cli))) {
        if (!r->timings.count) {
            cli_usage("unexpected operand '%s': put timing files after --timings", operand);
            return false;
        }
        cli_add(&r->timings, operand);
    }
    return true;
}

static int import_it(struct import_request *r)
{
    r->pytest.db = cli_db(r->pytest.db);
    r->pytest.timings = r->timings.items;
    r->pytest.timing_count = r->timings.count;
    if (r->source && !strcmp(r->source, "study"))
        return import_study(r);
    if (r->source && !strcmp(r->source, "pytest"))
        return import_pytest(r);
    return cli_usage(
        "no source is given: use portmeter import study, or portmeter import pytest REPORT.json");
}

int cmd_import(int argc, const char **argv)
{
    struct cli cli;
    struct import_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter import", argc, argv, options,
             "study | pytest REPORT.json --framework F --device D --timings FILE...");
    while ((option = cli_next(&cli, &argument)) > 0)
        take(&request, option, argument);
    if (option == 0 && take_operands(&request, &cli))
        status = import_it(&request);
    cli_list_release(&request.timings);
    cli_release(&cli);
    return status;
}

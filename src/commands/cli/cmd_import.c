/* portmeter import: stores the published results of the paper, or a report of pytest, in a
 * database. */
#include <string.h>

#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "published/published.h"

struct import_request {
    struct pm_import_pytest pytest;
    struct cli_list timings;
    bool no_report;
};

static void take(struct import_request *r, int option, const char *argument)
{
    if (option == 't')
        cli_add(&r->timings, argument);
    else if (option == 'F')
        r->pytest.framework = argument;
    else if (option == 'D')
        r->pytest.device = argument;
    else if (option == 'n')
        r->no_report = true;
    else if (option == 'v')
        r->pytest.version = argument;
    else
        r->pytest.db = argument;
}

static int import_paper(const struct import_request *r)
{
    struct pm_imported_paper done;
    struct pm_error err = {{0}};
    const int rc = pm_import_paper(r->pytest.db, &done, &err);
    if (rc)
        return cli_fail(rc, &err);
    printf("run %lld: %zu published numbers of the paper\nnext: portmeter report shows these "
           "numbers and what portmeter derives from them\n",
           (long long)done.run_id, done.numbers);
    return PM_EXIT_FINE;
}

static int import_pytest(const struct import_request *r)
{
    struct pm_imported_pytest done;
    struct pm_error err = {{0}};
    if (r->no_report && !r->pytest.timing_count)
        return cli_usage("--no-report needs timing files: name them with --timings");
    if (!r->no_report && !r->pytest.report)
        return cli_usage("no report is given: use portmeter import pytest REPORT.json, or "
                         "--no-report if there are only timing files");
    if (!r->pytest.framework || !r->pytest.device)
        return cli_usage(
            "--framework or --device is missing: give both, because a report contains neither");
    struct pm_judged judged;
    int rc = pm_import_pytest(&r->pytest, &done, &err);
    if (!rc)
        rc = pm_assess_db(r->pytest.db, done.run_id, 0, &judged,
                          &err); /* assigns reasons to failures */
    if (rc)
        return cli_fail(rc, &err);
    printf("run %lld: %zu test%s of %zu function%s on %s@%s; tests with times: %zu\n",
           (long long)done.run_id, done.tests, pm_plural(done.tests), done.functions,
           pm_plural(done.functions), r->pytest.framework, r->pytest.device, done.timed);
    if (done.excluded)
        printf("not counted: %zu test%s with a device other than %s in the name\n", done.excluded,
               pm_plural(done.excluded), r->pytest.device);
    if (done.unreported && !r->pytest.report)
        printf("no report: %zu test%s with times and without an outcome\n", done.unreported,
               pm_plural(done.unreported));
    else if (done.unreported)
        printf("only in timing files: %zu test%s that the report does not contain\n",
               done.unreported, pm_plural(done.unreported));
    puts("next: portmeter report shows these results and the contradictions in them");
    return PM_EXIT_FINE;
}

/* Reads the operands. Returns false, after a message, if there are too many. */
static bool take_operands(struct import_request *r, struct cli *cli)
{
    const char *operand;
    if (!r->no_report)
        r->pytest.report = cli_operand(cli);
    while ((operand = cli_operand(cli))) {
        if (!r->timings.count) {
            cli_usage("unexpected operand '%s': put timing files after --timings", operand);
            return false;
        }
        cli_add(&r->timings, operand);
    }
    return true;
}

static int import_it(struct import_request *r, struct cli *cli)
{
    const struct cli_action *action = cli_take_action(cli, NULL);
    if (!action)
        return PM_EXIT_USAGE;
    r->pytest.db = cli_db(r->pytest.db);
    if (!strcmp(action->name, "paper"))
        return cli_has_more(cli, "import paper takes options only") ? PM_EXIT_USAGE
                                                                    : import_paper(r);
    if (!take_operands(r, cli))
        return PM_EXIT_USAGE;
    r->pytest.timings = r->timings.items;
    r->pytest.timing_count = r->timings.count;
    return import_pytest(r);
}

static const struct cli_option options[] = {
    CLI_GROUP("What the report contains"),
    {"timings", 0, 't', CLI_VALUE_FILE, "FILE",
     "timing file of one repetition; more files may follow", .actions = "pytest", .repeats = true},
    {"no-report", 0, 'n', CLI_VALUE_NONE, NULL,
     "import only timing files: store times without outcomes", .actions = "pytest"},
    {"framework", 'F', 'F', CLI_VALUE_FRAMEWORK, "FRAMEWORK", "framework of the report; required",
     .actions = "pytest"},
    {"device", 'D', 'D', CLI_VALUE_TEXT, "DEVICE",
     "device of the report, as in the names of its tests; required", .actions = "pytest"},
    {"version", 0, 'v', CLI_VALUE_TEXT, "VERSION", "version of the framework", .actions = "pytest"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct import_request request = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_import, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        take(&request, option, argument);
    if (option == 0)
        status = import_it(&request, &cli);
    cli_list_release(&request.timings);
    cli_release(&cli);
    return status;
}

static const struct cli_action actions[] = {
    {"paper",
     "",
     CLI_VALUE_NONE,
     "import the published numbers of the paper",
     {{"import paper", "store the numbers in portmeter.db"},
      {"import paper --db paper.db", "store them in a database of their own"}}},
    {"pytest",
     "REPORT.json --framework F --device D",
     CLI_VALUE_FILE,
     "import a report of pytest, with its timing files",
     {{"import pytest report.json --framework {framework} --device {device}", "import one report"},
      {"import pytest report.json --framework {framework} --device {device} --timings 1.csv 2.csv",
       "import it with the times of two repetitions"}}},
    {NULL}};

const struct cli_command cmd_import = {
    .name = "import",
    .run = run,
    .chapter = "Keep databases",
    .summary = "read published results: those of the paper, or reports of pytest",
    .synopsis = "ACTION [OPTION...]",
    .actions = actions,
    .options = options,
    .examples = {{"import paper", "store the published numbers of the paper"},
                 {"import pytest report.json --framework {framework} --device {device}",
                  "import a report of pytest"}},
};

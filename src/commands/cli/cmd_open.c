/* portmeter open: writes the page of a database and opens it. */
#include <stdlib.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "process/process.h"

static const struct cli_option options[] = {
    CLI_GROUP("Database"),
    {"run", 0, 'r', CLI_VALUE_RUN, "N",
     "run to show [default: the newest valid run of each target]"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

/* Opens the page. Returns only if no browser can be started. */
static int open_page(const char *path)
{
    const char *browser = getenv("BROWSER");
    struct pm_error err = {{0}};
    char *absolute = pm_path_absolute(path);
    cli_say("page        %s\n", path);
    const char *const argv[] = {browser && *browser ? browser : "xdg-open",
                                absolute ? absolute : path, NULL};
    const int rc = pm_process_become(argv, &err);
    free(absolute);
    if (rc == PM_ENOTFOUND && !(browser && *browser)) {
        cli_say("            open it in a browser: this machine has no xdg-open, and $BROWSER "
                "is not set\n");
        return PM_EXIT_FINE;
    }
    return cli_fail(rc, &err);
}

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct pm_error err = {{0}};
    const char *argument, *db = NULL;
    char *path = NULL;
    int64_t run_id = 0;
    long long number;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_open, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0) {
        if (option == 'd')
            db = argument;
        else if (!cli_number("run", argument, 1, INT64_MAX, &number))
            goto done;
        else
            run_id = number;
    }
    if (option < 0 || cli_has_more(&cli, "open takes options only"))
        goto done;
    const int rc = pm_write_page(cli_db(db), run_id, &path, &err);
    status = rc ? cli_fail(rc, &err) : open_page(path);
done:
    free(path);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_open = {
    .name = "open",
    .run = run,
    .chapter = "Read the results",
    .summary = "write the HTML page of a database (portmeter.html) and open it in the browser",
    .synopsis = "[OPTION...]",
    .options = options,
    .examples = {{"open", "open the page of portmeter.db, with search, filters and figures"},
                 {"open --db old.db", "write old.html and open it"}},
};

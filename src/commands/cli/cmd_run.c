/* portmeter run: measures targets, previews a run, or runs one case in the foreground. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "environment/environment.h"
#include "record/document.h"

struct run_request {
    struct cli_run run;
    const char *db, *test;     /* --case */
    bool gates;                /* --exit-code */
    bool foreground, previews; /* previews: --dry-run */
    const char *recorded;      /* folder of a recording; NULL: none */
    char *cases; /* case files of the recording, for the framework of the first target */
};

static bool take(struct run_request *r, int option, const char *argument)
{
    struct cli_run *run = &r->run;
    long long number;
    switch (option) {
    case 'a':
        cli_add(&run->targets, argument);
        return true;
    case 'm':
        return pm_run_mode_parse(argument, &run->options.mode) ||
               cli_unknown(&pm_run_mode_words, "mode", argument);
    case 'p':
        return cli_stored("sample", "sample", argument, &run->options.sample);
    case 'r':
        if (!cli_number("repetitions", argument, 1, PM_MOST_REPETITIONS, &number))
            return false;
        run->options.repetitions = (unsigned)number;
        return true;
    case 'O':
        run->options.outcomes_only = true;
        return true;
    case 'N':
        run->options.noise = PM_NOISE_ALL;
        return true;
    case 'R':
        return cli_stored("resume", "run", argument, &run->options.resume);
    case 'd':
        r->db = argument;
        return true;
    case 'X':
        r->gates = true;
        return true;
    case 'G':
        r->foreground = true;
        return true;
    case 'D':
        r->previews = true;
        return true;
    case 'C':
        r->test = argument;
        return true;
    case 'Y':
        return run->options.census = true;
    case 'J':
        r->recorded = argument ? argument : PM_RECORDED_FOLDER;
        return true;
    default:
        return cli_run_take(run, option, argument);
    }
}

/* Returns whether --resume accepts an option. A resumed run keeps the options that it began
 * with. */
static bool is_allowed_with_resume(int option)
{
    return option == 'R' || option == 'r' || option == 'd' || option == 'X' || option == 'L';
}

static bool fits_together(const struct cli *cli, const struct pm_run_options *o,
                          bool fit_for_resume)
{
    if (o->resume && !fit_for_resume)
        cli_usage("--resume continues a run with its own options: combine it only with --db, "
                  "--local, --repetitions and --exit-code");
    else if (o->sample && o->only)
        cli_usage("--only and --sample both choose functions: give one of them");
    else if (o->noise && o->outcomes_only)
        cli_usage("--noise needs latencies, and --outcomes-only measures none: omit one of the "
                  "two");
    else
        return !o->outcomes_only ||
               !cli_refuses(cli, "with --outcomes-only, which measures no latencies", "warm");
    return false;
}

/* Checks the options with --foreground, which runs one case on one target. Returns false, after a
 * message, if they do not fit. */
static bool fits_foreground(const struct cli *cli, const struct run_request *r)
{
    if (!r->test)
        cli_usage("--foreground runs one case: name it with --case, and its function with "
                  "--function");
    else if (r->run.functions.count != 1)
        cli_usage("--foreground runs one case: name its function with one --function");
    else if (r->run.targets.count > 1)
        cli_usage("--foreground runs one case on one target: omit the other --target");
    else
        return !cli_refuses(cli, "with --foreground, which runs one case once and stores nothing",
                            "sample resume only cases repetitions noise warm mode keep-values "
                            "jobs isolation shard balance local db dry-run");
    return false;
}

static int measure_foreground(struct run_request *r)
{
    const struct pm_messages messages = cli_messages();
    struct pm_error err = {{0}};
    bool wrong;
    cli_run_finish(&r->run);
    const int rc = pm_run_foreground(&r->run.options, r->test, &messages, &wrong, &err);
    if (rc)
        return cli_fail(rc, &err);
    return r->gates && wrong ? PM_EXIT_WORSE : PM_EXIT_FINE;
}

/* Replaces the suite by the recorded calls of the first target's framework. Returns the exit
 * status. */
static int use_recording(struct run_request *r)
{
    struct pm_target target = {0};
    struct pm_error err = {{0}};
    int rc =
        r->run.targets.count
            ? pm_target_parse(r->run.targets.items[0], &target, &err)
            : pm_error_set(&err, PM_EUSAGE, "--recorded needs a target: name it with --target");
    if (!rc)
        r->cases = pm_path_join(r->recorded, target.framework);
    if (!rc && !pm_path_is_folder(r->cases))
        rc =
            pm_error_set(&err, PM_ENOTFOUND,
                         "'%s' has no recorded calls of %s: make a recording with portmeter record",
                         r->recorded, target.framework);
    pm_target_release(&target);
    if (rc)
        return cli_fail(rc, &err);
    cli_add(&r->run.suites, r->cases);
    return PM_EXIT_FINE;
}

static int preview(struct run_request *r)
{
    struct pm_error err = {{0}};
    cli_run_finish(&r->run);
    const int rc = pm_preview_run(&r->run.options, cli_width(), &err);
    return rc ? cli_fail(rc, &err) : PM_EXIT_FINE;
}

/* Prints how many functions work on each target. If that fails, prints why and continues, because
 * the run is stored. */
static void say_answer(const char *db, int64_t run_id)
{
    struct pm_str lines = PM_STR_INIT;
    struct pm_error err = {{0}};
    if (pm_tables_answer(db, run_id, &lines, &err))
        pm_str_add(&lines, err.text);
    const char *label = "answer";
    for (char *rest = lines.data, *line; (line = strsep(&rest, "\n")); label = "")
        cli_say("%-11s %s\n", label, line);
    pm_str_release(&lines);
}

static int measure(struct run_request *r)
{
    struct cli_run *run = &r->run;
    const struct pm_messages messages = cli_messages();
    struct pm_run_result result;
    struct pm_error err = {{0}};
    cli_run_finish(run);
    cli_outlive_readers();
    const int rc = pm_run(&run->options, &messages, &result, &err);
    if (rc)
        return cli_fail(rc, &err);
    const int status = cli_run_status(run->options.db, &result, r->gates);
    if (result.judged.wrong && result.run.valid)
        cli_say("judged      %zu of %zu execution%s did not pass\n", result.judged.wrong,
                result.run.done, pm_plural(result.run.done));
    if (result.run.run_id && result.run.valid && !run->options.shard.count && !cli_is_quiet())
        say_answer(run->options.db, result.run.run_id);
    if (result.run.run_id && !run->options.shard.count)
        cli_say("next        portmeter report%s%s   says what works, and why the rest does not\n",
                strcmp(run->options.db, PM_PATH_DB) ? " --db " : "",
                strcmp(run->options.db, PM_PATH_DB) ? run->options.db : "");
    return status;
}

static const struct cli_option options[] = {
    CLI_GROUP("What to measure"),
    {"target", 't', 'a', CLI_VALUE_TARGET, "TARGET",
     "target to measure, such as {target}; required unless --resume or --foreground is given",
     .repeats = true},
    {"sample", 0, 'p', CLI_VALUE_SAMPLE, "N",
     "only the functions of sample N [default: the newest]", .optional = true},
    {"census", 0, 'Y', CLI_VALUE_NONE, NULL,
     "measure the cases of the census that comes with portmeter, instead of the reviewed suite"},
    {"recorded", 0, 'J', CLI_VALUE_FILE, "FOLDER",
     "measure the calls that portmeter record wrote to FOLDER, instead of the reviewed suite "
     "[default: " PM_RECORDED_FOLDER "]",
     .optional = true},
    {"outcomes-only", 0, 'O', CLI_VALUE_NONE, NULL, "measure no latencies"},
    {"mode", 0, 'm', CLI_VALUE_WORD, "MODE",
     "paper (measure as the paper did) or default [default: default]", .words = "default paper"},
    {"noise", 0, 'N', CLI_VALUE_NONE, NULL,
     "measure the reference a second time, to find the ratios that chance can cause (noise floor)"},
    {"resume", 0, 'R', CLI_VALUE_RUN, "N",
     "continue run N [default: the newest unfinished run]; with --repetitions M: extend it to M "
     "processes per case",
     .optional = true},
    {"dry-run", 0, 'D', CLI_VALUE_NONE, NULL,
     "measure nothing: print what would be measured, and how long that would take"},
    CLI_GROUP("Debugging"),
    {"foreground", 0, 'G', CLI_VALUE_NONE, NULL,
     "run one case in this terminal, for a debugger: without a retry or a reference, and without a "
     "deadline unless --timeout is given; store nothing; the target defaults to the suite's "
     "reference"},
    {"case", 0, 'C', CLI_VALUE_TEXT, "NAME",
     "with --foreground: the case, such as 'rows[float32]'"},
    CLI_INCLUDE(cli_run_options),
    {"repetitions", 'r', 'r', CLI_VALUE_TEXT, "N",
     "processes per case [default: 3; 1 if latencies are not measured]"},
    CLI_INCLUDE(cli_measure_options),
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct run_request request = {.gates = false};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    bool fit_for_resume = true;
    cli_run_init(&request.run);
    cli_init(&cli, &cmd_run, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0) {
        fit_for_resume &= is_allowed_with_resume(option);
        cli.ignores_config |= option == 'R' || option == 'G';
        if (!take(&request, option, argument))
            goto done;
    }
    if (option < 0 || cli_has_more(&cli, "name targets with --target"))
        goto done;
    if (request.run.options.census &&
        cli_refuses(&cli, "with --census, which names the cases", "suite recorded"))
        goto done;
    if (request.recorded && cli_refuses(&cli, "with --recorded, which names the cases", "suite"))
        goto done;
    if (request.recorded && (status = use_recording(&request)) != PM_EXIT_FINE)
        goto done;
    status = PM_EXIT_USAGE;
    if (request.foreground) {
        if (fits_foreground(&cli, &request))
            status = measure_foreground(&request);
        goto done;
    }
    if (cli_refuses(&cli, "without --foreground", "case") ||
        !fits_together(&cli, &request.run.options, fit_for_resume) ||
        !cli_run_fits_shard(&request.run, &cli, argc, argv))
        goto done;
    request.run.options.db = cli_db(request.db);
    if (!request.previews)
        status = measure(&request);
    else if (!cli_refuses(&cli, "with --dry-run, which measures nothing", "resume exit-code"))
        status = preview(&request);
done:
    free(request.cases);
    cli_run_release(&request.run);
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_run = {
    .name = "run",
    .run = run,
    .chapter = "Measure",
    .summary = "measure targets",
    .synopsis = "--target TARGET [OPTION...]",
    .options = options,
    .examples = {{"run --target {target} --outcomes-only",
                  "find out in minutes which functions work"},
                 {"run --resume", "continue the newest unfinished run"}},
};

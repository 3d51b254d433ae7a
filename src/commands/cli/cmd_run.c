/* portmeter run: measures targets. */
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"

struct run_request {
    struct cli_run run;
    const char *db;
    bool gates; /* --exit-code */
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
    default:
        return cli_run_take(run, option, argument);
    }
}

/* A resumed run keeps the options that it began with: no other option of a run is accepted. */
static bool is_allowed_with_resume(int option)
{
    return option == 'R' || option == 'r' || option == 'd' || option == 'X';
}

static int measure(struct run_request *r, bool fit_for_resume)
{
    struct cli_run *run = &r->run;
    const struct pm_messages messages = cli_messages();
    struct pm_run_result result;
    struct pm_error err = {{0}};
    cli_run_finish(run);
    if (run->options.resume && !fit_for_resume)
        return cli_usage(
            "--resume continues a run with its own options: combine it only with --db, "
            "--repetitions and --exit-code");
    if (run->options.sample && run->options.only)
        return cli_usage("--only and --sample both choose functions: give one of them");
    if (run->options.noise && run->options.outcomes_only)
        return cli_usage(
            "--noise needs latencies, and --outcomes-only measures none: omit one of the two");
    cli_outlive_readers();
    const int rc = pm_run(&run->options, &messages, &result, &err);
    if (rc)
        return cli_fail(rc, &err);
    const int status = cli_run_status(run->options.db, &result, r->gates);
    if (result.judged.wrong && result.run.valid)
        fprintf(stderr, "judged      %zu of %zu executions did not pass\n", result.judged.wrong,
                result.run.done);
    return status;
}

static int parse(int argc, const char **argv, const struct poptOption *options)
{
    struct cli cli;
    struct run_request request = {.gates = false};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    bool fit_for_resume = true;
    cli_run_init(&request.run);
    cli_init(&cli, "portmeter run", argc, argv, options, "--target T [OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0) {
        fit_for_resume &= is_allowed_with_resume(option);
        if (!take(&request, option, argument))
            goto done;
    }
    if (option < 0)
        goto done;
    if ((argument = cli_operand(&cli))) {
        cli_usage("unexpected operand '%s': name targets with --target", argument);
        goto done;
    }
    request.run.options.db = cli_db(request.db);
    status = measure(&request, fit_for_resume);
done:
    cli_run_release(&request.run);
    cli_release(&cli);
    return status;
}

int cmd_run(int argc, const char **argv)
{
    struct pm_str target = PM_STR_INIT;
    pm_str_addf(&target, "target to measure, such as %s; repeatable; required without --resume",
                pm_examples().target);
    const struct poptOption options[] = {
        {"target", 0, POPT_ARG_STRING, NULL, 'a', target.data, "T"},
        CLI_RUN_OPTIONS,
        {"sample", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, 'p',
         "only the functions of sample N [default: the newest]", "N"},
        {"mode", 0, POPT_ARG_STRING, NULL, 'm',
         "study (measure as the published study did) or default [default: default]", "MODE"},
        CLI_CASES,
        {"repetitions", 'r', POPT_ARG_STRING, NULL, 'r',
         "processes per case [default: 3; 1 if latencies are not measured]", "N"},
        {"warm", 0, POPT_ARG_STRING, NULL, 'w',
         "warm samples per case [default: " PM_WARM_RULE_TEXT "]", "RULE"},
        {"outcomes-only", 0, POPT_ARG_NONE, NULL, 'O', "measure no latencies", NULL},
        {"noise", 0, POPT_ARG_NONE, NULL, 'N',
         "measure the reference a second time, for the noise floor of ratios", NULL},
        {"resume", 0, POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, 'R',
         "continue run N [default: the newest unfinished run]; with --repetitions M: extend it to "
         "M processes per case",
         "N"},
        CLI_KEEP_VALUES,
        CLI_EXIT_CODE,
        {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
         "FILE"},
        POPT_AUTOHELP POPT_TABLEEND};
    const int status = parse(argc, argv, options);
    pm_str_release(&target);
    return status;
}

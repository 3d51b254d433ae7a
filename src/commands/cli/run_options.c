/* Parses the options that several measuring commands share, and prints whether a run is INVALID. */
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"

enum { MOST_MEMORY_T = 1024 };

const struct cli_option cli_run_options[] = {
    CLI_GROUP("Functions"),
    {"suite", 's', 's', CLI_VALUE_FILE, "PATH", "case files: a file or a folder", .repeats = true},
    {"function", 'f', 'f', CLI_VALUE_CASE, "GLOB", "only matching functions", .repeats = true},
    {"only", 0, 'o', CLI_VALUE_FILE, "FILE", "only the functions listed in FILE, one per line"},
    CLI_GROUP("How to measure"),
    {"timeout", 0, 't', CLI_VALUE_TEXT, "SECONDS",
     "time limit of an execution in seconds [default: 900]"},
    {"memory", 'M', 'M', CLI_VALUE_TEXT, "SIZE",
     "memory limit of a process, such as 2G or 800M [default: none]"},
    {"threads", 'T', 'T', CLI_VALUE_TEXT, "N",
     "number of computing threads [default: physical cores]"},
    {"jobs", 'j', 'j', CLI_VALUE_TEXT, "N",
     "number of parallel processes while nothing is timed [default: logical cores]"},
    {"isolation", 'i', 'i', CLI_VALUE_WORD, "LEVEL",
     "one process for each case, for each function, or for each target (worker) [default: "
     "function]",
     .words = "case function worker"},
    {"seed", 'S', 'S', CLI_VALUE_TEXT, "N", "seed for inputs and run order [default: 1]"},
    CLI_OPTIONS_END};

const struct cli_option cli_measure_options[] = {
    {"warm", 0, 'w', CLI_VALUE_TEXT, "RULE",
     "rule for the warm timings of a case: parts as in the default, in any order [default: "
     "{warm}]"},
    {"kind", 0, 'k', CLI_VALUE_WORD, "KIND",
     "only cases of this kind: core, dtype or edge [default: all]", .words = "core dtype edge",
     .repeats = true},
    {"cases", 0, 'c', CLI_VALUE_TEXT, "N",
     "at most N cases of each function, core cases first, spread evenly [default: all]"},
    {"shard", 0, 'H', CLI_VALUE_TEXT, "K/N",
     "only the functions of part K of N, or of the part that the batch system names (auto, or "
     "auto/N); the same command continues a part that was stopped"},
    {"balance", 0, 'B', CLI_VALUE_FILE, "FILE",
     "with --shard: divide by the durations in the database FILE, so that all parts take about the "
     "same time [default: by the names of functions]"},
    {"local", 0, 'L', CLI_VALUE_FILE, "DIR",
     "measure into a copy of the database in the folder DIR, on a local disk; copy it back every 3 "
     "minutes and at the end"},
    {"keep-values", 0, 'K', CLI_VALUE_NONE, NULL,
     "keep all values of outputs [default: only those that differ from the reference's]"},
    {"exit-code", 0, 'X', CLI_VALUE_NONE, NULL,
     "exit with 1 if a counted case fails; without this option, exit with 0, or with 4 if the run "
     "or its latencies are INVALID"},
    CLI_OPTIONS_END};

void cli_run_init(struct cli_run *run)
{
    *run = (struct cli_run){
        .options = {.isolation = PM_ISOLATION_FUNCTION, .seed = 1, .warm = PM_WARM_RULE_DEFAULT},
    };
}

static bool take_timeout(struct cli_run *run, const char *text)
{
    if (pm_parse_double(text, &run->options.timeout_s) && run->options.timeout_s > 0 &&
        run->options.timeout_s <= PM_MOST_TIMEOUT_S)
        return true;
    cli_usage("invalid --timeout '%s': give a number of seconds above 0, at most 1000000", text);
    return false;
}

static bool take_memory(struct cli_run *run, const char *text)
{
    unsigned long long bytes;
    if (!pm_parse_bytes(text, &bytes) || bytes == 0) {
        cli_usage("invalid --memory '%s': give a size such as 2G or 800M, or a number of bytes",
                  text);
        return false;
    }
    if (bytes > (unsigned long long)MOST_MEMORY_T << 40) {
        cli_usage("--memory '%s' is too large: give at most %dT", text, MOST_MEMORY_T);
        return false;
    }
    run->options.memory = bytes;
    return true;
}

static bool take_kind(struct cli_run *run, const char *text)
{
    enum pm_case_kind kind;
    if (!pm_case_kind_parse(text, &kind))
        return cli_unknown(&pm_case_kind_words, "kind", text);
    return run->options.kinds[kind] = true;
}

static bool take_isolation(struct cli_run *run, const char *text)
{
    return pm_isolation_parse(text, &run->options.isolation) ||
           cli_unknown(&pm_isolation_words, "isolation", text);
}

static bool take_warm(struct cli_run *run, const char *text)
{
    struct pm_error err = {{0}};
    if (pm_warm_rule_parse(text, &run->options.warm, &err) == PM_OK)
        return true;
    cli_usage("%s", err.text);
    return false;
}

bool cli_run_fits_shard(struct cli_run *run, const struct cli *cli, int argc, const char **argv)
{
    if (!run->options.shard.count)
        return !cli_refuses(cli, "without --shard", "balance");
    free(run->command_line);
    run->command_line = cli_command_line(cli->command, argc, argv, "shard db local");
    run->options.command_line = run->command_line;
    return true;
}

bool cli_run_take(struct cli_run *run, int option, const char *argument)
{
    struct pm_run_options *o = &run->options;
    long long number;
    switch (option) {
    case 's':
        cli_add(&run->suites, argument);
        return true;
    case 'f':
        cli_add(&run->functions, argument);
        return true;
    case 'o':
        o->only = argument;
        return true;
    case 't':
        return take_timeout(run, argument);
    case 'M':
        return take_memory(run, argument);
    case 'w':
        return take_warm(run, argument);
    case 'i':
        return take_isolation(run, argument);
    case 'k':
        return take_kind(run, argument);
    case 'K':
        o->keep_values = true;
        return true;
    case 'H':
        return cli_take_shard(argument, &run->options.shard);
    case 'L':
        o->local = argument;
        return true;
    case 'B':
        o->balance = argument;
        return true;
    case 'T':
        if (!cli_number("threads", argument, 1, PM_MOST_THREADS, &number))
            return false;
        o->threads = (unsigned)number;
        return true;
    case 'j':
        if (!cli_number("jobs", argument, 1, PM_MOST_JOBS, &number))
            return false;
        o->jobs = (unsigned)number;
        return true;
    case 'c':
        if (!cli_number("cases", argument, 1, PM_MOST_CASES, &number))
            return false;
        o->most_cases = (unsigned)number;
        return true;
    case 'S':
        if (!cli_number("seed", argument, 0, INT64_MAX, &number))
            return false;
        o->seed = number;
        return true;
    default:
        return false;
    }
}

void cli_run_finish(struct cli_run *run)
{
    struct pm_run_options *o = &run->options;
    o->targets = run->targets.items;
    o->target_count = run->targets.count;
    o->suites = run->suites.items;
    o->suite_count = run->suites.count;
    o->functions = run->functions.items;
    o->function_count = run->functions.count;
}

void cli_run_release(struct cli_run *run)
{
    cli_list_release(&run->targets);
    cli_list_release(&run->suites);
    cli_list_release(&run->functions);
    free(run->command_line);
}

void cli_say_undecided(const struct pm_judged *judged)
{
    const size_t cases = judged->undecided_cases;
    if (!judged->undecided)
        return;
    cli_say("unchanged   %zu execution%s of %zu case%s cannot be judged again, because the run did "
            "not store their values (--keep-values stores all): %s",
            judged->undecided, pm_plural(judged->undecided), cases, pm_plural(cases),
            judged->undecided_names);
    if (cases > PM_JUDGED_NAMED)
        cli_say(" and %zu more", cases - PM_JUDGED_NAMED);
    cli_say("\n");
}

int cli_run_status(const char *db, const struct pm_run_result *result, bool gates)
{
    const struct pm_run_summary *summary = &result->run;
    const bool valid = summary->valid && summary->latencies_valid;
    if (!summary->run_id)
        return PM_EXIT_FINE; /* a shard without functions */
    enum pm_exit status = valid ? PM_EXIT_FINE : PM_EXIT_INCONCLUSIVE;
    struct pm_error err = {{0}};
    cli_say_undecided(&result->judged);
    if (!summary->valid)
        fprintf(stderr, "INVALID     %s\n", summary->reason);
    else if (!summary->latencies_valid)
        fprintf(stderr, "latencies   INVALID, outcomes valid: %s\n", summary->latency_reason);
    const int rc = gates ? pm_gate_run(db, summary->run_id, &status, &err) : PM_OK;
    return rc ? cli_fail(rc, &err) : (int)status;
}

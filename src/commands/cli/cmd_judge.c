/* portmeter judge: assigns outcomes, reasons and verdicts again, from stored evidence. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"

struct judge {
    struct pm_assess_options options;
    const char *set, *target, *note;
    size_t changes;
};

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

static void print_change(void *ctx, const struct pm_assess_change *change)
{
    struct judge *j = ctx;
    j->changes++;
    pm_line_print(stdout, "run %lld  %s  %s: %s (%s), before: %s (%s)", (long long)change->run_id,
                  change->target, change->function, pm_verdict_text(change->after),
                  or_dash(change->reason_after), pm_verdict_text(change->before),
                  or_dash(change->reason_before));
}

/* Stores the reason that --set gives. */
static int annotate(const struct judge *j, struct pm_error *err)
{
    const char *equals = strrchr(j->set, '=');
    if (!equals || equals == j->set)
        return pm_error_set(
            err, PM_EUSAGE,
            "invalid --set '%s': write FUNCTION=REASON, or FUNCTION= to remove a reason", j->set);
    char *function = pm_strndup(j->set, (size_t)(equals - j->set));
    const int rc = pm_assess_annotate(j->options.db, function, j->target,
                                      equals[1] ? equals + 1 : NULL, j->note, err);
    free(function);
    return rc;
}

static int judge(struct judge *j)
{
    struct pm_error err = {{0}};
    struct pm_judged judged;
    int rc = j->set ? annotate(j, &err) : PM_OK;
    j->options.changed = print_change;
    j->options.ctx = j;
    if (!rc)
        rc = pm_assess(&j->options, &judged, &err);
    if (rc)
        return cli_fail(rc, &err);
    cli_say("judged      %zu execution%s in '%s'\n", judged.executions,
            pm_plural(judged.executions), j->options.db);
    if (j->changes)
        cli_say("changed     %zu verdict%s or reason%s\n", j->changes, pm_plural(j->changes),
                pm_plural(j->changes));
    cli_say_undecided(&judged);
    return PM_EXIT_FINE;
}

/* Takes the value of --set. Refuses a second --set, because one command sets only one reason. */
static bool take_set(struct judge *j, const char *argument)
{
    if (j->set) {
        cli_usage("--set '%s' and --set '%s' are two reasons: run portmeter judge once for each",
                  j->set, argument);
        return false;
    }
    j->set = argument;
    return true;
}

static bool take_note(struct judge *j, const char *argument)
{
    j->note = argument;
    if (!strpbrk(argument, "\r\n"))
        return true;
    cli_usage("invalid --note: the remark has several lines: write it on one line");
    return false;
}

/* Takes one option. Returns false, after a message, if its argument is invalid. */
static bool take(struct judge *j, int option, const char *argument)
{
    long long number;
    switch (option) {
    case 'd':
        j->options.db = argument;
        return true;
    case 'R':
        j->options.rules = argument;
        return true;
    case 'S':
        return take_set(j, argument);
    case 't':
        j->target = argument;
        return true;
    case 'n':
        return take_note(j, argument);
    default:
        if (!cli_number(option == 's' ? "sample" : "run", argument, 1, INT64_MAX, &number))
            return false;
        *(option == 's' ? &j->options.sample_id : &j->options.run_id) = number;
        return true;
    }
}

static const struct cli_option options[] = {
    CLI_GROUP("What to judge"),
    {"run", 0, 'r', CLI_VALUE_RUN, "N", "run to judge [default: all]"},
    {"sample", 0, 's', CLI_VALUE_SAMPLE, "N",
     "sample for the estimates [default: the run's own, or the newest]"},
    {"rules", 0, 'R', CLI_VALUE_FILE, "FILE",
     "file with rules for reasons [default: portmeter's own rules]"},
    CLI_GROUP("Reason set by hand"),
    {"set", 0, 'S', CLI_VALUE_TEXT, "FUNCTION=[REASON]",
     "set the reason why FUNCTION fails, instead of the reason from the rules; FUNCTION= removes "
     "it again"},
    {"target", 't', 't', CLI_VALUE_TARGET, "TARGET",
     "with --set: on this target only [default: on all]"},
    {"note", 0, 'n', CLI_VALUE_TEXT, "TEXT",
     "with --set: a remark of one line, stored with the reason"},
    CLI_INCLUDE(cli_db_option),
    CLI_OPTIONS_END};

static int run(int argc, const char **argv)
{
    struct cli cli;
    struct judge j = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, &cmd_judge, argc, argv);
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&j, option, argument))
            goto done;
    if (option < 0 || cli_has_more(&cli, "judge takes options only"))
        goto done;
    j.options.db = cli_db(j.options.db);
    if (!j.set && (j.target || j.note))
        cli_usage("--%s applies only to --set: add --set FUNCTION=REASON",
                  j.target ? "target" : "note");
    else
        status = judge(&j);
done:
    cli_release(&cli);
    return status;
}

const struct cli_command cmd_judge = {
    .name = "judge",
    .run = run,
    .chapter = "Keep databases",
    .summary = "assign outcomes, reasons and verdicts again, from stored evidence",
    .synopsis = "[OPTION...]",
    .options = options,
    .examples = {{"judge --run 3", "judge a run again, for example with a newer portmeter"},
                 {"judge --set {module}.sort=driver --note 'fixed in the next driver'",
                  "set a reason by hand"}},
};

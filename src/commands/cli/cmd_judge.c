/* portmeter judge: assigns outcomes, reasons and verdicts again, from stored evidence. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "cli/cli.h"
#include "cli/commands.h"

static const struct poptOption options[] = {
    {"run", 0, POPT_ARG_STRING, NULL, 'r', "run to judge [default: all]", "N"},
    {"sample", 0, POPT_ARG_STRING, NULL, 's',
     "sample for the estimates [default: the run's own, or the newest]", "N"},
    {"rules", 0, POPT_ARG_STRING, NULL, 'R',
     "file with rules for reasons [default: portmeter's own rules]", "FILE"},
    {"set", 0, POPT_ARG_STRING, NULL, 'S',
     "set the reason why FUNCTION fails, instead of the reason from the rules; FUNCTION= removes "
     "it again",
     "FUNCTION=[REASON]"},
    {"target", 0, POPT_ARG_STRING, NULL, 't', "with --set: on this target only [default: on all]",
     "T"},
    {"note", 0, POPT_ARG_STRING, NULL, 'n',
     "with --set: a remark of one line, stored with the reason", "TEXT"},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

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

/* Notes what --set says. */
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
    fprintf(stderr, "judged      %zu execution%s in '%s'\n", judged.executions,
            judged.executions == 1 ? "" : "s", j->options.db);
    if (j->changes)
        fprintf(stderr, "changed     %zu verdict%s or reason%s\n", j->changes,
                j->changes == 1 ? "" : "s", j->changes == 1 ? "" : "s");
    cli_say_undecided(&judged);
    return PM_EXIT_FINE;
}

/* A second --set would replace the first, and one call of portmeter judge sets one reason. */
static bool take_set(struct judge *j, const char *argument)
{
    if (j->set) {
        cli_usage("--set '%s' and --set '%s' are two reasons: set each with a portmeter judge of "
                  "its own",
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
    cli_usage("invalid --note: it has several lines: write the remark in one line");
    return false;
}

/* Takes one option. False, after a message, where its argument is invalid. */
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

int cmd_judge(int argc, const char **argv)
{
    struct cli cli;
    struct judge j = {0};
    const char *argument;
    int option, status = PM_EXIT_USAGE;
    cli_init(&cli, "portmeter judge", argc, argv, options, "[OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&j, option, argument))
            goto done;
    if (option < 0)
        goto done;
    j.options.db = cli_db(j.options.db);
    if ((argument = cli_operand(&cli)))
        cli_usage("unexpected operand '%s': judge takes options only", argument);
    else if (!j.set && (j.target || j.note))
        cli_usage("--%s applies only to --set: add --set FUNCTION=REASON",
                  j.target ? "target" : "note");
    else
        status = judge(&j);
done:
    cli_release(&cli);
    return status;
}

/* portmeter explain: why a function fails on a target, with a script that shows it. */
#include "base/file.h"
#include "cli/cli.h"
#include "explain/explain.h"

static const struct poptOption options[] = {
    {"target", 't', POPT_ARG_STRING, NULL, 't', "target, as portmeter report prints it; required",
     "T"},
    {"case", 'c', POPT_ARG_STRING, NULL, 'c',
     "case to reproduce [default: one that fails for the reported reason]", "NAME"},
    {"run", 0, POPT_ARG_STRING, NULL, 'r',
     "run to explain [default: the newest that measured the function on the target]", "N"},
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write the reproducer to FILE [default: print it]",
     "FILE"},
    {"no-try", 0, POPT_ARG_NONE, NULL, 'n',
     "do not run the reproducer, for example because you do not trust the database that its code "
     "comes from",
     NULL},
    {"db", 0, POPT_ARG_STRING, NULL, 'd', "database [default: $PORTMETER_DB, or portmeter.db]",
     "FILE"},
    POPT_AUTOHELP POPT_TABLEEND};

/* Takes one option. False, after a message, where its argument is invalid. */
static bool take(struct pm_explain_options *o, int option, const char *argument)
{
    long long number;
    switch (option) {
    case 't':
        o->target = argument;
        return true;
    case 'c':
        o->name = argument;
        return true;
    case 'o':
        o->script = argument;
        return true;
    case 'd':
        o->db = argument;
        return true;
    case 'n':
        o->untried = true;
        return true;
    default:
        if (!cli_number("run", argument, 1, INT64_MAX, &number))
            return false;
        o->run_id = number;
        return true;
    }
}

static int explain(const struct pm_explain_options *o)
{
    struct pm_error err = {{0}};
    int rc = pm_file_check_output(o->script, o->db, "the database", &err);
    if (!rc)
        rc = pm_explain(o, stdout, &err);
    return rc ? cli_fail(rc, &err) : EXIT_FINE;
}

int cmd_explain(int argc, const char **argv)
{
    struct cli cli;
    struct pm_explain_options o = {0};
    const char *argument;
    int option, status = EXIT_USAGE;
    cli_init(&cli, "portmeter explain", argc, argv, options, "FUNCTION --target T [OPTION...]");
    while ((option = cli_next(&cli, &argument)) > 0)
        if (!take(&o, option, argument))
            goto done;
    if (option < 0)
        goto done;
    o.db = cli_db(o.db);
    o.function = cli_operand(&cli);
    if (!o.function || !o.target)
        cli_usage("function or --target is missing: give both, as portmeter report prints them");
    else if ((argument = cli_operand(&cli)))
        cli_usage("unexpected operand '%s': explain takes one function", argument);
    else
        status = explain(&o);
done:
    cli_release(&cli);
    return status;
}

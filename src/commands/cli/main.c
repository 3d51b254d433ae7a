/* portmeter: measures how portable machine-learning frameworks are. */
#include <stdio.h>
#include <string.h>

#include "base/trace.h"
#include "cli/cli.h"
#include "cli/commands.h"

struct command {
    const char *name;
    int (*run)(int argc, const char **argv);
    const char *about;
};

static const struct command commands[] = {
    {"devices", cmd_devices, "list the targets of this machine, and why some cannot be measured"},
    {"env", cmd_env, "create, add, list and remove Python environments"},
    {"inventory", cmd_inventory, "record the public functions of a framework"},
    {"scan", cmd_scan, "count how often Python code uses each function"},
    {"suite", cmd_suite, "check or list case files"},
    {"sample", cmd_sample, "draw a random sample of functions, grouped by their use"},
    {"run", cmd_run, "measure targets"},
    {"judge", cmd_judge, "assign outcomes, reasons and verdicts again, from stored evidence"},
    {"explain", cmd_explain,
     "say why a function fails on a target, and write a script that reproduces the failure"},
    {"report", cmd_report, "print the results of runs, scans and imports, or draw a figure"},
    {"compare", cmd_compare,
     "list the differences between two targets, runs, versions or databases"},
    {"import", cmd_import, "read published results: those of the study, or reports of pytest"},
    {"merge", cmd_merge, "copy the runs of several databases into one"},
    {"runs", cmd_runs, "list, remove and protect the runs of a database"},
    {"study", cmd_study, "measure this machine (the first device of each kind) and print a report"},
};

static void print_help(FILE *out)
{
    fputs("usage: portmeter COMMAND [OPTION...]\n\n"
          "portmeter measures how portable machine-learning frameworks are: which functions run on "
          "a\n"
          "device, which fail and why, and how much slower or faster each one is\n\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].about);
    fputs("\nportmeter COMMAND --help lists the options of a command; --version prints the "
          "version\nexit status: 0 measured, printed, or not worse; 1 worse or failing, only with "
          "--exit-code;\n             2 usage error; 3 could not run; 4 inconclusive, or a run is "
          "INVALID;\n             130, 143, 129 stopped by Ctrl-C, SIGTERM, SIGHUP\n",
          out);
}

int main(int argc, char **argv)
{
    struct pm_error err = {{0}};
    const int rc = cli_begin(&err);
    if (rc)
        return cli_fail(rc, &err);
    const int traced = pm_trace_begin(argc, (const char *const *)argv, &err);
    if (traced)
        return cli_fail(traced, &err);
    pm_note_migrations(stderr);
    if (argc < 2) {
        print_help(stderr);
        return PM_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return PM_EXIT_FINE;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("portmeter " PM_VERSION);
        return PM_EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return cli_end(commands[i].run(argc - 1, (const char **)(void *)(argv + 1)));
    return cli_usage("unknown command '%s': portmeter --help lists the commands", argv[1]);
}

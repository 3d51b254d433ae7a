/* The list of tables. */
#include "tables/kinds.h"

const struct table_kind pm_tables__kinds[] = {
    {"functions", "every function and its verdict, worst first", pm_tables__add_functions, false},
    {"summary", "which functions run on each target", pm_tables__add_summary, false},
    {"study", "verdicts by the study's counting rules", pm_tables__add_study_way, false},
    {"checked", "how the outputs of functions were checked", pm_tables__add_checked, false},
    {"estimates", "shares of whole frameworks, from a sample", pm_tables__add_estimates, false},
    {"ratios", "latencies and their ratio to the reference, worst first", pm_tables__add_ratios,
     false},
    {"failures", "failures, with their cases and messages", pm_tables__add_failures, false},
    {"uncounted_cases", "cases that do not pass and are not counted, and why",
     pm_tables__add_uncounted_cases, false},
    {"uncounted", "functions not counted, and why", pm_tables__add_uncounted, false},
    {"excluded", "cases that are not counted because they fail on the reference",
     pm_tables__add_excluded, false},
    {"dtypes", "functions by dtype", pm_tables__add_dtypes, false},
    /* check-prose: ok, a word of --table */
    {"unsteady", "flaky functions and unstable latencies", pm_tables__add_unsteady, false},
    {"neighbours", "cases that depend on earlier cases in their process, or on chance",
     pm_tables__add_neighbours, false},
    {"targets", "each target, with the run that its results come from", pm_tables__add_targets,
     true},
    {"canaries", "planted faults that the self-check detects", pm_tables__add_canaries, true},
    {"history", "the runs of each target, and what changed from each to the next", NULL, true},
    {"cases", "every case", pm_tables__add_cases, true, .of_cases = true},
    {"executions", "every execution", pm_tables__add_executions, true, .of_executions = true},
    {"clocks", "every clock of every case", pm_tables__add_clocks, true, .of_cases = true},
    {"frequency", "how often the scanned code uses each function", NULL, true,
     pm_usage_add_frequency},
    {"inferred", "the same by imports and the types of values", NULL, true, pm_usage_add_inferred},
    {"found", "how the calls of the scanned code were found", NULL, true, pm_usage_add_found, true},
    {"spread", "how few functions make up most of the use", NULL, true, pm_usage_add_spread},
    {"unlisted", "names of a framework that the code calls and the inventory lacks", NULL, true,
     pm_usage_add_unlisted},
    {"sites", "where the scanned code uses a function", NULL, true, pm_usage_add_sites, true},
};
const size_t pm_tables__kind_count = sizeof pm_tables__kinds / sizeof *pm_tables__kinds;

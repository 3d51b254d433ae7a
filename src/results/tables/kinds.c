/* Lists all tables by name. */
#include "tables/kinds.h"
#include "tables/tiers.h"

#include "tables/closeness.h"
#include "tables/recorded_table.h"

const struct table_kind pm_tables__kinds[] = {
    {"functions", pm_tables__add_functions, false},
    {"reasons", pm_tables__add_reasons, true},
    {"summary", pm_tables__add_summary, false},
    {"tiers", pm_tables__add_tiers, false},
    {"surface", pm_tables__add_surface, false},
    {"modules", pm_tables__add_modules, true},
    {"paper", pm_tables__add_paper_way, false},
    {"checked", pm_tables__add_checked, false},
    {"estimates", pm_tables__add_estimates, false},
    {"ratios", pm_tables__add_ratios, false},
    {"failures", pm_tables__add_failures, false},
    {"not_counted", pm_tables__add_not_counted, false},
    {"dtypes", pm_tables__add_dtypes, false},
    {"unstable", pm_tables__add_unstable, false},
    {"neighbours", pm_tables__add_neighbours, false},
    {"closeness", pm_tables__add_closeness, true, .of_dtypes = true},
    {"across", pm_tables__add_across, true, .of_dtypes = true},
    {"recorded", pm_tables__add_recorded, true},
    {"recorded_places", pm_tables__add_recorded_places, true},
    {"recorded_hotspots", pm_tables__add_recorded_hotspots, true, .of_cases = true,
     .of_executions = true},
    {"recorded_shapes", pm_tables__add_recorded_shapes, true, .of_cases = true,
     .of_executions = true},
    {"recorded_time", pm_tables__add_recorded_time, true, .of_cases = true},
    {"targets", pm_tables__add_targets, true},
    {"planted_faults", pm_tables__add_planted_faults, true},
    {"history", NULL, true},
    {"cases", pm_tables__add_cases, true, .of_cases = true},
    {"executions", pm_tables__add_executions, true, .of_executions = true},
    {"clocks", pm_tables__add_clocks, true, .of_cases = true},
    {"frequency", NULL, true, pm_usage_add_frequency},
    {"inferred", NULL, true, pm_usage_add_inferred},
    {"resolution", NULL, true, pm_usage_add_resolution, true},
    {"spread", NULL, true, pm_usage_add_spread},
    {"unlisted", NULL, true, pm_usage_add_unlisted},
    {"uses", NULL, true, pm_usage_add_uses, true},
};
const size_t pm_tables__kind_count = sizeof pm_tables__kinds / sizeof *pm_tables__kinds;

/* The tables of a run, by name. Private to the room. */
#ifndef PM_TABLES_KINDS_H
#define PM_TABLES_KINDS_H

#include "tables/reading.h"

/* Tables by name. `number`: of the study's table with the same subject, "" for none. */
struct table_kind {
    const char *name, *number, *about;
    /* Adds its tables to the report: where there is nothing for them none, or an empty one if the
     * reading shows_empty. NULL: the table is of a scan, not of a run (frequencies.h). */
    void (*add)(const struct reading *r, struct pm_report *report);
    bool only_asked; /* not in the whole report */
};
extern const struct table_kind pm_tables__kinds[];
extern const size_t pm_tables__kind_count;

/* Of tables.c. */
void pm_tables__add_summary(const struct reading *r, struct pm_report *report);
void pm_tables__add_study_way(const struct reading *r, struct pm_report *report);
void pm_tables__add_uncounted(const struct reading *r, struct pm_report *report);
void pm_tables__add_failures(const struct reading *r, struct pm_report *report);
void pm_tables__add_dtypes(const struct reading *r, struct pm_report *report);
void pm_tables__add_targets(const struct reading *r, struct pm_report *report);
void pm_tables__add_canaries(const struct reading *r, struct pm_report *report);

/* Of latency_tables.c. */
void pm_tables__add_ratios(const struct reading *r, struct pm_report *report);
void pm_tables__add_cases(const struct reading *r, struct pm_report *report);
void pm_tables__add_unsteady(const struct reading *r, struct pm_report *report);

/* Of estimate_tables.c. */
void pm_tables__add_estimates(const struct reading *r, struct pm_report *report);

#endif

/* Declares the tables of a recorded program. Private to the room. */
#ifndef PM_TABLES_RECORDED_TABLE_H
#define PM_TABLES_RECORDED_TABLE_H

#include "reading/reading.h"
#include "record/document.h"
#include "report/table.h"

/* Adds the table of the recorded calls (reading.h, `recorded`) that were measured: on each target,
 * broken calls come first, and among these the most frequent. */
void pm_tables__add_recorded(const struct pm_reading *r, struct pm_report *report);
/* Adds the table of the places of a recorded program, sorted by time, the longest first. It shows
 * with how many shapes each place was called, and which share of its time was spent in first calls
 * with a shape. */
void pm_tables__add_recorded_places(const struct pm_reading *r, struct pm_report *report);
/* Adds the table of the time that the program would take on each target with latencies
 * (recorded_time.c). */
void pm_tables__add_recorded_time(const struct pm_reading *r, struct pm_report *report);

/* Adds the table that says why the program would be slow on each target with latencies: for each
 * place of a call, its time there, divided into first calls, transfers, host reads and
 * running (recorded_hotspots.c). */
void pm_tables__add_recorded_hotspots(const struct pm_reading *r, struct pm_report *report);
/* Adds the table of the places that compile for more shapes than pm_tables__many_shapes(), for each
 * target that compiles or, if none was measured, once without a target (recorded_hotspots.c). */
void pm_tables__add_recorded_shapes(const struct pm_reading *r, struct pm_report *report);

/* Returns the number of shapes above which a place is marked. The default is the number of
 * compilations of one function after which PyTorch's compiler gives up
 * (torch._dynamo.config.recompile_limit). */
static inline int64_t pm_tables__many_shapes(const struct pm_reading *r)
{
    enum { DEFAULT = 8 };
    return r->many_shapes > 0 ? r->many_shapes : DEFAULT;
}

/* Returns the latency of a case by one clock; NULL if there is none (recorded_costs.c). */
const struct pm_reading_statistic *pm_tables__latency_of(const struct pm_reading *r,
                                                         const struct pm_reading_case *c,
                                                         enum pm_clock clock);
/* Returns the recorded calls of a case: those of "recorded 1" for "recorded 1[float32]". Returns
 * NULL if none was recorded. r->recorded must not be NULL. */
const struct pm_recorded_case *pm_tables__recorded_of(const struct pm_reading *r,
                                                      const struct pm_reading_case *c);

#endif

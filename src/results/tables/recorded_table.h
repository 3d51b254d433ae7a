/* The tables of a recorded program. Private to the room. */
#ifndef PM_TABLES_RECORDED_TABLE_H
#define PM_TABLES_RECORDED_TABLE_H

#include "reading/reading.h"
#include "record/document.h"
#include "report/table.h"

/* Adds the table of the recorded calls (reading.h, `recorded`) that were measured: on each target
 * what breaks first, and of these the most frequent. */
void pm_tables__add_recorded(const struct pm_reading *r, struct pm_report *report);
/* Adds the table of its places, those that take longest first: how many shapes each was called
 * with, and how much of its time was in the first call with a shape. */
void pm_tables__add_recorded_places(const struct pm_reading *r, struct pm_report *report);

#endif

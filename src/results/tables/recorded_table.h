/* The table of a recorded program. Private to the room. */
#ifndef PM_TABLES_RECORDED_TABLE_H
#define PM_TABLES_RECORDED_TABLE_H

#include "reading/reading.h"
#include "record/document.h"
#include "report/table.h"

/* Adds the table of the recorded calls (reading.h, `recorded`) that were measured: on each target
 * what breaks first, and of these the most frequent. */
void pm_tables__add_recorded(const struct pm_reading *r, struct pm_report *report);

#endif

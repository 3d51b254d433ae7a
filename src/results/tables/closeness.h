/* Declares the tables of numeric differences. Private to the room. */
#ifndef PM_TABLES_CLOSENESS_H
#define PM_TABLES_CLOSENESS_H

#include "reading/reading.h"
#include "report/table.h"

/* Adds the table that shows how much passing results of each function differ from the reference. */
void pm_tables__add_closeness(const struct pm_reading *r, struct pm_report *report);
/* Adds the table that shows how exact each target is in the operations that frameworks share. */
void pm_tables__add_across(const struct pm_reading *r, struct pm_report *report);

#endif

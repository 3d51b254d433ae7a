/* Declares the tables of functions by the tier of their cases, and of shares of a framework's
 * names. Private to the room. */
#ifndef PM_TABLES_TIERS_H
#define PM_TABLES_TIERS_H

#include "reading/reading.h"
#include "report/table.h"

/* Adds the table of functions by the tier of their cases, if some cases are not reviewed. */
void pm_tables__add_tiers(const struct pm_reading *r, struct pm_report *report);
/* Adds a line that says, for each target, how many functions have cases that a program made. */
void pm_tables__line_of_tiers(const struct pm_reading *r, struct pm_report *report);

/* Add a table that shows how many of all public names and of the measurable names work: with a row
 * for each target with a census, which also shows the calls of the newest scan, or with a row for
 * each of its modules. */
void pm_tables__add_surface(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_modules(const struct pm_reading *r, struct pm_report *report);

#endif

/* What a page has beside the tables of every format. Private to the room. */
#ifndef PM_TABLES_PAGES_H
#define PM_TABLES_PAGES_H

#include "reading/reading.h"
#include "report/table.h"

/* A picture a framework: its functions, worst first, by its targets, each cell a word: works,
 * partly, fails, host-only, or the verdict that does not count. References are columns only where
 * nothing is compared with them. */
void pm_tables__add_matrices(const struct pm_reading *r, struct pm_report *report);

/* Every function once, worst first, with its worst verdict, where, why, and its slowest ratio. Each
 * row opens to the function on each target, the outcomes of its cases, messages with their reasons
 * and rules, and the latencies of each clock. */
void pm_tables__add_pages(const struct pm_reading *r, struct pm_report *report);

#endif

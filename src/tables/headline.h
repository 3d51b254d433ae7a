/* What a report says first, in at most eight lines. Private to the room. */
#ifndef PM_TABLES_HEADLINE_H
#define PM_TABLES_HEADLINE_H

#include "reading/reading.h"
#include "tables/tables.h"

/*
 * For each target how many functions work, partly, fail, with the 95 % interval of the share, how
 * many are intolerably slow or as much faster than the reference (stat.h), and the median ratio; a reference
 * with which nothing is compared says what was checked on it. Then the share of real calls that
 * survive, where code was scanned; the three heaviest problems, by calls where code was scanned;
 * what makes results doubtful; and the command that helps most: to continue the run, to make
 * enough processes, or to add a device. `option` is as in lines.h. Beside the lines, the document
 * of JSON gets the same as numbers.
 */
void pm_tables__add_headline(const struct pm_reading *r, const struct pm_report_options *o,
                             const char *option, struct pm_report *report);

#endif

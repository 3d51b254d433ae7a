/* The lines of a report around its tables. Private to the room. `option`: " --db FILE" for
 * commands that the reader may copy, "" for the default database. */
#ifndef PM_TABLES_LINES_H
#define PM_TABLES_LINES_H

#include "reading/reading.h"
#include "tables/tables.h"

/* Returns a text such as "portmeter 0.1.0, run 3 of ...", or "..., runs 1, 3 and 5"; the caller
 * frees. */
char *pm_tables__title(const struct pm_reading *r);
/* Returns a text such as "jax 0.10.2, pytorch 2.13.0 on NVIDIA H100, 2026-11-26"; the caller frees.
 */
char *pm_tables__page_title(const struct pm_reading *r);
/* Adds the lines above a report: machine, targets, clocks, validity, runs that are not shown. */
void pm_tables__lines_before(const struct pm_reading *r, const char *option,
                             struct pm_report *report);
/* Adds the lines above a single table: the run of each target if they differ, and the runs that are
 * not shown. */
void pm_tables__lines_of_runs(const struct pm_reading *r, const char *option,
                              struct pm_report *report);
/* Adds the noise floor of each reference with which ratios are shown: how much two measurements of
 * the same thing differ on this machine, or how to find out. */
void pm_tables__lines_of_noise(const struct pm_reading *r, struct pm_report *report);
/* Adds the commands that print or measure more. */
void pm_tables__lines_after(const struct pm_reading *r, const char *option,
                            struct pm_report *report);

/* ---- shard_lines.c: of a run that was merged from shards; each line begins with `prefix` ------
 */

/* Appends "PROCESSOR, 4 cores, 16 GiB, Linux 6.1". */
void pm_tables__add_hardware(struct pm_str *out, const json_t *machine);
/* Adds a line for each kind of node. */
void pm_tables__lines_of_nodes(const struct pm_reading_run *run, const char *prefix,
                               struct pm_report *report);
/* Says which share of the plan the run is about, and which shards have no latencies. Adds nothing
 * for a run that is not divided. */
void pm_tables__lines_of_shards(const struct pm_reading_run *run, const char *prefix,
                                struct pm_report *report);

/*
 * headline.c: what a report says first, in at most eight entries.
 *
 * For each target how many functions work, partly, fail, with the 95 % interval of the share, how
 * many are intolerably slow or as much faster than the reference (stat.h), and the median ratio; a
 * reference with which nothing is compared says what was checked on it. Then the share of real
 * calls that survive, where code was scanned; the three heaviest problems, by calls where code was
 * scanned; what makes results doubtful; and the command that helps most: to continue the run, to
 * make enough processes, or to add a device. `option` is as above. Beside the lines, the document
 * of JSON gets the same as numbers.
 */
void pm_tables__add_headline(const struct pm_reading *r, const struct pm_report_options *o,
                             const char *option, struct pm_report *report);
/* Returns whether a shown target has a line there: not the oracle, and no reference with which
 * another target is compared. */
bool pm_tables__has_line(const struct pm_reading *r, int target);
/* Returns whether it is the ratio of a function with small inputs, by which functions are called
 * slow. */
bool pm_tables__is_ratio(const struct pm_reading_statistic *s);

/* Works like pm_tables__add_reasons(), with at most so many rows, and only as many names as let each
 * row take one line of the width; 0: no limit. */
void pm_tables__add_reasons_of(const struct pm_reading *r, size_t most, unsigned width,
                               struct pm_report *report);
/* Adds the report that fits a screen: the headline, what is intolerably slow, the noise floor, what
 * breaks and why in at most ten rows, and where the rest is (screen.c). */
void pm_tables__add_screen(const struct pm_reading *r, const struct pm_report_options *o,
                           const char *option, struct pm_report *report);

#endif

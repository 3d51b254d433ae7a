/* Declares the lines of a report around its tables. Private to the room. `option`: " --db FILE" for
 * commands that the reader may copy, "" for the default database. */
#ifndef PM_TABLES_LINES_H
#define PM_TABLES_LINES_H

#include "reading/reading.h"
#include "tables/tables.h"

/* Returns a text such as "portmeter 0.1.0, run 3 of ...", or "..., runs 1, 3 and 5"; the caller
 * frees it. */
char *pm_tables__title(const struct pm_reading *r);
/* Returns a text such as "jax 0.10.2, pytorch 2.13.0 on NVIDIA H100, 2026-11-26"; the caller frees
 * it. */
char *pm_tables__page_title(const struct pm_reading *r);
/* Adds the lines that say how the results were measured: machine, shards, targets, clocks, the
 * choice of cases, the noise floor, validity, and newer runs that are not shown. */
void pm_tables__lines_before(const struct pm_reading *r, const char *option,
                             struct pm_report *report);
/* Adds the lines above a single table: the targets with their runs if several runs are shown, the
 * newer runs that are not shown, and failures of older runs. */
void pm_tables__lines_of_runs(const struct pm_reading *r, const char *option,
                              struct pm_report *report);
/* Adds a line for each reference with which ratios are shown. It states the noise floor (how much
 * two measurements of the same case differ on this machine), or the command that measures it. */
void pm_tables__lines_of_noise(const struct pm_reading *r, struct pm_report *report);
/* Adds a line for each run that is not shown and that measured a shown target on another device, as
 * after a merge of two machines. The line contains the command that shows both. */
void pm_tables__lines_of_machines(const struct pm_reading *r, const char *option,
                                  struct pm_report *report);
/* Adds the commands that write the report to a file and print the table of clocks. */
void pm_tables__lines_after(const struct pm_reading *r, const char *option,
                            struct pm_report *report);

/* ---- shard_lines.c: runs that were merged from shards; each line begins with `prefix` -------- */

/* Appends "PROCESSOR, 4 cores, 16 GiB, Linux 6.1". */
void pm_tables__add_hardware(struct pm_str *out, const json_t *machine);
/* Adds a line for each group of nodes with the same hardware and system: its shards, its hardware,
 * and the load before measuring. */
void pm_tables__lines_of_nodes(const struct pm_reading_run *run, const char *prefix,
                               struct pm_report *report);
/* Adds a line that says which share of the plan the run covers, and lines about shards without
 * latencies. Adds nothing for a run that is not divided. */
void pm_tables__lines_of_shards(const struct pm_reading_run *run, const char *prefix,
                                struct pm_report *report);

/*
 * headline.c: the first lines of a report, in at most eight entries.
 *
 * The first entries are about targets: how many functions work, work partly and fail, how many are
 * intolerably slow, how many are faster than the reference by the same factor, and the median
 * ratio. For a reference with which nothing is compared, the entry says what checked the outputs.
 * If there are more than four targets, one entry summarizes all but the first three. Further
 * entries are: the share of scanned or estimated calls that work; the three heaviest problems, by
 * calls in scanned code; warnings; and the command that helps most: to measure a missing shard, to
 * continue the run, to add processes, or to add a device. `option` is as above. The JSON document
 * gets the same facts as numbers.
 */
void pm_tables__add_headline(const struct pm_reading *r, const struct pm_report_options *o,
                             const char *option, struct pm_report *report);
/* Returns whether the headline is about a target. It is not about the oracle, repeated references,
 * references with which another target is compared, or targets without the requested function. */
bool pm_tables__has_line(const struct pm_reading *r, int target);
/* Returns whether a statistic is the ratio of a function's warm calls with small inputs. Reports
 * call a function slow by this ratio. */
bool pm_tables__is_ratio(const struct pm_reading_statistic *s);

/* Works like pm_tables__add_reasons(), but adds at most `most` rows, and only as many names as fit
 * a line of `width` columns (0: no limit). */
void pm_tables__add_reasons_of(const struct pm_reading *r, size_t most, unsigned width,
                               struct pm_report *report);
/* Adds the report that fits a screen: the headline, what breaks and why in at most ten rows, what
 * is intolerably slow, the noise floor, and the commands that show the rest (screen.c). */
void pm_tables__add_screen(const struct pm_reading *r, const struct pm_report_options *o,
                           const char *option, struct pm_report *report);

#endif

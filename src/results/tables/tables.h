/*
 * Creates the tables and figures from judged rows, and the report that contains them.
 *
 * To add a table: write `pm_tables__add_<name>()` and add a row to `pm_tables__kinds` (kinds.c); to
 * add a figure: write a function that creates it and add a row to `figure_kinds` (reporting.c).
 * Help and messages then list both.
 */
#ifndef PM_TABLES_TABLES_H
#define PM_TABLES_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/str.h"
#include "report/table.h"
#include "store/runs.h"
#include "store/store.h"

/* An environment that adds a device or another build to the framework's own environment. A report
 * suggests it after a run that measured only that environment and compared nothing. */
struct pm_report_hint {
    const char *framework, *environment, *adds;
};

struct pm_report_options {
    const char *db;
    const char *shipped; /* name for --results of a database that comes with portmeter; else NULL */
    int64_t run_id;      /* 0: the newest valid run of each target */
    int64_t scan_id;     /* 0: the newest scan with the requested data */
    const char *framework; /* show only this framework; NULL: all */
    /* Show only functions that match this glob; for the table `uses`, the name of the function
     * whose uses it lists. NULL: all. */
    const char *function;
    unsigned top; /* rows of a table of a scan (0: 20), runs of a history (0: 10) */
    enum pm_report_format format;
    const char *table;   /* a table's number in the paper or its name; NULL: the whole report */
    const char *against; /* print only latencies, compared with this target (compare/side.h), not
                            with the reference; NULL: no */
    /* Show only these targets; none: all. For a table or figure of the paper, they are sides
     * (compare/side.h), and paper/paper.h says which are shown if there are none. */
    const char *const *targets;
    size_t target_count;
    const char *figure; /* name of a figure, which replaces the tables; NULL: none */
    const char *output; /* a file; NULL: stdout. A figure is svg, png or pdf by its extension,
                           svg on stdout */
    double intolerable; /* the ratio to the reference above which a function is intolerable; 0:
                           PM_STAT_INTOLERABLE */
    unsigned many_shapes; /* as in struct pm_reading */
    unsigned width;     /* columns of the screen; 0: no limit */
    bool full;          /* print every table as text; otherwise only what fits a screen */
    bool colour;
    bool (*is_running)(const struct pm_run_row *run); /* as in struct pm_reading */
    const struct pm_report_hint *hints;               /* set by pm_write_report() */
    size_t hint_count;
};
/* Prints tables of runs, or of a scan if the table belongs to scans or the database has no run, or
 * draws a figure. `status`: the exit status for --exit-code: pm_reading_exit(), or PM_EXIT_WORSE
 * for a scan that could not read some of its data. PM_EUSAGE if options exclude each other, or the
 * database lacks the requested data. */
PM_MUST_USE int pm_tables_report(const struct pm_report_options *options, enum pm_exit *status,
                                 struct pm_error *err);

/* Appends the counts of the headline of a run, a line for each target that the headline names:
 * "pytorch@meta: 53 of 62 functions have shapes (85 %), 2 partly, 7 fail; ...". */
PM_MUST_USE int pm_tables_answer(const char *db, int64_t run_id, struct pm_str *out,
                                 struct pm_error *err);

/* Append the known words, "1, 5, summary, ...", for --help and messages. */
void pm_tables_list_tables(struct pm_str *out);
void pm_tables_list_figures(struct pm_str *out);
void pm_tables_list_formats(struct pm_str *out);
/* Finds the format by the extension of --output (report/write.h). */
bool pm_tables_format_of_file(const char *path, enum pm_report_format *out, struct pm_error *err);

#endif

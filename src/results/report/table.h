/*
 * Builds tables and reports as values, and renders them. A renderer writes to a sink and does not
 * know the source of the numbers.
 *
 *     struct pm_table *t = pm_table_new("ratios", "Latency against cpu");
 *     pm_table_column(t, "function", "function", PM_CELL_TEXT);
 *     pm_table_column(t, "ratio", "ratio", PM_CELL_RATIO);
 *     pm_table_text(t, "torch.cat"); pm_table_number(t, 3.1);      // cells row by row
 *     pm_table_note(t, "3 processes per side");
 */
#ifndef PM_REPORT_TABLE_H
#define PM_REPORT_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vocabulary.h"

/*
 * How a column is aligned, and how its numbers are printed (text/numbers.h has the rules). JSON and
 * CSV contain the numbers without rounding. A text cell can be in any column ("reference" among
 * shares).
 *
 * Times have the unit that suits the median of the column. Only the heading contains it: "latency
 * (us)".
 */
enum pm_cell_kind {
    PM_CELL_TEXT,   /* left; a text that is too long continues in the next line */
    PM_CELL_NAME,   /* left; a name that is too long keeps its tail              */
    PM_CELL_WORD,   /* left; a state, coloured if it needs attention */
    PM_CELL_COUNT,  /* integer, right: "2,292"                                   */
    PM_CELL_SHARE,  /* 0.76 -> "76", with an interval "76 [63, 86]"; in percent  */
    PM_CELL_TIME,   /* nanoseconds -> "12.3", or "12.3 [11.9, 13.0]"             */
    PM_CELL_RATIO,  /* of latencies, to a reference: 3.14 -> "3.1x slower", 0.5 with an interval ->
                       "2.0x faster [1.7, 2.4]": the bounds are factors in the same direction */
    PM_CELL_NUMBER, /* of any size: 0, 12.5, 1.2e-07                             */
    PM_CELL_MARK,   /* a short word in a matrix: pass, FAIL; centred             */
    PM_CELL_KINDS
};

struct pm_table;
struct pm_table *pm_table_new(const char *id, const char *title); /* id: for JSON and --table */
void pm_table_free(struct pm_table *table);
/* Adds a column. The heading may come from outside (the text of a target): it is made safe to print
 * (line.h). */
void pm_table_column(struct pm_table *table, const char *id, const char *heading,
                     enum pm_cell_kind kind);
/* Allows 95 % intervals in the cells of the latest column. The heading mentions them if a cell has
 * one, and CSV also has the columns ID_low and ID_high. */
void pm_table_intervals(struct pm_table *table);
/* Begins the second half of the columns. If the screen is too narrow, text prints the columns that
 * are added from now on below the others, with the first column repeated. */
void pm_table_second_half(struct pm_table *table);
/* Groups rows with the same first cell, which follow each other: text prints that cell once, above
 * its rows. */
void pm_table_group(struct pm_table *table);
/* Sets what a table is about, if several have the same id: ("target", "pytorch@cuda"). */
void pm_table_about(struct pm_table *table, const char *key, const char *value);
/* Draws the table as a grid of signs with a legend in HTML. All columns but the first must be
 * PM_CELL_MARK. */
void pm_table_picture(struct pm_table *table);
/* Turns the table into a matrix of facts by targets. All columns but the first must be
 * PM_CELL_MARK. A row in which only the first cell is filled is the heading of the rows below it.
 * HTML colours cells with a state or a tally ("3 of 5"), breaks a cell at its first newline, and
 * merges equal neighbours in a row. */
void pm_table_matrix(struct pm_table *table);
/* Draws one bar per row in HTML. The first column names the row; the others are counts of states,
 * which their headings name. */
void pm_table_bars(struct pm_table *table);
/* Each of these functions adds a cell: from left to right, row after row. All columns must be added
 * before the first cell. Texts are copied; text and Markdown print them as one line without control
 * bytes. An interval with a bound that is NaN is omitted. */
void pm_table_text(struct pm_table *table, const char *text);
void pm_table_count(struct pm_table *table, int64_t value);
void pm_table_number(struct pm_table *table, double value); /* NaN: unknown, an empty cell */
void pm_table_interval(struct pm_table *table, double value, double low, double high);
void pm_table_empty(struct pm_table *table);
/* Merges rows, from row `first` on, that differ only in their first cells. A comma separates these
 * cells in the merged row. All cells must be texts. */
void pm_table_join_rows(struct pm_table *table, size_t first);
void pm_table_note(struct pm_table *table, const char *text); /* a line under the table */
/* Returns the number of complete rows. */
size_t pm_table_rows(const struct pm_table *table);

/* A report: headings, lines and tables in order. It owns its tables. */
struct pm_report;
struct pm_report *pm_report_new(const char *title);
void pm_report_free(struct pm_report *report);
void pm_report_heading(struct pm_report *report, const char *text);
/* Adds a labelled line, "next            portmeter report --format markdown". Label "" continues
 * the line above, below its text. */
void pm_report_line(struct pm_report *report, const char *label, const char *text);
/* Like pm_report_line(), but frees the text. */
void pm_report_take_line(struct pm_report *report, const char *label, char *text);
/* Adds a labelled line with a command to copy, which text never breaks, and its purpose (or ""). */
void pm_report_command(struct pm_report *report, const char *label, const char *command,
                       const char *purpose);
/* Adds a Python script to copy, with a label. HTML folds it, Markdown prints it as a block of code,
 * text indents it, and LaTeX prints it as one line. Markdown and text omit the label. If it
 * resembles the first script of its report, HTML contains only the lines that differ
 * (pm_report_differences()), and page.js restores the script. */
void pm_report_code(struct pm_report *report, const char *label, const char *text);
/* Folds the tables that are added from now on, in Markdown and HTML, because they are less
 * important. */
void pm_report_fold(struct pm_report *report);
/* Adds a member to the JSON document, beside "parts". The report owns the value. */
void pm_report_take_data(struct pm_report *report, const char *key, json_t *value);
/* Adds a finished table, which the report then owns. */
void pm_report_take_table(struct pm_report *report, struct pm_table *table);
/* Adds a table with rows that open: row i opens to pages[i], whose title is the text of the closed
 * row. Only HTML prints the pages; it links the rows of pictures to the pages with the same first
 * cell. The array must have one page per row. The report owns the table, the array and the
 * pages. */
void pm_report_take_pages(struct pm_report *report, struct pm_table *table,
                          struct pm_report **pages);

struct pm_sink {
    int (*write)(void *ctx, const char *data, size_t length); /* 0, or negative with errno set */
    void *ctx;
};

/*
 * Options of pm_report_render(), and how the formats differ. The sink gets the whole report in one
 * call. An error of the sink is PM_EIO with the text of errno.
 *
 * Texts from outside (messages, names, targets) are made safe in each format. Control characters
 * are removed, or escaped in JSON. Markup is escaped in Markdown, LaTeX and HTML. In CSV, a text
 * that a spreadsheet would run as a formula (it begins with = + - @) gets an apostrophe in front.
 *
 * All formats but JSON and CSV omit columns without any value, except the first column.
 *
 * Text fits `width` columns (0: no limit). To fit, it takes these steps in this order, until the
 * table fits: it breaks headings, breaks texts into lines, cuts the heads of names, prints the last
 * text below its row, and prints the remaining columns below, with the first column repeated.
 * Numbers are never shortened. With `colour`, words that need attention are red or yellow: in cells
 * of states, and in lines after a count above 0 or at the end of a statement ("9 fail", "torch.sort
 * fails, ..."). So are counts above 0 in columns whose id is such a word ("fails", "partly"). A
 * table without rows is printed as its title, "none" and its notes, also in Markdown, LaTeX and
 * HTML.
 *
 * JSON: docs/report.schema.json documents it. Within a version of the schema, members are only
 * added.
 *
 * CSV (RFC 4180): tables with the same columns become one table; PM_EUSAGE if the report has no
 * table, or tables with different columns. Headings are ids with units ("latency_ns"). Lines and
 * notes are omitted.
 *
 * LaTeX: each table is a table of the packages booktabs and longtable; lines are a list. If a table
 * is wider than 160 mm by estimate, it has a small font and breaks cells into lines.
 */
struct pm_render_options {
    unsigned width;
    bool colour;
};
PM_MUST_USE int pm_report_render(const struct pm_report *report, enum pm_report_format format,
                                 const struct pm_render_options *options, struct pm_sink *sink,
                                 struct pm_error *err);

#endif

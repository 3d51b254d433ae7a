/*
 * Tables as values, and their renderers. A renderer writes to a sink and does not know the source
 * of the numbers.
 *
 *     struct pm_table *t = pm_table_new("ratios", "Latency against cpu");
 *     pm_table_column(t, "function", "function", PM_CELL_TEXT);
 *     pm_table_column(t, "ratio", "ratio", PM_CELL_RATIO);
 *     pm_table_text(t, "torch.cat"); pm_table_number(t, 3.1);      // cells row by row
 *     pm_table_note(t, "3 processes per side");
 */
#ifndef PM_REPORT_TABLE_H
#define PM_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vocabulary.h"

/*
 * How a column is aligned and its numbers printed (format.h has the rules). JSON gets the number
 * without rounding. A text cell may be in any column ("reference" among shares).
 */
enum pm_cell_kind {
    PM_CELL_TEXT,  /* left                                                      */
    PM_CELL_COUNT, /* integer, right: "2,292"                                   */
    PM_CELL_SHARE, /* 0.76 -> "76 %", with an interval "76 % [63, 86]"          */
    PM_CELL_TIME,  /* nanoseconds -> "12.3 us", or "12.3 us [11.9, 13.0]"       */
    PM_CELL_RATIO, /* 3.14 -> "3.1 x", with an interval "3.1 x [2.0, 4.0]"      */
    PM_CELL_MARK   /* a short word in a matrix: pass, FAIL; centred             */
};

struct pm_table;
struct pm_table *pm_table_new(const char *id, const char *title); /* id: for JSON and --table */
void pm_table_free(struct pm_table *table);
const char *pm_table_id(const struct pm_table *table);
/* A heading may come from outside (the text of a target): it is made safe to print (line.h). */
void pm_table_column(struct pm_table *table, const char *id, const char *heading,
                     enum pm_cell_kind kind);
/* If the screen is too narrow, the columns from here on are printed as a second table below, with
 * the first column repeated. */
void pm_table_second_half(struct pm_table *table);
/* Cells, from left to right, row after row. A row is finished when its last cell is set. All
 * columns come before the first cell. Texts are copied; text and Markdown print them as one line
 * without control bytes. Bounds that are NaN are omitted. */
void pm_table_text(struct pm_table *table, const char *text);
void pm_table_count(struct pm_table *table, int64_t value);
void pm_table_number(struct pm_table *table, double value); /* NaN: unknown, an empty cell */
void pm_table_interval(struct pm_table *table, double value, double low, double high);
void pm_table_empty(struct pm_table *table);
void pm_table_note(struct pm_table *table, const char *text); /* a line under the table */
size_t pm_table_rows(const struct pm_table *table);

/* A report: headings, lines and tables in order. It owns its tables. */
struct pm_report;
struct pm_report *pm_report_new(const char *title);
void pm_report_free(struct pm_report *report);
void pm_report_heading(struct pm_report *report, const char *text);
/* A labelled line, "next            portmeter report --format markdown". Label "" continues the
 * line above, below its text. */
void pm_report_line(struct pm_report *report, const char *label, const char *text);
void pm_report_take_table(struct pm_report *report, struct pm_table *table);

struct pm_sink {
    int (*write)(void *ctx, const char *data, size_t length); /* 0, or negative with errno set */
    void *ctx;
};

/*
 * A failure of the sink is PM_EIO with errno's text. The sink gets the whole report in one call.
 *
 * Text fits `width` columns (0: no limit): the second half of a wider table is printed below, and
 * the widest text column is shortened; numbers never are. With `colour`, marks with a word of
 * failure, and counts above 0 in columns whose id is such a word ("fails", "partly"), are red or
 * yellow. A table without rows is its title, "none" and its notes, also in Markdown.
 *
 * JSON: {"schema": 1, "portmeter", "title", "parts": [...]}, a part being {"heading"},
 * {"label", "text"} or {"table": {"id", "title", "columns": [{"id", "heading", "kind"}],
 * "rows": [[...]], "notes": [...]}}. A number with an interval is {"value", "low", "high"}; null is
 * an empty cell, NaN or an infinity. Times are nanoseconds, shares 0 to 1.
 */
struct pm_render_options {
    unsigned width;
    bool colour;
};
PM_MUST_USE int pm_report_render(const struct pm_report *report, enum pm_report_format format,
                                 const struct pm_render_options *options, struct pm_sink *sink,
                                 struct pm_error *err);

#endif

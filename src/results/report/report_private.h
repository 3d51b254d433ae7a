/* Declares what the files of this room share: the structs of tables, reports and figures, the
 * renderers, and how HTML shows states. */
#ifndef PM_REPORT_PRIVATE_H
#define PM_REPORT_PRIVATE_H

#include <jansson.h>

#include "report/figure.h"
#include "report/table.h"
#include "text/display.h"
#include "text/numbers.h"

enum pm_report__filling {
    PM_FILL_EMPTY,
    PM_FILL_TEXT,
    PM_FILL_COUNT,
    PM_FILL_NUMBER,
    PM_FILL_INTERVAL
};

struct pm_report__cell {
    enum pm_report__filling filling;
    char *text;
    int64_t count;
    double value, low, high;
};

struct pm_report__column {
    char *id, *heading;
    enum pm_cell_kind kind;
    bool intervals; /* its cells may have intervals */
    /* Set when the table is finished: */
    bool has_intervals;              /* a cell has an interval */
    bool is_empty;                   /* no cell has a value: only JSON and CSV have the column */
    const struct pm_text_unit *unit; /* unit of a column of times */
};

struct pm_table {
    char *id, *title;
    struct pm_report__column *columns;
    size_t column_count, column_capacity;
    const struct pm_column **described; /* columns whose cells pm_table_row() sets */
    size_t described_count, described_capacity;
    size_t second_half; /* index of its first column; 0: the table has none */
    bool grouped, folded, picture, matrix, bars;
    struct pm_report__about {
        char *key, *value;
    } * about;
    size_t about_count, about_capacity;
    struct pm_report__cell *cells; /* row after row */
    size_t cell_count, cell_capacity;
    char **notes;
    size_t note_count, note_capacity;
};

enum pm_report__part_kind { PM_PART_HEADING, PM_PART_LINE, PM_PART_TABLE };

struct pm_report__part {
    enum pm_report__part_kind kind;
    char *label, *text;       /* a heading has no label                        */
    char *command;            /* command of a line, which precedes `text`; or NULL */
    bool code;                /* `text` is a script of several lines */
    struct pm_figure *figure; /* figure of a line, owned; or NULL */
    struct pm_table *table;   /* owned                                         */
    struct pm_report **pages; /* one per row of the table, owned; NULL: none */
};

struct pm_report {
    char *title;
    struct pm_report__part *parts;
    size_t part_count, part_capacity;
    bool folds;   /* tables that are added from now on are folded */
    json_t *data; /* an object; NULL: none */
};

struct pm_report__series {
    char *name;
    enum pm_drawing drawing;
    struct pm_report__point {
        double x, y, low; /* low: the lower end of a bar */
    } * points;
    size_t count, capacity;
};

struct pm_report__panel {
    char *title;
    struct pm_report__axis {
        char *title; /* NULL: none */
        bool logarithmic, plain;
        double low, high; /* the ends of the axis; if equal, the points decide */
    } axes[PM_AXIS_COUNT];
    struct pm_report__tick {
        double at;
        char *label;
    } * ticks;
    size_t tick_count, tick_capacity;
    struct pm_report__series *series;
    size_t count, capacity;
};

struct pm_figure {
    char *id, *title;
    struct pm_report__panel *panels;
    size_t count, capacity;
    size_t columns; /* panels side by side; 0: one */
    bool wide;      /* the panels are twice as wide */
};

/* Draws a figure as SVG inside an HTML page: without titles, descriptions, filters and empty
 * groups. The ids begin with "f" and `number`, so that they are unique in the page. Appends the SVG
 * without its first characters "<svg". Has the errors of pm_figure_render(). */
PM_MUST_USE int pm_report__inline_svg(const struct pm_figure *figure, size_t number,
                                      struct pm_str *out, struct pm_error *err);

/* Renderers append the whole report to `out`. */
typedef int pm_report__renderer(const struct pm_report *report,
                                const struct pm_render_options *options, struct pm_str *out,
                                struct pm_error *err);
pm_report__renderer pm_report__text, pm_report__markdown, pm_report__json, pm_report__csv,
    pm_report__latex, pm_report__html;

/* Returns the unit of a column in JSON: "ns", "fraction", "ratio" or "". CSV appends "ns" to the
 * ids of columns of times. */
const char *pm_report__unit_text(enum pm_cell_kind kind);

/* How a state looks in HTML: a class of the style sheet, and a sign that needs no colour. */
struct pm_report__look {
    const char *class, *sign, *meaning; /* meaning: text in the legend of a picture */
};
enum {
    PM_LOOK_WORKS,
    PM_LOOK_LIMITS,
    PM_LOOK_PARTLY,
    PM_LOOK_FAILS,
    PM_LOOK_ABSENT,
    PM_LOOK_HOST,
    PM_LOOK_OTHER,
    PM_LOOK_COUNT
};
extern const struct pm_report__look pm_report__looks[PM_LOOK_COUNT];
/* Returns the look of a state or of a tally ("3 of 5"); for another word, that of PM_LOOK_OTHER. */
const struct pm_report__look *pm_report__look_of(const char *word);
/* Returns the common look of all cells of a row except the first; NULL if their looks differ, or if
 * one is not a state. The row has `count` cells. */
const struct pm_report__look *pm_report__look_of_row(const struct pm_report__cell *cells,
                                                     size_t count);

/* Sets the members of the columns that depend on the cells. Call it when the table has all its
 * cells. */
void pm_report__finish(struct pm_table *table);
/* Returns the index after the run of columns, from `i` on, that have the same text in this row.
 * Sets *span to the number of visible columns in the run. HTML shows a run as one wide cell. */
size_t pm_report__end_of_run(const struct pm_table *table, size_t row, size_t i, size_t *span);
/* Appends a text such as "latency (us) [95 % interval]". */
void pm_report__heading(const struct pm_report__column *column, struct pm_str *out);
/* Appends the text of a cell to `value`, and "[low, high]" to `interval` if the cell has one. */
void pm_report__format_cell(const struct pm_report__cell *cell,
                            const struct pm_report__column *column, struct pm_str *value,
                            struct pm_str *interval);

#endif

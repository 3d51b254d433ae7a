/* What the files of this room share: the values behind the handles, and text on a terminal. */
#ifndef PM_REPORT_PRIVATE_H
#define PM_REPORT_PRIVATE_H

#include <jansson.h>

#include "report/figure.h"
#include "report/table.h"

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
};

struct pm_table {
    char *id, *title;
    struct pm_report__column *columns;
    size_t column_count, column_capacity;
    size_t second_half; /* its first column; 0: there is none */
    struct pm_report__cell *cells; /* row after row */
    size_t cell_count, cell_capacity;
    char **notes;
    size_t note_count, note_capacity;
};

enum pm_report__part_kind { PM_PART_HEADING, PM_PART_LINE, PM_PART_TABLE };

struct pm_report__part {
    enum pm_report__part_kind kind;
    char *label, *text;     /* a heading has no label */
    struct pm_table *table; /* owned                  */
};

struct pm_report {
    char *title;
    struct pm_report__part *parts;
    size_t part_count, part_capacity;
};

struct pm_report__series {
    char *name;
    struct pm_report__point {
        double x, y;
    } * points;
    size_t count, capacity;
};

struct pm_report__panel {
    char *title;
    struct pm_report__axis {
        char *title; /* NULL: none */
        bool logarithmic;
    } axes[PM_AXIS_COUNT];
    enum pm_corner legend;
    struct pm_report__series *series;
    size_t count, capacity;
};

struct pm_figure {
    char *id, *title;
    struct pm_report__panel *panels;
    size_t count, capacity;
};

/* Renderers append the whole report to `out`. */
typedef void pm_report__renderer(const struct pm_report *report,
                                 const struct pm_render_options *options, struct pm_str *out);
pm_report__renderer pm_report__text, pm_report__markdown, pm_report__json;

/* The cell as text: the value, and apart from it "[low, high]" where it has an interval. */
void pm_report__format_cell(const struct pm_report__cell *cell, enum pm_cell_kind kind,
                            struct pm_str *value, struct pm_str *interval);

/* The cell's text as one line of valid UTF-8 without control bytes. */
void pm_report__clean(struct pm_str *out, const char *text);

/* Columns that valid UTF-8 takes on a terminal: 0 for combining marks, 2 for wide characters
 * (Unicode Standard Annex 11, "East Asian Width"), else 1. */
size_t pm_report__width(const char *text);

/* Appends `text`, cut to `columns` with "..." behind where it is wider. */
void pm_report__cut(struct pm_str *out, const char *text, size_t columns);

void pm_report__pad(struct pm_str *out, size_t columns);

#endif

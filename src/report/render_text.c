/* Aligned columns for a terminal, as in the first example of README.md: lower-case headings, two
 * spaces between columns, numbers right-aligned, no boxes. */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "report/report_private.h"

enum { GAP = 2, LABEL_COLUMNS = 16, LEAST_TEXT_COLUMNS = 12 };

/* Words that need attention: as marks, and as ids of columns of counts. */
static const struct {
    const char *word, *colour;
} colours[] = {
#define RED    "\033[31m"
#define YELLOW "\033[33m"
    {"fail", RED},        {"fails", RED},
    {"failed", RED},      {"crash", RED},
    {"timeout", RED},     {"memory", RED},
    {"harness", RED},     {"complete failure", RED},
    {"broken", RED},      {"invalid", RED},
    {"missing", RED},     {"partly", YELLOW},
    {"partial", YELLOW},  {"partial failure", YELLOW},
    {"flaky", YELLOW},    {"unstable", YELLOW},
    {"fallback", YELLOW}, {"blocked", YELLOW},
};
static const char colour_off[] = "\033[0m";

struct cell_text {
    struct pm_str value, interval;
    const char *colour; /* NULL: none                                                     */
    bool is_text;       /* uses the whole column: "reference" among shares                */
};

struct column_layout {
    size_t value, interval; /* the widest number and interval: intervals are aligned            */
    size_t width;           /* of the whole column, including heading and texts                 */
};

struct layout {
    const struct pm_table *table;
    struct cell_text *cells;
    struct column_layout *columns;
    size_t from, to; /* the columns to print, besides the first one */
};

static bool is_shown(const struct layout *layout, size_t column)
{
    return !column || (column >= layout->from && column < layout->to);
}

static const char *colour_of_word(const char *word)
{
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (strcasecmp(colours[i].word, word) == 0)
            return colours[i].colour;
    return NULL;
}

static const char *colour_of(const struct pm_report__cell *cell,
                             const struct pm_report__column *column)
{
    if (column->kind == PM_CELL_MARK && cell->filling == PM_FILL_TEXT)
        return colour_of_word(cell->text);
    const bool some = cell->filling == PM_FILL_COUNT && cell->count > 0;
    return some ? colour_of_word(column->id) : NULL;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void cell_init(struct cell_text *text, const struct pm_report__cell *cell,
                      const struct pm_report__column *column, bool colour)
{
    pm_str_init(&text->value);
    pm_str_init(&text->interval);
    pm_report__format_cell(cell, column->kind, &text->value, &text->interval);
    text->is_text = cell->filling == PM_FILL_TEXT;
    text->colour = colour ? colour_of(cell, column) : NULL;
}

/* Formats the cells of a column and computes its width. */
static void layout_column(struct layout *layout, size_t index, bool colour)
{
    const struct pm_table *table = layout->table;
    struct column_layout *column = &layout->columns[index];
    column->width = pm_report__width(table->columns[index].heading);
    for (size_t i = index; i < table->cell_count; i += table->column_count) {
        struct cell_text *cell = &layout->cells[i];
        cell_init(cell, &table->cells[i], &table->columns[index], colour);
        size_t *width = cell->is_text ? &column->width : &column->value;
        *width = max_size(*width, pm_report__width(cell->value.data));
        column->interval = max_size(column->interval, cell->interval.length);
    }
    const size_t tail = column->interval ? 1 + column->interval : 0;
    column->width = max_size(column->width, column->value + tail);
}

static size_t total_width(const struct layout *layout)
{
    size_t total = 0;
    for (size_t i = 0; i < layout->table->column_count; i++)
        if (is_shown(layout, i))
            total += (i ? GAP : 0) + layout->columns[i].width;
    return total;
}

/* Shortens the widest text column until the table fits the screen. */
static void fit(struct layout *layout, size_t screen)
{
    const struct pm_table *table = layout->table;
    const size_t total = total_width(layout);
    if (!screen || total <= screen)
        return;
    size_t widest = table->column_count;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].kind == PM_CELL_TEXT && is_shown(layout, i) &&
            (widest == table->column_count ||
             layout->columns[i].width > layout->columns[widest].width))
            widest = i;
    if (widest == table->column_count)
        return;
    struct column_layout *column = &layout->columns[widest];
    const size_t heading = pm_report__width(table->columns[widest].heading);
    const size_t least = max_size(heading, LEAST_TEXT_COLUMNS), excess = total - screen;
    if (column->width > least)
        column->width = max_size(least, column->width > excess ? column->width - excess : 0);
}

static void layout_init(struct layout *layout, const struct pm_table *table,
                        const struct pm_render_options *options)
{
    layout->table = table;
    layout->cells = pm_alloc(table->cell_count * sizeof *layout->cells);
    layout->columns = pm_alloc(table->column_count * sizeof *layout->columns);
    for (size_t i = 0; i < table->column_count; i++)
        layout_column(layout, i, options->colour);
    layout->from = 0;
    layout->to = table->column_count;
}

static void layout_release(struct layout *layout)
{
    for (size_t i = 0; i < layout->table->cell_count; i++) {
        pm_str_release(&layout->cells[i].value);
        pm_str_release(&layout->cells[i].interval);
    }
    free(layout->cells);
    free(layout->columns);
}

static void add_coloured(struct pm_str *out, const char *text, const char *colour)
{
    if (colour)
        pm_str_add(out, colour);
    pm_str_add(out, text);
    if (colour)
        pm_str_add(out, colour_off);
}

/* Aligns `text` in `width` columns, by the kind of cell. */
static void add_aligned(struct pm_str *out, const char *text, const char *colour,
                        enum pm_cell_kind kind, size_t width)
{
    struct pm_str shown = PM_STR_INIT;
    if (kind == PM_CELL_TEXT)
        pm_report__cut(&shown, text, width);
    else
        pm_str_add(&shown, text);
    const size_t used = pm_report__width(shown.data), spare = width > used ? width - used : 0;
    const size_t before = kind == PM_CELL_TEXT ? 0 : kind == PM_CELL_MARK ? spare / 2 : spare;
    pm_report__pad(out, before);
    add_coloured(out, shown.data, colour);
    pm_report__pad(out, spare - before);
    pm_str_release(&shown);
}

static void add_cell(struct pm_str *out, const struct cell_text *cell,
                     const struct column_layout *column, enum pm_cell_kind kind)
{
    const size_t tail = column->interval && !cell->is_text ? 1 + column->interval : 0;
    add_aligned(out, cell->value.data, cell->colour, kind, column->width - tail);
    if (tail) {
        pm_str_add_char(out, ' ');
        pm_str_add(out, cell->interval.data);
        pm_report__pad(out, column->interval - cell->interval.length);
    }
}

static void end_line(struct pm_str *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    pm_str_add_char(out, '\n');
}

static void add_clean_line(struct pm_str *out, const char *text)
{
    pm_report__clean(out, text);
    end_line(out);
}

static void add_headings(struct pm_str *out, const struct layout *layout)
{
    const struct pm_table *table = layout->table;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct pm_report__column *column = &table->columns[i];
        if (!is_shown(layout, i))
            continue;
        pm_report__pad(out, i ? GAP : 0);
        add_aligned(out, column->heading, NULL, column->kind, layout->columns[i].width);
    }
    end_line(out);
}

static void add_row(struct pm_str *out, const struct layout *layout, size_t index)
{
    const struct pm_table *table = layout->table;
    const struct cell_text *cells = &layout->cells[index * table->column_count];
    for (size_t i = 0; i < table->column_count; i++) {
        if (!is_shown(layout, i))
            continue;
        pm_report__pad(out, i ? GAP : 0);
        add_cell(out, &cells[i], &layout->columns[i], table->columns[i].kind);
    }
    end_line(out);
}

/* The columns from..to of all rows, below their headings. */
static void add_columns(struct pm_str *out, struct layout *layout, size_t from, size_t to,
                        size_t screen)
{
    layout->from = from;
    layout->to = to;
    fit(layout, screen);
    add_headings(out, layout);
    for (size_t i = 0; i < pm_table_rows(layout->table); i++)
        add_row(out, layout, i);
}

static void add_cells(struct pm_str *out, struct layout *layout, size_t screen)
{
    const size_t count = layout->table->column_count, half = layout->table->second_half;
    if (!half || !screen || total_width(layout) <= screen) {
        add_columns(out, layout, 0, count, screen);
        return;
    }
    add_columns(out, layout, 0, half, screen);
    pm_str_add_char(out, '\n');
    add_columns(out, layout, half, count, screen);
}

static void add_table(struct pm_str *out, const struct pm_table *table,
                      const struct pm_render_options *options)
{
    struct layout layout;
    layout_init(&layout, table, options);
    if (*table->title)
        add_clean_line(out, table->title);
    if (table->cell_count)
        add_cells(out, &layout, options->width);
    else
        pm_str_add(out, "none\n");
    for (size_t i = 0; i < table->note_count; i++)
        add_clean_line(out, table->notes[i]);
    layout_release(&layout);
}

/* Consecutive lines share one width of their labels. */
static size_t label_columns(const struct pm_report *report, size_t index)
{
    const struct pm_report__part *parts = report->parts;
    size_t widest = LABEL_COLUMNS - GAP;
    while (index && parts[index - 1].kind == PM_PART_LINE)
        index--;
    for (; index < report->part_count && parts[index].kind == PM_PART_LINE; index++)
        widest = max_size(widest, pm_report__width(parts[index].label));
    return widest + GAP;
}

static void add_report_line(struct pm_str *out, const struct pm_report *report, size_t index)
{
    const struct pm_report__part *part = &report->parts[index];
    const bool goes_on = index && part[-1].kind == PM_PART_LINE;
    if (*part->label || goes_on)
        add_aligned(out, part->label, NULL, PM_CELL_TEXT, label_columns(report, index));
    add_clean_line(out, part->text);
}

/* An empty line separates two parts, but not consecutive lines, nor a heading and its part. */
static bool is_apart(const struct pm_report__part *above, const struct pm_report__part *below)
{
    const bool lines = above->kind == PM_PART_LINE && below->kind == PM_PART_LINE;
    return !lines && above->kind != PM_PART_HEADING;
}

void pm_report__text(const struct pm_report *report, const struct pm_render_options *options,
                     struct pm_str *out)
{
    if (*report->title) {
        add_clean_line(out, report->title);
        if (report->part_count)
            pm_str_add_char(out, '\n');
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        if (i && is_apart(&part[-1], part))
            pm_str_add_char(out, '\n');
        switch (part->kind) {
        case PM_PART_HEADING:
            add_clean_line(out, part->text);
            break;
        case PM_PART_LINE:
            add_report_line(out, report, i);
            break;
        case PM_PART_TABLE:
            add_table(out, part->table, options);
        }
    }
}

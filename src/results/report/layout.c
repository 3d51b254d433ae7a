/* Computes the widths of the columns of a table on a screen. */
#include "report/layout.h"

#include <string.h>

#include "base/alloc.h"

/* The least widths of names and texts, in columns of the screen. The steps that struct
 * pm_render_options describes keep the EASY widths. Only if all steps fail, LEAST applies. */
enum { EASY_NAME = 24, EASY_TEXT = 32, LEAST = 14 };

/* A name longer than LONG_NAME is shortened before a text gets less than WIDE_TEXT percent of the
 * screen. */
enum { LONG_NAME = 40, WIDE_TEXT = 45 };

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_breakable(const struct pm_table *table, size_t column)
{
    return table->columns[column].kind == PM_CELL_TEXT;
}

bool pm_report__layout_shows(const struct pm_report__layout *layout, size_t column)
{
    return column == layout->first || (column >= layout->from && column < layout->to &&
                                       !layout->table->columns[column].is_empty);
}

size_t pm_report__layout_indent(const struct pm_report__layout *layout)
{
    return layout->table->grouped ? PM_LAYOUT_INDENT : 0;
}

/* ---- natural widths ------------------------------------------------------------------------- */

static size_t decimals_of(const char *number)
{
    const char *point = strchr(number, '.');
    return point ? strlen(point) : 0;
}

/* Aligns the decimal points of the numbers in a column. */
static void align_points(struct pm_report__layout *layout, size_t index)
{
    const struct pm_table *table = layout->table;
    size_t most = 0;
    for (size_t i = index; i < table->cell_count; i += table->column_count)
        if (!layout->cells[i].is_text)
            most = max_size(most, decimals_of(layout->cells[i].value.data));
    for (size_t i = index; i < table->cell_count; i += table->column_count) {
        struct pm_report__cell_text *cell = &layout->cells[i];
        if (!cell->is_text && cell->value.length)
            pm_text_pad(&cell->value, most - decimals_of(cell->value.data));
    }
}

static void measure_column(struct pm_report__layout *layout, size_t index)
{
    const struct pm_table *table = layout->table;
    struct pm_report__column_width *column = &layout->columns[index];
    for (size_t i = index; i < table->cell_count; i += table->column_count) {
        const struct pm_report__cell_text *cell = &layout->cells[i];
        size_t *width = cell->is_text ? &column->cells : &column->value;
        *width = max_size(*width, pm_text_width(cell->value.data));
        column->interval = max_size(column->interval, cell->interval.length);
    }
    const size_t tail = column->interval ? 1 + column->interval : 0;
    column->cells = max_size(column->cells, column->value + tail);
}

/* Keeps a number and its unit together: a heading is not broken between "95" and its "%". */
static void keep_together(char *heading)
{
    char *bracket = strchr(heading, '['), *space = bracket ? strchr(bracket, ' ') : NULL;
    if (space)
        *space = PM_LAYOUT_KEPT_SPACE;
}

static void init_column(struct pm_report__layout *layout, size_t index)
{
    const struct pm_table *table = layout->table;
    pm_str_init(&layout->columns[index].heading);
    pm_report__heading(&table->columns[index], &layout->columns[index].heading);
    keep_together(layout->columns[index].heading.data);
    for (size_t i = index; i < table->cell_count; i += table->column_count) {
        struct pm_report__cell_text *cell = &layout->cells[i];
        pm_str_init(&cell->value);
        pm_str_init(&cell->interval);
        pm_report__format_cell(&table->cells[i], &table->columns[index], &cell->value,
                               &cell->interval);
        cell->is_text = table->cells[i].filling == PM_FILL_TEXT;
    }
    if (table->columns[index].kind == PM_CELL_TIME)
        align_points(layout, index);
    measure_column(layout, index);
}

void pm_report__layout_init(struct pm_report__layout *layout, const struct pm_table *table)
{
    *layout = (struct pm_report__layout){
        .table = table,
        .cells = pm_alloc((table->cell_count + 1) * sizeof *layout->cells),
        .columns = pm_alloc((table->column_count + 1) * sizeof *layout->columns),
        .first = table->grouped && table->column_count > 1,
    };
    for (size_t i = 0; i < table->column_count; i++)
        init_column(layout, i);
}

void pm_report__layout_release(struct pm_report__layout *layout)
{
    for (size_t i = 0; i < layout->table->cell_count; i++) {
        pm_str_release(&layout->cells[i].value);
        pm_str_release(&layout->cells[i].interval);
    }
    for (size_t i = 0; i < layout->table->column_count; i++)
        pm_str_release(&layout->columns[i].heading);
    free(layout->cells);
    free(layout->columns);
}

/* ---- fitting -------------------------------------------------------------------------------- */

static size_t total_width(const struct pm_report__layout *layout)
{
    size_t total = pm_report__layout_indent(layout);
    const size_t end = layout->below ? layout->to - 1 : layout->to;
    for (size_t i = 0; i < end; i++)
        if (pm_report__layout_shows(layout, i))
            total += (i == layout->first ? 0 : PM_LAYOUT_GAP) + layout->columns[i].width;
    return total;
}

static size_t longest_word(const char *text)
{
    size_t longest = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        longest = max_size(longest, length);
        text += length + (text[length] == ' ');
    }
    return longest;
}

/* Sets the widths that the columns need for all of their cells, with headings in one line or, if
 * `broken`, in several. */
static void natural_widths(struct pm_report__layout *layout, bool broken)
{
    for (size_t i = 0; i < layout->table->column_count; i++) {
        struct pm_report__column_width *column = &layout->columns[i];
        const char *heading = column->heading.data;
        column->width =
            max_size(column->cells, broken ? longest_word(heading) : pm_text_width(heading));
    }
}

static size_t least_of(const struct pm_report__layout *layout, size_t column, size_t name,
                       size_t text)
{
    const struct pm_report__column_width *c = &layout->columns[column];
    const size_t heading = longest_word(c->heading.data);
    const enum pm_cell_kind kind = layout->table->columns[column].kind;
    const size_t least = kind == PM_CELL_TEXT ? text : kind == PM_CELL_NAME ? name : c->width;
    return max_size(heading, min_size(least, c->width));
}

/* Narrows the widest column that may become narrower, again and again, until the table fits the
 * screen. Returns whether it fits. */
static bool shrink(struct pm_report__layout *layout, size_t screen, size_t name, size_t text)
{
    for (size_t total; (total = total_width(layout)) > screen;) {
        size_t widest = SIZE_MAX;
        for (size_t i = 0; i < layout->to - layout->below; i++)
            if (pm_report__layout_shows(layout, i) &&
                layout->columns[i].width > least_of(layout, i, name, text) &&
                (widest == SIZE_MAX || layout->columns[i].width > layout->columns[widest].width))
                widest = i;
        if (widest == SIZE_MAX)
            return false;
        struct pm_report__column_width *column = &layout->columns[widest];
        const size_t least = least_of(layout, widest, name, text), excess = total - screen;
        column->width = column->width - least > excess ? column->width - excess : least;
    }
    return true;
}

/* Tries the steps that struct pm_render_options describes, in order, but keeps the EASY widths.
 * Returns whether the columns fit. */
static bool fits_well(struct pm_report__layout *layout, size_t screen)
{
    const size_t last = layout->to - 1, wide = max_size(EASY_TEXT, screen * WIDE_TEXT / 100);
    layout->below = false;
    natural_widths(layout, false);
    if (total_width(layout) <= screen)
        return true;
    natural_widths(layout, true);
    if (shrink(layout, screen, LONG_NAME, wide))
        return true;
    natural_widths(layout, true);
    if (shrink(layout, screen, SIZE_MAX, EASY_TEXT) || shrink(layout, screen, EASY_NAME, EASY_TEXT))
        return true;
    if (is_breakable(layout->table, last) && last > layout->first) {
        natural_widths(layout, true);
        layout->below = true;
        layout->columns[last].width = screen > PM_LAYOUT_BELOW ? screen - PM_LAYOUT_BELOW : 1;
    }
    return shrink(layout, screen, EASY_NAME, EASY_TEXT);
}

void pm_report__layout_band(struct pm_report__layout *layout, size_t from, size_t screen)
{
    const size_t half = layout->table->second_half;
    layout->from = from;
    layout->to = layout->table->column_count;
    if (!screen) {
        natural_widths(layout, false);
        return;
    }
    if (fits_well(layout, screen))
        return;
    if (from < half)
        layout->to = half;
    while (layout->to > from + 1 && !fits_well(layout, screen))
        layout->to--;
    if (!fits_well(layout, screen))
        shrink(layout, screen, LEAST, LEAST);
}

/* Builds tables as values: columns and cells. */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "report/report_private.h"

struct pm_table *pm_table_new(const char *id, const char *title)
{
    struct pm_table *table = pm_alloc(sizeof *table);
    table->id = pm_strdup(id);
    table->title = pm_strdup(title);
    return table;
}

void pm_table_free(struct pm_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->column_count; i++) {
        free(table->columns[i].id);
        free(table->columns[i].heading);
    }
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i].text);
    free(table->columns);
    free(table->described);
    free(table->cells);
    for (size_t i = 0; i < table->about_count; i++) {
        free(table->about[i].key);
        free(table->about[i].value);
    }
    free(table->about);
    pm_free_strings(table->notes, table->note_count);
    free(table->id);
    free(table->title);
    free(table);
}

void pm_table_column(struct pm_table *table, const char *id, const char *heading,
                     enum pm_cell_kind kind)
{
    if (table->cell_count)
        PM_BUG("a column is added after the first cell");
    for (size_t i = 0; i < table->column_count; i++)
        if (!strcmp(table->columns[i].id, id))
            PM_BUG("two columns have the same id");
    PM_GROW(table->columns, table->column_count, table->column_capacity);
    table->columns[table->column_count++] = (struct pm_report__column){
        .id = pm_strdup(id), .heading = pm_line_clean(pm_strdup(heading)), .kind = kind};
}

void pm_table_intervals(struct pm_table *table)
{
    if (!table->column_count)
        PM_BUG("a table has intervals but no column");
    table->columns[table->column_count - 1].intervals = true;
}

void pm_table_group(struct pm_table *table)
{
    table->grouped = true;
}

void pm_table_picture(struct pm_table *table)
{
    table->picture = true;
}

void pm_table_matrix(struct pm_table *table)
{
    table->matrix = true;
}

void pm_table_bars(struct pm_table *table)
{
    table->bars = true;
}

void pm_table_about(struct pm_table *table, const char *key, const char *value)
{
    PM_GROW(table->about, table->about_count, table->about_capacity);
    table->about[table->about_count++] =
        (struct pm_report__about){.key = pm_strdup(key), .value = pm_strdup(value)};
}

void pm_table_second_half(struct pm_table *table)
{
    table->second_half = table->column_count;
}

static void add_cell(struct pm_table *table, struct pm_report__cell cell)
{
    if (!table->column_count)
        PM_BUG("a table has a cell but no column");
    PM_GROW(table->cells, table->cell_count, table->cell_capacity);
    table->cells[table->cell_count++] = cell;
}

void pm_table_text(struct pm_table *table, const char *text)
{
    add_cell(table, (struct pm_report__cell){.filling = PM_FILL_TEXT, .text = pm_strdup(text)});
}

void pm_table_count(struct pm_table *table, int64_t value)
{
    add_cell(table, (struct pm_report__cell){.filling = PM_FILL_COUNT, .count = value});
}

void pm_table_number(struct pm_table *table, double value)
{
    add_cell(table, (struct pm_report__cell){.filling = PM_FILL_NUMBER, .value = value});
}

void pm_table_interval(struct pm_table *table, double value, double low, double high)
{
    add_cell(table, (struct pm_report__cell){
                        .filling = PM_FILL_INTERVAL, .value = value, .low = low, .high = high});
}

void pm_table_empty(struct pm_table *table)
{
    add_cell(table, (struct pm_report__cell){.filling = PM_FILL_EMPTY});
}

static bool are_equal(const struct pm_report__cell *a, const struct pm_report__cell *b,
                      size_t columns)
{
    for (size_t i = 1; i < columns; i++)
        if (strcmp(a[i].text, b[i].text) != 0)
            return false;
    return true;
}

void pm_table_join_rows(struct pm_table *table, size_t first)
{
    const size_t columns = table->column_count, rows = pm_table_rows(table);
    size_t kept = first;
    for (size_t row = first; row < rows; row++) {
        struct pm_report__cell *cells = &table->cells[row * columns];
        size_t same = first;
        while (same < kept && !are_equal(&table->cells[same * columns], cells, columns))
            same++;
        if (same == kept) {
            memmove(&table->cells[kept++ * columns], cells, columns * sizeof *cells);
            continue;
        }
        char **name = &table->cells[same * columns].text;
        char *joined = pm_format("%s, %s", *name, cells->text);
        free(*name);
        *name = joined;
        for (size_t i = 0; i < columns; i++)
            free(cells[i].text);
    }
    if (kept < rows)
        table->cell_count = kept * columns;
}

void pm_table_note(struct pm_table *table, const char *text)
{
    PM_GROW(table->notes, table->note_count, table->note_capacity);
    table->notes[table->note_count++] = pm_strdup(text);
}

size_t pm_table_rows(const struct pm_table *table)
{
    return table->column_count ? table->cell_count / table->column_count : 0;
}

/* ---- finished tables ------------------------------------------------------------------------ */

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool has_interval(const struct pm_report__cell *cell)
{
    return cell->filling == PM_FILL_INTERVAL && !isnan(cell->value) && !isnan(cell->low) &&
           !isnan(cell->high);
}

static bool has_value(const struct pm_report__cell *cell)
{
    if (cell->filling == PM_FILL_TEXT)
        return *cell->text;
    const bool number = cell->filling == PM_FILL_NUMBER || cell->filling == PM_FILL_INTERVAL;
    return cell->filling == PM_FILL_COUNT || (number && !isnan(cell->value));
}

/* Sets the members of a column that depend on its cells. The unit suits the median, so that most
 * numbers have few digits before and after the point. */
static void finish_column(struct pm_table *table, size_t index)
{
    struct pm_report__column *column = &table->columns[index];
    double *values = pm_alloc((pm_table_rows(table) + 1) * sizeof *values);
    size_t count = 0;
    column->is_empty = index > 0;
    for (size_t i = index; i < table->cell_count; i += table->column_count) {
        const struct pm_report__cell *cell = &table->cells[i];
        column->has_intervals |= has_interval(cell);
        column->is_empty &= !has_value(cell);
        if ((cell->filling == PM_FILL_NUMBER || cell->filling == PM_FILL_INTERVAL) &&
            isfinite(cell->value))
            values[count++] = cell->value;
    }
    qsort(values, count, sizeof *values, by_size);
    if (column->kind == PM_CELL_TIME)
        column->unit = pm_text_time_unit(count ? values[count / 2] : 0);
    free(values);
}

void pm_report__finish(struct pm_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        finish_column(table, i);
}

size_t pm_report__end_of_run(const struct pm_table *table, size_t row, size_t i, size_t *span)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    size_t end = i + 1;
    *span = 1;
    for (; end < table->column_count && table->columns[end].kind == PM_CELL_MARK; end++) {
        if (table->columns[end].is_empty)
            continue;
        if (cells[i].filling != PM_FILL_TEXT || cells[end].filling != PM_FILL_TEXT ||
            strcmp(cells[i].text, cells[end].text) != 0)
            break;
        ++*span;
    }
    return end;
}

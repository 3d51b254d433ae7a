/* Formats the cells and headings of a table as text. */
#include <math.h>

#include "report/report_private.h"
#include "text/display.h"
#include "text/numbers.h"

void pm_report__heading(const struct pm_report__column *column, struct pm_str *out)
{
    pm_str_add(out, column->heading);
    if (column->kind == PM_CELL_SHARE)
        pm_str_add(out, " (%)");
    if (column->unit)
        pm_str_addf(out, " (%s)", column->unit->name);
    if (column->has_intervals)
        pm_str_add(out, " [95 % interval]");
}

/* Adds a value or a bound of its interval. The bound of a ratio is a factor in the direction of
 * `value`. */
static void add_number(struct pm_str *out, double number, double value,
                       const struct pm_report__column *column)
{
    switch (column->kind) {
    case PM_CELL_SHARE:
        pm_text_decimals(out, number * 100, 0);
        break;
    case PM_CELL_TIME:
        pm_text_significant(out, number / column->unit->size, PM_TEXT_DIGITS);
        break;
    case PM_CELL_RATIO:
        pm_text_significant(out, value >= 1 ? number : 1 / number, PM_TEXT_RATIO_DIGITS);
        break;
    case PM_CELL_NUMBER:
        if (number != 0 && (fabs(number) < 1e-2 || fabs(number) >= 1e6)) {
            pm_str_addf(out, "%.1e", number);
            break;
        }
        pm_text_significant(out, number, PM_TEXT_DIGITS);
        break;
    default:
        pm_text_significant(out, number, PM_TEXT_DIGITS);
    }
}

static void add_interval(struct pm_str *out, const struct pm_report__cell *cell,
                         const struct pm_report__column *column)
{
    const bool turned = column->kind == PM_CELL_RATIO && cell->value < 1;
    if (isnan(cell->value) || isnan(cell->low) || isnan(cell->high))
        return;
    pm_str_add_char(out, '[');
    add_number(out, turned ? cell->high : cell->low, cell->value, column);
    pm_str_add(out, ", ");
    add_number(out, turned ? cell->low : cell->high, cell->value, column);
    pm_str_add_char(out, ']');
}

static void add_value(struct pm_str *out, double value, const struct pm_report__column *column)
{
    if (isnan(value))
        return;
    if (column->kind == PM_CELL_SHARE)
        pm_text_percent(out, value);
    else if (column->kind == PM_CELL_RATIO)
        pm_text_ratio(out, value);
    else
        add_number(out, value, value, column);
}

void pm_report__format_cell(const struct pm_report__cell *cell,
                            const struct pm_report__column *column, struct pm_str *value,
                            struct pm_str *interval)
{
    switch (cell->filling) {
    case PM_FILL_EMPTY:
        break;
    case PM_FILL_TEXT:
        pm_text_clean(value, cell->text);
        break;
    case PM_FILL_COUNT:
        pm_text_count(value, cell->count);
        break;
    case PM_FILL_INTERVAL:
        add_interval(interval, cell, column);
        /* fall through */
    case PM_FILL_NUMBER:
        add_value(value, cell->value, column);
    }
}

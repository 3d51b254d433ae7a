/* The table of a report as CSV (RFC 4180): numbers are not rounded, units are in the headings. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/report_private.h"

/* Returns whether a text begins with a character by which a spreadsheet recognises a formula, and
 * runs it. Some recognise full-width forms too: U+FF1D, U+FF0B, U+FF0D, U+FF20. */
static bool is_formula(const char *text)
{
    static const char *const signs[] = {
        "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (pm_starts_with(text, signs[i]))
            return true;
    return false;
}

static void add_text(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_text_clean(&text, raw);
    const bool quoted = strpbrk(text.data, "\",") || pm_starts_with(text.data, " ");
    if (quoted)
        pm_str_add_char(out, '"');
    if (is_formula(text.data))
        pm_str_add_char(out, '\'');
    for (const char *at = text.data; *at; at++) {
        if (*at == '"')
            pm_str_add_char(out, '"');
        pm_str_add_char(out, *at);
    }
    if (quoted)
        pm_str_add_char(out, '"');
    pm_str_release(&text);
}

/* Appends a number with 17 digits, which give the same double again. */
static void add_number(struct pm_str *out, double value)
{
    if (isfinite(value))
        pm_str_addf(out, "%.17g", value);
}

static void add_cell(struct pm_str *out, const struct pm_report__cell *cell, bool intervals)
{
    const bool bounds = cell->filling == PM_FILL_INTERVAL;
    if (cell->filling == PM_FILL_TEXT)
        add_text(out, cell->text);
    else if (cell->filling == PM_FILL_COUNT)
        pm_str_addf(out, "%" PRId64, cell->count);
    else if (cell->filling != PM_FILL_EMPTY)
        add_number(out, cell->value);
    if (!intervals)
        return;
    pm_str_add_char(out, ',');
    add_number(out, bounds ? cell->low : NAN);
    pm_str_add_char(out, ',');
    add_number(out, bounds ? cell->high : NAN);
}

/* Appends a text such as "latency_ns", or with intervals
 * "latency_ns,latency_low_ns,latency_high_ns". */
static void add_heading(struct pm_str *out, const struct pm_report__column *column)
{
    static const char *const bounds[] = {"", "_low", "_high"};
    const bool named = column->kind == PM_CELL_TIME;
    for (size_t i = 0; i < (column->intervals ? 3 : 1); i++) {
        struct pm_str heading = PM_STR_INIT;
        pm_str_addf(&heading, "%s%s%s%s", column->id, bounds[i], named ? "_" : "",
                    named ? pm_report__unit_text(column->kind) : "");
        pm_str_add(out, i ? "," : "");
        add_text(out, heading.data);
        pm_str_release(&heading);
    }
}

static void add_table(struct pm_str *out, const struct pm_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        pm_str_add(out, i ? "," : "");
        add_heading(out, &table->columns[i]);
    }
    pm_str_add(out, "\r\n");
    for (size_t i = 0; i < table->cell_count; i++) {
        const size_t column = i % table->column_count;
        pm_str_add(out, column ? "," : "");
        add_cell(out, &table->cells[i], table->columns[column].intervals);
        pm_str_add(out, column + 1 == table->column_count ? "\r\n" : "");
    }
}

int pm_report__csv(const struct pm_report *report, const struct pm_render_options *options,
                   struct pm_str *out, struct pm_error *err)
{
    (void)options;
    const struct pm_table *table = NULL;
    size_t tables = 0;
    for (size_t i = 0; i < report->part_count; i++)
        if (report->parts[i].kind == PM_PART_TABLE) {
            table = report->parts[i].table;
            tables++;
        }
    if (tables != 1)
        return pm_error_set(err, PM_EUSAGE,
                            "a CSV file contains one table, not %zu: use --format json", tables);
    add_table(out, table);
    return PM_OK;
}

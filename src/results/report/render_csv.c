/* Writes the tables of a report as CSV (RFC 4180). Numbers are not rounded, and headings have
 * units. Tables with the same columns become one table. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/report_private.h"

/* Returns whether a spreadsheet would run a text as a formula, because of its first character. Some
 * spreadsheets also recognise the full-width forms U+FF1D, U+FF0B, U+FF0D and U+FF20. */
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

/* Appends a number with 17 digits, from which the same double can be read back. */
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
static void add_heading(struct pm_str *out, const struct pm_report__column *column, bool intervals)
{
    static const char *const bounds[] = {"", "_low", "_high"};
    const bool named = column->kind == PM_CELL_TIME;
    for (size_t i = 0; i < (intervals ? 3 : 1); i++) {
        struct pm_str heading = PM_STR_INIT;
        pm_str_addf(&heading, "%s%s%s%s", column->id, bounds[i], named ? "_" : "",
                    named ? pm_report__unit_text(column->kind) : "");
        pm_str_add(out, i ? "," : "");
        add_text(out, heading.data);
        pm_str_release(&heading);
    }
}

/* The tables of a report, which become one table. */
struct tables {
    const struct pm_table **items;
    size_t count, capacity;
    bool named; /* their ids differ; the first column contains them */
};

static bool intervals_of(const struct tables *tables, size_t column)
{
    for (size_t i = 0; i < tables->count; i++)
        if (tables->items[i]->columns[column].intervals)
            return true;
    return false;
}

/* Returns whether the second table can continue the first: it must have the same columns, and the
 * same keys of pm_table_about(), such as ("target", "size"). */
static bool continues(const struct pm_table *first, const struct pm_table *second)
{
    if (first->column_count != second->column_count || first->about_count != second->about_count)
        return false;
    for (size_t i = 0; i < first->about_count; i++)
        if (strcmp(first->about[i].key, second->about[i].key))
            return false;
    for (size_t i = 0; i < first->column_count; i++)
        if (strcmp(first->columns[i].id, second->columns[i].id) ||
            first->columns[i].kind != second->columns[i].kind)
            return false;
    return true;
}

/* Appends the headings. If the report has several tables, the first columns say which table a row
 * comes from. */
static void add_headings(struct pm_str *out, const struct tables *tables)
{
    const struct pm_table *first = tables->items[0];
    if (tables->named)
        pm_str_add(out, "table,");
    for (size_t i = 0; tables->count > 1 && i < first->about_count; i++) {
        add_text(out, first->about[i].key);
        pm_str_add_char(out, ',');
    }
    for (size_t i = 0; i < first->column_count; i++) {
        pm_str_add(out, i ? "," : "");
        add_heading(out, &first->columns[i], intervals_of(tables, i));
    }
    pm_str_add(out, "\r\n");
}

static void add_rows(struct pm_str *out, const struct tables *tables, const struct pm_table *table)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        const size_t column = i % table->column_count;
        if (!column && tables->named) {
            add_text(out, table->id);
            pm_str_add_char(out, ',');
        }
        for (size_t k = 0; !column && tables->count > 1 && k < table->about_count; k++) {
            add_text(out, table->about[k].value);
            pm_str_add_char(out, ',');
        }
        pm_str_add(out, column ? "," : "");
        add_cell(out, &table->cells[i], intervals_of(tables, column));
        pm_str_add(out, column + 1 == table->column_count ? "\r\n" : "");
    }
}

static int collect(const struct pm_report *report, struct tables *tables, struct pm_error *err)
{
    bool same = true;
    for (size_t i = 0; i < report->part_count; i++)
        if (report->parts[i].kind == PM_PART_TABLE) {
            PM_GROW(tables->items, tables->count, tables->capacity);
            tables->items[tables->count++] = report->parts[i].table;
        }
    for (size_t i = 1; i < tables->count; i++) {
        same = same && continues(tables->items[0], tables->items[i]);
        tables->named |= strcmp(tables->items[0]->id, tables->items[i]->id) != 0;
    }
    return same && tables->count
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE,
                              "a CSV file contains one table, not %zu: use --format json",
                              tables->count);
}

int pm_report__csv(const struct pm_report *report, const struct pm_render_options *options,
                   struct pm_str *out, struct pm_error *err)
{
    (void)options;
    struct tables tables = {0};
    const int rc = collect(report, &tables, err);
    if (!rc)
        add_headings(out, &tables);
    for (size_t i = 0; !rc && i < tables.count; i++)
        add_rows(out, &tables, tables.items[i]);
    free(tables.items);
    return rc;
}

/* Writes the report as JSON: numbers are not rounded, and unknown values are null. */
#include <math.h>

#include "base/alloc.h"
#include "report/report_private.h"

/* The version of docs/report.schema.json. Within a version, members are only added. */
enum { SCHEMA_VERSION = 2 };

static const struct {
    const char *text, *unit;
} kinds[] = {
    [PM_CELL_TEXT] = {"text", ""},           [PM_CELL_NAME] = {"name", ""},
    [PM_CELL_WORD] = {"word", ""},           [PM_CELL_COUNT] = {"count", ""},
    [PM_CELL_SHARE] = {"share", "fraction"}, [PM_CELL_TIME] = {"time", "ns"},
    [PM_CELL_RATIO] = {"ratio", "ratio"},    [PM_CELL_NUMBER] = {"number", ""},
    [PM_CELL_MARK] = {"mark", ""},
};
_Static_assert(sizeof kinds / sizeof *kinds == PM_CELL_KINDS, "each kind has a text");

const char *pm_report__unit_text(enum pm_cell_kind kind)
{
    return kinds[kind].unit;
}

/* Returns a text as JSON. jansson rejects text that is not UTF-8, so such text is cleaned as in the
 * other formats. */
static json_t *json_of_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    struct pm_str clean = PM_STR_INIT;
    pm_text_clean(&clean, text);
    value = json_string(clean.data);
    pm_str_release(&clean);
    return value;
}

static json_t *json_of_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_of_cell(const struct pm_report__cell *cell)
{
    switch (cell->filling) {
    case PM_FILL_EMPTY:
        return json_null();
    case PM_FILL_TEXT:
        return json_of_text(cell->text);
    case PM_FILL_COUNT:
        return json_integer(cell->count);
    case PM_FILL_NUMBER:
        return json_of_number(cell->value);
    case PM_FILL_INTERVAL:
        break;
    }
    return json_pack("{s:o, s:o, s:o}", "value", json_of_number(cell->value), "low",
                     json_of_number(cell->low), "high", json_of_number(cell->high));
}

static json_t *json_of_row(const struct pm_table *table, size_t index)
{
    json_t *row = json_object();
    for (size_t i = 0; i < table->column_count; i++)
        json_object_set_new(row, table->columns[i].id,
                            json_of_cell(&table->cells[index * table->column_count + i]));
    return row;
}

static json_t *json_of_column(const struct pm_report__column *column)
{
    const char *unit = pm_report__unit_text(column->kind);
    return json_pack("{s:o, s:o, s:s, s:s?}", "id", json_of_text(column->id), "heading",
                     json_of_text(column->heading), "kind", kinds[column->kind].text, "unit",
                     *unit ? unit : NULL);
}

static json_t *json_of_table(const struct pm_table *table)
{
    json_t *about = json_object(), *columns = json_array(), *rows = json_array(),
           *notes = json_array();
    for (size_t i = 0; i < table->about_count; i++)
        json_object_set_new(about, table->about[i].key, json_of_text(table->about[i].value));
    for (size_t i = 0; i < table->column_count; i++)
        json_array_append_new(columns, json_of_column(&table->columns[i]));
    for (size_t i = 0; i < pm_table_rows(table); i++)
        json_array_append_new(rows, json_of_row(table, i));
    for (size_t i = 0; i < table->note_count; i++)
        json_array_append_new(notes, json_of_text(table->notes[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "id", json_of_text(table->id), "about",
                     about, "title", json_of_text(table->title), "columns", columns, "rows", rows,
                     "notes", notes);
}

static json_t *json_of_line(const struct pm_report__part *part)
{
    json_t *line = json_pack("{s:o, s:o}", "label", json_of_text(part->label), "text",
                             json_of_text(part->text));
    if (part->command)
        json_object_set_new(line, "command", json_of_text(part->command));
    return line;
}

static json_t *json_of_part(const struct pm_report__part *part)
{
    switch (part->kind) {
    case PM_PART_HEADING:
        return json_pack("{s:o}", "heading", json_of_text(part->text));
    case PM_PART_LINE:
        return json_of_line(part);
    case PM_PART_TABLE:
        break;
    }
    return json_pack("{s:o}", "table", json_of_table(part->table));
}

static int add_bytes(const char *bytes, size_t length, void *out)
{
    pm_str_add_bytes(out, bytes, length);
    return 0;
}

int pm_report__json(const struct pm_report *report, const struct pm_render_options *options,
                    struct pm_str *out, struct pm_error *err)
{
    (void)options, (void)err;
    json_t *parts = json_array();
    for (size_t i = 0; i < report->part_count; i++)
        json_array_append_new(parts, json_of_part(&report->parts[i]));
    json_t *whole = json_pack("{s:i, s:s, s:o}", "schema", SCHEMA_VERSION, "portmeter", PM_VERSION,
                              "title", json_of_text(report->title));
    if (report->data)
        json_object_update(whole, report->data);
    json_object_set_new(whole, "parts", parts);
    json_dump_callback(whole, add_bytes, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    pm_str_add_char(out, '\n');
    json_decref(whole);
    return PM_OK;
}

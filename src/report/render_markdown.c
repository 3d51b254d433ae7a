/* GitHub-flavoured Markdown: aligned tables; characters that would be markup are escaped. */
#include <ctype.h>
#include <string.h>

#include "report/report_private.h"

/* In GitHub's dialect an underscore within a word is not markup: torch.broadcast_tensors. */
static bool is_within_word(const char *text, size_t at)
{
    return at && isalnum((unsigned char)text[at - 1]) && isalnum((unsigned char)text[at + 1]);
}

static void add_escaped(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_report__clean(&text, raw);
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.data[i];
        if (strchr("\\`*|<>[]~&", c) || (c == '_' && !is_within_word(text.data, i)))
            pm_str_add_char(out, '\\');
        pm_str_add_char(out, c);
    }
    pm_str_release(&text);
}

static void add_cell(struct pm_str *out, const struct pm_report__cell *cell, enum pm_cell_kind kind)
{
    struct pm_str value = PM_STR_INIT, interval = PM_STR_INIT;
    if (cell->filling == PM_FILL_TEXT) {
        add_escaped(out, cell->text);
        return;
    }
    pm_report__format_cell(cell, kind, &value, &interval);
    pm_str_add(out, value.data);
    if (interval.length)
        pm_str_addf(out, " %s", interval.data);
    pm_str_release(&value);
    pm_str_release(&interval);
}

static void add_row(struct pm_str *out, const struct pm_table *table,
                    const struct pm_report__cell *cells)
{
    pm_str_add(out, "\n|");
    for (size_t i = 0; i < table->column_count; i++) {
        pm_str_add_char(out, ' ');
        add_cell(out, &cells[i], table->columns[i].kind);
        pm_str_add(out, " |");
    }
}

static const char *alignment(enum pm_cell_kind kind)
{
    return kind == PM_CELL_TEXT ? " --- |" : kind == PM_CELL_MARK ? " :---: |" : " ---: |";
}

static void add_paragraph(struct pm_str *out, const char *before, const char *text,
                          const char *after)
{
    pm_str_add(out, before);
    add_escaped(out, text);
    pm_str_add(out, after);
    pm_str_add(out, "\n\n");
}

static void add_rows(struct pm_str *out, const struct pm_table *table)
{
    pm_str_add_char(out, '|');
    for (size_t i = 0; i < table->column_count; i++) {
        pm_str_add_char(out, ' ');
        add_escaped(out, table->columns[i].heading);
        pm_str_add(out, " |");
    }
    pm_str_add(out, "\n|");
    for (size_t i = 0; i < table->column_count; i++)
        pm_str_add(out, alignment(table->columns[i].kind));
    for (size_t i = 0; i < pm_table_rows(table); i++)
        add_row(out, table, &table->cells[i * table->column_count]);
    pm_str_add(out, "\n\n");
}

static void add_table(struct pm_str *out, const struct pm_table *table)
{
    if (*table->title)
        add_paragraph(out, "**", table->title, "**");
    if (table->cell_count)
        add_rows(out, table);
    else
        pm_str_add(out, "none\n\n");
    for (size_t i = 0; i < table->note_count; i++)
        add_paragraph(out, "", table->notes[i], "");
}

/* Consecutive lines form one list. */
static void add_line(struct pm_str *out, const struct pm_report__part *part, bool last)
{
    pm_str_add(out, "- ");
    if (*part->label) {
        add_escaped(out, part->label);
        pm_str_add(out, ": ");
    }
    add_escaped(out, part->text);
    pm_str_add(out, last ? "\n\n" : "\n");
}

void pm_report__markdown(const struct pm_report *report, const struct pm_render_options *options,
                         struct pm_str *out)
{
    (void)options;
    if (*report->title)
        add_paragraph(out, "# ", report->title, "");
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        const bool last = i + 1 == report->part_count || part[1].kind != PM_PART_LINE;
        switch (part->kind) {
        case PM_PART_HEADING:
            add_paragraph(out, "## ", part->text, "");
            break;
        case PM_PART_LINE:
            add_line(out, part, last);
            break;
        case PM_PART_TABLE:
            add_table(out, part->table);
        }
    }
    if (out->length && pm_ends_with(out->data, "\n\n"))
        out->data[--out->length] = '\0';
}

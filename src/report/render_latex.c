/* LaTeX: a booktabs table each, with caption and label; every special character is escaped. */
#include <ctype.h>
#include <string.h>

#include "report/report_private.h"

/* A table of more rows is broken over pages: its rows may have several lines. */
enum { LONG_ROWS = 15 };

/* Characters that LaTeX would not print as they are; '[' and '*' are options after the end of a
 * row, and two hyphens would become a dash. */
static const struct {
    char character;
    const char *text;
} escapes[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'_', "\\_"},
    {'%', "\\%"},
    {'~', "\\textasciitilde{}"},
    {'^', "\\textasciicircum{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "\\symbol{34}"},
    {'`', "\\symbol{96}"},
    {'\'', "\\symbol{39}"},
    {'[', "{[}"},
    {']', "{]}"},
    {'*', "{*}"},
    {'-', "-{}"},
    {'?', "?{}"},
    {'!', "!{}"},
};

static void add_escaped_char(struct pm_str *out, char c)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].character == c) {
            pm_str_add(out, escapes[i].text);
            return;
        }
    pm_str_add_char(out, c);
}

static void add_escaped(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_report__clean(&text, raw);
    for (const char *at = text.data; *at; at++)
        add_escaped_char(out, *at);
    pm_str_release(&text);
}

static void add_cell(struct pm_str *out, const struct pm_report__cell *cell,
                     const struct pm_report__column *column)
{
    struct pm_str value = PM_STR_INIT, interval = PM_STR_INIT;
    pm_report__format_cell(cell, column, &value, &interval);
    add_escaped(out, value.data);
    if (interval.length) {
        pm_str_add_char(out, ' ');
        add_escaped(out, interval.data);
    }
    pm_str_release(&value);
    pm_str_release(&interval);
}

/* Texts are broken into lines of a part of the page. */
static const char *alignment(enum pm_cell_kind kind)
{
    switch (kind) {
    case PM_CELL_TEXT:
        return "p{0.35\\linewidth}";
    case PM_CELL_NAME:
    case PM_CELL_WORD:
        return "l";
    case PM_CELL_MARK:
        return "c";
    default:
        return "r";
    }
}

static void add_headings(struct pm_str *out, const struct pm_table *table)
{
    pm_str_add(out, "\\toprule\n");
    for (size_t i = 0; i < table->column_count; i++) {
        struct pm_str heading = PM_STR_INIT;
        if (table->columns[i].is_empty)
            continue;
        pm_report__heading(&table->columns[i], &heading);
        pm_str_add(out, i ? " & " : "");
        add_escaped(out, heading.data);
        pm_str_release(&heading);
    }
    pm_str_add(out, " \\\\\n\\midrule\n");
}

static void add_row(struct pm_str *out, const struct pm_table *table,
                    const struct pm_report__cell *cells)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].is_empty)
            continue;
        pm_str_add(out, i ? " & " : "");
        add_cell(out, &cells[i], &table->columns[i]);
    }
    pm_str_add(out, " \\\\\n");
}

static void add_rows(struct pm_str *out, const struct pm_table *table)
{
    for (size_t i = 0; i < table->cell_count; i += table->column_count)
        add_row(out, table, &table->cells[i]);
    pm_str_add(out, "\\bottomrule\n");
}

static void add_label_words(struct pm_str *out, const char *words)
{
    for (const char *at = words; *at; at++)
        pm_str_add_char(out, isalnum((unsigned char)*at) ? *at : '-');
}

static void add_caption(struct pm_str *out, const struct pm_table *table, const char *end)
{
    pm_str_add(out, "\\caption{");
    add_escaped(out, table->title);
    pm_str_add(out, "}\\label{tab:");
    add_label_words(out, table->id);
    for (size_t i = 0; i < table->about_count; i++) {
        pm_str_add_char(out, '-');
        add_label_words(out, table->about[i].value);
    }
    pm_str_addf(out, "}%s\n", end);
}

static void add_columns(struct pm_str *out, const struct pm_table *table, const char *environment)
{
    pm_str_addf(out, "\\begin{%s}{", environment);
    for (size_t i = 0; i < table->column_count; i++)
        pm_str_add(out, table->columns[i].is_empty ? "" : alignment(table->columns[i].kind));
    pm_str_add(out, "}\n");
}

static void add_notes(struct pm_str *out, const struct pm_table *table)
{
    for (size_t i = 0; i < table->note_count; i++) {
        pm_str_add(out, "\\par{\\footnotesize ");
        add_escaped(out, table->notes[i]);
        pm_str_add(out, "\\par}\n");
    }
}

static void add_long_table(struct pm_str *out, const struct pm_table *table)
{
    add_columns(out, table, "longtable");
    add_caption(out, table, "\\\\");
    add_headings(out, table);
    pm_str_add(out, "\\endhead\n");
    add_rows(out, table);
    pm_str_add(out, "\\end{longtable}\n");
    add_notes(out, table);
}

static void add_short_table(struct pm_str *out, const struct pm_table *table)
{
    pm_str_add(out, "\\begin{table}\n\\centering\n");
    add_caption(out, table, "");
    if (table->cell_count) {
        add_columns(out, table, "tabular");
        add_headings(out, table);
        add_rows(out, table);
        pm_str_add(out, "\\end{tabular}\n");
    } else {
        pm_str_add(out, "none\n");
    }
    add_notes(out, table);
    pm_str_add(out, "\\end{table}\n");
}

static void add_line(struct pm_str *out, const struct pm_report__part *part)
{
    pm_str_add(out, "\\item[{");
    add_escaped(out, part->label);
    pm_str_add(out, "}] ");
    if (part->command) {
        pm_str_add(out, "\\texttt{");
        add_escaped(out, part->command);
        pm_str_add(out, *part->text ? "} " : "}");
    }
    add_escaped(out, part->text);
    pm_str_add_char(out, '\n');
}

static void add_part(struct pm_str *out, const struct pm_report *report, size_t index)
{
    const struct pm_report__part *part = &report->parts[index];
    const bool first = !index || part[-1].kind != PM_PART_LINE;
    const bool last = index + 1 == report->part_count || part[1].kind != PM_PART_LINE;
    if (part->kind == PM_PART_HEADING) {
        pm_str_add(out, "\\section*{");
        add_escaped(out, part->text);
        pm_str_add(out, "}\n");
    } else if (part->kind == PM_PART_LINE) {
        pm_str_add(out, first ? "\\begin{description}\n" : "");
        add_line(out, part);
        pm_str_add(out, last ? "\\end{description}\n" : "");
    } else if (pm_table_rows(part->table) > LONG_ROWS) {
        add_long_table(out, part->table);
    } else {
        add_short_table(out, part->table);
    }
}

int pm_report__latex(const struct pm_report *report, const struct pm_render_options *options,
                     struct pm_str *out, struct pm_error *err)
{
    (void)options, (void)err;
    pm_str_add(out, "% For \\usepackage{booktabs,longtable}\n");
    if (*report->title) {
        pm_str_add(out, "% ");
        pm_report__clean(out, report->title);
        pm_str_add_char(out, '\n');
    }
    for (size_t i = 0; i < report->part_count; i++)
        add_part(out, report, i);
    return PM_OK;
}

/* Writes LaTeX: each table is a booktabs table with a caption and a label. Escapes all special
 * characters. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/report_private.h"

/* A table with more rows becomes a longtable, which continues on the next page. Rows may have
 * several lines, so the limit is low. */
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

/* Returns whether a text may be broken after a character. */
static bool ends_piece(char c)
{
    return c && strchr(" ._@+/,=:", c);
}

/* Returns whether pdfLaTeX can print a character; it stops at others. With its default font
 * encoding and with T1, it prints most of Latin-1, dashes, quotation marks, bullet and ellipsis. */
static bool is_printable(uint32_t c)
{
    static const uint32_t others[] = {0x2013, 0x2014, 0x2018, 0x2019,
                                      0x201C, 0x201D, 0x2022, 0x2026};
    static const uint32_t lacking[] = {0xAB, 0xBB, 0xD0, 0xDE, 0xF0, 0xFE};
    bool found = c >= 0xA0 && c <= 0xFF;
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        found = found && c != lacking[i];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        found = found || c == others[i];
    return found;
}

/* Appends a character of several bytes, in valid UTF-8, or a text such as "[U+4E2D]" if it is not
 * printable. Returns its number of bytes. */
static size_t add_wide_char(struct pm_str *out, const char *at)
{
    const unsigned char first = (unsigned char)*at;
    const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    uint32_t c = first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++)
        c = c << 6 | ((unsigned char)at[i] & 0x3F);
    if (is_printable(c))
        pm_str_add_bytes(out, at, length);
    else
        pm_str_addf(out, "{[}U+%04X{]}", (unsigned)c);
    return length;
}

static void add_broken(struct pm_str *out, const char *raw, bool breaks)
{
    struct pm_str text = PM_STR_INIT;
    pm_text_clean(&text, raw);
    for (const char *at = text.data; *at; at++) {
        if ((unsigned char)*at >= 0x80) {
            at += add_wide_char(out, at) - 1;
            continue;
        }
        add_escaped_char(out, *at);
        if (breaks && *at != ' ' && ends_piece(*at) && at[1] && at[1] != ' ')
            pm_str_add(out, "\\allowbreak{}");
    }
    pm_str_release(&text);
}

static void add_escaped(struct pm_str *out, const char *raw)
{
    add_broken(out, raw, false);
}

/* ---- widths --------------------------------------------------------------------------------- */

/* Characters that fit a line of 160 mm (A4 with margins of 25 mm) in fonts of 10, 8 and 7 points.
 * The mean width of lower-case letters and digits in Computer Modern is 5.0, 4.2 and 3.6 points. */
enum { LINE = 90, SMALL_LINE = 108, SMALLEST_LINE = 126, BETWEEN = 2 };

/* How a table that is wider than a line is made to fit: each column has a share of the line. */
struct fit {
    bool wraps;
    const char *font;
    double *parts; /* share of \linewidth of each column */
};

/* Returns the length of the longest piece that is not broken; numbers are broken only at spaces. */
static size_t longest_piece(const char *text, bool number)
{
    size_t longest = 0, length = 0;
    for (; *text; text++) {
        length++;
        longest = length > longest ? length : longest;
        if (number ? *text == ' ' : ends_piece(*text))
            length = 0;
    }
    return longest;
}

static bool is_number(const struct pm_report__column *column)
{
    return column->kind != PM_CELL_TEXT && column->kind != PM_CELL_NAME &&
           column->kind != PM_CELL_WORD && column->kind != PM_CELL_MARK;
}

/* Measures, in characters, the width of a column without breaks, up to MOST, and the least width
 * that it needs. */
static void measure(const struct pm_table *table, size_t column, double *wish, double *need)
{
    enum { MOST = 60 };
    struct pm_str text = PM_STR_INIT, interval = PM_STR_INIT;
    pm_report__heading(&table->columns[column], &text);
    *wish = (double)pm_text_width(text.data);
    *need = (double)longest_piece(text.data, false);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        pm_str_clear(&text);
        pm_str_clear(&interval);
        pm_report__format_cell(&table->cells[i], &table->columns[column], &text, &interval);
        pm_str_addf(&text, interval.length ? " %s" : "%s", interval.length ? interval.data : "");
        *wish = fmax(*wish, (double)pm_text_width(text.data));
        *need = fmax(*need, (double)longest_piece(text.data, is_number(&table->columns[column])));
    }
    *wish = fmin(*wish, fmax(*need, MOST));
    pm_str_release(&text);
    pm_str_release(&interval);
}

static struct fit fit_of(const struct pm_table *table)
{
    struct fit fit = {.parts = pm_alloc((table->column_count + 1) * sizeof *fit.parts)};
    double *needs = pm_alloc((table->column_count + 1) * sizeof *needs);
    double wishes = 0, needed = 0, columns = 0, natural = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].is_empty)
            continue;
        measure(table, i, &fit.parts[i], &needs[i]);
        wishes += fit.parts[i];
        needed += needs[i];
        columns++;
        natural += table->columns[i].kind == PM_CELL_TEXT ? 0.35 * LINE : fit.parts[i];
    }
    fit.wraps = natural + BETWEEN * columns > LINE;
    fit.font = needed + BETWEEN * columns > SMALL_LINE ? "\\scriptsize" : "\\footnotesize";
    const double line = needed + BETWEEN * columns > SMALL_LINE ? SMALLEST_LINE : SMALL_LINE;
    const double room = fmax(line - BETWEEN * columns, needed);
    const double spare = wishes > needed ? (room - needed) / (wishes - needed) : 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (!table->columns[i].is_empty)
            fit.parts[i] = (needs[i] + fmin(spare, 1) * (fit.parts[i] - needs[i])) /
                           (room + BETWEEN * columns);
    free(needs);
    return fit;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* Returns the command that aligns a cell of several lines; "" if the table does not wrap. */
static const char *side_of(const struct pm_report__column *column, const struct fit *fit)
{
    if (!fit->wraps)
        return "";
    return is_number(column) ? "\\raggedleft " : "\\raggedright ";
}

static void add_cell(struct pm_str *out, const struct pm_report__cell *cell,
                     const struct pm_report__column *column, const struct fit *fit)
{
    struct pm_str value = PM_STR_INIT, interval = PM_STR_INIT;
    pm_report__format_cell(cell, column, &value, &interval);
    pm_str_add(out, side_of(column, fit));
    add_broken(out, value.data, column->kind == PM_CELL_TEXT || (fit->wraps && !is_number(column)));
    if (interval.length) {
        pm_str_add_char(out, ' ');
        add_escaped(out, interval.data);
    }
    pm_str_release(&value);
    pm_str_release(&interval);
}

/* Returns the LaTeX type of a column. A column of texts has a fixed width and breaks its cells. */
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

static const char *row_end(const struct fit *fit)
{
    return fit->wraps ? " \\tabularnewline\n" : " \\\\\n";
}

static void add_headings(struct pm_str *out, const struct pm_table *table, const struct fit *fit)
{
    pm_str_add(out, "\\toprule\n");
    for (size_t i = 0; i < table->column_count; i++) {
        struct pm_str heading = PM_STR_INIT;
        if (table->columns[i].is_empty)
            continue;
        pm_report__heading(&table->columns[i], &heading);
        pm_str_add(out, i ? " & " : "");
        pm_str_add(out, side_of(&table->columns[i], fit));
        add_broken(out, heading.data, fit->wraps);
        pm_str_release(&heading);
    }
    pm_str_add(out, row_end(fit));
    pm_str_add(out, "\\midrule\n");
}

static void add_row(struct pm_str *out, const struct pm_table *table,
                    const struct pm_report__cell *cells, const struct fit *fit)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].is_empty)
            continue;
        pm_str_add(out, i ? " & " : "");
        add_cell(out, &cells[i], &table->columns[i], fit);
    }
    pm_str_add(out, row_end(fit));
}

static void add_rows(struct pm_str *out, const struct pm_table *table, const struct fit *fit)
{
    for (size_t i = 0; i < table->cell_count; i += table->column_count)
        add_row(out, table, &table->cells[i], fit);
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

static void add_columns(struct pm_str *out, const struct pm_table *table, const char *environment,
                        const struct fit *fit)
{
    pm_str_addf(out, "\\begin{%s}{", environment);
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].is_empty)
            continue;
        if (fit->wraps)
            pm_str_addf(out, "p{%.3f\\linewidth}", fit->parts[i]);
        else
            pm_str_add(out, alignment(table->columns[i].kind));
    }
    pm_str_add(out, "}\n");
}

/* Opens the group around a table that wraps: a small font, and less space between columns. */
static void open_fit(struct pm_str *out, const struct fit *fit)
{
    if (fit->wraps)
        pm_str_addf(out, "\\begingroup%s\\setlength{\\tabcolsep}{3pt}\n", fit->font);
}

static void close_fit(struct pm_str *out, struct fit *fit)
{
    pm_str_add(out, fit->wraps ? "\\endgroup\n" : "");
    free(fit->parts);
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
    struct fit fit = fit_of(table);
    open_fit(out, &fit);
    add_columns(out, table, "longtable", &fit);
    add_caption(out, table, "\\\\");
    add_headings(out, table, &fit);
    pm_str_add(out, "\\endhead\n");
    add_rows(out, table, &fit);
    pm_str_add(out, "\\end{longtable}\n");
    close_fit(out, &fit);
    add_notes(out, table);
}

static void add_short_table(struct pm_str *out, const struct pm_table *table)
{
    pm_str_add(out, "\\begin{table}\n\\centering\n");
    add_caption(out, table, "");
    if (table->cell_count) {
        struct fit fit = fit_of(table);
        open_fit(out, &fit);
        add_columns(out, table, "tabular", &fit);
        add_headings(out, table, &fit);
        add_rows(out, table, &fit);
        pm_str_add(out, "\\end{tabular}\n");
        close_fit(out, &fit);
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
        add_broken(out, part->command, true);
        pm_str_add(out, *part->text ? "} " : "}");
    }
    add_broken(out, part->text, true);
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
        pm_str_add(out, first ? "\\begin{description}\\sloppy\n" : "");
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
        pm_text_clean(out, report->title);
        pm_str_add_char(out, '\n');
    }
    for (size_t i = 0; i < report->part_count; i++)
        add_part(out, report, i);
    return PM_OK;
}

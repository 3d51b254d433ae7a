/* Writes HTML: one file that contains its style and script. It needs no network, and shows all
 * results even if scripts are disabled. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/format.h"
#include "report/report_private.h"
#include "text/numbers.h"

extern const char pm_report__page_css[], pm_report__page_js[];

/* ---- text ----------------------------------------------------------------------------------- */

/* Appends text with escaped markup. With `quotes`, it can also be in an attribute in double
 * quotes. */
static void add_escaped(struct pm_str *out, const char *raw, bool quotes)
{
    struct pm_str text = PM_STR_INIT;
    pm_text_clean(&text, raw);
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] == '"' && !quotes)
            pm_str_add_char(out, '"');
        else
            pm_report_format_markup(out, text.data[i]);
    pm_str_release(&text);
}

static void add_text(struct pm_str *out, const char *raw)
{
    add_escaped(out, raw, true);
}

static void add_element(struct pm_str *out, const char *before, const char *text, const char *after)
{
    pm_str_add(out, before);
    add_text(out, text);
    pm_str_add(out, after);
}

/* Adds an id that is unique for each name, without spaces or quotes: other bytes than letters,
 * digits, '.' and '-' are written as "_" and two hexadecimal digits. */
static void add_id(struct pm_str *out, const char *name)
{
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (isalnum(*at) || *at == '.' || *at == '-')
            pm_str_add_char(out, (char)*at);
        else
            pm_str_addf(out, "_%02x", *at);
}

/* ---- cells ---------------------------------------------------------------------------------- */

static bool is_text(enum pm_cell_kind kind)
{
    return kind == PM_CELL_TEXT || kind == PM_CELL_NAME || kind == PM_CELL_WORD ||
           kind == PM_CELL_MARK;
}

static void add_state(struct pm_str *out, const char *word)
{
    const char *known = pm_report__look_of(word)->class;
    if (!*word)
        return;
    if (!strcmp(known, "o")) {
        add_text(out, word);
        return;
    }
    pm_str_addf(out, "<b class=%s>", known);
    add_element(out, "", word, "</b>");
}

static void add_value(struct pm_str *out, const struct pm_report__cell *cell,
                      const struct pm_report__column *column)
{
    struct pm_str value = PM_STR_INIT, interval = PM_STR_INIT;
    pm_report__format_cell(cell, column, &value, &interval);
    if (column->kind == PM_CELL_WORD)
        add_state(out, value.data);
    else
        add_text(out, value.data);
    if (interval.length)
        pm_str_addf(out, " <i>%s</i>", interval.data);
    pm_str_release(&value);
    pm_str_release(&interval);
}

/* Adds the key by which the script sorts, if it is not the text. */
static void add_sort_key(struct pm_str *out, const struct pm_report__cell *cell)
{
    if (cell->filling == PM_FILL_COUNT)
        pm_str_addf(out, " data-v=%lld", (long long)cell->count);
    else if ((cell->filling == PM_FILL_NUMBER || cell->filling == PM_FILL_INTERVAL) &&
             isfinite(cell->value))
        pm_str_addf(out, " data-v=%.9g", cell->value);
}

static void add_cell(struct pm_str *out, const struct pm_report__cell *cell,
                     const struct pm_report__column *column, size_t span, bool sorted)
{
    const bool painted = column->kind == PM_CELL_MARK && cell->filling == PM_FILL_TEXT;
    pm_str_add(out, "<td");
    if (span > 1)
        pm_str_addf(out, " colspan=%zu", span);
    if (painted && pm_report__look_of(cell->text) != &pm_report__looks[PM_LOOK_OTHER])
        pm_str_addf(out, " class=%s", pm_report__look_of(cell->text)->class);
    else if (!is_text(column->kind))
        pm_str_add(out, " class=n");
    else if (column->kind == PM_CELL_TEXT)
        pm_str_add(out, " class=t");
    if (sorted)
        add_sort_key(out, cell);
    pm_str_add_char(out, '>');
    add_value(out, cell, column);
}

/* The place of a table: alone, with rows that open, or in an opened row. In an opened row, headings
 * have no scopes, because browsers derive them from the positions of the headings. */
enum place { ALONE, OPENS, OPENED };

static void add_row(struct pm_str *out, const struct pm_table *table, size_t row, enum place place)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    const enum pm_cell_kind kind = table->columns[0].kind;
    pm_str_addf(out, "<tr><th%s%s>", place == OPENED ? "" : " scope=row",
                !is_text(kind)         ? " class=n"
                : kind == PM_CELL_TEXT ? " class=t"
                                       : "");
    add_value(out, cells, table->columns);
    for (size_t i = 1, end, span = 1; i < table->column_count; i = end) {
        end = i + 1;
        if (table->columns[i].is_empty)
            continue;
        if (pm_report__look_of(cells[i].filling == PM_FILL_TEXT ? cells[i].text : "") !=
                &pm_report__looks[PM_LOOK_OTHER] &&
            table->columns[i].kind == PM_CELL_MARK)
            end = pm_report__end_of_run(table, row, i, &span);
        add_cell(out, &cells[i], &table->columns[i], span, place == OPENS);
        span = 1;
    }
    pm_str_add(out, "\n");
}

/* Adds a text of one or two lines. */
static void add_lines(struct pm_str *out, const char *text)
{
    const char *end = strchr(text, '\n');
    if (end) {
        char *first = pm_strndup(text, (size_t)(end - text));
        add_element(out, "", first, "<br>");
        free(first);
    }
    add_text(out, end ? end + 1 : text);
}

static size_t visible_columns(const struct pm_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->column_count; i++)
        count += !table->columns[i].is_empty;
    return count;
}

/* Adds a row of a matrix or, if only its first cell is filled, a heading. */
static void add_fact_row(struct pm_str *out, const struct pm_table *table, size_t row)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    size_t filled = 0;
    for (size_t i = 0; i < table->column_count; i++)
        filled += cells[i].filling != PM_FILL_EMPTY;
    if (filled == 1) {
        pm_str_addf(out, "<tbody><tr><th colspan=%zu>", table->column_count);
        add_element(out, "", cells[0].text, "\n");
        return;
    }
    const struct pm_report__look *shared = pm_report__look_of_row(cells, table->column_count);
    pm_str_addf(out, shared ? "<tr class=row-%s>" : "<tr>", shared ? shared->class : "");
    add_element(out, "<th>", cells[0].text, "");
    for (size_t i = 1, end, span; i < table->column_count; i = end) {
        const struct pm_report__look *look = pm_report__look_of(cells[i].text);
        const bool painted = !shared && look != &pm_report__looks[PM_LOOK_OTHER];
        end = pm_report__end_of_run(table, row, i, &span);
        if (table->columns[i].is_empty) {
            end = i + 1;
            continue;
        }
        pm_str_add(out, "<td");
        if (span > 1)
            pm_str_addf(out, " colspan=%zu", span);
        if (painted || span > 1)
            pm_str_addf(out, " class=%s", painted ? look->class : "all");
        pm_str_add_char(out, '>');
        add_lines(out, cells[i].text);
    }
    pm_str_add(out, "\n");
}

/* ---- tables --------------------------------------------------------------------------------- */

static void add_head(struct pm_str *out, const struct pm_table *table, enum place place)
{
    pm_str_add(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct pm_report__column *column = &table->columns[i];
        struct pm_str heading = PM_STR_INIT;
        if (column->is_empty)
            continue;
        pm_report__heading(column, &heading);
        pm_str_addf(out, "<th%s%s%s>", place == OPENED ? "" : " scope=col",
                    is_text(column->kind) ? "" : " class=n",
                    place == OPENS && column->kind == PM_CELL_WORD ? " data-few" : "");
        add_element(out, "", heading.data, "");
        pm_str_release(&heading);
    }
    pm_str_add(out, "</thead>\n");
}

static void add_notes(struct pm_str *out, const struct pm_table *table)
{
    for (size_t i = 0; i < table->note_count; i++)
        add_element(out, "<p class=note>", table->notes[i], "</p>\n");
}

/* Opens a region in which a wide table scrolls, also by the keyboard. The script names the regions
 * that need to scroll, and excludes the others from the keyboard's order. */
static void open_scroll(struct pm_str *out)
{
    pm_str_add(out, "<div class=scroll tabindex=0>\n");
}

static void add_plain_table(struct pm_str *out, const struct pm_table *table, enum place place)
{
    if (!table->cell_count) {
        add_element(out, "<p><b>", table->title, "</b>: none</p>\n");
        add_notes(out, table);
        return;
    }
    open_scroll(out);
    pm_str_add(out, table->matrix ? "<table class=facts>" : "<table>");
    if (*table->title)
        add_element(out, table->folded ? "<caption class=vh>" : "<caption>", table->title,
                    "</caption>\n");
    add_head(out, table, place);
    pm_str_add(out, "<tbody>\n");
    for (size_t i = 0; i < pm_table_rows(table); i++)
        if (table->matrix)
            add_fact_row(out, table, i);
        else
            add_row(out, table, i, place);
    pm_str_add(out, "</table></div>\n");
    add_notes(out, table);
}

static void add_folded_table(struct pm_str *out, const struct pm_table *table)
{
    add_element(out, "<details><summary>", table->title, "</summary><div class=in>\n");
    add_plain_table(out, table, ALONE);
    pm_str_add(out, "</div></details>\n");
}

/* ---- pictures ------------------------------------------------------------------------------- */

enum { PICTURE_ROWS = 20 }; /* most rows of a block, so that blocks fit side by side */

/* Appends the letters of a picture's column, which its legend explains: A to Z, then AA. */
static void add_letters(struct pm_str *out, size_t column)
{
    if (column >= 26)
        add_letters(out, column / 26 - 1);
    pm_str_add_char(out, (char)('A' + column % 26));
}

static void add_legend(struct pm_str *out, const struct pm_table *table)
{
    bool used[PM_LOOK_COUNT] = {false};
    for (size_t i = 0; i < table->cell_count; i++)
        if (i % table->column_count && table->cells[i].filling == PM_FILL_TEXT)
            used[pm_report__look_of(table->cells[i].text) - pm_report__looks] = true;
    pm_str_add(out, "<ul class=legend>");
    for (size_t i = 0; i < PM_LOOK_COUNT; i++)
        if (used[i])
            pm_str_addf(out, "<li><b class=%s aria-hidden=true>%s</b>%s</li>",
                        pm_report__looks[i].class, pm_report__looks[i].sign,
                        pm_report__looks[i].meaning);
    pm_str_add(out, "</ul>\n");
}

static void add_columns_legend(struct pm_str *out, const struct pm_table *table)
{
    pm_str_add(out, "<ul class=legend>");
    for (size_t i = 1; i < table->column_count; i++) {
        pm_str_add(out, "<li><b>");
        add_letters(out, i - 1);
        add_element(out, "</b>", table->columns[i].heading, "</li>");
    }
    pm_str_add(out, "</ul>\n");
}

/* Adds the head of a block of a picture: vertical names of columns or, if the picture has several
 * blocks, letters. */
static void add_picture_head(struct pm_str *out, const struct pm_table *table, bool letters)
{
    add_element(out, "<thead><tr><th scope=col><span class=vh>", table->columns[0].heading,
                "</span>");
    for (size_t i = 1; i < table->column_count; i++) {
        const char *heading = table->columns[i].heading;
        add_element(out, letters ? "<th scope=col aria-label=\"" : "<th scope=col><span>", heading,
                    letters ? "\">" : "</span>");
        if (letters)
            add_letters(out, i - 1);
    }
    pm_str_add(out, "</thead>\n<tbody>");
}

static void add_picture_row(struct pm_str *out, const struct pm_table *table, size_t row)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    pm_str_add(out, "<tr><th scope=row><a href=\"#");
    add_id(out, cells[0].text);
    add_element(out, "\">", cells[0].text, "</a>");
    for (size_t i = 1; i < table->column_count; i++) {
        const char *word = cells[i].filling == PM_FILL_TEXT ? cells[i].text : "";
        pm_str_addf(out, *word ? "<td class=%s>" : "<td>", pm_report__look_of(word)->class);
        add_text(out, word);
    }
    pm_str_add(out, "\n");
}

static void add_picture(struct pm_str *out, const struct pm_table *table)
{
    const size_t rows = pm_table_rows(table);
    add_element(out, "<h3>", table->title, "</h3>\n");
    add_legend(out, table);
    if (rows > PICTURE_ROWS)
        add_columns_legend(out, table);
    pm_str_addf(out, "<div class=picture style=\"--targets: %zu\">\n", table->column_count - 1);
    for (size_t first = 0; first < rows; first += PICTURE_ROWS) {
        const size_t end = first + PICTURE_ROWS < rows ? first + PICTURE_ROWS : rows;
        pm_str_addf(out, "<div><table><caption class=vh>Rows %zu to %zu of %zu</caption>",
                    first + 1, end, rows);
        add_picture_head(out, table, rows > PICTURE_ROWS);
        for (size_t i = first; i < end; i++)
            add_picture_row(out, table, i);
        pm_str_add(out, "</table></div>\n");
    }
    pm_str_add(out, "</div>\n");
    add_notes(out, table);
}

/* ---- bars ----------------------------------------------------------------------------------- */

static void add_bar(struct pm_str *out, const struct pm_table *table, size_t row)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    add_element(out, "<tr><th scope=row>", cells[0].text, "<td><span class=bar>");
    for (size_t i = 1; i < table->column_count; i++) {
        if (!cells[i].count)
            continue;
        const char *heading = table->columns[i].heading;
        pm_str_addf(out, "<span class=%s style=\"flex-grow: %lld\" title=\"",
                    pm_report__look_of(heading)->class, (long long)cells[i].count);
        add_element(out, "", heading, "\">");
        pm_text_count(out, cells[i].count);
        add_element(out, "<span class=vh> ", heading, ". </span></span>");
    }
    pm_str_add(out, "</span>\n");
}

static int64_t sum_of(const struct pm_table *table, size_t column)
{
    int64_t sum = 0;
    for (size_t i = column; i < table->cell_count; i += table->column_count)
        sum += table->cells[i].count;
    return sum;
}

static void add_bars(struct pm_str *out, const struct pm_table *table)
{
    add_element(out, "<h3>", table->title, "</h3>\n<ul class=legend>");
    for (size_t i = 1; i < table->column_count; i++) {
        const struct pm_report__look *look = pm_report__look_of(table->columns[i].heading);
        if (!sum_of(table, i))
            continue;
        pm_str_addf(out, "<li><b class=%s aria-hidden=true>%s</b>", look->class, look->sign);
        add_element(out, "", table->columns[i].heading, "</li>");
    }
    add_element(out, "</ul>\n<table class=bars><caption class=vh>", table->title, "</caption>");
    add_element(out, "<thead><tr><th scope=col>", table->columns[0].heading,
                "<th scope=col>functions</thead>\n<tbody>\n");
    for (size_t i = 0; i < pm_table_rows(table); i++)
        add_bar(out, table, i);
    pm_str_add(out, "</table>\n");
    add_notes(out, table);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void add_line(struct pm_str *out, const struct pm_report__part *part, bool first, bool last)
{
    if (first)
        pm_str_add(out, "<dl>\n");
    if (*part->label)
        add_element(out, "<dt>", part->label, "</dt>");
    pm_str_add(out, "<dd>");
    if (part->command)
        add_element(out, "<code>", part->command, *part->text ? "</code> " : "</code>");
    add_element(out, "", part->text, "</dd>\n");
    if (last)
        pm_str_add(out, "</dl>\n");
}

static bool is_line(const struct pm_report *report, size_t index)
{
    return index < report->part_count && report->parts[index].kind == PM_PART_LINE &&
           !report->parts[index].code && !report->parts[index].figure;
}

static bool is_figure(const struct pm_report *report, size_t index)
{
    return index < report->part_count && report->parts[index].figure;
}

/* Adds a figure. If it cannot be drawn, omits the drawing and, before the first of adjacent
 * figures, adds the reason. */
static void add_figure(struct pm_str *out, const struct pm_report *report, size_t index)
{
    const struct pm_report__part *part = &report->parts[index];
    struct pm_str svg = PM_STR_INIT;
    struct pm_error err;
    const bool first = !index || !is_figure(report, index - 1);
    const int rc = pm_report__inline_svg(part->figure, index, &svg, &err);
    if (rc && first)
        add_element(out, "<p class=note>", err.text, "</p>\n");
    pm_str_add(out, first ? "<div class=figures>\n" : "");
    add_element(out, "<figure><h3>", part->label, "</h3>");
    if (!rc) {
        add_element(out, "<svg role=img aria-label=\"", part->label, ". ");
        add_element(out, "", part->text, "\"");
        pm_str_add(out, svg.data);
    }
    add_element(out, "<figcaption>", part->text, "");
    add_element(out, "<details><summary>Draw this figure in a file</summary><code>", part->command,
                "</code></details></figcaption></figure>\n");
    pm_str_add(out, is_figure(report, index + 1) ? "" : "</div>\n");
    pm_str_release(&svg);
}

/* Returns the first script of a report, with which the others are compared. */
static const char *first_code(const struct pm_report *report)
{
    const struct pm_report__part *part = report->parts;
    while (!part->code)
        part++;
    return part->text;
}

/* Adds code line by line, because add_escaped() would remove line ends. */
static void add_code(struct pm_str *out, const struct pm_report *report, size_t index)
{
    const struct pm_report__part *part = &report->parts[index];
    const char *first = first_code(report);
    char *differences = first == part->text ? NULL : pm_report_differences(first, part->text);
    add_element(out, "<details class=code><summary>", part->label, "</summary>");
    pm_str_add(out, differences ? "<pre class=edits>" : "<pre>");
    for (const char *line = differences ? differences : part->text; *line;) {
        const size_t length = strcspn(line, "\n");
        char *one = pm_strndup(line, length);
        add_escaped(out, one, false);
        pm_str_add_char(out, '\n');
        free(one);
        line += length + (line[length] == '\n');
    }
    pm_str_add(out, "</pre></details>\n");
    free(differences);
}

static void add_any_line(struct pm_str *out, const struct pm_report *report, size_t index)
{
    const struct pm_report__part *part = &report->parts[index];
    if (part->figure)
        add_figure(out, report, index);
    else if (part->code)
        add_code(out, report, index);
    else
        add_line(out, part, !index || !is_line(report, index - 1), !is_line(report, index + 1));
}

/* Adds the parts of a report without pages: a row inside an opened row does not open. */
static void add_flat_parts(struct pm_str *out, const struct pm_report *report)
{
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        if (part->kind == PM_PART_LINE)
            add_any_line(out, report, i);
        else if (part->kind == PM_PART_HEADING)
            add_element(out, "<h3>", part->text, "</h3>\n");
        else
            add_plain_table(out, part->table, OPENED);
    }
}

/* Adds a row and its page. Each row is a tbody, so that its page moves with it. */
static void add_page(struct pm_str *out, const struct pm_table *table, size_t row,
                     const struct pm_report *page)
{
    const struct pm_report__cell *name = &table->cells[row * table->column_count];
    pm_str_add(out, "<tbody id=\"");
    add_id(out, name->filling == PM_FILL_TEXT ? name->text : "");
    pm_str_add(out, "\">");
    add_row(out, table, row, OPENS);
    pm_str_addf(out, "<tr class=more><td colspan=%zu><details>", visible_columns(table));
    add_element(out, "<summary>", page->title, "</summary><div class=in><noscript>\n");
    add_flat_parts(out, page);
    pm_str_add(out, "</noscript></div></details>\n");
}

/* Returns the width of the widest cell of a column, in characters, within the limits that suit a
 * column. */
static size_t width_of(const struct pm_table *table, size_t column)
{
    enum { LEAST = 12, MOST = 32 };
    size_t width = LEAST;
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        struct pm_str text = PM_STR_INIT;
        pm_report__format_cell(&table->cells[i], &table->columns[column], &text, &text);
        const size_t one = pm_text_width(text.data);
        width = one > width ? one : width;
        pm_str_release(&text);
    }
    return width > MOST ? MOST : width;
}

/* Appends the widths of the columns relative to each other. With them, a browser lays a row out
 * without the other rows. */
static void add_widths(struct pm_str *out, const struct pm_table *table)
{
    pm_str_add(out, " style=\"--columns:");
    for (size_t i = 0; i < table->column_count; i++)
        if (!table->columns[i].is_empty)
            pm_str_addf(out, " %zufr", width_of(table, i));
    pm_str_add(out, "\">");
}

static void add_pages(struct pm_str *out, const struct pm_table *table,
                      struct pm_report *const *pages)
{
    open_scroll(out);
    pm_str_add(out, "<table class=pages");
    add_widths(out, table);
    add_element(out, "<caption>", table->title, "</caption>\n");
    add_head(out, table, OPENS);
    for (size_t i = 0; i < pm_table_rows(table); i++)
        add_page(out, table, i, pages[i]);
    pm_str_add(out, "</table></div>\n");
    add_notes(out, table);
}

static void add_table(struct pm_str *out, const struct pm_report__part *part)
{
    if (part->pages && part->table->cell_count)
        add_pages(out, part->table, part->pages);
    else if (part->table->picture && part->table->cell_count)
        add_picture(out, part->table);
    else if (part->table->bars && part->table->cell_count)
        add_bars(out, part->table);
    else if (part->table->folded)
        add_folded_table(out, part->table);
    else
        add_plain_table(out, part->table, ALONE);
}

/* Adds a heading with the id "_p" and a number. Ids of functions differ: in these, two hexadecimal
 * digits follow an underscore. */
static void add_heading(struct pm_str *out, size_t index, const char *text)
{
    pm_str_addf(out, "<h2 id=_p%zu>", index);
    add_element(out, "", text, "</h2>\n");
}

/* Adds links to the headings, so that users of a keyboard need not step through a picture. */
static void add_contents(struct pm_str *out, const struct pm_report *report)
{
    size_t headings = 0;
    for (size_t i = 0; i < report->part_count; i++)
        if (report->parts[i].kind == PM_PART_HEADING) {
            pm_str_addf(out, "%s<a href=\"#_p%zu\">",
                        headings++ ? "" : "<nav aria-label=\"Parts of this page\">", i);
            add_element(out, "", report->parts[i].text, "</a>\n");
        }
    pm_str_add(out, headings ? "</nav>\n" : "");
}

static void add_parts(struct pm_str *out, const struct pm_report *report)
{
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        if (part->kind == PM_PART_LINE)
            add_any_line(out, report, i);
        else if (part->kind == PM_PART_HEADING)
            add_heading(out, i, part->text);
        else
            add_table(out, part);
    }
}

/* Adds the head of the document. Its content security policy blocks all access to a network, even
 * if the page contained foreign markup. */
static void add_document_head(struct pm_str *out, const char *title)
{
    pm_str_add(out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                    "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                    "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                    "<meta name=generator content=\"portmeter " PM_VERSION "\">\n");
    add_element(out, "<title>", title, "</title>\n<style>\n");
    pm_str_add(out, pm_report__page_css);
    add_element(out, "</style>\n</head>\n<body>\n<header>\n<h1>", title, "</h1>\n");
}

int pm_report__html(const struct pm_report *report, const struct pm_render_options *options,
                    struct pm_str *out, struct pm_error *err)
{
    (void)options, (void)err;
    add_document_head(out, *report->title ? report->title : "portmeter");
    add_contents(out, report);
    pm_str_add(out, "</header>\n<main>\n");
    add_parts(out, report);
    pm_str_add(out, "</main>\n<script>\n");
    pm_str_add(out, pm_report__page_js);
    pm_str_add(out, "</script>\n</body>\n</html>\n");
    return PM_OK;
}

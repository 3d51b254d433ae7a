/* HTML: one file with its own style and script, which needs no network and is whole without the
 * script. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/report_private.h"

extern const char pm_report__page_css[], pm_report__page_js[];

/* ---- text ----------------------------------------------------------------------------------- */

/* Harmless between tags and in a quoted attribute. */
static void add_text(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_report__clean(&text, raw);
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] == '\'')
            pm_str_add(out, "&#39;");
        else
            pm_report_format_markup(out, text.data[i]);
    pm_str_release(&text);
}

static void add_element(struct pm_str *out, const char *before, const char *text, const char *after)
{
    pm_str_add(out, before);
    add_text(out, text);
    pm_str_add(out, after);
}

/* An id without spaces or quotes, other for each name: bytes that are not of a name are hex. */
static void add_id(struct pm_str *out, const char *name)
{
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (isalnum(*at) || *at == '.' || *at == '-')
            pm_str_add_char(out, (char)*at);
        else
            pm_str_addf(out, "_%02x", *at);
}

/* ---- states --------------------------------------------------------------------------------- */

/* How a state looks: a class of the style sheet, and a sign that needs no colour. */
struct look {
    const char *class, *sign, *meaning; /* meaning: in the legend of a picture */
};
enum { LOOK_WORKS, LOOK_PARTLY, LOOK_FAILS, LOOK_ABSENT, LOOK_HOST, LOOK_OTHER, LOOK_COUNT };
static const struct look looks[LOOK_COUNT] = {
    {"w", "&#10003;", "works"}, {"p", "&#9680;", "partly"},    {"f", "&#10005;", "fails"},
    {"a", "&#8211;", "absent"}, {"h", "&#9675;", "host-only"}, {"o", "?", "no verdict that counts"},
};

/* "3 of 5" */
static const struct look *look_of_tally(const char *word)
{
    char *end;
    const long passed = strtol(word, &end, 10);
    if (end == word || strncmp(end, " of ", 4))
        return &looks[LOOK_OTHER];
    const long of = strtol(end + 4, NULL, 10);
    return &looks[passed >= of ? LOOK_WORKS : passed ? LOOK_PARTLY : LOOK_FAILS];
}

static const struct look *look_of(const char *word)
{
    static const struct {
        const char *word;
        int look;
    } words[] = {
        {"works", LOOK_WORKS},
        {"pass", LOOK_WORKS},
        {"yes", LOOK_WORKS},
        {"partly", LOOK_PARTLY},
        {"part", LOOK_PARTLY},
        {"fallback", LOOK_PARTLY},
        {"unstable", LOOK_PARTLY},
        {"flaky", LOOK_PARTLY},
        {"fails", LOOK_FAILS},
        {"FAIL", LOOK_FAILS},
        {"fail", LOOK_FAILS},
        {"crash", LOOK_FAILS},
        {"timeout", LOOK_FAILS},
        {"memory", LOOK_FAILS},
        {"NO", LOOK_FAILS},
        {"absent", LOOK_ABSENT},
        {"host-only", LOOK_HOST},
        {"success", LOOK_WORKS},
        {"partial failure", LOOK_PARTLY},
        {"complete failure", LOOK_FAILS},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word))
            return &looks[words[i].look];
    return look_of_tally(word);
}

/* ---- cells ---------------------------------------------------------------------------------- */

static bool is_text(enum pm_cell_kind kind)
{
    return kind == PM_CELL_TEXT || kind == PM_CELL_NAME || kind == PM_CELL_WORD ||
           kind == PM_CELL_MARK;
}

static bool is_state(enum pm_cell_kind kind)
{
    return kind == PM_CELL_WORD || kind == PM_CELL_MARK;
}

static void add_state(struct pm_str *out, const char *word)
{
    const char *known = look_of(word)->class;
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
    if (is_state(column->kind))
        add_state(out, value.data);
    else
        add_text(out, value.data);
    if (interval.length)
        pm_str_addf(out, " <i>%s</i>", interval.data);
    pm_str_release(&value);
    pm_str_release(&interval);
}

/* What the script sorts by, where it is not the text. */
static void add_sort_key(struct pm_str *out, const struct pm_report__cell *cell)
{
    if (cell->filling == PM_FILL_COUNT)
        pm_str_addf(out, " data-v=%lld", (long long)cell->count);
    else if ((cell->filling == PM_FILL_NUMBER || cell->filling == PM_FILL_INTERVAL) &&
             isfinite(cell->value))
        pm_str_addf(out, " data-v=%.9g", cell->value);
}

static void add_cell(struct pm_str *out, const struct pm_report__cell *cell,
                     const struct pm_report__column *column, bool first, bool sorted)
{
    pm_str_add(out, first ? "<th scope=row" : "<td");
    if (!is_text(column->kind))
        pm_str_add(out, " class=n");
    else if (column->kind == PM_CELL_TEXT)
        pm_str_add(out, " class=t");
    if (sorted)
        add_sort_key(out, cell);
    pm_str_add_char(out, '>');
    add_value(out, cell, column);
}

static void add_row(struct pm_str *out, const struct pm_table *table, size_t row, bool sorted)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    pm_str_add(out, "<tr>");
    for (size_t i = 0; i < table->column_count; i++)
        if (!table->columns[i].is_empty)
            add_cell(out, &cells[i], &table->columns[i], i == 0, sorted);
    pm_str_add(out, "\n");
}

static void add_plain_row(struct pm_str *out, const struct pm_table *table, size_t row)
{
    add_row(out, table, row, false);
}

/* A row of a matrix, or a heading: its first cell alone. */
static void add_fact_row(struct pm_str *out, const struct pm_table *table, size_t row)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    size_t filled = 0;
    for (size_t i = 0; i < table->column_count; i++)
        filled += cells[i].filling != PM_FILL_EMPTY;
    if (filled == 1) {
        pm_str_addf(out, "<tbody><tr><th scope=rowgroup colspan=%zu>", table->column_count);
        add_element(out, "", cells[0].text, "\n");
        return;
    }
    add_element(out, "<tr><th scope=row>", cells[0].text, "");
    for (size_t i = 1; i < table->column_count; i++) {
        const char *class = look_of(cells[i].text)->class;
        if (table->columns[i].is_empty)
            continue;
        pm_str_addf(out, strcmp(class, "o") ? "<td class=%s>" : "<td>", class);
        add_text(out, cells[i].text);
    }
    pm_str_add(out, "\n");
}

/* ---- tables --------------------------------------------------------------------------------- */

static void add_head(struct pm_str *out, const struct pm_table *table, bool sorted)
{
    pm_str_add(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct pm_report__column *column = &table->columns[i];
        struct pm_str heading = PM_STR_INIT;
        if (column->is_empty)
            continue;
        pm_report__heading(column, &heading);
        pm_str_addf(out, "<th scope=col%s%s>", is_text(column->kind) ? "" : " class=n",
                    sorted && column->kind == PM_CELL_WORD ? " data-few" : "");
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

/* A wide table scrolls in a region of its own, also by the keyboard. */
static void open_scroll(struct pm_str *out, const struct pm_table *table)
{
    add_element(out, "<div class=scroll role=region tabindex=0 aria-label=\"", table->title,
                "\">\n");
}

static void add_plain_table(struct pm_str *out, const struct pm_table *table)
{
    if (!table->cell_count) {
        add_element(out, "<p><b>", table->title, "</b>: none</p>\n");
        add_notes(out, table);
        return;
    }
    open_scroll(out, table);
    pm_str_add(out, table->matrix ? "<table class=facts>" : "<table>");
    if (*table->title && !table->folded)
        add_element(out, "<caption>", table->title, "</caption>\n");
    add_head(out, table, false);
    pm_str_add(out, "<tbody>\n");
    for (size_t i = 0; i < pm_table_rows(table); i++)
        (table->matrix ? add_fact_row : add_plain_row)(out, table, i);
    pm_str_add(out, "</table></div>\n");
    add_notes(out, table);
}

static void add_folded_table(struct pm_str *out, const struct pm_table *table)
{
    add_element(out, "<details><summary>", table->title, "</summary><div class=in>\n");
    add_plain_table(out, table);
    pm_str_add(out, "</div></details>\n");
}

/* ---- pictures ------------------------------------------------------------------------------- */

enum { PICTURE_ROWS = 20 }; /* of a block, so that blocks fit side by side */

/* Columns of a picture are letters, which its legend explains: A to Z, then AA. */
static void add_letters(struct pm_str *out, size_t column)
{
    if (column >= 26)
        add_letters(out, column / 26 - 1);
    pm_str_add_char(out, (char)('A' + column % 26));
}

static void add_legend(struct pm_str *out, const struct pm_table *table)
{
    bool used[LOOK_COUNT] = {false};
    for (size_t i = 0; i < table->cell_count; i++)
        if (i % table->column_count && table->cells[i].filling == PM_FILL_TEXT)
            used[look_of(table->cells[i].text) - looks] = true;
    pm_str_add(out, "<ul class=legend>");
    for (size_t i = 0; i < LOOK_COUNT; i++)
        if (used[i])
            pm_str_addf(out, "<li><b class=%s aria-hidden=true>%s</b>%s</li>", looks[i].class,
                        looks[i].sign, looks[i].meaning);
    pm_str_add(out, "</ul>\n<ul class=legend>");
    for (size_t i = 1; i < table->column_count; i++) {
        pm_str_add(out, "<li><b>");
        add_letters(out, i - 1);
        add_element(out, "</b>", table->columns[i].heading, "</li>");
    }
    pm_str_add(out, "</ul>\n");
}

static void add_picture_head(struct pm_str *out, const struct pm_table *table)
{
    add_element(out, "<thead><tr><th scope=col><span class=vh>", table->columns[0].heading,
                "</span>");
    for (size_t i = 1; i < table->column_count; i++) {
        add_element(out, "<th scope=col title=\"", table->columns[i].heading, "\" aria-label=\"");
        add_element(out, "", table->columns[i].heading, "\">");
        add_letters(out, i - 1);
    }
    pm_str_add(out, "</thead>\n<tbody>");
}

static void add_picture_row(struct pm_str *out, const struct pm_table *table, size_t row)
{
    const struct pm_report__cell *cells = &table->cells[row * table->column_count];
    pm_str_add(out, "<tr><th scope=row><a href=\"#");
    add_id(out, cells[0].text);
    add_element(out, "\" title=\"", cells[0].text, "\">");
    add_element(out, "", cells[0].text, "</a>");
    for (size_t i = 1; i < table->column_count; i++) {
        const char *word = cells[i].filling == PM_FILL_TEXT ? cells[i].text : "";
        const struct look *look = look_of(word);
        if (!*word) {
            pm_str_add(out, "<td>");
            continue;
        }
        pm_str_addf(out, "<td class=%s title=\"", look->class);
        add_element(out, "", word, "\" aria-label=\"");
        add_element(out, "", word, "\">");
        pm_str_add(out, look->sign);
    }
    pm_str_add(out, "\n");
}

static void add_picture(struct pm_str *out, const struct pm_table *table)
{
    const size_t rows = pm_table_rows(table);
    add_element(out, "<h3>", table->title, "</h3>\n");
    add_legend(out, table);
    pm_str_addf(out, "<div class=picture style=\"--targets: %zu\" role=group aria-label=\"",
                table->column_count - 1);
    add_element(out, "", table->title, "\">\n");
    for (size_t first = 0; first < rows; first += PICTURE_ROWS) {
        const size_t end = first + PICTURE_ROWS < rows ? first + PICTURE_ROWS : rows;
        pm_str_addf(out, "<table><caption class=vh>Rows %zu to %zu of %zu</caption>", first + 1,
                    end, rows);
        add_picture_head(out, table);
        for (size_t i = first; i < end; i++)
            add_picture_row(out, table, i);
        pm_str_add(out, "</table>\n");
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
                    look_of(heading)->class, (long long)cells[i].count);
        add_element(out, "", heading, "\">");
        pm_report_format_count(out, cells[i].count);
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
        const struct look *look = look_of(table->columns[i].heading);
        if (!sum_of(table, i))
            continue;
        pm_str_addf(out, "<li><b class=%s aria-hidden=true>%s</b>", look->class, look->sign);
        add_element(out, "", table->columns[i].heading, "</li>");
    }
    add_element(out, "</ul>\n<table class=bars><thead><tr><th scope=col>",
                table->columns[0].heading, "<th scope=col>functions</thead>\n<tbody>\n");
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
    return index < report->part_count && report->parts[index].kind == PM_PART_LINE;
}

/* The parts of a report, without pages: those of a row do not open again. */
static void add_flat_parts(struct pm_str *out, const struct pm_report *report)
{
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        if (part->kind == PM_PART_LINE)
            add_line(out, part, !i || !is_line(report, i - 1), !is_line(report, i + 1));
        else if (part->kind == PM_PART_HEADING)
            add_element(out, "<h3>", part->text, "</h3>\n");
        else
            add_plain_table(out, part->table);
    }
}

static size_t visible_columns(const struct pm_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->column_count; i++)
        count += !table->columns[i].is_empty;
    return count;
}

/* Each row is a body of its own, so that what it opens to moves with it. */
static void add_page(struct pm_str *out, const struct pm_table *table, size_t row,
                     const struct pm_report *page)
{
    const struct pm_report__cell *name = &table->cells[row * table->column_count];
    pm_str_add(out, "<tbody id=\"");
    add_id(out, name->filling == PM_FILL_TEXT ? name->text : "");
    pm_str_add(out, "\">");
    add_row(out, table, row, true);
    pm_str_addf(out, "<tr class=more><td colspan=%zu><details>", visible_columns(table));
    add_element(out, "<summary>", page->title, "</summary><div class=in>\n");
    add_flat_parts(out, page);
    pm_str_add(out, "</div></details>\n");
}

static void add_pages(struct pm_str *out, const struct pm_table *table,
                      struct pm_report *const *pages)
{
    open_scroll(out, table);
    pm_str_add(out, "<table class=pages>");
    add_element(out, "<caption>", table->title, "</caption>\n");
    add_head(out, table, true);
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
        add_plain_table(out, part->table);
}

static void add_parts(struct pm_str *out, const struct pm_report *report)
{
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        if (part->kind == PM_PART_LINE)
            add_line(out, part, !i || !is_line(report, i - 1), !is_line(report, i + 1));
        else if (part->kind == PM_PART_HEADING)
            add_element(out, "<h2>", part->text, "</h2>\n");
        else
            add_table(out, part);
    }
}

/* The policy forbids whatever would need a network, also where markup got in. */
static void add_document_head(struct pm_str *out, const char *title)
{
    pm_str_add(out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                    "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                    "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                    "<meta name=generator content=\"portmeter " PM_VERSION "\">\n");
    add_element(out, "<title>", title, "</title>\n<style>\n");
    pm_str_add(out, pm_report__page_css);
    pm_str_add(out, "</style>\n</head>\n<body>\n<a class=skip href=\"#content\">Skip to the "
                    "results</a>\n<main id=content>\n");
    add_element(out, "<h1>", title, "</h1>\n");
}

int pm_report__html(const struct pm_report *report, const struct pm_render_options *options,
                    struct pm_str *out, struct pm_error *err)
{
    (void)options, (void)err;
    add_document_head(out, *report->title ? report->title : "portmeter");
    add_parts(out, report);
    pm_str_add(out, "</main>\n<script>\n");
    pm_str_add(out, pm_report__page_js);
    pm_str_add(out, "</script>\n</body>\n</html>\n");
    return PM_OK;
}

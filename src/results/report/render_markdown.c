/* Writes GitHub-flavoured Markdown: aligned tables with anchors, commands as code. Escapes
 * characters that would be markup. */
#include <ctype.h>
#include <string.h>

#include "report/report_private.h"

/* Returns whether an underscore is within a word, as in torch.broadcast_tensors. There, it is not
 * markup in GitHub's dialect. */
static bool is_within_word(const char *text, size_t at)
{
    return at && isalnum((unsigned char)text[at - 1]) && isalnum((unsigned char)text[at + 1]);
}

/* Returns whether a text at the start of a line would begin a heading, a list, a quotation or a
 * rule. */
static bool begins_block(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return (*text && strchr("#+-=>", *text)) ||
           (digits && text[digits] && strchr(".)", text[digits]));
}

static void add_escaped(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_text_clean(&text, raw);
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.data[i];
        if (strchr("\\`*|<>[]~&$", c) || (c == '_' && !is_within_word(text.data, i)))
            pm_str_add_char(out, '\\');
        pm_str_add_char(out, c);
    }
    pm_str_release(&text);
}

/* Appends escaped text that is at the start of a line. */
static void add_escaped_block(struct pm_str *out, const char *raw)
{
    struct pm_str clean = PM_STR_INIT;
    pm_text_clean(&clean, raw);
    const char *text = clean.data + strspn(clean.data, " ");
    const size_t digits = strspn(text, "0123456789");
    if (begins_block(text)) {
        pm_str_add_bytes(out, text, digits);
        pm_str_addf(out, "\\%c", text[digits]);
        text += digits + 1;
    }
    add_escaped(out, text);
    pm_str_release(&clean);
}

/* Returns the length of the longest run of backticks. */
static size_t longest_run(const char *text)
{
    size_t longest = 0;
    for (const char *at = strchr(text, '`'); at; at = strchr(at, '`')) {
        const size_t run = strspn(at, "`");
        longest = run > longest ? run : longest;
        at += run;
    }
    return longest;
}

static void add_backticks(struct pm_str *out, size_t count)
{
    while (count--)
        pm_str_add_char(out, '`');
}

/* Adds a code span. It begins and ends with more backticks than any run in the text, because a run
 * of the same length would end it. */
static void add_code(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_text_clean(&text, raw);
    const size_t longest = longest_run(text.data);
    const char *space = longest ? " " : "";
    add_backticks(out, longest + 1);
    pm_str_addf(out, "%s%s%s", space, text.data, space);
    add_backticks(out, longest + 1);
    pm_str_release(&text);
}

/* Adds a block of code. Its fences have at least three backticks, and more than any run in the
 * text. */
static void add_script(struct pm_str *out, const char *text)
{
    const size_t longest = longest_run(text), fence = longest < 3 ? 3 : longest + 1;
    add_backticks(out, fence);
    pm_str_add(out, "python\n");
    pm_text_clean_script(out, text, "");
    add_backticks(out, fence);
    pm_str_add(out, "\n\n");
}

static void add_cell(struct pm_str *out, const struct pm_report__cell *cell,
                     const struct pm_report__column *column)
{
    struct pm_str value = PM_STR_INIT, interval = PM_STR_INIT;
    if (cell->filling == PM_FILL_TEXT) {
        add_escaped(out, cell->text);
        return;
    }
    pm_report__format_cell(cell, column, &value, &interval);
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
        if (table->columns[i].is_empty)
            continue;
        pm_str_add_char(out, ' ');
        add_cell(out, &cells[i], &table->columns[i]);
        pm_str_add(out, " |");
    }
}

static const char *alignment(enum pm_cell_kind kind)
{
    switch (kind) {
    case PM_CELL_TEXT:
    case PM_CELL_NAME:
    case PM_CELL_WORD:
        return " --- |";
    case PM_CELL_MARK:
        return " :---: |";
    default:
        return " ---: |";
    }
}

static void add_rows(struct pm_str *out, const struct pm_table *table)
{
    pm_str_add_char(out, '|');
    for (size_t i = 0; i < table->column_count; i++) {
        struct pm_str heading = PM_STR_INIT;
        if (table->columns[i].is_empty)
            continue;
        pm_report__heading(&table->columns[i], &heading);
        pm_str_add_char(out, ' ');
        add_escaped(out, heading.data);
        pm_str_add(out, " |");
        pm_str_release(&heading);
    }
    pm_str_add(out, "\n|");
    for (size_t i = 0; i < table->column_count; i++)
        pm_str_add(out, table->columns[i].is_empty ? "" : alignment(table->columns[i].kind));
    for (size_t i = 0; i < pm_table_rows(table); i++)
        add_row(out, table, &table->cells[i * table->column_count]);
    pm_str_add(out, "\n\n");
}

/* Appends an anchor such as "ratios-pytorch-cuda-small": the id of a table and what it is about, in
 * lower case, with hyphens for all characters but letters and digits. */
static void add_anchor(struct pm_str *out, const struct pm_table *table)
{
    struct pm_str words = PM_STR_INIT;
    pm_str_add(&words, table->id);
    for (size_t i = 0; i < table->about_count; i++)
        pm_str_addf(&words, "-%s", table->about[i].value);
    pm_str_add(out, "<a id=\"");
    for (const char *at = words.data; *at; at++)
        pm_str_add_char(out, isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '-');
    pm_str_add(out, "\"></a>");
    pm_str_release(&words);
}

/* Appends text between tags of HTML, where Markdown is not interpreted. */
static void add_html(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_text_clean(&text, raw);
    for (const char *at = text.data; *at; at++)
        if (*at == '<')
            pm_str_add(out, "&lt;");
        else if (*at == '>')
            pm_str_add(out, "&gt;");
        else if (*at == '&')
            pm_str_add(out, "&amp;");
        else
            pm_str_add_char(out, *at);
    pm_str_release(&text);
}

static void add_table_title(struct pm_str *out, const struct pm_table *table)
{
    if (table->folded) {
        pm_str_add(out, "<details><summary>");
        add_anchor(out, table);
        add_html(out, table->title);
        pm_str_add(out, "</summary>\n\n");
    } else if (*table->title) {
        add_anchor(out, table);
        pm_str_add(out, "\n\n### ");
        add_escaped(out, table->title);
        pm_str_add(out, "\n\n");
    }
}

static void add_table(struct pm_str *out, const struct pm_table *table)
{
    add_table_title(out, table);
    if (table->cell_count)
        add_rows(out, table);
    else
        pm_str_add(out, "none\n\n");
    for (size_t i = 0; i < table->note_count; i++) {
        add_escaped_block(out, table->notes[i]);
        pm_str_add(out, "\n\n");
    }
    if (table->folded)
        pm_str_add(out, "</details>\n\n");
}

/* Adds a line; consecutive lines form one list. */
static void add_line(struct pm_str *out, const struct pm_report__part *part, bool last)
{
    pm_str_add(out, "- ");
    if (*part->label) {
        add_escaped_block(out, part->label);
        pm_str_add(out, ": ");
    }
    if (part->command) {
        add_code(out, part->command);
        pm_str_add(out, *part->text ? ": " : "");
    }
    if (*part->label || part->command)
        add_escaped(out, part->text);
    else
        add_escaped_block(out, part->text);
    pm_str_add(out, last ? "\n\n" : "\n");
}

int pm_report__markdown(const struct pm_report *report, const struct pm_render_options *options,
                        struct pm_str *out, struct pm_error *err)
{
    (void)options, (void)err;
    if (*report->title) {
        pm_str_add(out, "# ");
        add_escaped(out, report->title);
        pm_str_add(out, "\n\n");
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        const bool last =
            i + 1 == report->part_count || part[1].kind != PM_PART_LINE || part[1].code;
        switch (part->kind) {
        case PM_PART_HEADING:
            pm_str_add(out, "## ");
            add_escaped(out, part->text);
            pm_str_add(out, "\n\n");
            break;
        case PM_PART_LINE:
            if (part->code)
                add_script(out, part->text);
            else
                add_line(out, part, last);
            break;
        case PM_PART_TABLE:
            add_table(out, part->table);
        }
    }
    if (out->length && pm_ends_with(out->data, "\n\n"))
        out->data[--out->length] = '\0';
    return PM_OK;
}

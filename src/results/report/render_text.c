/* Writes aligned columns for a terminal: two spaces between columns, numbers right-aligned, no
 * boxes. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "report/layout.h"

enum { LABEL_COLUMNS = 16, LEAST_COLUMNS = 20 };

/* Words that need attention: in cells of marks and states, in lines, and as ids of columns of
 * counts. */
static const struct {
    const char *word, *colour;
} colours[] = {
#define RED    "\033[31m"
#define YELLOW "\033[33m"
    {"fail", RED},        {"fails", RED},       {"failed", RED},     {"crash", RED},
    {"timeout", RED},     {"memory", RED},      {"harness", RED},    {"reference fails", RED},
    {"invalid", RED},     {"missing", RED},     {"partly", YELLOW},  {"flaky", YELLOW},
    {"unstable", YELLOW}, {"fallback", YELLOW}, {"blocked", YELLOW},
};
static const char colour_off[] = "\033[0m";

static const char *colour_of_word(const char *word)
{
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (strcasecmp(colours[i].word, word) == 0)
            return colours[i].colour;
    return NULL;
}

static const char *colour_of(const struct pm_report__cell *cell,
                             const struct pm_report__column *column)
{
    const bool word = column->kind == PM_CELL_MARK || column->kind == PM_CELL_WORD;
    if (word && cell->filling == PM_FILL_TEXT)
        return colour_of_word(cell->text);
    const bool some = cell->filling == PM_FILL_COUNT && cell->count > 0;
    return some ? colour_of_word(column->id) : NULL;
}

static void end_line(struct pm_str *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    pm_str_add_char(out, '\n');
}

/* Returns whether the text before a word of a line is a number above 0: "3 " of "3 partly". */
static bool is_after_a_count(const char *line, const char *word)
{
    const char *at = word;
    bool some = false;
    if (at == line || *--at != ' ')
        return false;
    while (at > line && (isdigit((unsigned char)at[-1]) || at[-1] == ',')) {
        at--;
        some |= *at >= '1' && *at <= '9';
    }
    return some;
}

/* Returns whether the text after a word is empty, or begins with a comma or with " on ", which a
 * target follows. */
static bool ends_a_statement(const char *after)
{
    return !*after || *after == ',' || strncmp(after, " on ", 4) == 0;
}

/* Returns the colour of a word in a sentence, or NULL. A word that needs attention has a colour
 * after a count above 0, or at the end of a statement: "9 fail", "torch.sort fails, torch.cat fails
 * on ...". */
static const char *colour_in_line(const char *line, const char *word, size_t length)
{
    char copy[24];
    const bool is_counted = word > line + 1 && isdigit((unsigned char)word[-2]);
    if (length >= sizeof copy ||
        !(is_counted ? is_after_a_count(line, word) : ends_a_statement(word + length)))
        return NULL;
    snprintf(copy, sizeof copy, "%.*s", (int)length, word);
    return colour_of_word(copy);
}

/* Adds `length` bytes of a text, and colours words that need attention. `text` is a part of the
 * line that begins at `begin`. */
static void add_coloured(struct pm_str *out, const char *begin, const char *text, size_t length)
{
    for (const char *at = text; at < text + length;) {
        size_t word = 0;
        while (at + word < text + length && isalpha((unsigned char)at[word]))
            word++;
        const char *colour = word ? colour_in_line(begin, at, word) : NULL;
        pm_str_add(out, colour ? colour : "");
        pm_str_add_bytes(out, at, word ? word : 1);
        pm_str_add(out, colour ? colour_off : "");
        at += word ? word : 1;
    }
}

/* Adds as much of a text as fits a line of `columns`, and moves *text after it. `begin` is the
 * beginning of the whole text; NULL: print no colours. */
static void add_next_line(struct pm_str *out, const char *begin, const char **text, size_t columns)
{
    const size_t length = pm_text_line_length(*text, columns);
    if (begin)
        add_coloured(out, begin, *text, length);
    else
        pm_str_add_bytes(out, *text, length);
    *text += length;
    *text += strspn(*text, " ");
}

/* Adds a text in lines of at most options->width columns (0: one line). `used` columns of the first
 * line are used already; `indent` spaces precede each later line. */
static void add_lines(struct pm_str *out, const char *raw, size_t used, size_t indent,
                      const struct pm_render_options *options)
{
    struct pm_str clean = PM_STR_INIT;
    pm_text_clean(&clean, raw);
    const char *rest = clean.data;
    const size_t least = LEAST_COLUMNS, screen = options->width;
    do {
        const size_t left = screen > used + least ? screen - used : least;
        add_next_line(out, options->colour ? clean.data : NULL, &rest, screen ? left : SIZE_MAX);
        end_line(out);
        if (*rest)
            pm_text_pad(out, used = indent);
    } while (*rest);
    pm_str_release(&clean);
}

/* Like add_lines(), but without colours. */
static void add_paragraph(struct pm_str *out, const char *raw, size_t used, size_t indent,
                          size_t screen)
{
    add_lines(out, raw, used, indent, &(struct pm_render_options){.width = screen});
}

/* ---- tables --------------------------------------------------------------------------------- */

static bool is_left(enum pm_cell_kind kind)
{
    return kind == PM_CELL_TEXT || kind == PM_CELL_NAME || kind == PM_CELL_WORD;
}

/* Adds `text`, aligned in `width` columns by the kind of cell. The text must fit. */
static void add_aligned(struct pm_str *out, const char *text, const char *colour,
                        enum pm_cell_kind kind, size_t width)
{
    const size_t used = pm_text_width(text), spare = width > used ? width - used : 0;
    const size_t before = is_left(kind) ? 0 : kind == PM_CELL_MARK ? spare / 2 : spare;
    pm_text_pad(out, before);
    pm_str_add(out, colour ? colour : "");
    pm_str_add(out, text);
    pm_str_add(out, colour ? colour_off : "");
    pm_text_pad(out, spare - before);
}

/* A row that is being printed, and the text of each cell that is not yet printed. */
struct row {
    const struct pm_report__layout *layout;
    const char **rest;
    size_t screen; /* 0: no limit */
};

/* The most lines of a text in its column. A longer text is printed below its row, over the whole
 * width. */
enum { MOST_BESIDE = 4 };

static bool has_more(const struct row *row)
{
    const struct pm_report__layout *layout = row->layout;
    for (size_t i = 0; i < layout->to; i++)
        if (pm_report__layout_shows(layout, i) && *row->rest[i])
            return true;
    return false;
}

/* Prints the next line of a cell that may be broken. */
static void add_piece(struct pm_str *out, struct row *row, size_t column, enum pm_cell_kind kind)
{
    const size_t width = row->layout->columns[column].width;
    struct pm_str line = PM_STR_INIT;
    add_next_line(&line, NULL, &row->rest[column], width);
    for (char *at = line.data; (at = strchr(at, PM_LAYOUT_KEPT_SPACE));)
        *at = ' ';
    add_aligned(out, line.data, NULL, kind, width);
    pm_str_release(&line);
}

static void add_whole(struct pm_str *out, struct row *row, size_t column, size_t index, bool colour)
{
    const struct pm_report__layout *layout = row->layout;
    const struct pm_table *table = layout->table;
    const struct pm_report__column_width *c = &layout->columns[column];
    const struct pm_report__cell_text *cell = &layout->cells[index];
    const size_t tail = c->interval && !cell->is_text ? 1 + c->interval : 0;
    struct pm_str shown = PM_STR_INIT;
    if (table->columns[column].kind == PM_CELL_NAME)
        pm_text_cut_head(&shown, row->rest[column], c->width);
    else
        pm_str_add(&shown, row->rest[column]);
    add_aligned(out, shown.data,
                colour ? colour_of(&table->cells[index], &table->columns[column]) : NULL,
                table->columns[column].kind, c->width - tail);
    if (tail) {
        pm_str_add_char(out, ' ');
        pm_str_add(out, cell->interval.data);
        pm_text_pad(out, c->interval - cell->interval.length);
    }
    row->rest[column] = "";
    pm_str_release(&shown);
}

static void begin_line(struct pm_str *out, const struct pm_report__layout *layout)
{
    pm_text_pad(out, pm_report__layout_indent(layout));
}

static void add_below(struct pm_str *out, const char *text, size_t screen)
{
    while (*text) {
        pm_text_pad(out, PM_LAYOUT_BELOW);
        add_next_line(out, NULL, &text, screen > PM_LAYOUT_BELOW ? screen - PM_LAYOUT_BELOW : 1);
        end_line(out);
    }
}

static size_t lines_of(const char *text, size_t width)
{
    size_t lines = 0;
    while (*text) {
        text += pm_text_line_length(text, width);
        text += strspn(text, " ");
        lines++;
    }
    return lines;
}

/* Returns the text of the last cell of a row if it is printed below the row; else "". */
static const char *below_of(const struct row *row, size_t index)
{
    const struct pm_report__layout *layout = row->layout;
    const size_t last = layout->to - 1;
    const char *text = layout->cells[index + last].value.data;
    if (layout->below)
        return text;
    const bool breaks = row->screen && last != layout->first &&
                        pm_report__layout_shows(layout, last) &&
                        layout->table->columns[last].kind == PM_CELL_TEXT;
    return breaks && lines_of(text, layout->columns[last].width) > MOST_BESIDE ? text : "";
}

static void add_row(struct pm_str *out, struct row *row, size_t index, bool colour)
{
    const struct pm_report__layout *layout = row->layout;
    const struct pm_table *table = layout->table;
    const char *below = below_of(row, index);
    const size_t end = *below || layout->below ? layout->to - 1 : layout->to;
    for (size_t i = 0; i < table->column_count; i++)
        row->rest[i] = i < end ? layout->cells[index + i].value.data : "";
    do {
        begin_line(out, layout);
        for (size_t i = 0; i < end; i++) {
            if (!pm_report__layout_shows(layout, i))
                continue;
            pm_text_pad(out, i == layout->first ? 0 : PM_LAYOUT_GAP);
            if (table->columns[i].kind == PM_CELL_TEXT)
                add_piece(out, row, i, PM_CELL_TEXT);
            else if (*row->rest[i])
                add_whole(out, row, i, index + i, colour);
            else
                pm_text_pad(out, layout->columns[i].width);
        }
        end_line(out);
    } while (has_more(row));
    add_below(out, below, row->screen);
}

static size_t heading_lines(const struct pm_report__layout *layout, size_t column)
{
    return lines_of(layout->columns[column].heading.data, layout->columns[column].width);
}

/* Adds the headings. All of them end in the last line. */
static void add_headings(struct pm_str *out, struct row *row)
{
    const struct pm_report__layout *layout = row->layout;
    const size_t end = layout->below ? layout->to - 1 : layout->to;
    size_t most = 1;
    for (size_t i = 0; i < layout->table->column_count; i++)
        row->rest[i] = layout->columns[i].heading.data;
    for (size_t i = 0; i < end; i++)
        if (pm_report__layout_shows(layout, i) && heading_lines(layout, i) > most)
            most = heading_lines(layout, i);
    for (size_t line = most; line > 0; line--) {
        begin_line(out, layout);
        for (size_t i = 0; i < end; i++) {
            if (!pm_report__layout_shows(layout, i))
                continue;
            pm_text_pad(out, i == layout->first ? 0 : PM_LAYOUT_GAP);
            if (heading_lines(layout, i) < line)
                pm_text_pad(out, layout->columns[i].width);
            else
                add_piece(out, row, i, layout->table->columns[i].kind);
        }
        end_line(out);
    }
    if (layout->below)
        add_below(out, row->rest[end], row->screen);
}

/* Returns whether the row begins a group. */
static bool begins_group(const struct pm_report__layout *layout, size_t index)
{
    const struct pm_report__cell_text *cells = layout->cells;
    return layout->first &&
           (!index ||
            strcmp(cells[index].value.data, cells[index - layout->table->column_count].value.data));
}

/* Adds, for all rows, as many columns from `from` on as fit. Returns the index of the next
 * column. */
static size_t add_band(struct pm_str *out, struct pm_report__layout *layout, size_t from,
                       const struct pm_render_options *options)
{
    const struct pm_table *table = layout->table;
    struct row row = {layout, pm_alloc((table->column_count + 1) * sizeof *row.rest),
                      options->width};
    pm_report__layout_band(layout, from, options->width);
    add_headings(out, &row);
    for (size_t i = 0; i < table->cell_count; i += table->column_count) {
        if (begins_group(layout, i)) {
            pm_str_add(out, layout->cells[i].value.data);
            end_line(out);
        }
        add_row(out, &row, i, options->colour);
    }
    free(row.rest);
    return layout->to;
}

static void add_cells(struct pm_str *out, const struct pm_table *table,
                      const struct pm_render_options *options)
{
    struct pm_report__layout layout;
    pm_report__layout_init(&layout, table);
    size_t from = layout.first + 1;
    for (bool more = true; more; more = from < table->column_count) {
        if (from > layout.first + 1)
            pm_str_add_char(out, '\n');
        from = add_band(out, &layout, from, options);
    }
    pm_report__layout_release(&layout);
}

static void add_table(struct pm_str *out, const struct pm_table *table,
                      const struct pm_render_options *options)
{
    if (*table->title)
        add_paragraph(out, table->title, 0, 0, options->width);
    if (table->cell_count)
        add_cells(out, table, options);
    else
        pm_str_add(out, "none\n");
    for (size_t i = 0; i < table->note_count; i++)
        add_paragraph(out, table->notes[i], 0, PM_LAYOUT_INDENT, options->width);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Returns the width of the labels, which is the same for consecutive lines. */
static size_t label_columns(const struct pm_report *report, size_t index)
{
    const struct pm_report__part *parts = report->parts;
    size_t widest = LABEL_COLUMNS - PM_LAYOUT_GAP;
    while (index && parts[index - 1].kind == PM_PART_LINE)
        index--;
    for (; index < report->part_count && parts[index].kind == PM_PART_LINE; index++) {
        const size_t width = pm_text_width(parts[index].label);
        widest = width > widest ? width : widest;
    }
    return widest + PM_LAYOUT_GAP;
}

/* Adds a command and its purpose: in the same line or, if that would be too wide, below the
 * command. */
static void add_command(struct pm_str *out, const struct pm_report__part *part, size_t label,
                        size_t screen)
{
    static const char between[] = "   ";
    struct pm_str command = PM_STR_INIT;
    pm_text_clean(&command, part->command);
    const size_t used = label + pm_text_width(command.data) + strlen(between);
    const bool below = screen && used + pm_text_width(part->text) > screen;
    pm_str_add(out, command.data);
    if (*part->text && below) {
        end_line(out);
        pm_text_pad(out, label + PM_LAYOUT_INDENT);
    } else if (*part->text) {
        pm_str_add(out, between);
    }
    add_paragraph(out, part->text, below ? label + PM_LAYOUT_INDENT : 0, label + PM_LAYOUT_INDENT,
                  below ? screen : 0);
    pm_str_release(&command);
}

static void add_report_line(struct pm_str *out, const struct pm_report *report, size_t index,
                            const struct pm_render_options *options)
{
    const struct pm_report__part *part = &report->parts[index];
    if (part->code) {
        pm_text_clean_script(out, part->text, "    ");
        return;
    }
    const bool goes_on = index && part[-1].kind == PM_PART_LINE;
    const size_t label = *part->label || goes_on ? label_columns(report, index) : 0;
    if (label)
        add_aligned(out, part->label, NULL, PM_CELL_TEXT, label);
    if (part->command)
        add_command(out, part, label, options->width);
    else
        add_lines(out, part->text, label, label, options);
}

static void add_heading(struct pm_str *out, const char *text, size_t screen)
{
    size_t width = pm_text_width(text);
    add_paragraph(out, text, 0, 0, screen);
    for (width = screen && width > screen ? screen : width; width > 0; width--)
        pm_str_add_char(out, '-');
    pm_str_add_char(out, '\n');
}

/* Returns whether an empty line separates two parts. There is none between consecutive lines or
 * after a heading. */
static bool is_apart(const struct pm_report__part *above, const struct pm_report__part *below)
{
    const bool lines = above->kind == PM_PART_LINE && below->kind == PM_PART_LINE;
    return !lines && above->kind != PM_PART_HEADING;
}

int pm_report__text(const struct pm_report *report, const struct pm_render_options *options,
                    struct pm_str *out, struct pm_error *err)
{
    (void)err;
    if (*report->title) {
        add_paragraph(out, report->title, 0, 0, options->width);
        if (report->part_count)
            pm_str_add_char(out, '\n');
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const struct pm_report__part *part = &report->parts[i];
        if (i && is_apart(&part[-1], part))
            pm_str_add_char(out, '\n');
        switch (part->kind) {
        case PM_PART_HEADING:
            add_heading(out, part->text, options->width);
            break;
        case PM_PART_LINE:
            add_report_line(out, report, i, options);
            break;
        case PM_PART_TABLE:
            add_table(out, part->table, options);
        }
    }
    return PM_OK;
}

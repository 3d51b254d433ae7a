/* Builds reports as values, and renders them in a format. */
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "report/report_private.h"

struct pm_report *pm_report_new(const char *title)
{
    struct pm_report *report = pm_alloc(sizeof *report);
    report->title = pm_strdup(title);
    return report;
}

static void free_pages(struct pm_report__part *part)
{
    for (size_t i = 0; part->pages && i < pm_table_rows(part->table); i++)
        pm_report_free(part->pages[i]);
    free(part->pages);
}

void pm_report_free(struct pm_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->part_count; i++) {
        free(report->parts[i].label);
        free(report->parts[i].text);
        free(report->parts[i].command);
        free_pages(&report->parts[i]);
        pm_figure_free(report->parts[i].figure);
        pm_table_free(report->parts[i].table);
    }
    free(report->parts);
    free(report->title);
    json_decref(report->data);
    free(report);
}

static void add_part(struct pm_report *report, struct pm_report__part part)
{
    PM_GROW(report->parts, report->part_count, report->part_capacity);
    report->parts[report->part_count++] = part;
}

void pm_report_heading(struct pm_report *report, const char *text)
{
    add_part(report, (struct pm_report__part){.kind = PM_PART_HEADING, .text = pm_strdup(text)});
}

void pm_report_line(struct pm_report *report, const char *label, const char *text)
{
    add_part(report, (struct pm_report__part){.kind = PM_PART_LINE,
                                              .label = pm_line_clean(pm_strdup(label)),
                                              .text = pm_strdup(text)});
}

void pm_report_take_line(struct pm_report *report, const char *label, char *text)
{
    pm_report_line(report, label, text);
    free(text);
}

void pm_report_command(struct pm_report *report, const char *label, const char *command,
                       const char *purpose)
{
    add_part(report, (struct pm_report__part){.kind = PM_PART_LINE,
                                              .label = pm_line_clean(pm_strdup(label)),
                                              .text = pm_strdup(purpose),
                                              .command = pm_strdup(command)});
}

void pm_report_code(struct pm_report *report, const char *label, const char *text)
{
    add_part(report, (struct pm_report__part){.kind = PM_PART_LINE,
                                              .label = pm_line_clean(pm_strdup(label)),
                                              .text = pm_strdup(text),
                                              .code = true});
}

void pm_report_take_figure(struct pm_report *report, struct pm_figure *figure, const char *title,
                           const char *command, const char *answer)
{
    pm_report_command(report, title, command, answer);
    report->parts[report->part_count - 1].figure = figure;
}

void pm_report_fold(struct pm_report *report)
{
    report->folds = true;
}

void pm_report_take_data(struct pm_report *report, const char *key, json_t *value)
{
    if (!report->data)
        report->data = json_object();
    json_object_set_new(report->data, key, value);
}

void pm_report_take_table(struct pm_report *report, struct pm_table *table)
{
    if (table->column_count && table->cell_count % table->column_count)
        PM_BUG("a table's last row is not finished");
    pm_report__finish(table);
    table->folded |= report->folds;
    add_part(report, (struct pm_report__part){.kind = PM_PART_TABLE, .table = table});
}

void pm_report_take_pages(struct pm_report *report, struct pm_table *table,
                          struct pm_report **pages)
{
    pm_report_take_table(report, table);
    report->parts[report->part_count - 1].pages = pages;
}

/* To add a format: add it to the vocabulary, write render_<name>.c, declare it in report_private.h,
 * and add a row here. */
static pm_report__renderer *const renderers[] = {
    [PM_FORMAT_TEXT] = pm_report__text,   [PM_FORMAT_MARKDOWN] = pm_report__markdown,
    [PM_FORMAT_JSON] = pm_report__json,   [PM_FORMAT_CSV] = pm_report__csv,
    [PM_FORMAT_LATEX] = pm_report__latex, [PM_FORMAT_HTML] = pm_report__html,
};
_Static_assert(sizeof renderers / sizeof *renderers == PM_FORMAT_COUNT,
               "each format has a renderer");

int pm_report_render(const struct pm_report *report, enum pm_report_format format,
                     const struct pm_render_options *options, struct pm_sink *sink,
                     struct pm_error *err)
{
    struct pm_str out = PM_STR_INIT;
    int rc = renderers[format](report, options, &out, err);
    if (!rc && sink->write(sink->ctx, out.data, out.length) < 0)
        rc = pm_error_errno(err, "cannot write the report");
    pm_str_release(&out);
    return rc;
}

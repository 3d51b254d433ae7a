/* Reports as values, and the formats of their rendering. */
#include <string.h>

#include "base/alloc.h"
#include "report/report_private.h"

struct pm_report *pm_report_new(const char *title)
{
    struct pm_report *report = pm_alloc(sizeof *report);
    report->title = pm_strdup(title);
    return report;
}

void pm_report_free(struct pm_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->part_count; i++) {
        free(report->parts[i].label);
        free(report->parts[i].text);
        pm_table_free(report->parts[i].table);
    }
    free(report->parts);
    free(report->title);
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
    add_part(report, (struct pm_report__part){
                         .kind = PM_PART_LINE, .label = pm_strdup(label), .text = pm_strdup(text)});
}

void pm_report_take_table(struct pm_report *report, struct pm_table *table)
{
    if (table->column_count && table->cell_count % table->column_count)
        PM_BUG("a table's last row is not finished");
    add_part(report, (struct pm_report__part){.kind = PM_PART_TABLE, .table = table});
}

/* To add a format: write render_<name>.c, declare it in report_private.h, add a row here. */
#define FORMATS(X) X(text) X(markdown) X(json)

static const struct {
    const char *name;
    pm_report__renderer *render;
} formats[] = {
#define X(name) {#name, pm_report__##name},
    FORMATS(X)
#undef X
};

const char *pm_report_formats(void)
{
#define X(name) ", " #name
    static const char list[] = FORMATS(X);
#undef X
    return list + strlen(", ");
}

static pm_report__renderer *find_format(const char *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].render;
    return NULL;
}

int pm_report_check_format(const char *format, struct pm_error *err)
{
    return find_format(format) ? PM_OK
                               : pm_error_set(err, PM_EUSAGE, "unknown format '%s': use %s", format,
                                              pm_report_formats());
}

int pm_report_render(const struct pm_report *report, const char *format,
                     const struct pm_render_options *options, struct pm_sink *sink,
                     struct pm_error *err)
{
    struct pm_str out = PM_STR_INIT;
    PM_TRY(pm_report_check_format(format, err));
    find_format(format)(report, options, &out);
    const int rc = sink->write(sink->ctx, out.data, out.length) < 0
                       ? pm_error_errno(err, "cannot write the report")
                       : PM_OK;
    pm_str_release(&out);
    return rc;
}

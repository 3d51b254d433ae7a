/* Renders a report to stdout or a file. */
#include "report/write.h"

#include "base/file.h"
#include "report/sink.h"

int pm_report_write(const struct pm_report *report, enum pm_report_format format, unsigned width,
                    bool colour, const char *output, struct pm_error *err)
{
    const struct pm_render_options options = {.width = output ? 0 : width, .colour = colour};
    if (!output) {
        struct pm_sink sink = pm_sink_file(stdout);
        return pm_report_render(report, format, &options, &sink, err);
    }
    struct pm_str text = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&text);
    int rc = pm_report_render(report, format, &options, &sink, err);
    if (!rc)
        rc = pm_file_write(output, text.data, text.length, err);
    pm_str_release(&text);
    return rc;
}

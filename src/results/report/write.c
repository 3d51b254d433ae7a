/* Renders a report to stdout or a file, and finds the format that belongs to the extension of a
 * file. */
#include "report/write.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "report/sink.h"

bool pm_report_format_of_file(const char *path, enum pm_report_format *out, struct pm_error *err)
{
    static const struct {
        const char *extension;
        enum pm_report_format format;
    } files[] = {{"", PM_FORMAT_TEXT},        {".txt", PM_FORMAT_TEXT},
                 {".md", PM_FORMAT_MARKDOWN}, {".json", PM_FORMAT_JSON},
                 {".csv", PM_FORMAT_CSV},     {".tex", PM_FORMAT_LATEX},
                 {".html", PM_FORMAT_HTML},   {".markdown", PM_FORMAT_MARKDOWN}};
    const char *name = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(name ? name : path, '.') : NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcasecmp(dot ? dot : "", files[i].extension)) {
            *out = files[i].format;
            return true;
        }
    pm_error_set(err, PM_EUSAGE,
                 "unknown extension of --output '%s': use .txt, .md, .json, .csv, .tex or .html, "
                 "or add --format",
                 path);
    return false;
}

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

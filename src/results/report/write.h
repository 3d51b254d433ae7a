/* Renders a report to stdout or a file, and finds the format that belongs to the extension of a
 * file. */
#ifndef PM_REPORT_WRITE_H
#define PM_REPORT_WRITE_H

#include "report/table.h"

/* Renders a report to stdout, or to the file `output`, which is replaced as a whole. `width` is
 * that of the screen (0: no limit); a file has no limit. Has the errors of pm_report_render() and
 * pm_file_write(). */
PM_MUST_USE int pm_report_write(const struct pm_report *report, enum pm_report_format format,
                                unsigned width, bool colour, const char *output,
                                struct pm_error *err);

/* Sets *out to the format by the extension of a file: .txt, .md, .markdown, .json, .csv, .tex or
 * .html. It is text if the file has no extension, or `path` is NULL. Returns false and sets an
 * error if the extension is unknown. */
bool pm_report_format_of_file(const char *path, enum pm_report_format *out, struct pm_error *err);

#endif

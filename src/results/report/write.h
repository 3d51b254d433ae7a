/* Renders a report to stdout or a file. */
#ifndef PM_REPORT_WRITE_H
#define PM_REPORT_WRITE_H

#include "report/table.h"

/* Renders to stdout, or to the file `output`, which is replaced as a whole. */
PM_MUST_USE int pm_report_write(const struct pm_report *report, enum pm_report_format format,
                                unsigned width, bool colour, const char *output,
                                struct pm_error *err);

/* Finds the format by the extension of a file: .txt, .md, .json, .csv, .tex, .html; text if it has
 * none, or if there is no file (NULL). False, with a message, for another extension. */
bool pm_report_format_of_file(const char *path, enum pm_report_format *out, struct pm_error *err);

#endif

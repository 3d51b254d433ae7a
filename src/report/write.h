/* A report rendered to where the user wants it. */
#ifndef PM_REPORT_WRITE_H
#define PM_REPORT_WRITE_H

#include "report/table.h"

/* Renders to stdout, or whole to the file `output`. */
PM_MUST_USE int pm_report_write(const struct pm_report *report, const char *format, unsigned width,
                                bool colour, const char *output, struct pm_error *err);

#endif

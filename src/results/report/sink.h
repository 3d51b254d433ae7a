/*
 * Sinks for pm_report_render(). None owns what it writes to.
 *
 *     struct pm_sink sink = pm_sink_file(stdout);
 *     pm_report_render(report, PM_FORMAT_TEXT, &options, &sink, &err);
 */
#ifndef PM_REPORT_SINK_H
#define PM_REPORT_SINK_H

#include <stdio.h>

#include "base/str.h"
#include "report/table.h"

/* A sink to a stream: fails at once if a disk is full, and with EINTR if the user stops the
 * command, also while nobody reads what is written. */
struct pm_sink pm_sink_file(FILE *file);
struct pm_sink pm_sink_str(struct pm_str *text); /* appends; never fails                         */

#endif

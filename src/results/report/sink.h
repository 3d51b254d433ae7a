/*
 * Creates sinks for pm_report_render(). A sink does not own its destination.
 *
 *     struct pm_sink sink = pm_sink_file(stdout);
 *     pm_report_render(report, PM_FORMAT_TEXT, &options, &sink, &err);
 */
#ifndef PM_REPORT_SINK_H
#define PM_REPORT_SINK_H

#include <stdio.h>

#include "base/str.h"
#include "report/table.h"

/* Returns a sink that writes to a stream without buffering, so that a full disk is an error of the
 * write. The write fails with EINTR if the user stops the command, even while nobody reads the
 * pipe. */
struct pm_sink pm_sink_file(FILE *file);
struct pm_sink pm_sink_str(struct pm_str *text); /* appends to `text`; never fails */

#endif

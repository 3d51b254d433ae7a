/*
 * The trace of a command, which shows why it waits or fails. If the variable PORTMETER_TRACE names
 * a file, each event is appended there as one JSON object per line, at once, so that the file is
 * complete even after a crash:
 *
 *     {"t": 1.203441, "event": "signal", "pid": 4711, "number": 15}
 *
 * `t` is seconds since the command began. The first event, "command", has the time of day and the
 * arguments. docs/internals/tracing.md lists the events and their members. A trace contains names,
 * paths and arguments as they are: read it before you show it to others.
 *
 * The trace is off without this variable and without `--verbose`. An event then costs only one
 * test. Not thread-safe.
 */
#ifndef PM_BASE_TRACE_H
#define PM_BASE_TRACE_H

#include <stdbool.h>

#include "base/error.h"

/* Opens the file that PORTMETER_TRACE names, if it is set and not empty, and writes the event
 * "command" with `argv`. PM_EUSAGE if the file cannot be opened for appending. */
PM_MUST_USE int pm_trace_begin(int argc, const char *const *argv, struct pm_error *err);

/* Also prints each event from now on as a line of `out`: `--verbose`. */
void pm_trace_show(FILE *out);

/* Returns whether the trace is on. Check it before you compute members that take time. */
bool pm_trace_is_on(void);

/* Appends an event. `format` and what follows are those of jansson's json_pack() for an object, as
 * in "{s:i, s:s*}"; "{}" for no members. If the trace cannot be written, it ends silently, because
 * it must not change what the command does. */
void pm_trace(const char *event, const char *format, ...);

#endif

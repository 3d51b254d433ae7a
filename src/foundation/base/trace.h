/*
 * The trace of a command, for whoever wants to know why it waits or fails. It is off unless the
 * variable PORTMETER_TRACE names a file; then each event is appended there as one JSON object a
 * line, at once, so that the file is whole up to a crash:
 *
 *     {"t": 1.203441, "event": "signal", "pid": 4711, "number": 15}
 *
 * `t` is seconds since the command began. The first event, "command", has the time of day and the
 * arguments. docs/internals/tracing.md lists the events and their members. A trace contains names, paths and
 * arguments as they are: it is for one's own eyes.
 *
 * An event costs a test of one pointer where the trace is off. Not thread-safe.
 */
#ifndef PM_BASE_TRACE_H
#define PM_BASE_TRACE_H

#include <stdbool.h>

#include "base/error.h"

/* Opens the file that PORTMETER_TRACE names, if it is set and not empty, and writes the event
 * "command" with `argv`. PM_EUSAGE where the file cannot be opened for appending. */
PM_MUST_USE int pm_trace_begin(int argc, const char *const *argv, struct pm_error *err);

/* Also prints each event from now on as a line of `out`: `--verbose`. */
void pm_trace_show(FILE *out);

/* Returns whether there is a trace: for events whose members take work to find. */
bool pm_trace_is_on(void);

/* Appends an event. `format` and what follows are those of jansson's json_pack() for an object, as
 * in "{s:i, s:s*}"; "{}" for no members. A trace that cannot be written is given up silently,
 * because it must not change what the command does. */
void pm_trace(const char *event, const char *format, ...);

#endif

/* Writes the trace of a command: events as lines of JSON in the file that PORTMETER_TRACE names. */
#include "base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/line.h"
#include "base/str.h"

static struct {
    int fd;      /* 0: no file */
    FILE *shown; /* stream for people; NULL: none */
    uint64_t began;
} trace;

bool pm_trace_is_on(void)
{
    return trace.fd != 0 || trace.shown;
}

static void give_up(void)
{
    close(trace.fd);
    trace.fd = 0;
}

/* Writes each line with one call, so that lines of several commands that share a file do not
 * mix. */
static void append(json_t *event)
{
    char *text = json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(12));
    struct pm_str line = PM_STR_INIT;
    pm_str_add(&line, text ? text : "{}");
    pm_str_add_char(&line, '\n');
    free(text);
    if (write(trace.fd, line.data, line.length) != (ssize_t)line.length)
        give_up();
    pm_str_release(&line);
}

/* Returns a value as people read it: a text without quotes, a number without meaningless digits.
 * The caller frees it. */
static char *shown_value(const json_t *value)
{
    if (json_is_string(value))
        return pm_strdup(json_string_value(value));
    return json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(4));
}

/* Prints a line such as "  1.203 s  signal  pid 4711, number 15". */
static void show(const char *event, double seconds, json_t *members)
{
    const char *key;
    json_t *value;
    struct pm_str line = PM_STR_INIT;
    pm_str_addf(&line, "%7.3f s  %s", seconds, event);
    const char *before = "  ";
    json_object_foreach(members, key, value) {
        char *text = shown_value(value);
        pm_str_addf(&line, "%s%s %s", before, key, text);
        before = ", ";
        free(text);
    }
    pm_line_print(trace.shown, "%s", line.data);
    pm_str_release(&line);
}

void pm_trace_show(FILE *out)
{
    trace.shown = out;
    if (!trace.began)
        trace.began = pm_clock_now();
}

void pm_trace(const char *event, const char *format, ...)
{
    if (!pm_trace_is_on())
        return;
    va_list members;
    va_start(members, format);
    json_t *given = json_vpack_ex(NULL, 0, format, members);
    va_end(members);
    const double seconds = (double)(pm_clock_now() - trace.began) / 1e9;
    if (trace.shown)
        show(event, seconds, given);
    json_t *all = json_pack("{s:f, s:s}", "t", seconds, "event", event);
    if (!all)
        PM_BUG("the event of a trace is not JSON");
    if (given)
        json_object_update(all, given);
    else /* a text is not UTF-8: without its members, the event still shows what happened */
        json_object_set_new(all, "unreadable", json_true());
    if (trace.fd)
        append(all);
    json_decref(given);
    json_decref(all);
}

int pm_trace_begin(int argc, const char *const *argv, struct pm_error *err)
{
    const char *path = getenv("PORTMETER_TRACE");
    if (!path || !*path)
        return PM_OK;
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0)
        return pm_error_set(err, PM_EUSAGE,
                            "cannot write the trace '%s': %s: change PORTMETER_TRACE", path,
                            strerror(errno));
    trace.fd = fd;
    trace.began = pm_clock_now();
    char now[25];
    pm_clock_iso(now);
    json_t *arguments = json_array();
    for (int i = 0; i < argc; i++)
        json_array_append_new(arguments, json_string(argv[i]));
    pm_trace("command", "{s:s, s:i, s:o}", "time", now, "pid", (int)getpid(), "arguments",
             arguments);
    return PM_OK;
}

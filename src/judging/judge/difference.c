/* Describes the difference between two outputs in one line. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/line.h"
#include "judge/judge_private.h"

void pm_judge__differ(struct pm_difference *out, enum pm_difference_kind kind, const char *path,
                      const char *format, ...)
{
    out->smallest_rtol = NAN;
    if (out->kind != PM_DIFFERENCE_NONE)
        return;
    out->kind = kind;
    char what[sizeof out->text];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    struct pm_str line = PM_STR_INIT;
    pm_str_addf(&line, "%s%s%s", path, *path ? ": " : "", what);
    struct pm_str cut = PM_STR_INIT;
    pm_line_add(&cut, line.data, sizeof out->text - 4);
    snprintf(out->text, sizeof out->text, "%s", cut.data);
    pm_str_release(&line);
    pm_str_release(&cut);
}

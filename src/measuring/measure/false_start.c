/* Handles children that end before they can take a job: however they end, no case is the cause. */
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "measure/session.h"

/* The largest number of false starts in a row, for each process that may run at once. If there are
 * more, every later child would probably fail, too. */
enum { MOST_IN_A_ROW = 4, LONGEST = 500 };

/* Appends the last line of what the child printed, which is usually an exception. */
static void add_last_line(struct pm_str *out, const char *output)
{
    size_t end = strlen(output);
    while (end && strchr(" \r\n\t", output[end - 1]))
        end--;
    if (!end)
        return;
    const char *newline = memrchr(output, '\n', end);
    const char *begin = newline ? newline + 1 : output;
    char *line = pm_strndup(begin, (size_t)(output + end - begin));
    pm_str_add(out, ": ");
    pm_line_add(out, line, LONGEST);
    free(line);
}

char *pm_measure__false_start(struct pm_ending *ending)
{
    struct pm_str text = PM_STR_INIT;
    if (ending->kind == PM_ENDING_EXIT)
        pm_str_addf(&text, "exited with status %d", ending->code);
    else if (ending->kind == PM_ENDING_SIGNAL)
        pm_str_addf(&text, "ended by signal %d", ending->code);
    else
        pm_str_add(&text, pm_ending_kind_text(ending->kind));
    pm_str_add(&text, " before its first job");
    if (*ending->text)
        pm_str_addf(&text, ": %s", ending->text);
    add_last_line(&text, ending->output);
    ending->kind = PM_ENDING_START;
    ending->text = text.data;
    return text.data;
}

int pm_measure__false_start_count(struct session *s, const struct plan_group *group,
                                  const struct pm_ending *ending, struct pm_error *err)
{
    if (++s->false_starts <= MOST_IN_A_ROW * s->plan.jobs)
        return PM_OK;
    return pm_error_set(err, PM_EIO,
                        "%u processes in a row could not start, the last on '%s': %s: raise "
                        "--memory, or check that no case removes files of portmeter",
                        s->false_starts, s->plan.targets[group->target].target.text, ending->text);
}

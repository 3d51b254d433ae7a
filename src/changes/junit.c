/* A comparison as JUnit XML. */
#include <math.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/line.h"
#include "changes/changes.h"
#include "report/format.h"

static const char noncharacters[][4] = {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}; /* U+FFFE, U+FFFF */

/* XML 1.0, 2.2: without control characters and noncharacters. */
static void add_escaped(struct pm_str *out, const char *text)
{
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, text, SIZE_MAX);
    for (const char *at = line.data; *at; at++) {
        if (pm_starts_with(at, noncharacters[0]) || pm_starts_with(at, noncharacters[1])) {
            pm_str_add_char(out, '?');
            at += 2;
            continue;
        }
        pm_report_format_markup(out, *at);
    }
    pm_str_release(&line);
}

/* What may hold the names of people and machines. */
static void add_message(struct pm_str *out, const char *text, const struct pm_here *hidden)
{
    struct pm_str shown = PM_STR_INIT;
    if (hidden)
        pm_hide_names(&shown, text, hidden, true);
    add_escaped(out, hidden ? shown.data : text);
    pm_str_release(&shown);
}

static void add_attribute(struct pm_str *out, const char *name, const char *text)
{
    pm_str_addf(out, " %s=\"", name);
    add_escaped(out, text);
    pm_str_add_char(out, '"');
}

static bool is_skipped(const struct pm_changes_change *change)
{
    return change->change == PM_CHANGE_UNDECIDED || change->change == PM_CHANGE_NEITHER ||
           change->allowed;
}

/* "slower: 3.1 x", "broken: success, then partial failure" */
static char *message_of(const struct pm_changes_change *change)
{
    struct pm_str text = PM_STR_INIT;
    if (change->change == PM_CHANGE_UNDECIDED)
        pm_str_addf(&text, "cannot decide latency: %zu of %d processes",
                    change->latency.processes < change->latency.control_processes
                        ? change->latency.processes
                        : change->latency.control_processes,
                    PM_STAT_LEAST_FOR_VERDICT);
    else if (change->change == PM_CHANGE_SLOWER) {
        pm_str_add(&text, "slower: ");
        pm_report_format_ratio(&text, change->latency.ratio.mid);
    } else
        pm_str_addf(&text, "%s: %s, then %s", pm_change_text(change->change),
                    pm_changes_verdict(change->before), pm_changes_verdict(change->after));
    return pm_str_detach(&text);
}

static void add_case(struct pm_str *out, const struct pm_changes_change *change,
                     const struct pm_here *hidden)
{
    const bool failed = pm_changes_is_regression(change);
    pm_str_add(out, "    <testcase");
    add_attribute(out, "classname", "portmeter");
    add_attribute(out, "name", change->function);
    if (!failed && !is_skipped(change)) {
        pm_str_add(out, "/>\n");
        return;
    }
    char *message = message_of(change);
    pm_str_addf(out, ">\n      <%s", failed ? "failure" : "skipped");
    if (failed)
        add_attribute(out, "type", pm_change_text(change->change));
    add_attribute(out, "message", message);
    if (failed) {
        pm_str_add_char(out, '>');
        add_message(out, change->detail, hidden);
        pm_str_add(out, "</failure>\n    </testcase>\n");
    } else
        pm_str_add(out, "/>\n    </testcase>\n");
    free(message);
}

void pm_changes_junit(const struct pm_changes *c, const char *title, const struct pm_here *hidden,
                      struct pm_str *out)
{
    size_t skipped = 0;
    for (size_t i = 0; i < c->count; i++)
        skipped += is_skipped(&c->changes[i]);
    pm_str_add(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    add_message(out, title, hidden);
    pm_str_addf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", c->count,
                pm_changes_regressions(c), skipped);
    for (size_t i = 0; i < c->count; i++)
        add_case(out, &c->changes[i], hidden);
    pm_str_add(out, "  </testsuite>\n</testsuites>\n");
}

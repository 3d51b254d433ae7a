/* Writes changes as JUnit XML: one test for each function. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "changes/changes.h"
#include "report/format.h"
#include "text/numbers.h"

static const char noncharacters[][4] = {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}; /* U+FFFE, U+FFFF */

/* Appends escaped text without control characters and noncharacters (XML 1.0, 2.2). */
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

static void add_attribute(struct pm_str *out, const char *name, const char *text)
{
    pm_str_addf(out, " %s=\"", name);
    add_escaped(out, text);
    pm_str_add_char(out, '"');
}

static bool is_skipped(const struct pm_changes_change *change)
{
    return change->change == PM_CHANGE_UNDECIDED || change->change == PM_CHANGE_UNKNOWN ||
           change->change == PM_CHANGE_NEITHER || change->allowed;
}

static bool is_error(const struct pm_changes_change *change)
{
    return change->change == PM_CHANGE_DOUBTFUL && !change->allowed;
}

/* Returns a text such as "slower: 3.1x slower", "regressed: works, then partly". */
static char *message_of(const struct pm_changes *c, const struct pm_changes_change *change)
{
    struct pm_str text = PM_STR_INIT;
    if (change->change == PM_CHANGE_UNDECIDED)
        return pm_changes_undecided(change->latency.processes < change->latency.reference_processes
                                        ? change->latency.processes
                                        : change->latency.reference_processes);
    if (change->change == PM_CHANGE_SLOWER) {
        pm_str_add(&text, "slower: ");
        pm_text_ratio(&text, change->latency.ratio.mid);
        if (pm_changes_is_intolerable(c, change))
            pm_str_add(&text, ", intolerable");
    } else if (change->note)
        pm_str_addf(&text, "%s: %s", pm_change_text(change->change), change->note);
    else
        pm_str_addf(&text, "%s: %s, then %s", pm_change_text(change->change),
                    pm_changes_verdict(change->before, c->evidence_before),
                    pm_changes_verdict(change->after, c->evidence_after));
    return pm_str_detach(&text);
}

static void add_case(struct pm_str *out, const struct pm_changes *c,
                     const struct pm_changes_change *change, const char *target)
{
    const bool failed = pm_changes_is_regression(change) || is_error(change);
    const char *element = is_error(change) ? "error" : failed ? "failure" : "skipped";
    pm_str_add(out, "    <testcase");
    add_attribute(out, "classname", target);
    add_attribute(out, "name", change->function);
    if (!failed && !is_skipped(change)) {
        pm_str_add(out, "/>\n");
        return;
    }
    char *message = message_of(c, change);
    pm_str_addf(out, ">\n      <%s", element);
    if (failed)
        add_attribute(out, "type", pm_change_text(change->change));
    add_attribute(out, "message", message);
    if (failed) {
        pm_str_add_char(out, '>');
        add_escaped(out, change->detail);
        pm_str_addf(out, "</%s>\n    </testcase>\n", element);
    } else
        pm_str_add(out, "/>\n    </testcase>\n");
    free(message);
}

void pm_changes_junit(const struct pm_changes *c, const char *title, const char *target,
                      struct pm_str *out)
{
    size_t skipped = 0;
    for (size_t i = 0; i < c->count; i++)
        skipped += is_skipped(&c->changes[i]);
    pm_str_add(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    add_escaped(out, title);
    pm_str_addf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
                c->count, pm_changes_regressions(c), c->doubtful, skipped);
    for (size_t i = 0; i < c->count; i++)
        add_case(out, c, &c->changes[i], target);
    pm_str_add(out, "  </testsuite>\n</testsuites>\n");
}

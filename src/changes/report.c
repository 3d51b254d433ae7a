/* The lines and tables of a comparison. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "changes/changes.h"
#include "report/format.h"

struct printing {
    const struct pm_changes *c;
    const struct pm_changes_side *a, *b;
    const struct pm_changes_request *request;
    struct pm_report *report;
};

/* ---- lines ---- */

static void take_line(struct pm_report *report, const char *label, char *text)
{
    pm_report_line(report, label, text);
    free(text);
}

/* "pytorch@meta, run 3 of 2026-11-21T08:15:30.123Z in 'x.db', pytorch 2.9.1" */
static void side_line(const struct pm_changes_side *side, const char *label,
                      struct pm_report *report)
{
    const bool known = *side->version;
    take_line(report, label,
              pm_format("%s, run %lld of %s in '%s'%s%s%s%s", side->target, (long long)side->run,
                        side->started, side->db, known ? ", " : "", known ? side->framework : "",
                        known ? " " : "", side->version));
}

static bool same_run(const struct printing *p)
{
    return !strcmp(p->a->db, p->b->db) && p->a->run == p->b->run;
}

static void warn_of_side(const struct pm_changes_side *side, struct pm_report *report)
{
    const long long run = side->run;
    if (side->invalid)
        take_line(report, "warning", pm_format("run %lld is invalid: %s", run, side->invalid));
    if (side->latencies_invalid)
        take_line(report, "warning",
                  pm_format("latencies of run %lld are invalid and not used: %s", run,
                            side->latencies_invalid));
    if (side->done < side->planned)
        take_line(report, "warning",
                  pm_format("run %lld is not complete: %lld of %lld executions", run,
                            (long long)side->done, (long long)side->planned));
}

static void warnings(const struct printing *p)
{
    warn_of_side(p->a, p->report);
    if (!same_run(p))
        warn_of_side(p->b, p->report);
    if (strcmp(p->a->processor, p->b->processor) != 0)
        take_line(p->report, "warning",
                  pm_format("the machines differ: %s, and %s", p->a->processor, p->b->processor));
    if (p->c->only_before || p->c->only_after)
        take_line(p->report, "warning",
                  pm_format("the cases of these functions differ: %zu count on A only, %zu on B "
                            "only",
                            p->c->only_before, p->c->only_after));
}

/* ---- latencies ---- */

static size_t fewest(const struct pm_changes *c)
{
    return c->fewest_before < c->fewest_after ? c->fewest_before : c->fewest_after;
}

static void latency_line(const struct printing *p)
{
    const size_t undecided = p->c->counts[PM_CHANGE_UNDECIDED];
    const struct pm_changes_side *side = p->a->evidence == PM_EVIDENCE_EXECUTED ? p->b : p->a;
    struct pm_str text = PM_STR_INIT;
    if (p->request->outcomes_only)
        pm_str_add(&text, "not compared: --outcomes-only");
    else if (side->evidence != PM_EVIDENCE_EXECUTED)
        pm_str_addf(&text, "not compared: results of %s are %s", side->target,
                    pm_evidence_text(side->evidence));
    else if (undecided)
        pm_str_addf(&text, "cannot decide latency: %zu of %d processes (%zu function%s)",
                    fewest(p->c), PM_STAT_LEAST_FOR_VERDICT, undecided, undecided == 1 ? "" : "s");
    else if (isnan(p->c->floor))
        pm_str_add(&text, "the noise floor is unknown: portmeter run --noise measures it");
    else {
        pm_str_add(&text, "noise floor ");
        pm_report_format_number(&text, p->c->floor);
        pm_str_add(&text, "x: a ratio inside it is not a difference");
    }
    pm_report_line(p->report, "latency", text.data);
    pm_str_release(&text);
}

static bool can_be_extended(const struct pm_changes_side *side)
{
    return side->has_latencies && !side->latencies_invalid;
}

/* How a side gets the processes that it lacks. */
static void next_line(const struct pm_changes_side *side, const char *label, size_t has,
                      struct pm_report *report)
{
    if (has >= PM_STAT_LEAST_FOR_VERDICT)
        return;
    const size_t lacks = PM_STAT_LEAST_FOR_VERDICT - has;
    char *command = can_be_extended(side)
                        ? pm_format("portmeter run --resume %lld --repetitions %lld --db %s",
                                    (long long)side->run,
                                    (long long)side->repetitions + (long long)lacks, side->db)
                        : pm_format("portmeter run --target %s --repetitions %d --db %s",
                                    side->target, PM_STAT_LEAST_FOR_VERDICT, side->db);
    take_line(report, "next",
              pm_format("%s needs %zu more process%s: %s", label, lacks, lacks == 1 ? "" : "es",
                        command));
    free(command);
}

/* Two targets of one run get their processes by one command. */
static void next_lines(const struct printing *p)
{
    if (!p->c->counts[PM_CHANGE_UNDECIDED])
        return;
    if (same_run(p) && can_be_extended(p->a) && can_be_extended(p->b)) {
        next_line(p->a, "each side", fewest(p->c), p->report);
        return;
    }
    next_line(p->a, "A", p->c->fewest_before, p->report);
    next_line(p->b, "B", p->c->fewest_after, p->report);
}

static void lines(const struct printing *p)
{
    struct pm_str counts = PM_STR_INIT;
    pm_changes_counts(p->c, &counts);
    side_line(p->a, "A", p->report);
    side_line(p->b, "B", p->report);
    pm_report_line(p->report, "functions", counts.data);
    latency_line(p);
    warnings(p);
    next_lines(p);
    pm_str_release(&counts);
}

/* ---- tables ---- */

static void change_row(const struct pm_changes_change *change, struct pm_table *t)
{
    const struct pm_interval *ratio = &change->latency.ratio;
    const size_t before = change->latency.control_processes, after = change->latency.processes;
    const bool timed = !isnan(ratio->mid);
    pm_table_text(t, change->function);
    pm_table_text(t, pm_change_text(change->change));
    pm_table_text(t, pm_changes_verdict(change->before));
    pm_table_text(t, pm_changes_verdict(change->after));
    if (timed) {
        pm_table_interval(t, ratio->mid, ratio->low, ratio->high);
        pm_table_count(t, (int64_t)(before < after ? before : after));
    } else {
        pm_table_empty(t);
        pm_table_empty(t);
    }
    pm_table_text(t, change->unstable                         ? "unstable latencies"
                     : change->allowed                        ? "allowed"
                     : timed && change->size == PM_SIZE_LARGE ? "large inputs"
                                                              : change->detail);
}

static void change_table(const struct printing *p)
{
    struct pm_table *t = pm_table_new("changes", "What changed from A to B, worst first");
    pm_table_column(t, "function", "function", PM_CELL_TEXT);
    pm_table_column(t, "change", "change", PM_CELL_TEXT);
    pm_table_column(t, "before", "A", PM_CELL_TEXT);
    pm_table_column(t, "after", "B", PM_CELL_TEXT);
    pm_table_column(t, "ratio", "B / A", PM_CELL_RATIO);
    pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
    pm_table_column(t, "detail", "detail", PM_CELL_TEXT);
    for (size_t i = 0; i < p->c->count; i++)
        if (p->request->all || (p->c->changes[i].change != PM_CHANGE_SAME &&
                                p->c->changes[i].change != PM_CHANGE_NEITHER))
            change_row(&p->c->changes[i], t);
    if (!p->request->all && p->c->counts[PM_CHANGE_SAME] + p->c->counts[PM_CHANGE_NEITHER])
        pm_table_note(t, "--all lists the others too");
    pm_report_take_table(p->report, t);
}

static void case_table(const struct printing *p)
{
    struct pm_table *t = pm_table_new("cases", "Cases that changed");
    pm_table_column(t, "function", "function", PM_CELL_TEXT);
    pm_table_column(t, "case", "case", PM_CELL_TEXT);
    pm_table_column(t, "before", "A", PM_CELL_MARK);
    pm_table_column(t, "after", "B", PM_CELL_MARK);
    pm_table_column(t, "detail", "detail", PM_CELL_TEXT);
    for (size_t i = 0; i < p->c->case_count; i++) {
        const struct pm_changes_case_change *c = &p->c->cases[i];
        pm_table_text(t, c->function);
        pm_table_text(t, c->name);
        pm_table_text(t, pm_outcome_text(c->before));
        pm_table_text(t, pm_outcome_text(c->after));
        pm_table_text(t, c->detail);
    }
    if (p->c->case_count)
        pm_report_take_table(p->report, t);
    else
        pm_table_free(t);
}

void pm_changes_report(const struct pm_changes *c, const struct pm_changes_side *a,
                       const struct pm_changes_side *b, const struct pm_changes_request *request,
                       struct pm_report *report)
{
    const struct printing p = {c, a, b, request, report};
    lines(&p);
    change_table(&p);
    case_table(&p);
}

/* ---- latencies alone ---- */

static void ratio_row(const struct pm_changes_ratio *r, struct pm_table *t)
{
    const size_t before = r->ratio.control_processes, after = r->ratio.processes;
    pm_table_text(t, r->function);
    pm_table_number(t, r->before);
    pm_table_number(t, r->after);
    if (r->unstable) {
        pm_table_empty(t);
        pm_table_empty(t);
        pm_table_text(t, "unstable");
        return;
    }
    pm_table_interval(t, r->ratio.ratio.mid, r->ratio.ratio.low, r->ratio.ratio.high);
    pm_table_count(t, (int64_t)(before < after ? before : after));
    pm_table_text(t, pm_speed_text(r->speed));
}

void pm_changes_describe(const struct pm_changes_side *side, const char *label,
                         struct pm_report *report)
{
    side_line(side, label, report);
    warn_of_side(side, report);
}

void pm_changes_note_verdicts(struct pm_table *t)
{
    char *text = pm_format("brackets: 95 %% confidence intervals, which need %d processes per "
                           "side; verdicts need %d, and limit false ones among all of the target's "
                           "functions to 5 %% (Benjamini and Hochberg, 1995)",
                           PM_STAT_LEAST_FOR_INTERVAL, PM_STAT_LEAST_FOR_VERDICT);
    pm_table_note(t, text);
    free(text);
}

static struct pm_table *ratio_table(const struct pm_changes_side *a,
                                    const struct pm_changes_side *b, enum pm_size size)
{
    char *id = pm_format("ratios %s %s", b->target, pm_size_text(size));
    char *title = pm_format("Latency of %s compared with %s (%s inputs, warm)", b->target,
                            a->target, pm_size_text(size));
    struct pm_table *t = pm_table_new(id, title);
    pm_table_column(t, "function", "function", PM_CELL_TEXT);
    pm_table_column(t, "control", a->target, PM_CELL_TIME);
    pm_table_column(t, "target", b->target, PM_CELL_TIME);
    pm_table_column(t, "ratio", "ratio", PM_CELL_RATIO);
    pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
    pm_table_column(t, "says", "verdict", PM_CELL_TEXT);
    free(id);
    free(title);
    return t;
}

bool pm_changes_add_ratios(const struct pm_changes_side *a, const struct pm_changes_side *b,
                           enum pm_size size, struct pm_report *report)
{
    size_t count;
    struct pm_changes_ratio *ratios = pm_changes_ratios(a, b, size, &count);
    if (count) {
        struct pm_table *t = ratio_table(a, b, size);
        for (size_t i = 0; i < count; i++)
            ratio_row(&ratios[i], t);
        pm_changes_note_verdicts(t);
        pm_report_take_table(report, t);
    }
    free(ratios);
    return count > 0;
}

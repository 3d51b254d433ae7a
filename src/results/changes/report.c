/* Adds the lines and tables of a comparison to a report. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"
#include "changes/changes.h"
#include "report/table_columns.h"
#include "text/numbers.h"

struct printing {
    const struct pm_changes *c;
    const struct pm_changes_side *a, *b;
    const struct pm_changes_request *request;
    struct pm_report *report;
    struct pm_changes_doubt doubt;
    enum pm_exit status;
};

/* ---- lines ---- */

/* Adds a line such as "pytorch@meta, run 3 of 2026-11-21T08:15:30.123Z in 'x.db', pytorch
 * 2.9.1". */
static void side_line(const struct pm_changes_side *side, const char *label,
                      struct pm_report *report)
{
    const bool known = *side->version;
    pm_report_take_line(report, label,
                        pm_format("%s, run %lld of %s in '%s'%s%s%s%s", side->target,
                                  (long long)side->run, side->started, side->db, known ? ", " : "",
                                  known ? side->framework : "", known ? " " : "", side->version));
}

static void warn_of_side(const struct pm_changes_side *side, struct pm_report *report)
{
    const long long run = side->run;
    if (side->invalid)
        pm_report_take_line(report, "warning",
                            pm_format("run %lld is invalid: %s", run, side->invalid));
    if (side->latencies_invalid)
        pm_report_take_line(report, "warning",
                            pm_format("latencies of run %lld are invalid and not used: %s", run,
                                      side->latencies_invalid));
    if (side->done < side->planned)
        pm_report_take_line(report, "warning",
                            pm_format("run %lld is not complete: %lld of %lld executions", run,
                                      (long long)side->done, (long long)side->planned));
}

static void warnings(const struct printing *p)
{
    if (pm_changes_same_run(p->a, p->b) && !strcmp(p->a->target, p->b->target))
        pm_report_line(p->report, "warning",
                       "A and B are the same target of the same run, so they cannot differ");
    warn_of_side(p->a, p->report);
    if (!pm_changes_same_run(p->a, p->b))
        warn_of_side(p->b, p->report);
    if (*p->a->processor && *p->b->processor && strcmp(p->a->processor, p->b->processor) != 0)
        pm_report_take_line(p->report, "warning",
                            pm_format("A and B ran on different machines: %s, and %s",
                                      p->a->processor, p->b->processor));
    if (p->c->only_before || p->c->only_after)
        pm_report_take_line(p->report, "warning",
                            pm_format("the counted cases differ: %zu only on A, %zu only on B",
                                      p->c->only_before, p->c->only_after));
}

/* ---- latencies ---- */

/* Adds a hint if a side has no times because its run was not asked to measure any. */
static void add_why_untimed(struct pm_str *out, const struct printing *p)
{
    if (pm_changes_fewest(p->c) == 0 && !(p->a->has_latencies && p->b->has_latencies))
        pm_str_add(out, "; --outcomes-only compares without latencies");
}

static void latency_line(const struct printing *p)
{
    const size_t undecided = p->c->few;
    const struct pm_changes_side *side = p->a->evidence == PM_EVIDENCE_EXECUTED ? p->b : p->a;
    struct pm_str text = PM_STR_INIT;
    if (p->request->outcomes_only)
        pm_str_add(&text, "not compared: --outcomes-only");
    else if (side->evidence != PM_EVIDENCE_EXECUTED)
        pm_str_addf(&text, "not compared: results of %s are %s", side->target,
                    pm_evidence_text(side->evidence));
    else if (p->c->untimed)
        pm_str_add(&text, "not compared: neither run measured latencies");
    else if (undecided) {
        char *why = pm_changes_undecided(pm_changes_fewest(p->c));
        pm_str_addf(&text, "%s (%zu function%s)", why, undecided, pm_plural(undecided));
        free(why);
        add_why_untimed(&text, p);
    } else if (isnan(p->c->floor))
        pm_str_add(&text, "the noise floor is unknown: portmeter run --noise measures it");
    else {
        pm_str_add(&text, "noise floor ");
        pm_text_number(&text, p->c->floor);
        pm_str_add(&text, "x: a smaller ratio is not a difference");
    }
    pm_report_line(p->report, "latency", text.data);
    pm_str_release(&text);
}

/* Adds a warning with the number of functions whose latencies cannot be compared, and why. */
static void unknown_line(const struct printing *p)
{
    struct pm_str text = PM_STR_INIT;
    if (!p->c->unknown)
        return;
    pm_str_addf(&text, "the latencies of %zu of %zu function%s are not compared: ", p->c->unknown,
                p->c->count, pm_plural(p->c->count));
    pm_changes_unknown(p->c, &text);
    pm_report_line(p->report, "warning", text.data);
    pm_str_release(&text);
}

static void next_lines(const struct printing *p)
{
    struct pm_changes_step steps[2];
    const size_t count = pm_changes_steps(p->c, p->a, p->b, steps);
    for (size_t i = 0; i < count; i++) {
        pm_report_command(p->report, "next", steps[i].command, steps[i].purpose);
        free(steps[i].command);
        free(steps[i].purpose);
    }
}

/* ---- the answer ---- */

static size_t intolerable_of(const struct pm_changes *c)
{
    size_t intolerable = 0;
    for (size_t i = 0; i < c->count; i++)
        intolerable += pm_changes_is_intolerable(c, &c->changes[i]);
    return intolerable;
}

static size_t allowed_of(const struct pm_changes *c)
{
    size_t allowed = 0;
    for (size_t i = 0; i < c->count; i++)
        allowed += c->changes[i].allowed;
    return allowed;
}

/* Adds a line such as "B is worse than A: 2 regressed, 1 slower, 1 fixed, 12 same; 1 intolerable
 * (over 10x slower)". */
static void answer_line(const struct printing *p)
{
    static const char *const words[] = {[PM_EXIT_FINE] = "B is not worse than A: ",
                                        [PM_EXIT_WORSE] = "B is worse than A: ",
                                        [PM_EXIT_INCONCLUSIVE] = "inconclusive: "};
    struct pm_str text = PM_STR_INIT;
    const size_t allowed = allowed_of(p->c), intolerable = intolerable_of(p->c);
    pm_str_add(&text, words[p->status]);
    pm_changes_counts(p->c, &text);
    if (allowed)
        pm_str_addf(&text, " (%zu allowed)", allowed);
    if (intolerable)
        pm_str_addf(&text, "; %zu intolerable (over %gx slower)", intolerable, p->c->intolerable);
    pm_report_line(p->report, "answer", text.data);
    pm_str_release(&text);
}

static void gate_line(const struct printing *p)
{
    const size_t worse = pm_changes_regressions(p->c);
    pm_report_take_line(
        p->report, "gate",
        worse ? pm_format("--exit-code gives 1: %zu function%s regressed, gone, unmeasured or "
                          "slower",
                          worse, pm_plural_are(worse))
              : pm_format("--exit-code gives %d: %s", (int)p->status,
                          p->doubt.what ? p->doubt.what
                                        : "no function is regressed, gone, unmeasured or "
                                          "slower"));
}

static json_t *json_of_side(const struct pm_changes_side *side)
{
    return json_pack("{s:s, s:I, s:s, s:s, s:s, s:s}", "target", side->target, "run",
                     (json_int_t)side->run, "started", side->started, "db", side->db, "framework",
                     side->framework, "version", side->version);
}

static void take_numbers(const struct printing *p)
{
    json_t *counts = json_object();
    for (int i = 0; i < PM_CHANGE_COUNT; i++)
        json_object_set_new(counts, pm_change_text((enum pm_change)i),
                            json_integer((json_int_t)p->c->counts[i]));
    pm_report_take_data(p->report, "comparison",
                        json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:f, s:i}", "a",
                                  json_of_side(p->a), "b", json_of_side(p->b), "functions", counts,
                                  "regressions", (json_int_t)pm_changes_regressions(p->c),
                                  "allowed", (json_int_t)allowed_of(p->c), "intolerable",
                                  (json_int_t)intolerable_of(p->c), "intolerable_over",
                                  p->c->intolerable, "exit_code", (int)p->status));
}

static void lines(const struct printing *p)
{
    answer_line(p);
    gate_line(p);
    side_line(p->a, "A", p->report);
    side_line(p->b, "B", p->report);
    latency_line(p);
    unknown_line(p);
    warnings(p);
    next_lines(p);
    take_numbers(p);
}

/* ---- tables ---- */

/* Returns a text such as "not implemented: RuntimeError: ..."; the caller frees it. */
static char *message_of(const char *reason, const char *detail, size_t length)
{
    struct pm_str out = PM_STR_INIT;
    pm_str_addf(&out, "%s%s", reason, *reason && *detail ? ": " : "");
    pm_str_add_bytes(&out, detail, length);
    return pm_str_detach(&out);
}

static bool has_ratio(const struct pm_changes_change *change)
{
    return !isnan(change->latency.ratio.mid);
}

static const char *remark_of(const struct printing *p, const struct pm_changes_change *change)
{
    const bool large = has_ratio(change) && change->size == PM_SIZE_LARGE;
    if (pm_changes_is_intolerable(p->c, change))
        return large ? "intolerable latency, large inputs" : "intolerable latency";
    if (change->allowed)
        return "allowed";
    if (change->change == PM_CHANGE_DOUBTFUL || (change->note && !*change->detail))
        return pm_changes_note(change);
    return change->unstable     ? "unstable latencies"
           : change->other_work ? "latencies of cases that do different work"
           : change->no_floor   ? "may be drift between the runs: no noise floor"
           : large              ? "large inputs"
                                : NULL;
}

/* A row of the table of changes: one change, or several equal ones. */
struct change_row {
    struct pm_changes_change change;
    const char *function; /* a name, or "3 functions" */
    const char *detail;
};

static void before_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct change_row *row = from->row;
    const struct pm_changes *c = from->context;
    pm_table_text(table, pm_changes_verdict(row->change.before, c->evidence_before));
}

static void after_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct change_row *row = from->row;
    const struct pm_changes *c = from->context;
    pm_table_text(table, pm_changes_verdict(row->change.after, c->evidence_after));
}

static void ratio_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct change_row *row = from->row;
    const struct pm_interval *ratio = &row->change.latency.ratio;
    if (has_ratio(&row->change))
        pm_table_interval(table, ratio->mid, ratio->low, ratio->high);
    else
        pm_table_empty(table);
}

static void fewest_processes(struct pm_table *table, const struct pm_comparison *latency)
{
    const size_t before = latency->reference_processes, after = latency->processes;
    pm_table_count(table, (int64_t)(before < after ? before : after));
}

static void processes_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct change_row *row = from->row;
    if (has_ratio(&row->change))
        fewest_processes(table, &row->change.latency);
    else
        pm_table_empty(table);
}

static const struct pm_column change_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct change_row, function)},
    {"change", "change", PM_CELL_WORD, PM_WORD(struct change_row, change.change, change)},
    {"before", "A", PM_CELL_WORD, .cell = before_cell},
    {"after", "B", PM_CELL_WORD, .cell = after_cell},
    {"ratio", "B / A", PM_CELL_RATIO, .cell = ratio_cell, .intervals = true},
    {"processes", "processes", PM_CELL_COUNT, .cell = processes_cell},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct change_row, change.reason),
     .only = PM_FOR_PROGRAMS},
    {"detail", "detail", PM_CELL_TEXT, PM_MEMBER(struct change_row, detail)},
};

static void change_row(const struct printing *p, const struct pm_changes_change *change,
                       struct pm_table *t)
{
    const char *remark = remark_of(p, change);
    char *message = p->request->for_people ? message_of(change->reason, change->detail,
                                                        pm_line_first_sentence(change->detail))
                                           : pm_strdup(change->detail);
    const struct change_row row = {*change, change->function, remark ? remark : message};
    pm_table_row(t, &row, p->c);
    free(message);
}

static bool is_listed(const struct printing *p, const struct pm_changes_change *change)
{
    return p->request->all ||
           (change->change != PM_CHANGE_SAME && change->change != PM_CHANGE_NEITHER);
}

/* Returns whether a row would contain only the change and the verdicts. Such rows are combined into
 * one row with the names of their functions. */
static bool says_no_more(const struct printing *p, const struct pm_changes_change *change)
{
    return !has_ratio(change) && !*change->detail && !*change->reason && !remark_of(p, change);
}

static bool say_the_same(const struct printing *p, const struct pm_changes_change *a,
                         const struct pm_changes_change *b)
{
    return says_no_more(p, a) && says_no_more(p, b) && a->change == b->change &&
           a->before == b->before && a->after == b->after;
}

/* Adds one row for all equal rows from `first` on, and returns their number. */
static size_t folded_row(const struct printing *p, size_t first, struct pm_table *t)
{
    const struct pm_changes_change *changes = p->c->changes;
    struct pm_str names = PM_STR_INIT;
    size_t i = first;
    for (; i < p->c->count && say_the_same(p, &changes[i], &changes[first]); i++)
        pm_str_addf(&names, "%s%s", i > first ? ", " : "", changes[i].function);
    char *number = pm_format("%zu functions", i - first);
    const struct change_row row = {changes[first], number, names.data};
    pm_table_row(t, &row, p->c);
    pm_str_release(&names);
    free(number);
    return i - first;
}

static void change_rows(const struct printing *p, struct pm_table *t)
{
    const struct pm_changes_change *changes = p->c->changes;
    for (size_t i = 0; i < p->c->count;) {
        const bool listed = is_listed(p, &changes[i]);
        const bool folds = p->request->for_people && i + 1 < p->c->count &&
                           say_the_same(p, &changes[i], &changes[i + 1]);
        if (listed && folds) {
            i += folded_row(p, i, t);
            continue;
        }
        if (listed)
            change_row(p, &changes[i], t);
        i++;
    }
}

static void change_table(const struct printing *p)
{
    struct pm_table *t = pm_table_new("changes", "Changes from A to B, worst first");
    pm_table_columns(t, change_columns, p->request->for_people);
    change_rows(p, t);
    if (!p->request->all && p->c->counts[PM_CHANGE_SAME] + p->c->counts[PM_CHANGE_NEITHER])
        pm_table_note(t, "--all also lists the functions that did not change");
    pm_report_take_table(p->report, t);
}

/* ---- cases ---- */

/* Returns the word for an outcome; "-" if the side has no such case. */
static const char *outcome_of(enum pm_outcome outcome)
{
    return outcome == PM_OUTCOME_COUNT ? "-" : pm_outcome_text(outcome);
}

/* Returns the message of a case. What happened to the case comes first if the outcome on B does not
 * show it: "fails on the reference: ...". The caller frees it. */
static char *message_of_case(const struct pm_changes_case_change *c)
{
    char *message = message_of(c->reason, c->detail, strlen(c->detail));
    if (c->loss < PM_LOSS_REFERENCE || !strcmp(pm_loss_text(c->loss), outcome_of(c->after)))
        return message;
    char *text = message_of(pm_loss_text(c->loss), message, strlen(message));
    free(message);
    return text;
}

/* A row of the table of cases. For people, one row shows all cases of a function that changed in
 * the same way. */
struct case_row {
    struct pm_changes_case_change change;
    int64_t cases;
    const char *names, *detail;
};

static void case_before_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct case_row *row = from->row;
    pm_table_text(table, outcome_of(row->change.before));
}

static void case_after_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct case_row *row = from->row;
    pm_table_text(table, outcome_of(row->change.after));
}

static const struct pm_column case_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct case_row, change.function)},
    {"cases", "cases", PM_CELL_COUNT, PM_MEMBER(struct case_row, cases), .only = PM_FOR_PEOPLE},
    {"before", "A", PM_CELL_MARK, .cell = case_before_cell},
    {"after", "B", PM_CELL_MARK, .cell = case_after_cell},
    {"case", "for example", PM_CELL_TEXT, PM_MEMBER(struct case_row, names), .only = PM_FOR_PEOPLE},
    {"case", "case", PM_CELL_TEXT, PM_MEMBER(struct case_row, change.name),
     .only = PM_FOR_PROGRAMS},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct case_row, change.reason),
     .only = PM_FOR_PROGRAMS},
    {"detail", "message", PM_CELL_TEXT, PM_MEMBER(struct case_row, detail), .only = PM_FOR_PEOPLE},
    {"detail", "detail", PM_CELL_TEXT, PM_MEMBER(struct case_row, change.detail),
     .only = PM_FOR_PROGRAMS},
    {"loss", "loss", PM_CELL_WORD, PM_WORD(struct case_row, change.loss, loss),
     .only = PM_FOR_PROGRAMS},
};

static bool change_alike(const struct pm_changes_case_change *a,
                         const struct pm_changes_case_change *b)
{
    return a->change == b->change && a->before == b->before && a->after == b->after &&
           a->loss == b->loss && !strcmp(a->detail, b->detail) && !strcmp(a->reason, b->reason);
}

/* Finds the cases from `first` on that changed in the same way as the first. Returns their number,
 * and appends the names of the first few. */
static size_t alike(const struct pm_changes *c, size_t first, struct pm_str *names)
{
    enum { NAMED = 3 };
    size_t count = 0;
    for (size_t i = first; i < c->case_count && c->cases[i].change == c->cases[first].change; i++)
        if (change_alike(&c->cases[i], &c->cases[first]) && ++count <= NAMED)
            pm_str_addf(names, "%s%s", count > 1 ? ", " : "", c->cases[i].name);
    if (count > NAMED)
        pm_str_add(names, ", ...");
    return count;
}

/* Returns whether an earlier case changed in the same way, so that this case is in its row. */
static bool is_in_a_row(const struct pm_changes *c, size_t i)
{
    for (size_t k = i; k-- > 0 && c->cases[k].change == c->cases[i].change;)
        if (change_alike(&c->cases[k], &c->cases[i]))
            return true;
    return false;
}

static void case_rows_of_people(const struct printing *p, struct pm_table *t)
{
    for (size_t i = 0; i < p->c->case_count; i++) {
        const struct pm_changes_case_change *c = &p->c->cases[i];
        struct pm_str names = PM_STR_INIT;
        if (is_in_a_row(p->c, i))
            continue;
        char *message = message_of_case(c);
        struct case_row row = {.change = *c, .detail = message};
        row.cases = (int64_t)alike(p->c, i, &names);
        row.names = names.data;
        pm_table_row(t, &row, NULL);
        pm_str_release(&names);
        free(message);
    }
}

static void case_rows(const struct printing *p, struct pm_table *t)
{
    for (size_t i = 0; i < p->c->case_count; i++)
        pm_table_row(t, &(struct case_row){.change = p->c->cases[i]}, NULL);
}

static void case_table(const struct printing *p)
{
    struct pm_table *t = pm_table_new("cases", "Cases that changed");
    pm_table_columns(t, case_columns, p->request->for_people);
    if (p->request->for_people)
        pm_table_group(t);
    (p->request->for_people ? case_rows_of_people : case_rows)(p, t);
    if (p->c->case_count)
        pm_report_take_table(p->report, t);
    else
        pm_table_free(t);
}

void pm_changes_report(const struct pm_changes *c, const struct pm_changes_side *a,
                       const struct pm_changes_side *b, const struct pm_changes_request *request,
                       struct pm_report *report)
{
    struct printing p = {c, a, b, request, report, pm_changes_doubt(c, a, b), PM_EXIT_FINE};
    p.status = pm_changes_status(c, &p.doubt);
    lines(&p);
    change_table(&p);
    case_table(&p);
    pm_changes_doubt_release(&p.doubt);
}

/* ---- latencies alone ---- */

static void alone_ratio_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_changes_ratio *r = from->row;
    if (r->unstable)
        pm_table_empty(table);
    else
        pm_table_interval(table, r->ratio.ratio.mid, r->ratio.ratio.low, r->ratio.ratio.high);
}

static void alone_processes_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_changes_ratio *r = from->row;
    if (r->unstable)
        pm_table_empty(table);
    else
        fewest_processes(table, &r->ratio);
}

static void says_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_changes_ratio *r = from->row;
    pm_table_text(table, r->unstable ? "unstable" : pm_speed_text(r->speed));
}

/* The headings "reference" and "target" are replaced by the two targets. */
static const struct pm_column ratio_columns[] = {
    {"function", "function", PM_CELL_TEXT, PM_MEMBER(struct pm_changes_ratio, function)},
    {"reference", "reference", PM_CELL_TIME, PM_MEMBER(struct pm_changes_ratio, before)},
    {"target", "target", PM_CELL_TIME, PM_MEMBER(struct pm_changes_ratio, after)},
    {"ratio", "ratio", PM_CELL_RATIO, .cell = alone_ratio_cell},
    {"processes", "processes", PM_CELL_COUNT, .cell = alone_processes_cell},
    {"says", "verdict", PM_CELL_TEXT, .cell = says_cell},
};

void pm_changes_describe(const struct pm_changes_side *side, const char *label,
                         struct pm_report *report)
{
    side_line(side, label, report);
    warn_of_side(side, report);
}

void pm_changes_note_verdicts(struct pm_table *t)
{
    char *text =
        pm_format("brackets: 95 %% confidence intervals, which need %d processes per side; "
                  "verdicts need %d, and at most 5 %% of the verdicts 'slower' and 'faster' on a "
                  "target are expected to be false (Benjamini and Hochberg, 1995)",
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
    pm_table_columns(t, ratio_columns, false);
    pm_table_heading(t, "reference", a->target);
    pm_table_heading(t, "target", b->target);
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
            pm_table_row(t, &ratios[i], NULL);
        pm_changes_note_verdicts(t);
        pm_report_take_table(report, t);
    }
    free(ratios);
    return count > 0;
}

/* Adds the lines and tables of histories to a report. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "base/shard.h"
#include "history/history_private.h"
#include "report/table_columns.h"
#include "text/numbers.h"

/* ---- words ---------------------------------------------------------------------------------- */

static void add_names(struct pm_str *out, const struct pm_changes *c, enum pm_change kind,
                      size_t count)
{
    enum { NAMED = 3 };
    size_t named = 0;
    for (size_t i = 0; i < c->count && named < NAMED; i++)
        if (c->changes[i].change == kind && pm_history__is_news(&c->changes[i]))
            pm_str_addf(out, "%s%s", named++ ? ", " : " (", c->changes[i].function);
    if (count > named)
        pm_str_addf(out, " and %zu more", count - named);
    pm_str_add(out, ")");
}

/* Appends a text such as "1 regressed (null.f), 2 slower (null.h, null.g)", or "nothing". */
static void add_news(struct pm_str *out, const struct pm_changes *c)
{
    const size_t start = out->length;
    for (int kind = 0; kind < PM_CHANGE_COUNT; kind++) {
        const size_t count = pm_history__count(c, (enum pm_change)kind);
        if (!count)
            continue;
        pm_str_addf(out, "%s%zu %s", out->length > start ? ", " : "", count,
                    pm_change_text((enum pm_change)kind));
        if (kind == PM_CHANGE_UNDECIDED)
            pm_str_add(out, " (latencies of too few processes)");
        else
            add_names(out, c, (enum pm_change)kind, count);
    }
    if (out->length == start)
        pm_str_add(out, "nothing");
}

static bool has_ratio(const struct pm_changes_change *c)
{
    return c && !isnan(c->latency.ratio.mid);
}

/* Appends a text such as "works", "1.5x slower", "partly, 1.5x slower (large inputs)". */
static void add_state(struct pm_str *out, const struct pm_history *h,
                      const struct pm_history_state *s)
{
    const bool timed = has_ratio(s->change);
    if (!timed || s->verdict != PM_VERDICT_WORKS)
        pm_str_add(out, pm_history__word(h, s->verdict));
    if (!timed)
        return;
    pm_str_add(out, s->verdict != PM_VERDICT_WORKS ? ", " : "");
    pm_text_ratio(out, s->change->latency.ratio.mid);
    if (s->change->size == PM_SIZE_LARGE)
        pm_str_add(out, " (large inputs)");
}

static const char *processor_of(const struct pm_history *h, size_t run)
{
    return pm_json_string(pm_history__machine_of(h->list, pm_history__target_at(h, run)),
                          "processor", "");
}

/* Returns the name of the target; with its device and processor, as in "null@null on NVIDIA H100,
 * AMD EPYC", if it was also measured elsewhere. The caller frees it. */
static char *name_of(const struct pm_history *h)
{
    const struct pm_reading_target *t = pm_history__target_at(h, 0);
    return h->has_twin ? pm_format("%s on %s%s%s", t->text, t->device_name,
                                   *t->device_name ? ", " : "", processor_of(h, 0))
                       : pm_strdup(t->text);
}

/* ---- tables --------------------------------------------------------------------------------- */

static int64_t count_verdicts(const struct pm_history *h, size_t run, enum pm_verdict verdict)
{
    const struct pm_changes_side *side = &h->sides[run].compared;
    int64_t count = 0;
    for (size_t i = 0; i < side->function_count; i++)
        count += side->functions[i].verdict == verdict;
    return count;
}

/* Returns a time as a text: for people "2026-11-22 17:00" for "2026-11-22T17:00:00.000Z", otherwise
 * unchanged. The caller frees it. */
static char *started_text(const char *started, bool people)
{
    enum { DAY = 10, TIME = 5 };
    return people && strlen(started) > DAY + 1 + TIME
               ? pm_format("%.*s %.*s", DAY, started, TIME, started + DAY + 1)
               : pm_strdup(started);
}

/* A run of a target with its results for all functions or, in the table of functions, for one. */
struct line {
    const char *target, *device, *processor, *version, *driver;
    int64_t works, limits, partly, fails; /* functions */
    const char *news;                     /* what changed since the previous run */
    char *started;                        /* owned */
    int64_t run;
    const char *function, *verdict, *change, *size, *whole_change;
    struct pm_interval ratio, whole;
    int64_t processes, since; /* 0: none */
};

static const struct pm_column run_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct line, target), .only = PM_FOR_PROGRAMS},
    {"device", "device", PM_CELL_TEXT, PM_MEMBER(struct line, device), .only = PM_FOR_PROGRAMS},
    {"processor", "processor", PM_CELL_TEXT, PM_MEMBER(struct line, processor),
     .only = PM_FOR_PROGRAMS},
    {"run", "run", PM_CELL_COUNT, PM_MEMBER(struct line, run)},
    {"started", "started", PM_CELL_TEXT, PM_MEMBER(struct line, started)},
    {"version", "version", PM_CELL_TEXT, PM_MEMBER(struct line, version)},
};

static struct line line_of(const struct pm_history *h, size_t run, bool people)
{
    const struct pm_reading_target *target = pm_history__target_at(h, run);
    return (struct line){.target = target->text,
                         .device = target->device_name,
                         .processor = processor_of(h, run),
                         .run = pm_history__run_at(h, run)->id,
                         .started = started_text(pm_history__run_at(h, run)->started, people),
                         .version = target->version};
}

static const struct pm_column all_functions_columns[] = {
    {"driver", "driver", PM_CELL_TEXT, PM_MEMBER(struct line, driver)},
    {"works", "works", PM_CELL_COUNT, PM_MEMBER(struct line, works)},
    {"limits", "with limits", PM_CELL_COUNT, PM_MEMBER(struct line, limits)},
    {"partly", "partly", PM_CELL_COUNT, PM_MEMBER(struct line, partly)},
    {"fails", "fails", PM_CELL_COUNT, PM_MEMBER(struct line, fails)},
    {"changes", "changes since the previous run", PM_CELL_TEXT, PM_MEMBER(struct line, news)},
};

static void add_run(const struct pm_history *h, size_t run, struct pm_table *t, bool people)
{
    struct pm_str news = PM_STR_INIT;
    struct line line = line_of(h, run, people);
    if (run)
        add_news(&news, &h->changes[run]);
    line.driver = pm_history__target_at(h, run)->driver_version;
    line.works = count_verdicts(h, run, PM_VERDICT_WORKS);
    line.limits = count_verdicts(h, run, PM_VERDICT_LIMITS);
    line.partly = count_verdicts(h, run, PM_VERDICT_PARTLY);
    line.fails = count_verdicts(h, run, PM_VERDICT_FAILS);
    line.news = run ? news.data : people ? "-" : "";
    pm_table_row(t, &line, NULL);
    free(line.started);
    pm_str_release(&news);
    for (int kind = 0; !people && kind < PM_CHANGE_NEITHER; kind++)
        if (kind != PM_CHANGE_SAME)
            pm_table_count(t, (int64_t)pm_history__count(&h->changes[run], (enum pm_change)kind));
}

/* Creates the table of runs. For programs, each kind of change has a column. */
static struct pm_table *new_runs(const char *title, bool people)
{
    struct pm_table *t = pm_table_new("history", title);
    pm_table_columns(t, run_columns, people);
    pm_table_columns(t, all_functions_columns, people);
    for (int kind = 0; !people && kind < PM_CHANGE_NEITHER; kind++)
        if (kind != PM_CHANGE_SAME)
            pm_table_column(t, pm_change_text((enum pm_change)kind),
                            pm_change_text((enum pm_change)kind), PM_CELL_COUNT);
    return t;
}

static void ratio_cell(const struct pm_changes_change *c, struct pm_table *t)
{
    if (c)
        pm_table_interval(t, c->latency.ratio.mid, c->latency.ratio.low, c->latency.ratio.high);
    else
        pm_table_empty(t);
}

/* ---- functions ---- */

/* The first cells of the row of a function, for people. One cell per run and the ratio of the last
 * run to the first follow. */
struct changed_row {
    const char *function, *now, *change;
    int64_t since; /* number of a run; 0: none */
};

static void since_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct changed_row *row = from->row;
    pm_table_member(t, from, row->since ? row : NULL);
}

static const struct pm_column changed_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct changed_row, function)},
    {"now", "now", PM_CELL_WORD, PM_MEMBER(struct changed_row, now)},
    {"change", "last change", PM_CELL_WORD, PM_MEMBER(struct changed_row, change)},
    {"since", "since run", PM_CELL_COUNT, PM_MEMBER(struct changed_row, since), .cell = since_cell},
};

static void people_row(const struct pm_history *h, const struct pm_history_row *row,
                       struct pm_table *t)
{
    struct pm_str text = PM_STR_INIT;
    size_t last = h->count - 1;
    while (last && row->states[last].verdict == PM_VERDICT_COUNT)
        last--;
    const struct changed_row changed = {
        .function = row->function,
        .now = pm_history__word(h, row->states[last].verdict),
        .change = pm_change_text(pm_history__last_change(row)->change),
        .since = row->states[row->since].change ? pm_history__run_at(h, row->since)->id : 0};
    pm_table_row(t, &changed, NULL);
    for (size_t i = 0; i < h->count; i++) {
        pm_str_clear(&text);
        add_state(&text, h, &row->states[i]);
        pm_table_text(t, text.length ? text.data : "");
    }
    ratio_cell(has_ratio(row->whole) ? row->whole : NULL, t);
    pm_str_release(&text);
}

/* Adds the columns: those of changed_columns, one per run, and the ratio of the last run to the
 * first. */
static void people_columns(const struct pm_history *h, struct pm_table *t)
{
    char *whole = pm_format("run %lld to %lld", (long long)pm_history__run_at(h, 0)->id,
                            (long long)pm_history__run_at(h, h->count - 1)->id);
    pm_table_columns(t, changed_columns, true);
    for (size_t i = 0; i < h->count; i++) {
        char *id = pm_format("run_%zu", i);
        char *heading = pm_format("run %lld", (long long)pm_history__run_at(h, i)->id);
        pm_table_column(t, id, heading, PM_CELL_MARK);
        free(id);
        free(heading);
    }
    pm_table_column(t, "whole", whole, PM_CELL_RATIO);
    pm_table_intervals(t);
    free(whole);
}

static void add_functions_for_people(const struct pm_history *h, const char *name,
                                     struct pm_report *report)
{
    char *title = pm_format("Functions of %s that changed", name);
    struct pm_table *t = pm_table_new("history_functions", title);
    pm_table_about(t, "target", name);
    people_columns(h, t);
    for (size_t i = 0; i < h->row_count && h->rows[i].changed; i++)
        people_row(h, &h->rows[i], t);
    if (pm_table_rows(t))
        pm_report_take_table(report, t);
    else
        pm_table_free(t);
    free(title);
}

static void count_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const void *count = (const char *)from->row + from->column->offset;
    pm_table_member(table, from, *(const int64_t *)count ? from->row : NULL);
}

static void interval_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const void *member = (const char *)from->row + from->column->offset;
    const struct pm_interval *interval = member;
    pm_table_member(table, from, isnan(interval->mid) ? NULL : from->row);
}

static const struct pm_column function_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct line, function)},
    {"verdict", "verdict", PM_CELL_WORD, PM_MEMBER(struct line, verdict)},
    {"change", "change", PM_CELL_WORD, PM_MEMBER(struct line, change)},
    {"ratio", "ratio to the previous run", PM_CELL_RATIO, PM_MEMBER(struct line, ratio),
     .cell = interval_cell, .intervals = true},
    {"size", "inputs", PM_CELL_WORD, PM_MEMBER(struct line, size)},
    {"processes", "processes", PM_CELL_COUNT, PM_MEMBER(struct line, processes),
     .cell = count_cell},
    {"since", "since run", PM_CELL_COUNT, PM_MEMBER(struct line, since), .cell = count_cell},
    {"whole_change", "change from the first run to the last", PM_CELL_WORD,
     PM_MEMBER(struct line, whole_change)},
    {"whole", "ratio of the last run to the first", PM_CELL_RATIO, PM_MEMBER(struct line, whole),
     .cell = interval_cell, .intervals = true},
};

static const struct pm_interval no_ratio = {NAN, NAN, NAN};

static int64_t processes_of(const struct pm_comparison *latency)
{
    return (int64_t)(latency->processes < latency->reference_processes
                         ? latency->processes
                         : latency->reference_processes);
}

static void state_row(const struct pm_history *h, const struct pm_history_row *row, size_t run,
                      struct pm_table *t)
{
    const struct pm_history_state *s = &row->states[run];
    struct line line = line_of(h, run, false);
    line.function = row->function;
    line.verdict = pm_history__word(h, s->verdict);
    line.change = s->change ? pm_change_text(s->change->change) : "";
    line.ratio = has_ratio(s->change) ? s->change->latency.ratio : no_ratio;
    line.size = has_ratio(s->change) ? pm_size_text(s->change->size) : "";
    line.processes = has_ratio(s->change) ? processes_of(&s->change->latency) : 0;
    if (row->states[row->since].change)
        line.since = pm_history__run_at(h, row->since)->id;
    line.whole_change = row->whole ? pm_change_text(row->whole->change) : "";
    line.whole = has_ratio(row->whole) ? row->whole->latency.ratio : no_ratio;
    pm_table_row(t, &line, NULL);
    free(line.started);
}

static void add_states(const struct pm_history *h, struct pm_table *t)
{
    for (size_t i = 0; i < h->row_count && h->rows[i].changed; i++)
        for (size_t run = 0; run < h->count; run++)
            if (h->rows[i].states[run].verdict != PM_VERDICT_COUNT)
                state_row(h, &h->rows[i], run, t);
}

/* ---- notes ---------------------------------------------------------------------------------- */

struct noting {
    const struct pm_history *h;
    struct pm_table *t;
    const char *before; /* "null@null: " in a table of several targets; else "" */
};

/* Adds a note about a target. Takes ownership of `text`. */
static void note(const struct noting *n, char *text)
{
    char *whole = pm_format("%s%s", n->before, text);
    pm_table_note(n->t, whole);
    free(whole);
    free(text);
}

/* Adds a note about each skipped run of the target that is newer than the first compared run. */
static void note_left_out(const struct noting *n)
{
    const struct pm_reading *list = n->h->list;
    for (size_t i = 0; i < pm_history__all_targets(list); i++) {
        const struct pm_reading_target *t = &list->targets[i];
        const struct pm_reading_run *run = &list->runs[t->run];
        if (strcmp(t->text, pm_history__target_at(n->h, 0)->text) != 0 ||
            t->run < pm_history__target_at(n->h, 0)->run || t->run > n->h->last ||
            (t->role != PM_ROLE_SUBJECT && t->role != PM_ROLE_REFERENCE) ||
            pm_history__in_history(list, i))
            continue;
        if (run->validity == PM_VALIDITY_INVALID)
            note(n, pm_format("run %lld is skipped: it is invalid: %s", (long long)run->id,
                              run->reason));
        else
            note(n, pm_format("run %lld is skipped: it has no valid results", (long long)run->id));
    }
}

static void note_run(const struct noting *n, size_t run)
{
    const struct pm_changes_side *side = &n->h->sides[run].compared;
    const long long id = side->run;
    if (side->done < side->planned)
        note(n, pm_format("run %lld is not complete: %lld of %lld executions", id,
                          (long long)side->done, (long long)side->planned));
    if (side->latencies_invalid)
        note(n, pm_format("latencies of run %lld are invalid and not used: %s", id,
                          side->latencies_invalid));
    else if (!pm_history__has_times(side) && pm_history__has_times(&n->h->known))
        note(n, pm_format("run %lld has no latencies", id));
}

/* Adds a note if the run and the earlier runs count different cases, unless the run before had the
 * same note. */
static void note_cases(const struct noting *n, size_t run)
{
    const struct pm_changes *c = &n->h->changes[run];
    if ((!c->only_before && !c->only_after) ||
        (run > 1 && !c->only_after && c->only_before == n->h->changes[run - 1].only_before))
        return;
    note(n, pm_format("run %lld measured different cases (%zu fewer, %zu more): only the common "
                      "cases of a function are compared",
                      (long long)pm_history__run_at(n->h, run)->id, c->only_before, c->only_after));
}

/* Returns the name of the database from which a run was merged, in quotes, or "this database". The
 * caller frees it. */
static char *origin_of(const struct pm_reading_run *run)
{
    return *run->source ? pm_format("'%s'", run->source) : pm_strdup("this database");
}

static void note_merged(const struct noting *n)
{
    const struct pm_reading_run *first = pm_history__run_at(n->h, 0), *other = first;
    for (size_t i = 1; i < n->h->count && other == first; i++)
        if (strcmp(pm_history__run_at(n->h, i)->source, first->source) != 0)
            other = pm_history__run_at(n->h, i);
    if (other == first)
        return;
    char *from = origin_of(first), *from_other = origin_of(other);
    note(n, pm_format("run %lld is from %s, run %lld from %s: the devices and processors have the "
                      "same names, but the machines may differ",
                      (long long)first->id, from, (long long)other->id, from_other));
    free(from);
    free(from_other);
}

static void note_latencies(const struct noting *n)
{
    bool unknown = false;
    for (size_t i = 1; i < n->h->count; i++)
        unknown |= isnan(n->h->changes[i].floor);
    if (!pm_history__has_times(&n->h->known))
        return;
    note(n, pm_format("slower, faster: these verdicts need at least %d processes in each run; "
                      "at most 5 %% of the verdicts on a target are expected to be false",
                      PM_STAT_LEAST_FOR_VERDICT));
    if (unknown)
        note(n, pm_format("some runs have no noise floor (portmeter run --noise measures it): "
                          "latencies that differ from theirs do not count"));
}

static void add_notes(const struct pm_history *h, struct pm_table *t, const char *before)
{
    const struct noting n = {h, t, before};
    if (h->has_twin)
        note(&n,
             pm_format(
                 "%s was measured on several devices or machines: each has a history of its own",
                 pm_history__target_at(h, 0)->text));
    if (h->older)
        note(&n, pm_format("%zu older run%s not shown: --top N shows the newest N", h->older,
                           pm_plural_are(h->older)));
    note_left_out(&n);
    for (size_t i = 0; i < h->count; i++) {
        note_run(&n, i);
        if (i)
            note_cases(&n, i);
    }
    note_merged(&n);
    note_latencies(&n);
}

/* ---- all of it ------------------------------------------------------------------------------ */

struct printing {
    const struct pm_history_request *request;
    struct pm_reading list;
    struct pm_report *report;
    struct pm_table *runs, *functions; /* only for programs: tables of all targets */
    bool *taken;                       /* targets of the list that are in a history */
    struct pm_str singles;             /* targets with one run */
    char *single;                      /* the first target with one run */
    size_t single_count;
    bool any;
    struct pm_error *err;
};

/* Adds a line such as "null@null, 4 runs; from run 4 to 5: 1 fixed (null.f); from run 1 to 5: 1
 * slower (null.h)". */
static void answer_line(const struct pm_history *h, const char *name, struct pm_report *report)
{
    const size_t last = h->count - 1;
    const long long newest = (long long)pm_history__run_at(h, last)->id;
    struct pm_str text = PM_STR_INIT;
    pm_str_addf(&text, "%s, %zu runs; from run %lld to %lld: ", name, h->count,
                (long long)pm_history__run_at(h, last - 1)->id, newest);
    add_news(&text, &h->changes[last]);
    if (last > 1) {
        pm_str_addf(&text, "; from run %lld to %lld: ", (long long)pm_history__run_at(h, 0)->id,
                    newest);
        add_news(&text, &h->whole);
    }
    pm_report_line(report, "history", text.data);
    pm_str_release(&text);
}

static void add_for_people(const struct pm_history *h, const char *name, struct pm_report *report)
{
    char *title = pm_format("Runs of %s, oldest first", name);
    struct pm_table *t = new_runs(title, true);
    pm_table_about(t, "target", name);
    for (size_t i = 0; i < h->count; i++)
        add_run(h, i, t, true);
    add_notes(h, t, "");
    pm_report_take_table(report, t);
    add_functions_for_people(h, name, report);
    free(title);
}

static void add_for_programs(struct printing *p, const struct pm_history *h, const char *name)
{
    char *before = pm_format("%s: ", name);
    for (size_t i = 0; i < h->count; i++)
        add_run(h, i, p->runs, false);
    add_notes(h, p->runs, before);
    add_states(h, p->functions);
    free(before);
}

/* Notes a target that has only one run. A reference is measured with its subjects, so it is noted
 * only if its run has none. */
static void note_single(struct printing *p, const struct pm_history *h, const char *name)
{
    const struct pm_reading_target *t = pm_history__target_at(h, 0);
    if (t->role != PM_ROLE_SUBJECT && pm_history__has_subject(h->list, t->run))
        return;
    pm_str_addf(&p->singles, "%s%s", p->single_count++ ? ", " : "", name);
    if (!p->single)
        p->single = pm_strdup(t->text);
}

static int add_history(struct printing *p, struct pm_history *h)
{
    char *name = name_of(h);
    int rc = PM_OK;
    if (h->count == 1)
        note_single(p, h, name);
    else
        rc = pm_history__load(h, p->request->db, p->err);
    if (!rc && h->count > 1) {
        p->any = true;
        answer_line(h, name, p->report);
        if (p->request->for_people)
            add_for_people(h, name, p->report);
        else
            add_for_programs(p, h, name);
    }
    free(name);
    return rc;
}

/* Adds the history of a target up to run `last`, and marks its targets of the list as taken. */
static int add_target(struct printing *p, size_t target, size_t last)
{
    const size_t most = p->request->most ? p->request->most : PM_HISTORY_RUNS;
    struct pm_history h;
    int rc = PM_OK;
    pm_history__gather(&h, &p->list, target, last, most);
    for (size_t i = 0; i < pm_history__all_targets(&p->list); i++)
        p->taken[i] |= pm_history__same_target(&p->list, i, target);
    if (h.count)
        rc = add_history(p, &h);
    pm_history__release(&h);
    return rc;
}

/* Adds the histories of all targets that have this role and are in no history yet. If a run was
 * requested, adds only those of its targets. */
static int add_role(struct printing *p, enum pm_role role, size_t last)
{
    for (size_t i = 0; i < pm_history__all_targets(&p->list); i++) {
        const struct pm_reading_target *t = &p->list.targets[i];
        if (t->role == role && !p->taken[i] && pm_history__in_history(&p->list, i) &&
            (!p->request->run_id || t->run == last))
            PM_TRY(add_target(p, i, last));
    }
    return PM_OK;
}

static void singles_lines(const struct printing *p)
{
    if (p->single_count) {
        char *text = pm_format("%s: one valid run%s, but a history needs two", p->singles.data,
                               p->single_count > 1 ? " each" : "");
        pm_report_line(p->report, p->any ? "no history" : "history", text);
        free(text);
    } else if (!p->any && p->request->run_id) {
        pm_report_take_line(p->report, "history",
                            pm_format("run %lld has no valid results: name another run",
                                      (long long)p->request->run_id));
    } else if (!p->any) {
        pm_report_line(p->report, "history",
                       "no valid run has results: measure with portmeter run");
    }
    if (p->single) {
        const char *option = p->request->option; /* run does not have --results */
        char *command = pm_format("portmeter run --target '%.*s'%s", pm_shard_typed(p->single),
                                  p->single, pm_starts_with(option, " --results") ? "" : option);
        pm_report_command(p->report, "next", command, "adds a run");
        free(command);
    }
}

static int find_last(const struct printing *p, size_t *last)
{
    *last = p->list.run_list.count;
    for (size_t i = 0; p->request->run_id && i < p->list.run_list.count; i++)
        if (p->list.runs[i].id == p->request->run_id)
            *last = i;
    if (!p->request->run_id || *last < p->list.run_list.count)
        return PM_OK;
    return pm_error_set(p->err, PM_EUSAGE,
                        "database '%s' has no run %lld: list the runs with portmeter runs",
                        p->request->db, (long long)p->request->run_id);
}

static int add_all(struct printing *p)
{
    size_t last;
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, p->request->db, PM_STORE_READ, p->err));
    const int rc = pm_reading_list(&p->list, store, p->err);
    pm_store_free(store);
    PM_TRY(rc);
    PM_TRY(find_last(p, &last));
    p->taken = pm_alloc((pm_history__all_targets(&p->list) + 1) * sizeof *p->taken);
    PM_TRY(add_role(p, PM_ROLE_SUBJECT, last));
    PM_TRY(add_role(p, PM_ROLE_REFERENCE, last));
    singles_lines(p);
    return PM_OK;
}

int pm_history_add(const struct pm_history_request *request, struct pm_report *report,
                   struct pm_error *err)
{
    struct printing p = {.request = request, .report = report, .err = err};
    if (request->most == 1)
        return pm_error_set(err, PM_EUSAGE, "a history needs two runs: use --top 2 or more");
    if (!request->for_people) {
        p.runs = new_runs("Runs of each target, oldest first", false);
        p.functions = pm_table_new("history_functions", "Functions that changed, in each run");
        pm_table_columns(p.functions, run_columns, false);
        pm_table_columns(p.functions, function_columns, false);
    }
    const int rc = add_all(&p);
    if (p.runs && !request->functions_only)
        pm_report_take_table(report, p.runs);
    else if (p.runs)
        pm_table_free(p.runs);
    if (p.functions)
        pm_report_take_table(report, p.functions);
    pm_str_release(&p.singles);
    pm_reading_release(&p.list);
    free(p.single);
    free(p.taken);
    return rc;
}

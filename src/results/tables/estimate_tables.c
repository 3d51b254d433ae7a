/* Makes the table of estimates for whole frameworks, with their samples. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "reading/reading.h"
#include "sample/stored.h"
#include "tables/kinds.h"
#include "tables/shared_cells.h"

/* Returns a text that says how the rule of a sample counts uses. */
static const char *way_of(enum pm_rule rule)
{
    static const char *const ways[] = {
        [PM_RULE_PAPER] = "by the paper's rule",
        [PM_RULE_RESOLVED] = "through imports",
        [PM_RULE_INFERRED] = "through imports and the types of values",
    };
    return ways[rule];
}

/* Adds a note on the functions that a sample represents. */
static void note_sample(const struct pm_reading_sample *s, struct pm_table *table)
{
    char *from =
        s->scan_id ? pm_format("scan %lld", (long long)s->scan_id) : pm_format("'%s'", s->ranking);
    const bool paper = s->rule == PM_RULE_PAPER;
    char *note = pm_format(
        "sample %lld (seed %" PRIu64 ") represents %.0f of the %zu %s ranked by %s "
        "(uses counted %s): those that can be measured%s",
        (long long)s->id, s->seed, s->eligible, s->ranked, paper ? "bare names" : "functions", from,
        way_of(s->rule), s->only_tested ? " and have a case" : "");
    pm_table_note(table, note);
    free(note);
    free(from);
}

static bool is_executed(const struct pm_reading *r, int target)
{
    return r->targets[target].evidence == PM_EVIDENCE_EXECUTED;
}

static void add_notes(const struct pm_reading *r, bool executed, struct pm_table *table)
{
    bool incomplete = false;
    for (size_t k = 0; k < r->sample_list.count; k++) {
        bool used = false;
        for (size_t i = 0; i < r->estimate_list.count; i++) {
            const struct pm_reading_estimate *e = &r->estimates[i];
            if (e->sample_id != r->samples[k].id || is_executed(r, e->target) != executed)
                continue;
            used = true;
            incomplete |= e->marked < e->members;
        }
        if (used)
            note_sample(&r->samples[k], table);
    }
    if (incomplete)
        pm_table_note(table, "members that were not measured are assumed to be like the measured "
                             "members of their stratum: if they fail more often, the shares are "
                             "too high; strata without measured members are unknown");
    pm_table_note(table,
                  "functions that work with limits count as working, those that work partly do "
                  "not, and host-only functions count like all others; brackets: 95 % confidence "
                  "intervals (Korn and Graubard 1998); a share is empty if its interval is wider "
                  "than 50 points");
}

static void share_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const void *member = (const char *)from->row + from->column->offset;
    const struct pm_interval *share = member;
    if (isnan(share->mid) || pm_tables__says_nothing(share))
        pm_table_empty(table);
    else
        pm_table_interval(table, share->mid, share->low, share->high);
}

static void unmeasured_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_estimate *e = from->row;
    if (e->members)
        pm_table_number(table, (double)(e->members - e->marked) / (double)e->members);
    else
        pm_table_empty(table);
}

static void represent_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_estimate *e = from->row;
    pm_table_count(table, llround(pm_reading_sample_of(from->context, e->sample_id)->eligible));
}

#define SHARE(name)                                                                                \
    PM_CELL_SHARE, PM_MEMBER(struct pm_reading_estimate, name), .cell = share_cell,                \
                                                                .intervals = true

static const struct pm_column estimate_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct pm_reading_estimate, target)},
    {"by_function", "working functions", SHARE(by_function)},
    {"by_use", "working calls", SHARE(by_use)},
    {"measured", "measured", PM_CELL_COUNT, PM_MEMBER(struct pm_reading_estimate, marked)},
    {"members", "members", PM_CELL_COUNT, PM_MEMBER(struct pm_reading_estimate, members)},
    {"unmeasured", "not measured", PM_CELL_SHARE, .cell = unmeasured_cell},
    {"stand_for", "represent", PM_CELL_COUNT, .cell = represent_cell},
    {"unknown_functions", "unknown functions", PM_CELL_SHARE,
     PM_MEMBER(struct pm_reading_estimate, unknown_functions)},
    {"unknown_uses", "unknown calls", PM_CELL_SHARE,
     PM_MEMBER(struct pm_reading_estimate, unknown_uses)},
    {"sample", "sample", PM_CELL_COUNT, PM_MEMBER(struct pm_reading_estimate, sample_id)},
};

static struct pm_table *estimates_of(const struct pm_reading *r, bool executed, const char *id,
                                     const char *title)
{
    struct pm_table *t = pm_table_new(id, title);
    pm_table_columns(t, estimate_columns, r->for_people);
    for (size_t i = 0; i < r->estimate_list.count; i++)
        if (is_executed(r, r->estimates[i].target) == executed)
            pm_table_row(t, &r->estimates[i], r);
    if (pm_table_rows(t))
        add_notes(r, executed, t);
    return t;
}

/* Adds a line that says why the sample of a run gives no estimate, if it gives none. */
static void say_without(const struct pm_reading *r, size_t run, struct pm_report *report)
{
    const struct pm_reading_sample *own = pm_reading_sample_of(r, r->runs[run].sample_id);
    if (!own || own->has_weights)
        return;
    for (size_t i = 0; i < r->estimate_list.count; i++)
        if (r->targets[r->estimates[i].target].run == run)
            return;
    char *why = pm_format("none: the strata of sample %lld overlap (paper's rule), so it is "
                          "unknown how many functions each of its functions represents: draw a "
                          "sample with --strata disjoint",
                          (long long)own->id);
    pm_report_line(report, "estimates", why);
    free(why);
}

void pm_tables__add_estimates(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *shapes = estimates_of(
        r, false, "estimates_shapes", "Estimates for the whole framework: dtypes and shapes only");
    struct pm_table *executed =
        estimates_of(r, true, "estimates", "Estimates for the whole framework");
    if (pm_table_rows(executed) || (r->shows_empty && !pm_table_rows(shapes)))
        pm_report_take_table(report, executed);
    else
        pm_table_free(executed);
    if (pm_table_rows(shapes))
        pm_report_take_table(report, shapes);
    else
        pm_table_free(shapes);
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown && r->runs[i].sample_id)
            say_without(r, i, report);
}

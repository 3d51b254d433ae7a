/* Makes the table of reasons: what breaks on a target, and why. */
#include <string.h>

#include "base/alloc.h"
#include "judge/reasons.h"
#include "tables/kinds.h"
#include "tables/lines.h"
#include "tables/shared_cells.h"
#include "text/display.h"

enum { NAMES_SHOWN = 3 };

/* The functions that fail or work only partly on a target for one reason. */
struct cause {
    int target;
    const char *reason; /* "unclassified": no rule matches */
    int64_t functions, fails, calls;
    const struct pm_reading_verdict **verdicts;
    size_t count, capacity;
    size_t room; /* columns for the names; 0: no limit */
};

struct cause_list {
    struct cause *items;
    size_t count, capacity;
};

static struct cause *cause_of(struct cause_list *causes, int target, const char *reason)
{
    for (size_t i = 0; i < causes->count; i++)
        if (causes->items[i].target == target && !strcmp(causes->items[i].reason, reason))
            return &causes->items[i];
    PM_GROW(causes->items, causes->count, causes->capacity);
    causes->items[causes->count] = (struct cause){.target = target, .reason = reason};
    return &causes->items[causes->count++];
}

static bool does_not_work(const struct pm_reading_verdict *v)
{
    return pm_verdict_is_counted(v->verdict) && !pm_verdict_is_working(v->verdict) && !v->host_only;
}

static void collect(const struct pm_reading *r, struct cause_list *causes)
{
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const struct pm_reading_target *t = &r->targets[v->target];
        if (!does_not_work(v) || !pm_tables__has_line(r, v->target))
            continue;
        struct cause *c = cause_of(causes, v->target,
                                   *v->reason ? v->reason : pm_reason_text(PM_REASON_UNCLASSIFIED));
        c->functions++;
        c->fails += v->verdict == PM_VERDICT_FAILS;
        c->calls += pm_reading_calls(r, t->framework, v->function);
        PM_GROW(c->verdicts, c->count, c->capacity);
        c->verdicts[c->count++] = v;
    }
}

/* Orders by calls in scanned code, then by the number of functions. */
static int heaviest_first(const void *left, const void *right)
{
    const struct cause *a = left, *b = right;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    if (a->functions != b->functions)
        return a->functions > b->functions ? -1 : 1;
    return a->target != b->target ? a->target - b->target : strcmp(a->reason, b->reason);
}

/* Orders by use, then functions that fail before those that work partly, then by name. */
static int most_used_first(const void *left, const void *right, void *context)
{
    const struct pm_reading *r = context;
    const struct pm_reading_verdict *a = *(const struct pm_reading_verdict *const *)left,
                                    *b = *(const struct pm_reading_verdict *const *)right;
    const char *framework = r->targets[a->target].framework;
    const int64_t x = pm_reading_calls(r, framework, a->function),
                  y = pm_reading_calls(r, framework, b->function);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->verdict != b->verdict)
        return a->verdict == PM_VERDICT_FAILS ? -1 : 1;
    return strcmp(a->function, b->function);
}

/* Appends the names that fit into the room, in their order. If none fits, appends the end of the
 * first name, because the last part of a name says most. */
static void add_fitting_names(struct pm_str *out, const struct cause *c)
{
    static const char more[] = ", ...";
    size_t named = 0;
    for (size_t i = 0; i < c->count; i++) {
        const char *name = c->verdicts[i]->function, *between = named ? ", " : "";
        const size_t ends = named + 1 < c->count ? strlen(more) : 0;
        if (out->length + strlen(between) + strlen(name) + ends > c->room)
            continue;
        pm_str_addf(out, "%s%s", between, name);
        named++;
    }
    if (!named)
        pm_text_cut_head(out, c->verdicts[0]->function, c->room - strlen(more));
    if (c->count > (named ? named : 1))
        pm_str_add(out, more);
}

static void names_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct cause *c = from->row;
    const struct pm_reading *r = from->context;
    struct pm_str names = PM_STR_INIT;
    const size_t named = r->for_people && c->count > NAMES_SHOWN + 1 ? NAMES_SHOWN : c->count;
    for (size_t i = 0; i < named && !c->room; i++)
        pm_str_addf(&names, "%s%s", i ? ", " : "", c->verdicts[i]->function);
    if (c->room)
        add_fitting_names(&names, c);
    else if (named < c->count)
        pm_str_addf(&names, " and %zu more", c->count - named);
    pm_table_text(table, names.data);
    pm_str_release(&names);
}

static const struct pm_column cause_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct cause, target)},
    {"reason", "reason", PM_CELL_NAME, PM_MEMBER(struct cause, reason)},
    {"failing", "fail", PM_CELL_COUNT, PM_MEMBER(struct cause, fails)},
    {"functions", "of", PM_CELL_COUNT, PM_MEMBER(struct cause, functions)},
    {"names", "which", PM_CELL_TEXT, .cell = names_cell},
};

/* Returns how many columns of `width` remain for names if each of the first `rows` rows is printed
 * on one line. Returns 0, for no limit, if `width` is 0 or too few columns remain. */
static size_t room_for_names(const struct pm_reading *r, const struct cause_list *causes,
                             size_t rows, unsigned width)
{
    enum { COUNTS = 14, LEAST = 24 }; /* the two counts with gaps; the least for names */
    size_t target = strlen("target"), reason = strlen("reason");
    for (size_t i = 0; i < causes->count && i < rows; i++) {
        const size_t t = pm_text_width(r->targets[causes->items[i].target].text),
                     why = pm_text_width(causes->items[i].reason);
        target = t > target ? t : target;
        reason = why > reason ? why : reason;
    }
    const size_t used = target + reason + COUNTS;
    return width >= used + LEAST ? width - used : 0;
}

void pm_tables__add_reasons_of(const struct pm_reading *r, size_t most, unsigned width,
                               struct pm_report *report)
{
    struct cause_list causes = {0};
    struct pm_table *t = pm_table_new("reasons", "What breaks, and why");
    pm_table_columns(t, cause_columns, r->for_people);
    collect(r, &causes);
    if (causes.count)
        qsort(causes.items, causes.count, sizeof *causes.items, heaviest_first);
    const size_t room = room_for_names(r, &causes, most, width);
    for (size_t i = 0; i < causes.count; i++) {
        struct cause *c = &causes.items[i];
        c->room = room;
        qsort_r(c->verdicts, c->count, sizeof *c->verdicts, most_used_first, (void *)(uintptr_t)r);
        if (i < most)
            pm_table_row(t, c, r);
        free(c->verdicts);
    }
    if (causes.count > most) {
        char *note = pm_format("and %zu more: --table reasons lists all rows", causes.count - most);
        pm_table_note(t, note);
        free(note);
    }
    free(causes.items);
    pm_tables__take(r, report, t);
}

void pm_tables__add_reasons(const struct pm_reading *r, struct pm_report *report)
{
    pm_tables__add_reasons_of(r, SIZE_MAX, 0, report);
}

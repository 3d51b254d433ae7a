/* Counts functions by the tier of their cases: reviewed by a person, or made by a program. */
#include "tables/tiers.h"

#include <math.h>

#include "base/alloc.h"
#include "tables/kinds.h"
#include "tables/lines.h"
#include "tables/shared_cells.h"

/* The functions of one tier on a target. Shares exclude functions whose cases check no value. */
struct tier_count {
    int target;
    enum pm_tier tier;
    int64_t functions, of[PM_VERDICT_COUNT], counted, working;
    int64_t no_values, no_values_working, host_only;
};

/* Returns the first case of a function; NULL if the reading has none of its cases. */
static const struct pm_reading_case *first_case(const struct pm_reading *r,
                                                const struct pm_reading_verdict *v)
{
    size_t count;
    return pm_reading_cases_of(r, v->target, v->function, &count);
}

static void count_function(struct tier_count *n, const struct pm_reading_verdict *v,
                           const struct pm_reading_case *c)
{
    const bool works = pm_verdict_is_working(v->verdict);
    n->functions++;
    if (v->host_only) {
        n->host_only++;
    } else if (c->no_values) {
        n->no_values++;
        n->no_values_working += works;
    } else {
        n->of[v->verdict]++;
        n->counted += pm_verdict_is_counted(v->verdict);
        n->working += works;
    }
}

static struct tier_count count_tier(const struct pm_reading *r, int target, enum pm_tier tier)
{
    struct tier_count n = {.target = target, .tier = tier};
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const struct pm_reading_case *c = v->target == target ? first_case(r, v) : NULL;
        if (c && c->tier == tier)
            count_function(&n, v, c);
    }
    return n;
}

static void share_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct tier_count *n = from->row;
    pm_table_number(table, n->counted ? (double)n->working / (double)n->counted : NAN);
}

static const struct pm_column tier_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct tier_count, target)},
    {"tier", "tier", PM_CELL_WORD, PM_WORD(struct tier_count, tier, tier)},
    {"functions", "functions", PM_CELL_COUNT, PM_MEMBER(struct tier_count, functions)},
    {"works", "works", PM_CELL_COUNT, PM_MEMBER(struct tier_count, working)},
    {"partly", "partly", PM_CELL_COUNT, PM_MEMBER(struct tier_count, of[PM_VERDICT_PARTLY])},
    {"fails", "fails", PM_CELL_COUNT, PM_MEMBER(struct tier_count, of[PM_VERDICT_FAILS])},
    {"share", "working share", PM_CELL_SHARE, .cell = share_cell},
    {"no_values", "no values", PM_CELL_COUNT, PM_MEMBER(struct tier_count, no_values)},
    {"no_values_works", "of these, work", PM_CELL_COUNT,
     PM_MEMBER(struct tier_count, no_values_working)},
    {"host_only", "host-only", PM_CELL_COUNT, PM_MEMBER(struct tier_count, host_only)},
};

static bool has_tiers(const struct pm_reading *r)
{
    for (size_t i = 0; i < r->case_list.count; i++)
        if (r->cases[i].tier != PM_TIER_REVIEWED && pm_reading_shows(r, r->cases[i].target))
            return true;
    return false;
}

void pm_tables__add_tiers(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("tiers", "Functions by the origin of their cases");
    pm_table_columns(t, tier_columns, r->for_people);
    pm_table_group(t);
    for (size_t i = 0; has_tiers(r) && i < r->target_list.count; i++) {
        for (int tier = 0; tier < PM_TIER_COUNT; tier++) {
            const struct tier_count n = count_tier(r, (int)i, (enum pm_tier)tier);
            if (n.functions && pm_tables__has_line(r, (int)i))
                pm_table_row(t, &n, r);
        }
    }
    pm_table_note(t, "a person wrote or reviewed the cases of the tier 'reviewed'; a program made "
                     "the others, which are compared only with the reference");
    pm_tables__take(r, report, t);
}

void pm_tables__line_of_tiers(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < r->target_list.count; i++) {
        int64_t made = 0, no_values = 0;
        for (int tier = PM_TIER_METADATA; tier < PM_TIER_COUNT; tier++) {
            const struct tier_count n = count_tier(r, (int)i, (enum pm_tier)tier);
            made += n.functions;
            no_values += n.no_values;
        }
        if (made && pm_tables__has_line(r, (int)i))
            pm_str_addf(&text,
                        "%s%s: functions with cases made by a program: %lld, including %lld whose "
                        "cases check no value (--table tiers)",
                        text.length ? "; " : "", r->targets[i].text, (long long)made,
                        (long long)no_values);
    }
    if (text.length)
        pm_report_line(report, "census", text.data);
    pm_str_release(&text);
}

/* Shows the functions of each target by verdict, as bars of a page and as a figure. */
#include <stdlib.h>

#include "base/alloc.h"
#include "report/table_columns.h"
#include "tables/pages.h"

struct bar {
    const char *target;
    struct tally of;
    int64_t other; /* functions without a counted verdict */
};

#define BAR(member) PM_CELL_COUNT, PM_MEMBER(struct bar, member)

static const struct pm_column bar_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct bar, target)},
    {"works", "works", BAR(of.of[PM_VERDICT_WORKS])},
    {"limits", "works with limits", BAR(of.of[PM_VERDICT_LIMITS])},
    {"partly", "partly", BAR(of.of[PM_VERDICT_PARTLY])},
    {"fails", "fails", BAR(of.of[PM_VERDICT_FAILS])},
    {"host_only", "host-only", BAR(of.host_only)},
    {"other", "no counted verdict", BAR(other)},
};

static void bar_row(const struct pm_reading *r, int target, struct pm_table *t)
{
    struct bar bar = {.target = r->targets[target].text, .of = pm_tables__tally(r, target, false)};
    bar.other = bar.of.functions - bar.of.host_only - bar.of.counted;
    pm_table_row(t, &bar, NULL);
}

void pm_tables__add_bars(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("bars", "Functions by verdict");
    pm_table_bars(t);
    size_t count;
    struct ranked *targets = pm_tables__rank_targets(r, &count);
    pm_table_columns(t, bar_columns, r->for_people);
    for (size_t i = 0; i < count; i++)
        bar_row(r, targets[i].target, t);
    free(targets);
    pm_tables__take(r, report, t);
}

/* ---- the figure ----------------------------------------------------------------------------- */

/* The parts of a bar, from the bottom. Functions that are not possible by design have their own
 * part, apart from those that fail. */
enum part { PART_WORKS, PART_LIMITS, PART_PARTLY, PART_FAILS, PART_IMPOSSIBLE, PARTS };

static const char *const part_names[] = {
    [PART_WORKS] = "works", [PART_LIMITS] = "works with limits",          [PART_PARTLY] = "partly",
    [PART_FAILS] = "fails", [PART_IMPOSSIBLE] = "not possible by design",
};

static void parts_of(const struct tally *t, double out[PARTS])
{
    const int64_t fails = t->of[PM_VERDICT_FAILS], impossible = t->impossible;
    out[PART_WORKS] = (double)t->of[PM_VERDICT_WORKS];
    out[PART_LIMITS] = (double)t->of[PM_VERDICT_LIMITS];
    out[PART_IMPOSSIBLE] = (double)impossible;
    out[PART_FAILS] = impossible < fails ? (double)(fails - impossible) : 0;
    out[PART_PARTLY] = (double)t->counted - out[PART_WORKS] - out[PART_LIMITS] - out[PART_FAILS] -
                       out[PART_IMPOSSIBLE];
}

/* Returns the name of a target, with what was done there if nothing was executed. The caller frees
 * it. */
static char *label_of(const struct pm_reading *r, int target)
{
    static const char *const done[PM_EVIDENCE_COUNT] = {
        [PM_EVIDENCE_EXECUTED] = "",
        [PM_EVIDENCE_LOWERED] = " (lowered)",
        [PM_EVIDENCE_SHAPE_ONLY] = " (shapes)",
    };
    const struct pm_reading_target *t = &r->targets[target];
    return pm_format("%s%s", t->text, done[t->evidence]);
}

static void draw_part(const struct pm_reading *r, const struct ranked *targets, size_t count,
                      enum part part, struct pm_figure *figure)
{
    double at = 0;
    pm_figure_series(figure, part_names[part]);
    pm_figure_draw(figure, PM_DRAW_BARS);
    for (size_t i = 0; i < count; i++) {
        const struct tally t = pm_tables__tally(r, targets[i].target, false);
        double parts[PARTS], low = 0;
        if (!t.counted)
            continue;
        parts_of(&t, parts);
        for (int below = 0; below < (int)part; below++)
            low += parts[below];
        if (parts[part] > 0)
            pm_figure_bar(figure, at, 100 * low / (double)t.counted,
                          100 * (low + parts[part]) / (double)t.counted);
        at++;
    }
}

struct pm_figure *pm_tables__draw_verdicts(const struct pm_reading *r)
{
    size_t count, shown = 0;
    struct ranked *targets = pm_tables__rank_targets(r, &count);
    struct pm_figure *figure = pm_figure_new("verdicts", "");
    pm_figure_widen(figure);
    pm_figure_panel(figure, "");
    for (size_t i = 0; i < count; i++) {
        if (!pm_tables__tally(r, targets[i].target, false).counted)
            continue;
        char *label = label_of(r, targets[i].target);
        pm_figure_tick(figure, (double)shown++, label);
        free(label);
    }
    pm_figure_axis(figure, PM_AXIS_Y, "functions (%)", false);
    pm_figure_range(figure, PM_AXIS_Y, 0, 100);
    pm_figure_range(figure, PM_AXIS_X, -0.6, (double)shown - 0.4);
    for (int part = 0; part < PARTS; part++)
        draw_part(r, targets, count, (enum part)part, figure);
    free(targets);
    if (!shown) {
        pm_figure_free(figure);
        return NULL;
    }
    return figure;
}

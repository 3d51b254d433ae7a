/* The tables of a report that answer "how much slower". */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/stat.h"
#include "tables/kinds.h"

static const double INTOLERABLE = 10.0;

static int by_ratio(const void *left, const void *right)
{
    const struct reading_statistic *a = *(const struct reading_statistic *const *)left;
    const struct reading_statistic *b = *(const struct reading_statistic *const *)right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return strcmp(a->function, b->function);
}

/* The figures of a target with this scope, clock, size and kind, largest first; the caller frees.
 */
static const struct reading_statistic **select_figures(const struct reading *r, int target,
                                                       const char *what, const char *size,
                                                       size_t *count)
{
    const struct reading_statistic **out = pm_alloc((r->figure_list.count + 1) * sizeof *out);
    *count = 0;
    for (size_t i = 0; i < r->figure_list.count; i++) {
        const struct reading_statistic *f = &r->figures[i];
        if (f->target == target && !strcmp(f->scope, "function") && !strcmp(f->clock, "warm") &&
            !strcmp(f->what, what) && !strcmp(f->size, size))
            out[(*count)++] = f;
    }
    qsort(out, *count, sizeof *out, by_ratio);
    return out;
}

static void latency_cell(struct pm_table *table, const struct reading_statistic *figure)
{
    pm_table_number(table, figure ? figure->value : NAN);
}

/* "differs" or "no difference"; "" with too few processes. */
static const char *says(const struct reading_statistic *f)
{
    const struct pm_interval ratio = {f->low, f->value, f->high};
    if (f->processes < PM_STAT_LEAST_PROCESSES || f->control_processes < PM_STAT_LEAST_PROCESSES)
        return "";
    return pm_stat_differs(&ratio, (size_t)f->processes, (size_t)f->control_processes)
               ? "differs"
               : "no difference";
}

static void ratio_row(const struct reading *r, int target, int control, const char *size,
                      const struct reading_statistic *f, struct pm_table *t)
{
    pm_table_text(t, f->function);
    latency_cell(t, pm_tables__reading_statistic(r, control, "function", f->function, "", "warm",
                                                 size, "latency"));
    latency_cell(t, pm_tables__reading_statistic(r, target, "function", f->function, "", "warm",
                                                 size, "latency"));
    pm_table_interval(t, f->value, f->low, f->high);
    pm_table_count(t, f->processes < f->control_processes ? f->processes : f->control_processes);
    pm_table_text(t, says(f));
}

/* As in Table 5: function, latency on both, ratio, worst first. */
static bool add_ratio_table(const struct reading *r, int target, const char *size,
                            struct pm_report *report)
{
    const int control = pm_tables__reading_control_index(r, target);
    size_t count, intolerable = 0;
    const struct reading_statistic **figures = select_figures(r, target, "ratio", size, &count);
    if (control >= 0 && count) {
        const char *name = r->targets[target].text, *base = r->targets[control].text;
        char *id = pm_format("ratios %s %s", name, size);
        char *title =
            pm_format("Latency of %s compared with %s (%s inputs, warm)", name, base, size);
        struct pm_table *t = pm_table_new(id, title);
        pm_table_column(t, "function", "function", PM_CELL_TEXT);
        pm_table_column(t, "control", base, PM_CELL_TIME);
        pm_table_column(t, "target", name, PM_CELL_TIME);
        pm_table_column(t, "ratio", "ratio", PM_CELL_RATIO);
        pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
        pm_table_column(t, "says", "verdict", PM_CELL_TEXT);
        for (size_t i = 0; i < count; i++) {
            ratio_row(r, target, control, size, figures[i], t);
            intolerable += figures[i]->value > INTOLERABLE;
        }
        char *note =
            pm_format("%zu of %zu functions are more than %g times slower; no verdict with fewer "
                      "than %d processes per side",
                      intolerable, count, INTOLERABLE, PM_STAT_LEAST_PROCESSES);
        pm_table_note(t, note);
        pm_report_take_table(report, t);
        free(id);
        free(title);
        free(note);
    }
    free(figures);
    return control >= 0 && count;
}

/* For a target that has latencies but no reference. */
static bool add_latency_table(const struct reading *r, int target, struct pm_report *report)
{
    size_t count;
    const struct reading_statistic **figures =
        select_figures(r, target, "latency", "small", &count);
    if (count) {
        char *title = pm_format("Latency of %s (small inputs, warm)", r->targets[target].text);
        struct pm_table *t = pm_table_new("latencies", title);
        pm_table_column(t, "function", "function", PM_CELL_TEXT);
        pm_table_column(t, "latency", r->targets[target].text, PM_CELL_TIME);
        pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
        for (size_t i = 0; i < count; i++) {
            pm_table_text(t, figures[i]->function);
            latency_cell(t, figures[i]);
            pm_table_count(t, figures[i]->processes);
        }
        pm_report_take_table(report, t);
        free(title);
    }
    free(figures);
    return count > 0;
}

void pm_tables__add_ratios(const struct reading *r, struct pm_report *report)
{
    bool compared = false, shown = false;
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct reading_target *t = &r->targets[i];
        if (pm_tables__reading_is_reference(t) || pm_tables__reading_is_oracle(t) || !t->latencies)
            continue;
        shown |= add_ratio_table(r, (int)i, "small", report);
        shown |= add_ratio_table(r, (int)i, "large", report);
        compared = true;
    }
    for (size_t i = 0; i < r->target_list.count && !compared; i++)
        if (pm_tables__reading_is_reference(&r->targets[i]) && r->targets[i].latencies)
            shown |= add_latency_table(r, (int)i, report);
    if (!shown)
        pm_tables__take(r, report,
                        pm_table_new("ratios", "Latencies and their ratio to the reference"));
}

/* ---- every clock of every case ---- */

void pm_tables__add_cases(const struct reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("cases", "Every clock of every case");
    pm_table_column(t, "target", "target", PM_CELL_TEXT);
    pm_table_column(t, "function", "function", PM_CELL_TEXT);
    pm_table_column(t, "case", "case", PM_CELL_TEXT);
    pm_table_column(t, "clock", "clock", PM_CELL_TEXT);
    pm_table_column(t, "latency", "latency", PM_CELL_TIME);
    pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
    pm_table_column(t, "ratio", "ratio to reference", PM_CELL_RATIO);
    pm_table_column(t, "unstable", "unstable", PM_CELL_MARK);
    for (size_t i = 0; i < r->figure_list.count; i++) {
        const struct reading_statistic *f = &r->figures[i];
        if (strcmp(f->scope, "case") || strcmp(f->what, "latency"))
            continue;
        const struct reading_statistic *ratio = pm_tables__reading_statistic(
            r, f->target, "case", f->function, f->name, f->clock, f->size, "ratio");
        pm_table_text(t, r->targets[f->target].text);
        pm_table_text(t, f->function);
        pm_table_text(t, f->name);
        pm_table_text(t, f->clock);
        pm_table_interval(t, f->value, f->low, f->high);
        pm_table_count(t, f->processes);
        if (ratio)
            pm_table_interval(t, ratio->value, ratio->low, ratio->high);
        else
            pm_table_empty(t);
        pm_table_text(t, f->unstable ? "yes" : "");
    }
    pm_tables__take(r, report, t);
}

/* ---- unstable cases ---- */

void pm_tables__add_unsteady(const struct reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("unsteady", /* check-prose: ok, a word of --table */
                                      "Unstable cases (excluded from ratios)");
    pm_table_column(t, "target", "target", PM_CELL_TEXT);
    pm_table_column(t, "function", "function", PM_CELL_TEXT);
    pm_table_column(t, "case", "case", PM_CELL_TEXT);
    pm_table_column(t, "what", "problem", PM_CELL_TEXT);
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct reading_verdict *v = &r->verdicts[i];
        if (!v->flaky)
            continue;
        char *what = pm_format("flaky: repetitions disagree in %lld case%s", (long long)v->flaky,
                               v->flaky == 1 ? "" : "s");
        pm_table_text(t, r->targets[v->target].text);
        pm_table_text(t, v->function);
        pm_table_text(t, "");
        pm_table_text(t, what);
        free(what);
    }
    for (size_t i = 0; i < r->figure_list.count; i++) {
        const struct reading_statistic *f = &r->figures[i];
        if (!f->unstable || strcmp(f->scope, "case") || strcmp(f->clock, "warm") ||
            strcmp(f->what, "latency"))
            continue;
        pm_table_text(t, r->targets[f->target].text);
        pm_table_text(t, f->function);
        pm_table_text(t, f->name);
        pm_table_text(t, "unstable: processes differ by more than a factor of 3");
    }
    pm_tables__take(r, report, t);
}

/* The tables of a report that answer "how much slower". */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "changes/changes.h"
#include "stat/stat.h"
#include "tables/kinds.h"

/* Largest first, unstable functions last, which have no value. */
static int by_value(const void *left, const void *right)
{
    const struct pm_reading_statistic *a = *(const struct pm_reading_statistic *const *)left;
    const struct pm_reading_statistic *b = *(const struct pm_reading_statistic *const *)right;
    const int values = pm_stat_largest_first(a->value, b->value);
    return values ? values : strcmp(a->key.function, b->key.function);
}

/* The warm statistics of the functions of a target, sorted; the caller frees. */
static const struct pm_reading_statistic **select_statistics(const struct pm_reading *r, int target,
                                                             enum pm_statistic what,
                                                             enum pm_size size, size_t *count)
{
    const struct pm_reading_statistic **out = pm_alloc((r->statistic_list.count + 1) * sizeof *out);
    *count = 0;
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_key *key = &r->statistics[i].key;
        if (key->target == target && key->scope == PM_SCOPE_FUNCTION &&
            key->clock == PM_CLOCK_WARM && key->what == what && key->size == size)
            out[(*count)++] = &r->statistics[i];
    }
    qsort(out, *count, sizeof *out, by_value);
    return out;
}

static void latency_cell(struct pm_table *table, const struct pm_reading_statistic *latency)
{
    pm_table_number(table, latency ? latency->value : NAN);
}

static double floor_of(const struct pm_reading *r, int reference)
{
    const struct pm_reading_statistic *noise = pm_reading_noise(r, reference);
    return noise ? noise->value : NAN;
}

/* The ratios of the functions of a target, of small and of large inputs: what is said of one
 * depends on all (pm_stat_correct()). */
struct family {
    const struct pm_reading_statistic **ratios; /* by address */
    struct pm_comparison *comparisons;
    size_t count;
};

static struct pm_comparison comparison_of(const struct pm_reading_statistic *f)
{
    struct pm_comparison comparison = {
        .ratio = {f->low, f->value, f->high},
        .processes = (size_t)f->processes,
        .reference_processes = (size_t)f->reference_processes,
    };
    comparison.p = f->unstable ? NAN : pm_stat_p_of_interval(&comparison);
    return comparison;
}

static bool is_ratio_of(const struct pm_reading_key *key, int target)
{
    return key->target == target && key->scope == PM_SCOPE_FUNCTION &&
           key->clock == PM_CLOCK_WARM && key->what == PM_STATISTIC_RATIO;
}

static void correct(struct family *family)
{
    struct pm_comparison **all = pm_alloc((family->count + 1) * sizeof *all);
    for (size_t i = 0; i < family->count; i++)
        all[i] = &family->comparisons[i];
    pm_stat_correct(all, family->count);
    free(all);
}

static struct family family_of(const struct pm_reading *r, int target)
{
    const size_t most = r->statistic_list.count + 1;
    struct family family = {.ratios = pm_alloc(most * sizeof *family.ratios),
                            .comparisons = pm_alloc(most * sizeof *family.comparisons)};
    for (size_t i = 0; i < r->statistic_list.count; i++)
        if (is_ratio_of(&r->statistics[i].key, target)) {
            family.comparisons[family.count] = comparison_of(&r->statistics[i]);
            family.ratios[family.count++] = &r->statistics[i];
        }
    correct(&family);
    return family;
}

static void family_release(struct family *family)
{
    free(family->ratios);
    free(family->comparisons);
}

static int by_address(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)left, b = (uintptr_t) * (const void *const *)right;
    return (a > b) - (a < b);
}

static const char *says(const struct family *family, const struct pm_reading_statistic *f,
                        double floor)
{
    const struct pm_reading_statistic **found =
        bsearch(f, family->ratios, family->count, sizeof *family->ratios, by_address);
    return f->unstable
               ? "unstable"
               : pm_speed_text(pm_stat_says(&family->comparisons[found - family->ratios], floor));
}

static void interval_cell(struct pm_table *table, const struct pm_reading_statistic *f)
{
    if (f && !isnan(f->value))
        pm_table_interval(table, f->value, f->low, f->high);
    else
        pm_table_empty(table);
}

static void ratio_row(const struct pm_reading *r, const struct family *family,
                      const struct pm_reading_statistic *ratio, double floor, struct pm_table *t)
{
    struct pm_reading_key on_reference = ratio->key, on_target = ratio->key;
    on_reference.what = PM_STATISTIC_REFERENCE_LATENCY;
    on_target.what = PM_STATISTIC_LATENCY;
    pm_table_text(t, ratio->key.function);
    latency_cell(t, pm_reading_statistic(r, &on_reference));
    latency_cell(t, pm_reading_statistic(r, &on_target));
    interval_cell(t, ratio);
    pm_table_count(t, ratio->processes < ratio->reference_processes ? ratio->processes
                                                                    : ratio->reference_processes);
    pm_table_text(t, says(family, ratio, floor));
    pm_table_text(t, ratio->value > pm_reading_intolerable(r) ? "yes" : "");
}

/* What the columns leave open. */
static void note_ratios(struct pm_table *t, size_t intolerable, size_t count, double much)
{
    char *slow = pm_format("intolerable: %zu of %zu functions, more than %g times slower; the "
                           "latencies and the ratio of a row come from the same cases",
                           intolerable, count, much);
    pm_table_note(t, slow);
    pm_changes_note_verdicts(t);
    free(slow);
}

/* As in Table 5: function, latency on both, ratio, worst first. */
static bool add_ratio_table(const struct pm_reading *r, const struct family *family, int target,
                            enum pm_size size, struct pm_report *report)
{
    const int reference = pm_reading_reference_index(r, target);
    size_t count, intolerable = 0;
    const struct pm_reading_statistic **ratios =
        select_statistics(r, target, PM_STATISTIC_RATIO, size, &count);
    if (reference >= 0 && count) {
        const char *name = r->targets[target].text, *base = r->targets[reference].text;
        char *title = pm_format("Latency of %s compared with %s (%s inputs, warm)", name, base,
                                pm_size_text(size));
        struct pm_table *t = pm_table_new("ratios", title);
        pm_table_about(t, "target", name);
        pm_table_about(t, "size", pm_size_text(size));
        pm_table_column(t, "function", "function", PM_CELL_NAME);
        pm_table_column(t, "reference", base, PM_CELL_TIME);
        pm_table_column(t, "target", name, PM_CELL_TIME);
        pm_table_column(t, "ratio", "ratio", PM_CELL_RATIO);
        pm_table_intervals(t);
        pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
        pm_table_column(t, "says", "verdict", PM_CELL_WORD);
        pm_table_column(t, "intolerable", "intolerable", PM_CELL_MARK);
        for (size_t i = 0; i < count; i++) {
            ratio_row(r, family, ratios[i], floor_of(r, reference), t);
            intolerable += ratios[i]->value > pm_reading_intolerable(r);
        }
        note_ratios(t, intolerable, count, pm_reading_intolerable(r));
        pm_report_take_table(report, t);
        free(title);
    }
    free(ratios);
    return reference >= 0 && count;
}

/* For a target that has latencies but no reference. */
static bool add_latency_table(const struct pm_reading *r, int target, struct pm_report *report)
{
    size_t count;
    const struct pm_reading_statistic **latencies =
        select_statistics(r, target, PM_STATISTIC_LATENCY, PM_SIZE_SMALL, &count);
    if (count) {
        char *title = pm_format("Latency of %s (small inputs, warm)", r->targets[target].text);
        struct pm_table *t = pm_table_new("latencies", title);
        pm_table_about(t, "target", r->targets[target].text);
        pm_table_column(t, "function", "function", PM_CELL_NAME);
        pm_table_column(t, "latency", r->targets[target].text, PM_CELL_TIME);
        pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
        pm_table_column(t, "unstable", "unstable", PM_CELL_MARK);
        for (size_t i = 0; i < count; i++) {
            pm_table_text(t, latencies[i]->key.function);
            latency_cell(t, latencies[i]);
            pm_table_count(t, latencies[i]->processes);
            pm_table_text(t, latencies[i]->unstable ? "yes" : "");
        }
        pm_report_take_table(report, t);
        free(title);
    }
    free(latencies);
    return count > 0;
}

void pm_tables__add_ratios(const struct pm_reading *r, struct pm_report *report)
{
    bool compared = false, shown = false;
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        if (pm_reading_is_reference(t) || pm_reading_is_oracle(t) || !t->latencies)
            continue;
        struct family family = family_of(r, (int)i);
        for (int size = 0; size < PM_SIZE_COUNT; size++)
            shown |= add_ratio_table(r, &family, (int)i, (enum pm_size)size, report);
        family_release(&family);
        compared = true;
    }
    for (size_t i = 0; i < r->target_list.count && !compared; i++)
        if (pm_reading_is_reference(&r->targets[i]) && r->targets[i].latencies)
            shown |= add_latency_table(r, (int)i, report);
    if (!shown)
        pm_tables__take(r, report,
                        pm_table_new("ratios", "Latencies and their ratio to the reference"));
}

/* ---- every clock of every case ---- */

void pm_tables__add_clocks(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("clocks", "Every clock of every case");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "case", "case", PM_CELL_NAME);
    pm_table_column(t, "clock", "clock", PM_CELL_WORD);
    pm_table_column(t, "latency", "latency", PM_CELL_TIME);
    pm_table_intervals(t);
    pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
    pm_table_column(t, "ratio", "ratio to reference", PM_CELL_RATIO);
    pm_table_intervals(t);
    pm_table_column(t, "unstable", "unstable", PM_CELL_MARK);
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_statistic *f = &r->statistics[i];
        if (f->key.scope != PM_SCOPE_CASE || f->key.what != PM_STATISTIC_LATENCY)
            continue;
        struct pm_reading_key key = f->key;
        key.what = PM_STATISTIC_RATIO;
        const struct pm_reading_statistic *ratio = pm_reading_statistic(r, &key);
        pm_table_text(t, r->targets[key.target].text);
        pm_table_text(t, key.function);
        pm_table_text(t, key.name);
        pm_table_text(t, pm_clock_text(key.clock));
        pm_table_interval(t, f->value, f->low, f->high);
        pm_table_count(t, f->processes);
        interval_cell(t, ratio);
        pm_table_text(t, f->unstable ? "yes" : "");
    }
    pm_tables__take(r, report, t);
}

/* ---- unstable cases ---- */

void pm_tables__add_unsteady(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("unsteady", /* check-prose: ok, a word of --table */
                                      "Unstable cases (excluded from ratios)");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "case", "case", PM_CELL_NAME);
    pm_table_column(t, "what", "problem", PM_CELL_TEXT);
    pm_table_group(t);
    pm_tables__flaky_rows(r, t);
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_key *key = &r->statistics[i].key;
        if (!r->statistics[i].unstable || key->scope != PM_SCOPE_CASE ||
            key->clock != PM_CLOCK_WARM || key->what != PM_STATISTIC_LATENCY)
            continue;
        pm_table_text(t, r->targets[key->target].text);
        pm_table_text(t, key->function);
        pm_table_text(t, key->name);
        pm_table_text(t, "unstable: processes differ by more than a factor of 3");
    }
    pm_tables__take(r, report, t);
}

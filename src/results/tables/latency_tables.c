/* Makes the tables of latencies: ratios to the reference, every clock of every case, and unstable
 * cases. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "changes/changes.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/shared_cells.h"

/* Orders the largest first; unstable functions, which have no value, are last. */
static int by_value(const void *left, const void *right)
{
    const struct pm_reading_statistic *a = *(const struct pm_reading_statistic *const *)left;
    const struct pm_reading_statistic *b = *(const struct pm_reading_statistic *const *)right;
    const int values = pm_stat_largest_first(a->value, b->value);
    return values ? values : strcmp(a->key.function, b->key.function);
}

/* Returns the warm statistics of the functions of a target, sorted. Sets *count; the caller frees
 * the array. */
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

/* The ratios of the functions of a target, for small and for large inputs. The verdict on each
 * ratio depends on all ratios (pm_stat_correct()). */
struct family {
    const struct pm_reading_statistic **ratios; /* sorted by address */
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
    comparison.p = isnan(f->value) ? NAN : pm_stat_p_of_interval(&comparison);
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
    return isnan(f->value)
               ? pm_tables__excluded(f)
               : pm_speed_text(pm_stat_says(&family->comparisons[found - family->ratios], floor));
}

/* ---- ratios --------------------------------------------------------------------------------- */

/* Data that all rows of a table of ratios share. */
struct compared {
    const struct pm_reading *r;
    const struct family *family;
    double floor;
};

static void latency_of(struct pm_table *table, const struct pm_cell_source *from,
                       enum pm_statistic what)
{
    const struct pm_reading_statistic *ratio = from->row;
    const struct compared *compared = from->context;
    struct pm_reading_key key = ratio->key;
    key.what = what;
    latency_cell(table, pm_reading_statistic(compared->r, &key));
}

static void reference_latency_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    latency_of(table, from, PM_STATISTIC_REFERENCE_LATENCY);
}

static void target_latency_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    latency_of(table, from, PM_STATISTIC_LATENCY);
}

/* Sets the cell of an interval; empty for NULL, and for a statistic without a value. */
static void interval_cell(struct pm_table *table, const struct pm_reading_statistic *s)
{
    pm_tables__statistic_cell(table, s);
}

static void own_interval_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    interval_cell(table, from->row);
}

static void fewest_processes_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *s = from->row;
    pm_table_count(table,
                   s->processes < s->reference_processes ? s->processes : s->reference_processes);
}

static void says_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct compared *compared = from->context;
    pm_table_text(table, says(compared->family, from->row, compared->floor));
}

static void intolerable_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *ratio = from->row;
    const struct compared *compared = from->context;
    pm_table_text(table, ratio->value > pm_reading_intolerable(compared->r) ? "yes" : "");
}

/* The columns of the paper's table 5 (function, latency on both targets, ratio) and three others.
 * The names of the two targets are headings. */
static const struct pm_column ratio_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_reading_statistic, key.function)},
    {"reference", "reference", PM_CELL_TIME, .cell = reference_latency_cell},
    {"target", "target", PM_CELL_TIME, .cell = target_latency_cell},
    {"ratio", "ratio", PM_CELL_RATIO, .cell = own_interval_cell, .intervals = true},
    {"processes", "processes", PM_CELL_COUNT, .cell = fewest_processes_cell},
    {"says", "verdict", PM_CELL_WORD, .cell = says_cell},
    {"intolerable", "intolerable", PM_CELL_MARK, .cell = intolerable_cell},
};

/* Adds notes on facts that the columns do not show. */
static void note_ratios(struct pm_table *t, size_t intolerable, size_t count, size_t compiling,
                        double much)
{
    char *slow = pm_format("intolerable: %zu of %zu function%s, more than %g times slower; the "
                           "latencies and the ratio of a row come from the same cases",
                           intolerable, count, pm_plural(count), much);
    pm_table_note(t, slow);
    free(slow);
    if (compiling) {
        char *note =
            pm_format("compiles: all cases of %zu function%s compile in every call, here or "
                      "on the reference; a latency with compilation is in no ratio",
                      compiling, pm_plural(compiling));
        pm_table_note(t, note);
        free(note);
    }
    pm_changes_note_verdicts(t);
}

/* Adds a table of ratios, the largest first. Returns false if there are none. */
static bool add_ratio_table(const struct pm_reading *r, const struct family *family, int target,
                            enum pm_size size, struct pm_report *report)
{
    const int reference = pm_reading_reference_index(r, target);
    size_t count, intolerable = 0, compiling = 0;
    const struct pm_reading_statistic **ratios =
        select_statistics(r, target, PM_STATISTIC_RATIO, size, &count);
    if (reference >= 0 && count) {
        const char *name = r->targets[target].text, *base = r->targets[reference].text;
        char *title = pm_format("Latency of %s compared with %s (%s inputs, warm)", name, base,
                                pm_size_text(size));
        const struct compared compared = {r, family, floor_of(r, reference)};
        struct pm_table *t = pm_table_new("ratios", title);
        pm_table_about(t, "target", name);
        pm_table_about(t, "size", pm_size_text(size));
        pm_table_columns(t, ratio_columns, r->for_people);
        pm_table_heading(t, "reference", base);
        pm_table_heading(t, "target", name);
        for (size_t i = 0; i < count; i++) {
            pm_table_row(t, ratios[i], &compared);
            intolerable += ratios[i]->value > pm_reading_intolerable(r);
            compiling += ratios[i]->compiles;
        }
        note_ratios(t, intolerable, count - compiling, compiling, pm_reading_intolerable(r));
        pm_report_take_table(report, t);
        free(title);
    }
    free(ratios);
    return reference >= 0 && count;
}

static const struct pm_column latency_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_reading_statistic, key.function)},
    {"latency", "latency", PM_CELL_TIME, PM_MEMBER(struct pm_reading_statistic, value)},
    {"processes", "processes", PM_CELL_COUNT, PM_MEMBER(struct pm_reading_statistic, processes)},
    {"unstable", "unstable", PM_CELL_MARK, .cell = pm_tables__excluded_cell},
};

/* Adds the latencies of a reference. Returns false if there are none. */
static bool add_latency_table(const struct pm_reading *r, int target, struct pm_report *report)
{
    size_t count;
    const struct pm_reading_statistic **latencies =
        select_statistics(r, target, PM_STATISTIC_LATENCY, PM_SIZE_SMALL, &count);
    if (count) {
        char *title = pm_format("Latency of %s (small inputs, warm)", r->targets[target].text);
        struct pm_table *t = pm_table_new("latencies", title);
        pm_table_about(t, "target", r->targets[target].text);
        pm_table_columns(t, latency_columns, r->for_people);
        pm_table_heading(t, "latency", r->targets[target].text);
        for (size_t i = 0; i < count; i++)
            pm_table_row(t, latencies[i], NULL);
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

static void case_ratio_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *latency = from->row;
    struct pm_reading_key key = latency->key;
    key.what = PM_STATISTIC_RATIO;
    interval_cell(table, pm_reading_statistic(from->context, &key));
}

static const struct pm_column clock_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct pm_reading_statistic, key.target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_reading_statistic, key.function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct pm_reading_statistic, key.name)},
    {"clock", "clock", PM_CELL_WORD, PM_WORD(struct pm_reading_statistic, key.clock, clock)},
    {"latency", "latency", PM_CELL_TIME, .cell = own_interval_cell, .intervals = true},
    {"processes", "processes", PM_CELL_COUNT, PM_MEMBER(struct pm_reading_statistic, processes)},
    {"ratio", "ratio to reference", PM_CELL_RATIO, .cell = case_ratio_cell, .intervals = true},
    {"unstable", "unstable", PM_CELL_MARK, .cell = pm_tables__excluded_cell},
};

void pm_tables__add_clocks(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("clocks", "Every clock of every case");
    pm_table_columns(t, clock_columns, r->for_people);
    for (size_t i = 0; i < r->statistic_list.count; i++)
        if (r->statistics[i].key.scope == PM_SCOPE_CASE &&
            r->statistics[i].key.what == PM_STATISTIC_LATENCY)
            pm_table_row(t, &r->statistics[i], r);
    pm_tables__take(r, report, t);
}

/* ---- unstable cases ---- */

static const struct pm_column varying_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct varying, target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct varying, function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct varying, name)},
    {"what", "problem", PM_CELL_TEXT, PM_MEMBER(struct varying, what)},
};

void pm_tables__add_unstable(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("unstable", "Unstable cases (excluded from ratios)");
    pm_table_columns(t, varying_columns, r->for_people);
    pm_table_group(t);
    pm_tables__flaky_rows(r, t);
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_key *key = &r->statistics[i].key;
        if (!*pm_tables__excluded(&r->statistics[i]) || key->scope != PM_SCOPE_CASE ||
            key->clock != PM_CLOCK_WARM || key->what != PM_STATISTIC_LATENCY)
            continue;
        pm_table_row(
            t,
            &(struct varying){key->target, key->function, key->name,
                              r->statistics[i].compiles
                                  ? "compiles in every call: its times include that"
                                  : "unstable: processes differ by more than a factor of 3"},
            r);
    }
    pm_tables__take(r, report, t);
}

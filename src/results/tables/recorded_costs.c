/* Finds what each recorded call costs on a target. */
#include "tables/recorded_costs.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stat/stat.h"
#include "tables/recorded_table.h"

/* First calls of one case, in ns. */
struct first_calls {
    size_t of;     /* index in r->cases */
    bool is_first; /* of its process */
    double ns;
};

struct list {
    struct first_calls *items;
    size_t count, capacity;
};

const struct pm_reading_statistic *pm_tables__latency_of(const struct pm_reading *r,
                                                         const struct pm_reading_case *c,
                                                         enum pm_clock clock)
{
    const struct pm_reading_key key = {.target = c->target,
                                       .scope = PM_SCOPE_CASE,
                                       .function = c->function,
                                       .name = c->name,
                                       .clock = clock,
                                       .size = c->size,
                                       .what = PM_STATISTIC_LATENCY};
    return pm_reading_statistic(r, &key);
}

static double value_of(const struct pm_reading *r, const struct pm_reading_case *c,
                       enum pm_clock clock)
{
    const struct pm_reading_statistic *s = pm_tables__latency_of(r, c, clock);
    return s && !s->compiles ? s->value : NAN;
}

/* Lists the first calls of the passing executions on a target, in the order of the cases. */
static struct list list_first_calls(const struct pm_reading *r, int target)
{
    struct list list = {0};
    for (size_t i = 0; i < r->judgement_list.count; i++) {
        const struct pm_reading_judgement *j = &r->judgements[i];
        if (j->target != target || j->outcome != PM_OUTCOME_PASS || j->retry)
            continue;
        const struct pm_reading_first_call *first = pm_reading_first_call(r, j);
        const struct pm_reading_case *c = pm_reading_case(r, target, j->function, j->name);
        if (!first || first->cold_ns < 0 || !c)
            continue;
        PM_GROW(list.items, list.count, list.capacity);
        list.items[list.count++] =
            (struct first_calls){(size_t)(c - r->cases), !j->position, (double)first->cold_ns};
    }
    return list;
}

static int by_case(const void *left, const void *right)
{
    const struct first_calls *a = left, *b = right;
    if (a->of != b->of)
        return a->of < b->of ? -1 : 1;
    return a->is_first - b->is_first;
}

/* Returns the median of `count` first calls; NaN if there are none. */
static double median_of(const struct first_calls *items, size_t count)
{
    double *values = pm_alloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = items[i].ns;
    const double median = count ? pm_stat_median(values, count) : NAN;
    free(values);
    return median;
}

/* Medians over cases. */
struct medians {
    double *later, *start;
    size_t later_count, start_count;
};

/* Sets the cost of a first call of each case with executions that were not the first of their
 * process, and otherwise of all executions. */
static void add_first_calls(const struct list *list, struct pm_tables__costs *out,
                            struct medians *medians)
{
    for (size_t i = 0, end; i < list->count; i = end) {
        size_t later = 0;
        for (end = i; end < list->count && list->items[end].of == list->items[i].of; end++)
            later += !list->items[end].is_first;
        struct pm_tables__cost *cost = &out->items[list->items[i].of];
        const double first = median_of(list->items + i + later, end - i - later);
        cost->only_first = !later;
        cost->cold = later ? median_of(list->items + i, later) : first;
        cost->cold = isnan(cost->warm) ? NAN : fmax(0, cost->cold - cost->warm);
        if (isnan(cost->cold) || !later)
            continue;
        medians->later[medians->later_count++] = cost->cold;
        if (!isnan(first))
            medians->start[medians->start_count++] = fmax(0, first - cost->warm - cost->cold);
    }
}

void pm_tables__costs_of(const struct pm_reading *r, int target, struct pm_tables__costs *out)
{
    const size_t cases = r->case_list.count;
    struct list list = list_first_calls(r, target);
    struct medians medians = {pm_alloc((cases + 1) * sizeof(double)),
                              pm_alloc((cases + 1) * sizeof(double)), 0, 0};
    *out = (struct pm_tables__costs){.items = pm_alloc((cases + 1) * sizeof *out->items),
                                     .transfers = pm_alloc((cases + 1) * sizeof *out->transfers)};
    for (size_t i = 0; i < cases; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        struct pm_tables__cost *cost = &out->items[i];
        *cost = (struct pm_tables__cost){NAN, NAN, NAN, NAN, false, false};
        if (c->target != target || c->outcome != PM_OUTCOME_PASS)
            continue;
        const struct pm_reading_statistic *warm = pm_tables__latency_of(r, c, PM_CLOCK_WARM);
        cost->always_cold = warm && warm->compiles;
        cost->warm = cost->always_cold ? 0 : value_of(r, c, PM_CLOCK_WARM);
        cost->backward = value_of(r, c, PM_CLOCK_BACKWARD);
        cost->transfer_in = value_of(r, c, PM_CLOCK_TRANSFER_IN);
        const struct pm_recorded_case *recorded = pm_tables__recorded_of(r, c);
        if (!isnan(cost->transfer_in) && recorded && recorded->device_bytes > 0)
            out->transfers[out->transfer_count++] =
                (struct pm_tables__transfer){(double)recorded->device_bytes, cost->transfer_in};
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, by_case);
    add_first_calls(&list, out, &medians);
    const double typical =
        medians.later_count ? pm_stat_median(medians.later, medians.later_count) : NAN;
    for (size_t i = 0; i < cases; i++)
        if (out->items[i].only_first && out->items[i].cold > typical)
            out->items[i].cold = typical;
    out->start = medians.start_count ? pm_stat_median(medians.start, medians.start_count) : NAN;
    free(medians.later);
    free(medians.start);
    free(list.items);
}

double pm_tables__transfer_ns(const struct pm_tables__costs *costs, double bytes)
{
    const struct pm_tables__transfer *nearest = NULL;
    for (size_t i = 0; i < costs->transfer_count; i++) {
        const struct pm_tables__transfer *t = &costs->transfers[i];
        if (!nearest || fabs(log(t->bytes / bytes)) < fabs(log(nearest->bytes / bytes)))
            nearest = t;
    }
    return nearest ? nearest->ns * fmax(1, bytes / nearest->bytes) : NAN;
}

void pm_tables__costs_release(struct pm_tables__costs *costs)
{
    free(costs->items);
    free(costs->transfers);
    *costs = (struct pm_tables__costs){0};
}

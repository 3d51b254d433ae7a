/* Finds contradictions within and between the tables of a publication. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "published/publication.h"

static const char *const verdicts[] = {"works", "partly", "fails"};
enum { VERDICTS = 3 };
enum { SUCCESS, PARTIAL, COMPLETE };
static const double POINT = 0.5 + 1e-9; /* half of 1 %: shares are printed in whole percent */

void pm_contradictions_add(struct pm_contradictions *list, char *where, char *what)
{
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct pm_contradiction){.where = where, .what = what};
}

void pm_contradictions_release(struct pm_contradictions *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].where);
        free(list->items[i].what);
    }
    free(list->items);
    *list = (struct pm_contradictions){0};
}

struct checking {
    const struct pm_publication *p;
    struct pm_contradictions *found;
};

static const struct pm_publication_cell *cell_of(const struct checking *c, const char *table,
                                                 const char *framework, const char *device,
                                                 int verdict)
{
    char *item = pm_format("%s %s", device, verdicts[verdict]);
    const struct pm_publication_cell *cell = pm_publication_find(c->p, table, framework, item);
    free(item);
    return cell;
}

static double value_of(const struct checking *c, const char *table, const char *framework,
                       const char *device, int verdict)
{
    const struct pm_publication_cell *cell = cell_of(c, table, framework, device, verdict);
    return cell ? cell->value : NAN;
}

static void note(const struct checking *c, const char *table, const char *framework,
                 const char *device, char *what)
{
    pm_contradictions_add(c->found,
                          pm_format("table%s %s, %s, %s", strstr(table, " and ") ? "s" : "", table,
                                    framework, device),
                          what);
}

/* ---- counts and shares ---------------------------------------------------------------------- */

static void check_counts(const struct checking *c, const char *framework, const char *device)
{
    const struct pm_publication_cell *cells[VERDICTS];
    double sum = 0;
    for (int v = 0; v < VERDICTS; v++) {
        if (!(cells[v] = cell_of(c, "8", framework, device, v)))
            return;
        sum += cells[v]->value;
    }
    const double whole = pm_publication_whole(cells[SUCCESS]->text);
    if (sum != whole)
        note(c, "8", framework, device,
             pm_format("%.0f + %.0f + %.0f = %.0f functions, but the printed total is %.0f",
                       cells[SUCCESS]->value, cells[PARTIAL]->value, cells[COMPLETE]->value, sum,
                       whole));
}

static void check_sum(const struct checking *c, const char *table, const char *framework,
                      const char *device)
{
    double sum = 0;
    for (int v = 0; v < VERDICTS; v++)
        sum += value_of(c, table, framework, device, v);
    if (fabs(sum - 100) > VERDICTS * POINT)
        note(c, table, framework, device, pm_format("the three shares add up to %.0f %%", sum));
}

/* Checks that the shares of table 1 follow from the counts of table 8. */
static void check_shares(const struct checking *c, const char *framework, const char *device)
{
    for (int v = 0; v < VERDICTS; v++) {
        const struct pm_publication_cell *count = cell_of(c, "8", framework, device, v);
        const double share = value_of(c, "1", framework, device, v);
        const double exact = count ? 100 * count->value / pm_publication_whole(count->text) : NAN;
        if (fabs(share - exact) > POINT)
            note(c, "1 and 8", framework, device,
                 pm_format("table 1 prints %s as %.0f %%, but %s in table 8 is %.2f %%",
                           verdicts[v], share, count->text, exact));
    }
}

/* Checks that the failure rate of all functions in table 4 follows from the counts of table 8 or,
 * if these are missing, from the shares of table 1. */
static void check_rates(const struct checking *c, const char *framework, const char *device)
{
    char *subject = pm_format("%s all functions", device);
    const double rate = pm_publication_value(c->p, "4", subject, framework);
    const double partial = value_of(c, "1", framework, device, PARTIAL);
    const double complete = value_of(c, "1", framework, device, COMPLETE);
    const struct pm_publication_cell *p = cell_of(c, "8", framework, device, PARTIAL),
                                     *q = cell_of(c, "8", framework, device, COMPLETE);
    const double exact =
        p && q ? 100 * (p->value + q->value) / pm_publication_whole(p->text) : partial + complete;
    if (fabs(rate - exact) > POINT)
        note(c, "4 and 1", framework, device,
             pm_format("table 4 prints that %.0f %% of all functions fail, but table 1 prints %.0f "
                       "%% + %.0f %% (by the counts of table 8: %.2f %%)",
                       rate, partial, complete, exact));
    free(subject);
}

static void check_generations(const struct checking *c, const char *framework)
{
    for (int v = 0; v < VERDICTS; v++) {
        const double here = value_of(c, "3", framework, "T4", v);
        const double there = value_of(c, "1", framework, "GPU", v);
        if (fabs(here - there) > 1e-9)
            note(c, "3 and 1", framework, "T4",
                 pm_format("table 3 prints %s as %.0f %%, but table 1 prints %.0f %%", verdicts[v],
                           here, there));
    }
}

/* ---- latencies ------------------------------------------------------------------------------ */

/* Returns whether the printed ratio can be the quotient of the printed latencies (ms). All three
 * are rounded to three decimals. */
static bool can_be_ratio(double gpu, double tpu, double ratio)
{
    const double half = 0.0005 * (1 + 1e-6);
    const double least = (tpu - half) / (gpu + half), most = (tpu + half) / (gpu - half);
    return gpu <= half || (ratio >= least - half && ratio <= most + half);
}

static size_t check_ratios(const struct checking *c, const char *table)
{
    size_t checked = 0;
    double last = INFINITY;
    for (size_t i = 0; i < c->p->count; i++) {
        const struct pm_publication_cell *cell = &c->p->cells[i];
        if (strcmp(cell->table, table) != 0 || strcmp(cell->item, "TPU/GPU") != 0)
            continue;
        const double gpu = pm_publication_value(c->p, table, cell->subject, "GPU (ms)");
        const double tpu = pm_publication_value(c->p, table, cell->subject, "TPU (ms)");
        checked++;
        if (!can_be_ratio(gpu, tpu, cell->value))
            note(c, table, cell->subject, "TPU/GPU",
                 pm_format("the printed ratio is %.3f, but %.3f / %.3f = %.3f", cell->value, tpu,
                           gpu, tpu / gpu));
        if (cell->value > last && strcmp(table, "2") != 0)
            note(c, table, cell->subject, "order",
                 pm_format("the rows are sorted by ratio, but %.3f follows %.3f", cell->value,
                           last));
        last = cell->value;
    }
    return checked;
}

/* Checks that the numbers of table 2 equal those of the same functions in tables 5 to 7. */
static void check_extremes(const struct checking *c)
{
    for (size_t i = 0; i < c->p->count; i++) {
        const struct pm_publication_cell *cell = &c->p->cells[i];
        if (strcmp(cell->table, "2") != 0)
            continue;
        for (size_t f = 0; f < PM_PUBLICATION_FRAMEWORKS; f++) {
            const char *table = pm_publication_latencies(pm_publication_framework_at(f));
            const struct pm_publication_cell *other =
                pm_publication_find(c->p, table, cell->subject, cell->item);
            if (other && strcmp(other->text, cell->text) != 0)
                note(c, "2", cell->subject, cell->item,
                     pm_format("table 2 prints %s, but table %s prints %s", cell->text, table,
                               other->text));
        }
    }
}

static void check_captions(const struct checking *c)
{
    for (size_t i = 0; i < c->p->count; i++) {
        const struct pm_publication_cell *cell = &c->p->cells[i];
        if (strcmp(cell->table, "caption") != 0 || strcmp(cell->text, "TPU/GPU") == 0)
            continue;
        pm_contradictions_add(
            c->found, pm_format("%s, caption", cell->item),
            pm_format("the caption says %s, but the column is TPU/GPU", cell->text));
    }
}

void pm_publication_contradictions(const struct pm_publication *p, struct pm_contradictions *out,
                                   size_t *ratios)
{
    const struct checking c = {.p = p, .found = out};
    static const char *const devices[] = {"GPU", "TPU"}, *const generations[] = {"T4", "A100"};
    size_t checked = check_ratios(&c, "2");
    for (size_t f = 0; f < PM_PUBLICATION_FRAMEWORKS; f++) {
        const char *framework = pm_publication_framework_at(f);
        for (int d = 0; d < 2; d++) {
            check_counts(&c, framework, devices[d]);
            check_shares(&c, framework, devices[d]);
            check_sum(&c, "1", framework, devices[d]);
            check_sum(&c, "3", framework, generations[d]);
            check_rates(&c, framework, devices[d]);
        }
        check_generations(&c, framework);
        checked += check_ratios(&c, pm_publication_latencies(framework));
    }
    check_extremes(&c);
    check_captions(&c);
    if (ratios)
        *ratios = checked;
}

/* Makes the strata of a sample by either rule. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "sample/sample_private.h"
#include "stat/stat.h"

void pm_strata_percentiles(const struct pm_ranking *ranking, double out[static PM_DECILES + 1])
{
    double *uses = pm_realloc_array(NULL, ranking->count, sizeof *uses);
    for (size_t i = 0; i < ranking->count; i++)
        uses[i] = (double)ranking->items[ranking->count - 1 - i]
                      .uses; /* ascending, so no sort is needed */
    for (unsigned k = 0; k <= PM_DECILES; k++)
        out[k] = pm_stat_quantile(uses, ranking->count, 10.0 * k / 100.0);
    free(uses);
}

static struct pm_sample__stratum *push(struct pm_sample__strata *strata)
{
    PM_GROW(strata->items, strata->count, strata->capacity);
    struct pm_sample__stratum *last = &strata->items[strata->count++];
    *last = (struct pm_sample__stratum){0};
    return last;
}

static void put(struct pm_sample__stratum *stratum, size_t index)
{
    PM_GROW(stratum->members, stratum->count, stratum->capacity);
    stratum->members[stratum->count++] = index;
}

static bool holds(const struct pm_sample_stratum *stratum, uint64_t uses)
{
    const double value = (double)uses;
    return value <= stratum->high &&
           (value > stratum->low || (stratum->closed && value == stratum->low));
}

/* Adds the stratum of the top and, if functions are pinned outside it, a stratum of these
 * functions. */
static void make_certain(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                         const struct pm_sample__words *words, struct pm_sample__strata *out)
{
    const size_t top = plan->top < ranking->count ? plan->top : ranking->count;
    struct pm_sample__stratum *stratum = push(out);
    stratum->summary = (struct pm_sample_stratum){.certain = true, .closed = true};
    snprintf(stratum->summary.name, sizeof stratum->summary.name, "top %u", plan->top);
    for (size_t i = 0; i < top; i++)
        put(stratum, i);
    for (size_t i = top; i < ranking->count; i++) {
        const struct pm_choice *choice = pm_sample__choice(words, ranking->items[i].name);
        if (!choice || !choice->pinned)
            continue;
        if (out->count == 1) {
            stratum = push(out);
            stratum->summary =
                (struct pm_sample_stratum){.name = "pinned", .certain = true, .closed = true};
        }
        put(stratum, i);
    }
    for (size_t s = 0; s < out->count; s++) {
        struct pm_sample__stratum *certain = &out->items[s];
        if (certain->count) {
            certain->summary.high = (double)ranking->items[certain->members[0]].uses;
            certain->summary.low =
                (double)ranking->items[certain->members[certain->count - 1]].uses;
        }
    }
}

/* Adds the functions between the bounds, except the functions outside the top that the user pinned
 * or omitted and, if strata are disjoint, except the top. */
static void fill(struct pm_sample__stratum *stratum, const struct pm_ranking *ranking,
                 const struct pm_sample_plan *plan, const struct pm_sample__words *words)
{
    for (size_t i = plan->rule == PM_STRATA_PAPER ? 0 : plan->top; i < ranking->count; i++) {
        const struct pm_ranked *function = &ranking->items[i];
        const bool decided = i >= plan->top && pm_sample__choice(words, function->name);
        if (!decided && holds(&stratum->summary, function->uses))
            put(stratum, i);
    }
}

static void name_deciles(struct pm_sample_stratum *stratum, unsigned first, unsigned last)
{
    if (first == last)
        snprintf(stratum->name, sizeof stratum->name, "%u", 10 * last);
    else
        snprintf(stratum->name, sizeof stratum->name, "%u-%u", 10 * first, 10 * last);
}

static void make_paper(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                       const struct pm_sample__words *words, const double *percentiles,
                       struct pm_sample__strata *out)
{
    for (unsigned k = 1; k <= PM_DECILES; k++) {
        struct pm_sample__stratum *stratum = push(out);
        stratum->summary = (struct pm_sample_stratum){.low = percentiles[k - 1],
                                                      .high = percentiles[k],
                                                      .closed = true,
                                                      .wanted = plan->per_decile};
        name_deciles(&stratum->summary, k, k);
        fill(stratum, ranking, plan, words);
    }
}

/* Joins deciles into strata. A stratum ends before a higher percentile if it contains a function.
 * Empty deciles at the end join the stratum before them. */
static void make_disjoint(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                          const struct pm_sample__words *words, const double *percentiles,
                          struct pm_sample__strata *out)
{
    const size_t certain = out->count;
    unsigned first = 1, last_first = 1;
    for (unsigned k = 1; k <= PM_DECILES; k++) {
        if (k < PM_DECILES && percentiles[k] == percentiles[k + 1])
            continue;
        struct pm_sample__stratum *stratum = push(out);
        stratum->summary = (struct pm_sample_stratum){.low = percentiles[first - 1],
                                                      .high = percentiles[k],
                                                      .closed = out->count == certain + 1,
                                                      .wanted = plan->per_decile * (k - first + 1)};
        name_deciles(&stratum->summary, first, k);
        fill(stratum, ranking, plan, words);
        if (stratum->count) {
            last_first = first;
            first = k + 1;
        } else {
            out->count--;
        }
    }
    if (first <= PM_DECILES && out->count > certain) {
        struct pm_sample_stratum *last = &out->items[out->count - 1].summary;
        last->high = percentiles[PM_DECILES];
        last->wanted += plan->per_decile * (PM_DECILES - first + 1);
        name_deciles(last, last_first, PM_DECILES);
    }
}

void pm_sample__strata_make(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                            const struct pm_sample__words *words,
                            const double percentiles[static PM_DECILES + 1],
                            struct pm_sample__strata *out)
{
    *out = (struct pm_sample__strata){0};
    make_certain(ranking, plan, words, out);
    if (plan->rule == PM_STRATA_PAPER)
        make_paper(ranking, plan, words, percentiles, out);
    else
        make_disjoint(ranking, plan, words, percentiles, out);
}

void pm_sample__strata_release(struct pm_sample__strata *strata)
{
    for (size_t i = 0; i < strata->count; i++)
        free(strata->items[i].members);
    free(strata->items);
    *strata = (struct pm_sample__strata){0};
}

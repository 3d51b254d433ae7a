/* Computes shares of a whole framework, with intervals. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sample/estimate.h"
#include "sample/sample_private.h"

/* Sums over the marked members of a stratum, by function or by use. */
struct tally {
    double weight;   /* weight of the stratum: eligible functions, or their uses */
    double marked;   /* marked members, or their uses */
    double yes;      /* the part of `marked` that is marked YES */
    double variance; /* variance of the share, divided by p (1 - p); 0 if all members are marked */
};

/* Sums over strata. */
struct sums {
    double weight, unknown;     /* weight of all strata, and of the strata in which nothing is
                                   marked */
    double found, counted;      /* marked YES, and marked at all */
    double whole_weight, whole; /* strata that were measured completely: their weight, and the part
                                   of it that has the property */
    double open, open_share, open_variance; /* the other strata: their weight, the part of it that
                                               has the property, and the variance of this part */
};

/* Members of a stratum and their uses: marked at all, and marked YES. */
struct counts {
    double marked, yes, marked_uses, yes_uses;
};

static struct counts *count(const struct pm_sample *sample, const enum pm_mark *marks,
                            size_t *marked)
{
    struct counts *counts = pm_alloc((sample->stratum_count + 1) * sizeof *counts);
    *marked = 0;
    for (size_t i = 0; i < sample->member_count; i++) {
        const struct pm_sample_member *member = &sample->members[i];
        struct counts *stratum = &counts[member->stratum];
        if (marks[i] == PM_MARK_NONE)
            continue;
        ++*marked;
        stratum->marked++;
        stratum->marked_uses += (double)member->uses;
        if (marks[i] == PM_MARK_YES) {
            stratum->yes++;
            stratum->yes_uses += (double)member->uses;
        }
    }
    return counts;
}

/* Computes the sums of a stratum. Draws without replacement reduce the variance; the unequal
 * weights of an estimate by use increase it (Kish). */
static struct tally tally(const struct pm_sample_stratum *stratum, const struct counts *counts,
                          bool by_use)
{
    const double size = fmax(stratum->eligible, counts->marked);
    const double missed = counts->marked < size ? 1 - counts->marked / size : 0;
    struct tally tally = {
        .weight = by_use ? fmax(stratum->uses, counts->marked_uses) : size,
        .marked = by_use ? counts->marked_uses : counts->marked,
        .yes = by_use ? counts->yes_uses : counts->yes,
        .variance = counts->marked > 0 ? missed / counts->marked : 0,
    };
    if (by_use)
        tally.variance *= 1 + stratum->unevenness;
    return tally;
}

static void add(struct sums *sums, const struct tally *tally)
{
    sums->weight += tally->weight;
    sums->found += tally->yes;
    sums->counted += tally->marked;
    if (tally->marked <= 0) {
        sums->unknown += tally->weight;
    } else if (tally->variance <= 0) {
        sums->whole_weight += tally->weight;
        sums->whole += tally->weight * tally->yes / tally->marked;
    } else {
        sums->open += tally->weight;
        sums->open_share += tally->weight * tally->yes / tally->marked;
        sums->open_variance += tally->weight * tally->weight * tally->variance;
    }
}

/* Computes the interval of Clopper and Pearson for a number of successes that need not be whole. */
static struct pm_interval clopper_pearson(double share, double size, double alpha)
{
    const double yes = share * size, no = size - yes;
    return (struct pm_interval){
        .low = yes > 0 ? pm_stat_beta_inverse(yes, no + 1, alpha / 2) : 0,
        .mid = share,
        .high = no > 0 ? pm_stat_beta_inverse(yes + 1, no, 1 - alpha / 2) : 1,
    };
}

static struct pm_interval interval(const struct sums *sums, double alpha)
{
    const double known = sums->weight - sums->unknown;
    if (!(known > 0))
        return (struct pm_interval){0, NAN, 1};
    struct pm_interval open = {0, 0, 0};
    if (sums->open > 0)
        open = clopper_pearson(fmin(sums->open_share / sums->open, 1),
                               sums->open * sums->open / sums->open_variance, alpha);
    const double least = sums->found, most = sums->weight - (sums->counted - sums->found);
    const double low = sums->whole + sums->open * open.low;
    const double high = sums->whole + sums->open * open.high + sums->unknown;
    struct pm_interval out = {
        .low = fmin(fmax(low, least) / sums->weight, 1),
        .high = fmin(fmin(high, most) / sums->weight, 1),
    };
    /* Because of rounding, a share may slightly exceed 1 or its own bound. */
    out.high = fmax(out.low, out.high);
    out.mid = fmin(fmax((sums->whole + sums->open_share) / known, out.low), out.high);
    return out;
}

int pm_estimate_make(const struct pm_sample *sample, const enum pm_mark *marks, double alpha,
                     struct pm_estimate *out, struct pm_error *err)
{
    struct sums functions = {0}, uses = {0};
    *out = (struct pm_estimate){0};
    if (sample->rule != PM_STRATA_DISJOINT)
        return pm_error_set(err, PM_EUSAGE,
                            "strata of the paper's rule overlap, so they have no weights "
                            "for an estimate: draw a sample with --strata disjoint");
    struct counts *counts = count(sample, marks, &out->marked);
    for (size_t s = 0; s < sample->stratum_count; s++) {
        const struct tally by_function = tally(&sample->strata[s], &counts[s], false);
        const struct tally by_use = tally(&sample->strata[s], &counts[s], true);
        add(&functions, &by_function);
        add(&uses, &by_use);
    }
    free(counts);
    out->by_function = interval(&functions, alpha);
    out->by_use = interval(&uses, alpha);
    out->unknown_functions = functions.weight > 0 ? functions.unknown / functions.weight : 0;
    out->unknown_uses = uses.weight > 0 ? uses.unknown / uses.weight : 0;
    return PM_OK;
}

/*
 * From the verdicts of a sample to the whole framework: shares with intervals.
 *
 * by function: of all functions, each counted once; by use: of all uses, "the share of calls in
 * real code that survive". A stratum's share is that of its marked members (by use: a ratio, each
 * member with its uses); strata are weighted by their eligible functions, or by those' uses.
 *
 * The interval is that of Clopper and Pearson (Biometrika 26, 1934) at an effective sample size, as
 * Korn and Graubard have it ("Confidence intervals for proportions with small expected number of
 * positive counts estimated from survey data", Survey Methodology 24, 1998), with their two
 * refinements taken from the design and not from the few data: the effective size is Kish's
 * ("Survey Sampling", 1965, sections 8.2 and 11.7), the one that gives the weighted mean its
 * variance when one rate holds in all strata, with the finite population correction. Rates that
 * differ between strata only make the sum more concentrated (Hoeffding, Annals of Mathematical
 * Statistics 27, 1956). Strata measured whole add no uncertainty, and no bound contradicts what was
 * counted. tests/unit/test_estimate.c shows by simulation what it covers and how wide it is.
 *
 * What it does not contain: the uncertainty of `eligible` where that is estimated from the draws.
 */
#ifndef PM_SAMPLE_ESTIMATE_H
#define PM_SAMPLE_ESTIMATE_H

#include "sample/sample.h"
#include "stat/stat.h"

/* Whether one member of the sample has the property that the share counts ("works"). */
enum pm_mark {
    PM_MARK_NONE, /* not known: blocked, untested, the reference fails */
    PM_MARK_NO,
    PM_MARK_YES
};

struct pm_estimate {
    struct pm_interval by_function,
        by_use;    /* shares in [0,1]; mid is NaN where nothing is marked */
    size_t marked; /* members with NO or YES */
    /* Weight of the strata in which no member is marked. `mid` is the share of the other strata;
     * `low` and `high` include every share that these strata could have. */
    double unknown_functions, unknown_uses;
};

/* Estimates from a sample. `marks` has one element per member of the sample. `alpha` 0.05 gives 95
 * %. PM_EUSAGE for a sample by the paper's rule, whose strata overlap. */
PM_MUST_USE int pm_estimate_make(const struct pm_sample *sample, const enum pm_mark *marks,
                                 double alpha, struct pm_estimate *out, struct pm_error *err);

#endif

/*
 * Estimates shares of a whole framework, with intervals, from the verdicts of a sample.
 *
 * By function: the share of all functions, each counted once. By use: the share of all uses, "the
 * share of calls in real code that survive". The share of a stratum is the number of its members
 * that are marked YES, divided by the number that are marked; by use, each member counts with its
 * uses. Strata are weighted by their eligible functions or, by use, by the uses of these functions.
 *
 * The interval is that of Clopper and Pearson (Biometrika 26, 1934) at an effective sample size, as
 * Korn and Graubard define it ("Confidence intervals for proportions with small expected number of
 * positive counts estimated from survey data", Survey Methodology 24, 1998). They estimate the
 * effective size from the data. Here, the data are few, so the effective size is computed from the
 * design, as Kish does ("Survey Sampling", 1965, sections 8.2 and 11.7), with the finite population
 * correction. The weighted mean then has the right variance if one rate holds in all strata. If all
 * draws have the same weight, rates that differ between strata only make the variance smaller
 * (Hoeffding, Annals of Mathematical Statistics 27, 1956). With unequal weights, they can make it
 * larger, if failures are in strata with members that represent many functions. Strata that were
 * measured completely add no uncertainty, and no bound contradicts the counts.
 * tests/unit/test_estimate.c simulates the coverage and the width of the interval.
 *
 * The interval does not include the uncertainty of an `eligible` that is estimated from the draws.
 */
#ifndef PM_SAMPLE_ESTIMATE_H
#define PM_SAMPLE_ESTIMATE_H

#include "sample/sample.h"
#include "stat/stat.h"

/* Whether one member of the sample has the property that the share counts ("works"). */
enum pm_mark {
    PM_MARK_NONE, /* unknown: blocked, untested, the reference fails */
    PM_MARK_NO,
    PM_MARK_YES
};

struct pm_estimate {
    struct pm_interval by_function, by_use; /* shares in [0,1]; mid is NaN if nothing is marked */
    size_t marked;                          /* members with NO or YES */
    /* Shares of the weight that belong to strata in which no member is marked. `mid` is the share
     * of the other strata; `low` and `high` include every share that these strata could have. */
    double unknown_functions, unknown_uses;
};

/* Estimates from a sample. `marks` has one element per member of the sample. `alpha` 0.05 gives
 * intervals of 95 %. PM_EUSAGE for a sample by the paper's rule, whose strata overlap. */
PM_MUST_USE int pm_estimate_make(const struct pm_sample *sample, const enum pm_mark *marks,
                                 double alpha, struct pm_estimate *out, struct pm_error *err);

#endif

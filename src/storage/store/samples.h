/* Samples of functions with their audit trails, and estimates for whole frameworks. Rows, errors
 * and ownership are as in store/store.h. */
#ifndef PM_STORE_SAMPLES_H
#define PM_STORE_SAMPLES_H

#include "store/store.h"

/* A sample of functions with its audit trail. */
struct pm_sample_row {
    int64_t id;
    int64_t scan_id; /* 0: the ranking was given as a file */
    const char *framework;
    enum pm_rule rule;    /* the rule by which its functions are ranked */
    const char *drawn;    /* ISO 8601 UTC */
    const char *options;  /* JSON: all its options */
    const char *document; /* JSON, pm_sample_to_json() */
};
PM_MUST_USE int pm_store_add_sample(struct pm_store *store, const struct pm_sample_row *row,
                                    int64_t *id, struct pm_error *err);
typedef int pm_sample_fn(void *ctx, const struct pm_sample_row *row);
/* Reads the samples of one framework (NULL: of all), newest first. */
PM_MUST_USE int pm_store_samples(struct pm_store *store, const char *framework, pm_sample_fn *row,
                                 void *ctx, struct pm_error *err);

/* An estimate for a whole framework from the verdicts of a run; computed again whenever the run is
 * judged. */
struct pm_estimate_row {
    int64_t run_id, target_id, sample_id;
    enum pm_basis basis;
    double value, low, high; /* shares with a 95 % interval; value NaN: unknown */
    int64_t members, marked; /* members of the sample, and those with a counted verdict */
    double unknown;          /* share of the weight in strata without any verdict */
};
PM_MUST_USE int pm_store_add_estimate(struct pm_store *store, const struct pm_estimate_row *row,
                                      struct pm_error *err);
typedef int pm_estimate_fn(void *ctx, const struct pm_estimate_row *row);
/* Reads the estimates of one run, ordered by target, sample and `basis`. */
PM_MUST_USE int pm_store_estimates(struct pm_store *store, int64_t run_id, pm_estimate_fn *row,
                                   void *ctx, struct pm_error *err);

#endif

/* Loads stored samples, and lists the names that a ranking may use for a function of a suite. */
#ifndef PM_SAMPLE_STORED_H
#define PM_SAMPLE_STORED_H

#include <jansson.h>

#include "base/map.h"
#include "inventory/stored.h"
#include "sample/sample.h"
#include "store/store.h"

struct pm_stored_sample {
    int64_t id, scan_id;     /* scan 0: the ranking was a file */
    char *framework, *drawn; /* `drawn`: the time in UTC */
    enum pm_rule rule;
    json_t *options;
    struct pm_sample sample;
    struct pm_stored_inventory inventory; /* the newest one that was recorded from an environment */
};

/* Returns whether a sample has weights. A sample with overlapping strata has none, and allows no
 * estimate. */
static inline bool pm_stored_sample_has_weights(const struct pm_stored_sample *sampling)
{
    return sampling->sample.rule == PM_STRATA_DISJOINT;
}

/* Loads sample `id`, or the newest if `id` is 0. `framework` NULL means any. `db` is the path of
 * the database, for messages. PM_EUSAGE if the database has no such sample, or if sample `id`
 * belongs to another framework; PM_EFORMAT if it is damaged. The caller releases *out. */
PM_MUST_USE int pm_stored_sample_load(struct pm_stored_sample *out, struct pm_store *store,
                                      const char *db, const char *framework, int64_t id,
                                      struct pm_error *err);
/* Loads the newest sample with weights. If there is none, sets out->id to 0. */
PM_MUST_USE int pm_stored_sample_load_weighted(struct pm_stored_sample *out, struct pm_store *store,
                                               const char *framework, struct pm_error *err);
void pm_stored_sample_release(struct pm_stored_sample *sampling);

/*
 * Lists every name that a ranking may use for a function of a suite: its own name, and the
 * canonical name and the aliases of the inventory, because a ranking from a file may have any of
 * them. For the paper's rule, lists only the last part of each name. A name may appear twice.
 */
typedef void pm_sample_name_fn(void *ctx, const char *name);
void pm_sample_names_of_function(const struct pm_inventory *inventory, enum pm_rule rule,
                                 const char *function, pm_sample_name_fn *each, void *ctx);

#endif

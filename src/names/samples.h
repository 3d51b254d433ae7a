/* Samples as the store keeps them, and what their names mean to a suite. */
#ifndef PM_NAMES_SAMPLES_H
#define PM_NAMES_SAMPLES_H

#include <jansson.h>
#include <string.h>

#include "base/map.h"
#include "names/inventories.h"
#include "sample/sample.h"
#include "store/store.h"

struct pm_names_sample {
    int64_t id, scan_id; /* scan 0: of a ranking that was given as a file */
    char *framework, *rule, *drawn;
    json_t *options;
    struct pm_sample sample;
    struct pm_names_inventory inventory; /* the newest that was walked through */
};

static inline bool pm_names_rule_is_bare(const char *rule)
{
    return !strcmp(rule, "study");
}

/* Strata that overlap give no weights, and so no estimate. */
static inline bool pm_names_sample_has_weights(const struct pm_names_sample *sampling)
{
    return sampling->sample.rule == PM_STRATA_DISJOINT;
}

/* Sample 0: the newest. `framework` NULL: of any. PM_EUSAGE where the database `db` holds none, or
 * sample `id` is of another framework; PM_EFORMAT where it is damaged. */
PM_MUST_USE int pm_names_sample_load(struct pm_names_sample *out, struct pm_store *store,
                                     const char *db, const char *framework, int64_t id,
                                     struct pm_error *err);
/* The newest that has weights; id 0 where there is none. */
PM_MUST_USE int pm_names_sample_load_weighted(struct pm_names_sample *out, struct pm_store *store,
                                       const char *framework, struct pm_error *err);
void pm_names_sample_release(struct pm_names_sample *sampling);

/*
 * Every name by which a ranking may know the function of a suite. By the resolved rule: its own and
 * the inventory's canonical one. By the study's (`bare`): the last part of each, and of aliases. A
 * name may come twice.
 */
typedef void pm_names_fn(void *ctx, const char *name);
void pm_names_of_function(const struct pm_inventory *inventory, bool bare, const char *function,
                    pm_names_fn *each, void *ctx);

#endif

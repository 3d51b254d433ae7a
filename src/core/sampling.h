/* Samples as the store keeps them, and what their names mean to a suite. Private to core. */
#ifndef PM_CORE_SAMPLING_H
#define PM_CORE_SAMPLING_H

#include <jansson.h>
#include <string.h>

#include "base/map.h"
#include "core/inventories.h"
#include "sample/sample.h"
#include "store/store.h"

struct sampling {
    int64_t id, scan_id; /* scan 0: of a ranking that was given as a file */
    char *framework, *rule, *drawn;
    json_t *options;
    struct pm_sample sample;
    struct inventories_item inventory; /* the newest that was walked through */
};

static inline bool sampling_is_bare(const char *rule)
{
    return !strcmp(rule, "study");
}

/* Strata that overlap give no weights, and so no estimate. */
static inline bool sampling_has_weights(const struct sampling *sampling)
{
    return sampling->sample.rule == PM_STRATA_DISJOINT;
}

/* Sample 0: the newest. `framework` NULL: of any. PM_EUSAGE where the database `db` holds none, or
 * sample `id` is of another framework; PM_EFORMAT where it is damaged. */
PM_MUST_USE int sampling_load(struct sampling *out, struct pm_store *store, const char *db,
                              const char *framework, int64_t id, struct pm_error *err);
/* The newest that has weights; id 0 where there is none. */
PM_MUST_USE int sampling_load_weighted(struct sampling *out, struct pm_store *store,
                                       const char *framework, struct pm_error *err);
void sampling_release(struct sampling *sampling);

/*
 * Every name by which a ranking may know the function of a suite. By the resolved rule: its own and
 * the inventory's canonical one. By the study's (`bare`): the last part of each, and of aliases. A
 * name may come twice.
 */
typedef void sampling_name_fn(void *ctx, const char *name);
void sampling_names(const struct pm_inventory *inventory, bool bare, const char *function,
                    sampling_name_fn *each, void *ctx);

#endif

/* How often scanned code calls the functions of a report: what makes a problem heavy. */
#include <string.h>

#include "base/alloc.h"
#include "reading/loading.h"

struct search {
    struct pm_store *store;
    const char *framework;
    int64_t scan_id; /* 0: not found yet */
    int64_t asked;   /* the scan whose frameworks are read */
    struct pm_reading_uses *uses;
    struct pm_error *err;
};

static int see_framework(void *ctx, const struct pm_scanned_row *row)
{
    struct search *search = ctx;
    if (!strcmp(search->framework, row->framework))
        search->scan_id = search->asked;
    return PM_OK;
}

/* The newest scan comes first. */
static int see_scan(void *ctx, const struct pm_scan_row *row)
{
    struct search *search = ctx;
    if (search->scan_id)
        return PM_OK;
    search->asked = row->id;
    return pm_store_scanned(search->store, row->id, see_framework, search, search->err);
}

static int add_use(void *ctx, const struct pm_frequency_row *row)
{
    struct search *search = ctx;
    search->uses->calls += row->uses;
    pm_map_put(&search->uses->by_function, row->name, (void *)(uintptr_t)row->uses);
    return PM_OK;
}

/* By types and imports; by imports alone where the scan inferred no types. */
static int load_framework(struct pm_reading *r, struct pm_store *store, char *framework,
                          struct pm_error *err)
{
    struct search search = {.store = store, .framework = framework, .err = err};
    if (pm_reading_uses(r, framework))
        return PM_OK;
    PM_TRY(pm_store_scans(store, see_scan, &search, err));
    if (!search.scan_id)
        return PM_OK;
    PM_GROW(r->uses, r->uses_list.count, r->uses_list.capacity);
    search.uses = &r->uses[r->uses_list.count++];
    *search.uses = (struct pm_reading_uses){.framework = framework, .scan_id = search.scan_id};
    static const enum pm_rule rules[] = {PM_RULE_INFERRED, PM_RULE_RESOLVED};
    for (size_t i = 0; i < 2 && !search.uses->calls; i++)
        PM_TRY(pm_store_frequencies(store, search.scan_id, framework, rules[i], add_use, &search,
                                    err));
    return PM_OK;
}

int pm_reading__load_uses(struct pm_reading *r, struct pm_store *store, struct pm_error *err)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        if (!pm_reading_is_oracle(&r->targets[i]))
            PM_TRY(load_framework(r, store, r->targets[i].framework, err));
    return PM_OK;
}

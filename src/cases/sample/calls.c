/* Reads how often the newest scan of a framework found calls of its functions. */
#include "sample/calls.h"

#include <string.h>

struct search {
    struct pm_sample_calls *out;
    struct pm_store *store;
    const char *framework;
    int64_t asked; /* the scan whose frameworks are read */
    struct pm_error *err;
};

static int see_framework(void *ctx, const struct pm_scanned_row *row)
{
    struct search *search = ctx;
    if (!strcmp(search->framework, row->framework))
        search->out->scan = search->asked;
    return PM_OK;
}

/* Chooses the first scan that has the framework; the newest scan comes first. */
static int see_scan(void *ctx, const struct pm_scan_row *row)
{
    struct search *search = ctx;
    if (search->out->scan)
        return PM_OK;
    search->asked = row->id;
    return pm_store_scanned(search->store, row->id, see_framework, search, search->err);
}

static int add_name(void *ctx, const struct pm_frequency_row *row)
{
    struct search *search = ctx;
    pm_map_put(&search->out->by_name, row->name, (void *)(uintptr_t)row->uses);
    return PM_OK;
}

int pm_sample_calls_load(struct pm_sample_calls *out, struct pm_store *store, const char *framework,
                         struct pm_error *err)
{
    struct search search = {.out = out, .store = store, .framework = framework, .err = err};
    static const enum pm_rule rules[] = {PM_RULE_INFERRED, PM_RULE_RESOLVED};
    PM_TRY(pm_store_scans(store, see_scan, &search, err));
    for (size_t i = 0; i < 2 && out->scan && !out->by_name.count; i++)
        PM_TRY(pm_store_frequencies(store, out->scan, framework, rules[i], add_name, &search, err));
    return PM_OK;
}

void pm_sample_calls_release(struct pm_sample_calls *calls)
{
    pm_map_release(&calls->by_name);
}

int64_t pm_sample_calls_of(const struct pm_sample_calls *calls, const char *name)
{
    return (int64_t)(uintptr_t)pm_map_get(&calls->by_name, name);
}

/* Reads the estimates and samples of a run, and how often scanned code calls functions. */
#include "reading/loading.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "sample/stored.h"
#include "store/samples.h"
#include "store/scans.h"

/* Returns the last estimate if it belongs to the target and sample; otherwise adds one. The rows of
 * an estimate, by function and by use, follow each other. */
static struct pm_reading_estimate *estimate_of(struct pm_reading *r, int target, int64_t sample_id)
{
    if (r->estimate_list.count) {
        struct pm_reading_estimate *last = &r->estimates[r->estimate_list.count - 1];
        if (last->target == target && last->sample_id == sample_id)
            return last;
    }
    PM_GROW(r->estimates, r->estimate_list.count, r->estimate_list.capacity);
    struct pm_reading_estimate *added = &r->estimates[r->estimate_list.count++];
    *added = (struct pm_reading_estimate){.target = target, .sample_id = sample_id};
    return added;
}

struct loading_estimates {
    struct pm_reading *r;
    struct pm_store *store;
    size_t run;
    struct pm_error *err;
};

static int keep_estimate(void *ctx, const struct pm_estimate_row *row)
{
    const struct loading_estimates *l = ctx;
    int target;
    PM_TRY(pm_reading_target(l->r, l->store, l->run, row->target_id, "estimate", &target, l->err));
    if (!pm_reading_shows(l->r, target))
        return PM_OK;
    struct pm_reading_estimate *e = estimate_of(l->r, target, row->sample_id);
    const struct pm_interval interval = {.mid = row->value, .low = row->low, .high = row->high};
    e->members = row->members;
    e->marked = row->marked;
    if (row->basis == PM_BASIS_USE) {
        e->by_use = interval;
        e->unknown_uses = row->unknown;
    } else {
        e->by_function = interval;
        e->unknown_functions = row->unknown;
    }
    return PM_OK;
}

const struct pm_reading_sample *pm_reading_sample_of(const struct pm_reading *r, int64_t id)
{
    for (size_t i = 0; i < r->sample_list.count; i++)
        if (r->samples[i].id == id)
            return &r->samples[i];
    return NULL;
}

static int load_sample(const struct loading_estimates *l, int64_t id)
{
    struct pm_reading *r = l->r;
    struct pm_stored_sample s;
    if (!id || pm_reading_sample_of(r, id))
        return PM_OK;
    const int rc = pm_stored_sample_load(&s, l->store, "", NULL, id, l->err);
    if (rc == PM_EUSAGE)
        return pm_store_damaged(l->store, l->err,
                                "row 'run %lld' refers to sample %lld, which does not exist",
                                (long long)r->runs[l->run].id, (long long)id);
    if (!rc) {
        double eligible = 0;
        for (size_t i = 0; i < s.sample.stratum_count; i++)
            eligible += s.sample.strata[i].eligible;
        PM_GROW(r->samples, r->sample_list.count, r->sample_list.capacity);
        r->samples[r->sample_list.count++] = (struct pm_reading_sample){
            .id = id,
            .scan_id = s.scan_id,
            .framework = pm_reading_keep(r, s.framework),
            .rule = s.rule,
            .ranking = pm_reading_keep(r, pm_json_string(s.options, "ranking", "")),
            .seed = s.sample.seed,
            .ranked = s.sample.ranked,
            .eligible = eligible,
            .has_weights = pm_stored_sample_has_weights(&s),
            .only_tested = pm_json_bool(s.options, "only_tested", false),
        };
    }
    pm_stored_sample_release(&s);
    return rc;
}

int pm_reading__load_estimates(struct pm_reading *r, struct pm_store *store, size_t run,
                               struct pm_error *err)
{
    struct loading_estimates l = {.r = r, .store = store, .run = run, .err = err};
    const size_t first = r->estimate_list.count;
    PM_TRY(pm_store_estimates(store, r->runs[run].id, keep_estimate, &l, err));
    PM_TRY(load_sample(&l, r->runs[run].sample_id));
    for (size_t i = first; i < r->estimate_list.count; i++)
        PM_TRY(load_sample(&l, r->estimates[i].sample_id));
    return PM_OK;
}

/* ---- how often scanned code calls the functions --------------------------------------------- */

struct search {
    struct pm_store *store;
    const char *framework;
    int64_t scan_id;      /* 0: not found yet */
    int64_t inventory_id; /* inventory whose names the scan counted */
    int64_t asked;        /* the scan whose frameworks are being read */
    struct pm_reading_uses *uses;
    struct pm_error *err;
};

static int see_framework(void *ctx, const struct pm_scanned_row *row)
{
    struct search *search = ctx;
    if (strcmp(search->framework, row->framework))
        return PM_OK;
    search->scan_id = search->asked;
    search->inventory_id = row->inventory_id;
    return PM_OK;
}

/* Looks for the framework in a scan, unless a newer scan has it: the newest scan comes first. */
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

/* Finds the canonical names of functions whose verdicts use another name. Reads the inventory only
 * if a function with a verdict has no calls under its own name. */
static int find_canonical(struct pm_reading *r, const struct search *search)
{
    struct pm_reading_uses *uses = search->uses;
    struct pm_stored_inventory item = {0};
    int rc = PM_OK;
    for (size_t i = 0; !rc && i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        if (strcmp(r->targets[v->target].framework, search->framework) ||
            pm_map_has(&uses->by_function, v->function))
            continue;
        if (!item.id)
            rc = pm_stored_inventory_load(search->store, search->framework, search->inventory_id,
                                          &item, search->err);
        const char *name = rc ? v->function : pm_inventory_counted(&item.inventory, v->function);
        if (strcmp(name, v->function) && !pm_map_has(&uses->canonical, v->function))
            pm_map_put(&uses->canonical, v->function, pm_reading_keep(r, name));
        if (!item.id)
            break; /* the store has no inventory, so other names are unknown */
    }
    pm_stored_inventory_release(&item);
    return rc;
}

/* Loads the uses of a framework: by types and imports, or by imports alone if the scan inferred no
 * types. */
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
    return find_canonical(r, &search);
}

int pm_reading__load_uses(struct pm_reading *r, struct pm_store *store, struct pm_error *err)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        if (!pm_reading_is_oracle(&r->targets[i]))
            PM_TRY(load_framework(r, store, r->targets[i].framework, err));
    return PM_OK;
}

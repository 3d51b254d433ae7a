/* Finds functions that failed in an older run of a shown target and were not measured by any newer
 * run. */
#include "reading/loading.h"

#include <string.h>

#include "base/alloc.h"
#include "store/judgements.h"

struct looking {
    struct pm_reading *r;
    size_t run;         /* index of the run whose verdicts are being read */
    struct pm_map seen; /* keys "TARGET FUNCTION" with a newer verdict */
};

/* Returns the index of the newer shown target that hides a target of the run; -1 if there is
 * none. */
static int hidden_by(const struct looking *l, int64_t target_id)
{
    const struct pm_reading *r = l->r;
    const size_t all = r->target_list.count + r->hidden_targets + r->other_targets;
    const char *text = NULL;
    for (size_t i = r->target_list.count; i < all && !text; i++)
        if (r->targets[i].run == l->run && r->targets[i].id == target_id &&
            !pm_reading_is_oracle(&r->targets[i]) && !pm_reading_is_noise(&r->targets[i]))
            text = r->targets[i].text;
    for (size_t i = 0; text && i < r->target_list.count; i++)
        if (!strcmp(r->targets[i].text, text) && r->targets[i].run > l->run)
            return (int)i;
    return -1;
}

/* Returns whether no newer verdict of the function was seen, and marks it as seen. */
static bool is_newest(struct looking *l, int target, const char *function)
{
    char *key = pm_format("%d %s", target, function);
    const bool newest = !pm_map_get(&l->seen, key);
    if (newest)
        pm_map_put(&l->seen, key, l);
    free(key);
    return newest;
}

static int keep_older(void *ctx, const struct pm_verdict_row *row)
{
    struct looking *l = ctx;
    struct pm_reading *r = l->r;
    const bool counted = pm_verdict_is_counted(row->verdict);
    const bool fails = counted && !pm_verdict_is_working(row->verdict);
    const int target = hidden_by(l, row->target_id);
    if (target < 0 || !counted || !is_newest(l, target, row->function) || !fails)
        return PM_OK;
    PM_GROW(r->older, r->older_list.count, r->older_list.capacity);
    r->older[r->older_list.count++] = (struct pm_reading_older){
        .target = target,
        .run = r->runs[l->run].id,
        .function = pm_reading_keep(r, row->function),
        .verdict = row->verdict,
    };
    return PM_OK;
}

static bool has_hidden(const struct looking *l)
{
    const struct pm_reading *r = l->r;
    const size_t all = r->target_list.count + r->hidden_targets + r->other_targets;
    for (size_t i = r->target_list.count; i < all; i++)
        if (r->targets[i].run == l->run && hidden_by(l, r->targets[i].id) >= 0)
            return true;
    return false;
}

int pm_reading__load_older(struct pm_reading *r, struct pm_store *store, struct pm_error *err)
{
    struct looking l = {.r = r};
    int rc = PM_OK;
    for (size_t i = 0; i < r->verdict_list.count; i++)
        is_newest(&l, r->verdicts[i].target, r->verdicts[i].function);
    for (size_t i = r->run_list.count; !rc && i-- > 0;) {
        l.run = i;
        if (r->runs[i].validity == PM_VALIDITY_VALID && has_hidden(&l))
            rc = pm_store_verdicts(store, r->runs[i].id, keep_older, &l, err);
    }
    pm_map_release(&l.seen);
    return rc;
}

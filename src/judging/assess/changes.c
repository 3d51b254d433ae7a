/* Finds the verdicts and reasons of functions that change when a run is judged again. */
#include <string.h>

#include "assess/judging.h"
#include "base/alloc.h"
#include "base/json.h"

static char *key_of(const struct pm_verdict_row *row)
{
    return pm_format("%lld\t%s", (long long)row->target_id, row->function);
}

static int keep_verdict(void *ctx, const struct pm_verdict_row *row)
{
    char *key = key_of(row);
    json_object_set_new(ctx, key,
                        json_pack("{s:i, s:s}", "verdict", row->verdict, "reason", row->reason));
    free(key);
    return PM_OK;
}

int pm_assess__verdicts_before(const struct pm_assess_evidence *all, json_t **out,
                               struct pm_error *err)
{
    *out = json_object();
    return pm_store_verdicts(all->store, all->run_id, keep_verdict, *out, err);
}

struct comparing {
    const struct pm_assess_evidence *all;
    const json_t *before;
    const struct pm_assess_options *options;
};

static const char *text_of(const struct pm_assess_evidence *all, int64_t target_id)
{
    for (size_t t = 0; t < all->target_count; t++)
        if (all->targets[t].id == target_id)
            return all->targets[t].text;
    return "?";
}

static int compare_verdict(void *ctx, const struct pm_verdict_row *row)
{
    const struct comparing *c = ctx;
    char *key = key_of(row);
    const json_t *before = json_object_get(c->before, key);
    free(key);
    const struct pm_assess_change change = {
        .run_id = row->run_id,
        .target = text_of(c->all, row->target_id),
        .function = row->function,
        .before = (enum pm_verdict)pm_json_int(before, "verdict", 0),
        .after = row->verdict,
        .reason_before = pm_json_string(before, "reason", ""),
        .reason_after = row->reason,
    };
    if (before &&
        (change.before != change.after || strcmp(change.reason_before, change.reason_after)))
        c->options->changed(c->options->ctx, &change);
    return PM_OK;
}

int pm_assess__changes_report(const struct pm_assess_evidence *all, const json_t *before,
                              const struct pm_assess_options *options, struct pm_error *err)
{
    struct comparing comparing = {all, before, options};
    return options->changed
               ? pm_store_verdicts(all->store, all->run_id, compare_verdict, &comparing, err)
               : PM_OK;
}

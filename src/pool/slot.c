/* What every part of the pool uses: words, timers of slots, the failure that ends a run. */
#include <string.h>

#include "pool/pool_private.h"

const char *pm_ending_text(enum pm_ending_kind kind)
{
    static const char *const texts[] = {
#define X(id, text) [PM_ENDING_##id] = text,
        PM_ENDINGS(X)
#undef X
    };
    return texts[kind];
}

const char *pm_stage_known(const char *name)
{
    static const char *const stages[] = {
#define X(text) text,
        "", PM_STAGES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (!strcmp(name, stages[i]))
            return stages[i];
    return NULL;
}

void pm_pool__fail(struct pm_pool *pool, int rc, const struct pm_error *error)
{
    if (pool->rc)
        return;
    pool->rc = rc;
    pool->error = *error;
    uv_stop(&pool->loop);
}

void pm_pool__timer_start(struct pm_pool__slot *slot, uint64_t after_ms)
{
    uv_update_time(&slot->pool->loop); /* a callback of the policy may have taken long */
    slot->timer_ms = after_ms;
    uv_timer_start(&slot->timer, slot->pool->events->timer_passed, after_ms, 0);
}

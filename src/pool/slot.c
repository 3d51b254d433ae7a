/* What every part of the pool uses: timers of slots, the failure that ends a run. */
#include "pool/pool_private.h"

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

/* Provides what all parts of the pool use: timers of slots, and the failure that ends a run. */
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
    slot->pool->quit_typed = false;
    uv_update_time(&slot->pool->loop); /* a callback of the policy may have taken long */
    slot->timer_ms = after_ms;
    slot->looks = 0;
    slot->due = uv_now(&slot->pool->loop) + after_ms;
    if (after_ms)
        uv_timer_start(&slot->timer, slot->pool->events->timer_passed, after_ms, 0);
    else
        uv_timer_stop(&slot->timer);
}

bool pm_pool__timer_too_early(struct pm_pool__slot *slot)
{
    enum { LOOK_MS = 1, LATE_MS = 100, MOST_LOOKS = 16 };
    uv_loop_t *const loop = &slot->pool->loop;
    const uint64_t now = uv_now(loop), late = now > slot->due ? now - slot->due : 0;
    if (slot->looks == MOST_LOOKS || (slot->looks && late < LATE_MS))
        return false;
    slot->looks++;
    slot->due = now + LOOK_MS + late;
    uv_timer_start(&slot->timer, slot->pool->events->timer_passed, LOOK_MS + late, 0);
    return true;
}

/* Ends children and drivers: deadlines, SIGTERM, SIGKILL. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/trace.h"
#include "pool/pool_private.h"
#include "process/process.h"

enum {
    THREAD_STEP = 32,    /* new threads on the system that trigger a count of processes; half of the
                            process limit, if that is less */
    COUNT_MS = 1000,     /* otherwise count at least this often: new processes can be masked by ones
                            that exit */
    FORCE_AGAIN_MS = 100 /* between two SIGKILLs to a process that does not end */
};

/* Returns whether the process of a child exists. No other process can have its pid until the driver
 * reaps it. */
static bool is_there(const struct pm_pool__child *child)
{
    return child->pid > 1 && !child->exited && child->driver->pid > 1 &&
           pm_pool__parent_of(child->pid) == child->driver->pid;
}

static void ask_to_end(struct pm_pool__child *child)
{
    child->kill = PM_KILL_ASKED;
    if (is_there(child))
        pm_process_signal(child->pid, SIGTERM);
    pm_pool__timer_start(child->slot, child->pool->options.grace_ms);
}

static void force_to_end(struct pm_pool__child *child)
{
    child->kill = PM_KILL_FORCED;
    if (is_there(child)) {
        pm_process_signal(child->pid, SIGKILL);
        pm_pool__descendants_kill(child->driver->pid);
    }
    pm_pool__timer_start(child->slot, FORCE_AGAIN_MS);
}

static void decide(struct pm_pool__child *child, enum pm_ending_kind kind, const char *format,
                   va_list values)
{
    char line[sizeof((struct pm_error *)0)->text];
    if (child->decided)
        return;
    child->decided = true;
    child->ending.kind = kind;
    vsnprintf(line, sizeof line, format, values);
    pm_str_clear(&child->text);
    pm_str_add(&child->text, line);
    pm_trace("kill", "{s:i, s:s, s:s}", "pid", child->pid, "ending", pm_ending_kind_text(kind),
             "text", line);
}

void pm_pool__kill(struct pm_pool__child *child, enum pm_ending_kind kind, bool gentle,
                   const char *format, ...)
{
    va_list values;
    if (child->exited || child->kill == PM_KILL_FORCED)
        return;
    va_start(values, format);
    decide(child, kind, format, values);
    va_end(values);
    if (child->state == PM_CHILD_WAITING) {
        child->exited = child->settled = true;
        child->pool->events->child_check(child);
        return;
    }
    if (child->pid == 0) /* killed once its pid is known; the start-up deadline remains */
        return;
    if (child->kill == PM_KILL_NONE)
        child->killed_at = pm_clock_now();
    if (!gentle)
        force_to_end(child);
    else if (child->kill == PM_KILL_NONE)
        ask_to_end(child);
}

void pm_pool__stop_slot(struct pm_pool__slot *slot)
{
    if (slot->child)
        pm_pool__kill(slot->child, PM_ENDING_STOPPED, true, "%s", "");
    const bool endless = !uv_is_active((const uv_handle_t *)&slot->timer);
    if (slot->child && (endless || uv_timer_get_due_in(&slot->timer) > PM_STOP_GRACE_MS))
        pm_pool__timer_start(slot, PM_STOP_GRACE_MS);
}

static bool patience_is_over(const struct pm_pool__child *child)
{
    return pm_clock_now() - child->killed_at > pm_pool__ns(PM_POOL_PATIENCE_MS);
}

void pm_pool__sweep(struct pm_pool__child *child)
{
    if (patience_is_over(child)) {
        pm_pool__driver_abort(
            child->driver, "processes that the case started did not end after SIGKILL: check the "
                           "device and its driver");
        return;
    }
    pm_pool__descendants_kill(child->driver->pid);
    pm_pool__timer_start(child->slot, PM_POOL_SWEEP_MS);
}

static void deadline_passed(struct pm_pool__child *child)
{
    const double seconds = (double)child->slot->timer_ms / 1e3;
    const char *const since = child->pool->quit_typed ? " (counted from Ctrl-\\)" : "";
    struct pm_error why;
    switch (child->state) {
    case PM_CHILD_WAITING:
        pm_error_set(&why, PM_EIO, "the driver was not ready after %g s%s", seconds, since);
        pm_pool__driver_abort(child->driver, why.text);
        break;
    case PM_CHILD_FORKING:
        pm_error_set(&why, PM_EIO,
                     "the driver did not start a process within %g s%s: check the load and memory "
                     "of the machine",
                     seconds, since);
        pm_pool__driver_abort(child->driver, why.text);
        break;
    case PM_CHILD_STARTING:
        pm_pool__kill(child, PM_ENDING_DEADLINE, true, "its process was not ready within %g s%s",
                      seconds, since);
        break;
    case PM_CHILD_BUSY:
        pm_pool__kill(child, PM_ENDING_DEADLINE, true, "no answer within %g s%s", seconds, since);
        break;
    case PM_CHILD_LEAVING:
        if (child->farewell)
            pm_pool__kill(child, PM_ENDING_DEADLINE, true, "no exit within %g s%s", seconds, since);
        else
            pm_pool__kill(child, PM_ENDING_PROTOCOL, false,
                          "its process closed the connection, but did not exit");
        break;
    }
}

static void after_death(struct pm_pool__child *child)
{
    if (child->sweeping) {
        pm_pool__sweep(child);
        return;
    }
    if (child->settled) /* another process has its connection open: stop reading */
        pm_pool__close(child->control);
    child->settled = true;
    if (child->control)
        pm_pool__timer_start(child->slot, PM_POOL_READ_OUT_MS);
    child->pool->events->child_check(child);
}

void pm_pool__timer_passed(uv_timer_t *timer)
{
    struct pm_pool__slot *const slot = timer->data;
    struct pm_pool__child *const child = slot->child;
    if (!child || slot->pool->rc || (child->kill == PM_KILL_NONE && pm_pool__timer_too_early(slot)))
        return;
    if (child->exited)
        after_death(child);
    else if (child->kill == PM_KILL_NONE)
        deadline_passed(child);
    else if (patience_is_over(child))
        pm_pool__driver_abort(child->driver,
                              "the process of the case did not end after SIGKILL: check the device "
                              "and its driver");
    else
        force_to_end(child);
    slot->pool->events->turn(slot->pool);
}

/* --- too many processes --- */

static void count_of(struct pm_pool__child *child)
{
    const unsigned limit = child->pool->options.process_limit;
    const unsigned step = limit / 2 < THREAD_STEP ? limit / 2 : THREAD_STEP;
    const uint64_t now = pm_clock_now();
    if (child->pid == 0 || child->exited || child->kill != PM_KILL_NONE ||
        (child->pool->threads < child->threads + step &&
         now - child->counted < pm_pool__ns(COUNT_MS)))
        return;
    /* Strays of the child belong to the driver: count all of the driver's processes except the
     * child. */
    const int all = pm_pool__descendants_count(child->driver->pid);
    if (all == PM_POOL_UNKNOWN) /* counted again at the next tick */
        return;
    child->threads = child->pool->threads;
    child->counted = now;
    if (all - 1 > (int)limit)
        pm_pool__kill(child, PM_ENDING_PROCESSES, false, "%d processes (limit %u)", all - 1, limit);
}

void pm_pool__count_processes(struct pm_pool *pool)
{
    pool->threads = pm_pool__thread_count();
    for (unsigned i = 0; i < pool->options.slots; i++)
        if (pool->slots[i].child)
            count_of(pool->slots[i].child);
}

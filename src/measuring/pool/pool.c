/* Runs the supervisor: its slots, its event loop, its policy. */
#include "pool/pool.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "pool/pool_private.h"
#include "process/process.h"

enum { DEFAULT_GRACE_MS = 2000, DEFAULT_PROCESSES = 64, DEFAULT_OUTPUT = 64 << 10 };

/* --- turns --- */

static bool wants_work(const struct pm_pool__slot *slot)
{
    return !slot->child && !slot->waiting && !pm_stop_signal();
}

static bool is_idle(const struct pm_pool *pool)
{
    for (unsigned i = 0; i < pool->options.slots; i++)
        if (pool->slots[i].child || wants_work(&pool->slots[i]))
            return false;
    return true;
}

static void ask_for_work(struct pm_pool__slot *slot)
{
    struct pm_pool *const pool = slot->pool;
    struct pm_error error = {{0}};
    struct pm_child_plan plan = {0};
    pool->called = true;
    const int rc = pool->policy.next(pool->policy.ctx, slot->index, &plan, &error);
    if (rc < 0)
        pm_pool__fail(pool, rc, &error);
    else if (rc == 0)
        slot->waiting = true;
    else
        pm_pool__child_begin(slot, &plan);
}

static void ask_all_for_work(struct pm_pool *pool)
{
    bool again = true;
    while (again && !pool->rc) {
        again = false;
        for (unsigned i = 0; i < pool->options.slots && !pool->rc; i++)
            if (wants_work(&pool->slots[i])) {
                ask_for_work(&pool->slots[i]);
                again = true;
            }
    }
}

static void call_tick(struct pm_pool *pool)
{
    struct pm_error error = {{0}};
    pool->called = false;
    if (!pool->policy.tick)
        return;
    const int rc = pool->policy.tick(pool->policy.ctx, &error);
    if (rc)
        pm_pool__fail(pool, rc, &error);
}

/* Runs after every event: free slots request work, the policy ticks, and the loop stops when all
 * work is done. */
static void turn(struct pm_pool *pool)
{
    if (!pool->running || pool->rc)
        return;
    ask_all_for_work(pool);
    if (pool->called && !pool->rc)
        call_tick(pool);
    if (is_idle(pool))
        uv_stop(&pool->loop);
}

static void on_tick(uv_timer_t *timer)
{
    struct pm_pool *const pool = timer->data;
    if (!pool->running || pool->rc)
        return;
    pool->called = true;
    pm_pool__count_processes(pool);
    pm_pool__expire_strangers(pool);
    turn(pool);
    pool->out_of_memory = pm_pool__out_of_memory_count(pool->memory_events);
}

static void on_stop(uv_poll_t *stopper, int status, int events)
{
    struct pm_pool *const pool = stopper->data;
    (void)status;
    (void)events;
    uv_poll_stop(stopper); /* the descriptor remains readable */
    if (!pool->running || pool->rc)
        return;
    for (unsigned i = 0; i < pool->options.slots; i++)
        pm_pool__stop_slot(&pool->slots[i]);
    turn(pool);
}

bool pm_pool_contains(void)
{
    return pm_process_can_contain();
}

bool pm_pool_stopped(const struct pm_pool *pool)
{
    return pool->stopped;
}

uint64_t pm_pool_peak_memory(const struct pm_pool *pool)
{
    return pool->peak_memory;
}

uint64_t pm_pool_peak_scratch(const struct pm_pool *pool)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < pool->options.slots; i++)
        sum += pool->slots[i].scratch_bytes;
    return sum;
}

static void on_death(uv_signal_t *signal, int number)
{
    (void)number;
    pm_pool__drivers_reap(signal->data);
}

static const struct pm_pool__events events = {
    .turn = turn,
    .timer_passed = pm_pool__timer_passed,
    .driver_accepts = pm_pool__driver_accepts,
    .driver_frame = pm_pool__driver_frame,
    .driver_closed = pm_pool__driver_connection_closed,
    .driver_lied = pm_pool__driver_abort,
    .child_frame = pm_pool__child_frame,
    .child_closed = pm_pool__child_connection_closed,
    .child_lied = pm_pool__child_lied,
    .child_continue = pm_pool__child_continue,
    .child_forked = pm_pool__child_forked,
    .child_exited = pm_pool__child_exited,
    .child_swept = pm_pool__child_swept,
    .child_printed = pm_pool__child_printed,
    .driver_died = pm_pool__child_driver_died,
    .child_check = pm_pool__child_check,
};

/* --- shutdown --- */

static void forget_children(struct pm_pool *pool)
{
    for (unsigned i = 0; i < pool->options.slots; i++) {
        struct pm_pool__child *const child = pool->slots[i].child;
        if (child)
            pm_pool__child_free(child);
        pool->slots[i].child = NULL;
    }
}

static void forget_drivers(struct pm_pool *pool)
{
    for (unsigned i = 0; i < pool->options.slots; i++)
        while (pool->slots[i].drivers) {
            struct pm_pool__driver *const driver = pool->slots[i].drivers;
            pool->slots[i].drivers = driver->next;
            pm_pool__driver_abort(driver, NULL);
            pm_pool__driver_free(driver);
        }
}

static void on_wait_over(uv_timer_t *timer)
{
    struct pm_pool *const pool = timer->data;
    pool->wait_over = true;
}

/* Runs the loop until no driver process is left, or for `ms` at most. */
static void await_drivers(struct pm_pool *pool, uint64_t ms)
{
    pool->wait_over = false;
    uv_update_time(&pool->loop);
    uv_timer_start(&pool->ticker, on_wait_over, ms, 0);
    while (pool->processes && !pool->wait_over)
        uv_run(&pool->loop, UV_RUN_ONCE);
    uv_timer_stop(&pool->ticker);
}

/* The signals that this process ignores during a run: SIGPIPE, because the peer of a frame may have
 * died, and, in the foreground, Ctrl-C, which belongs to the case. */
static const int ignored_signals[] = {SIGPIPE, SIGINT};
enum { IGNORED = sizeof ignored_signals / sizeof *ignored_signals };

struct signals_before {
    struct sigaction actions[IGNORED];
    size_t count;
};

static void ignore_signals(const struct pm_pool *pool, struct signals_before *before)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    before->count = pool->options.foreground ? IGNORED : 1;
    for (size_t i = 0; i < before->count; i++)
        sigaction(ignored_signals[i], &ignore, &before->actions[i]);
}

static void restore_signals(const struct signals_before *before)
{
    for (size_t i = 0; i < before->count; i++)
        sigaction(ignored_signals[i], &before->actions[i], NULL);
}

static void say_goodbye(struct pm_pool *pool)
{
    json_t *const nothing = json_object();
    for (unsigned i = 0; i < pool->options.slots; i++)
        for (struct pm_pool__driver *d = pool->slots[i].drivers; d; d = d->next)
            pm_pool__send(d->connection, PM_FRAME_BYE, nothing, NULL);
    json_decref(nothing);
    await_drivers(pool, pm_stop_signal() ? PM_POOL_STOPPED_MS : PM_POOL_GOODBYE_MS);
}

/* Ends every process that the pool started, and all their descendants. */
static void end_processes(struct pm_pool *pool)
{
    pool->running = false;
    forget_children(pool);
    forget_drivers(pool);
    if (!pool->processes)
        return;
    await_drivers(pool, PM_POOL_CLEAR_MS);
    const uint64_t deadline = pm_clock_now() + pm_pool__ns(PM_POOL_CLEAR_MS);
    while (pm_pool__orphans_end(pool, NULL) != 0 && pm_clock_now() < deadline)
        pm_clock_sleep(pm_pool__ns(PM_POOL_SWEEP_MS));
}

static void close_handle(uv_handle_t *handle, void *ctx)
{
    (void)ctx;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void close_loop(struct pm_pool *pool)
{
    while (pool->connections)
        pm_pool__close(pool->connections);
    pm_pool__listen_end(pool);
    uv_walk(&pool->loop, close_handle, NULL);
    while (uv_loop_close(&pool->loop) == UV_EBUSY)
        uv_run(&pool->loop, UV_RUN_ONCE);
}

void pm_pool_free(struct pm_pool *pool)
{
    if (!pool)
        return;
    if (pool->loop_open) {
        struct signals_before before;
        ignore_signals(pool, &before);
        if (pool->processes)
            say_goodbye(pool);
        end_processes(pool);
        close_loop(pool);
        restore_signals(&before);
    }
    for (unsigned i = 0; i < pool->options.slots; i++) {
        const int rc = pm_folder_remove(pool->slots[i].scratch, NULL);
        (void)rc; /* files that remain are in the run's own folder */
        free(pool->slots[i].scratch);
    }
    pm_str_release(&pool->frame);
    free(pool->slots);
    free(pool->socket_path);
    free(pool->memory_events);
    free(pool->run_id);
    free(pool->scratch);
    free(pool);
}

/* --- start --- */

/* Opens up to `wanted` descriptors, closes them, and returns how many could be opened. */
static unsigned try_descriptors(unsigned wanted)
{
    int *const taken = pm_alloc(wanted * sizeof *taken);
    unsigned count = 0;
    while (count < wanted && (taken[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        count++;
    for (unsigned i = 0; i < count; i++)
        close(taken[i]);
    free(taken);
    return count;
}

/* Checks that there are enough descriptors, because libuv aborts the process if it cannot open one.
 * Raises their limit if it is too low and the system allows it. */
static int check_descriptors(const struct pm_pool *pool, struct pm_error *err)
{
    enum { OWN = 24, EACH = 5 /* two drivers with two descriptors each, and a child with one */ };
    const unsigned slots = pool->options.slots, wanted = OWN + EACH * slots;
    unsigned found = try_descriptors(wanted);
    struct rlimit limit;
    if (found < wanted && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur += wanted - found;
        if (limit.rlim_cur <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) == 0)
            found = try_descriptors(wanted);
    }
    if (found == wanted)
        return PM_OK;
    return pm_error_set(err, PM_EIO,
                        "--jobs %u needs %u more open files, but the limit allows %u: raise it "
                        "(ulimit -n) or lower --jobs",
                        slots, wanted, found);
}

/* Handles Ctrl-\ in the foreground. The terminal sends SIGQUIT to the child, too: gives it grace_ms
 * to end before it is killed. */
static void on_quit(uv_signal_t *signal, int number)
{
    struct pm_pool *const pool = signal->data;
    const struct pm_pool__child *const child = pool->slots[0].child;
    (void)number;
    if (!child || child->exited)
        return;
    pm_pool__timer_start(&pool->slots[0], pool->options.grace_ms);
    pool->quit_typed = true;
}

static int watch_quit(struct pm_pool *pool)
{
    const int rc = uv_signal_init(&pool->loop, &pool->quit);
    pool->quit.data = pool;
    return rc ? rc : uv_signal_start(&pool->quit, on_quit, SIGQUIT);
}

static int watch_events(struct pm_pool *pool)
{
    int rc = uv_timer_init(&pool->loop, &pool->ticker);
    if (!rc)
        rc = uv_signal_init(&pool->loop, &pool->death);
    if (!rc)
        rc = uv_signal_start(&pool->death, on_death, SIGCHLD);
    if (!rc && pool->options.foreground)
        rc = watch_quit(pool);
    if (!rc && pm_stop_fd() >= 0)
        rc = uv_poll_init(&pool->loop, &pool->stopper, pm_stop_fd());
    if (!rc && pm_stop_fd() >= 0)
        rc = uv_poll_start(&pool->stopper, UV_READABLE, on_stop);
    pool->ticker.data = pool->stopper.data = pool->death.data = pool;
    return rc;
}

static int open_loop(struct pm_pool *pool, struct pm_error *err)
{
    int rc = uv_loop_init(&pool->loop);
    pool->loop_open = rc == 0;
    if (!rc)
        rc = watch_events(pool);
    for (unsigned i = 0; i < pool->options.slots && !rc; i++) {
        struct pm_pool__slot *const slot = &pool->slots[i];
        slot->pool = pool;
        slot->index = i;
        rc = uv_timer_init(&pool->loop, &slot->timer);
        slot->timer.data = slot;
    }
    return rc ? pm_error_set(err, PM_EIO, "cannot create an event loop: %s%s", uv_strerror(rc),
                             pm_error_advice(-rc))
              : PM_OK;
}

static void take_options(struct pm_pool *pool, const struct pm_pool_options *options)
{
    pool->events = &events;
    pool->options = *options;
    if (options->grace_ms == 0)
        pool->options.grace_ms = DEFAULT_GRACE_MS;
    if (options->process_limit == 0)
        pool->options.process_limit = DEFAULT_PROCESSES;
    if (options->output_limit == 0)
        pool->options.output_limit = DEFAULT_OUTPUT;
    pool->run_id = pm_strdup(options->run_id);
    pool->scratch = pm_strdup(options->scratch);
    pool->socket_path = pm_format("%s/socket", options->scratch);
    pool->slots = pm_alloc(options->slots * sizeof *pool->slots);
    for (unsigned i = 0; i < options->slots; i++)
        pool->slots[i].scratch = pm_format("%s/%u", options->scratch, i);
}

int pm_pool_new(struct pm_pool **out, const struct pm_pool_options *options,
                const struct pm_pool_policy *policy, struct pm_error *err)
{
    *out = NULL;
    if (options->slots == 0)
        return pm_error_set(err, PM_EUSAGE, "the pool has no slot: use --jobs 1 or more");
    struct pm_pool *const pool = pm_alloc(sizeof *pool);
    take_options(pool, options);
    pool->policy = *policy;
    pool->began = pm_pool__ticks_now();
    pool->memory_events = pm_pool__memory_events_path();
    pm_str_init(&pool->frame);
    int rc = pm_pool__become_subreaper(err);
    if (rc == PM_OK)
        rc = pm_pool__check_proc(err);
    if (rc == PM_OK)
        rc = check_descriptors(pool, err);
    if (rc == PM_OK)
        rc = open_loop(pool, err);
    if (rc == PM_OK)
        rc = pm_pool__listen(pool, err);
    if (rc != PM_OK) {
        pm_pool_free(pool);
        return rc;
    }
    *out = pool;
    return PM_OK;
}

int pm_pool_run(struct pm_pool *pool, struct pm_error *err)
{
    if (pool->rc)
        return pm_error_set(err, pool->rc, "%s", pool->error.text);
    struct signals_before before;
    ignore_signals(pool, &before);
    pool->running = true;
    pool->out_of_memory = pm_pool__out_of_memory_count(pool->memory_events);
    pool->threads = pm_pool__thread_count();
    for (unsigned i = 0; i < pool->options.slots; i++)
        pool->slots[i].waiting = false;
    uv_timer_start(&pool->ticker, on_tick, PM_POOL_TICK_MS, PM_POOL_TICK_MS);
    turn(pool);
    while (!pool->rc && !is_idle(pool))
        uv_run(&pool->loop, UV_RUN_DEFAULT);
    uv_timer_stop(&pool->ticker);
    pool->running = false;
    for (unsigned i = 0; i < pool->options.slots; i++)
        pool->stopped |= !pool->rc && !pool->slots[i].waiting;
    if (pool->rc)
        end_processes(pool);
    restore_signals(&before);
    return pool->rc ? pm_error_set(err, pool->rc, "%s", pool->error.text) : PM_OK;
}

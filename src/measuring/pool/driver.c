/* Manages drivers: their start, their import, their frames, and their death. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpus.h"
#include "base/json.h"
#include "base/line.h"
#include "base/stop.h"
#include "pool/pool_private.h"
#include "process/process.h"

enum { READS_AT_ONCE = 64 }; /* together they read more than a pipe can contain */

/* --- the description --- */

static char **copy_list(const char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    char **const copy = pm_alloc((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = pm_strdup(list[i]);
    return copy;
}

static void free_list(char **list)
{
    size_t count = 0;
    while (list[count])
        count++;
    pm_free_strings(list, count);
}

struct pm_pool__driver *pm_pool__driver_for(struct pm_pool__slot *slot,
                                            const struct pm_driver *spec)
{
    for (struct pm_pool__driver *driver = slot->drivers; driver; driver = driver->next)
        if (strcmp(driver->key, spec->key) == 0)
            return driver;
    struct pm_pool__driver *const driver = pm_alloc(sizeof *driver);
    driver->pool = slot->pool;
    driver->slot = slot;
    driver->key = pm_strdup(spec->key);
    driver->argv = copy_list(spec->argv);
    driver->environment = copy_list(spec->environment);
    driver->import_timeout_ms = spec->import_timeout_ms;
    driver->family = spec->family ? pm_strdup(spec->family) : NULL;
    driver->everywhere = spec->everywhere;
    driver->next = slot->drivers;
    slot->drivers = driver;
    return driver;
}

void pm_pool__driver_free(struct pm_pool__driver *driver)
{
    if (driver->process)
        driver->process->driver = NULL;
    pm_pool__close(driver->connection);
    free(driver->key);
    free_list(driver->argv);
    free_list(driver->environment);
    free(driver->family);
    free(driver->failure);
    free(driver);
}

bool pm_pool__driver_accepts(const struct pm_pool__driver *driver, int pid)
{
    return driver->process && driver->process->pid &&
           pm_pool__descends_from(pid, driver->process->pid);
}

/* --- death --- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct pm_pool__process *const process = handle->data;
    if (--process->open > 0)
        return;
    struct pm_pool__process **at = &process->pool->processes;
    while (*at != process)
        at = &(*at)->next;
    *at = process->next;
    free(process->tail);
    free(process->last);
    free(process);
}

static void close_handles(struct pm_pool__process *process)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&process->output,
                                    (uv_handle_t *)&process->clearing};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], on_handle_closed);
}

/* Returns the last line of the process's output that is not empty, or NULL. */
static const char *last_line(struct pm_pool__process *process)
{
    size_t end = process->tail_length;
    while (end > 0 && strchr("\n\r\t ", process->tail[end - 1]))
        end--;
    if (end == 0)
        return NULL;
    process->tail[end] = '\0';
    const char *const newline = memrchr(process->tail, '\n', end);
    return newline ? newline + 1 : process->tail;
}

static char *death_text(struct pm_pool__process *process)
{
    struct pm_str text = PM_STR_INIT;
    const char *const words = last_line(process);
    const char *const when =
        process->driver->state == PM_DRIVER_IMPORTING ? " before it was ready" : "";
    if (WIFSIGNALED(process->status))
        pm_str_addf(&text, "the driver was ended by signal %d%s", WTERMSIG(process->status), when);
    else
        pm_str_addf(&text, "the driver ended with status %d%s", WEXITSTATUS(process->status), when);
    if (words) {
        pm_str_add(&text, ": ");
        pm_line_add(&text, words, 400);
    }
    return pm_str_detach(&text);
}

static struct pm_pool__child *own_child(const struct pm_pool__driver *driver)
{
    struct pm_pool__child *const child = driver->slot->child;
    return child && child->driver == driver ? child : NULL;
}

static void tell_ready(struct pm_pool__driver *driver, const json_t *ready)
{
    struct pm_pool *const pool = driver->pool;
    struct pm_pool__child *const child = own_child(driver);
    struct pm_error error = {{0}};
    if (!pool->policy.driver_ready || !pool->running || pool->rc || !child)
        return;
    const struct pm_driver_info info = {.driver = child->plan.driver,
                                        .slot = driver->slot->index,
                                        .pid = driver->pid,
                                        .ready = ready};
    pool->called = true;
    const int rc = pool->policy.driver_ready(pool->policy.ctx, &info, &error);
    if (rc)
        pm_pool__fail(pool, rc, &error);
}

/* Records that the driver will never be ready. */
static void fail_for_good(struct pm_pool__driver *driver, const char *why)
{
    if (driver->state == PM_DRIVER_FAILED)
        return;
    driver->state = PM_DRIVER_FAILED;
    if (!driver->failure)
        driver->failure = pm_strdup(why);
    json_t *const ready = json_pack("{s:s}", "error", driver->failure);
    tell_ready(driver, ready);
    json_decref(ready);
}

/* Updates a driver whose processes have all ended, and informs its child. */
static void finish(struct pm_pool__process *process)
{
    struct pm_pool__driver *const driver = process->driver;
    close_handles(process);
    if (!driver)
        return;
    process->driver = NULL;
    driver->process = NULL;
    driver->token[0] = '\0';
    pm_pool__close(driver->connection);
    char *const why = driver->failure ? pm_strdup(driver->failure) : process->last;
    if (driver->state == PM_DRIVER_IMPORTING && !pm_stop_signal())
        fail_for_good(driver, why);
    if (driver->state == PM_DRIVER_READY || driver->state == PM_DRIVER_IMPORTING) {
        driver->state = PM_DRIVER_NONE;
        free(driver->failure);
        driver->failure = NULL;
    }
    struct pm_pool__child *const child = own_child(driver);
    if (child)
        child->pool->events->driver_died(child, why);
    if (why != process->last)
        free(why);
}

static void keep_reaped(struct pm_pool__child *child, const struct pm_pool__reaped *reaped)
{
    child->reaped = true;
    child->ending.code =
        WIFEXITED(reaped->status) ? WEXITSTATUS(reaped->status) : WTERMSIG(reaped->status);
    child->ending.user_ns = reaped->user_ns;
    child->ending.system_ns = reaped->system_ns;
    child->ending.max_rss = reaped->max_rss;
    if (child->driver->child_peak < reaped->max_rss) {
        child->driver->child_peak = reaped->max_rss;
        pm_pool__note_peak(child->pool);
    }
}

/* Returns how long to wait after a driver's death, in ms. If a batch system is ending all processes
 * of its job, it may be about to stop this process, too. */
static unsigned settle_ms(const struct pm_pool__process *process)
{
    const bool may_be_stopped =
        WIFSIGNALED(process->status) && pm_stop_is(WTERMSIG(process->status));
    return may_be_stopped && !pm_stop_signal() ? PM_POOL_STOP_COMES_MS : PM_POOL_SETTLE_MS;
}

/* Ends and reaps the processes of a dead driver, which have become children of this process, and
 * reads the rest of what the driver sent. */
static void on_clearing(uv_timer_t *timer)
{
    struct pm_pool__process *const process = timer->data;
    struct pm_pool__driver *const driver = process->driver;
    struct pm_pool__child *const child = driver ? own_child(driver) : NULL;
    struct pm_pool__reaped reaped = {.pid = child && !child->reaped ? child->pid : 0};
    const int living = pm_pool__orphans_end(process->pool, &reaped);
    if (child && reaped.found)
        keep_reaped(child, &reaped);
    const bool read_out = process->output_ended && !(driver && driver->connection);
    const bool settled = ++process->rounds * PM_POOL_SWEEP_MS >= settle_ms(process);
    const bool too_long = process->rounds * PM_POOL_SWEEP_MS >= PM_POOL_CLEAR_MS;
    if ((living == 0 && settled && read_out) || too_long) {
        struct pm_pool *const pool = process->pool;
        struct pm_error why;
        if (living == PM_POOL_UNKNOWN && pm_pool__check_proc(&why) != PM_OK)
            pm_pool__fail(pool, PM_EIO, &why);
        process->last = driver ? death_text(process) : NULL;
        finish(process);
        pool->events->turn(pool);
    }
}

void pm_pool__drivers_reap(struct pm_pool *pool)
{
    for (struct pm_pool__process *p = pool->processes; p; p = p->next)
        if (p->pid && pm_process_reap(p->pid, &p->status)) {
            p->pid = 0;
            pool->may_have_orphans = true;
            uv_timer_start(&p->clearing, on_clearing, 0, PM_POOL_SWEEP_MS);
        }
}

void pm_pool__driver_abort(struct pm_pool__driver *driver, const char *why)
{
    struct pm_pool__process *const process = driver->process;
    if (!process)
        return;
    if (why && !driver->failure)
        driver->failure = pm_strdup(why);
    if (process->pid == 0)
        return;
    pm_process_signal(process->pid, SIGKILL); /* its group: includes a wrapper script */
}

static bool is_idle_other(const struct pm_pool__driver *other, const struct pm_pool__driver *driver)
{
    return other->state == PM_DRIVER_READY && other->family && driver->family &&
           strcmp(other->family, driver->family) != 0 && !own_child(other);
}

/* Ends idle drivers of other frameworks. They have no state to lose: a driver that is needed later
 * is started again. */
void pm_pool__drivers_of_others_end(const struct pm_pool__driver *driver)
{
    struct pm_pool *const pool = driver->pool;
    for (unsigned i = 0; i < pool->options.slots; i++)
        for (struct pm_pool__driver **at = &pool->slots[i].drivers; *at;) {
            struct pm_pool__driver *const other = *at;
            if (is_idle_other(other, driver)) {
                *at = other->next;
                pm_pool__driver_abort(other, NULL);
                pm_pool__driver_free(other);
            } else {
                at = &other->next;
            }
        }
}

static void on_lingering(uv_timer_t *timer)
{
    struct pm_pool__process *const process = timer->data;
    if (process->driver)
        pm_pool__driver_abort(process->driver,
                              "the driver closed its connection, but did not exit");
}

void pm_pool__driver_connection_closed(struct pm_pool__driver *driver)
{
    if (driver->process && driver->process->pid)
        uv_timer_start(&driver->process->clearing, on_lingering, driver->pool->options.grace_ms, 0);
}

/* --- start --- */

static void on_output_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct pm_pool__process *const process = handle->data;
    (void)suggested;
    *out = uv_buf_init(process->pool->buffer, sizeof process->pool->buffer);
}

static void keep_tail(struct pm_pool__process *process, const char *bytes, size_t count)
{
    size_t kept = process->tail_length;
    if (count > PM_POOL_DRIVER_OUTPUT) {
        bytes += count - PM_POOL_DRIVER_OUTPUT;
        count = PM_POOL_DRIVER_OUTPUT;
    }
    if (kept + count > PM_POOL_DRIVER_OUTPUT) {
        const size_t dropped = kept + count - PM_POOL_DRIVER_OUTPUT;
        memmove(process->tail, process->tail + dropped, kept - dropped);
        kept -= dropped;
    }
    memcpy(process->tail + kept, bytes, count);
    process->tail_length = kept + count;
}

/* Takes output of the pipe. While there is a forked child, the output belongs to the child. */
static void take_output(struct pm_pool__process *process, const char *bytes, size_t count)
{
    struct pm_pool__child *const child = process->driver ? own_child(process->driver) : NULL;
    if (child && child->forked_at)
        child->pool->events->child_printed(child, bytes, count);
    else
        keep_tail(process, bytes, count);
}

static void on_output(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct pm_pool__process *const process = stream->data;
    if (length > 0) {
        take_output(process, buffer->base, (size_t)length);
    } else if (length < 0) {
        process->output_ended = true;
        uv_read_stop(stream);
    }
}

void pm_pool__driver_read_output(struct pm_pool__driver *driver)
{
    struct pm_pool__process *const process = driver->process;
    uv_os_fd_t fd;
    if (!process || process->output_ended || uv_fileno((uv_handle_t *)&process->output, &fd) != 0)
        return;
    for (unsigned i = 0; i < READS_AT_ONCE; i++) {
        const ssize_t length = read(fd, driver->pool->drain, sizeof driver->pool->drain);
        if (length <= 0) /* the pipe is empty or at its end, which libuv also detects */
            return;
        take_output(process, driver->pool->drain, (size_t)length);
    }
}

/* Returns the driver's variables, then those that locate the pool: later ones override earlier
 * ones. */
static char **make_environment(const struct pm_pool__driver *driver)
{
    enum { OWN = 4 };
    const struct pm_pool *const pool = driver->pool;
    size_t count = 0;
    while (driver->environment[count])
        count++;
    char **const list = pm_alloc((count + OWN + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = pm_strdup(driver->environment[i]);
    list[count++] = pm_format("PORTMETER_SOCKET=%s", pool->socket_path);
    list[count++] = pm_format("PORTMETER_TOKEN=%s", driver->token);
    list[count++] = pm_format("PORTMETER_RUN=%s", pool->run_id);
    list[count++] = pm_format("PORTMETER_SLOT=%u", driver->slot->index);
    return list;
}

static int launch(struct pm_pool__process *process, int output, struct pm_error *err)
{
    struct pm_pool__driver *const driver = process->driver;
    const bool foreground = driver->pool->options.foreground;
    char **const environment = make_environment(driver);
    const struct pm_process_plan plan = {
        .argv = (const char *const *)driver->argv,
        .environment = (const char *const *)environment,
        .output = output,
        .merged = !foreground,
        .contained = !foreground,
        .session = !foreground, /* Ctrl-C at the terminal must reach only this process */
        .foreground = foreground,
    };
    const int rc = pm_process_start(&plan, &process->pid, err);
    free_list(environment);
    if (rc)
        process->pid = 0;
    return rc;
}

static struct pm_pool__process *process_new(struct pm_pool__driver *driver)
{
    struct pm_pool *const pool = driver->pool;
    struct pm_pool__process *const process = pm_alloc(sizeof *process);
    process->pool = pool;
    process->driver = driver;
    process->tail = pm_alloc(PM_POOL_DRIVER_OUTPUT + 1);
    process->open = 2;
    process->next = pool->processes;
    pool->processes = process;
    uv_pipe_init(&pool->loop, &process->output, 0);
    uv_timer_init(&pool->loop, &process->clearing);
    process->output.data = process->clearing.data = process;
    return process;
}

/* Opens the pipe before starting the driver, so that nothing can fail afterwards. */
static int start_with_pipe(struct pm_pool__process *process, struct pm_error *err)
{
    const struct pm_pool__driver *const driver = process->driver;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pm_error_errno(err, "cannot start '%s'", driver->argv[0]);
    int rc = uv_pipe_open(&process->output, ends[0]);
    if (rc)
        close(ends[0]);
    else
        rc = uv_read_start((uv_stream_t *)&process->output, on_output_buffer, on_output);
    if (rc)
        rc = pm_error_set(err, PM_EIO, "cannot start '%s': %s%s", driver->argv[0], uv_strerror(rc),
                          pm_error_advice(-rc));
    else
        rc = launch(process, ends[1], err);
    close(ends[1]);
    return rc;
}

static int start_process(struct pm_pool__process *process, struct pm_error *err)
{
    const struct pm_pool__driver *const driver = process->driver;
    const bool foreground = process->pool->options.foreground;
    process->output_ended = foreground;
    const int rc = foreground ? launch(process, 0, err) : start_with_pipe(process, err);
    if (!rc && !driver->everywhere)
        pm_cpus_keep(process->pid, driver->slot->index, process->pool->options.slots);
    return rc;
}

void pm_pool__driver_start(struct pm_pool__driver *driver)
{
    struct pm_error why;
    if (driver->state != PM_DRIVER_NONE)
        return;
    struct pm_pool__process *const process = process_new(driver);
    driver->process = process;
    driver->pid = 0;
    driver->state = PM_DRIVER_IMPORTING;
    pm_pool__new_token(driver->token);
    if (start_process(process, &why) == PM_OK)
        return;
    driver->process = NULL;
    process->driver = NULL;
    close_handles(process);
    fail_for_good(driver, why.text);
}

/* --- frames --- */

static int on_ready(struct pm_pool__driver *driver, const struct pm_frame *frame,
                    struct pm_error *err)
{
    if (driver->state != PM_DRIVER_IMPORTING)
        return pm_error_set(err, PM_EFORMAT, "the driver sent a second frame 'ready'");
    const char *const error = pm_json_string(frame->header, "error", NULL);
    if (error) {
        fail_for_good(driver, error);
    } else {
        driver->state = PM_DRIVER_READY;
        driver->resident = pm_pool__resident(driver->pid);
        pm_pool__note_peak(driver->pool);
        tell_ready(driver, frame->header);
    }
    struct pm_pool__child *const child = own_child(driver);
    if (child && !driver->pool->rc)
        child->pool->events->child_continue(child);
    return PM_OK;
}

int pm_pool__driver_frame(struct pm_pool__driver *driver, const struct pm_frame *frame,
                          struct pm_error *err)
{
    struct pm_pool__child *const child = own_child(driver);
    if (driver->pool->rc)
        return PM_OK;
    if (frame->kind == PM_FRAME_READY)
        return on_ready(driver, frame, err);
    if (child && frame->kind == PM_FRAME_FORKED)
        return child->pool->events->child_forked(child, frame->header, err);
    if (child && frame->kind == PM_FRAME_EXITED)
        return child->pool->events->child_exited(child, frame->header, err);
    if (child && frame->kind == PM_FRAME_SWEPT)
        return child->pool->events->child_swept(child, frame->header, err);
    return pm_error_set(err, PM_EFORMAT, "the driver sent an unexpected frame '%s'",
                        pm_frame_name(frame->kind));
}

/* Manages the life of one child, from the fork to its ending. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/trace.h"
#include "pool/pool_private.h"

/* --- begin --- */

/* Ends a child that has no process yet. */
static void end_unborn(struct pm_pool__child *child, enum pm_ending_kind kind, const char *text)
{
    if (!child->decided) {
        child->decided = true;
        child->ending.kind = kind;
        pm_str_add(&child->text, text);
    }
    child->exited = child->settled = true;
    pm_pool__child_check(child);
}

static void send_fork(struct pm_pool__child *child)
{
    const struct pm_pool *const pool = child->pool;
    json_t *const header =
        json_pack("{s:s, s:I, s:s, s:O, s:b}", "token", child->token, "memory",
                  (json_int_t)child->plan.memory, "scratch", child->slot->scratch, "setting",
                  child->plan.setting, "foreground", pool->options.foreground);
    if (!header)
        PM_BUG("the setting of a process cannot be written as JSON");
    child->state = PM_CHILD_FORKING;
    child->forked_at = pm_clock_now();
    child->out_of_memory = pool->out_of_memory;
    child->threads = pool->threads;
    child->counted = pm_clock_now();
    pm_pool__timer_start(child->slot, child->plan.start_timeout_ms);
    pm_pool__send(child->driver->connection, PM_FRAME_FORK, header, NULL);
    json_decref(header);
}

void pm_pool__child_continue(struct pm_pool__child *child)
{
    struct pm_pool__driver *const driver = child->driver;
    struct pm_error error;
    const int rc = pm_pool__listen(child->pool, &error);
    if (rc) {
        pm_pool__fail(child->pool, rc, &error);
        return;
    }
    pm_pool__driver_start(driver);
    if (driver->state == PM_DRIVER_FAILED)
        end_unborn(child, PM_ENDING_DRIVER, driver->failure);
    else if (driver->state == PM_DRIVER_IMPORTING)
        pm_pool__timer_start(child->slot, driver->import_timeout_ms);
    else if (driver->connection)
        send_fork(child);
    /* Otherwise the driver is dying, and pm_pool__child_driver_died() follows. */
}

/*
 * Each child starts with an empty folder. Most children do not change it, so it is created once per
 * slot with a fixed modification time, and created again if that time has changed.
 */
static const struct timespec untouched[] = {{0, 0}, {0, 0}};

static int prepare_scratch(struct pm_pool__slot *slot, struct pm_error *err)
{
    struct stat now;
    if (slot->scratch_empty && lstat(slot->scratch, &now) == 0 && now.st_mtim.tv_sec == 0 &&
        now.st_mtim.tv_nsec == 0 && now.st_mode == (S_IFDIR | 0700))
        return PM_OK;
    const uint64_t left = pm_folder_bytes(slot->scratch);
    slot->scratch_bytes = left > slot->scratch_bytes ? left : slot->scratch_bytes;
    PM_TRY(pm_folder_remove(slot->scratch, err));
    if (mkdir(slot->scratch, 0700) != 0 || chmod(slot->scratch, 0700) != 0 ||
        utimensat(AT_FDCWD, slot->scratch, untouched, 0) != 0)
        return pm_error_errno(err, "cannot create folder '%s'", slot->scratch);
    slot->scratch_empty = true;
    return PM_OK;
}

void pm_pool__child_begin(struct pm_pool__slot *slot, struct pm_child_plan *plan)
{
    struct pm_pool *const pool = slot->pool;
    struct pm_pool__child *const child = pm_alloc(sizeof *child);
    struct pm_error error;
    child->pool = pool;
    child->slot = slot;
    child->plan = *plan;
    pm_str_init(&child->printed);
    pm_str_init(&child->text);
    pm_pool__new_token(child->token);
    child->driver = pm_pool__driver_for(slot, plan->driver);
    slot->child = child;
    pm_pool__drivers_of_others_end(child->driver);
    int rc = pm_pool__listen(pool, &error);
    if (!rc)
        rc = prepare_scratch(slot, &error);
    if (rc)
        pm_pool__fail(pool, rc, &error);
    else
        pm_pool__child_continue(child);
}

void pm_pool__child_printed(struct pm_pool__child *child, const char *bytes, size_t length)
{
    const size_t room = child->pool->options.output_limit - child->printed.length;
    child->printed_total += length;
    pm_str_add_bytes(&child->printed, bytes, length < room ? length : room);
}

/* --- frames of the driver --- */

int pm_pool__child_forked(struct pm_pool__child *child, const json_t *header, struct pm_error *err)
{
    if (child->state != PM_CHILD_FORKING || child->pid)
        return pm_error_set(err, PM_EFORMAT, "the driver sent an unexpected frame 'forked'");
    const char *const error = pm_json_string(header, "error", NULL);
    if (error) {
        end_unborn(child, PM_ENDING_DRIVER, error);
        return PM_OK;
    }
    child->own_pid = (int)pm_json_int_in(header, "pid", 2, INT_MAX, 0);
    child->pid = child->own_pid;
    if (child->own_pid && child->driver->contained)
        child->pid = pm_pool__child_pid(child->driver->pid, child->own_pid,
                                        child->control ? child->control->pid : 0);
    if (!child->pid)
        return pm_error_set(err, PM_EFORMAT, "the driver sent frame 'forked' without a process id");
    child->state = PM_CHILD_STARTING;
    pm_trace("child", "{s:i, s:i}", "pid", child->pid, "driver", child->driver->pid);
    if (child->decided)
        pm_pool__kill(child, child->ending.kind, false, "%s", "");
    else if (child->pool->policy.forked)
        child->pool->policy.forked(child->pool->policy.ctx, child->plan.ctx, child->pid);
    pm_pool__child_identified(child);
    return PM_OK;
}

static void take_status(struct pm_pool__child *child, int status)
{
    struct pm_ending *const ending = &child->ending;
    const bool by_signal = WIFSIGNALED(status);
    ending->code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    if (child->decided)
        return;
    child->decided = true;
    ending->kind = by_signal ? PM_ENDING_SIGNAL : PM_ENDING_EXIT;
    if (!by_signal || ending->code != SIGKILL)
        return;
    const uint64_t count = pm_pool__out_of_memory_count(child->pool->memory_events);
    if (count > child->out_of_memory)
        ending->kind = PM_ENDING_SYSTEM_MEMORY;
    child->pool->out_of_memory = count;
}

/* Handles a child whose process has ended. Strays are swept first. Then its output is read, and its
 * connection, or one that it may have opened, gets time to be read. */
static void settle(struct pm_pool__child *child)
{
    child->settled = child->connected;
    if (child->sweeping) {
        pm_pool__sweep(child);
        return;
    }
    pm_pool__driver_read_output(child->driver);
    if (!child->settled || child->control)
        pm_pool__timer_start(child->slot, child->settled ? PM_POOL_READ_OUT_MS : PM_POOL_SETTLE_MS);
    pm_pool__child_check(child);
}

int pm_pool__child_exited(struct pm_pool__child *child, const json_t *header, struct pm_error *err)
{
    struct pm_ending *const ending = &child->ending;
    if (child->exited || child->pid == 0 || pm_json_int(header, "pid", 0) != child->own_pid)
        return pm_error_set(err, PM_EFORMAT, "the driver sent an unexpected frame 'exited'");
    child->exited = true;
    take_status(child, (int)pm_json_int_in(header, "status", INT_MIN, INT_MAX, 0));
    ending->wall_ns = pm_clock_now() - child->forked_at;
    ending->user_ns = (uint64_t)pm_json_int_in(header, "user_ns", 0, INT64_MAX, 0);
    ending->system_ns = (uint64_t)pm_json_int_in(header, "system_ns", 0, INT64_MAX, 0);
    ending->max_rss = (uint64_t)pm_json_int_in(header, "max_rss", 0, INT64_MAX, 0);
    child->sweeping = pm_json_bool(header, "strays", false);
    (void)pm_stage_parse(pm_json_string(header, "stage", ""), &ending->stage);
    child->killed_at = pm_clock_now();
    settle(child);
    return PM_OK;
}

int pm_pool__child_swept(struct pm_pool__child *child, const json_t *header, struct pm_error *err)
{
    if (!child->sweeping || pm_json_int(header, "pid", 0) != child->own_pid)
        return pm_error_set(err, PM_EFORMAT, "the driver sent an unexpected frame 'swept'");
    child->ending.strays = (unsigned)pm_json_int_in(header, "count", 0, INT_MAX, 0);
    child->sweeping = false;
    settle(child);
    return PM_OK;
}

void pm_pool__child_driver_died(struct pm_pool__child *child, const char *why)
{
    if (child->exited && !child->sweeping)
        return;
    if (!child->decided) {
        child->decided = true;
        child->ending.kind = PM_ENDING_DRIVER;
        pm_str_add(&child->text, why);
    }
    if (child->forked_at && !child->exited)
        child->ending.wall_ns = pm_clock_now() - child->forked_at;
    child->exited = true;
    child->sweeping = false;
    settle(child);
}

/* --- jobs --- */

/* Returns how long a child may take to exit, in ms. 0: no limit, because in the foreground a person
 * may use a debugger. */
static unsigned leaving_ms(const struct pm_pool__child *child)
{
    const struct pm_pool_options *const options = &child->pool->options;
    return options->foreground ? 0 : options->grace_ms;
}

static void await_leave(struct pm_pool__child *child)
{
    child->state = PM_CHILD_LEAVING;
    child->farewell = true;
    if (!child->exited)
        pm_pool__timer_start(child->slot, leaving_ms(child));
}

static void say_bye(struct pm_pool__child *child)
{
    json_t *const nothing = json_object();
    await_leave(child);
    pm_pool__send(child->control, PM_FRAME_BYE, nothing, NULL);
    json_decref(nothing);
}

static void next_job(struct pm_pool__child *child)
{
    struct pm_pool *const pool = child->pool;
    struct pm_error error = {{0}};
    struct pm_job job = {.body = PM_STR_INIT};
    if (child->exited) /* its last frames are read, but it gets no more jobs */
        return;
    pool->called = true;
    const int rc = pool->policy.job(pool->policy.ctx, child->plan.ctx, &job, &error);
    if (rc < 0) {
        pm_pool__fail(pool, rc, &error);
    } else if (rc == 0) {
        say_bye(child);
    } else {
        child->state = PM_CHILD_BUSY;
        child->ending.job_lost = true;
        child->last_job = job.last;
        if (job.last)
            json_object_set_new(job.header, "last", json_true());
        pm_pool__timer_start(child->slot, job.timeout_ms);
        pm_pool__send(child->control, PM_FRAME_RUN, job.header, job.body.data ? &job.body : NULL);
    }
    json_decref(job.header);
}

static int on_started(struct pm_pool__child *child, const struct pm_frame *frame)
{
    struct pm_pool *const pool = child->pool;
    struct pm_error error = {{0}};
    child->ending.started = true;
    pool->called = true;
    const int rc = pool->policy.started(pool->policy.ctx, child->plan.ctx, frame->header, &error);
    if (rc)
        pm_pool__fail(pool, rc, &error);
    else if (json_object_get(frame->header, "error"))
        say_bye(child);
    else
        next_job(child);
    return PM_OK;
}

/* Handles the result of a callback for a frame. PM_EFORMAT is the child's error; any other error
 * ends the run. */
static int judge(struct pm_pool__child *child, int rc, const struct pm_error *error,
                 struct pm_error *err)
{
    if (rc == PM_EFORMAT)
        return pm_error_set(err, rc, "%s", error->text);
    if (rc)
        pm_pool__fail(child->pool, rc, error);
    return PM_OK;
}

static int on_ask(struct pm_pool__child *child, const struct pm_frame *frame, struct pm_error *err)
{
    struct pm_pool *const pool = child->pool;
    struct pm_error error = {{0}};
    struct pm_str body = PM_STR_INIT;
    json_t *const header = json_object();
    pool->called = true;
    const int rc =
        pool->policy.asked(pool->policy.ctx, child->plan.ctx, frame, header, &body, &error);
    if (rc == PM_OK)
        pm_pool__send(child->control, PM_FRAME_GIVE, header, &body);
    pm_str_release(&body);
    json_decref(header);
    return judge(child, rc, &error, err);
}

static int on_result(struct pm_pool__child *child, const struct pm_frame *frame,
                     struct pm_error *err)
{
    struct pm_pool *const pool = child->pool;
    struct pm_error error = {{0}};
    uv_timer_stop(&child->slot->timer);
    pool->called = true;
    const int rc = pool->policy.answered(pool->policy.ctx, child->plan.ctx, frame, &error);
    PM_TRY(judge(child, rc, &error, err));
    if (pool->rc)
        return PM_OK;
    child->ending.job_lost = false;
    if (child->last_job)
        await_leave(child);
    else
        next_job(child);
    return PM_OK;
}

int pm_pool__child_frame(struct pm_pool__child *child, const struct pm_frame *frame,
                         struct pm_error *err)
{
    if (child->pool->rc || child->kill != PM_KILL_NONE)
        return PM_OK;
    if (child->state == PM_CHILD_STARTING && frame->kind == PM_FRAME_STARTED)
        return on_started(child, frame);
    if (child->state == PM_CHILD_BUSY && frame->kind == PM_FRAME_ASK)
        return on_ask(child, frame, err);
    if (child->state == PM_CHILD_BUSY && frame->kind == PM_FRAME_RESULT)
        return on_result(child, frame, err);
    return pm_error_set(err, PM_EFORMAT, "the process of the case sent an unexpected frame '%s'",
                        pm_frame_name(frame->kind));
}

/* --- end --- */

void pm_pool__child_connection_closed(struct pm_pool__child *child, bool in_frame)
{
    if (in_frame && child->kill == PM_KILL_NONE)
        pm_str_add(&child->text, "the connection ended in the middle of a frame");
    if (!child->exited && child->kill == PM_KILL_NONE) {
        child->state = PM_CHILD_LEAVING;
        pm_pool__timer_start(child->slot, leaving_ms(child));
    }
    pm_pool__child_check(child);
}

static void replace_nuls(struct pm_str *text)
{
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] == '\0')
            text->data[i] = '?';
}

/* Returns whether a batch system that ends all processes of its job may have ended this child. */
static bool may_be_stopped(const struct pm_pool__child *child)
{
    return child->kill == PM_KILL_NONE && child->ending.kind == PM_ENDING_SIGNAL &&
           pm_stop_is(child->ending.code);
}

/* Makes the slot available, reports the ending to the policy, and frees the child. */
static void end(struct pm_pool__child *child)
{
    struct pm_pool *const pool = child->pool;
    struct pm_error error = {{0}};
    if (pm_stop_signal() && (may_be_stopped(child) || child->ending.kind == PM_ENDING_DRIVER))
        child->ending.kind = PM_ENDING_STOPPED;
    replace_nuls(&child->printed);
    child->ending.pid = child->pid;
    child->ending.text = child->text.data;
    child->ending.output = child->printed.data;
    child->ending.output_bytes = child->printed_total;
    pm_trace("child ended", "{s:i, s:s, s:i, s:s, s:s, s:f}", "pid", child->pid, "ending",
             pm_ending_kind_text(child->ending.kind), "code", child->ending.code, "stage",
             pm_stage_text(child->ending.stage), "text", child->ending.text, "seconds",
             (double)child->ending.wall_ns / 1e9);
    uv_timer_stop(&child->slot->timer);
    child->slot->child = NULL;
    for (unsigned i = 0; i < pool->options.slots; i++)
        pool->slots[i].waiting = false;
    if (pool->running && !pool->rc) {
        pool->called = true;
        const int rc =
            pool->policy.ended(pool->policy.ctx, child->plan.ctx, &child->ending, &error);
        if (rc)
            pm_pool__fail(pool, rc, &error);
    }
    pm_pool__child_free(child);
}

void pm_pool__child_check(struct pm_pool__child *child)
{
    if (!child->exited || child->sweeping || !child->settled || child->control)
        return;
    if (may_be_stopped(child) && !child->held && !pm_stop_signal()) {
        child->held = true;
        pm_pool__timer_start(child->slot, PM_POOL_STOP_COMES_MS);
        return;
    }
    end(child);
}

void pm_pool__child_free(struct pm_pool__child *child)
{
    pm_pool__close(child->control);
    json_decref(child->plan.setting);
    pm_str_release(&child->text);
    pm_str_release(&child->printed);
    free(child);
}

void pm_pool__child_lied(struct pm_pool__child *child, const char *why)
{
    pm_pool__kill(child, PM_ENDING_PROTOCOL, false,
                  "%s: check that the case uses only files that it opened", why);
}

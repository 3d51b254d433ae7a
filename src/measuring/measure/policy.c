/* The pool's callbacks: which child is next, its jobs, and what happens to its answers.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "measure/job.h"
#include "measure/session.h"
#include "store/executions.h"
#include "store/targets.h"

enum { START_TIMEOUT_MS = 180000, MOST_FALSE_STARTS = 2, DEFAULT_TIMEOUT_S = 900 };
static const uint64_t COMMIT_EVERY_NS = 200u * 1000 * 1000;
static const uint64_t COPY_EVERY_NS = 180u * UINT64_C(1000000000);

static struct plan_target *target_of(struct session *s, const struct plan_group *group)
{
    return &s->plan.targets[group->target];
}

/* ---- the store, in batches ------------------------------------------------------------------ */

static int ensure_transaction(struct session *s, struct pm_error *err)
{
    if (s->in_transaction)
        return PM_OK;
    PM_TRY(pm_store_begin(s->store, err));
    s->in_transaction = true;
    return PM_OK;
}

/* Copies the database from time to time. A copy that fails does not end a run, because the next one
 * may succeed; only the last copy must succeed. */
static void copy_now_and_then(struct session *s)
{
    struct pm_error why = {{0}};
    if (!s->options->copy || pm_clock_now() - s->last_copy < COPY_EVERY_NS)
        return;
    s->last_copy = pm_clock_now();
    if (pm_store_copy(s->store, s->options->copy, &why))
        fprintf(s->messages->out, "note        %s\n", why.text);
}

int pm_measure__session_commit(struct session *s, struct pm_error *err)
{
    s->last_commit = pm_clock_now();
    if (!s->in_transaction)
        return PM_OK;
    s->in_transaction = false;
    PM_TRY(pm_store_commit(s->store, err));
    copy_now_and_then(s);
    return PM_OK;
}

/* Returns the member as JSON text; "{}" if it is not an object. The caller frees it. */
static char *object_text(const json_t *header, const char *key)
{
    const json_t *object = json_object_get(header, key);
    return json_is_object(object) ? pm_json_text(object) : pm_strdup("{}");
}

/* Returns the member as a line that fits its column. The caller frees. */
static char *short_text(const json_t *header, const char *key, const char *fallback)
{
    enum { LONGEST = 1000 };
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, pm_json_string(header, key, fallback), LONGEST);
    return pm_str_detach(&line);
}

/* Stores the row of a child: its start and, later, its ending. */
static int store_child(struct session *s, struct session_child *child,
                       const struct pm_ending *ending, struct pm_error *err)
{
    char *started = child->started ? pm_json_text(child->started) : pm_strdup("");
    struct pm_child_row row = {
        .id = child->row,
        .run_id = s->run_id,
        .target_id = target_of(s, child->group)->id,
        .text = "",
        .output = "",
        .started = started,
        .startup_ns = pm_json_int_in(child->started, "startup_ns", 0, INT64_MAX, -1),
        .threads = pm_json_int_in(child->started, "threads", 0, INT64_MAX, 0),
    };
    if (ending) {
        row.ending = ending->kind;
        row.code = ending->code;
        row.pid = ending->pid;
        row.text = ending->text;
        row.output = ending->output;
        row.output_bytes = (int64_t)ending->output_bytes;
        row.wall_ns = (int64_t)ending->wall_ns;
        row.user_ns = (int64_t)ending->user_ns;
        row.system_ns = (int64_t)ending->system_ns;
        row.max_rss = (int64_t)ending->max_rss;
        row.strays = ending->strays;
    }
    int rc = ensure_transaction(s, err);
    if (!rc && !child->row)
        rc = pm_store_add_child(s->store, &row, &child->row, err);
    row.id = child->row;
    if (!rc && ending)
        rc = pm_store_finish_child(s->store, &row, err);
    free(started);
    return rc;
}

/* Stores the result of an execution in the open transaction: an answer, or the ending of its
 * child. */
static int finish_execution(struct session *s, struct session_child *child,
                            struct plan_execution *execution, const struct answer *answer,
                            const struct pm_ending *ending, bool wrong, struct pm_error *err)
{
    const struct plan_group *group = child->group;
    if (!child->row)
        PM_TRY(store_child(s, child, NULL, err));
    PM_TRY(ensure_transaction(s, err));
    char *result = answer ? pm_measure__answer_evidence(answer) : pm_strdup("");
    const struct pm_execution_row row = {
        .id = execution->id,
        .run_id = s->run_id,
        .child_id = child->row,
        .answered = answer != NULL,
        .stage = answer ? answer->stage : ending->stage,
        .ending = answer ? PM_ENDING_NONE : ending->kind,
        .ending_code = answer ? 0 : ending->code,
        .ending_text = answer ? "" : ending->text,
        .result = result,
        .position = child->jobs > 1 ? (int64_t)child->jobs - 1 : 0,
    };
    const bool compared = target_of(s, group)->role != PM_ROLE_NOISE;
    int rc = pm_store_finish_execution(s->store, &row, err);
    if (!rc && answer)
        rc = pm_measure__answer_store(answer, s->store, execution->id, compared, err);
    free(result);
    PM_TRY(rc);
    execution->done = true;
    if (execution->retry)
        return PM_OK;
    s->done++;
    target_of(s, group)->done++;
    s->failing += wrong && target_of(s, group)->role == PM_ROLE_SUBJECT;
    return PM_OK;
}

void pm_measure__session_child_free(struct session_child *child)
{
    if (!child)
        return;
    json_decref(child->started);
    free(child);
}

/* ---- next: the slot's next child ------------------------------------------------------------ */

static bool phase_over(const struct session *s)
{
    const struct plan_queue *queue = &s->plan.queues[s->phase];
    return queue->next == queue->count && s->running == 0;
}

/* Shows that the search for retries goes on, with the last label: readers of the progress expect a
 * target and a function. */
static void show_search(void *ctx, size_t looked, size_t all)
{
    struct session *s = ctx;
    char *label = pm_strdup(s->progress.label.data);
    (void)looked;
    (void)all;
    pm_progress_update(&s->progress, label, s->done, s->plan.planned, s->failing);
    free(label);
}

/* Adds retries. Judging the finished executions shows which ones must run again. */
static int add_retries(struct session *s, size_t *added, struct pm_error *err)
{
    *added = 0;
    if (!s->options->retries)
        return PM_OK;
    const struct pm_retry_round round = {
        .is_next = s->searched, .progress = show_search, .progress_ctx = s};
    PM_TRY(pm_measure__session_commit(s, err));
    PM_TRY(s->options->retries(s->store, s->run_id, &round, err));
    s->searched = true;
    return pm_measure__plan_retries(&s->plan, s->store, s->run_id, added, err);
}

/* Returns how many nanoseconds are left for additional processes; -1: there is no limit. */
static int64_t time_left(const struct session *s)
{
    const double within_ns = s->options->more_within_s * 1e9;
    const double left = within_ns - (double)(pm_clock_now() - s->began);
    return within_ns <= 0 ? -1 : left > 0 ? (int64_t)left : 0;
}

/* Adds processes for quick functions, after their timed executions have shown how long they take.
 */
static int add_more(struct session *s, size_t *added, struct pm_error *err)
{
    if (!s->options->more_repetitions)
        return PM_OK;
    PM_TRY(ensure_transaction(s, err));
    PM_TRY(pm_measure__plan_more(&s->plan, s->store, s->run_id, time_left(s), added, err));
    return pm_measure__session_commit(s, err);
}

static int advance_phase(struct session *s, struct pm_error *err)
{
    while (s->phase < PHASE_COUNT && phase_over(s)) {
        size_t added = 0;
        if (s->phase == PHASE_LATENCIES)
            PM_TRY(add_more(s, &added, err));
        if (added)
            return PM_OK;
        if (s->phase <= PHASE_CALIBRATION && pm_measure__planted_faults_again(s, s->phase))
            return PM_OK;
        if (pm_measure__planted_faults_later(s, s->phase)) {
            s->phase = PHASE_CALIBRATION;
            return PM_OK;
        }
        if (s->phase == PHASE_RETRIES)
            PM_TRY(add_retries(s, &added, err));
        if (added)
            return PM_OK;
        s->phase++;
    }
    return PM_OK;
}

static int policy_next(void *ctx, unsigned slot, struct pm_child_plan *plan, struct pm_error *err)
{
    struct session *s = ctx;
    PM_TRY(advance_phase(s, err));
    if (s->phase == PHASE_COUNT ||
        (pm_measure__phase_is_single(s->phase) && (slot != 0 || s->running)))
        return 0;
    struct plan_queue *queue = &s->plan.queues[s->phase];
    if (queue->next == queue->count)
        return 0;
    struct plan_group *group = queue->groups[queue->next++];
    struct plan_target *t = target_of(s, group);
    struct session_child *child = pm_alloc(sizeof *child);
    child->group = group;
    child->slot = slot;
    *plan = (struct pm_child_plan){
        .driver = pm_measure__group_times(&s->plan, group) ? &t->bound_driver : &t->loose_driver,
        .setting = pm_measure__setting(s, group),
        .memory = group->planted_fault && pm_measure__planted_fault_memory(group->planted_fault)
                      ? pm_measure__planted_fault_memory(group->planted_fault)
                      : s->options->memory,
        .start_timeout_ms = START_TIMEOUT_MS,
        .ctx = child,
    };
    s->running++;
    s->children[slot] = child;
    return 1;
}

/* ---- the child at work ----------------------------------------------------------------------- */

static int unusable(struct session *s, struct plan_target *t, const char *why, struct pm_error *err)
{
    const size_t index = (size_t)(t - s->plan.targets);
    if (t->role == PM_ROLE_ORACLE) {
        free(s->unusable[index]);
        s->unusable[index] = pm_strdup(why);
        return PM_OK;
    }
    return pm_error_set(
        err, PM_EIO,
        "target '%s' cannot be measured: %s: portmeter devices lists what can be measured",
        t->target.text, why);
}

static int policy_driver_ready(void *ctx, const struct pm_driver_info *info, struct pm_error *err)
{
    struct session *s = ctx;
    for (size_t i = 0; i < s->plan.target_count; i++) {
        struct plan_target *t = &s->plan.targets[i];
        if (strcmp(info->driver->key, t->bound.key) && strcmp(info->driver->key, t->loose.key))
            continue;
        const char *error = pm_json_string(info->ready, "error", NULL);
        if (error) {
            PM_TRY(unusable(s, t, error, err));
            continue;
        }
        if (t->described)
            continue;
        char *versions = object_text(info->ready, "versions");
        char *python = short_text(info->ready, "python", "");
        const struct pm_target_row row = {.id = t->id, .versions = versions, .python = python};
        int rc = ensure_transaction(s, err);
        if (!rc)
            rc = pm_store_update_target(s->store, &row, err);
        free(versions);
        free(python);
        PM_TRY(rc);
    }
    return PM_OK;
}

static int policy_started(void *ctx, void *which, const json_t *header, struct pm_error *err)
{
    struct session *s = ctx;
    struct session_child *child = which;
    struct plan_target *t = target_of(s, child->group);
    const json_t *error = json_object_get(header, "error");
    if (json_is_object(error))
        return unusable(s, t, pm_json_string(error, "message", "its process did not start"), err);
    child->started = json_deep_copy(header);
    s->false_starts = 0;
    if (t->described)
        return PM_OK;
    char *numeric = object_text(header, "numeric");
    char *device = short_text(header, "device", t->target.device);
    char *version = short_text(header, "driver_version", "");
    const struct pm_target_row row = {
        .id = t->id, .device_name = device, .driver_version = version, .numeric = numeric};
    int rc = ensure_transaction(s, err);
    if (!rc)
        rc = pm_store_update_target(s->store, &row, err);
    free(numeric);
    free(device);
    free(version);
    t->described = rc == PM_OK;
    return rc;
}

static int policy_job(void *ctx, void *which, struct pm_job *job, struct pm_error *err)
{
    struct session *s = ctx;
    struct session_child *child = which;
    struct plan_group *group = child->group;
    const double timeout_s = s->options->timeout_s;
    struct job_options options = {
        .seed = (uint64_t)s->options->seed,
        .rehearse = s->options->rehearse,
        .timeout_ms = pm_measure__timeout_ms(timeout_s > 0 ? timeout_s : DEFAULT_TIMEOUT_S)};
    const struct pm_case *test;
    if (child->spent)
        return 0;
    if (group->planted_fault) {
        test = pm_measure__planted_fault_case(group->planted_fault);
        options.timeout_ms = pm_measure__planted_fault_timeout_ms(group->planted_fault);
        options.purity = true;
        child->spent = true;
    } else {
        if (group->next == group->count)
            return 0;
        child->current = &s->plan.executions[group->executions[group->next++]];
        options.execution = child->current->id;
        pm_measure__flight_set(s->flight, child->slot, child->current->id);
        /* Purity is a property of the case: its executions on the reference show it. */
        options.purity = target_of(s, group)->role == PM_ROLE_REFERENCE;
        options.needs = options.purity && !child->current->repetition && !options.rehearse;
        test = child->current->test;
    }
    PM_TRY(pm_measure__job_make(test, &options, job, err));
    job->last = group->planted_fault || group->next == group->count;
    child->jobs++;
    return 1;
}

static int policy_asked(void *ctx, void *which, const struct pm_frame *ask, json_t *header,
                        struct pm_str *body, struct pm_error *err)
{
    const struct session *s = ctx;
    const struct session_child *child = which;
    const struct pm_case *test = child->current ? child->current->test
                                 : child->group->planted_fault
                                     ? pm_measure__planted_fault_case(child->group->planted_fault)
                                     : NULL;
    if (!test)
        return pm_error_set(err, PM_EFORMAT,
                            "the process of the case requested arrays without a job");
    return pm_measure__job_give(test, (uint64_t)s->options->seed, ask, header, body, err);
}

static int policy_answered(void *ctx, void *which, const struct pm_frame *result,
                           struct pm_error *err)
{
    struct session *s = ctx;
    struct session_child *child = which;
    struct plan_execution *execution = child->current;
    if (child->group->planted_fault) {
        pm_measure__planted_fault_answered(child->group->planted_fault, result);
        return PM_OK;
    }
    if (!execution || pm_json_int(result->header, "execution", -1) != execution->id)
        return pm_error_set(err, PM_EFORMAT,
                            "the process of the case answered a job that it did not receive");
    struct answer answer;
    PM_TRY(pm_measure__answer_parse(&answer, result, err));
    const bool wrong = pm_measure__answer_went_wrong(&answer, execution->test->raises_type != NULL);
    child->spent |= wrong;
    child->current = NULL;
    pm_measure__flight_set(s->flight, child->slot, 0);
    const int rc = finish_execution(s, child, execution, &answer, NULL, wrong, err);
    pm_measure__answer_release(&answer);
    return rc;
}

/* ---- the child's end ------------------------------------------------------------------------- */

/* Stores that a job has no answer, unless the user stopped its child. */
static int lose_job(struct session *s, struct session_child *child, const struct pm_ending *ending,
                    struct pm_error *err)
{
    struct plan_execution *execution = child->current;
    child->current = NULL;
    if (ending->kind == PM_ENDING_STOPPED)
        return PM_OK;
    return finish_execution(s, child, execution, NULL, ending, true, err);
}

/* Handles a child that ended before its first job. After MOST_FALSE_STARTS such children, the first
 * execution of the group is finished with that ending, so that a target that cannot start is not
 * retried forever. If the target is unusable, all executions of the group are finished at once. */
static int false_start(struct session *s, struct session_child *child,
                       const struct pm_ending *ending, struct pm_error *err)
{
    struct plan_group *group = child->group;
    const bool hopeless = s->unusable[group->target] != NULL;
    if (!hopeless && ++group->false_starts < MOST_FALSE_STARTS)
        return PM_OK;
    do {
        struct plan_execution *execution = &s->plan.executions[group->executions[group->next++]];
        PM_TRY(finish_execution(s, child, execution, NULL, ending, true, err));
    } while (hopeless && group->next < group->count);
    return PM_OK;
}

/* Queues the jobs that the child of `group` did not start, for a new child. */
static void queue_rest(struct session *s, const struct plan_group *group)
{
    const size_t left = group->count - group->next;
    if (!left)
        return;
    struct plan_group *rest = pm_measure__plan_add_group(&s->plan, group->target, group->phase);
    rest->executions = pm_alloc(left * sizeof *rest->executions);
    memcpy(rest->executions, group->executions + group->next, left * sizeof *rest->executions);
    rest->count = left;
    rest->false_starts = group->false_starts;
}

static int policy_ended(void *ctx, void *which, const struct pm_ending *ending,
                        struct pm_error *err)
{
    struct session *s = ctx;
    struct session_child *child = which;
    struct plan_group *group = child->group;
    const bool stopped = ending->kind == PM_ENDING_STOPPED;
    struct pm_ending of_job = *ending;
    char *why = NULL;
    int rc = PM_OK;
    s->running--;
    pm_measure__flight_set(s->flight, child->slot, 0);
    if (!child->jobs && !stopped && ending->kind != PM_ENDING_DRIVER) {
        why = pm_measure__false_start(&of_job);
        if (!ending->started)
            rc = pm_measure__false_start_count(s, group, &of_job, err);
    }
    if (!rc && group->planted_fault) {
        if (!stopped)
            pm_measure__planted_fault_ended(group->planted_fault, &of_job);
    } else if (!rc) {
        if (child->current)
            rc = lose_job(s, child, &of_job, err);
        else if (!child->jobs && !stopped)
            rc = false_start(s, child, &of_job, err);
        if (!rc && !stopped)
            queue_rest(s, group);
    }
    free(why);
    if (!rc && (child->row || !group->planted_fault))
        rc = store_child(s, child, ending, err);
    s->children[child->slot] = NULL;
    pm_measure__session_child_free(child);
    return rc;
}

static const char *at_work(const struct session *s)
{
    const struct plan_queue *queue = &s->plan.queues[s->phase < PHASE_COUNT ? s->phase : 0];
    if (s->phase >= PHASE_OUTCOMES && s->phase < PHASE_COUNT && queue->next) {
        const struct plan_group *group = queue->groups[queue->next - 1];
        return s->plan.executions[group->executions[0]].test->function->name;
    }
    return "self-check";
}

/* Returns the typical time of an execution on a target, in ms: a timed execution takes longer than
 * others and runs alone. */
static double typical_ms(const struct plan *plan, const struct plan_target *t)
{
    const double *ms = pm_framework_find(t->target.framework)->execution_ms;
    const double untimed = ms[false] / plan->jobs;
    if (!t->latencies)
        return untimed;
    return t->checks ? (ms[true] * (t->repetitions - 1) + untimed) / t->repetitions : ms[true];
}

/* Updates the progress, weighted by typical times, because frameworks and executions differ. */
static void weigh_work(struct session *s)
{
    s->progress.work_done = s->progress.work_total = 0;
    for (size_t i = 0; i < s->plan.target_count; i++) {
        const struct plan_target *t = &s->plan.targets[i];
        const double ms = typical_ms(&s->plan, t);
        s->progress.work_done += ms * (double)t->done;
        s->progress.work_total += ms * (double)t->planned;
    }
}

static int policy_tick(void *ctx, struct pm_error *err)
{
    struct session *s = ctx;
    const struct plan_queue *queue = &s->plan.queues[s->phase < PHASE_COUNT ? s->phase : 0];
    const char *target =
        queue->next ? s->plan.targets[queue->groups[queue->next - 1]->target].target.text : "";
    char *label = pm_format("%s  %s", target, at_work(s));
    weigh_work(s);
    pm_progress_update(&s->progress, label, s->done, s->plan.planned, s->failing);
    free(label);
    return pm_clock_now() - s->last_commit < COMMIT_EVERY_NS ? PM_OK
                                                             : pm_measure__session_commit(s, err);
}

struct pm_pool_policy pm_measure__session_policy(struct session *session)
{
    return (struct pm_pool_policy){
        .ctx = session,
        .next = policy_next,
        .driver_ready = policy_driver_ready,
        .started = policy_started,
        .job = policy_job,
        .asked = policy_asked,
        .answered = policy_answered,
        .ended = policy_ended,
        .tick = policy_tick,
    };
}

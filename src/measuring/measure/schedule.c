/* Writes the executions of a plan to the store, and makes the groups that children run. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/random.h"
#include "base/stop.h"
#include "measure/plan.h"
#include "store/executions.h"
#include "store/targets.h"

static int store_target(struct plan *plan, struct pm_store *store, int64_t run_id,
                        struct plan_target *t, struct pm_error *err)
{
    const struct pm_target_row row = {
        .run_id = run_id,
        .text = t->target.text,
        .environment = t->target.environment,
        .framework = t->target.framework,
        .device = t->target.device,
        .variant = t->target.variant,
        .reference = t->role == PM_ROLE_SUBJECT || t->role == PM_ROLE_NOISE
                         ? plan->targets[t->reference].target.text
                         : "",
        .role = t->role,
        .evidence = t->target.evidence,
        .latencies = t->latencies,
        .on_host = t->target.on_host,
        .hides_fallbacks = t->target.hides_fallbacks,
        .imports = t->environment->imports ? t->environment->imports : "",
        .version = t->version,
        .interpreter = t->environment->python,
    };
    return pm_store_add_target(store, &row, &t->id, err);
}

static int store_case(struct pm_store *store, const struct pm_case *c, int64_t *id,
                      struct pm_error *err)
{
    json_t *definition = pm_case_json(c);
    char *text = json_dumps(definition, JSON_COMPACT | JSON_SORT_KEYS);
    const struct pm_case_row row = {
        .framework = c->function->framework,
        .function = c->function->name,
        .name = c->name,
        .dtype = c->has_dtype ? pm_dtype_name(c->dtype) : "",
        .definition = text,
        .host_only = c->function->host_only,
        .size = c->size,
        .kind = c->kind,
    };
    const int rc = pm_store_add_case(store, &row, id, err);
    free(text);
    json_decref(definition);
    return rc;
}

/* Returns whether a target measures case k. A target measures the cases of its framework that
 * apply to its version. A reference skips those with `reference: none`. Its second measurement
 * includes only the cases chosen for it. */
static bool measures(const struct plan *plan, const struct plan_target *t, size_t k)
{
    const struct pm_case *c = plan->cases[k];
    if (t->role == PM_ROLE_ORACLE || strcmp(c->function->framework, t->target.framework))
        return false;
    if (!pm_case_in_version(c, t->version))
        return false;
    if (t->role == PM_ROLE_NOISE && !plan->for_noise[k])
        return false;
    return t->role == PM_ROLE_SUBJECT || c->reference != PM_CASE_REFERENCE_NONE;
}

static bool is_measured(const struct plan *plan, size_t k)
{
    for (size_t i = 0; i < plan->target_count; i++)
        if (measures(plan, &plan->targets[i], k))
            return true;
    return false;
}

/* Returns whether a target runs case k. The oracle evaluates the `expect` of cases that other
 * targets measure. */
static bool runs_on(const struct plan *plan, const struct plan_target *t, size_t k)
{
    return t->role == PM_ROLE_ORACLE ? plan->cases[k]->expect && is_measured(plan, k)
                                     : measures(plan, t, k);
}

static void add_execution(struct plan *plan, const struct plan_execution *execution)
{
    size_t n = plan->execution_count;
    if ((n & (n - 1)) == 0)
        plan->executions =
            pm_realloc_array(plan->executions, n ? 2 * n : 1, sizeof *plan->executions);
    plan->executions[plan->execution_count++] = *execution;
    plan->planned += execution->retry == PM_RETRY_NONE;
    plan->targets[execution->target].planned += execution->retry == PM_RETRY_NONE;
}

/* Adds the repetitions of a case on a target from `first` up to `end`, which is excluded. */
static int plan_case(struct plan *plan, struct pm_store *store, int64_t run_id, int target,
                     size_t k, unsigned first, unsigned end, struct pm_error *err)
{
    const struct plan_target *t = &plan->targets[target];
    const struct pm_case *test = plan->cases[k];
    int64_t case_id, id;
    PM_TRY(store_case(store, test, &case_id, err));
    for (unsigned r = first; r < end; r++) {
        PM_TRY(pm_store_plan_execution(store, run_id, t->id, case_id, r, PM_RETRY_NONE, &id, err));
        add_execution(plan, &(struct plan_execution){.target = target,
                                                     .test = test,
                                                     .number = k,
                                                     .case_id = case_id,
                                                     .id = id,
                                                     .repetition = r});
    }
    return PM_OK;
}

/* Returns how often a case runs. In a rehearsal, a case with `repeat: pure` runs once, because its
 * driver calls it twice in one process. */
static unsigned repetitions_of(const struct plan *plan, const struct plan_target *t, size_t k)
{
    const bool is_called_twice = plan->cases[k]->repeat == PM_REPEAT_PURE;
    return plan->options->rehearse && is_called_twice ? 1 : t->repetitions;
}

unsigned pm_measure__plan_repetitions(const struct plan *plan, const struct plan_target *t,
                                      size_t k)
{
    return runs_on(plan, t, k) ? repetitions_of(plan, t, k) : 0;
}

int pm_measure__plan_executions(struct plan *plan, struct pm_store *store, int64_t run_id,
                                struct pm_error *err)
{
    PM_TRY(pm_measure__check_kinds(plan, store, err));
    for (size_t i = 0; i < plan->target_count; i++)
        PM_TRY(store_target(plan, store, run_id, &plan->targets[i], err));
    for (size_t k = 0; k < plan->case_count; k++) {
        PM_TRY(pm_stop_check(err));
        for (size_t i = 0; i < plan->target_count; i++) {
            const unsigned count = pm_measure__plan_repetitions(plan, &plan->targets[i], k);
            if (count)
                PM_TRY(plan_case(plan, store, run_id, (int)i, k, 0, count, err));
        }
    }
    return PM_OK;
}

/* ---- resuming a run ------------------------------------------------------------------------ */

struct resuming {
    struct plan *plan;
    int64_t run_id;
    struct pm_map cases; /* by function and name: pointer into plan->cases */
    unsigned *stored;    /* target x case: number of executions that the store has */
    size_t targets_met;
    struct pm_error *err;
};

static int cannot_resume(const struct resuming *up, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int cannot_resume(const struct resuming *up, const char *format, ...)
{
    char why[400];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return pm_error_set(up->err, PM_EUSAGE, "run %lld cannot be resumed (%s): start a new run",
                        (long long)up->run_id, why);
}

static int meet_target(void *ctx, const struct pm_target_row *row)
{
    struct resuming *up = ctx;
    for (size_t i = 0; i < up->plan->target_count; i++) {
        struct plan_target *t = &up->plan->targets[i];
        if (strcmp(t->target.text, row->text) ||
            (t->role == PM_ROLE_NOISE) != (row->role == PM_ROLE_NOISE))
            continue;
        t->id = row->id;
        t->described = *row->device_name != 0;
        up->targets_met++;
        if (strcmp(row->version, t->version))
            return cannot_resume(up, "the framework of '%s' was version %s and is %s now",
                                 row->text, row->version, t->version);
        if (strcmp(row->interpreter, t->environment->python))
            return cannot_resume(up, "the interpreter of '%s' was '%s' and is '%s' now", row->text,
                                 row->interpreter, t->environment->python);
        return PM_OK;
    }
    return cannot_resume(up, "target '%s' is missing now", row->text);
}

static char *case_key(const char *function, const char *name)
{
    return pm_format("%s\n%s", function, name);
}

static void map_cases(struct resuming *up)
{
    for (size_t i = 0; i < up->plan->case_count; i++) {
        const struct pm_case **at = &up->plan->cases[i];
        char *key = case_key((*at)->function->name, (*at)->name);
        pm_map_put(&up->cases, key, at);
        free(key);
    }
}

unsigned pm_measure__plan_more_of(const struct plan *plan, const struct plan_target *t)
{
    const unsigned more = plan->options->more_repetitions;
    return t->latencies && more ? more + t->checks : 0;
}

static unsigned most_repetitions(const struct plan *plan, const struct plan_target *t)
{
    const unsigned more = pm_measure__plan_more_of(plan, t);
    return t->repetitions > more ? t->repetitions : more;
}

static int meet_execution(void *ctx, const struct pm_execution_row *row)
{
    struct resuming *up = ctx;
    struct plan *plan = up->plan;
    char *key = case_key(row->function, row->name);
    const struct pm_case **test = pm_map_get(&up->cases, key);
    free(key);
    size_t target = 0;
    while (target < plan->target_count && plan->targets[target].id != row->target_id)
        target++;
    if (!test || target == plan->target_count)
        return cannot_resume(up, "the suite no longer has case '%s' of '%s'", row->name,
                             row->function);
    if (row->repetition >= most_repetitions(plan, &plan->targets[target]))
        return pm_error_set(
            up->err, PM_EUSAGE,
            "run %lld has more processes per case than --repetitions %u: give a larger number",
            (long long)up->run_id, plan->options->repetitions);
    if (row->retry == PM_RETRY_NONE)
        up->stored[target * plan->case_count + (size_t)(test - plan->cases)]++;
    add_execution(plan, &(struct plan_execution){.target = (int)target,
                                                 .test = *test,
                                                 .number = (size_t)(test - plan->cases),
                                                 .case_id = row->case_id,
                                                 .id = row->id,
                                                 .repetition = (unsigned)row->repetition,
                                                 .retry = row->retry,
                                                 .kills = row->kills,
                                                 .kills_alone = row->kills_alone,
                                                 .done = row->state == PM_EXECUTION_DONE});
    return PM_OK;
}

/* Adds a stored execution that is not done. It is a retry, because this is called only when all
 * other executions are done. */
static int meet_repeat(void *ctx, const struct pm_execution_row *row)
{
    return row->state == PM_EXECUTION_PLANNED ? meet_execution(ctx, row) : PM_OK;
}

/* Adds the repetitions of the plan that the store lacks. */
static int add_repetitions(const struct resuming *up, struct pm_store *store)
{
    struct plan *plan = up->plan;
    for (size_t i = 0; i < plan->target_count; i++) {
        const struct plan_target *t = &plan->targets[i];
        for (size_t k = 0; k < plan->case_count; k++) {
            const unsigned stored = up->stored[i * plan->case_count + k];
            if (stored < t->repetitions && runs_on(plan, t, k))
                PM_TRY(
                    plan_case(plan, store, up->run_id, (int)i, k, stored, t->repetitions, up->err));
        }
    }
    return PM_OK;
}

static int read_back(struct resuming *up, struct pm_store *store)
{
    PM_TRY(pm_store_targets(store, up->run_id, meet_target, up, up->err));
    if (up->targets_met != up->plan->target_count)
        return cannot_resume(up, "the number of targets was %zu and is %zu now", up->targets_met,
                             up->plan->target_count);
    PM_TRY(pm_store_executions(store, up->run_id, 0, meet_execution, up, up->err));
    return add_repetitions(up, store);
}

static struct resuming resuming_begin(struct plan *plan, int64_t run_id, struct pm_error *err)
{
    struct resuming up = {.plan = plan, .run_id = run_id, .err = err};
    up.stored = pm_alloc((plan->target_count * plan->case_count + 1) * sizeof *up.stored);
    map_cases(&up);
    return up;
}

static void resuming_end(struct resuming *up)
{
    pm_map_release(&up->cases);
    free(up->stored);
}

int pm_measure__plan_resume(struct plan *plan, struct pm_store *store, int64_t run_id,
                            struct pm_error *err)
{
    struct resuming up = resuming_begin(plan, run_id, err);
    const int rc = read_back(&up, store);
    resuming_end(&up);
    return rc;
}

/* ---- groups -------------------------------------------------------------------------------- */

struct plan_group *pm_measure__plan_add_group(struct plan *plan, int target, enum plan_phase phase)
{
    struct plan_group *group = pm_alloc(sizeof *group);
    group->target = target;
    group->phase = phase;
    struct plan_queue *queue = &plan->queues[phase];
    PM_GROW(queue->groups, queue->count, queue->capacity);
    queue->groups[queue->count++] = group;
    return group;
}

/* Returns a number for the kind of process that an execution needs. The oracle evaluates `expect`
 * in any process. */
static size_t process_of(const struct plan *plan, const struct plan_execution *e)
{
    return plan->targets[e->target].role == PM_ROLE_ORACLE ? 0 : plan->process_of[e->number];
}

static bool share_a_child(const struct plan *plan, const struct plan_execution *a,
                          const struct plan_execution *b)
{
    if (a->target != b->target || a->repetition != b->repetition || a->retry || b->retry ||
        a->kills || b->kills || process_of(plan, a) != process_of(plan, b))
        return false;
    switch (plan->options->isolation) {
    case PM_ISOLATION_WORKER:
        return true;
    case PM_ISOLATION_FUNCTION:
        return a->test->function == b->test->function;
    default:
        return false;
    }
}

/* Orders executions so that those that may share a child are next to each other. */
static int by_child(const void *left, const void *right, void *ctx)
{
    const struct plan *plan = ctx;
    const struct plan_execution *a = &plan->executions[*(const size_t *)left];
    const struct plan_execution *b = &plan->executions[*(const size_t *)right];
    if (a->target != b->target)
        return a->target - b->target;
    if (a->repetition != b->repetition)
        return a->repetition < b->repetition ? -1 : 1;
    if (plan->options->isolation != PM_ISOLATION_WORKER && a->test->function != b->test->function)
        return a->test < b->test ? -1 : 1;
    const size_t left_process = process_of(plan, a), right_process = process_of(plan, b);
    if (left_process != right_process)
        return left_process < right_process ? -1 : 1;
    return a->test < b->test ? -1 : a->test > b->test;
}

/* Shuffles the groups after the first `from`. */
static void shuffle(const struct plan *plan, struct plan_queue *queue, size_t from)
{
    struct pm_random random;
    pm_random_init(&random, "order of groups", (uint64_t)plan->options->seed);
    for (size_t i = queue->count; i > from + 1; i--) {
        const size_t k = from + (size_t)pm_random_below(&random, i - from);
        struct plan_group *swap = queue->groups[i - 1];
        queue->groups[i - 1] = queue->groups[k];
        queue->groups[k] = swap;
    }
}

/* Returns the rank of a group's environment among those of the plan; that of the oracle is 0. */
static size_t place_of_environment(const struct plan *plan, const struct plan_group *group)
{
    const struct plan_target *t = &plan->targets[group->target];
    size_t place = 0;
    while (t->role != PM_ROLE_ORACLE && plan->targets[place].environment != t->environment)
        place++;
    return t->role == PM_ROLE_ORACLE ? 0 : place + 1;
}

struct placed_group {
    struct plan_group *group;
    size_t environment, position;
    int use; /* for by_use: the logarithm of the number of calls of its function */
};

/* Returns the binary logarithm, rounded down, of one plus the number of calls of a group's
 * function; 0 for planted faults, or if the order does not depend on use. So functions that are
 * called about equally often keep their shuffled order, and a drift of the machine affects a target
 * and its reference equally. */
static int use_of(const struct plan *plan, const struct plan_group *group)
{
    if (!plan->calls || group->planted_fault)
        return 0;
    const struct pm_case *test = plan->executions[group->executions[0]].test;
    const struct pm_sample_calls *calls =
        &plan->calls[plan->targets[group->target].suite - plan->suites];
    return (int)log2(1 + (double)pm_sample_calls_of(calls, test->function->name));
}

static int by_environment(const void *left, const void *right)
{
    const struct placed_group *a = left, *b = right;
    if (a->environment != b->environment)
        return a->environment < b->environment ? -1 : 1;
    if (a->use != b->use)
        return a->use > b->use ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Orders groups by framework, so that only one framework is in memory at a time. Within a framework
 * they keep their shuffled order or, if the options request it, the most used functions come
 * first. */
static void gather_by_environment(const struct plan *plan, struct plan_queue *queue, size_t from)
{
    const size_t count = queue->count - from;
    struct placed_group *placed = pm_alloc((count + 1) * sizeof *placed);
    for (size_t i = 0; i < count; i++) {
        struct plan_group *group = queue->groups[from + i];
        placed[i] =
            (struct placed_group){group, place_of_environment(plan, group), i, use_of(plan, group)};
    }
    qsort(placed, count, sizeof *placed, by_environment);
    for (size_t i = 0; i < count; i++)
        queue->groups[from + i] = placed[i].group;
    free(placed);
}

static enum plan_phase phase_of(const struct plan *plan, const struct plan_execution *execution)
{
    if (execution->kills)
        return PHASE_SUSPECTS;
    if (execution->retry)
        return PHASE_RETRIES;
    return pm_measure__is_timed(&plan->targets[execution->target], execution->repetition)
               ? PHASE_LATENCIES
               : PHASE_OUTCOMES;
}

/* Adds a group; `order` NULL: there is one execution. */
static void add_group(struct plan *plan, const struct plan_order *order, const size_t *executions,
                      size_t count)
{
    const struct plan_execution *head = &plan->executions[executions[0]];
    struct plan_group *group = pm_measure__plan_add_group(plan, head->target, phase_of(plan, head));
    group->count = count;
    group->executions = pm_alloc(count * sizeof *group->executions);
    memcpy(group->executions, executions, count * sizeof *executions);
    if (order)
        pm_measure__order_apply(plan, order, group);
}

int pm_measure__plan_retries(struct plan *plan, struct pm_store *store, int64_t run_id,
                             size_t *added, struct pm_error *err)
{
    const size_t before = plan->execution_count, queued = plan->queues[PHASE_RETRIES].count;
    struct resuming up = resuming_begin(plan, run_id, err);
    const int rc = pm_store_executions(store, run_id, 0, meet_repeat, &up, err);
    resuming_end(&up);
    for (size_t i = before; i < plan->execution_count; i++)
        add_group(plan, NULL, &i, 1);
    gather_by_environment(plan, &plan->queues[PHASE_RETRIES], queued);
    *added = plan->execution_count - before;
    return rc;
}

/* Returns the order of all cases that run on a target other than the oracle. */
static struct plan_order *order_of_cases(const struct plan *plan)
{
    bool *runs = pm_alloc((plan->case_count + 1) * sizeof *runs);
    for (size_t k = 0; k < plan->case_count; k++)
        runs[k] = is_measured(plan, k);
    struct plan_order *order = pm_measure__order_make(plan, runs);
    free(runs);
    return order;
}

/* Groups the executions from number `first` on. */
static void group_from(struct plan *plan, size_t first)
{
    static const enum plan_phase shuffled[] = {PHASE_OUTCOMES, PHASE_LATENCIES};
    const size_t before[] = {plan->queues[PHASE_OUTCOMES].count,
                             plan->queues[PHASE_LATENCIES].count};
    size_t *order = pm_alloc((plan->execution_count + 1) * sizeof *order);
    size_t count = 0;
    for (size_t i = first; i < plan->execution_count; i++)
        if (!plan->executions[i].done)
            order[count++] = i;
    qsort_r(order, count, sizeof *order, by_child, plan);
    struct plan_order *places = order_of_cases(plan);
    for (size_t i = 0, n; i < count; i += n) {
        const struct plan_execution *head = &plan->executions[order[i]];
        for (n = 1; i + n < count; n++)
            if (!share_a_child(plan, head, &plan->executions[order[i + n]]))
                break;
        add_group(plan, places, order + i, n);
    }
    free(order);
    free(places);
    for (size_t i = 0; i < sizeof shuffled / sizeof *shuffled; i++) {
        shuffle(plan, &plan->queues[shuffled[i]], before[i]);
        gather_by_environment(plan, &plan->queues[shuffled[i]], before[i]);
    }
}

int pm_measure__plan_calls(struct plan *plan, struct pm_store *store, struct pm_error *err)
{
    if (!plan->options->by_use)
        return PM_OK;
    plan->calls = pm_alloc(plan->suite_count * sizeof *plan->calls);
    for (size_t i = 0; i < plan->suite_count; i++)
        PM_TRY(pm_sample_calls_load(&plan->calls[i], store, plan->suites[i].functions[0].framework,
                                    err));
    return PM_OK;
}

void pm_measure__plan_groups(struct plan *plan)
{
    group_from(plan, 0);
}

/* ---- more processes for quick functions ---------------------------------------------------- */

struct timed_function {
    const char *name; /* owned */
    int64_t more_ns;  /* expected time of the processes that it still lacks, on all targets */
    bool is_slow;
};

struct timing {
    const struct resuming *up;
    struct timed_function *functions;
    size_t count, capacity;
};

static struct timed_function *timed_function(struct timing *timing, const char *name)
{
    for (size_t i = 0; i < timing->count; i++)
        if (!strcmp(timing->functions[i].name, name))
            return &timing->functions[i];
    PM_GROW(timing->functions, timing->count, timing->capacity);
    timing->functions[timing->count] = (struct timed_function){.name = pm_strdup(name)};
    return &timing->functions[timing->count++];
}

/* Returns the number of repetitions of a function on a target, which is that of each of its cases.
 */
static unsigned stored_of(const struct resuming *up, size_t target, const char *function)
{
    const struct plan *plan = up->plan;
    for (size_t k = 0; k < plan->case_count; k++)
        if (!strcmp(plan->cases[k]->function->name, function) &&
            runs_on(plan, &plan->targets[target], k))
            return up->stored[target * plan->case_count + k];
    return 0;
}

static int meet_time(void *ctx, const struct pm_function_time_row *row)
{
    struct timing *timing = ctx;
    const struct plan *plan = timing->up->plan;
    for (size_t i = 0; i < plan->target_count; i++) {
        const struct plan_target *t = &plan->targets[i];
        const unsigned stored =
            t->id == row->target_id && t->latencies ? stored_of(timing->up, i, row->function) : 0;
        if (!stored)
            continue;
        struct timed_function *f = timed_function(timing, row->function);
        /* An untimed process takes less time than the others, and the division ignores it. */
        const int64_t each_ns = row->wall_ns / (stored > t->checks ? stored - t->checks : 1);
        const unsigned most = pm_measure__plan_more_of(plan, t);
        f->is_slow |= each_ns > PM_QUICK_S * INT64_C(1000000000);
        if (most > stored)
            f->more_ns += each_ns * (most - stored);
    }
    return PM_OK;
}

static int quickest_first(const void *left, const void *right)
{
    const struct timed_function *a = left, *b = right;
    return a->more_ns != b->more_ns ? (a->more_ns < b->more_ns ? -1 : 1) : strcmp(a->name, b->name);
}

/* Puts into `slow` the functions that get no more processes, because they are slow or do not fit
 * into `left_ns` (negative: no limit). Frees the functions of `timing`. */
static void choose_slow(struct timing *timing, int64_t left_ns, struct pm_map *slow)
{
    qsort(timing->functions, timing->count, sizeof *timing->functions, quickest_first);
    int64_t sum_ns = 0;
    for (size_t i = 0; i < timing->count; i++) {
        struct timed_function *f = &timing->functions[i];
        sum_ns += f->is_slow ? 0 : f->more_ns;
        if (f->is_slow || (left_ns >= 0 && sum_ns > left_ns))
            pm_map_put(slow, f->name, NULL);
        free((char *)(uintptr_t)f->name);
    }
    free(timing->functions);
}

static int add_more(const struct resuming *up, struct pm_store *store, const struct pm_map *slow)
{
    struct plan *plan = up->plan;
    for (size_t i = 0; i < plan->target_count; i++)
        for (size_t k = 0; k < plan->case_count && plan->targets[i].latencies; k++)
            if (runs_on(plan, &plan->targets[i], k) &&
                !pm_map_has(slow, plan->cases[k]->function->name))
                PM_TRY(plan_case(plan, store, up->run_id, (int)i, k,
                                 up->stored[i * plan->case_count + k],
                                 pm_measure__plan_more_of(plan, &plan->targets[i]), up->err));
    return PM_OK;
}

/* Counts the repetitions that each case has on each target. */
static void count_stored(struct resuming *up)
{
    const struct plan *plan = up->plan;
    for (size_t i = 0; i < plan->execution_count; i++) {
        const struct plan_execution *e = &plan->executions[i];
        char *key = case_key(e->test->function->name, e->test->name);
        const struct pm_case **test = pm_map_get(&up->cases, key);
        free(key);
        if (e->retry == PM_RETRY_NONE)
            up->stored[(size_t)e->target * plan->case_count + (size_t)(test - plan->cases)]++;
    }
}

int pm_measure__plan_more(struct plan *plan, struct pm_store *store, int64_t run_id,
                          int64_t left_ns, size_t *added, struct pm_error *err)
{
    const size_t before = plan->execution_count;
    struct pm_map slow = {0};
    struct resuming up = resuming_begin(plan, run_id, err);
    struct timing timing = {.up = &up};
    count_stored(&up);
    int rc = pm_store_function_times(store, run_id, meet_time, &timing, err);
    choose_slow(&timing, left_ns, &slow);
    if (!rc)
        rc = add_more(&up, store, &slow);
    resuming_end(&up);
    pm_map_release(&slow);
    group_from(plan, before);
    *added = plan->execution_count - before;
    return rc;
}

/* The executions of a plan in the store, and the groups in which children take them. */
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "measure/plan.h"

static int store_target(struct plan *plan, struct pm_store *store, int64_t run_id,
                        struct plan_target *t, struct pm_error *err)
{
    static const char *const roles[] = {
#define X(id, text) [ROLE_##id] = text,
        PLAN_ROLES(X)
#undef X
    };
    const struct pm_target_row row = {
        .run_id = run_id,
        .text = t->target.text,
        .environment = t->target.environment,
        .framework = t->target.framework,
        .device = t->target.device,
        .mode = t->target.mode,
        .control = t->role == ROLE_SUBJECT ? plan->targets[t->control].target.text : "",
        .role = roles[t->role],
        .evidence = pm_evidence_text(t->target.evidence),
        .latencies = t->latencies,
        .on_host = t->target.on_host,
        .version = t->version,
        .python = t->environment->python,
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
        .large = c->large,
    };
    const int rc = pm_store_add_case(store, &row, id, err);
    free(text);
    json_decref(definition);
    return rc;
}

/* Which cases a target runs: its framework's, outside `control: none` for a control; the oracle
 * those with `expect`. */
static bool runs_on(const struct plan_target *t, const struct pm_case *c)
{
    if (t->role == ROLE_ORACLE)
        return c->expect != NULL;
    if (strcmp(c->function->framework, t->target.framework))
        return false;
    if (!pm_case_in_version(c, t->version))
        return false;
    return !(t->role == ROLE_CONTROL && c->no_control);
}

static void add_execution(struct plan *plan, int target, const struct pm_case *test,
                          int64_t case_id, unsigned repetition, int64_t id, bool done)
{
    size_t n = plan->execution_count;
    if ((n & (n - 1)) == 0)
        plan->executions =
            pm_realloc_array(plan->executions, n ? 2 * n : 1, sizeof *plan->executions);
    plan->executions[plan->execution_count++] = (struct plan_execution){
        .target = target,
        .test = test,
        .case_id = case_id,
        .id = id,
        .repetition = repetition,
        .done = done,
    };
}

int pm_measure__plan_executions(struct plan *plan, struct pm_store *store, int64_t run_id,
                                struct pm_error *err)
{
    for (size_t i = 0; i < plan->target_count; i++)
        PM_TRY(store_target(plan, store, run_id, &plan->targets[i], err));
    for (size_t k = 0; k < plan->case_count; k++) {
        const struct pm_case *c = plan->cases[k];
        int64_t case_id;
        PM_TRY(store_case(store, c, &case_id, err));
        for (size_t i = 0; i < plan->target_count; i++) {
            const struct plan_target *t = &plan->targets[i];
            for (unsigned r = 0; r < t->repetitions && runs_on(t, c); r++) {
                int64_t id;
                PM_TRY(pm_store_plan_execution(store, run_id, t->id, case_id, r, &id, err));
                add_execution(plan, (int)i, c, case_id, r, id, false);
            }
        }
    }
    return PM_OK;
}

/* ---- taking up a run ----------------------------------------------------------------------- */

struct take_up {
    struct plan *plan;
    struct pm_error *err;
    size_t targets_met;
};

static int meet_target(void *ctx, const struct pm_target_row *row)
{
    struct take_up *up = ctx;
    for (size_t i = 0; i < up->plan->target_count; i++) {
        struct plan_target *t = &up->plan->targets[i];
        if (strcmp(t->target.text, row->text))
            continue;
        t->id = row->id;
        t->described = *row->device_name != 0;
        up->targets_met++;
        if (strcmp(row->version, t->version))
            return pm_error_set(
                up->err, PM_EUSAGE,
                "run cannot be taken up: '%s' was %s and is %s now: start a new run", row->text,
                row->version, t->version);
        if (strcmp(row->python, t->environment->python))
            return pm_error_set(up->err, PM_EUSAGE,
                                "run cannot be taken up: the interpreter of '%s' was '%s' and is "
                                "'%s' now: start a new run",
                                row->text, row->python, t->environment->python);
        return PM_OK;
    }
    return pm_error_set(up->err, PM_EUSAGE, "run cannot be taken up: target '%s' is gone",
                        row->text);
}

static const struct pm_case *find_case(const struct plan *plan, const struct pm_execution_row *row)
{
    for (size_t i = 0; i < plan->case_count; i++)
        if (!strcmp(plan->cases[i]->function->name, row->function) &&
            !strcmp(plan->cases[i]->name, row->name))
            return plan->cases[i];
    return NULL;
}

static int meet_execution(void *ctx, const struct pm_execution_row *row)
{
    struct take_up *up = ctx;
    int target = NO_TARGET;
    for (size_t i = 0; i < up->plan->target_count; i++)
        if (up->plan->targets[i].id == row->target_id)
            target = (int)i;
    const struct pm_case *test = find_case(up->plan, row);
    if (target == NO_TARGET || !test)
        return pm_error_set(up->err, PM_EUSAGE,
                            "run cannot be taken up: case '%s' of '%s' is gone from the suite",
                            row->name, row->function);
    add_execution(up->plan, target, test, row->case_id, (unsigned)row->repetition, row->id,
                  !strcmp(row->state, "done"));
    return PM_OK;
}

int pm_measure__plan_take_up(struct plan *plan, struct pm_store *store, int64_t run_id,
                             struct pm_error *err)
{
    struct take_up up = {.plan = plan, .err = err};
    PM_TRY(pm_store_targets(store, run_id, meet_target, &up, err));
    if (up.targets_met != plan->target_count)
        return pm_error_set(err, PM_EUSAGE,
                            "run cannot be taken up: it had %zu targets and there are %zu now: "
                            "start a new run",
                            up.targets_met, plan->target_count);
    return pm_store_executions(store, run_id, 0, meet_execution, &up, err);
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

static bool share_a_child(const struct plan *plan, const struct plan_execution *a,
                          const struct plan_execution *b)
{
    if (a->target != b->target || a->repetition != b->repetition)
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

/* Order in which executions that may share a child stand beside each other. */
static int by_child(const void *left, const void *right, void *ctx)
{
    const struct plan *plan = ctx;
    const struct plan_execution *a = &plan->executions[*(const size_t *)left];
    const struct plan_execution *b = &plan->executions[*(const size_t *)right];
    if (a->target != b->target)
        return a->target - b->target;
    if (a->repetition != b->repetition)
        return a->repetition < b->repetition ? -1 : 1;
    return a->test < b->test ? -1 : a->test > b->test;
}

static void shuffle(const struct plan *plan, struct plan_queue *queue)
{
    struct pm_random random;
    pm_random_init(&random, "order of groups", (uint64_t)plan->options->seed);
    for (size_t i = queue->count; i > 1; i--) {
        const size_t k = (size_t)pm_random_below(&random, i);
        struct plan_group *swap = queue->groups[i - 1];
        queue->groups[i - 1] = queue->groups[k];
        queue->groups[k] = swap;
    }
}

void pm_measure__plan_groups(struct plan *plan)
{
    size_t *order = pm_alloc((plan->execution_count + 1) * sizeof *order);
    size_t count = 0;
    for (size_t i = 0; i < plan->execution_count; i++)
        if (!plan->executions[i].done)
            order[count++] = i;
    qsort_r(order, count, sizeof *order, by_child, plan);
    for (size_t i = 0, n; i < count; i += n) {
        const struct plan_execution *head = &plan->executions[order[i]];
        for (n = 1; i + n < count; n++)
            if (!share_a_child(plan, head, &plan->executions[order[i + n]]))
                break;
        const struct plan_target *t = &plan->targets[head->target];
        struct plan_group *group = pm_measure__plan_add_group(
            plan, head->target, t->latencies ? PHASE_LATENCIES : PHASE_OUTCOMES);
        group->count = n;
        group->executions = pm_alloc(n * sizeof *group->executions);
        memcpy(group->executions, order + i, n * sizeof *order);
    }
    free(order);
    shuffle(plan, &plan->queues[PHASE_OUTCOMES]);
    shuffle(plan, &plan->queues[PHASE_LATENCIES]);
}

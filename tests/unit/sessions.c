/* Sessions whose callbacks a test calls instead of the pool. */
#include "sessions.h"

#include "base/alloc.h"
#include "base/json.h"
#include "store/executions.h"

int played_set_up(void **state)
{
    struct played *g = pm_alloc(sizeof *g);
    void *planned = NULL;
    *state = g;
    if (planned_set_up(&planned))
        return -1;
    g->planned = planned;
    g->messages.out = tmpfile();
    return g->messages.out ? 0 : -1;
}

int played_tear_down(void **state)
{
    struct played *g = *state;
    struct session *s = &g->session;
    void *planned = g->planned;
    int rc = s->store ? pm_measure__session_commit(s, &g->err) : 0;
    for (size_t i = 0; s->children && i < s->plan.jobs; i++)
        pm_measure__session_child_free(s->children[i]);
    for (size_t i = 0; s->unusable && i < s->plan.target_count; i++)
        free(s->unusable[i]);
    pm_progress_end(&s->progress);
    pm_measure__planted_faults_release(s->planted_faults);
    pm_measure__plan_release(&s->plan);
    free(s->children);
    free(s->unusable);
    json_decref(g->job);
    fclose(g->messages.out);
    free(g);
    return planned_tear_down(&planned) || rc;
}

void played_begin(struct played *g, const char *targets)
{
    struct planned *p = g->planned;
    struct session *s = &g->session;
    p->options.jobs = 2;
    planned_make(p, targets);
    *s = (struct session){.options = &p->options,
                          .messages = &g->messages,
                          .plan = p->plan,
                          .store = p->stored->store,
                          .flight = -1,
                          .phase = PHASE_OUTCOMES};
    p->plan = (struct plan){0}; /* the session owns it now */
    stored_add_run(p->stored, NULL);
    s->run_id = p->stored->run;
    s->children = pm_alloc(s->plan.jobs * sizeof *s->children);
    s->unusable = pm_alloc(s->plan.target_count * sizeof *s->unusable);
    assert_ok(g, pm_measure__plan_executions(&s->plan, s->store, s->run_id, &g->err));
    pm_measure__plan_groups(&s->plan);
    pm_progress_init(&s->progress, g->messages.out, false);
    g->policy = pm_measure__session_policy(s);
}

struct session_child *played_next(struct played *g, unsigned slot, json_t **setting)
{
    struct pm_child_plan plan = {0};
    const int rc = g->policy.next(&g->session, slot, &plan, &g->err);
    if (rc < 0)
        fail_msg("%s", g->err.text);
    if (setting)
        *setting = plan.setting;
    else
        json_decref(plan.setting);
    return rc ? plan.ctx : NULL;
}

int64_t played_job(struct played *g, struct session_child *child)
{
    struct pm_job job = {0};
    const int rc = g->policy.job(&g->session, child, &job, &g->err);
    if (rc < 0)
        fail_msg("%s", g->err.text);
    if (!rc)
        return 0;
    json_decref(g->job);
    g->job = job.header;
    g->last = job.last;
    pm_str_release(&job.body);
    return child->current ? pm_json_int(g->job, "execution", 0) : -1;
}

int played_answer_as(struct played *g, struct session_child *child, int64_t execution,
                     const char *header)
{
    json_t *json = json_loads(header, 0, NULL);
    assert_non_null(json);
    json_object_set_new(json, "execution", json_integer(execution));
    const struct pm_frame frame = {.kind = PM_FRAME_RESULT, .header = json};
    const int rc = g->policy.answered(&g->session, child, &frame, &g->err);
    json_decref(json);
    return rc;
}

void played_answer(struct played *g, struct session_child *child, const char *header)
{
    const int64_t execution = child->current ? child->current->id : 0;
    assert_ok(g, played_answer_as(g, child, execution, header));
}

void played_end(struct played *g, struct session_child *child, enum pm_ending_kind kind)
{
    const struct pm_ending ending = {.kind = kind,
                                     .code = 9,
                                     .pid = 1234,
                                     .stage = PM_STAGE_RUN,
                                     .text = "made up",
                                     .output = ""};
    assert_ok(g, g->policy.ended(&g->session, child, &ending, &g->err));
}

struct row_search {
    struct played *g;
    int64_t id;
    struct pm_str text;
};

static int describe(void *ctx, const struct pm_execution_row *row)
{
    struct row_search *search = ctx;
    if (row->id != search->id)
        return PM_OK;
    const char *target = "?";
    const struct plan *plan = &search->g->session.plan;
    for (size_t i = 0; i < plan->target_count; i++)
        if (plan->targets[i].id == row->target_id)
            target = plan->targets[i].target.text;
    pm_str_addf(&search->text, "%s %s %lld%s%s on %s: %s", row->function, row->name,
                (long long)row->repetition, row->retry ? " " : "", pm_retry_text(row->retry),
                target, pm_execution_state_text(row->state));
    if (row->answered)
        pm_str_add(&search->text, ", answered");
    if (row->ending != PM_ENDING_NONE)
        pm_str_addf(&search->text, ", %s", pm_ending_kind_text(row->ending));
    if (row->position)
        pm_str_add(&search->text, ", shared");
    return PM_OK;
}

char *played_row(struct played *g, int64_t execution)
{
    struct row_search search = {.g = g, .id = execution, .text = PM_STR_INIT};
    assert_ok(
        g, pm_store_executions(g->session.store, g->session.run_id, 0, describe, &search, &g->err));
    return pm_str_detach(&search.text);
}

int64_t played_execution(const struct played *g, const char *target, const char *name,
                         unsigned repetition)
{
    const struct plan *plan = &g->session.plan;
    for (size_t i = 0; i < plan->execution_count; i++) {
        const struct plan_execution *e = &plan->executions[i];
        if (!strcmp(plan->targets[e->target].target.text, target) && !strcmp(e->test->name, name) &&
            e->repetition == repetition)
            return e->id;
    }
    fail_msg("no execution of '%s' on '%s'", name, target);
    return 0;
}

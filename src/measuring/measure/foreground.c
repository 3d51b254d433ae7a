/* pm_measure_foreground(): runs one case in the terminal, with the job and the driver of a run. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/stop.h"
#include "measure/job.h"
#include "measure/session.h"

struct foreground {
    struct session s; /* its options, messages, plan and scratch folder */
    struct plan_group *group;
    struct pm_driver driver; /* driver of the target, without a deadline */
    struct pm_foreground_answer *answer;
    bool has_child, has_job;
};

static const struct plan_target *target_of(const struct foreground *f)
{
    return &f->s.plan.targets[f->group->target];
}

static const struct pm_case *case_of(const struct foreground *f)
{
    return f->s.plan.executions[f->group->executions[0]].test;
}

/* ---- the pool's callbacks ------------------------------------------------------------------- */

static int next(void *ctx, unsigned slot, struct pm_child_plan *plan, struct pm_error *err)
{
    struct foreground *f = ctx;
    (void)slot;
    (void)err;
    if (f->has_child)
        return 0;
    f->has_child = true;
    f->driver = target_of(f)->loose_driver;
    f->driver.import_timeout_ms = 0;
    *plan = (struct pm_child_plan){
        .driver = &f->driver,
        .setting = pm_measure__setting(&f->s, f->group),
        .memory = f->s.options->memory,
    };
    return 1;
}

static int cannot(const struct foreground *f, const char *why, struct pm_error *err)
{
    return pm_error_set(
        err, PM_EIO,
        "target '%s' cannot be measured: %s: portmeter devices lists what can be measured",
        target_of(f)->target.text, why);
}

static int driver_ready(void *ctx, const struct pm_driver_info *info, struct pm_error *err)
{
    const char *error = pm_json_string(info->ready, "error", NULL);
    return error ? cannot(ctx, error, err) : PM_OK;
}

static void forked(void *ctx, void *child, int pid)
{
    const struct foreground *f = ctx;
    (void)child;
    fprintf(f->s.messages->out,
            "process     %d: gdb -p %d attaches to it, Ctrl-C interrupts the case, Ctrl-\\ prints "
            "its stacks and ends it\n",
            pid, pid);
}

static int started(void *ctx, void *child, const json_t *header, struct pm_error *err)
{
    const json_t *error = json_object_get(header, "error");
    (void)child;
    if (!json_is_object(error))
        return PM_OK;
    return cannot(ctx, pm_json_string(error, "message", "its process did not start"), err);
}

static int job(void *ctx, void *child, struct pm_job *out, struct pm_error *err)
{
    struct foreground *f = ctx;
    const struct pm_run_options *o = f->s.options;
    const struct job_options options = {
        .execution = 1,
        .seed = (uint64_t)o->seed,
        .purity = target_of(f)->role == PM_ROLE_REFERENCE,
        .timeout_ms = o->timeout_s > 0 ? pm_measure__timeout_ms(o->timeout_s) : 0,
    };
    (void)child;
    if (f->has_job)
        return 0;
    f->has_job = true;
    PM_TRY(pm_measure__job_make(case_of(f), &options, out, err));
    out->last = true;
    return 1;
}

static int asked(void *ctx, void *child, const struct pm_frame *ask, json_t *header,
                 struct pm_str *body, struct pm_error *err)
{
    struct foreground *f = ctx;
    (void)child;
    return pm_measure__job_give(case_of(f), (uint64_t)f->s.options->seed, ask, header, body, err);
}

static int answered(void *ctx, void *child, const struct pm_frame *result, struct pm_error *err)
{
    struct foreground *f = ctx;
    struct answer answer;
    (void)child;
    PM_TRY(pm_measure__answer_parse(&answer, result, err));
    f->answer->result = json_deep_copy(answer.header);
    f->answer->wrong = pm_measure__answer_went_wrong(&answer, case_of(f)->raises_type != NULL);
    pm_measure__answer_release(&answer);
    return PM_OK;
}

static int ended(void *ctx, void *child, const struct pm_ending *ending, struct pm_error *err)
{
    struct foreground *f = ctx;
    struct pm_foreground_answer *a = f->answer;
    (void)child;
    (void)err;
    a->wrong |= !a->result;
    a->ending = ending->kind;
    a->code = ending->code;
    a->stage = ending->stage;
    a->text = pm_strdup(ending->text);
    return PM_OK;
}

/* ---- which case ------------------------------------------------------------------------------ */

/* Returns whether `name` is the case, with its dtype or without one. */
static bool is_named(const struct pm_case *c, const char *name)
{
    return !strcmp(c->name, name) || !strcmp(c->base, name);
}

static int several(const struct plan *plan, const char *name, struct pm_error *err)
{
    enum { SHOWN = 300 };
    struct pm_str list = PM_STR_INIT;
    for (size_t i = 0; i < plan->case_count && list.length < SHOWN; i++)
        if (is_named(plan->cases[i], name))
            pm_str_addf(&list, "%s'%s'", list.length ? ", " : "", plan->cases[i]->name);
    const int rc = pm_error_set(err, PM_EUSAGE,
                                "case '%s' has several dtypes, and --foreground runs one: give "
                                "one of these with --case: %s",
                                name, list.data);
    pm_str_release(&list);
    return rc;
}

static int unknown(const struct plan *plan, const char *name, struct pm_error *err)
{
    const char **known = pm_alloc((plan->case_count + 1) * sizeof *known);
    for (size_t i = 0; i < plan->case_count; i++)
        known[i] = plan->cases[i]->name;
    char *advice = pm_format("its first case is '%s'", known[0]);
    const int rc =
        pm_nearest_error(err, PM_EUSAGE, name, known, plan->case_count, advice,
                         "function '%s' has no case '%s'", plan->cases[0]->function->name, name);
    free(advice);
    free(known);
    return rc;
}

/* Finds the case among those of the plan, which belong to one function. */
static int find_case(const struct plan *plan, const char *name, const struct pm_case **out,
                     struct pm_error *err)
{
    size_t found = 0;
    *out = NULL;
    for (size_t i = 0; i < plan->case_count; i++) {
        if (!strcmp(plan->cases[i]->name, name)) {
            *out = plan->cases[i];
            return PM_OK;
        }
        if (is_named(plan->cases[i], name)) {
            *out = plan->cases[i];
            found++;
        }
    }
    return found == 1 ? PM_OK : found ? several(plan, name, err) : unknown(plan, name, err);
}

/* Plans one execution on the first target of the plan, which is the requested one. */
static int plan_case(struct foreground *f, const char *name, struct pm_error *err)
{
    struct plan *plan = &f->s.plan;
    const struct pm_case *test;
    PM_TRY(pm_measure__plan_targets(plan, err));
    PM_TRY(pm_measure__plan_cases(plan, err));
    for (size_t i = 1; i < plan->case_count; i++)
        if (plan->cases[i]->function != plan->cases[0]->function)
            return pm_error_set(err, PM_EUSAGE,
                                "--foreground runs one case, and --function '%s' matches several "
                                "functions: give the name of one",
                                plan->options->functions[0]);
    PM_TRY(find_case(plan, name, &test, err));
    if (!pm_case_in_version(test, plan->targets[0].version))
        return pm_error_set(err, PM_EUSAGE,
                            "case '%s' is not for version %s of '%s': choose another --case or "
                            "--target",
                            test->name, plan->targets[0].version, plan->targets[0].target.text);
    plan->executions = pm_alloc(sizeof *plan->executions);
    plan->executions[plan->execution_count++] = (struct plan_execution){.test = test};
    f->group = pm_measure__plan_add_group(plan, 0, PHASE_OUTCOMES);
    f->group->executions = pm_alloc(sizeof *f->group->executions);
    f->group->count = 1;
    f->answer->target = pm_strdup(plan->targets[0].target.text);
    f->answer->function = pm_strdup(test->function->name);
    f->answer->name = pm_strdup(test->name);
    return PM_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int run(struct foreground *f, struct pm_error *err)
{
    const struct pm_pool_policy policy = {
        .ctx = f,
        .next = next,
        .driver_ready = driver_ready,
        .forked = forked,
        .started = started,
        .job = job,
        .asked = asked,
        .answered = answered,
        .ended = ended,
    };
    struct pm_pool_options options = {.slots = 1, .foreground = true};
    PM_TRY(pm_folder_scratch(&f->s.scratch, err));
    options.scratch = f->s.scratch;
    options.run_id = strrchr(f->s.scratch, '/') + 1; /* unique like the id of a run, but it belongs
                                                      * to no run */
    PM_TRY(pm_pool_new(&f->s.pool, &options, &policy, err));
    PM_TRY(pm_pool_run(f->s.pool, err));
    return pm_stop_check(err);
}

static int default_target(const char *function, const char **out, struct pm_error *err)
{
    const struct pm_framework *framework = pm_framework_of_function(function);
    *out = framework ? framework->suite_reference : NULL;
    return *out ? PM_OK
                : pm_error_set(err, PM_EUSAGE,
                               "the framework of function '%s' is not known: give --target",
                               function);
}

int pm_measure_foreground(const struct pm_run_options *options, const char *name,
                          const struct pm_messages *messages, struct pm_foreground_answer *out,
                          struct pm_error *err)
{
    const char *target;
    struct pm_run_options own = *options;
    struct foreground f = {.s = {.options = &own, .messages = messages, .plan.options = &own},
                           .answer = out};
    *out = (struct pm_foreground_answer){0};
    if (!own.target_count) {
        PM_TRY(default_target(own.functions[0], &target, err));
        own.targets = &target;
        own.target_count = 1;
    }
    own.outcomes_only = true;
    own.jobs = 1;
    int rc = plan_case(&f, name, err);
    if (!rc) {
        fprintf(messages->out, "foreground  %s, case %s, on %s: stores nothing\n", out->function,
                out->name, out->target);
        rc = run(&f, err);
    }
    pm_pool_free(f.s.pool);
    pm_measure__plan_release(&f.s.plan);
    if (f.s.scratch)
        (void)!pm_folder_remove(f.s.scratch, NULL);
    free(f.s.scratch);
    return rc;
}

void pm_foreground_answer_release(struct pm_foreground_answer *answer)
{
    json_decref(answer->result);
    free(answer->target);
    free(answer->function);
    free(answer->name);
    free(answer->text);
    *answer = (struct pm_foreground_answer){0};
}

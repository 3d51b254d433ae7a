/* Makes the setting of a child, which its driver receives with the request to fork. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "measure/session.h"

static json_t *warm_setting(const struct pm_warm_rule *rule)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "timings", (json_int_t)rule->timings,
                     "enough", (json_int_t)rule->enough, "least", (json_int_t)rule->least,
                     "warmup_ns", (json_int_t)rule->warmup_ns, "work_ns", (json_int_t)rule->work_ns,
                     "budget_ns", (json_int_t)rule->budget_ns, "long_ns",
                     (json_int_t)rule->long_ns);
}

/* Returns whether a group computes in exact mode; retries have groups of their own. */
static bool computes_exactly(const struct session *s, const struct plan_group *group)
{
    return group->count && s->plan.executions[group->executions[0]].retry == PM_RETRY_EXACT_MODE;
}

/* Returns whether a group uses clocks. A retry also uses them, because a fault may need many calls.
 * No figure uses its times, because other processes run beside it. */
static bool takes_clocks(const struct session *s, const struct plan_group *group)
{
    return pm_measure__group_times(&s->plan, group) ||
           (group->phase == PHASE_RETRIES && s->plan.targets[group->target].latencies);
}

/* Returns what the cases of a group require of their process. The oracle evaluates `expect` in any
 * process. */
static const json_t *process_of(const struct session *s, const struct plan_group *group)
{
    if (s->plan.targets[group->target].role == PM_ROLE_ORACLE)
        return NULL;
    return group->planted_fault ? pm_measure__planted_fault_case(group->planted_fault)->process
                                : s->plan.executions[group->executions[0]].test->process;
}

static void set_process(json_t *setting, const json_t *process)
{
    json_t *x64 = json_object_get(process, "x64");
    json_t *environment = json_object_get(process, "environment");
    json_object_set_new(setting, "environment",
                        environment ? json_deep_copy(environment) : json_object());
    json_object_set_new(setting, "x64", x64 ? json_incref(x64) : json_null());
    json_object_set_new(setting, "devices",
                        json_integer((json_int_t)pm_json_int(process, "devices", 1)));
}

/* Returns whether a group only checks the results of a reference, without clocks. */
static bool is_check(const struct session *s, const struct plan_group *group)
{
    return s->plan.targets[group->target].checks && group->phase == PHASE_OUTCOMES;
}

/* Returns the folder of compiled code. The children of a rehearsal, of an untimed check, and of a
 * target that is only lowered, may use code that others compiled, because they are not timed. */
static json_t *folder_of_compiled(const struct session *s, const struct plan_group *group)
{
    const bool is_lowered = s->plan.targets[group->target].target.evidence == PM_EVIDENCE_LOWERED;
    if (group->planted_fault || (!s->options->rehearse && !is_lowered && !is_check(s, group)))
        return json_null();
    char *path = pm_path_join(s->scratch, "compiled");
    json_t *folder = json_string(path);
    free(path);
    return folder;
}

json_t *pm_measure__setting(const struct session *s, const struct plan_group *group)
{
    const struct plan_target *t = &s->plan.targets[group->target];
    const bool timed = pm_measure__group_times(&s->plan, group);
    const unsigned shared = pm_measure__plan_loose_threads(&s->plan);
    json_t *setting = json_object();
    json_object_set_new(setting, "device", json_string(t->target.device));
    json_object_set_new(setting, "variant", json_string(t->target.variant));
    set_process(setting, process_of(s, group));
    json_object_set_new(setting, "threads", json_integer(timed ? s->plan.threads : shared));
    json_object_set_new(setting, "clocks", json_boolean(takes_clocks(s, group)));
    json_object_set_new(setting, "paper", json_boolean(s->options->mode == PM_MODE_PAPER));
    json_object_set_new(setting, "warm", warm_setting(&s->options->warm));
    json_object_set_new(setting, "seed", json_integer(s->options->seed));
    json_object_set_new(setting, "exact", json_boolean(computes_exactly(s, group)));
    json_object_set_new(setting, "compiled", folder_of_compiled(s, group));
    json_object_set_new(setting, "oracle", json_boolean(t->role == PM_ROLE_ORACLE));
    json_object_set_new(
        setting, "reference",
        json_boolean(group->planted_fault
                         ? !pm_measure__planted_fault_misbehaves(group->planted_fault)
                         : t->role == PM_ROLE_REFERENCE || t->role == PM_ROLE_NOISE));
    return setting;
}

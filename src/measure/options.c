/* The options of a run: their words, and their place in the store. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "measure/session.h"

static const char *const isolation_texts[] = {
#define X(id, text) [PM_ISOLATION_##id] = text,
    PM_ISOLATIONS(X)
#undef X
};

const char *pm_isolation_text(enum pm_isolation isolation)
{
    return isolation_texts[isolation];
}

bool pm_isolation_parse(const char *text, enum pm_isolation *out)
{
    for (unsigned i = 0; i < PM_ISOLATION_COUNT; i++)
        if (!strcmp(text, isolation_texts[i])) {
            *out = (enum pm_isolation)i;
            return true;
        }
    return false;
}

static json_t *list_json(const char *const *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(items[i]));
    return list;
}

/* Paths are kept absolute, so that a run can be taken up from another folder. */
static json_t *path_json(const char *path)
{
    char whole[PATH_MAX];
    return json_string(realpath(path, whole) ? whole : path);
}

static json_t *paths_json(const char *const *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, path_json(items[i]));
    return list;
}

json_t *pm_measure__options_json(const struct pm_run_options *o, const struct plan *plan,
                                 const char *scratch)
{
    json_t *json = json_object();
    json_object_set_new(json, "targets", list_json(o->targets, o->target_count));
    json_object_set_new(json, "suites", paths_json(o->suites, o->suite_count));
    json_object_set_new(json, "functions", list_json(o->functions, o->function_count));
    json_object_set_new(json, "only", o->only ? path_json(o->only) : json_null());
    json_object_set_new(json, "sample", json_integer(plan->sample_id));
    json_object_set_new(json, "mode", json_string(o->study_clock ? "study" : "default"));
    json_object_set_new(json, "repetitions", json_integer(o->repetitions));
    json_object_set_new(json, "timeout_s", json_real(o->timeout_s));
    json_object_set_new(json, "memory", json_integer((json_int_t)o->memory));
    json_object_set_new(json, "threads", json_integer(plan->threads));
    json_object_set_new(json, "jobs", json_integer(plan->jobs));
    json_object_set_new(json, "outcomes_only", json_boolean(o->outcomes_only));
    json_object_set_new(json, "isolation", json_string(pm_isolation_text(o->isolation)));
    json_object_set_new(json, "seed", json_integer(o->seed));
    json_object_set_new(json, "scratch", json_string(scratch));
    json_object_set_new(json, "untested",
                        list_json((const char *const *)plan->untested, plan->untested_count));
    json_t *measured = json_array();
    for (size_t i = 0; i < plan->case_count; i++)
        if (i == 0 || plan->cases[i]->function != plan->cases[i - 1]->function)
            json_array_append_new(measured, json_string(plan->cases[i]->function->name));
    json_object_set_new(json, "measured", measured);
    return json;
}

static const char *const *take_list(const json_t *json, const char *key, const char ***at,
                                    size_t *count)
{
    const char **first = *at;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json, key), i, item)
        *(*at)++ = json_string_value(item);
    *count = (size_t)(*at - first);
    return first;
}

void pm_measure__options_from_json(const json_t *json, struct pm_run_options *out,
                                   const char ***lists)
{
    const size_t most = json_array_size(json_object_get(json, "targets")) +
                        json_array_size(json_object_get(json, "suites")) +
                        json_array_size(json_object_get(json, "functions"));
    const char **at = pm_alloc((most + 1) * sizeof *at);
    *lists = at;
    out->targets = take_list(json, "targets", &at, &out->target_count);
    out->suites = take_list(json, "suites", &at, &out->suite_count);
    out->functions = take_list(json, "functions", &at, &out->function_count);
    out->only = pm_json_string(json, "only", NULL);
    out->sample = pm_json_int(json, "sample", 0);
    out->study_clock = !strcmp(pm_json_string(json, "mode", ""), "study");
    out->repetitions = (unsigned)pm_json_int(json, "repetitions", 0);
    out->timeout_s = pm_json_real(json, "timeout_s", 0);
    out->memory = (uint64_t)pm_json_int(json, "memory", 0);
    out->threads = (unsigned)pm_json_int(json, "threads", 0);
    out->jobs = (unsigned)pm_json_int(json, "jobs", 0);
    out->outcomes_only = pm_json_bool(json, "outcomes_only", false);
    out->seed = pm_json_int(json, "seed", 1);
    pm_isolation_parse(pm_json_string(json, "isolation", "function"), &out->isolation);
}

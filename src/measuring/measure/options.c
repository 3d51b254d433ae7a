/* Converts the options of a run to JSON and back, and compares them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/privacy.h"
#include "measure/session.h"

PM_WORDS_DEFINE(isolation, PM_ISOLATIONS, PM_ISOLATION);
PM_WORDS_DEFINE(run_command, PM_RUN_COMMANDS, PM_COMMAND);

static json_t *list_json(const char *const *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(items[i]));
    return list;
}

/* Paths are kept absolute, so that a run can be resumed from another folder. */
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

static json_t *kinds_json(const struct pm_run_options *o)
{
    json_t *list = json_array();
    for (int kind = 0; kind < PM_CASE_KIND_COUNT; kind++)
        if (o->kinds[kind])
            json_array_append_new(list, json_string(pm_case_kind_text((enum pm_case_kind)kind)));
    return list;
}

static json_t *shard_json(const struct pm_run_options *o)
{
    return o->shard.count ? json_pack("{s:i, s:i}", "number", (int)o->shard.number, "count",
                                      (int)o->shard.count)
                          : json_null();
}

/* Returns those options of the user that do not depend on the plan. */
static json_t *asked_json(const struct pm_run_options *o)
{
    struct pm_str warm = PM_STR_INIT;
    json_t *json = json_object();
    json_object_set_new(json, "command", json_string(pm_run_command_text(o->command)));
    json_object_set_new(json, "targets", list_json(o->targets, o->target_count));
    json_object_set_new(json, "suites", paths_json(o->suites, o->suite_count));
    json_object_set_new(json, "census", json_boolean(o->census));
    json_object_set_new(json, "by_use", json_boolean(o->by_use));
    json_object_set_new(json, "functions", list_json(o->functions, o->function_count));
    json_object_set_new(json, "only", o->only ? path_json(o->only) : json_null());
    json_object_set_new(json, "kinds", kinds_json(o));
    json_object_set_new(json, "most_cases", json_integer(o->most_cases));
    json_object_set_new(json, "mode", json_string(pm_run_mode_text(o->mode)));
    json_object_set_new(json, "repetitions", json_integer(o->repetitions));
    json_object_set_new(json, "more_repetitions", json_integer(o->more_repetitions));
    json_object_set_new(json, "more_within_s", json_real(o->more_within_s));
    json_object_set_new(json, "untimed_check", json_boolean(o->untimed_check));
    json_object_set_new(json, "timeout_s", json_real(o->timeout_s));
    json_object_set_new(json, "memory", json_integer((json_int_t)o->memory));
    json_object_set_new(json, "outcomes_only", json_boolean(o->outcomes_only));
    json_object_set_new(json, "keep_values", json_boolean(o->keep_values));
    json_object_set_new(json, "noise", json_integer(o->noise));
    json_object_set_new(json, "isolation", json_string(pm_isolation_text(o->isolation)));
    json_object_set_new(json, "seed", json_integer(o->seed));
    pm_warm_rule_text(&o->warm, &warm);
    json_object_set_new(json, "warm", json_string(warm.data));
    json_object_set_new(json, "shard", shard_json(o));
    json_object_set_new(json, "balance", o->balance ? path_json(o->balance) : json_null());
    pm_str_release(&warm);
    return json;
}

/* Returns, by framework, the names of functions of the plan: the functions whose cases all have
 * `reference: none`, or the others. */
static json_t *functions_json(const struct plan *plan, bool unreferenced)
{
    json_t *by_framework = json_object();
    for (size_t i = 0; i < plan->case_count; i++)
        json_object_set_new(by_framework, plan->cases[i]->function->framework, json_array());
    for (size_t i = 0, n; i < plan->case_count; i += n) {
        const struct pm_function *function = plan->cases[i]->function;
        bool all = true;
        for (n = 0; i + n < plan->case_count && plan->cases[i + n]->function == function; n++)
            all &= plan->cases[i + n]->reference == PM_CASE_REFERENCE_NONE;
        if (all == unreferenced)
            json_array_append_new(json_object_get(by_framework, function->framework),
                                  json_string(function->name));
    }
    return by_framework;
}

/* The members that are paths: other machines have no use for them, and they may name a user. */
static const char *const path_keys[] = {"suites", "only", "balance", "scratch"};
enum { PATH_KEYS = sizeof path_keys / sizeof *path_keys };

char *pm_measure__options_paths(const json_t *options)
{
    json_t *paths = json_object();
    for (size_t i = 0; i < PATH_KEYS; i++)
        json_object_set(paths, path_keys[i], json_object_get(options, path_keys[i]));
    char *text = pm_json_text(paths);
    json_decref(paths);
    return text;
}

char *pm_measure__options_shared(const json_t *options)
{
    json_t *shared = json_copy((json_t *)(uintptr_t)options);
    struct pm_str hidden = PM_STR_INIT;
    json_object_del(shared, "scratch");
    char *paths = pm_measure__options_paths(shared);
    if (pm_privacy_hide_json(pm_privacy_here(), paths, strlen(paths), &hidden)) {
        json_t *changed = json_loadb(hidden.data, hidden.length, 0, NULL);
        json_object_update(shared, changed);
        json_decref(changed);
    }
    char *text = pm_json_text(shared);
    pm_str_release(&hidden);
    free(paths);
    json_decref(shared);
    return text;
}

json_t *pm_measure__options_of_plan(const struct pm_run_options *o)
{
    static const char *const own[] = {"suites", "only", "balance", "shard"};
    json_t *json = asked_json(o);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        json_object_del(json, own[i]);
    return json;
}

json_t *pm_measure__options_json(const struct pm_run_options *o, const struct plan *plan,
                                 const char *scratch)
{
    json_t *json = asked_json(o);
    json_object_set_new(json, "sample", json_integer(plan->sample_id));
    json_object_set_new(json, "threads", json_integer(plan->threads));
    json_object_set_new(json, "jobs", json_integer(plan->jobs));
    json_object_set_new(json, "scratch", json_string(scratch));
    json_object_set_new(json, "untested",
                        list_json((const char *const *)plan->untested, plan->untested_count));
    json_object_set_new(json, "measured", functions_json(plan, false));
    json_object_set(json, "surface", plan->surface);
    json_object_set_new(json, "unreferenced", functions_json(plan, true));
    return json;
}

/* Returns whether a number differs. A value of 0 lets the plan decide, and so does not differ. */
static bool number_differs(const json_t *stored, const char *key, unsigned asked)
{
    return asked && pm_json_int(stored, key, 0) != asked;
}

const char *pm_measure__options_differ(const json_t *stored, const struct pm_run_options *o)
{
    static const struct {
        const char *key, *option;
    } table[] = {
        {"targets", "--target"},
        {"suites", "--suite"},
        {"census", "--census"},
        {"functions", "--function"},
        {"only", "--only"},
        {"mode", "--mode"},
        {"repetitions", "--repetitions"},
        {"timeout_s", "--timeout"},
        {"memory", "--memory"},
        {"isolation", "--isolation"},
        {"outcomes_only", "--outcomes-only"},
        {"seed", "--seed"},
        {"warm", "--warm"},
        {"noise", "--noise"},
        {"keep_values", "--keep-values"},
        {"most_cases", "--cases"},
        {"kinds", "--kind"},
        {"shard", "--shard"},
        {"balance", "--balance"},
    };
    const char *differs = NULL;
    json_t *asked = asked_json(o);
    for (size_t i = 0; i < sizeof table / sizeof *table && !differs; i++) {
        const json_t *had = json_object_get(stored, table[i].key); /* NULL in some older runs */
        if (had && !json_equal(json_object_get(asked, table[i].key), had))
            differs = table[i].option;
    }
    json_decref(asked);
    if (!differs && number_differs(stored, "threads", o->threads))
        differs = "--threads";
    if (!differs && number_differs(stored, "jobs", o->jobs))
        differs = "--jobs";
    return differs;
}

/* ---- reading: a database may be damaged, so every value is checked -------------------------- */

/* The state of reading one object of options. */
struct taking {
    const json_t *json;
    const char *wrong; /* the last invalid key; NULL: none so far */
};

static int64_t take_int(struct taking *t, const char *key, int64_t least, int64_t most)
{
    const json_t *value = json_object_get(t->json, key);
    const int64_t number = json_is_integer(value) ? json_integer_value(value) : least;
    if ((value && !json_is_integer(value)) || number < least || number > most)
        t->wrong = key;
    return number;
}

static double take_seconds(struct taking *t, const char *key)
{
    const json_t *value = json_object_get(t->json, key);
    const double seconds = json_number_value(value);
    if ((value && !json_is_number(value)) || !(seconds >= 0 && seconds <= PM_MOST_TIMEOUT_S))
        t->wrong = key;
    return seconds;
}

static const char *take_text(struct taking *t, const char *key, const char *fallback)
{
    const json_t *value = json_object_get(t->json, key);
    if (value && !json_is_null(value) && !json_is_string(value))
        t->wrong = key;
    return pm_json_string(t->json, key, fallback);
}

static const char *const *take_list(struct taking *t, const char *key, const char ***at,
                                    size_t *count)
{
    const char **first = *at;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(t->json, key), i, item) {
        if (!json_is_string(item))
            t->wrong = key;
        else
            *(*at)++ = json_string_value(item);
    }
    *count = (size_t)(*at - first);
    return first;
}

static void take_lists(struct taking *t, struct pm_run_options *out, const char ***lists)
{
    const size_t most = json_array_size(json_object_get(t->json, "targets")) +
                        json_array_size(json_object_get(t->json, "suites")) +
                        json_array_size(json_object_get(t->json, "functions"));
    const char **at = pm_alloc((most + 1) * sizeof *at);
    *lists = at;
    out->targets = take_list(t, "targets", &at, &out->target_count);
    out->suites = take_list(t, "suites", &at, &out->suite_count);
    out->functions = take_list(t, "functions", &at, &out->function_count);
}

static void take_kinds(struct taking *t, struct pm_run_options *out)
{
    size_t i;
    json_t *item;
    enum pm_case_kind kind;
    json_array_foreach(json_object_get(t->json, "kinds"), i, item) {
        if (!json_is_string(item) || !pm_case_kind_parse(json_string_value(item), &kind))
            t->wrong = "kinds";
        else
            out->kinds[kind] = true;
    }
}

static void take_shard(struct taking *t, struct pm_run_options *out)
{
    struct taking shard = {.json = json_object_get(t->json, "shard")};
    if (!json_is_object(shard.json))
        return;
    out->shard.count = (unsigned)take_int(&shard, "count", 1, PM_MOST_SHARDS);
    out->shard.number = (unsigned)take_int(&shard, "number", 1, out->shard.count);
    if (shard.wrong)
        t->wrong = "shard";
}

static void take_limits(struct taking *t, struct pm_run_options *out)
{
    out->most_cases = (unsigned)take_int(t, "most_cases", 0, PM_MOST_CASES);
    out->repetitions = (unsigned)take_int(t, "repetitions", 0, PM_MOST_REPETITIONS);
    out->more_repetitions = (unsigned)take_int(t, "more_repetitions", 0, PM_MOST_REPETITIONS);
    out->more_within_s = take_seconds(t, "more_within_s");
    out->memory = (uint64_t)take_int(t, "memory", 0, INT64_MAX);
    out->noise = (unsigned)take_int(t, "noise", 0, PM_NOISE_ALL);
    out->threads = (unsigned)take_int(t, "threads", 0, PM_MOST_THREADS);
    out->jobs = (unsigned)take_int(t, "jobs", 0, PM_MOST_JOBS);
    out->timeout_s = take_seconds(t, "timeout_s");
}

int pm_measure__options_from_json(const json_t *json, struct pm_run_options *out,
                                  const char ***lists, struct pm_error *err)
{
    struct taking t = {.json = json};
    take_lists(&t, out, lists);
    take_limits(&t, out);
    take_kinds(&t, out);
    if (!pm_run_command_parse(take_text(&t, "command", "run"), &out->command))
        t.wrong = "command";
    take_shard(&t, out);
    out->census = pm_json_bool(json, "census", false);
    out->by_use = pm_json_bool(json, "by_use", false);
    out->untimed_check = pm_json_bool(json, "untimed_check", false);
    out->only = take_text(&t, "only", NULL);
    out->balance = take_text(&t, "balance", NULL);
    out->sample = take_int(&t, "sample", 0, INT64_MAX);
    if (!pm_run_mode_parse(take_text(&t, "mode", pm_run_mode_text(PM_MODE_DEFAULT)), &out->mode))
        t.wrong = "mode";
    out->outcomes_only = pm_json_bool(json, "outcomes_only", false);
    out->keep_values = pm_json_bool(json, "keep_values", true); /* if in doubt, values are kept */
    out->seed = take_int(&t, "seed", 0, INT64_MAX);
    if (!pm_isolation_parse(take_text(&t, "isolation", pm_isolation_text(PM_ISOLATION_FUNCTION)),
                            &out->isolation))
        t.wrong = "isolation";
    if (pm_warm_rule_parse(take_text(&t, "warm", ""), &out->warm, NULL))
        t.wrong = "warm";
    return t.wrong ? pm_error_set(err, PM_EFORMAT,
                                  "the stored option '%s' of the run is damaged: start a new run",
                                  t.wrong)
                   : PM_OK;
}

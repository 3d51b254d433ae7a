/* Reads the judged rows of a run, for tables. */
#include "tables/reading.h"

#include <string.h>

#include "base/alloc.h"

/* Every string of a reading lives as long as it does. */
char *pm_tables__reading_keep(struct reading *r, const char *text)
{
    PM_GROW(r->strings, r->string_list.count, r->string_list.capacity);
    return r->strings[r->string_list.count++] = pm_strdup(text);
}

struct loading {
    struct reading *r;
    int64_t wanted;
    bool found;
};

static int keep_run(void *ctx, const struct pm_run_row *row)
{
    struct loading *l = ctx;
    struct reading *r = l->r;
    if (l->wanted && l->wanted != row->id)
        return PM_OK;
    l->found = true;
    json_decref(r->machine);
    json_decref(r->options);
    r->run_id = row->id;
    r->sample_id = row->sample_id;
    r->started = pm_tables__reading_keep(r, row->started);
    r->state = pm_tables__reading_keep(r, row->state);
    r->validity = pm_tables__reading_keep(r, row->validity);
    r->reason = pm_tables__reading_keep(r, row->validity_reason);
    r->machine = json_loads(row->machine, 0, NULL);
    r->options = json_loads(row->options, 0, NULL);
    return PM_OK;
}

static int keep_target(void *ctx, const struct pm_target_row *row)
{
    struct reading *r = ctx;
    PM_GROW(r->targets, r->target_list.count, r->target_list.capacity);
    r->targets[r->target_list.count++] = (struct reading_target){
        .id = row->id,
        .text = pm_tables__reading_keep(r, row->text),
        .control = pm_tables__reading_keep(r, row->control),
        .role = pm_tables__reading_keep(r, row->role),
        .evidence = pm_tables__reading_keep(r, row->evidence),
        .framework = pm_tables__reading_keep(r, row->framework),
        .version = pm_tables__reading_keep(r, row->version),
        .device_name = pm_tables__reading_keep(r, row->device_name),
        .environment = pm_tables__reading_keep(r, row->environment),
        .latencies = row->latencies,
    };
    return PM_OK;
}

int pm_tables__reading_target_index(const struct reading *r, int64_t id)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        if (r->targets[i].id == id)
            return (int)i;
    return -1;
}

static int keep_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct reading *r = ctx;
    struct reading_verdict v = {
        .target = pm_tables__reading_target_index(r, row->target_id),
        .counted = row->counted,
        .passed = row->passed,
        .flaky = row->flaky,
        .host_only = row->host_only,
    };
    if (!pm_verdict_parse(row->verdict, &v.verdict) ||
        !pm_verdict_parse(row->verdict_study, &v.verdict_study))
        return PM_EFORMAT;
    v.function = pm_tables__reading_keep(r, row->function);
    v.detail = pm_tables__reading_keep(r, row->detail);
    PM_GROW(r->verdicts, r->verdict_list.count, r->verdict_list.capacity);
    r->verdicts[r->verdict_list.count++] = v;
    return PM_OK;
}

static int keep_judgement(void *ctx, const struct pm_judgement_row *row)
{
    struct reading *r = ctx;
    struct reading_judgement j = {
        .target = pm_tables__reading_target_index(r, row->target_id),
        .repetition = row->repetition,
        .host_only = row->host_only,
    };
    if (!pm_outcome_parse(row->outcome, &j.outcome))
        return PM_EFORMAT;
    j.function = pm_tables__reading_keep(r, row->function);
    j.name = pm_tables__reading_keep(r, row->name);
    j.dtype = pm_tables__reading_keep(r, row->dtype);
    j.stage = pm_tables__reading_keep(r, row->stage);
    j.detail = pm_tables__reading_keep(r, row->detail);
    PM_GROW(r->judgements, r->judgement_list.count, r->judgement_list.capacity);
    r->judgements[r->judgement_list.count++] = j;
    return PM_OK;
}

static int keep_figure(void *ctx, const struct pm_figure_row *row)
{
    struct reading *r = ctx;
    PM_GROW(r->figures, r->figure_list.count, r->figure_list.capacity);
    r->figures[r->figure_list.count++] = (struct reading_statistic){
        .target = pm_tables__reading_target_index(r, row->target_id),
        .scope = pm_tables__reading_keep(r, row->scope),
        .function = pm_tables__reading_keep(r, row->function),
        .name = pm_tables__reading_keep(r, row->name),
        .clock = pm_tables__reading_keep(r, row->clock),
        .size = pm_tables__reading_keep(r, row->size),
        .what = pm_tables__reading_keep(r, row->what),
        .value = row->value,
        .low = row->low,
        .high = row->high,
        .processes = row->processes,
        .control_processes = row->control_processes,
        .unstable = row->unstable,
    };
    return PM_OK;
}

static int keep_canary(void *ctx, const struct pm_canary_row *row)
{
    struct reading *r = ctx;
    PM_GROW(r->canaries, r->canary_list.count, r->canary_list.capacity);
    r->canaries[r->canary_list.count++] = (struct reading_canary){
        .target = pm_tables__reading_target_index(r, row->target_id),
        .name = pm_tables__reading_keep(r, row->name),
        .expected = pm_tables__reading_keep(r, row->expected),
        .observed = pm_tables__reading_keep(r, row->observed),
        .detail = pm_tables__reading_keep(r, row->detail),
        .told = row->told,
    };
    return PM_OK;
}

static int count_execution(void *ctx, const struct pm_execution_row *row)
{
    struct reading *r = ctx;
    r->planned++;
    r->done += !strcmp(row->state, "done");
    r->shared_notes += *row->shared_note != 0;
    return PM_OK;
}

static char *figure_key(int target, const char *scope, const char *function, const char *name,
                        const char *clock, const char *size, const char *what)
{
    return pm_format("%d\n%s\n%s\n%s\n%s\n%s\n%s", target, scope, function, name, clock, size,
                     what);
}

static void index_figures(struct reading *r)
{
    for (size_t i = 0; i < r->figure_list.count; i++) {
        struct reading_statistic *f = &r->figures[i];
        char *key =
            figure_key(f->target, f->scope, f->function, f->name, f->clock, f->size, f->what);
        pm_map_put(&r->figure_by_key, key, f);
        free(key);
    }
}

int pm_tables__reading_load(struct reading *r, struct pm_store *store, const char *db,
                            int64_t run_id, struct pm_error *err)
{
    struct loading l = {.r = r, .wanted = run_id};
    PM_TRY(pm_store_runs(store, keep_run, &l, err));
    if (!l.found)
        return run_id ? pm_error_set(err, PM_EUSAGE, "database '%s' holds no run %lld", db,
                                     (long long)run_id)
                      : pm_error_set(err, PM_EUSAGE,
                                     "database '%s' holds no run: portmeter run makes one", db);
    PM_TRY(pm_store_targets(store, r->run_id, keep_target, r, err));
    PM_TRY(pm_store_verdicts(store, r->run_id, keep_verdict, r, err));
    PM_TRY(pm_store_judgements(store, r->run_id, keep_judgement, r, err));
    PM_TRY(pm_store_figures(store, r->run_id, NULL, keep_figure, r, err));
    index_figures(r);
    PM_TRY(pm_store_canaries(store, r->run_id, keep_canary, r, err));
    PM_TRY(pm_tables__reading_load_estimates(r, store, err));
    return pm_store_executions(store, r->run_id, 0, count_execution, r, err);
}

void pm_tables__reading_release(struct reading *r)
{
    pm_free_strings(r->strings, r->string_list.count);
    pm_map_release(&r->figure_by_key);
    json_decref(r->machine);
    json_decref(r->options);
    free(r->targets);
    free(r->verdicts);
    free(r->judgements);
    free(r->figures);
    free(r->canaries);
    free(r->estimates);
    free(r->samples);
    *r = (struct reading){0};
}

static int see_run(void *ctx, const struct pm_run_row *row)
{
    bool *any = ctx;
    (void)row;
    *any = true;
    return PM_OK;
}

int pm_tables__reading_any_run(struct pm_store *store, bool *any, struct pm_error *err)
{
    *any = false;
    return pm_store_runs(store, see_run, any, err);
}

bool pm_tables__reading_is_reference(const struct reading_target *t)
{
    return !strcmp(t->role, "control");
}

bool pm_tables__reading_is_oracle(const struct reading_target *t)
{
    return !strcmp(t->role, "oracle");
}

const struct reading_statistic *pm_tables__reading_statistic(const struct reading *r, int target,
                                                             const char *scope,
                                                             const char *function, const char *name,
                                                             const char *clock, const char *size,
                                                             const char *what)
{
    char *key = figure_key(target, scope, function, name, clock, size, what);
    const struct reading_statistic *figure = pm_map_get(&r->figure_by_key, key);
    free(key);
    return figure;
}

bool pm_tables__reading_something_wrong(const struct reading *r)
{
    if (strcmp(r->validity, "valid"))
        return true;
    for (size_t i = 0; i < r->judgement_list.count; i++)
        if (pm_outcome_is_wrong(r->judgements[i].outcome))
            return true;
    return false;
}

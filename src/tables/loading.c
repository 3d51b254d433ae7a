/* Reads judged rows from the store, for tables. */
#include "tables/loading.h"

#include <string.h>

#include "base/alloc.h"
#include "tables/choice.h"

static int keep_run(void *ctx, const struct pm_run_row *row)
{
    struct reading *r = ctx;
    PM_GROW(r->runs, r->run_list.count, r->run_list.capacity);
    r->runs[r->run_list.count++] = (struct reading_run){
        .id = row->id,
        .sample_id = row->sample_id,
        .started = pm_tables__reading_keep(r, row->started),
        .state = pm_tables__reading_keep(r, row->state),
        .validity = pm_tables__reading_keep(r, row->validity),
        .reason = pm_tables__reading_keep(r, row->validity_reason),
        .machine = json_loads(row->machine, 0, NULL),
        .options = json_loads(row->options, 0, NULL),
    };
    return PM_OK;
}

/* Of the newest run. */
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
        .judged = row->judged,
    };
    return PM_OK;
}

static int keep_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct reading *r = ctx;
    struct reading_verdict v = {
        .target = pm_tables__reading_shown_index(r, row->target_id),
        .counted = row->counted,
        .passed = row->passed,
        .flaky = row->flaky,
        .host_only = row->host_only,
    };
    if (v.target < 0)
        return PM_OK;
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
        .target = pm_tables__reading_shown_index(r, row->target_id),
        .repetition = row->repetition,
        .host_only = row->host_only,
    };
    if (j.target < 0)
        return PM_OK;
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
    const int target = pm_tables__reading_target_index(r, row->target_id);
    if (target < 0)
        return PM_OK;
    const bool hidden = (size_t)target >= r->target_list.count;
    struct reading_statistic **figures = hidden ? &r->hidden_figures : &r->figures;
    struct reading_list *list = hidden ? &r->hidden_figure_list : &r->figure_list;
    PM_GROW(*figures, list->count, list->capacity);
    (*figures)[list->count++] = (struct reading_statistic){
        .target = target,
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

static void count_canary(struct reading *r, const struct pm_canary_row *row)
{
    const bool left_out = !strcmp(row->observed, "left out"); /* check-prose: ok */
    for (size_t i = 0; i < r->run_list.count; i++) {
        if (r->runs[i].id != row->run_id)
            continue;
        r->runs[i].canaries_left_out += left_out;
        r->runs[i].canaries_told += row->told && !left_out; /* check-prose: ok */
    }
}

static int keep_canary(void *ctx, const struct pm_canary_row *row)
{
    struct reading *r = ctx;
    const int target = pm_tables__reading_shown_index(r, row->target_id);
    count_canary(r, row);
    if (target < 0)
        return PM_OK;
    PM_GROW(r->canaries, r->canary_list.count, r->canary_list.capacity);
    r->canaries[r->canary_list.count++] = (struct reading_canary){
        .target = target,
        .name = pm_tables__reading_keep(r, row->name),
        .expected = pm_tables__reading_keep(r, row->expected),
        .observed = pm_tables__reading_keep(r, row->observed),
        .detail = pm_tables__reading_keep(r, row->detail),
        .told = row->told, /* check-prose: ok, a column of the store */
    };
    return PM_OK;
}

/* All runs, and the shown targets. */
static int load_chosen(struct reading *r, struct pm_store *store, int64_t run_id,
                       struct pm_error *err)
{
    PM_TRY(pm_store_runs(store, keep_run, r, err));
    for (size_t i = 0; i < r->run_list.count; i++) {
        const size_t first = r->target_list.count;
        PM_TRY(pm_store_targets(store, r->runs[i].id, keep_target, r, err));
        for (size_t k = first; k < r->target_list.count; k++)
            r->targets[k].run = i;
    }
    pm_tables__choose(r, run_id);
    return PM_OK;
}

static int load_counts(struct reading_run *run, struct pm_store *store, struct pm_error *err)
{
    struct pm_run_progress progress;
    PM_TRY(pm_store_run_progress(store, run->id, &progress, err));
    run->planned = progress.planned;
    run->done = progress.done;
    run->shared_notes = progress.shared_notes;
    return PM_OK;
}

static int load_rows(struct reading *r, struct pm_store *store, int64_t run_id,
                     struct pm_error *err)
{
    PM_TRY(pm_store_verdicts(store, run_id, keep_verdict, r, err));
    PM_TRY(pm_store_judgements(store, run_id, keep_judgement, r, err));
    PM_TRY(pm_store_figures(store, run_id, NULL, keep_figure, r, err));
    return pm_store_canaries(store, run_id, keep_canary, r, err);
}

int pm_tables__reading_load(struct reading *r, struct pm_store *store, const char *db,
                            int64_t run_id, struct pm_error *err)
{
    bool found = false;
    PM_TRY(load_chosen(r, store, run_id, err));
    for (size_t i = 0; i < r->run_list.count; i++) {
        struct reading_run *run = &r->runs[i];
        found |= run->shown;
        if (run->shown || run->passed_over)
            PM_TRY(load_counts(run, store, err));
        if (run->shown)
            PM_TRY(load_rows(r, store, run->id, err));
    }
    if (!found)
        return run_id ? pm_error_set(err, PM_EUSAGE,
                                     "database '%s' has no run %lld: portmeter runs lists all", db,
                                     (long long)run_id)
                      : pm_error_set(err, PM_EUSAGE,
                                     "database '%s' has no run: run portmeter run first", db);
    pm_tables__reading_index(r);
    return pm_tables__reading_load_estimates(r, store, err);
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

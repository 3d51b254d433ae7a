/* Reads judged rows from the store, for tables. */
#include "reading/loading.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "reading/choice.h"

struct loading {
    struct pm_reading *r;
    struct pm_store *store;
    struct pm_error *err;
    size_t run; /* index of the one whose rows are read */
};

/* ---- runs and targets ----------------------------------------------------------------------- */

static int keep_run(void *ctx, const struct pm_run_row *row)
{
    const struct loading *l = ctx;
    struct pm_reading *r = l->r;
    if (row->kind != PM_RUN_KIND_MEASURED)
        return PM_OK;
    PM_GROW(r->runs, r->run_list.count, r->run_list.capacity);
    struct pm_reading_run *run = &r->runs[r->run_list.count++];
    *run = (struct pm_reading_run){
        .id = row->id,
        .sample_id = row->sample_id,
        .started = pm_reading_keep(r, row->started),
        .state = row->state,
        .validity = row->validity,
        .reason = pm_reading_keep(r, row->validity_reason),
        .latency_validity = row->latency_validity,
        .latency_reason = pm_reading_keep(r, row->latency_validity_reason),
    };
    return pm_store_json(l->store, row->options, &run->options, "run", row->id, "options", l->err);
}

static int keep_target(void *ctx, const struct pm_target_row *row)
{
    const struct loading *l = ctx;
    struct pm_reading *r = l->r;
    PM_GROW(r->targets, r->target_list.count, r->target_list.capacity);
    r->targets[r->target_list.count++] = (struct pm_reading_target){
        .id = row->id,
        .run = l->run,
        .text = pm_reading_keep(r, row->text),
        .control = pm_reading_keep(r, row->control),
        .role = row->role,
        .evidence = row->evidence,
        .framework = pm_reading_keep(r, row->framework),
        .version = pm_reading_keep(r, row->version),
        .device_name = pm_reading_keep(r, row->device_name),
        .environment = pm_reading_keep(r, row->environment),
        .python = pm_reading_keep(r, row->python),
        .interpreter = pm_reading_keep(r, row->interpreter),
        .driver_version = pm_reading_keep(r, row->driver_version),
        .numeric = pm_reading_keep(r, row->numeric),
        .latencies = row->latencies,
        .judged = row->judged,
    };
    return PM_OK;
}

static int keep_sitting(void *ctx, const struct pm_sitting_row *row)
{
    const struct loading *l = ctx;
    struct pm_reading_run *run = &l->r->runs[l->run];
    PM_GROW(run->sittings, run->sitting_count, run->sitting_capacity);
    struct pm_reading_sitting *sitting = &run->sittings[run->sitting_count++];
    *sitting = (struct pm_reading_sitting){
        .started = pm_reading_keep(l->r, row->started),
        .finished = pm_reading_keep(l->r, row->finished),
        .load_before = row->load_before,
        .load_after = row->load_after,
    };
    return pm_store_json(l->store, row->machine, &sitting->machine, "sitting of run", row->run_id,
                         "machine", l->err);
}

static int keep_import(void *ctx, const struct pm_import_row *row)
{
    struct loading *l = ctx;
    struct pm_reading_run *run = &l->r->runs[l->run];
    if (run->imports++ >= PM_READING_IMPORTS_NAMED)
        return PM_OK;
    const char *before = run->imports_named;
    char *text = pm_format("%s%s%s '%s' (%s: %lld, %s)", before ? before : "", before ? ", " : "",
                           row->function, row->name, pm_clock_text(row->clock),
                           (long long)row->imports, row->imported);
    run->imports_named = pm_reading_keep(l->r, text);
    free(text);
    return PM_OK;
}

static int load_counts(struct loading *l)
{
    struct pm_reading_run *run = &l->r->runs[l->run];
    struct pm_run_progress progress;
    PM_TRY(pm_store_run_progress(l->store, run->id, &progress, l->err));
    run->planned = progress.planned;
    run->done = progress.done;
    run->repeated = progress.repeated;
    return pm_store_imports(l->store, run->id, keep_import, l, l->err);
}

/* ---- judged rows ---------------------------------------------------------------------------- */

static int target_of(const struct loading *l, int64_t id, const char *table, int *index)
{
    return pm_reading_target(l->r, l->store, l->run, id, table, index, l->err);
}

static int keep_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    struct pm_reading_verdict v = {
        .verdict = row->verdict,
        .verdict_study = row->verdict_study,
        .host_only = row->host_only,
        .counted = row->counted,
        .passed = row->passed,
    };
    PM_TRY(target_of(l, row->target_id, "verdict", &v.target));
    if (!pm_reading_shows(r, v.target))
        return PM_OK;
    v.function = pm_reading_keep(r, row->function);
    v.detail = pm_reading_keep(r, row->detail);
    v.why = pm_reading_keep(r, row->why);
    v.rule = pm_reading_keep(r, row->rule);
    PM_GROW(r->verdicts, r->verdict_list.count, r->verdict_list.capacity);
    r->verdicts[r->verdict_list.count++] = v;
    return PM_OK;
}

/* Rows of one case and repetition follow each other by reason, so that the one that counts was read
 * just before. */
static void note_exact_mode(struct loading *l, const struct pm_judgement_row *row)
{
    struct pm_reading *r = l->r;
    struct pm_reading_judgement *last =
        r->judgement_list.count ? &r->judgements[r->judgement_list.count - 1] : NULL;
    if (!last || row->outcome != PM_OUTCOME_PASS || !pm_outcome_is_wrong(last->outcome) ||
        r->targets[last->target].id != row->target_id || last->repetition != row->repetition ||
        strcmp(last->function, row->function) || strcmp(last->name, row->name))
        return;
    last->precision = true;
    r->runs[l->run].precision++;
}

/* Most rows have nothing to say; the text of one case is the same in all its rows. */
static char *keep_some(struct pm_reading *r, const char *text)
{
    static char nothing[1];
    return *text ? pm_reading_keep(r, text) : nothing;
}

/* The first case of a function on a target is found by both. */
static void note_first_case(struct pm_reading *r, const struct pm_reading_case *c)
{
    char *key = pm_reading_case_key(c->target, c->function, NULL);
    if (!pm_map_has(&r->case_by_key, key))
        pm_map_put(&r->case_by_key, key, (void *)(uintptr_t)r->case_list.count);
    free(key);
}

/* The case of the row on a target, which is added where it is new. */
static struct pm_reading_case *case_of(struct pm_reading *r, int target,
                                       const struct pm_judgement_row *row)
{
    struct pm_reading_case *last = r->case_list.count ? &r->cases[r->case_list.count - 1] : NULL;
    if (last && last->target == target && !strcmp(last->function, row->function) &&
        !strcmp(last->name, row->name))
        return last;
    const struct pm_reading_case *known = pm_reading_case(r, target, row->function, row->name);
    if (known)
        return &r->cases[known - r->cases];
    PM_GROW(r->cases, r->case_list.count, r->case_list.capacity);
    struct pm_reading_case *c = &r->cases[r->case_list.count++];
    *c = (struct pm_reading_case){
        .target = target,
        .function = pm_reading_keep(r, row->function),
        .name = pm_reading_keep(r, row->name),
        .dtype = pm_reading_keep(r, row->dtype),
        .detail = "",
        .why = "",
        .rule = "",
        .outcome = PM_OUTCOME_PASS,
        .counts = row->case_counts,
        .expects = row->expects,
        .checks = row->checks,
        .raises = row->raises,
        .backward = row->backward,
        .size = row->size,
        .error = NAN,
    };
    char *key = pm_reading_case_key(target, row->function, row->name);
    pm_map_put(&r->case_by_key, key, (void *)(uintptr_t)r->case_list.count);
    free(key);
    note_first_case(r, c);
    return c;
}

/* Adds an execution that counts to its case. */
static void note_case(struct pm_reading *r, struct pm_reading_case *c,
                      const struct pm_judgement_row *row)
{
    if (row->repetition >= c->repetitions)
        c->repetitions = row->repetition + 1;
    if (row->outcome == PM_OUTCOME_HARNESS || row->outcome == PM_OUTCOME_NOT_APPLICABLE)
        return;
    c->passed += row->outcome == PM_OUTCOME_PASS;
    if (row->outcome == PM_OUTCOME_PASS)
        c->error = fmax(c->error, row->smallest_rtol);
    c->blocked += row->outcome == PM_OUTCOME_BLOCKED;
    c->failed += row->outcome != PM_OUTCOME_PASS && row->outcome != PM_OUTCOME_BLOCKED;
    if (row->outcome == PM_OUTCOME_PASS || c->outcome != PM_OUTCOME_PASS)
        return;
    c->outcome = row->outcome;
    c->stage = row->stage;
    c->detail = pm_reading_keep(r, row->detail);
    c->why = pm_reading_keep(r, row->why);
    c->rule = pm_reading_keep(r, row->rule);
}

static int keep_judgement(void *ctx, const struct pm_judgement_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    if (row->reason == PM_REASON_EXACT_MODE)
        note_exact_mode(l, row);
    if (!row->counts && row->reason != PM_REASON_NONE)
        return PM_OK;
    struct pm_reading_judgement j = {
        .execution = row->execution_id,
        .repetition = row->repetition,
        .outcome = row->outcome,
        .case_counts = row->case_counts,
        .host_only = row->host_only,
        .shared = row->shared,
        .reason = row->reason,
    };
    PM_TRY(target_of(l, row->target_id, "judgement", &j.target));
    struct pm_reading_case *c = row->counts ? case_of(r, j.target, row) : NULL;
    if (c)
        note_case(r, c, row);
    if (!pm_reading_shows(r, j.target))
        return PM_OK;
    j.function = c ? c->function : pm_reading_keep(r, row->function);
    j.name = c ? c->name : pm_reading_keep(r, row->name);
    j.dtype = c ? c->dtype : pm_reading_keep(r, row->dtype);
    j.stage = row->stage;
    j.detail = keep_some(r, row->detail);
    j.why = keep_some(r, row->why);
    j.rule = keep_some(r, row->rule);
    struct pm_reading_judgement **rows = row->counts ? &r->judgements : &r->superseded;
    struct pm_reading_list *list = row->counts ? &r->judgement_list : &r->superseded_list;
    PM_GROW(*rows, list->count, list->capacity);
    (*rows)[list->count++] = j;
    return PM_OK;
}

static int keep_statistic(void *ctx, const struct pm_statistic_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    int target;
    PM_TRY(target_of(l, row->target_id, "statistic", &target));
    const bool shown = pm_reading_shows(r, target);
    if ((size_t)target >= r->target_list.count + r->hidden_targets)
        return PM_OK;
    struct pm_reading_statistic **statistics = shown ? &r->statistics : &r->hidden_statistics;
    struct pm_reading_list *list = shown ? &r->statistic_list : &r->hidden_statistic_list;
    PM_GROW(*statistics, list->count, list->capacity);
    (*statistics)[list->count++] = (struct pm_reading_statistic){
        .key = {.target = target,
                .scope = row->scope,
                .function = pm_reading_keep(r, row->function),
                .name = pm_reading_keep(r, row->name),
                .clock = row->clock,
                .size = row->size,
                .what = row->what},
        .value = row->value,
        .low = row->low,
        .high = row->high,
        .processes = row->processes,
        .control_processes = row->control_processes,
        .unstable = row->unstable,
    };
    return PM_OK;
}

static int keep_first_call(void *ctx, const struct pm_first_call_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    int target;
    PM_TRY(target_of(l, row->target_id, "execution", &target));
    if (!pm_reading_shows(r, target))
        return PM_OK;
    const bool whole = row->cold_ns >= 0 && row->tracing_ns >= 0 && row->lowering_ns >= 0 &&
                       row->compiling_ns >= 0;
    const int64_t before = row->tracing_ns + row->lowering_ns + row->compiling_ns;
    PM_GROW(r->first_calls, r->first_call_list.count, r->first_call_list.capacity);
    r->first_calls[r->first_call_list.count++] = (struct pm_reading_first_call){
        .execution = row->execution_id,
        .cold_ns = row->cold_ns,
        .tracing_ns = row->tracing_ns,
        .lowering_ns = row->lowering_ns,
        .compiling_ns = row->compiling_ns,
        .running_ns = whole && before <= row->cold_ns ? row->cold_ns - before : -1,
        .compilations = row->compilations,
        .recompilations = row->recompilations,
        .device_memory = row->device_memory,
    };
    return PM_OK;
}

static int keep_canary(void *ctx, const struct pm_canary_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    const bool left_out = row->observed == PM_OBSERVED_LEFT_OUT;
    int target;
    PM_TRY(target_of(l, row->target_id, "canary", &target));
    r->runs[l->run].canaries_left_out += left_out;
    r->runs[l->run].canaries_detected += row->as_expected && !left_out;
    if (!pm_reading_shows(r, target))
        return PM_OK;
    PM_GROW(r->canaries, r->canary_list.count, r->canary_list.capacity);
    r->canaries[r->canary_list.count++] = (struct pm_reading_canary){
        .target = target,
        .name = pm_reading_keep(r, row->name),
        .expected = row->expected,
        .observed = row->observed,
        .detail = pm_reading_keep(r, row->detail),
        .as_expected = row->as_expected,
    };
    return PM_OK;
}

static int keep_memory(void *ctx, const struct pm_function_time_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    int target;
    PM_TRY(target_of(l, row->target_id, "execution", &target));
    for (size_t i = 0; i < r->verdict_list.count; i++)
        if (r->verdicts[i].target == target && !strcmp(r->verdicts[i].function, row->function))
            r->verdicts[i].memory = row->max_rss;
    return PM_OK;
}

static int load_rows(struct loading *l)
{
    const int64_t id = l->r->runs[l->run].id;
    PM_TRY(pm_store_sittings(l->store, id, keep_sitting, l, l->err));
    PM_TRY(pm_store_verdicts(l->store, id, keep_verdict, l, l->err));
    if (l->r->for_page)
        PM_TRY(pm_store_function_times(l->store, id, keep_memory, l, l->err));
    PM_TRY(pm_store_judgements(l->store, id, keep_judgement, l, l->err));
    PM_TRY(pm_store_statistics(l->store, id, PM_SCOPE_COUNT, keep_statistic, l, l->err));
    if (l->r->for_page || l->r->shows_empty || !l->r->for_people)
        PM_TRY(pm_store_first_calls(l->store, id, keep_first_call, l, l->err));
    PM_TRY(pm_store_canaries(l->store, id, keep_canary, l, l->err));
    return pm_reading__load_estimates(l->r, l->store, l->run, l->err);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* All runs, and the shown targets. */
static int load_chosen(struct loading *l, int64_t run_id)
{
    struct pm_reading *r = l->r;
    PM_TRY(pm_store_runs(l->store, keep_run, l, l->err));
    for (l->run = 0; l->run < r->run_list.count; l->run++)
        PM_TRY(pm_store_targets(l->store, r->runs[l->run].id, keep_target, l, l->err));
    pm_reading__choose(r, run_id);
    return PM_OK;
}

static int load(struct loading *l, const char *db, int64_t run_id)
{
    struct pm_reading *r = l->r;
    bool found = false;
    PM_TRY(load_chosen(l, run_id));
    for (l->run = 0; l->run < r->run_list.count; l->run++) {
        const struct pm_reading_run *run = &r->runs[l->run];
        found |= run->shown;
        if (run->shown || run->passed_over)
            PM_TRY(load_counts(l));
        if (run->shown)
            PM_TRY(load_rows(l));
    }
    if (!found)
        return run_id ? pm_error_set(
                            l->err, PM_EUSAGE,
                            "database '%s' has no run %lld: list the runs with portmeter runs", db,
                            (long long)run_id)
                      : pm_error_set(l->err, PM_EUSAGE,
                                     "database '%s' has no run: run portmeter run first", db);
    pm_reading_index(r);
    return pm_reading__load_uses(r, l->store, l->err);
}

int pm_reading_load(struct pm_reading *r, struct pm_store *store, const char *db, int64_t run_id,
                    struct pm_error *err)
{
    struct loading l = {.r = r, .store = store, .err = err};
    PM_TRY(pm_store_begin(store, err)); /* one state of a database that may be written meanwhile */
    const int rc = load(&l, db, run_id);
    const int ended = pm_store_commit(store, rc ? NULL : err);
    return rc ? rc : ended;
}

static int see_run(void *ctx, const struct pm_run_row *row)
{
    bool *any = ctx;
    *any |= row->kind == PM_RUN_KIND_MEASURED;
    return PM_OK;
}

int pm_reading_any_run(struct pm_store *store, bool *any, struct pm_error *err)
{
    *any = false;
    return pm_store_runs(store, see_run, any, err);
}

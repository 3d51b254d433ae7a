/* Reads judged rows from the store, for tables. */
#include "reading/loading.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/dtype.h"
#include "assess/assess.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "store/executions.h"
#include "store/outputs.h"
#include "store/shards.h"
#include "store/targets.h"
#include "store/timings.h"

struct loading {
    struct pm_reading *r;
    struct pm_store *store;
    struct pm_error *err;
    size_t run; /* index of the run whose rows are being read */
    struct known_case {
        int64_t id;
        char *function, *name, *dtype, *across;
        enum pm_size size;
        enum pm_case_kind kind;
        enum pm_tier tier;
        bool no_values;
    } * known; /* all cases of the database, by id; the reading owns their texts */
    size_t known_count, known_capacity;
    struct precision {
        int64_t target, of_case;
        double epsilon; /* of its floating-point arrays; NaN: they differ in it */
    } * precisions;     /* of the run whose rows are being read, by target and case */
    size_t precision_count, precision_capacity;
    struct pm_reading_case *of; /* the case whose judgements are being read */
    size_t next_verdict; /* where keep_memory() begins to search: its rows have the same order */
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
        .source = pm_reading_keep(r, row->source),
        .is_running = row->state == PM_RUN_RUNNING && r->is_running && r->is_running(row),
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
        .reference = pm_reading_keep(r, row->reference),
        .role = row->role,
        .evidence = row->evidence,
        .framework = pm_reading_keep(r, row->framework),
        .version = pm_reading_keep(r, row->version),
        .device_name = pm_reading_keep(r, row->device_name),
        .environment = pm_reading_keep(r, row->environment),
        .python = pm_reading_keep(r, row->python),
        .driver_version = pm_reading_keep(r, row->driver_version),
        .numeric = pm_reading_keep(r, row->numeric),
        .latencies = row->latencies,
        .hides_fallbacks = row->hides_fallbacks,
        .judged = row->judged,
    };
    return PM_OK;
}

static int keep_attempt(void *ctx, const struct pm_attempt_row *row)
{
    const struct loading *l = ctx;
    struct pm_reading_run *run = &l->r->runs[l->run];
    PM_GROW(run->attempts, run->attempt_count, run->attempt_capacity);
    struct pm_reading_attempt *attempt = &run->attempts[run->attempt_count++];
    *attempt = (struct pm_reading_attempt){
        .started = pm_reading_keep(l->r, row->started),
        .finished = pm_reading_keep(l->r, row->finished),
        .load_before = row->load_before,
        .load_after = row->load_after,
        .shard = row->shard,
    };
    return pm_store_json(l->store, row->machine, &attempt->machine, "attempt of run", row->run_id,
                         "machine", l->err);
}

static int keep_shard(void *ctx, const struct pm_shard_row *row)
{
    const struct loading *l = ctx;
    struct pm_reading_run *run = &l->r->runs[l->run];
    PM_GROW(run->shards, run->shard_list_count, run->shard_capacity);
    run->shards[run->shard_list_count++] = (struct pm_reading_shard){
        .number = row->number,
        .functions = row->functions,
        .reason = pm_reading_keep(l->r, row->reason),
        .latency_reason = pm_reading_keep(l->r, row->latency_reason),
        .command = pm_reading_keep(l->r, row->command),
    };
    run->shard_count = row->count;
    run->shard_total = row->total;
    return PM_OK;
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
    run->executions = progress.executions;
    run->planned = progress.planned;
    run->done = progress.done;
    run->retried = progress.retried;
    return pm_store_imports(l->store, run->id, keep_import, l, l->err);
}

/* ---- judged rows ---------------------------------------------------------------------------- */

static int target_of(const struct loading *l, int64_t id, const char *table, int *index)
{
    return pm_reading_target(l->r, l->store, l->run, id, table, index, l->err);
}

/* Keeps a text. Needs no memory for an empty text, which most rows have. */
static char *keep_some(struct pm_reading *r, const char *text)
{
    static char nothing[1];
    return *text ? pm_reading_keep(r, text) : nothing;
}

/* Returns whether the caller wants to see the function. */
static bool is_function_wanted(const struct pm_reading *r, const char *function)
{
    return !r->function || !fnmatch(r->function, function, 0);
}

static int keep_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    struct pm_reading_verdict v = {
        .verdict = row->verdict,
        .verdict_paper = row->verdict_paper,
        .host_only = row->host_only,
        .counted = row->counted,
        .passed = row->passed,
        .core = row->core,
        .core_passed = row->core_passed,
    };
    PM_TRY(target_of(l, row->target_id, "verdict", &v.target));
    if (!pm_reading_shows(r, v.target) || !is_function_wanted(r, row->function))
        return PM_OK;
    v.function = pm_reading_keep(r, row->function);
    v.detail = pm_reading_keep(r, row->detail);
    v.reason = pm_reading_keep(r, row->reason);
    v.rule = pm_reading_keep(r, row->rule);
    v.limits = keep_some(r, row->limits);
    PM_GROW(r->verdicts, r->verdict_list.count, r->verdict_list.capacity);
    r->verdicts[r->verdict_list.count++] = v;
    return PM_OK;
}

/* Records that a retry in exact mode passed. Rows of one case and repetition are ordered by the
 * kind of retry, so the counted execution was read just before. */
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

/* ---- precisions of cases -------------------------------------------------------------------- */

static int keep_dtype(void *ctx, const struct pm_case_dtype_row *row)
{
    struct loading *l = ctx;
    enum pm_dtype dtype;
    const double epsilon = pm_dtype_parse(row->dtype, &dtype) ? pm_dtype_epsilon(dtype) : NAN;
    if (isnan(epsilon))
        return PM_OK;
    struct precision *last = l->precision_count ? &l->precisions[l->precision_count - 1] : NULL;
    if (last && last->target == row->target_id && last->of_case == row->case_id) {
        last->epsilon = last->epsilon == epsilon ? epsilon : NAN;
        return PM_OK;
    }
    PM_GROW(l->precisions, l->precision_count, l->precision_capacity);
    l->precisions[l->precision_count++] = (struct precision){row->target_id, row->case_id, epsilon};
    return PM_OK;
}

static int by_target_and_case(const void *left, const void *right)
{
    const struct precision *a = left, *b = right;
    return a->target != b->target ? (a->target > b->target) - (a->target < b->target)
                                  : (a->of_case > b->of_case) - (a->of_case < b->of_case);
}

/* Returns the error of a case in units of the last place of 1; NaN: not known. */
static double ulp_of(const struct loading *l, const struct pm_judged_case_row *row)
{
    const struct precision key = {row->target_id, row->case_id, 0};
    const struct precision *found = l->precision_count
                                        ? bsearch(&key, l->precisions, l->precision_count,
                                                  sizeof *l->precisions, by_target_and_case)
                                        : NULL;
    return found ? row->error / found->epsilon : NAN;
}

static int load_precisions(struct loading *l)
{
    l->precision_count = 0;
    return l->r->of_dtypes
               ? pm_store_case_dtypes(l->store, l->r->runs[l->run].id, keep_dtype, l, l->err)
               : PM_OK;
}

/* ---- cases -------------------------------------------------------------------------------- */

static int keep_name(void *ctx, const struct pm_case_name_row *row)
{
    struct loading *l = ctx;
    PM_GROW(l->known, l->known_count, l->known_capacity);
    l->known[l->known_count++] = (struct known_case){
        .id = row->id,
        .function = pm_reading_keep(l->r, row->function),
        .name = pm_reading_keep(l->r, row->name),
        .dtype = pm_reading_keep(l->r, row->dtype),
        .across = pm_reading_keep(l->r, row->across),
        .size = row->size,
        .kind = row->kind,
        .tier = row->tier,
        .no_values = row->no_values,
    };
    return PM_OK;
}

static int by_known_id(const void *key, const void *item)
{
    const int64_t id = *(const int64_t *)key, at = ((const struct known_case *)item)->id;
    return (id > at) - (id < at);
}

/* Finds a case by its id. The first guess is right if the ids have no gap. Returns NULL if the
 * database has no such case. */
static const struct known_case *find_known(const struct loading *l, int64_t id)
{
    if (!l->known_count)
        return NULL;
    const uint64_t guess = (uint64_t)id - (uint64_t)l->known[0].id;
    if (guess < l->known_count && l->known[guess].id == id)
        return &l->known[guess];
    return bsearch(&id, l->known, l->known_count, sizeof *l->known, by_known_id);
}

static int keep_case(void *ctx, const struct pm_judged_case_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    int target;
    PM_TRY(target_of(l, row->target_id, "judged case", &target));
    const struct known_case *known = find_known(l, row->case_id);
    if (!known)
        return pm_store_damaged(
            l->store, l->err,
            "row 'judged case of run %lld' refers to case %lld, which does not exist",
            (long long)row->run_id, (long long)row->case_id);
    if (!is_function_wanted(r, known->function))
        return PM_OK;
    PM_GROW(r->cases, r->case_list.count, r->case_list.capacity);
    r->cases[r->case_list.count++] = (struct pm_reading_case){
        .id = row->case_id,
        .target = target,
        .function = known->function,
        .name = known->name,
        .dtype = known->dtype,
        .across = known->across,
        .detail = keep_some(r, row->detail),
        .reason = keep_some(r, row->reason),
        .rule = keep_some(r, row->rule),
        .by_type = "",
        .stage = row->stage,
        .outcome = row->outcome,
        .passed = row->passed,
        .failed = row->failed,
        .blocked = row->blocked,
        .repetitions = row->repetitions,
        .counts = row->counts,
        .alike = row->alike,
        .expects = row->expects,
        .checks = row->checks,
        .raises = row->raises,
        .backward = row->backward,
        .size = known->size,
        .kind = known->kind,
        .tier = known->tier,
        .no_values = known->no_values,
        .error = row->error,
        .ulp = ulp_of(l, row),
    };
    return PM_OK;
}

/* ---- judgements of a case ------------------------------------------------------------------- */

static void add_judgement(struct pm_reading *r, bool counts, struct pm_reading_judgement j)
{
    struct pm_reading_judgement **rows = counts ? &r->judgements : &r->superseded;
    struct pm_reading_list *list = counts ? &r->judgement_list : &r->superseded_list;
    PM_GROW(*rows, list->count, list->capacity);
    (*rows)[list->count++] = j;
}

/* Returns one judgement that represents all judgements of a case. */
static struct pm_reading_judgement judgement_of(const struct pm_reading_case *c)
{
    return (struct pm_reading_judgement){
        .target = c->target,
        .function = c->function,
        .name = c->name,
        .dtype = c->dtype,
        .detail = c->detail,
        .reason = c->reason,
        .rule = c->rule,
        .outcome = c->outcome,
        .stage = c->stage,
        .case_counts = c->counts,
    };
}

/* Copies a judgement to a case if no execution of the case passes, fails or is blocked, and no
 * earlier judgement was copied. */
static void show_first(struct pm_reading_case *c, const struct pm_reading_judgement *j)
{
    if (c->passed + c->failed + c->blocked > 0 || c->outcome != PM_OUTCOME_PASS)
        return;
    c->outcome = j->outcome;
    c->stage = j->stage;
    c->detail = j->detail;
    c->reason = j->reason;
    c->rule = j->rule;
}

static int keep_judgement(void *ctx, const struct pm_judgement_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    if (row->retry == PM_RETRY_EXACT_MODE)
        note_exact_mode(l, row);
    if (!row->counts && row->retry != PM_RETRY_NONE)
        return PM_OK;
    struct pm_reading_judgement j = judgement_of(l->of);
    j.execution = row->execution_id;
    j.repetition = row->repetition;
    j.outcome = row->outcome;
    j.stage = row->stage;
    j.case_counts = row->case_counts;
    j.position = row->position;
    j.retry = row->retry;
    j.detail = keep_some(r, row->detail);
    j.reason = keep_some(r, row->reason);
    j.rule = keep_some(r, row->rule);
    if (row->counts)
        show_first(l->of, &j);
    add_judgement(r, row->counts, j);
    return PM_OK;
}

static int load_judgements(struct loading *l, struct pm_reading_case *c)
{
    struct pm_reading *r = l->r;
    if (!pm_reading_shows(r, c->target))
        return PM_OK;
    if (c->alike && !r->of_executions) {
        add_judgement(r, true, judgement_of(c));
        return PM_OK;
    }
    const struct pm_judgement_row like = {.target_id = r->targets[c->target].id,
                                          .case_id = c->id,
                                          .function = c->function,
                                          .name = c->name};
    l->of = c;
    return pm_store_judgements_of_case(l->store, r->runs[l->run].id, &like, keep_judgement, l,
                                       l->err);
}

/* Orders cases by the id of the target, then by function, then by the id of the case. */
static int in_order(const void *left, const void *right, void *targets)
{
    const struct pm_reading_case *a = left, *b = right;
    const struct pm_reading_target *of = targets;
    const int64_t x = of[a->target].id, y = of[b->target].id;
    const int functions = x == y ? strcmp(a->function, b->function) : 0;
    return x != y ? (x > y) - (x < y) : functions ? functions : (a->id > b->id) - (a->id < b->id);
}

/* Sorts the cases from cases[first] on. Usually, the database already has them in this order. */
static void sort_cases(const struct pm_reading *r, size_t first)
{
    for (size_t i = first + 1; i < r->case_list.count; i++)
        if (in_order(&r->cases[i - 1], &r->cases[i], r->targets) > 0) {
            qsort_r(&r->cases[first], r->case_list.count - first, sizeof *r->cases, in_order,
                    r->targets);
            return;
        }
}

/* Indexes cases[index] if it is the first one of its function and target. The others follow it. */
static void note_first_case(struct pm_reading *r, size_t index)
{
    const struct pm_reading_case *c = &r->cases[index];
    if (index && c[-1].target == c->target && !strcmp(c[-1].function, c->function))
        return;
    char *key = pm_reading_case_key(c->target, c->function, NULL);
    pm_map_put(&r->case_by_key, key, (void *)(uintptr_t)(index + 1));
    free(key);
}

/* Loads the cases with at least one counted execution, and their judgements. */
static int load_cases(struct loading *l)
{
    struct pm_reading *r = l->r;
    const size_t first = r->case_list.count;
    PM_TRY(pm_assess_judged_cases(l->store, r->runs[l->run].id, r->runs[l->run].executions,
                                  keep_case, l, l->err));
    sort_cases(r, first);
    size_t kept = first;
    for (size_t i = first; i < r->case_list.count; i++) {
        PM_TRY(load_judgements(l, &r->cases[i]));
        r->cases[kept] = r->cases[i];
        if (r->cases[i].repetitions)
            note_first_case(r, kept++);
    }
    r->case_list.count = kept;
    return PM_OK;
}

/* ---- outputs that are compared by type only ------------------------------------------------- */

static int keep_types(void *ctx, const struct pm_typed_case_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    int target;
    PM_TRY(target_of(l, row->target_id, "execution", &target));
    for (size_t i = 0; i < r->case_list.count; i++) {
        if (r->cases[i].target != target || r->cases[i].id != row->case_id)
            continue;
        char *text = row->leaves > 1 ? pm_format("%s: %s and %lld more", row->path, row->type,
                                                 (long long)row->leaves - 1)
                                     : pm_format("%s: %s", row->path, row->type);
        r->cases[i].by_type = pm_reading_keep(r, text);
        free(text);
        break;
    }
    return PM_OK;
}

static int load_types(struct loading *l)
{
    return l->r->of_cases
               ? pm_store_typed_cases(l->store, l->r->runs[l->run].id, keep_types, l, l->err)
               : PM_OK;
}

/* ---- statistics, first calls, planted faults ------------------------------------------------ */

static int keep_statistic(void *ctx, const struct pm_statistic_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    int target;
    PM_TRY(target_of(l, row->target_id, "statistic", &target));
    const bool shown = pm_reading_shows(r, target);
    if ((size_t)target >= r->target_list.count + r->hidden_targets ||
        !is_function_wanted(r, row->function))
        return PM_OK;
    struct pm_reading_statistic **statistics = shown ? &r->statistics : &r->hidden_statistics;
    struct pm_reading_list *list = shown ? &r->statistic_list : &r->hidden_statistic_list;
    const bool compiles = row->unstable && isnan(row->value) && !row->processes;
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
        .reference_processes = row->reference_processes,
        .unstable = row->unstable && !compiles,
        .compiles = compiles,
    };
    return PM_OK;
}

static int load_statistics(struct loading *l)
{
    const int64_t id = l->r->runs[l->run].id;
    if (l->r->of_cases)
        PM_TRY(pm_store_statistics(l->store, id, PM_SCOPE_CASE, keep_statistic, l, l->err));
    else
        PM_TRY(pm_store_unstable_cases(l->store, id, keep_statistic, l, l->err));
    PM_TRY(pm_store_statistics(l->store, id, PM_SCOPE_FUNCTION, keep_statistic, l, l->err));
    return pm_store_statistics(l->store, id, PM_SCOPE_TARGET, keep_statistic, l, l->err);
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

static int keep_planted_fault(void *ctx, const struct pm_planted_fault_row *row)
{
    struct loading *l = ctx;
    struct pm_reading *r = l->r;
    const bool not_applying = row->observed == PM_OBSERVED_DOES_NOT_APPLY;
    int target;
    PM_TRY(target_of(l, row->target_id, "planted_fault", &target));
    r->runs[l->run].planted_faults_not_applying += not_applying;
    r->runs[l->run].planted_faults_detected += row->as_expected && !not_applying;
    if (!pm_reading_shows(r, target))
        return PM_OK;
    PM_GROW(r->planted_faults, r->planted_fault_list.count, r->planted_fault_list.capacity);
    r->planted_faults[r->planted_fault_list.count++] = (struct pm_reading_planted_fault){
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
    if (!pm_reading_shows(r, target))
        return PM_OK;
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const size_t at = (l->next_verdict + i) % r->verdict_list.count;
        struct pm_reading_verdict *v = &r->verdicts[at];
        if (v->target == target && !strcmp(v->function, row->function)) {
            v->memory = row->max_rss;
            l->next_verdict = at + 1;
            return PM_OK;
        }
    }
    return PM_OK;
}

static int load_rows(struct loading *l)
{
    const int64_t id = l->r->runs[l->run].id;
    PM_TRY(pm_store_attempts(l->store, id, keep_attempt, l, l->err));
    PM_TRY(pm_store_shards(l->store, id, keep_shard, l, l->err));
    PM_TRY(pm_store_verdicts(l->store, id, keep_verdict, l, l->err));
    if (l->r->for_page)
        PM_TRY(pm_store_function_times(l->store, id, keep_memory, l, l->err));
    PM_TRY(load_precisions(l));
    PM_TRY(load_cases(l));
    PM_TRY(load_types(l));
    PM_TRY(load_statistics(l));
    if (l->r->of_executions)
        PM_TRY(pm_store_first_calls(l->store, id, keep_first_call, l, l->err));
    PM_TRY(pm_store_planted_faults(l->store, id, keep_planted_fault, l, l->err));
    return l->r->function ? PM_OK : pm_reading__load_estimates(l->r, l->store, l->run, l->err);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Loads all runs and targets, and chooses the shown ones. */
static int load_chosen(struct loading *l, int64_t run_id)
{
    struct pm_reading *r = l->r;
    PM_TRY(pm_store_runs(l->store, keep_run, l, l->err));
    for (l->run = 0; l->run < r->run_list.count; l->run++)
        PM_TRY(pm_store_targets(l->store, r->runs[l->run].id, keep_target, l, l->err));
    PM_TRY(pm_reading__tell_nodes_apart(r, l->store, l->err));
    pm_reading__choose(r, run_id);
    return PM_OK;
}

/* Checks that a requested function has results. */
static int check_function(const struct loading *l)
{
    const struct pm_reading *r = l->r;
    if (!r->function || r->verdict_list.count || r->case_list.count)
        return PM_OK;
    const char **names = pm_alloc((l->known_count + 1) * sizeof *names);
    for (size_t i = 0; i < l->known_count; i++)
        names[i] = l->known[i].function;
    const char *nearest = pm_nearest(r->function, names, l->known_count);
    free(names);
    return nearest
               ? pm_error_set(l->err, PM_EUSAGE,
                              "no shown target has results of function '%s': did you mean '%s'?",
                              r->function, nearest)
               : pm_error_set(l->err, PM_EUSAGE,
                              "no shown target has results of function '%s': portmeter report "
                              "--table functions lists all",
                              r->function);
}

static int load(struct loading *l, const char *db, int64_t run_id)
{
    struct pm_reading *r = l->r;
    bool found = false;
    PM_TRY(load_chosen(l, run_id));
    PM_TRY(pm_reading__check_wanted(r, db, run_id, l->err));
    PM_TRY(pm_store_case_names(l->store, keep_name, l, l->err));
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
    PM_TRY(check_function(l));
    if (!run_id && !r->function)
        PM_TRY(pm_reading__load_older(r, l->store, l->err));
    pm_reading_index(r);
    return pm_reading__load_uses(r, l->store, l->err);
}

int pm_reading_load(struct pm_reading *r, struct pm_store *store, const char *db, int64_t run_id,
                    struct pm_error *err)
{
    struct loading l = {.r = r, .store = store, .err = err};
    /* The transaction reads one state of a database, to which another process may be writing. */
    PM_TRY(pm_store_begin(store, err));
    const int rc = load(&l, db, run_id);
    free(l.known);
    free(l.precisions);
    return pm_store_settle(store, rc, err);
}

static int list(struct loading *l)
{
    PM_TRY(load_chosen(l, 0));
    for (l->run = 0; l->run < l->r->run_list.count; l->run++)
        PM_TRY(pm_store_attempts(l->store, l->r->runs[l->run].id, keep_attempt, l, l->err));
    return PM_OK;
}

int pm_reading_list(struct pm_reading *r, struct pm_store *store, struct pm_error *err)
{
    struct loading l = {.r = r, .store = store, .err = err};
    PM_TRY(pm_store_begin(store, err));
    return pm_store_settle(store, list(&l), err);
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

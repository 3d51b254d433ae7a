/*
 * Reads the stored rows of a run for judging. The rows may be damaged, so a row that refers to
 * another run is an error, and no id or repetition is used as a size or an index.
 */
#include "assess/evidence.h"

#include <string.h>

#include "assess/assess.h"
#include "base/alloc.h"
#include "base/json.h"
#include "store/executions.h"
#include "store/judgements.h"
#include "store/outputs.h"
#include "store/runs.h"
#include "store/targets.h"

struct loading {
    struct pm_assess_evidence *all;
    struct pm_error *err;
    struct pm_assess_leaves *leaves;
    enum pm_leaf_part part; /* PM_PART_COUNT: all */
    struct pm_map cases;    /* by id: index in all->cases + 1 */
    size_t *case_of;        /* for each execution: index + 1 of its case, before both are sorted */
    size_t case_of_capacity;
};

static int keep_run(void *ctx, const struct pm_run_row *row)
{
    struct loading *l = ctx;
    struct pm_assess_evidence *all = l->all;
    if (row->id != all->run_id)
        return PM_OK;
    all->seed = row->seed;
    all->sample_id = row->sample_id;
    all->latency_validity = row->latency_validity;
    all->measured = row->state == PM_RUN_DONE;
    PM_TRY(
        pm_store_json(all->store, row->options, &all->options, "run", row->id, "options", l->err));
    all->keeps_values = pm_json_bool(all->options, "keep_values", true);
    return PM_OK;
}

/* Returns whether the driver reported a numeric mode that is faster and less exact. */
static bool is_fast(const struct pm_target_row *row)
{
    json_t *numeric = json_loads(row->numeric, 0, NULL);
    const bool fast = json_array_size(json_object_get(numeric, PM_NUMERIC_FAST)) > 0;
    json_decref(numeric);
    return fast;
}

static int keep_target(void *ctx, const struct pm_target_row *row)
{
    struct pm_assess_evidence *all = ((struct loading *)ctx)->all;
    PM_GROW(all->targets, all->target_count, all->target_capacity);
    if (row->role == PM_ROLE_ORACLE)
        all->oracle = (int)all->target_count;
    all->targets[all->target_count] = (struct pm_assess_target){
        .id = row->id,
        .text = pm_strdup(row->text),
        .framework = pm_strdup(row->framework),
        .reference_text = pm_strdup(row->reference),
        .reference = (int)all->target_count,
        .role = row->role,
        .evidence = row->evidence,
        .latencies = row->latencies,
        .fast = is_fast(row),
    };
    all->target_count++;
    return PM_OK;
}

static void link_references(struct pm_assess_evidence *all)
{
    for (size_t i = 0; i < all->target_count; i++)
        for (size_t k = 0; k < all->target_count; k++)
            if (all->targets[k].role != PM_ROLE_NOISE &&
                !strcmp(all->targets[i].reference_text, all->targets[k].text))
                all->targets[i].reference = (int)k;
}

/* ---- executions ------------------------------------------------------------------------------
 */

static int find_target(const struct loading *l, const struct pm_execution_row *row, int *index)
{
    for (size_t t = 0; t < l->all->target_count; t++)
        if (l->all->targets[t].id == row->target_id) {
            *index = (int)t;
            return PM_OK;
        }
    return pm_store_damaged(l->all->store, l->err,
                            "column 'target_id' of row 'execution %lld' refers to target %lld of "
                            "another run",
                            (long long)row->id, (long long)row->target_id);
}

/* Adds the case of the row if it is new, and sets *index to its index + 1. */
static int take_case(struct loading *l, const struct pm_execution_row *row, int target,
                     size_t *index)
{
    struct pm_assess_evidence *all = l->all;
    char id[24];
    snprintf(id, sizeof id, "%lld", (long long)row->case_id);
    *index = (size_t)(uintptr_t)pm_map_get(&l->cases, id);
    if (*index)
        return PM_OK;
    PM_GROW(all->cases, all->case_count, all->case_capacity);
    struct pm_assess_case *c = &all->cases[all->case_count++];
    *c = (struct pm_assess_case){
        .id = row->case_id,
        .framework = pm_strdup(all->targets[target].framework),
        .function = pm_strdup(row->function),
        .name = pm_strdup(row->name),
        .host_only = row->host_only,
        .size = row->size,
        .kind = row->kind,
    };
    *index = all->case_count;
    pm_map_put(&l->cases, id, (void *)(uintptr_t)*index);
    return pm_store_json(all->store, row->definition, &c->definition, "test_case", row->case_id,
                         "definition", l->err);
}

static int keep_execution(void *ctx, const struct pm_execution_row *row)
{
    struct loading *l = ctx;
    struct pm_assess_evidence *all = l->all;
    int target = 0;
    size_t test = 0;
    PM_TRY(find_target(l, row, &target));
    PM_TRY(take_case(l, row, target, &test));
    PM_GROW(l->case_of, all->execution_count, l->case_of_capacity);
    l->case_of[all->execution_count] = test;
    PM_GROW(all->executions, all->execution_count, all->execution_capacity);
    struct pm_assess_execution *e = &all->executions[all->execution_count++];
    *e = (struct pm_assess_execution){
        .id = row->id,
        .target = target,
        .repetition = (unsigned)row->repetition,
        .retry = row->retry,
        .position = row->position,
        .done = row->state == PM_EXECUTION_DONE,
        .answered = row->answered,
        .stage = row->stage,
        .ending = row->ending,
        .ending_text = pm_strdup(row->ending_text),
        .ending_code = row->ending_code,
    };
    return *row->result ? pm_store_json(all->store, row->result, &e->result, "execution", row->id,
                                        "result", l->err)
                        : PM_OK;
}

/* ---- order ------------------------------------------------------------------------------------
 */

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* Orders by function, then by id, which is the order in the suite. */
static int by_function(const void *left, const void *right)
{
    const struct pm_assess_case *a = left, *b = right;
    const int names = strcmp(a->function, b->function);
    return names ? names : compare(a->id, b->id);
}

static int by_case_id(const void *left, const void *right)
{
    const struct pm_assess_case *const *a = left, *const *b = right;
    return compare((*a)->id, (*b)->id);
}

static int by_key(const void *left, const void *right)
{
    const struct pm_assess_execution *a = left, *b = right;
    const int targets = compare(a->target, b->target);
    const int tests = targets ? targets : compare(a->test - b->test, 0);
    const int repetitions = tests ? tests : compare(a->repetition, b->repetition);
    return repetitions ? repetitions : compare(a->retry, b->retry);
}

static int by_id(const void *left, const void *right)
{
    const struct pm_assess_execution *const *a = left, *const *b = right;
    return compare((*a)->id, (*b)->id);
}

/* Sorts the cases, and sets the case of each execution. */
static void link_cases(struct pm_assess_evidence *all, const size_t *case_of)
{
    int64_t *ids = pm_alloc(all->case_count * sizeof *ids); /* in the order of reading */
    const struct pm_assess_case **sorted = pm_alloc(all->case_count * sizeof *sorted);
    for (size_t i = 0; i < all->case_count; i++)
        ids[i] = all->cases[i].id;
    if (all->case_count)
        qsort(all->cases, all->case_count, sizeof *all->cases, by_function);
    for (size_t i = 0; i < all->case_count; i++)
        sorted[i] = &all->cases[i];
    if (all->case_count)
        qsort(sorted, all->case_count, sizeof(*sorted), by_case_id);
    for (size_t i = 0; i < all->execution_count; i++) {
        const struct pm_assess_case wanted = {.id = ids[case_of[i] - 1]}, *key = &wanted;
        const struct pm_assess_case *const *found =
            bsearch(&key, sorted, all->case_count, sizeof(*sorted), by_case_id);
        all->executions[i].test = *found;
    }
    free(ids);
    free(sorted);
}

static void order_executions(struct pm_assess_evidence *all)
{
    all->by_id = pm_alloc(all->execution_count * sizeof *all->by_id);
    if (!all->execution_count)
        return;
    qsort(all->executions, all->execution_count, sizeof *all->executions, by_key);
    for (size_t i = 0; i < all->execution_count; i++)
        all->by_id[i] = &all->executions[i];
    qsort(all->by_id, all->execution_count, sizeof(*all->by_id), by_id);
}

static int keep_judgement(void *ctx, const struct pm_judgement_row *row)
{
    const struct loading *l = ctx;
    struct pm_assess_execution *e =
        (struct pm_assess_execution *)(uintptr_t)pm_assess_evidence_by_id(l->all,
                                                                          row->execution_id);
    if (!e)
        return PM_OK;
    e->judgement.outcome = row->outcome;
    e->judgement.stage = row->stage;
    snprintf(e->judgement.detail, sizeof e->judgement.detail, "%s", row->detail);
    e->smallest_rtol = row->smallest_rtol;
    e->judged = true;
    return PM_OK;
}

int pm_assess_evidence_load_targets(struct pm_assess_evidence *all, struct pm_store *store,
                                    int64_t run_id, struct pm_error *err)
{
    struct loading l = {.all = all, .err = err};
    *all = (struct pm_assess_evidence){.store = store, .run_id = run_id, .oracle = -1};
    PM_TRY(pm_store_runs(store, keep_run, &l, err));
    PM_TRY(pm_store_targets(store, run_id, keep_target, &l, err));
    link_references(all);
    return PM_OK;
}

int pm_assess_evidence_load(struct pm_assess_evidence *all, struct pm_store *store, int64_t run_id,
                            struct pm_error *err)
{
    struct loading l = {.all = all, .err = err};
    PM_TRY(pm_assess_evidence_load_targets(all, store, run_id, err));
    int rc = pm_store_executions(store, run_id, 0, keep_execution, &l, err);
    if (rc == PM_OK) {
        link_cases(all, l.case_of);
        order_executions(all);
        rc = pm_store_judgements(store, run_id, keep_judgement, &l, err);
    }
    pm_map_release(&l.cases);
    free(l.case_of);
    return rc;
}

static bool is_of(const struct pm_assess_execution *e, int target,
                  const struct pm_assess_case *test)
{
    return e->target == target && e->test == test;
}

void pm_assess_evidence_progress(const struct pm_assess_evidence *all, size_t looked)
{
    if (all->asked && all->asked->progress)
        all->asked->progress(all->asked->progress_ctx, looked, 2 * all->execution_count);
}

size_t pm_assess_evidence_place(const struct pm_assess_evidence *all, int target,
                                const struct pm_assess_case *test)
{
    const struct pm_assess_execution key = {.target = target, .test = test};
    size_t low = 0, high = all->execution_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_key(&all->executions[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool there = low < all->execution_count && is_of(&all->executions[low], target, test);
    return there ? low : all->execution_count;
}

size_t pm_assess_evidence_count(const struct pm_assess_evidence *all, int target,
                                const struct pm_assess_case *test)
{
    const size_t first = pm_assess_evidence_place(all, target, test);
    size_t count = 0;
    while (first + count < all->execution_count &&
           is_of(&all->executions[first + count], target, test))
        count++;
    return count;
}

const struct pm_assess_execution *pm_assess_evidence_find(const struct pm_assess_evidence *all,
                                                          int target,
                                                          const struct pm_assess_case *test,
                                                          unsigned repetition)
{
    return pm_assess_evidence_find_retry(all, target, test, repetition, PM_RETRY_NONE);
}

const struct pm_assess_execution *pm_assess_evidence_counted(const struct pm_assess_evidence *all,
                                                             int target,
                                                             const struct pm_assess_case *test,
                                                             unsigned repetition)
{
    const struct pm_assess_execution *alone =
        pm_assess_evidence_find_retry(all, target, test, repetition, PM_RETRY_ALONE);
    return alone && alone->done ? alone : pm_assess_evidence_find(all, target, test, repetition);
}

bool pm_assess_evidence_counts(const struct pm_assess_evidence *all,
                               const struct pm_assess_execution *e)
{
    return e == pm_assess_evidence_counted(all, e->target, e->test, e->repetition);
}

const struct pm_assess_execution *pm_assess_evidence_next(const struct pm_assess_evidence *all,
                                                          int target,
                                                          const struct pm_assess_case *test,
                                                          const struct pm_assess_execution *last)
{
    size_t i =
        last ? (size_t)(last - all->executions) + 1 : pm_assess_evidence_place(all, target, test);
    while (i < all->execution_count && is_of(&all->executions[i], target, test)) {
        if (pm_assess_evidence_counts(all, &all->executions[i]))
            return &all->executions[i];
        i++;
    }
    return NULL;
}

const struct pm_assess_execution *
pm_assess_evidence_find_retry(const struct pm_assess_evidence *all, int target,
                              const struct pm_assess_case *test, unsigned repetition,
                              enum pm_retry retry)
{
    const struct pm_assess_execution key = {
        .target = target, .test = test, .repetition = repetition, .retry = retry};
    return all->execution_count ? bsearch(&key, all->executions, all->execution_count,
                                          sizeof *all->executions, by_key)
                                : NULL;
}

const struct pm_assess_execution *pm_assess_evidence_by_id(const struct pm_assess_evidence *all,
                                                           int64_t id)
{
    const struct pm_assess_execution wanted = {.id = id}, *key = &wanted;
    const struct pm_assess_execution *const *found =
        all->execution_count
            ? bsearch(&key, all->by_id, all->execution_count, sizeof(*all->by_id), by_id)
            : NULL;
    return found ? *found : NULL;
}

bool pm_assess_evidence_has_function(const struct pm_assess_evidence *all, const char *function)
{
    for (size_t i = 0; i < all->case_count; i++)
        if (!strcmp(all->cases[i].function, function))
            return true;
    return false;
}

void pm_assess_evidence_release(struct pm_assess_evidence *all)
{
    for (size_t i = 0; i < all->target_count; i++) {
        free(all->targets[i].text);
        free(all->targets[i].framework);
        free(all->targets[i].reference_text);
    }
    for (size_t i = 0; i < all->case_count; i++) {
        free(all->cases[i].framework);
        free(all->cases[i].function);
        free(all->cases[i].name);
        json_decref(all->cases[i].definition);
    }
    for (size_t i = 0; i < all->execution_count; i++) {
        free(all->executions[i].ending_text);
        json_decref(all->executions[i].result);
    }
    json_decref(all->options);
    free(all->targets);
    free(all->cases);
    free(all->executions);
    free(all->by_id);
    *all = (struct pm_assess_evidence){0};
}

/* ---- leaves ------------------------------------------------------------------------------------
 */

static int keep_leaf(void *ctx, const struct pm_leaf_row *row)
{
    struct loading *l = ctx;
    struct pm_assess_leaves *out = l->leaves;
    if (l->part != PM_PART_COUNT && l->part != row->part)
        return PM_OK;
    if (out->leaves.count == out->capacity) {
        out->capacity = out->capacity ? out->capacity * 2 : 8;
        out->leaves.items =
            pm_realloc_array(out->leaves.items, out->capacity, sizeof *out->leaves.items);
        out->places = pm_realloc_array(out->places, out->capacity, sizeof *out->places);
    }
    out->places[out->leaves.count] = (struct pm_assess_place){row->part, row->position};
    struct pm_leaf *leaf = &out->leaves.items[out->leaves.count++];
    *leaf = (struct pm_leaf){
        .path = pm_strdup(row->path), .kind = row->kind, .digest = pm_strdup(row->digest)};
    enum pm_dtype dtype;
    if (leaf->kind != PM_LEAF_ARRAY) {
        leaf->value = leaf->type = pm_strdup(row->value);
        return PM_OK;
    }
    if (pm_array_of_text(row->dtype, row->shape, &leaf->array))
        return PM_OK;
    leaf->kind = PM_LEAF_TYPE; /* portmeter does not know the dtype */
    leaf->value = leaf->type = pm_strdup(row->dtype);
    return pm_dtype_parse(row->dtype, &dtype)
               ? pm_store_damaged(l->all->store, l->err,
                                  "column 'shape' of row 'leaf of execution %lld' is not a shape",
                                  (long long)row->execution_id)
               : PM_OK;
}

int pm_assess_evidence_load_leaves(struct pm_assess_evidence *all, int64_t execution_id,
                                   enum pm_leaf_part part, struct pm_assess_leaves *out,
                                   struct pm_error *err)
{
    struct loading l = {.all = all, .err = err, .leaves = out, .part = part};
    out->execution_id = execution_id;
    return pm_store_leaves(all->store, execution_id, keep_leaf, &l, err);
}

int pm_assess_evidence_load_array(struct pm_assess_evidence *all, struct pm_assess_leaves *out,
                                  size_t index, struct pm_error *err)
{
    struct pm_leaf *leaf = &out->leaves.items[index];
    if (leaf->kind != PM_LEAF_ARRAY || !*leaf->digest || leaf->array.data)
        return PM_OK;
    void *bytes = NULL;
    size_t length;
    const int rc = pm_store_blob(all->store, leaf->digest, &bytes, &length, err);
    if (rc)
        return rc == PM_ENOTFOUND ? PM_OK : rc;
    leaf->array.data = bytes;
    if (length != leaf->array.bytes)
        return pm_store_damaged(
            all->store, err,
            "row 'leaf of execution %lld' refers to blob '%s', which has %zu bytes instead of %zu",
            (long long)out->execution_id, leaf->digest, length, leaf->array.bytes);
    leaf->has_bytes = true;
    return PM_OK;
}

int pm_assess_evidence_load_bytes(struct pm_assess_evidence *all, struct pm_assess_leaves *out,
                                  struct pm_error *err)
{
    for (size_t i = 0; i < out->leaves.count; i++)
        PM_TRY(pm_assess_evidence_load_array(all, out, i, err));
    return PM_OK;
}

static void release_leaf(struct pm_leaf *leaf)
{
    free((char *)(uintptr_t)leaf->path);
    free((char *)(uintptr_t)leaf->digest);
    free((struct pm_closeness *)(uintptr_t)leaf->closeness);
    if (leaf->kind == PM_LEAF_ARRAY)
        free(leaf->array.data);
    else
        free((char *)(uintptr_t)leaf->value);
}

void pm_assess_evidence_drop_leaf(struct pm_assess_leaves *out, size_t index)
{
    const size_t after = out->leaves.count - index - 1;
    release_leaf(&out->leaves.items[index]);
    memmove(&out->leaves.items[index], &out->leaves.items[index + 1],
            after * sizeof *out->leaves.items);
    memmove(&out->places[index], &out->places[index + 1], after * sizeof *out->places);
    out->leaves.count--;
}

void pm_assess_evidence_leaves_release(struct pm_assess_leaves *out)
{
    for (size_t i = 0; i < out->leaves.count; i++)
        release_leaf(&out->leaves.items[i]);
    free(out->leaves.items);
    free(out->places);
    *out = (struct pm_assess_leaves){0};
}

/* Reads the evidence of a run from the store, for judging. */
#include "assess/evidence.h"

#include <string.h>

#include "base/alloc.h"

struct loading {
    struct pm_assess_evidence *all;
    struct pm_error *err;
    struct pm_assess_leaves *leaves;
    const char *group;
};

static int keep_run(void *ctx, const struct pm_run_row *row)
{
    struct pm_assess_evidence *all = ctx;
    if (row->id == all->run_id) {
        all->options = json_loads(row->options, 0, NULL);
        all->seed = row->seed;
        all->sample_id = row->sample_id;
    }
    return PM_OK;
}

static int keep_target(void *ctx, const struct pm_target_row *row)
{
    struct pm_assess_evidence *all = ctx;
    PM_GROW(all->targets, all->target_count, all->target_capacity);
    if (!strcmp(row->role, "oracle"))
        all->oracle = (int)all->target_count;
    all->targets[all->target_count] = (struct pm_assess_target){
        .id = row->id,
        .text = pm_strdup(row->text),
        .framework = pm_strdup(row->framework),
        .evidence = pm_strdup(row->evidence),
        .control_text = pm_strdup(row->control),
        .control = (int)all->target_count,
        .latencies = row->latencies,
    };
    all->target_count++;
    return PM_OK;
}

static void link_controls(struct pm_assess_evidence *all)
{
    for (size_t i = 0; i < all->target_count; i++)
        for (size_t k = 0; k < all->target_count; k++)
            if (!strcmp(all->targets[i].control_text, all->targets[k].text))
                all->targets[i].control = (int)k;
}

/* First pass: the cases, ordered by id within a function, as in the suite. */
static int keep_case(void *ctx, const struct pm_execution_row *row)
{
    struct pm_assess_evidence *all = ctx;
    if (!all->first_id || row->id < all->first_id)
        all->first_id = row->id;
    if (row->id > all->last_id)
        all->last_id = row->id;
    if (row->repetition + 1 > (int64_t)all->most_repetitions)
        all->most_repetitions = (unsigned)row->repetition + 1;
    for (size_t i = all->case_count; i-- > 0;)
        if (all->cases[i].id == row->case_id)
            return PM_OK;
    PM_GROW(all->cases, all->case_count, all->case_capacity);
    struct pm_assess_case *c = &all->cases[all->case_count++];
    *c = (struct pm_assess_case){
        .id = row->case_id,
        .function = pm_strdup(row->function),
        .name = pm_strdup(row->name),
        .definition = json_loads(row->definition, 0, NULL),
        .host_only = row->host_only,
        .large = row->large,
    };
    for (size_t t = 0; t < all->target_count; t++)
        if (all->targets[t].id == row->target_id)
            c->framework = pm_strdup(all->targets[t].framework);
    return PM_OK;
}

static int by_function(const void *left, const void *right)
{
    const struct pm_assess_case *a = left, *b = right;
    const int names = strcmp(a->function, b->function);
    return names ? names : a->id < b->id ? -1 : a->id > b->id;
}

static const struct pm_assess_case *find_case(const struct pm_assess_evidence *all,
                                              const char *function, int64_t id)
{
    size_t low = 0, high = all->case_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct pm_assess_case *c = &all->cases[middle];
        const int names = strcmp(c->function, function);
        if (!names && c->id == id)
            return c;
        if (names < 0 || (!names && c->id < id))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static size_t *place_of(const struct pm_assess_evidence *all, int target,
                        const struct pm_assess_case *test, unsigned repetition)
{
    const size_t c = (size_t)(test - all->cases);
    return &all->places[((size_t)target * all->case_count + c) * all->most_repetitions +
                        repetition];
}

static int keep_execution(void *ctx, const struct pm_execution_row *row)
{
    struct pm_assess_evidence *all = ctx;
    int target = -1;
    for (size_t t = 0; t < all->target_count; t++)
        if (all->targets[t].id == row->target_id)
            target = (int)t;
    const struct pm_assess_case *test = find_case(all, row->function, row->case_id);
    if (target < 0 || !test)
        return PM_OK;
    PM_GROW(all->executions, all->execution_count, all->execution_capacity);
    all->executions[all->execution_count++] = (struct pm_assess_execution){
        .id = row->id,
        .target = target,
        .test = test,
        .repetition = (unsigned)row->repetition,
        .done = !strcmp(row->state, "done"),
        .answered = row->answered,
        .stage = pm_strdup(row->stage),
        .ending = pm_strdup(row->ending),
        .ending_text = pm_strdup(row->ending_text),
        .ending_code = row->ending_code,
        .result = *row->result ? json_loads(row->result, 0, NULL) : NULL,
    };
    *place_of(all, target, test, (unsigned)row->repetition) = all->execution_count;
    all->by_id[row->id - all->first_id] = all->execution_count;
    return PM_OK;
}

int pm_assess_evidence_load(struct pm_assess_evidence *all, struct pm_store *store, int64_t run_id,
                            struct pm_error *err)
{
    *all = (struct pm_assess_evidence){.store = store, .run_id = run_id, .oracle = -1};
    PM_TRY(pm_store_runs(store, keep_run, all, err));
    PM_TRY(pm_store_targets(store, run_id, keep_target, all, err));
    link_controls(all);
    PM_TRY(pm_store_executions(store, run_id, 0, keep_case, all, err));
    qsort(all->cases, all->case_count, sizeof *all->cases, by_function);
    all->places = pm_alloc((all->target_count * all->case_count * all->most_repetitions + 1) *
                           sizeof *all->places);
    all->by_id = pm_alloc((size_t)(all->last_id - all->first_id + 1) * sizeof *all->by_id);
    return pm_store_executions(store, run_id, 0, keep_execution, all, err);
}

const struct pm_assess_execution *pm_assess_evidence_find(const struct pm_assess_evidence *all,
                                                          int target,
                                                          const struct pm_assess_case *test,
                                                          unsigned repetition)
{
    if (repetition >= all->most_repetitions)
        return NULL;
    const size_t place = *place_of(all, target, test, repetition);
    return place ? &all->executions[place - 1] : NULL;
}

const struct pm_assess_execution *pm_assess_evidence_by_id(const struct pm_assess_evidence *all,
                                                           int64_t id)
{
    if (id < all->first_id || id > all->last_id)
        return NULL;
    const size_t place = all->by_id[id - all->first_id];
    return place ? &all->executions[place - 1] : NULL;
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
        free(all->targets[i].evidence);
        free(all->targets[i].control_text);
    }
    for (size_t i = 0; i < all->case_count; i++) {
        free(all->cases[i].framework);
        free(all->cases[i].function);
        free(all->cases[i].name);
        json_decref(all->cases[i].definition);
    }
    for (size_t i = 0; i < all->execution_count; i++) {
        free(all->executions[i].stage);
        free(all->executions[i].ending);
        free(all->executions[i].ending_text);
        json_decref(all->executions[i].result);
    }
    json_decref(all->options);
    free(all->targets);
    free(all->cases);
    free(all->executions);
    free(all->places);
    free(all->by_id);
    *all = (struct pm_assess_evidence){0};
}

/* ---- leaves ------------------------------------------------------------------------------------
 */

static int keep_leaf(void *ctx, const struct pm_leaf_row *row)
{
    struct loading *l = ctx;
    struct pm_assess_leaves *out = l->leaves;
    if (l->group && strcmp(l->group, row->group))
        return PM_OK;
    if (out->leaves.count == out->capacity) {
        out->capacity = out->capacity ? out->capacity * 2 : 8;
        out->leaves.items =
            pm_realloc_array(out->leaves.items, out->capacity, sizeof *out->leaves.items);
        out->digests = pm_realloc_array(out->digests, out->capacity, sizeof *out->digests);
    }
    out->digests[out->leaves.count] = pm_strdup(row->digest);
    struct pm_leaf *leaf = &out->leaves.items[out->leaves.count++];
    *leaf = (struct pm_leaf){.path = pm_strdup(row->path)};
    if (!strcmp(row->kind, "array") && pm_array_of_text(row->dtype, row->shape, &leaf->array)) {
        leaf->kind = PM_LEAF_ARRAY;
        return PM_OK;
    }
    leaf->kind = strcmp(row->kind, "value") ? PM_LEAF_TYPE : PM_LEAF_VALUE;
    leaf->value = leaf->type = pm_strdup(strcmp(row->kind, "array") ? row->value : row->dtype);
    return PM_OK;
}

int pm_assess_evidence_load_leaves(struct pm_assess_evidence *all, int64_t execution_id,
                                   const char *group, struct pm_assess_leaves *out,
                                   struct pm_error *err)
{
    struct loading l = {.all = all, .err = err, .leaves = out, .group = group};
    return pm_store_leaves(all->store, execution_id, keep_leaf, &l, err);
}

int pm_assess_evidence_load_bytes(struct pm_assess_evidence *all, struct pm_assess_leaves *out,
                                  struct pm_error *err)
{
    for (size_t i = 0; i < out->leaves.count; i++) {
        struct pm_leaf *leaf = &out->leaves.items[i];
        if (leaf->kind != PM_LEAF_ARRAY || !*out->digests[i] || leaf->array.data)
            continue;
        void *bytes = NULL;
        const int rc = pm_store_blob(all->store, out->digests[i], &bytes, &leaf->array.bytes, err);
        if (rc == PM_ENOTFOUND)
            continue;
        PM_TRY(rc);
        leaf->array.data = bytes;
        leaf->has_bytes = true;
    }
    return PM_OK;
}

void pm_assess_evidence_leaves_release(struct pm_assess_leaves *out)
{
    for (size_t i = 0; i < out->leaves.count; i++) {
        struct pm_leaf *leaf = &out->leaves.items[i];
        free((char *)(uintptr_t)leaf->path);
        if (leaf->kind == PM_LEAF_ARRAY)
            free(leaf->array.data);
        else
            free((char *)(uintptr_t)leaf->value);
    }
    free(out->leaves.items);
    pm_free_strings(out->digests, out->leaves.count);
    *out = (struct pm_assess_leaves){0};
}

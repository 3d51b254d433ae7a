/* Decides which functions of a plan a shard measures, and computes the digest that all shards of
 * the plan have in common. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/map.h"
#include "measure/session.h"
#include "store/executions.h"
#include "store/shards.h"
#include "store/targets.h"

/* A function of the plan with its cases, which are consecutive. All of them, with all repetitions
 * and references, are in one shard, so that a ratio never mixes two machines. */
struct part {
    const struct pm_function *function;
    size_t first, count; /* the range of its cases in plan->cases */
    double cost;         /* expected time in nanoseconds; NaN: not known */
    unsigned shard;
};

struct parts {
    struct part *items;
    size_t count, capacity;
};

static void find_parts(const struct plan *plan, struct parts *parts)
{
    for (size_t k = 0, n; k < plan->case_count; k += n) {
        const struct pm_function *function = plan->cases[k]->function;
        for (n = 1; k + n < plan->case_count && plan->cases[k + n]->function == function; n++)
            continue;
        PM_GROW(parts->items, parts->count, parts->capacity);
        parts->items[parts->count++] =
            (struct part){.function = function, .first = k, .count = n, .cost = NAN};
    }
}

/* ---- the times of functions in earlier runs -------------------------------------------------- */

struct costing {
    const struct plan *plan;
    struct pm_store *store;
    struct pm_map parts;     /* by function: struct part */
    int64_t *run_of, *id_of; /* for each target of the plan: the newest run that has the target, and
                                the target's id in it; 0: none */
    int64_t run;             /* the run that is being read */
    size_t known;            /* functions with a cost */
    struct pm_error *err;
};

static int keep_target(void *ctx, const struct pm_target_row *row)
{
    struct costing *c = ctx;
    for (size_t i = 0; i < c->plan->target_count; i++) {
        const struct plan_target *t = &c->plan->targets[i];
        if (strcmp(t->target.text, row->text) ||
            (t->role == PM_ROLE_NOISE) != (row->role == PM_ROLE_NOISE))
            continue;
        c->run_of[i] = c->run;
        c->id_of[i] = row->id;
    }
    return PM_OK;
}

/* Keeps the newest run of each target: runs come in the order of their start. */
static int keep_run(void *ctx, const struct pm_run_row *row)
{
    struct costing *c = ctx;
    c->run = row->id;
    return row->kind == PM_RUN_KIND_MEASURED && row->validity == PM_VALIDITY_VALID
               ? pm_store_targets(c->store, row->id, keep_target, c, c->err)
               : PM_OK;
}

static int keep_time(void *ctx, const struct pm_function_time_row *row)
{
    struct costing *c = ctx;
    struct part *part = pm_map_get(&c->parts, row->function);
    for (size_t i = 0; part && i < c->plan->target_count; i++) {
        if (c->run_of[i] != c->run || c->id_of[i] != row->target_id)
            continue;
        c->known += isnan(part->cost);
        part->cost = (isnan(part->cost) ? 0 : part->cost) + (double)row->wall_ns;
    }
    return PM_OK;
}

static int read_times(struct costing *c)
{
    PM_TRY(pm_store_runs(c->store, keep_run, c, c->err));
    for (size_t i = 0; i < c->plan->target_count; i++) {
        bool read = false;
        for (size_t k = 0; k < i; k++)
            read |= c->run_of[k] == c->run_of[i];
        c->run = c->run_of[i];
        if (c->run && !read)
            PM_TRY(pm_store_function_times(c->store, c->run, keep_time, c, c->err));
    }
    return c->known ? PM_OK
                    : pm_error_set(c->err, PM_EUSAGE,
                                   "--balance '%s' has no valid run of these targets and "
                                   "functions: omit --balance, or name another database",
                                   c->plan->options->balance);
}

/* Sets the cost of functions that were not measured to the mean of the others. */
static void fill_gaps(struct parts *parts, size_t known)
{
    double sum = 0;
    for (size_t i = 0; i < parts->count; i++)
        sum += isnan(parts->items[i].cost) ? 0 : parts->items[i].cost;
    for (size_t i = 0; i < parts->count; i++)
        if (isnan(parts->items[i].cost))
            parts->items[i].cost = sum / (double)known;
}

static int find_costs(const struct plan *plan, struct parts *parts, struct pm_error *err)
{
    struct costing c = {.plan = plan, .err = err};
    PM_TRY(pm_store_expect(plan->options->balance, err));
    PM_TRY(pm_store_open_unchanged(&c.store, plan->options->balance, err));
    c.run_of = pm_alloc(plan->target_count * sizeof *c.run_of);
    c.id_of = pm_alloc(plan->target_count * sizeof *c.id_of);
    for (size_t i = 0; i < parts->count; i++)
        pm_map_put(&c.parts, parts->items[i].function->name, &parts->items[i]);
    const int rc = read_times(&c);
    pm_map_release(&c.parts);
    pm_store_free(c.store);
    free(c.run_of);
    free(c.id_of);
    if (!rc)
        fill_gaps(parts, c.known);
    return rc;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static int longest_first(const void *left, const void *right)
{
    const struct part *a = *(struct part *const *)left, *b = *(struct part *const *)right;
    return a->cost != b->cost ? (a->cost > b->cost ? -1 : 1)
                              : strcmp(a->function->name, b->function->name);
}

/* Assigns functions to shards: the longest remaining function goes to the shard with the least
 * work. The longest shard then takes at most a third longer than in the best division. */
static void balance(struct parts *parts, unsigned count)
{
    double *load = pm_alloc(count * sizeof *load);
    struct part **order = pm_alloc((parts->count + 1) * sizeof *order);
    for (size_t i = 0; i < parts->count; i++)
        order[i] = &parts->items[i];
    qsort(order, parts->count, sizeof *order, longest_first);
    for (size_t i = 0; i < parts->count; i++) {
        unsigned least = 0;
        for (unsigned k = 1; k < count; k++)
            if (load[k] < load[least])
                least = k;
        load[least] += order[i]->cost;
        order[i]->shard = least + 1;
    }
    free(order);
    free(load);
}

/* Assigns to the shard the functions with which its stored run began. */
static void take_stored(const struct plan *plan, struct parts *parts)
{
    static const char *const lists[] = {"measured", "unreferenced"};
    struct pm_map names = {0};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *framework;
        json_t *list, *name;
        size_t k;
        json_object_foreach(json_object_get(plan->stored, lists[i]), framework, list)
            json_array_foreach(list, k, name)
                if (json_is_string(name))
                    pm_map_put(&names, json_string_value(name), NULL);
    }
    for (size_t i = 0; i < parts->count; i++)
        parts->items[i].shard =
            pm_map_has(&names, parts->items[i].function->name) ? plan->options->shard.number : 0;
    pm_map_release(&names);
}

static int choose(const struct plan *plan, struct parts *parts, struct pm_error *err)
{
    const struct pm_run_options *o = plan->options;
    if (plan->stored) {
        take_stored(plan, parts);
        return PM_OK;
    }
    if (o->balance) {
        PM_TRY(find_costs(plan, parts, err));
        balance(parts, o->shard.count);
        return PM_OK;
    }
    for (size_t i = 0; i < parts->count; i++)
        parts->items[i].shard = pm_shard_of(parts->items[i].function->name, o->shard.count);
    return PM_OK;
}

static void keep(struct plan *plan, const struct parts *parts)
{
    plan->case_count = plan->functions = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->items[i];
        if (part->shard != plan->options->shard.number)
            continue;
        memmove(plan->cases + plan->case_count, plan->cases + part->first,
                part->count * sizeof(*plan->cases));
        plan->case_count += part->count;
        plan->functions++;
    }
}

/* ---- the plan of all shards ------------------------------------------------------------------ */

/* Returns the digest of a plan. Shards with the same digest are parts of one run: they have the
 * same cases with the same inputs and versions, and each function is in one of them. */
static struct pm_digest digest_of(const struct plan *plan, const struct parts *parts)
{
    json_t *versions = json_array(), *functions = json_array();
    for (size_t i = 0; i < plan->target_count; i++) {
        const struct plan_target *t = &plan->targets[i];
        json_array_append_new(
            versions, json_pack("[s,s,s]", t->target.text, pm_role_text(t->role), t->version));
    }
    for (size_t i = 0; i < parts->count; i++)
        json_array_append_new(functions, json_pack("[s,i]", parts->items[i].function->name,
                                                   (int)parts->items[i].shard));
    json_t *all = json_pack("{s:s, s:i, s:o, s:o, s:o}", "suite", plan->suite_digest.hex, "count",
                            (int)plan->options->shard.count, "options",
                            pm_measure__options_of_plan(plan->options), "versions", versions,
                            "functions", functions);
    char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    const struct pm_digest digest = pm_digest_bytes(text, strlen(text));
    free(text);
    json_decref(all);
    return digest;
}

int pm_measure__take_shard(struct plan *plan, struct pm_error *err)
{
    struct parts parts = {0};
    int rc = PM_OK;
    find_parts(plan, &parts);
    plan->functions = plan->total_functions = parts.count;
    if (plan->options->shard.count) {
        rc = choose(plan, &parts, err);
        if (!rc && !plan->stored)
            plan->digest = digest_of(plan, &parts);
        if (!rc)
            keep(plan, &parts);
    }
    free(parts.items);
    return rc;
}

int pm_measure__store_shard(const struct plan *plan, struct pm_store *store, int64_t run_id,
                            const char *uuid, struct pm_error *err)
{
    const struct pm_run_options *o = plan->options;
    const struct pm_shard_row row = {
        .run_id = run_id,
        .number = o->shard.number,
        .count = o->shard.count,
        .plan = plan->digest.hex,
        .uuid = uuid,
        .functions = (int64_t)plan->functions,
        .total = (int64_t)plan->total_functions,
        .command = o->command_line,
    };
    return pm_store_set_shard(store, &row, err);
}

/* Reads the stored results of earlier runs of a function, for its page. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "history/history_private.h"
#include "store/judgements.h"
#include "text/numbers.h"

enum { MOST_PAST = 5, MOST_SPANS = 3, MOST_LATENCIES = 3 };

/* A function on a target of an earlier run. */
struct past_function {
    enum pm_verdict verdict;
    double latency; /* latency of warm calls with small inputs in ns; NaN if not known */
};
struct past_run {
    int target;        /* index of the target in the page's reading */
    int64_t target_id; /* id of the target in the earlier run */
    size_t run;        /* index of the run in the list */
    int64_t now;       /* id of the page's run */
    enum pm_evidence evidence;
    bool has_older;  /* there are older runs, which are not read */
    bool same_cases; /* it selected the same cases as the page's run */
};
struct pm_history_past {
    struct pm_reading list;
    struct past_run *runs; /* by target, newest first */
    size_t run_count, run_capacity;
    struct past_function *functions;
    size_t count, capacity;
    struct pm_map by_name; /* index + 1 by id of the target and function */
};

static bool asked_same_kinds(const json_t *a, const json_t *b)
{
    const json_t *before = json_object_get(a, "kinds"), *after = json_object_get(b, "kinds");
    return (json_array_size(before) == 0 && json_array_size(after) == 0) ||
           json_equal(before, after);
}

static bool asked_alike(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "suites"), json_object_get(b, "suites")) &&
           asked_same_kinds(a, b) &&
           pm_json_int(a, "most_cases", 0) == pm_json_int(b, "most_cases", 0);
}

/* Returns the index in the list of the target with this id; the number of targets if there is none.
 * The page's reading has its targets in another order. */
static size_t find_by_id(const struct pm_reading *list, int64_t id)
{
    size_t i = 0;
    while (i < pm_history__all_targets(list) && list->targets[i].id != id)
        i++;
    return i;
}

static void add_past_runs(struct pm_history_past *p, int target, int64_t id)
{
    const struct pm_reading *list = &p->list;
    const size_t now = find_by_id(list, id);
    struct pm_history h = {0};
    if (now < pm_history__all_targets(list) && list->targets[now].run)
        pm_history__gather(&h, list, now, list->targets[now].run - 1, MOST_PAST);
    for (size_t i = h.count; i-- > 0;) {
        const struct pm_reading_target *t = &list->targets[h.targets[i]];
        PM_GROW(p->runs, p->run_count, p->run_capacity);
        p->runs[p->run_count++] = (struct past_run){
            .target = target,
            .target_id = t->id,
            .run = t->run,
            .evidence = t->evidence,
            .now = list->runs[list->targets[now].run].id,
            .has_older = h.older > 0,
            .same_cases = asked_alike(list->runs[t->run].options,
                                      list->runs[list->targets[now].run].options)};
    }
    pm_history__release(&h);
}

static char *past_key(int64_t target_id, const char *function)
{
    return pm_format("%lld %s", (long long)target_id, function);
}

static bool is_wanted(const struct pm_history_past *p, int64_t target_id)
{
    for (size_t i = 0; i < p->run_count; i++)
        if (p->runs[i].target_id == target_id)
            return true;
    return false;
}

static int keep_past_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct pm_history_past *p = ctx;
    if (!is_wanted(p, row->target_id) || !pm_history__is_measured(row->verdict))
        return PM_OK;
    PM_GROW(p->functions, p->count, p->capacity);
    p->functions[p->count++] = (struct past_function){row->verdict, NAN};
    char *key = past_key(row->target_id, row->function);
    pm_map_put(&p->by_name, key, (void *)(uintptr_t)p->count);
    free(key);
    return PM_OK;
}

static struct past_function *past_of(const struct pm_history_past *p, int64_t target_id,
                                     const char *function)
{
    char *key = past_key(target_id, function);
    const size_t number = (size_t)(uintptr_t)pm_map_get(&p->by_name, key);
    free(key);
    return number ? &p->functions[number - 1] : NULL;
}

static int keep_past_latency(void *ctx, const struct pm_statistic_row *row)
{
    const struct pm_history_past *p = ctx;
    if (row->clock != PM_CLOCK_WARM || row->size != PM_SIZE_SMALL ||
        row->what != PM_STATISTIC_LATENCY)
        return PM_OK;
    struct past_function *f = past_of(p, row->target_id, row->function);
    if (f)
        f->latency = row->value;
    return PM_OK;
}

static int load_past(struct pm_history_past *p, struct pm_store *store, const struct pm_reading *r,
                     struct pm_error *err)
{
    PM_TRY(pm_reading_list(&p->list, store, err));
    for (size_t i = 0; i < r->target_list.count; i++)
        add_past_runs(p, (int)i, r->targets[i].id);
    for (size_t i = 0; i < p->list.run_list.count; i++) {
        const struct pm_reading_run *run = &p->list.runs[i];
        bool wanted = false;
        for (size_t k = 0; k < p->run_count; k++)
            wanted |= p->runs[k].run == i;
        if (!wanted)
            continue;
        PM_TRY(pm_store_verdicts(store, run->id, keep_past_verdict, p, err));
        if (run->latency_validity != PM_VALIDITY_INVALID)
            PM_TRY(
                pm_store_statistics(store, run->id, PM_SCOPE_FUNCTION, keep_past_latency, p, err));
    }
    return PM_OK;
}

int pm_history_past_load(const char *db, const struct pm_reading *r, struct pm_history_past **out,
                         struct pm_error *err)
{
    struct pm_store *store = NULL;
    *out = pm_alloc(sizeof **out);
    PM_TRY(pm_store_open(&store, db, PM_STORE_READ, err));
    const int rc = load_past(*out, store, r, err);
    pm_store_free(store);
    return rc;
}

void pm_history_past_free(struct pm_history_past *p)
{
    if (!p)
        return;
    pm_map_release(&p->by_name);
    pm_reading_release(&p->list);
    free(p->functions);
    free(p->runs);
    free(p);
}

void pm_history_past_verdicts(const struct pm_history_past *p, const struct pm_reading_verdict *now,
                              struct pm_str *out)
{
    enum pm_verdict last = now->verdict;
    int64_t since = 0;
    bool all = true; /* there are no older runs than those that were read */
    struct pm_str before = PM_STR_INIT;
    for (size_t i = 0, spans = 0; i < p->run_count && spans < MOST_SPANS; i++) {
        const struct past_run *run = &p->runs[i];
        const struct past_function *f =
            run->target == now->target ? past_of(p, run->target_id, now->function) : NULL;
        if (!f)
            continue;
        if (f->verdict != last)
            pm_str_addf(&before, "%s%s in run %lld", spans++ ? ", " : "; ",
                        pm_verdict_word(f->verdict, run->evidence),
                        (long long)p->list.runs[run->run].id);
        if (!before.length || !since)
            since = before.length ? run->now : p->list.runs[run->run].id;
        all = !run->has_older;
        last = f->verdict;
    }
    if (since)
        pm_str_addf(out, "since run %lld%s%s", (long long)since,
                    before.length || all ? "" : " or before", before.length ? before.data : "");
    pm_str_release(&before);
}

void pm_history_past_latencies(const struct pm_history_past *p,
                               const struct pm_reading_verdict *now, struct pm_str *out)
{
    size_t added = 0;
    for (size_t i = 0; i < p->run_count && added < MOST_LATENCIES; i++) {
        const struct past_function *f = p->runs[i].target == now->target && p->runs[i].same_cases
                                            ? past_of(p, p->runs[i].target_id, now->function)
                                            : NULL;
        if (!f || isnan(f->latency))
            continue;
        pm_str_add(out, added++ ? ", " : "");
        pm_text_time(out, f->latency);
        pm_str_addf(out, " in run %lld", (long long)p->list.runs[p->runs[i].run].id);
    }
}

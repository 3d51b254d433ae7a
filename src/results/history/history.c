/* Compares the runs of one target in order, each with the results before it. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "history/history_private.h"

const struct pm_reading_target *pm_history__target_at(const struct pm_history *h, size_t run)
{
    return &h->list->targets[h->targets[run]];
}

const struct pm_reading_run *pm_history__run_at(const struct pm_history *h, size_t run)
{
    return &h->list->runs[pm_history__target_at(h, run)->run];
}

/* ---- which runs belong together ------------------------------------------------------------- */

const json_t *pm_history__machine_of(const struct pm_reading *list,
                                     const struct pm_reading_target *t)
{
    const struct pm_reading_run *run = &list->runs[t->run];
    return run->attempt_count ? run->attempts[0].machine : NULL;
}

bool pm_history__same_target(const struct pm_reading *list, size_t a, size_t b)
{
    const struct pm_reading_target *x = &list->targets[a], *y = &list->targets[b];
    const json_t *on = pm_history__machine_of(list, x), *of = pm_history__machine_of(list, y);
    return !strcmp(x->text, y->text) && !strcmp(x->framework, y->framework) &&
           !strcmp(x->device_name, y->device_name) &&
           !strcmp(pm_json_string(on, "processor", ""), pm_json_string(of, "processor", "")) &&
           pm_json_int(on, "logical_cores", 0) == pm_json_int(of, "logical_cores", 0);
}

size_t pm_history__all_targets(const struct pm_reading *list)
{
    return list->target_list.count + list->hidden_targets + list->other_targets;
}

bool pm_history__has_subject(const struct pm_reading *list, size_t run)
{
    for (size_t i = 0; i < pm_history__all_targets(list); i++)
        if (list->targets[i].run == run && list->targets[i].role == PM_ROLE_SUBJECT)
            return true;
    return false;
}

bool pm_history__in_history(const struct pm_reading *list, size_t target)
{
    const struct pm_reading_target *t = &list->targets[target];
    return t->judged && (t->role == PM_ROLE_SUBJECT || t->role == PM_ROLE_REFERENCE) &&
           list->runs[t->run].validity == PM_VALIDITY_VALID;
}

/* Orders targets by the start of their runs: the runs of the list are sorted by start. */
static int by_run(const void *left, const void *right, void *targets)
{
    const struct pm_reading_target *of = targets;
    const size_t a = of[*(const size_t *)left].run, b = of[*(const size_t *)right].run;
    return (a > b) - (a < b);
}

void pm_history__gather(struct pm_history *h, const struct pm_reading *list, size_t target,
                        size_t last, size_t most)
{
    *h = (struct pm_history){.list = list, .last = last};
    for (size_t i = 0; i < pm_history__all_targets(list); i++) {
        const bool same_text = !strcmp(list->targets[i].text, list->targets[target].text);
        if (!same_text || !pm_history__in_history(list, i) || list->targets[i].run > last)
            continue;
        if (!pm_history__same_target(list, i, target)) {
            h->has_twin = true;
            continue;
        }
        PM_GROW(h->targets, h->count, h->capacity);
        h->targets[h->count++] = i;
    }
    qsort_r(h->targets, h->count, sizeof *h->targets, by_run, list->targets);
    h->older = h->count > most ? h->count - most : 0;
    h->count -= h->older;
    memmove(h->targets, h->targets + h->older, h->count * sizeof *h->targets);
}

/* ---- what is known before a run -------------------------------------------------------------- */

static int order_of(const struct pm_changes_case *a, const struct pm_changes_case *b)
{
    const int order = !a ? 1 : !b ? -1 : strcmp(a->function, b->function);
    return order || !a || !b ? order : strcmp(a->name, b->name);
}

static void keep_case(struct pm_changes_side *side, const struct pm_changes_case *c)
{
    PM_GROW(side->cases, side->case_count, side->case_capacity);
    side->cases[side->case_count++] = *c;
}

/* Keeps a case of the new run. If that run did not time it, and its definition is the same, keeps
 * its older times. */
static void keep_both(struct pm_changes_side *side, const struct pm_changes_case *old,
                      const struct pm_changes_case *now)
{
    struct pm_changes_case c = *now;
    const bool is_same = !*now->definition || !strcmp(now->definition, old->definition);
    if (!now->count && old->count && is_same) {
        c.processes = old->processes;
        c.count = old->count;
        c.definition = old->definition;
        c.size = old->size;
    }
    keep_case(side, &c);
}

static const struct pm_changes_case *case_at(const struct pm_changes_side *side, size_t i)
{
    return i < side->case_count ? &side->cases[i] : NULL;
}

static void merge_cases(struct pm_changes_side *out, const struct pm_changes_side *old,
                        const struct pm_changes_side *now)
{
    for (size_t i = 0, k = 0; i < old->case_count || k < now->case_count;) {
        const struct pm_changes_case *a = case_at(old, i), *b = case_at(now, k);
        const int order = order_of(a, b);
        if (order < 0)
            keep_case(out, a);
        else if (order > 0)
            keep_case(out, b);
        else
            keep_both(out, a, b);
        i += order <= 0;
        k += order >= 0;
    }
}

static const struct pm_changes_function *function_at(const struct pm_changes_side *side, size_t i)
{
    return i < side->function_count ? &side->functions[i] : NULL;
}

static void keep_function(struct pm_changes_side *side, const struct pm_changes_function *f)
{
    PM_GROW(side->functions, side->function_count, side->function_capacity);
    side->functions[side->function_count++] = *f;
}

static void merge_functions(struct pm_changes_side *out, const struct pm_changes_side *old,
                            const struct pm_changes_side *now)
{
    for (size_t i = 0, k = 0; i < old->function_count || k < now->function_count;) {
        const struct pm_changes_function *a = function_at(old, i), *b = function_at(now, k);
        const int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);
        keep_function(out, order < 0 || (!order && !pm_history__is_measured(b->verdict)) ? a : b);
        i += order <= 0;
        k += order >= 0;
    }
}

static void count_case(struct pm_verdict_counts *counts, const struct pm_changes_case *c)
{
    const enum pm_case_part part = c->passes ? PM_CASE_PASSES : PM_CASE_FAILS;
    counts->all[part] += c->counts;
    counts->core[part] += c->counts && c->core;
}

/* Computes each verdict from all known cases, including those that the last run did not measure. */
static void settle_verdicts(struct pm_changes_side *side)
{
    for (size_t i = 0, k = 0; i < side->function_count; i++) {
        struct pm_changes_function *f = &side->functions[i];
        struct pm_verdict_counts counts = {0};
        struct pm_function_verdict settled;
        while (k < side->case_count && strcmp(side->cases[k].function, f->name) < 0)
            k++;
        for (; k < side->case_count && !strcmp(side->cases[k].function, f->name); k++)
            count_case(&counts, &side->cases[k]);
        pm_judge_function(&counts, true, &settled);
        if (settled.counted && pm_verdict_is_counted(f->verdict))
            f->verdict = settled.verdict;
    }
}

static void learn(struct pm_history *h, const struct pm_changes_side *now)
{
    const struct pm_changes_side old = h->known;
    struct pm_changes_side *known = &h->known;
    const bool extends = old.case_count > 0;
    *known = *now;
    known->functions = NULL;
    known->cases = NULL;
    known->function_count = known->function_capacity = known->case_count = known->case_capacity = 0;
    known->floor = fmax(old.floor, now->floor); /* fmax() of a number and NaN is the number */
    merge_functions(known, &old, now);
    merge_cases(known, &old, now);
    if (extends && known->case_count != now->case_count)
        settle_verdicts(known);
    free(old.functions);
    free(old.cases);
}

/* ---- functions over the runs ----------------------------------------------------------------- */

bool pm_history__is_news(const struct pm_changes_change *c)
{
    switch (c->change) {
    case PM_CHANGE_SAME:
    case PM_CHANGE_NEITHER:
    case PM_CHANGE_UNDECIDED:
    case PM_CHANGE_UNKNOWN:
        return false;
    case PM_CHANGE_UNMEASURED:
        return pm_history__is_measured(c->after);
    default:
        return true;
    }
}

/* Returns whether a function has this kind of change. An undecided function counts only if both
 * sides timed it. */
static bool is_of(const struct pm_changes_change *c, enum pm_change kind)
{
    if (kind == PM_CHANGE_UNDECIDED)
        return c->change == kind && c->latency.processes && c->latency.reference_processes;
    return c->change == kind && pm_history__is_news(c);
}

size_t pm_history__count(const struct pm_changes *c, enum pm_change kind)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += is_of(&c->changes[i], kind);
    return count;
}

static struct pm_history_row *row_of(struct pm_history *h, const char *function)
{
    const size_t known = (size_t)(uintptr_t)pm_map_get(&h->row_by_function, function);
    if (known)
        return &h->rows[known - 1];
    PM_GROW(h->rows, h->row_count, h->row_capacity);
    struct pm_history_row *row = &h->rows[h->row_count++];
    *row = (struct pm_history_row){.function = function,
                                   .states = pm_alloc(h->count * sizeof *row->states)};
    for (size_t i = 0; i < h->count; i++)
        row->states[i].verdict = PM_VERDICT_COUNT;
    pm_map_put(&h->row_by_function, function, (void *)(uintptr_t)h->row_count);
    return row;
}

static void note_change(struct pm_history *h, size_t run, const struct pm_changes_change *c)
{
    struct pm_history_row *row = row_of(h, c->function);
    if (!pm_history__is_news(c))
        return;
    row->states[run].change = c;
    row->since = run;
    row->changed = true;
}

const struct pm_changes_change *pm_history__last_change(const struct pm_history_row *row)
{
    const struct pm_changes_change *last = row->states[row->since].change;
    return last ? last : row->whole;
}

/* Orders rows. Changed functions come first: by the kind of their last change, worst first, then by
 * the run of this change, newest first, then by name. Other functions follow by name. */
static int by_news(const void *left, const void *right)
{
    const struct pm_history_row *a = left, *b = right;
    if (a->changed != b->changed)
        return a->changed ? -1 : 1;
    if (!a->changed)
        return strcmp(a->function, b->function);
    const enum pm_change x = pm_history__last_change(a)->change,
                         y = pm_history__last_change(b)->change;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->since != b->since)
        return a->since > b->since ? -1 : 1;
    return strcmp(a->function, b->function);
}

static void make_rows(struct pm_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        const struct pm_changes_side *side = &h->sides[i].compared;
        for (size_t k = 0; k < side->function_count; k++)
            if (pm_history__is_measured(side->functions[k].verdict))
                row_of(h, side->functions[k].name)->states[i].verdict = side->functions[k].verdict;
        for (size_t k = 0; k < h->changes[i].count; k++)
            note_change(h, i, &h->changes[i].changes[k]);
    }
    for (size_t k = 0; k < h->whole.count; k++) {
        const struct pm_changes_change *c = &h->whole.changes[k];
        if (!pm_history__is_news(c) || c->change == PM_CHANGE_NEW)
            continue;
        struct pm_history_row *row = row_of(h, c->function);
        row->whole = c;
        row->changed = true; /* even if no step from one run to the next is a change */
    }
    if (h->row_count)
        qsort(h->rows, h->row_count, sizeof *h->rows, by_news);
}

/* ---- loading and comparing ------------------------------------------------------------------- */

static int load_side(struct pm_history *h, size_t run, const char *db, struct pm_error *err)
{
    struct pm_side *side = &h->sides[run];
    char *name = pm_format("run:%lld#%s", (long long)pm_history__run_at(h, run)->id,
                           pm_history__target_at(h, run)->text);
    int rc = pm_side_open(side, name, db, err);
    free(name);
    PM_TRY(rc);
    PM_TRY(pm_side_choose(side, side, err));
    return pm_side_load(side, err);
}

bool pm_history__has_times(const struct pm_changes_side *side)
{
    for (size_t i = 0; i < side->case_count; i++)
        if (side->cases[i].count)
            return true;
    return false;
}

static struct pm_changes compare(const struct pm_history *h, const struct pm_changes_side *a,
                                 const struct pm_changes_side *b)
{
    const struct pm_changes_request request = {.outcomes_only = !pm_history__has_times(a) ||
                                                                !pm_history__has_times(b),
                                               .comparisons = h->count,
                                               .partial = true};
    return pm_changes_find(a, b, &request);
}

int pm_history__load(struct pm_history *h, const char *db, struct pm_error *err)
{
    h->sides = pm_alloc((h->count + 1) * sizeof *h->sides);
    h->changes = pm_alloc((h->count + 1) * sizeof *h->changes);
    h->known.floor = NAN;
    for (size_t i = 0; i < h->count; i++) {
        PM_TRY(load_side(h, i, db, err));
        if (i)
            h->changes[i] = compare(h, &h->known, &h->sides[i].compared);
        learn(h, &h->sides[i].compared);
    }
    h->whole = compare(h, &h->sides[0].compared, &h->known);
    make_rows(h);
    return PM_OK;
}

void pm_history__release(struct pm_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        if (h->changes)
            pm_changes_release(&h->changes[i]);
        if (h->sides)
            pm_side_release(&h->sides[i]);
    }
    for (size_t i = 0; i < h->row_count; i++)
        free(h->rows[i].states);
    pm_changes_release(&h->whole);
    pm_map_release(&h->row_by_function);
    free(h->known.functions);
    free(h->known.cases);
    free(h->rows);
    free(h->changes);
    free(h->sides);
    free(h->targets);
}

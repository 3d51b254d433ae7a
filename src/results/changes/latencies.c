/* Compares the latencies of two sides, over the cases of each function that both sides time. */
#include "changes/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "changes/changes_private.h"

struct pair {
    const struct pm_changes_case *before, *after;
};

static int by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* Returns the repetitions in which any case of the list has timings, in ascending order. The caller
 * frees them. */
static int64_t *repetitions_of(const struct pm_changes_case *const *cases, size_t count,
                               size_t *unique)
{
    size_t all = 0;
    for (size_t k = 0; k < count; k++)
        all += cases[k]->count;
    int64_t *out = pm_alloc((all + 1) * sizeof *out);
    for (size_t k = 0, at = 0; k < count; k++)
        for (size_t i = 0; i < cases[k]->count; i++)
            out[at++] = cases[k]->processes[i].repetition;
    qsort(out, all, sizeof *out, by_number);
    *unique = 0;
    for (size_t i = 0; i < all; i++)
        if (!*unique || out[*unique - 1] != out[i])
            out[(*unique)++] = out[i];
    return out;
}

/* Returns the logarithms of the medians, NAN if a case has no timings in a process. Their array is
 * *values, which the caller frees. */
static struct pm_logs logs_of(const struct pm_changes_case *const *cases, size_t count,
                              double **values)
{
    struct pm_logs logs = {.cases = count};
    int64_t *repetitions = repetitions_of(cases, count, &logs.processes);
    logs.values = *values = pm_alloc((logs.processes * count + 1) * sizeof **values);
    for (size_t i = 0; i < logs.processes * count; i++)
        (*values)[i] = NAN;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < cases[k]->count; i++) {
            const struct pm_changes_process *p = &cases[k]->processes[i];
            const int64_t *row = bsearch(&p->repetition, repetitions, logs.processes,
                                         sizeof *repetitions, by_number);
            (*values)[(size_t)(row - repetitions) * count + k] = p->log_median;
        }
    free(repetitions);
    return logs;
}

static bool is_unstable(const struct pm_changes_case *c)
{
    double *values;
    const struct pm_logs logs = logs_of(&c, 1, &values);
    const bool unstable = pm_stat_unstable(&logs, 0);
    free(values);
    return unstable;
}

/* Returns whether a case can be compared for this size of inputs: it passes on both sides, has
 * inputs of this size on A, and is not host-only on both sides. */
static bool is_of_size(const struct pair *p, enum pm_size size)
{
    return p->after && p->before->passes && p->after->passes && p->before->size == size &&
           !(p->before->host_only && p->after->host_only);
}

static bool is_same_work(const struct pair *p)
{
    return p->before->host_only == p->after->host_only && p->before->size == p->after->size &&
           pm_changes__compare_definitions(p->before->definition, p->after->definition).same_work;
}

/* The cases of a function that are compared, and why others are not. */
struct choice {
    const struct pm_changes_case **before, **after;
    size_t count, unstable, half_timed, untimed; /* half timed: on one side only */
    size_t other_work; /* cases that do different work, and are timed on at least one side */
    size_t most_before,
        most_after; /* the most processes on each side of a case that is not timed on both */
};

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void choose(struct choice *choice, const struct pair *p)
{
    if (!p->before->count || !p->after->count) {
        *(p->before->count || p->after->count ? &choice->half_timed : &choice->untimed) += 1;
        choice->most_before = most(choice->most_before, p->before->count);
        choice->most_after = most(choice->most_after, p->after->count);
    } else if (is_unstable(p->before) || is_unstable(p->after))
        choice->unstable++;
    else {
        choice->before[choice->count] = p->before;
        choice->after[choice->count++] = p->after;
    }
}

static struct choice choose_all(const struct pm_changes_comparing *c, const char *function,
                                enum pm_size size)
{
    const struct pm_changes_side *side = c->before;
    struct choice choice = {0};
    choice.before = pm_alloc((side->case_count + 1) * sizeof *choice.before);
    choice.after = pm_alloc((side->case_count + 1) * sizeof *choice.after);
    for (size_t i = pm_changes__first_case(side, function);
         i < side->case_count && !strcmp(side->cases[i].function, function); i++) {
        const struct pair p = {&side->cases[i], pm_changes__find_case(c->after, &side->cases[i])};
        if (!is_of_size(&p, size))
            continue;
        if (is_same_work(&p))
            choose(&choice, &p);
        else
            choice.other_work += p.before->count || p.after->count;
    }
    return choice;
}

static struct pm_comparison ratio_of(const struct choice *choice)
{
    double *above, *below;
    const struct pm_logs over = logs_of(choice->after, choice->count, &above);
    const struct pm_logs under = logs_of(choice->before, choice->count, &below);
    const struct pm_comparison comparison = pm_stat_compare(&over, &under);
    free(above);
    free(below);
    return comparison;
}

static enum pm_change change_of_speed(enum pm_speed speed)
{
    switch (speed) {
    case PM_SPEED_SLOWER:
    case PM_SPEED_SLOWER_BEYOND:
        return PM_CHANGE_SLOWER;
    case PM_SPEED_FASTER:
    case PM_SPEED_FASTER_BEYOND:
        return PM_CHANGE_FASTER;
    case PM_SPEED_UNKNOWN:
        return PM_CHANGE_UNDECIDED;
    default:
        return PM_CHANGE_SAME;
    }
}

static bool has_times(const struct pm_changes_side *side)
{
    for (size_t i = 0; i < side->case_count; i++)
        if (side->cases[i].count)
            return true;
    return false;
}

/* Returns whether times are missing: only one side timed a case, or neither side timed any case. */
static bool lacks_times(const struct pm_changes_comparing *c, const struct choice *choice)
{
    return choice->half_timed || (choice->untimed && !has_times(c->before) && !has_times(c->after));
}

void pm_changes__compare_size(struct pm_changes_comparing *c, size_t change, enum pm_size size)
{
    const struct choice choice = choose_all(c, c->out->changes[change].function, size);
    struct pm_changes_timed timed = {.change = change, .size = size};
    if (choice.count)
        timed.latency = ratio_of(&choice);
    else
        timed.latency =
            (struct pm_comparison){{NAN, NAN, NAN}, choice.most_after, choice.most_before, NAN};
    if (choice.count || (!choice.unstable && lacks_times(c, &choice))) {
        PM_GROW(c->timed, c->count, c->capacity);
        c->timed[c->count++] = timed;
    } else if (choice.unstable)
        c->out->changes[change].unstable = true;
    c->out->changes[change].other_work |= choice.other_work > 0;
    free(choice.before);
    free(choice.after);
}

bool pm_changes__is_timed(const struct pm_changes_side *side)
{
    return side->has_latencies || has_times(side);
}

bool pm_changes__compares_latencies(const struct pm_changes_comparing *c)
{
    return !c->request->outcomes_only && !c->out->untimed &&
           c->before->evidence == PM_EVIDENCE_EXECUTED &&
           c->after->evidence == PM_EVIDENCE_EXECUTED;
}

/* Returns whether the change by latencies replaces the change by outcomes: only if it is worse. A
 * function that is fixed or in doubt remains so unless it is slower. */
static bool replaces(enum pm_change found, enum pm_change change)
{
    const bool by_outcome = change == PM_CHANGE_DOUBTFUL || change == PM_CHANGE_FIXED;
    return found < change && (found == PM_CHANGE_SLOWER || !by_outcome);
}

/* Returns whether a difference may be drift: the sides are different runs, and no noise floor is
 * known. An interval is only about the processes of one run. Targets of one run are measured in
 * turns, so drift affects them equally. */
static bool may_be_drift(const struct pm_changes_side *a, const struct pm_changes_side *b)
{
    const bool same = a->run == b->run && (!a->db || !b->db || !strcmp(a->db, b->db));
    return !same && isnan(fmax(a->floor, b->floor));
}

static bool is_difference(enum pm_speed speed)
{
    return speed == PM_SPEED_SLOWER || speed == PM_SPEED_FASTER;
}

/* Replaces the change of a function by its change in latency if this is worse. */
static void settle(struct pm_changes_comparing *c, const struct pm_changes_timed *timed)
{
    struct pm_changes_change *change = &c->out->changes[timed->change];
    const enum pm_speed speed = pm_stat_says(&timed->latency, c->out->floor);
    enum pm_change found = change_of_speed(speed);
    if (is_difference(speed) && may_be_drift(c->before, c->after)) {
        change->no_floor = true;
        found = PM_CHANGE_UNKNOWN;
    }
    const bool has_ratio = !isnan(timed->latency.ratio.mid);
    if (found == PM_CHANGE_UNDECIDED) {
        change->few_before =
            change->few ? pm_changes__least(change->few_before, timed->latency.reference_processes)
                        : timed->latency.reference_processes;
        change->few_after = change->few
                                ? pm_changes__least(change->few_after, timed->latency.processes)
                                : timed->latency.processes;
        change->few = true;
    }
    if (replaces(found, change->change) ||
        (found == change->change && has_ratio && isnan(change->latency.ratio.mid))) {
        change->latency = timed->latency;
        change->size = timed->size;
    }
    change->change = replaces(found, change->change) ? found : change->change;
}

static void correct(struct pm_changes_timed *timed, size_t count, size_t comparisons)
{
    struct pm_comparison **family = pm_alloc((count + 1) * sizeof *family);
    for (size_t i = 0; i < count; i++)
        family[i] = &timed[i].latency;
    pm_stat_correct(family, count);
    for (size_t i = 0; i < count && comparisons > 1; i++)
        timed[i].latency.p = timed[i].latency.p * (double)comparisons;
    free(family);
}

void pm_changes__compare_latencies(struct pm_changes_comparing *c)
{
    correct(c->timed, c->count, c->request->comparisons);
    for (size_t i = 0; i < c->count; i++)
        settle(c, &c->timed[i]);
    for (size_t i = 0; i < c->out->count; i++) {
        struct pm_changes_change *change = &c->out->changes[i];
        if (change->change == PM_CHANGE_SAME && (change->unstable || change->other_work))
            change->change = PM_CHANGE_UNKNOWN;
    }
    free(c->timed);
}

/* ---- without outcomes ---- */

static double latency_of(const struct pm_changes_case *const *cases, size_t count)
{
    double *values;
    size_t complete;
    const struct pm_logs logs = logs_of(cases, count, &values);
    const double latency = pm_stat_latency(&logs, &complete).mid;
    free(values);
    return latency;
}

/* Computes the ratio of a function. Returns false if both sides time no common case of it. */
static bool take_ratio(const struct pm_changes_comparing *c, const char *function,
                       enum pm_size size, struct pm_changes_ratio *out)
{
    const struct choice choice = choose_all(c, function, size);
    *out = (struct pm_changes_ratio){
        .function = function,
        .before = NAN,
        .after = NAN,
        .speed = PM_SPEED_UNKNOWN,
        .unstable = !choice.count && choice.unstable,
    };
    out->ratio = (struct pm_comparison){.ratio = {NAN, NAN, NAN}, .p = NAN};
    if (choice.count) {
        out->before = latency_of(choice.before, choice.count);
        out->after = latency_of(choice.after, choice.count);
        out->ratio = ratio_of(&choice);
    }
    free(choice.before);
    free(choice.after);
    return choice.count || choice.unstable;
}

static int by_ratio(const void *left, const void *right)
{
    const struct pm_changes_ratio *a = left, *b = right;
    const int ratios = pm_stat_largest_first(a->ratio.ratio.mid, b->ratio.ratio.mid);
    return ratios ? ratios : strcmp(a->function, b->function);
}

/* Sets the verdicts of ratios. If a difference may be drift, its verdict is unknown. */
static void say(struct pm_changes_ratio *ratios, size_t count, double floor, bool may_drift)
{
    struct pm_comparison **family = pm_alloc((count + 1) * sizeof *family);
    for (size_t i = 0; i < count; i++)
        family[i] = &ratios[i].ratio;
    pm_stat_correct(family, count);
    for (size_t i = 0; i < count; i++)
        if (!isnan(ratios[i].ratio.ratio.mid)) {
            const enum pm_speed speed = pm_stat_says(&ratios[i].ratio, floor);
            ratios[i].speed = may_drift && is_difference(speed) ? PM_SPEED_UNKNOWN : speed;
        }
    free(family);
}

struct pm_changes_ratio *pm_changes_ratios(const struct pm_changes_side *before,
                                           const struct pm_changes_side *after, enum pm_size size,
                                           size_t *count)
{
    const struct pm_changes_comparing c = {.before = before, .after = after};
    struct pm_changes_ratio *out =
        pm_alloc((PM_SIZE_COUNT * before->function_count + 1) * sizeof *out);
    size_t wanted = 0, all;
    for (size_t i = 0; i < before->function_count; i++)
        wanted += take_ratio(&c, before->functions[i].name, size, &out[wanted]);
    all = wanted;
    for (int other = 0; other < PM_SIZE_COUNT; other++)
        for (size_t i = 0; other != (int)size && i < before->function_count; i++)
            all += take_ratio(&c, before->functions[i].name, (enum pm_size)other, &out[all]);
    say(out, all, fmax(before->floor, after->floor), may_be_drift(before, after));
    qsort(out, wanted, sizeof *out, by_ratio);
    *count = wanted;
    return out;
}

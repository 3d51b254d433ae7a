/* Compares two sides, function by function. */
#include "changes/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "changes/changes_private.h"

PM_WORDS_DEFINE(change, PM_CHANGES, PM_CHANGE);
PM_WORDS_DEFINE(loss, PM_CHANGES_LOSSES, PM_LOSS);

/* ---- sides ---- */

static int by_function(const void *left, const void *right)
{
    const struct pm_changes_function *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static int by_case(const void *left, const void *right)
{
    const struct pm_changes_case *a = left, *b = right;
    const int order = strcmp(a->function, b->function);
    return order ? order : strcmp(a->name, b->name);
}

void pm_changes_sort(struct pm_changes_side *side)
{
    if (side->function_count)
        qsort(side->functions, side->function_count, sizeof *side->functions, by_function);
    if (side->case_count)
        qsort(side->cases, side->case_count, sizeof *side->cases, by_case);
}

void pm_changes_side_release(struct pm_changes_side *side)
{
    for (size_t i = 0; i < side->case_count; i++)
        free(side->cases[i].processes);
    free(side->cases);
    free(side->functions);
    side->cases = NULL;
    side->functions = NULL;
    side->case_count = side->function_count = 0;
}

static const struct pm_changes_case *find_case(const struct pm_changes_side *side,
                                               const struct pm_changes_case *like)
{
    return side->case_count
               ? bsearch(like, side->cases, side->case_count, sizeof *side->cases, by_case)
               : NULL;
}

/* Returns the first case of a function, or where it would be. */
static size_t first_case(const struct pm_changes_side *side, const char *function)
{
    size_t low = 0, high = side->case_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(side->cases[middle].function, function) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- outcomes ---- */

/* The latencies of a function, of one size of inputs. */
struct timed {
    size_t change; /* index */
    enum pm_size size;
    struct pm_comparison latency; /* ratio NaN: of too few processes */
};

struct comparing {
    const struct pm_changes_side *before, *after;
    const struct pm_changes_request *request;
    struct pm_changes *out;
    struct timed *timed;
    size_t count, capacity;
};

enum { RANK_OF_WORKS = 3 };

/* Returns 3 for works, 2 for works with limits, 1 for partly, 0 for fails; -1 if there is no
 * verdict that counts. */
static int rank_of(enum pm_verdict verdict)
{
    switch (verdict) {
    case PM_VERDICT_WORKS:
        return RANK_OF_WORKS;
    case PM_VERDICT_LIMITS:
        return 2;
    case PM_VERDICT_PARTLY:
        return 1;
    case PM_VERDICT_FAILS:
        return 0;
    default:
        return -1;
    }
}

/* Returns what B loses of a case that is counted on A. `after` is NULL if B has no case of that
 * name. */
static enum pm_loss loss_of(const struct comparing *c, const struct pm_changes_case *before,
                            const struct pm_changes_case *after)
{
    if (!before->passes)
        return PM_LOSS_NONE;
    if (!after)
        return c->request->partial ? PM_LOSS_NONE : PM_LOSS_DROPPED;
    if (!after->counts)
        return after->why_not != PM_LOSS_NONE ? after->why_not : PM_LOSS_NOT_RUN;
    if (!after->passes)
        return after->not_possible ? PM_LOSS_NOT_POSSIBLE : PM_LOSS_FAILS;
    switch (pm_changes__compare_definitions(before->definition, after->definition).meaning) {
    case PM_MEANING_LOOSENED:
        return PM_LOSS_LOOSENED;
    case PM_MEANING_OTHER:
        return PM_LOSS_REDEFINED;
    default:
        return PM_LOSS_NONE;
    }
}

static void note_case(struct comparing *c, struct pm_changes_change *change,
                      const struct pm_changes_case *before, const struct pm_changes_case *after)
{
    const enum pm_loss loss = loss_of(c, before, after);
    const bool breaks = loss == PM_LOSS_FAILS || loss == PM_LOSS_REFERENCE;
    const bool fixed = !before->passes && after && after->counts && after->passes;
    const struct pm_changes_case *failing = fixed ? before : after;
    if (loss == PM_LOSS_NONE && !fixed)
        return;
    PM_GROW(c->out->cases, c->out->case_count, c->out->case_capacity);
    c->out->cases[c->out->case_count++] = (struct pm_changes_case_change){
        .function = before->function,
        .name = before->name,
        .detail = failing ? failing->detail : "",
        .reason = failing ? failing->reason : "",
        .change = change->found,
        .regressed = !fixed,
        .loss = loss,
        .before = before->outcome,
        .after = after ? after->outcome : PM_OUTCOME_COUNT,
    };
    change->cases_regressed += breaks;
    change->cases_lost += !fixed && !breaks;
    change->cases_fixed += fixed;
    change->not_possible |= loss == PM_LOSS_NOT_POSSIBLE;
}

/* Returns a text such as "b, c missing; d blocked", of the cases of a function that are noted from
 * `first` on; NULL for nothing. The caller frees it. */
static char *note_of(const struct pm_changes *out, size_t first)
{
    enum { NAMED = 3 };
    struct pm_str text = PM_STR_INIT;
    for (int loss = PM_LOSS_REFERENCE; loss < PM_LOSS_COUNT; loss++) {
        size_t count = 0;
        const char *separator = text.length ? "; " : "";
        for (size_t i = first; i < out->case_count; i++)
            if (out->cases[i].loss == (enum pm_loss)loss && ++count <= NAMED)
                pm_str_addf(&text, "%s%s", count > 1 ? ", " : separator, out->cases[i].name);
        if (count > NAMED)
            pm_str_addf(&text, " and %zu more", count - NAMED);
        if (count)
            pm_str_addf(&text, ": %s", pm_loss_text((enum pm_loss)loss));
    }
    return text.length ? pm_str_detach(&text) : NULL;
}

/* Returns how many counted cases of the function on `side` are not counted by `other`. */
static size_t only_on(const struct pm_changes_side *side, const struct pm_changes_side *other,
                      const char *function)
{
    size_t only = 0;
    for (size_t i = first_case(side, function);
         i < side->case_count && !strcmp(side->cases[i].function, function); i++) {
        const struct pm_changes_case *there = find_case(other, &side->cases[i]);
        only += side->cases[i].counts && !(there && there->counts);
    }
    return only;
}

static void compare_cases(struct comparing *c, struct pm_changes_change *change)
{
    const struct pm_changes_side *before = c->before;
    const size_t only_before = only_on(before, c->after, change->function),
                 only_after = only_on(c->after, before, change->function);
    const size_t first = c->out->case_count;
    size_t common = 0;
    for (size_t i = first_case(before, change->function);
         i < before->case_count && !strcmp(before->cases[i].function, change->function); i++) {
        const struct pm_changes_case *after = find_case(c->after, &before->cases[i]);
        if (!before->cases[i].counts)
            continue;
        note_case(c, change, &before->cases[i], after);
        common += after && after->counts;
    }
    change->note = note_of(c->out, first);
    change->by_cases = common && (only_before || only_after);
    c->out->only_before += only_before;
    c->out->only_after += only_after;
}

static bool is_allowed(const struct comparing *c, const char *function)
{
    for (size_t i = 0; i < c->request->allowed_count; i++)
        if (!strcmp(c->request->allowed[i], function))
            return true;
    return false;
}

static enum pm_change change_of_missing(const struct pm_changes_change *change)
{
    const int before = rank_of(change->before), after = rank_of(change->after);
    if (before < 0)
        return after < 0 ? PM_CHANGE_NEITHER : PM_CHANGE_NEW;
    return change->after == PM_VERDICT_ABSENT ? PM_CHANGE_GONE : PM_CHANGE_UNMEASURED;
}

/* Compares the verdicts: a worse one is never the same, even if it is about other cases. It is in
 * doubt where it is worse only because the types of B's device exclude cases. */
static enum pm_change change_of_outcomes(const struct comparing *c,
                                         const struct pm_changes_change *change)
{
    const int before = rank_of(change->before), after = rank_of(change->after);
    if (change->cases_regressed || (after < before && !change->by_cases && !change->not_possible))
        return PM_CHANGE_REGRESSED;
    if (change->cases_lost || (after < before && !c->request->partial))
        return PM_CHANGE_DOUBTFUL;
    return change->cases_fixed || (after > before && !change->by_cases) ? PM_CHANGE_FIXED
                                                                        : PM_CHANGE_SAME;
}

/* ---- latencies ---- */

struct pair {
    const struct pm_changes_case *before, *after;
};

static int by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* Returns the repetitions in which any case of the list has timings, in order; the caller frees. */
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

/* Returns the logarithms of the values; the caller frees them. */
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

/* Returns whether both sides have the case with inputs of that size, pass it, and do not run it on
 * the host. */
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
    size_t other_work;                           /* timed on a side, at least */
    size_t most_before, most_after;              /* processes of a case that a side lacks */
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

static struct choice choose_all(const struct comparing *c, const char *function, enum pm_size size)
{
    const struct pm_changes_side *side = c->before;
    struct choice choice = {0};
    choice.before = pm_alloc((side->case_count + 1) * sizeof *choice.before);
    choice.after = pm_alloc((side->case_count + 1) * sizeof *choice.after);
    for (size_t i = first_case(side, function);
         i < side->case_count && !strcmp(side->cases[i].function, function); i++) {
        const struct pair p = {&side->cases[i], find_case(c->after, &side->cases[i])};
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

/* Returns whether times are missing. Cases that neither side times leave no doubt, unless neither
 * side times anything. */
static bool lacks_times(const struct comparing *c, const struct choice *choice)
{
    return choice->half_timed || (choice->untimed && !has_times(c->before) && !has_times(c->after));
}

static void compare_size(struct comparing *c, size_t change, enum pm_size size)
{
    const struct choice choice = choose_all(c, c->out->changes[change].function, size);
    struct timed timed = {.change = change, .size = size};
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

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_timed(const struct pm_changes_side *side)
{
    return side->has_latencies || has_times(side);
}

static bool compares_latencies(const struct comparing *c)
{
    return !c->request->outcomes_only && !c->out->untimed &&
           c->before->evidence == PM_EVIDENCE_EXECUTED &&
           c->after->evidence == PM_EVIDENCE_EXECUTED;
}

/* Returns whether the change of the latencies replaces that of the outcomes: only if it is worse. A
 * function that is fixed or in doubt remains so unless it is slower. */
static bool replaces(enum pm_change found, enum pm_change change)
{
    const bool by_outcome = change == PM_CHANGE_DOUBTFUL || change == PM_CHANGE_FIXED;
    return found < change && (found == PM_CHANGE_SLOWER || !by_outcome);
}

/* Returns whether a difference may be drift between two runs: their intervals are about processes
 * of one run each. Targets of one run are measured by turns. */
static bool may_be_drift(const struct pm_changes_side *a, const struct pm_changes_side *b)
{
    const bool same = a->run == b->run && (!a->db || !b->db || !strcmp(a->db, b->db));
    return !same && isnan(fmax(a->floor, b->floor));
}

static bool is_difference(enum pm_speed speed)
{
    return speed == PM_SPEED_SLOWER || speed == PM_SPEED_FASTER;
}

/* Adds the latencies to the change of their function if they are worse than what it has. */
static void settle(struct comparing *c, const struct timed *timed)
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
        change->few_before = change->few
                                 ? least(change->few_before, timed->latency.reference_processes)
                                 : timed->latency.reference_processes;
        change->few_after = change->few ? least(change->few_after, timed->latency.processes)
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

static void correct(struct timed *timed, size_t count, size_t comparisons)
{
    struct pm_comparison **family = pm_alloc((count + 1) * sizeof *family);
    for (size_t i = 0; i < count; i++)
        family[i] = &timed[i].latency;
    pm_stat_correct(family, count);
    for (size_t i = 0; i < count && comparisons > 1; i++)
        timed[i].latency.p = timed[i].latency.p * (double)comparisons;
    free(family);
}

/* Compares the latencies of all functions together, because the p-value of a ratio is corrected for
 * their number. */
static void compare_latencies(struct comparing *c)
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

/* ---- all functions ---- */

/* Returns the side whose failure explains the change: B where it fails, else A; NULL: neither. */
static const struct pm_changes_function *failing_of(const struct pm_changes_function *before,
                                                    const struct pm_changes_function *after)
{
    return after && rank_of(after->verdict) < RANK_OF_WORKS && (*after->detail || !before) ? after
                                                                                           : before;
}

static void compare_function(struct comparing *c, const char *name,
                             const struct pm_changes_function *before,
                             const struct pm_changes_function *after)
{
    const struct pm_changes_function *failing = failing_of(before, after);
    struct pm_changes_change change = {
        .function = name,
        .found = c->out->count,
        .before = before ? before->verdict : PM_VERDICT_COUNT,
        .after = after ? after->verdict : PM_VERDICT_COUNT,
        .detail = failing ? failing->detail : "",
        .reason = failing ? failing->reason : "",
        .latency = {.ratio = {NAN, NAN, NAN}},
    };
    if (rank_of(change.before) < 0 || rank_of(change.after) < 0) {
        change.change = change_of_missing(&change);
    } else {
        compare_cases(c, &change);
        change.change = change_of_outcomes(c, &change);
    }
    PM_GROW(c->out->changes, c->out->count, c->out->capacity);
    c->out->changes[c->out->count++] = change;
    const bool passes = change.change == PM_CHANGE_SAME || change.change == PM_CHANGE_FIXED ||
                        change.change == PM_CHANGE_DOUBTFUL;
    for (int size = 0; passes && size < PM_SIZE_COUNT; size++)
        if (compares_latencies(c))
            compare_size(c, c->out->count - 1, (enum pm_size)size);
}

static bool can_be_allowed(enum pm_change change)
{
    return change == PM_CHANGE_GONE || change == PM_CHANGE_UNMEASURED ||
           change == PM_CHANGE_DOUBTFUL || change == PM_CHANGE_UNDECIDED ||
           change == PM_CHANGE_UNKNOWN;
}

bool pm_changes_is_regression(const struct pm_changes_change *change)
{
    return change->change == PM_CHANGE_REGRESSED || change->change == PM_CHANGE_SLOWER ||
           ((change->change == PM_CHANGE_GONE || change->change == PM_CHANGE_UNMEASURED) &&
            !change->allowed);
}

static void count(struct comparing *c)
{
    struct pm_changes *out = c->out;
    for (size_t i = 0; i < out->count; i++) {
        struct pm_changes_change *change = &out->changes[i];
        const bool accepted = is_allowed(c, change->function);
        change->allowed = accepted && can_be_allowed(change->change);
        out->counts[change->change]++;
        if (accepted || pm_changes_is_regression(change))
            continue;
        out->doubtful += change->change == PM_CHANGE_DOUBTFUL;
        out->unstable += change->unstable;
        out->other_work += change->other_work;
        out->no_floor += change->no_floor;
        out->unknown += change->unstable || change->other_work || change->no_floor;
        out->few += change->few;
        if (change->few) {
            out->fewest_before = least(out->fewest_before, change->few_before);
            out->fewest_after = least(out->fewest_after, change->few_after);
        }
    }
}

/* Orders the worst first: what fell further, then what broke more cases, then the larger ratio. */
static int by_change(const void *left, const void *right)
{
    const struct pm_changes_change *a = left, *b = right;
    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    const int fall =
        (rank_of(b->before) - rank_of(b->after)) - (rank_of(a->before) - rank_of(a->after));
    if (fall)
        return fall;
    if (a->cases_regressed != b->cases_regressed)
        return a->cases_regressed > b->cases_regressed ? -1 : 1;
    const int ratios = pm_stat_largest_first(a->latency.ratio.mid, b->latency.ratio.mid);
    return ratios ? ratios : strcmp(a->function, b->function);
}

static int by_place(const void *left, const void *right)
{
    const struct pm_changes_case_change *a = left, *b = right;
    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    if (a->regressed != b->regressed)
        return a->regressed ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void sort(struct pm_changes *out)
{
    size_t *places = pm_alloc((out->count + 1) * sizeof *places);
    if (out->count)
        qsort(out->changes, out->count, sizeof *out->changes, by_change);
    for (size_t i = 0; i < out->count; i++)
        places[out->changes[i].found] = i;
    for (size_t i = 0; i < out->case_count; i++)
        out->cases[i].change = places[out->cases[i].change];
    if (out->case_count)
        qsort(out->cases, out->case_count, sizeof *out->cases, by_place);
    free(places);
}

static const struct pm_changes_function *function_at(const struct pm_changes_side *side, size_t i)
{
    return i < side->function_count ? &side->functions[i] : NULL;
}

struct pm_changes pm_changes_find(const struct pm_changes_side *before,
                                  const struct pm_changes_side *after,
                                  const struct pm_changes_request *request)
{
    struct pm_changes out = {.fewest_before = SIZE_MAX, .fewest_after = SIZE_MAX};
    struct comparing c = {.before = before, .after = after, .request = request, .out = &out};
    out.intolerable = request->intolerable > 0 ? request->intolerable : PM_STAT_INTOLERABLE;
    out.floor = fmax(before->floor, after->floor); /* fmax() of a number and NaN is the number */
    out.accepts_unknown = request->accepts_unknown;
    out.evidence_before = before->evidence;
    out.evidence_after = after->evidence;
    out.untimed = !is_timed(before) && !is_timed(after);
    for (size_t i = 0, k = 0; i < before->function_count || k < after->function_count;) {
        const struct pm_changes_function *a = function_at(before, i), *b = function_at(after, k);
        const int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);
        if (order <= 0)
            compare_function(&c, a->name, a, order ? NULL : b);
        else
            compare_function(&c, b->name, NULL, b);
        i += order <= 0;
        k += order >= 0;
    }
    compare_latencies(&c);
    count(&c);
    sort(&out);
    return out;
}

void pm_changes_release(struct pm_changes *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->changes[i].note);
    free(c->changes);
    free(c->cases);
    *c = (struct pm_changes){0};
}

/* ---- latencies alone ---- */

static double latency_of(const struct pm_changes_case *const *cases, size_t count)
{
    double *values;
    size_t complete;
    const struct pm_logs logs = logs_of(cases, count, &values);
    const double latency = pm_stat_latency(&logs, &complete).mid;
    free(values);
    return latency;
}

/* Computes the ratio of a function; false if it has no cases to compare. */
static bool take_ratio(const struct comparing *c, const char *function, enum pm_size size,
                       struct pm_changes_ratio *out)
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

/* Sets the verdicts of ratios. If a difference may be drift, none is said. */
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
    const struct comparing c = {.before = before, .after = after};
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

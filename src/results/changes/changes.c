/* Compares two sides, function by function. */
#include "changes/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "changes/changes_private.h"

PM_WORDS_DEFINE(change, PM_CHANGES, PM_CHANGE);
PM_WORDS_DEFINE(loss, PM_CHANGES_LOSSES, PM_LOSS);

/* ---- outcomes ---- */

enum { RANK_OF_WORKS = 3 };

/* Returns 3 for works, 2 for works with limits, 1 for partly, 0 for fails, and -1 for a verdict
 * that is not counted. */
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

/* Returns what happened on B to a case that is counted on A. `after` is NULL if B has no case with
 * that name. */
static enum pm_loss loss_of(const struct pm_changes_comparing *c,
                            const struct pm_changes_case *before,
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

static void note_case(struct pm_changes_comparing *c, struct pm_changes_change *change,
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

/* Returns a text such as "b, c: missing; d: blocked" about the cases of a function, which are those
 * from `first` on; NULL if there is nothing to say. The caller frees it. */
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
    for (size_t i = pm_changes__first_case(side, function);
         i < side->case_count && !strcmp(side->cases[i].function, function); i++) {
        const struct pm_changes_case *there = pm_changes__find_case(other, &side->cases[i]);
        only += side->cases[i].counts && !(there && there->counts);
    }
    return only;
}

static void compare_cases(struct pm_changes_comparing *c, struct pm_changes_change *change)
{
    const struct pm_changes_side *before = c->before;
    const size_t only_before = only_on(before, c->after, change->function),
                 only_after = only_on(c->after, before, change->function);
    const size_t first = c->out->case_count;
    size_t common = 0;
    for (size_t i = pm_changes__first_case(before, change->function);
         i < before->case_count && !strcmp(before->cases[i].function, change->function); i++) {
        const struct pm_changes_case *after = pm_changes__find_case(c->after, &before->cases[i]);
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

static bool is_allowed(const struct pm_changes_comparing *c, const char *function)
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

/* Compares the verdicts. A function with a worse verdict is regressed; but it is in doubt if the
 * sides count different cases, or if the types of B's device exclude cases. With `partial`, such a
 * verdict alone is ignored. */
static enum pm_change change_of_outcomes(const struct pm_changes_comparing *c,
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

/* ---- all functions ---- */

/* Returns the function on the side whose detail explains the change. This is B if the function does
 * not work on B, and has a detail there or is missing on A; otherwise it is A. Returns NULL if that
 * side lacks the function. */
static const struct pm_changes_function *failing_of(const struct pm_changes_function *before,
                                                    const struct pm_changes_function *after)
{
    return after && rank_of(after->verdict) < RANK_OF_WORKS && (*after->detail || !before) ? after
                                                                                           : before;
}

static void compare_function(struct pm_changes_comparing *c, const char *name,
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
        if (pm_changes__compares_latencies(c))
            pm_changes__compare_size(c, c->out->count - 1, (enum pm_size)size);
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

static void count(struct pm_changes_comparing *c)
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
            out->fewest_before = pm_changes__least(out->fewest_before, change->few_before);
            out->fewest_after = pm_changes__least(out->fewest_after, change->few_after);
        }
    }
}

/* Orders changes, the worst first: by change, then by how far the verdict fell, by the number of
 * broken cases, by the ratio, and by name. */
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
    struct pm_changes_comparing c = {
        .before = before, .after = after, .request = request, .out = &out};
    out.intolerable = request->intolerable > 0 ? request->intolerable : PM_STAT_INTOLERABLE;
    out.floor = fmax(before->floor, after->floor); /* fmax() of a number and NaN is the number */
    out.accepts_unknown = request->accepts_unknown;
    out.evidence_before = before->evidence;
    out.evidence_after = after->evidence;
    out.untimed = !pm_changes__is_timed(before) && !pm_changes__is_timed(after);
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
    pm_changes__compare_latencies(&c);
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

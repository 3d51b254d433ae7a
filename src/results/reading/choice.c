/* Chooses the run from which each target is shown, and checks that requested targets have one. */
#include "reading/loading.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/str.h"

/* The rank of a target's run. */
enum worth { WORTH_NOTHING, WORTH_OUTCOMES, WORTH_VALID };

static enum worth worth_of(const struct pm_reading *r, const struct pm_reading_target *t)
{
    if (!t->judged)
        return WORTH_NOTHING;
    return r->runs[t->run].validity == PM_VALIDITY_VALID ? WORTH_VALID : WORTH_OUTCOMES;
}

static size_t count_all(const struct pm_reading *r)
{
    return r->target_list.count + r->hidden_targets + r->other_targets;
}

/* Returns whether the run of target `a` is preferred to that of target `b`. A larger index of a run
 * means that the run started later. */
static bool is_better(const struct pm_reading *r, size_t a, size_t b)
{
    const enum worth x = worth_of(r, &r->targets[a]), y = worth_of(r, &r->targets[b]);
    return x != y ? x > y : r->targets[a].run > r->targets[b].run;
}

int pm_reading_choose(const struct pm_reading *r, const char *text, pm_reading_may_fn *may,
                      const void *ctx)
{
    int best = -1;
    for (size_t i = 0; i < count_all(r); i++) {
        const struct pm_reading_target *t = &r->targets[i];
        if (pm_reading_is_oracle(t) || pm_reading_is_noise(t) || strcmp(t->text, text) ||
            (may && !may((int)i, ctx)))
            continue;
        if (best < 0 || is_better(r, i, (size_t)best))
            best = (int)i;
    }
    return best;
}

static void show_best(const struct pm_reading *r, bool *shown)
{
    bool any = false;
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        shown[i] =
            worth_of(r, t) != WORTH_NOTHING && pm_reading_choose(r, t->text, NULL, NULL) == (int)i;
        any |= shown[i];
    }
    for (size_t i = 0; i < r->target_list.count && !any; i++)
        shown[i] =
            r->targets[i].run + 1 == r->run_list.count && !pm_reading_is_noise(&r->targets[i]);
}

static void show_oracles(const struct pm_reading *r, bool *shown)
{
    for (size_t i = r->target_list.count; i-- > 0;) {
        bool known = false;
        for (size_t k = 0; k < r->target_list.count; k++)
            known |= shown[k] && !strcmp(r->targets[k].text, r->targets[i].text);
        if (pm_reading_is_oracle(&r->targets[i]) && !known)
            shown[i] = r->runs[r->targets[i].run].shown;
    }
}

/* Returns whether the caller wants to see the target. */
static bool is_wanted(const struct pm_reading *r, const struct pm_reading_target *t)
{
    bool named = !r->wanted_count;
    for (size_t i = 0; i < r->wanted_count; i++)
        named |= !strcmp(r->wanted[i], t->text);
    return named && (!r->framework || !strcmp(r->framework, t->framework));
}

static void show_only_wanted(const struct pm_reading *r, bool *shown)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        shown[i] &= is_wanted(r, &r->targets[i]) || pm_reading_is_oracle(&r->targets[i]);
}

static void mark_runs(struct pm_reading *r, const bool *shown)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        r->runs[r->targets[i].run].shown |= shown[i];
}

/* Marks runs that are not shown, but are newer than the shown run of one of their targets. */
static void mark_passed_over(struct pm_reading *r, const bool *shown)
{
    for (size_t i = 0; i < r->target_list.count; i++) {
        struct pm_reading_run *run = &r->runs[r->targets[i].run];
        if (run->shown || pm_reading_is_oracle(&r->targets[i]))
            continue;
        for (size_t k = 0; k < i; k++)
            run->passed_over |= shown[k] && !strcmp(r->targets[k].text, r->targets[i].text);
    }
}

static bool is_reference_of_shown(const struct pm_reading *r, size_t index, const bool *shown)
{
    if (pm_reading_is_noise(&r->targets[index]))
        return false;
    for (size_t i = 0; i < r->target_list.count; i++)
        if (shown[i] && r->targets[i].run == r->targets[index].run &&
            !strcmp(r->targets[i].reference, r->targets[index].text))
            return true;
    return false;
}

/* Sorts the targets: shown ones, hidden references, others. */
static void sort_targets(struct pm_reading *r, const bool *shown)
{
    const size_t all = r->target_list.count;
    struct pm_reading_target *sorted = pm_alloc((all + 1) * sizeof *sorted);
    size_t count = 0, hidden = 0, others = 0;
    for (size_t i = 0; i < all; i++)
        if (shown[i])
            sorted[count++] = r->targets[i];
    for (size_t i = 0; i < all; i++)
        if (!shown[i] && is_reference_of_shown(r, i, shown))
            sorted[count + hidden++] = r->targets[i];
    for (size_t i = 0; i < all; i++)
        if (!shown[i] && !is_reference_of_shown(r, i, shown))
            sorted[count + hidden + others++] = r->targets[i];
    free(r->targets);
    r->targets = sorted;
    r->target_list = (struct pm_reading_list){count, all};
    r->hidden_targets = hidden;
    r->other_targets = others;
}

void pm_reading__choose(struct pm_reading *r, int64_t run_id)
{
    bool *shown = pm_alloc((r->target_list.count + 1) * sizeof *shown);
    for (size_t i = 0; run_id && i < r->target_list.count; i++)
        shown[i] = r->runs[r->targets[i].run].id == run_id && !pm_reading_is_noise(&r->targets[i]);
    for (size_t i = 0; i < r->run_list.count; i++)
        r->runs[i].shown = r->runs[i].id == run_id;
    if (!run_id)
        show_best(r, shown);
    show_only_wanted(r, shown);
    if (!run_id) {
        mark_runs(r, shown);
        show_oracles(r, shown);
        mark_passed_over(r, shown);
    }
    sort_targets(r, shown);
    free(shown);
}

/* ---- requested targets ---------------------------------------------------------------------- */

/* Sets the error that `place` has no results of the requested targets. */
static int lacks_wanted(const struct pm_reading *r, const char *place, int64_t run_id,
                        struct pm_error *err)
{
    if (r->framework)
        return pm_error_set(err, PM_EUSAGE,
                            "%s has no results of framework '%s': portmeter runs lists the "
                            "targets of each run",
                            place, r->framework);
    const size_t end = count_all(r);
    const char **texts = pm_alloc((end + 1) * sizeof *texts);
    size_t count = 0;
    for (size_t i = r->target_list.count; i < end; i++)
        if (!run_id || r->runs[r->targets[i].run].id == run_id)
            texts[count++] = r->targets[i].text;
    const char *nearest = pm_nearest(r->wanted[0], texts, count);
    free(texts);
    return nearest ? pm_error_set(err, PM_EUSAGE,
                                  "%s has no results of target '%s': did you mean '%s'?", place,
                                  r->wanted[0], nearest)
                   : pm_error_set(err, PM_EUSAGE,
                                  "%s has no results of target '%s': portmeter runs lists the "
                                  "targets of each run",
                                  place, r->wanted[0]);
}

int pm_reading__check_wanted(const struct pm_reading *r, const char *db, int64_t run_id,
                             struct pm_error *err)
{
    if (!r->framework && !r->wanted_count)
        return PM_OK;
    for (size_t i = 0; i < r->target_list.count; i++)
        if (!pm_reading_is_oracle(&r->targets[i]))
            return PM_OK;
    char *place =
        run_id ? pm_format("run %lld of '%s'", (long long)run_id, db) : pm_format("'%s'", db);
    const int rc = lacks_wanted(r, place, run_id, err);
    free(place);
    return rc;
}

/* Decides what a comparison means for a gate: the exit status, doubts, and commands that help. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"
#include "base/shard.h"
#include "changes/changes.h"
#include "report/format.h"
#include "text/numbers.h"

/* ---- numbers and texts ---- */

size_t pm_changes_regressions(const struct pm_changes *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += pm_changes_is_regression(&c->changes[i]);
    return count;
}

bool pm_changes_is_intolerable(const struct pm_changes *c, const struct pm_changes_change *change)
{
    return change->change == PM_CHANGE_SLOWER && change->latency.ratio.mid > c->intolerable;
}

enum pm_exit pm_changes_status(const struct pm_changes *c, const struct pm_changes_doubt *doubt)
{
    return pm_changes_regressions(c) ? PM_EXIT_WORSE
           : doubt->what             ? PM_EXIT_INCONCLUSIVE
                                     : PM_EXIT_FINE;
}

size_t pm_changes_fewest(const struct pm_changes *c)
{
    return c->fewest_before < c->fewest_after ? c->fewest_before : c->fewest_after;
}

const char *pm_changes_verdict(enum pm_verdict verdict, enum pm_evidence evidence)
{
    return verdict == PM_VERDICT_COUNT ? "-" : pm_verdict_word(verdict, evidence);
}

void pm_changes_counts(const struct pm_changes *c, struct pm_str *out)
{
    const char *comma = "";
    for (int i = 0; i < PM_CHANGE_COUNT; i++)
        if (c->counts[i]) {
            pm_str_addf(out, "%s%zu %s", comma, c->counts[i], pm_change_text((enum pm_change)i));
            comma = ", ";
        }
    if (!c->count)
        pm_str_add(out, "nothing");
}

const char *pm_changes_note(const struct pm_changes_change *change)
{
    if (change->note)
        return change->note;
    return change->change == PM_CHANGE_DOUBTFUL
               ? "the verdict is worse because of cases that only B counts"
               : "";
}

void pm_changes_unknown(const struct pm_changes *c, struct pm_str *out)
{
    if (c->unstable)
        pm_str_addf(out, "%zu unstable", c->unstable);
    if (c->other_work)
        pm_str_addf(out, "%s%zu with cases that do different work", c->unstable ? ", " : "",
                    c->other_work);
    if (c->no_floor)
        pm_str_addf(out, "%s%zu without a noise floor", c->unstable || c->other_work ? ", " : "",
                    c->no_floor);
}

char *pm_changes_undecided(size_t processes)
{
    return pm_format("too few processes to compare latencies: %zu of %d", processes,
                     PM_STAT_LEAST_FOR_VERDICT);
}

/* ---- more processes ---- */

bool pm_changes_same_run(const struct pm_changes_side *a, const struct pm_changes_side *b)
{
    return !strcmp(a->db, b->db) && a->run == b->run;
}

static bool can_be_extended(const struct pm_changes_side *side)
{
    return side->has_latencies && !side->latencies_invalid;
}

/* Returns whether more processes can be added to `side` and, if `beside` is not NULL, to `beside`,
 * the other side from the same run. */
static bool both_can_be_extended(const struct pm_changes_side *side,
                                 const struct pm_changes_side *beside)
{
    return can_be_extended(side) && (!beside || can_be_extended(beside));
}

static char *command_of(const struct pm_changes_side *side, const struct pm_changes_side *beside,
                        size_t lacks)
{
    const bool both = beside && strcmp(side->target, beside->target) != 0;
    const struct pm_changes_side *one = both && side->is_reference ? beside : side;
    const bool two = both && !side->is_reference && !beside->is_reference;
    if (both_can_be_extended(side, beside))
        return pm_format("portmeter run --resume %lld --repetitions %lld --db %s",
                         (long long)side->run, (long long)side->repetitions + (long long)lacks,
                         side->db);
    return pm_format("portmeter run --target %.*s%s%.*s%s --repetitions %d --db %s",
                     pm_shard_typed(one->target), one->target, two ? " --target " : "",
                     two ? pm_shard_typed(beside->target) : 0, two ? beside->target : "",
                     one->selection, PM_STAT_LEAST_FOR_VERDICT, side->db);
}

static struct pm_changes_step step_of(const struct pm_changes_side *side,
                                      const struct pm_changes_side *beside, const char *label,
                                      size_t lacks)
{
    const bool named = side->run_is_named || (beside && beside->run_is_named);
    const bool anew = named && !both_can_be_extended(side, beside);
    return (struct pm_changes_step){
        .command = command_of(side, beside, lacks),
        .purpose = anew ? pm_format("measures a new run: compare it instead of run:%lld",
                                    (long long)side->run)
                        : pm_format("adds the %zu missing process%s to %s", lacks,
                                    lacks == 1 ? "" : "es", label),
        .is_new_run = anew,
    };
}

size_t pm_changes_steps(const struct pm_changes *c, const struct pm_changes_side *a,
                        const struct pm_changes_side *b, struct pm_changes_step steps[2])
{
    const bool shared = pm_changes_same_run(a, b);
    const size_t has[2] = {shared ? pm_changes_fewest(c) : c->fewest_before, c->fewest_after};
    size_t count = 0;
    for (size_t i = 0; i < (shared ? 1 : 2) && c->few; i++) {
        if (has[i] >= PM_STAT_LEAST_FOR_VERDICT)
            continue;
        steps[count++] = step_of(i ? b : a, shared ? b : NULL,
                                 shared ? "each side"
                                 : i    ? "B"
                                        : "A",
                                 PM_STAT_LEAST_FOR_VERDICT - has[i]);
    }
    return count;
}

/* ---- what is in doubt ---- */

static char *commands_of(const struct pm_changes *c, const struct pm_changes_side *a,
                         const struct pm_changes_side *b)
{
    struct pm_changes_step steps[2];
    struct pm_str out = PM_STR_INIT;
    const size_t count = pm_changes_steps(c, a, b, steps);
    size_t new_runs = 0;
    for (size_t i = 0; i < count; i++) {
        pm_str_addf(&out, "%s%s", i ? " && " : "run ", steps[i].command);
        new_runs += steps[i].is_new_run;
        free(steps[i].command);
        free(steps[i].purpose);
    }
    if (new_runs)
        pm_str_addf(&out, ", and compare the new run%s instead", pm_plural(new_runs));
    return pm_str_detach(&out);
}

/* Returns how many functions have a counted verdict on both sides. */
static size_t compared_of(const struct pm_changes *c)
{
    return c->count - c->counts[PM_CHANGE_GONE] - c->counts[PM_CHANGE_UNMEASURED] -
           c->counts[PM_CHANGE_NEW] - c->counts[PM_CHANGE_NEITHER];
}

static bool doubt_side(const struct pm_changes_side *side, struct pm_changes_doubt *out)
{
    const long long run = side->run;
    if (side->invalid) {
        out->what = pm_format("run %lld is invalid: %s", run, side->invalid);
        out->remedy = pm_strdup("measure again");
    } else if (side->done < side->planned) {
        out->what = pm_format("run %lld is not complete: %lld of %lld executions", run,
                              (long long)side->done, (long long)side->planned);
        out->remedy = pm_format("run portmeter run --resume %lld --db %s", run, side->db);
    }
    return out->what;
}

/* Returns a text such as "2 functions are in doubt: f (b: blocked), g (c: missing) and 3 more". */
static char *doubtful_of(const struct pm_changes *c)
{
    enum { NAMED = 3 };
    struct pm_str out = PM_STR_INIT;
    size_t count = 0;
    pm_str_addf(&out, "%zu function%s in doubt: ", c->doubtful, pm_plural_are(c->doubtful));
    for (size_t i = 0; i < c->count; i++) {
        const struct pm_changes_change *change = &c->changes[i];
        if (change->change != PM_CHANGE_DOUBTFUL || change->allowed || ++count > NAMED)
            continue;
        pm_str_addf(&out, "%s%s (%s)", count > 1 ? ", " : "", change->function,
                    pm_changes_note(change));
    }
    if (count > NAMED)
        pm_str_addf(&out, " and %zu more", count - NAMED);
    return pm_str_detach(&out);
}

static char *unknown_of(const struct pm_changes *c)
{
    struct pm_str out = PM_STR_INIT;
    pm_str_addf(&out, "the latencies of %zu function%s not known (", c->unknown,
                c->unknown == 1 ? " are" : "s are");
    pm_changes_unknown(c, &out);
    pm_str_add_char(&out, ')');
    return pm_str_detach(&out);
}

struct pm_changes_doubt pm_changes_doubt(const struct pm_changes *c,
                                         const struct pm_changes_side *a,
                                         const struct pm_changes_side *b)
{
    struct pm_changes_doubt out = {0};
    if (!compared_of(c)) {
        out.what = pm_strdup("no function has a verdict on both sides, so nothing is compared");
        out.remedy = pm_strdup("name sides that measured the same functions");
    } else if (doubt_side(a, &out) || doubt_side(b, &out)) {
        return out;
    } else if (c->doubtful) {
        out.what = doubtful_of(c);
        out.remedy = pm_strdup("measure the same cases on both sides, or accept a function with "
                               "--allow FUNCTION");
    } else if (c->few && !c->accepts_unknown) {
        out.what = pm_changes_undecided(pm_changes_fewest(c));
        out.remedy = commands_of(c, a, b);
    } else if (c->unknown && !c->accepts_unknown) {
        out.what = unknown_of(c);
        out.remedy = pm_format("measure the same cases on an idle machine%s, or accept this with "
                               "--allow FUNCTION or --allow-unknown-latencies",
                               c->no_floor ? " with --noise" : "");
    }
    return out;
}

void pm_changes_doubt_release(struct pm_changes_doubt *doubt)
{
    free(doubt->what);
    free(doubt->remedy);
    *doubt = (struct pm_changes_doubt){0};
}

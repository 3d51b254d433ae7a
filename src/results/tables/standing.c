/* Computes the numbers that the headline prints about a target. */
#include "tables/standing.h"

#include <math.h>

#include "base/alloc.h"
#include "stat/stat.h"
#include "tables/lines.h"

enum { TARGETS_NAMED = 3 };

struct bounds pm_tables__bounds(const struct tally *t)
{
    const int64_t blocked = t->of[PM_VERDICT_BLOCKED], all = t->counted + blocked;
    return (struct bounds){
        .blocked = blocked,
        .low = all ? (double)t->working / (double)all : NAN,
        .high = all ? (double)(t->working + blocked) / (double)all : NAN,
        .inconclusive = 10 * blocked > all,
    };
}

bool pm_tables__is_ratio(const struct pm_reading_statistic *s)
{
    return s->key.scope == PM_SCOPE_FUNCTION && s->key.what == PM_STATISTIC_RATIO &&
           s->key.clock == PM_CLOCK_WARM && s->key.size == PM_SIZE_SMALL;
}

static struct speeds speeds_of(const struct pm_reading *r, int target)
{
    const double much = pm_reading_intolerable(r), ten = 10;
    struct speeds speeds = {.median = NAN};
    double *ratios = pm_alloc((r->statistic_list.count + 1) * sizeof *ratios);
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_statistic *s = &r->statistics[i];
        if (s->key.target != target || !pm_tables__is_ratio(s) || !isfinite(s->value))
            continue;
        ratios[speeds.timed++] = s->value;
        speeds.intolerable += s->value > much;
        speeds.faster += s->value < 1 / much;
        speeds.over_10x_slower += s->value > ten;
        speeds.over_10x_faster += s->value < 1 / ten;
    }
    if (speeds.timed)
        speeds.median = pm_stat_median(ratios, speeds.timed);
    free(ratios);
    return speeds;
}

/* Counts the calls of functions. If verdicts name a function by several aliases, its calls are
 * counted once, and work only if the function works by each alias. */
static void count_calls(const struct pm_reading *r, struct standing *s)
{
    static char working, failing;
    const char *framework = r->targets[s->target].framework;
    struct pm_map seen = {0};
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const bool works = pm_verdict_is_working(v->verdict);
        if (v->target != s->target || !pm_verdict_is_counted(v->verdict))
            continue;
        const double calls = (double)pm_reading_calls(r, framework, v->function);
        const char *name = pm_reading_counted_name(r, framework, v->function);
        const char *before = pm_map_get(&seen, name);
        s->calls += before ? 0 : calls;
        s->surviving += works && !before ? calls : 0;
        s->surviving -= !works && before == &working ? calls : 0;
        if (before != &failing)
            pm_map_put(&seen, name, works ? &working : &failing);
    }
    pm_map_release(&seen);
}

struct standing pm_tables__standing(const struct pm_reading *r, int target)
{
    struct standing s = {.target = target, .tally = pm_tables__tally(r, target, false)};
    s.speeds = speeds_of(r, target);
    count_calls(r, &s);
    return s;
}

/* Returns whether the reading has all functions, or at least one of the target. */
static bool has_functions(const struct pm_reading *r, int target)
{
    for (size_t i = 0; r->function && i < r->verdict_list.count; i++)
        if (r->verdicts[i].target == target)
            return true;
    return !r->function;
}

bool pm_tables__has_line(const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    if (pm_reading_is_oracle(t) || pm_reading_is_noise(t) || !has_functions(r, target))
        return false;
    return !pm_reading_is_reference(t) || !pm_reading_has_subject(r, target);
}

size_t pm_tables__count_named(size_t count)
{
    return count > TARGETS_NAMED + 1 ? TARGETS_NAMED : count;
}

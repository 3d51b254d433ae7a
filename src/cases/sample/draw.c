/* Draws functions, and writes the audit trail of the draw. */
#include <string.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "base/random.h"
#include "sample/sample_private.h"

struct draw {
    const struct pm_ranking *ranking;
    const struct pm_sample_plan *plan;
    struct pm_sample__words words;
    struct pm_sample__strata strata;
    struct pm_map seen; /* names that were drawn before; its values are not used */
    struct pm_sample *sample;
};

static struct pm_sample_step *step(struct draw *draw, enum pm_step_kind kind, size_t stratum,
                                   const struct pm_ranked *function)
{
    struct pm_sample *sample = draw->sample;
    PM_GROW(sample->steps, sample->step_count, sample->step_capacity);
    struct pm_sample_step *last = &sample->steps[sample->step_count++];
    *last = (struct pm_sample_step){
        .kind = kind,
        .name = pm_strdup(function ? function->name : ""),
        .uses = function ? function->uses : 0,
        .rank = function ? (size_t)(function - draw->ranking->items) + 1 : 0,
        .stratum = stratum,
        .why = pm_strdup(""),
        .replaces = pm_strdup(""),
    };
    return last;
}

static void set(char **text, const char *value)
{
    free(*text);
    *text = pm_strdup(value ? value : "");
}

static void take(struct draw *draw, size_t stratum, const struct pm_ranked *function)
{
    struct pm_sample *sample = draw->sample;
    PM_GROW(sample->members, sample->member_count, sample->member_capacity);
    sample->members[sample->member_count++] = (struct pm_sample_member){
        .name = pm_strdup(function->name),
        .uses = function->uses,
        .rank = (size_t)(function - draw->ranking->items) + 1,
        .stratum = stratum,
    };
    sample->strata[stratum].taken++;
}

/* Returns whether the function is excluded; if so, records the exclusion. */
static bool exclude(struct draw *draw, size_t stratum, const struct pm_ranked *function)
{
    const struct pm_exclusion *exclusion = pm_sample__exclusion(&draw->words, function->name);
    if (!exclusion)
        return false;
    struct pm_sample_step *last = step(draw, PM_STEP_EXCLUDED, stratum, function);
    last->criterion = exclusion->criterion;
    set(&last->why, exclusion->why);
    return true;
}

static bool is_top(const struct draw *draw, const struct pm_ranked *function)
{
    return (size_t)(function - draw->ranking->items) < draw->plan->top;
}

/* Records the functions that the user omitted. Such functions of the top are recorded when the top
 * is taken. */
static void record_left_out(struct draw *draw)
{
    for (size_t i = draw->plan->top; i < draw->ranking->count; i++) {
        const struct pm_ranked *function = &draw->ranking->items[i];
        const struct pm_choice *choice = pm_sample__choice(&draw->words, function->name);
        if (choice && !choice->pinned)
            set(&step(draw, PM_STEP_LEFT_OUT, 0, function)->why, choice->why);
    }
}

/* Takes every function of a stratum with `certain`, except those that are omitted or excluded.
 * Replaces none of these. */
static void take_all(struct draw *draw, size_t s)
{
    const struct pm_sample__stratum *stratum = &draw->strata.items[s];
    struct pm_sample_stratum *summary = &draw->sample->strata[s];
    for (size_t i = 0; i < stratum->count; i++) {
        const struct pm_ranked *function = &draw->ranking->items[stratum->members[i]];
        const struct pm_choice *choice = pm_sample__choice(&draw->words, function->name);
        if (choice && !choice->pinned) {
            set(&step(draw, PM_STEP_LEFT_OUT, s, function)->why, choice->why);
            summary->size--;
            continue;
        }
        summary->drawn++;
        if (is_top(draw, function))
            step(draw, PM_STEP_TOP, s, function);
        if (choice)
            set(&step(draw, PM_STEP_PINNED, s, function)->why, choice->why);
        if (!exclude(draw, s, function))
            take(draw, s, function);
    }
    summary->wanted = summary->size;
}

static void shuffle(const struct draw *draw, size_t s)
{
    const struct pm_sample__stratum *stratum = &draw->strata.items[s];
    struct pm_random random;
    char *key = pm_format("sample/%s/%s", draw->plan->framework, stratum->summary.name);
    pm_random_init(&random, key, draw->plan->seed);
    free(key);
    for (size_t left = stratum->count; left > 1; left--) {
        const size_t other = (size_t)pm_random_below(&random, left);
        const size_t kept = stratum->members[left - 1];
        stratum->members[left - 1] = stratum->members[other];
        stratum->members[other] = kept;
    }
}

/* Decides on a drawn function. Returns true if it is kept, or removed without a replacement; false
 * if it must be replaced. */
static bool settle(struct draw *draw, size_t s, const struct pm_ranked *function)
{
    if (is_top(draw, function)) {
        step(draw, PM_STEP_OVERLAP, s, function);
        return true;
    }
    if (pm_map_has(&draw->seen, function->name)) {
        step(draw, PM_STEP_AGAIN, s, function);
        return false;
    }
    pm_map_put(&draw->seen, function->name, draw);
    if (exclude(draw, s, function))
        return false;
    take(draw, s, function);
    return true;
}

static void record_exhausted(struct draw *draw, size_t s, size_t missing)
{
    const size_t wanted = draw->sample->strata[s].wanted;
    char *why = pm_format("%zu of %zu draw%s %s missing", missing, wanted, pm_plural(wanted),
                          missing == 1 ? "is" : "are");
    set(&step(draw, PM_STEP_EXHAUSTED, s, NULL)->why, why);
    free(why);
}

/* Draws as many functions as requested, then replaces those that were removed, in the order in
 * which they were drawn. */
static void draw_stratum(struct draw *draw, size_t s)
{
    const struct pm_sample__stratum *stratum = &draw->strata.items[s];
    struct pm_sample_stratum *summary = &draw->sample->strata[s];
    const struct pm_ranked **fallen =
        pm_realloc_array(NULL, stratum->count + 1, sizeof(struct pm_ranked *));
    size_t first = 0, last = 0, next = 0;
    shuffle(draw, s);
    for (; next < stratum->count && next < summary->wanted; next++) {
        const struct pm_ranked *function = &draw->ranking->items[stratum->members[next]];
        step(draw, PM_STEP_DRAWN, s, function);
        if (!settle(draw, s, function))
            fallen[last++] = function;
    }
    if (next < summary->wanted)
        record_exhausted(draw, s, summary->wanted - next);
    for (; first < last && next < stratum->count; first++, next++) {
        const struct pm_ranked *function = &draw->ranking->items[stratum->members[next]];
        set(&step(draw, PM_STEP_REPLACEMENT, s, function)->replaces, fallen[first]->name);
        if (!settle(draw, s, function))
            fallen[last++] = function;
    }
    for (; first < last; first++)
        step(draw, PM_STEP_EXHAUSTED, s, fallen[first]);
    summary->drawn = next;
    free(fallen);
}

static bool is_known_out(const struct draw *draw, const struct pm_ranked *function)
{
    const struct pm_exclusion *exclusion = pm_sample__exclusion(&draw->words, function->name);
    if (!exclusion)
        return false;
    if (exclusion->criterion == PM_CRITERION_NO_TEST)
        return draw->plan->no_tests_complete;
    return draw->plan->absences_complete && (exclusion->criterion == PM_CRITERION_ABSENT ||
                                             exclusion->criterion == PM_CRITERION_NOT_CALLABLE);
}

/* Computes how many functions of a stratum can be measured, and their uses. Functions that are
 * known to be omitted or excluded do not count; of the others, the draws show which share can be
 * measured. */
static void weigh(struct draw *draw, size_t s)
{
    const struct pm_sample__stratum *stratum = &draw->strata.items[s];
    struct pm_sample_stratum *summary = &draw->sample->strata[s];
    double size = 0, uses = 0, squares = 0, all = 0, tried = 0, tried_uses = 0, taken_uses = 0;
    for (size_t i = 0; i < stratum->count; i++) {
        const struct pm_ranked *function = &draw->ranking->items[stratum->members[i]];
        const struct pm_choice *choice = pm_sample__choice(&draw->words, function->name);
        if ((choice && !choice->pinned) || is_known_out(draw, function))
            continue;
        const double value = (double)function->uses;
        const bool is_drawn = summary->certain || i < summary->drawn;
        const bool is_kept = is_drawn && !pm_sample__exclusion(&draw->words, function->name);
        size++;
        uses += value;
        squares += value * value;
        tried += is_drawn;
        tried_uses += is_drawn ? value : 0;
        taken_uses += is_kept ? value : 0;
        all += is_kept;
    }
    summary->eligible = tried > 0 ? size * all / tried : size;
    summary->uses = tried_uses > 0 ? uses * taken_uses / tried_uses : uses;
    const double mean = size > 0 ? uses / size : 0;
    summary->unevenness = mean > 0 ? squares / size / (mean * mean) - 1 : 0;
    if (summary->unevenness < 0)
        summary->unevenness = 0;
}

static void start(struct draw *draw)
{
    struct pm_sample *sample = draw->sample;
    *sample = (struct pm_sample){
        .framework = pm_strdup(draw->plan->framework),
        .seed = draw->plan->seed,
        .rule = draw->plan->rule,
        .top = draw->plan->top,
        .per_decile = draw->plan->per_decile,
        .ranked = draw->ranking->count,
    };
    pm_strata_percentiles(draw->ranking, sample->percentiles);
    pm_sample__strata_make(draw->ranking, draw->plan, &draw->words, sample->percentiles,
                           &draw->strata);
    const size_t count = draw->strata.count;
    sample->strata = pm_realloc_array(NULL, count, sizeof *sample->strata);
    sample->stratum_count = count;
    for (size_t s = 0; s < count; s++) {
        sample->strata[s] = draw->strata.items[s].summary;
        sample->strata[s].size = draw->strata.items[s].count;
    }
}

int pm_sample_draw(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                   struct pm_sample *out, struct pm_error *err)
{
    struct draw draw = {.ranking = ranking, .plan = plan, .sample = out};
    *out = (struct pm_sample){0};
    PM_TRY(pm_sample__words_make(ranking, plan, &draw.words, err));
    start(&draw);
    record_left_out(&draw);
    for (size_t s = 0; s < draw.strata.count; s++) {
        if (out->strata[s].certain)
            take_all(&draw, s);
        else
            draw_stratum(&draw, s);
        weigh(&draw, s);
    }
    pm_map_release(&draw.seen);
    pm_sample__strata_release(&draw.strata);
    pm_sample__words_release(&draw.words);
    return PM_OK;
}

void pm_sample_release(struct pm_sample *sample)
{
    for (size_t i = 0; i < sample->step_count; i++) {
        free(sample->steps[i].name);
        free(sample->steps[i].why);
        free(sample->steps[i].replaces);
    }
    for (size_t i = 0; i < sample->member_count; i++)
        free(sample->members[i].name);
    free(sample->steps);
    free(sample->members);
    free(sample->strata);
    free(sample->framework);
    *sample = (struct pm_sample){0};
}

/*
 * Draws many samples from functions whose outcomes are known, and compares each sample with the
 * truth:
 *
 *     sample_trials FRAMEWORK DRAWS RANKING OUTCOMES
 *
 * RANKING is a JSON object of names and numbers of uses. OUTCOMES has one line per function: its
 * name and "works" or "fails". A ranked function without a line is excluded from the draws like one
 * without a test, and another is drawn instead. The draws are those of `portmeter sample` with the
 * seeds 1 to DRAWS, the top 20 and 5 functions per decile.
 *
 * Writes a line for each of four shares. The shares of the paper's design are those of a sample's
 * working functions, with Wilson's interval, and of their uses, without an interval. Those of
 * disjoint strata are portmeter's estimates. The columns are separated by tabs: the share; the
 * truth, the mean of the draws (per cent); the bias with 1.96 standard errors, the standard
 * deviation (points); the 2.5th and the 97.5th percentile of the draws (per cent); the root mean
 * square error (points); the share of 95 % intervals that contain the truth (per cent), their mean
 * width (points); and the sizes of the samples.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "sample/estimate.h"
#include "sample/sample.h"

/* The results of all draws for one share. */
struct trials {
    const char *share;
    double truth;
    double *mids;
    size_t count;
    double covered, width; /* sums over the draws; width NaN: the share has no interval */
    size_t least, most;    /* members of the smallest and of the largest sample */
};

struct population {
    struct pm_ranking ranking;
    struct pm_map works; /* a pointer to `yes` or `no` for each function with an outcome */
    struct pm_exclusion *exclusions;
    size_t exclusion_count;
    double by_function, by_use; /* the true shares */
};

static bool yes = true, no = false;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "sample_trials: %s\n", what);
    exit(3);
}

static void read_outcomes(const char *path, struct pm_map *works)
{
    FILE *file = fopen(path, "r");
    char line[512], name[400], word[16];
    if (!file)
        fail("cannot read the outcomes");
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%399s %15s", name, word) != 2)
            fail("a line of the outcomes is not a name and a word");
        pm_map_put(works, name, strcmp(word, "works") ? &no : &yes);
    }
    fclose(file);
}

/* Reads both files, and computes the true shares of the ranked functions with an outcome. */
static void read_population(const char *ranking, const char *outcomes, struct population *p)
{
    struct pm_str text = {0};
    struct pm_error err = {0};
    double functions = 0, uses = 0, functions_work = 0, uses_work = 0;
    if (pm_file_read(ranking, &text, &err) ||
        pm_ranking_parse(text.data, text.length, &p->ranking, &err))
        fail(err.text);
    pm_str_release(&text);
    read_outcomes(outcomes, &p->works);
    p->exclusions = pm_alloc(p->ranking.count * sizeof *p->exclusions);
    for (size_t i = 0; i < p->ranking.count; i++) {
        const struct pm_ranked *item = &p->ranking.items[i];
        const bool *works = pm_map_get(&p->works, item->name);
        if (!works) {
            p->exclusions[p->exclusion_count++] =
                (struct pm_exclusion){.name = item->name, .criterion = PM_CRITERION_NO_TEST};
            continue;
        }
        functions++;
        uses += (double)item->uses;
        functions_work += *works;
        uses_work += *works * (double)item->uses;
    }
    if (functions == 0)
        fail("no ranked function has an outcome");
    p->by_function = functions_work / functions;
    p->by_use = uses_work / uses;
}

static void add_trial(struct trials *t, struct pm_interval share, size_t members)
{
    const double rounding = 1e-12;
    t->mids[t->count++] = share.mid;
    t->covered += share.low - rounding <= t->truth && t->truth <= share.high + rounding;
    t->width += share.high - share.low;
    t->least = t->count == 1 || members < t->least ? members : t->least;
    t->most = members > t->most ? members : t->most;
}

static bool works(const struct population *p, const struct pm_sample_member *member)
{
    return *(const bool *)pm_map_get(&p->works, member->name);
}

/* Adds the share of working functions, and that of their uses, of a sample of the paper's design.
 */
static void add_plain(const struct population *p, const struct pm_sample *sample,
                      struct trials trials[static 2])
{
    size_t working = 0;
    double uses = 0, working_uses = 0;
    for (size_t i = 0; i < sample->member_count; i++) {
        const struct pm_sample_member *member = &sample->members[i];
        working += works(p, member);
        uses += (double)member->uses;
        working_uses += works(p, member) * (double)member->uses;
    }
    const struct pm_interval by_use = {NAN, working_uses / uses, NAN};
    add_trial(&trials[0], pm_stat_wilson(working, sample->member_count), sample->member_count);
    add_trial(&trials[1], by_use, sample->member_count);
}

/* Adds portmeter's estimates from a sample of disjoint strata. */
static void add_estimates(const struct population *p, const struct pm_sample *sample,
                          struct trials trials[static 2])
{
    struct pm_estimate estimate;
    struct pm_error err = {0};
    enum pm_mark *marks = pm_alloc(sample->member_count * sizeof *marks);
    for (size_t i = 0; i < sample->member_count; i++)
        marks[i] = works(p, &sample->members[i]) ? PM_MARK_YES : PM_MARK_NO;
    if (pm_estimate_make(sample, marks, 0.05, &estimate, &err))
        fail(err.text);
    add_trial(&trials[0], estimate.by_function, sample->member_count);
    add_trial(&trials[1], estimate.by_use, sample->member_count);
    free(marks);
}

/* Draws one sample by each rule, and adds its shares to the four trials. */
static void draw(const struct population *p, const char *framework, uint64_t seed,
                 struct trials trials[static 4])
{
    struct pm_sample_plan plan = {.framework = framework,
                                  .seed = seed,
                                  .top = PM_SAMPLE_TOP,
                                  .per_decile = PM_SAMPLE_PER_DECILE,
                                  .exclusions = p->exclusions,
                                  .exclusion_count = p->exclusion_count,
                                  .no_tests_complete = true};
    for (int rule = 0; rule < PM_STRATA_COUNT; rule++) {
        struct pm_sample sample;
        struct pm_error err = {0};
        plan.rule = (enum pm_strata_rule)rule;
        if (pm_sample_draw(&p->ranking, &plan, &sample, &err))
            fail(err.text);
        if (rule == PM_STRATA_PAPER)
            add_plain(p, &sample, &trials[0]);
        else
            add_estimates(p, &sample, &trials[2]);
        pm_sample_release(&sample);
    }
}

static void print(const struct trials *t)
{
    const double n = (double)t->count, mean = pm_stat_mean(t->mids, t->count);
    const double bias = 100 * (mean - t->truth);
    double variance = 0, error = 0;
    for (size_t i = 0; i < t->count; i++) {
        variance += (t->mids[i] - mean) * (t->mids[i] - mean) / (n - 1);
        error += (t->mids[i] - t->truth) * (t->mids[i] - t->truth) / n;
    }
    printf("%s\t%.1f\t%.1f\t%+.1f ± %.1f\t%.1f\t%.1f to %.1f\t%.1f\t", t->share, 100 * t->truth,
           100 * mean, fabs(bias) < 0.05 ? 0.0 : bias, 196 * sqrt(variance / n),
           100 * sqrt(variance), 100 * pm_stat_quantile(t->mids, t->count, 0.025),
           100 * pm_stat_quantile(t->mids, t->count, 0.975), 100 * sqrt(error));
    if (isnan(t->width))
        printf("-\t-\t");
    else
        printf("%.1f\t%.1f\t", 100 * t->covered / n, 100 * t->width / n);
    if (t->least == t->most)
        printf("%zu\n", t->least);
    else
        printf("%zu to %zu\n", t->least, t->most);
}

int main(int argc, char **argv)
{
    struct population p = {0};
    const long draws = argc == 5 ? strtol(argv[2], NULL, 10) : 0;
    if (draws < 2)
        fail("usage: sample_trials FRAMEWORK DRAWS RANKING OUTCOMES, with at least 2 draws");
    read_population(argv[3], argv[4], &p);
    struct trials trials[] = {
        {.share = "paper's design, by function", .truth = p.by_function},
        {.share = "paper's design, by calls", .truth = p.by_use},
        {.share = "portmeter, by function", .truth = p.by_function},
        {.share = "portmeter, by calls", .truth = p.by_use},
    };
    for (size_t k = 0; k < 4; k++)
        trials[k].mids = pm_alloc((size_t)draws * sizeof *trials[k].mids);
    for (long seed = 1; seed <= draws; seed++)
        draw(&p, argv[1], (uint64_t)seed, trials);
    for (size_t k = 0; k < 4; k++) {
        print(&trials[k]);
        free(trials[k].mids);
    }
    free(p.exclusions);
    pm_map_release(&p.works);
    pm_ranking_release(&p.ranking);
    return 0;
}

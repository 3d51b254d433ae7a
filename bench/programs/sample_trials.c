/*
 * Draws many samples from functions whose outcomes are known, and compares each sample with the
 * truth:
 *
 *     sample_trials DRAWS RANKING OUTCOMES
 *
 * RANKING is a JSON object of names and numbers of uses. OUTCOMES has one line per function: its
 * name and "works" or "fails". A ranked function without a line is excluded from the draws like one
 * without a test, and another is drawn instead. The draws have the seeds 1 to DRAWS, the top 20 and
 * 5 functions per decile.
 *
 * Writes a line of tab-separated numbers for each of four shares. The shares of the paper's design
 * are those of a sample's working functions, with Wilson's intervals. They are compared with the
 * truth by function and by use. Those of disjoint strata are portmeter's estimates. The columns:
 * the share, the truth, the mean, the standard deviation, the 2.5th and the 97.5th percentile of
 * the draws, the root mean square error, the share of 95 % intervals that contain the truth, their
 * mean width, and the mean size of a sample. All but the first and the last are in per cent.
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
    double covered, width, members; /* sums over the draws */
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
    t->mids[t->count++] = share.mid;
    t->covered += share.low <= t->truth && t->truth <= share.high;
    t->width += share.high - share.low;
    t->members += (double)members;
}

/* Draws one sample by each rule, and adds its shares to the four trials. */
static void draw(const struct population *p, uint64_t seed, struct trials trials[static 4])
{
    for (int rule = 0; rule < PM_STRATA_COUNT; rule++) {
        const struct pm_sample_plan plan = {.framework = "any",
                                            .seed = seed,
                                            .rule = (enum pm_strata_rule)rule,
                                            .top = PM_SAMPLE_TOP,
                                            .per_decile = PM_SAMPLE_PER_DECILE,
                                            .exclusions = p->exclusions,
                                            .exclusion_count = p->exclusion_count,
                                            .no_tests_complete = true};
        struct pm_sample sample;
        struct pm_estimate estimate;
        struct pm_error err = {0};
        size_t works = 0;
        if (pm_sample_draw(&p->ranking, &plan, &sample, &err))
            fail(err.text);
        enum pm_mark *marks = pm_alloc(sample.member_count * sizeof *marks);
        for (size_t i = 0; i < sample.member_count; i++) {
            const bool *work = pm_map_get(&p->works, sample.members[i].name);
            marks[i] = *work ? PM_MARK_YES : PM_MARK_NO;
            works += *work;
        }
        if (rule == PM_STRATA_PAPER) {
            const struct pm_interval share = pm_stat_wilson(works, sample.member_count);
            add_trial(&trials[0], share, sample.member_count);
            add_trial(&trials[1], share, sample.member_count);
        } else {
            if (pm_estimate_make(&sample, marks, 0.05, &estimate, &err))
                fail(err.text);
            add_trial(&trials[2], estimate.by_function, sample.member_count);
            add_trial(&trials[3], estimate.by_use, sample.member_count);
        }
        free(marks);
        pm_sample_release(&sample);
    }
}

static void print(const struct trials *t)
{
    const double n = (double)t->count, mean = pm_stat_mean(t->mids, t->count);
    double variance = 0, error = 0;
    for (size_t i = 0; i < t->count; i++) {
        variance += (t->mids[i] - mean) * (t->mids[i] - mean) / (n - 1);
        error += (t->mids[i] - t->truth) * (t->mids[i] - t->truth) / n;
    }
    printf("%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\n", t->share, 100 * t->truth,
           100 * mean, 100 * sqrt(variance), 100 * pm_stat_quantile(t->mids, t->count, 0.025),
           100 * pm_stat_quantile(t->mids, t->count, 0.975), 100 * sqrt(error),
           100 * t->covered / n, 100 * t->width / n, t->members / n);
}

int main(int argc, char **argv)
{
    struct population p = {0};
    const long draws = argc == 4 ? strtol(argv[1], NULL, 10) : 0;
    if (draws < 2)
        fail("usage: sample_trials DRAWS RANKING OUTCOMES, with at least 2 draws");
    read_population(argv[2], argv[3], &p);
    struct trials trials[] = {
        {.share = "paper, by function", .truth = p.by_function},
        {.share = "paper, by use", .truth = p.by_use},
        {.share = "disjoint, by function", .truth = p.by_function},
        {.share = "disjoint, by use", .truth = p.by_use},
    };
    for (size_t k = 0; k < 4; k++)
        trials[k].mids = pm_alloc((size_t)draws * sizeof *trials[k].mids);
    for (long seed = 1; seed <= draws; seed++)
        draw(&p, (uint64_t)seed, trials);
    for (size_t k = 0; k < 4; k++) {
        print(&trials[k]);
        free(trials[k].mids);
    }
    free(p.exclusions);
    pm_map_release(&p.works);
    pm_ranking_release(&p.ranking);
    return 0;
}

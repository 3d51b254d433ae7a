/*
 * Tests of estimates: known values, and by simulation the coverage and width of the intervals,
 * compared with a plain normal interval and a cluster bootstrap.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "sample/estimate.h"
#include "sample/sample_private.h"

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.12g for %.12g", got, want);
}

/* ------------------------------------------------------------------------ made-up samples --- */

static struct pm_sample_stratum strata[] = {
    {.name = "top 2", .certain = true, .size = 2, .eligible = 2, .uses = 300, .taken = 2},
    {.name = "10-50", .size = 40, .eligible = 40, .uses = 80, .taken = 4, .unevenness = 0.25},
    {.name = "60-100", .size = 60, .eligible = 60, .uses = 620, .taken = 2, .unevenness = 1},
};
static struct pm_sample_member members[] = {
    {.uses = 200, .stratum = 0}, {.uses = 100, .stratum = 0}, {.uses = 1, .stratum = 1},
    {.uses = 1, .stratum = 1},   {.uses = 3, .stratum = 1},   {.uses = 3, .stratum = 1},
    {.uses = 10, .stratum = 2},  {.uses = 30, .stratum = 2},
};
static struct pm_sample made_up(void)
{
    return (struct pm_sample){
        .rule = PM_STRATA_DISJOINT,
        .strata = strata,
        .stratum_count = 3,
        .members = members,
        .member_count = 8,
    };
}
#define Y PM_MARK_YES
#define N PM_MARK_NO
#define U PM_MARK_NONE

/* Computed by hand: 2 of 102 functions are certain. The shares in the other strata are 3/4 and 1/2
 * by function, and 7/8 and 3/4 by use. */
static void test_weights(void **state)
{
    (void)state;
    const struct pm_sample sample = made_up();
    const enum pm_mark marks[] = {Y, N, Y, N, Y, Y, N, Y};
    struct pm_estimate got;
    assert_int_equal(pm_estimate_make(&sample, marks, 0.05, &got, NULL), PM_OK);
    assert_near(got.by_function.mid, (1 + 40 * 0.75 + 60 * 0.5) / 102, 1e-15);
    assert_near(got.by_use.mid, (200 + 80 * 0.875 + 620 * 0.75) / 1000, 1e-15);
    assert_int_equal(got.marked, 8);
    assert_true(got.unknown_functions == 0 && got.unknown_uses == 0);
    /* The effective number of functions is n = 100^2 / (40^2 0.9 / 4 + 60^2 (29/30) / 2), and the
     * share is 0.6. */
    const double n = 10000 / (1600 * 0.9 / 4 + 3600 * (29.0 / 30) / 2);
    assert_near(got.by_function.low,
                (1 + 100 * pm_stat_beta_inverse(0.6 * n, 0.4 * n + 1, 0.025)) / 102, 1e-12);
    assert_near(got.by_function.high,
                (1 + 100 * pm_stat_beta_inverse(0.6 * n + 1, 0.4 * n, 0.975)) / 102, 1e-12);
    const double m = 700.0 * 700 / (6400 * 0.9 / 4 * 1.25 + 384400 * (29.0 / 30) / 2 * 2);
    const double share = (80 * 0.875 + 620 * 0.75) / 700;
    /* The lower bound cannot be below the uses of the members marked Y, 200 + (1 + 3 + 3) + 30 of
     * 1,000. The members marked N limit the upper bound in the same way. */
    assert_near(got.by_use.low, (200 + 7 + 30) / 1000.0, 1e-12);
    assert_near(got.by_use.high, 1 - (100 + 1 + 10) / 1000.0, 1e-12);
    assert_int_equal(pm_estimate_make(&sample, marks, 0.8, &got, NULL), PM_OK);
    assert_near(got.by_use.low,
                (200 + 700 * pm_stat_beta_inverse(share * m, m - share * m + 1, 0.4)) / 1000,
                1e-12);
    assert_near(got.by_use.high,
                (200 + 700 * pm_stat_beta_inverse(share * m + 1, m - share * m, 0.6)) / 1000,
                1e-12);
}

static void test_unknown(void **state)
{
    (void)state;
    const struct pm_sample sample = made_up();
    struct pm_estimate got;
    const enum pm_mark none[8] = {U, U, U, U, U, U, U, U};
    assert_int_equal(pm_estimate_make(&sample, none, 0.05, &got, NULL), PM_OK);
    assert_true(isnan(got.by_function.mid) && got.by_use.low == 0 && got.by_use.high == 1);
    assert_true(got.unknown_functions == 1 && got.marked == 0);
    /* The marks of the last stratum, 60 of 102 functions, are unknown. */
    const enum pm_mark some[8] = {Y, Y, Y, Y, Y, Y, U, U};
    assert_int_equal(pm_estimate_make(&sample, some, 0.05, &got, NULL), PM_OK);
    assert_near(got.unknown_functions, 60.0 / 102, 1e-15);
    assert_near(got.unknown_uses, 0.62, 1e-15);
    assert_true(got.by_function.mid == 1 && got.by_function.high == 1);
    assert_true(got.by_function.low < 42.0 / 102);
    struct pm_sample paper = made_up();
    struct pm_error err;
    paper.rule = PM_STRATA_PAPER;
    assert_int_equal(pm_estimate_make(&paper, some, 0.05, &got, &err), PM_EUSAGE);
    assert_non_null(strstr(err.text, "overlap"));
}

/* If all functions of a stratum are marked, its share has no uncertainty. If one is not, the marked
 * functions still limit the share. */
static void test_whole(void **state)
{
    (void)state;
    struct pm_sample_stratum whole = {.size = 4, .eligible = 4, .uses = 10, .taken = 4};
    struct pm_sample_member four[4] = {{.uses = 1}, {.uses = 2}, {.uses = 3}, {.uses = 4}};
    const struct pm_sample sample = {
        .strata = &whole, .stratum_count = 1, .members = four, .member_count = 4};
    const enum pm_mark marks[4] = {Y, N, N, Y}, three[4] = {Y, N, N, U};
    struct pm_estimate got;
    assert_int_equal(pm_estimate_make(&sample, marks, 0.05, &got, NULL), PM_OK);
    assert_true(got.by_function.low == 0.5 && got.by_function.high == 0.5);
    assert_true(got.by_use.low == 0.5 && got.by_use.high == 0.5);
    assert_int_equal(pm_estimate_make(&sample, three, 0.05, &got, NULL), PM_OK);
    assert_true(got.by_function.low >= 0.25 && got.by_function.high <= 0.5);
}

/* 3.2 * 3 / 3 is more than 3.2 in floating point, but the share must not exceed 1. */
static void test_rounding(void **state)
{
    (void)state;
    struct pm_sample_stratum open = {.size = 4, .eligible = 3.2, .uses = 9.6, .taken = 3};
    struct pm_sample_member three[3] = {{.uses = 1}, {.uses = 1}, {.uses = 1}};
    const struct pm_sample sample = {
        .strata = &open, .stratum_count = 1, .members = three, .member_count = 3};
    const enum pm_mark marks[3] = {Y, Y, Y};
    struct pm_estimate got;
    assert_int_equal(pm_estimate_make(&sample, marks, 0.05, &got, NULL), PM_OK);
    assert_true(got.by_function.mid <= 1 && got.by_function.mid >= got.by_function.low);
    assert_true(got.by_function.high <= 1 && got.by_function.mid <= got.by_function.high);
}

/* --------------------------------------------------------------------------- simulation --- */

/*
 * The sizes and percentiles of one of the three rankings of the paper, and the uses of its 20th and
 * first function; the uses between them are interpolated geometrically.
 */
struct shape {
    const char *name;
    size_t functions;
    double percentiles[PM_DECILES], twentieth, first;
};
static const struct shape shapes[] = {
    {"jax", 425, {1, 1, 1, 3, 4, 7, 14.4, 31, 67.8, 178.2}, 491, 3813},
    {"pytorch", 1078, {1, 1, 2, 3, 5, 9, 16.2, 33, 77.6, 259.1}, 1367, 4986},
    {"tensorflow", 1455, {1, 1, 2, 4, 6, 9, 17, 32, 68, 193.6}, 1295, 6807},
};
/* Under sanitizers, which look for other faults, there are fewer draws and so a wider bound. */
#ifdef UNIT_SANITIZED
enum { DRAWS = 100, RIVAL_DRAWS = 25 };
static const double LEAST_COVERAGE = 0.85;
#else
enum { DRAWS = 2000, RIVAL_DRAWS = 500 };
static const double LEAST_COVERAGE = 0.94;
#endif
enum { SHAPES = sizeof shapes / sizeof *shapes, RESAMPLES = 100 };

/* Failure rates of the paper's tables 1 and 4, from the least to the largest. */
static const double rates[] = {0.02, 0.04, 0.10, 0.22, 0.30, 0.44};
enum { RATES = sizeof rates / sizeof *rates };

/* Failures are distributed evenly, or up to twice as often among rare or common functions. */
enum lie { EVENLY, AMONG_RARE, AMONG_COMMON, LIES };
static const char *const lie_names[] = {"evenly", "among rare", "among common"};

static double between(double low, double high, double share)
{
    return low * pow(high / low, share);
}

static uint64_t uses_at(const struct shape *shape, size_t rank) /* from 0, the most used */
{
    const double from_below = (double)(shape->functions - 1 - rank);
    const double decile = from_below / (double)(shape->functions - 1) * PM_DECILES;
    const size_t k = (size_t)decile;
    const double last = 0.1 * (double)shape->functions;
    double uses;
    if (rank < PM_SAMPLE_TOP)
        uses = between(shape->first, shape->twentieth, (double)rank / (PM_SAMPLE_TOP - 1));
    else if (k >= PM_DECILES - 1)
        uses = between(shape->percentiles[PM_DECILES - 1], shape->twentieth,
                       (last - (double)rank) / (last - (PM_SAMPLE_TOP - 1)));
    else
        uses = between(shape->percentiles[k], shape->percentiles[k + 1], decile - (double)k);
    return (uint64_t)(uses + 0.5);
}

struct rival {
    double covered[2], width[2];
};
struct truth {
    bool *fails;     /* for each function, by rank */
    double share[2]; /* by function, by use */
};

static void tell(struct rival *rival, unsigned what, struct pm_interval got, double truth)
{
    const double slack = 1e-12;
    rival->covered[what] += got.low <= truth + slack && truth <= got.high + slack;
    rival->width[what] += got.high - got.low;
}

/* The shares that one sample estimates, and their plain variances; by function and by use. */
struct plain {
    double share[2], variance[2];
};

static struct plain estimate_plainly(const struct pm_sample *sample, const bool *fails,
                                     struct pm_random *resample)
{
    struct plain plain = {{0}};
    double functions = 0, uses = 0;
    size_t first = 0;
    for (size_t s = 0; s < sample->stratum_count; s++) {
        const struct pm_sample_stratum *stratum = &sample->strata[s];
        const size_t n = stratum->taken;
        double yes = 0, yes_uses = 0, all_uses = 0;
        for (size_t i = 0; i < n; i++) {
            const size_t at =
                resample && !stratum->certain ? (size_t)pm_random_below(resample, n) : i;
            const struct pm_sample_member *member = &sample->members[first + at];
            const bool hit = fails[member->rank - 1];
            yes += hit;
            yes_uses += hit ? (double)member->uses : 0;
            all_uses += (double)member->uses;
        }
        first += n;
        const double open = stratum->certain ? 0 : 1 - (double)n / stratum->eligible;
        const double p = yes / (double)n, q = yes_uses / all_uses;
        const double f = stratum->eligible, u = stratum->uses;
        functions += f;
        uses += u;
        plain.share[0] += f * p;
        plain.share[1] += u * q;
        if (n > 1) {
            plain.variance[0] += f * f * open * p * (1 - p) / (double)(n - 1);
            plain.variance[1] +=
                u * u * open * q * (1 - q) * (1 + stratum->unevenness) / (double)(n - 1);
        }
    }
    plain.share[0] /= functions;
    plain.share[1] /= uses;
    plain.variance[0] /= functions * functions;
    plain.variance[1] /= uses * uses;
    return plain;
}

static void try_normal(const struct pm_sample *sample, const struct truth *truth,
                       struct rival *rival)
{
    const struct plain plain = estimate_plainly(sample, truth->fails, NULL);
    for (unsigned what = 0; what < 2; what++) {
        const double half = 1.959963984540054 * sqrt(plain.variance[what]);
        tell(rival, what,
             (struct pm_interval){plain.share[what] - half, plain.share[what],
                                  plain.share[what] + half},
             truth->share[what]);
    }
}

/* Makes a bootstrap interval: functions are the clusters, drawn again within their strata. */
static void try_bootstrap(const struct pm_sample *sample, const struct truth *truth,
                          struct pm_random *random, struct rival *rival)
{
    double shares[2][RESAMPLES];
    for (size_t r = 0; r < RESAMPLES; r++) {
        const struct plain plain = estimate_plainly(sample, truth->fails, random);
        shares[0][r] = plain.share[0];
        shares[1][r] = plain.share[1];
    }
    for (unsigned what = 0; what < 2; what++)
        tell(rival, what,
             (struct pm_interval){pm_stat_quantile(shares[what], RESAMPLES, 0.025), 0,
                                  pm_stat_quantile(shares[what], RESAMPLES, 0.975)},
             truth->share[what]);
}

static void try_ours(const struct pm_sample *sample, const struct truth *truth, struct rival *rival)
{
    enum pm_mark *marks = pm_realloc_array(NULL, sample->member_count, sizeof *marks);
    struct pm_estimate got;
    for (size_t i = 0; i < sample->member_count; i++)
        marks[i] = truth->fails[sample->members[i].rank - 1] ? PM_MARK_YES : PM_MARK_NO;
    assert_int_equal(pm_estimate_make(sample, marks, 0.05, &got, NULL), PM_OK);
    tell(rival, 0, got.by_function, truth->share[0]);
    tell(rival, 1, got.by_use, truth->share[1]);
    free(marks);
}

static struct truth make_truth(const struct pm_ranking *ranking, double rate, enum lie lie,
                               const bool *can, struct pm_random *random)
{
    const double n = (double)ranking->count;
    bool *fails = pm_alloc(ranking->count);
    double failing = 0, failing_uses = 0, functions = 0, uses = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        const double place = ((double)i + 0.5) / n; /* 0: common, 1: rare */
        const double factor = lie == EVENLY ? 1 : 2 * (lie == AMONG_RARE ? place : 1 - place);
        const double value = (double)ranking->items[i].uses;
        fails[i] = pm_random_real(random) < rate * factor;
        if (!can[i])
            continue;
        functions++;
        uses += value;
        failing += fails[i];
        failing_uses += fails[i] ? value : 0;
    }
    return (struct truth){fails, {failing / functions, failing_uses / uses}};
}

struct paper {
    struct pm_ranking ranking;
    bool *can; /* whether each function can be measured */
    struct pm_sample *samples;
    bool with_rivals;
};

/* Ranks a made-up framework in which the share `untestable` cannot be measured, and draws DRAWS
 * samples. */
static void make_paper(const struct shape *shape, double untestable, struct paper *out)
{
    struct pm_random random;
    *out = (struct paper){.can = pm_alloc(shape->functions),
                          .with_rivals = getenv("UNIT_RIVALS") && untestable == 0};
    pm_random_init(&random, shape->name, 1);
    for (size_t i = 0; i < shape->functions; i++) {
        char *name = pm_format("%s.f%04zu", shape->name, i);
        pm_ranking_add(&out->ranking, name, uses_at(shape, i));
        free(name);
    }
    assert_int_equal(pm_ranking_close(&out->ranking, NULL), PM_OK);
    struct pm_exclusion *exclusions = pm_realloc_array(NULL, shape->functions, sizeof *exclusions);
    size_t excluded = 0;
    for (size_t i = 0; i < shape->functions; i++) {
        out->can[i] = pm_random_real(&random) >= untestable;
        if (!out->can[i])
            exclusions[excluded++] = (struct pm_exclusion){.name = out->ranking.items[i].name};
    }
    struct pm_sample_plan plan = {
        .framework = shape->name,
        .top = PM_SAMPLE_TOP,
        .per_decile = PM_SAMPLE_PER_DECILE,
        .exclusions = exclusions,
        .exclusion_count = excluded,
    };
    out->samples = pm_realloc_array(NULL, DRAWS, sizeof *out->samples);
    for (; plan.seed < DRAWS; plan.seed++)
        assert_int_equal(pm_sample_draw(&out->ranking, &plan, &out->samples[plan.seed], NULL),
                         PM_OK);
    free(exclusions);
}

static void release_paper(struct paper *paper)
{
    for (size_t i = 0; i < DRAWS; i++)
        pm_sample_release(&paper->samples[i]);
    free(paper->samples);
    free(paper->can);
    pm_ranking_release(&paper->ranking);
}

enum { OURS, NORMAL, BOOTSTRAP, RIVALS };

static void print_row(const struct rival rivals[static RIVALS], const struct truth *truth,
                      unsigned what, bool with_rivals)
{
    printf("%-11s truth %5.1f %%  ours covers %5.1f %% wide %4.1f", what ? "by use" : "by function",
           100 * truth->share[what], 100 * rivals[OURS].covered[what] / DRAWS,
           100 * rivals[OURS].width[what] / DRAWS);
    if (with_rivals)
        printf("  normal %5.1f %% wide %4.1f  bootstrap %5.1f %% wide %4.1f",
               100 * rivals[NORMAL].covered[what] / RIVAL_DRAWS,
               100 * rivals[NORMAL].width[what] / RIVAL_DRAWS,
               100 * rivals[BOOTSTRAP].covered[what] / RIVAL_DRAWS,
               100 * rivals[BOOTSTRAP].width[what] / RIVAL_DRAWS);
    printf("\n");
}

/* With UNIT_RIVALS in the environment, the normal interval and the bootstrap are also tried, with
 * evenly distributed failures, for which they are best. Nothing is asserted about them. */
static void try_one(const struct paper *paper, const char *name, double rate, enum lie lie,
                    struct pm_random *random, double *least)
{
    const bool with_rivals = lie == EVENLY && paper->with_rivals;
    struct pm_random resample; /* separate, so that the truths are the same without rivals */
    struct rival rivals[RIVALS] = {{{0}}};
    pm_random_init(&resample, name, 2);
    const struct truth truth = make_truth(&paper->ranking, rate, lie, paper->can, random);
    for (size_t i = 0; i < DRAWS; i++) {
        try_ours(&paper->samples[i], &truth, &rivals[OURS]);
        if (!with_rivals || i >= RIVAL_DRAWS)
            continue;
        try_normal(&paper->samples[i], &truth, &rivals[NORMAL]);
        try_bootstrap(&paper->samples[i], &truth, &resample, &rivals[BOOTSTRAP]);
    }
    for (unsigned what = 0; what < 2; what++) {
        printf("%-10s %2.0f %% %-12s ", name, 100 * rate, lie_names[lie]);
        print_row(rivals, &truth, what, with_rivals);
        *least = fmin(*least, rivals[OURS].covered[what] / DRAWS);
    }
    free(truth.fails);
}

static void simulate(double untestable)
{
    double least = 1;
    for (size_t s = 0; s < SHAPES; s++) {
        struct pm_random random;
        struct paper paper;
        make_paper(&shapes[s], untestable, &paper);
        pm_random_init(&random, "truth", s);
        for (size_t r = 0; r < RATES; r++)
            for (enum lie lie = EVENLY; lie < LIES; lie++)
                try_one(&paper, shapes[s].name, rates[r], lie, &random, &least);
        release_paper(&paper);
    }
    printf("least coverage %.1f %% of %d draws\n", 100 * least, DRAWS);
    assert_true(least >= LEAST_COVERAGE);
}

static void test_coverage(void **state)
{
    (void)state;
    simulate(0);
}

/* As in the paper, a fifth of the drawn functions have to be replaced. */
static void test_coverage_with_replacements(void **state)
{
    (void)state;
    simulate(0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),  cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_whole),    cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_coverage_with_replacements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of ranking, of strata by both rules, and of draws. test_sample_trail.c tests the trail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "sample/sample.h"
#include "samples.h"

#define PAPER PM_SOURCE_ROOT "/../shared/study/frequencies/"

static struct pm_ranking parse(const char *text)
{
    struct pm_ranking ranking;
    struct pm_error err = {""};
    if (pm_ranking_parse(text, strlen(text), &ranking, &err))
        fail_msg("%s", err.text);
    return ranking;
}

static const struct pm_sample_step *find_step(const struct pm_sample *sample,
                                              enum pm_step_kind kind, const char *name)
{
    for (size_t i = 0; i < sample->step_count; i++)
        if (sample->steps[i].kind == kind && !strcmp(sample->steps[i].name, name))
            return &sample->steps[i];
    return NULL;
}

static size_t count_steps(const struct pm_sample *sample, enum pm_step_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->step_count; i++)
        count += sample->steps[i].kind == kind;
    return count;
}

static const struct pm_sample_member *find_member(const struct pm_sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->member_count; i++)
        if (!strcmp(sample->members[i].name, name))
            return &sample->members[i];
    return NULL;
}

static const struct pm_sample_stratum *find_stratum(const struct pm_sample *sample,
                                                    const char *name)
{
    for (size_t s = 0; s < sample->stratum_count; s++)
        if (!strcmp(sample->strata[s].name, name))
            return &sample->strata[s];
    fail_msg("no stratum '%s'", name);
    return NULL;
}

/* ------------------------------------------------------------------------------- ranking --- */

static void test_ranking(void **state)
{
    (void)state;
    struct pm_ranking ranking = parse("{\"b\": 3, \"c\": 9, \"a\": 3}");
    assert_int_equal(ranking.count, 3);
    assert_string_equal(ranking.items[0].name, "c");
    assert_string_equal(ranking.items[1].name, "a");
    assert_string_equal(ranking.items[2].name, "b");
    assert_int_equal(pm_ranking_drop_unused(&ranking), 0);
    pm_ranking_release(&ranking);
    ranking = parse("{\"b\": 0, \"c\": 9, \"a\": 0}");
    assert_int_equal(pm_ranking_drop_unused(&ranking), 2);
    assert_int_equal(ranking.count, 1);
    assert_string_equal(ranking.items[0].name, "c");
    pm_ranking_release(&ranking);
    static const char *const bad[][2] = {
        {"{}", "the ranking is empty: name at least one function"},
        {"[1]", "not a JSON object of names and counts"},
        {"{\"a\": -1}", "the frequency of 'a' is not a whole number of 0 or more"},
        {"{\"a\": 1.5}", "the frequency of 'a' is not a whole number of 0 or more"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pm_error err;
        assert_int_equal(pm_ranking_parse(bad[i][0], strlen(bad[i][0]), &ranking, &err),
                         PM_EFORMAT);
        assert_non_null(strstr(err.text, bad[i][1]));
    }
    struct pm_ranking twice = {0};
    pm_ranking_add(&twice, "a", 1);
    pm_ranking_add(&twice, "a", 2);
    assert_int_equal(pm_ranking_close(&twice, NULL), PM_EFORMAT);
    pm_ranking_release(&twice);
}

/* -------------------------------------------------------------------------------- strata --- */

/* Wanted values: numpy.percentile of the same numbers, to the last bit. */
static void test_percentiles(void **state)
{
    (void)state;
    static const double want[PM_DECILES + 1] = {
        0, 6.2, 16, 23.599999999999998, 35, 50, 65.6, 68, 72.8, 81.6, 96};
    struct pm_ranking ranking = {0};
    double got[PM_DECILES + 1];
    for (size_t i = 0; i < 37; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%zu", i);
        pm_ranking_add(&ranking, name, i * i * 7 / 5 % 97);
    }
    assert_int_equal(pm_ranking_close(&ranking, NULL), PM_OK);
    pm_strata_percentiles(&ranking, got);
    for (size_t k = 0; k <= PM_DECILES; k++)
        if (got[k] != want[k])
            fail_msg("p(%zu) is %.17g for %.17g", 10 * k, got[k], want[k]);
    pm_ranking_release(&ranking);
}

/* 30 of 60 functions are used once, so that p(0) to p(40) are 1: one stratum of four deciles. */
static void test_disjoint_strata(void **state)
{
    (void)state;
    struct pm_ranking ranking = {0};
    for (size_t i = 0; i < 60; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%02zu", i);
        pm_ranking_add(&ranking, name, i < 30 ? 1 : 2 * i);
    }
    assert_int_equal(pm_ranking_close(&ranking, NULL), PM_OK);
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 1);
    plan.top = 3;
    plan.per_decile = 2;
    struct pm_sample sample = draw(&ranking, &plan);
    const struct pm_sample_stratum *lowest = find_stratum(&sample, "10-40");
    assert_true(lowest->size == 30 && lowest->wanted == 8 && lowest->taken == 8);
    assert_true(lowest->low == 1 && lowest->high == 1);
    size_t size = 0;
    for (size_t s = 0; s < sample.stratum_count; s++)
        size += sample.strata[s].size;
    assert_int_equal(size, 60);
    assert_int_equal(find_stratum(&sample, "top 3")->taken, 3);
    /* p(50) is between 1 and 60, where no function is, so the stratum extends to p(60) */
    assert_int_equal(find_stratum(&sample, "50-60")->wanted, 4);
    for (size_t i = 0; i < sample.member_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(sample.members[i].name, sample.members[j].name);
    pm_sample_release(&sample);
    pm_ranking_release(&ranking);
}

/* ---------------------------------------------------------------------------------- draw --- */

static void test_same_seed_same_sample(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(400);
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 7);
    struct pm_sample a = draw(&ranking, &plan), b = draw(&ranking, &plan);
    plan.seed = 8;
    struct pm_sample c = draw(&ranking, &plan);
    char *texts[] = {explain(&a), explain(&b), explain(&c)};
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    assert_int_equal(a.member_count, 70);
    for (size_t i = 0; i < 3; i++)
        free(texts[i]);
    pm_sample_release(&a);
    pm_sample_release(&b);
    pm_sample_release(&c);
    pm_ranking_release(&ranking);
}

/* Each function of a stratum of 40, of which 5 are drawn, must be drawn in about one draw of eight.
 */
static void test_draws_are_even(void **state)
{
    (void)state;
    enum { SEEDS = 4000 };
    struct pm_ranking ranking = made_up(400);
    unsigned drawn[400] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, seed);
        struct pm_sample sample = draw(&ranking, &plan);
        for (size_t i = 0; i < sample.member_count; i++)
            drawn[sample.members[i].rank - 1]++;
        pm_sample_release(&sample);
    }
    const double mean = SEEDS / 8.0, deviation = sqrt(SEEDS / 8.0 * 7 / 8);
    double squares = 0;
    for (size_t i = 0; i < 400; i++) {
        if (i < 20)
            assert_int_equal(drawn[i], SEEDS);
        else if (i >= 40)
            squares += pow((drawn[i] - mean) / deviation, 2);
    }
    /* expected: 9 strata x 39 degrees of freedom x 40/39 = 360; standard deviation: 27 */
    assert_true(squares > 240 && squares < 480);
    pm_ranking_release(&ranking);
}

/* In the paper a drawn function that is also in the top 20 is removed: its JAX sample lost four. */
static void test_overlap_is_removed(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(400);
    size_t overlaps = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct pm_sample_plan plan = plan_of(PM_STRATA_PAPER, seed);
        struct pm_sample sample = draw(&ranking, &plan);
        const size_t removed = count_steps(&sample, PM_STEP_OVERLAP);
        const struct pm_sample_stratum *last = find_stratum(&sample, "100");
        assert_int_equal(last->drawn, 5);
        assert_int_equal(last->taken, 5 - removed);
        assert_int_equal(sample.member_count, 70 - removed);
        overlaps += removed;
        pm_sample_release(&sample);
    }
    assert_true(overlaps > 20 && overlaps < 80); /* half of the decile's 40 are the top 20 */
    pm_ranking_release(&ranking);
}

/* Deciles overlap: if a function of a lower decile is drawn again, it is replaced. */
static void test_drawn_twice(void **state)
{
    (void)state;
    struct pm_ranking ranking = {0};
    for (size_t i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%02zu", i);
        pm_ranking_add(&ranking, name, i < 12 ? 1 : i);
    }
    assert_int_equal(pm_ranking_close(&ranking, NULL), PM_OK);
    struct pm_sample_plan plan = plan_of(PM_STRATA_PAPER, 3);
    plan.top = 4;
    struct pm_sample sample = draw(&ranking, &plan);
    assert_true(count_steps(&sample, PM_STEP_AGAIN) > 0);
    for (size_t i = 0; i < sample.member_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(sample.members[i].name, sample.members[j].name);
    /* 12 functions of 1 use cannot give 5 each to three deciles */
    assert_true(count_steps(&sample, PM_STEP_EXHAUSTED) >= 3);
    pm_sample_release(&sample);
    pm_ranking_release(&ranking);
}

static void test_replacement(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(400);
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 7);
    struct pm_sample before = draw(&ranking, &plan);
    const struct pm_sample_stratum *third = find_stratum(&before, "30");
    const size_t stratum = (size_t)(third - before.strata);
    const char *name = NULL;
    for (size_t i = 0; i < before.member_count && !name; i++)
        if (before.members[i].stratum == stratum)
            name = before.members[i].name;
    const struct pm_exclusion exclusions[] = {
        {name, PM_CRITERION_ONLY_ERRORS, "raises in every test"},
        {"f399", PM_CRITERION_ABSENT, NULL},
    };
    plan.exclusions = exclusions;
    plan.exclusion_count = 2;
    struct pm_sample after = draw(&ranking, &plan);
    const struct pm_sample_step *step = find_step(&after, PM_STEP_EXCLUDED, name);
    assert_non_null(step);
    assert_int_equal(step->criterion, PM_CRITERION_ONLY_ERRORS);
    assert_string_equal(step->why, "raises in every test");
    assert_int_equal(count_steps(&after, PM_STEP_REPLACEMENT), 1);
    size_t found = 0;
    for (size_t i = 0; i < after.member_count; i++)
        found += find_member(&before, after.members[i].name) != NULL;
    assert_int_equal(found, 68);              /* all but f399 and the replaced one */
    assert_int_equal(after.member_count, 69); /* f399, of the top, is not replaced */
    third = &after.strata[stratum];
    assert_true(third->wanted == 5 && third->drawn == 6 && third->taken == 5);
    assert_true(fabs(third->eligible - (double)third->size * 5 / 6) < 1e-12);
    assert_true(after.strata[0].eligible == 19);
    for (size_t i = 0; i < after.step_count; i++)
        if (after.steps[i].kind == PM_STEP_REPLACEMENT) {
            assert_string_equal(after.steps[i].replaces, name);
            assert_int_equal(find_member(&after, after.steps[i].name)->stratum, stratum);
        }
    pm_sample_release(&before);
    pm_sample_release(&after);
    pm_ranking_release(&ranking);
}

/* If the absences of all functions are known, the number of eligible functions is not estimated. */
static void test_absences_known(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(400);
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 7);
    struct pm_exclusion exclusions[10];
    static char names[10][8];
    for (size_t i = 0; i < 10; i++) { /* f000 to f009 are in the lowest decile */
        snprintf(names[i], sizeof names[i], "f%03zu", i);
        exclusions[i] = (struct pm_exclusion){names[i], PM_CRITERION_ABSENT, NULL};
    }
    plan.exclusions = exclusions;
    plan.exclusion_count = 10;
    plan.absences_complete = true;
    struct pm_sample sample = draw(&ranking, &plan);
    const struct pm_sample_stratum *lowest = find_stratum(&sample, "10");
    assert_true(lowest->size == 40 && lowest->eligible == 30 && lowest->taken == 5);
    assert_true(lowest->uses == (11 + 40) * 30 / 2.0);
    pm_sample_release(&sample);
    for (size_t i = 0; i < 10; i++)
        exclusions[i].criterion = PM_CRITERION_NO_TEST;
    sample = draw(&ranking, &plan); /* a list of all absences says nothing about tests */
    assert_true(find_stratum(&sample, "10")->eligible > 30);
    pm_sample_release(&sample);
    plan.no_tests_complete = true;
    sample = draw(&ranking, &plan);
    lowest = find_stratum(&sample, "10");
    assert_true(lowest->eligible == 30 && lowest->uses == (11 + 40) * 30 / 2.0);
    pm_sample_release(&sample);
    pm_ranking_release(&ranking);
}

static void test_choices(void **state)
{
    (void)state;
    struct pm_ranking ranking = made_up(400);
    struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 7);
    const struct pm_choice choices[] = {
        {"f000", true, "our own code calls it"},
        {"f398", true, "is in the top anyway"},
        {"f001", false, "asks for a password"},
        {"f399", false, "prints"},
    };
    plan.choices = choices;
    plan.choice_count = 4;
    struct pm_sample sample = draw(&ranking, &plan);
    const struct pm_sample_member *pinned = find_member(&sample, "f000");
    assert_string_equal(sample.strata[pinned->stratum].name, "pinned");
    assert_string_equal(find_step(&sample, PM_STEP_PINNED, "f000")->why, "our own code calls it");
    assert_non_null(find_step(&sample, PM_STEP_PINNED, "f398"));
    assert_non_null(find_step(&sample, PM_STEP_LEFT_OUT, "f001"));
    assert_non_null(find_step(&sample, PM_STEP_LEFT_OUT, "f399"));
    assert_null(find_member(&sample, "f399"));
    assert_true(find_stratum(&sample, "top 20")->eligible == 19);
    assert_int_equal(find_stratum(&sample, "10")->size, 38);
    pm_sample_release(&sample);
    plan.rule = PM_STRATA_PAPER; /* the top is a part of the last decile, whatever is excluded */
    sample = draw(&ranking, &plan);
    assert_int_equal(find_stratum(&sample, "100")->size, 40);
    assert_int_equal(find_stratum(&sample, "10")->size, 38);
    pm_sample_release(&sample);
    static const struct {
        struct pm_choice choice;
        const char *why;
    } bad[] = {
        {{"f00x", true, "why"},
         "function 'f00x' is not ranked: choose a function of the scan or ranking, or add "
         "--unused"},
        {{"f000", true, ""}, "'f000' has no reason: write NAME=REASON"},
        {{"f000", false, NULL}, "'f000' has no reason: write NAME=REASON"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pm_error err;
        plan.choices = &bad[i].choice;
        plan.choice_count = 1;
        assert_int_equal(pm_sample_draw(&ranking, &plan, &sample, &err), PM_EUSAGE);
        assert_string_equal(err.text, bad[i].why);
    }
    const struct pm_choice both[] = {{"f000", true, "a"}, {"f000", false, "b"}};
    plan.choices = both;
    plan.choice_count = 2;
    assert_int_equal(pm_sample_draw(&ranking, &plan, &sample, NULL), PM_EUSAGE);
    pm_ranking_release(&ranking);
}

/* The framework has fewer functions than the plan asks for. */
static void test_small_framework(void **state)
{
    (void)state;
    for (size_t count = 1; count < 40; count++) {
        struct pm_ranking ranking = made_up(count);
        for (enum pm_strata_rule rule = PM_STRATA_DISJOINT; rule <= PM_STRATA_PAPER; rule++) {
            struct pm_sample_plan plan = plan_of(rule, count);
            struct pm_sample sample = draw(&ranking, &plan);
            assert_true(sample.member_count <= count);
            if (rule == PM_STRATA_DISJOINT)
                assert_int_equal(sample.member_count, count);
            pm_sample_release(&sample);
        }
        pm_ranking_release(&ranking);
    }
}

/* ------------------------------------------------------------------------------ the paper --- */

static int read_paper(const char *name, struct pm_str *out)
{
    char *path = pm_path_join(PAPER, name);
    const bool there = pm_path_exists(path);
    struct pm_error err = {""};
    if (there && pm_file_read(path, out, &err))
        fail_msg("%s", err.text);
    if (!there)
        print_message("the paper's frequencies are not beside this tree: '%s' is skipped\n", name);
    free(path);
    return there;
}

static void test_paper_sample(void **state)
{
    (void)state;
    struct pm_str counts = PM_STR_INIT, rows = PM_STR_INIT;
    struct pm_map uses = {0};
    if (!read_paper("jax_frequencies.json", &counts) ||
        !read_paper("jax_sampled_datapoints.csv", &rows))
        skip();
    struct pm_ranking ranking = parse(counts.data);
    double p[PM_DECILES + 1];
    pm_strata_percentiles(&ranking, p);
    for (size_t i = 0; i < ranking.count; i++)
        pm_map_put(&uses, ranking.items[i].name, &ranking.items[i]);
    char *position = NULL;
    size_t in_deciles = 0, in_top = 0;
    strtok_r(rows.data, "\r\n", &position); /* the header line */
    for (char *row; (row = strtok_r(NULL, "\r\n", &position));) {
        char name[64], bucket[16];
        unsigned long long frequency;
        assert_int_equal(sscanf(row, "%63[^,],%llu,%15[^\n]", name, &frequency, bucket), 3);
        const struct pm_ranked *ranked = pm_map_get(&uses, name);
        assert_non_null(ranked);
        assert_true(ranked->uses == frequency);
        const long decile = strtol(bucket, NULL, 10);
        if (!strcmp(bucket, "top 20")) {
            assert_true(ranked < ranking.items + PM_SAMPLE_TOP);
            in_top++;
        } else if (p[decile / 10 - 1] <= (double)frequency && (double)frequency <= p[decile / 10]) {
            in_deciles++;
        } else {
            fail_msg("'%s' is not in decile %s", name, bucket);
        }
    }
    assert_int_equal(in_deciles, 50);
    assert_int_equal(in_top, 20);
    pm_map_release(&uses);
    pm_ranking_release(&ranking);
    pm_str_release(&counts);
    pm_str_release(&rows);
}

/* The disjoint rule on the paper's counts puts every function into exactly one stratum. */
static void test_paper_strata(void **state)
{
    (void)state;
    static const char *const files[] = {"jax_frequencies.json", "torch_frequencies.json",
                                        "tensorflow_frequencies.json"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct pm_str counts = PM_STR_INIT;
        if (!read_paper(files[f], &counts))
            skip();
        struct pm_ranking ranking = parse(counts.data);
        struct pm_sample_plan plan = plan_of(PM_STRATA_DISJOINT, 1);
        struct pm_sample sample = draw(&ranking, &plan);
        size_t size = 0;
        for (size_t s = 0; s < sample.stratum_count; s++)
            size += sample.strata[s].size;
        assert_int_equal(size, ranking.count);
        assert_int_equal(sample.member_count, 70);
        pm_sample_release(&sample);
        pm_ranking_release(&ranking);
        pm_str_release(&counts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranking),         cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_disjoint_strata), cmocka_unit_test(test_same_seed_same_sample),
        cmocka_unit_test(test_draws_are_even),  cmocka_unit_test(test_overlap_is_removed),
        cmocka_unit_test(test_drawn_twice),     cmocka_unit_test(test_replacement),
        cmocka_unit_test(test_absences_known),  cmocka_unit_test(test_choices),
        cmocka_unit_test(test_small_framework), cmocka_unit_test(test_paper_sample),
        cmocka_unit_test(test_paper_strata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the estimated shares of a whole framework, from the verdicts of a hand-made run. */
#include "stores.h"

#include <math.h>

#include "assess/assess.h"
#include "store/samples.h"

enum { MEMBERS = 20 };

/* The newest run's estimates by function and by use. */
struct estimates {
    struct stored *s;
    const char *target;
    struct pm_estimate_row by_function, by_use; /* no valid texts; 0 members: no estimate */
    size_t count;                               /* number of estimates of all targets */
};

static int keep_estimate(void *ctx, const struct pm_estimate_row *row)
{
    struct estimates *e = ctx;
    e->count++;
    if (row->target_id == stored_target(e->s, e->target))
        *(row->basis == PM_BASIS_FUNCTION ? &e->by_function : &e->by_use) = *row;
    return PM_OK;
}

static struct estimates estimates_of(struct stored *s, const char *target)
{
    struct estimates e = {.s = s, .target = target};
    assert_ok(s, pm_store_estimates(s->store, s->run, keep_estimate, &e, &s->err));
    return e;
}

static void judge(struct stored *s, int64_t sample)
{
    struct pm_judged judged;
    stored_close(s);
    assert_ok(s, pm_assess_db(s->db, s->run, sample, &judged, &s->err));
    stored_open(s);
}

static void measure(struct stored *s, const char *function, const char *reference,
                    const char *subject)
{
    const struct stored_execution executions[] = {
        {"null@host", function, "a", .output = reference},
        {"null@null", function, "a", .output = subject},
    };
    STORED_EXECUTIONS(s, executions);
}

/* Adds a run with two targets. Of f000 to f019, the first `works` functions work, and the next
 * `fails` fail. */
static void fill(struct stored *s, int64_t sample, unsigned works, unsigned fails)
{
    static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};
    const struct pm_run_row of_sample = {STORED_DONE, .sample_id = sample};
    stored_add_run(s, &of_sample);
    STORED_TARGETS(s, targets);
    for (unsigned i = 0; i < works + fails; i++) {
        char function[24];
        snprintf(function, sizeof function, "f%03u", i);
        measure(s, function, "[1]", i < works ? "[1]" : "[2]");
    }
}

static void test_a_sample_measured_whole_gives_its_share_exactly(void **state)
{
    struct stored *s = *state;
    fill(s, stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT), 15, 5);
    judge(s, 0);
    const struct estimates e = estimates_of(s, "null@null");
    assert_int_equal(e.count, 2); /* the reference has no estimate */
    assert_int_equal(e.by_function.members, MEMBERS);
    assert_int_equal(e.by_function.marked, MEMBERS);
    assert_float_equal(e.by_function.value, 0.75, 1e-9);
    assert_float_equal(e.by_function.low, 0.75, 1e-9);
    assert_float_equal(e.by_function.high, 0.75, 1e-9);
    assert_float_equal(e.by_function.unknown, 0, 0);
    /* f000 has 1 use, f019 has 20: 1 + ... + 15 of 1 + ... + 20 */
    assert_float_equal(e.by_use.value, 120.0 / 210.0, 1e-9);
}

static void test_what_was_not_measured_is_not_marked(void **state)
{
    struct stored *s = *state;
    fill(s, stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT), 3, 1);
    judge(s, 0);
    const struct estimates e = estimates_of(s, "null@null");
    assert_int_equal(e.by_function.marked, 4);
    assert_float_equal(e.by_function.value, 0.75, 1e-9);
    assert_true(e.by_function.low < 0.75 && e.by_function.high > 0.75);
}

static void test_partly_is_no_and_broken_is_unknown(void **state)
{
    struct stored *s = *state;
    fill(s, stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT), 2, 0);
    const struct stored_execution executions[] = {
        {"null@host", "f010", "good", .output = "[1]"},
        {"null@host", "f010", "bad", .output = "[1]"},
        {"null@host", "f011", "a", .ending = "signal", .ending_code = 6},
        {"null@null", "f010", "good", .output = "[1]"},
        {"null@null", "f010", "bad", .output = "[2]"},
        {"null@null", "f011", "a", .output = "[1]"},
    };
    STORED_EXECUTIONS(s, executions);
    judge(s, 0);
    const struct estimates e = estimates_of(s, "null@null");
    assert_int_equal(e.by_function.marked, 3);
    assert_float_equal(e.by_function.value, 2.0 / 3.0, 1e-9);
}

static void test_host_only_functions_count_like_all_others(void **state)
{
    struct stored *s = *state;
    const int64_t sample = stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    stored_add_case(s, "null", "f000", "a", "{\"host_only\": true}");
    fill(s, sample, 1, 1);
    judge(s, 0);
    assert_int_equal(estimates_of(s, "null@null").by_function.marked, 2);
}

static void test_a_bare_name_works_where_all_that_it_means_does(void **state)
{
    struct stored *s = *state;
    const int64_t sample = stored_add_sample(s, "null", "paper", MEMBERS, PM_STRATA_DISJOINT);
    fill(s, sample, 0, 0);
    measure(s, "null.a.f000", "[1]", "[1]");
    measure(s, "null.b.f000", "[1]", "[2]");
    measure(s, "null.a.f001", "[1]", "[1]");
    measure(s, "null.z.f000", "[1]", "[1]");
    judge(s, 0);
    const struct estimates e = estimates_of(s, "null@null");
    assert_int_equal(e.by_function.marked, 2);
    assert_float_equal(e.by_function.value, 0.5, 1e-9);
}

/* ---- which sample -----------------------------------------------------------------------------
 */

static void test_a_run_keeps_its_own_sample(void **state)
{
    struct stored *s = *state;
    const int64_t own = stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    const int64_t newer = stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    fill(s, own, 1, 0);
    judge(s, 0);
    assert_int_equal(estimates_of(s, "null@null").by_function.sample_id, own);
    judge(s, newer); /* a given sample replaces the run's own */
    assert_int_equal(estimates_of(s, "null@null").by_function.sample_id, newer);
    assert_int_equal(estimates_of(s, "null@null").count, 2);
}

static void test_without_its_own_the_newest_with_weights_is_taken(void **state)
{
    struct stored *s = *state;
    stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    const int64_t newest = stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_PAPER);
    stored_add_sample(s, "other", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    fill(s, 0, 1, 0);
    judge(s, 0);
    assert_int_equal(estimates_of(s, "null@null").by_function.sample_id, newest);
}

static void test_a_run_of_none_of_the_samples_members_is_not_held_against_it(void **state)
{
    struct stored *s = *state;
    const int64_t sample = stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    fill(s, 0, 0, 0);
    measure(s, "elsewhere", "[1]", "[1]");
    judge(s, 0);
    assert_int_equal(estimates_of(s, "null@null").count, 0);
    judge(s, sample); /* it was asked for, so there is an estimate without a value */
    const struct estimates e = estimates_of(s, "null@null");
    assert_int_equal(e.by_function.marked, 0);
    assert_true(isnan(e.by_function.value));
    assert_float_equal(e.by_function.unknown, 1, 1e-9);
}

static void test_strata_that_overlap_give_no_estimate(void **state)
{
    struct stored *s = *state;
    const int64_t own = stored_add_sample(s, "null", "resolved", MEMBERS, PM_STRATA_PAPER);
    struct pm_judged judged;
    fill(s, own, 1, 0);
    judge(s, 0);
    assert_int_equal(estimates_of(s, "null@null").count, 0);
    stored_close(s);
    assert_refused(s, pm_assess_db(s->db, s->run, own, &judged, &s->err), PM_EUSAGE, "overlap");
}

static void test_a_sample_that_fits_no_run_is_refused(void **state)
{
    struct stored *s = *state;
    const int64_t other = stored_add_sample(s, "other", "resolved", MEMBERS, PM_STRATA_DISJOINT);
    struct pm_judged judged;
    fill(s, 0, 1, 0);
    stored_close(s);
    assert_refused(s, pm_assess_db(s->db, s->run, other, &judged, &s->err), PM_EUSAGE,
                   "no target of the run");
    assert_refused(s, pm_assess_db(s->db, 0, other, &judged, &s->err), PM_EUSAGE, "no run of");
    assert_refused(s, pm_assess_db(s->db, 0, other + 1, &judged, &s->err), PM_EUSAGE,
                   "has no sample 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_sample_measured_whole_gives_its_share_exactly),
        STORED_TEST(test_what_was_not_measured_is_not_marked),
        STORED_TEST(test_partly_is_no_and_broken_is_unknown),
        STORED_TEST(test_host_only_functions_count_like_all_others),
        STORED_TEST(test_a_bare_name_works_where_all_that_it_means_does),
        STORED_TEST(test_a_run_keeps_its_own_sample),
        STORED_TEST(test_without_its_own_the_newest_with_weights_is_taken),
        STORED_TEST(test_a_run_of_none_of_the_samples_members_is_not_held_against_it),
        STORED_TEST(test_strata_that_overlap_give_no_estimate),
        STORED_TEST(test_a_sample_that_fits_no_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

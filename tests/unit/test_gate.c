/*
 * Tests of the gate of compare with random pairs of runs. If a case counts and passes on A but not
 * on B, or if B is slower, the status must not be 0, whatever else differs. Verdicts are judged by
 * the program's own rules, so that the sides are like those of a database.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/alloc.h"
#include "base/random.h"
#include "changes/changes.h"
#include "judge/judge.h"

enum { FUNCTIONS = 4, CASES = 4, PROCESSES = 8, FACTOR = 3 };
#ifdef UNIT_SANITIZED
enum { PAIRS = 2500 };
#else
enum { PAIRS = 20000 };
#endif

/* ---- what may happen to a case -----------------------------------------------------------------
 */

/* States of a case: its outcomes, and the state of its reference. MISSING: the side has no case of
 * this name. */
enum state {
    PASSES,
    FAILS,
    FLAKY,
    BLOCKED,
    REFERENCE,
    HARNESS,
    INAPPLICABLE,
    RAISES,
    WAITS,
    MISSING
};
enum { STATES = MISSING + 1 };

static const struct {
    enum pm_outcome outcomes[2];
    enum pm_reference_state reference;
    enum pm_loss why_not;
    bool raises;
    size_t count;
} states[STATES] = {
    [PASSES] = {{PM_OUTCOME_PASS, PM_OUTCOME_PASS}, PM_REFERENCE_PASSES, .count = 2},
    [FAILS] = {{PM_OUTCOME_FAIL, PM_OUTCOME_CRASH}, PM_REFERENCE_PASSES, .count = 2},
    [FLAKY] = {{PM_OUTCOME_PASS, PM_OUTCOME_FAIL}, PM_REFERENCE_PASSES, .count = 2},
    [BLOCKED] = {{PM_OUTCOME_BLOCKED}, PM_REFERENCE_PASSES, PM_LOSS_BLOCKED, .count = 1},
    [REFERENCE] = {{PM_OUTCOME_FAIL}, PM_REFERENCE_FAILS, PM_LOSS_REFERENCE, .count = 1},
    [HARNESS] = {{PM_OUTCOME_HARNESS}, PM_REFERENCE_PASSES, PM_LOSS_HARNESS, .count = 1},
    [INAPPLICABLE] = {{PM_OUTCOME_NOT_APPLICABLE},
                      PM_REFERENCE_PASSES,
                      PM_LOSS_NOT_APPLICABLE,
                      .count = 1},
    [RAISES] = {{PM_OUTCOME_PASS}, PM_REFERENCE_PASSES, PM_LOSS_RAISES, true, 1},
    [WAITS] = {{PM_OUTCOME_PASS}, PM_REFERENCE_NOT_RUN, PM_LOSS_NOT_RUN, .count = 1},
};

/* Definitions of a case. Those after STRICTER check less than FIRST, or something else. */
enum { FIRST, STRICTER, LOOSER_COMPARE, LOOSER_TOLERANCE, UNCHECKED, OTHER_CALL, DEFINITIONS };
static const char *const definitions[DEFINITIONS] = {
    [FIRST] = "{\"call\": \"f(x)\", \"compare\": \"close\", \"check\": \"out > 0\", "
              "\"tolerance\": {\"rtol\": 0.01, \"atol\": 0.01}}",
    [STRICTER] = "{\"call\": \"f(x)\", \"compare\": \"exact\", \"check\": \"out > 0\", "
                 "\"tolerance\": {\"rtol\": 0.001, \"atol\": 0.01}, \"expect\": \"x\"}",
    [LOOSER_COMPARE] = "{\"call\": \"f(x)\", \"compare\": \"shape\", \"check\": \"out > 0\", "
                       "\"tolerance\": {\"rtol\": 0.01, \"atol\": 0.01}}",
    [LOOSER_TOLERANCE] = "{\"call\": \"f(x)\", \"compare\": \"close\", \"check\": \"out > 0\", "
                         "\"tolerance\": {\"rtol\": 0.01, \"atol\": 0.1}}",
    [UNCHECKED] = "{\"call\": \"f(x)\", \"compare\": \"close\", "
                  "\"tolerance\": {\"rtol\": 0.01, \"atol\": 0.01}}",
    [OTHER_CALL] = "{\"call\": \"g(x)\", \"compare\": \"close\", \"check\": \"out > 0\", "
                   "\"tolerance\": {\"rtol\": 0.01, \"atol\": 0.01}}",
};

/* ---- a pair of runs ----------------------------------------------------------------------------
 */

/* The plan of a case on one side. */
struct planned_case {
    enum state state;
    int definition;
    int64_t processes;
    bool unstable, host_only, edge;
};
struct planned_function {
    bool missing, absent;
    double ns;
    struct planned_case cases[CASES];
};
struct plan {
    bool timed;
    struct planned_function functions[FUNCTIONS];
};
struct pair {
    struct plan a, b;
    struct pm_changes_side sides[2];
    struct pm_changes changes;
    enum pm_exit status;
};

static const char *const function_names[FUNCTIONS] = {"f", "g", "h", "i"};
static const char *const case_names[CASES] = {"a", "b", "c", "d"};

static bool happens(struct pm_random *random, uint64_t one_of)
{
    return pm_random_below(random, one_of) == 0;
}

/* Returns a random state. Most cases pass, so that a gate can accept most functions. */
static enum state any_state(struct pm_random *random)
{
    return happens(random, 4) ? (enum state)pm_random_below(random, STATES) : PASSES;
}

static struct plan any_plan(struct pm_random *random)
{
    struct plan plan = {.timed = happens(random, 2)};
    for (size_t f = 0; f < FUNCTIONS; f++) {
        plan.functions[f].ns = 1000;
        plan.functions[f].missing = happens(random, 8);
        for (size_t k = 0; k < CASES; k++)
            plan.functions[f].cases[k] = (struct planned_case){
                .state = any_state(random), .processes = PROCESSES, .edge = happens(random, 3)};
    }
    return plan;
}

/* Makes one random difference on B. A renamed case is a missing case and a new one. */
static void disturb_case(struct pm_random *random, struct planned_function *function)
{
    struct planned_case *c = &function->cases[pm_random_below(random, CASES)];
    struct planned_case *other = &function->cases[pm_random_below(random, CASES)];
    switch (pm_random_below(random, 7)) {
    case 0:
        *other = *c;
        c->state = MISSING;
        break;
    case 1:
        c->definition = (int)pm_random_below(random, DEFINITIONS);
        break;
    case 2:
        c->processes = (int64_t)pm_random_below(random, PROCESSES + 1);
        break;
    case 3:
        c->unstable = true;
        break;
    case 4:
        c->host_only = true;
        break;
    case 5:
        c->edge = !c->edge;
        break;
    default:
        c->state = (enum state)pm_random_below(random, STATES);
    }
}

/* Makes the same random difference in all cases of a function. */
static void disturb_cases(struct pm_random *random, struct planned_function *function)
{
    const uint64_t what = pm_random_below(random, 3);
    for (size_t k = 0; k < CASES; k++) {
        struct planned_case *c = &function->cases[k];
        if (what == 0)
            c->unstable = true;
        else if (what == 1)
            c->host_only = true;
        else if (c->state == FAILS || c->state == FLAKY)
            c->state = PASSES;
    }
}

static void disturb(struct pm_random *random, struct plan *plan, size_t f)
{
    struct planned_function *function = &plan->functions[f];
    switch (pm_random_below(random, 10)) {
    case 0:
        function->missing = true;
        break;
    case 1:
        function->absent = true;
        break;
    case 2:
    case 3:
        function->ns *= FACTOR;
        break;
    case 4:
        plan->timed = !plan->timed;
        break;
    case 5:
    case 6:
        disturb_cases(random, function);
        break;
    default:
        disturb_case(random, function);
    }
}

static void add_times(const struct planned_case *plan, double ns, struct pm_changes_case *c)
{
    for (int64_t i = 0; i < plan->processes; i++) {
        const double factor = plan->unstable && i == 0 ? 1000 : i % 2 ? 1.01 : 0.99;
        PM_GROW(c->processes, c->count, c->capacity);
        c->processes[c->count++] = (struct pm_changes_process){i, log(ns * factor)};
    }
}

static bool is_timed(const struct plan *plan, const struct planned_case *c)
{
    return plan->timed && (c->state == PASSES || c->state == RAISES) && c->processes > 0;
}

static struct pm_case_outcomes outcomes_of(const struct planned_case *c)
{
    return (struct pm_case_outcomes){.outcomes = states[c->state].outcomes,
                                     .count = states[c->state].count,
                                     .core = !c->edge,
                                     .raises = states[c->state].raises,
                                     .reference = states[c->state].reference};
}

static enum pm_verdict verdict_of(const struct planned_function *function)
{
    struct pm_case_outcomes cases[CASES];
    struct pm_verdict_counts counts;
    struct pm_function_verdict verdict;
    size_t count = 0;
    for (size_t k = 0; k < CASES; k++)
        if (function->cases[k].state != MISSING)
            cases[count++] = outcomes_of(&function->cases[k]);
    pm_judge_counts(cases, count, false, &counts);
    pm_judge_function(&counts, !function->absent, &verdict);
    return verdict.verdict;
}

static void add_case(const struct plan *plan, const struct planned_function *function, size_t k,
                     const char *name, struct pm_changes_side *side)
{
    const struct planned_case *planned = &function->cases[k];
    const struct pm_case_outcomes outcomes = outcomes_of(planned);
    const bool counts = pm_case_counts(pm_judge_case(&outcomes, false)) &&
                        pm_verdict_is_counted(verdict_of(function));
    PM_GROW(side->cases, side->case_count, side->case_capacity);
    struct pm_changes_case *c = &side->cases[side->case_count++];
    *c =
        (struct pm_changes_case){.function = name,
                                 .name = case_names[k],
                                 .definition = definitions[planned->definition],
                                 .detail = "",
                                 .reason = "",
                                 .outcome = states[planned->state].outcomes[0],
                                 .core = !planned->edge,
                                 .counts = counts,
                                 .passes = planned->state == PASSES || planned->state == RAISES,
                                 .host_only = planned->host_only,
                                 .why_not = counts ? PM_LOSS_NONE : states[planned->state].why_not};
    if (is_timed(plan, planned))
        add_times(planned, function->ns, c);
}

static void add_function(const struct plan *plan, size_t f, struct pm_changes_side *side)
{
    const struct planned_function *function = &plan->functions[f];
    for (size_t k = 0; k < CASES; k++)
        if (function->cases[k].state != MISSING)
            add_case(plan, function, k, function_names[f], side);
    PM_GROW(side->functions, side->function_count, side->function_capacity);
    side->functions[side->function_count++] = (struct pm_changes_function){
        .name = function_names[f], .detail = "", .reason = "", .verdict = verdict_of(function)};
}

static struct pm_changes_side side_of(const struct plan *plan)
{
    struct pm_changes_side side = {.db = "x.db",
                                   .target = "null@null",
                                   .started = "",
                                   .selection = "",
                                   .processor = "",
                                   .version = "",
                                   .planned = 1,
                                   .done = 1,
                                   .evidence = PM_EVIDENCE_EXECUTED,
                                   .has_latencies = plan->timed,
                                   .floor = NAN};
    for (size_t f = 0; f < FUNCTIONS; f++)
        if (!plan->functions[f].missing)
            add_function(plan, f, &side);
    pm_changes_sort(&side);
    return side;
}

static void compare(struct pair *pair)
{
    pair->sides[0] = side_of(&pair->a);
    pair->sides[1] = side_of(&pair->b);
    pair->changes =
        pm_changes_find(&pair->sides[0], &pair->sides[1], &(struct pm_changes_request){0});
    struct pm_changes_doubt doubt =
        pm_changes_doubt(&pair->changes, &pair->sides[0], &pair->sides[1]);
    pair->status = pm_changes_status(&pair->changes, &doubt);
    pm_changes_doubt_release(&doubt);
}

static void release(struct pair *pair)
{
    pm_changes_release(&pair->changes);
    pm_changes_side_release(&pair->sides[0]);
    pm_changes_side_release(&pair->sides[1]);
}

/* ---- what must hold ----------------------------------------------------------------------------
 */

static bool is_good(const struct planned_function *function, size_t k)
{
    return !function->missing && function->cases[k].state == PASSES &&
           pm_verdict_is_counted(verdict_of(function));
}

/* Returns whether a case passes on A but does not show on B that the function still works. */
static bool loses_case(const struct planned_function *a, const struct planned_function *b, size_t k)
{
    const int before = a->cases[k].definition, after = b->cases[k].definition;
    if (!is_good(a, k))
        return false;
    return !is_good(b, k) || (before != after && after != STRICTER);
}

/* Returns whether a case that passes and is timed on both sides takes longer on B. Host-only cases
 * are not timed on the device. */
static bool is_slower(const struct pair *pair, size_t f, size_t k)
{
    const struct planned_function *a = &pair->a.functions[f], *b = &pair->b.functions[f];
    return is_good(a, k) && is_good(b, k) && b->ns > a->ns && is_timed(&pair->a, &a->cases[k]) &&
           pair->b.timed && !(a->cases[k].host_only && b->cases[k].host_only);
}

static bool must_not_pass(const struct pair *pair)
{
    for (size_t f = 0; f < FUNCTIONS; f++)
        for (size_t k = 0; k < CASES; k++)
            if (loses_case(&pair->a.functions[f], &pair->b.functions[f], k) ||
                is_slower(pair, f, k))
                return true;
    return false;
}

static const struct pm_changes_change *worse_and_the_same(const struct pm_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct pm_changes_change *c = &changes->changes[i];
        if (c->change == PM_CHANGE_SAME && pm_verdict_is_counted(c->before) &&
            pm_verdict_is_counted(c->after) && c->after > c->before)
            return c;
    }
    return NULL;
}

static void test_what_passed_and_is_lost_never_gives_0(void **state)
{
    size_t lost = 0, passed = 0;
    (void)state;
    for (uint64_t seed = 0; seed < PAIRS; seed++) {
        struct pm_random random;
        struct pair pair;
        pm_random_init(&random, "gate", seed);
        pair.a = any_plan(&random);
        pair.b = pair.a;
        size_t f = 0;
        for (uint64_t i = pm_random_below(&random, 5); i > 0; i--) {
            f = happens(&random, 4) ? pm_random_below(&random, FUNCTIONS) : f;
            disturb(&random, &pair.b, f);
        }
        compare(&pair);
        const bool must_not = must_not_pass(&pair);
        if (must_not && pair.status == PM_EXIT_FINE)
            fail_msg("pair %llu: a passing case is lost or slower, and the status is 0",
                     (unsigned long long)seed);
        if (worse_and_the_same(&pair.changes))
            fail_msg("pair %llu: '%s' has a worse verdict, and is the same",
                     (unsigned long long)seed, worse_and_the_same(&pair.changes)->function);
        lost += must_not;
        passed += pair.status == PM_EXIT_FINE;
        release(&pair);
    }
    print_message("%d pairs of runs tried: %zu with a loss, %zu with status 0\n", PAIRS, lost,
                  passed);
    assert_true(lost > PAIRS / 4 && passed > PAIRS / 10); /* enough pairs of both kinds */
}

/* Equal runs must give 0: a gate that always gave 4 would pass the test above. */
static void test_equal_runs_give_0(void **state)
{
    size_t compared = 0;
    (void)state;
    for (uint64_t seed = 0; seed < PAIRS / 4; seed++) {
        struct pm_random random;
        struct pair pair;
        pm_random_init(&random, "equal", seed);
        pair.a = pair.b = any_plan(&random);
        compare(&pair);
        const bool nothing = pair.changes.counts[PM_CHANGE_NEITHER] == pair.changes.count;
        assert_int_equal(pair.status, nothing ? PM_EXIT_INCONCLUSIVE : PM_EXIT_FINE);
        compared += !nothing;
        release(&pair);
    }
    assert_true(compared > PAIRS / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_passed_and_is_lost_never_gives_0),
        cmocka_unit_test(test_equal_runs_give_0),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}

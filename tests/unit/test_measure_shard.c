/* Tests of the shards of a plan: every function is in exactly one, every process makes the same
 * shards, they take equally long by earlier durations, and different plans have different digests.
 */
#include "plans.h"

#include "base/alloc.h"
#include "base/shard.h"
#include "measure/session.h"
#include "store/executions.h"

enum { FUNCTIONS = 23 };

static void write_functions(struct planned *p)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[32];
        snprintf(name, sizeof name, "null.f%02d", i);
        planned_write_suite(p, name,
                            i % 3 ? "  - {name: a, call: ok}\n"
                                  : "  - {name: a, call: ok}\n  - {name: b, call: ok}\n");
    }
}

/* Makes the plan of a shard and stores its digest in `digest`. */
static void plan_shard(struct planned *p, unsigned number, unsigned count, char digest[33])
{
    planned_forget(p);
    p->options.shard = (struct pm_shard){number, count};
    planned_make(p, "null@null");
    memcpy(digest, p->plan.digest.hex, 33);
}

/* Returns the functions of the plan in order, each followed by a space: "null.f01 null.f07 ". The
 * caller frees the text. */
static char *functions_of(const struct planned *p)
{
    struct pm_str text = PM_STR_INIT;
    const struct pm_function *last = NULL;
    for (size_t k = 0; k < p->plan.case_count; k++) {
        const struct pm_function *function = p->plan.cases[k]->function;
        if (function != last)
            pm_str_addf(&text, "%s ", function->name);
        last = function;
    }
    return pm_str_detach(&text);
}

/* ---- which functions ------------------------------------------------------------------------- */

/* Adds to seen[i] the number of cases of function i in all shards of a plan. */
static void count_cases(struct planned *p, unsigned count, unsigned seen[FUNCTIONS])
{
    char first[33], digest[33];
    size_t functions = 0;
    for (unsigned number = 1; number <= count; number++) {
        plan_shard(p, number, count, digest);
        if (number == 1)
            memcpy(first, digest, sizeof first);
        assert_string_equal(digest, first);
        assert_int_equal(p->plan.total_functions, FUNCTIONS);
        functions += p->plan.functions;
        for (size_t k = 0; k < p->plan.case_count; k++)
            seen[atoi(p->plan.cases[k]->function->name + strlen("null.f"))]++;
    }
    assert_int_equal(functions, FUNCTIONS);
}

static void test_every_function_is_in_exactly_one_shard(void **state)
{
    static const unsigned counts[] = {1, 2, 3, 5, 8, 13, 40};
    struct planned *p = *state;
    write_functions(p);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        unsigned seen[FUNCTIONS] = {0};
        count_cases(p, counts[i], seen);
        for (int f = 0; f < FUNCTIONS; f++)
            assert_int_equal(seen[f], f % 3 ? 1 : 2);
    }
}

static void test_a_shard_depends_on_the_name_only(void **state)
{
    struct planned *p = *state;
    char digest[33];
    struct pm_str want = PM_STR_INIT;
    write_functions(p);
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[32];
        snprintf(name, sizeof name, "null.f%02d", i);
        if (pm_shard_of(name, 4) == 2)
            pm_str_addf(&want, "%s ", name);
    }
    plan_shard(p, 2, 4, digest);
    assert_text(functions_of(p), want.data);
    p->options.seed = 7;
    p->options.outcomes_only = true;
    plan_shard(p, 2, 4, digest);
    assert_text(functions_of(p), want.data);
    pm_str_release(&want);
}

static void test_each_shard_measures_noise(void **state)
{
    struct planned *p = *state;
    char digest[33];
    size_t all = 0;
    write_functions(p);
    p->options.noise = 4;
    for (unsigned number = 1; number <= 3; number++) {
        size_t chosen = 0;
        plan_shard(p, number, 3, digest);
        const struct pm_function *last = NULL;
        for (size_t k = 0; k < p->plan.case_count; k++) {
            chosen += p->plan.for_noise[k] && p->plan.cases[k]->function != last;
            last = p->plan.cases[k]->function;
        }
        assert_int_equal(chosen, 2); /* 4 / 3, rounded up */
        all += chosen;
    }
    assert_int_equal(all, 6);
}

/* ---- which plan ------------------------------------------------------------------------------ */

static void test_another_plan_has_another_digest(void **state)
{
    struct planned *p = *state;
    char first[33], digest[33];
    write_functions(p);
    plan_shard(p, 1, 4, first);
    p->options.seed = 2;
    plan_shard(p, 1, 4, digest);
    assert_string_not_equal(digest, first);
    p->options.seed = 1;
    p->options.repetitions = 2;
    plan_shard(p, 1, 4, digest);
    assert_string_not_equal(digest, first);
    p->options.repetitions = 0;
    plan_shard(p, 1, 5, digest);
    assert_string_not_equal(digest, first);
    p->options.jobs = 7; /* is only the number of processes that the node runs at once */
    plan_shard(p, 1, 4, digest);
    assert_string_equal(digest, first);
    planned_write_suite(p, "null.f01", "  - {name: other, call: ok}\n");
    plan_shard(p, 1, 4, digest);
    assert_string_not_equal(digest, first);
}

/* A resumed run keeps its functions, even if a new plan would choose different ones. */
static void test_a_resumed_shard_keeps_its_functions(void **state)
{
    struct planned *p = *state;
    json_t *stored = json_pack("{s:{s:[s]}, s:{s:[s]}}", "measured", "null", "null.f07",
                               "unreferenced", "null", "null.f11");
    write_functions(p);
    planned_forget(p);
    p->options.shard = (struct pm_shard){2, 4};
    p->plan.stored = stored;
    planned_make(p, "null@null");
    assert_text(functions_of(p), "null.f07 null.f11 ");
    json_decref(stored);
}

/* ---- balance --------------------------------------------------------------------------------- */

static int function_of(const struct plan_execution *e)
{
    return atoi(e->test->function->name + strlen("null.f"));
}

/* Stores a valid run in which case 'a' of function i took i + 1 seconds on null@null and all other
 * cases 0 s; the last three functions were not measured. */
static void store_durations(struct planned *p)
{
    struct stored *s = p->stored;
    planned_make(p, "null@null");
    stored_add_run(s, NULL);
    assert_ok(p, pm_measure__plan_executions(&p->plan, s->store, s->run, &p->err));
    for (size_t i = 0; i < p->plan.execution_count; i++) {
        const struct plan_execution *e = &p->plan.executions[i];
        const bool is_timed = e->target == planned_target(p, "null@null") && e->repetition == 0 &&
                              !strcmp(e->test->name, "a");
        struct pm_child_row child = {.run_id = s->run,
                                     .target_id = p->plan.targets[e->target].id,
                                     .text = "",
                                     .output = "",
                                     .started = "",
                                     .wall_ns = is_timed ? (function_of(e) + 1) * 1000000000LL : 0};
        if (function_of(e) >= FUNCTIONS - 3)
            continue;
        assert_ok(p, pm_store_add_child(s->store, &child, &child.id, &p->err));
        assert_ok(p, pm_store_finish_child(s->store, &child, &p->err));
        const struct pm_execution_row row = {
            .id = e->id, .child_id = child.id, .answered = true, .result = "{}"};
        assert_ok(p, pm_store_finish_execution(s->store, &row, &p->err));
    }
    stored_close(s);
}

static void test_balanced_shards_take_equally_long(void **state)
{
    struct planned *p = *state;
    unsigned seen[FUNCTIONS] = {0};
    char digest[33], plain[33];
    write_functions(p);
    store_durations(p);
    plan_shard(p, 1, 4, plain);
    p->options.balance = p->stored->db;
    for (unsigned number = 1; number <= 4; number++) {
        double sum = 0;
        plan_shard(p, number, 4, digest);
        assert_string_not_equal(digest, plain);
        char *functions = functions_of(p), *rest = functions;
        for (char *name; (name = strsep(&rest, " ")) && *name;) {
            const int f = atoi(name + strlen("null.f"));
            sum += f < FUNCTIONS - 3 ? f + 1 : 10.5;
            seen[f]++;
        }
        free(functions);
        assert_true(sum >= 56 && sum <= 66); /* of 241.5 in all */
    }
    for (int f = 0; f < FUNCTIONS; f++)
        assert_int_equal(seen[f], 1);
}

static void test_balance_needs_durations(void **state)
{
    struct planned *p = *state;
    write_functions(p);
    stored_close(p->stored);
    p->options.shard = (struct pm_shard){1, 2};
    p->options.balance = p->stored->db;
    planned_ask(p, "null@null");
    assert_refused(p, planned_try(p), PM_EUSAGE, "has no valid run of these targets");
    planned_forget(p);
    p->options.balance = "/nowhere/x.db";
    assert_refused(p, planned_try(p), PM_ENOTFOUND, "/nowhere/x.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLANNED_TEST(test_every_function_is_in_exactly_one_shard),
        PLANNED_TEST(test_a_shard_depends_on_the_name_only),
        PLANNED_TEST(test_each_shard_measures_noise),
        PLANNED_TEST(test_another_plan_has_another_digest),
        PLANNED_TEST(test_a_resumed_shard_keeps_its_functions),
        PLANNED_TEST(test_balanced_shards_take_equally_long),
        PLANNED_TEST(test_balance_needs_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

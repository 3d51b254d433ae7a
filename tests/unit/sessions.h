/*
 * A run under way without a pool: a session over a plan (plans.h) whose callbacks the test calls in
 * the pool's place.
 *
 *     struct played *g = *state;                         // of PLAYED_TEST(function)
 *     played_begin(g, "null@null");             // after the suites and options of g->planned
 *     struct session_child *child = played_next(g, 0, NULL);
 *     played_job(g, child);                              // id of the execution that it is handed
 *     played_answer(g, child, "{}");
 *     played_end(g, child, PM_ENDING_EXIT);
 */
#ifndef PM_TESTS_UNIT_SESSIONS_H
#define PM_TESTS_UNIT_SESSIONS_H

#include "measure/session.h"
#include "plans.h"

struct played {
    struct planned *planned;
    struct session session;
    struct pm_pool_policy policy;
    struct pm_messages messages; /* to a file without a name */
    struct pm_error err;
    json_t *job; /* header of the last job handed out */
    bool last;   /* it was said to be the child's last */
};

int played_set_up(void **state);
int played_tear_down(void **state);
#define PLAYED_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, played_set_up, played_tear_down)

/* Plans a new run of these targets and groups it; planted faults are skipped: its phase is the one
 * of outcomes. */
void played_begin(struct played *g, const char *targets);

/* Returns the child that a free slot gets; NULL where there is nothing for it now. Its setting goes
 * to *setting (may be NULL), the caller's to free. */
struct session_child *played_next(struct played *g, unsigned slot, json_t **setting);
/* Returns the execution of the child's next job: 0 where it has no more, -1 for a planted fault. */
int64_t played_job(struct played *g, struct session_child *child);
/* The child answers its job: `header` is JSON without the execution's number. */
void played_answer(struct played *g, struct session_child *child, const char *header);
/* The same with a number of its own choosing; the policy's status. */
PM_MUST_USE int played_answer_as(struct played *g, struct session_child *child, int64_t execution,
                                 const char *header);
void played_end(struct played *g, struct session_child *child, enum pm_ending_kind kind);

/* Returns what the store has of an execution, "f a 0 on null@null: done", with ", answered", ",
 * <ending>" and ", shared" where that is so. The caller frees. */
char *played_row(struct played *g, int64_t execution);
/* Id of an execution of the plan by target, case and repetition. */
int64_t played_execution(const struct played *g, const char *target, const char *name,
                         unsigned repetition);

#endif

/*
 * A session without a pool: it executes a plan (plans.h), and the test calls its callbacks instead
 * of the pool.
 *
 *     struct played *g = *state;                         // of PLAYED_TEST(function)
 *     played_begin(g, "null@null");             // after the suites and options of g->planned
 *     struct session_child *child = played_next(g, 0, NULL);
 *     played_job(g, child);                              // returns the id of its next execution
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
    struct pm_messages messages; /* written to a temporary file */
    struct pm_error err;
    json_t *job; /* header of the last job handed out */
    bool last;   /* whether the session marked this job as the child's last one */
};

int played_set_up(void **state);
int played_tear_down(void **state);
#define PLAYED_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, played_set_up, played_tear_down)

/* Plans a new run of these targets and makes its groups. Planted faults are skipped, so that the
 * run starts in the phase of outcomes. */
void played_begin(struct played *g, const char *targets);

/* Returns the child for a free slot; NULL if no child can start now. Stores its setting in *setting
 * (may be NULL); the caller releases the setting. */
struct session_child *played_next(struct played *g, unsigned slot, json_t **setting);
/* Returns the id of the execution of the child's next job: 0 if it has no more, -1 for a planted
 * fault. */
int64_t played_job(struct played *g, struct session_child *child);
/* Lets the child answer its job; `header` is JSON without the execution's id. */
void played_answer(struct played *g, struct session_child *child, const char *header);
/* Like played_answer(), but with this execution id; returns the policy's status. */
PM_MUST_USE int played_answer_as(struct played *g, struct session_child *child, int64_t execution,
                                 const char *header);
void played_end(struct played *g, struct session_child *child, enum pm_ending_kind kind);

/* Returns an execution's row in the store as text: "f a 0 on null@null: done" and, if they apply,
 * ", answered", ", <ending>" and ", shared". A retry's kind follows the repetition. The caller
 * frees the text. */
char *played_row(struct played *g, int64_t execution);
/* Returns the id of an execution of the plan by its target, case name and repetition. */
int64_t played_execution(const struct played *g, const char *target, const char *name,
                         unsigned repetition);

#endif

/*
 * Plans to test with: a store (stores.h), environments whose interpreters are shell scripts, case
 * files, and a plan over them. Nothing is imported and nothing is started but those scripts and the
 * system's Python, which serves the framework null.
 *
 *     struct planned *p = *state;                        // of PLANNED_TEST(function)
 *     planned_write_suite(p, "null.f", "  - {name: a, call: ok}\n");
 *     planned_make(p, "null@null");                      // and its reference, null@host
 */
#ifndef PM_TESTS_UNIT_PLANS_H
#define PM_TESTS_UNIT_PLANS_H

#include "measure/plan.h"
#include "stores.h"

enum { PLANNED_MOST_TARGETS = 4 };

struct planned {
    struct stored *stored;
    char *suites; /* a folder of case files */
    const char *targets[PLANNED_MOST_TARGETS];
    const char *paths[1];
    struct pm_run_options options; /* seed 1 */
    struct plan plan;
    struct pm_error err;
};

/* The plan of planned_make() is released before the folder goes. */
int planned_set_up(void **state);
int planned_tear_down(void **state);
#define PLANNED_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, planned_set_up, planned_tear_down)

/* An environment `name` whose interpreter has these modules, as JSON: "\"torch\": \"2.0\"". Another
 * one of that name replaces it. */
void planned_add_environment(struct planned *p, const char *name, const char *framework,
                             const char *modules);

/* <suites>/<function>.yaml: `cases` are the items of its list, indented. */
void planned_write_suite(struct planned *p, const char *function, const char *cases);

/* The options ask for these targets, "null@null" or "pytorch@cuda pytorch@meta". */
void planned_ask(struct planned *p, const char *targets);
/* Targets and cases. */
PM_MUST_USE int planned_try(struct planned *p);
/* planned_ask() and planned_try(), which must succeed. */
void planned_make(struct planned *p, const char *targets);
/* Releases the plan, to make another over the same options and store. */
void planned_forget(struct planned *p);

/* Index of a target of the plan by its text. */
int planned_target(const struct planned *p, const char *text);

#endif

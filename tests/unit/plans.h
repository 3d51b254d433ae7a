/*
 * Plans for tests: a store (stores.h), environments whose interpreters are shell scripts, case
 * files, and a plan made from them. No framework is imported. The only programs that are started
 * are those scripts and, for the framework null, the system's Python.
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

/* Set-up and tear-down. The tear-down releases the plan, then removes the folder. */
int planned_set_up(void **state);
int planned_tear_down(void **state);
#define PLANNED_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, planned_set_up, planned_tear_down)

/* Adds an environment `name` whose interpreter has these modules, as JSON: "\"torch\": \"2.0\"". A
 * later environment of the same name replaces it. */
void planned_add_environment(struct planned *p, const char *name, const char *framework,
                             const char *modules);

/* Writes <suites>/<function>.yaml; `cases` is the text of the items of its list, indented. */
void planned_write_suite(struct planned *p, const char *function, const char *cases);

/* Sets the targets of the options: "null@null" or "pytorch@cuda pytorch@meta". */
void planned_ask(struct planned *p, const char *targets);
/* Plans the targets and cases that the options ask for; may fail. */
PM_MUST_USE int planned_try(struct planned *p);
/* Calls planned_ask() and planned_try(). If planned_try() fails, the test fails. */
void planned_make(struct planned *p, const char *targets);
/* Releases the plan, so that a new one can be made with the same options and store. */
void planned_forget(struct planned *p);

/* Returns the index in the plan of the target with this text. */
int planned_target(const struct planned *p, const char *text);

#endif

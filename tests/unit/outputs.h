/* Functions that make and compare outputs of one or more leaves, for tests. */
#ifndef PM_TESTS_UNIT_OUTPUTS_H
#define PM_TESTS_UNIT_OUTPUTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "judge/judge.h"

/* Returns an array of one dimension as a leaf, which compare() releases. VECTOR(PM_FLOAT32, 1, 2)
 * is a shorter form. */
struct pm_leaf vector(enum pm_dtype dtype, size_t count, const double *values);
#define VECTOR(dtype, ...)                                                                         \
    vector(dtype, sizeof(double[]){__VA_ARGS__} / sizeof(double), (const double[]){__VA_ARGS__})

struct pm_leaf value(const char *json);
struct pm_leaf type(const char *name);
struct pm_leaf container(const char *name);
/* Returns the leaf under the path `path` instead of "out". */
struct pm_leaf named(struct pm_leaf leaf, const char *path);

/* Compares two leaves and releases both. */
struct pm_difference compare_as(struct pm_leaf got, struct pm_leaf want,
                                struct pm_compare_rule rule);
struct pm_difference compare(struct pm_leaf got, struct pm_leaf want, enum pm_compare how);

#define assert_kind(difference, expected)                                                          \
    do {                                                                                           \
        const struct pm_difference d_ = (difference);                                              \
        if (d_.kind != (expected))                                                                 \
            fail_msg("kind %d: %s", (int)d_.kind, d_.text);                                        \
    } while (0)

#endif

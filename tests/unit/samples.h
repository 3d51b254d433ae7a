/* Rankings and samples for tests. If one of these functions fails, the test fails. */
#ifndef PM_TESTS_UNIT_SAMPLES_H
#define PM_TESTS_UNIT_SAMPLES_H

#include "sample/sample.h"

/* Returns a ranking of `count` functions: "f000" with 1 use, "f001" with 2, ... The caller releases
 * it. */
struct pm_ranking made_up(size_t count);

/* Returns a plan with the default sizes. */
struct pm_sample_plan plan_of(enum pm_strata_rule rule, uint64_t seed);

struct pm_sample draw(const struct pm_ranking *ranking, const struct pm_sample_plan *plan);

/* Returns the sample's audit trail as text; the caller frees it. */
char *explain(const struct pm_sample *sample);

#endif

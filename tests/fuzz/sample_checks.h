/* Checks that every drawn or read sample must pass, for the targets 'ranking' and 'sample'. */
#ifndef PM_TESTS_FUZZ_SAMPLE_CHECKS_H
#define PM_TESTS_FUZZ_SAMPLE_CHECKS_H

#include "sample/sample.h"

/* Checks that the trail of a sample has a line for each stratum and step, that writing and reading
 * the sample as JSON does not change it, and that shares estimated from marks that `seed` chooses
 * have intervals within [0, 1]. */
void fuzz_check_sample(const struct pm_sample *sample, unsigned seed);

#endif

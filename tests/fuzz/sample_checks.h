/* Checks that every drawn or read sample must pass, for the targets 'ranking' and 'sample'. */
#ifndef PM_TESTS_FUZZ_SAMPLE_CHECKS_H
#define PM_TESTS_FUZZ_SAMPLE_CHECKS_H

#include "sample/sample.h"

/* Prints the trail of a sample, writes it as JSON and reads it, which must not change it, and
 * estimates shares from marks that `seed` chooses; the intervals must be within [0, 1]. */
void fuzz_check_sample(const struct pm_sample *sample, unsigned seed);

#endif

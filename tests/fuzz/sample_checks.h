/* What every sample must bear, whether it was drawn or read: for the targets 'ranking' and
 * 'sample'. */
#ifndef PM_TESTS_FUZZ_SAMPLE_CHECKS_H
#define PM_TESTS_FUZZ_SAMPLE_CHECKS_H

#include "sample/sample.h"

/* Prints its trail; sends it to JSON and back, which must not change it; estimates shares from
 * marks that `seed` chooses, whose intervals must be within [0, 1]. */
void fuzz_check_sample(const struct pm_sample *sample, unsigned seed);

#endif

/* Declarations that the files of this room and their unit tests share. */
#ifndef PM_BASE_BASE_PRIVATE_H
#define PM_BASE_BASE_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Computes one block of Philox 4x32-10, as Random123 defines it. */
void pm_base__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

/* Returns the natural logarithm of a positive, normal number. The error is below 1 unit in the last
 * place or 2^-53, whichever is larger. */
double pm_base__log(double x);

#endif

/*
 * The input generator: the same bits on every machine.
 *
 * Element i depends on the key, the seed and i, and on nothing else (struct pm_stream of
 * base/random.h). Integer arithmetic, + - x / and square root only; compiled with contraction and
 * vectorising off (gcc 12 fuses vectorised complex products even so); no libm. A complex element's
 * parts are drawn independently. In distributions that count (permutation, range) or are constant
 * the imaginary part is 0.
 */
#ifndef PM_ARRAY_GENERATE_H
#define PM_ARRAY_GENERATE_H

#include "array/input.h"

/* Fills *out (released by the caller) with the values for `key`, by convention
 * "torch.argsort/rows[float32]/x", and `seed`. */
PM_MUST_USE int pm_generate(const struct pm_input_spec *spec, const char *key, uint64_t seed,
                            struct pm_array *out, struct pm_error *err);

#endif

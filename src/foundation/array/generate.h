/*
 * The input generator: the same bits on every machine.
 *
 * Element i depends only on the key, the seed and i (struct pm_stream of base/random.h). The code
 * uses only integer arithmetic, + - x / and square root, and no libm. It is compiled without
 * contraction and without vectorisation. It is not enough to disable contraction: gcc 12 still
 * fuses vectorised complex products. The two parts of a complex element are drawn independently.
 * For permutation, range and constant distributions, the imaginary part is 0.
 */
#ifndef PM_ARRAY_GENERATE_H
#define PM_ARRAY_GENERATE_H

#include "array/input.h"

/* Fills *out with the values for `key` and `seed`. A key has a form such as
 * "torch.argsort/rows[float32]/x". The caller releases *out. Fails (PM_EFORMAT), with *out zeroed,
 * if no array can be generated from the specification. */
PM_MUST_USE int pm_generate(const struct pm_input_spec *spec, const char *key, uint64_t seed,
                            struct pm_array *out, struct pm_error *err);

#endif

/*
 * Array values: dtype, shape, bytes in C order and this machine's (little-endian) byte order.
 *
 * A pm_array owns its bytes. The functions read and write elements of every dtype as double, which
 * is exact except for int64 and uint64, and elements of integer dtypes and bool also as int64_t.
 */
#ifndef PM_ARRAY_ARRAY_H
#define PM_ARRAY_ARRAY_H

#include <stdint.h>

#include "array/dtype.h"
#include "base/digest.h"
#include "base/error.h"

enum { PM_MAX_DIMS = 64 }; /* the limit of PyTorch and NumPy */

struct pm_shape {
    unsigned dims; /* 0: a scalar */
    int64_t size[PM_MAX_DIMS];
};

struct pm_array {
    enum pm_dtype dtype;
    struct pm_shape shape;
    size_t count; /* elements */
    size_t bytes;
    unsigned char *data; /* never NULL after pm_array_init(), even if bytes is 0 */
};

/* Makes an array of zeros, which the caller releases. Fails (PM_EFORMAT) for more than PM_MAX_DIMS
 * dimensions, a negative size, or more than PM_ARRAY_MAX_BYTES bytes. */
#define PM_ARRAY_MAX_BYTES ((size_t)8 << 30)
PM_MUST_USE int pm_array_init(struct pm_array *array, enum pm_dtype dtype,
                              const struct pm_shape *shape, struct pm_error *err);
void pm_array_release(struct pm_array *array); /* accepts a zeroed or already released array */

/* Makes an array without bytes from the texts of its dtype and shape ("float32", "[4,200]"): dtype,
 * shape, count and bytes are set, data is NULL. The texts may come from an untrusted source.
 * Returns false, with *out zeroed, for an unknown dtype, for a shape that is not written exactly as
 * pm_shape_text() writes it or has more than PM_MAX_DIMS dimensions, and if the number of bytes
 * overflows a size_t. */
bool pm_array_of_text(const char *dtype, const char *shape, struct pm_array *out);

/* Stores the number of elements of a shape in *out. Returns false on overflow or a negative
 * size. */
bool pm_shape_count(const struct pm_shape *shape, size_t *out);
bool pm_shape_equal(const struct pm_shape *a, const struct pm_shape *b);
/* Writes a shape as "[4,200]", or "[]" for a scalar, and returns out. PM_SHAPE_TEXT bytes are
 * enough for any shape: each size takes at most 20 characters and a comma. */
enum { PM_SHAPE_TEXT = 21 * PM_MAX_DIMS + 3 };
const char *pm_shape_text(const struct pm_shape *shape, char out[static PM_SHAPE_TEXT]);

/* Returns the digest of the bytes and of their type, such as "float32[4,200]". If their dtype or
 * shape differs, the same bytes have a different digest. */
struct pm_digest pm_digest_of(enum pm_dtype dtype, const struct pm_shape *shape, const void *data,
                              size_t bytes);

/* Return the real and the imaginary part of element `i`. The imaginary part is 0 unless the dtype
 * is complex. */
double pm_array_real(const struct pm_array *array, size_t i);
double pm_array_imag(const struct pm_array *array, size_t i);
/* Reads `count` elements from element `first` on into `real` and `imag`, many times faster than one
 * by one. */
void pm_array_numbers(const struct pm_array *array, size_t first, size_t count, double *real,
                      double *imag);
/* Sets element `i`. A floating-point or complex dtype rounds the value to the nearest, ties to
 * even. An integer dtype or bool truncates the value towards 0 and clamps it to the dtype's range;
 * NaN becomes 0. */
void pm_array_set(struct pm_array *array, size_t i, double real, double imag);
int64_t pm_array_int(const struct pm_array *array, size_t i);       /* integers and bool only */
void pm_array_set_int(struct pm_array *array, size_t i, int64_t v); /* wraps to the dtype's width */

#endif

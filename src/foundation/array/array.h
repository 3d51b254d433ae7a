/*
 * Array values: dtype, shape, bytes in C order and this machine's (little-endian) byte order.
 *
 * A pm_array owns its bytes. Elements are read and written as double, int64, uint64 whatever the
 * dtype, which is exact for every dtype but (u)int64 through double.
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
    unsigned char *data; /* never NULL after pm_array_init(), even where bytes is 0 */
};

/* Makes an array of zeros. Fails (PM_EFORMAT) for a negative size, and for more bytes than
 * PM_ARRAY_MAX_BYTES. */
#define PM_ARRAY_MAX_BYTES ((size_t)8 << 30)
PM_MUST_USE int pm_array_init(struct pm_array *array, enum pm_dtype dtype,
                              const struct pm_shape *shape, struct pm_error *err);
void pm_array_release(struct pm_array *array); /* accepts a zeroed struct, or one released before */

/* Makes an array without bytes from the texts of its dtype and shape ("float32", "[4,200]"): dtype,
 * shape, count and bytes are set, data is NULL. The texts may come from anybody. Returns false,
 * with *out zeroed, for an unknown dtype, for a shape that pm_shape_text() would write otherwise,
 * with more than PM_MAX_DIMS dimensions or a negative size, and if the bytes overflow a size_t. */
bool pm_array_of_text(const char *dtype, const char *shape, struct pm_array *out);

/* Computes the number of elements of a shape; false on overflow or a negative size. */
bool pm_shape_count(const struct pm_shape *shape, size_t *out);
bool pm_shape_equal(const struct pm_shape *a, const struct pm_shape *b);
/* Writes "[4,200]", "[]" for a scalar; returns out. There is room for any shape: 20 characters and
 * a comma for each size. */
enum { PM_SHAPE_TEXT = 21 * PM_MAX_DIMS + 3 };
const char *pm_shape_text(const struct pm_shape *shape, char out[static PM_SHAPE_TEXT]);

/* Returns the digest of the bytes and of their type, such as "float32[4,200]": with another dtype
 * or shape, the same bytes have another digest. */
struct pm_digest pm_digest_of(enum pm_dtype dtype, const struct pm_shape *shape, const void *data,
                              size_t bytes);

/* Returns the element `i` of a real or complex array; the imaginary part of a real element is 0. */
double pm_array_real(const struct pm_array *array, size_t i);
double pm_array_imag(const struct pm_array *array, size_t i);
/* Reads `count` elements from `first` on, many times faster than one by one. */
void pm_array_numbers(const struct pm_array *array, size_t first, size_t count, double *real,
                      double *imag);
/* Sets the element `i`. A narrower dtype rounds the value to the nearest even; integers and bool
 * truncate it and saturate. */
void pm_array_set(struct pm_array *array, size_t i, double real, double imag);
int64_t pm_array_int(const struct pm_array *array, size_t i);       /* integers and bool only */
void pm_array_set_int(struct pm_array *array, size_t i, int64_t v); /* wraps to the dtype's width */

#endif

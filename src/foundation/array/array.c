/* Handles shapes, and creates, frees and digests arrays. */
#include "array/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

bool pm_shape_count(const struct pm_shape *shape, size_t *out)
{
    size_t count = 1;
    bool empty = false, overflow = false;
    for (unsigned d = 0; d < shape->dims; d++) {
        if (shape->size[d] < 0)
            return false;
        empty = empty || shape->size[d] == 0;
        overflow = overflow || !pm_mul(&count, count, (size_t)shape->size[d]);
    }
    *out = empty ? 0 : count;
    return empty || !overflow;
}

bool pm_shape_equal(const struct pm_shape *a, const struct pm_shape *b)
{
    return a->dims == b->dims && memcmp(a->size, b->size, a->dims * sizeof a->size[0]) == 0;
}

const char *pm_shape_text(const struct pm_shape *shape, char out[static PM_SHAPE_TEXT])
{
    size_t used = 0;
    out[used++] = '[';
    for (unsigned d = 0; d < shape->dims; d++)
        used += (size_t)snprintf(out + used, PM_SHAPE_TEXT - used, "%s%lld", d ? "," : "",
                                 (long long)shape->size[d]);
    snprintf(out + used, PM_SHAPE_TEXT - used, "]");
    return out;
}

int pm_array_init(struct pm_array *array, enum pm_dtype dtype, const struct pm_shape *shape,
                  struct pm_error *err)
{
    char text[PM_SHAPE_TEXT];
    size_t count, bytes;
    *array = (struct pm_array){0};
    if (shape->dims > PM_MAX_DIMS)
        return pm_error_set(
            err, PM_EFORMAT,
            "the array has %u dimensions, more than portmeter's limit of %d: use fewer",
            shape->dims, PM_MAX_DIMS);
    if (!pm_shape_count(shape, &count) || !pm_mul(&bytes, count, pm_dtype_size(dtype)) ||
        bytes > PM_ARRAY_MAX_BYTES)
        return pm_error_set(
            err, PM_EFORMAT,
            "array '%s%s' is larger than portmeter's limit of %zu GiB: use a smaller shape",
            pm_dtype_name(dtype), pm_shape_text(shape, text), PM_ARRAY_MAX_BYTES >> 30);
    array->dtype = dtype;
    array->shape = *shape;
    array->count = count;
    array->bytes = bytes;
    array->data = pm_alloc(bytes);
    return PM_OK;
}

void pm_array_release(struct pm_array *array)
{
    free(array->data);
    *array = (struct pm_array){0};
}

struct pm_digest pm_digest_of(enum pm_dtype dtype, const struct pm_shape *shape, const void *data,
                              size_t bytes)
{
    char size[PM_SHAPE_TEXT], type[sizeof size + 32];
    snprintf(type, sizeof type, "%s%s", pm_dtype_name(dtype), pm_shape_text(shape, size));
    return pm_digest_typed(type, data, bytes);
}

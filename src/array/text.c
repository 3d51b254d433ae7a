/* An array's dtype, shape and count from their names. */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"

/* "[4,200]", "[]": no spaces, no signs. */
static bool parse_shape(const char *text, struct pm_shape *shape)
{
    *shape = (struct pm_shape){0};
    if (*text++ != '[')
        return false;
    if (!strcmp(text, "]"))
        return true;
    for (;;) {
        char *end;
        if (*text < '0' || *text > '9' || shape->dims == PM_MAX_DIMS)
            return false;
        const unsigned long long size = strtoull(text, &end, 10);
        if (size > INT64_MAX)
            return false;
        shape->size[shape->dims++] = (int64_t)size;
        if (*end != ',')
            return !strcmp(end, "]");
        text = end + 1;
    }
}

bool pm_array_of_text(const char *dtype, const char *shape, struct pm_array *array)
{
    return pm_dtype_parse(dtype, &array->dtype) && parse_shape(shape, &array->shape) &&
           pm_shape_count(&array->shape, &array->count);
}

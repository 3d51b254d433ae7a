/* Makes arrays from the texts of their dtype and shape, which answers and databases contain. */
#include <string.h>

#include "array/array_private.h"
#include "base/alloc.h"

/* Reads a shape only as pm_shape_text() writes it: each shape has exactly one text, and any other
 * text is damage. */
static bool shape_of_text(const char *text, struct pm_shape *out)
{
    char again[PM_SHAPE_TEXT];
    const char *end = text;
    return pm_array__take_shape(&end, out, NULL) == PM_OK && !*end &&
           strcmp(text, pm_shape_text(out, again)) == 0;
}

bool pm_array_of_text(const char *dtype, const char *shape, struct pm_array *out)
{
    *out = (struct pm_array){0};
    if (pm_dtype_parse(dtype, &out->dtype) && shape_of_text(shape, &out->shape) &&
        pm_shape_count(&out->shape, &out->count) &&
        pm_mul(&out->bytes, out->count, pm_dtype_size(out->dtype)))
        return true;
    *out = (struct pm_array){0};
    return false;
}

/* Turns vectors towards their reference, for results that are correct up to a sign or a phase. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "judge/judge_private.h"

struct factor {
    double real, imag;
};

/* Returns the factor of absolute value 1 that brings `got` nearest to `want` (least squares): the
 * direction of their inner product, over the elements that are finite in both. */
static struct factor factor_of(const struct pm_array *got, const struct pm_array *want,
                               struct pm_judge__vector v)
{
    double real = 0, imag = 0;
    for (size_t k = 0, i = v.first; k < v.length; k++, i += v.step) {
        const double gr = pm_array_real(got, i), gi = pm_array_imag(got, i);
        const double wr = pm_array_real(want, i), wi = pm_array_imag(want, i);
        if (!isfinite(gr) || !isfinite(gi) || !isfinite(wr) || !isfinite(wi))
            continue;
        real += gr * wr + gi * wi;
        imag += gr * wi - gi * wr;
    }
    if (imag == 0 || pm_dtype_kind(got->dtype) != PM_KIND_COMPLEX)
        return (struct factor){real < 0 ? -1 : 1, 0};
    const double size = hypot(real, imag);
    return isfinite(size) ? (struct factor){real / size, imag / size} : (struct factor){1, 0};
}

static void multiply(struct pm_array *array, struct pm_judge__vector v, struct factor f)
{
    for (size_t k = 0, i = v.first; k < v.length; k++, i += v.step) {
        const double real = pm_array_real(array, i), imag = pm_array_imag(array, i);
        if (f.imag == 0)
            pm_array_set(array, i, f.real * real, f.real * imag);
        else
            pm_array_set(array, i, f.real * real - f.imag * imag, f.real * imag + f.imag * real);
    }
}

bool pm_judge__align(const struct pm_array *got, const struct pm_array *want, struct pm_array *out)
{
    const unsigned dims = got->shape.dims;
    if (dims < 2 || !got->count || !pm_judge__floats(got->dtype) || !pm_judge__floats(want->dtype))
        return false;
    *out = *got;
    out->data = pm_alloc(got->bytes);
    memcpy(out->data, got->data, got->bytes);
    const size_t columns = (size_t)got->shape.size[dims - 1];
    const size_t rows = (size_t)got->shape.size[dims - 2];
    for (size_t matrix = 0; matrix < got->count; matrix += rows * columns) {
        for (size_t column = 0; column < columns; column++) {
            const struct pm_judge__vector v = {matrix + column, columns, rows};
            multiply(out, v, factor_of(got, want, v));
        }
    }
    return true;
}

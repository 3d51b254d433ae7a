/* Turns vectors towards their reference, for results that are correct up to a sign or a phase. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "judge/judge_private.h"

/* One vector: `length` elements from `first` on, `step` apart. */
struct vector {
    size_t first, step, length;
};

struct factor {
    double real, imag;
};

/* Returns the factor of absolute value 1 that brings `got` nearest to `want` (least squares): the
 * direction of their inner product, over the elements that are finite in both. */
static struct factor factor_of(const struct pm_array *got, const struct pm_array *want,
                               struct vector v)
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

static void multiply(struct pm_array *array, struct vector v, struct factor f)
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
            const struct vector v = {matrix + column, columns, rows};
            multiply(out, v, factor_of(got, want, v));
        }
    }
    return true;
}

/* ---- results that are compared too strictly ---------------------------------------------------
 */

/* The largest matrix that is checked for orthonormal vectors, and the largest error of an inner
 * product. */
enum { MOST_VECTORS = 512 };
static const double LEAST_ORTHOGONAL = 1e-2;

/* Returns the inner product of two vectors; of complex ones, the size of the complex product. */
static double inner(const struct pm_array *array, struct vector a, struct vector b)
{
    double real = 0, imag = 0;
    for (size_t k = 0, i = a.first, j = b.first; k < a.length; k++, i += a.step, j += b.step) {
        const double ar = pm_array_real(array, i), ai = pm_array_imag(array, i);
        const double br = pm_array_real(array, j), bi = pm_array_imag(array, j);
        real += ar * br + ai * bi;
        imag += ar * bi - ai * br;
    }
    return hypot(real, imag);
}

/* Returns whether `count` vectors, each of which begins `apart` after the previous one, have length
 * 1 and are orthogonal. */
static bool are_orthonormal(const struct pm_array *array, struct vector first, size_t apart,
                            size_t count)
{
    struct vector a = first, b;
    for (size_t i = 0; i < count; i++, a.first += apart) {
        b = first;
        for (size_t j = 0; j <= i; j++, b.first += apart)
            if (!(fabs(inner(array, a, b) - (i == j)) <= LEAST_ORTHOGONAL))
                return false;
    }
    return true;
}

/* Returns a copy with the rows of each matrix as columns. The caller releases it. */
static struct pm_array transposed(const struct pm_array *array)
{
    struct pm_array out = *array;
    const unsigned dims = array->shape.dims;
    const size_t rows = (size_t)array->shape.size[dims - 2];
    const size_t columns = (size_t)array->shape.size[dims - 1];
    const size_t width = array->bytes / array->count;
    unsigned char *to = pm_alloc(array->bytes);
    const unsigned char *from = array->data;
    for (size_t i = 0; i < array->count; i++) {
        const size_t matrix = i / (rows * columns), place = i % (rows * columns);
        const size_t row = place / columns, column = place % columns;
        memcpy(to + (matrix * rows * columns + column * rows + row) * width, from + i * width,
               width);
    }
    out.data = to;
    out.shape.size[dims - 2] = array->shape.size[dims - 1];
    out.shape.size[dims - 1] = array->shape.size[dims - 2];
    return out;
}

/* Returns whether the columns of each matrix are orthonormal. */
static bool has_orthonormal_columns(const struct pm_array *array)
{
    const unsigned dims = array->shape.dims;
    const size_t rows = (size_t)array->shape.size[dims - 2];
    const size_t columns = (size_t)array->shape.size[dims - 1];
    bool all = rows > 1 && rows >= columns && rows <= MOST_VECTORS;
    for (size_t matrix = 0; all && matrix < array->count; matrix += rows * columns)
        all = are_orthonormal(array, (struct vector){matrix, columns, rows}, 1, columns);
    return all;
}

static bool columns_are_turned(const struct pm_array *got, const struct pm_array *want,
                               const struct pm_compare_rule *rule)
{
    struct pm_compare_rule turned = *rule;
    struct pm_difference difference = {0};
    if (!has_orthonormal_columns(want))
        return false;
    turned.how = PM_COMPARE_SIGN;
    pm_judge__compare_values("", got, want, &turned, NULL, &difference);
    return difference.kind == PM_DIFFERENCE_NONE;
}

bool pm_judge__is_turned(const struct pm_array *got, const struct pm_array *want,
                         const struct pm_compare_rule *rule)
{
    if (rule->how != PM_COMPARE_CLOSE || want->shape.dims < 2 || !want->count ||
        !pm_judge__floats(got->dtype) || !pm_judge__floats(want->dtype))
        return false;
    if (columns_are_turned(got, want, rule))
        return true;
    struct pm_array got_rows = transposed(got), want_rows = transposed(want);
    const bool rows = columns_are_turned(&got_rows, &want_rows, rule);
    pm_array_release(&got_rows);
    pm_array_release(&want_rows);
    return rows;
}

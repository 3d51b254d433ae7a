/* Compares two arrays, and says so if only the signs of orthonormal vectors differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "judge/judge_private.h"

/* The most rows of a matrix that is checked for orthonormal columns, and the largest error of an
 * inner product. */
enum { MOST_VECTORS = 512 };
static const double LEAST_ORTHOGONAL = 1e-2;

/* Returns the absolute value of the inner product of two vectors. */
static double inner(const struct pm_array *array, struct pm_judge__vector a,
                    struct pm_judge__vector b)
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
static bool are_orthonormal(const struct pm_array *array, struct pm_judge__vector first,
                            size_t apart, size_t count)
{
    struct pm_judge__vector a = first, b;
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
        all = are_orthonormal(array, (struct pm_judge__vector){matrix, columns, rows}, 1, columns);
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
    pm_judge__compare_elements("", got, want, &turned, NULL, &difference);
    return difference.kind == PM_DIFFERENCE_NONE;
}

/* Returns whether two arrays of equal shapes, which differ under a rule CLOSE, are matrices with
 * the same orthonormal columns or rows up to sign. Many of these vectors, such as those of a
 * decomposition, are determined only up to sign, so the case compares them too strictly. */
static bool is_turned(const struct pm_array *got, const struct pm_array *want,
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

void pm_judge__compare_values(const char *path, const struct pm_array *got,
                              const struct pm_array *want, const struct pm_compare_rule *rule,
                              struct pm_closeness *closeness, struct pm_difference *out)
{
    const bool differed = out->kind != PM_DIFFERENCE_NONE;
    pm_judge__compare_elements(path, got, want, rule, closeness, out);
    if (differed || out->kind == PM_DIFFERENCE_NONE || !is_turned(got, want, rule))
        return;
    struct pm_str place = PM_STR_INIT;
    pm_str_addf(&place, "%s%s" PM_ONLY_SIGNS, path, *path ? ": " : "");
    out->kind = PM_DIFFERENCE_NONE;
    pm_judge__compare_elements(place.data, got, want, rule, NULL, out);
    pm_str_release(&place);
}

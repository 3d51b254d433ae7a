/*
 * Fills arrays with positive definite, orthogonal and triangular matrices, which are computed in
 * float64 and rounded once. Real matrices are computed as complex matrices with zero imaginary
 * parts, so both use the same algorithm and order of operations.
 */
#include <stdlib.h>

#include "array/array_private.h"
#include "base/alloc.h"

struct number {
    double re, im;
};

static struct number add(struct number a, struct number b)
{
    return (struct number){a.re + b.re, a.im + b.im};
}

static struct number scale(struct number a, double factor)
{
    return (struct number){a.re * factor, a.im * factor};
}

static struct number multiply(struct number a, struct number b)
{
    return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static struct number conjugate(struct number a)
{
    return (struct number){a.re, -a.im};
}

static double square(struct number a)
{
    return a.re * a.re + a.im * a.im;
}

struct matrices {
    size_t rows, columns, count; /* count: in the batch */
};

/* Returns the number and the size of the matrices in an array. For an empty array, returns zeros,
 * because the other sizes in its shape have no limit. */
static struct matrices matrices_of(const struct pm_array *array)
{
    const int64_t *last = &array->shape.size[array->shape.dims - 1];
    if (!array->count)
        return (struct matrices){0, 0, 0};
    const size_t rows = (size_t)last[-1], columns = (size_t)last[0];
    return (struct matrices){rows, columns, array->count / (rows * columns)};
}

/* Draws standard normals for the elements from `first` on. For a complex array, draws both
 * parts. */
static void draw_normals(struct number *out, size_t count, const struct pm_array *array,
                         const struct pm_stream *stream, size_t first)
{
    const bool is_complex = pm_dtype_kind(array->dtype) == PM_KIND_COMPLEX;
    for (size_t i = 0; i < count; i++) {
        out[i].re = pm_stream_normal(stream, first + i, 0);
        out[i].im = is_complex ? pm_stream_normal(stream, first + i, 1) : 0;
    }
}

/* Fills in G G* / n + I for normal G: the eigenvalues are between 1 and about 5 (9 if complex), so
 * any solver can be accurate. */
static void spd_one(struct pm_array *array, size_t first, size_t n, const struct number *g)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            struct number sum = {0, 0};
            for (size_t k = 0; k < n; k++)
                sum = add(sum, multiply(g[i * n + k], conjugate(g[j * n + k])));
            sum = (struct number){sum.re / (double)n, sum.im / (double)n};
            if (i == j)
                sum = (struct number){sum.re + 1, 0};
            pm_array_set(array, first + i * n + j, sum.re, sum.im);
            pm_array_set(array, first + j * n + i, sum.re, i == j ? 0 : -sum.im);
        }
    }
}

void pm_array__fill_spd(const struct pm_fill *fill)
{
    struct pm_array *array = fill->array;
    const struct matrices m = matrices_of(array);
    const size_t size = m.rows * m.columns;
    struct number *g = pm_realloc_array(NULL, size, sizeof *g);
    for (size_t b = 0; b < m.count; b++) {
        draw_normals(g, size, array, &fill->stream, b * size);
        spd_one(array, b * size, m.rows, g);
    }
    free(g);
}

/* Fills lower triangular matrices with diagonals in [1,2) and with real and imaginary parts in
 * [-1/(2n), 1/(2n)) below them. The diagonal dominates, so the matrices are well-conditioned. */
void pm_array__fill_triangular(const struct pm_fill *fill)
{
    struct pm_array *array = fill->array;
    const struct matrices m = matrices_of(array);
    const enum pm_dtype part = pm_array__part(array->dtype);
    const double largest = pm_array__below_bound(part, 2);
    for (size_t e = 0; e < array->count; e++) {
        const size_t row = e / m.columns % m.rows, column = e % m.columns;
        const double u = pm_random_unit(pm_stream_bits(&fill->stream, e, 0));
        const double v = pm_random_unit(pm_stream_bits(&fill->stream, e, 1));
        if (row == column)
            pm_array_set(array, e, 1 + u < largest ? 1 + u : largest, 0);
        else if (row > column)
            pm_array_set(array, e, (u - 0.5) / (double)m.rows, (v - 0.5) / (double)m.rows);
    }
}

/* Multiplies column `c` of the column-major `a` (m rows) by H = I - 2 v v* / |v|^2, with v in the
 * rows from k on. */
static void reflect(struct number *a, size_t m, size_t c, const struct number *v, double v_square,
                    size_t k)
{
    struct number dot = {0, 0};
    for (size_t i = k; i < m; i++)
        dot = add(dot, multiply(conjugate(v[i]), a[c * m + i]));
    dot = scale(dot, -2 / v_square);
    for (size_t i = k; i < m; i++)
        a[c * m + i] = add(a[c * m + i], multiply(dot, v[i]));
}

/* Overwrites column k of `a`, from row k on, with the vector v of its Householder reflection.
 * Returns |v|^2. */
static double householder(struct number *a, size_t m, size_t k)
{
    struct number *x = a + k * m;
    double norm_square = 0;
    for (size_t i = k; i < m; i++)
        norm_square += square(x[i]);
    const double norm = pm_array__sqrt(norm_square), head = pm_array__sqrt(square(x[k]));
    if (head > 0)
        x[k] = add(x[k], scale(x[k], norm / head)); /* in phase, so nothing cancels */
    else
        x[k].re = norm;
    double v_square = 0;
    for (size_t i = k; i < m; i++)
        v_square += square(x[i]);
    return v_square;
}

/* Overwrites the m by n (m >= n) column-major `a` with the Q of its QR decomposition. `v` and
 * `squares` are work space of m * n and n elements. */
static void orthonormalise(struct number *a, struct number *v, double *squares, size_t m, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        squares[k] = householder(a, m, k);
        for (size_t c = k + 1; c < n && squares[k] > 0; c++)
            reflect(a, m, c, a + k * m, squares[k], k);
    }
    for (size_t i = 0; i < m * n; i++) {
        v[i] = a[i];
        a[i] = (struct number){i % m == i / m, 0};
    }
    for (size_t k = n; k-- > 0;)
        for (size_t c = k; c < n && squares[k] > 0; c++)
            reflect(a, m, c, v + k * m, squares[k], k);
}

/* Fills matrices with orthonormal columns, or with orthonormal rows if there are fewer rows than
 * columns. */
void pm_array__fill_orthogonal(const struct pm_fill *fill)
{
    struct pm_array *array = fill->array;
    const struct matrices matrices = matrices_of(array);
    const bool wide = matrices.columns > matrices.rows;
    const size_t m = wide ? matrices.columns : matrices.rows;
    const size_t n = wide ? matrices.rows : matrices.columns, size = m * n;
    struct number *a = pm_realloc_array(NULL, size, sizeof *a);
    struct number *v = pm_realloc_array(NULL, size, sizeof *v);
    double *squares = pm_realloc_array(NULL, n, sizeof *squares);
    for (size_t b = 0; b < matrices.count; b++) {
        draw_normals(a, size, array, &fill->stream, b * size);
        orthonormalise(a, v, squares, m, n);
        for (size_t i = 0; i < size; i++) { /* `a` is column-major; the array is in C order */
            const size_t at = wide ? i : i % m * n + i / m;
            pm_array_set(array, b * size + at, a[i].re, a[i].im);
        }
    }
    free(a);
    free(v);
    free(squares);
}

/* Fills arrays with values: one function per distribution. */
#include "array/generate.h"

#include <string.h>

#include "array/array_private.h"

typedef void fill_fn(const struct pm_fill *fill);

static bool is_floating(const struct pm_array *array)
{
    const enum pm_kind kind = pm_dtype_kind(array->dtype);
    return kind == PM_KIND_FLOAT || kind == PM_KIND_COMPLEX;
}

static bool is_complex(const struct pm_array *array)
{
    return pm_dtype_kind(array->dtype) == PM_KIND_COMPLEX;
}

static void put_whole(struct pm_array *array, size_t i, int64_t real, int64_t imag)
{
    if (is_floating(array))
        pm_array_set(array, i, (double)real, (double)imag);
    else
        pm_array_set_int(array, i, real);
}

static void fill_normal(const struct pm_fill *fill)
{
    const double mean = fill->spec->argument[0], sd = fill->spec->argument[1];
    const bool two = is_complex(fill->array);
    for (size_t i = 0; i < fill->array->count; i++) {
        const double real = mean + sd * pm_stream_normal(&fill->stream, i, 0);
        const double imag = two ? mean + sd * pm_stream_normal(&fill->stream, i, 1) : 0;
        pm_array_set(fill->array, i, real, imag);
    }
}

struct interval {
    double low, high;       /* the requested bounds, half-open */
    double least, greatest; /* least and greatest value of the dtype within the bounds */
};

/* Draws a uniform number. Rounding can reach the upper end, or fall below a lower end that the
 * dtype cannot represent: such a value becomes the nearest one of the dtype within the bounds. */
static double uniform_at(const struct interval *in, uint64_t bits)
{
    const double x = in->low + (in->high - in->low) * pm_random_unit(bits);
    return x < in->least ? in->least : x > in->greatest ? in->greatest : x;
}

static void fill_uniform(const struct pm_fill *fill)
{
    const double low = fill->spec->argument[0], high = fill->spec->argument[1];
    const enum pm_dtype dtype = fill->array->dtype;
    const struct interval in = {low, high, pm_array__at_least(dtype, low),
                                pm_array__below_bound(dtype, high)};
    const bool two = is_complex(fill->array);
    for (size_t i = 0; i < fill->array->count; i++) {
        const double real = uniform_at(&in, pm_stream_bits(&fill->stream, i, 0));
        const double imag = two ? uniform_at(&in, pm_stream_bits(&fill->stream, i, 1)) : 0;
        pm_array_set(fill->array, i, real, imag);
    }
}

static void fill_integers(const struct pm_fill *fill)
{
    const int64_t low = (int64_t)fill->spec->argument[0], high = (int64_t)fill->spec->argument[1];
    const uint64_t span = (uint64_t)(high - low);
    const bool two = is_complex(fill->array);
    for (size_t i = 0; i < fill->array->count; i++) {
        const int64_t real = low + (int64_t)pm_stream_below(&fill->stream, i, 0, span);
        const int64_t imag = two ? low + (int64_t)pm_stream_below(&fill->stream, i, 1, span) : 0;
        put_whole(fill->array, i, real, imag);
    }
}

static void fill_bernoulli(const struct pm_fill *fill)
{
    const double p = fill->spec->argument[0];
    for (size_t i = 0; i < fill->array->count; i++) {
        const bool real = pm_random_unit(pm_stream_bits(&fill->stream, i, 0)) < p;
        const bool imag = pm_random_unit(pm_stream_bits(&fill->stream, i, 1)) < p;
        put_whole(fill->array, i, real, imag);
    }
}

static void copy_element(struct pm_array *array, size_t to, size_t from)
{
    if (is_floating(array))
        pm_array_set(array, to, pm_array_real(array, from), 0);
    else
        pm_array_set_int(array, to, pm_array_int(array, from));
}

/* Fills each row with a permutation by the inside-out Fisher-Yates shuffle, which does not need the
 * numbers 0..n-1 in advance. */
static void fill_permutation(const struct pm_fill *fill)
{
    struct pm_array *array = fill->array;
    const size_t n = (size_t)array->shape.size[array->shape.dims - 1];
    for (size_t i = 0; i < array->count; i++) {
        const size_t j = i % n, row = i - j;
        const size_t other = row + (size_t)pm_stream_below(&fill->stream, i, 0, j + 1);
        if (other != i)
            copy_element(array, i, other);
        put_whole(array, other, (int64_t)j, 0);
    }
}

static void fill_range(const struct pm_fill *fill)
{
    for (size_t i = 0; i < fill->array->count; i++)
        put_whole(fill->array, i, (int64_t)i, 0);
}

static void fill_constant(const struct pm_fill *fill, double value)
{
    struct pm_array *array = fill->array;
    const size_t size = pm_dtype_size(array->dtype);
    if (array->count)
        pm_array_set(array, 0, value, 0);
    for (size_t i = 1; i < array->count; i++)
        memcpy(array->data + i * size, array->data, size);
}

static void fill_zeros(const struct pm_fill *fill)
{
    (void)fill; /* an array begins with zeros */
}

static void fill_ones(const struct pm_fill *fill)
{
    fill_constant(fill, 1);
}

static void fill_full(const struct pm_fill *fill)
{
    fill_constant(fill, fill->spec->argument[0]);
}

/*
 * Special values: elements at even indices cycle through a list, and elements at odd indices are
 * ordinary (normals, or small whole numbers). An array of twice the length of the list contains the
 * whole list.
 */
enum { MAX_SPECIALS = 12 };

static size_t special_floats(enum pm_dtype dtype, double out[MAX_SPECIALS])
{
    const struct pm_float_limits l = pm_array__limits(dtype);
    const uint64_t patterns[MAX_SPECIALS] = {
        l.quiet_nan,
        l.infinity,
        l.sign | l.infinity,
        l.sign,
        0,
        l.largest,
        l.sign | l.largest,
        1, /* the smallest subnormal */
        l.sign | 1,
        l.smallest_normal - 1, /* the largest subnormal */
        l.smallest_normal,
        l.sign | l.smallest_normal,
    };
    for (unsigned i = 0; i < MAX_SPECIALS; i++)
        out[i] = pm_array__value(dtype, patterns[i]);
    return MAX_SPECIALS;
}

static void fill_special_floats(const struct pm_fill *fill)
{
    double special[MAX_SPECIALS];
    const size_t count = special_floats(fill->array->dtype, special);
    const bool two = is_complex(fill->array);
    for (size_t i = 0; i < fill->array->count; i++) {
        const size_t slot = i / 2;
        const bool ordinary = i % 2;
        const double real =
            ordinary ? pm_stream_normal(&fill->stream, i, 0) : special[slot % count];
        /* each round through the list pairs the parts differently */
        const double imag = ordinary && two ? pm_stream_normal(&fill->stream, i, 1)
                                            : special[(slot + slot / count + 1) % count];
        pm_array_set(fill->array, i, real, imag);
    }
}

static size_t special_integers(enum pm_dtype dtype, int64_t out[MAX_SPECIALS])
{
    const bool is_signed = pm_dtype_kind(dtype) == PM_KIND_SIGNED;
    const int64_t largest = (int64_t)(UINT64_MAX >> (64 - pm_array__precision(dtype)));
    size_t count = 0;
    out[count++] = largest;
    out[count++] = 0;
    if (pm_dtype_kind(dtype) == PM_KIND_BOOL)
        return count;
    out[count++] = 1;
    out[count++] = largest - 1;
    out[count++] = is_signed ? -1 : (int64_t)((uint64_t)largest / 2 + 1);
    if (is_signed) {
        out[count++] = -largest - 1;
        out[count++] = -largest;
    }
    return count;
}

static void fill_special_integers(const struct pm_fill *fill)
{
    enum { ORDINARY = 100 };
    int64_t special[MAX_SPECIALS];
    const enum pm_kind kind = pm_dtype_kind(fill->array->dtype);
    const size_t count = special_integers(fill->array->dtype, special);
    const uint64_t span = kind == PM_KIND_BOOL ? 2 : ORDINARY;
    const int64_t low = kind == PM_KIND_SIGNED ? -ORDINARY / 2 : 0;
    for (size_t i = 0; i < fill->array->count; i++) {
        const int64_t ordinary = low + (int64_t)pm_stream_below(&fill->stream, i, 0, span);
        pm_array_set_int(fill->array, i, i % 2 ? ordinary : special[i / 2 % count]);
    }
}

static void fill_special(const struct pm_fill *fill)
{
    if (is_floating(fill->array))
        fill_special_floats(fill);
    else
        fill_special_integers(fill);
}

static fill_fn *const fills[PM_DISTRIBUTION_COUNT] = {
    [PM_NORMAL] = fill_normal,
    [PM_UNIFORM] = fill_uniform,
    [PM_INTEGERS] = fill_integers,
    [PM_BERNOULLI] = fill_bernoulli,
    [PM_PERMUTATION] = fill_permutation,
    [PM_RANGE] = fill_range,
    [PM_ZEROS] = fill_zeros,
    [PM_ONES] = fill_ones,
    [PM_FULL] = fill_full,
    [PM_SPD] = pm_array__fill_spd,
    [PM_ORTHOGONAL] = pm_array__fill_orthogonal,
    [PM_TRIANGULAR] = pm_array__fill_triangular,
    [PM_SPECIAL] = fill_special,
};

int pm_generate(const struct pm_input_spec *spec, const char *key, uint64_t seed,
                struct pm_array *out, struct pm_error *err)
{
    *out = (struct pm_array){0};
    PM_TRY(pm_array__check(spec, err));
    PM_TRY(pm_array_init(out, spec->dtype, &spec->shape, err));
    const struct pm_fill fill = {out, spec, pm_stream_of(key, seed)};
    fills[spec->distribution](&fill);
    return PM_OK;
}

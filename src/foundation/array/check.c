/* Checks whether an input can be generated as specified: whether its distribution fits its dtype
 * and shape. */
#include "array/array_private.h"
#include "base/alloc.h"

typedef int check_fn(const struct pm_input_spec *spec, struct pm_error *err);

static const double whole_end = 0x1p53; /* a double represents every whole number below this */

/* The largest magnitude that a generated normal can have is 8.2095: the quantile at 2^-53. */
static const double largest_normal = 8.21;

static bool is_finite(double value)
{
    return value - value == 0;
}

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

static bool is_floating(enum pm_dtype dtype)
{
    const enum pm_kind kind = pm_dtype_kind(dtype);
    return kind == PM_KIND_FLOAT || kind == PM_KIND_COMPLEX;
}

static double largest_finite(enum pm_dtype dtype)
{
    return pm_array__value(dtype, pm_array__limits(dtype).largest);
}

static bool is_whole(double value)
{
    return magnitude(value) < whole_end && (double)(int64_t)value == value;
}

/* Returns whether the dtype can represent a whole number and all others between it and 0. */
static bool holds_whole(enum pm_dtype dtype, double value)
{
    const double end = pm_array__two_to(pm_array__precision(dtype));
    switch (pm_dtype_kind(dtype)) {
    case PM_KIND_BOOL:
        return value == 0 || value == 1;
    case PM_KIND_UNSIGNED:
        return value >= 0 && value < end;
    case PM_KIND_SIGNED:
        return value >= -end && value < end;
    default:
        return magnitude(value) <= end;
    }
}

const char *pm_array__distribution_name(enum pm_distribution distribution)
{
    static const char *const names[] = {
#define X(id, name, least, most) [PM_##id] = name,
        PM_DISTRIBUTIONS(X)
#undef X
    };
    return names[distribution];
}

static int cannot_hold(const struct pm_input_spec *spec, double value, struct pm_error *err)
{
    return pm_error_set(err, PM_EFORMAT, "%s cannot represent %.15g: use another value or dtype",
                        pm_dtype_name(spec->dtype), value);
}

static int not_whole(double value, struct pm_error *err)
{
    return pm_error_set(err, PM_EFORMAT,
                        "%.16g is not allowed: use a whole number between -2^53 and 2^53", value);
}

static int check_floating(const struct pm_input_spec *spec, struct pm_error *err)
{
    if (is_floating(spec->dtype))
        return PM_OK;
    return pm_error_set(
        err, PM_EFORMAT, "'%s' cannot generate values of %s: use a floating-point or complex dtype",
        pm_array__distribution_name(spec->distribution), pm_dtype_name(spec->dtype));
}

static int check_normal(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double mean = spec->argument[0], sd = spec->argument[1];
    PM_TRY(check_floating(spec, err));
    if (sd < 0)
        return pm_error_set(err, PM_EFORMAT,
                            "the standard deviation %.15g is negative: use 0 or more", sd);
    const double reach = magnitude(mean) + largest_normal * sd;
    return reach <= largest_finite(spec->dtype) ? PM_OK : cannot_hold(spec, reach, err);
}

static int check_uniform(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double low = spec->argument[0], high = spec->argument[1];
    PM_TRY(check_floating(spec, err));
    if (!(low < high))
        return pm_error_set(
            err, PM_EFORMAT,
            "the range [%.15g, %.15g) is empty: make the second number larger than the first", low,
            high);
    if (magnitude(low) > largest_finite(spec->dtype))
        return cannot_hold(spec, low, err);
    if (magnitude(high) > largest_finite(spec->dtype))
        return cannot_hold(spec, high, err);
    if (!is_finite(high - low))
        return pm_error_set(
            err, PM_EFORMAT,
            "the width of the range [%.15g, %.15g) exceeds the largest float64: use a "
            "narrower range",
            low, high);
    if (pm_array__at_least(spec->dtype, low) >= high)
        return pm_error_set(err, PM_EFORMAT, "%s has no value in [%.15g, %.15g): use a wider range",
                            pm_dtype_name(spec->dtype), low, high);
    return PM_OK;
}

static int check_integers(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double low = spec->argument[0], high = spec->argument[1];
    if (!is_whole(low) || !is_whole(high))
        return not_whole(is_whole(low) ? high : low, err);
    if (low >= high)
        return pm_error_set(
            err, PM_EFORMAT,
            "the range [%.15g, %.15g) is empty: make the second number larger than the first", low,
            high);
    if (!holds_whole(spec->dtype, low))
        return cannot_hold(spec, low, err);
    return holds_whole(spec->dtype, high - 1) ? PM_OK : cannot_hold(spec, high - 1, err);
}

static int check_bernoulli(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double p = spec->argument[0];
    if (p >= 0 && p <= 1)
        return PM_OK;
    return pm_error_set(err, PM_EFORMAT, "the probability is %.15g: use a number from 0 to 1", p);
}

/* Checks that a dtype represents 0 to count - 1 exactly. */
static int check_counting(const struct pm_input_spec *spec, size_t count, struct pm_error *err)
{
    const double most = pm_array__two_to(pm_array__precision(spec->dtype));
    if ((double)count <= most)
        return PM_OK;
    return pm_error_set(
        err, PM_EFORMAT, "'%s' of %zu elements is not exact in %s: use at most %.0f elements",
        pm_array__distribution_name(spec->distribution), count, pm_dtype_name(spec->dtype), most);
}

static int check_permutation(const struct pm_input_spec *spec, struct pm_error *err)
{
    if (!spec->shape.dims)
        return pm_error_set(err, PM_EFORMAT,
                            "'permutation' needs a shape of at least one dimension: write, for "
                            "example, int64[5] permutation");
    return check_counting(spec, (size_t)spec->shape.size[spec->shape.dims - 1], err);
}

static int check_range(const struct pm_input_spec *spec, struct pm_error *err)
{
    size_t count;
    if (!pm_shape_count(&spec->shape, &count))
        return pm_error_set(err, PM_EFORMAT,
                            "the shape has too many elements: use a smaller shape");
    return check_counting(spec, count, err);
}

static int check_full(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double value = spec->argument[0];
    if (!is_floating(spec->dtype) && is_finite(value) && magnitude(value) >= whole_end)
        return not_whole(value, err);
    if (!is_floating(spec->dtype))
        return is_whole(value) && holds_whole(spec->dtype, value) ? PM_OK
                                                                  : cannot_hold(spec, value, err);
    if (!is_finite(value))
        return PM_OK;
    const double held = pm_array__value(spec->dtype, pm_array__pattern(spec->dtype, value));
    const bool vanishes = value != 0 && held == 0;
    return is_finite(held) && !vanishes ? PM_OK : cannot_hold(spec, value, err);
}

static int check_matrices(const struct pm_input_spec *spec, struct pm_error *err)
{
    PM_TRY(check_floating(spec, err));
    if (spec->shape.dims >= 2)
        return PM_OK;
    return pm_error_set(err, PM_EFORMAT,
                        "'%s' needs a shape of at least two dimensions: write, for example, "
                        "float32[3,3]",
                        pm_array__distribution_name(spec->distribution));
}

static int check_square(const struct pm_input_spec *spec, struct pm_error *err)
{
    PM_TRY(check_matrices(spec, err));
    const int64_t *last = &spec->shape.size[spec->shape.dims - 1];
    if (last[-1] == last[0])
        return PM_OK;
    return pm_error_set(err, PM_EFORMAT,
                        "'%s' needs square matrices, not %lld by %lld: make the last two sizes "
                        "equal",
                        pm_array__distribution_name(spec->distribution), (long long)last[-1],
                        (long long)last[0]);
}

static check_fn *const checks[PM_DISTRIBUTION_COUNT] = {
    [PM_NORMAL] = check_normal,
    [PM_UNIFORM] = check_uniform,
    [PM_INTEGERS] = check_integers,
    [PM_BERNOULLI] = check_bernoulli,
    [PM_PERMUTATION] = check_permutation,
    [PM_RANGE] = check_range,
    [PM_FULL] = check_full,
    [PM_SPD] = check_square,
    [PM_ORTHOGONAL] = check_matrices,
    [PM_TRIANGULAR] = check_square,
};

int pm_array__check(const struct pm_input_spec *spec, struct pm_error *err)
{
    size_t count, bytes;
    if (!pm_shape_count(&spec->shape, &count) ||
        !pm_mul(&bytes, count, pm_dtype_size(spec->dtype)) || bytes > PM_ARRAY_MAX_BYTES)
        return pm_error_set(err, PM_EFORMAT,
                            "the array is larger than portmeter's limit of %zu GiB: use a smaller "
                            "shape",
                            PM_ARRAY_MAX_BYTES >> 30);
    for (unsigned i = 0; i < 2; i++)
        if (spec->distribution != PM_FULL && !is_finite(spec->argument[i]))
            return pm_error_set(err, PM_EFORMAT,
                                "'%s' has an argument that is not finite: use a finite number",
                                pm_array__distribution_name(spec->distribution));
    check_fn *check = checks[spec->distribution];
    return check ? check(spec, err) : PM_OK;
}

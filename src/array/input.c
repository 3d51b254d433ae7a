/* Specifications of inputs: their text and what can exist. */
#include <ctype.h>
#include <string.h>

#include "array/array_private.h"
#include "base/alloc.h"
#include "base/str.h"

typedef int check_fn(const struct pm_input_spec *spec, struct pm_error *err);

static const double whole_end = 0x1p53; /* below, a double holds each whole number */

/* What |quantile| of the generator's normals cannot exceed: 8.2095 at 2^-53. */
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

/* Whether the dtype has the whole number and all that are nearer to 0. */
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

static const char *name_of(enum pm_distribution distribution)
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
    return pm_error_set(err, PM_EFORMAT, "%s cannot hold %.15g", pm_dtype_name(spec->dtype), value);
}

static int check_floating(const struct pm_input_spec *spec, struct pm_error *err)
{
    if (is_floating(spec->dtype))
        return PM_OK;
    return pm_error_set(err, PM_EFORMAT, "'%s' does not fit %s, only floating and complex dtypes",
                        name_of(spec->distribution), pm_dtype_name(spec->dtype));
}

static int check_normal(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double mean = spec->argument[0], sd = spec->argument[1];
    PM_TRY(check_floating(spec, err));
    if (sd < 0)
        return pm_error_set(err, PM_EFORMAT, "standard deviation %.15g is negative", sd);
    const double reach = magnitude(mean) + largest_normal * sd;
    return reach <= largest_finite(spec->dtype) ? PM_OK : cannot_hold(spec, reach, err);
}

static int check_uniform(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double low = spec->argument[0], high = spec->argument[1];
    PM_TRY(check_floating(spec, err));
    if (!(low < high))
        return pm_error_set(err, PM_EFORMAT, "range [%.15g, %.15g) is empty", low, high);
    if (magnitude(low) > largest_finite(spec->dtype))
        return cannot_hold(spec, low, err);
    if (magnitude(high) > largest_finite(spec->dtype) || !is_finite(high - low))
        return cannot_hold(spec, high, err);
    if (pm_array__at_least(spec->dtype, low) >= high)
        return pm_error_set(err, PM_EFORMAT, "%s has no value in [%.15g, %.15g)",
                            pm_dtype_name(spec->dtype), low, high);
    return PM_OK;
}

static int check_integers(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double low = spec->argument[0], high = spec->argument[1];
    if (!is_whole(low) || !is_whole(high))
        return pm_error_set(err, PM_EFORMAT, "%.16g is no whole number below 2^53",
                            is_whole(low) ? high : low);
    if (low >= high)
        return pm_error_set(err, PM_EFORMAT, "range [%.15g, %.15g) is empty", low, high);
    if (!holds_whole(spec->dtype, low))
        return cannot_hold(spec, low, err);
    return holds_whole(spec->dtype, high - 1) ? PM_OK : cannot_hold(spec, high - 1, err);
}

static int check_bernoulli(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double p = spec->argument[0];
    if (p >= 0 && p <= 1)
        return PM_OK;
    return pm_error_set(err, PM_EFORMAT, "probability %.15g is not in [0, 1]", p);
}

/* 0 to count - 1 must be exact. */
static int check_counting(const struct pm_input_spec *spec, size_t count, struct pm_error *err)
{
    const double most = pm_array__two_to(pm_array__precision(spec->dtype));
    if ((double)count <= most)
        return PM_OK;
    return pm_error_set(err, PM_EFORMAT,
                        "'%s' of %zu elements is not exact in %s, at most %.0f are",
                        name_of(spec->distribution), count, pm_dtype_name(spec->dtype), most);
}

static int check_permutation(const struct pm_input_spec *spec, struct pm_error *err)
{
    if (!spec->shape.dims)
        return pm_error_set(err, PM_EFORMAT, "'permutation' needs at least one dimension");
    return check_counting(spec, (size_t)spec->shape.size[spec->shape.dims - 1], err);
}

static int check_range(const struct pm_input_spec *spec, struct pm_error *err)
{
    size_t count;
    if (!pm_shape_count(&spec->shape, &count))
        return pm_error_set(err, PM_EFORMAT, "shape is impossible");
    return check_counting(spec, count, err);
}

static int check_full(const struct pm_input_spec *spec, struct pm_error *err)
{
    const double value = spec->argument[0];
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
    return pm_error_set(err, PM_EFORMAT, "'%s' needs at least two dimensions",
                        name_of(spec->distribution));
}

static int check_square(const struct pm_input_spec *spec, struct pm_error *err)
{
    PM_TRY(check_matrices(spec, err));
    const int64_t *last = &spec->shape.size[spec->shape.dims - 1];
    if (last[-1] == last[0])
        return PM_OK;
    return pm_error_set(err, PM_EFORMAT, "'%s' needs square matrices, not %lld by %lld",
                        name_of(spec->distribution), (long long)last[-1], (long long)last[0]);
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
        return pm_error_set(err, PM_EFORMAT, "shape is impossible or larger than %zu GiB",
                            PM_ARRAY_MAX_BYTES >> 30);
    for (unsigned i = 0; i < 2; i++)
        if (spec->distribution != PM_FULL && !is_finite(spec->argument[i]))
            return pm_error_set(err, PM_EFORMAT, "'%s' needs finite arguments",
                                name_of(spec->distribution));
    check_fn *check = checks[spec->distribution];
    return check ? check(spec, err) : PM_OK;
}

/* ---- the text ---- */

static const char *skip_spaces(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Copies the word of the given characters at *at into `word` and moves *at behind it. */
static void take_word(const char **at, const char *characters, char word[static 64])
{
    const size_t length = strspn(*at, characters), kept = length < 63 ? length : 63;
    memcpy(word, *at, kept);
    word[kept] = '\0';
    *at += length;
}

static int expected(const char *what, const char *at, struct pm_error *err)
{
    if (*at)
        return pm_error_set(err, PM_EFORMAT, "%s expected at '%.40s'", what, at);
    return pm_error_set(err, PM_EFORMAT, "%s expected at the end", what);
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$"
#define DIGITS  "0123456789"

static int parse_dtype(const char **at, struct pm_input_spec *out, struct pm_error *err)
{
    char word[64];
    *at = skip_spaces(*at);
    take_word(at, LETTERS DIGITS, word);
    return pm_dtype_parse(word, &out->dtype)
               ? PM_OK
               : pm_error_set(err, PM_EFORMAT, "unknown dtype '%s'", word);
}

static int parse_size(const char **at, struct pm_shape *shape, struct pm_error *err)
{
    char word[64];
    long long size;
    *at = skip_spaces(*at);
    take_word(at, DIGITS, word);
    if (!pm_parse_int(word, &size))
        return expected("size", *at, err);
    if (shape->dims == PM_MAX_DIMS)
        return pm_error_set(err, PM_EFORMAT, "more than %d dimensions", PM_MAX_DIMS);
    shape->size[shape->dims++] = size;
    *at = skip_spaces(*at);
    return PM_OK;
}

static int parse_shape(const char **at, struct pm_shape *shape, struct pm_error *err)
{
    *at = skip_spaces(*at);
    if (**at != '[')
        return expected("shape in []", *at, err);
    *at = skip_spaces(*at + 1);
    if (**at == ']') {
        ++*at;
        return PM_OK;
    }
    for (;;) {
        PM_TRY(parse_size(at, shape, err));
        const char end = **at;
        if (end != ',' && end != ']')
            return expected("',' or ']'", *at, err);
        ++*at;
        if (end == ']')
            return PM_OK;
    }
}

static int parse_distribution(const char **at, struct pm_input_spec *out, struct pm_error *err)
{
    char word[64];
    *at = skip_spaces(*at);
    take_word(at, LETTERS DIGITS, word);
    for (unsigned i = 0; i < PM_DISTRIBUTION_COUNT; i++) {
        if (strcmp(word, name_of((enum pm_distribution)i)) == 0) {
            out->distribution = (enum pm_distribution)i;
            return PM_OK;
        }
    }
    return pm_error_set(err, PM_EFORMAT, "unknown distribution '%s'", word);
}

static int parse_number(const char **at, double *out, struct pm_error *err)
{
    char word[64];
    *at = skip_spaces(*at);
    const char *start = *at;
    take_word(at, LETTERS DIGITS "+-.", word);
    *at = skip_spaces(*at);
    if (strcmp(word, "nan") == 0)
        *out = (double)__builtin_nanf("");
    else if (strcmp(word, "inf") == 0)
        *out = (double)__builtin_inff();
    else if (strcmp(word, "-inf") == 0)
        *out = -(double)__builtin_inff();
    else if (!pm_parse_double(word, out))
        return expected("number", start, err);
    return PM_OK;
}

static int parse_arguments(const char **at, struct pm_input_spec *out, struct pm_error *err)
{
    static const struct {
        unsigned least, most;
    } allowed[] = {
#define X(id, name, least, most) [PM_##id] = {least, most},
        PM_DISTRIBUTIONS(X)
#undef X
    };
    const unsigned least = allowed[out->distribution].least, most = allowed[out->distribution].most;
    const char *name = name_of(out->distribution);
    unsigned count = 0;
    *at = skip_spaces(*at);
    char end = **at == '(' ? ',' : ')';
    for (; end == ','; count++) {
        ++*at;
        if (count == most)
            return pm_error_set(err, PM_EFORMAT, "'%s' takes at most %u argument%s", name, most,
                                most == 1 ? "" : "s");
        PM_TRY(parse_number(at, &out->argument[count], err));
        end = **at;
        if (end != ',' && end != ')')
            return expected("',' or ')'", *at, err);
    }
    if (count)
        ++*at;
    if (count < least)
        return pm_error_set(err, PM_EFORMAT, "'%s' needs %u argument%s", name, least,
                            least == 1 ? "" : "s");
    return PM_OK;
}

static int parse_host(const char *at, struct pm_input_spec *out, struct pm_error *err)
{
    char on[64], host[64];
    const char *rest = at = skip_spaces(at);
    if (!*at)
        return PM_OK;
    take_word(&rest, LETTERS, on);
    rest = skip_spaces(rest);
    take_word(&rest, LETTERS, host);
    out->on_host = strcmp(on, "on") == 0 && strcmp(host, "host") == 0 && !*skip_spaces(rest);
    if (out->on_host)
        return PM_OK;
    return expected("'on host' or nothing", at, err);
}

static int parse_and_check(const char *at, struct pm_input_spec *out, struct pm_error *err)
{
    PM_TRY(parse_dtype(&at, out, err));
    PM_TRY(parse_shape(&at, &out->shape, err));
    PM_TRY(parse_distribution(&at, out, err));
    if (out->distribution == PM_NORMAL)
        out->argument[1] = 1;
    PM_TRY(parse_arguments(&at, out, err));
    PM_TRY(parse_host(at, out, err));
    return pm_array__check(out, err);
}

int pm_input_parse(const char *text, struct pm_input_spec *out, struct pm_error *err)
{
    *out = (struct pm_input_spec){0};
    const int rc = parse_and_check(text, out, err);
    return rc ? pm_error_prefix(err, rc, "input '%.200s'", text) : PM_OK;
}

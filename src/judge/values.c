#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "judge/judge_private.h"

/* ---- elements ------------------------------------------------------------------------------ */

__extension__ typedef __int128 whole; /* every (u)int64 */

static whole whole_of(const struct pm_array *array, size_t i)
{
    const int64_t value = pm_array_int(array, i);
    return array->dtype == PM_UINT64 ? (whole)(uint64_t)value : (whole)value;
}

struct element {
    double real, imag;
    bool is_nan, is_infinite;
};

static struct element element_of(const struct pm_array *array, size_t i)
{
    const struct element e = {pm_array_real(array, i), pm_array_imag(array, i), false, false};
    return (struct element){e.real, e.imag, isnan(e.real) || isnan(e.imag),
                            isinf(e.real) || isinf(e.imag)};
}

/* How far apart two elements are; `apart` infinite: no tolerance helps. */
struct distance {
    double apart, size; /* |got - want|, |want| */
};

static struct distance distance_between(struct element got, struct element want)
{
    if (got.is_nan || want.is_nan)
        return (struct distance){got.is_nan && want.is_nan ? 0 : INFINITY, 0};
    if (got.real == want.real && got.imag == want.imag)
        return (struct distance){0, want.is_infinite ? 0 : hypot(want.real, want.imag)};
    if (got.is_infinite || want.is_infinite)
        return (struct distance){INFINITY, 0};
    return (struct distance){hypot(got.real - want.real, got.imag - want.imag),
                             hypot(want.real, want.imag)};
}

/* Smallest r with apart <= r * size in double arithmetic; NaN where there is none. */
static double least_rtol(struct distance d)
{
    if (d.apart == 0)
        return 0;
    if (d.size == 0 || isinf(d.apart))
        return NAN;
    double r = d.apart / d.size;
    while (r * d.size < d.apart)
        r = nextafter(r, INFINITY);
    return isinf(r) ? NAN : r;
}

/* ---- order of elements, for sets ------------------------------------------------------------ */

static int compare_doubles(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_elements(const void *a, const void *b, void *ctx)
{
    const struct pm_array *array = ctx;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (!pm_judge__floats(array->dtype)) {
        const whole left = whole_of(array, i), right = whole_of(array, j);
        return (left > right) - (left < right);
    }
    const int real = compare_doubles(pm_array_real(array, i), pm_array_real(array, j));
    return real ? real : compare_doubles(pm_array_imag(array, i), pm_array_imag(array, j));
}

static size_t *sorted_order(const struct pm_array *array)
{
    size_t *order = pm_realloc_array(NULL, array->count, sizeof *order);
    for (size_t i = 0; i < array->count; i++)
        order[i] = i;
    /* The comparison reads through the pointer only. */
    struct pm_array borrowed = *array;
    qsort_r(order, array->count, sizeof *order, compare_elements, &borrowed);
    return order;
}

/* ---- arrays -------------------------------------------------------------------------------- */

struct comparison {
    const struct pm_array *got, *want;
    size_t *got_order, *want_order; /* NULL: as they stand */
    struct pm_judge__tolerance allowed;
    size_t differing, worst; /* worst: index into the orders */
    double worst_apart;
    double largest_absolute, largest_relative, smallest_rtol;
};

static void compare_wholes(struct comparison *c, size_t i, size_t j, size_t at)
{
    const whole a = whole_of(c->got, i), b = whole_of(c->want, j);
    if (a == b)
        return;
    c->smallest_rtol = NAN;
    const double apart = (double)(a > b ? a - b : b - a);
    if (c->differing++ == 0 || apart > c->worst_apart) {
        c->worst = at;
        c->worst_apart = apart;
    }
}

static void compare_floats(struct comparison *c, size_t i, size_t j, size_t at)
{
    const struct distance d = distance_between(element_of(c->got, i), element_of(c->want, j));
    if (d.apart == 0)
        return;
    c->largest_absolute = fmax(c->largest_absolute, d.apart);
    c->largest_relative = fmax(c->largest_relative, d.size == 0 ? INFINITY : d.apart / d.size);
    const double rtol = least_rtol(d);
    c->smallest_rtol = isnan(rtol) || isnan(c->smallest_rtol) ? NAN : fmax(c->smallest_rtol, rtol);
    if (!isinf(d.apart) && d.apart <= c->allowed.atol + c->allowed.rtol * d.size)
        return;
    if (c->differing++ == 0 || d.apart > c->worst_apart) {
        c->worst = at;
        c->worst_apart = d.apart;
    }
}

/* As few digits as give the same number back, in float where that is all the dtype holds. */
static void add_real(struct pm_str *out, double value, bool is_double, const char *sign)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        const double back = strtod(text, NULL);
        if (back == value || (!is_double && (float)back == (float)value))
            break;
    }
    pm_str_addf(out, "%s%s", text[0] == '-' ? "" : sign, text);
}

static void add_element(struct pm_str *out, const struct pm_array *array, size_t i)
{
    const bool is_double = array->dtype == PM_FLOAT64 || array->dtype == PM_COMPLEX128;
    switch (pm_dtype_kind(array->dtype)) {
    case PM_KIND_BOOL:
        pm_str_add(out, pm_array_int(array, i) ? "True" : "False");
        break;
    case PM_KIND_SIGNED:
        pm_str_addf(out, "%lld", (long long)pm_array_int(array, i));
        break;
    case PM_KIND_UNSIGNED:
        pm_str_addf(out, "%llu", (unsigned long long)pm_array_int(array, i));
        break;
    case PM_KIND_FLOAT:
        add_real(out, pm_array_real(array, i), is_double, "");
        break;
    case PM_KIND_COMPLEX:
        add_real(out, pm_array_real(array, i), is_double, "");
        add_real(out, pm_array_imag(array, i), is_double, "+");
        pm_str_add_char(out, 'j');
        break;
    }
}

static void add_place(struct pm_str *out, const struct pm_shape *shape, size_t i)
{
    struct pm_shape place = *shape;
    for (unsigned d = shape->dims; d-- > 0;) {
        place.size[d] = (int64_t)(i % (size_t)shape->size[d]);
        i /= (size_t)shape->size[d];
    }
    char text[512];
    pm_str_add(out, pm_shape_text(&place, text));
}

static void describe(const struct comparison *c, const char *path, struct pm_difference *out)
{
    const size_t i = c->got_order ? c->got_order[c->worst] : c->worst;
    const size_t j = c->want_order ? c->want_order[c->worst] : c->worst;
    struct pm_str text = PM_STR_INIT;
    if (c->want->count > 1) {
        pm_str_addf(&text, "%zu of %zu elements differ, largest at ", c->differing, c->want->count);
        if (c->want_order)
            pm_str_addf(&text, "%zu in order", c->worst);
        else
            add_place(&text, &c->want->shape, j);
        pm_str_add(&text, ": ");
    }
    add_element(&text, c->got, i);
    pm_str_add(&text, " for ");
    add_element(&text, c->want, j);
    if (c->allowed.rtol > 0 || c->allowed.atol > 0)
        pm_str_addf(&text, " (rtol %g, atol %g)", c->allowed.rtol, c->allowed.atol);
    const double smallest = out->smallest_rtol;
    pm_judge__differ(out, PM_DIFFERENCE_VALUE, path, "%s", text.data);
    out->smallest_rtol = smallest;
    pm_str_release(&text);
}

static bool same_bytes(const struct pm_array *got, const struct pm_array *want)
{
    return got->dtype == want->dtype && got->bytes == want->bytes &&
           memcmp(got->data, want->data, want->bytes) == 0;
}

void pm_judge__compare_values(const char *path, const struct pm_array *got,
                              const struct pm_array *want, const struct pm_compare_rule *rule,
                              struct pm_difference *out)
{
    if (same_bytes(got, want))
        return;
    struct comparison c = {
        .got = got, .want = want, .allowed = pm_judge__allowed(rule, got->dtype, want->dtype)};
    if (rule->how == PM_HOW_SET) {
        c.got_order = sorted_order(got);
        c.want_order = sorted_order(want);
    }
    const bool floats = pm_judge__floats(got->dtype) || pm_judge__floats(want->dtype);
    for (size_t at = 0; at < want->count; at++) {
        const size_t i = c.got_order ? c.got_order[at] : at;
        const size_t j = c.want_order ? c.want_order[at] : at;
        if (floats)
            compare_floats(&c, i, j, at);
        else
            compare_wholes(&c, i, j, at);
    }
    out->largest_absolute = fmax(out->largest_absolute, c.largest_absolute);
    out->largest_relative = fmax(out->largest_relative, c.largest_relative);
    out->smallest_rtol = isnan(c.smallest_rtol) || isnan(out->smallest_rtol)
                             ? NAN
                             : fmax(out->smallest_rtol, c.smallest_rtol);
    if (c.differing)
        describe(&c, path, out);
    free(c.got_order);
    free(c.want_order);
}

/* ---- values that are no arrays --------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted_texts(const json_t *list)
{
    const size_t count = json_array_size(list);
    char **texts = pm_realloc_array(NULL, count ? count : 1, sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = pm_json_text(json_array_get(list, i));
    qsort(texts, count, sizeof *texts, compare_texts);
    return texts;
}

static bool same_set(const json_t *got, const json_t *want)
{
    const size_t count = json_array_size(want);
    if (!json_is_array(got) || !json_is_array(want) || json_array_size(got) != count)
        return json_equal(got, want);
    char **a = sorted_texts(got), **b = sorted_texts(want);
    bool same = true;
    for (size_t i = 0; i < count && same; i++)
        same = strcmp(a[i], b[i]) == 0;
    pm_free_strings(a, count);
    pm_free_strings(b, count);
    return same;
}

/* Numbers by kind, all else as it stands. */
static bool same_kind(const json_t *got, const json_t *want)
{
    if (json_is_number(want))
        return json_typeof(got) == json_typeof(want);
    if (json_is_array(want)) {
        bool same = json_is_array(got) && json_array_size(got) == json_array_size(want);
        for (size_t i = 0; same && i < json_array_size(want); i++)
            same = same_kind(json_array_get(got, i), json_array_get(want, i));
        return same;
    }
    if (json_is_object(want)) {
        bool same = json_is_object(got) && json_object_size(got) == json_object_size(want);
        for (void *at = json_object_iter((json_t *)(uintptr_t)want); same && at;
             at = json_object_iter_next((json_t *)(uintptr_t)want, at)) {
            const json_t *other = json_object_get(got, json_object_iter_key(at));
            same = other && same_kind(other, json_object_iter_value(at));
        }
        return same;
    }
    return json_equal(got, want);
}

bool pm_judge__json_equal(const char *got, const char *want, enum pm_compare_how how)
{
    if (strcmp(got, want) == 0)
        return true;
    if (how != PM_HOW_SET && how != PM_HOW_SHAPE)
        return false;
    json_t *a = NULL, *b = NULL;
    bool same = false;
    if (pm_json_parse(got, strlen(got), &a, NULL) == PM_OK &&
        pm_json_parse(want, strlen(want), &b, NULL) == PM_OK)
        same = how == PM_HOW_SET ? same_set(a, b) : same_kind(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

/* Compares the elements of two arrays, and describes the largest difference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "judge/judge_private.h"

/* ---- arrays -------------------------------------------------------------------------------- */

struct comparison {
    const struct pm_array *got, *want;
    size_t *got_order, *want_order; /* NULL: the order in the arrays */
    struct pm_judge__tolerance allowed;
    size_t differing, worst; /* worst: index into the orders */
    double worst_apart;
    double largest_absolute, largest_relative, smallest_rtol;
    struct pm_closeness *closeness; /* NULL: not requested */
};

/* Notes two elements that differ by more than the tolerance, at place `at` of the orders. */
static void note_differing(struct comparison *c, double apart, size_t at)
{
    if (c->differing++ == 0 || apart > c->worst_apart) {
        c->worst = at;
        c->worst_apart = apart;
    }
}

static void compare_wholes(struct comparison *c)
{
    for (size_t at = 0; at < c->want->count; at++) {
        const size_t i = c->got_order ? c->got_order[at] : at;
        const size_t j = c->want_order ? c->want_order[at] : at;
        const pm_judge__whole a = pm_judge__whole_of(c->got, i), b = pm_judge__whole_of(c->want, j);
        if (a == b)
            continue;
        c->smallest_rtol = NAN;
        if (c->closeness)
            pm_judge__closeness_add(c->closeness, INFINITY, 0);
        note_differing(c, (double)(a > b ? a - b : b - a), at);
    }
}

/* Notes two floating elements that differ. */
static void note_apart(struct comparison *c, struct pm_judge__distance d, size_t at)
{
    c->largest_absolute = fmax(c->largest_absolute, d.apart);
    c->largest_relative = fmax(c->largest_relative, d.size == 0 ? INFINITY : d.apart / d.size);
    if (!isnan(c->smallest_rtol) && !(d.apart <= c->smallest_rtol * d.size))
        c->smallest_rtol = pm_judge__least_rtol(d.apart, d.size, 0);
    if (c->closeness)
        pm_judge__closeness_add(c->closeness, d.apart, d.size);
    if (isinf(d.apart) || !(d.apart <= c->allowed.atol + c->allowed.rtol * d.size))
        note_differing(c, d.apart, at);
}

enum { BLOCK = 256 };

struct numbers {
    double real[BLOCK], imag[BLOCK];
};

static void read_numbers(const struct pm_array *array, const size_t *order, size_t first,
                         size_t count, struct numbers *out)
{
    if (!order)
        pm_array_numbers(array, first, count, out->real, out->imag);
    for (size_t k = 0; order && k < count; k++)
        pm_array_numbers(array, order[first + k], 1, &out->real[k], &out->imag[k]);
}

static void compare_block(struct comparison *c, const struct numbers *got,
                          const struct numbers *want, size_t first, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const struct pm_judge__number a = {got->real[k], got->imag[k]};
        const struct pm_judge__number b = {want->real[k], want->imag[k]};
        if (a.real == b.real && a.imag == b.imag) /* most elements are equal */
            continue;
        const struct pm_judge__distance d = pm_judge__distance(a, b);
        if (d.apart != 0)
            note_apart(c, d, first + k);
    }
}

static bool is_wide(enum pm_dtype dtype)
{
    return dtype == PM_INT64 || dtype == PM_UINT64;
}

/* Reads an element as an integer; returns false if it is not an integer, or if its absolute value
 * is larger than 2^64. */
static bool read_whole(const struct pm_array *array, size_t i, pm_judge__whole *out)
{
    if (!pm_judge__floats(array->dtype)) {
        *out = pm_judge__whole_of(array, i);
        return true;
    }
    const struct pm_judge__number number = pm_judge__number_of(array, i);
    if (number.imag != 0 || !(fabs(number.real) <= 0x1p64) || trunc(number.real) != number.real)
        return false;
    *out = (pm_judge__whole)number.real;
    return true;
}

/* Compares 64-bit integers with floating-point numbers. As doubles, 2^60 and 2^60 + 1 are the same,
 * so integers are compared as integers. */
static void compare_wide_with_floats(struct comparison *c)
{
    for (size_t at = 0; at < c->want->count; at++) {
        const size_t i = c->got_order ? c->got_order[at] : at;
        const size_t j = c->want_order ? c->want_order[at] : at;
        struct pm_judge__distance d =
            pm_judge__distance(pm_judge__number_of(c->got, i), pm_judge__number_of(c->want, j));
        pm_judge__whole a, b;
        if (read_whole(c->got, i, &a) && read_whole(c->want, j, &b))
            d = (struct pm_judge__distance){(double)(a > b ? a - b : b - a), fabs((double)b)};
        if (d.apart != 0)
            note_apart(c, d, at);
    }
}

static void compare_floats(struct comparison *c)
{
    struct numbers got, want;
    for (size_t first = 0; first < c->want->count; first += BLOCK) {
        const size_t left = c->want->count - first, count = left < BLOCK ? left : BLOCK;
        read_numbers(c->got, c->got_order, first, count, &got);
        read_numbers(c->want, c->want_order, first, count, &want);
        compare_block(c, &got, &want, first, count);
    }
}

/* Adds a real number with the fewest digits from which the same number is read back: the same float
 * if the dtype is not wider, else the same double. */
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
    char text[PM_SHAPE_TEXT];
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
            pm_str_addf(&text, "sorted index %zu", c->worst);
        else
            add_place(&text, &c->want->shape, j);
        pm_str_add(&text, ": ");
    }
    add_element(&text, c->got, i);
    pm_str_add(&text, " instead of ");
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

void pm_judge__compare_elements(const char *path, const struct pm_array *got,
                                const struct pm_array *want, const struct pm_compare_rule *rule,
                                struct pm_closeness *closeness, struct pm_difference *out)
{
    struct pm_array turned;
    if (same_bytes(got, want))
        return;
    const bool turns = rule->how == PM_COMPARE_SIGN && pm_judge__align(got, want, &turned);
    struct comparison c = {.got = turns ? &turned : got,
                           .want = want,
                           .allowed = pm_judge__allowed(rule, got->dtype, want->dtype),
                           .closeness = closeness};
    if (rule->how == PM_COMPARE_SET)
        pm_judge__pair(got, want, &c.got_order, &c.want_order);
    if (pm_judge__floats(got->dtype) || pm_judge__floats(want->dtype))
        is_wide(got->dtype) || is_wide(want->dtype) ? compare_wide_with_floats(&c)
                                                    : compare_floats(&c);
    else
        compare_wholes(&c);
    out->largest_absolute = fmax(out->largest_absolute, c.largest_absolute);
    out->largest_relative = fmax(out->largest_relative, c.largest_relative);
    out->smallest_rtol = isnan(c.smallest_rtol) || isnan(out->smallest_rtol)
                             ? NAN
                             : fmax(out->smallest_rtol, c.smallest_rtol);
    if (c.differing)
        describe(&c, path, out);
    free(c.got_order);
    free(c.want_order);
    if (turns)
        pm_array_release(&turned);
}

static bool is_hollow(const struct pm_leaf *leaf)
{
    static const char *const hollow[] = {"null", "[]", "{\"tuple\":[]}"};
    if (leaf->kind == PM_LEAF_TYPE || leaf->kind == PM_LEAF_CONTAINER)
        return true;
    for (size_t i = 0; leaf->kind == PM_LEAF_VALUE && i < sizeof hollow / sizeof *hollow; i++)
        if (!strcmp(leaf->value, hollow[i]))
            return true;
    return false;
}

bool pm_leaves_are_hollow(const struct pm_leaves *leaves)
{
    for (size_t i = 0; i < leaves->count; i++)
        if (!is_hollow(&leaves->items[i]))
            return false;
    return true;
}

void pm_leaves_release(struct pm_leaves *leaves)
{
    free(leaves->items);
    *leaves = (struct pm_leaves){0};
}

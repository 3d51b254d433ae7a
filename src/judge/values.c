/* Compares the elements of two arrays; formats the first that differs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "judge/judge_private.h"

/* ---- arrays -------------------------------------------------------------------------------- */

struct comparison {
    const struct pm_array *got, *want;
    size_t *got_order, *want_order; /* NULL: in their own order */
    struct pm_judge__tolerance allowed;
    size_t differing, worst; /* worst: index into the orders */
    double worst_apart;
    double largest_absolute, largest_relative, smallest_rtol;
    struct pm_closeness *closeness; /* NULL: not asked for */
};

static void compare_wholes(struct comparison *c, size_t i, size_t j, size_t at)
{
    const pm_judge__whole a = pm_judge__whole_of(c->got, i), b = pm_judge__whole_of(c->want, j);
    if (a == b)
        return;
    c->smallest_rtol = NAN;
    if (c->closeness)
        pm_judge__closeness_add(c->closeness, INFINITY, 0);
    const double apart = (double)(a > b ? a - b : b - a);
    if (c->differing++ == 0 || apart > c->worst_apart) {
        c->worst = at;
        c->worst_apart = apart;
    }
}

static void compare_floats(struct comparison *c, size_t i, size_t j, size_t at)
{
    const struct pm_judge__distance d = pm_judge__distance(c->got, i, c->want, j);
    if (d.apart == 0)
        return;
    c->largest_absolute = fmax(c->largest_absolute, d.apart);
    c->largest_relative = fmax(c->largest_relative, d.size == 0 ? INFINITY : d.apart / d.size);
    if (!isnan(c->smallest_rtol) && !(d.apart <= c->smallest_rtol * d.size))
        c->smallest_rtol = pm_judge__least_rtol(d.apart, d.size, 0);
    if (c->closeness)
        pm_judge__closeness_add(c->closeness, d.apart, d.size);
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
            pm_str_addf(&text, "%zu in order", c->worst);
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

/* Most elements are: a NaN, too, is then no difference. */
static bool same_element(const struct comparison *c, size_t i, size_t j)
{
    const size_t size = pm_dtype_size(c->want->dtype);
    return memcmp(c->got->data + i * size, c->want->data + j * size, size) == 0;
}

static void compare_each(struct comparison *c)
{
    const bool floats = pm_judge__floats(c->got->dtype) || pm_judge__floats(c->want->dtype);
    const bool same_dtype = c->got->dtype == c->want->dtype;
    for (size_t at = 0; at < c->want->count; at++) {
        const size_t i = c->got_order ? c->got_order[at] : at;
        const size_t j = c->want_order ? c->want_order[at] : at;
        if (same_dtype && same_element(c, i, j))
            continue;
        if (floats)
            compare_floats(c, i, j, at);
        else
            compare_wholes(c, i, j, at);
    }
}

void pm_judge__compare_values(const char *path, const struct pm_array *got,
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
    compare_each(&c);
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

/* Finds the pairs of elements of two arrays whose order does not count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "judge/judge_private.h"

/* ---- in order: the best pairs of real numbers ------------------------------------------------ */

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
        const pm_judge__whole left = pm_judge__whole_of(array, i),
                              right = pm_judge__whole_of(array, j);
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
    /* compare_elements() only reads through its pointer. */
    struct pm_array borrowed = *array;
    qsort_r(order, array->count, sizeof *order, compare_elements, &borrowed);
    return order;
}

/* ---- by distance: complex numbers ------------------------------------------------------------ */

/* The number of places on each side that are searched for a partner. A larger number would help
 * only if many numbers have nearly the same real part. */
enum { REACH = 1000 };

struct pairing {
    const struct pm_array *got, *want;
    const size_t *got_order, *want_order;
    bool *taken;    /* whether each element of `got_order` has a partner */
    size_t nearest; /* place in got_order; got->count: none yet */
    double apart;   /* distance of the nearest one */
};

static double distance(const struct pairing *p, size_t i, size_t j)
{
    return pm_judge__distance(pm_judge__number_of(p->got, i), pm_judge__number_of(p->want, j))
        .apart;
}

/* Tries one place for the partner of wanted element `j`. Returns false if neither this place nor
 * one behind it can be nearer than the nearest so far. */
static bool try_place(struct pairing *p, size_t place, size_t j)
{
    const size_t i = p->got_order[place];
    const bool found = p->nearest < p->got->count;
    if (found && fabs(pm_array_real(p->got, i) - pm_array_real(p->want, j)) >= p->apart)
        return false;
    if (p->taken[place])
        return true;
    const double apart = distance(p, i, j);
    if (!found || apart < p->apart) {
        p->nearest = place;
        p->apart = apart;
    }
    return true;
}

static size_t nearest_place(struct pairing *p, size_t at)
{
    const size_t count = p->got->count, j = p->want_order[at];
    p->nearest = count;
    for (size_t k = 0; k <= REACH && at + k < count; k++)
        if (!try_place(p, at + k, j))
            break;
    for (size_t k = 1; k <= REACH && k <= at; k++)
        if (!try_place(p, at - k, j))
            break;
    for (size_t place = 0; p->nearest == count; place++)
        if (!p->taken[place])
            p->nearest = place;
    return p->nearest;
}

static size_t *nearest_order(struct pairing *p)
{
    const size_t count = p->got->count;
    size_t *order = pm_realloc_array(NULL, count, sizeof *order);
    p->taken = pm_alloc(count * sizeof *p->taken);
    for (size_t at = 0; at < count; at++) {
        const size_t place = nearest_place(p, at);
        p->taken[place] = true;
        order[at] = p->got_order[place];
    }
    free(p->taken);
    return order;
}

static double largest_distance(const struct pairing *p, const size_t *got_order)
{
    double largest = 0;
    for (size_t at = 0; at < p->got->count; at++)
        largest = fmax(largest, distance(p, got_order[at], p->want_order[at]));
    return largest;
}

/* Pairs elements in sorted order. Rounding can change the order of complex numbers with equal real
 * parts, such as conjugates, so these are also paired by distance, and the better pairing is
 * used. */
void pm_judge__pair(const struct pm_array *got, const struct pm_array *want, size_t **got_order,
                    size_t **want_order)
{
    *got_order = sorted_order(got);
    *want_order = sorted_order(want);
    if (pm_dtype_kind(got->dtype) != PM_KIND_COMPLEX)
        return;
    struct pairing p = {
        .got = got, .want = want, .got_order = *got_order, .want_order = *want_order};
    size_t *nearest = nearest_order(&p);
    const bool better = largest_distance(&p, nearest) < largest_distance(&p, *got_order);
    free(better ? *got_order : nearest);
    if (better)
        *got_order = nearest;
}

/* Measures how close two arrays are, so that they can be compared by another tolerance after their
 * bytes were deleted. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/json.h"
#include "judge/judge_private.h"

/* ---- measuring ----------------------------------------------------------------------------- */

/* The steps of atol, written as decimals: 1e-8 times 10 is not the double 1e-7. */
static const double steps[] = {0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
enum { STEPS = sizeof steps / sizeof *steps };
_Static_assert(STEPS + 1 == PM_CLOSENESS_POINTS, "each step, and the rule's own atol");

/* Bisects the bits of doubles, because the bits of non-negative doubles are in the order of their
 * values. Rounding is monotonic, so every r above one that passes also passes. The quotient (apart
 * - atol) / size would be wrong in its last digits. */
double pm_judge__least_rtol(double apart, double size, double atol)
{
    if (apart <= atol)
        return 0;
    if (isinf(apart) || !(apart <= atol + DBL_MAX * size))
        return NAN;
    uint64_t fails = pm_bits_of_double(0), passes = pm_bits_of_double(DBL_MAX);
    while (passes - fails > 1) {
        const uint64_t middle = fails + (passes - fails) / 2;
        if (apart <= atol + pm_double_of_bits(middle) * size)
            passes = middle;
        else
            fails = middle;
    }
    return pm_double_of_bits(passes);
}

void pm_judge__closeness_add(struct pm_closeness *closeness, double apart, double size)
{
    for (size_t i = 0; i < closeness->count; i++) {
        const double atol = closeness->points[i].atol, rtol = closeness->points[i].rtol;
        if (!isnan(rtol) && (isinf(apart) || !(apart <= atol + rtol * size)))
            closeness->points[i].rtol = pm_judge__least_rtol(apart, size, atol);
    }
}

enum pm_compare pm_closeness_how(const struct pm_compare_rule *rule, const char *path)
{
    const enum pm_compare how = pm_judge__rule_at(rule, path).how;
    return how == PM_COMPARE_EXACT ? PM_COMPARE_CLOSE : how;
}

void pm_judge__closeness_begin(struct pm_closeness *out, enum pm_compare how, double own)
{
    *out = (struct pm_closeness){.how = how};
    for (size_t i = 0; i < STEPS; i++) {
        out->points[out->count++].atol = steps[i];
        if (own > steps[i] && (i + 1 == STEPS || own < steps[i + 1]))
            out->points[out->count++].atol = own;
    }
}

/* ---- deciding ------------------------------------------------------------------------------ */

enum decision { PASSES, DIFFERS, UNDECIDED };

static enum decision decide(const struct pm_closeness *c, struct pm_judge__tolerance allowed)
{
    size_t below = 0, above = 0;
    while (below + 1 < c->count && c->points[below + 1].atol <= allowed.atol)
        below++;
    while (above < c->count && c->points[above].atol < allowed.atol)
        above++;
    if (allowed.rtol >= c->points[below].rtol)
        return PASSES;
    return above < c->count && !(allowed.rtol >= c->points[above].rtol) ? DIFFERS : UNDECIDED;
}

static const struct pm_closeness *closeness_of(const struct pm_leaf *leaf,
                                               const struct pm_compare_rule *rule)
{
    const struct pm_closeness *c = leaf->closeness;
    return c && c->how == pm_closeness_how(rule, "") ? c : NULL;
}

static bool has_digest(const struct pm_leaf *leaf)
{
    return leaf->digest && *leaf->digest;
}

/* Compares two leaves by their stored closeness. If a leaf has no digest, it never had values,
 * which is a difference and not undecided. */
void pm_judge__compare_closeness(const struct pm_leaf *got, const struct pm_leaf *want,
                                 const struct pm_compare_rule *rule, struct pm_difference *out)
{
    const struct pm_closeness *c = closeness_of(got, rule);
    const struct pm_judge__tolerance allowed =
        pm_judge__allowed(rule, got->array.dtype, want->array.dtype);
    const enum decision decision = c ? decide(c, allowed) : UNDECIDED;
    const double others = out->smallest_rtol, least = c ? c->points[0].rtol : NAN;
    if (!has_digest(got) || !has_digest(want)) {
        pm_judge__differ(out, PM_DIFFERENCE_VALUE, want->path,
                         "one of the two outputs has no values to compare");
        return;
    }
    if (decision == DIFFERS)
        pm_judge__differ(out, PM_DIFFERENCE_VALUE, want->path,
                         "the values, which are no longer stored, differ (rtol %g, atol %g)",
                         allowed.rtol, allowed.atol);
    out->undecided |= decision == UNDECIDED;
    out->smallest_rtol = isnan(least) || isnan(others) ? NAN : fmax(others, least);
}

/* ---- as text ------------------------------------------------------------------------------- */

char *pm_closeness_text(const struct pm_closeness *closeness)
{
    json_t *list = json_array();
    for (size_t i = 0; i < closeness->count; i++) {
        json_t *point = json_array();
        json_array_append_new(point, json_real(closeness->points[i].atol));
        json_array_append_new(point, isnan(closeness->points[i].rtol)
                                         ? json_null()
                                         : json_real(closeness->points[i].rtol));
        json_array_append_new(list, point);
    }
    char *text = pm_json_text(list);
    json_decref(list);
    return text;
}

/* Parses a point. Each point must have a larger atol than the point before, and no larger rtol. */
static bool parse_point(struct pm_closeness *out, const json_t *point)
{
    const size_t i = out->count++;
    const json_t *atol = json_array_get(point, 0), *rtol = json_array_get(point, 1);
    if (json_array_size(point) != 2 || !json_is_number(atol) ||
        (!json_is_number(rtol) && !json_is_null(rtol)))
        return false;
    out->points[i].atol = json_number_value(atol);
    out->points[i].rtol = json_is_null(rtol) ? NAN : json_number_value(rtol);
    if (i == 0)
        return out->points[0].atol == 0 && !(out->points[0].rtol < 0);
    const double before = out->points[i - 1].rtol, now = out->points[i].rtol;
    return out->points[i].atol > out->points[i - 1].atol && !(now < 0) &&
           (isnan(before) || now <= before);
}

bool pm_closeness_parse(const char *text, enum pm_compare how, struct pm_closeness *out)
{
    json_t *list = NULL;
    *out = (struct pm_closeness){.how = how};
    if (pm_json_parse(text, strlen(text), &list, NULL))
        return false;
    const size_t count = json_array_size(list);
    bool good = count > 0 && count <= PM_CLOSENESS_POINTS;
    for (size_t i = 0; good && i < count; i++)
        good = parse_point(out, json_array_get(list, i));
    json_decref(list);
    return good;
}

/* Compares values other than arrays, which are stored as canonical JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "judge/judge_private.h"

/* ---- floating-point numbers, which are compared by tolerance -----------------------------------
 */

static bool has_inexact(const json_t *value)
{
    if (pm_judge__is_inexact(value))
        return true;
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(value); i++)
        found = has_inexact(json_array_get(value, i));
    json_t *object = (json_t *)(uintptr_t)value;
    for (void *at = json_object_iter(object); !found && at; at = json_object_iter_next(object, at))
        found = has_inexact(json_object_iter_value(at));
    return found;
}

bool pm_judge__json_floats(const char *text)
{
    json_t *value = NULL;
    const bool found =
        pm_json_parse(text, strlen(text), &value, NULL) == PM_OK && has_inexact(value);
    json_decref(value);
    return found;
}

/* The inexact numbers of two values, pair by pair. */
struct pairs {
    struct {
        const json_t *got, *want;
    } * items;
    size_t count, capacity;
    bool any_complex;
};

static void add_pair(struct pairs *pairs, const json_t *got, const json_t *want)
{
    PM_GROW(pairs->items, pairs->count, pairs->capacity);
    pairs->items[pairs->count].got = got;
    pairs->items[pairs->count++].want = want;
    pairs->any_complex = pairs->any_complex || pm_judge__is_complex(want);
}

/* Returns the items of a list. In a comparison with the oracle, also returns those of any other
 * sequence: {"tuple": [...]}, or a class of the framework such as {"torch.Size": [...]}, which
 * NumPy lacks. Returns NULL for other values. */
static const json_t *items_of(const json_t *value, bool any_sequence)
{
    json_t *object = (json_t *)(uintptr_t)value;
    if (json_is_array(value))
        return value;
    if (!any_sequence || json_object_size(value) != 1)
        return NULL;
    const char *type = json_object_iter_key(json_object_iter(object));
    const json_t *items = json_object_get(value, type);
    return json_is_array(items) && (!strcmp(type, "tuple") || strchr(type, '.')) ? items : NULL;
}

/* Returns the engine and digest of the state of a random number generator; NULL for other
 * values. */
static const json_t *state_of(const json_t *value)
{
    const json_t *state = json_object_get(value, "generator state");
    return json_object_size(value) == 1 && json_object_size(state) == 1 ? state : NULL;
}

/* Returns whether two values are states of generators with different engines, as on a GPU and on
 * the host. Such states cannot be compared. */
static bool are_of_other_engines(const json_t *got, const json_t *want)
{
    const json_t *a = state_of(got), *b = state_of(want);
    return a && b &&
           !json_object_get(a, json_object_iter_key(json_object_iter((json_t *)(uintptr_t)b)));
}

/* Returns whether two values are equal apart from their inexact numbers, which it adds to
 * *pairs. */
static bool gather(const json_t *got, const json_t *want, bool any_sequence, struct pairs *pairs)
{
    if (are_of_other_engines(got, want))
        return true;
    if (pm_judge__is_inexact(want) && pm_judge__is_inexact(got) &&
        pm_judge__is_complex(got) == pm_judge__is_complex(want)) {
        add_pair(pairs, got, want);
        return true;
    }
    const json_t *a = items_of(got, any_sequence), *b = items_of(want, any_sequence);
    if (a && b) {
        bool same = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; same && i < json_array_size(b); i++)
            same = gather(json_array_get(a, i), json_array_get(b, i), any_sequence, pairs);
        return same;
    }
    if (!json_is_object(want) || !json_is_object(got))
        return json_equal(got, want);
    json_t *object = (json_t *)(uintptr_t)want;
    bool same = json_object_size(got) == json_object_size(want);
    for (void *at = json_object_iter(object); same && at; at = json_object_iter_next(object, at)) {
        const json_t *other = json_object_get(got, json_object_iter_key(at));
        same = other && gather(other, json_object_iter_value(at), any_sequence, pairs);
    }
    return same;
}

static void make_array(struct pm_array *array, const struct pairs *pairs)
{
    const struct pm_shape shape = {.dims = pairs->count != 1, .size = {(int64_t)pairs->count}};
    if (pm_array_init(array, pairs->any_complex ? PM_COMPLEX128 : PM_FLOAT64, &shape, NULL))
        PM_BUG("counted numbers do not form an array");
}

static void set_number(struct pm_array *array, size_t i, const json_t *number)
{
    pm_array_set(array, i, pm_judge__real(number), pm_judge__imag(number));
}

static void compare_pairs(const char *path, const struct pairs *pairs,
                          const struct pm_compare_rule *rule, struct pm_difference *out)
{
    struct pm_array got, want;
    if (!pairs->count)
        return;
    make_array(&got, pairs);
    make_array(&want, pairs);
    for (size_t i = 0; i < pairs->count; i++) {
        set_number(&got, i, pairs->items[i].got);
        set_number(&want, i, pairs->items[i].want);
    }
    pm_judge__compare_values(path, &got, &want, rule, NULL, out);
    pm_array_release(&got);
    pm_array_release(&want);
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Finds the members of two values that the rule compares as sets: two lists, or two values of the
 * same type such as {"tuple": [...]}. A range and a complex number are not sets: their lists
 * contain bounds and parts. Returns false if the values are not two sets of equal size. */
static bool members_of(const json_t *got, const json_t *want, bool any_sequence, const json_t **a,
                       const json_t **b)
{
    json_t *object = (json_t *)(uintptr_t)want;
    const char *type = json_object_iter_key(json_object_iter(object));
    *a = items_of(got, any_sequence);
    *b = items_of(want, any_sequence);
    if (!(*a && *b) && type && strcmp(type, "range") != 0 && !pm_judge__is_inexact(want) &&
        json_object_size(got) == 1 && json_object_size(want) == 1) {
        *a = json_object_get(got, type);
        *b = json_object_get(want, type);
    }
    return json_is_array(*a) && json_is_array(*b) && json_array_size(*a) == json_array_size(*b);
}

static bool all_inexact(const json_t *list)
{
    bool all = true;
    for (size_t i = 0; all && i < json_array_size(list); i++)
        all = pm_judge__is_inexact(json_array_get(list, i));
    return all;
}

/* A member of a set. Members are sorted by their texts, so that close members are mostly at the
 * same place. */
struct member {
    const json_t *value;
    char *text;
};

struct matching {
    struct member *got, *want;
    size_t *partner; /* for each got value, the place in `want` + 1, or 0 */
    bool *seen;      /* whether this search has tried each got value */
    size_t count;
    struct pm_compare_rule rule;
};

static int compare_members(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->text, ((const struct member *)b)->text);
}

static struct member *sorted_members(const json_t *list)
{
    const size_t count = json_array_size(list);
    struct member *members = pm_alloc((count + 1) * sizeof *members);
    for (size_t i = 0; i < count; i++)
        members[i] =
            (struct member){json_array_get(list, i), pm_json_text(json_array_get(list, i))};
    qsort(members, count, sizeof *members, compare_members);
    return members;
}

static void free_members(struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(members[i].text);
    free(members);
}

static bool fit(const struct matching *m, size_t i, size_t j)
{
    struct pairs pairs = {0};
    struct pm_difference difference = {0};
    const bool alike = gather(m->got[i].value, m->want[j].value, m->rule.any_dtype, &pairs);
    if (alike)
        compare_pairs("", &pairs, &m->rule, &difference);
    free(pairs.items);
    return alike && difference.kind == PM_DIFFERENCE_NONE;
}

/* Finds a partner for a wanted member. For this, other members may have to change their partners
 * (Kuhn's algorithm). */
static bool find_partner(struct matching *m, size_t j)
{
    for (size_t k = 0; k < m->count; k++) {
        const size_t i = (j + k) % m->count;
        if (m->seen[i] || !fit(m, i, j))
            continue;
        m->seen[i] = true;
        if (!m->partner[i] || find_partner(m, m->partner[i] - 1)) {
            m->partner[i] = j + 1;
            return true;
        }
    }
    return false;
}

/* The largest set for which partners are searched. The members of larger sets are compared in
 * order, because the search would take minutes. */
enum { MOST_MATCHED = 1000 };

static bool match(struct matching *m)
{
    bool all = true;
    for (size_t j = 0; all && j < m->count; j++) {
        memset(m->seen, 0, m->count * sizeof *m->seen);
        if (m->count <= MOST_MATCHED)
            all = find_partner(m, j);
        else if ((all = fit(m, j, j)))
            m->partner[j] = j + 1;
    }
    return all;
}

/* Returns whether each member has a close partner of its own; adds the numbers of the pairs to
 * *pairs. The order within a list that is itself a member counts. */
static bool same_members(const json_t *got, const json_t *want, const struct pm_compare_rule *rule,
                         struct pairs *pairs)
{
    const size_t count = json_array_size(want);
    struct matching m = {.got = sorted_members(got),
                         .want = sorted_members(want),
                         .partner = pm_alloc((count + 1) * sizeof *m.partner),
                         .seen = pm_alloc((count + 1) * sizeof *m.seen),
                         .count = count,
                         .rule = *rule};
    m.rule.how = PM_COMPARE_CLOSE;
    const bool same = match(&m);
    for (size_t i = 0; same && i < count; i++)
        (void)gather(m.got[i].value, m.want[m.partner[i] - 1].value, rule->any_dtype, pairs);
    free_members(m.got, count);
    free_members(m.want, count);
    free(m.partner);
    free(m.seen);
    return same;
}

/* Compares two values as sets, and adds the numbers that must still be compared to *pairs. */
static bool gather_sets(const json_t *got, const json_t *want, struct pm_compare_rule *rule,
                        struct pairs *pairs)
{
    const json_t *a, *b;
    const bool sets = members_of(got, want, rule->any_dtype, &a, &b);
    if (sets && all_inexact(a) && all_inexact(b))
        return gather(a, b, rule->any_dtype, pairs);
    rule->how = PM_COMPARE_CLOSE;
    return sets ? same_members(a, b, rule, pairs) : gather(got, want, rule->any_dtype, pairs);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns whether two values are equal. Only the kind of a number is compared. */
static bool same_kind(const json_t *got, const json_t *want)
{
    if (pm_judge__is_inexact(want))
        return pm_judge__is_inexact(got) && pm_judge__is_complex(got) == pm_judge__is_complex(want);
    if (json_is_integer(want))
        return json_is_integer(got);
    if (state_of(want))
        return state_of(got) != NULL;
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

static void compare_parsed(const char *path, const json_t *got, const json_t *want,
                           const struct pm_compare_rule *rule, struct pm_difference *out,
                           bool *same)
{
    struct pairs pairs = {0};
    struct pm_compare_rule at = *rule;
    if (rule->how == PM_COMPARE_SHAPE)
        *same = same_kind(got, want);
    else if (rule->how == PM_COMPARE_SET)
        *same = gather_sets(got, want, &at, &pairs);
    else
        *same = gather(got, want, rule->any_dtype, &pairs);
    if (*same)
        compare_pairs(path, &pairs, &at, out);
    free(pairs.items);
}

void pm_judge__compare_json(const char *path, const char *got, const char *want,
                            const struct pm_compare_rule *rule, struct pm_difference *out)
{
    json_t *a = NULL, *b = NULL;
    bool same = true;
    if (strcmp(got, want) == 0)
        return;
    if (pm_json_parse(got, strlen(got), &a, NULL) == PM_OK &&
        pm_json_parse(want, strlen(want), &b, NULL) == PM_OK)
        compare_parsed(path, a, b, rule, out, &same);
    else
        same = false;
    if (!same)
        pm_judge__differ(out, PM_DIFFERENCE_VALUE, path, "%.100s instead of %.100s", got, want);
    json_decref(a);
    json_decref(b);
}

/* Compares values other than arrays: canonical JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "judge/judge_private.h"

/* ---- numbers with a fraction, which are compared by tolerance ----------------------------------
 */

static const json_t *parts_of_complex(const json_t *value)
{
    const json_t *parts = json_object_get(value, "complex");
    const bool is_complex = json_object_size(value) == 1 && json_array_size(parts) == 2 &&
                            json_is_real(json_array_get(parts, 0)) &&
                            json_is_real(json_array_get(parts, 1));
    return is_complex ? parts : NULL;
}

static bool is_inexact(const json_t *value)
{
    return json_is_real(value) || parts_of_complex(value);
}

static bool has_inexact(const json_t *value)
{
    if (is_inexact(value))
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
    pairs->any_complex = pairs->any_complex || json_is_object(want);
}

/* Whether both are equal except for the numbers added to *pairs. */
static bool gather(const json_t *got, const json_t *want, struct pairs *pairs)
{
    if (is_inexact(want) && is_inexact(got) && json_typeof(got) == json_typeof(want)) {
        add_pair(pairs, got, want);
        return true;
    }
    if (json_typeof(got) != json_typeof(want))
        return false;
    bool same = true;
    if (json_is_array(want)) {
        same = json_array_size(got) == json_array_size(want);
        for (size_t i = 0; same && i < json_array_size(want); i++)
            same = gather(json_array_get(got, i), json_array_get(want, i), pairs);
        return same;
    }
    if (!json_is_object(want))
        return json_equal(got, want);
    json_t *object = (json_t *)(uintptr_t)want;
    same = json_object_size(got) == json_object_size(want);
    for (void *at = json_object_iter(object); same && at; at = json_object_iter_next(object, at)) {
        const json_t *other = json_object_get(got, json_object_iter_key(at));
        same = other && gather(other, json_object_iter_value(at), pairs);
    }
    return same;
}

static void make_array(struct pm_array *array, const struct pairs *pairs)
{
    const struct pm_shape shape = {.dims = pairs->count != 1, .size = {(int64_t)pairs->count}};
    if (pm_array_init(array, pairs->any_complex ? PM_COMPLEX128 : PM_FLOAT64, &shape, NULL))
        PM_BUG("numbers that were counted make no array");
}

static void set_number(struct pm_array *array, size_t i, const json_t *number)
{
    const json_t *parts = parts_of_complex(number);
    const json_t *real = parts ? json_array_get(parts, 0) : number;
    pm_array_set(array, i, json_real_value(real), json_real_value(json_array_get(parts, 1)));
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
    pm_judge__compare_values(path, &got, &want, rule, out);
    pm_array_release(&got);
    pm_array_release(&want);
}

/* ---- everything else, which is compared exactly
 * ---------------------------------------------------
 */

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

/* Compares numbers by kind, everything else exactly. */
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

static void compare_parsed(const char *path, const json_t *got, const json_t *want,
                           const struct pm_compare_rule *rule, struct pm_difference *out,
                           bool *same)
{
    struct pairs pairs = {0};
    if (rule->how == PM_COMPARE_SHAPE)
        *same = same_kind(got, want);
    else if (gather(got, want, &pairs))
        compare_pairs(path, &pairs, rule, out);
    else
        *same = rule->how == PM_COMPARE_SET && same_set(got, want);
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
        pm_judge__differ(out, PM_DIFFERENCE_VALUE, path, "%.100s for %.100s", got, want);
    json_decref(a);
    json_decref(b);
}

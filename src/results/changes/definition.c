/* Compares two definitions of one case, to decide whether a pass on B still shows what it shows on
 * A. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/vocabulary.h"
#include "changes/changes_private.h"

typedef enum pm_changes_meaning compare_key_fn(const json_t *before, const json_t *after);

/* ---- the comparison of results ----------------------------------------------------------------
 */

/* Returns how strict a comparison is; -1 if it is unknown. Two equally strict comparisons may still
 * require different things. */
static int strictness_of(const json_t *word)
{
    enum pm_compare how;
    if (!json_is_string(word) || !pm_compare_parse(json_string_value(word), &how))
        return -1;
    switch (how) {
    case PM_COMPARE_EXACT:
        return 3;
    case PM_COMPARE_CLOSE:
        return 2;
    case PM_COMPARE_SET:
    case PM_COMPARE_SIGN:
        return 1;
    default:
        return 0;
    }
}

static enum pm_changes_meaning compare_words(const json_t *before, const json_t *after)
{
    return strictness_of(after) > strictness_of(before) && strictness_of(before) >= 0
               ? PM_MEANING_SAME
               : PM_MEANING_LOOSENED;
}

static enum pm_changes_meaning compare_pairs(const json_t *before, const json_t *after)
{
    const bool narrower =
        json_is_number(json_object_get(before, "rtol")) &&
        json_is_number(json_object_get(after, "rtol")) &&
        pm_json_real(after, "rtol", INFINITY) <= pm_json_real(before, "rtol", 0) &&
        pm_json_real(after, "atol", INFINITY) <= pm_json_real(before, "atol", 0);
    return narrower ? PM_MEANING_SAME : PM_MEANING_LOOSENED;
}

/* Compares two mappings with the same keys value by value. If the keys differ, the case counts as
 * loosened, because which entry applies depends on the outputs. */
static enum pm_changes_meaning compare_mapped(const json_t *before, const json_t *after,
                                              compare_key_fn *compare)
{
    const char *key;
    json_t *value;
    if (!json_is_object(before) || !json_is_object(after) ||
        json_object_size(before) != json_object_size(after))
        return PM_MEANING_LOOSENED;
    json_object_foreach((json_t *)(uintptr_t)before, key, value) {
        const json_t *there = json_object_get(after, key);
        if (!there || (!json_equal(value, there) && compare(value, there) != PM_MEANING_SAME))
            return PM_MEANING_LOOSENED;
    }
    return PM_MEANING_SAME;
}

static enum pm_changes_meaning compare_how(const json_t *before, const json_t *after)
{
    return json_is_string(before) && json_is_string(after)
               ? compare_words(before, after)
               : compare_mapped(before, after, compare_words);
}

static enum pm_changes_meaning compare_tolerance(const json_t *before, const json_t *after)
{
    return json_is_number(json_object_get(before, "rtol"))
               ? compare_pairs(before, after)
               : compare_mapped(before, after, compare_pairs);
}

/* ---- what else is required of a result --------------------------------------------------------
 */

/* Compares a requirement. One that B adds makes the case stricter, one that B drops makes it
 * looser, and one that B changes makes it another test. */
static enum pm_changes_meaning compare_requirement(const json_t *before, const json_t *after)
{
    return !before ? PM_MEANING_SAME : after ? PM_MEANING_OTHER : PM_MEANING_LOOSENED;
}

/* Compares a permission, such as outputs on the host or no reference. One that B adds or changes
 * makes the case looser. */
static enum pm_changes_meaning compare_permission(const json_t *before, const json_t *after)
{
    (void)before;
    return after ? PM_MEANING_LOOSENED : PM_MEANING_SAME;
}

/* Ignores a difference in where and whether a case runs, or in what a person reviewed: it does not
 * change what a pass means. */
static enum pm_changes_meaning compare_nothing(const json_t *before, const json_t *after)
{
    (void)before;
    (void)after;
    return PM_MEANING_SAME;
}

static enum pm_changes_meaning compare_other(const json_t *before, const json_t *after)
{
    (void)before;
    (void)after;
    return PM_MEANING_OTHER;
}

/* The keys that do not change the timed work, which is only the call. A difference in any other key
 * has the meaning OTHER, and means different work. */
static const struct {
    const char *key;
    compare_key_fn *compare;
} after_the_call[] = {
    {"compare", compare_how},
    {"tolerance", compare_tolerance},
    {"expect", compare_requirement},
    {"check", compare_requirement},
    {"output", compare_other},
    {"reference", compare_permission},
    {"host_outputs", compare_permission},
    {"calls", compare_nothing},
    {"kind", compare_nothing},
    {"kind_changed", compare_nothing},
    {"public", compare_nothing},
    {"tier", compare_nothing},
    {"no_values", compare_nothing},
    {"requires", compare_nothing},
    {"since", compare_nothing},
    {"until", compare_nothing},
};

static void compare_key(const char *key, const json_t *before, const json_t *after,
                        struct pm_changes_definitions *out)
{
    enum pm_changes_meaning meaning = PM_MEANING_OTHER;
    bool timed = true;
    for (size_t i = 0; i < sizeof after_the_call / sizeof *after_the_call; i++)
        if (!strcmp(after_the_call[i].key, key)) {
            meaning = after_the_call[i].compare(before, after);
            timed = false;
        }
    out->meaning = meaning > out->meaning ? meaning : out->meaning;
    out->same_work = out->same_work && !timed;
}

static void compare_keys(const json_t *before, const json_t *after,
                         struct pm_changes_definitions *out)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)before, key, value) {
        const json_t *there = json_object_get(after, key);
        if (!there || !json_equal(value, there))
            compare_key(key, value, there, out);
    }
    json_object_foreach((json_t *)(uintptr_t)after, key, value)
        if (!json_object_get(before, key))
            compare_key(key, NULL, value, out);
}

struct pm_changes_definitions pm_changes__compare_definitions(const char *before, const char *after)
{
    struct pm_changes_definitions out = {PM_MEANING_SAME, true};
    if (!*before || !*after || !strcmp(before, after))
        return out;
    json_t *a = json_loads(before, 0, NULL), *b = json_loads(after, 0, NULL);
    if (json_is_object(a) && json_is_object(b))
        compare_keys(a, b, &out);
    else
        out = (struct pm_changes_definitions){PM_MEANING_OTHER, false};
    json_decref(a);
    json_decref(b);
    return out;
}

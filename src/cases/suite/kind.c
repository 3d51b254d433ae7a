/* Reads the kind of a case, derives the kinds of its expansions, and counts the core cases of a
 * function. */
#include <string.h>

#include "suite/suite_private.h"

enum { FROM, REASON, CHANGED_KEYS };
#define CHANGED_EXAMPLE "kind_changed: {from: edge, reason: \"the documentation shows it first\"}"

static int read_change(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                       struct pm_error *err)
{
    static const struct pm_suite__key keys[CHANGED_KEYS] = {
        [FROM] = {"from", PM_FORM_TEXT, CHANGED_EXAMPLE},
        [REASON] = {"reason", PM_FORM_TEXT, CHANGED_EXAMPLE},
    };
    struct pm_suite__entry entries[CHANGED_KEYS] = {0};
    struct fy_node *value = draft->entries[PM_KEY_KIND_CHANGED].value;
    int from;
    if (!value)
        return PM_OK;
    PM_TRY(pm_suite__read_keys(file, value, "'kind_changed'", keys, CHANGED_KEYS, entries, err));
    for (size_t i = 0; i < CHANGED_KEYS; i++)
        if (!entries[i].key)
            return pm_suite__wrong(file, value, err, "'kind_changed' has no '%s': add it, as in %s",
                                   keys[i].name, keys[i].example);
    PM_TRY(pm_suite__find_word(file, entries[FROM].value, pm_suite__text(file, entries[FROM].value),
                               "from", &pm_case_kind_words, &from, err));
    if ((enum pm_case_kind)from == draft->c.kind)
        return pm_suite__wrong(file, entries[FROM].value, err,
                               "'kind_changed' says that the kind was '%s', which it still is: "
                               "correct 'from', or remove 'kind_changed'",
                               pm_case_kind_text(draft->c.kind));
    draft->c.kind_before = (enum pm_case_kind)from;
    draft->c.kind_reason = pm_suite__text(file, entries[REASON].value);
    return PM_OK;
}

int pm_suite__read_kind(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                        struct pm_error *err)
{
    const struct pm_suite__entry *entry = &draft->entries[PM_KEY_KIND],
                                 *change = &draft->entries[PM_KEY_KIND_CHANGED];
    const bool uncounted = draft->c.raises_type && !draft->c.raises_counts;
    int kind = uncounted ? PM_CASE_KIND_EDGE : PM_CASE_KIND_CORE;
    if (draft->c.is_planted_fault && (entry->key || change->key))
        return pm_suite__wrong(file, entry->key ? entry->key : change->key, err,
                               "a planted fault cannot have a kind: remove '%s'",
                               entry->key ? "kind" : "kind_changed");
    if (entry->key)
        PM_TRY(pm_suite__find_word(file, entry->value, pm_suite__text(file, entry->value), "kind",
                                   &pm_case_kind_words, &kind, err));
    if (uncounted && kind != PM_CASE_KIND_EDGE)
        return pm_suite__wrong(file, entry->value, err,
                               "a case with 'raises' is an edge case, unless it has 'counts: "
                               "true': remove 'kind'");
    draft->c.kind = (enum pm_case_kind)kind;
    return read_change(file, draft, err);
}

static bool is_default(const struct pm_suite__file *file, enum pm_dtype dtype)
{
    const struct pm_case_words *words = file->words;
    for (size_t i = 0; i < words->default_count; i++)
        if (strcmp(words->defaults[i].framework, file->framework) == 0)
            return pm_words_find(&words->defaults[i].dtypes, pm_dtype_name(dtype)) >= 0;
    return false;
}

enum pm_case_kind pm_suite__expanded_kind(const struct pm_suite__file *file, enum pm_case_kind kind,
                                          enum pm_dtype dtype)
{
    return kind == PM_CASE_KIND_CORE && !is_default(file, dtype) ? PM_CASE_KIND_DTYPE : kind;
}

int pm_suite__count_core(const struct pm_suite__file *file, const struct pm_suite__entry *few,
                         struct pm_suite__loaded *out, struct pm_error *err)
{
    struct pm_function *function = &out->function;
    for (size_t i = 0; i < out->count; i++)
        function->core_count += out->cases[i].kind == PM_CASE_KIND_CORE;
    if (!few->key)
        return PM_OK;
    function->few_core = pm_suite__text(file, few->value);
    if (function->core_count >= PM_LEAST_CORE)
        return pm_suite__wrong(file, few->key, err,
                               "'few_core' says why the function has fewer than %d core cases, but "
                               "the function has %zu: remove 'few_core'",
                               (int)PM_LEAST_CORE, function->core_count);
    return PM_OK;
}

bool pm_function_lacks_core(const struct pm_function *function)
{
    const size_t own = function->case_count - (function->absent ? 1 : 0);
    return own && function->tier == PM_TIER_REVIEWED && function->core_count < PM_LEAST_CORE &&
           !function->few_core;
}

/* Finds the reason of a failure: the first rule that matches. */
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "judge/judge_private.h"
#include "judge/reasons_private.h"

PM_WORDS_DEFINE(reason, PM_REASONS, PM_REASON);

/* Compiles the pattern of a built-in rule at its first use: most runs need few of them. */
static const regex_t *pattern_of(struct pm_judge__rule *item)
{
    struct pm_error err;
    if (!item->compiled && pm_pattern_init(&item->pattern, item->rule.message, &err))
        PM_BUG(err.text);
    item->compiled = true;
    return &item->pattern;
}

static bool matches(struct pm_judge__rule *item, const struct pm_failure *failure)
{
    const struct pm_reason_rule *rule = &item->rule;
    if (rule->framework && strcmp(rule->framework, failure->framework ? failure->framework : ""))
        return false;
    if ((rule->has_outcome && rule->outcome != failure->outcome) ||
        (rule->has_stage && rule->stage != failure->stage) ||
        (rule->has_ending && rule->ending != failure->ending))
        return false;
    if (rule->type &&
        !(failure->type && pm_judge__is_type(failure->type, failure->types, rule->type)))
        return false;
    return !rule->message ||
           (failure->message && regexec(pattern_of(item), failure->message, 0, NULL, 0) == 0);
}

const struct pm_reason_rule *pm_reason_rules_match(const struct pm_reason_rules *rules,
                                                   const struct pm_failure *failure)
{
    for (size_t i = 0; i < rules->count; i++)
        if (matches(&rules->items[i], failure))
            return &rules->items[i].rule;
    return NULL;
}

size_t pm_reason_rules_count(const struct pm_reason_rules *rules)
{
    return rules->count;
}

const struct pm_reason_rule *pm_reason_rules_at(const struct pm_reason_rules *rules, size_t i)
{
    return &rules->items[i].rule;
}

const struct pm_reason_rule *pm_reason_rules_find(const struct pm_reason_rules *rules,
                                                  const char *id)
{
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(rules->items[i].rule.id, id) == 0)
            return &rules->items[i].rule;
    return NULL;
}

size_t pm_reason_exclusions_count(const struct pm_reason_rules *rules)
{
    return rules->excluded_count;
}

const struct pm_reason_exclusion_row *pm_reason_exclusions_at(const struct pm_reason_rules *rules,
                                                              size_t i)
{
    return &rules->excluded[i];
}

/* Returns whether a target is on the device of a row: "tensorflow@xla:1+soft" is on device "xla" of
 * "tensorflow". */
static bool is_on(const char *target, const struct pm_reason_exclusion_row *row)
{
    const size_t framework = strlen(row->framework), device = strlen(row->device);
    if (strncmp(target, row->framework, framework) || target[framework] != '@')
        return false;
    const char *rest = target + framework + 1;
    return !strncmp(rest, row->device, device) && strchr("+:", rest[device]);
}

const struct pm_reason_exclusion_row *pm_reason_exclusion(const struct pm_reason_rules *rules,
                                                          const char *target, const char *needs)
{
    for (size_t i = 0; i < rules->excluded_count; i++)
        if (is_on(target, &rules->excluded[i]) && !strcmp(rules->excluded[i].needs, needs))
            return &rules->excluded[i];
    return NULL;
}

void pm_reason_rules_free(struct pm_reason_rules *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->count; i++)
        if (rules->items[i].compiled)
            regfree(&rules->items[i].pattern);
    free(rules->items);
    free(rules->excluded);
    json_decref(rules->document);
    free(rules);
}

/* Defines the texts of this room's enumerations, and looks up the exclusions and choices of a plan
 * by the name of a function. */
#include <string.h>

#include "base/alloc.h"
#include "sample/sample_private.h"

PM_WORDS_DEFINE(strata_rule, PM_STRATA_RULES, PM_STRATA);
PM_WORDS_DEFINE(criterion, PM_CRITERIA, PM_CRITERION);
PM_WORDS_DEFINE(step_kind, PM_STEPS, PM_STEP);

static void *borrowed(const void *value)
{
    return (void *)(uintptr_t)value;
}

static int add_choices(const struct pm_map *ranked, const struct pm_sample_plan *plan,
                       struct pm_map *out, struct pm_error *err)
{
    for (size_t i = 0; i < plan->choice_count; i++) {
        const struct pm_choice *choice = &plan->choices[i];
        if (!pm_map_has(ranked, choice->name))
            return pm_error_set(err, PM_EUSAGE,
                                "function '%s' is not ranked: choose a function of the scan or "
                                "ranking, or add --unused",
                                choice->name);
        if (!choice->why || !*choice->why)
            return pm_error_set(err, PM_EUSAGE, "'%s' has no reason: write NAME=REASON",
                                choice->name);
        if (pm_map_has(out, choice->name))
            return pm_error_set(err, PM_EUSAGE,
                                "--pin and --leave-out name function '%s' twice: name it once",
                                choice->name);
        pm_map_put(out, choice->name, borrowed(choice));
    }
    return PM_OK;
}

static int add_exclusions(const struct pm_sample_plan *plan, struct pm_map *out,
                          struct pm_error *err)
{
    for (size_t i = 0; i < plan->exclusion_count; i++) {
        const struct pm_exclusion *exclusion = &plan->exclusions[i];
        if (pm_map_has(out, exclusion->name))
            return pm_error_set(err, PM_EUSAGE, "function '%s' is excluded twice: name it once",
                                exclusion->name);
        pm_map_put(out, exclusion->name, borrowed(exclusion));
    }
    return PM_OK;
}

int pm_sample__words_make(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                          struct pm_sample__words *out, struct pm_error *err)
{
    struct pm_map ranked = {0};
    *out = (struct pm_sample__words){0};
    for (size_t i = 0; plan->choice_count && i < ranking->count; i++)
        pm_map_put(&ranked, ranking->items[i].name, &ranking->items[i]);
    int rc = add_choices(&ranked, plan, &out->choices, err);
    if (!rc)
        rc = add_exclusions(plan, &out->exclusions, err);
    pm_map_release(&ranked);
    if (rc)
        pm_sample__words_release(out);
    return rc;
}

void pm_sample__words_release(struct pm_sample__words *words)
{
    pm_map_release(&words->choices);
    pm_map_release(&words->exclusions);
}

const struct pm_exclusion *pm_sample__exclusion(const struct pm_sample__words *words,
                                                const char *name)
{
    return pm_map_get(&words->exclusions, name);
}

const struct pm_choice *pm_sample__choice(const struct pm_sample__words *words, const char *name)
{
    return pm_map_get(&words->choices, name);
}

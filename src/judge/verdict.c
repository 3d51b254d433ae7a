/* The verdict of a function from the outcomes of its cases. */
#include <string.h>

#include "judge/judge_private.h"

/* The repetitions of a case, sorted. What is our own fault, or does not apply, is in none. */
struct tally {
    size_t passed, failed, blocked;
};

static struct tally tally_of(const struct pm_case_outcomes *c, bool study)
{
    struct tally tally = {0};
    for (size_t i = 0; i < c->count; i++) {
        switch (c->outcomes[i]) {
        case PM_OUTCOME_PASS:
            tally.passed++;
            break;
        case PM_OUTCOME_FALLBACK:
            *(study ? &tally.passed : &tally.failed) += 1;
            break;
        case PM_OUTCOME_BLOCKED:
            *(study ? &tally.failed : &tally.blocked) += 1;
            break;
        case PM_OUTCOME_NOT_APPLICABLE:
        case PM_OUTCOME_HARNESS:
            break;
        default:
            tally.failed++;
            break;
        }
    }
    return tally;
}

/* Why cases were not counted. */
struct uncounted {
    bool waiting, broken, blocked;
};

static enum pm_verdict verdict_of(const struct pm_function_verdict *counts, bool exists,
                                  const struct uncounted *why)
{
    if (!exists)
        return PM_VERDICT_ABSENT;
    if (counts->counted == 0)
        return why->waiting   ? PM_VERDICT_NOT_MEASURED
               : why->broken  ? PM_VERDICT_BROKEN
               : why->blocked ? PM_VERDICT_BLOCKED
                              : PM_VERDICT_UNTESTED;
    if (counts->passed == counts->counted)
        return PM_VERDICT_SUCCESS;
    return counts->passed ? PM_VERDICT_PARTIAL : PM_VERDICT_COMPLETE;
}

static void count_case(const struct pm_case_outcomes *c, bool study,
                       struct pm_function_verdict *counts, struct uncounted *why)
{
    const struct tally tally = tally_of(c, study);
    if (!c->in_version)
        return;
    if (!c->count || c->control == PM_CONTROL_NOT_RUN) {
        why->waiting = true;
    } else if (c->raises || tally.passed + tally.failed + tally.blocked == 0) {
        return;
    } else if (c->control == PM_CONTROL_FAILS) {
        why->broken = true;
    } else if (tally.passed + tally.failed == 0) {
        why->blocked = true;
    } else {
        counts->counted++;
        counts->passed += tally.failed + tally.blocked == 0;
        counts->flaky += tally.passed > 0 && tally.failed + tally.blocked > 0;
    }
}

void pm_judge_function(const struct pm_case_outcomes *cases, size_t count, bool exists, bool study,
                       struct pm_function_verdict *out)
{
    struct uncounted why = {0};
    *out = (struct pm_function_verdict){0};
    for (size_t i = 0; exists && i < count; i++)
        count_case(&cases[i], study, out, &why);
    out->verdict = verdict_of(out, exists, &why);
}

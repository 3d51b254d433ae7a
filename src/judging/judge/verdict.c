/* The verdict of a function from the outcomes of its cases. */
#include <string.h>

#include "judge/judge_private.h"

/* The repetitions of a case, sorted. What is our own fault, or does not apply, is in none. */
struct tally {
    size_t passed, failed, blocked;
};

static struct tally tally_of(const struct pm_case_outcomes *c, bool paper)
{
    struct tally tally = {0};
    for (size_t i = 0; i < c->count; i++) {
        switch (c->outcomes[i]) {
        case PM_OUTCOME_PASS:
            tally.passed++;
            break;
        case PM_OUTCOME_FALLBACK:
            *(paper ? &tally.passed : &tally.failed) += 1;
            break;
        case PM_OUTCOME_BLOCKED:
            *(paper ? &tally.failed : &tally.blocked) += 1;
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

enum pm_case_part pm_judge_case(const struct pm_case_outcomes *c, bool paper)
{
    const struct tally tally = tally_of(c, paper);
    const size_t decided = tally.passed + tally.failed;
    if (!c->count || c->reference == PM_REFERENCE_NOT_RUN)
        return PM_CASE_WAITS;
    if (c->raises || decided + tally.blocked == 0 || c->reference == PM_REFERENCE_UNKNOWN)
        return PM_CASE_SAYS_NOTHING;
    if (c->reference == PM_REFERENCE_FAILS)
        return PM_CASE_REFERENCE_FAILS;
    if (decided == 0 || c->reference == PM_REFERENCE_BLOCKED)
        return PM_CASE_BLOCKED;
    if (tally.failed + tally.blocked == 0)
        return PM_CASE_PASSES;
    return tally.passed ? PM_CASE_FLAKY : PM_CASE_FAILS;
}

static enum pm_verdict verdict_of(const struct pm_function_verdict *counts, const size_t *parts)
{
    if (counts->counted == 0)
        return parts[PM_CASE_WAITS]             ? PM_VERDICT_NOT_MEASURED
               : parts[PM_CASE_REFERENCE_FAILS] ? PM_VERDICT_REFERENCE_FAILS
               : parts[PM_CASE_BLOCKED]         ? PM_VERDICT_BLOCKED
                                                : PM_VERDICT_UNTESTED;
    if (counts->passed == counts->counted)
        return PM_VERDICT_WORKS;
    return counts->passed ? PM_VERDICT_PARTLY : PM_VERDICT_FAILS;
}

void pm_judge_function(const struct pm_case_outcomes *cases, size_t count, bool exists, bool paper,
                       struct pm_function_verdict *out)
{
    size_t parts[PM_CASE_FLAKY + 1] = {0};
    for (size_t i = 0; exists && i < count; i++)
        parts[pm_judge_case(&cases[i], paper)]++;
    *out = (struct pm_function_verdict){
        .counted = (unsigned)(parts[PM_CASE_PASSES] + parts[PM_CASE_FAILS] + parts[PM_CASE_FLAKY]),
        .passed = (unsigned)parts[PM_CASE_PASSES],
        .flaky = (unsigned)parts[PM_CASE_FLAKY],
    };
    out->verdict = exists ? verdict_of(out, parts) : PM_VERDICT_ABSENT;
}

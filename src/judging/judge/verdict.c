/* Decides the verdict of a function from the outcomes of its cases. */
#include <string.h>

#include "judge/judge_private.h"

/* The numbers of repetitions of a case, by result. Repetitions with the outcome `harness` or `not
 * applicable` are not counted. */
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
    const bool impossible = c->impossible && !paper && tally.blocked && !decided;
    if (!c->count || c->reference == PM_REFERENCE_NOT_RUN)
        return PM_CASE_WAITS;
    if (c->raises || decided + tally.blocked == 0 || c->reference == PM_REFERENCE_UNKNOWN)
        return PM_CASE_SAYS_NOTHING;
    if (c->reference == PM_REFERENCE_FAILS)
        return PM_CASE_REFERENCE_FAILS;
    if (c->reference == PM_REFERENCE_BLOCKED || (decided == 0 && !impossible))
        return PM_CASE_BLOCKED;
    if (tally.failed + tally.blocked == 0)
        return c->idle && !paper ? PM_CASE_SAYS_NOTHING : PM_CASE_PASSES;
    return tally.passed ? PM_CASE_FLAKY : PM_CASE_FAILS;
}

void pm_judge_counts(const struct pm_case_outcomes *cases, size_t count, bool paper,
                     struct pm_verdict_counts *out)
{
    *out = (struct pm_verdict_counts){0};
    for (size_t i = 0; i < count; i++) {
        const enum pm_case_part part = pm_judge_case(&cases[i], paper);
        out->all[part]++;
        out->core[part] += cases[i].core;
        out->core_impossible += cases[i].core && cases[i].impossible && part == PM_CASE_FAILS;
    }
}

static unsigned counted(const unsigned *parts)
{
    return parts[PM_CASE_PASSES] + parts[PM_CASE_FAILS] + parts[PM_CASE_FLAKY];
}

static bool has_any(const unsigned *parts)
{
    unsigned sum = 0;
    for (size_t i = 0; i < PM_CASE_PARTS; i++)
        sum += parts[i];
    return sum > 0;
}

/* Returns the verdict that says why nothing is counted. */
static enum pm_verdict uncounted(const unsigned *parts)
{
    return parts[PM_CASE_WAITS]             ? PM_VERDICT_NOT_MEASURED
           : parts[PM_CASE_REFERENCE_FAILS] ? PM_VERDICT_REFERENCE_FAILS
           : parts[PM_CASE_BLOCKED]         ? PM_VERDICT_BLOCKED
                                            : PM_VERDICT_UNTESTED;
}

static struct pm_function_verdict verdict_of(const struct pm_verdict_counts *counts)
{
    const unsigned core = counted(counts->core), possible = core - counts->core_impossible;
    const bool most_impossible = counts->core_impossible > possible;
    return (struct pm_function_verdict){
        .counted = counted(counts->all),
        .passed = counts->all[PM_CASE_PASSES],
        .core = most_impossible ? core : possible,
        .impossible = most_impossible,
        .core_passed = counts->core[PM_CASE_PASSES],
        .flaky = counts->all[PM_CASE_FLAKY],
    };
}

void pm_judge_function(const struct pm_verdict_counts *counts, bool exists,
                       struct pm_function_verdict *out)
{
    *out = (struct pm_function_verdict){.verdict = PM_VERDICT_ABSENT};
    if (exists && counted(counts->core))
        *out = verdict_of(counts);
    else if (exists)
        out->verdict = uncounted(has_any(counts->core) ? counts->core : counts->all);
    if (!out->counted)
        return;
    out->verdict = !out->passed                    ? PM_VERDICT_FAILS
                   : out->passed == out->counted   ? PM_VERDICT_WORKS
                   : out->core_passed == out->core ? PM_VERDICT_LIMITS
                                                   : PM_VERDICT_PARTLY;
}

void pm_judge_function_paper(const struct pm_verdict_counts *counts, bool exists,
                             struct pm_function_verdict *out)
{
    *out = (struct pm_function_verdict){.verdict = PM_VERDICT_ABSENT};
    if (exists)
        *out = verdict_of(counts);
    out->impossible = false;
    if (out->counted)
        out->verdict = !out->passed                  ? PM_VERDICT_FAILS
                       : out->passed == out->counted ? PM_VERDICT_WORKS
                                                     : PM_VERDICT_PARTLY;
    else if (exists)
        out->verdict = uncounted(counts->all);
}

/* Decides whether a case depends on what ran before it in its process, or on chance. */
#include <stdlib.h>

#include "base/alloc.h"
#include "judge/judge.h"

PM_WORDS_DEFINE(neighbour, PM_NEIGHBOURS, PM_NEIGHBOUR);

/* The compared properties of an execution with a usable outcome. Executions in isolation have
 * position 0. */
struct seen {
    int64_t position;
    bool passes;
};

static bool is_isolated(const struct pm_case_run *run)
{
    return run->retry == PM_RETRY_ALONE || !run->position;
}

static int by_position(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

/* Returns whether an execution counts as passed. A baseline that fails at the comparison stage
 * counts too, because the other executions of the reference are compared with it. */
static bool is_as_expected(const struct pm_case_run *run)
{
    return run->outcome == PM_OUTCOME_PASS ||
           (run->is_baseline && run->outcome == PM_OUTCOME_FAIL && run->stage == PM_STAGE_COMPARE);
}

/* Returns whether two executions with the same position and isolation have different results.
 * Faults of portmeter are not results of the case. */
static bool is_flaky(const struct pm_case_run *runs, size_t count)
{
    struct seen *seen = pm_alloc((count + 1) * sizeof *seen);
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const struct pm_case_run *run = &runs[i];
        if (run->retry == PM_RETRY_EXACT_MODE || run->outcome == PM_OUTCOME_HARNESS ||
            run->outcome == PM_OUTCOME_NOT_APPLICABLE)
            continue;
        seen[known++] = (struct seen){is_isolated(run) ? 0 : run->position, is_as_expected(run)};
    }
    bool flaky = false;
    qsort(seen, known, sizeof *seen, by_position);
    for (size_t i = 1; i < known && !flaky; i++)
        flaky = seen[i].position == seen[i - 1].position && seen[i].passes != seen[i - 1].passes;
    free(seen);
    return flaky;
}

enum pm_neighbour pm_judge_neighbour(const struct pm_case_run *runs, size_t count)
{
    bool suffers = false, passes_shared = false, passes_first = false, fails_first = false;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].retry == PM_RETRY_EXACT_MODE)
            continue;
        const bool passes = runs[i].outcome == PM_OUTCOME_PASS, isolated = is_isolated(&runs[i]);
        const bool wrong = pm_outcome_is_wrong(runs[i].outcome);
        suffers |= passes && runs[i].retry == PM_RETRY_ALONE && i > 0 &&
                   !is_isolated(&runs[i - 1]) && pm_outcome_is_wrong(runs[i - 1].outcome);
        passes_shared |= passes && !isolated;
        passes_first |= passes && isolated;
        fails_first |= wrong && isolated;
    }
    if (is_flaky(runs, count))
        return PM_NEIGHBOUR_FLAKY;
    if (suffers && !fails_first)
        return PM_NEIGHBOUR_SUFFERS;
    return passes_shared && fails_first && !passes_first ? PM_NEIGHBOUR_NEEDS : PM_NEIGHBOUR_NONE;
}

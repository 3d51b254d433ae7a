/* Whether a case depends on what ran before it in its process. */
#include "judge/judge.h"

PM_WORDS_DEFINE(neighbour, PM_NEIGHBOURS, PM_NEIGHBOUR);

enum pm_neighbour pm_judge_neighbour(const struct pm_case_run *runs, size_t count)
{
    bool suffers = false, passes_shared = false, passes_first = false, fails_first = false;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].reason == PM_REASON_EXACT_MODE)
            continue;
        const bool passes = runs[i].outcome == PM_OUTCOME_PASS;
        const bool wrong = pm_outcome_is_wrong(runs[i].outcome);
        suffers |= passes && runs[i].reason == PM_REASON_ALONE && i > 0 && runs[i - 1].shared &&
                   pm_outcome_is_wrong(runs[i - 1].outcome);
        passes_shared |= passes && runs[i].shared;
        passes_first |= passes && !runs[i].shared;
        fails_first |= wrong && !runs[i].shared;
    }
    if (suffers && !fails_first)
        return PM_NEIGHBOUR_SUFFERS;
    return passes_shared && fails_first && !passes_first ? PM_NEIGHBOUR_NEEDS : PM_NEIGHBOUR_NONE;
}

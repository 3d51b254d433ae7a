/* The words that columns may hold: from the tables of the rooms that give them their meaning. */
#include "environment/environment.h"
#include "judge/judge.h"
#include "pool/pool.h"
#include "store/store_private.h"

#define TEXT(id, text) text,
#define WORDS(name, ...)                                                                           \
    static const char *const name##_texts[] = {__VA_ARGS__};                                       \
    const struct pm_store__words pm_store__##name = {name##_texts,                                 \
                                                     sizeof name##_texts / sizeof *name##_texts}

WORDS(run_states, PM_RUN_STATES(TEXT));
WORDS(validities, "", "valid", "invalid");
WORDS(roles, PM_TARGET_ROLES(TEXT));
WORDS(evidences, PM_EVIDENCES(TEXT));
WORDS(endings, "", PM_ENDINGS(TEXT));
WORDS(execution_states, "todo", "done");
WORDS(shared_notes, "", "own", "inherited");
WORDS(leaf_parts, "output", "gradient");
WORDS(leaf_kinds, "array", "value", "type");
WORDS(outcomes, PM_OUTCOMES(TEXT));
WORDS(observations, PM_OUTCOMES(TEXT) "left out", "not calibrated");
WORDS(verdicts, PM_VERDICTS(TEXT));
WORDS(scopes, "case", "function", "target");
WORDS(sizes, "small", "large");
WORDS(statistics, "latency", "ratio");
WORDS(rules, "study", "resolved");
WORDS(name_kinds, "", "function", "class", "method");
WORDS(bases, "function", "use");

static const char *const run_state_texts[] = {
#define X(id, text) [PM_RUN_##id] = text,
    PM_RUN_STATES(X)
#undef X
};

const char *pm_run_state_text(enum pm_run_state state)
{
    return run_state_texts[state];
}

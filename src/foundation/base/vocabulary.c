/* Defines the texts of the vocabulary, and looks them up. */
#include "base/vocabulary.h"

PM_WORDS_DEFINE(execution_state, PM_EXECUTION_STATES, PM_EXECUTION);
PM_WORDS_DEFINE(stage, PM_STAGES, PM_STAGE);
PM_WORDS_DEFINE(ending_kind, PM_ENDINGS, PM_ENDING);
PM_WORDS_DEFINE(retry, PM_RETRIES, PM_RETRY);
PM_WORDS_DEFINE(leaf_part, PM_LEAF_PARTS, PM_PART);
PM_WORDS_DEFINE(leaf_kind, PM_LEAF_KINDS, PM_LEAF);
PM_WORDS_DEFINE(compare, PM_COMPARES, PM_COMPARE);
PM_WORDS_DEFINE(case_reference, PM_CASE_REFERENCES, PM_CASE_REFERENCE);
PM_WORDS_DEFINE(outcome, PM_OUTCOMES, PM_OUTCOME);
PM_WORDS_DEFINE(observation, PM_OBSERVATIONS, PM_OBSERVED);
PM_WORDS_DEFINE(verdict, PM_VERDICTS, PM_VERDICT);
PM_WORDS_DEFINE(run_state, PM_RUN_STATES, PM_RUN);
PM_WORDS_DEFINE(run_kind, PM_RUN_KINDS, PM_RUN_KIND);
PM_WORDS_DEFINE(validity, PM_VALIDITIES, PM_VALIDITY);
PM_WORDS_DEFINE(test_outcome, PM_TEST_OUTCOMES, PM_TEST);
PM_WORDS_DEFINE(role, PM_ROLES, PM_ROLE);
PM_WORDS_DEFINE(evidence, PM_EVIDENCES, PM_EVIDENCE);
PM_WORDS_DEFINE(run_mode, PM_RUN_MODES, PM_MODE);
PM_WORDS_DEFINE(clock, PM_CLOCKS, PM_CLOCK);
PM_WORDS_DEFINE(size, PM_SIZES, PM_SIZE);
PM_WORDS_DEFINE(case_kind, PM_CASE_KINDS, PM_CASE_KIND);
PM_WORDS_DEFINE(tier, PM_TIERS, PM_TIER);
PM_WORDS_DEFINE(statistic, PM_STATISTICS, PM_STATISTIC);
PM_WORDS_DEFINE(scope, PM_SCOPES, PM_SCOPE);
PM_WORDS_DEFINE(rule, PM_RULES, PM_RULE);
PM_WORDS_DEFINE(resolve_how, PM_RESOLVE_HOWS, PM_RESOLVE_HOW);
PM_WORDS_DEFINE(resolve_form, PM_RESOLVE_FORMS, PM_RESOLVE_FORM);
PM_WORDS_DEFINE(name_kind, PM_NAME_KINDS, PM_NAME);
PM_WORDS_DEFINE(basis, PM_BASES, PM_BASIS);
PM_WORDS_DEFINE(report_format, PM_REPORT_FORMATS, PM_FORMAT);

const char *pm_verdict_word(enum pm_verdict verdict, enum pm_evidence evidence)
{
    static const char *const words[PM_EVIDENCE_COUNT][PM_VERDICT_COUNT] = {
        [PM_EVIDENCE_LOWERED] = {[PM_VERDICT_WORKS] = "can be lowered",
                                 [PM_VERDICT_LIMITS] = "can be lowered with limits",
                                 [PM_VERDICT_PARTLY] = "can be lowered partly",
                                 [PM_VERDICT_FAILS] = "cannot be lowered"},
        [PM_EVIDENCE_SHAPE_ONLY] = {[PM_VERDICT_WORKS] = "has shapes",
                                    [PM_VERDICT_LIMITS] = "has shapes with limits",
                                    [PM_VERDICT_PARTLY] = "has shapes partly",
                                    [PM_VERDICT_FAILS] = "has no shapes"},
    };
    const char *word = words[evidence][verdict];
    return word ? word : pm_verdict_text(verdict);
}

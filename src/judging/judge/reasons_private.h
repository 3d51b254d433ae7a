/* Declares how the rules are stored, for the two files about reasons. */
#ifndef PM_JUDGE_REASONS_PRIVATE_H
#define PM_JUDGE_REASONS_PRIVATE_H

#include <regex.h>

#include "judge/reasons.h"

struct pm_reason_rules {
    json_t *document; /* owns the texts of all rules */
    struct pm_judge__rule {
        struct pm_reason_rule rule;
        regex_t pattern; /* compiled from rule.message */
        bool compiled;   /* otherwise the pattern is compiled when it is first needed */
    } * items;
    size_t count;
    struct pm_reason_exclusion_row *excluded;
    size_t excluded_count;
};

#endif

/* What the two files about reasons share: the rules as they are kept. */
#ifndef PM_JUDGE_REASONS_PRIVATE_H
#define PM_JUDGE_REASONS_PRIVATE_H

#include <regex.h>

#include "judge/reasons.h"

struct pm_reason_rules {
    json_t *document; /* owns the texts of all rules */
    struct pm_judge__rule {
        struct pm_reason_rule rule;
        regex_t pattern; /* pattern of rule.message */
        bool compiled;
    } * items;
    size_t count;
    struct pm_reason_exclusion_row *excluded;
    size_t excluded_count;
};

#endif

/* How a case's outputs are compared, read from its stored definition. Private to core. */
#ifndef PM_CORE_RULES_H
#define PM_CORE_RULES_H

#include <jansson.h>

#include "judge/judge.h"

/* `shape_only`: the target holds no values, so only dtypes and shapes count. */
struct pm_compare_rule core_rule_of(const json_t *definition, bool shape_only);

#endif

/* The comparison rule of a case, read from its stored definition. */

#include <string.h>

#include "base/json.h"
#include "judge/judge.h"

struct pm_compare_rule pm_compare_rule_of(const json_t *definition, bool shape_only)
{
    struct pm_compare_rule rule = {.how = PM_COMPARE_CLOSE};
    (void)pm_compare_parse(pm_json_string(definition, "compare", ""), &rule.how);
    const json_t *tolerance = json_object_get(definition, "tolerance");
    if (json_is_object(tolerance)) {
        rule.has_tolerance = true;
        rule.rtol = pm_json_real(tolerance, "rtol", 0);
        rule.atol = pm_json_real(tolerance, "atol", 0);
    }
    if (shape_only)
        rule.how = PM_COMPARE_SHAPE;
    return rule;
}

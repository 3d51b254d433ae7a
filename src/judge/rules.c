/* The comparison rule of a case, read from its stored definition. */

#include <string.h>

#include "base/json.h"
#include "judge/judge.h"

struct pm_compare_rule pm_compare_rule_of(const json_t *definition, bool shape_only)
{
    static const struct {
        const char *text;
        enum pm_compare_how how;
    } words[] = {{"close", PM_HOW_CLOSE},
                 {"exact", PM_HOW_EXACT},
                 {"shape", PM_HOW_SHAPE},
                 {"set", PM_HOW_SET}};
    struct pm_compare_rule rule = {.how = PM_HOW_CLOSE};
    const char *compare = pm_json_string(definition, "compare", "close");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(compare, words[i].text))
            rule.how = words[i].how;
    const json_t *tolerance = json_object_get(definition, "tolerance");
    if (json_is_object(tolerance)) {
        rule.has_tolerance = true;
        rule.rtol = pm_json_real(tolerance, "rtol", 0);
        rule.atol = pm_json_real(tolerance, "atol", 0);
    }
    if (shape_only)
        rule.how = PM_HOW_SHAPE;
    return rule;
}

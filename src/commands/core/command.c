/* Provides what several commands need: examples for help and messages, the reference target of a
 * suite, and notes about migrated databases. */
#include <string.h>

#include "core/core.h"
#include "environment/environment.h"
#include "store/store.h"

void pm_note_migrations(FILE *out)
{
    pm_store_note_to(out);
}

struct pm_examples pm_examples(void)
{
    const struct pm_framework *first = pm_frameworks(NULL);
    return (struct pm_examples){.framework = first[0].name,
                                .reference = first[0].suite_reference,
                                .target = first[0].example,
                                .device = strchr(first[0].example, '@') + 1,
                                .module = pm_framework_module(&first[0]),
                                .other = first[1].name};
}

int pm_suite_reference(const char *framework, const char **target, struct pm_error *err)
{
    const struct pm_framework *found;
    PM_TRY(pm_framework_need(framework, &found, err));
    *target = found->suite_reference;
    return *target
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE,
                              "framework '%s' has no reference target: name another --framework",
                              framework);
}

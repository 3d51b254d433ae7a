/* pm_write_report(): prints a report, and lines about what else could be measured. */
#include "base/alloc.h"
#include "core/core.h"
#include "environment/environment.h"

struct hint_list {
    struct pm_report_hint *items;
    size_t count, capacity;
};

static struct hint_list find_hints(void)
{
    struct hint_list list = {0};
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < frameworks[i].recipe_count; k++) {
            const struct pm_recipe *recipe = &frameworks[i].recipes[k];
            if (!recipe->adds)
                continue;
            PM_GROW(list.items, list.count, list.capacity);
            list.items[list.count++] = (struct pm_report_hint){
                .framework = frameworks[i].name,
                .environment = recipe->name,
                .adds = recipe->adds,
            };
        }
    return list;
}

int pm_write_report(const struct pm_report_options *options, enum pm_exit *status,
                    struct pm_error *err)
{
    struct hint_list hints = find_hints();
    struct pm_report_options o = *options;
    o.hints = hints.items;
    o.hint_count = hints.count;
    const int rc = pm_tables_report(&o, status, err);
    free(hints.items);
    return rc;
}

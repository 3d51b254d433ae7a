/* pm_offer(): lists words with which a command line can continue, for completion by the shell. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "core/core.h"
#include "environment/environment.h"
#include "store/runs.h"
#include "store/targets.h"

struct offering {
    struct pm_store *store;
    pm_name_fn *take;
    void *ctx;
};

static void offer_frameworks(pm_name_fn *take, void *ctx)
{
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; i < count; i++)
        take(ctx, frameworks[i].name);
}

static void offer_recipes(pm_name_fn *take, void *ctx)
{
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < frameworks[i].recipe_count; k++)
            take(ctx, frameworks[i].recipes[k].name);
}

/* Offers the functions of the suites: a case file has the name of its function. */
static void offer_functions(pm_name_fn *take, void *ctx)
{
    static const char extension[] = ".yaml";
    size_t frameworks;
    const struct pm_framework *framework = pm_frameworks(&frameworks);
    char *home;
    if (pm_path_home(&home, NULL))
        return;
    for (size_t i = 0; i < frameworks; i++) {
        size_t count = 0;
        char **names, *folder = pm_format("%s/suites/%s", home, framework[i].name);
        if (pm_path_is_folder(folder) && !pm_folder_list(folder, &names, &count, NULL)) {
            for (size_t k = 0; k < count; k++) {
                char *end = names[k] + strlen(names[k]) - strlen(extension);
                if (end > names[k] && !strcmp(end, extension)) {
                    *end = '\0';
                    take(ctx, names[k]);
                }
            }
            pm_free_strings(names, count);
        }
        free(folder);
    }
    free(home);
}

static int offer_run(void *ctx, const struct pm_run_row *run)
{
    const struct offering *offering = ctx;
    char *number = pm_format("%lld", (long long)run->id);
    offering->take(offering->ctx, number);
    free(number);
    return PM_OK;
}

static int offer_target(void *ctx, const struct pm_target_row *target)
{
    const struct offering *offering = ctx;
    offering->take(offering->ctx, target->text);
    return PM_OK;
}

static int offer_targets_of(void *ctx, const struct pm_run_row *run)
{
    struct offering *offering = ctx;
    return pm_store_targets(offering->store, run->id, offer_target, offering, NULL);
}

static void offer_of_database(const char *db, pm_run_fn *each, pm_name_fn *take, void *ctx)
{
    struct offering offering = {.take = take, .ctx = ctx};
    if (!pm_path_exists(db) || pm_store_open(&offering.store, db, PM_STORE_READ, NULL))
        return;
    (void)!pm_store_runs(offering.store, each, &offering, NULL);
    pm_store_free(offering.store);
}

void pm_offer(enum pm_offer what, const char *db, pm_name_fn *take, void *ctx)
{
    switch (what) {
    case PM_OFFER_FRAMEWORKS:
        offer_frameworks(take, ctx);
        break;
    case PM_OFFER_RECIPES:
        offer_recipes(take, ctx);
        break;
    case PM_OFFER_ENVIRONMENTS:
        pm_environment_names(take, ctx);
        break;
    case PM_OFFER_FUNCTIONS:
        offer_functions(take, ctx);
        break;
    case PM_OFFER_TARGETS:
        pm_target_names(take, ctx);
        offer_of_database(db, offer_targets_of, take, ctx);
        break;
    case PM_OFFER_RUNS:
        offer_of_database(db, offer_run, take, ctx);
    }
}

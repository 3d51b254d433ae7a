/*
 * Selects the cases of a function by kind, and checks that no kind changes without a reason after
 * there are results.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "measure/plan.h"
#include "store/targets.h"

/* ---- choosing -------------------------------------------------------------------------------- */

static bool is_asked(const struct plan *plan, int kind)
{
    bool any = false;
    for (int k = 0; k < PM_CASE_KIND_COUNT; k++)
        any |= plan->options->kinds[k];
    return !any || plan->options->kinds[kind];
}

/* Marks `count` of the `have` cases of that kind, spread evenly over them. */
static void spread(const struct pm_case *cases, size_t case_count, enum pm_case_kind kind,
                   size_t have, size_t count, bool *taken)
{
    size_t at = 0, next = 0;
    for (size_t i = 0; i < case_count && next < count; i++) {
        if (cases[i].kind != kind)
            continue;
        taken[i] = at == next * have / count;
        next += taken[i];
        at++;
    }
}

void pm_measure__take_function(struct plan *plan, const struct pm_suite *suite,
                               const struct pm_function *function)
{
    const struct pm_case *cases = &suite->cases[function->first_case];
    bool *taken = pm_alloc((function->case_count + 1) * sizeof *taken);
    size_t have[PM_CASE_KIND_COUNT] = {0};
    for (size_t i = 0; i < function->case_count; i++)
        have[cases[i].kind]++;
    size_t left = plan->options->most_cases ? plan->options->most_cases : function->case_count;
    for (int kind = 0; kind < PM_CASE_KIND_COUNT; kind++) {
        const size_t count = have[kind] < left ? have[kind] : left;
        if (!count || !is_asked(plan, kind))
            continue;
        spread(cases, function->case_count, (enum pm_case_kind)kind, have[kind], count, taken);
        left -= count;
    }
    for (size_t i = 0; i < function->case_count; i++)
        if (taken[i] || cases[i].is_absence)
            plan->cases[plan->case_count++] = &cases[i];
    free(taken);
}

/* ---- changes --------------------------------------------------------------------------------- */

struct comparing_kinds {
    struct pm_map cases; /* cases of the plan, by key_of() */
    struct pm_error *err;
};

static char *key_of(const char *framework, const char *function, const char *name)
{
    return pm_format("%s\n%s\n%s", framework, function, name);
}

static int compare_kind(void *ctx, const struct pm_measured_kind_row *row)
{
    struct comparing_kinds *k = ctx;
    char *key = key_of(row->framework, row->function, row->name);
    const struct pm_case *const *at = pm_map_get(&k->cases, key);
    free(key);
    if (!at || (*at)->kind == row->kind || (*at)->kind_reason)
        return PM_OK;
    return pm_error_set(k->err, PM_EUSAGE,
                        "%s:%d: the database has results of case '%s' as '%s', and now it is '%s': "
                        "restore its kind, or say why with kind_changed: {from: ..., reason: ...}",
                        (*at)->file, (*at)->line, (*at)->name, pm_case_kind_text(row->kind),
                        pm_case_kind_text((*at)->kind));
}

int pm_measure__check_kinds(const struct plan *plan, struct pm_store *store, struct pm_error *err)
{
    struct comparing_kinds k = {.err = err};
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct pm_case **at = &plan->cases[i];
        char *key = key_of((*at)->function->framework, (*at)->function->name, (*at)->name);
        pm_map_put(&k.cases, key, at);
        free(key);
    }
    const int rc = pm_store_measured_kinds(store, compare_kind, &k, err);
    pm_map_release(&k.cases);
    return rc;
}

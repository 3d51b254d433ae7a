/* Finds the functions that end their process on a target. The headline names them, whether they are
 * counted or not. */
#include <string.h>

#include "base/alloc.h"
#include "tables/kinds.h"
#include "text/numbers.h"

enum { CRASHES_NAMED = 3 };

/* The functions with crashes on one target. */
struct crashes {
    struct {
        const char *function; /* borrowed from the reading */
        int64_t cases;
    } * items;
    size_t count, capacity;
    struct pm_map functions, cases; /* functions by name: index + 1; cases by function and name */
};

static void count_crash(struct crashes *all, const struct pm_reading_judgement *j)
{
    char *key = pm_reading_case_key(j->target, j->function, j->name);
    const bool known = pm_map_get(&all->cases, key) != NULL;
    if (!known)
        pm_map_put(&all->cases, key, all);
    free(key);
    if (known)
        return;
    size_t index = (size_t)(uintptr_t)pm_map_get(&all->functions, j->function);
    if (!index) {
        PM_GROW(all->items, all->count, all->capacity);
        all->items[all->count++].function = j->function;
        all->items[all->count - 1].cases = 0;
        index = all->count;
        pm_map_put(&all->functions, j->function, (void *)(uintptr_t)index);
    }
    all->items[index - 1].cases++;
}

/* Counts the cases that crashed on a target, also in executions that a retry in isolation
 * replaced. */
static struct crashes crashes_of(const struct pm_reading *r, int target)
{
    struct crashes all = {0};
    for (size_t i = 0; i < r->judgement_list.count; i++)
        if (r->judgements[i].target == target && r->judgements[i].outcome == PM_OUTCOME_CRASH)
            count_crash(&all, &r->judgements[i]);
    for (size_t i = 0; i < r->superseded_list.count; i++)
        if (r->superseded[i].target == target && r->superseded[i].outcome == PM_OUTCOME_CRASH)
            count_crash(&all, &r->superseded[i]);
    return all;
}

static void crashes_release(struct crashes *all)
{
    pm_map_release(&all->functions);
    pm_map_release(&all->cases);
    free(all->items);
}

char *pm_tables__crashes(const struct pm_reading *r, int target)
{
    struct crashes all = crashes_of(r, target);
    struct pm_str out = PM_STR_INIT;
    for (size_t i = 0; i < all.count && i < CRASHES_NAMED; i++) {
        pm_str_addf(&out, "%s%s (", i ? ", " : "", all.items[i].function);
        pm_text_count(&out, all.items[i].cases);
        pm_str_add(&out, all.items[i].cases == 1 ? " case)" : " cases)");
    }
    if (all.count > CRASHES_NAMED)
        pm_str_addf(&out, " and %zu more", all.count - CRASHES_NAMED);
    crashes_release(&all);
    return pm_str_detach(&out);
}

json_t *pm_tables__crashes_json(const struct pm_reading *r, int target)
{
    struct crashes all = crashes_of(r, target);
    json_t *list = json_array();
    for (size_t i = 0; i < all.count; i++)
        json_array_append_new(list, json_pack("{s:s, s:I}", "function", all.items[i].function,
                                              "cases", (json_int_t)all.items[i].cases));
    crashes_release(&all);
    return list;
}

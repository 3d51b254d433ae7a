/* Renames targets that have the same name but come from different runs of one plan, which merge
 * --apart keeps separate. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/shard.h"
#include "reading/loading.h"
#include "store/shards.h"

/* Stores the digest of the plan in a run that was merged from shards. */
static int see_plan(void *ctx, const struct pm_shard_row *row)
{
    struct pm_reading *r = ctx;
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].id == row->run_id && !r->runs[i].plan &&
            !strcmp(r->runs[i].source, PM_RUN_SOURCE_SHARDS))
            r->runs[i].plan = pm_reading_keep(r, row->plan);
    return PM_OK;
}

/* Compares the nodes of two runs by the devices, drivers and versions of their common targets. */
static int compare_nodes(const struct pm_reading *r, size_t a, size_t b)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        for (size_t k = 0; k < r->target_list.count; k++) {
            const struct pm_reading_target *x = &r->targets[i], *y = &r->targets[k];
            if (x->run != a || y->run != b || strcmp(x->text, y->text) != 0)
                continue;
            int order = strcmp(x->device_name, y->device_name);
            if (!order)
                order = strcmp(x->driver_version, y->driver_version);
            if (!order)
                order = strcmp(x->version, y->version);
            if (!order)
                order = strcmp(x->python, y->python);
            if (order)
                return order;
        }
    return 0;
}

/* Returns the number, from 1, of a run among the runs of its plan, which merge --apart keeps
 * separate. A run without a plan has the number 1. The order of merging affects the number only if
 * devices, drivers and versions are equal. */
static unsigned number_apart(const struct pm_reading *r, size_t run)
{
    unsigned number = 1;
    for (size_t i = 0; i < r->run_list.count; i++) {
        if (i == run || !r->runs[run].plan || !r->runs[i].plan ||
            strcmp(r->runs[run].plan, r->runs[i].plan) != 0)
            continue;
        const int order = compare_nodes(r, i, run);
        number += order < 0 || (order == 0 && i < run);
    }
    return number;
}

static char *name_apart(struct pm_reading *r, const char *text, unsigned number)
{
    char *apart = pm_shard_apart(text, number);
    char *kept = pm_reading_keep(r, apart);
    free(apart);
    return kept;
}

int pm_reading__tell_nodes_apart(struct pm_reading *r, struct pm_store *store, struct pm_error *err)
{
    PM_TRY(pm_store_shards(store, 0, see_plan, r, err));
    unsigned *numbers = pm_alloc((r->run_list.count + 1) * sizeof *numbers);
    for (size_t run = 0; run < r->run_list.count; run++)
        numbers[run] = number_apart(r, run);
    for (size_t i = 0; i < r->target_list.count; i++) {
        struct pm_reading_target *t = &r->targets[i];
        if (numbers[t->run] == 1)
            continue;
        t->text = name_apart(r, t->text, numbers[t->run]);
        t->reference = name_apart(r, t->reference, numbers[t->run]);
    }
    free(numbers);
    return PM_OK;
}

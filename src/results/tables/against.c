/* Makes the report on the latencies of all targets compared with one target. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "compare/side.h"
#include "report/write.h"
#include "tables/kinds.h"

struct against {
    const struct pm_report_options *o;
    struct pm_side base;
    struct pm_reading r; /* its targets are compared with the base */
    struct pm_report *report;
    bool any;
};

static int load_targets(struct against *g, struct pm_error *err)
{
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, g->o->db, PM_STORE_READ, err));
    const int rc = pm_reading_load(&g->r, store, g->o->db, g->o->run_id, err);
    pm_store_free(store);
    return rc;
}

/* Returns the name of the base: a target of the requested run, unless the user names a run or a
 * file. */
static char *name_of_base(const struct pm_report_options *o)
{
    return o->run_id && !strchr(o->against, '#')
               ? pm_format("run:%lld#%s", (long long)o->run_id, o->against)
               : pm_strdup(o->against);
}

static int load_base(struct against *g, struct pm_error *err)
{
    char *name = name_of_base(g->o);
    int rc = pm_side_open(&g->base, name, g->o->db, err);
    free(name);
    PM_TRY(rc);
    PM_TRY(pm_file_check_output("--output", g->o->output, g->base.db, "the database", err));
    PM_TRY(pm_side_choose(&g->base, &g->base, err));
    return pm_side_load(&g->base, err);
}

static bool is_base(const struct against *g, const struct pm_reading_target *t)
{
    const struct pm_changes_side *base = &g->base.compared;
    return !strcmp(base->db, g->o->db) && base->run == g->r.runs[t->run].id &&
           !strcmp(base->target, t->text);
}

static int load_side(struct pm_side *side, const struct against *g,
                     const struct pm_reading_target *t, struct pm_error *err)
{
    char *name = pm_format("run:%lld#%s", (long long)g->r.runs[t->run].id, t->text);
    int rc = pm_side_open(side, name, g->o->db, err);
    free(name);
    PM_TRY(rc);
    PM_TRY(pm_side_choose(side, &g->base, err));
    return pm_side_load(side, err);
}

static int add_target(struct against *g, const struct pm_reading_target *t, struct pm_error *err)
{
    struct pm_side side;
    const int rc = load_side(&side, g, t, err);
    if (!rc)
        pm_changes_describe(&side.compared, "target", g->report);
    for (int size = 0; !rc && size < PM_SIZE_COUNT; size++)
        g->any |=
            pm_changes_add_ratios(&g->base.compared, &side.compared, (enum pm_size)size, g->report);
    pm_side_release(&side);
    return rc;
}

static int add_targets(struct against *g, struct pm_error *err)
{
    pm_changes_describe(&g->base.compared, "against", g->report);
    for (size_t i = 0; i < g->r.target_list.count; i++) {
        const struct pm_reading_target *t = &g->r.targets[i];
        if (t->latencies && !pm_reading_is_oracle(t) && !is_base(g, t))
            PM_TRY(add_target(g, t, err));
    }
    if (!g->any)
        pm_report_line(g->report, "latencies",
                       "no target has latencies to compare: measure two targets of one "
                       "framework without --outcomes-only");
    return PM_OK;
}

int pm_tables__report_against(const struct pm_report_options *o, struct pm_error *err)
{
    struct against g = {.o = o, .report = pm_report_new("portmeter " PM_VERSION ", latencies")};
    int rc = load_targets(&g, err);
    if (!rc)
        rc = load_base(&g, err);
    if (!rc)
        rc = add_targets(&g, err);
    if (!rc)
        rc = pm_report_write(g.report, o->format, o->width, o->colour, o->output, err);
    pm_report_free(g.report);
    pm_side_release(&g.base);
    pm_reading_release(&g.r);
    return rc;
}

/* Reads two sides and prints what changed between them, or their latencies. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/privacy.h"
#include "reading/reading.h"
#include "report/sink.h"
#include "report/write.h"
#include "sides/side.h"
#include "tables/kinds.h"

struct comparing {
    struct pm_side a, b;
    const struct pm_compare_options *o;
    struct pm_changes_request request;
    struct pm_changes c;
};

static int write_text(const struct pm_compare_options *o, const struct pm_str *text,
                      struct pm_error *err)
{
    struct pm_sink sink = pm_sink_file(stdout);
    if (o->output)
        return pm_file_write(o->output, text->data, text->length, err);
    return sink.write(sink.ctx, text->data, text->length) < 0
               ? pm_error_errno(err, "cannot write the comparison")
               : PM_OK;
}

static int write_junit(const struct comparing *c, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    char *a = pm_privacy_hidden(c->o->a), *b = pm_privacy_hidden(c->o->b);
    char *title = pm_format("%s, then %s", a, b);
    pm_changes_junit(&c->c, title, c->b.compared.target, &text);
    const int rc = write_text(c->o, &text, err);
    free(a);
    free(b);
    free(title);
    pm_str_release(&text);
    return rc;
}

static int write_report(const struct comparing *c, struct pm_error *err)
{
    const struct pm_compare_options *o = c->o;
    struct pm_report *report = pm_report_new("portmeter " PM_VERSION ", comparison");
    pm_changes_report(&c->c, &c->a.compared, &c->b.compared, &c->request, report);
    const int rc = pm_report_write(report, o->format, o->width, o->colour, o->output, err);
    pm_report_free(report);
    return rc;
}

static bool has_function(const struct pm_changes *c, const char *function)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->changes[i].function, function))
            return true;
    return false;
}

static int check_allowed(const struct comparing *c, struct pm_error *err)
{
    for (size_t i = 0; i < c->o->allowed_count; i++)
        if (!has_function(&c->c, c->o->allowed[i]))
            return pm_error_set(err, PM_EUSAGE,
                                "--allow '%s': no side has this function: write its full name, "
                                "such as package.function",
                                c->o->allowed[i]);
    return PM_OK;
}

static int load(struct comparing *c, struct pm_error *err)
{
    PM_TRY(pm_sides_open(&c->a, c->o->a, c->o->db, err));
    PM_TRY(pm_sides_open(&c->b, c->o->b, c->o->db, err));
    PM_TRY(pm_file_check_output("--output", c->o->output, c->a.db, "the database", err));
    PM_TRY(pm_file_check_output("--output", c->o->output, c->b.db, "the database", err));
    PM_TRY(pm_sides_choose(&c->a, &c->b, err));
    PM_TRY(pm_sides_choose(&c->b, &c->a, err));
    PM_TRY(pm_sides_load(&c->a, err));
    return pm_sides_load(&c->b, err);
}

static int compare(struct comparing *c, struct pm_error *err)
{
    PM_TRY(load(c, err));
    c->c = pm_changes_find(&c->a.compared, &c->b.compared, &c->request);
    PM_TRY(check_allowed(c, err));
    return c->o->junit ? write_junit(c, err) : write_report(c, err);
}

static void take_result(const struct comparing *c, struct pm_compare_result *result)
{
    struct pm_changes_doubt doubt = pm_changes_doubt(&c->c, &c->a.compared, &c->b.compared);
    *result = (struct pm_compare_result){
        .status = pm_changes_status(&c->c, &doubt),
        .regressions = pm_changes_regressions(&c->c),
        .undecided = c->c.few,
        .doubt = doubt.what ? pm_format("%s: %s", doubt.what, doubt.remedy) : NULL,
    };
    pm_changes_doubt_release(&doubt);
}

int pm_tables_compare(const struct pm_compare_options *o, struct pm_compare_result *result,
                      struct pm_error *err)
{
    struct comparing c = {.o = o};
    c.request = (struct pm_changes_request){
        .outcomes_only = o->outcomes_only,
        .all = o->all,
        .for_people = o->format != PM_FORMAT_JSON && o->format != PM_FORMAT_CSV,
        .allowed = o->allowed,
        .allowed_count = o->allowed_count,
        .accepts_unknown = o->accepts_unknown,
        .intolerable = o->intolerable,
    };
    *result = (struct pm_compare_result){0};
    const int rc = compare(&c, err);
    if (!rc)
        take_result(&c, result);
    pm_changes_release(&c.c);
    pm_sides_release(&c.a);
    pm_sides_release(&c.b);
    return rc;
}

/* ---- latencies of all targets against one ---- */

struct against {
    const struct pm_report_options *o;
    struct pm_side base;
    struct pm_reading r; /* which targets there are */
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

/* Of the run that is asked for, where the user names neither a run nor a file. */
static char *name_of_base(const struct pm_report_options *o)
{
    return o->run_id && !strchr(o->against, '#')
               ? pm_format("run:%lld#%s", (long long)o->run_id, o->against)
               : pm_strdup(o->against);
}

static int load_base(struct against *g, struct pm_error *err)
{
    char *name = name_of_base(g->o);
    int rc = pm_sides_open(&g->base, name, g->o->db, err);
    free(name);
    PM_TRY(rc);
    PM_TRY(pm_file_check_output("--output", g->o->output, g->base.db, "the database", err));
    PM_TRY(pm_sides_choose(&g->base, &g->base, err));
    return pm_sides_load(&g->base, err);
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
    int rc = pm_sides_open(side, name, g->o->db, err);
    free(name);
    PM_TRY(rc);
    PM_TRY(pm_sides_choose(side, &g->base, err));
    return pm_sides_load(side, err);
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
    pm_sides_release(&side);
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
    pm_sides_release(&g.base);
    pm_reading_release(&g.r);
    return rc;
}

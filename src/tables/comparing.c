/* pm_tables_compare(): reads two sides and prints what changed between them. */
#include <string.h>

#include "base/file.h"
#include "report/sink.h"
#include "report/write.h"
#include "tables/side.h"
#include "tables/tables.h"

struct comparing {
    struct side a, b;
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
    struct pm_str text = PM_STR_INIT, title = PM_STR_INIT;
    pm_str_addf(&title, "%s, then %s", c->o->a, c->o->b);
    pm_changes_junit(&c->c, title.data, &text);
    const int rc = write_text(c->o, &text, err);
    pm_str_release(&title);
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
            return pm_error_set(
                err, PM_EUSAGE,
                "--allow '%s': neither side has that function: write its whole name",
                c->o->allowed[i]);
    return PM_OK;
}

static int load(struct comparing *c, struct pm_error *err)
{
    PM_TRY(pm_tables__side_open(&c->a, c->o->a, c->o->db, err));
    PM_TRY(pm_tables__side_open(&c->b, c->o->b, c->o->db, err));
    PM_TRY(pm_file_check_output(c->o->output, c->a.db, "the database", err));
    PM_TRY(pm_file_check_output(c->o->output, c->b.db, "the database", err));
    PM_TRY(pm_tables__side_choose(&c->a, &c->b, err));
    PM_TRY(pm_tables__side_choose(&c->b, &c->a, err));
    PM_TRY(pm_tables__side_load(&c->a, err));
    return pm_tables__side_load(&c->b, err);
}

static int compare(struct comparing *c, struct pm_error *err)
{
    PM_TRY(load(c, err));
    c->c = pm_changes_find(&c->a.compared, &c->b.compared, &c->request);
    PM_TRY(check_allowed(c, err));
    return c->o->junit ? write_junit(c, err) : write_report(c, err);
}

/* Of the undecided functions. */
static size_t fewest_processes(const struct pm_changes *c)
{
    return c->fewest_before < c->fewest_after ? c->fewest_before : c->fewest_after;
}

int pm_tables_compare(const struct pm_compare_options *o, struct pm_compare_result *result,
                      struct pm_error *err)
{
    struct comparing c = {
        .o = o,
        .request = {o->outcomes_only, o->all, o->allowed, o->allowed_count},
    };
    const int rc = compare(&c, err);
    *result = (struct pm_compare_result){
        .regressions = pm_changes_regressions(&c.c),
        .undecided = c.c.counts[PM_CHANGE_UNDECIDED],
        .processes = fewest_processes(&c.c),
        .needed = PM_STAT_LEAST_FOR_VERDICT,
    };
    pm_changes_release(&c.c);
    pm_tables__side_release(&c.a);
    pm_tables__side_release(&c.b);
    return rc;
}

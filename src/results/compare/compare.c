/* Reads two sides and prints what changed between them. */
#include "compare/compare.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/privacy.h"
#include "compare/side.h"
#include "report/sink.h"
#include "report/write.h"

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

static int no_such_function(const struct pm_changes *c, const char *function, struct pm_error *err)
{
    const char **known = pm_alloc((c->count + 1) * sizeof *known);
    for (size_t i = 0; i < c->count; i++)
        known[i] = c->changes[i].function;
    const int rc = pm_nearest_error(err, PM_EUSAGE, function, known, c->count,
                                    "write its full name, such as package.function",
                                    "--allow '%s': no side has this function", function);
    free(known);
    return rc;
}

static int check_allowed(const struct comparing *c, struct pm_error *err)
{
    for (size_t i = 0; i < c->o->allowed_count; i++)
        if (!has_function(&c->c, c->o->allowed[i]))
            return no_such_function(&c->c, c->o->allowed[i], err);
    return PM_OK;
}

static int load(struct comparing *c, struct pm_error *err)
{
    PM_TRY(pm_side_open(&c->a, c->o->a, c->o->db, err));
    PM_TRY(pm_side_open(&c->b, c->o->b, c->o->db, err));
    PM_TRY(pm_file_check_output("--output", c->o->output, c->a.db, "the database", err));
    PM_TRY(pm_file_check_output("--output", c->o->output, c->b.db, "the database", err));
    PM_TRY(pm_side_choose(&c->a, &c->b, err));
    PM_TRY(pm_side_choose(&c->b, &c->a, err));
    PM_TRY(pm_side_load(&c->a, err));
    return pm_side_load(&c->b, err);
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

int pm_compare(const struct pm_compare_options *o, struct pm_compare_result *result,
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
    pm_side_release(&c.a);
    pm_side_release(&c.b);
    return rc;
}

/* pm_audit_code(): measures the functions that code uses, if requested, and audits the code. */
#include "core/core.h"

#include "base/plural.h"

static void say_plan(const struct pm_survey_measurable *m, const char *target, FILE *out)
{
    const size_t known = m->census.measured + m->reviewed.measured;
    fprintf(out,
            "measuring   %zu function%s in the reviewed suite and %zu in the census, of the %zu "
            "that the code uses, on %s\n",
            m->reviewed.count, pm_plural(m->reviewed.count), m->census.count, m->used, target);
    if (known)
        fprintf(out, "measured    %zu already, with this version of the framework\n", known);
}

static int measure_cases(const struct pm_survey_cases *cases,
                         const struct pm_audit_request *request, const struct pm_messages *messages,
                         struct pm_error *err)
{
    const char *const suites[] = {cases->suite};
    struct pm_run_options options = *request->run;
    struct pm_run_result result;
    options.db = request->audit->db;
    options.targets = &request->audit->target;
    options.target_count = 1;
    options.suites = suites;
    options.suite_count = cases->suite ? 1 : 0;
    options.functions = (const char *const *)cases->functions;
    options.function_count = cases->count;
    options.outcomes_only = true;
    if (!cases->count)
        return PM_OK;
    if (request->previews)
        return pm_preview_run(&options, request->width, err);
    PM_TRY(pm_run(&options, messages, &result, err));
    if (result.run.run_id && !result.run.valid)
        fprintf(messages->out, "measuring   run %lld is INVALID: %s\n",
                (long long)result.run.run_id, result.run.reason);
    return PM_OK;
}

int pm_audit_code(const struct pm_audit_request *request, const struct pm_messages *messages,
                  struct pm_survey_audited *out, struct pm_error *err)
{
    struct pm_survey_measurable measurable = {0};
    int rc = PM_OK;
    *out = (struct pm_survey_audited){0};
    if (request->measures || request->previews) {
        rc = pm_survey_audit_cases(request->audit, messages, &measurable, err);
        if (!rc)
            say_plan(&measurable, request->audit->target, messages->out);
        if (!rc)
            rc = measure_cases(&measurable.census, request, messages, err);
        if (!rc) /* last, because reports show the newest run: that of the reviewed cases */
            rc = measure_cases(&measurable.reviewed, request, messages, err);
        pm_survey_measurable_release(&measurable);
    }
    return rc || request->previews ? rc : pm_survey_audit(request->audit, messages, out, err);
}

/* Audits code: scans it, and joins the uses with the results of a target. Also lists the functions
 * that can be measured before an audit. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "base/map.h"
#include "base/privacy.h"
#include "environment/environment.h"
#include "forecast/forecast.h"
#include "suite/suite.h"
#include "survey/scan.h"
#include "text/progress.h"

struct auditing {
    const struct pm_survey_audit_options *o;
    const struct pm_messages *messages;
    struct pm_target target;
    struct scan_framework framework;
    struct pm_store *store, *census;
    struct pm_audit_evidence evidence;
    struct pm_audit_recording recording;
    struct pm_audit_predictions predictions;
    struct pm_audit_rules *rules;
    struct pm_audit *audit;
    struct pm_corpus_result *result;
    struct pm_map used;     /* functions of the code; only for pm_survey_audit_cases() */
    const char **canonical; /* by the row of a function; NULL: not looked up yet */
    size_t canonical_count;
};

/* ---- the database ---------------------------------------------------------------------------- */

static bool has_inventory(const struct auditing *a)
{
    return a->framework.item.id && !a->framework.item.inventory.flat;
}

/* Opens the database and loads the names of the framework. If the database lacks them, opens it for
 * writing, and records them. */
static int open_database(struct auditing *a, struct pm_error *err)
{
    int rc = pm_store_expect(a->o->db, err);
    if (!rc)
        rc = pm_store_open(&a->store, a->o->db, PM_STORE_READ, err);
    else if (rc == PM_ENOTFOUND)
        rc = PM_OK;
    if (!rc && a->store)
        rc = pm_stored_inventory_newest(a->store, a->framework.name, &a->framework.item, err);
    if (rc || has_inventory(a))
        return rc;
    pm_store_free(a->store);
    a->store = NULL;
    pm_stored_inventory_release(&a->framework.item);
    PM_TRY(pm_store_open(&a->store, a->o->db, PM_STORE_WRITE, err));
    PM_TRY(pm_survey__find_names(&a->framework, a->store, NULL, a->messages, err));
    return pm_survey__load_names(&a->framework, a->store, err);
}

/* ---- the scan -------------------------------------------------------------------------------- */

static void see(void *ctx, const struct pm_corpus_text *text)
{
    pm_audit_see(((struct auditing *)ctx)->audit, text);
}

static const char *canonical_of(struct auditing *a, const struct pm_corpus_place *place)
{
    const size_t row = place->function_row;
    if (row >= a->canonical_count) {
        const size_t count = 2 * row + 64;
        a->canonical = pm_realloc_array(a->canonical, count, sizeof *a->canonical);
        memset(a->canonical + a->canonical_count, 0,
               (count - a->canonical_count) * sizeof *a->canonical);
        a->canonical_count = count;
    }
    if (!a->canonical[row])
        a->canonical[row] = pm_survey__scan_canonical(&a->framework, place->function);
    return a->canonical[row];
}

static void take(void *ctx, const struct pm_corpus_place *place)
{
    struct auditing *a = ctx;
    struct pm_corpus_place named = *place;
    named.function = canonical_of(a, place);
    pm_audit_take(a->audit, &named);
}

static void tell(void *ctx, uint64_t done, uint64_t total)
{
    pm_progress_update(ctx, "", done, total, 0);
}

static void take_name(void *ctx, const struct pm_corpus_place *place)
{
    struct auditing *a = ctx;
    pm_map_put(&a->used, canonical_of(a, place), a);
}

/* Scans the code and passes the uses to the audit; without an audit, only keeps their functions. */
static int scan_code(struct auditing *a, struct pm_error *err)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    struct pm_progress progress;
    pm_progress_init(&progress, a->messages->out, a->messages->terminal);
    progress.what = "reading";
    progress.counted = NULL;
    progress.in_bytes = true;
    pm_survey__scan_add_names(names, &a->framework, true);
    const struct pm_corpus_options options = {.threads = 1,
                                              .progress = tell,
                                              .ctx = &progress,
                                              .take = a->audit ? take : take_name,
                                              .see = a->audit ? see : NULL,
                                              .take_ctx = a,
                                              .kept = a->o->how.output,
                                              .kept_by = "--output"};
    const int rc = pm_corpus_scan(a->o->paths, a->o->path_count, names, &options, &a->result, err);
    pm_progress_end(&progress);
    pm_resolve_names_free(names);
    return rc;
}

/* ---- the audit ------------------------------------------------------------------------------- */

static int check(struct auditing *a, struct pm_error *err)
{
    const struct pm_survey_audit_options *o = a->o;
    const char *const files[] = {o->how.output, o->write_baseline};
    const char *const names[] = {"--output", "--write-baseline"};
    if (!o->path_count)
        return pm_error_set(err, PM_EUSAGE, "nothing to audit: name files or folders");
    PM_TRY(pm_target_parse(o->target, &a->target, err));
    PM_TRY(pm_framework_need(a->target.framework, &a->framework.of, err));
    a->framework.name = pm_strdup(a->target.framework);
    for (size_t i = 0; i < 2; i++) {
        PM_TRY(pm_file_check_output(names[i], files[i], o->db, "the database", err));
        for (size_t k = 0; k < o->path_count; k++)
            PM_TRY(pm_file_check_output(names[i], files[i], o->paths[k], "an input", err));
    }
    return pm_corpus_check(o->paths, o->path_count, err);
}

/* Returns a text such as "src" or "3 inputs", without the names of users. */
static char *inputs_text(const struct pm_survey_audit_options *o)
{
    return o->path_count == 1 ? pm_privacy_hidden(o->paths[0])
                              : pm_format("%zu inputs", o->path_count);
}

static void say_damages(const struct auditing *a)
{
    for (size_t i = 0; i < a->result->damage_count; i++)
        pm_line_print(a->messages->out, "portmeter: %s: %s: not audited",
                      a->result->damages[i].input, a->result->damages[i].what);
}

static int audit(struct auditing *a, struct pm_survey_audited *out, struct pm_error *err)
{
    const struct pm_survey_audit_options *o = a->o;
    const struct pm_inventory *inventory = &a->framework.item.inventory;
    char *what = inputs_text(o);
    char *device = pm_strndup(a->target.device, strcspn(a->target.device, ":"));
    const struct pm_audit_options options = {
        .target = a->target.text,
        .framework = a->framework.name,
        .device = device,
        .version = o->version                                ? o->version
                   : inventory->count && *inventory->version ? inventory->version
                                                             : NULL,
        .what = what,
        .recording = o->recording ? &a->recording : NULL,
        .predictions = a->predictions.made ? &a->predictions : NULL,
        .unknown = o->unknown,
    };
    a->audit = pm_audit_new(&options, &a->evidence, a->rules);
    int rc = scan_code(a, err);
    pm_audit_finish(a->audit);
    if (!rc)
        say_damages(a);
    if (!rc && o->baseline)
        rc = pm_audit_baseline_read(a->audit, o->baseline, err);
    if (!rc && o->write_baseline)
        rc = pm_audit_baseline_write(a->audit, o->write_baseline, err);
    if (!rc)
        rc = pm_audit_write(a->audit, &o->how, err);
    out->errors = pm_audit_shown(a->audit, PM_AUDIT_LEVEL_ERROR);
    pm_audit_free(a->audit);
    free(what);
    free(device);
    return rc;
}

static void release(struct auditing *a)
{
    pm_corpus_result_free(a->result);
    pm_audit_rules_free(a->rules);
    pm_audit_recording_release(&a->recording);
    pm_audit_predictions_release(&a->predictions);
    pm_audit_evidence_release(&a->evidence);
    pm_store_free(a->store);
    pm_store_free(a->census);
    pm_survey__framework_release(&a->framework);
    pm_map_release(&a->used);
    free(a->canonical);
    pm_target_release(&a->target);
}

static int load_evidence(struct auditing *a, struct pm_error *err)
{
    PM_TRY(check(a, err));
    PM_TRY(open_database(a, err));
    if (a->o->census)
        PM_TRY(pm_store_open(&a->census, a->o->census, PM_STORE_READ, err));
    const struct pm_audit_source sources[] = {{a->store, a->o->db}, {a->census, a->o->census}};
    return pm_audit_evidence_load(&a->evidence, sources, a->census ? 2 : 1, a->target.text,
                                  &a->framework.item.inventory, err);
}

/* Takes the predictions of a forecast. The texts of its cases are only known if they come with
 * portmeter unchanged. */
static int take_predictions(struct auditing *a, const struct pm_forecast *forecast,
                            struct pm_error *err)
{
    struct pm_forecast_accuracies accuracies = {0};
    struct pm_suite suite = {0};
    char *census = NULL;
    PM_TRY(pm_forecast_accuracies_load(&accuracies, err));
    int rc = pm_census_cases(a->framework.name, &census, err);
    const char *const path = census;
    if (!rc)
        rc = pm_suite_load(&suite, a->framework.name, pm_framework_case_words(), &path, 1, err);
    else if (rc == PM_ENOTFOUND)
        rc = PM_OK;
    if (!rc) {
        const bool same = !strcmp(suite.digest.hex, forecast->suite);
        pm_audit_predictions_take(&a->predictions, forecast, same ? &suite : NULL, &accuracies,
                                  &a->framework.item.inventory);
        if (census)
            pm_suite_release(&suite);
    }
    free(census);
    pm_forecast_accuracies_release(&accuracies);
    return rc;
}

/* Loads the forecast for the target that comes with portmeter, if there is one. */
static int load_predictions(struct auditing *a, struct pm_error *err)
{
    struct pm_forecasts forecasts = {0};
    char *home = NULL;
    PM_TRY(pm_forecast_home(&home, err));
    int rc = pm_forecasts_load(&forecasts, home, a->target.text, err);
    if (!rc)
        rc = take_predictions(a, &forecasts.items[0], err);
    else if (rc == PM_ENOTFOUND)
        rc = PM_OK;
    pm_forecasts_release(&forecasts);
    free(home);
    return rc;
}

int pm_survey_audit(const struct pm_survey_audit_options *o, const struct pm_messages *messages,
                    struct pm_survey_audited *out, struct pm_error *err)
{
    struct auditing a = {.o = o, .messages = messages, .framework.flat_text = PM_STR_INIT};
    *out = (struct pm_survey_audited){0};
    pm_alloc_keep();
    int rc = load_evidence(&a, err);
    if (!rc && o->recording)
        rc = pm_audit_recording_read(&a.recording, o->recording, err);
    if (!rc && o->predicts)
        rc = load_predictions(&a, err);
    if (!rc)
        rc = pm_audit_rules_read(NULL, NULL, &a.rules, err);
    if (!rc)
        rc = audit(&a, out, err);
    release(&a);
    return rc;
}

/* ---- what to measure first ------------------------------------------------------------------- */

/* Returns whether the database has a result of one of the cases of a function, with the version of
 * the framework in the inventory. */
static bool is_measured(const struct auditing *a, const struct pm_suite *suite,
                        const struct pm_function *of, const char *counted)
{
    const struct pm_audit_function *function = pm_audit_evidence_of(&a->evidence, counted);
    const char *version = a->framework.item.inventory.version;
    if (!function || !a->evidence.valid || strcmp(a->evidence.version, version) != 0)
        return false;
    for (size_t i = 0; i < function->count; i++)
        for (size_t k = 0; k < of->case_count; k++)
            if (function->cases[i].tier == of->tier &&
                !strcmp(function->cases[i].name, suite->cases[of->first_case + k].name))
                return true;
    return false;
}

static int choose_functions(struct auditing *a, struct pm_survey_cases *cases, struct pm_error *err)
{
    struct pm_suite suite = {0};
    const char *const paths[] = {cases->suite};
    PM_TRY(pm_suite_load_default(&suite, a->framework.name, pm_framework_case_words(), paths,
                                 cases->suite ? 1 : 0, err));
    for (size_t i = 0; i < suite.function_count; i++) {
        const struct pm_function *function = &suite.functions[i];
        const char *counted = pm_inventory_counted(&a->framework.item.inventory, function->name);
        if (!pm_map_has(&a->used, counted))
            continue;
        if (is_measured(a, &suite, function, counted)) {
            cases->measured++;
            continue;
        }
        cases->functions =
            pm_realloc_array(cases->functions, cases->count + 1, sizeof *cases->functions);
        cases->functions[cases->count++] = pm_strdup(function->name);
    }
    pm_suite_release(&suite);
    return PM_OK;
}

int pm_survey_audit_cases(const struct pm_survey_audit_options *o,
                          const struct pm_messages *messages, struct pm_survey_measurable *out,
                          struct pm_error *err)
{
    struct auditing a = {.o = o, .messages = messages, .framework.flat_text = PM_STR_INIT};
    *out = (struct pm_survey_measurable){0};
    int rc = load_evidence(&a, err);
    if (!rc)
        rc = scan_code(&a, err);
    out->used = a.used.count;
    if (!rc)
        rc = pm_census_cases(a.framework.name, &out->census.suite, err);
    if (!rc)
        rc = choose_functions(&a, &out->census, err);
    else if (rc == PM_ENOTFOUND)
        rc = PM_OK; /* this framework has no census */
    if (!rc)
        rc = choose_functions(&a, &out->reviewed, err);
    release(&a);
    return rc;
}

void pm_survey_measurable_release(struct pm_survey_measurable *measurable)
{
    struct pm_survey_cases *const parts[] = {&measurable->census, &measurable->reviewed};
    for (size_t i = 0; i < 2; i++) {
        pm_free_strings(parts[i]->functions, parts[i]->count);
        free(parts[i]->suite);
    }
    *measurable = (struct pm_survey_measurable){0};
}

/* pm_survey_forecast(): makes and prints forecasts of what fails on devices that this machine
 * lacks. */
#include "forecast/forecast.h"

#include <fnmatch.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "census/census.h"
#include "environment/environment.h"
#include "forecast/tables.h"
#include "report/write.h"
#include "suite/suite.h"
#include "survey/survey.h"
#include "text/progress.h"

enum { MOST_LACKS = 15 }; /* limit of the rows about missing operations of each target, in text */

/* The forecasts of the targets of one environment. */
struct predicting {
    const struct pm_forecast_options *o;
    const struct pm_environment *environment;
    struct pm_suite suite;
    struct pm_forecast *forecasts; /* one per target */
    const struct pm_target *targets;
    const char **why_unknown; /* one per target; NULL: a forecast is possible */
    size_t count;
    json_t *first; /* the driver's first line, which owns the texts of `why_unknown` */
    struct pm_progress progress;
    size_t asked, answered;
};

/* ---- request -------------------------------------------------------------------------------- */

static bool is_chosen(const struct pm_forecast_options *o, const char *function)
{
    for (size_t i = 0; i < o->function_count; i++)
        if (!fnmatch(o->functions[i], function, 0))
            return true;
    return !o->function_count;
}

static json_t *request_of(struct predicting *f)
{
    json_t *cases = json_array(), *devices = json_array();
    for (size_t i = 0; i < f->suite.case_count; i++) {
        const struct pm_case *c = &f->suite.cases[i];
        if (is_chosen(f->o, c->function->name) && !c->is_absence &&
            pm_case_in_version(c, f->environment->version))
            json_array_append_new(cases, pm_case_json(c));
    }
    for (size_t i = 0; i < f->count; i++)
        json_array_append_new(devices, json_string(f->targets[i].device));
    f->asked = json_array_size(cases);
    return json_pack("{s:o, s:o, s:f}", "cases", cases, "devices", devices, "seconds",
                     f->o->seconds);
}

/* ---- answers -------------------------------------------------------------------------------- */

static int bad_answer(const char *line, struct pm_error *err)
{
    return pm_error_set(err, PM_EFORMAT,
                        "the driver of forecasts gave an answer that portmeter cannot read: "
                        "'%.120s': install portmeter again",
                        line);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Reads the line with the version, and the reasons why no forecast is possible for a device. */
static int take_first(struct predicting *f, json_t *line)
{
    const json_t *unknown = json_object_get(line, "unknown");
    for (size_t i = 0; i < f->count; i++) {
        f->forecasts[i].version = pm_strdup(text_of(line, "version"));
        f->why_unknown[i] = json_string_value(json_object_get(unknown, f->targets[i].device));
    }
    f->first = json_incref(line);
    return PM_OK;
}

/* Appends the missing operations to `lacks`, and returns the cause of the first one. */
static const char *lacks_of(const json_t *answer, struct pm_str *lacks)
{
    const json_t *list = json_object_get(answer, "lacks");
    const char *cause = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *lack = json_array_get(list, i);
        const char *word = json_string_value(json_array_get(lack, 0)),
                   *what = json_string_value(json_array_get(lack, 1));
        if (!word || !what)
            continue;
        cause = cause ? cause : word;
        pm_str_addf(lacks, "%s%s", i ? ", " : "", what);
    }
    return cause ? cause : "";
}

static int take_device(struct predicting *f, size_t at, const json_t *answer, const char *line,
                       struct pm_error *err)
{
    const json_t *device =
        json_object_get(json_object_get(answer, "predicted"), f->targets[at].device);
    struct pm_str lacks = PM_STR_INIT;
    struct pm_forecast_row row = {.function = (char *)(uintptr_t)text_of(answer, "function"),
                                  .name = (char *)(uintptr_t)text_of(answer, "case"),
                                  .what = PM_PREDICTION_UNKNOWN,
                                  .reason = (char *)(uintptr_t)text_of(answer, "died")};
    int rc = PM_OK;
    if (device) {
        if (!pm_prediction_parse(text_of(device, "what"), &row.what))
            rc = bad_answer(line, err);
        row.cause = (char *)(uintptr_t)lacks_of(device, &lacks);
        row.lacks = lacks.data;
        row.reason = (char *)(uintptr_t)text_of(device, "reason");
    }
    if (!rc)
        pm_forecast_add(&f->forecasts[at], &row);
    pm_str_release(&lacks);
    return rc;
}

static int take_answer(void *ctx, const char *line, struct pm_error *err)
{
    struct predicting *f = ctx;
    json_t *answer = json_loads(line, 0, NULL);
    int rc = PM_OK;
    if (!answer || !*text_of(answer, f->first ? "function" : "version"))
        rc = bad_answer(line, err);
    else if (!f->first)
        rc = take_first(f, answer);
    else {
        for (size_t i = 0; !rc && i < f->count; i++)
            if (!f->why_unknown[i])
                rc = take_device(f, i, answer, line, err);
        f->answered++;
        pm_progress_update(&f->progress, f->environment->name, f->answered, f->asked, 0);
    }
    json_decref(answer);
    return rc;
}

/* ---- making --------------------------------------------------------------------------------- */

static int execute(struct predicting *f, const struct pm_messages *messages, struct pm_error *err)
{
    const struct pm_environment_trial trial = {.driver = "forecast.py",
                                               .purpose = "make forecasts",
                                               .request = request_of(f),
                                               .unconfined = f->o->unconfined};
    int rc;
    pm_progress_init(&f->progress, messages->out, messages->terminal);
    f->progress.what = "forecast";
    if (f->asked)
        rc = pm_environment_try(f->environment, &trial, take_answer, f, err);
    else
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "no case for %s can be executed: give another --function or --suite",
                          f->environment->framework);
    pm_progress_end(&f->progress);
    json_decref(trial.request);
    return rc;
}

static int write_all(struct predicting *f, struct pm_error *err)
{
    char now[25];
    pm_clock_iso(now);
    for (size_t i = 0; i < f->count; i++) {
        struct pm_forecast *forecast = &f->forecasts[i];
        if (f->why_unknown[i])
            return pm_error_set(err, PM_EUSAGE, "no forecast is possible for %s: %s",
                                f->targets[i].text, f->why_unknown[i]);
        forecast->target = pm_strdup(f->targets[i].text);
        forecast->made = pm_strdup(now);
        forecast->suite = pm_strdup(f->suite.digest.hex);
        PM_TRY(pm_forecast_write(forecast, f->o->folder, err));
    }
    return PM_OK;
}

static int predict(const struct pm_forecast_options *o, const struct pm_environment *environment,
                   const struct pm_target *targets, size_t count,
                   const struct pm_messages *messages, struct pm_error *err)
{
    struct predicting f = {.o = o,
                           .environment = environment,
                           .targets = targets,
                           .count = count,
                           .forecasts = pm_alloc(count * sizeof *f.forecasts),
                           .why_unknown = pm_alloc(count * sizeof *f.why_unknown)};
    char *census = NULL;
    int rc = o->suite ? PM_OK : pm_census_cases(environment->framework, &census, err);
    const char *const path = o->suite ? o->suite : census;
    if (!rc)
        rc = pm_suite_load(&f.suite, environment->framework, pm_framework_case_words(), &path, 1,
                           err);
    if (!rc) {
        rc = execute(&f, messages, err);
        if (!rc)
            rc = write_all(&f, err);
        pm_suite_release(&f.suite);
    }
    for (size_t i = 0; i < count; i++)
        pm_forecast_release(&f.forecasts[i]);
    json_decref(f.first);
    free(f.forecasts);
    free(f.why_unknown);
    free(census);
    return rc;
}

/* Moves the targets with the same environment as the first one to the front; returns their
 * number. */
static size_t gather(struct pm_target *targets, size_t count)
{
    size_t found = 1;
    for (size_t i = 1; i < count; i++)
        if (!strcmp(targets[i].environment, targets[0].environment)) {
            const struct pm_target other = targets[found];
            targets[found++] = targets[i];
            targets[i] = other;
        }
    return found;
}

static int make_all(const struct pm_forecast_options *o, struct pm_target *targets,
                    const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_environments list = {0};
    PM_TRY(pm_environments_load(&list, err));
    int rc = PM_OK;
    for (size_t at = 0, n; !rc && at < o->target_count; at += n) {
        const struct pm_environment *environment =
            pm_environments_find(&list, targets[at].environment);
        n = gather(targets + at, o->target_count - at);
        rc = environment ? predict(o, environment, targets + at, n, messages, err)
                         : pm_environment_missing_for(&targets[at], targets[at].text, err);
    }
    pm_environments_release(&list);
    return rc;
}

/* ---- printing ------------------------------------------------------------------------------- */

static int load(const struct pm_forecast_options *o, const struct pm_target *targets,
                struct pm_forecasts *out, struct pm_error *err)
{
    char *home = NULL;
    if (!o->folder)
        PM_TRY(pm_forecast_home(&home, err));
    const char *folder = o->folder ? o->folder : home;
    int rc = PM_OK;
    if (!o->target_count)
        rc = pm_forecasts_load(out, folder, NULL, err);
    for (size_t i = 0; !rc && i < o->target_count; i++) {
        struct pm_forecasts one;
        rc = pm_forecasts_load(&one, folder, targets[i].text, err);
        if (rc)
            break;
        PM_GROW(out->items, out->count, out->capacity);
        out->items[out->count++] = one.items[0];
        free(one.items);
    }
    free(home);
    return rc;
}

static int print(const struct pm_forecast_options *o, const struct pm_target *targets,
                 struct pm_error *err)
{
    struct pm_forecasts forecasts = {0};
    struct pm_forecast_accuracies accuracies = {0};
    int rc = load(o, targets, &forecasts, err);
    if (!rc)
        rc = pm_forecast_accuracies_load(&accuracies, err);
    if (!rc) {
        const bool screen = o->format == PM_FORMAT_TEXT;
        struct pm_report *report = pm_report_new("portmeter " PM_VERSION ", forecasts");
        pm_forecast_add_summary(&forecasts, &accuracies, report);
        pm_forecast_add_lacks(&forecasts, screen ? MOST_LACKS : 0, report);
        if (o->function_count || !screen)
            pm_forecast_add_cases(&forecasts, o->functions, o->function_count, report);
        rc = pm_report_write(report, o->format, o->width, o->colour, o->output, err);
        pm_report_free(report);
    }
    pm_forecast_accuracies_release(&accuracies);
    pm_forecasts_release(&forecasts);
    return rc;
}

static int parse_targets(const struct pm_forecast_options *o, struct pm_target *targets,
                         size_t *parsed, struct pm_error *err)
{
    for (; *parsed < o->target_count; ++*parsed) {
        struct pm_target *target = &targets[*parsed];
        PM_TRY(pm_target_parse(o->targets[*parsed], target, err));
        if (!*target->variant)
            continue;
        const int rc = pm_error_set(err, PM_EUSAGE,
                                    "cannot forecast '%s', because it has a variant: remove "
                                    "'+%s'",
                                    target->text, target->variant);
        pm_target_release(target);
        return rc;
    }
    return PM_OK;
}

int pm_survey_forecast(const struct pm_forecast_options *o, const struct pm_messages *messages,
                       struct pm_error *err)
{
    struct pm_target *targets = pm_alloc((o->target_count + 1) * sizeof *targets);
    size_t parsed = 0;
    int rc = parse_targets(o, targets, &parsed, err);
    if (!rc && !o->show)
        rc = make_all(o, targets, messages, err);
    if (!rc)
        rc = print(o, targets, err);
    for (size_t i = 0; i < parsed; i++)
        pm_target_release(&targets[i]);
    free(targets);
    return rc;
}

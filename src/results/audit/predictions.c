/* Answers uses by a forecast, if nothing was measured. */
#include "audit/predictions.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "text/numbers.h"

/* The cause of a forecast for an operation without a kernel on the device. */
#define NO_KERNEL "kernel"

static char *key_of(const char *function, const char *name)
{
    return pm_format("%s\n%s", function, name);
}

/* Maps the cases of a suite by function and name. */
static void map_cases(const struct pm_suite *suite, struct pm_map *cases)
{
    for (size_t i = 0; suite && i < suite->case_count; i++) {
        char *key = key_of(suite->cases[i].function->name, suite->cases[i].name);
        pm_map_put(cases, key, (void *)(uintptr_t)&suite->cases[i]);
        free(key);
    }
}

static void take_row(struct pm_audit_evidence *evidence, const struct pm_forecast_row *row,
                     const struct pm_case *of, const struct pm_inventory *inventory)
{
    struct pm_audit_function *function = pm_audit_evidence_add(evidence, inventory, row->function);
    struct pm_audit_case *c =
        pm_audit_function_add(function, row->name, of ? of->setup : NULL, of ? of->call : "");
    c->dtype = pm_strdup(of && of->has_dtype ? pm_dtype_name(of->dtype) : "");
    c->kind = of ? of->kind : PM_CASE_KIND_CORE;
    c->tier = of ? of->function->tier : PM_TIER_SEARCHED;
    c->passes = row->what == PM_PREDICTION_WORKS;
    c->reason = pm_strdup(strcmp(row->cause, NO_KERNEL) ? row->cause : "no kernel");
    c->detail = pm_strdup(row->lacks);
    evidence->case_count++;
}

static char *precision_of(const struct pm_forecast_accuracies *accuracies, const char *target)
{
    const struct pm_forecast_accuracy *a = pm_forecast_accuracy_of(accuracies, target);
    const int64_t all = a ? a->right_fails + a->wrong_fails : 0;
    struct pm_str text = PM_STR_INIT;
    if (!all)
        return pm_strdup("precision unknown here");
    pm_str_add(&text, "precision ");
    pm_text_share(&text, (double)a->right_fails / (double)all);
    return pm_str_detach(&text);
}

void pm_audit_predictions_take(struct pm_audit_predictions *predictions,
                               const struct pm_forecast *forecast, const struct pm_suite *suite,
                               const struct pm_forecast_accuracies *accuracies,
                               const struct pm_inventory *inventory)
{
    struct pm_audit_evidence *evidence = &predictions->cases;
    struct pm_map cases = {0};
    predictions->version = pm_strdup(forecast->version);
    predictions->made = pm_strdup(forecast->made);
    predictions->precision = precision_of(accuracies, forecast->target);
    predictions->has_texts = suite;
    map_cases(suite, &cases);
    for (size_t i = 0; i < forecast->count; i++) {
        const struct pm_forecast_row *row = &forecast->rows[i];
        char *key = key_of(row->function, row->name);
        if (row->what != PM_PREDICTION_UNKNOWN)
            take_row(evidence, row, pm_map_get(&cases, key), inventory);
        free(key);
    }
    for (size_t i = 0; i < evidence->count; i++)
        pm_audit_function_complete(evidence->functions[i]);
    pm_map_release(&cases);
}

void pm_audit_predictions_release(struct pm_audit_predictions *predictions)
{
    pm_audit_evidence_release(&predictions->cases);
    free(predictions->version);
    free(predictions->made);
    free(predictions->precision);
    *predictions = (struct pm_audit_predictions){0};
}

bool pm_audit_predict(const struct pm_audit_predictions *predictions, const char *function,
                      const struct pm_audit_call *call, struct pm_audit_answer *out)
{
    static const struct pm_audit_call any = {0}; /* contradicts no case */
    pm_audit_answer(pm_audit_evidence_of(&predictions->cases, function),
                    predictions->has_texts ? call : &any, out);
    if (!out->compatible) {
        pm_audit_answer_release(out);
        return false;
    }
    out->status = out->failing ? PM_AUDIT_PREDICTED_FAILS : PM_AUDIT_PREDICTED_WORKS;
    return true;
}

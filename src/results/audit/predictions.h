/*
 * Finds what a forecast says about the functions of which nothing was measured on the target. This
 * is the weakest kind of evidence: a prediction is never an error, and never counts as working.
 *
 *     struct pm_audit_predictions predictions = {0};
 *     pm_audit_predictions_take(&predictions, &forecast, &suite, &accuracies, &inventory);
 *     if (pm_audit_predict(&predictions, "torch.geqrf", &call, &answer))
 *         ...
 *     pm_audit_predictions_release(&predictions);
 */
#ifndef PM_AUDIT_PREDICTIONS_H
#define PM_AUDIT_PREDICTIONS_H

#include "audit/evidence.h"
#include "forecast/forecast.h"
#include "suite/suite.h"

struct pm_audit_predictions {
    char *version, *made; /* of the forecast: version of the framework, and when it was made */
    char *precision;      /* "precision 87 %", or "precision unknown here" */
    bool has_texts;       /* the calls of the cases are known */
    struct pm_audit_evidence cases; /* each case passes if it is predicted to work */
};

/* Takes the cases that a forecast predicts to work or to fail. `suite` has the cases from which it
 * was made; NULL if they are not known: a case is then compatible with each use of its function.
 * The caller releases *predictions. */
void pm_audit_predictions_take(struct pm_audit_predictions *predictions,
                               const struct pm_forecast *forecast, const struct pm_suite *suite,
                               const struct pm_forecast_accuracies *accuracies,
                               const struct pm_inventory *inventory);
void pm_audit_predictions_release(struct pm_audit_predictions *predictions);

/* Sets *out to the answer PREDICTED_FAILS or PREDICTED_WORKS for a use; the caller releases it.
 * Returns false if nothing is predicted for such a use. */
bool pm_audit_predict(const struct pm_audit_predictions *predictions, const char *function,
                      const struct pm_audit_call *call, struct pm_audit_answer *out);

#endif

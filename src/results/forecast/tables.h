/* Creates tables of forecasts. The summary shows the measured precision and recall, or that they
 * are unknown. */
#ifndef PM_FORECAST_TABLES_H
#define PM_FORECAST_TABLES_H

#include "forecast/forecast.h"
#include "report/table.h"

/* Adds a row for each forecast: what it predicts, and how accurate such forecasts are. */
void pm_forecast_add_summary(const struct pm_forecasts *forecasts,
                             const struct pm_forecast_accuracies *accuracies,
                             struct pm_report *report);
/* Adds the operations that the devices lack, for each forecast the most frequent first; at most
 * `most` rows per forecast (0: all). */
void pm_forecast_add_lacks(const struct pm_forecasts *forecasts, size_t most,
                           struct pm_report *report);
/* Adds every case whose function matches one of the globs (none: all cases). */
void pm_forecast_add_cases(const struct pm_forecasts *forecasts, const char *const *globs,
                           size_t glob_count, struct pm_report *report);

#endif

/*
 * Forecasts: predictions about a device that this machine lacks. docs/forecast.md describes the
 * method.
 *
 * A forecast is evidence of its own kind. It is a file of its own, never in a database, so shares
 * of what works cannot contain it; and the tables of tables.h print it only with its accuracy.
 *
 *     struct pm_forecast forecast;
 *     PM_TRY(pm_forecast_read(&forecast, "data/results/pytorch@mps.forecast.zst", err));
 *     printf("%s lacks %s\n", forecast.rows[0].function, forecast.rows[0].lacks);
 *     pm_forecast_release(&forecast);
 *
 * The file is text that is compressed with zstd (`zstdcat` shows it): a first line about the whole,
 * then one line a case, its fields divided by tabs.
 */
#ifndef PM_FORECAST_FORECAST_H
#define PM_FORECAST_FORECAST_H

#include "base/error.h"
#include "base/words.h"

/* The prediction for a case. */
#define PM_FORETOLDS(X, P)                                                                         \
    X(P, WORKS, "works")                                                                           \
    X(P, FAILS, "fails")                                                                           \
    X(P, UNKNOWN,                                                                                  \
      "unknown") /* the case runs no operation, its setup lacks one, or it cannot be followed */
PM_WORDS(foretold, PM_FORETOLDS, PM_FORETOLD);

struct pm_forecast_row {
    char *function, *name; /* of the case */
    enum pm_foretold what;
    char *cause;  /* why it fails: a word of drivers/pmdriver/forecast/registry.py, or "" */
    char *lacks;  /* the operations that the device lacks, separated by ", ", or "" */
    char *reason; /* why the outcome is unknown, or "" */
};

struct pm_forecast {
    char *target;                 /* "pytorch@mps" */
    char *version;                /* of the framework whose registry was read */
    char *made;                   /* ISO 8601 UTC */
    char *suite;                  /* digest of the case files */
    struct pm_forecast_row *rows; /* in the order of the case files */
    size_t count, capacity;
};

/* The extension of a file. */
#define PM_FORECAST_FILE ".forecast.zst"

/* Adds a case. NULL texts are ""; tabs and line ends of texts become spaces. */
void pm_forecast_add(struct pm_forecast *forecast, const struct pm_forecast_row *row);

/* Writes FOLDER/TARGET.forecast.zst; makes the folder. */
PM_MUST_USE int pm_forecast_write(const struct pm_forecast *forecast, const char *folder,
                                  struct pm_error *err);
/* Reads a file. PM_EFORMAT if it is not a forecast. */
PM_MUST_USE int pm_forecast_read(struct pm_forecast *forecast, const char *path,
                                 struct pm_error *err);
void pm_forecast_release(struct pm_forecast *forecast);

/* Finds the folder of the results that come with portmeter. The caller frees. */
PM_MUST_USE int pm_forecast_home(char **folder, struct pm_error *err);

struct pm_forecasts {
    struct pm_forecast *items; /* sorted by target */
    size_t count, capacity;
};
/* Reads the forecasts of a folder; `target`: only that one, NULL: all. PM_ENOTFOUND, with what to
 * do, if there is none. */
PM_MUST_USE int pm_forecasts_load(struct pm_forecasts *out, const char *folder, const char *target,
                                  struct pm_error *err);
void pm_forecasts_release(struct pm_forecasts *forecasts);

/* How often forecasts were right on a device that was also measured: a line of
 * data/forecast-accuracy.tsv. docs/forecast.md says how it was measured. The counts are of
 * functions. */
struct pm_forecast_accuracy {
    char *target, *version, *truth, *date;
    int64_t right_fails, wrong_fails,
        missed; /* functions that were predicted to fail and do, that were predicted to fail and do
                   not, that fail without a prediction */
};
struct pm_forecast_accuracies {
    struct pm_forecast_accuracy *items;
    size_t count, capacity;
};
PM_MUST_USE int pm_forecast_accuracies_load(struct pm_forecast_accuracies *out,
                                            struct pm_error *err);
/* Returns the accuracy of a target's forecasts, borrowed; NULL: nobody has measured it. */
const struct pm_forecast_accuracy *pm_forecast_accuracy_of(const struct pm_forecast_accuracies *all,
                                                           const char *target);
void pm_forecast_accuracies_release(struct pm_forecast_accuracies *accuracies);

#endif

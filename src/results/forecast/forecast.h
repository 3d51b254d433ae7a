/*
 * Reads and writes forecasts, which are predictions about a device that this machine lacks.
 * docs/forecast.md describes the method.
 *
 * A forecast is a separate kind of evidence. It is stored in a file of its own, never in a
 * database, so it cannot be counted in the share of functions that work. portmeter prints it only
 * together with the accuracy of such forecasts (tables.h).
 *
 *     struct pm_forecast forecast;
 *     PM_TRY(pm_forecast_read(&forecast, "data/results/pytorch@mps.forecast.zst", err));
 *     printf("%s lacks %s\n", forecast.rows[0].function, forecast.rows[0].lacks);
 *     pm_forecast_release(&forecast);
 *
 * The file is text that is compressed with zstd (`zstdcat` shows it): one line about the forecast,
 * then one line per case. The fields of a line are separated by tabs.
 */
#ifndef PM_FORECAST_FORECAST_H
#define PM_FORECAST_FORECAST_H

#include "base/error.h"
#include "base/words.h"

/* The prediction for a case. */
#define PM_PREDICTIONS(X, P)                                                                       \
    X(P, WORKS, "works")                                                                           \
    X(P, FAILS, "fails")                                                                           \
    X(P, UNKNOWN, "unknown") /* the case runs no operation, the device lacks an operation of its   \
                                setup, or the case cannot be followed */
PM_WORDS(prediction, PM_PREDICTIONS, PM_PREDICTION);

struct pm_forecast_row {
    char *function, *name; /* function and name of the case */
    enum pm_prediction what;
    char *cause;  /* why it fails: one of CAUSES (drivers/pmdriver/forecast/registry.py), or "" */
    char *lacks;  /* the operations that the device lacks, separated by ", ", or "" */
    char *reason; /* why the outcome is unknown, or "" */
};

struct pm_forecast {
    char *target;                 /* "pytorch@mps" */
    char *version;                /* version of the framework whose registry was read */
    char *made;                   /* ISO 8601 UTC */
    char *suite;                  /* digest of the case files */
    struct pm_forecast_row *rows; /* in the order of the case files */
    size_t count, capacity;
};

/* The extension of the file of a forecast. */
#define PM_FORECAST_FILE ".forecast.zst"

/* Adds a copy of a row. NULL texts become ""; tabs and line ends become spaces. */
void pm_forecast_add(struct pm_forecast *forecast, const struct pm_forecast_row *row);

/* Writes FOLDER/TARGET.forecast.zst. Creates the folder if it is missing. */
PM_MUST_USE int pm_forecast_write(const struct pm_forecast *forecast, const char *folder,
                                  struct pm_error *err);
/* Reads a file. PM_EFORMAT if it is not a forecast; *forecast is then empty. The caller releases
 * *forecast. */
PM_MUST_USE int pm_forecast_read(struct pm_forecast *forecast, const char *path,
                                 struct pm_error *err);
void pm_forecast_release(struct pm_forecast *forecast);

/* Sets *folder to the folder of the results that come with portmeter. The caller frees it. */
PM_MUST_USE int pm_forecast_home(char **folder, struct pm_error *err);

struct pm_forecasts {
    struct pm_forecast *items; /* sorted by target */
    size_t count, capacity;
};
/* Reads the forecasts of a folder. `target`: only the forecast for this target; NULL: all.
 * PM_ENOTFOUND, with what to do, if there is none. The caller releases *out. */
PM_MUST_USE int pm_forecasts_load(struct pm_forecasts *out, const char *folder, const char *target,
                                  struct pm_error *err);
void pm_forecasts_release(struct pm_forecasts *forecasts);

/* How often forecasts were correct for a device that was also measured, or whose failures the
 * framework's developers list: a line of data/forecast-accuracy.tsv. docs/forecast.md says how they
 * were compared. The counts are numbers of functions. */
struct pm_forecast_accuracy {
    char *target, *version, *truth, *date; /* truth: what the forecasts were compared with */
    int64_t right_fails;                   /* predicted to fail, and fail */
    int64_t wrong_fails;                   /* predicted to fail, but do not fail */
    int64_t missed;                        /* fail, but were not predicted to fail */
};
struct pm_forecast_accuracies {
    struct pm_forecast_accuracy *items;
    size_t count, capacity;
};
/* Reads data/forecast-accuracy.tsv. PM_EFORMAT if a line is malformed. The caller releases *out. */
PM_MUST_USE int pm_forecast_accuracies_load(struct pm_forecast_accuracies *out,
                                            struct pm_error *err);
/* Returns the accuracy of the forecasts for a target, borrowed; NULL if it was not measured. */
const struct pm_forecast_accuracy *pm_forecast_accuracy_of(const struct pm_forecast_accuracies *all,
                                                           const char *target);
void pm_forecast_accuracies_release(struct pm_forecast_accuracies *accuracies);

#endif

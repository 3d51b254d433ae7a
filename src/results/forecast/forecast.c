/* Reads and writes forecasts, and reads their accuracy. */
#include "forecast/forecast.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "base/str.h"
#include "suite/suite.h"

#define TITLE "# forecast"

PM_WORDS_DEFINE(prediction, PM_PREDICTIONS, PM_PREDICTION);

/* ---- rows ----------------------------------------------------------------------------------- */

/* Returns a copy of a text without tabs and line ends, which separate fields and lines of the
 * file. */
static char *field_of(const char *text)
{
    return pm_line_clean(pm_strdup(text ? text : ""));
}

void pm_forecast_add(struct pm_forecast *forecast, const struct pm_forecast_row *row)
{
    PM_GROW(forecast->rows, forecast->count, forecast->capacity);
    forecast->rows[forecast->count++] = (struct pm_forecast_row){
        .function = field_of(row->function),
        .name = field_of(row->name),
        .what = row->what,
        .cause = field_of(row->cause),
        .lacks = field_of(row->lacks),
        .reason = field_of(row->reason),
    };
}

void pm_forecast_release(struct pm_forecast *forecast)
{
    for (size_t i = 0; i < forecast->count; i++) {
        struct pm_forecast_row *row = &forecast->rows[i];
        free(row->function);
        free(row->name);
        free(row->cause);
        free(row->lacks);
        free(row->reason);
    }
    free(forecast->rows);
    free(forecast->target);
    free(forecast->version);
    free(forecast->made);
    free(forecast->suite);
    *forecast = (struct pm_forecast){0};
}

/* ---- files ---------------------------------------------------------------------------------- */

static char *path_of(const char *folder, const char *target)
{
    return pm_format("%s/%s" PM_FORECAST_FILE, folder, target);
}

int pm_forecast_write(const struct pm_forecast *forecast, const char *folder, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    PM_TRY(pm_folder_make(folder, err));
    char *path = path_of(folder, forecast->target);
    pm_str_addf(&text, TITLE "\t%s\t%s\t%s\t%s\n", forecast->target, forecast->version,
                forecast->made, forecast->suite);
    for (size_t i = 0; i < forecast->count; i++) {
        const struct pm_forecast_row *row = &forecast->rows[i];
        pm_str_addf(&text, "%s\t%s\t%s\t%s\t%s\t%s\n", row->function, row->name,
                    pm_prediction_text(row->what), row->cause, row->lacks, row->reason);
    }
    const int rc = pm_suite_pack(path, text.data, text.length, err);
    pm_str_release(&text);
    free(path);
    return rc;
}

static int damaged(const char *path, struct pm_error *err)
{
    return pm_error_set(err, PM_EFORMAT,
                        "'%s' is not a forecast, or is damaged: make it again with portmeter "
                        "forecast",
                        path);
}

static int read_title(struct pm_forecast *forecast, const char *path, char *line,
                      struct pm_error *err)
{
    enum { MARK, TARGET, VERSION, MADE, SUITE, FIELDS };
    char *fields[FIELDS];
    if (!pm_divide(line, '\t', fields, FIELDS) || strcmp(fields[MARK], TITLE) != 0)
        return damaged(path, err);
    forecast->target = pm_strdup(fields[TARGET]);
    forecast->version = pm_strdup(fields[VERSION]);
    forecast->made = pm_strdup(fields[MADE]);
    forecast->suite = pm_strdup(fields[SUITE]);
    return PM_OK;
}

static int read_row(struct pm_forecast *forecast, const char *path, char *line,
                    struct pm_error *err)
{
    enum { FUNCTION, NAME, WHAT, CAUSE, LACKS, REASON, FIELDS };
    char *fields[FIELDS];
    struct pm_forecast_row row;
    if (!pm_divide(line, '\t', fields, FIELDS) || !pm_prediction_parse(fields[WHAT], &row.what))
        return damaged(path, err);
    row.function = fields[FUNCTION];
    row.name = fields[NAME];
    row.cause = fields[CAUSE];
    row.lacks = fields[LACKS];
    row.reason = fields[REASON];
    pm_forecast_add(forecast, &row);
    return PM_OK;
}

int pm_forecast_read(struct pm_forecast *forecast, const char *path, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    *forecast = (struct pm_forecast){0};
    int rc = pm_suite_pack_comments(path, &text, err);
    if (rc == PM_EFORMAT)
        rc = damaged(path, err);
    pm_str_add_char(&text, '\0'); /* allocates the text even if it is empty */
    char *rest = text.data, *line = strsep(&rest, "\n");
    if (!rc)
        rc = read_title(forecast, path, line, err);
    while (!rc && (line = strsep(&rest, "\n")))
        if (*line)
            rc = read_row(forecast, path, line, err);
    if (rc)
        pm_forecast_release(forecast);
    pm_str_release(&text);
    return rc;
}

int pm_forecast_home(char **folder, struct pm_error *err)
{
    char *home = NULL;
    PM_TRY(pm_path_home(&home, err));
    *folder = pm_path_join(home, "data/results");
    free(home);
    return PM_OK;
}

/* ---- folders -------------------------------------------------------------------------------- */

static int load_file(struct pm_forecasts *out, const char *folder, const char *name,
                     const char *target, struct pm_error *err)
{
    const size_t length = strlen(name), ending = strlen(PM_FORECAST_FILE);
    if (length <= ending || strcmp(name + length - ending, PM_FORECAST_FILE) != 0)
        return PM_OK;
    if (target && (strlen(target) != length - ending || strncmp(name, target, length - ending)))
        return PM_OK;
    char *path = pm_path_join(folder, name);
    PM_GROW(out->items, out->count, out->capacity);
    const int rc = pm_forecast_read(&out->items[out->count], path, err);
    out->count += !rc;
    free(path);
    return rc;
}

int pm_forecasts_load(struct pm_forecasts *out, const char *folder, const char *target,
                      struct pm_error *err)
{
    char **names = NULL;
    size_t count = 0;
    *out = (struct pm_forecasts){0};
    int rc = pm_path_exists(folder) ? pm_folder_list(folder, &names, &count, err) : PM_OK;
    for (size_t i = 0; !rc && i < count; i++)
        rc = load_file(out, folder, names[i], target, err);
    pm_free_strings(names, count);
    if (!rc && !out->count)
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "'%s' has no forecast%s%s: make one with portmeter forecast %s", folder,
                          target ? " for " : "", target ? target : "", target ? target : "TARGET");
    if (rc)
        pm_forecasts_release(out);
    return rc;
}

void pm_forecasts_release(struct pm_forecasts *forecasts)
{
    for (size_t i = 0; i < forecasts->count; i++)
        pm_forecast_release(&forecasts->items[i]);
    free(forecasts->items);
    *forecasts = (struct pm_forecasts){0};
}

/* ---- accuracy ------------------------------------------------------------------------------- */

static int bad_line(const char *path, size_t number, struct pm_error *err)
{
    return pm_error_set(
        err, PM_EFORMAT,
        "'%s', line %zu needs seven fields separated by tabs, and the last three must be "
        "counts: install portmeter again",
        path, number);
}

static bool parse_count(const char *text, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return *text && !*end && *out >= 0;
}

static int add_accuracy(struct pm_forecast_accuracies *out, const char *path, size_t number,
                        char *line, struct pm_error *err)
{
    enum { TARGET, VERSION, TRUTH, DATE, RIGHT, WRONG, MISSED, FIELDS };
    char *fields[FIELDS];
    struct pm_forecast_accuracy a;
    if (!pm_divide(line, '\t', fields, FIELDS) || !parse_count(fields[RIGHT], &a.right_fails) ||
        !parse_count(fields[WRONG], &a.wrong_fails) || !parse_count(fields[MISSED], &a.missed))
        return bad_line(path, number, err);
    a.target = pm_strdup(fields[TARGET]);
    a.version = pm_strdup(fields[VERSION]);
    a.truth = pm_strdup(fields[TRUTH]);
    a.date = pm_strdup(fields[DATE]);
    PM_GROW(out->items, out->count, out->capacity);
    out->items[out->count++] = a;
    return PM_OK;
}

int pm_forecast_accuracies_load(struct pm_forecast_accuracies *out, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    char *home = NULL;
    *out = (struct pm_forecast_accuracies){0};
    PM_TRY(pm_path_home(&home, err));
    char *path = pm_path_join(home, "data/forecast-accuracy.tsv");
    int rc = pm_file_read(path, &text, err);
    char *rest = text.data, *line;
    for (size_t number = 1; !rc && text.length && (line = strsep(&rest, "\n")); number++)
        if (*line && *line != '#')
            rc = add_accuracy(out, path, number, line, err);
    if (rc)
        pm_forecast_accuracies_release(out);
    pm_str_release(&text);
    free(path);
    free(home);
    return rc;
}

const struct pm_forecast_accuracy *pm_forecast_accuracy_of(const struct pm_forecast_accuracies *all,
                                                           const char *target)
{
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->items[i].target, target))
            return &all->items[i];
    return NULL;
}

void pm_forecast_accuracies_release(struct pm_forecast_accuracies *accuracies)
{
    for (size_t i = 0; i < accuracies->count; i++) {
        struct pm_forecast_accuracy *a = &accuracies->items[i];
        free(a->target);
        free(a->version);
        free(a->truth);
        free(a->date);
    }
    free(accuracies->items);
    *accuracies = (struct pm_forecast_accuracies){0};
}

/* Creates the tables of forecasts. */
#include "forecast/tables.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "report/table_columns.h"
#include "stat/stat.h"

/* ---- summary -------------------------------------------------------------------------------- */

struct summary {
    const struct pm_forecast *forecast;
    const struct pm_forecast_accuracy *accuracy; /* NULL: unknown */
    const char *target, *version, *made, *truth;
    int64_t of[PM_PREDICTION_COUNT];
};

static void predicted_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct summary *s = from->row;
    enum pm_prediction what;
    if (pm_prediction_parse(from->column->id, &what))
        pm_table_count(table, s->of[what]);
}

static void share_cell(struct pm_table *table, int64_t right, int64_t wrong)
{
    if (!(right + wrong)) {
        pm_table_empty(table);
        return;
    }
    const struct pm_interval share = pm_stat_wilson((size_t)right, (size_t)(right + wrong));
    pm_table_interval(table, share.mid, share.low, share.high);
}

static void precision_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_forecast_accuracy *a = ((const struct summary *)from->row)->accuracy;
    share_cell(table, a ? a->right_fails : 0, a ? a->wrong_fails : 0);
}

static void recall_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_forecast_accuracy *a = ((const struct summary *)from->row)->accuracy;
    share_cell(table, a ? a->right_fails : 0, a ? a->missed : 0);
}

static const struct pm_column summary_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct summary, target)},
    {"version", "version", PM_CELL_TEXT, PM_MEMBER(struct summary, version)},
    {"made", "made", PM_CELL_TEXT, PM_MEMBER(struct summary, made), .only = PM_FOR_PROGRAMS},
    {"fails", "predicted to fail", PM_CELL_COUNT, .cell = predicted_cell},
    {"works", "predicted to work", PM_CELL_COUNT, .cell = predicted_cell},
    {"unknown", "not predicted", PM_CELL_COUNT, .cell = predicted_cell},
    {"precision", "precision", PM_CELL_SHARE, .cell = precision_cell, .intervals = true},
    {"recall", "recall", PM_CELL_SHARE, .cell = recall_cell, .intervals = true},
    {"truth", "compared with", PM_CELL_TEXT, PM_MEMBER(struct summary, truth)},
};

void pm_forecast_add_summary(const struct pm_forecasts *forecasts,
                             const struct pm_forecast_accuracies *accuracies,
                             struct pm_report *report)
{
    struct pm_table *table = pm_table_new("forecast", "Predicted, not measured");
    pm_table_columns(table, summary_columns, false);
    for (size_t i = 0; i < forecasts->count; i++) {
        const struct pm_forecast *f = &forecasts->items[i];
        const struct pm_forecast_accuracy *a = pm_forecast_accuracy_of(accuracies, f->target);
        char *truth = a ? pm_format("%s, version %s, %s", a->truth, a->version, a->date)
                        : pm_strdup("nothing: precision unknown here");
        struct summary row = {.forecast = f,
                              .accuracy = a,
                              .target = f->target,
                              .version = f->version,
                              .made = f->made,
                              .truth = truth};
        for (size_t k = 0; k < f->count; k++)
            row.of[f->rows[k].what]++;
        pm_table_row(table, &row, NULL);
        free(truth);
    }
    pm_table_note(
        table, "counts: cases, predicted from the registry of the framework; precision: share of "
               "the functions predicted to fail that do fail; recall: share of the failing "
               "functions that were predicted to fail; both in percent, with 95 % confidence "
               "intervals");
    pm_report_take_table(report, table);
}

/* ---- what is lacking ------------------------------------------------------------------------ */

struct lack {
    const char *target, *cause, *lacks, *example;
    int64_t cases;
    size_t first; /* order of appearance, which decides between equal counts */
};

static int by_cases(const void *a, const void *b)
{
    const struct lack *left = a, *right = b;
    if (left->cases != right->cases)
        return left->cases < right->cases ? 1 : -1;
    return left->first < right->first ? -1 : left->first > right->first;
}

static const struct pm_column lack_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct lack, target)},
    {"cause", "cause", PM_CELL_TEXT, PM_MEMBER(struct lack, cause)},
    {"lacks", "missing operations", PM_CELL_TEXT, PM_MEMBER(struct lack, lacks)},
    {"cases", "cases", PM_CELL_COUNT, PM_MEMBER(struct lack, cases)},
    {"example", "for example", PM_CELL_NAME, PM_MEMBER(struct lack, example)},
};

static void count_lack(struct lack *lacks, size_t *count, struct pm_map *seen,
                       const struct pm_forecast *f, const struct pm_forecast_row *row)
{
    size_t at = (uintptr_t)pm_map_get(seen, row->lacks);
    if (!at) {
        lacks[*count] = (struct lack){f->target, row->cause, row->lacks, row->function, 0, *count};
        at = ++*count;
        pm_map_put(seen, row->lacks, (void *)(uintptr_t)at);
    }
    lacks[at - 1].cases++;
}

static void add_lacks_of(const struct pm_forecast *f, size_t most, struct pm_table *table)
{
    struct lack *lacks = pm_alloc((f->count + 1) * sizeof *lacks);
    struct pm_map seen = {0};
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->rows[i].what == PM_PREDICTION_FAILS)
            count_lack(lacks, &count, &seen, f, &f->rows[i]);
    qsort(lacks, count, sizeof *lacks, by_cases);
    for (size_t i = 0; i < count && (!most || i < most); i++)
        pm_table_row(table, &lacks[i], NULL);
    pm_map_release(&seen);
    free(lacks);
}

void pm_forecast_add_lacks(const struct pm_forecasts *forecasts, size_t most,
                           struct pm_report *report)
{
    struct pm_table *table = pm_table_new("forecast_lacks", "Operations that the devices lack");
    pm_table_columns(table, lack_columns, false);
    for (size_t i = 0; i < forecasts->count; i++)
        add_lacks_of(&forecasts->items[i], most, table);
    pm_report_take_table(report, table);
}

/* ---- cases ---------------------------------------------------------------------------------- */

static void target_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_forecast *f = from->context;
    pm_table_text(table, f->target);
}

static void why_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_forecast_row *row = from->row;
    pm_table_text(table, *row->lacks ? row->lacks : row->reason);
}

static const struct pm_column case_columns[] = {
    {"target", "target", PM_CELL_NAME, .cell = target_cell},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_forecast_row, function)},
    {"case", "case", PM_CELL_TEXT, PM_MEMBER(struct pm_forecast_row, name)},
    {"predicted", "prediction", PM_CELL_WORD, PM_WORD(struct pm_forecast_row, what, prediction)},
    {"cause", "cause", PM_CELL_TEXT, PM_MEMBER(struct pm_forecast_row, cause)},
    {"why", "missing operations, or why unknown", PM_CELL_TEXT, .cell = why_cell},
};

static bool matches(const char *function, const char *const *globs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!fnmatch(globs[i], function, 0))
            return true;
    return !count;
}

void pm_forecast_add_cases(const struct pm_forecasts *forecasts, const char *const *globs,
                           size_t glob_count, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("forecast_cases", "Predicted cases");
    pm_table_columns(table, case_columns, false);
    for (size_t i = 0; i < forecasts->count; i++) {
        const struct pm_forecast *f = &forecasts->items[i];
        for (size_t k = 0; k < f->count; k++)
            if (matches(f->rows[k].function, globs, glob_count))
                pm_table_row(table, &f->rows[k], f);
    }
    pm_report_take_table(report, table);
}

/* Makes the tables of numeric differences: how much results differ from those of the reference, and
 * how much frameworks differ from the exact result of an operation. Differences are relative
 * errors, and units in the last place. */
#include "tables/closeness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/shared_cells.h"

/* The cases of a function on a target that pass, are counted and have floating-point outputs. */
struct closeness {
    int target;
    const char *function, *worst; /* the case with the largest error; "" without a difference */
    int64_t cases, identical;
    double median, largest, median_ulp, largest_ulp; /* NaN: no case has a known error */
};

static bool has_error(const struct pm_reading_case *c)
{
    return c->counts && c->passed && !c->failed && isfinite(c->error);
}

static void find_medians(struct closeness *row, double *errors, double *ulps, size_t ulp_count)
{
    row->median = pm_stat_median(errors, (size_t)row->cases);
    if (ulp_count)
        row->median_ulp = pm_stat_median(ulps, ulp_count);
}

/* Summarizes the cases of a function, which begin at `first`. Returns the index at which the cases
 * of the next function begin. */
static size_t add_function(const struct pm_reading *r, size_t first, struct closeness *row)
{
    const struct pm_reading_case *head = &r->cases[first];
    size_t end = first, ulp_count = 0;
    while (end < r->case_list.count && r->cases[end].target == head->target &&
           !strcmp(r->cases[end].function, head->function))
        end++;
    double *errors = pm_alloc((end - first) * sizeof *errors);
    double *ulps = pm_alloc((end - first) * sizeof *ulps);
    *row = (struct closeness){head->target, head->function, "", 0, 0, NAN, NAN, NAN, NAN};
    for (size_t i = first; i < end; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        if (!has_error(c))
            continue;
        errors[row->cases++] = c->error;
        row->identical += c->error == 0;
        if (c->error > 0 && !(c->error <= row->largest))
            row->worst = c->name;
        row->largest = fmax(row->largest, c->error);
        if (isfinite(c->ulp))
            ulps[ulp_count++] = c->ulp;
        row->largest_ulp = fmax(row->largest_ulp, c->ulp);
    }
    if (row->cases)
        find_medians(row, errors, ulps, ulp_count);
    free(errors);
    free(ulps);
    return end;
}

static const struct pm_column columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct closeness, target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct closeness, function)},
    {"cases", "passing cases with numbers", PM_CELL_COUNT, PM_MEMBER(struct closeness, cases)},
    {"identical", "identical", PM_CELL_COUNT, PM_MEMBER(struct closeness, identical)},
    {"median", "median relative error", PM_CELL_NUMBER, PM_MEMBER(struct closeness, median)},
    {"largest", "largest relative error", PM_CELL_NUMBER, PM_MEMBER(struct closeness, largest)},
    {"median_ulp", "median ULP", PM_CELL_NUMBER, PM_MEMBER(struct closeness, median_ulp)},
    {"largest_ulp", "largest ULP", PM_CELL_NUMBER, PM_MEMBER(struct closeness, largest_ulp)},
    {"worst", "case with the largest error", PM_CELL_TEXT, PM_MEMBER(struct closeness, worst)},
};

void pm_tables__add_closeness(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("closeness", "Numeric differences of passing results");
    pm_table_columns(t, columns, r->for_people);
    for (size_t i = 0; i < r->case_list.count;) {
        struct closeness row;
        i = add_function(r, i, &row);
        if (row.cases && pm_reading_shows(r, row.target) &&
            r->targets[row.target].role == PM_ROLE_SUBJECT)
            pm_table_row(t, &row, r);
    }
    if (pm_table_rows(t)) {
        pm_table_note(t, "error of a case: the smallest relative tolerance with which it passes "
                         "without an absolute one, over all its outputs and repetitions");
        pm_table_note(t,
                      "ULP: the error in units of the last place of 1, in the dtype of the outputs "
                      "of the reference; empty if these have several precisions");
    }
    pm_tables__take(r, report, t);
}

/* ---- across frameworks ----------------------------------------------------------------------- */

struct across_row {
    const struct pm_reading_case *c;
    int target;
    const char *operation, *function, *dtype, *result;
    double error, ulp; /* NaN: it does not pass, or the error is not known */
};

/* Orders by operation, dtype and target. */
static int by_operation(const void *left, const void *right)
{
    const struct across_row *a = left, *b = right;
    const int operations = strcmp(a->operation, b->operation);
    const int dtypes = operations ? operations : strcmp(a->dtype, b->dtype);
    return dtypes ? dtypes : a->target - b->target;
}

static const char *result_of(const struct pm_reading_case *c)
{
    if (c->passed && !c->failed && !c->blocked)
        return "right";
    return c->outcome == PM_OUTCOME_PASS ? "" : pm_outcome_text(c->outcome);
}

static size_t across_rows(const struct pm_reading *r, struct across_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        if (!*c->across || !pm_reading_shows(r, c->target) ||
            pm_reading_is_oracle(&r->targets[c->target]) ||
            pm_reading_is_noise(&r->targets[c->target]))
            continue;
        rows[count++] = (struct across_row){.c = c,
                                            .target = c->target,
                                            .operation = c->across,
                                            .function = c->function,
                                            .dtype = c->dtype,
                                            .result = result_of(c),
                                            .error = c->passed ? c->error : NAN,
                                            .ulp = c->passed ? c->ulp : NAN};
    }
    qsort(rows, count, sizeof *rows, by_operation);
    return count;
}

static const struct pm_column across_columns[] = {
    {"operation", "operation", PM_CELL_NAME, PM_MEMBER(struct across_row, operation)},
    {"dtype", "dtype", PM_CELL_NAME, PM_MEMBER(struct across_row, dtype)},
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct across_row, target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct across_row, function)},
    {"result", "result", PM_CELL_WORD, PM_MEMBER(struct across_row, result)},
    {"error", "largest relative error", PM_CELL_NUMBER, PM_MEMBER(struct across_row, error)},
    {"ulp", "ULP", PM_CELL_NUMBER, PM_MEMBER(struct across_row, ulp)},
};

/* Adds a note such as "a@x: right in 49 of 50 operations, median error 0.8 ULP, largest 12 ULP
 * (erfc)". */
static void note_target(const struct pm_reading *r, int target, const struct across_row *rows,
                        size_t count, struct pm_table *t)
{
    double *ulps = pm_alloc((count + 1) * sizeof *ulps), largest = NAN;
    size_t all = 0, right = 0, known = 0;
    const char *worst = "";
    for (size_t i = 0; i < count; i++) {
        if (rows[i].target != target)
            continue;
        all++;
        right += !strcmp(rows[i].result, "right");
        if (!isfinite(rows[i].ulp))
            continue;
        worst = rows[i].ulp <= largest ? worst : rows[i].operation;
        largest = fmax(largest, rows[i].ulp);
        ulps[known++] = rows[i].ulp;
    }
    char *note = known ? pm_format("%s: right in %zu of %zu operation%s, median error %.2g ULP, "
                                   "largest %.2g ULP (%s)",
                                   r->targets[target].text, right, all, pm_plural(all),
                                   pm_stat_median(ulps, known), largest, worst)
                       : pm_format("%s: right in %zu of %zu operation%s", r->targets[target].text,
                                   right, all, pm_plural(all));
    if (all)
        pm_table_note(t, note);
    free(note);
    free(ulps);
}

void pm_tables__add_across(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t =
        pm_table_new("across", "Operations that frameworks share, judged in float64");
    struct across_row *rows = pm_alloc((r->case_list.count + 1) * sizeof *rows);
    const size_t count = across_rows(r, rows);
    pm_table_columns(t, across_columns, r->for_people);
    for (size_t i = 0; i < count; i++)
        pm_table_row(t, &rows[i], r);
    for (size_t i = 0; i < r->target_list.count; i++)
        note_target(r, (int)i, rows, count, t);
    free(rows);
    pm_tables__take(r, report, t);
}

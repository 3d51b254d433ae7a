/* Tables with one row a case, and one row an execution. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/pages.h"

/* Its statistic, of the size of its inputs; NULL: none. */
static const struct pm_reading_statistic *
warm_of(const struct pm_reading *r, const struct pm_reading_case *c, enum pm_statistic what)
{
    const struct pm_reading_statistic *small =
        pm_reading_warm(r, c->target, c->function, c->name, PM_SIZE_SMALL, what);
    return small ? small : pm_reading_warm(r, c->target, c->function, c->name, PM_SIZE_LARGE, what);
}

static void interval_cell(struct pm_table *t, const struct pm_reading_statistic *s)
{
    if (s)
        pm_table_interval(t, s->value, s->low, s->high);
    else
        pm_table_empty(t);
}

static void case_row(const struct pm_reading *r, const struct pm_reading_case *c,
                     struct pm_table *t)
{
    const struct pm_reading_statistic *latency = warm_of(r, c, PM_STATISTIC_LATENCY);
    pm_table_text(t, r->targets[c->target].text);
    pm_table_text(t, c->function);
    pm_table_text(t, c->name);
    pm_table_text(t, c->dtype);
    pm_table_text(t, pm_outcome_text(c->outcome));
    pm_table_text(t, c->counts ? "yes" : "no");
    pm_table_count(t, c->passed);
    pm_table_count(t, c->repetitions);
    interval_cell(t, latency);
    interval_cell(t, warm_of(r, c, PM_STATISTIC_RATIO));
    pm_table_text(t, latency && latency->unstable ? "yes" : "");
    pm_table_text(t, c->by_type);
    pm_table_text(t, pm_stage_text(c->stage));
    pm_table_text(t, c->reason);
    pm_table_text(t, c->detail);
}

void pm_tables__add_cases(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("cases", "Every case");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "case", "case", PM_CELL_NAME);
    pm_table_column(t, "dtype", "dtype", PM_CELL_WORD);
    pm_table_column(t, "outcome", "outcome", PM_CELL_WORD);
    pm_table_column(t, "counted", "counted", PM_CELL_WORD);
    pm_table_column(t, "passed", "passed", PM_CELL_COUNT);
    pm_table_column(t, "processes", "of processes", PM_CELL_COUNT);
    pm_table_column(t, "latency", "latency, warm", PM_CELL_TIME);
    pm_table_intervals(t);
    pm_table_column(t, "ratio", "ratio to reference", PM_CELL_RATIO);
    pm_table_intervals(t);
    pm_table_column(t, "unstable", "unstable", PM_CELL_WORD);
    pm_table_column(t, "by_type", "compared by type only", PM_CELL_TEXT);
    pm_table_column(t, "stage", "stage", PM_CELL_WORD);
    pm_table_column(t, "reason", "reason", PM_CELL_TEXT);
    pm_table_column(t, "message", "message", PM_CELL_TEXT);
    pm_table_group(t);
    for (size_t i = 0; i < r->case_list.count; i++)
        if (pm_reading_shows(r, r->cases[i].target) &&
            !pm_reading_is_oracle(&r->targets[r->cases[i].target]))
            case_row(r, &r->cases[i], t);
    pm_tables__take(r, report, t);
}

/* What is known of the first call, and of compilations in the warm ones. */
static const struct {
    const char *id, *heading;
    enum pm_cell_kind kind;
} first_call_columns[FIRST_CALL_COLUMNS] = {
    {"first_call", "first call", PM_CELL_TIME},
    {"tracing", "tracing", PM_CELL_TIME},
    {"lowering", "lowering", PM_CELL_TIME},
    {"compiling", "compiling", PM_CELL_TIME},
    {"running", "running", PM_CELL_TIME},
    {"compilations", "compilations", PM_CELL_COUNT},
    {"recompilations", "recompilations", PM_CELL_COUNT},
    {"device_memory_bytes", "peak device memory, bytes", PM_CELL_COUNT},
};

static void first_call_values(const struct pm_reading_first_call *f,
                              int64_t values[FIRST_CALL_COLUMNS])
{
    const int64_t known[FIRST_CALL_COLUMNS] = {
        f ? f->cold_ns : -1,        f ? f->tracing_ns : -1,    f ? f->lowering_ns : -1,
        f ? f->compiling_ns : -1,   f ? f->running_ns : -1,    f ? f->compilations : -1,
        f ? f->recompilations : -1, f ? f->device_memory : -1,
    };
    memcpy(values, known, sizeof known);
}

/* One cell for each of the columns of `first_call_columns`. */
static void first_call_cells(const struct pm_reading_first_call *f, struct pm_table *t)
{
    int64_t values[FIRST_CALL_COLUMNS];
    first_call_values(f, values);
    for (size_t i = 0; i < FIRST_CALL_COLUMNS; i++)
        if (values[i] < 0)
            pm_table_empty(t);
        else if (first_call_columns[i].kind == PM_CELL_TIME)
            pm_table_number(t, (double)values[i]);
        else
            pm_table_count(t, values[i]);
}

static void execution_row(const struct pm_reading *r, const struct pm_reading_judgement *j,
                          bool counts, struct pm_table *t)
{
    pm_table_text(t, r->targets[j->target].text);
    pm_table_count(t, r->runs[r->targets[j->target].run].id);
    pm_table_text(t, j->function);
    pm_table_text(t, j->name);
    pm_table_text(t, j->dtype);
    pm_table_count(t, j->repetition);
    pm_table_text(t, pm_retry_text(j->retry));
    pm_table_text(t, pm_outcome_text(j->outcome));
    pm_table_text(t, pm_stage_text(j->stage));
    pm_table_text(t, counts && j->case_counts ? "yes" : "no");
    pm_table_text(t, j->position ? "yes" : "no");
    pm_table_text(t, j->reason);
    pm_table_text(t, j->rule);
    pm_table_text(t, j->detail);
    first_call_cells(pm_reading_first_call(r, j), t);
}

void pm_tables__add_executions(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("executions", "Every execution");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "run", "run", PM_CELL_COUNT);
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "case", "case", PM_CELL_NAME);
    pm_table_column(t, "dtype", "dtype", PM_CELL_WORD);
    pm_table_column(t, "repetition", "repetition", PM_CELL_COUNT);
    pm_table_column(t, "retry", "retry", PM_CELL_WORD);
    pm_table_column(t, "outcome", "outcome", PM_CELL_WORD);
    pm_table_column(t, "stage", "stage", PM_CELL_WORD);
    pm_table_column(t, "counted", "counted", PM_CELL_WORD);
    pm_table_column(t, "shared", "shared process", PM_CELL_WORD);
    pm_table_column(t, "reason", "reason", PM_CELL_TEXT);
    pm_table_column(t, "rule", "rule", PM_CELL_TEXT);
    pm_table_column(t, "message", "message", PM_CELL_TEXT);
    for (size_t i = 0; i < FIRST_CALL_COLUMNS; i++)
        pm_table_column(t, first_call_columns[i].id, first_call_columns[i].heading,
                        first_call_columns[i].kind);
    pm_table_group(t);
    for (size_t i = 0; i < r->judgement_list.count; i++)
        execution_row(r, &r->judgements[i], true, t);
    for (size_t i = 0; i < r->superseded_list.count; i++)
        execution_row(r, &r->superseded[i], false, t);
    pm_tables__take(r, report, t);
}

/* ---- of one function ------------------------------------------------------------------------ */

static size_t find(const struct pm_map *first, int target, const char *function)
{
    char *key = pm_format("%d %s", target, function);
    const size_t found = (size_t)(uintptr_t)pm_map_get(first, key);
    free(key);
    return found;
}

void pm_tables__first_call(const struct page_source *source, int target, const char *function,
                           double medians[FIRST_CALL_COLUMNS])
{
    const struct pm_reading *r = source->r;
    const size_t first = find(&source->all->first_judgement, target, function);
    size_t end = first, counts[FIRST_CALL_COLUMNS] = {0};
    while (first && end <= r->judgement_list.count && r->judgements[end - 1].target == target &&
           !strcmp(r->judgements[end - 1].function, function))
        end++;
    double *known = pm_alloc((end - first + 1) * FIRST_CALL_COLUMNS * sizeof *known);
    for (size_t i = first; i < end; i++) {
        int64_t values[FIRST_CALL_COLUMNS];
        first_call_values(pm_reading_first_call(r, &r->judgements[i - 1]), values);
        for (size_t k = 0; k < FIRST_CALL_COLUMNS; k++)
            if (values[k] >= 0)
                known[k * (end - first) + counts[k]++] = (double)values[k];
    }
    for (size_t k = 0; k < FIRST_CALL_COLUMNS; k++)
        medians[k] = counts[k] ? pm_stat_median(&known[k * (end - first)], counts[k]) : NAN;
    free(known);
}

const struct pm_reading_judgement *pm_tables__failure_of(const struct page_source *source,
                                                         const struct pm_reading_case *c)
{
    const struct pm_reading *r = source->r;
    for (size_t i = find(&source->all->first_judgement, c->target, c->function);
         i && i <= r->judgement_list.count && r->judgements[i - 1].target == c->target &&
         !strcmp(r->judgements[i - 1].function, c->function);
         i++) {
        const struct pm_reading_judgement *j = &r->judgements[i - 1];
        if (j->outcome == c->outcome && !strcmp(j->name, c->name) && !strcmp(j->detail, c->detail))
            return j;
    }
    return NULL;
}

const struct pm_report_script *pm_tables__script_of(const struct page_source *source,
                                                    const struct pm_reading_case *c)
{
    const struct pm_reading_judgement *j = pm_tables__failure_of(source, c);
    if (!j)
        return NULL;
    char *key = pm_format("%lld", (long long)j->execution);
    const uintptr_t found = (uintptr_t)pm_map_get(&source->script_by_execution, key);
    free(key);
    return found ? &source->scripts[found - 1] : NULL;
}

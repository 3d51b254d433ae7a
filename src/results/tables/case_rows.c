/* Makes the tables with one row per case and with one row per execution. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/pages.h"
#include "tables/shared_cells.h"

/* Returns a statistic of the warm calls of a case, for the size of its inputs; NULL if there is
 * none. */
static const struct pm_reading_statistic *
warm_of(const struct pm_reading *r, const struct pm_reading_case *c, enum pm_statistic what)
{
    const struct pm_reading_statistic *small =
        pm_reading_warm(r, c->target, c->function, c->name, PM_SIZE_SMALL, what);
    return small ? small : pm_reading_warm(r, c->target, c->function, c->name, PM_SIZE_LARGE, what);
}

static void latency_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    pm_tables__statistic_cell(table, warm_of(from->context, from->row, PM_STATISTIC_LATENCY));
}

static void ratio_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    pm_tables__statistic_cell(table, warm_of(from->context, from->row, PM_STATISTIC_RATIO));
}

static void unstable_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *latency =
        warm_of(from->context, from->row, PM_STATISTIC_LATENCY);
    const struct pm_cell_source of = {.row = latency};
    if (latency)
        pm_tables__excluded_cell(table, &of);
    else
        pm_table_text(table, "");
}

static const struct pm_column case_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct pm_reading_case, target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_reading_case, function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct pm_reading_case, name)},
    {"dtype", "dtype", PM_CELL_WORD, PM_MEMBER(struct pm_reading_case, dtype)},
    {"kind", "kind", PM_CELL_WORD, PM_WORD(struct pm_reading_case, kind, case_kind)},
    {"outcome", "outcome", PM_CELL_WORD, PM_WORD(struct pm_reading_case, outcome, outcome)},
    {"counted", "counted", PM_CELL_WORD, PM_YES_NO(struct pm_reading_case, counts)},
    {"passed", "passed", PM_CELL_COUNT, PM_MEMBER(struct pm_reading_case, passed)},
    {"processes", "of processes", PM_CELL_COUNT, PM_MEMBER(struct pm_reading_case, repetitions)},
    {"latency", "latency, warm", PM_CELL_TIME, .cell = latency_cell, .intervals = true},
    {"ratio", "ratio to reference", PM_CELL_RATIO, .cell = ratio_cell, .intervals = true},
    {"unstable", "unstable", PM_CELL_WORD, .cell = unstable_cell},
    {"by_type", "compared by type only", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_case, by_type)},
    {"stage", "stage", PM_CELL_WORD, PM_WORD(struct pm_reading_case, stage, stage)},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_case, reason)},
    {"message", "message", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_case, detail)},
};

void pm_tables__add_cases(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("cases", "Every case");
    pm_table_columns(t, case_columns, r->for_people);
    pm_table_group(t);
    for (size_t i = 0; i < r->case_list.count; i++)
        if (pm_reading_shows(r, r->cases[i].target) &&
            !pm_reading_is_oracle(&r->targets[r->cases[i].target]))
            pm_table_row(t, &r->cases[i], r);
    pm_tables__take(r, report, t);
}

/* ---- executions ----------------------------------------------------------------------------- */

struct execution {
    struct pm_reading_judgement judged;
    bool counts; /* verdicts use it */
};

/* Describes a column about the first call, or about compilations in warm calls. The cell of an
 * unknown value, -1, is empty. */
#define FIRST(name) PM_MEMBER(struct pm_reading_first_call, name), .cell = first_call_cell

static void first_call_cell(struct pm_table *table, const struct pm_cell_source *from);

static const struct pm_column first_call_columns[FIRST_CALL_COLUMNS] = {
    {"first_call", "first call", PM_CELL_TIME, FIRST(cold_ns)},
    {"tracing", "tracing", PM_CELL_TIME, FIRST(tracing_ns)},
    {"lowering", "lowering", PM_CELL_TIME, FIRST(lowering_ns)},
    {"compiling", "compiling", PM_CELL_TIME, FIRST(compiling_ns)},
    {"running", "running", PM_CELL_TIME, FIRST(running_ns)},
    {"compilations", "compilations", PM_CELL_COUNT, FIRST(compilations)},
    {"recompilations", "recompilations", PM_CELL_COUNT, FIRST(recompilations)},
    {"device_memory_bytes", "peak device memory, bytes", PM_CELL_COUNT, FIRST(device_memory)},
};

/* Returns a member of the first call; -1 if it is unknown, or if nothing is known of the first
 * call. */
static int64_t first_call_value(const struct pm_column *column,
                                const struct pm_reading_first_call *f)
{
    const void *member = f ? (const char *)f + column->offset : NULL;
    return member ? *(const int64_t *)member : -1;
}

static void first_call_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct execution *e = from->row;
    const int64_t value =
        first_call_value(from->column, pm_reading_first_call(from->context, &e->judged));
    if (value < 0)
        pm_table_empty(table);
    else if (from->column->kind == PM_CELL_TIME)
        pm_table_number(table, (double)value);
    else
        pm_table_count(table, value);
}

static void run_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct execution *e = from->row;
    const struct pm_reading *r = from->context;
    pm_table_count(table, r->runs[r->targets[e->judged.target].run].id);
}

static void shared_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct execution *e = from->row;
    pm_table_text(table, e->judged.position ? "yes" : "no");
}

static const struct pm_column execution_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct execution, judged.target)},
    {"run", "run", PM_CELL_COUNT, .cell = run_cell},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct execution, judged.function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct execution, judged.name)},
    {"dtype", "dtype", PM_CELL_WORD, PM_MEMBER(struct execution, judged.dtype)},
    {"repetition", "repetition", PM_CELL_COUNT, PM_MEMBER(struct execution, judged.repetition)},
    {"retry", "retry", PM_CELL_WORD, PM_WORD(struct execution, judged.retry, retry)},
    {"outcome", "outcome", PM_CELL_WORD, PM_WORD(struct execution, judged.outcome, outcome)},
    {"stage", "stage", PM_CELL_WORD, PM_WORD(struct execution, judged.stage, stage)},
    {"counted", "counted", PM_CELL_WORD, PM_YES_NO(struct execution, counts)},
    {"shared", "shared process", PM_CELL_WORD, .cell = shared_cell},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct execution, judged.reason)},
    {"rule", "rule", PM_CELL_TEXT, PM_MEMBER(struct execution, judged.rule)},
    {"message", "message", PM_CELL_TEXT, PM_MEMBER(struct execution, judged.detail)},
};

static void add_execution(const struct pm_reading *r, const struct pm_reading_judgement *j,
                          bool counts, struct pm_table *t)
{
    const struct execution e = {*j, counts && j->case_counts};
    pm_table_row(t, &e, r);
}

void pm_tables__add_executions(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("executions", "Every execution");
    pm_table_columns(t, execution_columns, r->for_people);
    pm_table_columns(t, first_call_columns, r->for_people);
    pm_table_group(t);
    for (size_t i = 0; i < r->judgement_list.count; i++)
        add_execution(r, &r->judgements[i], true, t);
    for (size_t i = 0; i < r->superseded_list.count; i++)
        add_execution(r, &r->superseded[i], false, t);
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
        const struct pm_reading_first_call *f = pm_reading_first_call(r, &r->judgements[i - 1]);
        for (size_t k = 0; k < FIRST_CALL_COLUMNS; k++) {
            const int64_t value = first_call_value(&first_call_columns[k], f);
            if (value >= 0)
                known[k * (end - first) + counts[k]++] = (double)value;
        }
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

const struct pm_explain_script *pm_tables__script_of(const struct page_source *source,
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

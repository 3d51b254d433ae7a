/* Reports how long a function takes: its latencies by clock, and the stages of its first call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "explain/explain_private.h"
#include "report/table_columns.h"
#include "store/judgements.h"
#include "store/timings.h"

struct latencies {
    const struct pm_explain__measured *m;
    struct pm_table *table;
};

static int see_statistic(void *ctx, const struct pm_statistic_row *row)
{
    struct latencies *l = ctx;
    if (row->target_id != l->m->target_id || row->scope != PM_SCOPE_FUNCTION ||
        row->what != PM_STATISTIC_LATENCY || strcmp(row->function, l->m->function) ||
        isnan(row->value))
        return PM_OK;
    pm_table_row(l->table, row, NULL);
    return PM_OK;
}

static const struct pm_column latency_columns[] = {
    {"clock", "clock", PM_CELL_TEXT, PM_WORD(struct pm_statistic_row, clock, clock)},
    {"size", "inputs", PM_CELL_TEXT, PM_WORD(struct pm_statistic_row, size, size)},
    {"latency", "latency", PM_CELL_TIME, PM_MEMBER(struct pm_statistic_row, value)},
    {"processes", "processes", PM_CELL_COUNT, PM_MEMBER(struct pm_statistic_row, processes)},
};

static int report_latencies(struct pm_store *store, const struct pm_explain__measured *m,
                            struct pm_error *err)
{
    struct latencies l = {m, pm_table_new("latencies", "Latencies")};
    pm_table_columns(l.table, latency_columns, false);
    const int rc = pm_store_statistics(store, m->run_id, PM_SCOPE_FUNCTION, see_statistic, &l, err);
    if (!rc && pm_table_rows(l.table))
        pm_report_take_table(m->report, l.table);
    else
        pm_table_free(l.table);
    return rc;
}

/* ---- the first call ---------------------------------------------------------------------------
 */

/* The first calls of one function on one target. */
struct calls {
    const struct pm_explain__measured *m;
    struct pm_first_call_row *first; /* first calls in processes that ran nothing before; names are
                                      * owned */
    size_t count, capacity;
    int64_t recompilations, recompiling; /* compilations in warm timings; executions with any */
    int64_t memory;                      /* largest peak on the device in bytes; -1: not known */
};

static int see_first_call(void *ctx, const struct pm_first_call_row *row)
{
    struct calls *calls = ctx;
    if (row->target_id != calls->m->target_id || strcmp(row->function, calls->m->function))
        return PM_OK;
    if (row->device_memory > calls->memory)
        calls->memory = row->device_memory;
    if (row->recompilations > 0) {
        calls->recompiling++;
        calls->recompilations += row->recompilations;
    }
    if (row->position || row->cold_ns < 0)
        return PM_OK;
    PM_GROW(calls->first, calls->count, calls->capacity);
    calls->first[calls->count] = *row;
    calls->first[calls->count++].name = pm_strdup(row->name);
    return PM_OK;
}

static int by_time(const void *left, const void *right)
{
    const struct pm_first_call_row *a = left, *b = right;
    return (a->cold_ns > b->cold_ns) - (a->cold_ns < b->cold_ns);
}

/* Returns a text such as "tracing 1.250 ms, compiling 30.000 ms, and 4.100 ms for lowering and
 * running together"; "" if the framework reports no parts, or only parts that took no time. The
 * caller frees it. */
static char *parts_of(const struct pm_first_call_row *row)
{
    const struct {
        const char *name;
        int64_t ns;
    } parts[] = {{"tracing", row->tracing_ns},
                 {"lowering", row->lowering_ns},
                 {"compiling", row->compiling_ns}};
    struct pm_str reported = PM_STR_INIT, rest = PM_STR_INIT;
    int64_t left = row->cold_ns;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].ns < 0)
            pm_str_addf(&rest, "%s%s", rest.length ? ", " : "", parts[i].name);
        else
            pm_str_addf(&reported, "%s %.3f ms, ", parts[i].name, (double)parts[i].ns / 1e6);
        left -= parts[i].ns > 0 ? parts[i].ns : 0;
    }
    if (left == row->cold_ns)
        pm_str_clear(&reported);
    else if (rest.length)
        pm_str_addf(&reported, "and %.3f ms for %s and running together", (double)left / 1e6,
                    rest.data);
    else
        pm_str_addf(&reported, "running %.3f ms", (double)left / 1e6);
    pm_str_release(&rest);
    return pm_str_detach(&reported);
}

static void note_time(json_t *first, const char *key, int64_t value)
{
    json_object_set_new(first, key, value < 0 ? json_null() : json_integer(value));
}

/* Reports the parts of one first call, the one with the median time, so that the parts add up. */
static void report_parts(const struct pm_explain__measured *m, const struct calls *calls)
{
    const struct pm_first_call_row *row = &calls->first[(calls->count - 1) / 2];
    char *parts = parts_of(row);
    json_t *first = json_pack("{s:s, s:I, s:I}", "case", row->name, "processes",
                              (json_int_t)calls->count, "ns", (json_int_t)row->cold_ns);
    note_time(first, "tracing_ns", row->tracing_ns);
    note_time(first, "lowering_ns", row->lowering_ns);
    note_time(first, "compiling_ns", row->compiling_ns);
    note_time(first, "compilations", row->compilations);
    json_object_set_new(m->data, "first_call", first);
    if (*parts) {
        pm_report_take_line(m->report, "first call",
                            pm_format("%.3f ms (median of %zu process%s, in case '%s'): %s",
                                      (double)row->cold_ns / 1e6, calls->count,
                                      calls->count == 1 ? "" : "es", row->name, parts));
        if (row->compilations >= 0)
            pm_report_take_line(m->report, "",
                                pm_format("%lld compilation%s", (long long)row->compilations,
                                          pm_plural(row->compilations)));
    }
    free(parts);
}

static void report_calls(const struct pm_explain__measured *m, struct calls *calls)
{
    json_object_set_new(m->data, "recompilations", json_integer(calls->recompilations));
    note_time(m->data, "peak_memory_bytes", calls->memory);
    if (calls->count) {
        qsort(calls->first, calls->count, sizeof *calls->first, by_time);
        report_parts(m, calls);
    }
    if (calls->recompilations)
        pm_report_take_line(
            m->report, "recompiles",
            pm_format("%lld compilation%s during the warm calls of %lld execution%s",
                      (long long)calls->recompilations, pm_plural(calls->recompilations),
                      (long long)calls->recompiling, pm_plural(calls->recompiling)));
    if (calls->memory >= 0)
        pm_report_take_line(m->report, "memory",
                            pm_format("peak of the first call on the device: at most %.3f MiB",
                                      (double)calls->memory / (1 << 20)));
}

static int report_first_calls(struct pm_store *store, const struct pm_explain__measured *m,
                              struct pm_error *err)
{
    struct calls calls = {.m = m, .memory = -1};
    const int rc = pm_store_first_calls(store, m->run_id, see_first_call, &calls, err);
    if (!rc)
        report_calls(m, &calls);
    for (size_t i = 0; i < calls.count; i++)
        free((char *)(uintptr_t)calls.first[i].name);
    free(calls.first);
    return rc;
}

int pm_explain__latencies(struct pm_store *store, const struct pm_explain__measured *m,
                          struct pm_error *err)
{
    PM_TRY(report_latencies(store, m, err));
    return report_first_calls(store, m, err);
}

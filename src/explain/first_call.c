/* Prints why the first call of a function takes as long as it does, as far as the framework tells.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/str.h"
#include "explain/explain_private.h"

/* The first calls of one function on one target. */
struct calls {
    const char *function;
    int64_t target_id;
    struct pm_first_call_row *first; /* of processes that ran nothing before; names are owned */
    size_t count, capacity;
    int64_t recompilations, recompiling; /* in warm samples; executions that have any */
    int64_t memory;                      /* the largest peak; -1: not known */
};

static int see_first_call(void *ctx, const struct pm_first_call_row *row)
{
    struct calls *calls = ctx;
    if (row->target_id != calls->target_id || strcmp(row->function, calls->function))
        return PM_OK;
    if (row->device_memory > calls->memory)
        calls->memory = row->device_memory;
    if (row->recompilations > 0) {
        calls->recompiling++;
        calls->recompilations += row->recompilations;
    }
    if (row->shared || row->cold_ns < 0)
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

/* "tracing 1.250 ms, compiling 30.000 ms, and 4.100 ms for lowering and running together"; empty
 * where the framework tells nothing, or only of parts that took no time. The caller frees. */
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

/* Of the process with the median time, so that the parts add up. */
static void print_parts(const struct calls *calls, FILE *out)
{
    const struct pm_first_call_row *row = &calls->first[(calls->count - 1) / 2];
    char *parts = parts_of(row);
    if (*parts) {
        pm_line_print(out, "first call  %.3f ms (median of %zu process%s, in case '%s'): %s",
                      (double)row->cold_ns / 1e6, calls->count, calls->count == 1 ? "" : "es",
                      row->name, parts);
        if (row->compilations >= 0)
            pm_line_print(out, "            %lld compilation%s", (long long)row->compilations,
                          row->compilations == 1 ? "" : "s");
    }
    free(parts);
}

static void print_calls(struct calls *calls, FILE *out)
{
    if (calls->count) {
        qsort(calls->first, calls->count, sizeof *calls->first, by_time);
        print_parts(calls, out);
    }
    if (calls->recompilations)
        pm_line_print(out,
                      "recompiles  %lld compilation%s during the warm calls of %lld execution%s",
                      (long long)calls->recompilations, calls->recompilations == 1 ? "" : "s",
                      (long long)calls->recompiling, calls->recompiling == 1 ? "" : "s");
    if (calls->memory >= 0)
        pm_line_print(out, "memory      peak of the first call on the device: %.3f MiB at most",
                      (double)calls->memory / (1 << 20));
}

int pm_explain__first_calls(struct pm_store *store, int64_t run_id, int64_t target_id,
                            const char *function, FILE *out, struct pm_error *err)
{
    struct calls calls = {.function = function, .target_id = target_id, .memory = -1};
    const int rc = pm_store_first_calls(store, run_id, see_first_call, &calls, err);
    if (!rc)
        print_calls(&calls, out);
    for (size_t i = 0; i < calls.count; i++)
        free((char *)(uintptr_t)calls.first[i].name);
    free(calls.first);
    return rc;
}

/* The timings of executions by clock, and data about their first calls. Rows, errors and ownership
 * are as in store/store.h. */
#ifndef PM_STORE_TIMINGS_H
#define PM_STORE_TIMINGS_H

#include "store/store.h"

enum { PM_STORE_MOST_TIMINGS = 1 << 20 };
/* The timings of an execution by one clock: at most PM_STORE_MOST_TIMINGS, none negative. */
struct pm_timing_row {
    int64_t execution_id;
    int64_t target_id, case_id, repetition; /* as in the execution; read, not stored */
    enum pm_clock clock;
    const int64_t *times;        /* each is the time of one call, in ns */
    const int64_t *compilations; /* one count per timing; NULL: unknown */
    size_t count;
    int64_t warmup;       /* earlier calls, which are not timed */
    int64_t factor;       /* calls that a timing consists of; at least 1 */
    int64_t imports;      /* modules that were imported while the clock ran */
    const char *imported; /* the first of these modules, or "" */
};
PM_MUST_USE int pm_store_add_timing(struct pm_store *store, const struct pm_timing_row *timing,
                                    struct pm_error *err);
typedef int pm_timing_fn(void *ctx, const struct pm_timing_row *timing);
/* Reads the times of a run by one clock (PM_CLOCK_COUNT: all), ordered by target, case, repetition
 * and clock. */
PM_MUST_USE int pm_store_timings(struct pm_store *store, int64_t run_id, enum pm_clock clock,
                                 pm_timing_fn *row, void *ctx, struct pm_error *err);

/* Copies the times that count for a latency (in ns, at least 1, because a coarse clock gives 0) to
 * `values`, which has room for `count` of them. On the clocks of repeated calls, these are the
 * times of calls during which the framework compiled nothing. Returns their number: 0 if it
 * compiled in each call. */
size_t pm_timing_values(const struct pm_timing_row *row, double *values);

/* The data that the framework reports about the first call of an execution; -1: not reported. */
struct pm_first_call_row {
    int64_t execution_id, tracing_ns, lowering_ns, compiling_ns; /* parts of `cold_ns` */
    int64_t device_memory; /* peak in bytes, above what was in use before the call */
    int64_t target_id,
        cold_ns; /* joined, as are the members below; cold_ns: time of the first call */
    int64_t compilations, recompilations; /* during the first call, and during the warm timings */
    const char *function, *name;
    int64_t position; /* how many executions its process had run before */
};
PM_MUST_USE int pm_store_add_first_call(struct pm_store *store, const struct pm_first_call_row *row,
                                        struct pm_error *err);
typedef int pm_first_call_fn(void *ctx, const struct pm_first_call_row *row);
/* Reads the first call of each execution that has one or has a time of the clock 'cold', ordered by
 * execution. */
PM_MUST_USE int pm_store_first_calls(struct pm_store *store, int64_t run_id, pm_first_call_fn *row,
                                     void *ctx, struct pm_error *err);

/* A case that imported modules while a clock ran, in the execution that imported most. */
struct pm_import_row {
    const char *function, *name, *imported;
    enum pm_clock clock;
    int64_t imports;
};
typedef int pm_import_fn(void *ctx, const struct pm_import_row *row);
PM_MUST_USE int pm_store_imports(struct pm_store *store, int64_t run_id, pm_import_fn *row,
                                 void *ctx, struct pm_error *err);

#endif

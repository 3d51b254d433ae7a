/*
 * What each recorded call costs on a target, by the latencies of its case: a repeated call, and the
 * first one. Private to the room.
 *
 *     struct pm_tables__costs costs;
 *     pm_tables__costs_of(r, target, &costs);
 *     ... costs.items[c - r->cases].warm ...
 *     pm_tables__costs_release(&costs);
 *
 * All times are nanoseconds, and NaN if they were not measured. The first call of a process also
 * starts the compiler, which can take many seconds. So if an execution was not the first of its
 * process, only such executions say what a first call costs. If all executions of a case were, its
 * cost is at most the median of the other cases.
 */
#ifndef PM_TABLES_RECORDED_COSTS_H
#define PM_TABLES_RECORDED_COSTS_H

#include "reading/reading.h"

struct pm_tables__cost {
    double warm;        /* a repeated call; 0 if `always_cold` */
    double cold;        /* what a first call takes longer than a repeated one */
    double backward;    /* its gradient, repeated */
    double transfer_in; /* copying its inputs to the target */
    bool always_cold;   /* the framework compiles in every call */
    bool only_first;    /* each execution was the first of its process */
};

struct pm_tables__costs {
    struct pm_tables__cost *items; /* by index in r->cases; all NaN for other targets */
    double start; /* what the first call of a process takes longer than other first calls; median */
    /* Timed transfers to the target: the bytes, and the time. */
    struct pm_tables__transfer {
        double bytes, ns;
    } * transfers;
    size_t transfer_count;
};

/* The caller releases *out. */
void pm_tables__costs_of(const struct pm_reading *r, int target, struct pm_tables__costs *out);
/* Returns how long arrays of this size take to the target: as long as the inputs of the case with
 * the nearest size, and in proportion if they are larger than these. NaN if no transfer was
 * timed. */
double pm_tables__transfer_ns(const struct pm_tables__costs *costs, double bytes);
void pm_tables__costs_release(struct pm_tables__costs *costs);

#endif

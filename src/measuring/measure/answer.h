/*
 * Checks a RESULT frame and splits it into its parts. Nothing in it is trusted: offsets and lengths
 * must be inside the body, shapes and digests must match the bytes, stages and clocks must be
 * known, times must be whole nanoseconds and not negative, and the parts of the first call must not
 * be longer than the call. Accepted values fit the columns of the store.
 *
 * An output that exceeds one of portmeter's own limits (leaves, dimensions, bytes, length of a
 * path) is not a fault of the function: the answer then has no leaves and no times, and
 * `harness` in its header names the limit. Drivers look at the same limits first (job/leaves.py).
 */
#ifndef PM_MEASURE_ANSWER_H
#define PM_MEASURE_ANSWER_H

#include "judge/judge.h"
#include "pool/pool.h"
#include "store/store.h"
#include "store/timings.h"

struct answer_leaf {
    enum pm_leaf_part part;
    enum pm_leaf_kind kind;
    const char *path, *dtype, *device;
    bool on_device;
    char *shape;                /* "[4,200]" of an array, else NULL; owned */
    struct pm_digest digest;    /* "" if there are no bytes */
    char *value;                /* canonical JSON of a value, or name of a type; owned */
    const unsigned char *bytes; /* inside the frame's body; NULL if there are none */
    size_t length;
};

/* The times measured by one clock. */
struct answer_clock {
    enum pm_clock clock;
    int64_t *times;    /* nanoseconds; owned */
    int64_t *compiled; /* compilations during each timing; owned; NULL if unknown */
    size_t count;
    int64_t warmup, factor, imports; /* as in struct pm_timing_row */
    const char *imported;            /* as in struct pm_timing_row; inside the frame's header */
};

struct answer {
    const json_t *header; /* header of the frame, or `limited` */
    json_t *limited;      /* header that names the exceeded limit, owned; NULL: none exceeded */
    enum pm_stage stage;
    struct answer_leaf *leaves;
    size_t leaf_count, leaf_capacity;
    struct answer_clock clocks[PM_CLOCK_COUNT]; /* the clocks that measured */
    size_t clock_count;
    struct pm_first_call_row first_call; /* -1: not reported by the framework */
};

/* Checks the frame, and splits it into *answer, which borrows it. PM_EFORMAT, with the reason, if
 * the frame is invalid. */
PM_MUST_USE int pm_measure__answer_parse(struct answer *answer, const struct pm_frame *frame,
                                         struct pm_error *err);
void pm_measure__answer_release(struct answer *answer);

/* Stores the timings of the execution, the data about its first call and, if they will be compared,
 * its leaves. */
PM_MUST_USE int pm_measure__answer_store(const struct answer *answer, struct pm_store *store,
                                         int64_t execution_id, bool outputs, struct pm_error *err);

/* Returns the header as JSON text, the raw evidence, without measurements and leaves on the device,
 * which have rows in the store, and without null or empty members. The caller frees it. */
char *pm_measure__answer_evidence(const struct answer *answer);

/* Converts the leaves of one part (PM_PART_COUNT: of all parts) into values to compare, which
 * borrow the frame's bytes. Free the items with pm_leaves_release(). */
void pm_measure__answer_leaves(const struct answer *answer, enum pm_leaf_part part,
                               struct pm_leaves *out);

/* Returns the times of a clock; NULL if it measured none. */
const struct answer_clock *pm_measure__answer_clock(const struct answer *answer,
                                                    enum pm_clock clock);

/* Returns whether the execution failed in a way that a new child might not repeat: the job raised
 * an exception that the case does not expect, the harness failed, inputs were destroyed on the way
 * to the device, or the device context is lost. */
bool pm_measure__answer_went_wrong(const struct answer *answer, bool raises_expected);

#endif

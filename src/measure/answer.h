/*
 * A RESULT frame, checked and taken apart. Nothing in it is trusted: offsets and lengths must lie
 * in the body, shapes must fit their bytes, digests must be those of the bytes; stages and clocks
 * must be known; times must be whole numbers of nanoseconds that are not negative. What is accepted
 * fits the columns of the store.
 */
#ifndef PM_MEASURE_ANSWER_H
#define PM_MEASURE_ANSWER_H

#include "judge/judge.h"
#include "pool/pool.h"
#include "store/store.h"

struct answer_leaf {
    enum pm_leaf_part part;
    enum pm_leaf_kind kind;
    const char *path, *dtype, *device;
    bool on_device;
    char *shape;                /* "[4,200]" of an array, else NULL; owned */
    struct pm_digest digest;    /* "" where there are no bytes */
    char *value;                /* canonical JSON of a value, name of a type; owned */
    const unsigned char *bytes; /* into the frame's body; NULL where there are none */
    size_t length;
};

/* The times that were taken by one clock. */
struct answer_clock {
    enum pm_clock clock;
    int64_t *samples;  /* nanoseconds; owned */
    int64_t *compiled; /* compilations during each; owned; NULL where not known */
    size_t count;
};

struct answer {
    const json_t *header; /* the frame's */
    enum pm_stage stage;
    struct answer_leaf *leaves;
    size_t leaf_count, leaf_capacity;
    struct answer_clock clocks[PM_CLOCK_COUNT]; /* those that took times */
    size_t clock_count;
};

/* Borrows the frame. PM_EFORMAT with what is wrong. */
PM_MUST_USE int pm_measure__answer_parse(struct answer *answer, const struct pm_frame *frame,
                             struct pm_error *err);
void pm_measure__answer_release(struct answer *answer);

/* Leaves and timings into the store, for the execution. */
PM_MUST_USE int pm_measure__answer_store(const struct answer *answer, struct pm_store *store,
                             int64_t execution_id, struct pm_error *err);

/* The header as JSON text, the raw evidence, without timings and of the leaves only those that are
 * not on the device: the others have rows of their own. The caller frees. */
char *pm_measure__answer_evidence(const struct answer *answer);

/* The leaves of one part (PM_PART_COUNT: of all) as values to compare, borrowing the frame's bytes.
 * Free the items with pm_leaves_release(). */
void pm_measure__answer_leaves(const struct answer *answer, enum pm_leaf_part part,
                               struct pm_leaves *out);

/* NULL where the clock took no times. */
const struct answer_clock *pm_measure__answer_clock(const struct answer *answer,
                                                    enum pm_clock clock);

/* True where the job went wrong in a way that a fresh child could put right: something was raised
 * that the case does not announce, the harness failed, or the device context is lost. */
bool pm_measure__answer_went_wrong(const struct answer *answer, bool raises_expected);

#endif

/*
 * A RESULT frame, checked and taken apart. Nothing in it is trusted: offsets and lengths must lie
 * in the body, shapes must fit their bytes, digests must be those of the bytes, and what was counted
 * by clock must be whole numbers from 0 on.
 */
#ifndef PM_MEASURE_ANSWER_H
#define PM_MEASURE_ANSWER_H

#include "judge/judge.h"
#include "pool/wire.h"
#include "store/store.h"

struct answer_leaf {
    const char *group; /* "output", "gradient" */
    const char *path, *kind, *dtype, *device;
    char shape[512];
    bool on_device;
    struct pm_digest digest;    /* "" where there are no bytes */
    char *value;                /* canonical JSON of a value, name of a type; owned */
    const unsigned char *bytes; /* into the frame's body; NULL where there are none */
    size_t length;
};

struct answer {
    const json_t *header; /* the frame's */
    struct answer_leaf *leaves;
    size_t leaf_count;
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

/* The leaves of one group as values to compare, borrowing the frame's bytes. Free the items with
 * pm_leaves_release(). */
void pm_measure__answer_leaves(const struct answer *answer, const char *group,
                               struct pm_leaves *out);

/* The samples of a clock, in nanoseconds: *out is the caller's to free, its length is returned. */
size_t pm_measure__answer_samples(const struct answer *answer, const char *clock, double **out);

/* True where the job went wrong in a way that a fresh child could put right: something was raised
 * that the case does not announce, the harness failed, or the device context is lost. */
bool pm_measure__answer_went_wrong(const struct answer *answer, bool raises_expected);

#endif

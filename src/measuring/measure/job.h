/* The RUN frame of a case, and the arrays that a child requests. */
#ifndef PM_MEASURE_JOB_H
#define PM_MEASURE_JOB_H

#include "pool/pool.h"
#include "suite/suite.h"

struct job_options {
    int64_t execution; /* number that the answer must echo */
    uint64_t seed;
    bool rehearse;       /* output only: no clocks */
    bool purity;         /* call twice and report what the second call changes */
    bool needs;          /* report what the case needs of a device: from one more call, or
                          * from the first if the case may be called only once */
    unsigned timeout_ms; /* 0: none */
};

/* Returns the milliseconds of a time limit above 0, at least 1, because 0 means no limit to the
 * pool. */
unsigned pm_measure__timeout_ms(double seconds);

/* Generates the inputs. On success the caller (or the pool) owns job->header and job->body. */
PM_MUST_USE int pm_measure__job_make(const struct pm_case *c, const struct job_options *options,
                                     struct pm_job *job, struct pm_error *err);

/* Answers an ASK frame of a child that runs `c`: fills the GIVE frame. PM_EFORMAT if it is
 * invalid. */
PM_MUST_USE int pm_measure__job_give(const struct pm_case *c, uint64_t seed,
                                     const struct pm_frame *ask, json_t *header,
                                     struct pm_str *body, struct pm_error *err);

#endif

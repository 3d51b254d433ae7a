/*
 * Shards: parts of a plan, divided by name. Different processes measure different shards and need
 * no contact with each other.
 */
#ifndef PM_BASE_SHARD_H
#define PM_BASE_SHARD_H

#include <stdbool.h>

#include "base/error.h"

enum { PM_MOST_SHARDS = 10000 };

struct pm_shard {
    unsigned number; /* from 1 to count */
    unsigned count;  /* 0: the plan is not divided */
};

/*
 * Reads "K/N", "auto" or "auto/N". `auto` reads the variables of the batch system or CI service
 * that started this process: those of Slurm, GitLab and Buildkite contain K and N. In a job of
 * Slurm, each task of srun is a shard. auto/N also reads the indexes of Kubernetes and AWS Batch,
 * which provide no N. PM_EUSAGE, with a message about --shard, if the text is invalid, or if such
 * variables are not set or have invalid values.
 */
PM_MUST_USE int pm_shard_parse(const char *text, struct pm_shard *out, struct pm_error *err);

/* Returns the shard of a name, from 1 to `count`. It depends only on the name and `count`, and is
 * the same on every machine and in every version. `count` is above 0. */
unsigned pm_shard_of(const char *name, unsigned count);

/*
 * Returns the name of a target for a kind of node, counted from 1. The caller frees it. Reports
 * show the shards of different kinds of nodes as different targets: 'pytorch@cuda' for kind 1, and
 * 'pytorch@cuda/2' for kind 2.
 */
char *pm_shard_apart(const char *target, unsigned kind);
/* Returns the length of the part of a target's name that a user types to measure it: the length
 * without "/2". */
int pm_shard_typed(const char *target);

#endif

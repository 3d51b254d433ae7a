/*
 * Submits the shards of a run, study or scan to Slurm, and shows their progress.
 *
 * A submission has a folder, INTO.shards, beside the database that will receive the run. The folder
 * contains the two batch scripts, a database and a log for each shard, and submission.json. The
 * scripts are complete: an administrator can read them, and submit them by hand.
 *
 * Of Slurm's commands, the program uses only sbatch and squeue. The scripts use scontrol.
 */
#ifndef PM_SUBMIT_SUBMIT_H
#define PM_SUBMIT_SUBMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/request.h"
#include "base/vocabulary.h"

struct pm_submit_options {
    const char *into; /* the database that receives the run of all shards */
    unsigned shards;
    const char *const *slurm; /* options of sbatch for the jobs of shards: "--partition=gpu" */
    size_t slurm_count;
    const char *const *words; /* the command that is divided: "run", "--target", ... */
    size_t word_count;
    bool dry_run; /* prints the scripts to stdout, and does nothing else */
    bool wait;    /* follows the jobs until the merge job has ended */
};

/* Checks that the environments that the command names exist here, because jobs download nothing.
 * Then writes the folder, and submits the shards as a job array and the merge as a job that
 * follows. PM_EUSAGE: the command cannot be divided, or an option is invalid. PM_ENOTFOUND: an
 * environment, the database of --names or sbatch is missing. PM_EIO: sbatch did not accept a job;
 * with `wait`, also if a shard has no result at the end. PM_ESTOPPED: the user stopped waiting; the
 * jobs continue. */
PM_MUST_USE int pm_submit(const struct pm_submit_options *options,
                          const struct pm_messages *messages, struct pm_error *err);

/* Prints a table of the shards of the submission for `into`: state, executions done and planned,
 * and the node or the last line of the log. PM_ENOTFOUND if nothing was submitted for `into`. */
PM_MUST_USE int pm_submit_status(const char *into, enum pm_report_format format, unsigned width,
                                 struct pm_error *err);

#endif

/* Declarations that the files of this room share. Private to the room. */
#ifndef PM_SUBMIT_PRIVATE_H
#define PM_SUBMIT_PRIVATE_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "submit/submit.h"

/* Slurm sends SIGTERM to a job this many seconds before its time limit. */
enum { PM_SUBMIT__GRACE_S = 60 };

/* A submission as its folder describes it. */
struct submission {
    char *folder; /* absolute */
    unsigned shards;
    unsigned per_job;            /* number of shards that a job of the array measures */
    char *array_job, *merge_job; /* Slurm's ids; "": not submitted */
};
char *pm_submit__folder(const char *into); /* the caller frees the path */
PM_MUST_USE int pm_submit__write(const struct submission *s, struct pm_error *err);
/* Reads a submission, which the caller releases. PM_ENOTFOUND if there is none; PM_EFORMAT if its
 * file is damaged. */
PM_MUST_USE int pm_submit__read(const char *into, struct submission *out, struct pm_error *err);
void pm_submit__release(struct submission *s);

/* Returns how many shards a job measures: one on each GPU that the options of sbatch request, but
 * at least 1 and at most all. */
unsigned pm_submit__shards_per_job(const struct pm_submit_options *o);
/* Returns whether the command that is divided is a scan. */
static inline bool pm_submit__is_scan(const struct pm_submit_options *o)
{
    return o->word_count > 0 && strcmp(o->words[0], "scan") == 0;
}

/* Append the scripts, with the absolute paths of the program, of the folder and of the database. */
void pm_submit__array_script(const struct pm_submit_options *o, const char *program,
                             const char *folder, struct pm_str *out);
void pm_submit__merge_script(const struct pm_submit_options *o, const char *program,
                             const char *folder, struct pm_str *out);

#define PM_SUBMIT__STATES(X, P)                                                                    \
    X(P, WAITING, "not submitted")                                                                 \
    X(P, QUEUED, "queued")                                                                         \
    X(P, MEASURING, "measuring")                                                                   \
    X(P, DONE, "done")                                                                             \
    X(P, EMPTY, "no functions")                                                                    \
    X(P, FAILED, "failed")
PM_WORDS(shard_state, PM_SUBMIT__STATES, PM_SHARD);

struct shard_status {
    int64_t number;
    enum pm_shard_state state;
    int64_t done, planned; /* executions, or projects of a scan; 0: unknown */
    bool is_scanned;       /* its database contains its part of a scan */
    char *text;            /* text from Slurm, or the last line of the log; "" */
};
struct shard_statuses {
    struct shard_status *items; /* by number */
    size_t count;
    bool active; /* a job of the submission, or its merge job, is queued or running */
};
/* Finds the state of each shard, from Slurm's queue, the databases and the logs. The caller
 * releases *out, except after an error. */
PM_MUST_USE int pm_submit__look(const struct submission *s, struct shard_statuses *out,
                                struct pm_error *err);
void pm_submit__statuses_release(struct shard_statuses *statuses);

#endif

/* Determines the shard of this process, and the shard to which a name belongs. */
#include "base/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/str.h"

/* The variables of one system: the index of this process, the first index, the step from one index
 * to the next, and the number of indexes. NULL: the system has no such variable. */
static const struct variables {
    const char *index, *first, *step, *count;
    unsigned from; /* the first index, if `first` is NULL */
} systems[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP",
     "SLURM_ARRAY_TASK_COUNT", 1},
    {"CI_NODE_INDEX", NULL, NULL, "CI_NODE_TOTAL", 1},
    {"BUILDKITE_PARALLEL_JOB", NULL, NULL, "BUILDKITE_PARALLEL_JOB_COUNT", 0},
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL, 0},
    {"AWS_BATCH_JOB_ARRAY_INDEX", NULL, NULL, NULL, 0},
};
enum { SLURM, SYSTEMS = sizeof systems / sizeof *systems };
static const char APART = '/'; /* no target that a user can type contains it */

/* Reads a number below 10^9 that consists of digits only; false if the text is not such a
 * number. */
static bool read_number(const char *text, size_t length, unsigned *out)
{
    unsigned number = 0;
    if (!length || length > 9)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        number = number * 10 + (unsigned)(text[i] - '0');
    }
    *out = number;
    return true;
}

/* Reads the number in a variable, or uses `otherwise` if it is not set; false if its value is not a
 * number. */
static bool read_variable(const char *name, unsigned otherwise, unsigned *out)
{
    const char *text = name ? getenv(name) : NULL;
    *out = otherwise;
    return !text || read_number(text, strlen(text), out);
}

/* Reads the variables of a system; `count` is the N that the user gave, or 0. Returns false if the
 * variables are invalid. */
static bool read_system(const struct variables *v, unsigned count, struct pm_shard *out)
{
    unsigned index, first, step, of;
    if (!read_variable(v->index, 0, &index) || !read_variable(v->first, v->from, &first) ||
        !read_variable(v->step, 1, &step) || !read_variable(v->count, 0, &of) || !step ||
        index < first || (index - first) % step)
        return false;
    *out = (struct pm_shard){.number = (index - first) / step + 1, .count = count ? count : of};
    return true;
}

static int cannot_use(const char *variable, struct pm_error *err)
{
    return pm_error_set(err, PM_EUSAGE, "--shard auto cannot use %s=%s: give --shard K/N instead",
                        variable, getenv(variable));
}

/* Divides a job further if srun starts several tasks in it: each task is a shard. The job may be
 * one of an array. `count` is the N that the user gave, or 0. */
static int divide_job(unsigned count, struct pm_shard *shard, struct pm_error *err)
{
    unsigned rank, tasks;
    if (!read_variable("SLURM_STEP_NUM_TASKS", 1, &tasks) || !tasks)
        return cannot_use("SLURM_STEP_NUM_TASKS", err);
    if (tasks == 1)
        return PM_OK;
    if (!read_variable("SLURM_PROCID", tasks, &rank) || rank >= tasks)
        return getenv("SLURM_PROCID") ? cannot_use("SLURM_PROCID", err)
                                      : cannot_use("SLURM_STEP_NUM_TASKS", err);
    const uint64_t number = (uint64_t)(shard->number ? shard->number - 1 : 0) * tasks + rank + 1;
    const uint64_t all = (uint64_t)(shard->number ? shard->count : 1) * tasks;
    shard->number = number <= PM_MOST_SHARDS ? (unsigned)number : PM_MOST_SHARDS + 1;
    shard->count = count ? count : all <= PM_MOST_SHARDS ? (unsigned)all : PM_MOST_SHARDS + 1;
    return PM_OK;
}

static int no_system(unsigned count, struct pm_error *err)
{
    return count
               ? pm_error_set(err, PM_EUSAGE,
                              "--shard auto/%u finds no index in the environment "
                              "(SLURM_ARRAY_TASK_ID, CI_NODE_INDEX, BUILDKITE_PARALLEL_JOB, "
                              "JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX): give --shard K/%u",
                              count, count)
               : pm_error_set(err, PM_EUSAGE,
                              "--shard auto finds no index and count in the environment (it reads "
                              "those of Slurm, GitLab and Buildkite): give --shard K/N");
}

/* Reads the shard from the first system whose index is set. If the user gave no count, skips a
 * system that has no variable for the count. */
static int read_environment(unsigned count, struct pm_shard *out, struct pm_error *err)
{
    for (int i = 0; i < SYSTEMS; i++) {
        const struct variables *v = &systems[i];
        if (!getenv(v->index) || (!count && !v->count))
            continue;
        if (!read_system(v, count, out))
            return cannot_use(v->index, err);
        return i == SLURM ? divide_job(count, out, err) : PM_OK;
    }
    PM_TRY(divide_job(count, out, err));
    return out->number ? PM_OK : no_system(count, err);
}

static int invalid(const char *text, struct pm_error *err)
{
    return pm_error_set(err, PM_EUSAGE,
                        "invalid --shard '%s': give K/N, such as 3/8, with K from 1 to N and N at "
                        "most %d, or auto, or auto/N",
                        text, PM_MOST_SHARDS);
}

int pm_shard_parse(const char *text, struct pm_shard *out, struct pm_error *err)
{
    const char *slash = strchr(text, '/');
    const size_t length = slash ? (size_t)(slash - text) : strlen(text);
    const bool is_auto = length == 4 && !strncmp(text, "auto", 4);
    unsigned count = 0;
    *out = (struct pm_shard){0};
    if (slash && !read_number(slash + 1, strlen(slash + 1), &count))
        return invalid(text, err);
    if (is_auto && slash && !count)
        return invalid(text, err);
    if (is_auto)
        PM_TRY(read_environment(count, out, err));
    else if (slash && read_number(text, length, &out->number))
        out->count = count;
    else
        return invalid(text, err);
    if (out->number >= 1 && out->number <= out->count && out->count <= PM_MOST_SHARDS)
        return PM_OK;
    return is_auto ? pm_error_set(err, PM_EUSAGE,
                                  "--shard %s finds the invalid shard %u of %u in the environment: "
                                  "give --shard K/N",
                                  text, out->number, out->count)
                   : invalid(text, err);
}

unsigned pm_shard_of(const char *name, unsigned count)
{
    uint64_t bits = 0;
    const struct pm_digest digest = pm_digest_bytes(name, strlen(name));
    (void)!sscanf(digest.hex, "%16" SCNx64, &bits);
    return (unsigned)(bits % count) + 1;
}

char *pm_shard_apart(const char *target, unsigned kind)
{
    return kind > 1 && *target ? pm_format("%s%c%u", target, APART, kind) : pm_strdup(target);
}

int pm_shard_typed(const char *target)
{
    const char *apart = strchr(target, APART);
    return apart ? (int)(apart - target) : (int)strlen(target);
}

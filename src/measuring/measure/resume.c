/* Finds the earlier run of a database to resume, and cleans up after its supervisor. */
#include "measure/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "measure/session.h"
#include "pool/pool.h"

/* ---- which run ------------------------------------------------------------------------------ */

void pm_measure__earlier_release(struct earlier_run *run)
{
    free(run->uuid);
    free(run->suite_digest);
    free(run->lists);
    json_decref(run->stored);
    pm_measure__flight_release(&run->flight);
    *run = (struct earlier_run){0};
}

/* A search through the runs of a store, which keeps one of them. */
struct search {
    struct earlier_run *found;
    struct pm_store *store;
    struct pm_error *err;
    int64_t wanted; /* the id of the run to find, if the search is for an id */
};

/* Replaces the paths in the stored options, which lack the names of users, by the complete ones. */
static int take_paths(struct search *search, const struct pm_run_row *row)
{
    json_t *paths = NULL;
    PM_TRY(pm_store_json(search->store, row->paths, &paths, "run_paths", row->id, "paths",
                         search->err));
    json_object_update(search->found->stored, paths);
    json_decref(paths);
    return PM_OK;
}

static int keep_run(struct search *search, const struct pm_run_row *row)
{
    struct earlier_run *run = search->found;
    pm_measure__earlier_release(run);
    run->id = row->id;
    run->uuid = pm_strdup(row->uuid);
    run->suite_digest = pm_strdup(row->suite_digest);
    run->finished = row->state == PM_RUN_DONE;
    run->valid = row->validity == PM_VALIDITY_VALID;
    run->kept = row->kept;
    run->published = row->kind == PM_RUN_KIND_PUBLISHED;
    run->merged = row->kind == PM_RUN_KIND_MEASURED && *row->source;
    PM_TRY(pm_store_json(search->store, row->options, &run->stored, "run", row->id, "options",
                         search->err));
    return *row->paths ? take_paths(search, row) : PM_OK;
}

/* Keeps an unfinished run, but not one that was measured elsewhere and merged. */
static int keep_unfinished(void *ctx, const struct pm_run_row *row)
{
    return row->state == PM_RUN_DONE || *row->source ? PM_OK : keep_run(ctx, row);
}

int pm_measure__earlier_unfinished(struct earlier_run *out, struct pm_store *store,
                                   struct pm_error *err)
{
    struct search search = {.found = out, .store = store, .err = err};
    *out = (struct earlier_run){0};
    return pm_store_runs(store, keep_unfinished, &search, err);
}

static int keep_wanted(void *ctx, const struct pm_run_row *row)
{
    struct search *search = ctx;
    return row->id == search->wanted ? keep_run(search, row) : PM_OK;
}

int pm_measure__earlier_find(struct earlier_run *out, struct pm_store *store, int64_t id,
                             struct pm_error *err)
{
    struct search search = {.found = out, .store = store, .err = err, .wanted = id};
    *out = (struct earlier_run){0};
    return pm_store_runs(store, keep_wanted, &search, err);
}

static int find_run(struct earlier_run *out, struct pm_store *store,
                    const struct pm_run_options *asked, struct pm_error *err)
{
    if (asked->resume == PM_NEWEST)
        PM_TRY(pm_measure__earlier_unfinished(out, store, err));
    else
        PM_TRY(pm_measure__earlier_find(out, store, asked->resume, err));
    if (out->id)
        return PM_OK;
    return asked->resume == PM_NEWEST
               ? pm_error_set(err, PM_EUSAGE,
                              "database '%s' has no unfinished run: use --resume N "
                              "--repetitions M to add processes to a finished run N",
                              asked->db)
               : pm_error_set(err, PM_EUSAGE,
                              "database '%s' has no run %lld: list the runs with portmeter runs",
                              asked->db, (long long)asked->resume);
}

int pm_measure__earlier_choose(struct earlier_run *out, struct pm_store *store,
                               const struct pm_run_options *asked, struct pm_error *err)
{
    *out = (struct earlier_run){0};
    PM_TRY(find_run(out, store, asked, err));
    if (out->published)
        return pm_error_set(
            err, PM_EUSAGE,
            "run %lld is imported, and --resume continues only measured runs: choose "
            "another run",
            (long long)out->id);
    if (out->merged)
        return pm_error_set(err, PM_EUSAGE,
                            "run %lld was measured into another database and merged into '%s': "
                            "resume it in that database",
                            (long long)out->id, asked->db);
    if (out->finished && !asked->repetitions)
        return pm_error_set(err, PM_EUSAGE,
                            "run %lld is finished: add --repetitions to measure more processes",
                            (long long)out->id);
    if (out->finished && !out->valid)
        return pm_error_set(err, PM_EUSAGE,
                            "run %lld is finished and INVALID, which more processes would not "
                            "change: start a new run",
                            (long long)out->id);
    out->options = *asked;
    PM_TRY(pm_measure__options_from_json(out->stored, &out->options, &out->lists, err));
    if (asked->repetitions)
        out->options.repetitions = asked->repetitions;
    return PM_OK;
}

/* ---- the last study ------------------------------------------------------------------------- */

static int keep_study(void *ctx, const struct pm_run_row *row)
{
    const struct search *search = ctx;
    struct earlier_run study = {0};
    struct search one = {.found = &study, .store = search->store, .err = search->err};
    const int rc = keep_run(&one, row);
    enum pm_run_command command;
    if (rc || !pm_run_command_parse(pm_json_string(study.stored, "command", ""), &command) ||
        command != PM_COMMAND_STUDY) {
        pm_measure__earlier_release(&study);
        return rc;
    }
    pm_measure__earlier_release(search->found);
    *search->found = study;
    return PM_OK;
}

static int look_at_study(const struct earlier_run *study, struct pm_store *store,
                         const struct pm_run_options *asked, struct pm_unfinished_study *out,
                         struct pm_error *err)
{
    struct pm_run_progress progress;
    if (!study->id || study->finished)
        return PM_OK;
    PM_TRY(pm_store_run_progress(store, study->id, &progress, err));
    *out = (struct pm_unfinished_study){
        .run_id = study->id,
        .planned = (size_t)progress.planned,
        .done = (size_t)progress.done,
        .outcomes_only = pm_json_bool(study->stored, "outcomes_only", false),
        .differs = pm_measure__options_differ(study->stored, asked),
    };
    return PM_OK;
}

int pm_measure_find_study(const struct pm_run_options *asked, struct pm_unfinished_study *out,
                          struct pm_error *err)
{
    struct pm_store *store = NULL;
    struct earlier_run study = {0};
    *out = (struct pm_unfinished_study){0};
    int rc = pm_store_expect(asked->db, err);
    if (rc)
        return rc == PM_ENOTFOUND ? PM_OK : rc;
    PM_TRY(pm_store_open(&store, asked->db, PM_STORE_READ, err));
    struct search search = {.found = &study, .store = store, .err = err};
    rc = pm_store_runs(store, keep_study, &search, err);
    if (!rc)
        rc = look_at_study(&study, store, asked, out, err);
    pm_measure__earlier_release(&study);
    pm_store_free(store);
    return rc;
}

/* ---- the last run of a shard ---------------------------------------------------------------- */

struct shard_search {
    struct search search;
    const struct pm_run_options *asked;
};

static int keep_shard(void *ctx, const struct pm_run_row *row)
{
    const struct shard_search *s = ctx;
    struct earlier_run run = {0};
    struct search one = {.found = &run, .store = s->search.store, .err = s->search.err};
    const int rc = keep_run(&one, row);
    const json_t *shard = json_object_get(run.stored, "shard");
    if (rc || run.merged || pm_json_int(shard, "number", 0) != s->asked->shard.number ||
        pm_json_int(shard, "count", 0) != s->asked->shard.count) {
        pm_measure__earlier_release(&run);
        return rc;
    }
    pm_measure__earlier_release(s->search.found);
    *s->search.found = run;
    return PM_OK;
}

int pm_measure_find_shard(const struct pm_run_options *asked, struct pm_measured_shard *out,
                          struct pm_error *err)
{
    struct pm_store *store = NULL;
    struct earlier_run run = {0};
    *out = (struct pm_measured_shard){0};
    int rc = pm_store_expect(asked->db, err);
    if (rc)
        return rc == PM_ENOTFOUND ? PM_OK : rc;
    PM_TRY(pm_store_open(&store, asked->db, PM_STORE_READ, err));
    struct shard_search s = {.search = {.found = &run, .store = store, .err = err}, .asked = asked};
    rc = pm_store_runs(store, keep_shard, &s, err);
    if (!rc && run.id)
        *out = (struct pm_measured_shard){
            .run_id = run.id,
            .finished = run.finished,
            .valid = run.valid,
            .differs = pm_measure__options_differ(run.stored, asked),
        };
    pm_measure__earlier_release(&run);
    pm_store_free(store);
    return rc;
}

/* ---- its processes and files ---------------------------------------------------------------- */

/* Opens the lock file of a scratch folder. Returns -1 if the file does not contain the run's id: a
 * damaged database must not cause another folder to be removed. */
static int open_own_lock(const char *scratch, const char *uuid)
{
    char content[64] = "";
    char *path = pm_path_join(scratch, "lock");
    const int fd = *scratch ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    free(path);
    if (fd < 0)
        return -1;
    if (pm_read_full(fd, content, sizeof content - 1) > 0 && *uuid && !strcmp(content, uuid))
        return fd;
    close(fd);
    return -1;
}

int pm_measure__scratch_lock(const char *scratch, const char *uuid, int *lock, struct pm_error *err)
{
    char *path = pm_path_join(scratch, "lock");
    *lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool locked = *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0 &&
                        pm_write_full(*lock, uuid, strlen(uuid)) >= 0;
    const int rc = locked ? PM_OK : pm_error_errno(err, "cannot create the lock file '%s'", path);
    free(path);
    return rc;
}

int pm_measure__earlier_clear(struct earlier_run *run, unsigned *ended, struct pm_error *err)
{
    const char *scratch = pm_json_string(run->stored, "scratch", "");
    const int lock = open_own_lock(scratch, run->uuid);
    int rc = PM_OK;
    *ended = 0;
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB))
        rc = pm_error_set(
            err, PM_EBUSY,
            "run %lld is being measured by another portmeter process: wait until it ends",
            (long long)run->id);
    if (!rc)
        rc = pm_pool_end_leftovers(run->uuid, ended, err);
    if (!rc && lock >= 0)
        pm_measure__flight_read(scratch, &run->flight);
    if (!rc && lock >= 0)
        rc = pm_folder_remove(scratch, err);
    if (lock >= 0)
        close(lock);
    return rc;
}

bool pm_measure_run_is_live(const struct pm_run_row *run)
{
    json_t *paths = json_loads(run->paths, 0, NULL);
    errno = 0;
    const int lock = open_own_lock(pm_json_string(paths, "scratch", ""), run->uuid);
    const bool another_users = lock < 0 && errno == EACCES;
    json_decref(paths);
    if (lock < 0)
        return another_users;
    const bool live = flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(lock);
    return live;
}

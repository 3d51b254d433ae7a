/* pm_run(): measures, then judges. */
#include <string.h>

#include "core/core.h"
#include "core/core_private.h"
#include "reading/reading.h"
#include "store/store.h"
#include "text/progress.h"

/* ---- a run that needs only judging, because it was stopped or killed while it was judged ---- */

struct search {
    int64_t wanted; /* PM_NEWEST, or a run's number */
    struct pm_run_summary *run;
    bool done;
};

static int keep_run(void *ctx, const struct pm_run_row *row)
{
    struct search *search = ctx;
    if (row->kind != PM_RUN_KIND_MEASURED ||
        (search->wanted != PM_NEWEST && search->wanted != row->id))
        return PM_OK;
    *search->run = (struct pm_run_summary){.run_id = row->id};
    search->run->valid = row->validity == PM_VALIDITY_VALID;
    snprintf(search->run->reason, sizeof search->run->reason, "%s", row->validity_reason);
    search->run->latencies_valid = row->latency_validity == PM_VALIDITY_VALID;
    snprintf(search->run->latency_reason, sizeof search->run->latency_reason, "%s",
             row->latency_validity_reason);
    search->done = row->state == PM_RUN_DONE;
    return PM_OK;
}

enum { JUDGED = 1 };

static int is_judged(void *ctx, const struct pm_judgement_row *row)
{
    (void)ctx;
    (void)row;
    return JUDGED;
}

/* Finds a completely measured run that is not judged. Sets out->run_id to 0 if the run is not
 * completely measured, or is judged. */
static int look_for_unjudged(struct pm_store *store, int64_t wanted, struct pm_run_summary *out,
                             struct pm_error *err)
{
    struct search search = {.wanted = wanted, .run = out};
    struct pm_run_progress progress;
    PM_TRY(pm_store_runs(store, keep_run, &search, err));
    if (search.done) {
        PM_TRY(pm_store_run_progress(store, out->run_id, &progress, err));
        out->planned = (size_t)progress.planned;
        out->done = (size_t)progress.done;
        const int rc = pm_store_judgements(store, out->run_id, is_judged, NULL, err);
        search.done = rc != JUDGED && progress.done > 0;
        if (rc < 0)
            return rc;
    }
    if (!search.done)
        *out = (struct pm_run_summary){0};
    return PM_OK;
}

static int find_unjudged(const struct pm_run_options *o, struct pm_run_summary *out,
                         struct pm_error *err)
{
    struct pm_store *store = NULL;
    if (!o->resume || o->repetitions || pm_store_open(&store, o->db, PM_STORE_READ, NULL))
        return PM_OK; /* not requested; or measuring will report what is wrong with the database */
    const int rc = look_for_unjudged(store, o->resume, out, err);
    pm_store_free(store);
    return rc;
}

/* Reads the summary of a run that is measured and judged. */
static int find_finished(const struct pm_run_options *o, int64_t id, struct pm_run_summary *out,
                         struct pm_error *err)
{
    struct pm_store *store = NULL;
    struct search search = {.wanted = id, .run = out};
    PM_TRY(pm_store_open(&store, o->db, PM_STORE_READ, err));
    const int rc = pm_store_runs(store, keep_run, &search, err);
    pm_store_free(store);
    return rc;
}

/* ---- a shard that was begun before ---------------------------------------------------------- */

/* Continues a shard that the database has, so that a batch system can repeat the same command until
 * the shard is done. *done: the shard is measured and judged, and *out describes it. */
static int continue_shard(struct pm_run_options *o, const struct pm_messages *messages,
                          struct pm_run_summary *out, bool *done, struct pm_error *err)
{
    struct pm_measured_shard found;
    const char *db = o->copy ? o->copy : o->db; /* as the user named it */
    *done = false;
    if (!o->shard.count || o->resume)
        return PM_OK;
    PM_TRY(pm_measure_find_shard(o, &found, err));
    if (!found.run_id || (found.finished && !found.valid))
        return PM_OK;
    if (found.differs)
        return pm_error_set(err, PM_EUSAGE,
                            "'%s' has shard %u/%u of another plan, with another %s: name another "
                            "database with --db",
                            db, o->shard.number, o->shard.count, found.differs);
    o->resume = found.run_id;
    o->repetitions = 0; /* the run keeps its own repetitions */
    if (!found.finished) {
        fprintf(messages->out, "shard       %u/%u: continuing run %lld of '%s'\n", o->shard.number,
                o->shard.count, (long long)found.run_id, db);
        return PM_OK;
    }
    PM_TRY(find_unjudged(o, out, err));
    *done = !out->run_id;
    if (!*done)
        return PM_OK;
    fprintf(messages->out, "shard       %u/%u is measured already: run %lld of '%s'\n",
            o->shard.number, o->shard.count, (long long)found.run_id, db);
    return find_finished(o, found.run_id, out, err);
}

/* ---- judging it ------------------------------------------------------------------------------ */

/* Shows the progress of judging, which counts each execution twice. */
static void show_judging(void *ctx, size_t looked, size_t all)
{
    pm_progress_update(ctx, "", looked / 2, all / 2, 0);
}

static int judge_it(int64_t run_id, const char *db, const struct pm_messages *messages,
                    struct pm_judged *out, struct pm_error *err)
{
    struct pm_progress progress;
    pm_progress_init(&progress, messages->out, messages->terminal);
    progress.what = "judging";
    progress.counted = NULL;
    progress.patience = 1000000000;
    const struct pm_assess_options options = {
        .db = db, .run_id = run_id, .progress = show_judging, .progress_ctx = &progress};
    const int rc = pm_assess(&options, out, err);
    pm_progress_end(&progress);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int run_here(const struct pm_run_options *options, const struct pm_messages *messages,
                    struct pm_run_result *out, struct pm_error *err)
{
    struct pm_error why;
    struct pm_run_options measured = *options;
    measured.retries = options->rehearse ? NULL : pm_assess_retries;
    bool done;
    *out = (struct pm_run_result){0};
    PM_TRY(continue_shard(&measured, messages, &out->run, &done, err));
    if (done)
        return PM_OK;
    PM_TRY(find_unjudged(&measured, &out->run, err));
    if (!out->run.run_id)
        PM_TRY(pm_measure_run(&measured, messages, &out->run, err));
    if (!out->run.run_id)
        return PM_OK;
    const int rc = judge_it(out->run.run_id, options->db, messages, &out->judged, &why);
    if (rc == PM_ESTOPPED)
        return pm_error_set(
            err, rc, "%s: run %lld is measured but not judged yet: run portmeter judge --db %s",
            why.text, (long long)out->run.run_id, options->copy ? options->copy : options->db);
    return rc ? pm_error_set(err, rc, "%s", why.text) : PM_OK;
}

int pm_run(const struct pm_run_options *options, const struct pm_messages *messages,
           struct pm_run_result *out, struct pm_error *err)
{
    struct pm_run_options local = *options;
    char *path = NULL;
    *out = (struct pm_run_result){0};
    if (!options->local)
        return run_here(options, messages, out, err);
    int rc = pm_core__local_begin(options->local, options->db, &path, err);
    if (!rc) {
        local.db = path;
        local.copy = options->db;
        rc = run_here(&local, messages, out, err);
        const int ended = pm_core__local_end(path, options->db, rc ? NULL : err);
        if (!ended)
            pm_core__local_remove(path);
        rc = rc ? rc : ended;
    }
    free(path);
    return rc;
}

/* ---- its gate -------------------------------------------------------------------------------- */

int pm_gate_run(const char *db, int64_t run_id, enum pm_exit *status, struct pm_error *err)
{
    struct pm_reading r = {0};
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, db, PM_STORE_READ, err));
    const int rc = pm_reading_load(&r, store, db, run_id, err);
    if (!rc)
        *status = pm_reading_exit(&r);
    pm_reading_release(&r);
    pm_store_free(store);
    return rc;
}

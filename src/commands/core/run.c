/* pm_run(): measures, then judges. */
#include <string.h>

#include "core/core.h"
#include "reading/reading.h"
#include "store/store.h"

/* ---- a run that is only to be judged: it was stopped, or killed, while it was judged -------- */

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

/* Leaves out->run_id 0 where the run is not measured to its end, or is judged. */
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
        return PM_OK; /* not asked for; or measuring will say what is wrong with the database */
    const int rc = look_for_unjudged(store, o->resume, out, err);
    pm_store_free(store);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------ */

int pm_run(const struct pm_run_options *options, const struct pm_messages *messages,
           struct pm_run_result *out, struct pm_error *err)
{
    struct pm_error why;
    struct pm_run_options measured = *options;
    measured.retries = options->rehearse ? NULL : pm_assess_retries;
    *out = (struct pm_run_result){0};
    PM_TRY(find_unjudged(options, &out->run, err));
    if (!out->run.run_id)
        PM_TRY(pm_measure_run(&measured, messages, &out->run, err));
    if (!out->run.run_id)
        return PM_OK;
    const int rc = pm_assess_db(options->db, out->run.run_id, 0, &out->judged, &why);
    if (rc == PM_ESTOPPED)
        return pm_error_set(err, rc,
                            "%s: run %lld is measured but not judged yet: run portmeter judge",
                            why.text, (long long)out->run.run_id);
    return rc ? pm_error_set(err, rc, "%s", why.text) : PM_OK;
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

/* Stores runs and their attempts. */
#include <math.h>
#include <string.h>

#include "base/shard.h"
#include "store/description.h"
#include "store/runs.h"

enum { MOST_DAYS = 36500 };
#define NS_PER_DAY 86400e9

static int set_paths(struct pm_store *store, int64_t run_id, const char *paths,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store, "INSERT OR REPLACE INTO run_paths (run_id, paths) VALUES (?, ?)", &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_text(&q, paths);
    return pm_store__run(&q, NULL, NULL, err);
}

static const struct pm_store__column run_columns[] = {
    {"id", PM_STORE__NAMING(run, id, "run"), PM_STORE__GIVEN},
    {"uuid", PM_STORE__DIGEST(run, uuid)},
    {"started", PM_STORE__TIME(run, started)},
    {"finished", PM_STORE__TIME(run, finished), PM_STORE__EMPTY | PM_STORE__KEEPS},
    {"state", PM_STORE__WORD(run, state, run_state), PM_STORE__CHANGES},
    {"kept", PM_STORE__FLAG(run, kept), PM_STORE__GIVEN},
    {"options", PM_STORE__JSON(run, options), PM_STORE__KEEPS},
    {"suite_digest", PM_STORE__DIGEST(run, suite_digest)},
    {"seed", PM_STORE__WHOLE(run, seed, INT64_MIN, INT64_MAX)},
    {"validity", PM_STORE__WORD(run, validity, validity), PM_STORE__KEEPS},
    {"validity_reason", PM_STORE__LINE(run, validity_reason), PM_STORE__HIDDEN | PM_STORE__KEEPS},
    {"latency_validity", PM_STORE__WORD(run, latency_validity, validity), PM_STORE__KEEPS},
    {"latency_validity_reason", PM_STORE__LINE(run, latency_validity_reason),
     PM_STORE__HIDDEN | PM_STORE__KEEPS},
    {"sample_id", PM_STORE__ID_OR_NONE(run, sample_id)},
    {"kind", PM_STORE__WORD(run, kind, run_kind)},
    {"source", PM_STORE__LINE(run, source)},
    {"suite_version", PM_STORE__LINE(run, suite_version)},
    {"iif(run.id IN (SELECT run_id FROM run_paths),"
     " (SELECT paths FROM run_paths WHERE run_id = run.id), '') AS paths",
     PM_STORE__JSON(run, paths), PM_STORE__GIVEN | PM_STORE__EMPTY},
};
static const struct pm_store__rows runs = PM_STORE__ROWS("run", "run", run_columns);

int pm_store_add_run(struct pm_store *store, const struct pm_run_row *run, int64_t *id,
                     struct pm_error *err)
{
    PM_TRY(pm_store__add(store, &runs, run, id, err));
    return run->paths ? set_paths(store, *id, run->paths, err) : PM_OK;
}

int pm_store_update_run(struct pm_store *store, const struct pm_run_row *run, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__change(store, &runs, run, " WHERE id = ?", &q, err));
    pm_store__bind_int(&q, run->id);
    PM_TRY(pm_store__run_one(&q, "run", run->id, err));
    return run->paths ? set_paths(store, run->id, run->paths, err) : PM_OK;
}

int pm_store_keep_run(struct pm_store *store, int64_t id, bool keep, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "UPDATE run SET kept = ? WHERE id = ?", &q, err));
    pm_store__bind_int(&q, keep);
    pm_store__bind_int(&q, id);
    return pm_store__run_one(&q, "run", id, err);
}

int pm_store_runs(struct pm_store *store, pm_run_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &runs, " ORDER BY started, id", &q, err));
    PM_STORE__GIVE_ROWS(&q, &runs, struct pm_run_row, row, ctx, err);
}

int pm_store_run_progress(struct pm_store *store, int64_t run_id, struct pm_run_progress *out,
                          struct pm_error *err)
{
    struct pm_store__query q;
    *out = (struct pm_run_progress){0};
    PM_TRY(
        pm_store__prepare(store,
                          "SELECT all_of, all_of - again, all_of - again - todo, alone FROM (SELECT"
                          " (SELECT count(*) FROM execution WHERE run_id = ?1) AS all_of,"
                          " (SELECT count(*) FROM execution WHERE run_id = ?1 AND retry <> '')"
                          " AS again, (SELECT count(*) FROM execution WHERE run_id = ?1"
                          "  AND retry = '' AND state = 'todo') AS todo,"
                          " (SELECT count(*) FROM execution WHERE run_id = ?1 AND retry <> ''"
                          "  AND retry = 'alone' AND state = 'done') AS alone)",
                          &q, err));
    pm_store__bind_int(&q, run_id);
    const int rc = pm_store__next(&q, err);
    if (rc > 0) {
        out->executions = pm_store__count(&q);
        out->planned = pm_store__count(&q);
        out->done = pm_store__count(&q);
        out->retried = pm_store__count(&q);
    }
    pm_store__close(&q);
    return rc < 0 ? rc : PM_OK;
}

/* ---- attempts ------------------------------------------------------------------------------ */

static const struct pm_store__column attempt_columns[] = {
    {"run_id", PM_STORE__NAMING(attempt, run_id, "attempt of run")},
    {"shard", PM_STORE__WHOLE(attempt, shard, 0, PM_MOST_SHARDS)},
    {"number", PM_STORE__ID(attempt, number)},
    {"started", PM_STORE__TIME(attempt, started)},
    {"finished", PM_STORE__TIME(attempt, finished), PM_STORE__EMPTY | PM_STORE__CHANGES},
    {"machine", PM_STORE__JSON(attempt, machine)},
    {"load_before", PM_STORE__REAL(attempt, load_before, 0, INFINITY)},
    {"load_after", PM_STORE__REAL(attempt, load_after, 0, INFINITY), PM_STORE__CHANGES},
    {"peak_memory", PM_STORE__WHOLE(attempt, peak_memory, 0, INT64_MAX), PM_STORE__DONE},
    {"peak_scratch", PM_STORE__WHOLE(attempt, peak_scratch, 0, INT64_MAX), PM_STORE__DONE},
};
static const struct pm_store__rows attempts = PM_STORE__ROWS("attempt", "attempt", attempt_columns);

int pm_store_add_attempt(struct pm_store *store, const struct pm_attempt_row *attempt,
                         int64_t *number, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "DELETE FROM judged_run WHERE run_id = ?", &q, err));
    pm_store__bind_int(&q, attempt->run_id);
    PM_TRY(pm_store__run(&q, NULL, NULL, err));
    PM_TRY(pm_store__prepare(store, "SELECT count(*) + 1 FROM attempt WHERE run_id = ?", &q, err));
    pm_store__bind_int(&q, attempt->run_id);
    const int rc = pm_store__next(&q, err);
    *number = rc > 0 ? pm_store__id(&q) : 0;
    pm_store__close(&q);
    if (rc < 0)
        return rc;
    struct pm_attempt_row begun = *attempt;
    begun.number = *number;
    begun.finished = "";
    begun.load_after = NAN;
    return pm_store__add(store, &attempts, &begun, NULL, err);
}

int pm_store_finish_attempt(struct pm_store *store, const struct pm_attempt_row *attempt,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__change(store, &attempts, attempt, " WHERE run_id = ? AND number = ?", &q, err));
    pm_store__bind_int(&q, attempt->run_id);
    pm_store__bind_int(&q, attempt->number);
    return pm_store__run_one(&q, "attempt", attempt->number, err);
}

int pm_store_attempts(struct pm_store *store, int64_t run_id, pm_attempt_fn *row, void *ctx,
                      struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &attempts, " WHERE run_id = ? ORDER BY shard, number", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &attempts, struct pm_attempt_row, row, ctx, err);
}

int pm_store_run_spent(struct pm_store *store, int64_t run_id, uint64_t *out, struct pm_error *err)
{
    struct pm_store__query q;
    *out = 0;
    PM_TRY(pm_store__prepare(store,
                             "SELECT coalesce(sum(max(0.0, julianday(finished) -"
                             " julianday(started))), 0.0) AS days FROM attempt"
                             " WHERE run_id = ? AND finished != ''",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__about(&q, "times of a run");
    int rc = pm_store__next(&q, err);
    if (rc > 0) {
        const double days = pm_store__real(&q, 0, MOST_DAYS);
        rc = pm_store__sound(&q, err);
        if (!rc)
            *out = (uint64_t)(days * NS_PER_DAY);
    }
    pm_store__close(&q);
    return rc;
}

/* Runs, and the parts in which they were measured. */
#include <math.h>
#include <string.h>

#include "store/runs.h"
#include "store/store_private.h"
#include "store/word.h"

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

int pm_store_add_run(struct pm_store *store, const struct pm_run_row *run, int64_t *id,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO run (uuid, started, finished, state, options,"
                             " suite_digest, seed, validity, validity_reason, latency_validity,"
                             " latency_validity_reason, sample_id, kind, source,"
                             " suite_version)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_text(&q, run->uuid);
    pm_store__bind_text(&q, run->started);
    pm_store__bind_text(&q, run->finished);
    pm_store__bind_text(&q, pm_run_state_text(run->state));
    pm_store__bind_text(&q, run->options);
    pm_store__bind_text(&q, run->suite_digest);
    pm_store__bind_int(&q, run->seed);
    pm_store__bind_text(&q, pm_validity_text(run->validity));
    pm_store__bind_message(&q, run->validity_reason);
    pm_store__bind_text(&q, pm_validity_text(run->latency_validity));
    pm_store__bind_message(&q, run->latency_validity_reason);
    pm_store__bind_id(&q, run->sample_id);
    pm_store__bind_text(&q, pm_run_kind_text(run->kind));
    pm_store__bind_text(&q, run->source);
    pm_store__bind_text(&q, run->suite_version);
    PM_TRY(pm_store__run(&q, id, NULL, err));
    return run->paths ? set_paths(store, *id, run->paths, err) : PM_OK;
}

static const char *known(enum pm_validity validity)
{
    return validity == PM_VALIDITY_UNKNOWN ? NULL : pm_validity_text(validity);
}

int pm_store_update_run(struct pm_store *store, const struct pm_run_row *run, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE run SET state = ?,"
                             " finished = ifnull(?, finished), options = ifnull(?, options),"
                             " validity = ifnull(?, validity),"
                             " validity_reason = ifnull(?, validity_reason),"
                             " latency_validity = ifnull(?, latency_validity),"
                             " latency_validity_reason = ifnull(?, latency_validity_reason)"
                             " WHERE id = ?",
                             &q, err));
    pm_store__bind_text(&q, pm_run_state_text(run->state));
    pm_store__bind_change(&q, run->finished);
    pm_store__bind_change(&q, run->options);
    pm_store__bind_change(&q, known(run->validity));
    pm_store__bind_message_change(&q, run->validity_reason);
    pm_store__bind_change(&q, known(run->latency_validity));
    pm_store__bind_message_change(&q, run->latency_validity_reason);
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

static void read_run(struct pm_store__query *q, struct pm_run_row *run)
{
    run->id = pm_store__row(q, "run");
    run->uuid = pm_store__digest(q, PM_STORE__NEEDED);
    run->started = pm_store__time(q, PM_STORE__NEEDED);
    run->finished = pm_store__time(q, PM_STORE__MAY_LACK);
    run->state = PM_STORE__WORD(q, run_state);
    run->kept = pm_store__flag(q);
    run->options = pm_store__json(q, PM_STORE__NEEDED);
    run->suite_digest = pm_store__digest(q, PM_STORE__NEEDED);
    run->seed = pm_store__whole(q, INT64_MIN, INT64_MAX);
    run->validity = PM_STORE__WORD(q, validity);
    run->validity_reason = pm_store__line(q);
    run->latency_validity = PM_STORE__WORD(q, validity);
    run->latency_validity_reason = pm_store__line(q);
    run->sample_id = pm_store__id_or_none(q);
    run->kind = PM_STORE__WORD(q, run_kind);
    run->source = pm_store__line(q);
    run->suite_version = pm_store__line(q);
    run->paths = pm_store__json(q, PM_STORE__MAY_LACK);
}

int pm_store_runs(struct pm_store *store, pm_run_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT id, uuid, started, finished, state, kept, options,"
                             " suite_digest, seed, validity, validity_reason,"
                             " latency_validity, latency_validity_reason, sample_id, kind,"
                             " source, suite_version,"
                             " iif(run.id IN (SELECT run_id FROM run_paths),"
                             " (SELECT paths FROM run_paths WHERE run_id = run.id), '') AS paths"
                             " FROM run ORDER BY started, id",
                             &q, err));
    PM_STORE__GIVE_ROWS(&q, struct pm_run_row, read_run, row, ctx, err);
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
                          " (SELECT count(*) FROM execution WHERE run_id = ?1 AND reason <> '')"
                          " AS again, (SELECT count(*) FROM execution WHERE run_id = ?1"
                          "  AND reason = '' AND state = 'todo') AS todo,"
                          " (SELECT count(*) FROM execution WHERE run_id = ?1 AND reason <> ''"
                          "  AND reason = 'alone' AND state = 'done') AS alone)",
                          &q, err));
    pm_store__bind_int(&q, run_id);
    const int rc = pm_store__next(&q, err);
    if (rc > 0) {
        out->executions = pm_store__count(&q);
        out->planned = pm_store__count(&q);
        out->done = pm_store__count(&q);
        out->repeated = pm_store__count(&q);
    }
    pm_store__close(&q);
    return rc < 0 ? rc : PM_OK;
}

/* ---- sittings ------------------------------------------------------------------------------ */

int pm_store_add_sitting(struct pm_store *store, const struct pm_sitting_row *sitting,
                         int64_t *number, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "DELETE FROM judged_run WHERE run_id = ?", &q, err));
    pm_store__bind_int(&q, sitting->run_id);
    PM_TRY(pm_store__run(&q, NULL, NULL, err));
    PM_TRY(pm_store__prepare(store, "SELECT count(*) + 1 FROM sitting WHERE run_id = ?", &q, err));
    pm_store__bind_int(&q, sitting->run_id);
    const int rc = pm_store__next(&q, err);
    *number = rc > 0 ? pm_store__id(&q) : 0;
    pm_store__close(&q);
    if (rc < 0)
        return rc;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO sitting (run_id, number, started, finished, machine,"
                             " load_before, load_after) VALUES (?, ?, ?, '', ?, ?, NULL)",
                             &q, err));
    pm_store__bind_int(&q, sitting->run_id);
    pm_store__bind_int(&q, *number);
    pm_store__bind_text(&q, sitting->started);
    pm_store__bind_text(&q, sitting->machine);
    pm_store__bind_real(&q, sitting->load_before);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_finish_sitting(struct pm_store *store, const struct pm_sitting_row *sitting,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE sitting SET finished = ?, load_after = ?,"
                             " peak_memory = ?, peak_scratch = ?"
                             " WHERE run_id = ? AND number = ?",
                             &q, err));
    pm_store__bind_text(&q, sitting->finished);
    pm_store__bind_real(&q, sitting->load_after);
    pm_store__bind_int(&q, sitting->peak_memory);
    pm_store__bind_int(&q, sitting->peak_scratch);
    pm_store__bind_int(&q, sitting->run_id);
    pm_store__bind_int(&q, sitting->number);
    return pm_store__run_one(&q, "sitting", sitting->number, err);
}

static void read_sitting(struct pm_store__query *q, struct pm_sitting_row *sitting)
{
    sitting->run_id = pm_store__row(q, "sitting of run");
    sitting->number = pm_store__id(q);
    sitting->started = pm_store__time(q, PM_STORE__NEEDED);
    sitting->finished = pm_store__time(q, PM_STORE__MAY_LACK);
    sitting->machine = pm_store__json(q, PM_STORE__NEEDED);
    sitting->load_before = pm_store__real(q, 0, INFINITY);
    sitting->load_after = pm_store__real(q, 0, INFINITY);
    sitting->peak_memory = pm_store__whole(q, 0, INT64_MAX);
    sitting->peak_scratch = pm_store__whole(q, 0, INT64_MAX);
}

int pm_store_sittings(struct pm_store *store, int64_t run_id, pm_sitting_fn *row, void *ctx,
                      struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT run_id, number, started, finished,"
                             " machine, load_before, load_after, peak_memory, peak_scratch"
                             " FROM sitting WHERE run_id = ? ORDER BY number",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_sitting_row, read_sitting, row, ctx, err);
}

int pm_store_run_spent(struct pm_store *store, int64_t run_id, uint64_t *out, struct pm_error *err)
{
    struct pm_store__query q;
    *out = 0;
    PM_TRY(pm_store__prepare(store,
                             "SELECT coalesce(sum(max(0.0, julianday(finished) -"
                             " julianday(started))), 0.0) AS days FROM sitting"
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

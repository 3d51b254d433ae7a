#include <string.h>

#include "base/alloc.h"
#include "store/store_private.h"

int pm_store_add_run(struct pm_store *store, const struct pm_run_row *run, int64_t *id,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO run (uuid, started, finished, state, options, machine,"
                             " suite_digest, seed, validity, validity_reason, sample_id)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_text(&q, run->uuid);
    pm_store__bind_text(&q, run->started);
    pm_store__bind_text(&q, run->finished);
    pm_store__bind_text(&q, run->state);
    pm_store__bind_text(&q, run->options);
    pm_store__bind_text(&q, run->machine);
    pm_store__bind_text(&q, run->suite_digest);
    pm_store__bind_int(&q, run->seed);
    pm_store__bind_text(&q, run->validity);
    pm_store__bind_text(&q, run->validity_reason);
    pm_store__bind_id(&q, run->sample_id);
    return pm_store__run(&q, id, NULL, err);
}

int pm_store_update_run(struct pm_store *store, const struct pm_run_row *run, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE run SET state = ifnull(?, state),"
                             " finished = ifnull(?, finished), options = ifnull(?, options),"
                             " machine = ifnull(?, machine), validity = ifnull(?, validity),"
                             " validity_reason = ifnull(?, validity_reason) WHERE id = ?",
                             &q, err));
    pm_store__bind_change(&q, run->state);
    pm_store__bind_change(&q, run->finished);
    pm_store__bind_change(&q, run->options);
    pm_store__bind_change(&q, run->machine);
    pm_store__bind_change(&q, run->validity);
    pm_store__bind_change(&q, run->validity_reason);
    pm_store__bind_int(&q, run->id);
    int changed = 0;
    PM_TRY(pm_store__run(&q, NULL, &changed, err));
    return changed ? PM_OK
                   : pm_error_set(err, PM_ENOTFOUND, "no run %lld in '%s'", (long long)run->id,
                                  store->path);
}

int pm_store_runs(struct pm_store *store, pm_run_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT id, uuid, started, finished, state, options, machine,"
                             " suite_digest, seed, validity, validity_reason, sample_id"
                             " FROM run ORDER BY id",
                             &q, err));
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_run_row run;
        run.id = pm_store__int(&q);
        run.uuid = pm_store__text(&q);
        run.started = pm_store__text(&q);
        run.finished = pm_store__text(&q);
        run.state = pm_store__text(&q);
        run.options = pm_store__text(&q);
        run.machine = pm_store__text(&q);
        run.suite_digest = pm_store__text(&q);
        run.seed = pm_store__int(&q);
        run.validity = pm_store__text(&q);
        run.validity_reason = pm_store__text(&q);
        run.sample_id = pm_store__int(&q);
        run.latency_validity = run.validity;
        run.latency_validity_reason = run.validity_reason;
        run.kept = false;
        if ((rc = row(ctx, &run)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

int pm_store_run_progress(struct pm_store *store, int64_t run_id, struct pm_run_progress *out,
                          struct pm_error *err)
{
    struct pm_store__query q;
    *out = (struct pm_run_progress){0};
    PM_TRY(pm_store__prepare(store,
                             "SELECT count(*), coalesce(sum(state = 'done'), 0),"
                             " coalesce(sum(shared_note <> ''), 0) FROM execution WHERE run_id = ?",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    const int rc = pm_store__next(&q, err);
    if (rc > 0) {
        out->planned = pm_store__int(&q);
        out->done = pm_store__int(&q);
        out->shared_notes = pm_store__int(&q);
    }
    pm_store__close(&q);
    return rc < 0 ? rc : PM_OK;
}

int pm_store_add_target(struct pm_store *store, const struct pm_target_row *target, int64_t *id,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "INSERT INTO target (run_id, text, environment, framework, device,"
                          " mode, control, role, evidence, latencies, on_host, version, versions,"
                          " python, device_name, driver_version, numeric)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          &q, err));
    pm_store__bind_int(&q, target->run_id);
    pm_store__bind_text(&q, target->text);
    pm_store__bind_text(&q, target->environment);
    pm_store__bind_text(&q, target->framework);
    pm_store__bind_text(&q, target->device);
    pm_store__bind_text(&q, target->mode);
    pm_store__bind_text(&q, target->control);
    pm_store__bind_text(&q, target->role);
    pm_store__bind_text(&q, target->evidence);
    pm_store__bind_int(&q, target->latencies);
    pm_store__bind_int(&q, target->on_host);
    pm_store__bind_text(&q, target->version);
    pm_store__bind_text(&q, target->versions);
    pm_store__bind_text(&q, target->python);
    pm_store__bind_text(&q, target->device_name);
    pm_store__bind_text(&q, target->driver_version);
    pm_store__bind_text(&q, target->numeric);
    return pm_store__run(&q, id, NULL, err);
}

int pm_store_update_target(struct pm_store *store, const struct pm_target_row *target,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE target SET version = ifnull(?, version),"
                             " versions = ifnull(?, versions), python = ifnull(?, python),"
                             " device_name = ifnull(?, device_name),"
                             " driver_version = ifnull(?, driver_version),"
                             " numeric = ifnull(?, numeric) WHERE id = ?",
                             &q, err));
    pm_store__bind_change(&q, target->version);
    pm_store__bind_change(&q, target->versions);
    pm_store__bind_change(&q, target->python);
    pm_store__bind_change(&q, target->device_name);
    pm_store__bind_change(&q, target->driver_version);
    pm_store__bind_change(&q, target->numeric);
    pm_store__bind_int(&q, target->id);
    int changed = 0;
    PM_TRY(pm_store__run(&q, NULL, &changed, err));
    return changed ? PM_OK
                   : pm_error_set(err, PM_ENOTFOUND, "no target %lld in '%s'",
                                  (long long)target->id, store->path);
}

static void read_target(struct pm_store__query *q, struct pm_target_row *target)
{
    target->id = pm_store__int(q);
    target->run_id = pm_store__int(q);
    target->text = pm_store__text(q);
    target->environment = pm_store__text(q);
    target->framework = pm_store__text(q);
    target->device = pm_store__text(q);
    target->mode = pm_store__text(q);
    target->control = pm_store__text(q);
    target->role = pm_store__text(q);
    target->evidence = pm_store__text(q);
    target->latencies = pm_store__int(q) != 0;
    target->on_host = pm_store__int(q) != 0;
    target->version = pm_store__text(q);
    target->versions = pm_store__text(q);
    target->python = pm_store__text(q);
    target->device_name = pm_store__text(q);
    target->driver_version = pm_store__text(q);
    target->numeric = pm_store__text(q);
    target->judged = pm_store__int(q) != 0;
}

int pm_store_targets(struct pm_store *store, int64_t run_id, pm_target_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT id, run_id, text, environment, framework, device, mode,"
                             " control, role, evidence, latencies, on_host, version, versions,"
                             " python, device_name, driver_version, numeric,"
                             " EXISTS (SELECT 1 FROM execution e JOIN judgement j"
                             "  ON j.execution_id = e.id WHERE e.run_id = target.run_id"
                             "  AND e.target_id = target.id)"
                             " FROM target WHERE run_id = ? ORDER BY id",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_target_row target;
        read_target(&q, &target);
        if ((rc = row(ctx, &target)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

/* One line a field, so that no two definitions give one text. JSON holds no bare line end. */
static struct pm_digest digest_case(const struct pm_case_row *c)
{
    char *text = pm_format("%s\n%s\n%s\n%s\n%d %d\n%s", c->framework, c->function, c->name,
                           c->dtype, c->host_only, c->large, c->definition);
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)strlen(text)}};
    const struct pm_digest digest = pm_digest_of(PM_UINT8, &shape, text, strlen(text));
    free(text);
    return digest;
}

static int find_case(struct pm_store *store, const char *digest, int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT id FROM test_case WHERE digest = ?", &q, err));
    pm_store__bind_text(&q, digest);
    const int rc = pm_store__next(&q, err);
    *id = rc > 0 ? pm_store__int(&q) : 0;
    pm_store__close(&q);
    return rc < 0 ? rc : PM_OK;
}

int pm_store_add_case(struct pm_store *store, const struct pm_case_row *c, int64_t *id,
                      struct pm_error *err)
{
    const struct pm_digest digest = digest_case(c);
    PM_TRY(find_case(store, digest.hex, id, err));
    if (*id)
        return PM_OK;
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO test_case (digest, framework, function, name, dtype,"
                             " definition, host_only, large) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_text(&q, digest.hex);
    pm_store__bind_text(&q, c->framework);
    pm_store__bind_text(&q, c->function);
    pm_store__bind_text(&q, c->name);
    pm_store__bind_text(&q, c->dtype);
    pm_store__bind_text(&q, c->definition);
    pm_store__bind_int(&q, c->host_only);
    pm_store__bind_int(&q, c->large);
    return pm_store__run(&q, id, NULL, err);
}

int pm_store_remove_run(struct pm_store *store, int64_t id, struct pm_error *err)
{
    struct pm_store__query q;
#define DROP(sql)                                                                                  \
    PM_TRY(pm_store__prepare(store, sql, &q, err));                                                \
    pm_store__bind_int(&q, id);                                                                    \
    PM_TRY(pm_store__run(&q, NULL, NULL, err));
    DROP("DELETE FROM execution WHERE run_id = ?")
    DROP("DELETE FROM canary WHERE run_id = ?")
    DROP("DELETE FROM child WHERE run_id = ?")
    DROP("DELETE FROM target WHERE run_id = ?")
    DROP("DELETE FROM run WHERE id = ?")
    return PM_OK;
}

const char *pm_run_state_text(enum pm_run_state state)
{
    return (const char *[]){"running", "stopped", "done"}[state];
}

int pm_store_keep_run(struct pm_store *store, int64_t id, bool keep, struct pm_error *err)
{
    (void)store;
    (void)id;
    (void)keep;
    (void)err;
    return PM_OK;
}

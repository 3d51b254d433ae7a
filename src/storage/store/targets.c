/* Targets, and the cases that they run. */
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "store/judged.h"
#include "store/store_private.h"
#include "store/targets.h"
#include "store/word.h"

static int add_interpreter(struct pm_store *store, int64_t target_id, const char *path,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "INSERT INTO interpreter (target_id, path) VALUES (?, ?)", &q,
                             err));
    pm_store__bind_int(&q, target_id);
    pm_store__bind_text(&q, path);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_add_target(struct pm_store *store, const struct pm_target_row *target, int64_t *id,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "INSERT INTO target (run_id, text, environment, framework, device,"
        " mode, reference, role, evidence, latencies, on_host, hides_fallbacks, version, versions,"
        " python, device_name, driver_version, numeric)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &q, err));
    pm_store__bind_int(&q, target->run_id);
    pm_store__bind_text(&q, target->text);
    pm_store__bind_text(&q, target->environment);
    pm_store__bind_text(&q, target->framework);
    pm_store__bind_text(&q, target->device);
    pm_store__bind_text(&q, target->mode);
    pm_store__bind_text(&q, target->reference);
    pm_store__bind_text(&q, pm_role_text(target->role));
    pm_store__bind_text(&q, pm_evidence_text(target->evidence));
    pm_store__bind_int(&q, target->latencies);
    pm_store__bind_int(&q, target->on_host);
    pm_store__bind_int(&q, target->hides_fallbacks);
    pm_store__bind_text(&q, target->version);
    pm_store__bind_text(&q, target->versions);
    pm_store__bind_text(&q, target->python);
    pm_store__bind_message(&q, target->device_name);
    pm_store__bind_text(&q, target->driver_version);
    pm_store__bind_text(&q, target->numeric);
    PM_TRY(pm_store__run(&q, id, NULL, err));
    return target->interpreter && *target->interpreter
               ? add_interpreter(store, *id, target->interpreter, err)
               : PM_OK;
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
    pm_store__bind_message_change(&q, target->device_name);
    pm_store__bind_change(&q, target->driver_version);
    pm_store__bind_change(&q, target->numeric);
    pm_store__bind_int(&q, target->id);
    return pm_store__run_one(&q, "target", target->id, err);
}

static void read_target(struct pm_store__query *q, struct pm_target_row *target)
{
    target->id = pm_store__row(q, "target");
    target->run_id = pm_store__id(q);
    target->text = pm_store__line(q);
    target->environment = pm_store__line(q);
    target->framework = pm_store__line(q);
    target->device = pm_store__line(q);
    target->mode = pm_store__line(q);
    target->reference = pm_store__line(q);
    target->role = PM_STORE__WORD(q, role);
    target->evidence = PM_STORE__WORD(q, evidence);
    target->latencies = pm_store__flag(q);
    target->on_host = pm_store__flag(q);
    target->hides_fallbacks = pm_store__flag(q);
    target->version = pm_store__line(q);
    target->versions = pm_store__json(q, PM_STORE__MAY_LACK);
    target->python = pm_store__line(q);
    target->interpreter = pm_store__line(q);
    target->device_name = pm_store__line(q);
    target->driver_version = pm_store__line(q);
    target->numeric = pm_store__json(q, PM_STORE__MAY_LACK);
    target->judged = pm_store__flag(q);
}

int pm_store_targets(struct pm_store *store, int64_t run_id, pm_target_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "SELECT id, run_id, text, environment, framework, device, mode, reference, role, evidence,"
        " latencies, on_host, hides_fallbacks, version, versions, python,"
        " iif(target.id IN (SELECT target_id FROM interpreter),"
        " (SELECT path FROM interpreter WHERE target_id = target.id), '') AS path,"
        " device_name,"
        " driver_version, numeric,"
        " EXISTS (SELECT 1 FROM execution e JOIN judgement j ON j.execution_id = e.id"
        "  WHERE e.run_id = target.run_id AND e.target_id = target.id)"
        " FROM target WHERE run_id = ? ORDER BY id",
        &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_target_row, read_target, row, ctx, err);
}

/* One line a field, so that no two definitions give one text. JSON holds no bare line end. */
static struct pm_digest digest_case(const struct pm_case_row *c)
{
    char *text = pm_format("%s\n%s\n%s\n%s\n%d %d\n%s", c->framework, c->function, c->name,
                           c->dtype, c->host_only, c->size == PM_SIZE_LARGE, c->definition);
    const struct pm_digest digest = pm_digest_bytes(text, strlen(text));
    free(text);
    return digest;
}

static int find_case(struct pm_store *store, const char *digest, int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT id FROM test_case WHERE digest = ?", &q, err));
    pm_store__bind_text(&q, digest);
    const int rc = pm_store__next(&q, err);
    pm_store__about(&q, "test_case");
    *id = rc > 0 ? pm_store__id(&q) : 0;
    const int sound = pm_store__sound(&q, err);
    pm_store__close(&q);
    return rc < 0 ? rc : sound;
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
    pm_store__bind_int(&q, c->size == PM_SIZE_LARGE);
    return pm_store__run(&q, id, NULL, err);
}

static void read_case_name(struct pm_store__query *q, struct pm_case_name_row *c)
{
    c->id = pm_store__row(q, "test_case");
    c->function = pm_store__line(q);
    c->name = pm_store__line(q);
    c->dtype = pm_store__line(q);
    c->size = pm_store__flag(q) ? PM_SIZE_LARGE : PM_SIZE_SMALL;
}

int pm_store_case_names(struct pm_store *store, pm_case_name_fn *row, void *ctx,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store, "SELECT id, function, name, dtype, large FROM test_case ORDER BY id", &q, err));
    PM_STORE__GIVE_ROWS(&q, struct pm_case_name_row, read_case_name, row, ctx, err);
}

/* Stores targets, and the cases that they run. */
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "store/description.h"
#include "store/judged.h"
#include "store/targets.h"

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

static const struct pm_store__column target_columns[] = {
    {"id", PM_STORE__NAMING(target, id, "target"), PM_STORE__GIVEN},
    {"run_id", PM_STORE__ID(target, run_id)},
    {"text", PM_STORE__LINE(target, text)},
    {"environment", PM_STORE__LINE(target, environment)},
    {"framework", PM_STORE__LINE(target, framework)},
    {"device", PM_STORE__LINE(target, device)},
    {"variant", PM_STORE__LINE(target, variant)},
    {"reference", PM_STORE__LINE(target, reference)},
    {"role", PM_STORE__WORD(target, role, role)},
    {"evidence", PM_STORE__WORD(target, evidence, evidence)},
    {"latencies", PM_STORE__FLAG(target, latencies)},
    {"on_host", PM_STORE__FLAG(target, on_host)},
    {"hides_fallbacks", PM_STORE__FLAG(target, hides_fallbacks)},
    {"imports", PM_STORE__LINE(target, imports)},
    {"version", PM_STORE__LINE(target, version), PM_STORE__KEEPS},
    {"versions", PM_STORE__JSON(target, versions), PM_STORE__KEEPS | PM_STORE__EMPTY},
    {"python", PM_STORE__LINE(target, python), PM_STORE__KEEPS},
    {"iif(target.id IN (SELECT target_id FROM interpreter),"
     " (SELECT path FROM interpreter WHERE target_id = target.id), '') AS path",
     PM_STORE__LINE(target, interpreter), PM_STORE__GIVEN},
    {"device_name", PM_STORE__LINE(target, device_name), PM_STORE__KEEPS | PM_STORE__HIDDEN},
    {"driver_version", PM_STORE__LINE(target, driver_version), PM_STORE__KEEPS},
    {"numeric", PM_STORE__JSON(target, numeric), PM_STORE__KEEPS | PM_STORE__EMPTY},
    {"EXISTS (SELECT 1 FROM execution e JOIN judgement j ON j.execution_id = e.id"
     "  WHERE e.run_id = target.run_id AND e.target_id = target.id)",
     PM_STORE__FLAG(target, judged), PM_STORE__GIVEN},
};
static const struct pm_store__rows targets = PM_STORE__ROWS("target", "target", target_columns);

int pm_store_add_target(struct pm_store *store, const struct pm_target_row *target, int64_t *id,
                        struct pm_error *err)
{
    PM_TRY(pm_store__add(store, &targets, target, id, err));
    return target->interpreter && *target->interpreter
               ? add_interpreter(store, *id, target->interpreter, err)
               : PM_OK;
}

int pm_store_update_target(struct pm_store *store, const struct pm_target_row *target,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__change(store, &targets, target, " WHERE id = ?", &q, err));
    pm_store__bind_int(&q, target->id);
    return pm_store__run_one(&q, "target", target->id, err);
}

int pm_store_targets(struct pm_store *store, int64_t run_id, pm_target_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &targets, " WHERE run_id = ? ORDER BY id", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &targets, struct pm_target_row, row, ctx, err);
}

/* ---- cases --------------------------------------------------------------------------------- */

/* The stored form of a case: with the digest by which it is found. */
struct pm_stored_case_row {
    struct pm_case_row of;
    const char *digest;
};

static const struct pm_store__column case_columns[] = {
    {"digest", PM_STORE__DIGEST(stored_case, digest)},
    {"framework", PM_STORE__LINE(stored_case, of.framework)},
    {"function", PM_STORE__LINE(stored_case, of.function)},
    {"name", PM_STORE__LINE(stored_case, of.name)},
    {"dtype", PM_STORE__LINE(stored_case, of.dtype)},
    {"definition", PM_STORE__JSON(stored_case, of.definition)},
    {"host_only", PM_STORE__FLAG(stored_case, of.host_only)},
    {"large", PM_STORE__LARGE(stored_case, of.size)},
    {"kind", PM_STORE__WORD(stored_case, of.kind, case_kind)},
};
static const struct pm_store__rows cases = PM_STORE__ROWS("test_case", NULL, case_columns);

/* Computes the digest of a text with one line per field, so that different cases have different
 * texts. The JSON of a definition contains no line end. */
static struct pm_digest digest_case(const struct pm_case_row *c)
{
    char *text = pm_format("%s\n%s\n%s\n%s\n%d %d %s\n%s", c->framework, c->function, c->name,
                           c->dtype, c->host_only, c->size == PM_SIZE_LARGE,
                           pm_case_kind_text(c->kind), c->definition);
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
    const struct pm_stored_case_row stored = {.of = *c, .digest = digest.hex};
    return pm_store__add(store, &cases, &stored, id, err);
}

static const struct pm_store__column case_name_columns[] = {
    {"id", PM_STORE__NAMING(case_name, id, "test_case")},
    {"function", PM_STORE__LINE(case_name, function)},
    {"name", PM_STORE__LINE(case_name, name)},
    {"dtype", PM_STORE__LINE(case_name, dtype)},
    {"large", PM_STORE__LARGE(case_name, size)},
    {"kind", PM_STORE__WORD(case_name, kind, case_kind)},
    {PM_STORE__WITH_KEY("tier", "coalesce(json_extract(definition, '$.tier'), 'reviewed')",
                        "'reviewed'"),
     PM_STORE__WORD(case_name, tier, tier)},
    {PM_STORE__HAS_KEY("no_values"), PM_STORE__FLAG(case_name, no_values)},
    {PM_STORE__WITH_KEY("across", "coalesce(json_extract(definition, '$.across'), '')", "''"),
     PM_STORE__LINE(case_name, across)},
};
static const struct pm_store__rows case_names =
    PM_STORE__ROWS(NULL, "test_case", case_name_columns);

int pm_store_case_names(struct pm_store *store, pm_case_name_fn *row, void *ctx,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &case_names, " ORDER BY id", &q, err));
    PM_STORE__GIVE_ROWS(&q, &case_names, struct pm_case_name_row, row, ctx, err);
}

static const struct pm_store__column measured_kind_columns[] = {
    {"c.id", PM_STORE__NAME_ONLY("test_case")},
    {"c.framework", PM_STORE__LINE(measured_kind, framework)},
    {"c.function", PM_STORE__LINE(measured_kind, function)},
    {"c.name", PM_STORE__LINE(measured_kind, name)},
    {"c.kind", PM_STORE__WORD(measured_kind, kind, case_kind)},
};
static const struct pm_store__rows measured_kinds =
    PM_STORE__ROWS(NULL, "test_case c", measured_kind_columns);

int pm_store_measured_kinds(struct pm_store *store, pm_measured_kind_fn *row, void *ctx,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(
        store, &measured_kinds,
        " WHERE c.id IN (SELECT case_id FROM execution WHERE state = 'done') ORDER BY c.id", &q,
        err));
    PM_STORE__GIVE_ROWS(&q, &measured_kinds, struct pm_measured_kind_row, row, ctx, err);
}

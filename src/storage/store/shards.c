/* Stores the shards of runs and of scans. */
#include "store/shards.h"

#include <endian.h>
#include <string.h>

#include "base/alloc.h"
#include "base/shard.h"
#include "store/description.h"

static const struct pm_store__column shard_columns[] = {
    {"run_id", PM_STORE__NAMING(shard, run_id, "shard of run")},
    {"number", PM_STORE__WHOLE(shard, number, 1, PM_MOST_SHARDS)},
    {"count", PM_STORE__WHOLE(shard, count, 1, PM_MOST_SHARDS)},
    {"plan", PM_STORE__DIGEST(shard, plan)},
    {"uuid", PM_STORE__DIGEST(shard, uuid)},
    {"total", PM_STORE__COUNT(shard, total)},
    {"functions", PM_STORE__PART(shard, functions, total)},
    {"command", PM_STORE__LINE(shard, command), PM_STORE__HIDDEN},
    {"reason", PM_STORE__LINE(shard, reason), PM_STORE__HIDDEN},
    {"latency_reason", PM_STORE__LINE(shard, latency_reason), PM_STORE__HIDDEN},
};
static const struct pm_store__rows shards =
    PM_STORE__REPLACING_ROWS("shard", "shard", shard_columns);

int pm_store_set_shard(struct pm_store *store, const struct pm_shard_row *row, struct pm_error *err)
{
    return pm_store__add(store, &shards, row, NULL, err);
}

int pm_store_shards(struct pm_store *store, int64_t run_id, pm_shard_fn *row, void *ctx,
                    struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &shards, " WHERE ?1 IN (0, run_id) ORDER BY run_id, number", &q,
                            err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &shards, struct pm_shard_row, row, ctx, err);
}

/* ---- shards of scans ------------------------------------------------------------------------- */

static const struct pm_store__column scan_shard_columns[] = {
    {"scan_id", PM_STORE__NAMING(scan_shard, scan_id, "shard of scan")},
    {"number", PM_STORE__WHOLE(scan_shard, number, 1, PM_MOST_SHARDS)},
    {"count", PM_STORE__WHOLE(scan_shard, count, 1, PM_MOST_SHARDS)},
    {"plan", PM_STORE__DIGEST(scan_shard, plan)},
    {"inputs", PM_STORE__DIGEST(scan_shard, inputs)},
    {"uuid", PM_STORE__DIGEST(scan_shard, uuid)},
    {"total", PM_STORE__COUNT(scan_shard, total)},
    {"projects", PM_STORE__PART(scan_shard, projects, total)},
    {"command", PM_STORE__LINE(scan_shard, command), PM_STORE__HIDDEN},
};
static const struct pm_store__rows scan_shards =
    PM_STORE__ROWS("scan_shard", "scan_shard", scan_shard_columns);

int pm_store_add_scan_shard(struct pm_store *store, const struct pm_scan_shard_row *row,
                            struct pm_error *err)
{
    return pm_store__add(store, &scan_shards, row, NULL, err);
}

int pm_store_scan_shards(struct pm_store *store, int64_t scan_id, pm_scan_shard_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &scan_shards,
                            " WHERE ?1 IN (0, scan_id) ORDER BY scan_id, number", &q, err));
    pm_store__bind_int(&q, scan_id);
    PM_STORE__GIVE_ROWS(&q, &scan_shards, struct pm_scan_shard_row, row, ctx, err);
}

/* ---- repositories ---------------------------------------------------------------------------- */

struct pm_scan_repositories_row {
    int64_t scan_id, number;
    const char *framework;
    enum pm_rule rule;
    struct pm_store__packed digests;
};

static const struct pm_store__column repositories_columns[] = {
    {"scan_id", PM_STORE__NAMING(scan_repositories, scan_id, "repositories of scan")},
    {"number", PM_STORE__WHOLE(scan_repositories, number, 1, PM_MOST_SHARDS)},
    {"framework", PM_STORE__LINE(scan_repositories, framework)},
    {"rule", PM_STORE__WORD(scan_repositories, rule, rule)},
    {"digests", PM_STORE__BYTES(scan_repositories, digests)},
};
static const struct pm_store__rows repositories =
    PM_STORE__ROWS("scan_repository", "scan_repository", repositories_columns);

static void add_number(struct pm_str *out, size_t number)
{
    const uint32_t stored = htole32((uint32_t)number);
    pm_str_add_bytes(out, &stored, sizeof stored);
}

void pm_store_pack_repositories(struct pm_str *out, const struct pm_name_repositories_row *row)
{
    add_number(out, strlen(row->name));
    pm_str_add(out, row->name);
    add_number(out, row->count);
    for (size_t i = 0; i < row->count; i++) {
        const uint64_t stored = htole64(row->digests[i]);
        pm_str_add_bytes(out, &stored, sizeof stored);
    }
}

int pm_store_add_scan_repositories(struct pm_store *store, int64_t scan_id, int64_t number,
                                   const char *framework, enum pm_rule rule,
                                   const struct pm_str *packed, struct pm_error *err)
{
    const struct pm_scan_repositories_row row = {.scan_id = scan_id,
                                                 .number = number,
                                                 .framework = framework,
                                                 .rule = rule,
                                                 .digests = {packed->data, packed->length}};
    return pm_store__add(store, &repositories, &row, NULL, err);
}

/* The bytes that are still to be read. */
struct rest {
    const unsigned char *at;
    size_t left;
};

/* Returns the next `bytes` bytes; NULL if fewer are left. */
static const unsigned char *take(struct rest *rest, size_t bytes)
{
    const unsigned char *at = rest->at;
    if (bytes > rest->left)
        return NULL;
    rest->at += bytes;
    rest->left -= bytes;
    return at;
}

static bool take_number(struct rest *rest, size_t *out)
{
    uint32_t stored;
    const unsigned char *at = take(rest, sizeof stored);
    if (!at)
        return false;
    memcpy(&stored, at, sizeof stored);
    *out = le32toh(stored);
    return true;
}

/* Reads a name and its digests, which the caller frees; false if they are incomplete. */
static bool take_name(struct rest *rest, struct pm_name_repositories_row *out)
{
    size_t length;
    const unsigned char *name = take_number(rest, &length) ? take(rest, length) : NULL;
    const bool counted = name && take_number(rest, &out->count);
    const unsigned char *digests = counted ? take(rest, out->count * sizeof *out->digests) : NULL;
    out->name = NULL;
    out->digests = NULL;
    if (!digests)
        return false;
    out->name = pm_strndup((const char *)name, length);
    out->digests = pm_alloc(out->count * sizeof *out->digests);
    for (size_t i = 0; i < out->count; i++) {
        uint64_t stored;
        memcpy(&stored, digests + i * sizeof stored, sizeof stored);
        out->digests[i] = le64toh(stored);
    }
    return true;
}

static int give_names(const struct pm_store__query *q, const struct pm_scan_repositories_row *row,
                      pm_name_repositories_fn *give, void *ctx, struct pm_error *err)
{
    struct rest rest = {row->digests.bytes, row->digests.size};
    int rc = PM_OK;
    while (!rc && rest.left > 0) {
        struct pm_name_repositories_row name = {
            .scan_id = row->scan_id, .framework = row->framework, .rule = row->rule};
        rc = take_name(&rest, &name)
                 ? give(ctx, &name)
                 : pm_store_damaged(q->store, err,
                                    "the repositories of scan %lld, shard %lld are truncated",
                                    (long long)row->scan_id, (long long)row->number);
        free((char *)(uintptr_t)name.name);
        free(name.digests);
    }
    return rc;
}

int pm_store_scan_repositories(struct pm_store *store, int64_t scan_id,
                               pm_name_repositories_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &repositories,
                            " WHERE scan_id = ? ORDER BY framework, rule, number", &q, err));
    pm_store__bind_int(&q, scan_id);
    struct pm_scan_repositories_row at = {0};
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        pm_store__read(&q, &repositories, &at);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = give_names(&q, &at, row, ctx, err)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

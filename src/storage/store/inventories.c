/* Inventories: the public names of a framework, compressed. */
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "store/scans.h"
#include "store/store_private.h"

/* One line a field, so that no two inventories give one text. */
static struct pm_digest digest_inventory(const struct pm_inventory_row *row)
{
    char *text = pm_format("%s\n%s\n%d\n%s", row->framework, row->version ? row->version : "",
                           row->flat, row->document);
    const struct pm_digest digest = pm_digest_bytes(text, strlen(text));
    free(text);
    return digest;
}

/* Makes the row with that digest the newest; *id is 0 if there is no such row. */
static int renew(struct pm_store *store, const struct pm_inventory_row *row, const char *digest,
                 int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT id FROM inventory WHERE digest = ?", &q, err));
    pm_store__bind_text(&q, digest);
    const int rc = pm_store__next(&q, err);
    pm_store__about(&q, "inventory");
    *id = rc > 0 ? pm_store__id(&q) : 0;
    const int sound = pm_store__sound(&q, err);
    pm_store__close(&q);
    if (rc <= 0 || sound)
        return rc < 0 ? rc : sound;
    PM_TRY(pm_store__prepare(
        store, "UPDATE inventory SET environment = ?, recorded = ? WHERE id = ?", &q, err));
    pm_store__bind_text(&q, row->environment);
    pm_store__bind_text(&q, row->recorded);
    pm_store__bind_int(&q, *id);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_add_inventory(struct pm_store *store, const struct pm_inventory_row *row, int64_t *id,
                           struct pm_error *err)
{
    const struct pm_digest digest = digest_inventory(row);
    PM_TRY(renew(store, row, digest.hex, id, err));
    if (*id)
        return PM_OK;
    const size_t length = strlen(row->document);
    size_t packed;
    PM_TRY(pm_store__pack(store, row->document, length, &packed, err));
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO inventory (digest, framework, version, environment,"
                             " flat, recorded, length, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_text(&q, digest.hex);
    pm_store__bind_text(&q, row->framework);
    pm_store__bind_text(&q, row->version);
    pm_store__bind_text(&q, row->environment);
    pm_store__bind_int(&q, row->flat);
    pm_store__bind_text(&q, row->recorded);
    pm_store__bind_int(&q, (int64_t)length);
    pm_store__bind_bytes(&q, store->packed, packed);
    return pm_store__run(&q, id, NULL, err);
}

/* Reads the row up to its document, which the caller frees. */
static int read_inventory(struct pm_store__query *q, struct pm_inventory_row *row, char **document,
                          struct pm_error *err)
{
    row->id = pm_store__row(q, "inventory");
    row->framework = pm_store__line(q);
    row->version = pm_store__line(q);
    row->environment = pm_store__line(q);
    row->flat = pm_store__flag(q);
    row->recorded = pm_store__time(q, PM_STORE__NEEDED);
    const size_t length = (size_t)pm_store__whole(q, 0, (int64_t)PM_STORE__MOST_TEXT);
    size_t size;
    const void *packed = pm_store__bytes(q, &size);
    *document = NULL;
    PM_TRY(pm_store__sound(q, err));
    row->document = *document = pm_store__unpack(packed, size, length, PM_STORE__MOST_TEXT);
    return *document ? PM_OK
                     : pm_store_damaged(q->store, err,
                                        "row 'inventory %lld' cannot be unpacked to %zu bytes",
                                        (long long)row->id, length);
}

int pm_store_inventories(struct pm_store *store, const char *framework, pm_inventory_fn *row,
                         void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT id, framework, version, environment, flat, recorded, length,"
                             " document FROM inventory WHERE ?1 IS NULL OR framework = ?1"
                             " ORDER BY recorded DESC, id DESC",
                             &q, err));
    pm_store__bind_change(&q, framework);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_inventory_row inventory;
        char *document;
        rc = read_inventory(&q, &inventory, &document, err);
        if (rc == 0)
            rc = row(ctx, &inventory);
        free(document);
        if (rc != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

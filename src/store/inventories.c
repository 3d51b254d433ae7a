#include <string.h>

#include "base/alloc.h"
#include "store/store_private.h"

enum { MOST_DOCUMENT = 1 << 28 }; /* bytes; TensorFlow's is 2 MB */

/* One line a field, so that no two inventories give one text. */
static struct pm_digest digest_inventory(const struct pm_inventory_row *row)
{
    char *text = pm_format("%s\n%s\n%d\n%s", row->framework, row->version ? row->version : "",
                           row->flat, row->document);
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)strlen(text)}};
    const struct pm_digest digest = pm_digest_of(PM_UINT8, &shape, text, strlen(text));
    free(text);
    return digest;
}

/* Makes the row with that digest the newest; *id 0 where there is none. */
static int renew(struct pm_store *store, const struct pm_inventory_row *row, const char *digest,
                 int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT id FROM inventory WHERE digest = ?", &q, err));
    pm_store__bind_text(&q, digest);
    const int rc = pm_store__next(&q, err);
    *id = rc > 0 ? pm_store__int(&q) : 0;
    pm_store__close(&q);
    if (rc <= 0)
        return rc;
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
    row->id = pm_store__int(q);
    row->framework = pm_store__text(q);
    row->version = pm_store__text(q);
    row->environment = pm_store__text(q);
    row->flat = pm_store__int(q) != 0;
    row->recorded = pm_store__text(q);
    const size_t length = (size_t)pm_store__int(q);
    size_t size;
    const void *packed = pm_store__bytes(q, &size);
    row->document = *document = pm_store__unpack(packed, size, length, MOST_DOCUMENT);
    return *document ? PM_OK
                     : pm_error_set(err, PM_EFORMAT, "damaged database: '%s' (inventory %lld)",
                                    q->store->path, (long long)row->id);
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

/* Stores inventories, the public names of a framework, compressed. */
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "store/description.h"
#include "store/scans.h"

/* The stored form of an inventory: with the digest by which it is found, and its document
 * compressed. */
struct pm_stored_inventory_row {
    struct pm_inventory_row of;
    const char *digest;
    int64_t length; /* length of the document */
    struct pm_store__packed document;
};

static const struct pm_store__column inventory_columns[] = {
    {"id", PM_STORE__NAMING(stored_inventory, of.id, "inventory"), PM_STORE__GIVEN},
    {"digest", PM_STORE__DIGEST(stored_inventory, digest)},
    {"framework", PM_STORE__LINE(stored_inventory, of.framework)},
    {"version", PM_STORE__LINE(stored_inventory, of.version)},
    {"environment", PM_STORE__LINE(stored_inventory, of.environment), PM_STORE__CHANGES},
    {"flat", PM_STORE__FLAG(stored_inventory, of.flat)},
    {"recorded", PM_STORE__TIME(stored_inventory, of.recorded), PM_STORE__CHANGES},
    {"length", PM_STORE__WHOLE(stored_inventory, length, 0, (int64_t)PM_STORE__MOST_TEXT)},
    {"document", PM_STORE__BYTES(stored_inventory, document)},
};
static const struct pm_store__rows inventories =
    PM_STORE__ROWS("inventory", "inventory", inventory_columns);
/* All columns except the last one, the document. */
static const struct pm_store__rows heads = {
    .from = "inventory",
    .columns = inventory_columns,
    .count = sizeof inventory_columns / sizeof *inventory_columns - 1,
};

/* Computes a digest of one line per field, so that different inventories have different texts. */
static struct pm_digest digest_inventory(const struct pm_inventory_row *row)
{
    char *text = pm_format("%s\n%s\n%d\n%s", row->framework, row->version ? row->version : "",
                           row->flat, row->document);
    const struct pm_digest digest = pm_digest_bytes(text, strlen(text));
    free(text);
    return digest;
}

/* Finds the row with a digest; *id is 0 if there is none. */
static int find_digest(struct pm_store *store, const char *digest, int64_t *id,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT id FROM inventory WHERE digest = ?", &q, err));
    pm_store__bind_text(&q, digest);
    const int rc = pm_store__next(&q, err);
    pm_store__about(&q, "inventory");
    *id = rc > 0 ? pm_store__id(&q) : 0;
    const int sound = pm_store__sound(&q, err);
    pm_store__close(&q);
    return rc < 0 ? rc : sound;
}

/* Makes the row with a digest the newest, and stores its id in *id; 0: there is no such row. */
static int renew(struct pm_store *store, const struct pm_inventory_row *row, const char *digest,
                 int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(find_digest(store, digest, id, err));
    if (!*id)
        return PM_OK;
    const struct pm_stored_inventory_row stored = {.of = *row};
    PM_TRY(pm_store__change(store, &inventories, &stored, " WHERE id = ?", &q, err));
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
    PM_TRY(pm_store__pack(store, row->document, length, err));
    const struct pm_stored_inventory_row stored = {
        .of = *row,
        .digest = digest.hex,
        .length = (int64_t)length,
        .document = {store->packer.bytes, store->packer.size}};
    return pm_store__add(store, &inventories, &stored, id, err);
}

/* Reads the row; the caller frees its document. */
static int read_inventory(struct pm_store__query *q, struct pm_inventory_row *row, char **document,
                          struct pm_error *err)
{
    struct pm_stored_inventory_row stored;
    pm_store__read(q, &inventories, &stored);
    *document = NULL;
    PM_TRY(pm_store__sound(q, err));
    *row = stored.of;
    row->digest = stored.digest;
    row->document = *document = pm_store__unpack(stored.document.bytes, stored.document.size,
                                                 (size_t)stored.length, PM_STORE__MOST_TEXT);
    return *document ? PM_OK
                     : pm_store_damaged(q->store, err,
                                        "row 'inventory %lld' cannot be unpacked to %lld bytes",
                                        (long long)row->id, (long long)stored.length);
}

/* Passes each row of the query, with its document, to `row`, and closes the query. */
static int give_inventories(struct pm_store__query *q, pm_inventory_fn *row, void *ctx,
                            struct pm_error *err)
{
    int rc;
    while ((rc = pm_store__next(q, err)) > 0) {
        struct pm_inventory_row inventory;
        char *document;
        rc = read_inventory(q, &inventory, &document, err);
        if (rc == 0)
            rc = row(ctx, &inventory);
        free(document);
        if (rc != 0)
            break;
    }
    pm_store__close(q);
    return rc;
}

#define OF_FRAMEWORK " WHERE ?1 IS NULL OR framework = ?1 ORDER BY recorded DESC, id DESC"

int pm_store_inventories(struct pm_store *store, const char *framework, pm_inventory_fn *row,
                         void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &inventories, OF_FRAMEWORK, &q, err));
    pm_store__bind_change(&q, framework);
    return give_inventories(&q, row, ctx, err);
}

int pm_store_inventory(struct pm_store *store, int64_t id, pm_inventory_fn *row, void *ctx,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &inventories, " WHERE id = ?", &q, err));
    pm_store__bind_int(&q, id);
    return give_inventories(&q, row, ctx, err);
}

int pm_store_inventory_list(struct pm_store *store, const char *framework, pm_inventory_fn *row,
                            void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &heads, OF_FRAMEWORK, &q, err));
    pm_store__bind_change(&q, framework);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_stored_inventory_row stored = {0};
        pm_store__read(&q, &heads, &stored);
        stored.of.digest = stored.digest;
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &stored.of)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

int pm_store_copy_inventory(struct pm_store *from, int64_t from_id, struct pm_store *into,
                            int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    struct pm_stored_inventory_row stored;
    PM_TRY(pm_store__select(from, &inventories, " WHERE id = ?", &q, err));
    pm_store__bind_int(&q, from_id);
    *id = 0;
    int rc = pm_store__next(&q, err);
    if (rc > 0) {
        pm_store__read(&q, &inventories, &stored);
        rc = pm_store__sound(&q, err);
        if (!rc)
            rc = find_digest(into, stored.digest, id, err);
        if (!rc && !*id)
            rc = pm_store__add(into, &inventories, &stored, id, err);
    }
    pm_store__close(&q);
    return rc;
}

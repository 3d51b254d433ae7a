/* Stores and loads inventories, and reads flat lists. */
#include "inventory/stored.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "store/scans.h"

void pm_stored_inventory_release(struct pm_stored_inventory *item)
{
    pm_inventory_release(&item->inventory);
    free(item->environment);
    *item = (struct pm_stored_inventory){0};
}

/* ---- the store ----------------------------------------------------------------------------- */

struct search {
    const struct pm_store *store;
    struct pm_stored_inventory *item;
    int64_t id; /* 0: the newest of the kind */
    bool flat;  /* the kind: flat lists or recorded inventories */
    struct pm_error *err;
};

enum { FOUND = 1 };

/* Replaces the error with an error about a damaged database. */
static int damaged(const struct search *s, int64_t id)
{
    const struct pm_error why = *s->err;
    return pm_store_damaged(s->store, s->err, "column 'document' of row 'inventory %lld': %s",
                            (long long)id, why.text);
}

static int take(void *ctx, const struct pm_inventory_row *row)
{
    struct search *s = ctx;
    const size_t length = strlen(row->document);
    const int rc = row->flat
                       ? pm_inventory_parse_flat(row->framework, row->document, length,
                                                 &s->item->inventory, s->err)
                       : pm_inventory_parse(row->document, length, &s->item->inventory, s->err);
    if (rc)
        return damaged(s, row->id);
    s->item->id = row->id;
    s->item->environment = pm_strdup(row->environment);
    return PM_OK;
}

static int choose(void *ctx, const struct pm_inventory_row *row)
{
    struct search *s = ctx;
    if (s->id ? row->id != s->id : row->flat != s->flat)
        return PM_OK;
    s->id = row->id;
    return FOUND;
}

/* Finds an inventory and loads it, without unpacking the documents of others. */
static int find(struct pm_store *store, const char *framework, struct search *search)
{
    *search->item = (struct pm_stored_inventory){0};
    search->store = store;
    const int rc = pm_store_inventory_list(store, framework, choose, search, search->err);
    return rc == FOUND ? pm_store_inventory(store, search->id, take, search, search->err) : rc;
}

int pm_stored_inventory_load(struct pm_store *store, const char *framework, int64_t id,
                             struct pm_stored_inventory *item, struct pm_error *err)
{
    return find(store, framework, &(struct search){.item = item, .id = id, .err = err});
}

int pm_stored_inventory_recorded(struct pm_store *store, const char *framework,
                                 struct pm_stored_inventory *item, struct pm_error *err)
{
    return find(store, framework, &(struct search){.item = item, .err = err});
}

/* Keeps the head of the best row: a recorded inventory is better than a flat list, and the newest
 * row of a kind, which comes first, is better than the others. */
static int keep_head(void *ctx, const struct pm_inventory_row *row)
{
    struct pm_stored_head *head = ctx;
    if (head->id && (row->flat || !head->flat))
        return PM_OK;
    pm_stored_head_release(head);
    *head = (struct pm_stored_head){.id = row->id,
                                    .flat = row->flat,
                                    .version = pm_strdup(row->version),
                                    .digest = pm_strdup(row->digest)};
    return PM_OK;
}

int pm_stored_inventory_choose(struct pm_store *store, const char *framework,
                               struct pm_stored_head *out, struct pm_error *err)
{
    *out = (struct pm_stored_head){0};
    return pm_store_inventory_list(store, framework, keep_head, out, err);
}

void pm_stored_head_release(struct pm_stored_head *head)
{
    free(head->version);
    free(head->digest);
    *head = (struct pm_stored_head){0};
}

int pm_stored_inventory_newest(struct pm_store *store, const char *framework,
                               struct pm_stored_inventory *item, struct pm_error *err)
{
    struct pm_stored_head head;
    *item = (struct pm_stored_inventory){0};
    int rc = pm_stored_inventory_choose(store, framework, &head, err);
    if (!rc && head.id)
        rc = pm_stored_inventory_load(store, framework, head.id, item, err);
    pm_stored_head_release(&head);
    return rc;
}

const char *pm_inventory_counted(const struct pm_inventory *inventory, const char *function)
{
    const struct pm_entry *entry =
        inventory->framework ? pm_inventory_find(inventory, function) : NULL;
    return entry ? entry->name : function;
}

int pm_stored_inventory_add(struct pm_store *store, const struct pm_inventory_row *row, int64_t *id,
                            struct pm_error *err)
{
    char now[25];
    pm_clock_iso(now);
    struct pm_inventory_row dated = *row;
    dated.recorded = now;
    PM_TRY(pm_store_begin(store, err));
    return pm_store_settle(store, pm_store_add_inventory(store, &dated, id, err), err);
}

/* ---- flat lists ---------------------------------------------------------------------------- */

int pm_inventory_read_flat(const char *framework, const char *path, struct pm_str *text,
                           struct pm_inventory *out, struct pm_error *err)
{
    const size_t before = text->length;
    PM_TRY(pm_file_read(path, text, err));
    struct pm_error why;
    const int rc =
        pm_inventory_parse_flat(framework, text->data + before, text->length - before, out, &why);
    return rc ? pm_error_set(err, rc,
                             "'%s': %s: write a JSON list of different names, [\"cat\", ...]", path,
                             why.text)
              : PM_OK;
}

int pm_stored_inventory_add_flat(struct pm_store *store, const char *framework, const char *text,
                                 int64_t *id, struct pm_error *err)
{
    const struct pm_inventory_row row = {.framework = framework, .flat = true, .document = text};
    return pm_stored_inventory_add(store, &row, id, err);
}

/* Where the uses of a scan are. */
#include "store/places.h"
#include "store/store_private.h"
#include "store/word.h"

#define MOST_PLACE_NUMBER UINT32_MAX

int pm_store_add_place_use(struct pm_store *store, const struct pm_place_use_row *row, int64_t *id,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO place_use (scan_id, framework, name, form, how)"
                             " VALUES (?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->scan_id);
    pm_store__bind_text(&q, row->framework);
    pm_store__bind_text(&q, row->name);
    pm_store__bind_text(&q, pm_resolve_form_text(row->form));
    pm_store__bind_text(&q, pm_resolve_how_text(row->how));
    return pm_store__run(&q, id, NULL, err);
}

int pm_store_add_place_file(struct pm_store *store, int64_t scan_id, const char *input,
                            int64_t record, int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store, "INSERT INTO place_file (scan_id, input, record) VALUES (?, ?, ?)", &q, err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_message(&q, input);
    pm_store__bind_int(&q, record);
    return pm_store__run(&q, id, NULL, err);
}

int pm_store_add_place_scope(struct pm_store *store, int64_t file_id, int64_t number,
                             const char *name, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store, "INSERT INTO place_scope (file_id, number, name) VALUES (?, ?, ?)", &q, err));
    pm_store__bind_int(&q, file_id);
    pm_store__bind_int(&q, number);
    pm_store__bind_text(&q, name);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_add_place_chain(struct pm_store *store, int64_t scan_id, const char *text, int64_t *id,
                             struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store, "INSERT INTO place_chain (scan_id, text) VALUES (?, ?)", &q, err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_message(&q, text);
    return pm_store__run(&q, id, NULL, err);
}

int pm_store_add_place(struct pm_store *store, const struct pm_place_ids *place,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "INSERT INTO place (file_id, cell, line, byte, use_id, scope, chain_id)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?)"
                          " ON CONFLICT (file_id, cell, line, byte, use_id) DO NOTHING",
                          &q, err));
    pm_store__bind_int(&q, place->file_id);
    pm_store__bind_int(&q, place->cell);
    pm_store__bind_int(&q, place->line);
    pm_store__bind_int(&q, place->column);
    pm_store__bind_int(&q, place->use_id);
    pm_store__bind_int(&q, place->scope);
    pm_store__bind_id(&q, place->chain_id);
    return pm_store__run(&q, NULL, NULL, err);
}

static int read_place(struct pm_store__query *q, struct pm_place_row *place, struct pm_error *err)
{
    place->file_id = pm_store__row(q, "use in file");
    place->cell = pm_store__whole(q, 0, MOST_PLACE_NUMBER);
    place->line = pm_store__whole(q, 1, MOST_PLACE_NUMBER);
    place->column = pm_store__whole(q, 1, MOST_PLACE_NUMBER);
    (void)pm_store__whole(q, 0, MOST_PLACE_NUMBER); /* the scope, whose name is joined */
    place->form = PM_STORE__WORD(q, resolve_form);
    place->how = PM_STORE__WORD(q, resolve_how);
    place->name = pm_store__line(q);
    place->input = pm_store__line(q);
    place->record = pm_store__count(q);
    place->inside = pm_store__line(q);
    place->chain = pm_store__line(q);
    return pm_store__sound(q, err);
}

/* The planner is not to begin at the names: a use has no index by what it is. */
int pm_store_places(struct pm_store *store, int64_t scan_id, const char *framework,
                    const char *name, pm_place_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "SELECT p.file_id, p.cell, p.line, p.byte, p.scope, u.form, u.how, u.name, f.input,"
        " f.record, iif(p.scope = 0, '', s.name) AS name, iif(p.chain_id IS NULL, '', c.text) AS "
        "text"
        " FROM place AS p"
        " CROSS JOIN place_use AS u ON u.id = p.use_id"
        " CROSS JOIN place_file AS f ON f.id = p.file_id"
        " LEFT JOIN place_scope AS s ON s.file_id = p.file_id AND s.number = p.scope"
        " LEFT JOIN place_chain AS c ON c.id = p.chain_id"
        " WHERE p.file_id >= (SELECT min(id) FROM place_file WHERE scan_id = ?1)"
        " AND p.file_id <= (SELECT max(id) FROM place_file WHERE scan_id = ?1)"
        " AND p.use_id IN (SELECT id FROM place_use WHERE scan_id = ?1 AND framework = ?2"
        " AND (?3 = '' OR name = ?3))"
        " ORDER BY p.file_id, p.cell, p.line, p.byte, p.use_id",
        &q, err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_text(&q, framework);
    pm_store__bind_text(&q, name);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_place_row place;
        if ((rc = read_place(&q, &place, err)) != 0 || (rc = row(ctx, &place)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

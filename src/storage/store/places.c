/* Stores and reads the places of the uses of a scan. */
#include "store/places.h"
#include "store/description.h"

#define MOST_PLACE_NUMBER UINT32_MAX

static const struct pm_store__column use_columns[] = {
    {"scan_id", PM_STORE__ID(place_use, scan_id)},
    {"framework", PM_STORE__LINE(place_use, framework)},
    {"name", PM_STORE__LINE(place_use, name)},
    {"form", PM_STORE__WORD(place_use, form, resolve_form)},
    {"how", PM_STORE__WORD(place_use, how, resolve_how)},
};
static const struct pm_store__rows uses = PM_STORE__ROWS("place_use", NULL, use_columns);

int pm_store_add_place_use(struct pm_store *store, const struct pm_place_use_row *row, int64_t *id,
                           struct pm_error *err)
{
    return pm_store__add(store, &uses, row, id, err);
}

int pm_store_add_place_file(struct pm_store *store, int64_t scan_id, const char *input,
                            int64_t record, int64_t number, int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store, "INSERT INTO place_file (scan_id, input, record, number) VALUES (?, ?, ?, ?)", &q,
        err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_message(&q, input);
    pm_store__bind_int(&q, record);
    pm_store__bind_int(&q, number);
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

static const struct pm_store__column place_columns[] = {
    {"p.file_id", PM_STORE__NAMING(place, file_id, "use in file")},
    {"p.cell", PM_STORE__WHOLE(place, cell, 0, MOST_PLACE_NUMBER)},
    {"p.line", PM_STORE__WHOLE(place, line, 1, MOST_PLACE_NUMBER)},
    {"p.byte", PM_STORE__WHOLE(place, column, 1, MOST_PLACE_NUMBER)},
    {"p.scope", PM_STORE__WHOLE(place, scope, 0, MOST_PLACE_NUMBER)},
    {"u.form", PM_STORE__WORD(place, form, resolve_form)},
    {"u.how", PM_STORE__WORD(place, how, resolve_how)},
    {"u.name", PM_STORE__LINE(place, name)},
    {"f.input", PM_STORE__LINE(place, input)},
    {"f.record", PM_STORE__COUNT(place, record)},
    {"iif(p.scope = 0, '', s.name) AS name", PM_STORE__LINE(place, inside)},
    {"iif(p.chain_id IS NULL, '', c.text) AS text", PM_STORE__LINE(place, chain)},
};
static const struct pm_store__rows places =
    PM_STORE__ROWS(NULL,
                   "place_file AS f CROSS JOIN place AS p ON p.file_id = f.id"
                   " CROSS JOIN place_use AS u ON u.id = p.use_id"
                   " LEFT JOIN place_scope AS s ON s.file_id = p.file_id AND s.number = p.scope"
                   " LEFT JOIN place_chain AS c ON c.id = p.chain_id",
                   place_columns);

/* Reads places. SQLite must begin with the files, because an index lists them in the requested
 * order: then it sorts nothing, and its memory does not grow with the number of uses. */
int pm_store_places(struct pm_store *store, int64_t scan_id, const char *framework,
                    const char *name, pm_place_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &places,
                            " WHERE f.scan_id = ?1 AND u.scan_id = ?1 AND u.framework = ?2"
                            " AND (?3 = '' OR u.name = ?3)"
                            " ORDER BY f.number, f.id, p.cell, p.line, p.byte, p.use_id",
                            &q, err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_text(&q, framework);
    pm_store__bind_text(&q, name);
    PM_STORE__GIVE_ROWS(&q, &places, struct pm_place_row, row, ctx, err);
}

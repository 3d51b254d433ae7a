/* Makes statements from the description of a row, binds their values and reads them. */
#include "store/description.h"

#include <string.h>

/* ---- statements ---------------------------------------------------------------------------- */

/* Returns the column without the alias of its table, as INSERT and UPDATE need it. */
static const char *name_of(const struct pm_store__column *column)
{
    const char *dot = strchr(column->sql, '.');
    return dot ? dot + 1 : column->sql;
}

static bool is_added(const struct pm_store__column *column)
{
    return column->form != PM_STORE__AS_NAME_ONLY && !(column->differs & PM_STORE__GIVEN);
}

static bool is_changed(const struct pm_store__column *column)
{
    return column->differs & (PM_STORE__CHANGES | PM_STORE__KEEPS);
}

static void write_insert(struct pm_str *sql, const struct pm_store__rows *rows, const char *tail)
{
    struct pm_str values = PM_STR_INIT;
    pm_str_addf(sql, "%s INTO %s (", rows->insert, rows->table);
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_added(&rows->columns[i]))
            continue;
        pm_str_addf(sql, "%s%s", values.length ? ", " : "", name_of(&rows->columns[i]));
        pm_str_add(&values, values.length ? ", ?" : "?");
    }
    pm_str_addf(sql, ") VALUES (%s)%s%s", values.data, rows->conflict, tail);
    pm_str_release(&values);
}

static void write_update(struct pm_str *sql, const struct pm_store__rows *rows, const char *tail)
{
    const char *before = " SET ";
    pm_str_addf(sql, "UPDATE %s", rows->table);
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_changed(&rows->columns[i]))
            continue;
        const char *name = name_of(&rows->columns[i]);
        if (rows->columns[i].differs & PM_STORE__KEEPS)
            pm_str_addf(sql, "%s%s = ifnull(?, %s)", before, name, name);
        else
            pm_str_addf(sql, "%s%s = ?", before, name);
        before = ", ";
    }
    pm_str_add(sql, tail);
}

static void write_select(struct pm_str *sql, const struct pm_store__rows *rows, const char *tail)
{
    for (size_t i = 0; i < rows->count; i++)
        pm_str_addf(sql, "%s%s", i ? ", " : "SELECT ", rows->columns[i].sql);
    pm_str_addf(sql, " FROM %s%s", rows->from, tail);
}

typedef void write_fn(struct pm_str *sql, const struct pm_store__rows *rows, const char *tail);

/* Prepares a statement. The address of its literal alone does not identify a statement, because a
 * linker may merge equal literals. */
static int prepare(struct pm_store *store, const struct pm_store__rows *rows, const void *from,
                   write_fn *write, const char *tail, struct pm_store__query *q,
                   struct pm_error *err)
{
    if (pm_store__prepare_known(store, from, tail, q))
        return PM_OK;
    struct pm_str sql = PM_STR_INIT;
    write(&sql, rows, tail);
    const int rc = pm_store__prepare_new(q, from, tail, sql.data, err);
    pm_str_release(&sql);
    return rc;
}

int pm_store__select_literal(struct pm_store *store, const struct pm_store__rows *rows,
                             const char *tail, struct pm_store__query *q, struct pm_error *err)
{
    return prepare(store, rows, &rows->from, write_select, tail, q, err);
}

_Static_assert(sizeof(enum pm_rule) == sizeof(int), "each enum of words is copied as an int");

/* ---- values -------------------------------------------------------------------------------- */

static void bind_word(struct pm_store__query *q, const struct pm_store__column *column,
                      const void *value, bool keeps)
{
    int word;
    memcpy(&word, value, sizeof word);
    pm_store__bind_change(q, keeps && !word ? NULL : column->words->texts[word]);
}

/* Returns whether the text of the column is JSON. The text of a leaf is JSON only if the leaf is a
 * value. */
static bool is_json(const struct pm_store__column *column, const char *row)
{
    return column->form == PM_STORE__AS_JSON ||
           (column->form == PM_STORE__AS_VALUE &&
            *(const enum pm_leaf_kind *)(const void *)(row + column->kind) == PM_LEAF_VALUE);
}

static void bind_text(struct pm_store__query *q, const struct pm_store__column *column,
                      const char *row, bool keeps)
{
    const char *const *member = (const void *)(row + column->offset);
    const char *text = *member || keeps ? *member : "";
    if (!(column->differs & PM_STORE__HIDDEN))
        pm_store__bind_change(q, text);
    else if (is_json(column, row))
        pm_store__bind_message_json(q, text);
    else
        pm_store__bind_message_change(q, text);
}

static void bind_bytes(struct pm_store__query *q, const struct pm_store__packed *packed)
{
    pm_store__bind_bytes(q, packed->bytes, packed->size);
}

static void bind_column(struct pm_store__query *q, const struct pm_store__column *column,
                        const char *row, bool keeps)
{
    const void *value = row + column->offset;
    switch (column->form) {
    case PM_STORE__AS_WHOLE:
    case PM_STORE__AS_PART:
        pm_store__bind_int(q, *(const int64_t *)value);
        break;
    case PM_STORE__AS_ID_OR_NONE:
        pm_store__bind_id(q, *(const int64_t *)value);
        break;
    case PM_STORE__AS_FLAG:
        pm_store__bind_int(q, *(const bool *)value);
        break;
    case PM_STORE__AS_LARGE:
        pm_store__bind_int(q, *(const enum pm_size *)value == PM_SIZE_LARGE);
        break;
    case PM_STORE__AS_REAL:
        pm_store__bind_real(q, *(const double *)value);
        break;
    case PM_STORE__AS_WORD:
        bind_word(q, column, value, keeps);
        break;
    case PM_STORE__AS_BYTES:
        bind_bytes(q, value);
        break;
    default:
        bind_text(q, column, row, keeps);
    }
}

int pm_store__add(struct pm_store *store, const struct pm_store__rows *rows, const void *row,
                  int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(prepare(store, rows, &rows->table, write_insert, "", &q, err));
    for (size_t i = 0; i < rows->count; i++)
        if (is_added(&rows->columns[i]))
            bind_column(&q, &rows->columns[i], row, false);
    return pm_store__run(&q, id, NULL, err);
}

int pm_store__change_literal(struct pm_store *store, const struct pm_store__rows *rows,
                             const void *row, const char *tail, struct pm_store__query *q,
                             struct pm_error *err)
{
    PM_TRY(prepare(store, rows, &rows->columns, write_update, tail, q, err));
    for (size_t i = 0; i < rows->count; i++)
        if (is_changed(&rows->columns[i]))
            bind_column(q, &rows->columns[i], row, rows->columns[i].differs & PM_STORE__KEEPS);
    return PM_OK;
}

static const char *read_text(struct pm_store__query *q, const struct pm_store__column *column,
                             const char *row)
{
    const enum pm_store__lack lack =
        column->differs & PM_STORE__EMPTY ? PM_STORE__MAY_LACK : PM_STORE__NEEDED;
    switch (column->form) {
    case PM_STORE__AS_LONG:
        return pm_store__long(q);
    case PM_STORE__AS_JSON:
        return pm_store__json(q, lack);
    case PM_STORE__AS_VALUE:
        return is_json(column, row) ? pm_store__json(q, lack) : pm_store__long(q);
    case PM_STORE__AS_DIGEST:
        return pm_store__digest(q, lack);
    case PM_STORE__AS_TIME:
        return pm_store__time(q, lack);
    default:
        return pm_store__line(q);
    }
}

static int64_t read_whole(struct pm_store__query *q, const struct pm_store__column *column)
{
    return column->names ? pm_store__row(q, column->names)
                         : pm_store__whole(q, column->least, column->most);
}

static void read_bytes(struct pm_store__query *q, struct pm_store__packed *packed)
{
    packed->bytes = pm_store__bytes(q, &packed->size);
}

static void read_column(struct pm_store__query *q, const struct pm_store__column *column, char *row)
{
    void *value = row + column->offset;
    switch (column->form) {
    case PM_STORE__AS_WHOLE:
        *(int64_t *)value = read_whole(q, column);
        break;
    case PM_STORE__AS_PART:
        *(int64_t *)value = pm_store__whole(q, 0, *(int64_t *)(row + column->whole));
        break;
    case PM_STORE__AS_ID_OR_NONE:
        *(int64_t *)value = pm_store__id_or_none(q);
        break;
    case PM_STORE__AS_FLAG:
        *(bool *)value = pm_store__flag(q);
        break;
    case PM_STORE__AS_LARGE:
        *(enum pm_size *)value = pm_store__flag(q) ? PM_SIZE_LARGE : PM_SIZE_SMALL;
        break;
    case PM_STORE__AS_REAL:
        *(double *)value = pm_store__real(q, column->low, column->high);
        break;
    case PM_STORE__AS_WORD: {
        const int word = pm_store__word_of(q, column->words);
        memcpy(value, &word, sizeof word);
        break;
    }
    case PM_STORE__AS_BYTES:
        read_bytes(q, value);
        break;
    case PM_STORE__AS_NAME_ONLY:
        pm_store__row(q, column->names);
        break;
    default:
        *(const char **)value = read_text(q, column, row);
    }
}

void pm_store__read(struct pm_store__query *q, const struct pm_store__rows *rows, void *row)
{
    for (size_t i = 0; i < rows->count; i++)
        read_column(q, &rows->columns[i], row);
}

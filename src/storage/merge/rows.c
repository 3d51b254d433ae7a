/* Copies the rows of one table of a file: finds the new rows, and replaces their references by ids
 * of the database. */
#include "merge/merge_private.h"

#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/stop.h"
#include "store/connection.h"

/* ---- ids ------------------------------------------------------------------------------------ */

static void note_row(struct row_ids *ids, struct row_id row)
{
    PM_GROW(ids->items, ids->count, ids->capacity);
    ids->items[ids->count++] = row;
}

static int by_old(const void *key, const void *item)
{
    const int64_t old = *(const int64_t *)key, at = ((const struct row_id *)item)->old;
    return (old > at) - (old < at);
}

/* Returns the row with an id; NULL if the file has no such row. Ids usually have no gaps, so the
 * first guess is usually right. */
static const struct row_id *find_row(const struct row_ids *ids, int64_t old)
{
    if (!ids->count || old < ids->items[0].old)
        return NULL;
    const uint64_t guess = (uint64_t)old - (uint64_t)ids->items[0].old;
    if (guess < ids->count && ids->items[guess].old == old)
        return &ids->items[guess];
    return bsearch(&old, ids->items, ids->count, sizeof *ids->items, by_old);
}

/* ---- one row -------------------------------------------------------------------------------- */

struct copying {
    struct pm_merge__copier *m;
    struct pm_store *into, *from; /* the stores of `m` */
    struct pm_error *err;
    int table;
    const struct route *route;
    sqlite3_stmt *select;
    const struct pm_merge__value *values; /* values of the current row */
    int64_t ids[PM_MERGE__MOST_COLUMNS];  /* ids in the database to which the current row refers */
    int64_t id; /* id of the newest row of the database, if rows are copied together */
};

static int damaged_reference(const struct copying *c, int column)
{
    const char *from = pm_merge__tables[c->table].name;
    const char *to = pm_merge__tables[c->route->refers[column]].name;
    pm_merge__reader_end(c->m->reader);
    const char *name = sqlite3_column_name(c->select, column);
    if (c->values[column].type != SQLITE_INTEGER)
        return pm_store_damaged(c->from, c->err,
                                "column '%s' of a row of table '%s' is not a number", name, from);
    return pm_store_damaged(c->from, c->err,
                            "a row of table '%s' refers to %s %lld, which does not exist or "
                            "belongs to another run",
                            from, to, (long long)c->values[column].integer);
}

/* Looks up the references of a row. Sets *wanted to the entry of its owner, which says whether the
 * row is copied, and how. */
static int map_references(struct copying *c, struct row_id *wanted)
{
    const struct route *route = c->route;
    /* The column with a reference to a row that was not copied, which is an error in a new row. */
    int unknown = PM_MERGE__NONE;
    wanted->is_new = true;
    for (int k = 0; k < route->reference_count; k++) {
        const int i = route->references[k];
        const struct pm_merge__value *value = &c->values[i];
        if (value->type == SQLITE_NULL)
            continue;
        const struct row_id *row = value->type == SQLITE_INTEGER
                                       ? find_row(&c->m->ids[route->refers[i]], value->integer)
                                       : NULL;
        if (!row)
            return damaged_reference(c, i);
        if (i == route->owner)
            *wanted = (struct row_id){
                .is_new = row->is_new, .is_part = row->is_part, .is_untimed = row->is_untimed};
        c->ids[i] = row->id;
        if (!row->id && unknown == PM_MERGE__NONE)
            unknown = i;
    }
    return wanted->is_new && unknown != PM_MERGE__NONE ? damaged_reference(c, unknown) : PM_OK;
}

static const char *bytes_of(const struct copying *c, const struct pm_merge__value *value)
{
    return pm_merge__reader_bytes(c->m->reader, value);
}

/* Binds a value; a reference is replaced by the id in the database. */
static int bind(const struct copying *c, sqlite3_stmt *to, int at, int column)
{
    const struct pm_merge__value *value = &c->values[column];
    if (value->type == SQLITE_NULL)
        return sqlite3_bind_null(to, at);
    if (c->route->refers[column] != PM_MERGE__NONE)
        return sqlite3_bind_int64(to, at, c->ids[column]);
    if (value->type == SQLITE_INTEGER)
        return sqlite3_bind_int64(to, at, value->integer);
    if (value->type == SQLITE_FLOAT)
        return sqlite3_bind_double(to, at, value->real);
    const char *bytes = bytes_of(c, value);
    return value->type == SQLITE_TEXT
               ? sqlite3_bind_text(to, at, bytes, value->length, SQLITE_STATIC)
               : sqlite3_bind_blob(to, at, bytes, value->length, SQLITE_STATIC);
}

/* Finds an equal row of the database; *id is 0 if there is none. */
static int find_same(struct copying *c, int64_t *id)
{
    sqlite3_stmt *same = c->route->same;
    *id = 0;
    for (int i = 0; i < c->route->asked_count; i++)
        if (bind(c, same, i + 1, c->route->asked[i]) != SQLITE_OK)
            return pm_store_failed(c->into, c->err);
    const int step = sqlite3_step(same);
    if (step == SQLITE_ROW)
        *id = sqlite3_column_int64(same, 0);
    sqlite3_reset(same);
    return step == SQLITE_ROW || step == SQLITE_DONE ? PM_OK : pm_store_failed(c->into, c->err);
}

static int unfit(const struct copying *c, const char *why)
{
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, why, 200);
    const int rc =
        pm_store_damaged(c->from, c->err, "a row of table '%s' does not fit the schema: %s",
                         pm_merge__tables[c->table].name, line.data);
    pm_str_release(&line);
    return rc;
}

/* Checks the constraints of a row that is copied. */
static int check_row(struct copying *c)
{
    if (c->values[c->route->columns].integer)
        return PM_OK;
    pm_merge__reader_end(c->m->reader);
    char *broken = pm_merge__broken_constraint(c->m, c->from, c->table);
    const int rc = unfit(c, broken);
    free(broken);
    return rc;
}

/* Reports damage if the schema refused the row, because portmeter never stores such a row. Any
 * other error is a failure of the store. */
static int refused(struct copying *c)
{
    struct pm_store *into = c->into;
    const int code = sqlite3_errcode(c->m->db) & 0xff;
    if (code != SQLITE_CONSTRAINT && code != SQLITE_MISMATCH && code != SQLITE_TOOBIG)
        return pm_store_failed(into, c->err);
    return unfit(c, sqlite3_errmsg(c->m->db));
}

static int insert(struct copying *c, int64_t *id)
{
    sqlite3_stmt *statement = c->route->insert;
    PM_TRY(check_row(c));
    for (int i = 0; i < c->route->columns; i++)
        if (i != c->route->id && bind(c, statement, i + 1, i) != SQLITE_OK)
            return pm_store_failed(c->into, c->err);
    const int rc = sqlite3_step(statement) == SQLITE_DONE ? PM_OK : refused(c);
    sqlite3_reset(statement);
    if (rc == PM_OK) {
        *id = sqlite3_last_insert_rowid(c->m->db);
        c->m->new_rows[c->table] += (size_t)sqlite3_changes(c->m->db);
    }
    return rc;
}

/* Returns whether the row is the ratio of a whole target, which is computed again for a merged run.
 * The noise floor of a target is copied. */
static bool is_ratio_of_all(const struct copying *c)
{
    if (strcmp(pm_merge__tables[c->table].name, "statistic") != 0)
        return false;
    const struct pm_merge__value *of = &c->values[c->route->scope];
    const struct pm_merge__value *is = &c->values[c->route->what];
    return of->type == SQLITE_TEXT && is->type == SQLITE_TEXT &&
           !strcmp(bytes_of(c, of), "target") && strcmp(bytes_of(c, is), "noise") != 0;
}

/* Returns whether the row is not copied with its shard. */
static bool is_left_out(const struct copying *c, const struct row_id *row)
{
    const struct pm_merge__table *t = &pm_merge__tables[c->table];
    return row->is_part && (t->whole || (t->timed && row->is_untimed) || is_ratio_of_all(c));
}

static int64_t old_id(const struct copying *c)
{
    return c->values[c->route->id].integer;
}

/* Makes the run of a shard a part of the run of all shards. */
static int copy_member(struct copying *c, const struct member *member)
{
    struct pm_merge__context *context = &c->m->context;
    struct family *family;
    struct row_id row;
    PM_TRY(pm_merge__place(context, member, &family, &row));
    if (!family && member->is_chosen) {
        PM_TRY(insert(c, &row.id));
        PM_TRY(pm_merge__family_add(context, member, row.id, &family));
    }
    if (family)
        PM_TRY(pm_merge__join(context, member, family, &row));
    note_row(&c->m->ids[c->table], row);
    return PM_OK;
}

static const struct member *member_of(const struct copying *c)
{
    return c->m->context.families->member_count && !strcmp(pm_merge__tables[c->table].name, "run")
               ? pm_merge__member(&c->m->context, old_id(c))
               : NULL;
}

static bool is_scan_part(const struct copying *c)
{
    return c->m->context.has_scan_parts && !strcmp(pm_merge__tables[c->table].name, "scan") &&
           pm_merge__is_scan_part(&c->m->context, old_id(c));
}

/* Makes the scan of a shard a part of the scan of all shards. */
static int copy_scan_part(struct copying *c)
{
    struct pm_merge__context *context = &c->m->context;
    struct row_id row;
    PM_TRY(pm_merge__scan_place(context, old_id(c), &row));
    if (!row.id)
        PM_TRY(insert(c, &row.id));
    note_row(&c->m->ids[c->table], row);
    return pm_merge__scan_join(context, &row);
}

/* Copies a row of a table whose rows may already be in the database. */
static int copy_row(struct copying *c)
{
    struct row_id row = {.old = old_id(c)};
    PM_TRY(map_references(c, &row));
    const struct member *member = member_of(c);
    if (member)
        return copy_member(c, member);
    if (is_scan_part(c))
        return copy_scan_part(c);
    row.is_new = row.is_new && !is_left_out(c, &row);
    if (row.is_new) {
        PM_TRY(find_same(c, &row.id));
        row.is_new = row.id == 0;
    }
    if (row.is_new)
        PM_TRY(insert(c, &row.id));
    row.old = old_id(c);
    note_row(&c->m->ids[c->table], row);
    return PM_OK;
}

/* ---- one table of one file ------------------------------------------------------------------ */

/* Goes to the next row. Returns SQLITE_ROW, SQLITE_DONE or another code of SQLite. */
static int step_on(struct copying *c)
{
    int step;
    c->values = pm_merge__reader_next(c->m->reader, &step);
    return step;
}

static int copy_each_row(struct copying *c)
{
    int step;
    while ((step = step_on(c)) == SQLITE_ROW) {
        PM_TRY(pm_stop_check(c->err));
        PM_TRY(copy_row(c));
    }
    return step == SQLITE_DONE ? PM_OK : pm_store_failed(c->from, c->err);
}

/* Goes to the next row that is copied. */
static int next_row(void *ctx)
{
    struct copying *c = ctx;
    int step;
    while ((step = step_on(c)) == SQLITE_ROW) {
        struct row_id row = {0};
        PM_TRY(pm_stop_check(c->err));
        PM_TRY(map_references(c, &row));
        row.is_new = row.is_new && !is_left_out(c, &row);
        if (c->route->id != PM_MERGE__NONE) {
            row.old = old_id(c);
            row.id = row.is_new ? ++c->id : 0;
            note_row(&c->m->ids[c->table], row);
        }
        if (row.is_new) {
            PM_TRY(check_row(c));
            return 1;
        }
    }
    return step == SQLITE_DONE ? 0 : pm_store_failed(c->from, c->err);
}

/* Passes a value of the current row to SQLite. Texts and blobs live until the next row. */
static void give_value(void *ctx, int column, sqlite3_context *out)
{
    const struct copying *c = ctx;
    const struct pm_merge__value *value = &c->values[column];
    if (column == c->route->id)
        sqlite3_result_int64(out, c->id);
    else if (value->type == SQLITE_NULL)
        sqlite3_result_null(out);
    else if (c->route->refers[column] != PM_MERGE__NONE)
        sqlite3_result_int64(out, c->ids[column]);
    else if (value->type == SQLITE_INTEGER)
        sqlite3_result_int64(out, value->integer);
    else if (value->type == SQLITE_FLOAT)
        sqlite3_result_double(out, value->real);
    else if (value->type == SQLITE_TEXT)
        sqlite3_result_text(out, bytes_of(c, value), value->length, SQLITE_STATIC);
    else
        sqlite3_result_blob(out, bytes_of(c, value), value->length, SQLITE_STATIC);
}

/* Finds the largest id of the table. */
static int find_last_id(struct copying *c)
{
    if (c->route->id == PM_MERGE__NONE)
        return PM_OK;
    sqlite3_stmt *query = NULL;
    char *sql = pm_format("SELECT max(id) FROM %s", pm_merge__tables[c->table].name);
    int rc = pm_merge__prepare(c->into, sql, &query, c->err);
    free(sql);
    if (!rc && sqlite3_step(query) != SQLITE_ROW)
        rc = pm_store_failed(c->into, c->err);
    c->id = rc ? 0 : sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return rc;
}

/* Copies the rows of a table in one statement, without a search for equal rows. */
static int copy_all_rows(struct copying *c)
{
    struct pm_merge__incoming *incoming = &c->m->incoming;
    PM_TRY(find_last_id(c));
    *incoming = (struct pm_merge__incoming){.next = next_row, .give = give_value, .ctx = c};
    const int step = sqlite3_step(c->route->insert);
    const int rc = step == SQLITE_DONE ? PM_OK : incoming->rc < 0 ? incoming->rc : refused(c);
    sqlite3_reset(c->route->insert);
    if (rc == PM_OK)
        c->m->new_rows[c->table] += (size_t)sqlite3_changes64(c->m->db);
    return rc;
}

int pm_merge__copy_table(struct pm_merge__copier *m, int table)
{
    struct copying c = {.m = m,
                        .into = m->context.into,
                        .from = m->context.from,
                        .err = m->context.err,
                        .table = table,
                        .route = &m->routes[table]};
    const bool together = !pm_merge__tables[table].same;
    PM_TRY(pm_merge__select(m, table, &c.select));
    if (!c.select)
        return PM_OK;
    pm_merge__reader_begin(m->reader, c.select, !together);
    const int rc = together ? copy_all_rows(&c) : copy_each_row(&c);
    pm_merge__reader_end(m->reader);
    sqlite3_finalize(c.select);
    return rc;
}

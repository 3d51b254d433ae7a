/* Passes rows to a statement that inserts them, as a virtual table that is read once and has no
 * key. One statement for all rows of a table keeps its positions in the file and in the indices;
 * one statement for each row would search for them each time. */
#include "base/alloc.h"
#include "base/str.h"
#include "merge/merge_private.h"

struct table {
    sqlite3_vtab base;
    struct pm_merge__incoming *rows;
};

struct cursor {
    sqlite3_vtab_cursor base;
    sqlite3_int64 row;
    bool at_end;
};

static struct pm_merge__incoming *rows_of(sqlite3_vtab_cursor *cursor)
{
    return ((struct table *)cursor->pVtab)->rows;
}

static int connect_table(sqlite3 *db, void *rows, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message)
{
    struct pm_str sql = PM_STR_INIT;
    (void)argc;
    (void)argv;
    (void)message;
    for (int i = 0; i < PM_MERGE__MOST_COLUMNS; i++)
        pm_str_addf(&sql, "%s c%d", i ? "," : "CREATE TABLE incoming (", i);
    pm_str_add(&sql, ")");
    const int rc = sqlite3_declare_vtab(db, sql.data);
    pm_str_release(&sql);
    if (rc != SQLITE_OK)
        return rc;
    struct table *table = pm_alloc(sizeof *table);
    table->rows = rows;
    *out = &table->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int choose_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1e6;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct cursor *cursor = pm_alloc(sizeof *cursor);
    (void)table;
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

static int go_on(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    struct pm_merge__incoming *rows = rows_of(base);
    rows->rc = rows->next(rows->ctx);
    cursor->row++;
    cursor->at_end = rows->rc == 0;
    return rows->rc < 0 ? SQLITE_ABORT : SQLITE_OK;
}

static int begin(sqlite3_vtab_cursor *cursor, int number, const char *name, int argc,
                 sqlite3_value **argv)
{
    (void)number;
    (void)name;
    (void)argc;
    (void)argv;
    return go_on(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
    return ((struct cursor *)cursor)->at_end;
}

static int give_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
    const struct pm_merge__incoming *rows = rows_of(cursor);
    rows->give(rows->ctx, column, out);
    return SQLITE_OK;
}

static int give_row(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
    *row = ((struct cursor *)cursor)->row;
    return SQLITE_OK;
}

bool pm_merge__incoming_add(sqlite3 *db, struct pm_merge__incoming *rows)
{
    static const sqlite3_module module = {
        .xConnect = connect_table,
        .xBestIndex = choose_plan,
        .xDisconnect = disconnect_table,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = begin,
        .xNext = go_on,
        .xEof = is_at_end,
        .xColumn = give_column,
        .xRowid = give_row,
    };
    return sqlite3_create_module_v2(db, "incoming", &module, rows, NULL) == SQLITE_OK;
}

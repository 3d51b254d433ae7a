/* Brings rows of other databases into this one, with new ids. */
#include "merge/merge_private.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "base/privacy.h"
#include "base/stop.h"
#include "store/connection.h"
#include "store/runs.h"

/* ---- what there is to copy ------------------------------------------------------------------ */

/*
 * Every table of the schema, each behind those that it refers to.
 *
 * owner: the column that says what a row belongs to; it is copied if that row was new.
 * same: a row for which that holds is the same one, and is not copied; ":name" is a column of it.
 * conflict: what happens to a row whose key is there.
 * stays: its rows are not copied.
 * timed: it has latencies, which are not copied of a shard whose latencies are not valid.
 * whole: what it says of a run is computed again where the run is merged from shards.
 */
static const struct table {
    const char *name, *owner, *same, *conflict;
    bool stays, timed, whole;
} tables[] = {
    {.name = "inventory",
     .same = "digest = :digest AND framework = :framework AND version = :version AND flat = :flat"},
    {.name = "scan",
     .same = "started = :started AND finished = :finished AND options = :options"
             " AND totals = :totals"},
    {.name = "sample",
     .same = "framework = :framework AND drawn = :drawn AND options = :options"
             " AND document = :document"},
    {.name = "run",
     .same = "uuid = :uuid OR (kind = 'published' AND kind = :kind"
             " AND suite_digest = :suite_digest AND source = :source)"},
    {.name = "test_case",
     .same = "digest = :digest AND framework = :framework AND function = :function"
             " AND name = :name AND dtype = :dtype AND definition = :definition"
             " AND host_only = :host_only AND large = :large AND kind = :kind"},
    {.name = "scan_shard", .owner = "scan_id"},
    {.name = "scan_repository", .owner = "scan_id"},
    {.name = "scanned", /* the parts of a scan add up */
     .owner = "scan_id",
     .conflict = "ON CONFLICT DO UPDATE SET paper_files = paper_files + excluded.paper_files,"
                 " importing_files = importing_files + excluded.importing_files,"
                 " unlisted = unlisted + excluded.unlisted"},
    {.name = "unlisted",
     .owner = "scan_id",
     .conflict = "ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,"
                 " files = files + excluded.files"},
    {.name = "frequency",
     .owner = "scan_id",
     .conflict = "ON CONFLICT DO UPDATE SET uses = uses + excluded.uses,"
                 " files = files + excluded.files,"
                 " repositories = repositories + excluded.repositories,"
                 " resolved = resolved + excluded.resolved,"
                 " possible_method = possible_method + excluded.possible_method,"
                 " other = other + excluded.other, referenced = referenced + excluded.referenced,"
                 " rebound = rebound + excluded.rebound,"
                 " instance_calls = instance_calls + excluded.instance_calls,"
                 " possible = possible + excluded.possible"},
    {.name = "place_file", .owner = "scan_id"},
    {.name = "place_scope", .owner = "file_id"},
    {.name = "place_use",
     .owner = "scan_id",
     .same = "scan_id = :scan_id AND framework = :framework AND name = :name AND form = :form"
             " AND how = :how"},
    {.name = "place_chain", .owner = "scan_id"},
    {.name = "place", .owner = "file_id"},
    {.name = "shard", .owner = "run_id", .whole = true},
    {.name = "attempt", .owner = "run_id"},
    {.name = "target",
     .owner = "run_id",
     .same = "run_id = :run_id AND text = :text AND role = :role"},
    {.name = "run_paths", .stays = true},   /* paths of the machine that measured, which */
    {.name = "interpreter", .stays = true}, /* may contain the names of its users        */
    {.name = "child", .owner = "run_id"},
    {.name = "execution", .owner = "run_id"},
    {.name = "leaf", .owner = "execution_id"},
    {.name = "blob", .conflict = "ON CONFLICT DO NOTHING"},
    {.name = "closeness", .conflict = "ON CONFLICT DO NOTHING"},
    {.name = "timing", .owner = "execution_id", .timed = true},
    {.name = "first_call", .owner = "execution_id"},
    {.name = "planted_fault", /* of shards, one that was not detected stays */
     .owner = "run_id",
     .conflict = "ON CONFLICT DO UPDATE SET expected = excluded.expected, observed ="
                 " excluded.observed, as_expected = excluded.as_expected, detail = excluded.detail"
                 " WHERE as_expected > excluded.as_expected OR (as_expected ="
                 " excluded.as_expected AND observed = 'does not apply')"},
    {.name = "judgement", .owner = "execution_id"},
    {.name = "judged_case", .owner = "run_id"},
    {.name = "judged_run",
     .owner = "run_id",
     .conflict = "ON CONFLICT DO UPDATE SET executions = executions + excluded.executions,"
                 " cases = cases + excluded.cases"},
    {.name = "verdict", /* what has no case is in every shard */
     .owner = "run_id",
     .conflict = "ON CONFLICT DO NOTHING"},
    {.name = "statistic", .owner = "run_id", .timed = true},
    {.name = "estimate", .owner = "run_id", .whole = true},
    {.name = "published", .owner = "run_id"},
    {.name = "imported_test", .owner = "run_id"},
    {.name = "imported_timing", .owner = "test_id"},
    {.name = "annotation",
     .conflict = "ON CONFLICT DO UPDATE SET reason = excluded.reason, note = excluded.note,"
                 " made = excluded.made WHERE excluded.made > made"},
};
enum { TABLES = sizeof tables / sizeof *tables, NONE = -1, MOST_COLUMNS = PM_MERGE__MOST_COLUMNS };

static int find_table(const char *name)
{
    for (int i = 0; i < TABLES; i++)
        if (!strcmp(tables[i].name, name))
            return i;
    return NONE;
}

/* ---- ids ------------------------------------------------------------------------------------ */

/* The ids of the rows of one table of a file, sorted by `old`. */
struct row_ids {
    struct row_id *items;
    size_t count, capacity;
};

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

/* Ids mostly follow each other without a gap. NULL: the file has no such row. */
static const struct row_id *find_row(const struct row_ids *ids, int64_t old)
{
    if (!ids->count || old < ids->items[0].old)
        return NULL;
    const uint64_t guess = (uint64_t)old - (uint64_t)ids->items[0].old;
    if (guess < ids->count && ids->items[guess].old == old)
        return &ids->items[guess];
    return bsearch(&old, ids->items, ids->count, sizeof *ids->items, by_old);
}

/* ---- how a table is copied ------------------------------------------------------------------ */

/* Made when the first file needs it, and used for all files: making a statement takes longer than
 * copying a few rows. */
struct route {
    int columns;              /* of the table; 0: not made yet */
    int owner, id;            /* columns by number, from 0; NONE: it has none */
    int scope, what;          /* the same, of a statistic */
    int refers[MOST_COLUMNS]; /* to which table; NONE */
    int references[MOST_COLUMNS], reference_count; /* columns that refer to a table */
    sqlite3_stmt *insert;    /* one row, or where `same` is NULL all rows of a file */
    sqlite3_stmt *same;      /* NULL: each row is one of its own */
    int asked[MOST_COLUMNS]; /* columns that the parameters of `same` are */
    int asked_count;
};

struct merging {
    struct pm_store *into, *from;
    sqlite3 *db; /* the database that the runs are copied into */
    const char *file;
    struct pm_merge__families families;
    struct pm_merge__context context; /* what the families need */
    struct route routes[TABLES];
    struct row_ids ids[TABLES]; /* ids of the file's rows, and their new ids */
    size_t new_rows[TABLES];    /* rows of all files that were inserted, or changed by a conflict */
    struct pm_merge__incoming incoming;
    struct pm_merged *out;
    struct pm_error *err;
};

static int prepare(struct pm_store *store, const char *sql, sqlite3_stmt **out,
                   struct pm_error *err)
{
    return sqlite3_prepare_v2(pm_store_connection(store), sql, -1, out, NULL) == SQLITE_OK
               ? PM_OK
               : pm_store_failed(store, err);
}

static int find_column(sqlite3_stmt *select, const char *name)
{
    for (int i = 0; name && i < sqlite3_column_count(select); i++)
        if (!strcmp(sqlite3_column_name(select, i), name))
            return i;
    return NONE;
}

static int prepare_insert(struct merging *m, int table, struct route *route)
{
    const struct table *t = &tables[table];
    struct pm_str sql = PM_STR_INIT;
    pm_str_addf(&sql, "INSERT INTO %s %s", t->name, t->same ? "VALUES (" : "SELECT ");
    for (int i = 0; i < route->columns; i++)
        pm_str_addf(&sql, t->same ? "%s?" : "%sc%d", i ? ", " : "", i);
    pm_str_add(&sql, t->same ? ")" : " FROM incoming WHERE true"); /* else ON would be of a join */
    pm_str_addf(&sql, " %s", t->conflict ? t->conflict : "");
    const int rc = prepare(m->into, sql.data, &route->insert, m->err);
    pm_str_release(&sql);
    return rc;
}

static int prepare_same(struct merging *m, int table, struct route *route, sqlite3_stmt *select)
{
    const struct table *t = &tables[table];
    if (!t->same)
        return PM_OK;
    char *sql = pm_format("SELECT id FROM %s WHERE %s", t->name, t->same);
    const int rc = prepare(m->into, sql, &route->same, m->err);
    free(sql);
    PM_TRY(rc);
    route->asked_count = sqlite3_bind_parameter_count(route->same);
    for (int i = 0; i < route->asked_count; i++)
        route->asked[i] = find_column(select, sqlite3_bind_parameter_name(route->same, i + 1) + 1);
    return PM_OK;
}

/* Finds which columns refer to which tables, from the schema. */
static int find_references(struct merging *m, int table, struct route *route, sqlite3_stmt *select)
{
    sqlite3_stmt *list = NULL;
    char *sql = pm_format("SELECT \"from\", \"table\" FROM pragma_foreign_key_list('%s')",
                          tables[table].name);
    const int rc = prepare(m->into, sql, &list, m->err);
    free(sql);
    int step = SQLITE_DONE;
    while (!rc && (step = sqlite3_step(list)) == SQLITE_ROW) {
        const int column = find_column(select, (const char *)sqlite3_column_text(list, 0));
        const int to = find_table((const char *)sqlite3_column_text(list, 1));
        if (column == NONE || to == NONE || to >= table)
            PM_BUG("a table of the schema comes before a table that it refers to");
        route->refers[column] = to;
        route->references[route->reference_count++] = column;
    }
    sqlite3_finalize(list);
    return rc || step == SQLITE_DONE ? rc : pm_store_failed(m->into, m->err);
}

/* `select` is of a file, whose tables are those of the database. */
static int make_route(struct merging *m, int table, sqlite3_stmt *select)
{
    struct route *route = &m->routes[table];
    if (route->columns)
        return PM_OK;
    route->columns = sqlite3_column_count(select);
    if (route->columns > MOST_COLUMNS)
        PM_BUG("a table of the schema has too many columns");
    route->id = find_column(select, "id");
    route->owner = find_column(select, tables[table].owner);
    route->scope = find_column(select, "scope");
    route->what = find_column(select, "what");
    for (int i = 0; i < route->columns; i++)
        route->refers[i] = NONE;
    PM_TRY(find_references(m, table, route, select));
    PM_TRY(prepare_insert(m, table, route));
    return prepare_same(m, table, route, select);
}

static void release_routes(struct merging *m)
{
    for (int i = 0; i < TABLES; i++) {
        sqlite3_finalize(m->routes[i].insert);
        sqlite3_finalize(m->routes[i].same);
    }
}

/* ---- one row -------------------------------------------------------------------------------- */

struct copying {
    struct merging *m;
    int table;
    const struct route *route;
    sqlite3_stmt *select;      /* at the current row */
    int64_t ids[MOST_COLUMNS]; /* ids that the references of the current row have here */
    int64_t id;                /* of the newest row here, where rows are copied together */
};

static int damaged_reference(const struct copying *c, int column)
{
    const char *from = tables[c->table].name, *to = tables[c->route->refers[column]].name;
    const char *name = sqlite3_column_name(c->select, column);
    if (sqlite3_column_type(c->select, column) != SQLITE_INTEGER)
        return pm_store_damaged(c->m->from, c->m->err,
                                "column '%s' of a row of table '%s' is not a number", name, from);
    return pm_store_damaged(c->m->from, c->m->err,
                            "a row of table '%s' refers to %s %lld, which does not exist or "
                            "belongs to another run",
                            from, to, (long long)sqlite3_column_int64(c->select, column));
}

/* Looks up what the row refers to. *wanted: what it belongs to is new, and how it is copied. */
static int map_references(struct copying *c, struct row_id *wanted)
{
    const struct route *route = c->route;
    int unknown = NONE; /* a reference to a row that was not copied: an error in a new row */
    wanted->is_new = true;
    for (int k = 0; k < route->reference_count; k++) {
        const int i = route->references[k], type = sqlite3_column_type(c->select, i);
        if (type == SQLITE_NULL)
            continue;
        const struct row_id *row =
            type == SQLITE_INTEGER
                ? find_row(&c->m->ids[route->refers[i]], sqlite3_column_int64(c->select, i))
                : NULL;
        if (!row)
            return damaged_reference(c, i);
        if (i == route->owner)
            *wanted = (struct row_id){
                .is_new = row->is_new, .is_part = row->is_part, .is_untimed = row->is_untimed};
        c->ids[i] = row->id;
        if (!row->id && unknown == NONE)
            unknown = i;
    }
    return wanted->is_new && unknown != NONE ? damaged_reference(c, unknown) : PM_OK;
}

static bool is_reference(const struct copying *c, int column)
{
    return c->route->refers[column] != NONE &&
           sqlite3_column_type(c->select, column) != SQLITE_NULL;
}

/* Binds a value; a reference becomes that of the database. */
static int bind(const struct copying *c, sqlite3_stmt *to, int at, int column)
{
    return is_reference(c, column)
               ? sqlite3_bind_int64(to, at, c->ids[column])
               : sqlite3_bind_value(to, at, sqlite3_column_value(c->select, column));
}

/* Finds the row that is the same; *id is 0 if there is none. */
static int find_same(struct copying *c, int64_t *id)
{
    sqlite3_stmt *same = c->route->same;
    *id = 0;
    for (int i = 0; i < c->route->asked_count; i++)
        if (bind(c, same, i + 1, c->route->asked[i]) != SQLITE_OK)
            return pm_store_failed(c->m->into, c->m->err);
    const int step = sqlite3_step(same);
    if (step == SQLITE_ROW)
        *id = sqlite3_column_int64(same, 0);
    sqlite3_reset(same);
    return step == SQLITE_ROW || step == SQLITE_DONE ? PM_OK
                                                     : pm_store_failed(c->m->into, c->m->err);
}

/* Reports a row that the schema refuses as damage: portmeter never stored such a row. */
static int refused(struct copying *c)
{
    struct pm_store *into = c->m->into;
    const int code = sqlite3_errcode(c->m->db) & 0xff;
    if (code != SQLITE_CONSTRAINT && code != SQLITE_MISMATCH && code != SQLITE_TOOBIG)
        return pm_store_failed(into, c->m->err);
    struct pm_str why = PM_STR_INIT;
    pm_line_add(&why, sqlite3_errmsg(c->m->db), 200);
    const int rc =
        pm_store_damaged(c->m->from, c->m->err, "a row of table '%s' does not fit the schema: %s",
                         tables[c->table].name, why.data);
    pm_str_release(&why);
    return rc;
}

static int insert(struct copying *c, int64_t *id)
{
    sqlite3_stmt *statement = c->route->insert;
    for (int i = 0; i < c->route->columns; i++)
        if (i != c->route->id && bind(c, statement, i + 1, i) != SQLITE_OK)
            return pm_store_failed(c->m->into, c->m->err);
    const int rc = sqlite3_step(statement) == SQLITE_DONE ? PM_OK : refused(c);
    sqlite3_reset(statement);
    if (rc == PM_OK) {
        *id = sqlite3_last_insert_rowid(c->m->db);
        c->m->new_rows[c->table] += (size_t)sqlite3_changes(c->m->db);
    }
    return rc;
}

/* Of a target's statistics the noise floor is copied; the ratio is computed again. */
static bool is_ratio_of_all(const struct copying *c)
{
    if (strcmp(tables[c->table].name, "statistic") != 0)
        return false;
    const char *of = (const char *)sqlite3_column_text(c->select, c->route->scope);
    const char *is = (const char *)sqlite3_column_text(c->select, c->route->what);
    return of && is && !strcmp(of, "target") && strcmp(is, "noise") != 0;
}

/* Returns whether the row is not copied with its shard. */
static bool is_left_out(const struct copying *c, const struct row_id *row)
{
    const struct table *t = &tables[c->table];
    return row->is_part && (t->whole || (t->timed && row->is_untimed) || is_ratio_of_all(c));
}

static int64_t old_id(const struct copying *c)
{
    return sqlite3_column_int64(c->select, c->route->id);
}

/* The run of a shard becomes a part of the run of all shards. */
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
    return c->m->families.member_count && !strcmp(tables[c->table].name, "run")
               ? pm_merge__member(&c->m->context, old_id(c))
               : NULL;
}

static bool is_scan_part(const struct copying *c)
{
    return c->m->context.has_scan_parts && !strcmp(tables[c->table].name, "scan") &&
           pm_merge__is_scan_part(&c->m->context, old_id(c));
}

/* A scan of a part becomes a part of the scan of all. */
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

/* Copies a row of a table whose rows may be there already. */
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

static int copy_each_row(struct copying *c)
{
    int step;
    while ((step = sqlite3_step(c->select)) == SQLITE_ROW) {
        PM_TRY(pm_stop_check(c->m->err));
        PM_TRY(copy_row(c));
    }
    return step == SQLITE_DONE ? PM_OK : pm_store_failed(c->m->from, c->m->err);
}

/* Goes to the next row that is copied. */
static int next_row(void *ctx)
{
    struct copying *c = ctx;
    int step;
    while ((step = sqlite3_step(c->select)) == SQLITE_ROW) {
        struct row_id row = {0};
        PM_TRY(pm_stop_check(c->m->err));
        PM_TRY(map_references(c, &row));
        row.is_new = row.is_new && !is_left_out(c, &row);
        if (c->route->id != NONE) {
            row.old = old_id(c);
            row.id = row.is_new ? ++c->id : 0;
            note_row(&c->m->ids[c->table], row);
        }
        if (row.is_new)
            return 1;
    }
    return step == SQLITE_DONE ? 0 : pm_store_failed(c->m->from, c->m->err);
}

/* Gives a text that lives until the next row. SQLite copies it for each constraint that calls a
 * function, unless it knows that a zero ends it: then its length is not given. A damaged text may
 * have zeros within. */
static void give_text(const struct copying *c, int column, sqlite3_context *out)
{
    const char *text = (const char *)sqlite3_column_text(c->select, column);
    const int length = sqlite3_column_bytes(c->select, column);
    const bool is_whole = text && strlen(text) == (size_t)length;
    sqlite3_result_text(out, text, is_whole ? -1 : length, SQLITE_STATIC);
}

static void give_value(void *ctx, int column, sqlite3_context *out)
{
    const struct copying *c = ctx;
    const int type = sqlite3_column_type(c->select, column);
    if (column == c->route->id)
        sqlite3_result_int64(out, c->id);
    else if (type != SQLITE_NULL && c->route->refers[column] != NONE)
        sqlite3_result_int64(out, c->ids[column]);
    else if (type == SQLITE_INTEGER)
        sqlite3_result_int64(out, sqlite3_column_int64(c->select, column));
    else if (type == SQLITE_TEXT)
        give_text(c, column, out);
    else
        sqlite3_result_value(out, sqlite3_column_value(c->select, column));
}

/* Finds the largest id of the table. */
static int find_last_id(struct copying *c)
{
    if (c->route->id == NONE)
        return PM_OK;
    sqlite3_stmt *query = NULL;
    char *sql = pm_format("SELECT max(id) FROM %s", tables[c->table].name);
    int rc = prepare(c->m->into, sql, &query, c->m->err);
    free(sql);
    if (!rc && sqlite3_step(query) != SQLITE_ROW)
        rc = pm_store_failed(c->m->into, c->m->err);
    c->id = rc ? 0 : sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return rc;
}

/* Copies the rows of a table of which none is there already, in one statement. */
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

static int copy_table(struct merging *m, int table)
{
    struct copying c = {.m = m, .table = table, .route = &m->routes[table]};
    char *sql = pm_format("SELECT * FROM %s", tables[table].name);
    int rc = prepare(m->from, sql, &c.select, m->err);
    free(sql);
    if (!rc)
        rc = make_route(m, table, c.select);
    if (!rc)
        rc = tables[table].same ? copy_each_row(&c) : copy_all_rows(&c);
    sqlite3_finalize(c.select);
    return rc;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Stores where a run came from, and changes the number of the sample in its options. */
static int note_source(struct merging *m, int64_t id)
{
    const char *slash = strrchr(m->file, '/');
    char *file = pm_privacy_hidden(slash ? slash + 1 : m->file);
    sqlite3_stmt *update = NULL;
    int rc = prepare(
        m->into,
        "UPDATE run SET source = iif(source = '' AND kind = 'measured', ?, source),"
        " options = iif(sample_id IS NULL, options, json_set(options, '$.sample', sample_id))"
        " WHERE id = ?",
        &update, m->err);
    sqlite3_bind_text(update, 1, file, -1, SQLITE_STATIC);
    sqlite3_bind_int64(update, 2, id);
    if (!rc && sqlite3_step(update) != SQLITE_DONE)
        rc = pm_store_failed(m->into, m->err);
    sqlite3_finalize(update);
    free(file);
    return rc;
}

static int note_run(struct merging *m, const struct row_id *row)
{
    struct pm_run_progress there, here;
    struct pm_merged *out = m->out;
    PM_TRY(pm_store_run_progress(m->from, row->old, &there, m->err));
    PM_TRY(pm_store_run_progress(m->into, row->id, &here, m->err));
    PM_GROW(out->runs, out->count, out->capacity);
    out->runs[out->count++] = (struct pm_merged_run){
        .file = m->file,
        .number = row->old,
        .id = row->id,
        .added = row->is_new,
        .done = there.done,
        .done_before = here.done,
    };
    out->added += row->is_new;
    return row->is_new ? note_source(m, row->id) : PM_OK;
}

static int note_runs(struct merging *m)
{
    const struct row_ids *runs = &m->ids[find_table("run")];
    for (size_t i = 0; i < runs->count; i++)
        if (!runs->items[i].is_part)
            PM_TRY(note_run(m, &runs->items[i]));
    return PM_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int merge_tables(struct merging *m)
{
    PM_TRY(pm_store_begin(m->from, m->err)); /* one state of a file that may be written meanwhile */
    m->context.from = m->from;
    m->context.file = m->file;
    int rc = pm_merge__members_read(&m->context);
    if (!rc)
        rc = pm_merge__scan_parts_read(&m->context);
    for (int i = 0; i < TABLES && rc == PM_OK; i++)
        rc = tables[i].stays ? PM_OK : copy_table(m, i);
    if (rc == PM_OK)
        rc = note_runs(m);
    return pm_store_settle(m->from, rc, m->err);
}

static int merge_file(struct merging *m, const char *file)
{
    m->file = file;
    PM_TRY(pm_store_open_unchanged(&m->from, file, m->err));
    const int rc = merge_tables(m);
    pm_store_free(m->from);
    for (int i = 0; i < TABLES; i++)
        m->ids[i].count = 0;
    return rc;
}

static bool leaves_shards_out(const struct pm_merged *merged)
{
    bool any = false;
    for (size_t i = 0; i < merged->shard_count; i++)
        any |= !merged->shards[i].added;
    return any;
}

static int merge_all(struct merging *m, const char *const *files, size_t count)
{
    size_t divided; /* new scans that shards became */
    PM_TRY(pm_merge__families_read(&m->context));
    PM_TRY(pm_merge__scans_read(&m->context));
    for (size_t i = 0; i < count; i++) {
        const size_t before = m->new_rows[find_table("shard")];
        PM_TRY(merge_file(m, files[i]));
        if (m->new_rows[find_table("shard")] > before)
            PM_TRY(pm_merge__families_read(&m->context));
    }
    PM_TRY(pm_merge__families_settle(&m->context));
    PM_TRY(pm_merge__scans_settle(&m->context, &divided));
    /* Cases and bytes belong to no run: those of runs that were there already came too. */
    if (m->out->added < m->out->count || leaves_shards_out(m->out))
        PM_TRY(pm_store_drop_unused(m->into, m->err));
    m->out->inventories = m->new_rows[find_table("inventory")];
    m->out->scans = m->new_rows[find_table("scan")] - divided;
    m->out->samples = m->new_rows[find_table("sample")];
    m->out->annotations = m->new_rows[find_table("annotation")];
    return PM_OK;
}

/* Copies the rows in a transaction. Each reference is looked up before its row is stored, so SQLite
 * need not check it again. */
static int in_transaction(struct merging *m, const char *const *files, size_t count)
{
    m->db = pm_store_connection(m->into);
    if (sqlite3_exec(m->db, "PRAGMA cache_size = -131072; PRAGMA foreign_keys = OFF", NULL, NULL,
                     NULL) != SQLITE_OK)
        return pm_store_failed(m->into, m->err);
    if (!pm_merge__incoming_add(m->db, &m->incoming))
        return pm_store_failed(m->into, m->err);
    PM_TRY(pm_store_begin_large(m->into, m->err));
    return pm_store_settle(m->into, merge_all(m, files, count), m->err);
}

static int check_files(const char *const *files, size_t count, const char *into,
                       struct pm_error *err)
{
    struct stat one, other;
    for (size_t i = 0; i < count; i++) {
        PM_TRY(pm_store_expect(files[i], err));
        if (stat(files[i], &one) == 0 && stat(into, &other) == 0 && one.st_dev == other.st_dev &&
            one.st_ino == other.st_ino)
            return pm_error_set(err, PM_EUSAGE,
                                "'%s' is the database that receives the runs: omit it from the "
                                "files, or name another one with --into",
                                files[i]);
    }
    return PM_OK;
}

int pm_merge(const char *const *files, size_t count, const char *into, bool apart,
             struct pm_merged *out, struct pm_error *err)
{
    struct merging m = {.out = out, .err = err};
    *out = (struct pm_merged){0};
    PM_TRY(check_files(files, count, into, err));
    const bool is_made = !pm_path_exists(into);
    PM_TRY(pm_store_open(&m.into, into, PM_STORE_WRITE, err));
    m.context = (struct pm_merge__context){
        .into = m.into, .apart = apart, .out = out, .families = &m.families, .err = err};
    const int rc = in_transaction(&m, files, count);
    if (rc && is_made)
        unlink(into);
    release_routes(&m);
    pm_store_free(m.into);
    pm_merge__families_release(&m.families);
    pm_merge__scans_release(m.context.scans);
    for (int i = 0; i < TABLES; i++)
        free(m.ids[i].items);
    return rc;
}

void pm_merged_release(struct pm_merged *merged)
{
    for (size_t i = 0; i < merged->shard_count; i++) {
        free(merged->shards[i].reason);
        free(merged->shards[i].latency_reason);
    }
    for (size_t i = 0; i < merged->family_count; i++) {
        free(merged->families[i].missing);
        free(merged->families[i].command);
    }
    free(merged->shards);
    free(merged->families);
    free(merged->runs);
    *merged = (struct pm_merged){0};
}

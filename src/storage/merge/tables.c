/* Lists the tables of a database, and how the rows of each are copied. */
#include "merge/merge_private.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "store/connection.h"

const struct pm_merge__table pm_merge__tables[] = {
    {.name = "inventory",
     .same = "digest = :digest AND framework = :framework AND version = :version AND flat = :flat"},
    {.name = "scan",
     .changes = true,
     .same = "started = :started AND finished = :finished AND options = :options"
             " AND totals = :totals"},
    {.name = "sample",
     .same = "framework = :framework AND drawn = :drawn AND options = :options"
             " AND document = :document"},
    {.name = "run",
     .changes = true,
     .same = "uuid = :uuid OR (kind = 'published' AND kind = :kind"
             " AND suite_digest = :suite_digest AND source = :source)"},
    {.name = "test_case",
     .same = "digest = :digest AND framework = :framework AND function = :function"
             " AND name = :name AND dtype = :dtype AND definition = :definition"
             " AND host_only = :host_only AND large = :large AND kind = :kind"},
    {.name = "scan_shard", .owner = "scan_id"},
    {.name = "scan_repository", .owner = "scan_id"},
    {.name = "scanned", /* the counts of a scan's shards add up */
     .changes = true,
     .owner = "scan_id",
     .conflict = "ON CONFLICT DO UPDATE SET paper_files = paper_files + excluded.paper_files,"
                 " importing_files = importing_files + excluded.importing_files,"
                 " unlisted = unlisted + excluded.unlisted"},
    {.name = "unlisted",
     .changes = true,
     .owner = "scan_id",
     .conflict = "ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,"
                 " files = files + excluded.files"},
    {.name = "frequency",
     .changes = true,
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
    {.name = "run_paths", .stays = true},   /* paths of one machine, with names of users */
    {.name = "interpreter", .stays = true}, /* paths of one machine */
    {.name = "child", .owner = "run_id"},
    {.name = "execution", .owner = "run_id"},
    {.name = "leaf", .owner = "execution_id"},
    {.name = "blob", .conflict = "ON CONFLICT DO NOTHING"},
    {.name = "closeness", .conflict = "ON CONFLICT DO NOTHING"},
    {.name = "timing", .owner = "execution_id", .timed = true},
    {.name = "first_call", .owner = "execution_id"},
    {.name = "planted_fault", /* a fault that one shard did not detect counts as not detected */
     .changes = true,
     .owner = "run_id",
     .conflict = "ON CONFLICT DO UPDATE SET expected = excluded.expected, observed ="
                 " excluded.observed, as_expected = excluded.as_expected, detail = excluded.detail"
                 " WHERE as_expected > excluded.as_expected OR (as_expected ="
                 " excluded.as_expected AND observed = 'does not apply')"},
    {.name = "judgement", .owner = "execution_id"},
    {.name = "judged_case", .owner = "run_id"},
    {.name = "judged_run",
     .changes = true,
     .owner = "run_id",
     .conflict = "ON CONFLICT DO UPDATE SET executions = executions + excluded.executions,"
                 " cases = cases + excluded.cases"},
    {.name = "verdict", /* a function without a case is in every shard */
     .owner = "run_id",
     .conflict = "ON CONFLICT DO NOTHING"},
    {.name = "statistic", .owner = "run_id", .timed = true},
    {.name = "estimate", .owner = "run_id", .whole = true},
    {.name = "published", .owner = "run_id"},
    {.name = "imported_test", .owner = "run_id"},
    {.name = "imported_timing", .owner = "test_id"},
    {.name = "annotation",
     .changes = true,
     .conflict = "ON CONFLICT DO UPDATE SET reason = excluded.reason, note = excluded.note,"
                 " made = excluded.made WHERE excluded.made > made"},
};

static_assert(sizeof pm_merge__tables / sizeof *pm_merge__tables == PM_MERGE__TABLES,
              "PM_MERGE__TABLES is the length of the list");

int pm_merge__find_table(const char *name)
{
    for (int i = 0; i < PM_MERGE__TABLES; i++)
        if (!strcmp(pm_merge__tables[i].name, name))
            return i;
    return PM_MERGE__NONE;
}

int pm_merge__prepare(struct pm_store *store, const char *sql, sqlite3_stmt **out,
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
    return PM_MERGE__NONE;
}

static int prepare_insert(struct pm_merge__copier *m, int table, struct route *route)
{
    const struct pm_merge__table *t = &pm_merge__tables[table];
    struct pm_str sql = PM_STR_INIT;
    pm_str_addf(&sql, "INSERT INTO %s %s", t->name, t->same ? "VALUES (" : "SELECT ");
    for (int i = 0; i < route->columns; i++)
        pm_str_addf(&sql, t->same ? "%s?" : "%sc%d", i ? ", " : "", i);
    pm_str_add(&sql, t->same
                         ? ")"
                         : " FROM incoming WHERE true"); /* otherwise ON would belong to a join */
    pm_str_addf(&sql, " %s", t->conflict ? t->conflict : "");
    const int rc = pm_merge__prepare(m->context.into, sql.data, &route->insert, m->context.err);
    pm_str_release(&sql);
    return rc;
}

static int prepare_same(struct pm_merge__copier *m, int table, struct route *route,
                        sqlite3_stmt *select)
{
    const struct pm_merge__table *t = &pm_merge__tables[table];
    if (!t->same)
        return PM_OK;
    char *sql = pm_format("SELECT id FROM %s WHERE %s", t->name, t->same);
    const int rc = pm_merge__prepare(m->context.into, sql, &route->same, m->context.err);
    free(sql);
    PM_TRY(rc);
    route->asked_count = sqlite3_bind_parameter_count(route->same);
    for (int i = 0; i < route->asked_count; i++)
        route->asked[i] = find_column(select, sqlite3_bind_parameter_name(route->same, i + 1) + 1);
    return PM_OK;
}

/* Finds which columns refer to which tables, from the schema. */
static int find_references(struct pm_merge__copier *m, int table, struct route *route,
                           sqlite3_stmt *select)
{
    sqlite3_stmt *list = NULL;
    char *sql = pm_format("SELECT \"from\", \"table\" FROM pragma_foreign_key_list('%s')",
                          pm_merge__tables[table].name);
    const int rc = pm_merge__prepare(m->context.into, sql, &list, m->context.err);
    free(sql);
    int step = SQLITE_DONE;
    while (!rc && (step = sqlite3_step(list)) == SQLITE_ROW) {
        const int column = find_column(select, (const char *)sqlite3_column_text(list, 0));
        const int to = pm_merge__find_table((const char *)sqlite3_column_text(list, 1));
        if (column == PM_MERGE__NONE || to == PM_MERGE__NONE || to >= table)
            PM_BUG(
                "pm_merge__tables does not list the table of a foreign key before its own table, "
                "or the column is not copied");
        route->refers[column] = to;
        route->references[route->reference_count++] = column;
    }
    sqlite3_finalize(list);
    return rc || step == SQLITE_DONE ? rc : pm_store_failed(m->context.into, m->context.err);
}

/* Makes the route of a table. `select` reads a file, which has the same tables as the database. */
static int make_route(struct pm_merge__copier *m, int table, sqlite3_stmt *select)
{
    struct route *route = &m->routes[table];
    if (route->columns)
        return PM_OK;
    route->columns = sqlite3_column_count(select) - 1;
    if (route->columns >= PM_MERGE__MOST_COLUMNS)
        PM_BUG("a table of the schema has too many columns");
    route->id = find_column(select, "id");
    route->owner = find_column(select, pm_merge__tables[table].owner);
    route->scope = find_column(select, "scope");
    route->what = find_column(select, "what");
    for (int i = 0; i < route->columns; i++)
        route->refers[i] = PM_MERGE__NONE;
    PM_TRY(find_references(m, table, route, select));
    PM_TRY(prepare_insert(m, table, route));
    return prepare_same(m, table, route, select);
}

/* Adds an expression that is 0 if a row of the table breaks a constraint, else 1. It is a CASE,
 * because SQLite evaluates every part of a condition that is itself a result column. In a CASE, it
 * stops at the part that decides. */
static int add_constraints(struct pm_merge__copier *m, int table, struct pm_str *sql)
{
    struct pm_constraints found;
    PM_TRY(pm_store_constraints(m->context.into, pm_merge__tables[table].name, &found,
                                m->context.err));
    pm_str_add(sql, "CASE WHEN ");
    for (size_t i = 0; i < found.count; i++)
        pm_str_addf(sql, "%sNOT (%s)", i ? " OR " : "", found.items[i]);
    pm_str_addf(sql, "%s THEN 0 ELSE 1 END", found.count ? "" : "0");
    pm_constraints_release(&found);
    return PM_OK;
}

/* Finds out whether a table of the file has rows. Half of the tables have none, and it takes longer
 * to prepare the statement that checks the constraints. */
static int look_for_rows(struct pm_merge__copier *m, int table, bool *found)
{
    sqlite3_stmt *query = NULL;
    struct pm_store *from = m->context.from;
    char *sql = pm_format("SELECT 1 FROM %s", pm_merge__tables[table].name);
    int rc = pm_merge__prepare(from, sql, &query, m->context.err);
    free(sql);
    const int step = rc ? SQLITE_DONE : sqlite3_step(query);
    *found = step == SQLITE_ROW;
    if (!rc && step != SQLITE_ROW && step != SQLITE_DONE)
        rc = pm_store_failed(from, m->context.err);
    sqlite3_finalize(query);
    return rc;
}

int pm_merge__select(struct pm_merge__copier *m, int table, sqlite3_stmt **select)
{
    struct route *route = &m->routes[table];
    bool found;
    *select = NULL;
    PM_TRY(look_for_rows(m, table, &found));
    if (!found)
        return PM_OK;
    if (!route->select) {
        struct pm_str sql = PM_STR_INIT;
        pm_str_add(&sql, "SELECT *, ");
        const int rc = add_constraints(m, table, &sql);
        pm_str_addf(&sql, " FROM %s", pm_merge__tables[table].name);
        route->select = pm_str_detach(&sql);
        PM_TRY(rc);
    }
    PM_TRY(pm_merge__prepare(m->context.from, route->select, select, m->context.err));
    const int rc = make_route(m, table, *select);
    if (rc)
        sqlite3_finalize(*select);
    return rc;
}

/* Returns whether an expression is false for a row of the table. */
static bool has_unfit(struct pm_store *store, int table, const char *expression)
{
    sqlite3_stmt *query = NULL;
    char *sql =
        pm_format("SELECT 1 FROM %s WHERE NOT (%s)", pm_merge__tables[table].name, expression);
    const bool found =
        pm_merge__prepare(store, sql, &query, NULL) == PM_OK && sqlite3_step(query) == SQLITE_ROW;
    sqlite3_finalize(query);
    free(sql);
    return found;
}

char *pm_merge__broken_constraint(struct pm_merge__copier *m, struct pm_store *store, int table)
{
    struct pm_constraints found;
    char *broken = NULL;
    if (pm_store_constraints(m->context.into, pm_merge__tables[table].name, &found, NULL))
        return pm_strdup("");
    for (size_t i = 0; i < found.count && !broken; i++)
        if (has_unfit(store, table, found.items[i]))
            broken = pm_strdup(found.items[i]);
    pm_constraints_release(&found);
    return broken ? broken : pm_strdup("");
}

int pm_merge__check_changes(struct pm_merge__copier *m)
{
    for (int i = 0; i < PM_MERGE__TABLES; i++) {
        if (!pm_merge__tables[i].changes)
            continue;
        char *broken = pm_merge__broken_constraint(m, m->context.into, i);
        const bool fits = !*broken;
        if (!fits)
            pm_error_set(m->context.err, PM_EFORMAT,
                         "the summed rows of table '%s' do not fit the schema: %s",
                         pm_merge__tables[i].name, broken);
        free(broken);
        if (!fits)
            return PM_EFORMAT;
    }
    return PM_OK;
}

void pm_merge__routes_release(struct pm_merge__copier *m)
{
    for (int i = 0; i < PM_MERGE__TABLES; i++) {
        free(m->routes[i].select);
        sqlite3_finalize(m->routes[i].insert);
        sqlite3_finalize(m->routes[i].same);
    }
}

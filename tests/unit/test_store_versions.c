/* A file of an older version: brought up to date by who writes to it, with nothing lost; read as it
 * is by who only reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/store_private.h"

enum { NOBODY = 65534 };
extern const char store_version_1[];

struct fixture {
    char *folder, *path;
    struct pm_store *store;
    struct pm_error err;
};

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int set_up(void **state)
{
    struct fixture *f = pm_alloc(sizeof *f);
    if (pm_folder_scratch(&f->folder, &f->err))
        return -1;
    f->path = pm_path_join(f->folder, "test.db");
    run_sql(f->path, store_version_1);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pm_store_free(f->store);
    chmod(f->folder, 0755);
    const int rc = pm_folder_remove(f->folder, &f->err);
    free(f->folder);
    free(f->path);
    free(f);
    return rc;
}

#define assert_ok(f, expr)                                                                         \
    do {                                                                                           \
        if ((expr) != PM_OK)                                                                       \
            fail_msg("%s: %s", #expr, (f)->err.text);                                              \
    } while (0)

static void open_store(struct fixture *f, enum pm_store_mode mode)
{
    pm_store_free(f->store);
    f->store = NULL;
    assert_ok(f, pm_store_open(&f->store, f->path, mode, &f->err));
}

static int add_cells(void *ctx, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; i++)
        pm_str_addf(ctx, "%s|", values[i] ? values[i] : "NULL");
    pm_str_add(ctx, "\n");
    return 0;
}

static char *take(struct pm_str *text)
{
    char *copy = pm_strdup(text->data);
    pm_str_release(text);
    return copy;
}

/* All that a query gives, as text. */
static char *rows(sqlite3 *db, const char *sql)
{
    struct pm_str out = PM_STR_INIT;
    char *why = NULL;
    if (sqlite3_exec(db, sql, add_cells, &out, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    return take(&out);
}

/* The rows of the tables that version 1 has. */
static char *contents(const char *path)
{
    static const char *const tables[] = {"run",       "target",    "test_case", "child",
                                         "execution", "leaf",      "blob",      "timing",
                                         "canary",    "judgement", "verdict",   "figure"};
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    struct pm_str out = PM_STR_INIT;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char *sql = pm_format("SELECT %s FROM %s ORDER BY 1, 2",
                              strcmp(tables[i], "run") == 0
                                  ? "id, uuid, started, finished, state, options, machine,"
                                    " suite_digest, seed, validity, validity_reason"
                                  : "*",
                              tables[i]);
        char *text = rows(db, sql);
        assert_string_not_equal(text, "");
        pm_str_addf(&out, "%s\n%s", tables[i], text);
        free(text);
        free(sql);
    }
    sqlite3_close(db);
    return take(&out);
}

/* Columns, keys and references of every table, in the words of SQLite. */
static char *shape(sqlite3 *db)
{
    return rows(db, "SELECT t.name, t.strict, t.wr, c.cid, c.name, c.type, c.\"notnull\","
                    " c.dflt_value, c.pk, ifnull(k.\"table\", '') FROM pragma_table_list AS t"
                    " JOIN pragma_table_info(t.name) AS c"
                    " LEFT JOIN pragma_foreign_key_list(t.name) AS k ON k.\"from\" = c.name"
                    " WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'"
                    " ORDER BY t.name, c.cid, k.id");
}

static void test_writing_brings_it_up_to_date(void **state)
{
    struct fixture *f = *state;
    char *before = contents(f->path);
    open_store(f, PM_STORE_WRITE);
    char *after = contents(f->path);
    assert_string_equal(before, after);
    char *version = rows(f->store->db, "PRAGMA user_version");
    assert_string_equal(version, "2|\n");
    char *broken = rows(f->store->db, "PRAGMA foreign_key_check");
    assert_string_equal(broken, "");

    char *fresh_path = pm_path_join(f->folder, "fresh.db");
    struct pm_store *fresh = NULL;
    assert_ok(f, pm_store_open(&fresh, fresh_path, PM_STORE_WRITE, &f->err));
    char *expected = shape(fresh->db), *got = shape(f->store->db);
    assert_string_equal(got, expected);
    pm_store_free(fresh);
    free(fresh_path);
    free(expected);
    free(got);
    free(before);
    free(after);
    free(version);
    free(broken);
}

static int check_run(void *ctx, const struct pm_run_row *row)
{
    const int number = ++*(int *)ctx;
    assert_int_equal(row->id, number);
    assert_string_equal(row->uuid, number == 1 ? "u1" : "u2");
    assert_int_equal(row->sample_id, 0);
    return 0;
}

static int no_inventory(void *ctx, const struct pm_inventory_row *row)
{
    (void)ctx;
    (void)row;
    return 1;
}

static int no_scan(void *ctx, const struct pm_scan_row *row)
{
    (void)ctx;
    (void)row;
    return 1;
}

static int no_scanned(void *ctx, const struct pm_scanned_row *row)
{
    (void)ctx;
    (void)row;
    return 1;
}

static int no_frequency(void *ctx, const struct pm_frequency_row *row)
{
    (void)ctx;
    (void)row;
    return 1;
}

static int no_sample(void *ctx, const struct pm_sample_row *row)
{
    (void)ctx;
    (void)row;
    return 1;
}

static int no_estimate(void *ctx, const struct pm_estimate_row *row)
{
    (void)ctx;
    (void)row;
    return 1;
}

/* Every query that meets what version 1 does not have. */
static int read_it(struct pm_store *store, int *runs, struct pm_error *err)
{
    PM_TRY(pm_store_runs(store, check_run, runs, err));
    PM_TRY(pm_store_inventories(store, NULL, no_inventory, NULL, err));
    PM_TRY(pm_store_scans(store, no_scan, NULL, err));
    PM_TRY(pm_store_scanned(store, 1, no_scanned, NULL, err));
    PM_TRY(pm_store_frequencies(store, 1, NULL, NULL, no_frequency, NULL, err));
    PM_TRY(pm_store_samples(store, NULL, no_sample, NULL, err));
    return pm_store_estimates(store, 1, no_estimate, NULL, err);
}

static void test_reading_leaves_it_as_it_is(void **state)
{
    struct fixture *f = *state;
    struct pm_str before = PM_STR_INIT, after = PM_STR_INIT;
    assert_ok(f, pm_file_read(f->path, &before, &f->err));
    open_store(f, PM_STORE_READ);
    int runs = 0;
    assert_ok(f, read_it(f->store, &runs, &f->err));
    assert_int_equal(runs, 2);
    const struct pm_run_row run = {.uuid = "u3", .state = "running"};
    int64_t id = 0;
    assert_true(pm_store_add_run(f->store, &run, &id, &f->err) < 0);
    assert_ok(f, pm_file_read(f->path, &after, &f->err));
    assert_int_equal(after.length, before.length);
    assert_memory_equal(after.data, before.data, before.length);
    pm_str_release(&before);
    pm_str_release(&after);
}

static void test_reading_where_nothing_can_be_written(void **state)
{
    struct fixture *f = *state;
    chmod(f->path, 0444);
    chmod(f->folder, 0555);
    const pid_t child = fork();
    if (child == 0) {
        struct pm_store *store = NULL;
        int runs = 0;
        if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(2);
        if (pm_store_open(&store, f->path, PM_STORE_READ, &f->err) != PM_OK ||
            read_it(store, &runs, &f->err) != PM_OK || runs != 2)
            _exit(1);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_migration_that_fails_changes_nothing(void **state)
{
    struct fixture *f = *state;
    run_sql(f->path, "CREATE TABLE estimate (a)"); /* in the way of the last table of the step */
    char *before = contents(f->path);
    assert_int_equal(pm_store_open(&f->store, f->path, PM_STORE_WRITE, &f->err), PM_EFORMAT);
    assert_non_null(strstr(f->err.text, "estimate already exists"));
    char *after = contents(f->path);
    assert_string_equal(before, after);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    char *left = rows(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'inventory'");
    assert_string_equal(left, "0|\n");
    sqlite3_close(db);
    free(left);
    free(before);
    free(after);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_writing_brings_it_up_to_date),
        T(test_reading_leaves_it_as_it_is),
        T(test_reading_where_nothing_can_be_written),
        T(test_migration_that_fails_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

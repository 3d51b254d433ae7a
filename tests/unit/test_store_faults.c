/* The store against files that are none of ours, places that cannot be written, a full disk and a
 * writer that is killed: one line each, and what was committed is there afterwards. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/store_private.h"

enum { NOBODY = 65534 };

struct fixture {
    char *folder, *path;
    struct pm_store *store;
    struct pm_error err;
};

static int set_up(void **state)
{
    struct fixture *f = pm_alloc(sizeof *f);
    if (pm_folder_scratch(&f->folder, &f->err))
        return -1;
    chmod(f->folder, 0777);
    f->path = pm_path_join(f->folder, "test.db");
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

static void assert_says(const struct fixture *f, const char *part)
{
    if (!strstr(f->err.text, part) || strchr(f->err.text, '\n'))
        fail_msg("'%s' does not say '%s'", f->err.text, part);
}

static void open_store(struct fixture *f, enum pm_store_mode mode)
{
    assert_null(f->store);
    assert_ok(f, pm_store_open(&f->store, f->path, mode, &f->err));
}

static void close_store(struct fixture *f)
{
    pm_store_free(f->store);
    f->store = NULL;
}

static void check_refused(struct fixture *f, enum pm_store_mode mode, int code, const char *part)
{
    struct pm_store *store = NULL;
    assert_int_equal(pm_store_open(&store, f->path, mode, &f->err), code);
    assert_null(store);
    assert_says(f, part);
    assert_says(f, f->path);
}

static int add_run(struct pm_store *store, unsigned number, struct pm_error *err)
{
    char uuid[24];
    snprintf(uuid, sizeof uuid, "%u", number);
    char options[2000];
    memset(options, 'x', sizeof options - 1);
    options[sizeof options - 1] = '\0';
    const struct pm_run_row run = {.uuid = uuid, .state = "running", .options = options};
    int64_t id = 0;
    return pm_store_add_run(store, &run, &id, err);
}

static int count_run(void *ctx, const struct pm_run_row *run)
{
    (void)run;
    ++*(int *)ctx;
    return 0;
}

static void check_runs(struct fixture *f, int expected)
{
    int count = 0;
    assert_ok(f, pm_store_runs(f->store, count_run, &count, &f->err));
    assert_int_equal(count, expected);
}

static void make_store(struct fixture *f, unsigned runs)
{
    open_store(f, PM_STORE_WRITE);
    assert_ok(f, pm_store_begin(f->store, &f->err));
    for (unsigned i = 0; i < runs; i++)
        assert_ok(f, add_run(f->store, i, &f->err));
    assert_ok(f, pm_store_commit(f->store, &f->err));
    close_store(f);
}

static void run_sql(struct fixture *f, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void write_file(struct fixture *f, const void *bytes, size_t length)
{
    assert_ok(f, pm_file_write(f->path, bytes, length, &f->err));
}

/* Runs `body` in a child, which must end as `signal` says (0: by itself, with status 0). */
static void in_child(struct fixture *f, void (*body)(struct fixture *f), int signal)
{
    const pid_t child = fork();
    if (child == 0) {
        body(f);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (signal)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    else
        assert_int_equal(status, 0);
}

/* cmocka's assertions do not work in a child; root may write anywhere. */
static void expect_in_child(bool holds, const char *text)
{
    if (!holds) {
        fprintf(stderr, "in the child: %s\n", text);
        _exit(1);
    }
}

static void become_nobody(void)
{
    if (geteuid() == 0)
        expect_in_child(setresuid(NOBODY, NOBODY, NOBODY) == 0, "cannot leave root");
}

/* ---- what is no database of ours ----------------------------------------------------------- */

static void test_not_a_database(void **state)
{
    struct fixture *f = *state;
    char text[5000];
    memset(text, 'a', sizeof text);
    write_file(f, text, sizeof text);
    check_refused(f, PM_STORE_READ, PM_EFORMAT, "not a portmeter database");
    check_refused(f, PM_STORE_WRITE, PM_EFORMAT, "not a portmeter database");
    write_file(f, "short", 5);
    check_refused(f, PM_STORE_WRITE, PM_EFORMAT, "not a portmeter database");
    struct pm_str now = PM_STR_INIT;
    assert_ok(f, pm_file_read(f->path, &now, &f->err));
    assert_string_equal(now.data, "short");
    pm_str_release(&now);
}

static void test_of_another_program(void **state)
{
    struct fixture *f = *state;
    run_sql(f, "CREATE TABLE note (text)");
    check_refused(f, PM_STORE_WRITE, PM_EFORMAT, "of another program");
    run_sql(f, "PRAGMA application_id = 252006673");
    check_refused(f, PM_STORE_READ, PM_EFORMAT, "of another program");
}

static void test_empty(void **state)
{
    struct fixture *f = *state;
    check_refused(f, PM_STORE_READ, PM_ENOTFOUND, "no such database");
    assert_false(pm_path_exists(f->path));
    write_file(f, "", 0);
    check_refused(f, PM_STORE_READ, PM_ENOTFOUND, "holds no run");
    run_sql(f, "CREATE TABLE t (a); DROP TABLE t");
    check_refused(f, PM_STORE_READ, PM_ENOTFOUND, "holds no run");
    write_file(f, "", 0);
    make_store(f, 1);
    open_store(f, PM_STORE_READ);
    check_runs(f, 1);
    assert_int_equal(add_run(f->store, 1, &f->err), PM_EIO);
}

static void test_newer_and_older(void **state)
{
    struct fixture *f = *state;
    make_store(f, 1);
    run_sql(f, "PRAGMA user_version = 1000");
    check_refused(f, PM_STORE_READ, PM_EFORMAT, "of a newer portmeter");
    check_refused(f, PM_STORE_WRITE, PM_EFORMAT, "of a newer portmeter");
    run_sql(f, "PRAGMA user_version = 0");
    check_refused(f, PM_STORE_WRITE, PM_EFORMAT, "damaged database");
}

static void test_paths(void **state)
{
    struct fixture *f = *state;
    char *file = f->path;
    f->path = pm_strdup(f->folder);
    check_refused(f, PM_STORE_READ, PM_EFORMAT, "a folder, not a database");
    check_refused(f, PM_STORE_WRITE, PM_EFORMAT, "a folder, not a database");
    free(f->path);
    f->path = pm_path_join(f->folder, "none/test.db");
    check_refused(f, PM_STORE_WRITE, PM_EIO, "no folder");
    free(f->path);
    f->path = pm_strdup("/dev/null");
    check_refused(f, PM_STORE_WRITE, PM_EFORMAT, "not a regular file");
    free(f->path);
    f->path = pm_strdup("");
    check_refused(f, PM_STORE_WRITE, PM_EUSAGE, "empty");
    free(f->path);
    f->path = file;
    write_file(f, "x", 1);
    char *under = pm_path_join(file, "test.db");
    f->path = under;
    check_refused(f, PM_STORE_WRITE, PM_EIO, "Not a directory");
    free(under);
    f->path = file;
}

static void test_damaged(void **state)
{
    struct fixture *f = *state;
    make_store(f, 200);
    struct pm_str whole = PM_STR_INIT;
    assert_ok(f, pm_file_read(f->path, &whole, &f->err));
    write_file(f, whole.data, whole.length / 2);
    check_refused(f, PM_STORE_READ, PM_EFORMAT, "damaged database");
    memset(whole.data + whole.length / 2, 0xee, whole.length / 2);
    write_file(f, whole.data, whole.length);
    open_store(f, PM_STORE_READ);
    int count = 0;
    assert_int_equal(pm_store_runs(f->store, count_run, &count, &f->err), PM_EFORMAT);
    assert_says(f, "damaged database");
    pm_str_release(&whole);
}

static void test_missing_table(void **state)
{
    struct fixture *f = *state;
    make_store(f, 1);
    run_sql(f, "DROP TABLE canary");
    open_store(f, PM_STORE_READ);
    assert_int_equal(pm_store_canaries(f->store, 1, NULL, NULL, &f->err), PM_EFORMAT);
    assert_says(f, "no such table: canary");
}

/* ---- places that cannot be written --------------------------------------------------------- */

static void write_and_read_as_nobody(struct fixture *f)
{
    become_nobody();
    struct pm_store *store = NULL;
    const int rc = pm_store_open(&store, f->path, PM_STORE_WRITE, &f->err);
    expect_in_child(rc == PM_EIO && strstr(f->err.text, "cannot write"), f->err.text);
    expect_in_child(strstr(f->err.text, "Permission denied"), f->err.text);
    expect_in_child(pm_store_open(&store, f->path, PM_STORE_READ, &f->err) == PM_OK, f->err.text);
    int count = 0;
    expect_in_child(pm_store_runs(store, count_run, &count, &f->err) == PM_OK, f->err.text);
    expect_in_child(count == 3, "not all runs are there");
    pm_store_free(store);
}

static void test_read_only_file(void **state)
{
    struct fixture *f = *state;
    make_store(f, 3);
    chmod(f->path, 0444);
    in_child(f, write_and_read_as_nobody, 0);
}

static void test_read_only_folder(void **state)
{
    struct fixture *f = *state;
    make_store(f, 3);
    chmod(f->path, 0666);
    chmod(f->folder, 0555);
    in_child(f, write_and_read_as_nobody, 0);
    chmod(f->path, 0444);
    in_child(f, write_and_read_as_nobody, 0);
}

static void read_unreadable(struct fixture *f)
{
    become_nobody();
    struct pm_store *store = NULL;
    const int rc = pm_store_open(&store, f->path, PM_STORE_READ, &f->err);
    expect_in_child(rc == PM_EIO && strstr(f->err.text, "cannot read database"), f->err.text);
}

static void test_unreadable(void **state)
{
    struct fixture *f = *state;
    make_store(f, 3);
    chmod(f->path, 0000);
    in_child(f, read_unreadable, 0);
}

static void test_locked(void **state)
{
    struct fixture *f = *state;
    make_store(f, 1);
    open_store(f, PM_STORE_WRITE);
    struct pm_store *other = NULL;
    assert_ok(f, pm_store_open(&other, f->path, PM_STORE_WRITE, &f->err));
    sqlite3_busy_timeout(other->db, 0);
    assert_ok(f, pm_store_begin(f->store, &f->err));
    assert_int_equal(pm_store_begin(other, &f->err), PM_EBUSY);
    assert_says(f, "in use by another program");
    assert_ok(f, pm_store_commit(f->store, &f->err));
    assert_ok(f, pm_store_begin(other, &f->err));
    pm_store_free(other);
}

/* ---- a full disk --------------------------------------------------------------------------- */

/* Adds runs until one fails; *added is how many did not. */
static int fill(struct pm_store *store, unsigned *added, struct pm_error *err)
{
    for (unsigned i = 0; i < 10000; i++) {
        const int rc = add_run(store, 1000 + i, err);
        if (rc)
            return rc;
        ++*added;
    }
    return PM_OK;
}

static void test_full_disk(void **state)
{
    struct fixture *f = *state;
    make_store(f, 20);
    open_store(f, PM_STORE_WRITE);
    sqlite3_exec(f->store->db, "PRAGMA max_page_count = 60", NULL, NULL, NULL);
    assert_ok(f, pm_store_begin(f->store, &f->err));
    unsigned added = 0;
    assert_int_equal(fill(f->store, &added, &f->err), PM_EIO);
    assert_says(f, "no room left for");
    assert_true(added > 2);
    assert_int_equal(add_run(f->store, 1, &f->err), PM_EIO);
    assert_says(f, "was rolled back");
    assert_int_equal(pm_store_commit(f->store, &f->err), PM_EIO);
    assert_says(f, "was rolled back");
    check_runs(f, 20);
    sqlite3_exec(f->store->db, "PRAGMA max_page_count = 600", NULL, NULL, NULL);
    assert_ok(f, pm_store_begin(f->store, &f->err));
    assert_ok(f, add_run(f->store, 1000, &f->err));
    assert_ok(f, pm_store_commit(f->store, &f->err));
    close_store(f);
    open_store(f, PM_STORE_READ);
    check_runs(f, 21);
}

static void fill_under_limit(struct fixture *f)
{
    signal(SIGXFSZ, SIG_IGN);
    struct pm_store *store = NULL;
    expect_in_child(pm_store_open(&store, f->path, PM_STORE_WRITE, &f->err) == PM_OK, f->err.text);
    const struct rlimit limit = {400000, 400000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int rc = PM_OK;
    while (rc == PM_OK && (rc = pm_store_begin(store, &f->err)) == PM_OK) {
        for (unsigned i = 0; i < 10 && rc == PM_OK; i++)
            rc = add_run(store, (unsigned)random(), &f->err);
        if (rc == PM_OK)
            rc = pm_store_commit(store, &f->err);
    }
    expect_in_child(rc == PM_EIO && strstr(f->err.text, "no room left for"), f->err.text);
    pm_store_free(store);
}

static void test_full_disk_by_limit(void **state)
{
    struct fixture *f = *state;
    make_store(f, 20);
    in_child(f, fill_under_limit, 0);
    open_store(f, PM_STORE_READ);
    int count = 0;
    assert_ok(f, pm_store_runs(f->store, count_run, &count, &f->err));
    assert_true(count > 20 && count % 10 == 0);
}

/* ---- a writer that is killed --------------------------------------------------------------- */

static void die_in_transaction(struct fixture *f)
{
    struct pm_store *store = NULL;
    unsigned added = 0;
    expect_in_child(pm_store_open(&store, f->path, PM_STORE_WRITE, &f->err) == PM_OK, f->err.text);
    expect_in_child(pm_store_begin(store, &f->err) == PM_OK, f->err.text);
    expect_in_child(add_run(store, 500, &f->err) == PM_OK, f->err.text);
    expect_in_child(pm_store_commit(store, &f->err) == PM_OK, f->err.text);
    /* A cache of a few pages: much of the open transaction is in the file when it dies. */
    sqlite3_exec(store->db, "PRAGMA cache_size = 5", NULL, NULL, NULL);
    expect_in_child(pm_store_begin(store, &f->err) == PM_OK, f->err.text);
    expect_in_child(fill(store, &added, &f->err) == PM_OK, f->err.text);
    raise(SIGKILL);
}

static void read_what_the_dead_left(struct fixture *f)
{
    become_nobody();
    struct pm_store *store = NULL;
    const int rc = pm_store_open(&store, f->path, PM_STORE_READ, &f->err);
    expect_in_child(rc == PM_EIO && strstr(f->err.text, "its writer was killed"), f->err.text);
}

static void test_killed_writer(void **state)
{
    struct fixture *f = *state;
    make_store(f, 3);
    in_child(f, die_in_transaction, SIGKILL);
    char *journal = pm_format("%s-journal", f->path);
    assert_true(pm_path_exists(journal));
    chmod(f->path, 0444);
    chmod(journal, 0444);
    chmod(f->folder, 0555);
    in_child(f, read_what_the_dead_left, 0);
    chmod(f->path, 0644);
    chmod(journal, 0644);
    chmod(f->folder, 0755);
    open_store(f, PM_STORE_READ);
    check_runs(f, 4);
    assert_false(pm_path_exists(journal));
    close_store(f);
    open_store(f, PM_STORE_WRITE);
    check_runs(f, 4);
    free(journal);
}

static void test_open_transaction_is_rolled_back(void **state)
{
    struct fixture *f = *state;
    open_store(f, PM_STORE_WRITE);
    assert_ok(f, pm_store_begin(f->store, &f->err));
    assert_ok(f, add_run(f->store, 1, &f->err));
    check_runs(f, 1);
    close_store(f);
    open_store(f, PM_STORE_WRITE);
    check_runs(f, 0);
}

/* ---- schema versions ----------------------------------------------------------------------- */

static void test_migration(void **state)
{
    struct fixture *f = *state;
    enum { NOW = PM_STORE__VERSION };
    const struct pm_store__step steps[] = {
        {NOW, NOW + 1, "CREATE TABLE second (a); INSERT INTO second VALUES (1)", NULL},
        {NOW + 1, NOW + 2, "CREATE TABLE third (a)", NULL},
        {NOW + 2, NOW + 3, "CREATE TABLE third (a)", NULL},
    };
    make_store(f, 2);
    open_store(f, PM_STORE_WRITE);
    assert_true(pm_store__migrate(f->store, steps, 3, NOW + 3, &f->err) < 0);
    assert_says(f, "third already exists");
    assert_true(pm_store__migrate(f->store, steps, 2, NOW + 4, &f->err) < 0);
    assert_says(f, "no way from schema 4 to 6");
    assert_int_equal(sqlite3_exec(f->store->db, "SELECT * FROM second", 0, 0, 0), SQLITE_ERROR);
    assert_ok(f, pm_store__migrate(f->store, steps, 2, NOW + 2, &f->err));
    assert_int_equal(sqlite3_exec(f->store->db, "SELECT * FROM second, third", 0, 0, 0), SQLITE_OK);
    check_runs(f, 2);
    close_store(f);
    check_refused(f, PM_STORE_READ, PM_EFORMAT, "schema 4, this one knows 2");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_not_a_database),
        T(test_of_another_program),
        T(test_empty),
        T(test_newer_and_older),
        T(test_paths),
        T(test_damaged),
        T(test_missing_table),
        T(test_read_only_file),
        T(test_read_only_folder),
        T(test_unreadable),
        T(test_locked),
        T(test_full_disk),
        T(test_full_disk_by_limit),
        T(test_killed_writer),
        T(test_open_transaction_is_rolled_back),
        T(test_migration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of migration: a file of version 1 is opened by a program whose newest version is 3, with
 * made-up steps. Opening migrates the file, loses nothing and keeps a copy; if it cannot migrate,
 * it refuses the file in one line. */
#include "store_scene.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "made_up_versions.h"
#include "store/judgements.h"
#include "store/store_private.h"

enum { NOBODY = 65534 };

static int tear_down(void **state)
{
    made_up_end();
    return scene_tear_down(state);
}

/* Makes a file of version 1 with a row in every table; from here on the program has version 3. */
static void make(struct scene *s)
{
    made_up_end();
    unlink(s->path);
    scene_fill(s);
    made_up_begin();
}

static char *copy_of(const struct scene *s)
{
    return pm_format("%s.version-1", s->path);
}

/* ---- the migrated file --------------------------------------------------------------------- */

static struct pm_str bytes_of(struct scene *s, const char *path)
{
    struct pm_str bytes = PM_STR_INIT;
    assert_ok(s, pm_file_read(path, &bytes, &s->err));
    return bytes;
}

static void assert_same_bytes(struct pm_str *a, struct pm_str *b)
{
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->data, b->data, a->length);
    pm_str_release(a);
    pm_str_release(b);
}

/* Returns every row of the tables of version 1, with the columns of that version. */
static char *contents(const char *path)
{
    static const char begin[] = "\nCREATE TABLE ";
    struct pm_str out = PM_STR_INIT;
    for (const char *at = pm_store__schema; (at = strstr(at, begin));) {
        at += strlen(begin);
        char *name = pm_strndup(at, strcspn(at, " "));
        char *sql = strcmp(name, "annotation")
                        ? pm_format("SELECT '%s', * FROM %s", name, name)
                        : pm_strdup("SELECT framework, function, target, reason, note, made"
                                    " FROM annotation");
        char *rows = scene_query(path, sql);
        assert_string_not_equal(rows, "");
        pm_str_add(&out, rows);
        free(rows);
        free(sql);
        free(name);
    }
    return pm_str_detach(&out);
}

static void assert_up_to_date(struct scene *s)
{
    scene_assert_query(s->path, "PRAGMA user_version", "3|\n");
    scene_assert_query(s->path, "SELECT author FROM annotation", "nobody|\n");
    scene_assert_query(s->path, "SELECT text FROM note WHERE run_id = 1", "number 1|\n");
    scene_assert_query(s->path, "PRAGMA integrity_check", "ok|\n");
    scene_assert_query(s->path, "PRAGMA foreign_key_check", "");
    scene_assert_query(s->path, "PRAGMA freelist_count", "0|\n");
}

static void test_nothing_is_lost(void **state)
{
    struct scene *s = *state;
    char *copy = copy_of(s);
    for (int mode = PM_STORE_READ; mode <= PM_STORE_WRITE; mode++) {
        make(s);
        char *before = contents(s->path);
        scene_open(s, (enum pm_store_mode)mode);
        assert_ok(s, scene_read_all(s->store, &s->err));
        scene_close(s);
        char *after = contents(s->path);
        assert_string_equal(after, before);
        assert_up_to_date(s);
        assert_true(pm_path_exists(copy));
        unlink(copy);
        scene_open(s, PM_STORE_WRITE);
        scene_close(s);
        assert_false(pm_path_exists(copy));
        free(before);
        free(after);
    }
    free(copy);
}

static void test_new_file_has_the_newest_version(void **state)
{
    struct scene *s = *state;
    made_up_begin();
    scene_open(s, PM_STORE_WRITE);
    scene_add_run(s);
    scene_close(s);
    scene_open(s, PM_STORE_READ);
    scene_assert_query(s->path, "PRAGMA user_version", "3|\n");
    scene_assert_query(s->path, "SELECT count(*) FROM note", "0|\n");
    scene_assert_query(
        s->path, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%-- who says so%'", "1|\n");
}

static void test_opened_unchanged(void **state)
{
    struct scene *s = *state;
    char *copy = copy_of(s);
    make(s);
    struct pm_str before = bytes_of(s, s->path);
    assert_ok(s, pm_store_open_unchanged(&s->store, s->path, &s->err));
    assert_ok(s, scene_read_all(s->store, &s->err));
    scene_close(s);
    struct pm_str after = bytes_of(s, s->path);
    assert_same_bytes(&before, &after);
    assert_false(pm_path_exists(copy));
    free(copy);
}

/* ---- the copy ------------------------------------------------------------------------------ */

static void test_copy_is_the_file_as_it_was(void **state)
{
    struct scene *s = *state;
    make(s);
    chmod(s->path, 0600);
    char *before = scene_query(s->path, "SELECT * FROM annotation");
    char *copy = copy_of(s);
    scene_open(s, PM_STORE_READ);
    scene_close(s);
    scene_assert_query(copy, "PRAGMA user_version", "1|\n");
    scene_assert_query(copy, "PRAGMA integrity_check", "ok|\n");
    scene_assert_query(copy, "SELECT * FROM annotation", before);
    made_up_end();
    char *path = s->path;
    s->path = copy;
    scene_open(s, PM_STORE_WRITE);
    assert_ok(s, scene_read_all(s->store, &s->err));
    s->path = path;
    struct stat info;
    assert_int_equal(stat(copy, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    free(before);
    free(copy);
}

static void test_copies_are_not_overwritten(void **state)
{
    struct scene *s = *state;
    char *copy = copy_of(s), *second = pm_format("%s.1", copy);
    make(s);
    assert_ok(s, pm_file_write(copy, "mine", 4, &s->err));
    scene_open(s, PM_STORE_WRITE);
    struct pm_str bytes = bytes_of(s, copy);
    assert_string_equal(bytes.data, "mine");
    pm_str_release(&bytes);
    assert_true(pm_path_exists(second));
    free(copy);
    free(second);
}

static void test_note_says_where_the_copy_is(void **state)
{
    struct scene *s = *state;
    FILE *notes = tmpfile();
    char said[1024] = "";
    char *copy = copy_of(s);
    make(s);
    pm_store_note_to(notes);
    scene_open(s, PM_STORE_READ);
    scene_open(s, PM_STORE_READ);
    pm_store_note_to(NULL);
    rewind(notes);
    assert_non_null(fgets(said, sizeof said, notes));
    assert_non_null(strstr(said, "was updated to schema version 3"));
    assert_non_null(strstr(said, copy));
    assert_null(fgets(said, sizeof said, notes));
    fclose(notes);
    free(copy);
}

/* ---- files that cannot be migrated --------------------------------------------------------- */

static void refuse_as_nobody(struct scene *s)
{
    struct pm_store *store = NULL;
    if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
        _exit(2);
    const int rc = pm_store_open(&store, s->path, PM_STORE_READ, &s->err);
    if (rc != PM_EIO || !strstr(s->err.text, "has schema version 1 and must be updated to 3") ||
        !strstr(s->err.text, "copy the database to a writable folder")) {
        fprintf(stderr, "%d: %s\n", rc, s->err.text);
        _exit(1);
    }
    _exit(0);
}

static void assert_refused_to_nobody(struct scene *s)
{
    const pid_t child = fork();
    if (child == 0)
        refuse_as_nobody(s);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_where_nothing_can_be_written(void **state)
{
    struct scene *s = *state;
    make(s);
    struct pm_str before = bytes_of(s, s->path);
    chmod(s->path, 0444);
    assert_refused_to_nobody(s);
    chmod(s->path, 0666);
    chmod(s->folder, 0555);
    assert_refused_to_nobody(s);
    struct pm_str after = bytes_of(s, s->path);
    assert_same_bytes(&before, &after);
}

static void test_beside_a_writer(void **state)
{
    struct scene *s = *state;
    make(s);
    char *lock = pm_format("%s-lock", s->path), *copy = copy_of(s);
    char *other = pm_path_join(s->folder, "other.db"), *path = s->path;
    s->path = other;
    scene_open(s, PM_STORE_WRITE);
    char *held = pm_format("%s-lock", other);
    assert_int_equal(rename(held, lock), 0);
    s->path = path;
    scene_assert_refused(s, PM_STORE_READ, PM_EBUSY, "is being written by process");
    assert_false(pm_path_exists(copy));
    scene_close(s);
    free(held);
    free(lock);
    free(copy);
    free(other);
}

/* If the new constraints forbid a row, or a row refers to a missing one, the file is not changed.
 */
static void test_damaged_rows(void **state)
{
    static const struct {
        const char *sql, *says;
    } damages[] = {
        {"UPDATE execution SET repetition = -5 WHERE id = 1",
         "its rows do not fit schema version 2"},
        {"UPDATE attempt SET machine = '{'", "CHECK constraint failed"},
        {"UPDATE leaf SET digest = 'x'", "CHECK constraint failed"},
        {"DELETE FROM target WHERE id = 1", "to rows that do not exist"},
    };
    struct scene *s = *state;
    char *copy = copy_of(s);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *sql = pm_format("PRAGMA ignore_check_constraints = ON; %s", damages[i].sql);
        make(s);
        scene_sql(s->path, sql);
        struct pm_str before = bytes_of(s, s->path);
        scene_assert_refused(s, PM_STORE_WRITE, PM_EFORMAT, damages[i].says);
        struct pm_str after = bytes_of(s, s->path);
        assert_same_bytes(&before, &after);
        assert_false(pm_path_exists(copy));
        free(sql);
    }
    free(copy);
}

static void test_other_schemas(void **state)
{
    struct scene *s = *state;
    make(s);
    scene_sql(s->path, "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM target; END");
    scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT,
                         "has the trigger 't', which schema version 1 does not have");
    make(s);
    scene_sql(s->path, "PRAGMA user_version = 2");
    scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT,
                         "schema version 2 (table 'annotation' differs)");
    make(s);
    scene_sql(s->path, "PRAGMA user_version = 4");
    scene_assert_refused(s, PM_STORE_WRITE, PM_EFORMAT,
                         "has schema version 4, but this portmeter supports versions up to 3: use "
                         "a newer portmeter");
}

/* ---- the real versions --------------------------------------------------------------------- */

/* Opening a new file checks that its tables are those that the steps make. */
static void test_known_versions(void **state)
{
    struct scene *s = *state;
    char *newest = pm_format("%d|\n", pm_store__versions->count);
    scene_open(s, PM_STORE_WRITE);
    scene_close(s);
    scene_open(s, PM_STORE_WRITE);
    scene_assert_query(s->path, "PRAGMA user_version", newest);
    assert_string_equal(newest, SCENE_VERSION "|\n");
    free(newest);
}

/* Returns a file's schema, version and settings as text; the caller frees it. */
static char *contents_of(const char *path)
{
    static const char *const queries[] = {
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
        "PRAGMA application_id",
        "PRAGMA user_version",
        "PRAGMA auto_vacuum",
        "PRAGMA page_size",
        "PRAGMA encoding",
        "PRAGMA integrity_check",
    };
    struct pm_str out = PM_STR_INIT;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char *rows = scene_query(path, queries[i]);
        pm_str_add(&out, rows);
        free(rows);
    }
    return pm_str_detach(&out);
}

/* A new file is copied from the database that the build made from schema.sql. Each way of listing
 * what a file must contain accepts the file that the other way made. */
static void test_new_file_is_what_the_statements_make(void **state)
{
    struct scene *s = *state;
    const struct pm_store__versions *real = pm_store__versions;
    struct pm_store__versions without = *real;
    assert_true(real->empty->length > 0);
    scene_open(s, PM_STORE_WRITE);
    scene_close(s);
    char *copied = contents_of(s->path);
    without.empty = NULL;
    pm_store__versions = &without;
    scene_open(s, PM_STORE_WRITE);
    scene_close(s);
    assert_int_equal(unlink(s->path), 0);
    scene_open(s, PM_STORE_WRITE);
    scene_close(s);
    pm_store__versions = real;
    scene_open(s, PM_STORE_WRITE);
    scene_close(s);
    char *made = contents_of(s->path);
    assert_string_equal(copied, made);
    assert_non_null(strstr(made, "ok|"));
    free(copied);
    free(made);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, scene_set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_nothing_is_lost),
        T(test_new_file_has_the_newest_version),
        T(test_opened_unchanged),
        T(test_copy_is_the_file_as_it_was),
        T(test_copies_are_not_overwritten),
        T(test_note_says_where_the_copy_is),
        T(test_where_nothing_can_be_written),
        T(test_beside_a_writer),
        T(test_damaged_rows),
        T(test_other_schemas),
        T(test_known_versions),
        T(test_new_file_is_what_the_statements_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
